//! Functions that take an operator of two slices as the slice of an operator.
//!
//! # The grammar
//!
//! ```text
//! function ::= template<typename T> Expr f(Expr e) { stmt* return Shuffle::make(c, s->indices); }
//! stmt     ::= const T *op = e.as<T>();
//!            | const Shuffle *s = op->a.as<Shuffle>();     (one, and another one of `op->b`)
//!            | internal_assert(known && …);
//!            | const std::vector<Expr> &l = s->vectors;
//!            | if (differ) { return e; }
//!            | for (size_t i = 0; i < list.size(); i++) {
//!                  if (list[i].type() != list[i].type()) { return e; }
//!              }
//!            | std::vector<Expr> c;
//!            | for (size_t i = 0; i < list.size(); i++) {
//!                  c.push_back(T::make(list[i], list[i]));
//!              }
//! known    ::= op | s | s->is_slice()
//! differ   ::= s->indices != s->indices | list.size() != list.size()
//! list     ::= l | s->vectors
//! ```
//!
//! Two shuffles or two lists in one condition are those of both operands; in `T::make` the first
//! operand's comes first. Each name is declared once, except for counters of loops. Before `c` is
//! filled, all tests stand, so that the sizes, the indices and the types are equal from there on.
//! All calls of `f` name a kind of [`LANEWISE`], and nothing else names `f` but its declarations.
//!
//! # Correctness
//!
//! The contract of such a function takes only a node that is known to have the kind, and requires
//! that both operands are known to be slices, so the asserts hold and no pointer is null. A
//! `return e` is right.
//!
//! At the last `return`, both shuffles have `n` vectors, and the vectors at each place have one
//! type, lanes included. So `make` accepts each pair, and `c` has `n` expressions: at place `k` the
//! operator of the vectors at place `k`. A shuffle numbers the lanes of its vectors, one vector
//! after the other, and takes the lanes with the given numbers (`Shuffle` in `IR.h`). The number of
//! lanes before each vector is the same in both shuffles and in `c`, so one number means the same
//! place and the same lane of the vector there. All vectors of `c` have one element type, as all
//! vectors of a shuffle have, and each index is in range, as it was. A lane of the result is the
//! operator of two lanes of vectors; these are the lanes of the two shuffles at this place. So the
//! result has the value of `e` in each lane, and its type. The operators of [`LANEWISE`] are
//! defined on every number, so that a lane that the slice leaves out cannot fail.

use halidom_cpp::ast::{Declared, Expr, ExprKind, Function, Stmt, StmtKind};
use halidom_cpp::{Sign, is_letter};

use crate::machine::contracts;
use crate::machine::language::{Guarantee, Op, Primitive, Sort, Term};
use crate::machine::program::Program;
use crate::machine::unread::{are_of_the_api, count};

/// The kinds of nodes that compute each lane from the same lane of two operands, and do not fail.
const LANEWISE: [&str; 12] =
    ["Add", "Sub", "Mul", "Min", "Max", "EQ", "NE", "LT", "LE", "GT", "GE", "And"];

/// The types of a vector of expressions.
const VECTORS: [&str; 2] = ["std::vector<Expr>", "vector<Expr>"];

/// The names of the API that the form rests on, beyond the kinds of nodes.
const NAMES: [&str; 6] = ["Shuffle", "Expr", "vector", "size_t", "internal_assert", "std"];

/// Tests whether a function with a body keeps what its contract states.
pub(crate) fn keeps_contract(program: &Program, function: &Function) -> bool {
    is_stated(&function.name)
        && are_kinds_known(program, function)
        && Form::of(program, function).is_some()
}

/// Tests whether the contract of a name states that an operator of slices keeps its value.
fn is_stated(name: &str) -> bool {
    let table = contracts::table();
    let mut all = table.named(name);
    let (Some(only), None) = (all.next(), all.next()) else { return false };
    let [taken] = only.takes.as_slice() else { return false };
    let of = [Term::Name(taken.name)];
    only.when.is_none()
        && taken.sorts == [Sort::Named]
        && matches!(&only.guarantee, Guarantee::Result(Term::Run(Primitive::Mutate, value))
            if *value == of)
        && matches!(only.requirements.as_slice(), [one]
            if one.condition == Term::Apply(Op::Slices, of.to_vec()))
}

/// Tests whether all that names a function calls it for a kind of [`LANEWISE`], or declares it, and
/// the files give no name of the form another meaning.
fn are_kinds_known(program: &Program, function: &Function) -> bool {
    let is_it = |other: &Function| other.name == function.name;
    let is_double = |other: &&Function| is_it(other) && other.class == function.class;
    are_of_the_api(program, &LANEWISE)
        && are_of_the_api(program, &NAMES)
        && program.outside.iter().all(|text| is_declared_only(text, &function.name))
        && program.functions.iter().filter(is_double).count() == 1
        && count(function, &function.name) == 1
        && program.functions.iter().filter(|other| !is_it(other)).all(|caller| {
            let mut known = 0;
            caller.visit(&mut |part| {
                if let ExprKind::Call { callee, templates, arguments } = &part.kind
                    && callee.kind == ExprKind::Name(function.name.clone())
                    && let ([kind], [_]) = (templates.as_slice(), arguments.as_slice())
                    && LANEWISE.contains(&kind.as_str())
                {
                    known += 1;
                }
            });
            count(caller, &function.name) == known
        })
}

/// Tests whether a text outside of functions names a function only where it declares it, or makes
/// it for a kind of [`LANEWISE`]: `Expr f(Expr e);` and `template Expr C::f<Add>(Expr);`.
fn is_declared_only(text: &str, name: &str) -> bool {
    let is_of_word = |letter: char| is_letter(letter);
    text.match_indices(name).all(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        if before.ends_with(is_of_word) || after.starts_with(is_of_word) {
            return true;
        }
        let Some((rest, _)) = after.split_once(';') else { return false };
        let rest: String = rest.split_whitespace().collect();
        let kind = rest.strip_prefix('<').and_then(|rest| rest.strip_suffix(">(Expr)"));
        match kind {
            Some(kind) => LANEWISE.contains(&kind),
            None => {
                let taken = rest.strip_prefix("(Expr").and_then(|rest| rest.strip_suffix(')'));
                before.trim_end().ends_with("Expr")
                    && taken.is_some_and(|taken| taken.chars().all(is_letter))
            }
        }
    })
}

/// The operands of the visited node.
const OPERANDS: [&str; 2] = ["a", "b"];

/// The state of a look at a function, after some of its statements.
#[expect(clippy::struct_excessive_bools, reason = "each is another fact that the tests show")]
struct Form<'t> {
    /// The expression that the function takes.
    taken: &'t str,
    /// The template parameter.
    kind: &'t str,
    /// The pointer to the node.
    node: Option<&'t str>,
    /// The shuffles, and the names of their lists of vectors, each with its operand.
    shuffles: Vec<(&'t str, usize)>,
    lists: Vec<(&'t str, usize)>,
    /// The vector that is made, and whether it is filled.
    made: Option<&'t str>,
    is_filled: bool,
    /// The facts that the tests so far have shown.
    has_same_indices: bool,
    has_same_sizes: bool,
    has_same_types: bool,
    /// The names that are declared.
    names: Vec<&'t str>,
}

impl<'t> Form<'t> {
    /// Looks at a function; `None` if it is not of the form.
    fn of(program: &Program, function: &'t Function) -> Option<Self> {
        let ([taken], [kind]) = (function.parameters.as_slice(), function.templates.as_slice())
        else {
            return None;
        };
        let is_plain = function.result == "Expr"
            && ["Expr", "Expr&"].contains(&taken.ty.as_str())
            && !function.may_write(0)
            && taken.default.is_none()
            && program.specialized.iter().all(|name| *name != function.name)
            && !NAMES.contains(&kind.as_str())
            && !LANEWISE.contains(&kind.as_str());
        if !is_plain {
            return None;
        }
        let mut form = Self {
            taken: &taken.name,
            kind,
            node: None,
            shuffles: Vec::new(),
            lists: Vec::new(),
            made: None,
            is_filled: false,
            has_same_indices: false,
            has_same_sizes: false,
            has_same_types: false,
            names: vec![&taken.name, kind],
        };
        let (last, stmts) = function.body.split_last()?;
        for stmt in stmts {
            form.stmt(stmt)?;
        }
        let StmtKind::Return(Some(result)) = &last.kind else { return None };
        let [vectors, indices] = call_of(result, "Shuffle::make")? else { return None };
        let is_made = form.made.is_some_and(|made| vectors.is_name(made));
        (is_made
            && form.is_filled
            && form.has_same_indices
            && form.part_of_shuffle(indices, "indices").is_some())
        .then_some(form)
    }

    /// Looks at a statement before the last one.
    fn stmt(&mut self, stmt: &'t Stmt) -> Option<()> {
        match &stmt.kind {
            StmtKind::Nothing => Some(()),
            StmtKind::Declare(all) => all.iter().try_for_each(|declared| self.declared(declared)),
            StmtKind::Expr(expr) => {
                let [condition] = call_of(expr, "internal_assert")? else { return None };
                self.is_required(condition).then_some(())
            }
            StmtKind::If { declared: None, condition: Some(test), then, otherwise: None } => {
                self.returns_taken(then)?;
                let ExprKind::Binary(Sign::Ne, first, second) = &test.kind else { return None };
                let of = |part: &Self, expr| part.part_of_shuffle(expr, "indices");
                if are_both(of(self, first), of(self, second)) {
                    self.has_same_indices = true;
                } else if are_both(self.size_of(first), self.size_of(second)) {
                    self.has_same_sizes = true;
                } else {
                    return None;
                }
                Some(())
            }
            StmtKind::For { first, condition, step, body } => {
                let counter =
                    self.counter(first.as_deref()?, condition.as_ref()?, step.as_ref()?)?;
                self.step(only(body), counter)
            }
            _ => None,
        }
    }

    /// Looks at a variable that is declared.
    fn declared(&mut self, declared: &'t Declared) -> Option<()> {
        let Declared { ty, name, value } = declared;
        self.is_new(name).then_some(())?;
        let ty = ty.strip_prefix("const ").unwrap_or(ty);
        match value {
            None if VECTORS.contains(&ty) && self.made.is_none() => self.made = Some(name),
            Some(value) if ty == format!("{}*", self.kind) && self.node.is_none() => {
                let of = cast(value, self.kind)?;
                of.is_name(self.taken).then_some(())?;
                self.node = Some(name);
            }
            Some(value) if ty == "Shuffle*" => {
                let ExprKind::Member { object, arrow: true, name: of } =
                    &cast(value, "Shuffle")?.kind
                else {
                    return None;
                };
                object.is_name(self.node?).then_some(())?;
                let operand = OPERANDS.iter().position(|known| known == of)?;
                if self.shuffles.iter().any(|(_, known)| *known == operand) {
                    return None;
                }
                self.shuffles.push((name, operand));
            }
            Some(value) if VECTORS.map(|of| format!("{of}&")).iter().any(|of| of == ty) => {
                let operand = self.part_of_shuffle(value, "vectors")?;
                self.lists.push((name, operand));
            }
            _ => return None,
        }
        self.names.push(name);
        Some(())
    }

    fn is_new(&self, name: &str) -> bool {
        !self.names.contains(&name) && !NAMES.contains(&name) && !LANEWISE.contains(&name)
    }

    /// Tests whether a condition holds by what the contract requires.
    fn is_required(&self, condition: &Expr) -> bool {
        match &condition.kind {
            ExprKind::Binary(Sign::And, first, second) => {
                self.is_required(first) && self.is_required(second)
            }
            ExprKind::Name(name) => self.node == Some(name) || self.shuffle(condition).is_some(),
            ExprKind::Call { callee, templates, arguments } => {
                matches!(&callee.kind, ExprKind::Member { object, arrow: true, name }
                    if name == "is_slice" && self.shuffle(object).is_some())
                    && templates.is_empty()
                    && arguments.is_empty()
            }
            _ => false,
        }
    }

    /// The operand that a shuffle is.
    fn shuffle(&self, expr: &Expr) -> Option<usize> {
        self.shuffles.iter().find(|(name, _)| expr.is_name(name)).map(|(_, operand)| *operand)
    }

    /// The operand whose shuffle has a member.
    fn part_of_shuffle(&self, expr: &Expr, member: &str) -> Option<usize> {
        let ExprKind::Member { object, arrow: true, name } = &expr.kind else { return None };
        self.shuffle(object).filter(|_| name == member)
    }

    /// The operand whose list of vectors an expression is.
    fn list(&self, expr: &Expr) -> Option<usize> {
        let named = self.lists.iter().find(|(name, _)| expr.is_name(name));
        named.map(|(_, operand)| *operand).or_else(|| self.part_of_shuffle(expr, "vectors"))
    }

    /// The operand of whose list an expression is the size.
    fn size_of(&self, expr: &Expr) -> Option<usize> {
        self.list(method(expr, "size", &[])?)
    }

    /// The operand of whose list an expression is the element that a counter counts.
    fn element(&self, expr: &Expr, counter: &str) -> Option<usize> {
        let ExprKind::Index(list, index) = &expr.kind else { return None };
        self.list(list).filter(|_| index.is_name(counter))
    }

    /// The counter of a loop that takes each element of a list.
    fn counter(&self, first: &'t Stmt, condition: &Expr, step: &Expr) -> Option<&'t str> {
        let StmtKind::Declare(all) = &first.kind else { return None };
        let [Declared { ty, name, value: Some(from) }] = all.as_slice() else { return None };
        let (ExprKind::Prefix(Sign::Increment, counted)
        | ExprKind::Postfix(Sign::Increment, counted)) = &step.kind
        else {
            return None;
        };
        let ExprKind::Binary(Sign::Lt, compared, size) = &condition.kind else { return None };
        let counts = ty == "size_t"
            && matches!(from.kind, ExprKind::Integer(0, _))
            && self.is_new(name)
            && counted.is_name(name)
            && compared.is_name(name)
            && self.size_of(size).is_some();
        counts.then_some(name)
    }

    /// Looks at the body of a loop.
    fn step(&mut self, stmt: &'t Stmt, counter: &str) -> Option<()> {
        if !self.has_same_sizes {
            return None;
        }
        match &stmt.kind {
            StmtKind::If { declared: None, condition: Some(test), then, otherwise: None } => {
                self.returns_taken(then)?;
                let ExprKind::Binary(Sign::Ne, first, second) = &test.kind else { return None };
                let [first, second] = [first, second].map(|expr| method(expr, "type", &[]));
                let first = self.element(first?, counter);
                are_both(first, self.element(second?, counter)).then_some(())?;
                self.has_same_types = true;
                Some(())
            }
            StmtKind::Expr(expr) => {
                let ExprKind::Call { callee, templates, arguments } = &expr.kind else {
                    return None;
                };
                let ExprKind::Member { object, arrow: false, name } = &callee.kind else {
                    return None;
                };
                let [pushed] = arguments.as_slice() else { return None };
                let is_pushed = name == "push_back"
                    && templates.is_empty()
                    && self.made.is_some_and(|made| object.is_name(made));
                let [first, second] = call_of(pushed, &format!("{}::make", self.kind))? else {
                    return None;
                };
                let operands = [first, second].map(|expr| self.element(expr, counter));
                let is_right = is_pushed
                    && operands == [Some(0), Some(1)]
                    && self.has_same_types
                    && !self.is_filled;
                self.is_filled = true;
                is_right.then_some(())
            }
            _ => None,
        }
    }

    /// Tests that a statement returns what the function takes.
    fn returns_taken(&self, stmt: &Stmt) -> Option<()> {
        let StmtKind::Return(Some(result)) = &only(stmt).kind else { return None };
        result.is_name(self.taken).then_some(())
    }
}

/// The object of `object.as<kind>()`.
fn cast<'e>(expr: &'e Expr, kind: &str) -> Option<&'e Expr> {
    let ExprKind::Call { callee, templates, arguments } = &expr.kind else { return None };
    let ExprKind::Member { object, arrow: false, name } = &callee.kind else { return None };
    let is_cast = name == "as"
        && arguments.is_empty()
        && matches!(templates.as_slice(), [only] if only == kind);
    is_cast.then_some(object)
}

/// Tests whether two operands are both.
fn are_both(first: Option<usize>, second: Option<usize>) -> bool {
    matches!((first, second), (Some(0), Some(1)) | (Some(1), Some(0)))
}

/// The only statement of a block, or the statement itself.
fn only(stmt: &Stmt) -> &Stmt {
    match &stmt.kind {
        StmtKind::Block(stmts) => match stmts.as_slice() {
            [one] => only(one),
            _ => stmt,
        },
        _ => stmt,
    }
}

/// The arguments of a call of a function.
fn call_of<'e>(expr: &'e Expr, name: &str) -> Option<&'e [Expr]> {
    let ExprKind::Call { callee, templates, arguments } = &expr.kind else { return None };
    (callee.is_name(name) && templates.is_empty()).then_some(arguments.as_slice())
}

/// The object of a call of a method with these arguments.
fn method<'e>(expr: &'e Expr, of: &str, given: &[Expr]) -> Option<&'e Expr> {
    let ExprKind::Call { callee, templates, arguments } = &expr.kind else { return None };
    let ExprKind::Member { object, arrow: false, name } = &callee.kind else { return None };
    (name == of && templates.is_empty() && arguments == given).then_some(object)
}
