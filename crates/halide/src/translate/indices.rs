//! Machine integers in indices and coordinates, as `int`s.
//!
//! # Correctness
//! The code adds a coordinate to an integer that data give in 32 or 64 bits. The translation of
//! such a sum is a machine integer, as it may be a value. In an index it is written with `int`s
//! instead. Each operator that is moved so is noted with its width: the obligations on overflow
//! are about it, as about every `int` of an index ([`Widths`](super::ops::Widths)). A pipeline's
//! own arithmetic does not overflow by a condition. Operators with another meaning of overflow
//! stay. A name for such a sum is bound a second time, to the `int`, if an index mentions it.

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp as Op, Constant, Expr, ExprId, Overflow, Scalar, UnaryOp};

use super::ops::{Ops, Value, is_index_type};
use crate::translate::error::{Result, unsupported};

impl Ops<'_> {
    /// A value as an `int` in an index, a bound or a size. Those of other types than Halide's own
    /// are refused: its code generators extend the sign of an index of any type.
    pub(super) fn as_index(&mut self, value: Value) -> Result<ExprId> {
        if !is_index_type(value.ty) {
            return unsupported("an index that is no signed integer of 32 or 64 bits");
        }
        let id = self.as_int(value)?;
        if let Expr::Cast(Scalar::Int, inner) = *self.pool.get(id) {
            return Ok(self.unwrapped(inner, &mut FxHashMap::default()));
        }
        Ok(id)
    }

    /// The `int` for a value that is a sum of machine integers or the like.
    pub(super) fn as_twin(&mut self, value: Value) -> Option<ExprId> {
        let ty = self.pool.ty(value.id);
        if !is_index_type(value.ty) || !ty.scalar.is_machine_integer() || ty.lanes > 1 {
            return None;
        }
        self.moved(value.id, &mut FxHashMap::default())
    }

    /// A machine integer as an `int`.
    fn unwrapped(&mut self, id: ExprId, known: &mut FxHashMap<ExprId, ExprId>) -> ExprId {
        if let Some(done) = known.get(&id) {
            return *done;
        }
        let result = self.moved(id, known).unwrap_or_else(|| self.pool.cast(Scalar::Int, id));
        known.insert(id, result);
        result
    }

    /// A machine integer as an operator on `int`s; `None` if it is not such an operator.
    fn moved(&mut self, id: ExprId, known: &mut FxHashMap<ExprId, ExprId>) -> Option<ExprId> {
        let scalar = self.pool.ty(id).scalar;
        if !matches!(scalar, Scalar::I32 | Scalar::I64) {
            return None;
        }
        match *self.pool.get(id) {
            Expr::Const(constant) => {
                let value = constant.as_integer()?;
                Some(self.pool.constant(Constant::int(value)))
            }
            Expr::Binary(op @ (Op::Shl | Op::Shr), a, amount) => {
                // The sign's own place is left out: its power does not fit the type.
                let least = 0..i128::from(scalar.bits()?) - 1;
                let amount = self.literal(amount).filter(|amount| least.contains(amount))?;
                let power = self.int_like(id, 1 << amount);
                let a = self.unwrapped(a, known);
                let op = if op == Op::Shl { Op::Mul(Overflow::Unbounded) } else { Op::Div };
                let moved = self.pool.binary(op, a, power);
                self.widths.note(moved, scalar.bits()?);
                Some(moved)
            }
            Expr::Binary(op, a, b) => {
                let op = self.on_ints(op)?;
                if matches!(op, Op::Div | Op::Mod) {
                    // The quotient of the least integer by -1 is none of the type.
                    let divisor = self.pool.as_constant(b).and_then(Constant::as_integer);
                    divisor.filter(|divisor| *divisor > 0)?;
                }
                let (a, b) = (self.unwrapped(a, known), self.unwrapped(b, known));
                let moved = self.pool.binary(op, a, b);
                self.widths.note(moved, scalar.bits()?);
                Some(moved)
            }
            Expr::Unary(UnaryOp::Neg(overflow), a) if overflow == self.signed => {
                let a = self.unwrapped(a, known);
                let moved = self.pool.unary(UnaryOp::Neg(Overflow::Unbounded), a);
                self.widths.note(moved, scalar.bits()?);
                Some(moved)
            }
            Expr::Select { condition, if_true, if_false } => {
                let arms = [if_true, if_false].map(|arm| self.unwrapped(arm, known));
                Some(self.pool.select(condition, arms[0], arms[1]))
            }
            Expr::Broadcast { value, lanes } => {
                let value = self.unwrapped(value, known);
                Some(self.pool.expr(Expr::Broadcast { value, lanes }))
            }
            Expr::Cast(_, inner) if self.widths.is_own(id) => Some(inner),
            Expr::Cast(..) => {
                let number = self.literal(id)?;
                Some(self.int_like(id, number))
            }
            Expr::Var(var) => {
                let twin = self.widths.twin(var)?;
                Some(self.pool.var_expr(twin))
            }
            Expr::Unary(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => None,
        }
    }

    /// The operator on `int`s that gives the same integer where nothing overflows.
    fn on_ints(&self, op: Op) -> Option<Op> {
        match op {
            Op::Add(overflow) if overflow == self.signed => Some(Op::Add(Overflow::Unbounded)),
            Op::Sub(overflow) if overflow == self.signed => Some(Op::Sub(Overflow::Unbounded)),
            Op::Mul(overflow) if overflow == self.signed => Some(Op::Mul(Overflow::Unbounded)),
            Op::Div | Op::Mod | Op::Min | Op::Max => Some(op),
            Op::Add(_)
            | Op::Sub(_)
            | Op::Mul(_)
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Shl
            | Op::Shr
            | Op::Eq
            | Op::Ne
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge => None,
        }
    }
}
