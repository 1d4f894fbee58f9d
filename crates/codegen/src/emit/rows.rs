//! Strided stores that together fill a row.
//!
//! Columns of an image that are computed in turn are separate vectors, and each store writes every
//! second element or so. Such stores in sequence become one dense store of interleaved lanes.

use halidom_ir::{BinaryOp, BufferId, Constant, Expr, ExprId, Pool, Stmt, StmtId, StoreIn};

use halidom_prelude::operators::Few;

/// A vector store of every `step`-th element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided {
    pub(crate) buffer: BufferId,
    pub(crate) base: ExprId,
    pub(crate) step: Few,
    pub(crate) lanes: u32,
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
    let step = Few::of(pool.as_constant(stride)?.as_integer()?)?;
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
    for number in 1..first.step.count() {
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

    pub(crate) fn streams(&self, pool: &Pool) -> bool {
        pool.buffer(self.buffer).store_in == StoreIn::Stream
    }
}

/// Tests whether an expression reads a buffer.
pub(crate) fn reads(pool: &Pool, expr: ExprId, buffer: BufferId) -> bool {
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
