//! Patterns of vector accesses.
//!
//! Columns of an image that are computed in turn are separate vectors, and each store writes every
//! second element or so. A row is such stores in sequence that together fill it. A load whose lanes
//! take each element several times in a row has a helper function in C.

use std::ops::RangeInclusive;

use halidom_ir::{BinaryOp, BufferId, Constant, Expr, ExprId, Pool, Scalar, Stmt, StmtId};

/// The strides and divisors for which there are helper functions.
const FEW: RangeInclusive<u32> = 2..=4;

/// Returns a constant stride or divisor, if there are helper functions for it.
fn few(pool: &Pool, id: ExprId) -> Option<u32> {
    let constant = pool.as_constant(id)?.as_integer()?;
    u32::try_from(constant).ok().filter(|count| FEW.contains(count))
}

/// A vector store of every `step`-th element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided {
    /// The buffer.
    pub(crate) buffer: BufferId,
    /// The place of the first lane's element.
    pub(crate) base: ExprId,
    /// The distance between elements: two, three or four.
    pub(crate) step: u32,
    /// The number of lanes.
    pub(crate) lanes: u32,
    /// The stored value.
    pub(crate) value: ExprId,
    /// The base without the constant that is added to it.
    root: Option<ExprId>,
    offset: i128,
}

/// Matches a store of every second, third or fourth element whose index and value do not read the
/// same buffer.
fn strided(pool: &Pool, id: StmtId) -> Option<Strided> {
    let Stmt::Store { buffer, index, value, atomic: false, .. } = *pool.get_stmt(id) else {
        return None;
    };
    let Expr::Ramp { base, stride, lanes } = *pool.get(index) else { return None };
    let step = few(pool, stride)?;
    if !lanes.is_power_of_two() || reads(pool, index, buffer) || reads(pool, value, buffer) {
        return None;
    }
    let (root, offset) = apart(pool, base);
    Some(Strided { buffer, base, step, lanes, value, root, offset })
}

/// Returns the stores at the front of a block that together fill a row, in the order of their
/// elements.
pub(crate) fn row_of(pool: &Pool, stmts: &[StmtId]) -> Option<Vec<Strided>> {
    let first = strided(pool, *stmts.first()?)?;
    let mut row = vec![first];
    for number in 1..first.step {
        let next = strided(pool, *stmts.get(number as usize)?)?;
        if !first.is_like(&next) || next.offset != first.offset + i128::from(number) {
            return None;
        }
        row.push(next);
    }
    Some(row)
}

impl Strided {
    /// Tests whether two stores differ only in their values and in the constant where they begin.
    fn is_like(&self, other: &Self) -> bool {
        (self.buffer, self.step, self.lanes, self.root)
            == (other.buffer, other.step, other.lanes, other.root)
    }
}

/// Tests whether an expression reads a buffer.
fn reads(pool: &Pool, expr: ExprId, buffer: BufferId) -> bool {
    let mut found = false;
    pool.for_each_subexpr(expr, &mut |_, expr| {
        found |= matches!(expr, Expr::Load { buffer: read, .. } if *read == buffer);
    });
    found
}

/// Splits an index into the part without the added constant, if there is one, and this constant.
pub(crate) fn apart(pool: &Pool, id: ExprId) -> (Option<ExprId>, i128) {
    let number = |id: ExprId| pool.as_constant(id).and_then(Constant::as_integer);
    if let Some(constant) = number(id) {
        return (None, constant);
    }
    if let Expr::Binary(BinaryOp::Add(_), lhs, rhs) = *pool.get(id)
        && let Some(constant) = number(rhs)
    {
        return match number(lhs) {
            Some(other) => (None, other + constant),
            None => (Some(lhs), constant),
        };
    }
    (Some(id), 0)
}

/// The index of a gather: a vector, and what is added to it in all lanes.
#[derive(Clone, Copy)]
pub struct Places {
    /// The vector, of `int` or of `i32`.
    pub vector: ExprId,
    /// True if the vector is one of `i32`.
    pub is_narrow: bool,
    /// The value that is added.
    pub offset: Option<ExprId>,
}

impl Places {
    /// Matches the index of a gather.
    pub fn of(pool: &Pool, index: ExprId) -> Self {
        let (wide, offset) = if let Expr::Binary(BinaryOp::Add(_), wide, offset) = *pool.get(index)
            && let Expr::Broadcast { value, .. } = *pool.get(offset)
        {
            (wide, Some(value))
        } else {
            (index, None)
        };
        if let Expr::Cast(Scalar::Int | Scalar::I64, vector) = *pool.get(wide)
            && pool.ty(vector).scalar == Scalar::I32
        {
            return Self { vector, is_narrow: true, offset };
        }
        Self { vector: wide, is_narrow: false, offset }
    }
}

/// The numbers of lanes for which such a load is shuffled. A load of fewer lanes is gathered. With
/// more lanes, their places do not fit the signed bytes in which the places of byte elements are
/// compared.
const LANES: RangeInclusive<u32> = 4..=64;

/// The index `(base + lane) / times + offset`.
pub struct Repeated {
    /// The first lane's dividend.
    pub base: ExprId,
    /// The divisor: two, three or four.
    pub times: u32,
    /// The value that is added in all lanes.
    pub offset: Option<ExprId>,
}

/// Matches an index of the form `(base + lane) / times + offset`.
pub fn repeated(pool: &Pool, index: ExprId) -> Option<Repeated> {
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
    let times = few(pool, *value)?;
    let dense = pool.as_constant(*stride).and_then(Constant::as_integer) == Some(1);
    dense.then_some(Repeated { base: *base, times, offset })
}
