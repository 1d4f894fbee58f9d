//! Truth values in normal form.
//!
//! # Correctness
//! `p >= 0` is divided by the content of `p` with the constant rounded down, `p = 0` likewise with a test of divisibility: both are equivalences over the
//! integers. Negation is pushed inwards by De Morgan and `not (p >= 0)  =  -p - 1 >= 0`.

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
        // The sign is that which makes the last coefficient positive.
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

    /// A `bool` term as a formula.
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

    /// The parts of a nested conjunction (or disjunction), sorted, without repetition and neutral elements; `None` where one part decides the whole.
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
        // A part beside its complement decides the whole. Complements of conjunctions are not looked for: they are rare and dear.
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

    /// The conjuncts of a formula: itself unless it is a conjunction.
    pub(crate) fn conjuncts(&self, formula: FormulaId) -> Vec<FormulaId> {
        match self.formula(formula) {
            Formula::True => Vec::new(),
            Formula::And(parts) => parts.to_vec(),
            Formula::False
            | Formula::NonNegative(_)
            | Formula::Zero(_)
            | Formula::Holds(_)
            | Formula::Not(_)
            | Formula::Or(_) => vec![formula],
        }
    }

    /// Whether the polynomial is a sum of products of nothing: a constant.
    pub(crate) fn is_zero(&self, poly: PolyId) -> bool {
        matches!(self.poly(poly), Poly(terms) if terms.is_empty())
    }
}
