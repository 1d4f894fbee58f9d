//! Indices of gathers in 32 bits.

use halidom_base::FxHashMap;
use halidom_ir::visit::{Fold, for_each_stmt, rewrite};
use halidom_ir::{BinaryOp, Check, Expr, ExprId, Pool, Program, Scalar, Stmt};

use crate::interval::{Interval, Intervals};
use crate::{LowerError, index};

/// The numbers that `i32` holds.
const NARROW: Interval = Interval { low: Some(-(1 << 31)), high: Some((1 << 31) - 1) };

/// Writes the indices of gathers as `vector + broadcast(offset)`: the machine adds the offset to an
/// address, and gathers that differ only in it share their vector. The vector is converted from
/// one of `i32`, which is half as wide, if it is an integer of at most 32 bits, limited or not. A
/// limit moves to the other side of an offset: `min(int(v) + c, high)` is
/// `int(min(v, i32(high - c))) + c`.
///
/// Requires: vectors are made; common expressions have no names yet.
/// Ensures: the same values.
pub fn narrow_gathers(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    let limits = limits(pool, &program);
    let (done, sums) = (FxHashMap::default(), FxHashMap::default());
    rewrite(&mut Narrow { limits, done, sums }, pool, program)
}

/// The limits of the sizes that entry checks compare with constants.
fn limits(pool: &Pool, program: &Program) -> Intervals {
    let mut limits = Intervals::default();
    for_each_stmt(pool, program.body, &mut |_, stmt| {
        if let Stmt::Assert { condition, check: Check::SizeLimit { .. } } = stmt {
            limit(pool, *condition, &mut limits);
        }
    });
    limits
}

fn limit(pool: &Pool, condition: ExprId, limits: &mut Intervals) {
    let Expr::Binary(op, lhs, rhs) = *pool.get(condition) else { return };
    if op == BinaryOp::And {
        limit(pool, lhs, limits);
        limit(pool, rhs, limits);
    }
    if op != BinaryOp::Le {
        return;
    }
    let (var, known) = if let Expr::Var(var) = *pool.get(rhs) {
        (var, Interval { low: index::as_int(pool, lhs), high: None })
    } else if let Expr::Var(var) = *pool.get(lhs) {
        (var, Interval { low: None, high: index::as_int(pool, rhs) })
    } else {
        return;
    };
    let known = known.meet(limits.get(var).unwrap_or(Interval::ALL));
    limits.set(var, Some(known));
}

struct Narrow {
    limits: Intervals,
    done: FxHashMap<ExprId, ExprId>,
    sums: FxHashMap<ExprId, Sum>,
}

impl Fold<LowerError> for Narrow {
    fn expr(&mut self, pool: &mut Pool, expr: ExprId) -> Result<ExprId, LowerError> {
        Ok(self.rewritten(pool, expr))
    }
}

/// An index: a vector of `int` or of `i32`, and what is added to it in all lanes.
#[derive(Clone, Copy)]
struct Sum {
    vector: Option<ExprId>,
    offset: ExprId,
}

impl Narrow {
    fn rewritten(&mut self, pool: &mut Pool, id: ExprId) -> ExprId {
        if let Some(done) = self.done.get(&id) {
            return *done;
        }
        let mut expr = pool.get(id).clone().map_operands(|operand| self.rewritten(pool, operand));
        if let Expr::Load { index, .. } = &mut expr
            && pool.ty(*index).lanes > 1
        {
            let Sum { vector, offset } = self.sum(pool, *index);
            // A ramp is the index of a dense or a strided load.
            let gathered = vector.filter(|id| !matches!(pool.get(*id), Expr::Ramp { .. }));
            if let Some(vector) = gathered {
                let lanes = pool.ty(vector).lanes;
                *index = widened(pool, vector);
                if index::as_int(pool, offset) != Some(0) {
                    let offset = pool.expr(Expr::Broadcast { value: offset, lanes });
                    *index = pool.add(*index, offset);
                }
            }
        }
        let result = pool.expr(expr);
        self.done.insert(id, result);
        result
    }

    /// Returns an index as such a sum.
    fn sum(&mut self, pool: &mut Pool, id: ExprId) -> Sum {
        if let Some(sum) = self.sums.get(&id) {
            return *sum;
        }
        let sum = self.new_sum(pool, id);
        self.sums.insert(id, sum);
        sum
    }

    fn new_sum(&mut self, pool: &mut Pool, id: ExprId) -> Sum {
        let whole = Sum { vector: Some(id), offset: pool.int(0) };
        match *pool.get(id) {
            Expr::Broadcast { value, .. } => Sum { vector: None, offset: value },
            Expr::Binary(BinaryOp::Add(_), lhs, rhs) => {
                let (lhs, rhs) = (self.sum(pool, lhs), self.sum(pool, rhs));
                let offset = index::add(pool, lhs.offset, rhs.offset);
                let vector = match (lhs.vector, rhs.vector) {
                    (Some(lhs), Some(rhs)) => {
                        let (lhs, rhs) = (widened(pool, lhs), widened(pool, rhs));
                        Some(pool.add(lhs, rhs))
                    }
                    (lhs, rhs) => lhs.or(rhs),
                };
                Sum { vector, offset }
            }
            Expr::Binary(BinaryOp::Sub(_), lhs, rhs) => {
                let (lhs, rhs) = (self.sum(pool, lhs), self.sum(pool, rhs));
                match (lhs.vector, rhs.vector) {
                    (vector, None) => {
                        Sum { vector, offset: index::sub(pool, lhs.offset, rhs.offset) }
                    }
                    (Some(_) | None, Some(_)) => whole,
                }
            }
            Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), ..) => {
                self.clamped(pool, id, op).unwrap_or(whole)
            }
            Expr::Cast(Scalar::Int, narrow) => {
                let fits = matches!(
                    pool.ty(narrow).scalar,
                    Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 | Scalar::I32
                );
                if !fits {
                    return whole;
                }
                Sum { vector: Some(pool.cast(Scalar::I32, narrow)), ..whole }
            }
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => whole,
        }
    }

    /// Returns a minimum, a maximum, or one of the other, as a sum with a vector of `i32`.
    fn clamped(&mut self, pool: &mut Pool, id: ExprId, op: BinaryOp) -> Option<Sum> {
        let other = if op == BinaryOp::Min { BinaryOp::Max } else { BinaryOp::Min };
        let (inner, limit) = apart(pool, id, op)?;
        let sum = match apart(pool, inner, other) {
            Some((value, first)) => {
                let sum = self.sum(pool, value);
                self.limited(pool, (other, first, true), sum)?
            }
            None => self.sum(pool, inner),
        };
        self.limited(pool, (op, limit, false), sum)
    }

    /// Limits a sum with a vector of `i32`. A limit that `i32` does not hold may only be cut off if
    /// another one follows that it holds: beyond the far end of `i32` it limits nothing, and beyond
    /// the near end it gives way to the other.
    fn limited(
        &self,
        pool: &mut Pool,
        (op, limit, is_cut): (BinaryOp, ExprId, bool),
        sum: Sum,
    ) -> Option<Sum> {
        let vector = sum.vector.filter(|id| pool.ty(*id).scalar == Scalar::I32)?;
        let mut limit = index::sub(pool, limit, sum.offset);
        let range = self.limits.of(pool, limit, &mut FxHashMap::default());
        let lies_within = |end: fn(Interval) -> Option<i128>| end(range.meet(NARROW)) == end(range);
        for (within, op, end) in [
            (lies_within(|of| of.high), BinaryOp::Min, NARROW.high),
            (lies_within(|of| of.low), BinaryOp::Max, NARROW.low),
        ] {
            if !within {
                let end = pool.int(end.filter(|_| is_cut)?);
                limit = pool.binary(op, limit, end);
            }
        }
        let lanes = pool.ty(vector).lanes;
        let limit = pool.cast(Scalar::I32, limit);
        let limit = pool.expr(Expr::Broadcast { value: limit, lanes });
        Some(Sum { vector: Some(pool.binary(op, vector, limit)), ..sum })
    }
}

/// Returns the operands of a minimum or a maximum of a vector and a value that is the same in all
/// lanes.
fn apart(pool: &Pool, id: ExprId, wanted: BinaryOp) -> Option<(ExprId, ExprId)> {
    let Expr::Binary(op, lhs, rhs) = *pool.get(id) else { return None };
    let value = |id: ExprId| {
        if let Expr::Broadcast { value, .. } = *pool.get(id) { Some(value) } else { None }
    };
    let sides = value(rhs).map(|limit| (lhs, limit)).or(value(lhs).map(|limit| (rhs, limit)));
    sides.filter(|_| op == wanted)
}

/// Returns a vector of `int` or of `i32` as one of `int`.
fn widened(pool: &mut Pool, vector: ExprId) -> ExprId {
    if pool.ty(vector).scalar == Scalar::Int { vector } else { pool.cast(Scalar::Int, vector) }
}
