//! Exact rational numbers.

use halidom_ir::{BinaryOp, Constant};
use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;

/// A rational number in lowest terms: the numerator, and the denominator, which is above 0.
pub(crate) type Rational = [BigInt; 2];

/// Converts a finite float into its number. Returns `None` for NaN, the infinities, and constants
/// that are not floats.
pub(crate) fn of(constant: Constant) -> Option<Rational> {
    let value = constant.as_f64().or(constant.as_f32().map(f64::from))?;
    let (bits, one) = (value.abs().to_bits(), BigInt::from(1));
    let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    // Subnormal numbers have no hidden bit and the least exponent.
    let hidden = u64::from(exponent > 0) << 52;
    let significand = BigInt::from(fraction | hidden);
    let significand = if value.is_sign_negative() { -significand } else { significand };
    // The value is significand * 2^(exponent - 1075).
    let number = match exponent.max(1) {
        exponent @ 0..1075 => [significand, one << (1075 - exponent)],
        exponent => [significand << (exponent - 1075), one],
    };
    value.is_finite().then(|| reduced(number)).flatten()
}

/// Applies an operator of arithmetic. Returns `None` for other operators and for quotients by 0.
pub(crate) fn applied(op: BinaryOp, [a, b]: Rational, [c, d]: Rational) -> Option<Rational> {
    reduced(if let BinaryOp::Add(_) = op {
        [a * &d + c * &b, b * d]
    } else if let BinaryOp::Sub(_) = op {
        [a * &d - c * &b, b * d]
    } else if let BinaryOp::Mul(_) = op {
        [a * c, b * d]
    } else if op == BinaryOp::Div {
        [a * d, b * c]
    } else {
        return None;
    })
}

/// Reduces a fraction to lowest terms. Returns `None` if the denominator is 0.
fn reduced([above, below]: Rational) -> Option<Rational> {
    let common = above.gcd(&below);
    match below.sign() {
        Sign::NoSign => None,
        Sign::Plus => Some([above / &common, below / common]),
        Sign::Minus => Some([-above / &common, -below / common]),
    }
}

#[cfg(test)]
mod tests {
    use halidom_ir::{BinaryOp, Constant, Overflow};
    use num_bigint::BigInt;

    use super::{Rational, applied, of};

    const MUL: BinaryOp = BinaryOp::Mul(Overflow::Wraps);

    fn integer(value: i64) -> Rational {
        [value.into(), 1.into()]
    }

    #[test]
    fn a_float_is_its_number() {
        let of = |value: f64| of(Constant::f64(value));
        let apply =
            |op, a: Option<Rational>, b: Option<Rational>| applied(op, a.unwrap(), b.unwrap());
        let add = BinaryOp::Add(Overflow::Wraps);
        let (half, one) = (of(0.5), Some(integer(1)));
        assert_eq!(apply(add, half.clone(), half.clone()), one);
        let third = apply(BinaryOp::Div, one.clone(), of(3.0));
        assert_eq!(third, Some([1.into(), 3.into()]));
        assert_eq!(apply(MUL, of(-6.0), third), Some(integer(-2)));
        assert_eq!(apply(MUL, of(2.0_f64.powi(70)), of(2.0_f64.powi(-70))), one);
        assert_eq!(apply(BinaryOp::Div, of(6.0), of(-4.0)), Some([(-3).into(), 2.into()]));
        let least = apply(MUL, of(f64::from_bits(1)), of(2.0_f64.powi(1000)));
        assert_eq!(apply(MUL, least, of(2.0_f64.powi(74))), one);
        assert_eq!(of(f64::from_bits(1)), Some([1.into(), BigInt::from(1) << 1074]));
        assert_eq!(of(f64::MAX), Some([((BigInt::from(1) << 53) - 1) << 971, 1.into()]));
        let zero = of(-0.0);
        assert!(zero == of(0.0) && zero == Some(integer(0)));
        assert_eq!(apply(BinaryOp::Div, one, zero), None);
        assert_ne!(apply(add, of(0.1), of(0.2)), of(0.3));
        assert_eq!(super::of(Constant::f32(0.1)), of(f64::from(0.1_f32)));
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(of(value), None);
        }
        let difference = BinaryOp::Sub(Overflow::Wraps);
        assert_eq!(apply(difference, of(0.0), of(3.0)), Some(integer(-3)));
        assert_eq!(apply(BinaryOp::Min, half.clone(), half), None);
    }
}
