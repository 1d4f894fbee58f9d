//! Loads in which each element occurs several times in a row.

use halidom_ir::{BinaryOp, Expr, ExprId, Pool};

use halidom_prelude::operators::Few;

/// The numbers of lanes for which such a load is shuffled. A load of fewer lanes is gathered. With
/// more lanes, their places do not fit the signed bytes in which the places of byte elements are
/// compared.
pub(crate) const LANES: std::ops::RangeInclusive<u32> = 4..=64;

/// The index `(base + lane) / times + offset`.
pub(crate) struct Repeated {
    pub(crate) base: ExprId,
    pub(crate) times: Few,
    pub(crate) offset: Option<ExprId>,
}

/// Matches an index of the form `(base + lane) / times + offset`.
pub(crate) fn repeated(pool: &Pool, index: ExprId) -> Option<Repeated> {
    if !LANES.contains(&pool.ty(index).lanes) {
        return None;
    }
    let (quotient, offset) = if let Expr::Binary(BinaryOp::Add(_), sum, offset) = pool.get(index)
        && let Expr::Broadcast { value, .. } = pool.get(*offset)
    {
        (*sum, Some(*value))
    } else {
        (index, None)
    };
    let Expr::Binary(BinaryOp::Div, ramp, divisor) = pool.get(quotient) else { return None };
    let (Expr::Ramp { base, stride, .. }, Expr::Broadcast { value, .. }) =
        (pool.get(*ramp), pool.get(*divisor))
    else {
        return None;
    };
    let constant = |expr: ExprId| pool.as_constant(expr)?.as_integer();
    let times = constant(*value).and_then(Few::of)?;
    (constant(*stride) == Some(1)).then_some(Repeated { base: *base, times, offset })
}
