//! Finds rewrite rules of the language of TVM's `pattern_match.h`: uses of `TVM_TRY_REWRITE` and
//! its siblings in C++ functions.
//!
//! # Correctness
//!
//! Nothing that narrows a rule is lost in silence. A rule is *unsupported* if it stands under a
//! condition of its function that is not understood, in a loop or in an expression, and so is each
//! use of a macro that no function's syntax contains. A test in the rule's own condition that is
//! not understood becomes [`Pattern::Unread`]: no proof uses it, and no refutation may rest on
//! values that were chosen without it. A variable of C++ stands for the value of its declaration
//! only if its function never assigns it. A replacement or condition that uses a variable which the
//! pattern does not bind is unsupported: TVM stops there, or uses what an earlier match left.

use halidom_base::FxHashMap;
use halidom_cpp::ast::{Expr, ExprKind, File, Function, Stmt, StmtKind};
use halidom_cpp::{Sign, expression, parse, split_name};

use super::kinds::Kinds;
use super::locals::{keeps_value, other_nodes};
use super::macros::{MACROS, has_word, macros_of, without_definitions};
use super::names::Names;
use super::own::{Own, call, is_of_space, path};
use super::pattern::{Op, Pattern, TVM_FUNCTIONS, operator};
use super::read::{Found, Guard, Rule, Subject, TypeTest, Used, always_leaves};
use super::typed::have_its_type;
use super::uses::{Use, cut};
use crate::profile::Language;

/// The words that give a rule several patterns.
const ALTERNATIVES: [&str; 2] = ["matches_one_of", "PMatchesOneOf"];

/// The questions to the analyzer, each with the comparison of its two arguments that a positive
/// answer shows.
const QUESTIONS: [(&str, Op); 6] = [
    ("CanProveEqual", Op::Eq),
    ("CanProveGreaterEqual", Op::Ge),
    ("CanProveGreater", Op::Gt),
    ("CanProveLess", Op::Lt),
    ("CanProveLessEqual", Op::Le),
    ("CanProveLessEqualThanSymbolicShapeValue", Op::Le),
];

/// The tests of a type by the names of the methods and, in newer sources, of the type's codes.
const TYPE_TESTS: [(&str, TypeTest); 8] = [
    ("is_int", TypeTest::Int),
    ("is_uint", TypeTest::Uint),
    ("is_float", TypeTest::Float),
    ("is_bool", TypeTest::Bool),
    ("kDLInt", TypeTest::Int),
    ("kDLUInt", TypeTest::Uint),
    ("kDLFloat", TypeTest::Float),
    ("kDLBool", TypeTest::Bool),
];

/// The functions that leave their arguments as they are.
const BY_VALUE: [&str; 9] = [
    "GetRef",
    "IsIndexType",
    "IsIndexTypedExpr",
    "IsVectorExpr",
    "SimplifyAsAndOfOrs",
    "TVM_FFI_ICHECK",
    "TVM_TRY_REWRITE",
    "TryConstFold",
    "VisitExpr_",
];

/// The number of times that a local name may stand for another expression.
const MAX_DEPTH: usize = 16;

/// Returns the rules of one of the given files, each with its name, in order.
pub(crate) fn rules(index: usize, files: &[(&str, &str)]) -> Vec<Found> {
    let (mut altered, mut uses) = (Vec::new(), Vec::new());
    let mut parsed: Vec<(&str, File)> = Vec::new();
    let mut macros: Vec<String> = Vec::new();
    for (other, (name, text)) in files.iter().enumerate() {
        let (text, more) = without_definitions(text);
        let (text, found) = cut(&text);
        altered.extend(more);
        macros.extend(macros_of(&text));
        parsed.push((name, parse(&text).unwrap_or_default()));
        if other == index {
            uses = found;
        }
    }
    let Some((_, file)) = parsed.get(index) else { return Vec::new() };
    let mut found: Vec<Option<Found>> = vec![None; uses.len()];
    let own = Own::at(index, &parsed);
    let is_known = |name: &str| {
        let (space, short) = split_name(name);
        // A class calls the method of its base.
        (short == "VisitExpr_" || is_of_space(space)) && BY_VALUE.contains(&short)
    };
    for function in &file.functions {
        let names = Names::of(function, &own, &is_known);
        let unknown = own.all().chain(function.declared.iter().map(String::as_str));
        let mut scope: Scope = unknown.map(|name| (name.to_owned(), Name::Unknown)).collect();
        for parameter in &function.parameters {
            scope.insert(parameter.name.clone(), Name::Unknown);
        }
        let others = other_nodes(function, &names);
        for name in ["op", "ret"] {
            if others.contains(&name) {
                scope.insert(name.to_owned(), Name::Unknown);
            } else {
                scope.remove(name);
            }
        }
        let name = title(function);
        let around = match macros.iter().find(|name| has_word(&function.text, name)) {
            Some(name) => Err(format!("in a function that names the macro `{name}`")),
            None => Ok(Vec::new()),
        };
        let (altered, uses, macros) = (&altered, &uses, &macros);
        let mut walk =
            Walk { name, names: &names, altered, uses, macros, scope, found: &mut found };
        walk.stmts(&function.body, &around);
    }
    let unseen = |of: &Use| {
        let around =
            |function: &&Function| function.line <= of.line && of.line <= function.last_line;
        let function = file.functions.iter().find(around).map(title).unwrap_or_default();
        let rule = Err("a rule in text that is not understood as C++".to_owned());
        Found { line: of.line, function, rule, used: Used::default() }
    };
    uses.iter().zip(found).map(|(of, found)| found.unwrap_or_else(|| unseen(of))).collect()
}

/// Names a function for reports: `Impl::VisitExpr_(const AddNode *)`.
fn title(function: &Function) -> String {
    let first = function.parameters.first().map(|parameter| parameter.ty.replace('*', " *"));
    let class = if function.class.is_empty() { "" } else { "::" };
    format!("{}{class}{}({})", function.class, function.name, first.unwrap_or_default())
}

/// The meaning of a name of the enclosing function.
#[derive(Clone)]
enum Name {
    /// A pattern variable for any expression.
    Wild,
    /// A pattern variable for an integer literal.
    Integer,
    /// A pattern variable for a floating-point literal.
    Float,
    /// A variable of C++ with this value.
    Local(Expr),
    /// A variable that may have changed, or whose value is not known.
    Unknown,
}

type Scope = FxHashMap<String, Name>;

/// The conditions around a statement, or the reason why one of them is not understood.
type Around = Result<Vec<Guard>, String>;

struct Walk<'f> {
    name: String,
    /// The other macros that the file defines.
    macros: &'f [String],
    /// The variables of C++, with their changes.
    names: &'f Names<'f>,
    /// The macros with another definition.
    altered: &'f [&'static str],
    uses: &'f [Use],
    scope: Scope,
    /// The rule of each use, once it is seen.
    found: &'f mut [Option<Found>],
}

impl Walk<'_> {
    fn stmts(&mut self, stmts: &[Stmt], around: &Around) {
        let scope = self.scope.clone();
        let mut around = around.clone();
        for stmt in stmts {
            self.stmt(stmt, &mut around);
        }
        self.scope = scope;
    }

    /// Reads a statement. Adds to `around` what is known after it.
    fn stmt(&mut self, stmt: &Stmt, around: &mut Around) {
        match &stmt.kind {
            StmtKind::Declare(declared) => {
                for variable in declared {
                    let name = match (variable.ty.as_str(), &variable.value) {
                        ("PVar<PrimExpr>" | "PVar<tir::PrimExpr>" | "PVar<Var>", None) => {
                            Name::Wild
                        }
                        ("PVar<IntImm>" | "PVar<Integer>", None) => Name::Integer,
                        ("PVar<FloatImm>", None) => Name::Float,
                        (_, Some(value)) => {
                            self.hidden(value);
                            let is_kept = self.names.is_unchanged(&variable.name)
                                && self.names.are_single(value)
                                && keeps_value(&variable.ty, value);
                            if is_kept { Name::Local(value.clone()) } else { Name::Unknown }
                        }
                        _ => Name::Unknown,
                    };
                    self.scope.insert(variable.name.clone(), name);
                }
            }
            StmtKind::Expr(expr) => match used(expr) {
                Some(number) => {
                    let rule = match (around, self.uses.get(number)) {
                        (Ok(guards), Some(of)) => self.rule(of, guards),
                        (Err(reason), _) => Err(reason.clone()),
                        (Ok(_), None) => Err("no macro".to_owned()),
                    };
                    self.report(number, rule);
                }
                None => self.hidden(expr),
            },
            StmtKind::If { declared, condition, then, otherwise } => {
                let guard = match (declared, condition) {
                    (None, Some(condition)) => guard(&self.scope, condition, 0),
                    _ => Err("a condition that declares a variable".to_owned()),
                };
                let with = |more: Result<Guard, String>| -> Around {
                    let mut guards = around.clone()?;
                    guards.push(more.map_err(|what| format!("under a condition: {what}"))?);
                    Ok(guards)
                };
                let first = with(guard.clone());
                let second = with(guard.clone().map(|guard| Guard::Not(Box::new(guard))));
                self.stmts(std::slice::from_ref(then), &first);
                if let Some(otherwise) = otherwise {
                    self.stmts(std::slice::from_ref(otherwise), &second);
                }
                // A rule is judged by itself: that other code returned before only narrows it.
                if let (Ok(guard), Ok(guards), true) = (guard, around, always_leaves(then)) {
                    guards.push(Guard::Passed(Box::new(guard)));
                }
            }
            StmtKind::Block(stmts) => self.stmts(stmts, around),
            StmtKind::While(_, body) | StmtKind::For { body, .. } | StmtKind::ForEach(.., body) => {
                self.stmts(std::slice::from_ref(body), &Err("in a loop".to_owned()));
            }
            StmtKind::Switch(_, arms) => {
                for (_, body) in arms {
                    self.stmts(body, &Err("in a switch".to_owned()));
                }
            }
            StmtKind::Return(Some(value)) => self.hidden(value),
            StmtKind::Return(None)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Nothing
            | StmtKind::Struct(_)
            | StmtKind::Other(_) => {}
        }
    }

    fn report(&mut self, number: usize, rule: Result<Rule, String>) {
        if let (Some(of), Some(found)) = (self.uses.get(number), self.found.get_mut(number)) {
            *found = {
                let (line, function) = (of.line, self.name.clone());
                Some(Found { line, function, rule, used: Used::default() })
            };
        }
    }

    /// Reports the macros within an expression.
    fn hidden(&mut self, expr: &Expr) {
        let mut numbers = Vec::new();
        expr.visit(&mut |part| numbers.extend(used(part)));
        for number in numbers {
            self.report(number, Err("in an expression".to_owned()));
        }
    }

    fn rule(&self, of: &Use, guards: &[Guard]) -> Result<Rule, String> {
        if self.altered.contains(&of.name.as_str()) {
            return Err(format!("another definition of `{}`", of.name));
        }
        let known = MACROS.iter().find(|(known, ..)| *known == of.name);
        let (_, has_condition, _) = known.ok_or_else(|| format!("the macro `{}`", of.name))?;
        let texts = of.arguments.as_deref().unwrap_or_default();
        let is_in = |name: &&String| texts.iter().any(|(text, _)| has_word(text, name));
        if let Some(name) = self.macros.iter().find(is_in) {
            return Err(format!("the macro `{name}`"));
        }
        let arguments = texts.iter().map(|(text, line)| {
            // A comment may end the text.
            expression(&format!("{text}\n"), *line)
        });
        let arguments = arguments.collect::<Option<Vec<Expr>>>().ok_or("text that is no C++")?;
        let (lhs, rhs, condition) = match (arguments.as_slice(), *has_condition) {
            ([lhs, rhs], false) => (lhs, rhs, None),
            ([lhs, rhs, condition], true) => (lhs, rhs, Some(condition)),
            _ => return Err(format!("a macro with {} arguments", arguments.len())),
        };
        let reader = Reader { scope: &self.scope };
        let mut contracts = Vec::new();
        let sides = alternatives(lhs).iter().map(|side| {
            let side = reader.pattern(side, 0)?;
            reader.literal_types(&side, &mut contracts)?;
            Ok(told_apart(side, &self.scope, &mut contracts))
        });
        let mut sides = sides.collect::<Result<Vec<_>, String>>()?.into_iter();
        let lhs = sides.next().ok_or("a rule without a pattern")?;
        let others: Vec<Pattern> = sides.collect();
        let rhs = reader.pattern(rhs, 0)?;
        let predicate = condition.map(|condition| reader.condition(condition, 0)).transpose()?;
        for side in std::iter::once(&lhs).chain(&others) {
            for part in std::iter::once(&rhs).chain(&predicate) {
                if let Some(name) = unbound(part, side) {
                    return Err(format!("`{name}`, which the pattern `{side}` does not bind"));
                }
            }
        }
        have_its_type(&arguments, &std::iter::once(&lhs).chain(&others))?;
        let language = Language::PatternMatch;
        Ok(Rule { language, lhs, others, rhs, predicate, guards: guards.to_vec(), contracts })
    }
}

/// Returns the number of the use of a macro that an expression is.
fn used(expr: &Expr) -> Option<usize> {
    let (name, arguments) = call(expr)?;
    match arguments {
        [Expr { kind: ExprKind::Integer(number, _), .. }] if name.starts_with("TVM_TRY_") => {
            usize::try_from(*number).ok()
        }
        _ => None,
    }
}

/// Returns the patterns of which a rule matches one.
fn alternatives(expr: &Expr) -> &[Expr] {
    match &expr.kind {
        ExprKind::Call { callee, arguments, .. } => match &callee.kind {
            ExprKind::Name(name) if ALTERNATIVES.contains(&name.as_str()) => arguments,
            _ => std::slice::from_ref(expr),
        },
        ExprKind::Braces(Some(ty), parts) if ALTERNATIVES.contains(&ty.as_str()) => parts,
        _ => std::slice::from_ref(expr),
    }
}

/// Returns a name that a part of a rule uses and its pattern does not bind.
fn unbound(part: &Pattern, side: &Pattern) -> Option<String> {
    let mut found = None;
    part.visit(&mut |name| {
        if let Pattern::Wild(text) | Pattern::Constant(text) | Pattern::Lanes(text) = name
            && !side.any(|bound| bound == name)
        {
            found.get_or_insert_with(|| text.clone());
        }
    });
    found
}

struct Reader<'s> {
    scope: &'s Scope,
}

impl Reader<'_> {
    /// Reads an expression of patterns.
    fn pattern(&self, expr: &Expr, depth: usize) -> Result<Pattern, String> {
        match &expr.kind {
            ExprKind::Integer(value, _) => integer(*value),
            ExprKind::Bool(value) => Ok(Pattern::Bool(*value)),
            ExprKind::Name(name) => match self.scope.get(name) {
                Some(Name::Wild) => Ok(Pattern::Wild(name.clone())),
                Some(Name::Integer | Name::Float) => Ok(Pattern::Constant(name.clone())),
                Some(Name::Local(value)) if depth < MAX_DEPTH => self.pattern(value, depth + 1),
                _ => Err(format!("the name `{name}`")),
            },
            ExprKind::Prefix(Sign::Not, operand) => {
                Ok(Pattern::Apply(Op::Not, vec![self.pattern(operand, depth)?]))
            }
            ExprKind::Prefix(Sign::Sub, operand) => match &operand.kind {
                ExprKind::Integer(value, _) => integer(-value),
                _ => Err("a negated pattern".to_owned()),
            },
            ExprKind::Binary(sign, lhs, rhs) => {
                let op = operator(sign.text()).filter(|op| !matches!(op, Op::Div | Op::Mod));
                // `pattern_match.h` declares `/` and `%` ambiguous.
                let op = op.ok_or_else(|| format!("the operator `{sign}`"))?;
                let parts = vec![self.pattern(lhs, depth)?, self.pattern(rhs, depth)?];
                Ok(Pattern::Apply(op, parts))
            }
            ExprKind::Call { .. } => self.call(expr, depth),
            _ => Err("an expression in a pattern".to_owned()),
        }
    }

    /// Refuses a function's name to which the file gives a meaning of its own.
    fn of_api(&self, name: &str) -> Result<(), String> {
        if self.scope.contains_key(name) {
            return Err(format!("`{name}`, which may mean something of the file's own"));
        }
        Ok(())
    }

    fn call(&self, expr: &Expr, depth: usize) -> Result<Pattern, String> {
        let (name, arguments) = call(expr).ok_or("a call of a member in a pattern")?;
        let name = name.split('<').next().unwrap_or(name);
        self.of_api(name)?;
        match (name, arguments) {
            ("ZeroWithTypeLike", [_]) => return Ok(of_result(0)),
            ("OneWithTypeLike", [_]) => return Ok(of_result(1)),
            ("PConst", [value]) => return self.constant(value, depth),
            _ => {}
        }
        let known = TVM_FUNCTIONS.iter().find(|(known, ..)| *known == name);
        let (_, op, count) = known.ok_or_else(|| format!("the function `{name}`"))?;
        if arguments.len() != *count {
            return Err(format!("`{name}` of {} arguments", arguments.len()));
        }
        let last = arguments.len() - 1;
        let mut parts = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let part = self.pattern(argument, depth)?;
            parts.push(match (op, part) {
                (Op::Broadcast | Op::Ramp, Pattern::Wild(name)) if index == last => {
                    Pattern::Lanes(name)
                }
                (Op::Broadcast | Op::Ramp, _) if index == last => {
                    return Err("a count of lanes that is no variable".to_owned());
                }
                (_, part) => part,
            });
        }
        Ok(Pattern::Apply(*op, parts))
    }

    /// Reads the value of a `PConst`, which has the type of the rewritten node:
    /// `MakeConst(type, value)`, or the scalar `IntImm(type, value)`.
    fn constant(&self, expr: &Expr, depth: usize) -> Result<Pattern, String> {
        if let Some((name, _)) = call(expr) {
            self.of_api(name)?;
        }
        let (ty, value, is_scalar) = match call(expr) {
            Some(("MakeConst" | "make_const", [ty, value])) => (ty, value, false),
            Some(("IntImm", [ty, value])) => (ty, value, true),
            _ => return Err("a constant of the compiler".to_owned()),
        };
        if subject(self.scope, ty, depth) != Some(Subject::Result) {
            return Err("a constant whose type need not be the rule's".to_owned());
        }
        let value = match &value.kind {
            ExprKind::Bool(value) => Pattern::Bool(*value),
            _ => self.number(value, depth)?,
        };
        Ok(Pattern::Apply(Op::OfResult { is_scalar }, vec![value]))
    }

    /// Reads a number of C++, or an expression of IR that C++ computes.
    fn number(&self, expr: &Expr, depth: usize) -> Result<Pattern, String> {
        match &expr.kind {
            // The arithmetic of unsigned numbers is another one.
            ExprKind::Integer(_, suffix) if suffix.contains(['u', 'U']) => {
                Err("an unsigned number".to_owned())
            }
            ExprKind::Integer(value, _) => integer(*value),
            ExprKind::Float(value) if value.fract() == 0.0 && value.abs() < 1e9 => {
                Ok(Pattern::Int(*value as i64))
            }
            ExprKind::Name(name) => match self.scope.get(name) {
                Some(Name::Local(value)) if depth < MAX_DEPTH => self.number(value, depth + 1),
                _ => Err(format!("the name `{name}`")),
            },
            ExprKind::Prefix(Sign::Sub, operand) => Ok(match self.number(operand, depth)? {
                Pattern::Int(value) if value != i64::MIN => Pattern::Int(-value),
                operand => Pattern::Apply(Op::Neg, vec![operand]),
            }),
            ExprKind::Binary(sign, lhs, rhs) => {
                let parts = vec![self.number(lhs, depth)?, self.number(rhs, depth)?];
                let is_host = !parts.iter().any(|part| part.any(is_expression));
                let is_value = |of: &Pattern| matches!(of, Pattern::Constant(_));
                if is_host && !parts.iter().any(|part| part.any(is_value)) {
                    // C++ computes it in the type of the literals.
                    return Err("arithmetic of literals".to_owned());
                }
                let op = match sign.text() {
                    "+" => Op::Add,
                    "-" => Op::Sub,
                    "*" => Op::Mul,
                    "/" if is_host => Op::TruncDiv,
                    "%" if is_host => Op::TruncMod,
                    sign => return Err(format!("the operator `{sign}`")),
                };
                Ok(Pattern::Apply(op, parts))
            }
            ExprKind::Member { object, name, .. } if name == "value" => {
                let matched = evaluated(object).ok_or("a member of something unknown")?;
                match (&matched.kind, self.pattern(matched, depth)?) {
                    (ExprKind::Name(name), literal @ Pattern::Constant(_)) => {
                        match self.scope.get(name) {
                            Some(Name::Integer) => Ok(Pattern::Apply(Op::Value, vec![literal])),
                            _ => Ok(literal),
                        }
                    }
                    _ => Err("the value of something that is no literal".to_owned()),
                }
            }
            ExprKind::Call { .. } => {
                if let Some(matched) = evaluated(expr) {
                    return self.pattern(matched, depth);
                }
                let (name, arguments) = call(expr).ok_or("a call of a member")?;
                self.of_api(name)?;
                let known = TVM_FUNCTIONS.iter().find(|(known, ..)| *known == name);
                match known {
                    Some((_, op, 2)) if arguments.len() == 2 && name != "broadcast" => {
                        let parts = arguments.iter().map(|part| self.number(part, depth));
                        Ok(Pattern::Apply(*op, parts.collect::<Result<_, _>>()?))
                    }
                    _ => Err(format!("the function `{name}`")),
                }
            }
            _ => Err("an expression in a condition".to_owned()),
        }
    }

    /// Reads a condition. A test that is not understood becomes [`Pattern::Unread`].
    fn condition(&self, expr: &Expr, depth: usize) -> Result<Pattern, String> {
        let both = |op, lhs: &Expr, rhs: &Expr| {
            let parts = vec![self.condition(lhs, depth)?, self.condition(rhs, depth)?];
            Ok(Pattern::Apply(op, parts))
        };
        match &expr.kind {
            ExprKind::Bool(value) => Ok(Pattern::Bool(*value)),
            ExprKind::Binary(Sign::And, lhs, rhs) => both(Op::And, lhs, rhs),
            ExprKind::Binary(Sign::Or, lhs, rhs) => both(Op::Or, lhs, rhs),
            ExprKind::Prefix(Sign::Not, operand) => {
                let operand = self.condition(operand, depth)?;
                if operand.any(|part| matches!(part, Pattern::Apply(Op::CanProve, _))) {
                    // The analyzer may fail to prove what holds.
                    return Ok(Pattern::Unread("no answer of the analyzer".to_owned()));
                }
                Ok(Pattern::Apply(Op::Not, vec![operand]))
            }
            ExprKind::Binary(_, lhs, _)
                if call(lhs).is_some_and(|(name, _)| name == EFFECTS)
                    && self.of_api(EFFECTS).is_ok() =>
            {
                // Operands are values without effects here.
                Ok(Pattern::Bool(true))
            }
            ExprKind::Binary(..) => match self.comparison(expr, depth) {
                Ok(comparison) => Ok(comparison),
                Err(what) => Ok(Pattern::Unread(format!("a comparison with {what}"))),
            },
            ExprKind::Call { callee, arguments, .. } => {
                let name = match &callee.kind {
                    ExprKind::Name(name) | ExprKind::Member { name, .. } => name.as_str(),
                    _ => "a function",
                };
                Ok(self.question(name, arguments, depth).unwrap_or_else(|_| {
                    // The parentheses tell it from a name of the rule.
                    Pattern::Unread(format!("{name}()"))
                }))
            }
            ExprKind::Name(name) => match self.scope.get(name) {
                Some(Name::Local(value)) if depth < MAX_DEPTH => self.condition(value, depth + 1),
                _ => Ok(Pattern::Unread(name.clone())),
            },
            _ => Ok(Pattern::Unread("a condition".to_owned())),
        }
    }

    /// Reads a question to the analyzer.
    fn question(&self, name: &str, arguments: &[Expr], depth: usize) -> Result<Pattern, String> {
        self.of_api(name)?;
        let known = QUESTIONS.iter().find(|(known, _)| *known == name);
        let claim = match (known, arguments) {
            (Some((_, op)), [lhs, rhs]) => {
                Pattern::Apply(*op, vec![self.number(lhs, depth)?, self.number(rhs, depth)?])
            }
            (None, [claim]) if name == "CanProve" => self.comparison(claim, depth)?,
            _ => return Err(name.to_owned()),
        };
        Ok(Pattern::Apply(Op::CanProve, vec![claim]))
    }

    fn comparison(&self, expr: &Expr, depth: usize) -> Result<Pattern, String> {
        let ExprKind::Binary(sign, lhs, rhs) = &expr.kind else {
            return Err("no comparison".to_owned());
        };
        let op = operator(sign.text())
            .filter(|op| matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge));
        let op = op.ok_or_else(|| format!("the operator `{sign}`"))?;
        Ok(Pattern::Apply(op, vec![self.number(lhs, depth)?, self.number(rhs, depth)?]))
    }

    /// Adds what the kinds of literals in a pattern say about types: `IntImm` is no float, and
    /// `FloatImm` is one. Two floats match one variable if they are close, and then the variable
    /// is the first of them.
    fn literal_types(&self, side: &Pattern, contracts: &mut Vec<Pattern>) -> Result<(), String> {
        let mut floats = Vec::new();
        let mut add = |literal: &Pattern, is_float: bool| {
            let float = Pattern::Apply(Op::IsFloat, vec![literal.clone()]);
            let known = if is_float { float } else { Pattern::Apply(Op::Not, vec![float]) };
            if !contracts.contains(&known) {
                contracts.push(known);
            }
        };
        side.visit(&mut |part| match part {
            Pattern::Constant(name) => {
                let is_float = matches!(self.scope.get(name), Some(Name::Float));
                floats.extend(is_float.then_some(name));
                add(part, is_float);
            }
            Pattern::Apply(_, parts) if parts.iter().any(|of| matches!(of, Pattern::Int(_))) => {
                // A number in a pattern matches an `IntImm`.
                let other = parts.iter().find(|of| !matches!(of, Pattern::Int(_)));
                if let Some(other) = other {
                    add(other, false);
                }
            }
            _ => {}
        });
        let count = floats.len();
        floats.sort_unstable();
        floats.dedup();
        if floats.len() < count {
            return Err("a variable that matches two floats".to_owned());
        }
        Ok(())
    }
}

/// Gives an occurrence of a literal's variable a name of its own if its type need not be that of
/// the first. They match literals of one value, and the variable stands for the first.
fn told_apart(side: Pattern, scope: &Scope, contracts: &mut Vec<Pattern>) -> Pattern {
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    let mut firsts: FxHashMap<String, String> = FxHashMap::default();
    let apart = side.map(&mut |part| {
        let Pattern::Constant(name) = part else { return part };
        let count = counts.entry(name.clone()).or_default();
        *count += 1;
        if *count == 1 {
            return Pattern::Constant(name);
        }
        let mut other = format!("{name}_{count}");
        while scope.contains_key(&other) {
            other.push('_');
        }
        firsts.insert(other.clone(), name);
        Pattern::Constant(other)
    });
    let kinds = Kinds::of(&apart);
    apart.map(&mut |part| {
        let Pattern::Constant(name) = &part else { return part };
        let Some(first) = firsts.get(name) else { return part };
        let first = Pattern::Constant(first.clone());
        if kinds.as_ref().is_some_and(|kinds| kinds.are_alike(&first, &part)) {
            return first;
        }
        let value = |of: &Pattern| Pattern::Apply(Op::Value, vec![of.clone()]);
        let is_equal = Pattern::Apply(Op::Eq, vec![value(&first), value(&part)]);
        if !contracts.contains(&is_equal) {
            contracts.push(is_equal);
        }
        part
    })
}

/// The function whose result says which effects an expression has.
const EFFECTS: &str = "SideEffect";

/// Returns a number with the type of the result.
fn of_result(value: i64) -> Pattern {
    Pattern::Apply(Op::OfResult { is_scalar: false }, vec![Pattern::Int(value)])
}

fn integer(value: i128) -> Result<Pattern, String> {
    i64::try_from(value).map(Pattern::Int).map_err(|_| value.to_string())
}

fn is_expression(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::Wild(_) | Pattern::Lanes(_))
}

/// Returns the pattern whose match is built: `p` in `p.Eval()`.
fn evaluated(expr: &Expr) -> Option<&Expr> {
    let ExprKind::Call { callee, arguments, .. } = &expr.kind else { return None };
    let ExprKind::Member { object, name, .. } = &callee.kind else { return None };
    (name == "Eval" && arguments.is_empty()).then_some(&**object)
}

/// Translates a condition of a function.
fn guard(scope: &Scope, expr: &Expr, depth: usize) -> Result<Guard, String> {
    let both = |lhs, rhs| Ok(vec![guard(scope, lhs, depth)?, guard(scope, rhs, depth)?]);
    match &expr.kind {
        ExprKind::Binary(Sign::And, lhs, rhs) => both(lhs, rhs).map(Guard::All),
        ExprKind::Binary(Sign::Or, lhs, rhs) => both(lhs, rhs).map(Guard::Any),
        ExprKind::Prefix(Sign::Not, operand) => {
            Ok(Guard::Not(Box::new(guard(scope, operand, depth)?)))
        }
        ExprKind::Name(name) => match scope.get(name) {
            Some(Name::Local(value)) if depth < MAX_DEPTH => guard(scope, value, depth + 1),
            _ => Err(format!("the name `{name}`")),
        },
        ExprKind::Binary(Sign::Eq, lhs, rhs) => {
            let width = match rhs.kind {
                ExprKind::Integer(width, _) => u8::try_from(width).ok(),
                _ => None,
            };
            match (member(lhs), width) {
                (Some((ty, "bits")), Some(width)) if subject(scope, ty, depth).is_some() => {
                    let subject = subject(scope, ty, depth).unwrap_or(Subject::Result);
                    Ok(Guard::Type(TypeTest::Bits(width), subject))
                }
                _ => Err("an equation".to_owned()),
            }
        }
        ExprKind::Call { arguments, .. } => {
            if let (Some((name, _)), [operand]) = (call(expr), arguments.as_slice()) {
                let subject = subject(scope, operand, depth);
                if scope.contains_key(name) && name != "IsVectorExpr" {
                    return Err(format!("`{name}`, which may mean something of the file's own"));
                }
                return match (name, subject) {
                    // Of a vector, one lane is judged, and every type has vectors.
                    ("IsVectorExpr", Some(_)) => Ok(Guard::Unknown),
                    // The types of 32 and 64 bits that are signed, without vectors.
                    ("IsIndexTypedExpr" | "IsIndexType", Some(subject)) => {
                        let test = Guard::Type(TypeTest::NoOverflowInt, subject);
                        Ok(Guard::All(vec![test, Guard::Unknown]))
                    }
                    _ => Err(format!("the function `{name}`")),
                };
            }
            let (ty, name) = member(expr).ok_or("a call")?;
            let subject = subject(scope, ty, depth).ok_or("a type that is not understood")?;
            let code = match arguments.as_slice() {
                [] => name,
                [code] if name == "MatchesCode" => match &code.kind {
                    ExprKind::Name(code) => code.rsplit("::").next().unwrap_or(code),
                    _ => "",
                },
                _ => "",
            };
            let test = TYPE_TESTS.iter().find(|(known, _)| *known == code);
            let (_, test) = test.ok_or_else(|| format!("the test `{name}`"))?;
            let test = Guard::Type(*test, subject);
            Ok(match code {
                // Truth values have a code of their own; in older sources `is_uint` includes them.
                "kDLUInt" => {
                    let is_bool = Guard::Type(TypeTest::Bool, subject);
                    Guard::All(vec![test, Guard::Not(Box::new(is_bool))])
                }
                _ => test,
            })
        }
        _ => Err("an expression".to_owned()),
    }
}

/// Returns the object and the name of a method that is called.
fn member(expr: &Expr) -> Option<(&Expr, &str)> {
    let ExprKind::Call { callee, .. } = &expr.kind else { return None };
    let ExprKind::Member { object, name, .. } = &callee.kind else { return None };
    Some((object, name))
}

/// Returns the expression whose type an expression of C++ gives: the rewritten node, or one of its
/// operands, which have one type.
fn subject(scope: &Scope, expr: &Expr, depth: usize) -> Option<Subject> {
    let names = path(expr)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let is_other = |name: &&str| matches!(scope.get(*name), Some(Name::Unknown));
    if matches!(names.as_slice(), ["op" | "ret", ..]) && names.first().is_some_and(is_other) {
        return None;
    }
    match names.as_slice() {
        ["op" | "ret", "a" | "b", rest @ ..] if is_type(rest) => Some(Subject::Operand),
        ["op" | "ret", rest @ ..] if is_type(rest) => Some(Subject::Result),
        [name] if depth < MAX_DEPTH => match scope.get(*name) {
            Some(Name::Local(value)) => subject(scope, value, depth + 1),
            _ => None,
        },
        _ => None,
    }
}

/// True if a chain of members leads from an expression to its type, or stays with it.
fn is_type(members: &[&str]) -> bool {
    members.iter().all(|name| ["ty", "dtype", "get", "as_or_throw"].contains(name))
}
