//! Integers as polynomials over opaque atoms: equal forms have equal values.
//!
//! Names are replaced by their values, so that a form depends only on loops, parameters and shapes.
//! A vector is a function of one variable, its lane.

use halidom_ir::ExprId;
use halidom_sums::{Product, Sum};

/// `Σ factor·atom·atom…`, where each atom is an expression other than a sum or product; `None` if a
/// factor is too large.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Form(Option<Sum<Product<ExprId>>>);

impl Default for Form {
    fn default() -> Self {
        Self(Some(Sum::default()))
    }
}

impl Form {
    pub(super) fn constant(value: i128) -> Self {
        Self(Some(Sum::constant(value)))
    }

    pub(super) fn atom(atom: ExprId) -> Self {
        Self(Some(Sum::atom(atom)))
    }

    pub(super) fn term(atoms: &[ExprId], factor: i128) -> Self {
        Self(Some(Sum::term(Product::of(atoms), factor)))
    }

    pub(super) fn push(&mut self, atoms: &[ExprId], factor: i128) {
        *self = std::mem::take(self).plus(&Self::term(atoms, factor), 1);
    }

    pub(super) fn is_too_large(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.as_ref().is_some_and(Sum::is_zero)
    }

    pub(super) fn as_constant(&self) -> Option<i128> {
        self.0.as_ref()?.as_constant()
    }

    /// The atom, if the form is a single one.
    pub(super) fn as_atom(&self) -> Option<ExprId> {
        self.0.as_ref()?.as_atom()
    }

    pub(super) fn terms(&self) -> impl DoubleEndedIterator<Item = (&[ExprId], i128)> {
        self.0.iter().flat_map(|sum| sum.terms().map(|(atoms, factor)| (&**atoms, factor)))
    }

    pub(super) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, Sum::len)
    }

    pub(super) fn factor(&self, atoms: &[ExprId]) -> i128 {
        self.0.as_ref().map_or(0, |sum| sum.coefficient(atoms))
    }

    /// The term that is a multiple of an atom.
    pub(super) fn only(&self, atom: ExprId) -> Self {
        Self::term(&[atom], self.factor(&[atom]))
    }

    pub(super) fn constant_part(&self) -> i128 {
        self.factor(&[])
    }

    /// `self + factor·other`.
    pub(super) fn plus(self, other: &Self, factor: i128) -> Self {
        Self(self.0.zip(other.0.as_ref()).and_then(|(own, other)| own.plus(other, factor)))
    }

    pub(super) fn minus(self, other: &Self) -> Self {
        self.plus(other, -1)
    }

    pub(super) fn offset(self, by: i128) -> Self {
        self.plus(&Self::constant(by), 1)
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        Self(self.0.as_ref().zip(other.0.as_ref()).and_then(|(own, other)| own.times(other)))
    }

    /// Tests whether every term except the constant has a positive factor. As atoms are rarely
    /// negative, such a form is rarely negative.
    pub(super) fn grows(&self) -> bool {
        !self.is_too_large() && self.terms().all(|(atoms, factor)| atoms.is_empty() || factor > 0)
    }

    /// The quotient and the remainder by a form: terms that are multiples of the divisor's leading
    /// term go into the quotient.
    pub(super) fn divided(&self, divisor: &Self) -> (Self, Self) {
        let mut ways = self.divisions(divisor);
        if ways.is_empty() { (Self::default(), self.clone()) } else { ways.swap_remove(0) }
    }

    /// The quotients and remainders by a form, one for each choice of the divisor's leading term,
    /// those with the fewest terms first.
    pub(super) fn divisions(&self, divisor: &Self) -> Vec<(Self, Self)> {
        if self.is_too_large() {
            return Vec::new();
        }
        if let Some(by) = divisor.as_constant() {
            if by <= 0 {
                return Vec::new();
            }
            let (mut quotient, mut rest) = (Self::default(), Self::default());
            for (atoms, factor) in self.terms() {
                if atoms.is_empty() {
                    quotient.push(atoms, factor.div_euclid(by));
                    rest.push(atoms, factor.rem_euclid(by));
                } else if factor % by == 0 {
                    quotient.push(atoms, factor / by);
                } else {
                    rest.push(atoms, factor);
                }
            }
            return vec![(quotient, rest)];
        }
        let mut leading: Vec<(&[ExprId], i128)> =
            divisor.terms().filter(|(atoms, _)| !atoms.is_empty()).collect();
        leading.sort_by_key(|(atoms, _)| (atoms.len(), *atoms));
        let ways = leading.into_iter().rev().filter_map(|term| self.divided_by(divisor, term));
        // A shared part of dividend and divisor is a quotient of 1 only if the whole divisor
        // divides out, so the result with the fewest terms is the best.
        let mut ways: Vec<(Self, Self)> = ways.collect();
        ways.sort_by_key(|(quotient, rest)| quotient.len() + rest.len());
        ways
    }

    /// The same, with one term of the divisor as its leading term. A division that makes terms of
    /// a greater degree than all of the dividend's is given up: its leading term divides what it
    /// leaves again and again, and the rest grows with each step.
    fn divided_by(&self, divisor: &Self, (leading, by): (&[ExprId], i128)) -> Option<(Self, Self)> {
        let most = self.degree();
        let (mut quotient, mut rest) = (Self::default(), self.clone());
        for _ in 0..64 {
            let found = rest.terms().rev().find_map(|(atoms, factor)| {
                let divides = factor % by == 0 && leading.iter().all(|atom| atoms.contains(atom));
                let others = divides.then(|| Product::of(atoms).without(leading))??;
                Some(Self::term(&others, factor / by))
            });
            let Some(part) = found else { break };
            rest = rest.minus(&part.times(divisor));
            quotient = quotient.plus(&part, 1);
            if rest.degree() > most {
                return None;
            }
        }
        Some((quotient, rest))
    }

    /// The greatest number of atoms in a term.
    fn degree(&self) -> usize {
        self.terms().map(|(atoms, _)| atoms.len()).max().unwrap_or(0)
    }
}
