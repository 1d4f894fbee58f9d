//! Conversions.

use halidom_ir::{Constant, Scalar};
use halidom_smt::{
    BitVecComparison, FloatComparison, FloatTest, RoundingMode, Sort, TermId, Terms,
};

use crate::{EncodeError, constant, sort};

/// Builds the term of a conversion.
pub(crate) fn cast(
    terms: &mut Terms,
    from: Scalar,
    to: Scalar,
    term: TermId,
) -> Result<TermId, EncodeError> {
    match (sort(from), sort(to)) {
        (Sort::Bool, Sort::Bool) | (Sort::Int, Sort::Int) => Ok(term),
        (Sort::Bool, _) => {
            let one = one(terms, to);
            let zero = constant(terms, Constant::zero(to));
            Ok(terms.ite(term, one, zero))
        }
        (Sort::Int | Sort::BitVec(_), Sort::Bool) => {
            let zero = constant(terms, Constant::zero(from));
            let is_zero = terms.equal(term, zero);
            Ok(terms.not(is_zero))
        }
        // NaN is not equal to zero, so it converts to true.
        (Sort::Float { .. }, Sort::Bool) => {
            let zero = constant(terms, Constant::zero(from));
            let is_zero = terms.float_compare(FloatComparison::Equal, term, zero);
            Ok(terms.not(is_zero))
        }
        (Sort::Int, Sort::BitVec(width)) => Ok(terms.int_to_bit_vec(width, term)),
        (Sort::BitVec(width), Sort::Int) => Ok(value(terms, from, width, term)),
        (Sort::BitVec(narrow), Sort::BitVec(wide)) if narrow < wide => Ok(if from.is_signed() {
            terms.sign_extend(wide - narrow, term)
        } else {
            terms.zero_extend(wide - narrow, term)
        }),
        (Sort::BitVec(_), Sort::BitVec(narrow)) => Ok(terms.extract(narrow - 1, 0, term)),
        (Sort::Int, float @ Sort::Float { .. }) => {
            let real = terms.int_to_real(term);
            Ok(terms.float_from_real(RoundingMode::NearestEven, float, real))
        }
        (Sort::BitVec(_), float @ Sort::Float { .. }) => Ok(if from.is_signed() {
            terms.float_from_signed(RoundingMode::NearestEven, float, term)
        } else {
            terms.float_from_unsigned(RoundingMode::NearestEven, float, term)
        }),
        (source @ Sort::Float { .. }, target @ Sort::Float { .. }) => Ok(if source == target {
            term
        } else {
            terms.float_from_float(RoundingMode::NearestEven, target, term)
        }),
        (Sort::Float { .. }, Sort::BitVec(width)) => saturate(terms, from, to, width, term),
        (Sort::Float { .. }, Sort::Int) | (Sort::Real, _) | (_, Sort::Real) => {
            Err(EncodeError::IllTyped)
        }
    }
}

fn one(terms: &mut Terms, scalar: Scalar) -> TermId {
    let value = match scalar {
        Scalar::F32 => Some(Constant::f32(1.0)),
        Scalar::F64 => Some(Constant::f64(1.0)),
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::Int => Constant::wrapped(scalar, 1),
    };
    constant(terms, value.unwrap_or(Constant::zero(scalar)))
}

/// The integer value of a bit-vector.
fn value(terms: &mut Terms, from: Scalar, width: u32, term: TermId) -> TermId {
    let unsigned = terms.bit_vec_to_int(term);
    if !from.is_signed() {
        return unsigned;
    }
    let zero = terms.bit_vec(width, 0);
    let negative = terms.bit_vec_compare(BitVecComparison::SignedLt, term, zero);
    let modulus = terms.int(1_i128 << width);
    let below = terms.sub(unsigned, modulus);
    terms.ite(negative, below, unsigned)
}

/// Truncates a float to an integer. A value outside the range gives the nearest end of the range,
/// and NaN gives 0. The bounds in the comparisons are powers of two (or 0), so they are exact.
fn saturate(
    terms: &mut Terms,
    from: Scalar,
    to: Scalar,
    width: u32,
    term: TermId,
) -> Result<TermId, EncodeError> {
    let (low, high) = to.range().ok_or(EncodeError::IllTyped)?;
    let exact = |terms: &mut Terms, value: i128| {
        if from == Scalar::F32 { terms.float32(value as f32) } else { terms.float64(value as f64) }
    };
    let limit = |terms: &mut Terms, value: i128| terms.bit_vec(width, value as u128);
    let (lower, upper) = (exact(terms, low), exact(terms, high + 1));
    let (least, greatest) = (limit(terms, low), limit(terms, high));
    let too_low = terms.float_compare(FloatComparison::Le, term, lower);
    let too_high = terms.float_compare(FloatComparison::Le, upper, term);
    let is_nan = terms.float_test(FloatTest::Nan, term);
    let inside = if to.is_signed() {
        terms.float_to_signed(RoundingMode::TowardZero, width, term)
    } else {
        terms.float_to_unsigned(RoundingMode::TowardZero, width, term)
    };
    let zero = limit(terms, 0);
    let not_high = terms.ite(too_high, greatest, inside);
    let not_low = terms.ite(too_low, least, not_high);
    Ok(terms.ite(is_nan, zero, not_low))
}
