//! Truth values in normal form.
//!
//! # Correctness
//! `p >= 0` is divided by the content of `p`, with the constant rounded down. `p = 0` is divided
//! too, after a test of divisibility. Both are equivalences over the integers. Negation is pushed
//! inwards by De Morgan and `not (p >= 0)  =  -p - 1 >= 0`.

use halidom_base::IndexMap;

use super::{Formula, FormulaId, Poly, PolyId, Space, TermId};

impl Space {
    pub(crate) fn truth(&mut self, value: bool) -> FormulaId {
        self.intern_formula(if value { Formula::True } else { Formula::False })
    }

    /// `poly >= 0`.
    pub(crate) fn non_negative(&mut self, poly: PolyId) -> FormulaId {
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
    pub(crate) fn zero(&mut self, poly: PolyId) -> FormulaId {
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
    pub(crate) fn equal(&mut self, a: PolyId, b: PolyId) -> FormulaId {
        let difference = self.sub(a, b);
        self.zero(difference)
    }

    /// `a <= b`.
    pub(crate) fn at_most(&mut self, a: PolyId, b: PolyId) -> FormulaId {
        let difference = self.sub(b, a);
        self.non_negative(difference)
    }

    /// `a < b`.
    pub(crate) fn less(&mut self, a: PolyId, b: PolyId) -> FormulaId {
        let difference = self.sub(b, a);
        let difference = self.offset(difference, -1);
        self.non_negative(difference)
    }

    /// `min <= value < min + extent`.
    pub(crate) fn within(&mut self, value: PolyId, min: PolyId, extent: PolyId) -> FormulaId {
        let end = self.add(min, extent);
        let (low, high) = (self.at_most(min, value), self.less(value, end));
        self.and(&[low, high])
    }

    /// Turns a `bool` term into a formula.
    pub(crate) fn holds(&mut self, term: TermId) -> FormulaId {
        if let super::Term::Truth(formula) = self.term(term) {
            *formula
        } else {
            self.intern_formula(Formula::Holds(term))
        }
    }

    pub(crate) fn not(&mut self, formula: FormulaId) -> FormulaId {
        match self.formula(formula).clone() {
            Formula::True => self.truth(false),
            Formula::False => self.truth(true),
            Formula::NonNegative(poly) => {
                let negated = self.combine(&[(poly, -1)]);
                let negated = self.offset(negated, -1);
                self.non_negative(negated)
            }
            Formula::Zero(_) | Formula::Holds(_) => self.intern_formula(Formula::Not(formula)),
            Formula::Not(inner) => inner,
            Formula::And(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.not(*part)).collect();
                self.or(&parts)
            }
            Formula::Or(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.not(*part)).collect();
                self.and(&parts)
            }
        }
    }

    pub(crate) fn and(&mut self, parts: &[FormulaId]) -> FormulaId {
        let Some(parts) = self.flatten(parts, true) else { return self.truth(false) };
        match *parts.as_slice() {
            [] => self.truth(true),
            [only] => only,
            _ => self.intern_formula(Formula::And(parts.into())),
        }
    }

    /// Returns the conjunction without parts that other parts imply: `p + c >= 0` is dropped if
    /// `p + d >= 0` is a part with `d <= c`.
    pub(crate) fn and_least(&mut self, parts: &[FormulaId]) -> FormulaId {
        let all = self.and(parts);
        let mut kept: Vec<FormulaId> = Vec::new();
        let mut least: IndexMap<PolyId, i128> = IndexMap::default();
        for part in self.conjuncts(all) {
            let Formula::NonNegative(poly) = *self.formula(part) else {
                kept.push(part);
                continue;
            };
            let constant = self.content(poly).1;
            let offset = self.checked(constant.checked_neg());
            let variable = self.offset(poly, offset);
            least
                .entry(variable)
                .and_modify(|known| *known = constant.min(*known))
                .or_insert(constant);
        }
        for (variable, constant) in least {
            let poly = self.offset(variable, constant);
            kept.push(self.non_negative(poly));
        }
        self.and(&kept)
    }

    pub(crate) fn or(&mut self, parts: &[FormulaId]) -> FormulaId {
        let Some(parts) = self.flatten(parts, false) else { return self.truth(true) };
        match *parts.as_slice() {
            [] => self.truth(false),
            [only] => only,
            _ => self.intern_formula(Formula::Or(parts.into())),
        }
    }

    /// `a implies b`.
    pub(crate) fn implies(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let not_a = self.not(a);
        self.or(&[not_a, b])
    }

    /// `a` if and only if `b`.
    pub(crate) fn same_truth(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        if a == b {
            return self.truth(true);
        }
        let (forth, back) = (self.implies(a, b), self.implies(b, a));
        self.and(&[forth, back])
    }

    /// Flattens a nested conjunction (or disjunction). The parts are sorted, without repetitions
    /// and neutral elements. Returns `None` if one part decides the whole.
    fn flatten(&mut self, parts: &[FormulaId], conjunction: bool) -> Option<Vec<FormulaId>> {
        let mut flat = Vec::new();
        for part in parts {
            match self.formula(*part) {
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
                | Formula::Not(_) => flat.push(*part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        // A part and its complement decide the whole. Complements of conjunctions and disjunctions
        // are not searched for, because they are rare and expensive.
        for index in 0..flat.len() {
            let part = flat[index];
            if matches!(self.formula(part), Formula::And(_) | Formula::Or(_)) {
                continue;
            }
            let complement = self.not(part);
            if flat.binary_search(&complement).is_ok() {
                return None;
            }
        }
        Some(flat)
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
            let mut space = Space::new();
            let symbols: Vec<_> = ["a", "b"].into_iter().map(|name| space.fresh(name)).collect();
            let mut parts = Vec::new();
            for _ in 0..3 {
                let poly = random.poly(&mut space, &symbols, 1);
                for _ in 0..2 {
                    let other = space.offset(poly, random.below(9) - 4);
                    parts.push(space.non_negative(other));
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
