//! Quotients and remainders that round towards 0 or down, as terms over the Euclidean ones.
//!
//! # Correctness
//!
//! Let `a = q·b + r` with `0 ≤ r < |b|` be the Euclidean division, and `b` other than 0. If `r` is
//! 0, the quotient is exact, and all divisions agree. Otherwise `a / b = q + r / b` lies strictly
//! between `q` and `q + 1` if `b` is positive, and between `q - 1` and `q` if it is negative.
//!
//! * Rounding down gives `q` if `b` is positive and `q - 1` if it is negative; the remainders are
//!   `r` and `r + b`.
//! * Rounding towards 0 gives `q` if `a` is not negative: a positive `b` then has `q ≥ 0`, and a
//!   negative one has `q ≤ 0`. If `a` is negative, it gives `q + 1` for a positive `b` and `q - 1`
//!   for a negative one; the remainders are `r - b` and `r + b`.
//!
//! The remainder of each is `a` minus the quotient times `b`. The corrections are at most one
//! multiple of `b`, so they hold in types that wrap too; there the least number divided by -1 is
//! itself in all divisions. Where `b` is 0, no quotient is defined, and the terms mean nothing.

use super::pattern::Op;
use super::value::{Domain, Fun, ValueId, Values};

/// Returns the quotient or remainder of integers that an operator of TVM computes.
pub(super) fn rounded(values: &mut Values, op: Op, a: ValueId, b: ValueId) -> ValueId {
    let domain = values.domain(b);
    let is_quotient = matches!(op, Op::TruncDiv | Op::FloorDiv);
    let plain = values.apply(if is_quotient { Fun::Div } else { Fun::Mod }, &[a, b]);
    if matches!(domain, Domain::Unsigned(_)) {
        return plain;
    }
    let zero = values.number(0, domain);
    let remainder = values.apply(Fun::Mod, &[a, b]);
    let is_exact = values.apply(Fun::Eq, &[remainder, zero]);
    let is_negative = values.apply(Fun::Lt, &[b, zero]);
    let step = if is_quotient { values.number(1, domain) } else { b };
    // The value where the Euclidean quotient is one above the result.
    let below = values.apply(if is_quotient { Fun::Sub } else { Fun::Add }, &[plain, step]);
    let (is_other, other) = match op {
        Op::FloorDiv | Op::FloorMod => (is_negative, below),
        _ => {
            let above = values.apply(if is_quotient { Fun::Add } else { Fun::Sub }, &[plain, step]);
            let other = values.apply(Fun::Ite, &[is_negative, below, above]);
            (values.apply(Fun::Lt, &[a, zero]), other)
        }
    };
    let mended = values.apply(Fun::Ite, &[is_exact, plain, other]);
    values.apply(Fun::Ite, &[is_other, mended, plain])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::value::Number;

    /// Returns the value that the terms give for two numbers.
    fn value(op: Op, domain: Domain, a: i128, b: i128) -> i128 {
        let mut values = Values::default();
        let (x, y) = (values.var("x", domain), values.var("y", domain));
        let term = rounded(&mut values, op, x, y);
        let numbers = [Number::whole(a), Number::whole(b)];
        values.evaluate(term, &numbers, &mut |_, _| {}).expect("it is small").numerator
    }

    #[test]
    fn quotients_and_remainders_round_as_they_are_named() {
        for domain in [Domain::Whole, Domain::Signed(8)] {
            for a in -20..=20 {
                for b in (-7..=7).filter(|b| *b != 0) {
                    // Rust's operators round towards 0.
                    assert_eq!(value(Op::TruncDiv, domain, a, b), a / b, "{a} / {b}");
                    assert_eq!(value(Op::TruncMod, domain, a, b), a % b, "{a} % {b}");
                    let floor = (f64::from(a as i32) / f64::from(b as i32)).floor() as i128;
                    assert_eq!(value(Op::FloorDiv, domain, a, b), floor, "{a} // {b}");
                    assert_eq!(value(Op::FloorMod, domain, a, b), a - floor * b, "{a} mod {b}");
                }
            }
        }
        assert_eq!(value(Op::TruncDiv, Domain::Unsigned(8), 255, 2), 127);
        assert_eq!(value(Op::FloorMod, Domain::Unsigned(8), 255, 16), 15);
    }
}
