//! Members that are empty when an object is made, if the constructor's arguments are empty scopes.
//!
//! # Correctness
//!
//! Only runs on known IR rely on this. A defect counts if one object has it, and an object may be
//! made of empty scopes. A constructor gives a member nothing then, if it names the member only
//! where it takes over an argument, or in loops over an argument.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind, Function, Stmt, StmtKind};

use crate::machine::audits::within;

/// The method by which a scope takes over another one.
const TAKES: &str = "set_containing_scope";

/// Tests whether a constructor may give a member something, although its arguments are empty.
pub(super) fn fills_from_nothing(constructor: &Function, member: &str) -> bool {
    let is_named = |value: &Expr| names(value, member);
    let is_initialized = constructor
        .initializers
        .iter()
        .any(|(name, values)| name == member || values.iter().any(is_named));
    is_initialized
        || constructor
            .body
            .iter()
            .any(|stmt| mentions(stmt, member) && !is_of_argument(stmt, member, constructor))
}

/// Tests whether an expression names a member, or is not read.
fn names(expr: &Expr, member: &str) -> bool {
    let mut found = false;
    expr.visit(&mut |part| {
        found |= match &part.kind {
            ExprKind::Name(name) | ExprKind::Member { name, .. } => name == member,
            ExprKind::Lambda(_) | ExprKind::Other(_) => true,
            _ => false,
        };
    });
    found
}

/// Tests whether a statement names a member, or is not wholly read.
fn mentions(stmt: &Stmt, member: &str) -> bool {
    let mut found = matches!(stmt.kind, StmtKind::Other(_) | StmtKind::Struct(_));
    stmt.visit(&mut |expr| found |= names(expr, member));
    found || within(stmt).into_iter().flatten().any(|inner| mentions(inner, member))
}

/// Tests whether an expression is a parameter, or its address.
fn is_parameter(expr: &Expr, constructor: &Function) -> bool {
    match &expr.kind {
        ExprKind::Name(name) => constructor.parameters.iter().any(|known| known.name == *name),
        ExprKind::Prefix(Sign::Mul | Sign::BitAnd, of) => is_parameter(of, constructor),
        _ => false,
    }
}

/// The object of a call of a method, and the method's name.
fn method(expr: &Expr) -> Option<(&Expr, &str, &[Expr])> {
    let ExprKind::Call { callee, arguments, .. } = &expr.kind else { return None };
    let ExprKind::Member { object, name, .. } = &callee.kind else { return None };
    Some((object, name, arguments))
}

/// Tests whether a statement does nothing for an argument that is empty, or takes over an argument.
fn is_of_argument(stmt: &Stmt, member: &str, constructor: &Function) -> bool {
    match &stmt.kind {
        StmtKind::Expr(expr) => match method(expr) {
            Some((object, TAKES, [of])) => {
                object.kind == ExprKind::Name(member.to_owned()) && is_parameter(of, constructor)
            }
            _ => false,
        },
        StmtKind::ForEach(_, range, _) => is_parameter(range, constructor),
        StmtKind::For { first: Some(first), condition: Some(condition), .. } => {
            let StmtKind::Declare(declared) = &first.kind else { return false };
            let ([one], ExprKind::Binary(Sign::Ne, iterator, last)) =
                (declared.as_slice(), &condition.kind)
            else {
                return false;
            };
            let begins = one.value.as_ref().and_then(method);
            let (Some((begun, begin, [])), Some((ended, end, []))) = (begins, method(last)) else {
                return false;
            };
            iterator.kind == ExprKind::Name(one.name.clone())
                && begun.kind == ended.kind
                && is_parameter(begun, constructor)
                && (begin, end) == ("cbegin", "cend")
        }
        _ => false,
    }
}
