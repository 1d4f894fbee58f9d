//! Polynomials with integer coefficients over numbered unknowns.

use halidom_sums::{Product, Sum};

/// A product of unknowns.
pub(crate) type Monomial = Product<u32>;

/// A polynomial; `None` if it has a coefficient that is too large.
#[derive(Clone, Debug)]
pub(crate) struct Poly(Option<Sum<Monomial>>);

/// Polynomials that are too large are not known to be equal.
impl PartialEq for Poly {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_some() && self.0 == other.0
    }
}

impl Poly {
    pub(crate) fn number(value: i64) -> Self {
        Self(Some(Sum::constant(value.into())))
    }

    pub(crate) fn unknown(number: u32) -> Self {
        Self(Some(Sum::atom(number)))
    }

    fn combined(&self, other: &Self, factor: i128) -> Self {
        Self(self.0.as_ref().zip(other.0.as_ref()).and_then(|(a, b)| a.plus(b, factor)))
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        self.combined(other, 1)
    }

    pub(crate) fn scale(&self, by: i64) -> Self {
        Self(self.0.as_ref().and_then(|sum| sum.scaled(by.into())))
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.combined(other, -1)
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        Self(self.0.as_ref().zip(other.0.as_ref()).and_then(|(a, b)| a.times(b)))
    }

    /// Divides by a single unknown, if every monomial has that unknown.
    pub(crate) fn divided_by(&self, divisor: &Self) -> Option<Self> {
        let unknown = divisor.0.as_ref()?.as_atom()?;
        let mut quotient = Sum::default();
        for (monomial, factor) in self.0.as_ref()?.terms() {
            let rest = Sum::term(monomial.without(&[unknown])?, factor);
            quotient = quotient.plus(&rest, 1)?;
        }
        (!quotient.is_zero()).then_some(Self(Some(quotient)))
    }

    /// True if a single unknown has a positive coefficient on its own.
    pub(crate) fn adds(&self, unknown: &Self) -> bool {
        let Some(atom) = unknown.0.as_ref().and_then(Sum::as_atom) else { return false };
        self.0.iter().flat_map(Sum::terms).any(|(monomial, factor)| {
            factor > 0 && monomial.len() == 1 && monomial.without(&[atom]).is_some()
        })
    }

    /// The polynomial's value, if it has no unknown and the value fits in 64 bits.
    pub(crate) fn constant(&self) -> Option<i64> {
        i64::try_from(self.0.as_ref()?.as_constant()?).ok()
    }

    /// The monomials with their coefficients; `None` if one does not fit in 64 bits.
    pub(crate) fn terms(&self) -> Option<Vec<(&Monomial, i64)>> {
        let terms = self.0.as_ref()?.terms();
        terms.map(|(monomial, factor)| Some((monomial, i64::try_from(factor).ok()?))).collect()
    }

    /// The monomials with two or more unknowns.
    pub(crate) fn nonlinear(&self) -> impl Iterator<Item = &Monomial> {
        let monomials = self.0.iter().flat_map(|sum| sum.terms().map(|(monomial, _)| monomial));
        monomials.filter(|monomial| monomial.len() > 1)
    }

    /// The largest number of unknowns in a monomial.
    pub(crate) fn degree(&self) -> usize {
        let monomials = self.0.iter().flat_map(|sum| sum.terms().map(|(monomial, _)| monomial));
        monomials.map(|monomial| monomial.len()).max().unwrap_or(0)
    }

    /// True if some coefficient exceeds 2^40 in magnitude.
    pub(crate) fn is_huge(&self) -> bool {
        self.0
            .as_ref()
            .is_none_or(|sum| sum.terms().any(|(_, factor)| factor.unsigned_abs() > 1 << 40))
    }
}

#[cfg(test)]
mod tests {
    use super::Poly;

    #[test]
    fn polynomials_that_are_too_large_are_huge_and_do_not_cancel() {
        let large = Poly::unknown(0).scale(1 << 62);
        assert!(large.minus(&large).constant() == Some(0));
        let larger = large.scale(1 << 62).scale(8);
        assert!(larger.is_huge(), "{larger:?}");
        assert!(larger.minus(&larger).is_huge());
        assert!(larger != larger.clone() && larger.terms().is_none());
    }
}
