//! Forms of machine integers in indices.

use halidom_ir::{BinaryOp, Expr, ExprId, Pool, Scalar};

use super::form::Form;
use super::forms::{Env, Forms};

impl Forms<'_> {
    /// The form of a machine integer, on the assumption that sums and products of 32 and 64 bits
    /// do not overflow; `None` if it is no sum or product.
    pub(super) fn of_machine(&mut self, expr: ExprId, env: &mut Env) -> Option<Form> {
        let is_wide =
            |pool: &Pool, id| matches!(pool.ty(id).scalar, Scalar::I32 | Scalar::I64 | Scalar::Int);
        match self.pool.get(expr).clone() {
            Expr::Const(constant) => constant.as_integer().map(Form::constant),
            Expr::Var(var) if env.get(var).is_none() => {
                let value = self.definition(var)?;
                self.of_machine(value, env)
            }
            Expr::Binary(op, a, b) if is_wide(self.pool, expr) => {
                let parts = [a, b].map(|operand| self.of_operand(operand, env));
                match op {
                    BinaryOp::Add(_) => Some(parts[0].clone().plus(&parts[1], 1)),
                    BinaryOp::Sub(_) => Some(parts[0].clone().minus(&parts[1])),
                    BinaryOp::Mul(_) => Some(parts[0].times(&parts[1])),
                    BinaryOp::Div
                    | BinaryOp::Mod
                    | BinaryOp::Min
                    | BinaryOp::Max
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
            Expr::Cast(to, operand) if is_wide(self.pool, expr) => {
                let from = self.pool.ty(operand).scalar;
                let keeps = from == Scalar::Int || from.bits() < to.bits();
                (keeps && !from.is_float() && from != Scalar::Bool)
                    .then(|| self.of_operand(operand, env))
            }
            Expr::Broadcast { value, .. } => Some(self.of_operand(value, env)),
            Expr::Var(_)
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
            | Expr::Hole(_) => None,
        }
    }

    fn of_operand(&mut self, operand: ExprId, env: &mut Env) -> Form {
        if self.pool.ty(operand).scalar == Scalar::Int {
            return self.form_in(operand, env);
        }
        let number = self.pool.expr(Expr::Cast(Scalar::Int, operand));
        self.form_in(number, env)
    }
}
