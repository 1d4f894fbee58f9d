//! Ranges of machine-typed expressions, for coordinates that depend on data.
//!
//! `clamp(i32(input(x)), 0, width - 1)` lies in `0..width` whatever the input holds: that is how an algorithm makes an access bounded.

use halidom_ir::{BinaryOp, Expr, ExprId, Scalar};

use crate::algebra::Algebra;

/// The ends of a range, both `int` expressions, both included.
pub(crate) type Range = (ExprId, ExprId);

/// The range of a machine integer or `bool`. Expressions for which `is_kept` holds have an exact value where the bound is used.
pub(crate) fn range(
    algebra: &mut Algebra<'_>,
    expr: ExprId,
    is_kept: &dyn Fn(&Algebra<'_>, ExprId) -> bool,
) -> Option<Range> {
    let scalar = algebra.pool.ty(expr).scalar;
    if scalar == Scalar::Int {
        return None;
    }
    let whole = type_range(algebra, scalar)?;
    if let Some(value) = algebra.pool.as_constant(expr).and_then(halidom_ir::Constant::as_integer) {
        let value = algebra.int(value);
        return Some((value, value));
    }
    if is_kept(algebra, expr) {
        let exact = algebra.pool.cast(Scalar::Int, expr);
        return Some((exact, exact));
    }
    let found = match algebra.pool.get(expr).clone() {
        Expr::Cast(_, operand) if algebra.pool.ty(operand).scalar != Scalar::Int => {
            range(algebra, operand, is_kept).filter(|inner| fits(algebra, *inner, scalar))
        }
        Expr::Binary(op, lhs, rhs) if !op.is_comparison() => {
            let lhs = range(algebra, lhs, is_kept)?;
            let rhs = range(algebra, rhs, is_kept)?;
            binary(algebra, op, lhs, rhs).filter(|result| fits(algebra, *result, scalar))
        }
        Expr::Select { if_true, if_false, .. } => {
            let lhs = range(algebra, if_true, is_kept)?;
            let rhs = range(algebra, if_false, is_kept)?;
            Some((algebra.min(lhs.0, rhs.0), algebra.max(lhs.1, rhs.1)))
        }
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Hole(_) => None,
    };
    Some(found.unwrap_or(whole))
}

fn type_range(algebra: &mut Algebra<'_>, scalar: Scalar) -> Option<Range> {
    let (low, high) = scalar.range()?;
    Some((algebra.int(low), algebra.int(high)))
}

/// Whether the range lies in the type's, so that an operator with these exact results does not wrap.
fn fits(algebra: &mut Algebra<'_>, (low, high): Range, scalar: Scalar) -> bool {
    let Some((least, greatest)) = type_range(algebra, scalar) else { return false };
    let ends = [low, high].map(|end| end_range(algebra, end));
    match ends {
        [Some((low, _)), Some((_, high))] => {
            algebra.proves_le(least, low) && algebra.proves_le(high, greatest)
        }
        _ => false,
    }
}

/// Constants around an end of a range: itself, or the range of its type where it is a conversion.
fn end_range(algebra: &mut Algebra<'_>, end: ExprId) -> Option<Range> {
    match *algebra.pool.get(end) {
        Expr::Const(_) => Some((end, end)),
        Expr::Cast(Scalar::Int, operand) => {
            let scalar = algebra.pool.ty(operand).scalar;
            type_range(algebra, scalar)
        }
        Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), lhs, rhs) => {
            let (lhs, rhs) = (end_range(algebra, lhs)?, end_range(algebra, rhs)?);
            Some((algebra.combine(op, lhs.0, rhs.0), algebra.combine(op, lhs.1, rhs.1)))
        }
        Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Hole(_) => None,
    }
}

/// The exact results' range, before wrapping.
fn binary(algebra: &mut Algebra<'_>, op: BinaryOp, lhs: Range, rhs: Range) -> Option<Range> {
    let constant = |algebra: &Algebra<'_>, end| {
        algebra.pool.as_constant(end).and_then(halidom_ir::Constant::as_integer)
    };
    match op {
        BinaryOp::Min | BinaryOp::Max => {
            Some((algebra.combine(op, lhs.0, rhs.0), algebra.combine(op, lhs.1, rhs.1)))
        }
        BinaryOp::Add(_) => Some((algebra.add(lhs.0, rhs.0), algebra.add(lhs.1, rhs.1))),
        BinaryOp::Sub(_) => Some((algebra.sub(lhs.0, rhs.1), algebra.sub(lhs.1, rhs.0))),
        BinaryOp::Mul(_) | BinaryOp::Div | BinaryOp::Mod | BinaryOp::And | BinaryOp::Shr => {
            let [a, b, c, d] = [lhs.0, lhs.1, rhs.0, rhs.1].map(|end| constant(algebra, end));
            let (low, high) = corners(op, (a, b), (c?, d?))?;
            Some((algebra.int(low), algebra.int(high)))
        }
        BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => None,
    }
}

fn corners(
    op: BinaryOp,
    (a, b): (Option<i128>, Option<i128>),
    (c, d): (i128, i128),
) -> Option<(i128, i128)> {
    if op == BinaryOp::Mod && c == d && c > 0 {
        return Some((0, c - 1));
    }
    let (a, b) = (a?, b?);
    if op == BinaryOp::And {
        // Non-negative numbers have no bit that either operand lacks.
        return (a >= 0 && c >= 0).then_some((0, b.min(d)));
    }
    let products = if matches!(op, BinaryOp::Mul(_)) {
        [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?]
    } else if op == BinaryOp::Div && c > 0 {
        [a.div_euclid(c), a.div_euclid(d), b.div_euclid(c), b.div_euclid(d)]
    } else if op == BinaryOp::Shr && (0..127).contains(&c) && (0..127).contains(&d) {
        [a >> c, a >> d, b >> c, b >> d]
    } else {
        return None;
    };
    Some((products.iter().copied().min()?, products.iter().copied().max()?))
}
