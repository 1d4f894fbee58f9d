//! Sums of products of atoms, the normal form of `int` expressions.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

use halidom_ir::ExprId;

/// A product: its atoms, sorted; none of them is 1. Nearly all products have at most one atom,
/// which needs no allocation.
#[derive(Clone, Debug)]
pub(crate) enum Product {
    One,
    Atom(ExprId),
    Atoms(Rc<[ExprId]>),
}

impl Product {
    pub(crate) fn of(atoms: &[ExprId]) -> Self {
        match atoms {
            [] => Self::One,
            [atom] => Self::Atom(*atom),
            _ => {
                let mut atoms: Rc<[ExprId]> = atoms.into();
                if let Some(atoms) = Rc::get_mut(&mut atoms) {
                    atoms.sort_unstable();
                }
                Self::Atoms(atoms)
            }
        }
    }

    fn times(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::One, product) | (product, Self::One) => product.clone(),
            (Self::Atom(_) | Self::Atoms(_), Self::Atom(_) | Self::Atoms(_)) => {
                Self::of(&[&**self, other].concat())
            }
        }
    }
}

impl Deref for Product {
    type Target = [ExprId];

    fn deref(&self) -> &[ExprId] {
        match self {
            Self::One => &[],
            Self::Atom(atom) => std::slice::from_ref(atom),
            Self::Atoms(atoms) => atoms,
        }
    }
}

impl PartialEq for Product {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Product {}

impl Hash for Product {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

/// A sum of products of atoms with integer coefficients.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Sum {
    /// Sorted by the products' atoms; no coefficient is 0. Shared, because sums are copied far more
    /// often than made.
    terms: Rc<[(Product, i128)]>,
}

impl Sum {
    pub(crate) fn constant(value: i128) -> Self {
        Self::term(Product::One, value)
    }

    pub(crate) fn atom(atom: ExprId) -> Self {
        Self::term(Product::Atom(atom), 1)
    }

    /// Makes a sum of one product with its coefficient.
    pub(crate) fn term(product: Product, coefficient: i128) -> Self {
        let terms = if coefficient == 0 { Vec::new() } else { vec![(product, coefficient)] };
        Self { terms: terms.into() }
    }

    /// Iterates over the products with their coefficients, in order.
    pub(crate) fn terms(&self) -> impl DoubleEndedIterator<Item = (&Product, i128)> {
        self.terms.iter().map(|(product, coefficient)| (product, *coefficient))
    }

    /// Returns the number of products.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the coefficient of a product; 0 if it does not occur.
    pub(crate) fn coefficient(&self, product: &[ExprId]) -> i128 {
        match self.place(product) {
            Ok(place) => self.terms[place].1,
            Err(_) => 0,
        }
    }

    /// Returns the sum without one product.
    pub(crate) fn without(&self, product: &[ExprId]) -> Self {
        match self.place(product) {
            Ok(place) => {
                Self { terms: [&self.terms[..place], &self.terms[place + 1..]].concat().into() }
            }
            Err(_) => self.clone(),
        }
    }

    fn place(&self, product: &[ExprId]) -> Result<usize, usize> {
        self.terms.binary_search_by(|(other, _)| (**other).cmp(product))
    }

    /// Keeps the products for which a function returns a coefficient other than 0, with that
    /// coefficient.
    pub(crate) fn filter_map(&self, mut kept: impl FnMut(&Product, i128) -> i128) -> Self {
        let terms = self.terms.iter().filter_map(|(product, coefficient)| {
            let coefficient = kept(product, *coefficient);
            (coefficient != 0).then(|| (product.clone(), coefficient))
        });
        Self { terms: terms.collect() }
    }

    pub(crate) fn as_constant(&self) -> Option<i128> {
        match &*self.terms {
            [] => Some(0),
            [(Product::One, value)] => Some(*value),
            _ => None,
        }
    }

    /// Returns `self + factor * other`; `None` where a coefficient overflows 128 bits.
    pub(crate) fn plus(&self, other: &Self, factor: i128) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (&*self.terms, &*other.terms);
        loop {
            let order = match (left, right) {
                ([], []) => return Some(Self { terms: terms.into() }),
                (_, []) => Ordering::Less,
                ([], _) => Ordering::Greater,
                ([(a, _), ..], [(b, _), ..]) => (**a).cmp(b),
            };
            let mut sum = 0_i128;
            let mut product = None;
            if order != Ordering::Greater
                && let [(own, coefficient), rest @ ..] = left
            {
                (sum, product, left) = (*coefficient, Some(own), rest);
            }
            if order != Ordering::Less
                && let [(its, coefficient), rest @ ..] = right
            {
                sum = sum.checked_add(coefficient.checked_mul(factor)?)?;
                (product, right) = (Some(its), rest);
            }
            if let Some(product) = product.filter(|_| sum != 0) {
                terms.push((product.clone(), sum));
            }
        }
    }

    /// Returns `self * other`; `None` where a coefficient overflows 128 bits.
    pub(crate) fn times(&self, other: &Self) -> Option<Self> {
        let mut sum = Self::default();
        for (left, a) in self.terms.iter() {
            for (right, b) in other.terms.iter() {
                sum = sum.plus(&Self::term(left.times(right), 1), a.checked_mul(*b)?)?;
            }
        }
        Some(sum)
    }
}
