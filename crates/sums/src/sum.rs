//! Sums of monomials with coefficients.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::rc::Rc;

use crate::{Monomial, Product};

/// A sum of monomials with integer coefficients, in a normal form: equal sums have equal terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sum<M> {
    /// Sorted by the monomials; no coefficient is 0. Shared, because sums are copied far more often
    /// than made.
    terms: Rc<[(M, i128)]>,
}

impl<M> Default for Sum<M> {
    fn default() -> Self {
        Self { terms: Rc::default() }
    }
}

impl<A: Clone + Ord> Sum<Product<A>> {
    /// Makes the sum that is an atom.
    pub fn atom(atom: A) -> Self {
        Self::term(Product::Atom(atom), 1)
    }

    /// Returns the atom, if the sum is a single one.
    pub fn as_atom(&self) -> Option<A> {
        match &*self.terms {
            [(Product::Atom(atom), 1)] => Some(atom.clone()),
            _ => None,
        }
    }
}

impl<M: Monomial> Sum<M> {
    /// Makes the sum that is a number.
    pub fn constant(value: i128) -> Self {
        Self::term(M::one(), value)
    }

    /// Makes a sum of one monomial with its coefficient.
    pub fn term(monomial: M, coefficient: i128) -> Self {
        let terms = if coefficient == 0 { Vec::new() } else { vec![(monomial, coefficient)] };
        Self { terms: terms.into() }
    }

    /// Iterates over the monomials with their coefficients, in order.
    pub fn terms(&self) -> impl DoubleEndedIterator<Item = (&M, i128)> + ExactSizeIterator {
        self.terms.iter().map(|(monomial, coefficient)| (monomial, *coefficient))
    }

    /// Returns the number of terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// True if there are no terms.
    pub fn is_empty(&self) -> bool {
        self.is_zero()
    }

    /// True if the sum is 0.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the coefficient of a monomial; 0 if it does not occur.
    pub fn coefficient<K: Ord + ?Sized>(&self, monomial: &K) -> i128
    where
        M: Borrow<K>,
    {
        match self.place(monomial) {
            Ok(place) => self.terms[place].1,
            Err(_) => 0,
        }
    }

    /// Returns the sum without one monomial.
    #[must_use]
    pub fn without<K: Ord + ?Sized>(&self, monomial: &K) -> Self
    where
        M: Borrow<K>,
    {
        match self.place(monomial) {
            Ok(place) => {
                Self { terms: [&self.terms[..place], &self.terms[place + 1..]].concat().into() }
            }
            Err(_) => self.clone(),
        }
    }

    fn place<K: Ord + ?Sized>(&self, monomial: &K) -> Result<usize, usize>
    where
        M: Borrow<K>,
    {
        self.terms.binary_search_by(|(other, _)| other.borrow().cmp(monomial))
    }

    /// Keeps the monomials for which a function returns a coefficient other than 0, with that
    /// coefficient.
    #[must_use]
    pub fn filter_map(&self, mut kept: impl FnMut(&M, i128) -> i128) -> Self {
        let terms = self.terms.iter().filter_map(|(monomial, coefficient)| {
            let coefficient = kept(monomial, *coefficient);
            (coefficient != 0).then(|| (monomial.clone(), coefficient))
        });
        Self { terms: terms.collect() }
    }

    /// Returns the value, if the sum is a number.
    pub fn as_constant(&self) -> Option<i128> {
        match &*self.terms {
            [] => Some(0),
            [(monomial, value)] if *monomial == M::one() => Some(*value),
            _ => None,
        }
    }

    /// Returns the constant summand.
    pub fn constant_part(&self) -> i128 {
        self.coefficient(&M::one())
    }

    /// Returns `self + factor * other`; `None` where a coefficient overflows 128 bits.
    pub fn plus(&self, other: &Self, factor: i128) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (&*self.terms, &*other.terms);
        loop {
            let order = match (left, right) {
                ([], []) => return Some(Self { terms: terms.into() }),
                (_, []) => Ordering::Less,
                ([], _) => Ordering::Greater,
                ([(a, _), ..], [(b, _), ..]) => a.cmp(b),
            };
            let mut sum = 0_i128;
            let mut monomial = None;
            if order != Ordering::Greater
                && let [(own, coefficient), rest @ ..] = left
            {
                (sum, monomial, left) = (*coefficient, Some(own), rest);
            }
            if order != Ordering::Less
                && let [(its, coefficient), rest @ ..] = right
            {
                sum = sum.checked_add(coefficient.checked_mul(factor)?)?;
                (monomial, right) = (Some(its), rest);
            }
            if let Some(monomial) = monomial.filter(|_| sum != 0) {
                terms.push((monomial.clone(), sum));
            }
        }
    }

    /// Returns `self + by`; `None` where the constant overflows 128 bits.
    pub fn offset(&self, by: i128) -> Option<Self> {
        self.plus(&Self::constant(by), 1)
    }

    /// Returns `factor * self`; `None` where a coefficient overflows 128 bits.
    pub fn scaled(&self, factor: i128) -> Option<Self> {
        Self::default().plus(self, factor)
    }

    /// Returns `self * other`; `None` where a coefficient overflows 128 bits.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut products = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (left, a) in self.terms.iter() {
            for (right, b) in other.terms.iter() {
                products.push((left.times(right), a.checked_mul(*b)?));
            }
        }
        products.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut terms: Vec<(M, i128)> = Vec::with_capacity(products.len());
        for (monomial, by) in products {
            match terms.last_mut() {
                Some((last, sum)) if *last == monomial => *sum = sum.checked_add(by)?,
                Some(_) | None => terms.push((monomial, by)),
            }
        }
        terms.retain(|(_, by)| *by != 0);
        Some(Self { terms: terms.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::Sum;
    use crate::Product;

    type Over = Sum<Product<char>>;

    fn sum(terms: &[(&str, i128)]) -> Over {
        terms.iter().fold(Over::default(), |sum, (atoms, by)| {
            let atoms: Vec<char> = atoms.chars().collect();
            sum.plus(&Sum::term(Product::of(&atoms), 1), *by).unwrap()
        })
    }

    #[test]
    fn equal_values_have_equal_sums() {
        let product = sum(&[("x", 1), ("y", 1)]).times(&sum(&[("x", 1), ("y", -1)])).unwrap();
        assert_eq!(product, sum(&[("yy", -1), ("xx", 1)]));
        assert_eq!(product.plus(&product, -1), Some(Over::default()));
        assert_eq!(sum(&[("", 3), ("x", 2)]).without(&['x'][..]).as_constant(), Some(3));
        assert_eq!(sum(&[("x", 1)]).as_atom(), Some('x'));
        assert_eq!(sum(&[("x", 2)]).as_atom(), None);
        assert_eq!(sum(&[("xy", 5)]).coefficient(&['x', 'y'][..]), 5);
    }

    #[test]
    fn sums_that_are_too_large_have_no_value() {
        let large = sum(&[("x", i128::MAX)]);
        assert_eq!(large.plus(&sum(&[("x", 1)]), 1), None);
        assert_eq!(large.scaled(2), None);
        assert_eq!(large.times(&sum(&[("", 2)])), None);
        assert_eq!(sum(&[("", i128::MIN)]).offset(-1), None);
        assert_eq!(sum(&[("", i128::MIN)]).scaled(-1), None);
        // The sum itself fits.
        assert_eq!(large.plus(&sum(&[("x", 1)]), -1), Some(sum(&[("x", i128::MAX - 1)])));
    }
}
