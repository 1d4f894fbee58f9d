//! Truth values: the operators that order them, and their form in memory.
//!
//! # Correctness
//! Halide stores a truth value as a byte, 0 or 1. `ir` has truth values in memory, of one byte with
//! these two values. A byte that is stored to such memory must be the conversion of a truth value,
//! so that no other number gets there; a byte that is read from it is such a conversion again.

use halidom_ir::{BinaryOp as Op, Constant, ExprId, Pool, UnaryOp};

use super::nodes::{Node, NodeId, Nodes};
use super::ops::{Ops, Value};
use crate::tree::{BinaryOp, Scalar, Type};

impl Ops<'_> {
    /// An order of truth values, or their minimum or maximum; false is less than true.
    pub(super) fn of_truths(&mut self, op: BinaryOp, x: ExprId, y: ExprId) -> Option<ExprId> {
        let not = |ops: &mut Self, id| ops.pool.unary(UnaryOp::Not, id);
        let (op, x, y) = match op {
            BinaryOp::Min => (Op::And, x, y),
            BinaryOp::Max => (Op::Or, x, y),
            BinaryOp::Lt => (Op::And, not(self, x), y),
            BinaryOp::Le => (Op::Or, not(self, x), y),
            BinaryOp::Gt => (Op::And, x, not(self, y)),
            BinaryOp::Ge => (Op::Or, x, not(self, y)),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Mod
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::And
            | BinaryOp::Or => return None,
        };
        Some(self.folded(op, x, y, 1))
    }
}

impl Nodes<'_> {
    /// The truth values that bytes in memory stand for: the same node before its conversion to a
    /// byte. `None` for a byte that may be another number than 0 and 1.
    pub(super) fn truth(&mut self, pool: &mut Pool, id: NodeId) -> Option<NodeId> {
        let (node, ty) = (self.node(id).clone(), self.ty(id));
        let truth = Type::BOOL.with_lanes(ty.lanes);
        match node {
            Node::Cast(operand) => (self.ty(operand) == truth).then_some(operand),
            Node::Broadcast(value) => {
                let value = self.truth(pool, value)?;
                Some(self.make(Node::Broadcast(value), truth))
            }
            Node::Select(condition, a, b) => {
                let (a, b) = (self.truth(pool, a)?, self.truth(pool, b)?);
                Some(self.make(Node::Select(condition, a, b), truth))
            }
            Node::Gather(gather, vectors) => {
                let vectors = vectors.iter().map(|vector| self.truth(pool, *vector));
                let vectors = vectors.collect::<Option<Box<[_]>>>()?;
                Some(self.make(Node::Gather(gather, vectors), truth))
            }
            Node::Value(value) => {
                let number = pool.as_constant(value).and_then(Constant::as_integer)?;
                let id = match number {
                    0 | 1 => pool.constant(Constant::bool(number == 1)),
                    _ => return None,
                };
                Some(self.value(Value { id, ty: Scalar::UInt(1) }))
            }
            Node::Reinterpret(_)
            | Node::Binary(..)
            | Node::Not(_)
            | Node::Load { buffer: _, index: _, predicate: _ }
            | Node::Ref { func: _, component: _, args: _ }
            | Node::Ramp { base: _, stride: _ }
            | Node::Call(..)
            | Node::Reduce(..) => None,
        }
    }
}
