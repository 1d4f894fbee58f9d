//! Facts that a program states of its names: the equalities that it checks at entry, and the ranges
//! of its loops.

use halidom_ir::{ExprId, VarId};

use super::form::Form;
use super::forms::Forms;

impl Forms<'_> {
    /// Runs a reading of another program with the same parameters. What that program's entry checks
    /// say of names that have a meaning already is forgotten afterwards.
    pub(super) fn aside<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let (definitions, equal) = (self.definitions.clone(), self.equal.clone());
        let result = read(self);
        self.definitions.extend(definitions);
        self.equal.extend(equal);
        self.plain.clear();
        self.quotients.clear();
        result
    }

    /// Records that an entry check equates a variable with another one.
    pub(super) fn equate(&mut self, var: VarId, other: ExprId) {
        self.equal.insert(var, other);
    }

    /// Records a loop with its range.
    pub(super) fn add_loop(&mut self, var: VarId, (min, extent): (ExprId, ExprId)) {
        let range = (self.form(min), self.form(extent));
        if let (Some(min), Some(extent)) = (range.0.as_constant(), range.1.as_constant())
            && extent > 0
            && let Some(end) = min.checked_add(extent)
        {
            self.ranges.insert(var, (min, end - 1));
        }
        self.loops.insert(var);
        self.samples.keep_to(var, range);
    }

    /// The least and the greatest value of a form, as far as the ranges of loops tell them.
    pub(super) fn limits(&self, form: &Form) -> (Option<i128>, Option<i128>) {
        if form.is_too_large() {
            return (None, None);
        }
        let mut limits = (Some(0_i128), Some(0_i128));
        for (atoms, factor) in form.terms() {
            let range = match atoms {
                [] => Some((1, 1)),
                [atom] => self.as_variable(*atom).and_then(|var| self.ranges.get(&var)).copied(),
                _ => None,
            };
            let Some((first, last)) = range else { return (None, None) };
            let (Some(a), Some(b)) = (first.checked_mul(factor), last.checked_mul(factor)) else {
                return (None, None);
            };
            limits.0 = limits.0.and_then(|least| least.checked_add(a.min(b)));
            limits.1 = limits.1.and_then(|greatest| greatest.checked_add(a.max(b)));
        }
        limits
    }

    /// The quotient of a form by a number, if all its values have the same one and its product with
    /// the number is in range.
    pub(super) fn row(&self, form: &Form, by: i128) -> Option<i128> {
        let (least, greatest) = self.limits(form);
        let row = least?.checked_div_euclid(by)?;
        row.checked_mul(by)?.checked_neg()?;
        (greatest?.div_euclid(by) == row).then_some(row)
    }
}
