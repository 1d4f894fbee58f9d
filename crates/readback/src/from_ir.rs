//! The terms of IR expressions.

use halidom_ir::{BinaryOp, Expr, ExprId, Overflow, Scalar, UnaryOp};

use crate::term::{Op, Ring, TermId};
use crate::terms::{NoTerm, Terms, machine};

impl Terms<'_> {
    /// Returns the term of an IR expression.
    pub(crate) fn of_expr(&mut self, id: ExprId) -> Result<TermId, NoTerm> {
        if let Some(term) = self.of_exprs.get(&id) {
            return Ok(*term);
        }
        let pool = self.pool;
        let term = match pool.get(id) {
            Expr::Const(constant) => self.constant(*constant),
            Expr::Var(var) => self.var(*var),
            Expr::Unary(op, operand) => {
                let exact = pool.ty(*operand).scalar == Scalar::Int;
                let operand = self.of_expr(*operand)?;
                match op {
                    UnaryOp::Neg(Overflow::AssumedAbsent) => return Err(NoTerm),
                    UnaryOp::Neg(Overflow::Wraps | Overflow::Unbounded) => self.neg(exact, operand),
                    UnaryOp::Not => self.not(operand),
                }
            }
            Expr::Binary(op, lhs, rhs) => {
                let exact = pool.ty(*lhs).scalar == Scalar::Int;
                let lhs = self.of_expr(*lhs)?;
                let rhs = self.of_expr(*rhs)?;
                match split_op(*op)? {
                    Either::Ring(op) => self.ring(op, exact, lhs, rhs),
                    Either::Plain(op) => self.binary(op, lhs, rhs),
                }
            }
            Expr::Select { condition, if_true, if_false } => {
                let condition = self.of_expr(*condition)?;
                let if_true = self.of_expr(*if_true)?;
                let if_false = self.of_expr(*if_false)?;
                self.select(condition, if_true, if_false)
            }
            Expr::Cast(to, operand) => {
                let operand = self.of_expr(*operand)?;
                self.cast(machine(*to), operand)
            }
            Expr::Call(intrinsic, operand) => {
                let operand = self.of_expr(*operand)?;
                self.call(*intrinsic, operand)
            }
            Expr::Load { buffer, index, access: _ } => {
                let index = self.of_expr(*index)?;
                let element = self.load(*buffer, index);
                self.cast(pool.buffer(*buffer).scalar, element)
            }
            Expr::Ramp { base, stride, lanes } => {
                let base = self.of_expr(*base)?;
                let stride = self.of_expr(*stride)?;
                self.ramp(base, stride, *lanes)
            }
            Expr::Broadcast { value, lanes } => {
                let value = self.of_expr(*value)?;
                self.broadcast(value, *lanes)
            }
            Expr::Shuffle { vectors, lanes } => {
                let vectors = vectors.iter().map(|vector| self.of_expr(*vector));
                let vectors = vectors.collect::<Result<Vec<_>, _>>()?;
                let lanes: Vec<_> = lanes.iter().copied().map(Some).collect();
                self.shuffle(&vectors, &lanes).ok_or(NoTerm)?
            }
            Expr::Apply { .. } | Expr::Ref { .. } | Expr::Hole(_) => return Err(NoTerm),
        };
        self.of_exprs.insert(id, term);
        Ok(term)
    }
}

enum Either {
    Ring(Ring),
    Plain(Op),
}

fn split_op(op: BinaryOp) -> Result<Either, NoTerm> {
    Ok(match op {
        BinaryOp::Add(Overflow::AssumedAbsent)
        | BinaryOp::Sub(Overflow::AssumedAbsent)
        | BinaryOp::Mul(Overflow::AssumedAbsent) => return Err(NoTerm),
        BinaryOp::Add(_) => Either::Ring(Ring::Add),
        BinaryOp::Sub(_) => Either::Ring(Ring::Sub),
        BinaryOp::Mul(_) => Either::Ring(Ring::Mul),
        BinaryOp::Div => Either::Plain(Op::Div),
        BinaryOp::Mod => Either::Plain(Op::Mod),
        BinaryOp::Min => Either::Plain(Op::Min),
        BinaryOp::Max => Either::Plain(Op::Max),
        BinaryOp::And => Either::Plain(Op::And),
        BinaryOp::Or => Either::Plain(Op::Or),
        BinaryOp::Xor => Either::Plain(Op::Xor),
        BinaryOp::Shl => Either::Plain(Op::Shl),
        BinaryOp::Shr => Either::Plain(Op::Shr),
        BinaryOp::Eq => Either::Plain(Op::Eq),
        BinaryOp::Ne => Either::Plain(Op::Ne),
        BinaryOp::Lt => Either::Plain(Op::Lt),
        BinaryOp::Le => Either::Plain(Op::Le),
        BinaryOp::Gt => Either::Plain(Op::Gt),
        BinaryOp::Ge => Either::Plain(Op::Ge),
    })
}
