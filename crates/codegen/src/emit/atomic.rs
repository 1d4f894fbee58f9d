//! Atomic updates: one operator on the old value and an operand.

use halidom_ir::{BinaryOp, BufferId, Expr, ExprId, Pool};

use crate::c::tree::{CExpr, CUnary};
use crate::emit::translate::Translator;
use crate::error::EmitError;
use halidom_prelude::helpers::{Helper, require};
use halidom_prelude::operators::AtomicOp;

/// Splits a value that updates an element of `buffer` into its operator and the operand that does
/// not read the buffer.
fn parts(pool: &Pool, buffer: BufferId, value: ExprId) -> Option<(AtomicOp, ExprId)> {
    let Expr::Binary(op, lhs, rhs) = *pool.get(value) else { return None };
    let is_old = |id| matches!(pool.get(id), Expr::Load { buffer: read, .. } if *read == buffer);
    let atomic = atomic_op(op)?;
    let operand = if is_old(lhs) {
        rhs
    } else if is_old(rhs) && atomic != AtomicOp::Sub {
        lhs
    } else {
        return None;
    };
    (!reads(pool, operand, buffer)).then_some((atomic, operand))
}

fn atomic_op(op: BinaryOp) -> Option<AtomicOp> {
    Some(match op {
        BinaryOp::Add(_) => AtomicOp::Add,
        BinaryOp::Sub(_) => AtomicOp::Sub,
        BinaryOp::Mul(_) => AtomicOp::Mul,
        BinaryOp::Min => AtomicOp::Min,
        BinaryOp::Max => AtomicOp::Max,
        BinaryOp::And => AtomicOp::And,
        BinaryOp::Or => AtomicOp::Or,
        BinaryOp::Xor => AtomicOp::Xor,
        BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => return None,
    })
}

fn reads(pool: &Pool, id: ExprId, buffer: BufferId) -> bool {
    let mut found = false;
    pool.for_each_subexpr(id, &mut |_, expr| {
        found |= matches!(expr, Expr::Load { buffer: read, .. } if *read == buffer);
    });
    found
}

impl Translator<'_> {
    /// `atomic_add_u32(&count[index], value)`.
    pub(crate) fn atomic_update(
        &mut self,
        buffer: BufferId,
        index: ExprId,
        value: ExprId,
    ) -> Result<CExpr, EmitError> {
        let Some((op, operand)) = parts(self.pool, buffer, value) else {
            return Err(EmitError::NotFinal("an atomic update that is not one operator"));
        };
        let helper = Helper::Atomic(op, self.pool.buffer(buffer).scalar);
        require(&mut self.helpers, helper);
        let element = CExpr::index(CExpr::Name(self.buffer_name(buffer)?), self.scalar(index)?);
        let address = CExpr::unary(CUnary::Address, element);
        Ok(CExpr::call(helper.name(), vec![address, self.scalar(operand)?]))
    }
}
