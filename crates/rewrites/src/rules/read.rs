//! Finds rewrite rules of the language of Halide's `IRMatch.h` in C++ functions, with their guards.

use std::borrow::Cow;
use std::fmt;

use halidom_base::{FxHashMap, FxHashSet};
use halidom_cpp::ast::{Expr, ExprKind, File, Function, Stmt, StmtKind};
use halidom_cpp::{Sign, is_letter, without_comments};

use super::locals::{changed, described, operand_of_info, other_nodes};
use super::pattern::{FUNCTIONS, Op, Pattern, is_constant, is_wildcard, operator};
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
const TYPE_TESTS: &[(&str, TypeTest)] = &[
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
    /// This does not hold, because the function would have returned before.
    Passed(Box<Self>),
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
        let (guards, contracts) = (self.guards.clone(), self.contracts.clone());
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
}

/// Returns the rules of a file, in order.
pub fn rules(file: &File) -> Vec<Found> {
    let mut found = Vec::new();
    for function in &file.functions {
        let first = function.parameters.first().map(|parameter| parameter.ty.replace('*', " *"));
        let name = format!(
            "{}{}{}({})",
            function.class,
            if function.class.is_empty() { "" } else { "::" },
            function.name,
            first.unwrap_or_default()
        );
        let begin = found.len();
        let by_value = by_value(function, file);
        let mut scope = Scope { unsteady: unsteady(function, &by_value), ..Scope::default() };
        scope.own = file.functions.iter().map(|of| of.name.clone()).collect();
        scope.own.extend(file.others.iter().cloned());
        scope.own.retain(|name| name.starts_with("is_"));
        let of_rules = |name: &str| FUNCTIONS.iter().any(|(known, ..)| *known == name);
        let free = file.functions.iter().filter(|of| of.class.is_empty()).map(|of| &of.name);
        scope.own.extend(free.chain(&file.others).filter(|name| of_rules(name)).cloned());
        scope.described = described(function, &by_value);
        let mut is_other = other_nodes(function).contains(&"op");
        for stmt in &function.body {
            stmt.declared(&mut |variable| {
                is_other |= variable.name == "op";
                scope.own.insert(variable.name.clone());
            });
        }
        if is_other {
            scope.unsteady.insert("op".to_owned());
        }
        let mut walk = Walk { name: name.clone(), scope, guards: Vec::new(), found: &mut found };
        walk.function(function);
        let read = found.len() - begin;
        if let Some(line) = unread_use(function, read) {
            let rule = Err("a use of a rewriter in a place that is not read".to_owned());
            found.push(Found { line, function: name, rule });
        }
    }
    found
}

/// The functions of the compilers that take types, expressions and numbers by value, besides those
/// of patterns.
const BY_VALUE: [&str; 30] = [
    "as_const_int",
    "can_prove",
    "cast",
    "const_false",
    "const_int",
    "const_true",
    "div_imp",
    "equal",
    "graph_equal",
    "is_const",
    "is_const_one",
    "is_const_power_of_two_integer",
    "is_const_zero",
    "is_negative_const",
    "is_one",
    "is_positive_const",
    "is_pure",
    "is_zero",
    "lossless_cast",
    "make",
    "make_bool",
    "make_const",
    "make_one",
    "make_zero",
    "mod_imp",
    "mutate",
    "no_overflow",
    "rewriter",
    "should_commute",
    "simplify",
];

/// Tests whether a function of this name changes none of its arguments, where it is called in a
/// function of a file.
fn by_value<'f>(function: &Function, file: &'f File) -> impl Fn(&str) -> bool + use<'f> {
    let mut rewriters: FxHashSet<String> = FxHashSet::default();
    for stmt in &function.body {
        stmt.declared(&mut |variable| {
            if variable.value.as_ref().and_then(call).is_some_and(|(name, _)| name == "rewriter") {
                rewriters.insert(variable.name.clone());
            }
        });
    }
    // A pointer is written through an address, which counts by itself.
    let writes = |name: &str| {
        let mut named = file.functions.iter().filter(|of| of.name == name);
        named.any(|of| {
            let mut types = of.parameters.iter().enumerate();
            types.any(|(index, known)| known.ty.ends_with('&') && of.may_write(index))
        })
    };
    move |name| {
        rewriters.contains(name)
            || FUNCTIONS.iter().any(|(known, ..)| *known == name)
            || TYPE_TESTS.iter().any(|(known, _)| *known == name)
            || BY_VALUE.contains(&name) && !writes(name)
    }
}

/// The variables of a function that may be given a value again, or are declared again.
fn unsteady(function: &Function, by_value: &dyn Fn(&str) -> bool) -> FxHashSet<String> {
    let mut found: FxHashSet<String> = FxHashSet::default();
    let mut declared: FxHashSet<String> = FxHashSet::default();
    for stmt in &function.body {
        stmt.declared(&mut |variable| {
            let is_new = declared.insert(variable.name.clone());
            if !is_new || variable.value.is_none() {
                found.insert(variable.name.clone());
            }
        });
    }
    found.extend(changed(function, by_value));
    // The node has a rule of its own.
    found.remove("op");
    found
}

/// Finds a use of a rewriter that is neither the call of a rule that was read nor its result, where
/// so many rules were read in a function. A rule is perhaps tried there. Each mention in the text
/// must be one that was read, so that no statement hides a use.
fn unread_use(function: &Function, read: usize) -> Option<usize> {
    let mut names: FxHashSet<String> = FxHashSet::default();
    let (mut line, mut declared) = (None, 0);
    for stmt in &function.body {
        stmt.declared(&mut |variable| {
            if variable.value.as_ref().and_then(call).is_some_and(|(name, _)| name == "rewriter") {
                names.insert(variable.name.clone());
                line.get_or_insert(stmt.line);
                declared += 1;
            }
        });
    }
    let (mut uses, mut results) = (0, 0);
    for stmt in &function.body {
        stmt.clone().visit_mut(&mut |part| match &part.kind {
            ExprKind::Name(name) if names.contains(name) => uses += 1,
            ExprKind::Member { object, name, .. } if name == "result" => {
                results +=
                    usize::from(matches!(&object.kind, ExprKind::Name(of) if names.contains(of)));
            }
            _ => {}
        });
    }
    let text = without_comments(&function.text);
    let words = || text.split(|letter| !is_letter(letter));
    let mentions = words().filter(|word| names.contains(*word)).count();
    let makers = words().filter(|word| *word == "rewriter").count();
    if makers > declared {
        return line.or(Some(function.line));
    }
    line.filter(|_| uses != read + results || mentions != uses + declared)
}

/// The meaning of the names in the enclosing function.
#[derive(Clone, Default)]
struct Scope {
    /// Rewriters, with the names of the operands of the node that each matches.
    rewriters: FxHashMap<String, Vec<Option<String>>>,
    locals: FxHashMap<String, Expr>,
    /// Variables whose first value need not be the one that a condition sees.
    unsteady: FxHashSet<String>,
    /// Descriptions of operands that `mutate` told.
    described: FxHashSet<String>,
    /// Names of tests that the file itself declares.
    own: FxHashSet<String>,
}

struct Walk<'f> {
    name: String,
    scope: Scope,
    guards: Vec<Guard>,
    found: &'f mut Vec<Found>,
}

impl Walk<'_> {
    fn function(&mut self, function: &Function) {
        self.stmts(&function.body);
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
                    if let Some(("rewriter", arguments)) = call(value)
                        && let Some((_, operands)) = arguments.first().and_then(call)
                    {
                        let names = operands.iter().map(|operand| match &operand.kind {
                            ExprKind::Name(name) => Some(name.clone()),
                            _ => None,
                        });
                        self.scope.rewriters.insert(variable.name.clone(), names.collect());
                    }
                    if !self.scope.unsteady.contains(&variable.name) {
                        self.scope.locals.insert(variable.name.clone(), value.clone());
                    }
                }
            }
            StmtKind::Expr(expr) | StmtKind::Return(Some(expr)) => self.expr(expr),
            StmtKind::If { declared, condition, then, otherwise } => {
                let guard = match (declared, condition) {
                    (None, Some(condition)) => {
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
                if always_leaves(then) {
                    self.guards.push(Guard::Passed(Box::new(guard)));
                }
            }
            StmtKind::Block(stmts) => self.stmts(stmts),
            StmtKind::While(condition, body) => {
                self.expr(condition);
                self.stmts(std::slice::from_ref(body));
            }
            StmtKind::For { body, .. } | StmtKind::ForEach(_, _, body) => {
                self.stmts(std::slice::from_ref(body));
            }
            StmtKind::Switch(_, arms) => {
                for (_, body) in arms {
                    self.stmts(body);
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

    /// Visits the rules in an expression. The left side of `&&` guards the right side.
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Binary(sign, lhs, rhs) if *sign == Sign::And => {
                self.expr(lhs);
                let guard = self.guard(lhs);
                self.guards.push(guard);
                self.expr(rhs);
                self.guards.pop();
            }
            ExprKind::Binary(_, lhs, rhs) => {
                self.expr(lhs);
                self.expr(rhs);
            }
            ExprKind::Call { callee, arguments, .. } => {
                if let ExprKind::Name(name) = &callee.kind
                    && let Some(operands) = self.scope.rewriters.get(name).cloned()
                {
                    let rule = self.rule(&operands, arguments);
                    let function = self.name.clone();
                    self.found.push(Found { line: expr.line, function, rule });
                    return;
                }
                for argument in arguments {
                    self.expr(argument);
                }
            }
            ExprKind::Prefix(_, operand) | ExprKind::Cast(_, operand) => self.expr(operand),
            ExprKind::Conditional(condition, then, otherwise) => {
                self.expr(condition);
                self.expr(then);
                self.expr(otherwise);
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
        let mut reader =
            Reader { scope: &self.scope, operands: FxHashMap::default(), contracts: Vec::new() };
        let lhs = reader.pattern(lhs)?;
        if let Pattern::Apply(_, parts) = &lhs {
            for (name, part) in operands.iter().zip(parts) {
                if let Some(name) = name {
                    reader.operands.insert(name.clone(), part.clone());
                }
            }
        }
        let rhs = reader.pattern(rhs)?;
        let predicate = rest.first().map(|predicate| reader.pattern(predicate)).transpose()?;
        let guards = self.guards.iter().map(|guard| reader.guard(guard)).collect();
        let others = Vec::new();
        let (language, contracts) = (Language::IrMatch, reader.contracts);
        Ok(Rule { language, lhs, others, rhs, predicate, guards, contracts })
    }

    fn guard(&self, expr: &Expr) -> Guard {
        guard(&self.scope, expr)
    }
}

/// Returns the last part of a called function's name, and the arguments.
pub(super) fn call(expr: &Expr) -> Option<(&str, &[Expr])> {
    let ExprKind::Call { callee, arguments, .. } = &expr.kind else { return None };
    let ExprKind::Name(name) = &callee.kind else { return None };
    Some((name.rsplit("::").next().unwrap_or(name), arguments))
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

/// Translates a condition. The facts still contain the names of operands, as [`Pattern::Host`].
fn guard(scope: &Scope, expr: &Expr) -> Guard {
    match &expr.kind {
        ExprKind::Binary(sign, lhs, rhs) if *sign == Sign::And => {
            Guard::All(vec![guard(scope, lhs), guard(scope, rhs)])
        }
        ExprKind::Binary(sign, lhs, rhs) if *sign == Sign::Or => {
            Guard::Any(vec![guard(scope, lhs), guard(scope, rhs)])
        }
        ExprKind::Prefix(sign, operand) if *sign == Sign::Not => {
            Guard::Not(Box::new(guard(scope, operand)))
        }
        ExprKind::Name(name) => match scope.locals.get(name) {
            // The value can only use variables that were declared before, so the recursion ends.
            Some(value) if !matches!(&value.kind, ExprKind::Name(own) if own == name) => {
                guard(scope, value)
            }
            _ => Guard::Unknown,
        },
        ExprKind::Binary(sign, lhs, rhs) if *sign == Sign::Ne => {
            // Contract: a number whose remainder by some modulus is not 0 is not 0.
            match (&rhs.kind, path(lhs).as_deref()) {
                (ExprKind::Integer(0, _), Some([operand, alignment, remainder]))
                    if alignment == "alignment" && remainder == "remainder" =>
                {
                    not_zero(scope, operand)
                }
                _ => Guard::Unknown,
            }
        }
        ExprKind::Call { callee, arguments, .. } => match &callee.kind {
            ExprKind::Name(name) => {
                let test = TYPE_TESTS.iter().find(|(known, _)| known == name);
                let test = test.filter(|_| !scope.own.contains(name));
                match (test, arguments.as_slice()) {
                    (Some((_, test)), [ty]) => subject(scope, ty)
                        .map_or(Guard::Unknown, |subject| Guard::Type(*test, subject)),
                    _ => Guard::Unknown,
                }
            }
            ExprKind::Member { object, name, .. } => {
                let test = TYPE_TESTS.iter().find(|(known, _)| known == name);
                let test = test.filter(|_| !scope.own.contains(name));
                if let (Some((_, test)), Some(subject)) = (test, subject(scope, object)) {
                    return Guard::Type(*test, subject);
                }
                // Contract: a number within bounds that exclude 0 is not 0.
                match (name.as_str(), arguments.as_slice(), path(object).as_deref()) {
                    (
                        "contains",
                        [Expr { kind: ExprKind::Integer(0, _), .. }],
                        Some([operand, bounds]),
                    ) if bounds == "bounds" => Guard::Not(Box::new(not_zero(scope, operand))),
                    _ => Guard::Unknown,
                }
            }
            _ => Guard::Unknown,
        },
        _ => Guard::Unknown,
    }
}

fn not_zero(scope: &Scope, info: &str) -> Guard {
    match operand_of_info(info).filter(|_| scope.described.contains(info)) {
        Some(operand) => {
            let operand = Pattern::Host(operand.to_owned());
            Guard::Fact(Pattern::Apply(Op::Ne, vec![operand, Pattern::Int(0)]))
        }
        None => Guard::Unknown,
    }
}

/// Returns the names in a chain of members: `a_info.alignment.modulus`.
pub(super) fn path(expr: &Expr) -> Option<Vec<String>> {
    match &expr.kind {
        ExprKind::Name(name) => Some(vec![name.clone()]),
        ExprKind::Member { object, name, .. } => {
            let mut names = path(object)?;
            names.push(name.clone());
            Some(names)
        }
        ExprKind::Call { callee, arguments, .. } if arguments.is_empty() => path(callee),
        _ => None,
    }
}

/// Returns the subject of a type expression.
fn subject(scope: &Scope, expr: &Expr) -> Option<Subject> {
    let names = path(expr)?;
    match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["op", ..] if scope.unsteady.contains("op") => None,
        ["op", "type"] => Some(Subject::Result),
        ["a" | "delta", "type"] | ["op", "a", "type"] => Some(Subject::Operand),
        [name] => subject(scope, scope.locals.get(*name)?),
        _ => None,
    }
}

struct Reader<'s> {
    scope: &'s Scope,
    operands: FxHashMap<String, Pattern>,
    contracts: Vec<Pattern>,
}

impl Reader<'_> {
    fn pattern(&mut self, expr: &Expr) -> Result<Pattern, String> {
        let apply = |op, operands| Ok(Pattern::Apply(op, operands));
        match &expr.kind {
            ExprKind::Integer(value, _) => {
                i64::try_from(*value).map(Pattern::Int).map_err(|_| value.to_string())
            }
            ExprKind::Bool(value) => Ok(Pattern::Bool(*value)),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Prefix(sign, operand) if *sign == Sign::Not => {
                apply(Op::Not, vec![self.pattern(operand)?])
            }
            ExprKind::Prefix(sign, operand) if *sign == Sign::Sub => {
                Ok(match self.pattern(operand)? {
                    Pattern::Int(value) => Pattern::Int(-value),
                    operand => Pattern::Apply(Op::Neg, vec![operand]),
                })
            }
            ExprKind::Binary(sign, lhs, rhs) => {
                let op = operator(sign.text()).ok_or_else(|| format!("operator {sign}"))?;
                apply(op, vec![self.pattern(lhs)?, self.pattern(rhs)?])
            }
            ExprKind::Call { callee, arguments, .. } => {
                if let ExprKind::Member { object, name, .. } = &callee.kind
                    && arguments.is_empty()
                    && subject(self.scope, object).is_some()
                {
                    match name.as_str() {
                        "min" => return Ok(Pattern::TypeMin),
                        "max" => return Ok(Pattern::TypeMax),
                        _ => {}
                    }
                }
                if path(expr).is_some_and(|names| names.last().is_some_and(|last| last == "lanes"))
                {
                    return Ok(Pattern::Lanes("lanes".to_owned()));
                }
                let Some((name, arguments)) = call(expr) else {
                    return Err("call of a member".to_owned());
                };
                if self.scope.own.contains(name) {
                    return Err(format!("`{name}`, which may mean something of the file's own"));
                }
                match (name, arguments) {
                    ("Overflow" | "Indeterminate", []) => return Ok(Pattern::Undefined),
                    // `intrin(Call::likely, x)` is an older spelling of `likely(x)`.
                    ("intrin", [kind, operand]) => {
                        let kind = match &kind.kind {
                            ExprKind::Name(kind) => kind.rsplit("::").next().unwrap_or(kind),
                            _ => "",
                        };
                        return match kind {
                            "likely" | "likely_if_innermost" => {
                                apply(Op::Likely, vec![self.pattern(operand)?])
                            }
                            "abs" => apply(Op::Abs, vec![self.pattern(operand)?]),
                            _ => Err(format!("intrinsic {kind}")),
                        };
                    }
                    ("cast", [_, operand]) => return apply(Op::Cast, vec![self.pattern(operand)?]),
                    _ => {}
                }
                let known = FUNCTIONS.iter().find(|(known, ..)| *known == name);
                let Some((_, op, least, most)) = known else { return Err(name.to_owned()) };
                if arguments.len() < *least {
                    return Err(format!("{name} of {} arguments", arguments.len()));
                }
                let operands = arguments.iter().take(*most).map(|argument| self.pattern(argument));
                apply(*op, operands.collect::<Result<_, _>>()?)
            }
            ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Member { .. }
            | ExprKind::Index(..)
            | ExprKind::Prefix(..)
            | ExprKind::Postfix(..)
            | ExprKind::Assign(..)
            | ExprKind::Conditional(..)
            | ExprKind::Cast(..)
            | ExprKind::Braces(..) => Err("expression in a rule".to_owned()),
            ExprKind::Lambda(_) => Err("a lambda function".to_owned()),
            ExprKind::Other(kind) => Err(kind.clone()),
        }
    }

    fn name(&mut self, name: &str) -> Result<Pattern, String> {
        if let Some(operand) = self.operands.get(name) {
            return Ok(operand.clone());
        }
        if is_wildcard(name) {
            return Ok(Pattern::Wild(name.to_owned()));
        }
        if is_constant(name) {
            return Ok(Pattern::Constant(name.to_owned()));
        }
        let value = self.scope.locals.get(name).ok_or_else(|| name.to_owned())?;
        let names = path(value).unwrap_or_default();
        match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [.., "lanes"] => Ok(Pattern::Lanes(name.to_owned())),
            [info, "alignment", "modulus" | "remainder"] => {
                if !self.scope.described.contains(*info) {
                    return Err(format!("{info}, which need not describe its operand"));
                }
                let operand = operand_of_info(info)
                    .and_then(|operand| self.operands.get(operand).cloned())
                    .unwrap_or_else(|| Pattern::Host((*info).to_owned()));
                let part = |part: &str| Pattern::Host(format!("{info}_{part}"));
                let (modulus, remainder) = (part("modulus"), part("remainder"));
                let contract = alignment(&operand, &modulus, &remainder);
                if !self.contracts.contains(&contract) {
                    self.contracts.push(contract);
                }
                Ok(part(&names[2]))
            }
            _ => match &value.kind {
                ExprKind::Binary(..) => self.pattern(value),
                _ => Err(name.to_owned()),
            },
        }
    }

    /// Replaces the names in the facts of a guard by the operands.
    fn guard(&self, guard: &Guard) -> Guard {
        match guard {
            Guard::All(parts) => Guard::All(parts.iter().map(|part| self.guard(part)).collect()),
            Guard::Any(parts) => Guard::Any(parts.iter().map(|part| self.guard(part)).collect()),
            Guard::Not(part) => Guard::Not(Box::new(self.guard(part))),
            Guard::Passed(part) => Guard::Passed(Box::new(self.guard(part))),
            Guard::Fact(Pattern::Apply(op, parts)) => {
                let put = |part: &Pattern| match part {
                    Pattern::Host(name) => self.operands.get(name).cloned(),
                    part => Some(part.clone()),
                };
                match parts.iter().map(put).collect::<Option<Vec<_>>>() {
                    Some(parts) => Guard::Fact(Pattern::Apply(*op, parts)),
                    None => Guard::Unknown,
                }
            }
            Guard::Fact(_) | Guard::Type(..) | Guard::Unknown => guard.clone(),
        }
    }
}

/// Returns the promise of `ModulusRemainder` for an operand: if the modulus is 0, the operand
/// equals the remainder; else its remainder by the modulus does.
fn alignment(operand: &Pattern, modulus: &Pattern, remainder: &Pattern) -> Pattern {
    let apply =
        |op, lhs: &Pattern, rhs: &Pattern| Pattern::Apply(op, vec![lhs.clone(), rhs.clone()]);
    let zero = Pattern::Int(0);
    let exact = apply(Op::And, &apply(Op::Eq, modulus, &zero), &apply(Op::Eq, operand, remainder));
    let left = apply(Op::Eq, &apply(Op::Mod, operand, modulus), remainder);
    let periodic = apply(Op::And, &apply(Op::Gt, modulus, &zero), &left);
    apply(Op::Or, &exact, &periodic)
}
