//! Finds rewrite rules of the language of Halide's `IRMatch.h` in C++ functions, with their guards.

use std::borrow::Cow;
use std::fmt;

use halidom_base::{FxHashMap, FxHashSet};
use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind, Function, Stmt, StmtKind};

use super::known::{Known, Local, Rewriter};
use super::locals::operand_of_info;
use super::own::{call, path};
use super::pattern::{Op, Pattern};
use crate::profile::Language;

/// A test of a type in a condition of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeTest {
    /// Signed of at least 32 bits, or floating point.
    NoOverflow,
    /// Signed of at least 32 bits.
    NoOverflowInt,
    /// Signed.
    Int,
    /// Unsigned.
    Uint,
    /// Floating point.
    Float,
    /// Truth values.
    Bool,
    /// Any integer.
    IntOrUint,
    /// Of this width in bits.
    Bits(u8),
    /// Any type: a switch that keeps the simplifier from floats turns off every rule on them alike.
    MaySimplify,
}

/// The type tests by the names of their functions. Source: `Simplify_Internal.h` and `Type.h` of
/// each repository.
pub(super) const TYPE_TESTS: &[(&str, TypeTest)] = &[
    ("no_overflow", TypeTest::NoOverflow),
    ("no_overflow_int", TypeTest::NoOverflowInt),
    // The test also requires a single lane. That is not used: fewer assumptions prove less, never
    // more.
    ("no_overflow_scalar_int", TypeTest::NoOverflowInt),
    ("is_int", TypeTest::Int),
    ("is_uint", TypeTest::Uint),
    ("is_float", TypeTest::Float),
    ("is_bool", TypeTest::Bool),
    ("is_int_or_uint", TypeTest::IntOrUint),
    ("may_simplify", TypeTest::MaySimplify),
];

/// The expression whose type is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The node that is rewritten.
    Result,
    /// The node's first operand.
    Operand,
}

/// A condition that holds where a rule is tried.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Guard {
    /// All of these hold.
    All(Vec<Self>),
    /// One of these holds.
    Any(Vec<Self>),
    /// This does not hold.
    Not(Box<Self>),
    /// This does not hold, because the function would have returned something else than the node
    /// before: a literal, an operand, or what a rule made.
    Passed(Box<Self>),
    /// The same, but the function may have returned the node itself.
    Left(Box<Self>),
    /// The type passes this test.
    Type(TypeTest, Subject),
    /// If the condition is true, this holds of the matched values; if it is false, nothing is
    /// known.
    Fact(Pattern),
    /// A condition that is not understood; nothing is concluded from it.
    Unknown,
}

/// A rewrite rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The language in which it is written.
    pub language: Language,
    /// The pattern that is matched.
    pub lhs: Pattern,
    /// Further patterns that are matched; the rule must hold for each of them.
    pub others: Vec<Pattern>,
    /// The replacement.
    pub rhs: Pattern,
    /// The predicate on the matched values.
    pub predicate: Option<Pattern>,
    /// The conditions that enclose the rule.
    pub guards: Vec<Guard>,
    /// The facts that contracts give about the C++ values that the rule mentions.
    pub contracts: Vec<Pattern>,
}

impl Rule {
    /// Returns the rule with one of its patterns alone: number 0 is `lhs`, and those of `others`
    /// follow.
    pub fn side(&self, number: usize) -> Cow<'_, Self> {
        if self.others.is_empty() {
            return Cow::Borrowed(self);
        }
        let lhs = number.checked_sub(1).and_then(|other| self.others.get(other));
        let lhs = lhs.unwrap_or(&self.lhs).clone();
        let (rhs, predicate) = (self.rhs.clone(), self.predicate.clone());
        // A contract about a literal of another pattern tells nothing here.
        let is_here = |contract: &&Pattern| {
            !contract.any(|part| matches!(part, Pattern::Constant(_)) && !lhs.any(|of| of == part))
        };
        let contracts = self.contracts.iter().filter(is_here).cloned().collect();
        let guards = self.guards.clone();
        let language = self.language;
        Cow::Owned(Self { language, lhs, others: Vec::new(), rhs, predicate, guards, contracts })
    }

    /// Returns the tests in the predicate from which nothing is concluded.
    pub fn unread(&self) -> Vec<String> {
        let mut tests = Vec::new();
        if let Some(predicate) = &self.predicate {
            predicate.visit(&mut |part| {
                if let Pattern::Unread(test) = part {
                    tests.push(test.clone());
                }
            });
        }
        tests
    }
}

/// Writes `(x + 0) => x if condition`.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.others.is_empty() {
            write!(f, "{}", self.lhs)?;
        } else {
            let sides = std::iter::once(&self.lhs).chain(&self.others);
            let sides: Vec<String> = sides.map(ToString::to_string).collect();
            write!(f, "one of {}", sides.join(", "))?;
        }
        write!(f, " => {}", self.rhs)?;
        match &self.predicate {
            Some(predicate) => write!(f, " if {predicate}"),
            None => Ok(()),
        }
    }
}

/// A rule, or the reason why it could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The line of the call of the rewriter.
    pub line: usize,
    /// The function, as `Simplify::visit(const Add *)`.
    pub function: String,
    /// The rule, or the construct that is not understood.
    pub rule: Result<Rule, String>,
    /// The rule's use in its function, as far as it is known.
    pub used: Used,
}

/// The use of a rule of `IRMatch.h` in its function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// The place of the rewriter's declaration in the function.
    pub rewriter: usize,
    /// True if the operands of the matched node are literals, or were mutated.
    pub are_mutated: bool,
    /// True if the rule is tried on the visited node with its operands mutated, and the function
    /// returns what it made.
    pub is_final: bool,
}

/// The meaning of the names in the enclosing function.
#[derive(Clone)]
pub(super) struct Scope<'f> {
    pub(super) known: &'f Known<'f>,
    rewriters: FxHashMap<String, Rewriter>,
    locals: FxHashMap<String, Local>,
    /// The statement of the body that is read.
    top: usize,
}

impl Scope<'_> {
    /// Tests whether the function or the file gives a name a meaning of its own.
    pub(super) fn is_own(&self, name: &str) -> bool {
        self.known.names.has(name)
    }

    /// Tests whether the file gives an operator a meaning of its own.
    pub(super) fn is_own_sign(&self, sign: Sign) -> bool {
        self.known.names.has_operator(sign)
    }

    /// Tests whether the names in the value of a variable mean the same after its declaration.
    pub(super) fn is_settled(&self, name: &str) -> bool {
        self.locals.get(name).is_some_and(|local| local.is_settled)
    }

    /// Returns the value of a variable that is declared with one of these types, and the statement
    /// of the body where it is evaluated.
    pub(super) fn value(&self, name: &str, types: &[&str]) -> Option<(&Expr, usize)> {
        let local = self.locals.get(name)?;
        Some((local.of(types)?, local.top))
    }
}

/// The types that keep an integer.
pub(super) const INTEGERS: [&str; 2] = ["int", "int64_t"];

/// The functions that make literals.
const LITERALS: [&str; 4] = ["make_const", "make_one", "make_signed_integer_overflow", "make_zero"];

pub(super) struct Walk<'f> {
    name: String,
    scope: Scope<'f>,
    guards: Vec<Guard>,
    /// The calls of rewriters after whose success their result is returned.
    ends: FxHashSet<usize>,
    found: &'f mut Vec<Found>,
}

impl<'f> Walk<'f> {
    pub(super) fn new(name: String, known: &'f Known<'f>, found: &'f mut Vec<Found>) -> Self {
        let (rewriters, locals) = (FxHashMap::default(), FxHashMap::default());
        let scope = Scope { known, rewriters, locals, top: 0 };
        Self { name, scope, guards: Vec::new(), ends: FxHashSet::default(), found }
    }

    pub(super) fn function(&mut self, function: &Function) {
        for (top, stmt) in function.body.iter().enumerate() {
            self.scope.top = top;
            self.stmt(stmt);
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        let scope = self.scope.clone();
        let depth = self.guards.len();
        for stmt in stmts {
            self.stmt(stmt);
        }
        self.scope = scope;
        self.guards.truncate(depth);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare(declared) => {
                for variable in declared {
                    let Some(value) = &variable.value else { continue };
                    self.expr(value);
                    let name = &variable.name;
                    match self.scope.known.rewriter(name, value) {
                        Some(rewriter) => self.scope.rewriters.insert(name.clone(), rewriter),
                        None => self.scope.rewriters.remove(name),
                    };
                    if let Some(local) = self.scope.known.local(variable, self.scope.top) {
                        self.scope.locals.insert(name.clone(), local);
                    }
                }
            }
            StmtKind::Expr(expr) | StmtKind::Return(Some(expr)) => self.expr(expr),
            StmtKind::If { declared, condition, then, otherwise } => {
                let guard = match (declared, condition) {
                    (None, Some(condition)) => {
                        let mut last = Vec::new();
                        self.last_rewrites(condition, &mut last);
                        let returned = last.into_iter().filter(|(of, _)| self.returns(then, of));
                        self.ends.extend(returned.map(|(_, place)| place).collect::<Vec<_>>());
                        self.expr(condition);
                        self.guard(condition)
                    }
                    _ => Guard::Unknown,
                };
                self.guards.push(guard.clone());
                self.stmts(std::slice::from_ref(then));
                self.guards.pop();
                if let Some(otherwise) = otherwise {
                    self.guards.push(Guard::Not(Box::new(guard.clone())));
                    self.stmts(std::slice::from_ref(otherwise));
                    self.guards.pop();
                }
                // Where a rule fired before, its result is returned.
                let is_rewritten = declared.is_none()
                    && condition.as_ref().is_some_and(|condition| self.is_rewrites(condition));
                if always_leaves(then) && !is_rewritten {
                    let guard = Box::new(guard);
                    self.guards.push(if self.returns_simplified(then) {
                        Guard::Passed(guard)
                    } else {
                        Guard::Left(guard)
                    });
                }
            }
            StmtKind::Block(stmts) => self.stmts(stmts),
            StmtKind::While(condition, body) => {
                self.expr(condition);
                self.perhaps(|walk| walk.stmts(std::slice::from_ref(body)));
            }
            StmtKind::For { body, .. } | StmtKind::ForEach(_, _, body) => {
                self.perhaps(|walk| walk.stmts(std::slice::from_ref(body)));
            }
            StmtKind::Switch(_, arms) => {
                for (_, body) in arms {
                    self.perhaps(|walk| walk.stmts(body));
                }
            }
            StmtKind::Return(None)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Nothing
            | StmtKind::Struct(_)
            | StmtKind::Other(_) => {}
        }
    }

    /// Tests whether a condition holds only if a rule fired.
    fn is_rewrites(&self, condition: &Expr) -> bool {
        match &condition.kind {
            ExprKind::Binary(sign, ..) if self.scope.is_own_sign(*sign) => false,
            // The end of a long condition.
            ExprKind::Bool(value) => !value,
            ExprKind::Binary(sign, lhs, rhs) if *sign == Sign::And => {
                self.is_rewrites(lhs) || self.is_rewrites(rhs)
            }
            ExprKind::Binary(sign, lhs, rhs) if *sign == Sign::Or => {
                self.is_rewrites(lhs) && self.is_rewrites(rhs)
            }
            ExprKind::Call { callee, arguments, .. } => match &callee.kind {
                ExprKind::Name(name) if self.scope.rewriters.contains_key(name) => true,
                ExprKind::Name(name) if name == "EVAL_IN_LAMBDA" && !self.scope.is_own(name) => {
                    matches!(arguments.as_slice(), [condition] if self.is_rewrites(condition))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Collects the calls of rewriters in a condition whose success makes it true, each with the
    /// rewriter.
    fn last_rewrites<'e>(&self, condition: &'e Expr, found: &mut Vec<(&'e str, usize)>) {
        match &condition.kind {
            ExprKind::Binary(sign, ..) if self.scope.is_own_sign(*sign) => {}
            ExprKind::Binary(sign, _, last) if *sign == Sign::And => {
                self.last_rewrites(last, found);
            }
            ExprKind::Binary(sign, lhs, rhs) if *sign == Sign::Or => {
                self.last_rewrites(lhs, found);
                self.last_rewrites(rhs, found);
            }
            ExprKind::Call { callee, arguments, .. } => {
                match (&callee.kind, arguments.as_slice()) {
                    (ExprKind::Name(name), [condition])
                        if name == "EVAL_IN_LAMBDA" && !self.scope.is_own(name) =>
                    {
                        self.last_rewrites(condition, found);
                    }
                    (ExprKind::Name(name), _) if self.scope.rewriters.contains_key(name) => {
                        found.push((name, place(condition)));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Tests whether a statement returns the result of a rewriter, perhaps simplified again.
    fn returns(&self, stmt: &Stmt, rewriter: &str) -> bool {
        let is_result = |value: &Expr| {
            matches!(&value.kind, ExprKind::Member { object, name, .. } if name == "result"
                && matches!(&object.kind, ExprKind::Name(of) if of == rewriter))
        };
        let is_moved = |value: &Expr| match &value.kind {
            ExprKind::Call { callee, arguments, .. } => {
                matches!(&callee.kind, ExprKind::Name(name) if name == "std::move")
                    && matches!(arguments.as_slice(), [value] if is_result(value))
            }
            _ => is_result(value),
        };
        match &stmt.kind {
            StmtKind::Block(stmts) => stmts.split_last().is_some_and(|(last, before)| {
                before.iter().all(|stmt| is_apart(stmt, rewriter)) && self.returns(last, rewriter)
            }),
            StmtKind::Return(Some(value)) => match &value.kind {
                ExprKind::Call { callee, arguments, .. } => {
                    let is_mutate =
                        matches!(&callee.kind, ExprKind::Name(name) if name == "mutate");
                    is_mutate
                        && !self.scope.is_own("mutate")
                        && arguments.first().is_some_and(is_moved)
                        || is_moved(value)
                }
                _ => is_moved(value),
            },
            StmtKind::Return(None)
            | StmtKind::If { .. }
            | StmtKind::Declare(_)
            | StmtKind::Expr(_)
            | StmtKind::While(..)
            | StmtKind::For { .. }
            | StmtKind::ForEach(..)
            | StmtKind::Switch(..)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Nothing
            | StmtKind::Struct(_)
            | StmtKind::Other(_) => false,
        }
    }

    /// Tests whether all that a statement returns is simplified, and not the node itself.
    fn returns_simplified(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Return(Some(value)) => match &value.kind {
                ExprKind::Member { object, name, .. } if name == "result" => {
                    matches!(&object.kind, ExprKind::Name(rewriter)
                        if self.scope.rewriters.contains_key(rewriter))
                }
                ExprKind::Name(name) => {
                    let names = &self.scope.known.names;
                    let is_mutated = |value: &Expr| matches!(call(value), Some(("mutate", _)));
                    names.is_unchanged(name)
                        && names.declarations(name).next().is_some()
                        && names
                            .declarations(name)
                            .all(|declared| declared.value.is_some_and(is_mutated))
                }
                ExprKind::Call { .. } => call(value).is_some_and(|(name, _)| {
                    (name == "mutate" || LITERALS.contains(&name)) && !self.scope.is_own(name)
                }),
                _ => false,
            },
            StmtKind::Return(None) => false,
            StmtKind::Block(stmts) => stmts.iter().all(|stmt| self.returns_simplified(stmt)),
            StmtKind::If { then, otherwise, .. } => {
                self.returns_simplified(then)
                    && otherwise.as_ref().is_none_or(|other| self.returns_simplified(other))
            }
            StmtKind::Declare(_) | StmtKind::Expr(_) | StmtKind::Nothing => true,
            StmtKind::While(..)
            | StmtKind::For { .. }
            | StmtKind::ForEach(..)
            | StmtKind::Switch(..)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Struct(_)
            | StmtKind::Other(_) => false,
        }
    }

    /// Visits something that need not be reached.
    fn perhaps(&mut self, visit: impl FnOnce(&mut Self)) {
        self.guards.push(Guard::Unknown);
        visit(self);
        self.guards.pop();
    }

    /// Visits the rules in an expression. The left side of `&&` guards the right side.
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Binary(sign, lhs, rhs) if *sign == Sign::And => {
                self.expr(lhs);
                let is_own = self.scope.is_own_sign(Sign::And);
                self.guards.push(if is_own { Guard::Unknown } else { self.guard(lhs) });
                self.expr(rhs);
                self.guards.pop();
            }
            ExprKind::Binary(sign, lhs, rhs) if *sign == Sign::Or && !self.is_rewrites(lhs) => {
                self.expr(lhs);
                self.perhaps(|walk| walk.expr(rhs));
            }
            ExprKind::Binary(_, lhs, rhs) => {
                self.expr(lhs);
                self.expr(rhs);
            }
            ExprKind::Call { callee, arguments, .. } => {
                if let ExprKind::Name(name) = &callee.kind
                    && let Some(rewriter) = self.scope.rewriters.get(name).cloned()
                {
                    let rule = self.rule(&rewriter.operands, arguments);
                    let function = self.name.clone();
                    let is_final = rewriter.is_of_node && self.ends.contains(&place(expr));
                    let (rewriter, are_mutated) = (rewriter.place, rewriter.are_mutated);
                    let used = Used { rewriter, are_mutated, is_final };
                    self.found.push(Found { line: expr.line, function, rule, used });
                    return;
                }
                for argument in arguments {
                    self.expr(argument);
                }
            }
            ExprKind::Prefix(_, operand) | ExprKind::Cast(_, operand) => self.expr(operand),
            ExprKind::Conditional(condition, then, otherwise) => {
                self.expr(condition);
                self.perhaps(|walk| walk.expr(then));
                self.perhaps(|walk| walk.expr(otherwise));
            }
            ExprKind::Name(_)
            | ExprKind::Integer(..)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Member { .. }
            | ExprKind::Index(..)
            | ExprKind::Postfix(..)
            | ExprKind::Assign(..)
            | ExprKind::Braces(..)
            | ExprKind::Lambda(_)
            | ExprKind::Other(_) => {}
        }
    }

    fn rule(&self, operands: &[Option<String>], arguments: &[Expr]) -> Result<Rule, String> {
        let [lhs, rhs, rest @ ..] = arguments else {
            return Err("a rewriter called with fewer than two arguments".to_owned());
        };
        let mut reader = Reader::of(&self.scope);
        let lhs = reader.pattern(lhs)?;
        reader.bind(operands, &lhs);
        let rhs = reader.replacement(rhs)?;
        let predicate = rest.first().map(|predicate| reader.pattern(predicate)).transpose()?;
        if !casts_fit(&lhs, &rhs, predicate.as_ref()) {
            return Err("a cast whose type need not be that of its place".to_owned());
        }
        let guards = self.guards.iter().map(|guard| reader.guard(guard)).collect();
        let others = Vec::new();
        let (language, contracts) = (Language::IrMatch, reader.contracts);
        Ok(Rule { language, lhs, others, rhs, predicate, guards, contracts })
    }

    fn guard(&self, expr: &Expr) -> Guard {
        guard(&self.scope, expr, self.scope.top)
    }
}

/// Tests whether control passes the end of a statement, and the statement leaves the result of a
/// rewriter as it is.
fn is_apart(stmt: &Stmt, rewriter: &str) -> bool {
    match &stmt.kind {
        StmtKind::Expr(_) | StmtKind::Declare(_) | StmtKind::Nothing => {
            let is_it = |of: &Expr| matches!(&of.kind, ExprKind::Name(name) if name == rewriter);
            let (mut mentions, mut reads) = (0, 0);
            stmt.visit(&mut |part| {
                mentions += usize::from(is_it(part));
                if let ExprKind::Call { callee, arguments, .. } = &part.kind {
                    let is_read = path(callee)
                        .is_some_and(|path| path == [rewriter, "result", "same_as"])
                        && arguments.len() == 1;
                    reads += usize::from(is_read);
                }
            });
            mentions == reads
        }
        StmtKind::If { declared: None, condition, then, otherwise } => {
            let condition = condition.as_ref().is_none_or(|condition| {
                let (kind, line) = (StmtKind::Expr(condition.clone()), stmt.line);
                is_apart(&Stmt { kind, line }, rewriter)
            });
            condition
                && is_apart(then, rewriter)
                && otherwise.as_ref().is_none_or(|other| is_apart(other, rewriter))
        }
        StmtKind::Block(stmts) => stmts.iter().all(|stmt| is_apart(stmt, rewriter)),
        StmtKind::If { .. }
        | StmtKind::Return(_)
        | StmtKind::While(..)
        | StmtKind::For { .. }
        | StmtKind::ForEach(..)
        | StmtKind::Switch(..)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Struct(_)
        | StmtKind::Other(_) => false,
    }
}

/// Returns the place of an expression in memory, which tells it from all others of a function.
fn place(expr: &Expr) -> usize {
    std::ptr::from_ref(expr).addr()
}

/// True if control never passes the end of a statement.
pub(super) fn always_leaves(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(stmts) => stmts.iter().any(always_leaves),
        StmtKind::If { then, otherwise: Some(otherwise), .. } => {
            always_leaves(then) && always_leaves(otherwise)
        }
        StmtKind::If { otherwise: None, .. }
        | StmtKind::Declare(_)
        | StmtKind::Expr(_)
        | StmtKind::While(..)
        | StmtKind::For { .. }
        | StmtKind::ForEach(..)
        | StmtKind::Switch(..)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Nothing
        | StmtKind::Struct(_)
        | StmtKind::Other(_) => false,
    }
}

/// Translates a condition that is evaluated in some statement of the function's body. The facts
/// still contain the names of operands, as [`Pattern::Host`].
fn guard(scope: &Scope<'_>, expr: &Expr, top: usize) -> Guard {
    let both = |lhs, rhs| vec![guard(scope, lhs, top), guard(scope, rhs, top)];
    // Returns the test of a name, unless the file has another function of this name.
    let test = |name: &str| {
        let test = TYPE_TESTS.iter().find(|(known, _)| *known == name);
        test.filter(|_| !scope.is_own(name)).map(|(_, test)| *test)
    };
    match &expr.kind {
        ExprKind::Binary(sign, ..) | ExprKind::Prefix(sign, _) if scope.is_own_sign(*sign) => {
            Guard::Unknown
        }
        ExprKind::Binary(sign, lhs, rhs) if *sign == Sign::And => Guard::All(both(lhs, rhs)),
        ExprKind::Binary(sign, lhs, rhs) if *sign == Sign::Or => Guard::Any(both(lhs, rhs)),
        ExprKind::Prefix(sign, operand) if *sign == Sign::Not => {
            Guard::Not(Box::new(guard(scope, operand, top)))
        }
        ExprKind::Name(name) => match scope.value(name, &["bool"]) {
            // The value can only use variables that were declared before, so the recursion ends.
            Some((value, top)) if !matches!(&value.kind, ExprKind::Name(own) if own == name) => {
                guard(scope, value, top)
            }
            _ => Guard::Unknown,
        },
        ExprKind::Binary(sign, lhs, rhs) if *sign == Sign::Ne => {
            // Contract: a number whose remainder by some modulus is not 0 is not 0.
            match (&rhs.kind, path(lhs).as_deref()) {
                (ExprKind::Integer(0, _), Some([operand, alignment, remainder]))
                    if alignment == "alignment" && remainder == "remainder" =>
                {
                    not_zero(scope, operand, top)
                }
                _ => Guard::Unknown,
            }
        }
        ExprKind::Call { callee, arguments, .. } => match (&callee.kind, arguments.as_slice()) {
            (ExprKind::Name(name), [ty]) => match (test(name), subject(scope, ty)) {
                (Some(test), Some(subject)) => Guard::Type(test, subject),
                _ => Guard::Unknown,
            },
            (ExprKind::Member { object, name, .. }, []) => {
                match (test(name), subject(scope, object)) {
                    (Some(test), Some(subject)) => Guard::Type(test, subject),
                    _ => Guard::Unknown,
                }
            }
            // Contract: a number within bounds that exclude 0 is not 0.
            (
                ExprKind::Member { object, name, .. },
                [Expr { kind: ExprKind::Integer(0, _), .. }],
            ) if name == "contains" && !scope.is_own("contains") => match path(object).as_deref() {
                Some([operand, bounds]) if bounds == "bounds" => {
                    Guard::Not(Box::new(not_zero(scope, operand, top)))
                }
                _ => Guard::Unknown,
            },
            _ => Guard::Unknown,
        },
        _ => Guard::Unknown,
    }
}

fn not_zero(scope: &Scope<'_>, info: &str, top: usize) -> Guard {
    match operand_of_info(info).filter(|_| scope.known.describes(info, top)) {
        Some(operand) => {
            let operand = Pattern::Host(operand.to_owned());
            Guard::Fact(Pattern::Apply(Op::Ne, vec![operand, Pattern::Int(0)]))
        }
        None => Guard::Unknown,
    }
}

/// Returns the subject of a type expression.
pub(super) fn subject(scope: &Scope<'_>, expr: &Expr) -> Option<Subject> {
    let names = path(expr)?;
    let types = &scope.known.types;
    match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["op", "type"] => types.is_result().then_some(Subject::Result),
        ["op", part, "type"] => types.is_first(&format!("op.{part}")).then_some(Subject::Operand),
        [name, "type"] => types.is_first(name).then_some(Subject::Operand),
        [name] => subject(scope, scope.value(name, &["Type", "Type&"])?.0),
        _ => None,
    }
}

/// Tests whether all casts of a rule are to the type of their place.
fn casts_fit(lhs: &Pattern, rhs: &Pattern, predicate: Option<&Pattern>) -> bool {
    predicate.into_iter().chain([lhs]).all(|part| casts(part) == 0)
        && casts(rhs) == casts_to_result(rhs)
}

/// Returns the number of casts in a pattern.
fn casts(pattern: &Pattern) -> usize {
    let mut count = 0;
    pattern.visit(&mut |part| count += usize::from(matches!(part, Pattern::Apply(Op::Cast, _))));
    count
}

/// Returns the number of casts in a pattern that stand where the type is that of the whole.
fn casts_to_result(pattern: &Pattern) -> usize {
    let Pattern::Apply(op, parts) = pattern else { return 0 };
    let parts = match op {
        Op::Cast => return 1 + casts_to_result(&parts[0]),
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Min | Op::Max | Op::Neg => {
            parts.as_slice()
        }
        Op::Select => parts.get(1..).unwrap_or_default(),
        _ => return 0,
    };
    parts.iter().map(casts_to_result).sum()
}

/// Reads the patterns of one rule.
pub(super) struct Reader<'s> {
    pub(super) scope: &'s Scope<'s>,
    /// The parts of the left side that are operands of the node, by the names of these.
    pub(super) operands: FxHashMap<String, Pattern>,
    /// The known facts about the numbers of C++ that the rule names.
    pub(super) contracts: Vec<Pattern>,
    /// True if an operand with a number was named. It has the type that it was matched with, unlike
    /// a number that the rule writes.
    pub(super) has_number: bool,
}
