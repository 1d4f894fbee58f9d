//! Constructors of `int` expressions that drop trivial zeros and ones, so that a dense row visibly
//! has stride 1.

use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Pool, Scalar};

use crate::patterns::apart;

/// Returns the value of an `int` constant.
pub(crate) fn as_int(pool: &Pool, expr: ExprId) -> Option<i128> {
    pool.as_constant(expr)
        .filter(|constant| constant.scalar() == Scalar::Int)
        .and_then(Constant::as_integer)
}

/// Returns `lhs + rhs`, scalars.
pub(crate) fn add(pool: &mut Pool, lhs: ExprId, rhs: ExprId) -> ExprId {
    match (as_int(pool, lhs), as_int(pool, rhs)) {
        (Some(0), _) => rhs,
        (_, Some(0)) => lhs,
        (Some(a), Some(b)) if a.checked_add(b).is_some() => pool.int(a + b),
        _ => pool.add(lhs, rhs),
    }
}

/// Returns `lhs - rhs`, scalars.
pub(crate) fn sub(pool: &mut Pool, lhs: ExprId, rhs: ExprId) -> ExprId {
    match (as_int(pool, lhs), as_int(pool, rhs)) {
        (_, Some(0)) => lhs,
        (Some(a), Some(b)) if a.checked_sub(b).is_some() => pool.int(a - b),
        _ if lhs == rhs => pool.int(0),
        _ => pool.sub(lhs, rhs),
    }
}

/// Returns `lhs * rhs`, scalars.
pub(crate) fn mul(pool: &mut Pool, lhs: ExprId, rhs: ExprId) -> ExprId {
    match (as_int(pool, lhs), as_int(pool, rhs)) {
        (Some(1), _) => rhs,
        (_, Some(1)) => lhs,
        // Neither factor can be undefined: an index never is.
        (Some(0), _) | (_, Some(0)) => pool.int(0),
        (Some(a), Some(b)) if a.checked_mul(b).is_some() => pool.int(a * b),
        _ => pool.mul(lhs, rhs),
    }
}

/// Returns `lhs mod rhs`, scalars.
pub(crate) fn modulo(pool: &mut Pool, lhs: ExprId, rhs: ExprId) -> ExprId {
    match (as_int(pool, lhs), as_int(pool, rhs)) {
        (_, Some(1)) => pool.int(0),
        (Some(a), Some(b)) if b > 0 => pool.int(a.rem_euclid(b)),
        _ => pool.binary(BinaryOp::Mod, lhs, rhs),
    }
}

/// Returns the place `by` elements after another one, with the constants added up.
pub(crate) fn offset(pool: &mut Pool, place: ExprId, by: i128) -> ExprId {
    let (root, constant) = apart(pool, place);
    let constant = pool.int(constant.saturating_add(by));
    match root {
        Some(root) => add(pool, root, constant),
        None => constant,
    }
}

/// True if repeating an expression costs nothing.
pub(crate) fn is_atom(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(_) | Expr::Var(_))
}
