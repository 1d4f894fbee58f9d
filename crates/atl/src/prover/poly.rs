//! Polynomials with integer coefficients over numbered unknowns.

use std::collections::BTreeMap;

/// A polynomial: coefficients of products of unknowns. The empty product is the constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Poly(pub(crate) BTreeMap<Vec<u32>, i64>);

/// The coefficient that stands for every number that is too large. It never becomes smaller again:
/// two of them do not cancel.
const HUGE: i64 = i64::MAX;

/// A result, or [`HUGE`] if it, or one of the numbers that it comes from, is too large.
fn bounded(result: Option<i64>, of: [i64; 2]) -> i64 {
    result.filter(|_| !of.contains(&HUGE)).unwrap_or(HUGE)
}

fn multiplied(a: i64, b: i64) -> i64 {
    bounded(a.checked_mul(b), [a, b])
}

impl Poly {
    pub(crate) fn number(value: i64) -> Self {
        let mut poly = Self::default();
        poly.add(&[], value);
        poly
    }

    pub(crate) fn unknown(number: u32) -> Self {
        let mut poly = Self::default();
        poly.add(&[number], 1);
        poly
    }

    fn add(&mut self, monomial: &[u32], factor: i64) {
        let entry = self.0.entry(monomial.to_vec()).or_insert(0);
        *entry = bounded(entry.checked_add(factor), [*entry, factor]);
        if *entry == 0 {
            self.0.remove(monomial);
        }
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        for (monomial, factor) in &other.0 {
            sum.add(monomial, *factor);
        }
        sum
    }

    pub(crate) fn scale(&self, by: i64) -> Self {
        Self(
            self.0
                .iter()
                .map(|(monomial, factor)| (monomial.clone(), multiplied(*factor, by)))
                .collect(),
        )
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.plus(&other.scale(-1))
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for (x, a) in &self.0 {
            for (y, b) in &other.0 {
                let mut monomial = [x.as_slice(), y].concat();
                monomial.sort_unstable();
                product.add(&monomial, multiplied(*a, *b));
            }
        }
        product
    }

    /// Divides by a single unknown, if every monomial has that unknown.
    pub(crate) fn divided_by(&self, divisor: &Self) -> Option<Self> {
        let mut parts = divisor.0.iter();
        let (monomial, factor) = parts.next()?;
        let ([unknown], 1, None) = (monomial.as_slice(), *factor, parts.next()) else {
            return None;
        };
        let mut quotient = Self::default();
        for (monomial, factor) in &self.0 {
            let place = monomial.iter().position(|other| other == unknown)?;
            let mut rest = monomial.clone();
            rest.remove(place);
            quotient.add(&rest, *factor);
        }
        (!quotient.0.is_empty()).then_some(quotient)
    }

    /// The polynomial's value, if it has no unknown.
    pub(crate) fn constant(&self) -> Option<i64> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// The monomials with two or more unknowns.
    pub(crate) fn nonlinear(&self) -> impl Iterator<Item = &Vec<u32>> {
        self.0.keys().filter(|monomial| monomial.len() > 1)
    }

    /// True if some coefficient exceeds 2^40 in magnitude, as it may come from an overflow.
    pub(crate) fn is_huge(&self) -> bool {
        self.0.values().any(|factor| factor.unsigned_abs() > 1 << 40)
    }
}

#[cfg(test)]
mod tests {
    use super::Poly;

    #[test]
    fn coefficients_that_are_too_large_do_not_cancel() {
        let large = Poly::unknown(0).scale(1 << 62);
        let difference = large.scale(4).minus(&large.scale(3));
        assert!(difference.is_huge(), "{difference:?}");
        assert!(large.minus(&large).0.is_empty());
    }
}
