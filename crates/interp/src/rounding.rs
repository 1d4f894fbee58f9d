//! Tests whether floating-point arithmetic was exact.
//!
//! # Correctness
//! If nothing overflows, a sum is exact if and only if the error term of two-sum (Knuth) is 0. The
//! product of two `f32` is exact in `f64`. For the product of two `f64`, a fused multiply-add gives
//! the error, provided that it cannot be too small for the type. A quotient is exact if and only if
//! its product with the divisor is the dividend. In doubt the answer is that the operation rounded.

use halidom_ir::{BinaryOp, Constant, Intrinsic};

/// The least product that is checked. The error term of a smaller one may be too small for `f64`.
const LEAST_PRODUCT: f64 = 1e-250;

/// True if the result of an operator on floats differs from the operator's result on real numbers,
/// or if NaN or infinity is involved. Other types never round.
pub(crate) fn rounds(op: BinaryOp, (a, b): (Constant, Constant), value: Constant) -> bool {
    if !a.scalar().is_float() {
        return false;
    }
    if let (Some(a), Some(b), Some(value)) = (a.as_f32(), b.as_f32(), value.as_f32()) {
        return !is_exact(op, (a.into(), b.into()), value.into(), |sum| f64::from(sum as f32));
    }
    if let (Some(a), Some(b), Some(value)) = (a.as_f64(), b.as_f64(), value.as_f64()) {
        return !is_exact(op, (a, b), value, |sum| sum);
    }
    // A comparison with NaN is not a comparison of numbers.
    [a, b].iter().any(|operand| {
        operand.as_f32().is_some_and(f32::is_nan) || operand.as_f64().is_some_and(f64::is_nan)
    })
}

/// True if a conversion to or from floats changes the number, or converts NaN.
pub(crate) fn cast_rounds(operand: Constant, value: Constant) -> bool {
    match (wide(operand), wide(value)) {
        (Some(from), Some(to)) => from.is_nan() || from.total_cmp(&to).is_ne(),
        (Some(from), None) => from.is_nan(),
        (None, Some(to)) => operand.as_integer() != Some(to as i128),
        (None, None) => false,
    }
}

/// True if a function of a float rounds. The functions that IEEE 754 leaves open always count as
/// rounding.
pub(crate) fn call_rounds(intrinsic: Intrinsic, operand: Constant, value: Constant) -> bool {
    let (Some(operand), Some(value)) = (wide(operand), wide(value)) else { return false };
    match intrinsic {
        Intrinsic::Abs
        | Intrinsic::Floor
        | Intrinsic::Ceil
        | Intrinsic::Round
        | Intrinsic::Trunc => operand.is_nan(),
        Intrinsic::Sqrt => !(value.is_finite() && is_product(value, value, operand)),
        Intrinsic::Exp
        | Intrinsic::Log
        | Intrinsic::Sin
        | Intrinsic::Cos
        | Intrinsic::Tan
        | Intrinsic::Atan => true,
    }
}

/// The value of a float, widened to `f64`. `None` for other types.
fn wide(constant: Constant) -> Option<f64> {
    constant.as_f64().or(constant.as_f32().map(f64::from))
}

/// True if the result of an operator is exact. `narrow` rounds to the type at hand.
fn is_exact(op: BinaryOp, (a, b): (f64, f64), value: f64, narrow: impl Fn(f64) -> f64) -> bool {
    // The result is one of the operands. An infinite operand may stand for a large number.
    if op == BinaryOp::Min || op == BinaryOp::Max {
        return !a.is_nan() && !b.is_nan();
    }
    if !(a.is_finite() && b.is_finite() && value.is_finite()) {
        return false;
    }
    match op {
        BinaryOp::Add(_) => is_sum(a, b, value, narrow),
        BinaryOp::Sub(_) => is_sum(a, -b, value, narrow),
        BinaryOp::Mul(_) => is_product(a, b, value),
        BinaryOp::Div => b != 0.0 && is_product(value, b, a),
        BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::Mod
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => false,
    }
}

/// Two-sum. Each difference and sum is rounded to the type.
fn is_sum(a: f64, b: f64, sum: f64, narrow: impl Fn(f64) -> f64) -> bool {
    let of_b = narrow(sum - a);
    let of_a = narrow(sum - of_b);
    narrow(narrow(a - of_a) + narrow(b - of_b)) == 0.0
}

fn is_product(a: f64, b: f64, product: f64) -> bool {
    if product == 0.0 {
        return a == 0.0 || b == 0.0;
    }
    product.abs() > LEAST_PRODUCT && a.mul_add(b, -product) == 0.0
}

#[cfg(test)]
mod tests {
    use halidom_ir::{BinaryOp, Constant, Intrinsic, Overflow, Scalar, eval};

    use super::{call_rounds, cast_rounds, rounds};

    const ADD: BinaryOp = BinaryOp::Add(Overflow::Wraps);
    const SUB: BinaryOp = BinaryOp::Sub(Overflow::Wraps);
    const MUL: BinaryOp = BinaryOp::Mul(Overflow::Wraps);

    fn narrow(op: BinaryOp, a: f32, b: f32) -> bool {
        let (a, b) = (Constant::f32(a), Constant::f32(b));
        rounds(op, (a, b), eval::binary(op, a, b).unwrap())
    }

    fn wide(op: BinaryOp, a: f64, b: f64) -> bool {
        let (a, b) = (Constant::f64(a), Constant::f64(b));
        rounds(op, (a, b), eval::binary(op, a, b).unwrap())
    }

    #[test]
    fn exact_results_are_told_from_rounded_ones() {
        for (op, a, b, rounded) in [
            (ADD, 1.5, 2.25, false),
            (ADD, 0.1, 0.2, true),
            (SUB, 1.0, 1e-9, true),
            (SUB, 0.3, 0.3, false),
            (ADD, 1e20, 1.0, true),
            (MUL, 3.0, 0.1, true),
            (MUL, 4.0, 0.1, false),
            (MUL, 0.0, 0.1, false),
            (MUL, 1e-30, 1e-30, true),
            (BinaryOp::Div, 1.0, 4.0, false),
            (BinaryOp::Div, 1.0, 3.0, true),
            (BinaryOp::Div, 1.0, 0.0, true),
            (MUL, f32::INFINITY, 2.0, true),
            (BinaryOp::Min, f32::INFINITY, 2.0, false),
            (BinaryOp::Min, f32::NAN, 2.0, true),
            (BinaryOp::Lt, 0.1, 2.0, false),
            (BinaryOp::Lt, f32::NAN, 2.0, true),
        ] {
            assert_eq!(narrow(op, a, b), rounded, "{op:?} {a} {b}");
        }
        assert!(wide(ADD, 0.1, 0.2) && wide(MUL, 0.1, 3.0) && wide(MUL, 1e-200, 1e-200));
        assert!(!wide(ADD, 0.5, 0.25) && !wide(MUL, 0.5, 0.1) && !wide(BinaryOp::Div, 6.0, 3.0));
    }

    #[test]
    fn conversions_and_functions_round_too() {
        let integer = |value| Constant::wrapped(Scalar::I32, value).unwrap();
        for (to, operand, rounded) in [
            (Scalar::F32, Constant::f64(0.1), true),
            (Scalar::F32, Constant::f64(0.25), false),
            (Scalar::F64, Constant::f32(0.1), false),
            (Scalar::F32, integer((1 << 24) + 1), true),
            (Scalar::F32, integer(1 << 24), false),
            (Scalar::I32, Constant::f32(0.5), false),
            (Scalar::I32, Constant::f32(f32::NAN), true),
        ] {
            let value = eval::cast(to, operand).unwrap();
            assert_eq!(cast_rounds(operand, value), rounded, "{to} of {operand:?}");
        }
        for (call, operand, rounded) in [
            (Intrinsic::Sqrt, 2.25, false),
            (Intrinsic::Sqrt, 2.0, true),
            (Intrinsic::Sqrt, -1.0, true),
            (Intrinsic::Floor, 2.5, false),
            (Intrinsic::Exp, 0.0, true),
        ] {
            let operand = Constant::f32(operand);
            let value = eval::intrinsic(call, operand).unwrap();
            assert_eq!(call_rounds(call, operand, value), rounded, "{call:?} of {operand:?}");
        }
    }

    /// Compares operations in `f32` with the same operations in `f64`, which is exact for numbers
    /// of few digits.
    #[test]
    fn it_agrees_with_wider_arithmetic() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut seen = [0, 0];
        for _ in 0..20_000 {
            let mut draw = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let digits = (state % (1 << 24)) as f32;
                digits * 2.0_f32.powi(((state >> 32) % 16) as i32 - 24)
            };
            let (a, b) = (draw(), draw());
            for (op, value) in [
                (ADD, f64::from(a) + f64::from(b)),
                (SUB, f64::from(a) - f64::from(b)),
                (MUL, f64::from(a) * f64::from(b)),
            ] {
                let exact = f64::from(value as f32).to_bits() == value.to_bits();
                assert_eq!(narrow(op, a, b), !exact, "{op:?} {a} {b}");
                seen[usize::from(exact)] += 1;
            }
        }
        assert!(seen[0] > 1000 && seen[1] > 1000, "{seen:?}");
    }
}
