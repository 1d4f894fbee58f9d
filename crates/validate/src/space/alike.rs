//! Conditions under which two terms certainly denote the same value.
//!
//! # Correctness
//! [`Space::alike`] is a formula that implies equality of the two terms: operators are functions,
//! so equal operands give equal results. It is sufficient, not necessary.

use super::{Formula, FormulaId, PolyId, Space, Term, TermId, Value, Version};

impl Space {
    /// The number of a machine integer as an opaque atom.
    pub(crate) fn number(&self, term: TermId) -> PolyId {
        self.opaque_value(term)
    }

    /// Does the same for values of any type.
    pub(crate) fn values_alike(&self, a: Value, b: Value) -> Option<FormulaId> {
        match (a, b) {
            (Value::Int(a), Value::Int(b)) => Some(self.equal(a, b)),
            (Value::Bool(a), Value::Bool(b)) => Some(self.same_truth(a, b)),
            (Value::Number(a), Value::Number(b)) => self.alike(a, b).or_else(|| {
                (self.scalar(a) == self.scalar(b) && self.scalar(a).is_machine_integer())
                    .then(|| self.equal(self.integer_of(a), self.integer_of(b)))
            }),
            (Value::Int(_) | Value::Bool(_) | Value::Number(_), _) => None,
        }
    }

    /// Returns a formula under which two terms are equal, if one was found.
    pub(crate) fn alike(&self, a: TermId, b: TermId) -> Option<FormulaId> {
        if a == b {
            return Some(self.truth(true));
        }
        // Terms never change, so what was found once is kept: the operands of many pairs are equal.
        if let Some(known) = self.alike.borrow().get(&(a, b)) {
            return *known;
        }
        let found =
            self.compare(a, b).filter(|formula| !matches!(self.formula(*formula), Formula::False));
        self.alike.borrow_mut().insert((a, b), found);
        found
    }

    fn compare(&self, left: TermId, right: TermId) -> Option<FormulaId> {
        let (left_type, right_type) = (self.scalar(left), self.scalar(right));
        if left_type != right_type {
            return None;
        }
        match (self.term(left).clone(), self.term(right).clone()) {
            (Term::Ring(_, x), Term::Ring(_, y)) | (Term::FromInt(_, x), Term::FromInt(_, y)) => {
                Some(self.equal(x, y))
            }
            // A leaf is a ring element too.
            (Term::Ring(_, x), _) => Some(self.equal(x, self.opaque_value(right))),
            (_, Term::Ring(_, y)) => Some(self.equal(self.opaque_value(left), y)),
            (
                Term::Read { func, component, version, coords, .. },
                Term::Read {
                    func: other_func,
                    component: other_component,
                    version: other_version,
                    coords: other,
                    ..
                },
            ) if (func, component) == (other_func, other_component) => {
                let mut same = vec![self.versions_alike(&version, &other_version)?];
                same.extend(self.equalities(&coords, &other)?);
                Some(self.and(same))
            }
            (Term::Select(condition, x, y), other) => {
                if let Term::Select(other_condition, z, w) = other
                    && condition == other_condition
                {
                    let both = [self.alike(x, z)?, self.alike(y, w)?];
                    return Some(self.both_cases(condition, both));
                }
                self.compare_choice(condition, (x, y), right)
            }
            (_, Term::Select(condition, x, y)) => self.compare_choice(condition, (x, y), left),
            (Term::FromInt(_, x), Term::Cast(_, y)) | (Term::Cast(_, y), Term::FromInt(_, x))
                if self.scalar(y).is_machine_integer() =>
            {
                Some(self.equal(x, self.integer_of(y)))
            }
            (Term::Truth(x), Term::Truth(y)) => Some(self.same_truth(x, y)),
            (_, _) => {
                let operands = self.operand_pairs(left, right)?.into_iter();
                let same = operands.map(|(x, y)| self.alike(x, y));
                Some(self.and(same.collect::<Option<Vec<_>>>()?))
            }
        }
    }

    /// `(c ? x : y) = other`.
    fn compare_choice(
        &self,
        condition: FormulaId,
        (x, y): (TermId, TermId),
        other: TermId,
    ) -> Option<FormulaId> {
        let never = self.truth(false);
        let both = [x, y].map(|case| self.alike(case, other).unwrap_or(never));
        let both = self.both_cases(condition, both);
        (both != never).then_some(both)
    }

    /// The first formula where the condition holds, and the second where it does not.
    fn both_cases(&self, condition: FormulaId, [first, second]: [FormulaId; 2]) -> FormulaId {
        self.and([self.implies(condition, first), self.implies(self.not(condition), second)])
    }

    fn versions_alike(&self, a: &Version, b: &Version) -> Option<FormulaId> {
        match (a, b) {
            (Version::Final, Version::Final) => Some(self.truth(true)),
            (
                Version::Before { stage, point },
                Version::Before { stage: other_stage, point: other },
            ) if stage == other_stage => Some(self.and(self.equalities(point, other)?)),
            (Version::Final | Version::Before { .. } | Version::Pending(_), _) => None,
        }
    }

    /// Returns the equations of two tuples, coordinate by coordinate, if they have the same length.
    pub(crate) fn equalities(&self, a: &[PolyId], b: &[PolyId]) -> Option<Vec<FormulaId>> {
        (a.len() == b.len()).then(|| a.iter().zip(b).map(|(x, y)| self.equal(*x, *y)).collect())
    }
}
