//! Ranges of machine-typed expressions, for coordinates that depend on data.
//!
//! `clamp(i32(input(x)), 0, width - 1)` lies in `0..width` whatever the input holds; this is how an
//! algorithm bounds an access. If values of funcs are examined, so does `index(x)` for `func
//! index(x) = clamp(…)` (FS §7.2 names this as an improvement over β₀).

use halidom_ir::{BinaryOp, Constant, Expr, ExprId, FuncId, Intrinsic, Overflow, Scalar, UnaryOp};

use crate::algebra::Algebra;

/// The ends of a range, both `int` expressions, both included; `None` is infinite.
pub(crate) type Range = (Option<ExprId>, Option<ExprId>);

/// Types of at least this width count as unbounded, except for the 0 of unsigned ones: no buffer
/// has that many elements.
const UNBOUNDED_BITS: u32 = 32;

/// The facts about a func's value that a range may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// Only its type.
    OfTypes,
    /// Its definition.
    OfFuncs,
}

/// Returns the range of a machine integer or `bool`. Expressions for which `is_kept` holds have an
/// exact value where the bound is used.
pub(crate) fn range(
    algebra: &mut Algebra<'_>,
    expr: ExprId,
    values: Values,
    is_kept: &dyn Fn(&Algebra<'_>, ExprId) -> bool,
) -> Range {
    let scalar = algebra.pool.ty(expr).scalar;
    if let Some(value) = algebra.pool.as_constant(expr).and_then(Constant::as_integer) {
        let value = algebra.int(value);
        return (Some(value), Some(value));
    }
    if scalar != Scalar::Int && !scalar.is_float() && is_kept(algebra, expr) {
        let exact = algebra.pool.cast(Scalar::Int, expr);
        return (Some(exact), Some(exact));
    }
    let found = match algebra.pool.get(expr).clone() {
        Expr::Cast(_, operand) if algebra.pool.ty(operand).scalar.range().is_some() => {
            Some(range(algebra, operand, values, is_kept))
        }
        Expr::Binary(op, lhs, rhs) if scalar.is_machine_integer() => {
            let lhs = range(algebra, lhs, values, is_kept);
            let rhs = range(algebra, rhs, values, is_kept);
            binary(algebra, op, lhs, rhs)
        }
        Expr::Select { if_true, if_false, .. } => {
            let lhs = range(algebra, if_true, values, is_kept);
            let rhs = range(algebra, if_false, values, is_kept);
            Some((
                both(algebra, BinaryOp::Min, lhs.0, rhs.0),
                both(algebra, BinaryOp::Max, lhs.1, rhs.1),
            ))
        }
        Expr::Ref { func, component, .. } if values == Values::OfFuncs => {
            return of_func(algebra, func, component);
        }
        Expr::Unary(UnaryOp::Neg(_), operand) => {
            let (low, high) = range(algebra, operand, values, is_kept);
            let zero = Some(algebra.int(0));
            let minus = BinaryOp::Sub(Overflow::Unbounded);
            Some((both(algebra, minus, zero, high), both(algebra, minus, zero, low)))
        }
        Expr::Call(Intrinsic::Abs, operand) => {
            let (low, high) = range(algebra, operand, values, is_kept);
            let zero = algebra.int(0);
            let negative = both(algebra, BinaryOp::Sub(Overflow::Unbounded), Some(zero), low);
            Some((Some(zero), both(algebra, BinaryOp::Max, negative, high)))
        }
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    };
    match found {
        // Minima, maxima and selections cannot leave the type; other operators wrap on overflow.
        Some(found) if cannot_wrap(algebra, expr) || fits(algebra, found, scalar) => found,
        Some(_) | None => type_range(algebra, scalar),
    }
}

/// Returns the range of a func's value at any point: the hull over what its stages write. The ends
/// are constants, and the validator finds the same.
fn of_func(algebra: &mut Algebra<'_>, func: FuncId, component: usize) -> Range {
    if let Some(known) = algebra.values.get(&(func, component)) {
        return *known;
    }
    let decl = algebra.pool.func(func);
    let (scalar, stages) = (decl.scalar(component), decl.stages().to_vec());
    let of_type = type_range(algebra, scalar);
    // Reads of the func in its own stages have the range of its type.
    algebra.values.insert((func, component), of_type);
    if scalar.range().is_none() {
        return of_type;
    }
    let mut all: Option<Range> = None;
    for stage in stages {
        // No other expression is known wherever the func is read.
        let range = range(algebra, stage.values[component], Values::OfFuncs, &|_, _| false);
        all = Some(match all {
            None => range,
            Some(all) => (
                both(algebra, BinaryOp::Min, all.0, range.0),
                both(algebra, BinaryOp::Max, all.1, range.1),
            ),
        });
    }
    let found = all.unwrap_or(of_type);
    algebra.values.insert((func, component), found);
    found
}

fn cannot_wrap(algebra: &Algebra<'_>, expr: ExprId) -> bool {
    matches!(
        algebra.pool.get(expr),
        Expr::Binary(BinaryOp::Min | BinaryOp::Max, ..) | Expr::Select { .. }
    )
}

fn type_range(algebra: &mut Algebra<'_>, scalar: Scalar) -> Range {
    match (scalar.bits(), scalar.range()) {
        (Some(bits), Some((low, high))) if bits < UNBOUNDED_BITS => {
            (Some(algebra.int(low)), Some(algebra.int(high)))
        }
        _ if scalar.is_unsigned() => (Some(algebra.int(0)), None),
        _ => (None, None),
    }
}

/// Combines the ends of two operands where the result needs both.
fn both(
    algebra: &mut Algebra<'_>,
    op: BinaryOp,
    lhs: Option<ExprId>,
    rhs: Option<ExprId>,
) -> Option<ExprId> {
    Some(algebra.combine(op, lhs?, rhs?))
}

/// Combines the ends of two operands where one of them suffices: `min(a, b) <= a`.
fn either(
    algebra: &mut Algebra<'_>,
    op: BinaryOp,
    lhs: Option<ExprId>,
    rhs: Option<ExprId>,
) -> Option<ExprId> {
    match (lhs, rhs) {
        (Some(lhs), Some(rhs)) => Some(algebra.combine(op, lhs, rhs)),
        (one, other) => one.or(other),
    }
}

/// True if the range lies in the type's, so that an operator with these exact results does not
/// wrap.
fn fits(algebra: &mut Algebra<'_>, range: Range, scalar: Scalar) -> bool {
    let (Some((least, greatest)), (Some(low), Some(high))) = (scalar.range(), range) else {
        return false;
    };
    match (end_range(algebra, low), end_range(algebra, high)) {
        (Some((low, _)), Some((_, high))) => {
            let (least, greatest) = (algebra.int(least), algebra.int(greatest));
            algebra.proves_le(least, low) && algebra.proves_le(high, greatest)
        }
        _ => false,
    }
}

/// Returns constants around an end of a range: the end itself, or the range of its type if it is a
/// conversion.
fn end_range(algebra: &mut Algebra<'_>, end: ExprId) -> Option<(ExprId, ExprId)> {
    match *algebra.pool.get(end) {
        Expr::Const(_) => Some((end, end)),
        Expr::Cast(Scalar::Int, operand) => {
            let (low, high) = algebra.pool.ty(operand).scalar.range()?;
            Some((algebra.int(low), algebra.int(high)))
        }
        Expr::Binary(op, lhs, rhs) => {
            let (lhs, rhs) = (end_range(algebra, lhs)?, end_range(algebra, rhs)?);
            match op {
                BinaryOp::Min | BinaryOp::Max | BinaryOp::Add(_) => {
                    Some((algebra.combine(op, lhs.0, rhs.0), algebra.combine(op, lhs.1, rhs.1)))
                }
                BinaryOp::Sub(_) => {
                    Some((algebra.combine(op, lhs.0, rhs.1), algebra.combine(op, lhs.1, rhs.0)))
                }
                BinaryOp::Mul(_)
                | BinaryOp::Div
                | BinaryOp::Mod
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Shl
                | BinaryOp::Shr
                | BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge => None,
            }
        }
        Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}

/// Returns the range of the exact results, before wrapping.
fn binary(algebra: &mut Algebra<'_>, op: BinaryOp, lhs: Range, rhs: Range) -> Option<Range> {
    let constant = |algebra: &Algebra<'_>, end: Option<ExprId>| {
        end.and_then(|end| algebra.pool.as_constant(end)).and_then(Constant::as_integer)
    };
    match op {
        BinaryOp::Min => Some((both(algebra, op, lhs.0, rhs.0), either(algebra, op, lhs.1, rhs.1))),
        BinaryOp::Max => Some((either(algebra, op, lhs.0, rhs.0), both(algebra, op, lhs.1, rhs.1))),
        BinaryOp::Add(_) | BinaryOp::Sub(_) => {
            let op = if matches!(op, BinaryOp::Add(_)) {
                BinaryOp::Add(Overflow::Unbounded)
            } else {
                BinaryOp::Sub(Overflow::Unbounded)
            };
            let swaps = matches!(op, BinaryOp::Sub(_));
            let (low, high) = if swaps { (rhs.1, rhs.0) } else { rhs };
            Some((both(algebra, op, lhs.0, low), both(algebra, op, lhs.1, high)))
        }
        BinaryOp::Mul(_) | BinaryOp::Div | BinaryOp::Mod | BinaryOp::And | BinaryOp::Shr => {
            let [a, b, c, d] = [lhs.0, lhs.1, rhs.0, rhs.1].map(|end| constant(algebra, end));
            let (low, high) = corners(op, (a, b), (c?, d?))?;
            Some((Some(algebra.int(low)), Some(algebra.int(high))))
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
        // The conjunction of non-negative numbers sets no bit that an operand lacks, so it exceeds
        // neither.
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
