//! Methods for which short lists stand for lists of any length.
//!
//! The machine runs a method on lists of zero to three elements. For most methods this shows
//! nothing about longer lists. Here is one form of method for which it does. It is a closed
//! grammar: a method of which any part has another form is not of this form.
//!
//! # The grammar
//!
//! A *list* is a field of the visited node, `op->field`. A *copy* is a vector that the method
//! declares, empty or of the size of a list. The method has these statements:
//!
//! ```text
//! method  ::= (copy | flag | loop | other)*
//! copy    ::= vector<Expr> c; | vector<Expr> c(op->field.size());
//! flag    ::= bool f = false; | bool f = true;
//! loop    ::= for (size_t i = 0; i < op->field.size(); i++) { step* }
//!           | for (Expr e : op->field) { step* }
//! step    ::= Expr x = image; | c.push_back(image); | c[i] = image;
//!           | if (test) f = true; | f |= test;        (or `false` and `&=`)
//! image   ::= mutate(element) | element
//! element ::= op->field[i] | e | x | c[i]
//! test    ::= a condition of `same_as`, `defined` and `is_const` of elements
//! renewed ::= op = s.as<Kind>();              (in a method without loops)
//! folded  ::= return f(op->field);            (`f` is a function of the form in `folds`)
//! other   ::= declarations, assignments, `if` and `return`, of the forms in [`Text::plain`] and
//!             [`Text::made`], in which lists and copies are only arguments of `make` of the
//!             visited kind, as a whole, and the nodes so made are returned or put into others
//! ```
//!
//! Loops stand at the top of the method, and so do the declarations of copies and of the flag.
//! There is one flag at most. Loops move it in one direction, and nothing else assigns it. Each
//! copy is filled by one loop, over the list of its size, in one step, and used after that. Nothing
//! in a loop is declared twice or has a name from outside. What is called is the API's, unless
//! [`Text::is_api`] refuses the name: the program declares nothing of that name.
//!
//! # Correctness
//!
//! *A step sees one element.* By induction on the iterations: before iteration `i`, a copy that is
//! being filled has exactly the images of the elements before `i`. The counter takes every element
//! once, as no list has more elements than an `int` can count. So iteration `i` puts its image at
//! place `i`, and `c[i]` is the image of its own element. It reads no flag and no member, and
//! nothing at other places. What it does depends on its own element and on the answers of
//! `mutate`, each of which is any node of the same value. All iterations of a loop call `mutate`
//! equally often.
//!
//! *Elements can be left out.* Take a run on lists of any length. Keep the first element that moved
//! the flag, if there is one, and one other element of each list, and let `mutate` answer as
//! before. The short run has a flag of the same value, and members of the same values, as the last
//! `mutate` may leave anything in them. Outside of loops nothing else of a list is seen. So the
//! short run takes the same way, and makes the same nodes with shorter lists. It has at most two
//! elements in each list, so it was examined: it does not fail, ends, and has the right result.
//!
//! *The long run is right.* If it failed in a loop, it would do so at some element, and the short
//! run that keeps this element would fail. After the loops it does what the short run does. Each
//! place of a copy has an image of the same element, which has the element's value and type, so the
//! long copy stands for the long list. A node with a list has the effect of its elements, one after
//! the other, and of the rest. A result that keeps the list differs from the input only in the
//! rest, which the short run has, too. A result that leaves it out is right for each element alone,
//! as any element may be the one that is kept, and so for all.
//!
//! *The statement of a fold is right.* A fold does with a list what it does with each element
//! alone, one after the other. On the empty list it does nothing, so the rest of the input does
//! nothing; on a list of one element it has the effect of that element. Where the node is renewed,
//! its lists hold images of the elements, which have their values; in a method without loops
//! nothing else happens to them.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Declared, Expr, ExprKind, Function, Stmt, StmtKind};

use crate::ir::kinds::{Kind, Role};
use crate::machine::alike_names::{called, declared, values, words};
use crate::machine::contracts;
use crate::machine::folds::is_fold;
use crate::machine::program::Program;

/// The types of a counter: no list has more elements than they can count.
const COUNTERS: [&str; 2] = ["size_t", "int"];

/// The types of a vector that a method declares.
const VECTORS: [&str; 6] = [
    "std::vector<Expr>",
    "vector<Expr>",
    "Array<Expr>",
    "std::vector<Stmt>",
    "vector<Stmt>",
    "Array<Stmt>",
];

/// The types of an element, or of its image.
const ELEMENTS: [&str; 6] = ["Expr", "Stmt", "auto", "Expr&", "Stmt&", "auto&"];

/// Functions of the API that look at expressions and change nothing.
const FUNCTIONS: [&str; 5] = ["equal", "is_const", "is_zero", "is_one", "is_no_op"];

/// Methods of the API that look at an expression and change nothing.
const METHODS: [&str; 4] = ["defined", "same_as", "as", "type"];

/// The `visit` of the API's mutator, which mutates each operand.
const BASES: [&str; 2] = ["IRMutator::visit", "IRMutator::Mutate_"];

/// The names of the function that mutates a node.
const MUTATES: [&str; 2] = ["mutate", "Mutate"];

/// Tests whether lists of at most three elements stand for all lists that a method may be given.
pub(crate) fn treats_alike(program: &Program, method: &Function) -> bool {
    Text::of(program, method).is_some_and(|mut text| text.is_alike())
}

/// A vector that a method declares.
struct Copy<'t> {
    name: &'t str,
    /// The list that has its size; `None` if it is empty at first.
    sized_by: Option<&'t str>,
    is_filled: bool,
}

/// A method whose text is looked at.
struct Text<'t> {
    program: &'t Program,
    method: &'t Function,
    /// The parameter that is the visited node.
    node: &'t str,
    kind: Kind,
    copies: Vec<Copy<'t>>,
    /// The truth values that the method declares at its top, each with its value at first.
    truths: Vec<(&'t str, bool)>,
    /// The flag that loops move.
    flag: Option<&'t str>,
    /// The variables that may hold nodes with lists.
    carriers: Vec<&'t str>,
}

/// One loop over the elements of a list.
struct Loop<'t> {
    /// The list: a field of the visited node.
    field: &'t str,
    /// The variable that counts; `None` if the loop names the elements.
    index: Option<&'t str>,
    /// The variables that hold the element itself, and those that hold an image.
    elements: Vec<&'t str>,
    images: Vec<&'t str>,
    /// The copies that this loop fills.
    filled: Vec<&'t str>,
}

impl<'t> Text<'t> {
    fn of(program: &'t Program, method: &'t Function) -> Option<Self> {
        let first = method.parameters.first()?;
        let kind = Kind::named(first.ty.strip_suffix('*')?)?;
        if !method.templates.is_empty() {
            return None;
        }
        let mut text = Self {
            program,
            method,
            node: &first.name,
            kind,
            copies: Vec::new(),
            truths: Vec::new(),
            flag: None,
            // `stmt` and `expr` are results in members of older mutators.
            carriers: ["stmt", "expr"].into(),
        };
        text.carriers.extend(method.parameters.iter().map(|known| known.name.as_str()));
        text.find_carriers();
        Some(text)
    }

    fn is_alike(&mut self) -> bool {
        let stmts: &'t [Stmt] = &self.method.body;
        self.has_plain_names()
            && stmts.iter().all(|stmt| self.top(stmt))
            && self.copies.iter().all(|copy| copy.is_filled)
    }

    // Names.

    /// Tests that the program declares no class, alias or macro that the method names, and that the
    /// names on which the grammar rests are declared once.
    fn has_plain_names(&self) -> bool {
        let declared = declared(&self.method.body);
        let parameters = self.method.parameters.iter().map(|parameter| parameter.name.as_str());
        let outer: Vec<&str> = parameters.chain(declared.outer.iter().copied()).collect();
        let all = || outer.iter().chain(declared.inner.iter().flatten()).copied();
        let is_once = |name: &str| all().filter(|known| *known == name).count() == 1;
        let are_watched_once = outer.iter().all(|name| {
            let is_watched = *name == self.node || declared.watched.contains(name);
            !is_watched || is_once(name)
        });
        let are_inner_new = declared.inner.iter().all(|inner| {
            inner
                .iter()
                .enumerate()
                .all(|(at, name)| !outer.contains(name) && !inner[..at].contains(name))
        });
        let is_variable = |name: &str| all().any(|known| known == name);
        let mut words = words(&self.method.body);
        words.extend([self.kind.name(), &self.method.result].map(str::to_owned));
        are_watched_once
            && are_inner_new
            && !called(&self.method.body).iter().any(|name| name.split("::").any(is_variable))
            && words.iter().all(|word| !self.is_renamed(word))
    }

    /// Tests whether the program gives a name to a class of its own, or to something else but a
    /// function with a body.
    fn is_renamed(&self, name: &str) -> bool {
        self.program.classes.iter().any(|class| class.name == name)
            || self.program.others.iter().any(|known| known == name)
    }

    /// Tests whether a name can only mean a function of the API: no function and no member of the
    /// program has it.
    fn is_api(&self, name: &str) -> bool {
        let program = self.program;
        program.functions.iter().all(|function| function.name != name) && !is_member(program, name)
    }

    /// Tests whether a name means the `mutate` of the API, or one that its contract replaces.
    fn is_mutate(&self, name: &str) -> bool {
        let mut own = self.program.functions.iter().filter(|function| function.name == name);
        let is_plain = |of: &Function| {
            contracts::is_replaced(of)
                && of.templates.is_empty()
                && ["Expr", "Stmt"].contains(&of.result.trim_end_matches('&'))
        };
        MUTATES.contains(&name) && own.all(is_plain) && !is_member(self.program, name)
    }

    /// Finds the variables that may hold nodes with lists: all that are given one.
    fn find_carriers(&mut self) {
        let mut given: Vec<(&'t str, &'t Expr)> = Vec::new();
        for stmt in &self.method.body {
            values(stmt, &mut given);
        }
        loop {
            let is_new = |(name, value): &&(&'t str, &'t Expr)| {
                !self.carriers.contains(name) && self.carries(value)
            };
            let Some((name, _)) = given.iter().find(is_new) else { break };
            self.carriers.push(name);
        }
    }

    /// Tests whether a value may be a node with a list.
    fn carries(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Name(name) => self.carriers.contains(&name.as_str()),
            ExprKind::Call { callee, templates: _, arguments } => {
                matches!(&callee.kind, ExprKind::Name(name)
                    if BASES.contains(&name.as_str()) || *name == self.maker())
                    || arguments.iter().any(|argument| self.carries(argument))
            }
            ExprKind::Conditional(_, then, otherwise) => {
                self.carries(then) || self.carries(otherwise)
            }
            _ => false,
        }
    }

    /// The function that makes a node of the visited kind.
    fn maker(&self) -> String {
        format!("{}::make", self.kind.name())
    }

    // Lists.

    /// `op->field` is `field`, if it is a list.
    fn list(&self, expr: &'t Expr) -> Option<&'t str> {
        let ExprKind::Member { object, arrow: true, name } = &expr.kind else { return None };
        let is_node = matches!(&object.kind, ExprKind::Name(of) if of == self.node);
        let is_list = |(known, role): &(&str, Role)| {
            *known == name && matches!(role, Role::Exprs | Role::Stmts)
        };
        (is_node && self.kind.fields().iter().any(is_list)).then_some(name.as_str())
    }

    /// `op->field.size()` is `field`, if it is a list.
    fn size(&self, expr: &'t Expr) -> Option<&'t str> {
        let ExprKind::Call { callee, templates: _, arguments } = &expr.kind else { return None };
        let ExprKind::Member { object, arrow: false, name } = &callee.kind else { return None };
        (name == "size" && arguments.is_empty() && self.is_api(name)).then(|| self.list(object))?
    }

    /// A list or a filled copy as a whole.
    fn is_whole(&self, expr: &'t Expr) -> bool {
        let is_it = |name: &str| self.copies.iter().any(|copy| copy.name == name && copy.is_filled);
        matches!(&expr.kind, ExprKind::Name(name) if is_it(name)) || self.list(expr).is_some()
    }

    // Statements outside of loops.

    /// A statement at the top of the method.
    fn top(&mut self, stmt: &'t Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Declare(all) => all.iter().all(|declared| self.declared_at_top(declared)),
            StmtKind::For { first, condition, step, body } => {
                let head = (first.as_deref(), condition.as_ref(), step.as_ref());
                let (Some(first), Some(condition), Some(step)) = head else { return false };
                let counted = self.counted(first, condition, step);
                counted
                    .is_some_and(|(index, field)| self.over(field, Some(index), Vec::new(), body))
            }
            StmtKind::ForEach(Declared { ty, name, value: None }, list, body) => {
                let field = self.list(list).filter(|_| ELEMENTS.contains(&ty.as_str()));
                field.is_some_and(|field| self.over(field, None, vec![name], body))
            }
            _ => self.other(stmt),
        }
    }

    fn declared_at_top(&mut self, declared: &'t Declared) -> bool {
        let Declared { ty, name, value } = declared;
        if VECTORS.contains(&ty.as_str()) {
            let sized_by = match value.as_ref().map(|value| &value.kind) {
                None => None,
                Some(ExprKind::Call { callee, templates: _, arguments }) => {
                    let (true, [size]) =
                        (callee.kind == ExprKind::Name(ty.clone()), arguments.as_slice())
                    else {
                        return false;
                    };
                    let Some(field) = self.size(size) else { return false };
                    Some(field)
                }
                Some(_) => return false,
            };
            self.copies.push(Copy { name, sized_by, is_filled: false });
            return true;
        }
        if let ("bool", Some(Expr { kind: ExprKind::Bool(truth), line: _ })) = (ty.as_str(), value)
        {
            self.truths.push((name, *truth));
            return true;
        }
        self.declared(declared)
    }

    /// A statement that is no loop and declares no copy.
    fn other(&self, stmt: &'t Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Declare(all) => all.iter().all(|declared| self.declared(declared)),
            StmtKind::Expr(expr) => match &expr.kind {
                ExprKind::Assign(None, to, value) => match &to.kind {
                    ExprKind::Name(name) if *name == self.node => self.is_renewed(value),
                    ExprKind::Name(name) => self.is_free(name) && self.made(value),
                    _ => false,
                },
                ExprKind::Call { callee, templates: _, arguments } => {
                    self.plain(expr) || self.made(expr) || self.ignored(callee, arguments)
                }
                _ => false,
            },
            StmtKind::If { declared, condition, then, otherwise } => {
                declared.as_ref().is_none_or(|declared| {
                    declared.value.as_ref().is_some_and(|value| self.plain(value))
                        && self.declared(declared)
                }) && condition.as_ref().is_none_or(|condition| self.plain(condition))
                    && self.other(then)
                    && otherwise.as_ref().is_none_or(|otherwise| self.other(otherwise))
            }
            StmtKind::Block(stmts) => stmts.iter().all(|stmt| self.other(stmt)),
            StmtKind::Return(value) => value.as_ref().is_none_or(|value| self.returned(value)),
            _ => false,
        }
    }

    fn declared(&self, declared: &'t Declared) -> bool {
        let Declared { ty, name: _, value } = declared;
        let is_letter = |letter: char| letter.is_alphanumeric() || "_:".contains(letter);
        let is_member =
            || value.as_ref().is_some_and(|value| matches!(value.kind, ExprKind::Member { .. }));
        // A reference to a variable would be another name of it.
        let name = ty.strip_suffix('&').filter(|_| is_member()).unwrap_or(ty);
        name.strip_suffix('*').unwrap_or(name).chars().all(is_letter)
            && value.as_ref().is_none_or(|value| self.made(value))
    }

    /// Tests whether a name may be assigned outside of loops.
    fn is_free(&self, name: &str) -> bool {
        name != self.node
            && self.copies.iter().all(|copy| copy.name != name)
            && self.truths.iter().all(|(truth, _)| *truth != name)
    }

    /// A call that its contract takes for nothing, whatever its arguments are.
    fn ignored(&self, callee: &Expr, arguments: &'t [Expr]) -> bool {
        let ExprKind::Name(name) = &callee.kind else { return false };
        let mut contracts = contracts::table().named(name);
        contracts::is_assumed(name)
            && contracts.all(|contract| contract.takes.is_empty() && contract.is_open)
            && self
                .program
                .functions
                .iter()
                .all(|own| own.name != *name || contracts::is_replaced(own))
            && !is_member(self.program, name)
            && arguments.iter().all(|part| self.plain(part) || self.size(part).is_some())
    }

    // Expressions outside of loops.

    /// An expression in which neither lists nor nodes with lists occur.
    fn plain(&self, expr: &'t Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => {
                !self.carriers.contains(&name.as_str())
                    && self.copies.iter().all(|copy| copy.name != name)
            }
            ExprKind::Integer(..)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Text(_)
            | ExprKind::Null => true,
            ExprKind::Member { object, arrow: _, name } => {
                let is_node = matches!(&object.kind, ExprKind::Name(of) if of == self.node);
                !is_list_name(name) && (is_node || self.plain(object))
            }
            ExprKind::Call { callee, templates: _, arguments } => {
                self.is_known(callee) && arguments.iter().all(|argument| self.plain(argument))
            }
            ExprKind::Prefix(Sign::Not, operand) => self.plain(operand),
            ExprKind::Binary(_, first, second) => self.plain(first) && self.plain(second),
            ExprKind::Conditional(condition, then, otherwise) => {
                self.plain(condition) && self.plain(then) && self.plain(otherwise)
            }
            _ => false,
        }
    }

    /// Tests whether a called function is one of the API's.
    fn is_known(&self, callee: &'t Expr) -> bool {
        match &callee.kind {
            ExprKind::Member { object, arrow: _, name } => match object.kind {
                ExprKind::This => self.is_mutate(name),
                _ => METHODS.contains(&name.as_str()) && self.is_api(name) && self.plain(object),
            },
            ExprKind::Name(name) => {
                self.is_mutate(name)
                    || FUNCTIONS.contains(&name.as_str()) && self.is_api(name)
                    || self.is_maker(name)
            }
            _ => false,
        }
    }

    fn is_maker(&self, name: &str) -> bool {
        let kind = name.strip_suffix("::make").and_then(Kind::named);
        kind.is_some() && self.is_api("make")
    }

    /// A value that may be a node with lists.
    fn made(&self, expr: &'t Expr) -> bool {
        if self.plain(expr) {
            return true;
        }
        match &expr.kind {
            ExprKind::Name(name) => self.carriers.contains(&name.as_str()),
            ExprKind::Conditional(condition, then, otherwise) => {
                self.plain(condition) && self.made(then) && self.made(otherwise)
            }
            ExprKind::Call { callee, templates: _, arguments } => {
                let ExprKind::Name(name) = &callee.kind else { return false };
                let held = arguments.iter().filter(|argument| !self.plain(argument)).count();
                if BASES.contains(&name.as_str()) {
                    let is_carrier = |argument: &Expr| {
                        matches!(&argument.kind, ExprKind::Name(of)
                            if self.carriers.contains(&of.as_str()))
                    };
                    return self.program.functions.iter().all(|own| own.class != "IRMutator")
                        && arguments.iter().all(is_carrier);
                }
                self.is_maker(name)
                    && arguments.iter().all(|argument| {
                        self.plain(argument)
                            || *name == self.maker() && self.is_whole(argument)
                            || held == 1 && self.made(argument)
                    })
            }
            _ => false,
        }
    }

    /// `s.as<Kind>()` of a variable that may hold a node with lists, in a method without loops.
    fn is_renewed(&self, value: &Expr) -> bool {
        let ExprKind::Call { callee, templates, arguments } = &value.kind else { return false };
        let ExprKind::Member { object, arrow: false, name } = &callee.kind else { return false };
        let is_loop =
            |stmt: &Stmt| matches!(stmt.kind, StmtKind::For { .. } | StmtKind::ForEach(..));
        name == "as"
            && self.is_api(name)
            && matches!(templates.as_slice(), [kind] if kind == self.kind.name())
            && arguments.is_empty()
            && matches!(&object.kind, ExprKind::Name(of) if self.carriers.contains(&of.as_str()))
            && !self.method.body.iter().any(is_loop)
    }

    /// A result: a value that may be a node with lists, or the statement that a fold makes of a
    /// list. A fold is in no other node, which might do it several times.
    fn returned(&self, value: &'t Expr) -> bool {
        match &value.kind {
            ExprKind::Conditional(condition, then, otherwise) => {
                self.plain(condition) && self.returned(then) && self.returned(otherwise)
            }
            ExprKind::Call { callee, templates: _, arguments } => {
                let is_fold = |name: &str| {
                    is_fold(self.program, &self.method.class, name)
                        && !is_member(self.program, name)
                        && self.has_plain_fold(name)
                };
                let is_folded = matches!((&callee.kind, arguments.as_slice()),
                    (ExprKind::Name(name), [list]) if self.list(list).is_some() && is_fold(name));
                is_folded || self.made(value)
            }
            _ => self.made(value),
        }
    }

    /// Tests that the names in folds of a name mean what the API means by them.
    fn has_plain_fold(&self, name: &str) -> bool {
        let folds = self.program.functions.iter().filter(|function| function.name == name);
        folds.into_iter().all(|fold| {
            let mut words = words(&fold.body);
            words.push(fold.result.clone());
            let called = called(&fold.body);
            let parts = called.iter().filter_map(|name| name.rsplit("::").next());
            words.iter().all(|word| !self.is_renamed(word))
                && parts.chain(["defined"]).all(|part| self.is_api(part))
        })
    }

    // Loops.

    /// `size_t i = 0; i < op->field.size(); i++` is `i` and `field`.
    fn counted(
        &self,
        first: &'t Stmt,
        condition: &'t Expr,
        step: &'t Expr,
    ) -> Option<(&'t str, &'t str)> {
        let StmtKind::Declare(declared) = &first.kind else { return None };
        let [Declared { ty, name, value: Some(value) }] = declared.as_slice() else { return None };
        let ExprKind::Binary(Sign::Lt, counter, end) = &condition.kind else { return None };
        let (ExprKind::Prefix(Sign::Increment, stepped)
        | ExprKind::Postfix(Sign::Increment, stepped)) = &step.kind
        else {
            return None;
        };
        let is_index = |part: &Expr| part.kind == ExprKind::Name(name.clone());
        let fits = COUNTERS.contains(&ty.as_str())
            && matches!(value.kind, ExprKind::Integer(0, _))
            && is_index(counter)
            && is_index(stepped);
        Some((name.as_str(), self.size(end).filter(|_| fits)?))
    }

    fn over(
        &mut self,
        field: &'t str,
        index: Option<&'t str>,
        elements: Vec<&'t str>,
        body: &'t Stmt,
    ) -> bool {
        let mut within = Loop { field, index, elements, images: Vec::new(), filled: Vec::new() };
        let steps = match &body.kind {
            StmtKind::Block(steps) => steps.as_slice(),
            _ => std::slice::from_ref(body),
        };
        let fits = steps.iter().all(|step| self.step(step, &mut within));
        for copy in &mut self.copies {
            copy.is_filled |= within.filled.contains(&copy.name);
        }
        fits
    }

    fn step(&mut self, step: &'t Stmt, within: &mut Loop<'t>) -> bool {
        match &step.kind {
            StmtKind::Declare(all) => all.iter().all(|Declared { ty, name, value }| {
                let Some(value) = value else { return false };
                let is_element = self.is_element(value, within);
                let fits = is_element || self.is_image(value, within);
                let kept = if is_element { &mut within.elements } else { &mut within.images };
                kept.push(name);
                fits && ELEMENTS.contains(&ty.as_str())
            }),
            StmtKind::If { declared: None, condition: Some(test), then, otherwise: None } => {
                self.is_test(test, within) && self.moved(then)
            }
            StmtKind::Expr(Expr { kind, line: _ }) => match kind {
                ExprKind::Assign(Some(op), to, test) => match (&to.kind, op) {
                    (ExprKind::Name(flag), Sign::BitOr | Sign::BitAnd) => {
                        self.is_test(test, within) && self.moves(flag, *op == Sign::BitOr)
                    }
                    _ => false,
                },
                ExprKind::Assign(None, to, image) => match &to.kind {
                    ExprKind::Index(copy, at) => {
                        Self::is_index(at, within)
                            && self.is_image(image, within)
                            && self.fills(copy, Some(within.field), within)
                    }
                    _ => false,
                },
                ExprKind::Call { callee, templates: _, arguments } => {
                    let ExprKind::Member { object, arrow: false, name } = &callee.kind else {
                        return false;
                    };
                    name == "push_back"
                        && self.is_api(name)
                        && matches!(arguments.as_slice(), [image] if self.is_image(image, within))
                        && self.fills(object, None, within)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Records that a loop fills a copy, which had this size before.
    fn fills(&self, copy: &'t Expr, size: Option<&str>, within: &mut Loop<'t>) -> bool {
        let ExprKind::Name(name) = &copy.kind else { return false };
        let is_it = |copy: &Copy<'_>| copy.name == name && copy.sized_by == size && !copy.is_filled;
        let fits = self.copies.iter().any(is_it) && !within.filled.contains(&name.as_str());
        within.filled.push(name);
        fits
    }

    /// `f = true;` and `{ f = true; }`, or the same with `false`.
    fn moved(&mut self, stmt: &'t Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Block(stmts) => match stmts.as_slice() {
                [only] => self.moved(only),
                _ => false,
            },
            StmtKind::Expr(Expr { kind: ExprKind::Assign(None, to, value), line: _ }) => {
                match (&to.kind, &value.kind) {
                    (ExprKind::Name(flag), ExprKind::Bool(rises)) => self.moves(flag, *rises),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Records that a loop may make the flag true, or false, which it was not at first.
    fn moves(&mut self, flag: &'t str, rises: bool) -> bool {
        let is_only = self.flag.is_none_or(|known| known == flag);
        self.flag = Some(flag);
        is_only && self.truths.contains(&(flag, !rises))
    }

    fn is_index(at: &Expr, within: &Loop<'_>) -> bool {
        matches!(&at.kind, ExprKind::Name(name) if within.index == Some(name.as_str()))
    }

    /// The element itself: not an image of it.
    fn is_element(&self, expr: &'t Expr, within: &Loop<'t>) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => within.elements.contains(&name.as_str()),
            ExprKind::Index(list, at) => {
                Self::is_index(at, within) && self.list(list) == Some(within.field)
            }
            _ => false,
        }
    }

    /// The element, an image of it, or `mutate` of the element.
    fn is_image(&self, expr: &'t Expr, within: &Loop<'t>) -> bool {
        let ExprKind::Call { callee, templates: _, arguments } = &expr.kind else {
            return self.is_known_image(expr, within);
        };
        let is_mutate = match &callee.kind {
            ExprKind::Name(name) => self.is_mutate(name),
            ExprKind::Member { object, arrow: _, name } => {
                object.kind == ExprKind::This && self.is_mutate(name)
            }
            _ => false,
        };
        is_mutate
            && match arguments.as_slice() {
                [one] | [one, Expr { kind: ExprKind::Null, line: _ }] => {
                    self.is_element(one, within)
                }
                _ => false,
            }
    }

    /// The element, or an image of it that was put somewhere before.
    fn is_known_image(&self, expr: &'t Expr, within: &Loop<'t>) -> bool {
        self.is_element(expr, within)
            || match &expr.kind {
                ExprKind::Name(name) => within.images.contains(&name.as_str()),
                ExprKind::Index(copy, at) => {
                    Self::is_index(at, within)
                        && matches!(&copy.kind, ExprKind::Name(name)
                            if within.filled.contains(&name.as_str()))
                }
                _ => false,
            }
    }

    /// A condition on the element and its images.
    fn is_test(&self, expr: &'t Expr, within: &Loop<'t>) -> bool {
        match &expr.kind {
            ExprKind::Prefix(Sign::Not, operand) => self.is_test(operand, within),
            ExprKind::Binary(Sign::And | Sign::Or, first, second) => {
                self.is_test(first, within) && self.is_test(second, within)
            }
            ExprKind::Call { callee, templates: _, arguments } => {
                let is_known = match &callee.kind {
                    ExprKind::Member { object, arrow: false, name } => {
                        ["same_as", "defined"].contains(&name.as_str())
                            && self.is_api(name)
                            && self.is_known_image(object, within)
                    }
                    ExprKind::Name(name) => name == "is_const" && self.is_api(name),
                    _ => false,
                };
                is_known
                    && arguments.iter().all(|argument| {
                        matches!(argument.kind, ExprKind::Integer(..))
                            || self.is_known_image(argument, within)
                    })
            }
            _ => false,
        }
    }
}

/// Tests whether a field of some kind of node is a list.
fn is_list_name(name: &str) -> bool {
    Kind::ALL.iter().any(|kind| {
        let is_it = |(known, role): &(&str, Role)| {
            *known == name && matches!(role, Role::Exprs | Role::Stmts)
        };
        kind.fields().iter().any(is_it)
    })
}

/// Tests whether a class of the program has a member of this name.
fn is_member(program: &Program, name: &str) -> bool {
    program.classes.iter().flat_map(|class| &class.fields).any(|field| field.name == name)
}
