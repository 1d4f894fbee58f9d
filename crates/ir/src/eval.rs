//! The meaning of every operator on defined values. It is total, without undefined behaviour.
//!
//! # Correctness
//! This file is the definition. The interpreter runs it, constant folding uses it, and solver
//! encodings and generated C are tested against it. It follows the language's semantics: integers
//! wrap at their width, division is Euclidean and total, shifts are total, floats are IEEE 754 with
//! round-to-nearest-even, `min(a, b)` is `a < b ? a : b`, float-to-integer casts saturate with NaN
//! giving 0.
//!
//! Only [`apply`] is no definition: proofs are about every function of a name.

use crate::{BinaryOp, Constant, FunctionDecl, Intrinsic, Overflow, Scalar, UnaryOp, math};

/// The reason why an operator has no value on these operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// The operator is not defined on these types: the expression was not well typed.
    #[error("the operator does not take operands of these types")]
    IllTyped,
    /// A result left the range of a type whose convention assumes that this does not happen.
    #[error("signed overflow where the convention assumes there is none")]
    AssumedAbsentOverflow,
    /// A mathematical integer left the 128 bits in which it is evaluated.
    #[error("an `int` value is beyond 128 bits")]
    BeyondEvaluator,
}

type Result = std::result::Result<Constant, EvalError>;

/// Applies a unary operator.
pub fn unary(op: UnaryOp, operand: Constant) -> Result {
    let scalar = operand.scalar();
    match op {
        UnaryOp::Neg(overflow) => {
            if let Some(value) = operand.as_f32() {
                Ok(Constant::f32(-value))
            } else if let Some(value) = operand.as_f64() {
                Ok(Constant::f64(-value))
            } else {
                let value = number(operand)?;
                fit(scalar, value.checked_neg(), overflow)
            }
        }
        UnaryOp::Not => match scalar {
            Scalar::Bool => Ok(Constant::bool(operand.as_bool() == Some(false))),
            Scalar::Int | Scalar::F32 | Scalar::F64 => Err(EvalError::IllTyped),
            Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => wrap(scalar, !number(operand)?),
        },
    }
}

/// Applies a binary operator to operands of one type.
pub fn binary(op: BinaryOp, lhs: Constant, rhs: Constant) -> Result {
    if lhs.scalar() != rhs.scalar() {
        return Err(EvalError::IllTyped);
    }
    match (lhs.as_f32(), rhs.as_f32(), lhs.as_f64(), rhs.as_f64()) {
        (Some(a), Some(b), _, _) => {
            float(op, a, b, Constant::f32, [|x, y| x + y, |x, y| x - y, |x, y| x * y, |x, y| x / y])
        }
        (_, _, Some(a), Some(b)) => {
            float(op, a, b, Constant::f64, [|x, y| x + y, |x, y| x - y, |x, y| x * y, |x, y| x / y])
        }
        _ => integer(op, lhs, rhs),
    }
}

fn float<T: PartialOrd + Copy>(
    op: BinaryOp,
    a: T,
    b: T,
    wrap: fn(T) -> Constant,
    [add, sub, mul, div]: [fn(T, T) -> T; 4],
) -> Result {
    Ok(match op {
        BinaryOp::Add(_) => wrap(add(a, b)),
        BinaryOp::Sub(_) => wrap(sub(a, b)),
        BinaryOp::Mul(_) => wrap(mul(a, b)),
        BinaryOp::Div => wrap(div(a, b)),
        BinaryOp::Min => wrap(if a < b { a } else { b }),
        BinaryOp::Max => wrap(if a > b { a } else { b }),
        BinaryOp::Eq => Constant::bool(a == b),
        BinaryOp::Ne => Constant::bool(a != b),
        BinaryOp::Lt => Constant::bool(a < b),
        BinaryOp::Le => Constant::bool(a <= b),
        BinaryOp::Gt => Constant::bool(a > b),
        BinaryOp::Ge => Constant::bool(a >= b),
        BinaryOp::Mod
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr => return Err(EvalError::IllTyped),
    })
}

fn integer(op: BinaryOp, lhs: Constant, rhs: Constant) -> Result {
    let scalar = lhs.scalar();
    let (a, b) = (number(lhs)?, number(rhs)?);
    let is_bool = scalar == Scalar::Bool;
    match op {
        BinaryOp::Eq => Ok(Constant::bool(a == b)),
        BinaryOp::Ne => Ok(Constant::bool(a != b)),
        BinaryOp::And if scalar != Scalar::Int => wrap(scalar, a & b),
        BinaryOp::Or if scalar != Scalar::Int => wrap(scalar, a | b),
        BinaryOp::Xor if scalar != Scalar::Int => wrap(scalar, a ^ b),
        _ if is_bool => Err(EvalError::IllTyped),
        BinaryOp::Add(overflow) => fit(scalar, a.checked_add(b), overflow),
        BinaryOp::Sub(overflow) => fit(scalar, a.checked_sub(b), overflow),
        // The product of two 64-bit numbers may exceed 128 bits. Modulo 2^128 it is still right
        // modulo the width.
        BinaryOp::Mul(Overflow::Wraps) if scalar != Scalar::Int => wrap(scalar, a.wrapping_mul(b)),
        BinaryOp::Mul(overflow) => fit(scalar, a.checked_mul(b), overflow),
        BinaryOp::Div => wrap(
            scalar,
            if b == 0 { 0 } else { a.checked_div_euclid(b).ok_or(EvalError::BeyondEvaluator)? },
        ),
        BinaryOp::Mod => wrap(
            scalar,
            if b == 0 { 0 } else { a.checked_rem_euclid(b).ok_or(EvalError::BeyondEvaluator)? },
        ),
        BinaryOp::Min => wrap(scalar, a.min(b)),
        BinaryOp::Max => wrap(scalar, a.max(b)),
        BinaryOp::Lt => Ok(Constant::bool(a < b)),
        BinaryOp::Le => Ok(Constant::bool(a <= b)),
        BinaryOp::Gt => Ok(Constant::bool(a > b)),
        BinaryOp::Ge => Ok(Constant::bool(a >= b)),
        BinaryOp::Shl => shift(scalar, a, b),
        BinaryOp::Shr => shift(scalar, a, b.checked_neg().ok_or(EvalError::BeyondEvaluator)?),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Err(EvalError::IllTyped),
    }
}

/// Shifts `value` left by `amount` bits, or right if `amount` is negative.
fn shift(scalar: Scalar, value: i128, amount: i128) -> Result {
    let bits = i128::from(scalar.bits().ok_or(EvalError::IllTyped)?);
    if amount >= bits {
        wrap(scalar, 0)
    } else if amount >= 0 {
        // `wrapping_shl` shifts the bit pattern. By less than 64 it keeps every bit that the type
        // keeps.
        wrap(scalar, value.wrapping_shl(amount as u32))
    } else {
        wrap(scalar, value >> (-amount).min(bits).min(127))
    }
}

/// Applies an intrinsic.
pub fn intrinsic(intrinsic: Intrinsic, operand: Constant) -> Result {
    if let Some(value) = operand.as_f32() {
        return Ok(Constant::f32(match intrinsic {
            Intrinsic::Abs => value.abs(),
            Intrinsic::Sqrt => value.sqrt(),
            Intrinsic::Floor => value.floor(),
            Intrinsic::Ceil => value.ceil(),
            Intrinsic::Round => value.round_ties_even(),
            Intrinsic::Trunc => value.trunc(),
            Intrinsic::Exp => math::exp_f32(value),
            Intrinsic::Log | Intrinsic::Sin | Intrinsic::Cos | Intrinsic::Tan | Intrinsic::Atan => {
                transcendental(intrinsic, f64::from(value)) as f32
            }
        }));
    }
    if let Some(value) = operand.as_f64() {
        return Ok(Constant::f64(match intrinsic {
            Intrinsic::Abs => value.abs(),
            Intrinsic::Sqrt => value.sqrt(),
            Intrinsic::Floor => value.floor(),
            Intrinsic::Ceil => value.ceil(),
            Intrinsic::Round => value.round_ties_even(),
            Intrinsic::Trunc => value.trunc(),
            Intrinsic::Exp
            | Intrinsic::Log
            | Intrinsic::Sin
            | Intrinsic::Cos
            | Intrinsic::Tan
            | Intrinsic::Atan => transcendental(intrinsic, value),
        }));
    }
    let scalar = operand.scalar();
    if intrinsic == Intrinsic::Abs && (scalar.is_signed() || scalar == Scalar::Int) {
        wrap(scalar, number(operand)?.checked_abs().ok_or(EvalError::BeyondEvaluator)?)
    } else {
        Err(EvalError::IllTyped)
    }
}

/// Applies a function that is only named: the one that runs take (see [`FunctionDecl`]).
pub fn apply(function: &FunctionDecl, args: &[Constant]) -> Result {
    let typed = args.len() == function.params.len()
        && args.iter().zip(&function.params).all(|(arg, scalar)| arg.scalar() == *scalar);
    typed.then(|| function.at(args)).flatten().ok_or(EvalError::IllTyped)
}

/// Computes a function that IEEE 754 leaves open. For the other intrinsics it is the identity.
fn transcendental(intrinsic: Intrinsic, operand: f64) -> f64 {
    match intrinsic {
        Intrinsic::Exp => math::exp(operand),
        Intrinsic::Log => math::log(operand),
        Intrinsic::Sin => math::sin(operand),
        Intrinsic::Cos => math::cos(operand),
        Intrinsic::Tan => math::tan(operand),
        Intrinsic::Atan => math::atan(operand),
        Intrinsic::Abs
        | Intrinsic::Sqrt
        | Intrinsic::Floor
        | Intrinsic::Ceil
        | Intrinsic::Round
        | Intrinsic::Trunc => operand,
    }
}

/// Converts a value. Integers wrap. Float to integer truncates and saturates, with NaN giving 0.
/// Integer to float rounds to nearest even. Anything to `bool` is `!= 0`.
///
/// # Errors
/// [`EvalError::IllTyped`] for a float converted to `int`.
pub fn cast(to: Scalar, operand: Constant) -> Result {
    let from = operand.scalar();
    let as_double = operand.as_f64().or(operand.as_f32().map(f64::from));
    match (to, as_double) {
        (Scalar::Bool, Some(value)) => Ok(Constant::bool(value != 0.0)),
        (Scalar::Bool, None) => Ok(Constant::bool(number(operand)? != 0)),
        (Scalar::F32, Some(value)) => {
            Ok(if from == Scalar::F32 { operand } else { Constant::f32(value as f32) })
        }
        (Scalar::F64, Some(value)) => Ok(Constant::f64(value)),
        (Scalar::F32, None) => Ok(Constant::f32(number(operand)? as f32)),
        (Scalar::F64, None) => Ok(Constant::f64(number(operand)? as f64)),
        (Scalar::Int, Some(_)) => Err(EvalError::IllTyped),
        (_, Some(value)) => {
            let (low, high) = to.range().ok_or(EvalError::IllTyped)?;
            // `as` truncates, saturates at 128 bits and maps NaN to 0.
            wrap(to, (value as i128).clamp(low, high))
        }
        (_, None) => wrap(to, number(operand)?),
    }
}

fn number(constant: Constant) -> std::result::Result<i128, EvalError> {
    constant.as_integer().ok_or(EvalError::IllTyped)
}

fn wrap(scalar: Scalar, value: i128) -> Result {
    Constant::wrapped(scalar, value).ok_or(EvalError::IllTyped)
}

/// Brings an exact result into its type. `exact` is `None` if the result exceeds 128 bits; only
/// `int` and the product of two 64-bit numbers can do so.
fn fit(scalar: Scalar, exact: Option<i128>, overflow: Overflow) -> Result {
    let beyond = if overflow == Overflow::AssumedAbsent {
        EvalError::AssumedAbsentOverflow
    } else {
        EvalError::BeyondEvaluator
    };
    let exact = exact.ok_or(beyond)?;
    let wrapped = wrap(scalar, exact)?;
    if overflow == Overflow::AssumedAbsent && wrapped.as_integer() != Some(exact) {
        Err(EvalError::AssumedAbsentOverflow)
    } else {
        Ok(wrapped)
    }
}

#[cfg(test)]
mod tests {
    use super::{binary, cast};
    use crate::{BinaryOp, Constant, Overflow, Scalar};

    fn c(scalar: Scalar, value: i128) -> Constant {
        Constant::wrapped(scalar, value).unwrap()
    }

    #[test]
    fn integer_operators_are_total_and_euclidean() {
        use BinaryOp::{Add, Div, Max, Min, Mod, Mul, Shl, Shr, Sub};
        let wraps = Overflow::Wraps;
        for (op, scalar, a, b, expected) in [
            (Div, Scalar::I32, 7, -2, -3),
            (Div, Scalar::I32, -7, 2, -4),
            (Div, Scalar::I32, -7, -2, 4),
            (Div, Scalar::I32, 5, 0, 0),
            (Div, Scalar::I8, -128, -1, -128),
            (Div, Scalar::Int, -7, 2, -4),
            (Mod, Scalar::I32, -7, 2, 1),
            (Mod, Scalar::I32, 7, -2, 1),
            (Mod, Scalar::I32, 7, 0, 0),
            (Add(wraps), Scalar::U8, 255, 1, 0),
            (Sub(wraps), Scalar::U16, 0, 1, 65535),
            (Mul(wraps), Scalar::I64, i128::from(i64::MAX), 2, -2),
            (Mul(wraps), Scalar::U64, i128::from(u64::MAX), i128::from(u64::MAX), 1),
            (Shl, Scalar::U8, 0xff, 4, 0xf0),
            (Shl, Scalar::U8, 1, 8, 0),
            (Shl, Scalar::I8, -128, -3, -16),
            (Shr, Scalar::I8, -128, 9, -1),
            (Shr, Scalar::U8, 128, 9, 0),
            (Shr, Scalar::I8, 1, -3, 8),
            (Min, Scalar::I8, -1, 1, -1),
            (Max, Scalar::U8, 255, 1, 255),
        ] {
            assert_eq!(
                binary(op, c(scalar, a), c(scalar, b)),
                Ok(c(scalar, expected)),
                "{a} {op:?} {b} as {scalar}"
            );
        }
    }

    #[test]
    fn minimum_of_floats_follows_the_comparison() {
        let nan = Constant::f32(f32::NAN);
        let one = Constant::f32(1.0);
        assert_eq!(binary(BinaryOp::Min, nan, one), Ok(one));
        assert_eq!(binary(BinaryOp::Min, one, nan), Ok(nan));
        assert_eq!(
            binary(BinaryOp::Min, Constant::f32(-0.0), Constant::f32(0.0)),
            Ok(Constant::f32(0.0))
        );
    }

    #[test]
    fn casts_saturate_from_floats_and_wrap_between_integers() {
        assert_eq!(cast(Scalar::U8, Constant::f32(300.0)), Ok(c(Scalar::U8, 255)));
        assert_eq!(cast(Scalar::U8, Constant::f32(-1.5)), Ok(c(Scalar::U8, 0)));
        assert_eq!(
            cast(Scalar::I64, Constant::f64(1e30)),
            Ok(c(Scalar::I64, i128::from(i64::MAX)))
        );
        assert_eq!(cast(Scalar::I32, Constant::f32(f32::NAN)), Ok(c(Scalar::I32, 0)));
        assert_eq!(cast(Scalar::I8, c(Scalar::U8, 200)), Ok(c(Scalar::I8, -56)));
        assert_eq!(cast(Scalar::F32, c(Scalar::I32, 16_777_217)), Ok(Constant::f32(16_777_216.0)));
        assert!(cast(Scalar::Int, Constant::f32(1.0)).is_err());
    }

    #[test]
    fn assumed_absent_overflow_is_reported() {
        let add = BinaryOp::Add(Overflow::AssumedAbsent);
        assert!(binary(add, c(Scalar::I32, i128::from(i32::MAX)), c(Scalar::I32, 1)).is_err());
        assert_eq!(binary(add, c(Scalar::I32, 1), c(Scalar::I32, 1)), Ok(c(Scalar::I32, 2)));
    }
}
