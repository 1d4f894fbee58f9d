//! Linear sums in a normal form, and their residues.

use std::hash::Hash;

use halidom_base::{FxHashMap, IndexSet};

/// `Σ factor·atom + constant`, with factors that are not 0 and atoms in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sum<K> {
    terms: Vec<(Atom<K>, i128)>,
    constant: i128,
}

/// The part of a term that the factor multiplies: an opaque value, or the number of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Atom<K> {
    Whole(K),
    Operation(usize),
}

/// An operation on sums whose result is not a linear sum.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Operation<K> {
    Product(Sum<K>, Sum<K>),
    /// The least or the greatest of two sums, or a choice between them.
    OneOf(Choice<K>, Sum<K>, Sum<K>),
}

/// The way in which one of two sums is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Choice<K> {
    Least,
    Greatest,
    /// By a condition.
    By(K),
}

/// The interned operations that occur within sums, with the residues that are known.
#[derive(Debug)]
pub(crate) struct Sums<K> {
    operations: IndexSet<Operation<K>>,
    residues: FxHashMap<(usize, i128), Option<i128>>,
}

impl<K> Default for Sums<K> {
    fn default() -> Self {
        Self { operations: IndexSet::default(), residues: FxHashMap::default() }
    }
}

impl<K: Copy + Ord + Hash> Sum<K> {
    pub(crate) fn constant(constant: i128) -> Self {
        Self { terms: Vec::new(), constant }
    }

    pub(crate) fn whole(whole: K) -> Self {
        Self::atom(Atom::Whole(whole))
    }

    fn atom(atom: Atom<K>) -> Self {
        Self { terms: vec![(atom, 1)], constant: 0 }
    }

    /// Returns `self + factor·other`, or `None` where numbers become too large.
    pub(crate) fn plus(mut self, other: &Self, factor: i128) -> Option<Self> {
        for (atom, by) in &other.terms {
            let by = by.checked_mul(factor)?;
            match self.terms.binary_search_by_key(atom, |(known, _)| *known) {
                Ok(place) => {
                    let (_, sum) = self.terms.get_mut(place)?;
                    *sum = sum.checked_add(by)?;
                }
                Err(place) => self.terms.insert(place, (*atom, by)),
            }
        }
        self.terms.retain(|(_, by)| *by != 0);
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        Some(self)
    }
}

impl<K: Copy + Ord + Hash> Sums<K> {
    /// Returns the product of two sums, or `None` where numbers become too large.
    pub(crate) fn product(&mut self, lhs: &Sum<K>, rhs: &Sum<K>) -> Option<Sum<K>> {
        if rhs.terms.is_empty() {
            return Sum::constant(0).plus(lhs, rhs.constant);
        }
        if lhs.terms.is_empty() {
            return Sum::constant(0).plus(rhs, lhs.constant);
        }
        Some(self.operation(Operation::Product(lhs.clone(), rhs.clone())))
    }

    /// Returns a choice between two sums, or `None` where numbers become too large. The first sum's
    /// constant is taken out of the choice. Two choices whose operands are all shifted by one
    /// constant then differ by this constant only.
    pub(crate) fn one_of(
        &mut self,
        choice: Choice<K>,
        mut first: Sum<K>,
        mut second: Sum<K>,
    ) -> Option<Sum<K>> {
        let outside = std::mem::take(&mut first.constant);
        second.constant = second.constant.checked_sub(outside)?;
        self.operation(Operation::OneOf(choice, first, second)).plus(&Sum::constant(outside), 1)
    }

    fn operation(&mut self, operation: Operation<K>) -> Sum<K> {
        let (number, _) = self.operations.insert_full(operation);
        Sum::atom(Atom::Operation(number))
    }

    /// Returns the remainder of a sum divided by a positive number below 2^32, if it is the same
    /// for all values of the opaque atoms.
    pub(crate) fn residue(&mut self, sum: &Sum<K>, divisor: i128) -> Option<i128> {
        let mut total = sum.constant.rem_euclid(divisor);
        for (atom, by) in &sum.terms {
            let by = by.rem_euclid(divisor);
            if by != 0 {
                let Atom::Operation(number) = atom else { return None };
                let residue = self.residue_of_operation(*number, divisor)?;
                total = (total + by * residue).rem_euclid(divisor);
            }
        }
        Some(total)
    }

    fn residue_of_operation(&mut self, number: usize, divisor: i128) -> Option<i128> {
        if let Some(done) = self.residues.get(&(number, divisor)) {
            return *done;
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
        self.residues.insert((number, divisor), residue);
        residue
    }
}

#[cfg(test)]
mod tests {
    use super::{Choice, Sum, Sums};

    #[test]
    fn residues_are_those_of_all_values() {
        let mut sums = Sums::default();
        let (x, y) = (Sum::whole('x'), Sum::whole('y'));
        let scaled = |sum: &Sum<char>, by| Sum::constant(0).plus(sum, by).unwrap();
        let plus = |sum: &Sum<char>, by| sum.clone().plus(&Sum::constant(by), 1).unwrap();
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
        let mut sums = Sums::default();
        let (x, y) = (Sum::whole('x'), Sum::whole('y'));
        let plus = |sum: &Sum<char>, by| sum.clone().plus(&Sum::constant(by), 1).unwrap();
        let mut at = |choice, by| sums.one_of(choice, plus(&x, by), plus(&y, by + 3)).unwrap();
        let here = at(Choice::Least, 7);
        let beside = at(Choice::Least, 2);
        let other = at(Choice::Greatest, 7);
        let chosen = at(Choice::By('c'), 7);
        let distance = |to: &Sum<char>| here.clone().plus(to, -1).unwrap();
        assert_eq!(distance(&beside), Sum::constant(5));
        for wrong in [&other, &chosen] {
            assert_ne!(distance(wrong), Sum::constant(0));
        }
        let further = sums.one_of(Choice::Least, plus(&x, 7), plus(&y, 11)).unwrap();
        assert_ne!(distance(&further), Sum::constant(0));
        // First both are even, then one is odd.
        let double = |sum: &Sum<char>| Sum::constant(0).plus(sum, 2).unwrap();
        let even = sums.one_of(Choice::Least, double(&x), plus(&double(&y), 4)).unwrap();
        assert_eq!(sums.residue(&even, 2), Some(0));
        let odd = sums.one_of(Choice::Least, double(&x), plus(&double(&y), 3)).unwrap();
        assert_eq!(sums.residue(&odd, 2), None);
    }
}
