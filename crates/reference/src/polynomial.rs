//! Integer expressions as polynomials with integer coefficients, in normal form.
//!
//! # Correctness
//! Equal polynomials have equal values for all values of their atoms. A coefficient that does not
//! fit in 128 bits ends the question.

use std::collections::BTreeMap;

use halidom_base::define_id;

define_id!(
    /// An indeterminate of a polynomial: a variable, or an operation other than sum, difference and
    /// product.
    pub(crate) AtomId, "a"
);

/// A product of atoms, sorted.
type Monomial = Vec<AtomId>;

/// The greatest number of monomials that a product may have to multiply out.
const MOST_MONOMIALS: usize = 2000;

/// A sum of multiples of products of atoms. No coefficient is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Polynomial(BTreeMap<Monomial, i128>);

impl Polynomial {
    pub(crate) fn constant(value: i128) -> Self {
        Self::monomial(Vec::new(), value)
    }

    pub(crate) fn atom(atom: AtomId) -> Self {
        Self::monomial(vec![atom], 1)
    }

    fn monomial(monomial: Monomial, coefficient: i128) -> Self {
        let terms = (coefficient != 0).then_some((monomial, coefficient));
        Self(terms.into_iter().collect())
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the polynomial's value, if it is a constant.
    pub(crate) fn as_constant(&self) -> Option<i128> {
        let constant = self.0.get([].as_slice()).copied();
        match self.0.len() {
            0 => Some(0),
            1 => constant,
            _ => None,
        }
    }

    /// Returns the constant and the coefficients of single atoms; `None` if there are products.
    pub(crate) fn as_linear(&self) -> Option<(i128, Vec<(AtomId, i128)>)> {
        let mut constant = 0;
        let mut terms = Vec::new();
        for (monomial, coefficient) in &self.0 {
            match monomial.as_slice() {
                [] => constant = *coefficient,
                [atom] => terms.push((*atom, *coefficient)),
                _ => return None,
            }
        }
        Some((constant, terms))
    }

    /// All atoms, each once.
    pub(crate) fn atoms(&self) -> Vec<AtomId> {
        let mut atoms: Vec<AtomId> = self.0.keys().flatten().copied().collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// `self + factor·other`; `None` if a coefficient does not fit in 128 bits.
    pub(crate) fn plus(&self, factor: i128, other: &Self) -> Option<Self> {
        let mut sum = self.0.clone();
        for (monomial, coefficient) in &other.0 {
            let more = coefficient.checked_mul(factor)?;
            let entry = sum.entry(monomial.clone()).or_insert(0);
            *entry = entry.checked_add(more)?;
        }
        sum.retain(|_, coefficient| *coefficient != 0);
        Some(Self(sum))
    }

    /// The product; `None` if it is too long, or if a coefficient does not fit in 128 bits.
    pub(crate) fn times(&self, other: &Self) -> Option<Self> {
        if self.0.len().checked_mul(other.0.len())? > MOST_MONOMIALS {
            return None;
        }
        let mut product: BTreeMap<Monomial, i128> = BTreeMap::new();
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                let mut monomial = [left.as_slice(), right.as_slice()].concat();
                monomial.sort_unstable();
                let entry = product.entry(monomial).or_insert(0);
                *entry = entry.checked_add(a.checked_mul(*b)?)?;
            }
        }
        product.retain(|_, coefficient| *coefficient != 0);
        Some(Self(product))
    }

    /// Returns `quotient` and `rest` with `self = divisor·quotient + rest` and the coefficients of
    /// `rest` in `0..divisor`; the divisor is positive.
    pub(crate) fn split(&self, divisor: i128) -> (Self, Self) {
        let part = |value: fn(i128, i128) -> i128| {
            let terms = self.0.iter().map(|(monomial, c)| (monomial.clone(), value(*c, divisor)));
            Self(terms.filter(|(_, c)| *c != 0).collect())
        };
        (part(i128::div_euclid), part(i128::rem_euclid))
    }

    /// Returns the coefficients of the products of the given atoms. They are polynomials in the
    /// other atoms; the sum of each coefficient times its product is `self`.
    pub(crate) fn coefficients(&self, of: &[AtomId]) -> Vec<Self> {
        let mut parts: BTreeMap<Monomial, BTreeMap<Monomial, i128>> = BTreeMap::new();
        for (monomial, coefficient) in &self.0 {
            let (known, rest) = monomial.iter().copied().partition(|atom| of.contains(atom));
            // Invariant: monomials differ, so no entry is set twice.
            parts.entry(known).or_default().insert(rest, *coefficient);
        }
        parts.into_values().map(Self).collect()
    }
}

#[cfg(test)]
mod tests {
    use halidom_base::Id;

    use super::{AtomId, Polynomial};

    #[test]
    fn products_are_multiplied_out_and_collected() {
        let [x, y] = [0, 1].map(|number| Polynomial::atom(AtomId::from_index(number)));
        let sum = x.plus(1, &y).unwrap();
        let difference = x.plus(-1, &y).unwrap();
        let squares = x.times(&x).unwrap().plus(-1, &y.times(&y).unwrap()).unwrap();
        assert_eq!(sum.times(&difference), Some(squares.clone()));
        assert_eq!(squares.as_linear(), None);
        assert_eq!(sum.plus(-1, &sum).unwrap().as_constant(), Some(0));
        let (quotient, rest) = Polynomial::constant(-3).plus(5, &x).unwrap().split(4);
        assert_eq!(quotient, Polynomial::constant(-1).plus(1, &x).unwrap());
        assert_eq!(rest, Polynomial::constant(1).plus(1, &x).unwrap());
    }

    #[test]
    fn coefficients_are_taken_by_the_products_of_the_chosen_atoms() {
        let [x, s] = [0, 1].map(AtomId::from_index);
        let poly = Polynomial::atom(x).times(&Polynomial::atom(s)).unwrap();
        let poly = poly.plus(3, &Polynomial::atom(s)).unwrap().plus(7, &Polynomial::constant(1));
        let parts = poly.unwrap().coefficients(&[s]);
        let of_s = Polynomial::constant(3).plus(1, &Polynomial::atom(x)).unwrap();
        assert_eq!(parts, [Polynomial::constant(7), of_s]);
    }
}
