//! Short functions in whose place contracts stand, and whose bodies keep them.
//!
//! # Correctness
//!
//! Two forms of contracts are compared. One states that the result is a call of an intrinsic of the
//! given type. The body keeps it if it returns that call; a number that only marks the call may be
//! its argument, as the contract says nothing of arguments. The other one states that the answer to
//! a question about a number is no. The body keeps it if it returns a condition that is false of
//! every number: `x != x`, or a comparison with infinity, which is no number here.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind, Function, Parameter, StmtKind};

use crate::machine::contracts;
use crate::machine::language::{Guarantee, Primitive, Sort, Term, Word};
use crate::machine::program::Program;
use crate::machine::unread::{are_of_the_api, has_operators};

/// The names that the forms rest on.
const NAMES: [&str; 5] = ["Call", "Type", "atomic", "numeric_limits", "std"];

/// The types of numbers that are asked about, in addition to template parameters.
const NUMBERS: [&str; 2] = ["float", "double"];

/// The beginning of the names that tell of a type of numbers, and have no effect.
const LIMITS: &str = "std::numeric_limits<";

/// The only contract of a function of one parameter, with that parameter.
fn stated(name: &str) -> Option<(&'static Guarantee, &'static [Sort], &'static str)> {
    let table = contracts::table();
    let mut all = table.named(name);
    let (only, None) = (all.next()?, all.next()) else { return None };
    let [taken] = only.takes.as_slice() else { return None };
    let is_plain = only.when.is_none() && only.requirements.is_empty();
    is_plain.then_some((&only.guarantee, taken.sorts.as_slice(), taken.name))
}

/// Tests whether a function with a body of one of the forms keeps what its contract states.
pub(crate) fn keeps_plain_contract(program: &Program, function: &Function) -> bool {
    let Some((guarantee, sorts, taken)) = stated(&function.name) else { return false };
    let [parameter] = function.parameters.as_slice() else { return false };
    if !are_of_the_api(program, &NAMES) || has_operators(program) {
        return false;
    }
    match (guarantee, sorts) {
        (Guarantee::Result(Term::Run(Primitive::Call, of)), [Sort::Type]) => {
            let is_it = matches!(of.as_slice(), [Term::Text(_), Term::Name(ty)] if *ty == taken);
            let [Term::Text(intrinsic), ..] = of.as_slice() else { return false };
            is_it && calls(function, parameter, intrinsic)
        }
        (Guarantee::Result(Term::Word(Word::Truth(false))), [Sort::Real]) => {
            let is_number = NUMBERS.contains(&parameter.ty.as_str())
                || function.templates.contains(&parameter.ty);
            let [stmt] = function.body.as_slice() else { return false };
            let StmtKind::Return(Some(condition)) = &stmt.kind else { return false };
            is_number && is_false(condition, &parameter.name)
        }
        _ => false,
    }
}

/// Tests whether a function returns a call of an intrinsic of the given type. A counter that starts
/// at 0 may mark the call.
fn calls(function: &Function, parameter: &Parameter, intrinsic: &str) -> bool {
    let [before @ .., returned] = function.body.as_slice() else { return false };
    let StmtKind::Return(Some(Expr {
        kind: ExprKind::Call { callee, templates, arguments }, ..
    })) = &returned.kind
    else {
        return false;
    };
    let [ty, name, list, kind] = arguments.as_slice() else { return false };
    let ExprKind::Braces(None, marks) = &list.kind else { return false };
    let is_made = parameter.ty == "Type"
        && templates.is_empty()
        && callee.is_name("Call::make")
        && ty.is_name(&parameter.name)
        && name.is_name(&format!("Call::{intrinsic}"))
        && kind.is_name("Call::Intrinsic");
    let counter = match marks.as_slice() {
        [] => return is_made && before.is_empty(),
        [Expr { kind: ExprKind::Postfix(Sign::Increment, counted), .. }] => &counted.kind,
        _ => return false,
    };
    let (ExprKind::Name(counter), [declared]) = (counter, before) else { return false };
    let text: String = function.text.split_whitespace().collect::<Vec<_>>().join(" ");
    is_made
        && *counter != parameter.name
        && matches!(&declared.kind, StmtKind::Other(_))
        && text.contains(&format!(" static std::atomic<int> {counter}; return Call::make("))
        && text.matches("static").count() == 1
        && !["extern", "thread_local"].iter().any(|other| text.contains(other))
}

/// Tests whether a condition is false of every number.
fn is_false(condition: &Expr, number: &str) -> bool {
    let is_number = |expr: &Expr| expr.is_name(number);
    match &condition.kind {
        ExprKind::Binary(Sign::Ne, a, b) => is_number(a) && is_number(b),
        ExprKind::Binary(Sign::Eq, a, b) => is_number(a) && is_infinite(b),
        ExprKind::Binary(Sign::Or, a, b) => is_false(a, number) && is_false(b, number),
        ExprKind::Binary(Sign::And, a, b) => {
            let is_plain = |expr: &Expr| {
                matches!(&expr.kind, ExprKind::Name(name) if name.starts_with(LIMITS))
                    || is_false(expr, number)
            };
            let is_either = is_false(a, number) || is_false(b, number);
            is_either && is_plain(a) && is_plain(b)
        }
        _ => false,
    }
}

/// Tests whether an expression is infinity, or its negation.
fn is_infinite(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Prefix(Sign::Sub, of) => is_infinite(of),
        ExprKind::Call { callee, arguments, .. } => {
            let ExprKind::Name(name) = &callee.kind else { return false };
            let of = name.strip_prefix(LIMITS);
            let of = of.and_then(|of| of.strip_suffix(">::infinity"));
            arguments.is_empty() && of.is_some_and(|of| of.chars().all(char::is_alphanumeric))
        }
        _ => false,
    }
}
