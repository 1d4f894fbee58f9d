//! Sums of multiples, in a normal form, and what they leave when they are divided.

use std::hash::Hash;

use halidom_base::{FxHashMap, IndexSet};

/// `Σ factor·atom + constant`: factors are not 0, atoms are in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sum<K> {
    terms: Vec<(Atom<K>, i128)>,
    constant: i128,
}

/// What is multiplied in a sum: what is not looked into, or the number of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Atom<K> {
    Whole(K),
    Operation(usize),
}

/// An operation on sums that is none itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Operation<K> {
    Product(Sum<K>, Sum<K>),
    /// The least or greatest of two, or one of them.
    OneOf(Choice<K>, Sum<K>, Sum<K>),
}

/// How one of two sums is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Choice<K> {
    Least,
    Greatest,
    /// By a condition.
    By(K),
}

/// The operations within sums.
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

    /// `self + factor·other`; `None` where numbers become too large.
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
    /// `None` where numbers become too large.
    pub(crate) fn product(&mut self, lhs: &Sum<K>, rhs: &Sum<K>) -> Option<Sum<K>> {
        if rhs.terms.is_empty() {
            return Sum::constant(0).plus(lhs, rhs.constant);
        }
        if lhs.terms.is_empty() {
            return Sum::constant(0).plus(rhs, lhs.constant);
        }
        Some(self.operation(Operation::Product(lhs.clone(), rhs.clone())))
    }

    /// The constant of the first stands outside, so that extremes of what lies so far apart are equal but for a constant. `None` where numbers become too large.
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

    /// What a sum leaves when it is divided by a positive number below 2^32, if that is the same whatever the values of what is not looked into.
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
        // Both are even, or one is not.
        let double = |sum: &Sum<char>| Sum::constant(0).plus(sum, 2).unwrap();
        let even = sums.one_of(Choice::Least, double(&x), plus(&double(&y), 4)).unwrap();
        assert_eq!(sums.residue(&even, 2), Some(0));
        let odd = sums.one_of(Choice::Least, double(&x), plus(&double(&y), 3)).unwrap();
        assert_eq!(sums.residue(&odd, 2), None);
    }
}
