//! Truth values in normal form.
//!
//! # Correctness
//! `p >= 0` is divided by the content of `p`, with the constant rounded down. `p = 0` is divided
//! too, after a test of divisibility. Both are equivalences over the integers. Negation is pushed
//! inwards by De Morgan and `not (p >= 0)  =  -p - 1 >= 0`.

use std::borrow::Borrow;

use halidom_base::IndexMap;

use super::{Formula, FormulaId, Poly, PolyId, Space, TermId};

impl Space {
    pub(crate) fn truth(&self, value: bool) -> FormulaId {
        self.intern_formula(if value { Formula::True } else { Formula::False })
    }

    /// `poly >= 0`.
    pub(crate) fn non_negative(&self, poly: PolyId) -> FormulaId {
        if let Some(value) = self.as_constant(poly) {
            return self.truth(value >= 0);
        }
        let (content, constant) = self.content(poly);
        let poly = if content > 1 {
            self.collect_quotients(poly, content, constant.div_euclid(content))
        } else {
            poly
        };
        self.intern_formula(Formula::NonNegative(poly))
    }

    /// `poly = 0`.
    pub(crate) fn zero(&self, poly: PolyId) -> FormulaId {
        if let Some(value) = self.as_constant(poly) {
            return self.truth(value == 0);
        }
        let (content, constant) = self.content(poly);
        if content > 1 && constant.rem_euclid(content) != 0 {
            return self.truth(false);
        }
        let mut poly = if content > 1 {
            self.collect_quotients(poly, content, constant / content)
        } else {
            poly
        };
        // Choose the sign that makes the last coefficient positive.
        if self.poly(poly).0.last().is_some_and(|(_, coefficient)| *coefficient < 0) {
            poly = self.scale(poly, -1);
        }
        self.intern_formula(Formula::Zero(poly))
    }

    /// `a = b`.
    pub(crate) fn equal(&self, a: PolyId, b: PolyId) -> FormulaId {
        self.zero(self.sub(a, b))
    }

    /// `a <= b`.
    pub(crate) fn at_most(&self, a: PolyId, b: PolyId) -> FormulaId {
        self.non_negative(self.sub(b, a))
    }

    /// `a < b`.
    pub(crate) fn less(&self, a: PolyId, b: PolyId) -> FormulaId {
        self.non_negative(self.offset(self.sub(b, a), -1))
    }

    /// `min <= value < min + extent`.
    pub(crate) fn within(&self, value: PolyId, min: PolyId, extent: PolyId) -> FormulaId {
        self.and([self.at_most(min, value), self.less(value, self.add(min, extent))])
    }

    /// Turns a `bool` term into a formula.
    pub(crate) fn holds(&self, term: TermId) -> FormulaId {
        if let super::Term::Truth(formula) = self.term(term) {
            *formula
        } else {
            self.intern_formula(Formula::Holds(term))
        }
    }

    pub(crate) fn not(&self, formula: FormulaId) -> FormulaId {
        // Every conjunction asks for the complements of its parts.
        if let Some(known) = self.complements.borrow().get(&formula) {
            return *known;
        }
        let complement = self.complement(formula);
        self.complements.borrow_mut().insert(formula, complement);
        complement
    }

    fn complement(&self, formula: FormulaId) -> FormulaId {
        match self.formula(formula) {
            Formula::True => self.truth(false),
            Formula::False => self.truth(true),
            Formula::NonNegative(poly) => self.non_negative(self.offset(self.scale(*poly, -1), -1)),
            Formula::Zero(_) | Formula::Holds(_) => self.intern_formula(Formula::Not(formula)),
            Formula::Not(inner) => *inner,
            Formula::And(parts) => self.or(parts.iter().map(|part| self.not(*part))),
            Formula::Or(parts) => self.and(parts.iter().map(|part| self.not(*part))),
        }
    }

    pub(crate) fn and<P: Borrow<FormulaId>>(
        &self,
        parts: impl IntoIterator<Item = P>,
    ) -> FormulaId {
        let Some(parts) = self.flatten(parts, true) else { return self.truth(false) };
        match *parts.as_slice() {
            [] => self.truth(true),
            [only] => only,
            _ => self.intern_formula(Formula::And(parts.into())),
        }
    }

    /// Returns the conjunction without parts that other parts imply: `p + c >= 0` is dropped if
    /// `p + d >= 0` is a part with `d <= c`.
    pub(crate) fn and_least(&self, parts: &[FormulaId]) -> FormulaId {
        let all = self.and(parts);
        let mut kept: Vec<FormulaId> = Vec::new();
        let mut least: IndexMap<PolyId, i128> = IndexMap::default();
        for part in self.conjuncts(all) {
            let Formula::NonNegative(poly) = *self.formula(part) else {
                kept.push(part);
                continue;
            };
            let constant = self.content(poly).1;
            let variable = self.offset(poly, self.checked(constant.checked_neg()));
            let known = least.entry(variable).or_insert(constant);
            *known = constant.min(*known);
        }
        let bounds = least.into_iter();
        kept.extend(bounds.map(|(poly, constant)| self.non_negative(self.offset(poly, constant))));
        self.and(kept)
    }

    pub(crate) fn or<P: Borrow<FormulaId>>(&self, parts: impl IntoIterator<Item = P>) -> FormulaId {
        let Some(parts) = self.flatten(parts, false) else { return self.truth(true) };
        match *parts.as_slice() {
            [] => self.truth(false),
            [only] => only,
            _ => self.intern_formula(Formula::Or(parts.into())),
        }
    }

    /// `a implies b`.
    pub(crate) fn implies(&self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.or([self.not(a), b])
    }

    /// `a` if and only if `b`.
    pub(crate) fn same_truth(&self, a: FormulaId, b: FormulaId) -> FormulaId {
        if a == b {
            return self.truth(true);
        }
        self.and([self.implies(a, b), self.implies(b, a)])
    }

    /// Flattens a nested conjunction (or disjunction). The parts are sorted, without repetitions
    /// and neutral elements. Returns `None` if one part decides the whole.
    fn flatten<P: Borrow<FormulaId>>(
        &self,
        parts: impl IntoIterator<Item = P>,
        conjunction: bool,
    ) -> Option<Vec<FormulaId>> {
        let mut flat = Vec::new();
        for part in parts {
            match self.formula(*part.borrow()) {
                Formula::True if conjunction => {}
                Formula::False if !conjunction => {}
                Formula::True | Formula::False => return None,
                Formula::And(inner) if conjunction => flat.extend(inner.iter().copied()),
                Formula::Or(inner) if !conjunction => flat.extend(inner.iter().copied()),
                Formula::And(_)
                | Formula::Or(_)
                | Formula::NonNegative(_)
                | Formula::Zero(_)
                | Formula::Holds(_)
                | Formula::Not(_) => flat.push(*part.borrow()),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        // A part and its complement decide the whole. Complements of conjunctions and disjunctions
        // are not searched for, because they are rare and expensive.
        let decides = |part: &FormulaId| {
            !matches!(self.formula(*part), Formula::And(_) | Formula::Or(_))
                && flat.binary_search(&self.not(*part)).is_ok()
        };
        (!flat.iter().any(decides)).then_some(flat)
    }

    /// Returns the conjuncts of a formula: the formula itself unless it is a conjunction.
    pub(crate) fn conjuncts(&self, formula: FormulaId) -> Vec<FormulaId> {
        if let Formula::And(parts) = self.formula(formula) {
            return parts.to_vec();
        }
        if *self.formula(formula) == Formula::True { Vec::new() } else { vec![formula] }
    }

    /// Tests whether the polynomial is 0.
    pub(crate) fn is_zero(&self, poly: PolyId) -> bool {
        matches!(self.poly(poly), Poly(terms) if terms.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use crate::space::Space;
    use crate::space::concrete::{Assignment, Random};

    #[test]
    fn what_is_left_out_of_a_conjunction_follows_from_the_rest() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let (mut shorter, mut held) = (0, 0);
        for _ in 0..2000 {
            let space = Space::new();
            let symbols: Vec<_> = ["a", "b"].into_iter().map(|name| space.fresh(name)).collect();
            let mut parts = Vec::new();
            for _ in 0..3 {
                let poly = random.poly(&space, &symbols, 1);
                for _ in 0..2 {
                    parts.push(space.non_negative(space.offset(poly, random.below(9) - 4)));
                }
                parts.push(space.zero(poly));
            }
            parts.truncate(1 + random.below(9) as usize);
            let (all, least) = (space.and(&parts), space.and_least(&parts));
            shorter += usize::from(space.conjuncts(least).len() < space.conjuncts(all).len());
            for _ in 0..20 {
                let at: Assignment =
                    symbols.iter().map(|symbol| (*symbol, random.below(15) - 6)).collect();
                assert_eq!(space.truth_at(all, &at), space.truth_at(least, &at));
                held += usize::from(space.truth_at(all, &at));
            }
        }
        assert!(shorter > 300 && held > 300, "{shorter}, {held}");
    }
}
