//! Forms of machine integers in indices.

use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Pool, Scalar};

use super::form::Form;
use super::forms::{Env, Forms};

impl Forms<'_> {
    /// The form of a machine integer, on the assumption that sums and products of 32 and 64 bits
    /// do not overflow; `None` if it is no operator on integers that
    /// has a form.
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
                    BinaryOp::Min => Some(self.least(parts)),
                    BinaryOp::Max => Some(self.greatest(parts)),
                    BinaryOp::Div => Some(self.quotient(&parts[0], &parts[1])),
                    BinaryOp::Mod => Some(self.remainder(&parts[0], &parts[1])),
                    BinaryOp::Shl => Some(parts[0].times(&power_of_two(&parts[1])?)),
                    BinaryOp::Shr => Some(self.quotient(&parts[0], &power_of_two(&parts[1])?)),
                    BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
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

    /// The difference of two forms without the terms that have elements of memory, if these terms
    /// have the same factors. They may be one element, which the algorithm and the program name
    /// differently.
    pub(super) fn difference_of_rests(&self, a: &Form, b: &Form) -> Option<Form> {
        let ((rest, data), (other, others)) = (self.without_data(a), self.without_data(b));
        (!data.is_empty() && data == others).then(|| rest.minus(&other))
    }

    /// A form without the terms that have elements of memory, and the factors of these.
    fn without_data(&self, form: &Form) -> (Form, Vec<i128>) {
        let reads = |atom: &ExprId| {
            let mut found = false;
            self.pool.for_each_subexpr(*atom, &mut |_, expr| {
                found |= matches!(expr, Expr::Load { .. } | Expr::Ref { .. });
            });
            found
        };
        let (mut rest, mut data) = (Form::default(), Vec::new());
        for (atoms, factor) in form.terms() {
            if atoms.iter().any(reads) {
                data.push(factor);
            } else {
                rest.push(atoms, factor);
            }
        }
        data.sort_unstable();
        (rest, data)
    }

    /// A dividend with `x` instead of its terms `x % n`, where `n` is the divisor, and the sum of
    /// `x / n` by which the quotient is then too large; `None` if there are no such terms.
    pub(super) fn without_remainders(&mut self, form: &Form, by: i128) -> (Form, Option<Form>) {
        let (mut whole, mut taken): (_, Option<Form>) = (form.clone(), None);
        for (atoms, factor) in form.terms() {
            if let [atom] = *atoms
                && let Expr::Binary(BinaryOp::Mod, x, n) = *self.pool.get(atom)
                && self.pool.as_constant(n).and_then(Constant::as_integer) == Some(by)
            {
                let (x, by) = (self.form(x), Form::constant(by));
                let quotient = self.quotient(&x, &by);
                whole = whole.plus(&Form::atom(atom), -factor).plus(&x, factor);
                taken = Some(taken.unwrap_or_default().plus(&quotient, factor));
            }
        }
        (whole, taken)
    }

    /// The dividend of a form that is a remainder.
    pub(super) fn dividend(&mut self, form: &Form) -> Option<Form> {
        let atom = form.as_atom()?;
        let Expr::Binary(BinaryOp::Mod, whole, _) = *self.pool.get(atom) else { return None };
        Some(self.form(whole))
    }

    fn of_operand(&mut self, operand: ExprId, env: &mut Env) -> Form {
        if self.pool.ty(operand).scalar == Scalar::Int {
            return self.form_in(operand, env);
        }
        let number = self.pool.expr(Expr::Cast(Scalar::Int, operand));
        self.form_in(number, env)
    }

    /// The value of a machine vector in the lane [`Forms::lane`]; `None` if the expression has one
    /// lane, or elements of memory.
    pub(super) fn in_lane(&mut self, expr: ExprId, env: &mut Env) -> Option<ExprId> {
        match self.pool.get(expr).clone() {
            Expr::Var(var) => {
                let value = self.definition(var)?;
                self.in_lane(value, env)
            }
            Expr::Broadcast { value, .. } => Some(self.settled_operand(value, env)),
            node @ (Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. })
                if self.pool.ty(expr).lanes > 1 =>
            {
                let mut is_whole = true;
                let node = node.map_operands(|operand| {
                    if self.pool.ty(operand).scalar == Scalar::Int {
                        let form = self.form_in(operand, env);
                        return self.expr(&form);
                    }
                    let operand_in_lane = self.in_lane(operand, env);
                    is_whole &= operand_in_lane.is_some();
                    operand_in_lane.unwrap_or(operand)
                });
                is_whole.then(|| self.folded(node))
            }
            Expr::Const(_)
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
}

/// Two to a constant power.
fn power_of_two(exponent: &Form) -> Option<Form> {
    let exponent = u32::try_from(exponent.as_constant()?).ok()?;
    1_i128.checked_shl(exponent).map(Form::constant)
}
