//! Quotients of indices by strides, and forms in which a minimum is decided. Strides of memory with
//! several dimensions have many terms, and each load is looked at again and again, so each result
//! is kept.

use std::rc::Rc;

use halidom_base::IndexSet;
use halidom_ir::{BinaryOp, Expr, ExprId};

use super::form::Form;
use super::forms::Forms;

impl Forms<'_> {
    /// The quotient and the remainder of an index by a stride.
    pub(super) fn divided(&mut self, index: &Form, stride: &Form) -> (Form, Form) {
        let key = (index.clone(), stride.clone());
        if let Some(known) = self.divided.get(&key) {
            return known.clone();
        }
        let parts = index.divided(stride);
        self.divided.insert(key, parts.clone());
        parts
    }

    /// All forms that result from replacing one of the minima by one of its operands.
    pub(super) fn decided(&mut self, form: &Form) -> Rc<[Form]> {
        if let Some(known) = self.decided.get(form) {
            return Rc::clone(known);
        }
        let ways: Rc<[Form]> = self.each_decided(form).into();
        self.decided.insert(form.clone(), Rc::clone(&ways));
        ways
    }

    fn each_decided(&mut self, form: &Form) -> Vec<Form> {
        let atoms: IndexSet<ExprId> =
            form.terms().flat_map(|(atoms, _)| atoms.iter().copied()).collect();
        let mut ways = Vec::new();
        for atom in atoms {
            let Expr::Binary(BinaryOp::Min, a, b) = *self.pool.get(atom) else { continue };
            for operand in [a, b] {
                let value = self.form(operand);
                let mut way = Form::default();
                for (atoms, factor) in form.terms() {
                    let mut product = Form::constant(factor);
                    for own in atoms {
                        let own = if *own == atom { value.clone() } else { Form::atom(*own) };
                        product = product.times(&own);
                    }
                    way = way.plus(&product, 1);
                }
                ways.push(way);
            }
        }
        ways
    }
}
