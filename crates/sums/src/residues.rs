//! Sums with products, minima, maxima and choices as further atoms, and their remainders.

use std::hash::Hash;

use halidom_base::{FxHashMap, IndexSet};

use crate::{Product, Sum};

/// A part of a sum that is not analysed further: a value of the user's, or the number of an
/// operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom<K> {
    /// A value of the user's.
    Whole(K),
    /// An operation of a [`Residues`].
    Operation(usize),
}

type Over<K> = Sum<Product<Atom<K>>>;

/// An operation on sums whose result is not a linear sum.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Operation<K> {
    Product(Over<K>, Over<K>),
    /// The least or the greatest of two sums, or a choice between them.
    OneOf(Choice<K>, Over<K>, Over<K>),
}

/// The way in which one of two sums is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice<K> {
    /// The least of the two.
    Least,
    /// The greatest of the two.
    Greatest,
    /// The first if this condition holds, else the second.
    By(K),
}

/// The interned operations that occur within sums, with the residues that are known.
#[derive(Debug)]
pub struct Residues<K> {
    operations: IndexSet<Operation<K>>,
    known: FxHashMap<(usize, i128), Option<i128>>,
}

impl<K> Default for Residues<K> {
    fn default() -> Self {
        Self { operations: IndexSet::default(), known: FxHashMap::default() }
    }
}

impl<K: Copy + Ord + Hash> Residues<K> {
    /// Returns the product of two sums; `None` on overflow.
    pub fn product(&mut self, lhs: &Over<K>, rhs: &Over<K>) -> Option<Over<K>> {
        if let Some(by) = rhs.as_constant() {
            return lhs.scaled(by);
        }
        if let Some(by) = lhs.as_constant() {
            return rhs.scaled(by);
        }
        Some(self.operation(Operation::Product(lhs.clone(), rhs.clone())))
    }

    /// Returns a choice between two sums; `None` on overflow. The first sum's constant is taken out
    /// of the choice. Two choices whose operands are all shifted by one constant then differ by
    /// this constant only.
    pub fn one_of(
        &mut self,
        choice: Choice<K>,
        first: &Over<K>,
        second: &Over<K>,
    ) -> Option<Over<K>> {
        let outside = first.constant_part();
        let first = first.plus(&Sum::constant(outside), -1)?;
        let second = second.plus(&Sum::constant(outside), -1)?;
        self.operation(Operation::OneOf(choice, first, second)).offset(outside)
    }

    fn operation(&mut self, operation: Operation<K>) -> Over<K> {
        let (number, _) = self.operations.insert_full(operation);
        Sum::atom(Atom::Operation(number))
    }

    /// Returns the remainder of a sum divided by a positive number below 2^32, if it is the same
    /// for all values of the user's atoms.
    pub fn residue(&mut self, sum: &Over<K>, divisor: i128) -> Option<i128> {
        let mut total = 0_i128;
        for (product, by) in sum.terms() {
            let by = by.rem_euclid(divisor);
            if by == 0 {
                continue;
            }
            let mut term = by;
            for atom in product.iter() {
                let Atom::Operation(number) = atom else { return None };
                term = (term * self.residue_of_operation(*number, divisor)?).rem_euclid(divisor);
            }
            total = (total + term).rem_euclid(divisor);
        }
        Some(total)
    }

    fn residue_of_operation(&mut self, number: usize, divisor: i128) -> Option<i128> {
        if let Some(known) = self.known.get(&(number, divisor)) {
            return *known;
        }
        let residue = match self.operations.get_index(number)?.clone() {
            Operation::Product(lhs, rhs) => {
                match (self.residue(&lhs, divisor), self.residue(&rhs, divisor)) {
                    (Some(0), _) | (_, Some(0)) => Some(0),
                    (Some(lhs), Some(rhs)) => Some((lhs * rhs).rem_euclid(divisor)),
                    (None, _) | (_, None) => None,
                }
            }
            Operation::OneOf(_, first, second) => {
                let residue = self.residue(&first, divisor);
                residue.filter(|_| self.residue(&second, divisor) == residue)
            }
        };
        self.known.insert((number, divisor), residue);
        residue
    }
}

#[cfg(test)]
mod tests {
    use super::{Atom, Choice, Residues, Sum};
    use crate::Product;

    type Over = Sum<Product<Atom<char>>>;

    fn whole(name: char) -> Over {
        Sum::atom(Atom::Whole(name))
    }

    #[test]
    fn residues_are_those_of_all_values() {
        let mut sums = Residues::default();
        let (x, y) = (whole('x'), whole('y'));
        let scaled = |sum: &Over, by| sum.scaled(by).unwrap();
        let plus = |sum: &Over, by| sum.offset(by).unwrap();
        assert_eq!(sums.residue(&x, 4), None);
        assert_eq!(sums.residue(&plus(&scaled(&x, 4), -3), 4), Some(1));
        assert_eq!(sums.residue(&plus(&scaled(&x, 2), -3), 4), None);
        // x - x cancels.
        assert_eq!(sums.residue(&plus(&x, 5).plus(&x, -1).unwrap(), 4), Some(1));
        // 4x·y, and (4x + 3)(8y + 3).
        let product = sums.product(&scaled(&x, 4), &y).unwrap();
        assert_eq!(sums.residue(&product, 4), Some(0));
        let product = sums.product(&plus(&scaled(&x, 4), 3), &plus(&scaled(&y, 8), 3)).unwrap();
        assert_eq!(sums.residue(&product, 4), Some(1));
        let product = sums.product(&scaled(&x, 2), &y).unwrap();
        assert_eq!(sums.residue(&product, 4), None);
    }

    #[test]
    fn extremes_that_lie_a_constant_apart_differ_by_it() {
        let mut sums = Residues::default();
        let (x, y) = (whole('x'), whole('y'));
        let plus = |sum: &Over, by| sum.offset(by).unwrap();
        let mut at = |choice, by| sums.one_of(choice, &plus(&x, by), &plus(&y, by + 3)).unwrap();
        let here = at(Choice::Least, 7);
        let beside = at(Choice::Least, 2);
        let other = at(Choice::Greatest, 7);
        let chosen = at(Choice::By('c'), 7);
        let distance = |to: &Over| here.plus(to, -1).unwrap();
        assert_eq!(distance(&beside), Sum::constant(5));
        for wrong in [&other, &chosen] {
            assert_ne!(distance(wrong), Sum::constant(0));
        }
        let further = sums.one_of(Choice::Least, &plus(&x, 7), &plus(&y, 11)).unwrap();
        assert_ne!(distance(&further), Sum::constant(0));
        // First both are even, then one is odd.
        let double = |sum: &Over| sum.scaled(2).unwrap();
        let even = sums.one_of(Choice::Least, &double(&x), &plus(&double(&y), 4)).unwrap();
        assert_eq!(sums.residue(&even, 2), Some(0));
        let odd = sums.one_of(Choice::Least, &double(&x), &plus(&double(&y), 3)).unwrap();
        assert_eq!(sums.residue(&odd, 2), None);
    }
}
