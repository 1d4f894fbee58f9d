//! Operators on IEEE floats.

use halidom_ir::{BinaryOp, Intrinsic};
use halidom_smt::{FloatBinary, FloatComparison, RoundingMode, TermId, Terms};

use crate::EncodeError;

/// Encodes an operator on floats. Minimum and maximum follow the comparison, as the language
/// defines them; SMT-LIB's differ on NaN and zeros.
pub(crate) fn binary(
    terms: &mut Terms,
    op: BinaryOp,
    lhs: TermId,
    rhs: TermId,
) -> Result<TermId, EncodeError> {
    let mode = RoundingMode::NearestEven;
    Ok(match op {
        BinaryOp::Add(_) => terms.float_binary(FloatBinary::Add, mode, lhs, rhs),
        BinaryOp::Sub(_) => terms.float_binary(FloatBinary::Sub, mode, lhs, rhs),
        BinaryOp::Mul(_) => terms.float_binary(FloatBinary::Mul, mode, lhs, rhs),
        BinaryOp::Div => terms.float_binary(FloatBinary::Div, mode, lhs, rhs),
        BinaryOp::Min => {
            let less = terms.float_compare(FloatComparison::Lt, lhs, rhs);
            terms.ite(less, lhs, rhs)
        }
        BinaryOp::Max => {
            let greater = terms.float_compare(FloatComparison::Lt, rhs, lhs);
            terms.ite(greater, lhs, rhs)
        }
        BinaryOp::Eq => terms.float_compare(FloatComparison::Equal, lhs, rhs),
        BinaryOp::Ne => {
            let equal = terms.float_compare(FloatComparison::Equal, lhs, rhs);
            terms.not(equal)
        }
        BinaryOp::Lt => terms.float_compare(FloatComparison::Lt, lhs, rhs),
        BinaryOp::Le => terms.float_compare(FloatComparison::Le, lhs, rhs),
        BinaryOp::Gt => terms.float_compare(FloatComparison::Lt, rhs, lhs),
        BinaryOp::Ge => terms.float_compare(FloatComparison::Le, rhs, lhs),
        BinaryOp::Mod
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr => return Err(EncodeError::IllTyped),
    })
}

/// Encodes a function of a float; `None` for functions that IEEE 754 does not define.
pub(crate) fn call(terms: &mut Terms, intrinsic: Intrinsic, term: TermId) -> Option<TermId> {
    Some(match intrinsic {
        Intrinsic::Abs => terms.float_abs(term),
        Intrinsic::Sqrt => terms.float_sqrt(RoundingMode::NearestEven, term),
        Intrinsic::Floor => terms.float_round(RoundingMode::Down, term),
        Intrinsic::Ceil => terms.float_round(RoundingMode::Up, term),
        Intrinsic::Round => terms.float_round(RoundingMode::NearestEven, term),
        Intrinsic::Trunc => terms.float_round(RoundingMode::TowardZero, term),
        Intrinsic::Exp
        | Intrinsic::Log
        | Intrinsic::Sin
        | Intrinsic::Cos
        | Intrinsic::Tan
        | Intrinsic::Atan => return None,
    })
}
