//! The monomials of sums.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

/// A factor of a sum's terms other than the coefficient.
pub trait Monomial: Clone + Ord {
    /// Returns the neutral monomial: the factor of a sum's constant.
    fn one() -> Self;

    /// Returns the product of two monomials.
    #[must_use]
    fn times(&self, other: &Self) -> Self;
}

/// A product of atoms, which are sorted. Nearly all products have at most one atom, which needs no
/// allocation.
#[derive(Clone, Debug)]
pub enum Product<A> {
    /// The product of no atoms.
    One,
    /// A single atom.
    Atom(A),
    /// Several atoms.
    Atoms(Rc<[A]>),
}

impl<A: Clone + Ord> Product<A> {
    /// Returns the product of some atoms, in any order.
    pub fn of(atoms: &[A]) -> Self {
        match atoms {
            [] => Self::One,
            [atom] => Self::Atom(atom.clone()),
            _ => {
                let mut atoms: Rc<[A]> = atoms.into();
                if let Some(atoms) = Rc::get_mut(&mut atoms) {
                    atoms.sort_unstable();
                }
                Self::Atoms(atoms)
            }
        }
    }

    /// Returns the product without the atoms of another one; `None` if it does not contain them.
    pub fn without(&self, other: &[A]) -> Option<Self> {
        let mut rest = self.to_vec();
        for atom in other {
            let place = rest.iter().position(|own| own == atom)?;
            rest.remove(place);
        }
        Some(Self::of(&rest))
    }
}

impl<A: Clone + Ord> Monomial for Product<A> {
    fn one() -> Self {
        Self::One
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

impl<A> Deref for Product<A> {
    type Target = [A];

    fn deref(&self) -> &[A] {
        match self {
            Self::One => &[],
            Self::Atom(atom) => std::slice::from_ref(atom),
            Self::Atoms(atoms) => atoms,
        }
    }
}

/// A product is found by its atoms: it has their order, equality and hash.
impl<A> Borrow<[A]> for Product<A> {
    fn borrow(&self) -> &[A] {
        self
    }
}

impl<A: PartialEq> PartialEq for Product<A> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<A: Eq> Eq for Product<A> {}

impl<A: Ord> PartialOrd for Product<A> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<A: Ord> Ord for Product<A> {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl<A: Hash> Hash for Product<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}
