//! The least and the greatest values of forms over ranges of variables.

use halidom_ir::{BinaryOp, Expr, ExprId, VarId};

use super::form::Form;
use super::forms::{Env, Forms};

/// An end of the range of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Least,
    Greatest,
}

impl End {
    fn flipped(self) -> Self {
        match self {
            Self::Least => Self::Greatest,
            Self::Greatest => Self::Least,
        }
    }
}

impl Forms<'_> {
    /// The value of a form at one end of a variable's range `[low, high]`, on the assumption that
    /// atoms grow with their operands and that products have no negative factors.
    pub(super) fn extreme(
        &mut self,
        form: &Form,
        var: VarId,
        range: &(Form, Form),
        end: End,
    ) -> Form {
        if let Some((operands, is_least)) = self.cancelled_in(form, var) {
            let ends = operands.map(|operand| self.extreme(&operand, var, range, end));
            return if is_least { self.least(ends) } else { self.greatest(ends) };
        }
        let mut result = if form.is_too_large() { form.clone() } else { Form::default() };
        for (atoms, factor) in form.terms() {
            let end = if factor < 0 { end.flipped() } else { end };
            let mut product = Form::constant(factor);
            for atom in atoms {
                let value = if self.mentions(*atom, var) {
                    self.extreme_atom(*atom, var, range, end)
                } else {
                    Form::atom(*atom)
                };
                product = product.times(&value);
            }
            result = result.plus(&product, 1);
        }
        result
    }

    /// Moves all of a form into its minimum, if an operand of this depends on a variable that
    /// cancels there, as in `10 * y + min(n - 10 * y, 10)`, which is `min(n, 10 * y + 10)`. Returns
    /// the operands, and true if the form is their minimum; else it is their maximum.
    fn cancelled_in(&mut self, form: &Form, var: VarId) -> Option<([Form; 2], bool)> {
        let mut minima = Vec::new();
        for (atoms, factor) in form.terms() {
            let [atom] = *atoms else { continue };
            let Expr::Binary(BinaryOp::Min, a, b) = *self.pool.get(atom) else { continue };
            if self.mentions(atom, var) {
                minima.push((atom, factor, [a, b]));
            }
        }
        let [(atom, factor, operands)] = *minima else { return None };
        let rest = form.clone().plus(&Form::atom(atom), -factor);
        if !self.depends(&rest, var) {
            return None;
        }
        let operands = operands.map(|operand| rest.clone().plus(&self.form(operand), factor));
        let cancels = operands.iter().any(|operand| !self.depends(operand, var));
        cancels.then_some((operands, factor > 0))
    }

    fn extreme_atom(&mut self, atom: ExprId, var: VarId, range: &(Form, Form), end: End) -> Form {
        let inner = |forms: &mut Self, operand: ExprId, end: End| {
            let form = forms.form(operand);
            forms.extreme(&form, var, range, end)
        };
        match self.pool.get(atom).clone() {
            Expr::Var(_) => match end {
                End::Least => range.0.clone(),
                End::Greatest => range.1.clone(),
            },
            Expr::Binary(BinaryOp::Min, a, b) => {
                let operands = [inner(self, a, end), inner(self, b, end)];
                self.least(operands)
            }
            Expr::Binary(BinaryOp::Div, a, b) => {
                let (a, b) = (inner(self, a, end), self.form(b));
                self.quotient(&a, &b)
            }
            Expr::Binary(BinaryOp::Mod, _, b) => match end {
                End::Least => Form::default(),
                End::Greatest => self.form(b).offset(-1),
            },
            Expr::Select { if_true, if_false, .. } => {
                let arms = [inner(self, if_true, end), inner(self, if_false, end)];
                match end {
                    End::Least => self.least(arms),
                    End::Greatest => self.greatest(arms),
                }
            }
            Expr::Cast(..) if self.is_of_floats(atom) => {
                // A guess: it rises or falls with the variable.
                let ends = [range.0.clone(), range.1.clone()]
                    .map(|value| self.form_in(atom, &mut Env::of([(var, value)])));
                match end {
                    End::Least => self.least(ends),
                    End::Greatest => self.greatest(ends),
                }
            }
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => Form::atom(atom),
        }
    }

    /// Tests whether an atom computes with floats, and reads no element.
    fn is_of_floats(&self, atom: ExprId) -> bool {
        let (mut floats, mut reads) = (false, false);
        self.pool.for_each_subexpr(atom, &mut |id, expr| {
            floats |= self.pool.ty(id).scalar.is_float();
            reads |= matches!(expr, Expr::Load { .. } | Expr::Ref { .. });
        });
        floats && !reads
    }
}
