//! Polynomials over opaque integers, and their residues.
//!
//! The printer has an analysis for the same purpose. This one is independent: it multiplies
//! products out, and it never fails, because a caller may take any value as an opaque integer.

use std::collections::BTreeMap;

use halidom_base::{FxHashMap, IndexSet};

use crate::term::TermId;

/// The most monomials that a product may have; a larger product is left opaque.
const MOST_MONOMIALS: usize = 64;

/// A factor of a monomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Atom {
    /// A term whose value may be any integer.
    Opaque(TermId),
    /// A choice, by its number.
    Choice(usize),
}

/// A sum of monomials with integer coefficients. No coefficient is 0, and the atoms of a monomial
/// are sorted, so equal polynomials have equal representations. The empty monomial is the constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Polynomial {
    monomials: BTreeMap<Vec<Atom>, i128>,
}

/// The rule by which one of two values is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rule {
    Least,
    Greatest,
    Condition(TermId),
}

/// One of two values, by a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Choice {
    rule: Rule,
    first: Polynomial,
    second: Polynomial,
}

/// The choices that polynomials refer to, and the residues of these choices.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    choices: IndexSet<Choice>,
    residues: FxHashMap<(usize, i128), Option<i128>>,
}

impl Polynomial {
    pub(crate) fn constant(value: i128) -> Self {
        Self::monomial(Vec::new(), value)
    }

    pub(crate) fn opaque(term: TermId) -> Self {
        Self::monomial(vec![Atom::Opaque(term)], 1)
    }

    fn monomial(atoms: Vec<Atom>, coefficient: i128) -> Self {
        let mut monomials = BTreeMap::new();
        if coefficient != 0 {
            monomials.insert(atoms, coefficient);
        }
        Self { monomials }
    }

    fn constant_part(&self) -> i128 {
        self.monomials.get(&Vec::new()).copied().unwrap_or(0)
    }

    /// Returns `self + factor·other`, or `None` if a coefficient becomes too large.
    pub(crate) fn plus(&self, factor: i128, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        for (atoms, coefficient) in &other.monomials {
            sum.add(atoms.clone(), coefficient.checked_mul(factor)?)?;
        }
        Some(sum)
    }

    /// Returns the product, or `None` if it becomes too large.
    pub(crate) fn times(&self, other: &Self) -> Option<Self> {
        if self.monomials.len() * other.monomials.len() > MOST_MONOMIALS {
            return None;
        }
        let mut product = Self::default();
        for (own, coefficient) in &self.monomials {
            for (others, factor) in &other.monomials {
                let mut atoms: Vec<Atom> = own.iter().chain(others).copied().collect();
                atoms.sort_unstable();
                product.add(atoms, coefficient.checked_mul(*factor)?)?;
            }
        }
        Some(product)
    }

    fn add(&mut self, atoms: Vec<Atom>, coefficient: i128) -> Option<()> {
        let sum = self.monomials.get(&atoms).copied().unwrap_or(0).checked_add(coefficient)?;
        if sum == 0 {
            self.monomials.remove(&atoms);
        } else {
            self.monomials.insert(atoms, sum);
        }
        Some(())
    }
}

impl Choices {
    /// Returns one of two values, or `None` if a coefficient becomes too large. A constant that is
    /// added to both values is added to the choice instead, so that `min(x + 5, y + 5)` and
    /// `min(x, y)` differ by a constant.
    pub(crate) fn one_of(
        &mut self,
        rule: Rule,
        first: &Polynomial,
        second: &Polynomial,
    ) -> Option<Polynomial> {
        if first == second {
            return Some(first.clone());
        }
        let shift = Polynomial::constant(first.constant_part());
        let (first, second) = (first.plus(-1, &shift)?, second.plus(-1, &shift)?);
        let (number, _) = self.choices.insert_full(Choice { rule, first, second });
        Polynomial::monomial(vec![Atom::Choice(number)], 1).plus(1, &shift)
    }

    /// Returns the remainder of a polynomial divided by a positive number below 2^32, if it is the
    /// same for all values of the opaque terms.
    pub(crate) fn residue(&mut self, polynomial: &Polynomial, divisor: i128) -> Option<i128> {
        let mut total = 0;
        for (atoms, coefficient) in &polynomial.monomials {
            let mut known = coefficient.rem_euclid(divisor);
            let mut all_known = true;
            for atom in atoms {
                let residue = match atom {
                    Atom::Opaque(_) => None,
                    Atom::Choice(number) => self.residue_of_choice(*number, divisor),
                };
                match residue {
                    Some(residue) => known = (known * residue).rem_euclid(divisor),
                    None => all_known = false,
                }
            }
            // A multiple of the divisor stays one, whatever the other factors are.
            if known != 0 && !all_known {
                return None;
            }
            total = (total + known).rem_euclid(divisor);
        }
        Some(total)
    }

    fn residue_of_choice(&mut self, number: usize, divisor: i128) -> Option<i128> {
        if let Some(done) = self.residues.get(&(number, divisor)) {
            return *done;
        }
        let Choice { rule: _, first, second } = self.choices.get_index(number)?.clone();
        let residue = self.residue(&first, divisor);
        let residue = residue.filter(|_| self.residue(&second, divisor) == residue);
        self.residues.insert((number, divisor), residue);
        residue
    }
}

#[cfg(test)]
mod tests {
    use halidom_base::Id;

    use super::{Choices, Polynomial, Rule, TermId};

    fn opaque(number: usize) -> Polynomial {
        Polynomial::opaque(TermId::from_index(number))
    }

    /// `factor·polynomial + constant`
    fn linear(factor: i128, polynomial: &Polynomial, constant: i128) -> Polynomial {
        Polynomial::constant(constant).plus(factor, polynomial).unwrap()
    }

    #[test]
    fn residues_hold_for_all_values() {
        let mut choices = Choices::default();
        let (x, y) = (opaque(0), opaque(1));
        let mut residue = |polynomial: &Polynomial, divisor| choices.residue(polynomial, divisor);
        assert_eq!(residue(&x, 4), None);
        assert_eq!(residue(&linear(4, &x, -3), 4), Some(1));
        assert_eq!(residue(&linear(2, &x, -3), 4), None);
        // x - x cancels, and so does (x + 1)(x - 1) - x².
        assert_eq!(residue(&linear(1, &x, 5).plus(-1, &x).unwrap(), 4), Some(1));
        let product = linear(1, &x, 1).times(&linear(1, &x, -1)).unwrap();
        assert_eq!(residue(&product.plus(-1, &x.times(&x).unwrap()).unwrap(), 8), Some(7));
        // 4x·y, (4x + 3)(8y + 3) and 2x·y.
        assert_eq!(residue(&linear(4, &x, 0).times(&y).unwrap(), 4), Some(0));
        let product = linear(4, &x, 3).times(&linear(8, &y, 3)).unwrap();
        assert_eq!(residue(&product, 4), Some(1));
        assert_eq!(residue(&linear(2, &x, 0).times(&y).unwrap(), 4), None);
    }

    #[test]
    fn a_choice_has_the_residue_that_both_values_have() {
        let mut choices = Choices::default();
        let (x, y) = (opaque(0), opaque(1));
        let mut least = |first: &Polynomial, second: &Polynomial| {
            choices.one_of(Rule::Least, first, second).unwrap()
        };
        let even = least(&linear(2, &x, 0), &linear(2, &y, 4));
        let odd = least(&linear(2, &x, 0), &linear(2, &y, 3));
        let both = least(&linear(3, &x, 1), &linear(3, &x, 1));
        assert_eq!(choices.residue(&even, 2), Some(0));
        assert_eq!(choices.residue(&even.times(&x).unwrap(), 2), Some(0));
        assert_eq!(choices.residue(&odd, 2), None);
        assert_eq!(choices.residue(&both, 3), Some(1));
    }

    #[test]
    fn choices_that_are_shifted_alike_differ_by_a_constant() {
        let mut choices = Choices::default();
        let (x, y) = (opaque(0), opaque(1));
        let mut at =
            |rule, by| choices.one_of(rule, &linear(1, &x, by), &linear(1, &y, by + 3)).unwrap();
        let here = at(Rule::Least, 7);
        let near = at(Rule::Least, 2);
        let others = [at(Rule::Greatest, 7), at(Rule::Condition(TermId::from_index(2)), 7)];
        assert_eq!(here.plus(-1, &near), Some(Polynomial::constant(5)));
        for other in others {
            assert_ne!(here.plus(-1, &other), Some(Polynomial::constant(0)));
        }
        let further = choices.one_of(Rule::Least, &linear(1, &x, 7), &linear(1, &y, 11)).unwrap();
        assert_ne!(here.plus(-1, &further), Some(Polynomial::constant(0)));
    }

    #[test]
    fn numbers_that_are_too_large_have_no_polynomial() {
        let (x, y) = (opaque(0), opaque(1));
        let large = linear(i128::MAX, &x, 0);
        assert_eq!(large.plus(1, &large), None);
        assert_eq!(large.times(&linear(2, &y, 0)), None);
        let long = (0..9).fold(Polynomial::constant(1), |sum, n| sum.plus(1, &opaque(n)).unwrap());
        assert_eq!(long.times(&long), None);
    }
}
