//! Exact rational numbers.

use halidom_ir::Constant;
use num_bigint::BigInt;
use num_integer::Integer as _;

/// A rational number in lowest terms, with a positive denominator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rational {
    numerator: BigInt,
    denominator: BigInt,
}

impl Rational {
    #[cfg(test)]
    pub(crate) fn integer(value: i64) -> Self {
        Self { numerator: value.into(), denominator: 1.into() }
    }

    /// Converts a finite float into its number. Returns `None` for NaN, the infinities, and
    /// constants that are not floats.
    pub(crate) fn of(constant: Constant) -> Option<Self> {
        let value = constant.as_f64().or(constant.as_f32().map(f64::from))?;
        if !value.is_finite() {
            return None;
        }
        let bits = value.to_bits();
        let (exponent, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
        // Subnormal numbers have no hidden bit and the least exponent.
        let (significand, exponent) =
            if exponent == 0 { (fraction, 1) } else { (fraction | (1 << 52), exponent) };
        let significand = BigInt::from(significand);
        let significand = if value.is_sign_negative() { -significand } else { significand };
        let one = BigInt::from(1);
        // The value is significand * 2^(exponent - 1075).
        Some(if exponent >= 1075 {
            Self::reduced(significand << (exponent - 1075), one)
        } else {
            Self::reduced(significand, one << (1075 - exponent))
        })
    }

    /// Reduces a fraction to lowest terms. `denominator` must not be 0.
    fn reduced(numerator: BigInt, denominator: BigInt) -> Self {
        let common = numerator.gcd(&denominator);
        let (numerator, denominator) = (numerator / &common, denominator / common);
        if denominator < BigInt::from(0) {
            Self { numerator: -numerator, denominator: -denominator }
        } else {
            Self { numerator, denominator }
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.numerator == BigInt::from(0)
    }

    #[cfg(test)]
    pub(crate) fn is_negative(&self) -> bool {
        self.numerator < BigInt::from(0)
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        Self::reduced(
            &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            &self.denominator * &other.denominator,
        )
    }

    pub(crate) fn mul(&self, other: &Self) -> Self {
        Self::reduced(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }

    pub(crate) fn negated(&self) -> Self {
        Self { numerator: -&self.numerator, denominator: self.denominator.clone() }
    }

    /// The inverse, or `None` for 0.
    pub(crate) fn inverse(&self) -> Option<Self> {
        let (numerator, denominator) = (self.denominator.clone(), self.numerator.clone());
        (!self.is_zero()).then(|| Self::reduced(numerator, denominator))
    }
}

#[cfg(test)]
mod tests {
    use halidom_ir::Constant;

    use super::Rational;

    #[test]
    fn a_float_is_its_number() {
        let of = |value: f64| Rational::of(Constant::f64(value)).unwrap();
        let (half, third) = (of(0.5), Rational::integer(3).inverse().unwrap());
        assert_eq!(half.add(&half), Rational::integer(1));
        assert_eq!(of(-6.0).mul(&third), Rational::integer(-2));
        assert_eq!(of(2.0_f64.powi(70)).mul(&of(2.0_f64.powi(-70))), Rational::integer(1));
        let least = f64::from_bits(1);
        assert_eq!(
            of(least).mul(&of(2.0_f64.powi(1000))).mul(&of(2.0_f64.powi(74))),
            Rational::integer(1)
        );
        assert!(of(-0.0).is_zero() && of(-0.0) == of(0.0) && of(0.0).inverse().is_none());
        assert_ne!(of(0.1).add(&of(0.2)), of(0.3));
        assert_eq!(Rational::of(Constant::f32(0.1)), Some(of(f64::from(0.1_f32))));
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Rational::of(Constant::f64(value)), None);
        }
        assert_eq!(of(3.0).negated(), Rational::integer(-3));
    }
}
