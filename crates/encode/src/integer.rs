//! Operators on integers, with and without a width.

use halidom_ir::BinaryOp;
use halidom_smt::{BitVecBinary, BitVecComparison, Sort, TermId, Terms};

use crate::EncodeError;

/// Encodes an operator on mathematical integers.
pub(crate) fn unbounded(
    terms: &mut Terms,
    op: BinaryOp,
    lhs: TermId,
    rhs: TermId,
) -> Result<TermId, EncodeError> {
    Ok(match op {
        BinaryOp::Add(_) => terms.add(lhs, rhs),
        BinaryOp::Sub(_) => terms.sub(lhs, rhs),
        BinaryOp::Mul(_) => terms.mul(lhs, rhs),
        BinaryOp::Div => {
            let quotient = terms.int_div(lhs, rhs);
            unless_zero(terms, rhs, quotient)
        }
        BinaryOp::Mod => {
            let remainder = terms.int_mod(lhs, rhs);
            unless_zero(terms, rhs, remainder)
        }
        BinaryOp::Min => terms.min(lhs, rhs),
        BinaryOp::Max => terms.max(lhs, rhs),
        BinaryOp::Eq => terms.equal(lhs, rhs),
        BinaryOp::Ne => {
            let equal = terms.equal(lhs, rhs);
            terms.not(equal)
        }
        BinaryOp::Lt => terms.lt(lhs, rhs),
        BinaryOp::Le => terms.le(lhs, rhs),
        BinaryOp::Gt => terms.gt(lhs, rhs),
        BinaryOp::Ge => terms.ge(lhs, rhs),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr => {
            return Err(EncodeError::IllTyped);
        }
    })
}

/// Returns `result`, or 0 if the divisor is 0. SMT-LIB's `div` and `mod` are Euclidean for every
/// other divisor.
fn unless_zero(terms: &mut Terms, divisor: TermId, result: TermId) -> TermId {
    let zero = terms.int(0);
    match terms.as_int(divisor) {
        Some(0) => zero,
        Some(_) => result,
        None => {
            let is_zero = terms.equal(divisor, zero);
            terms.ite(is_zero, zero, result)
        }
    }
}

/// Encodes an operator on integers that wrap.
pub(crate) fn wrapping(
    terms: &mut Terms,
    op: BinaryOp,
    signed: bool,
    lhs: TermId,
    rhs: TermId,
) -> TermId {
    let (lt, le) = if signed {
        (BitVecComparison::SignedLt, BitVecComparison::SignedLe)
    } else {
        (BitVecComparison::UnsignedLt, BitVecComparison::UnsignedLe)
    };
    match op {
        BinaryOp::Add(_) => terms.bit_vec_binary(BitVecBinary::Add, lhs, rhs),
        BinaryOp::Sub(_) => terms.bit_vec_binary(BitVecBinary::Sub, lhs, rhs),
        BinaryOp::Mul(_) => terms.bit_vec_binary(BitVecBinary::Mul, lhs, rhs),
        BinaryOp::Div => {
            let quotient = if signed {
                euclidean(terms, lhs, rhs).0
            } else {
                terms.bit_vec_binary(BitVecBinary::UnsignedDiv, lhs, rhs)
            };
            unless_zero_divisor(terms, rhs, quotient)
        }
        BinaryOp::Mod => {
            let remainder = if signed {
                euclidean(terms, lhs, rhs).1
            } else {
                terms.bit_vec_binary(BitVecBinary::UnsignedRem, lhs, rhs)
            };
            unless_zero_divisor(terms, rhs, remainder)
        }
        BinaryOp::Min => {
            let less = terms.bit_vec_compare(lt, lhs, rhs);
            terms.ite(less, lhs, rhs)
        }
        BinaryOp::Max => {
            let greater = terms.bit_vec_compare(lt, rhs, lhs);
            terms.ite(greater, lhs, rhs)
        }
        BinaryOp::And => terms.bit_vec_binary(BitVecBinary::And, lhs, rhs),
        BinaryOp::Or => terms.bit_vec_binary(BitVecBinary::Or, lhs, rhs),
        BinaryOp::Xor => terms.bit_vec_binary(BitVecBinary::Xor, lhs, rhs),
        BinaryOp::Shl => shift(terms, signed, lhs, rhs, Direction::Left),
        BinaryOp::Shr => shift(terms, signed, lhs, rhs, Direction::Right),
        BinaryOp::Eq => terms.equal(lhs, rhs),
        BinaryOp::Ne => {
            let equal = terms.equal(lhs, rhs);
            terms.not(equal)
        }
        BinaryOp::Lt => terms.bit_vec_compare(lt, lhs, rhs),
        BinaryOp::Le => terms.bit_vec_compare(le, lhs, rhs),
        BinaryOp::Gt => terms.bit_vec_compare(lt, rhs, lhs),
        BinaryOp::Ge => terms.bit_vec_compare(le, rhs, lhs),
    }
}

/// Euclidean quotient and remainder of signed integers, for nonzero divisors.
///
/// SMT-LIB rounds the quotient towards 0 and gives the remainder the dividend's sign. If the
/// remainder is negative, adding the divisor's absolute value makes it positive, and the quotient
/// moves by one to match. Both operations wrap, so `MIN / -1 = MIN`, and a divisor `MIN`, whose
/// absolute value wraps too, gives the right result.
fn euclidean(terms: &mut Terms, lhs: TermId, rhs: TermId) -> (TermId, TermId) {
    let width = terms.width(lhs);
    let (zero, one) = (terms.bit_vec(width, 0), terms.bit_vec(width, 1));
    let quotient = terms.bit_vec_binary(BitVecBinary::SignedDiv, lhs, rhs);
    let remainder = terms.bit_vec_binary(BitVecBinary::SignedRem, lhs, rhs);
    let remainder_negative = terms.bit_vec_compare(BitVecComparison::SignedLt, remainder, zero);
    let divisor_negative = terms.bit_vec_compare(BitVecComparison::SignedLt, rhs, zero);
    let above = terms.bit_vec_binary(BitVecBinary::Add, quotient, one);
    let below = terms.bit_vec_binary(BitVecBinary::Sub, quotient, one);
    let step = terms.ite(divisor_negative, above, below);
    let minus = terms.bit_vec_binary(BitVecBinary::Sub, remainder, rhs);
    let plus = terms.bit_vec_binary(BitVecBinary::Add, remainder, rhs);
    let raised = terms.ite(divisor_negative, minus, plus);
    (
        terms.ite(remainder_negative, step, quotient),
        terms.ite(remainder_negative, raised, remainder),
    )
}

fn unless_zero_divisor(terms: &mut Terms, divisor: TermId, result: TermId) -> TermId {
    let width = terms.width(divisor);
    let zero = terms.bit_vec(width, 0);
    let is_zero = terms.equal(divisor, zero);
    terms.ite(is_zero, zero, result)
}

#[derive(Clone, Copy)]
enum Direction {
    Left,
    Right,
}

/// A shift by any distance. SMT-LIB's shifts by the width or more give 0 or the sign. A negative
/// distance shifts in the other direction by its negation; negating the least value wraps, but the
/// result read as unsigned is still at least the width.
fn shift(
    terms: &mut Terms,
    signed: bool,
    value: TermId,
    amount: TermId,
    direction: Direction,
) -> TermId {
    let right =
        if signed { BitVecBinary::ShiftRightArithmetic } else { BitVecBinary::ShiftRightLogical };
    let (forwards, backwards) = match direction {
        Direction::Left => (BitVecBinary::ShiftLeft, right),
        Direction::Right => (right, BitVecBinary::ShiftLeft),
    };
    let ahead = terms.bit_vec_binary(forwards, value, amount);
    if !signed {
        return ahead;
    }
    let width = terms.width(value);
    let zero = terms.bit_vec(width, 0);
    let negative = terms.bit_vec_compare(BitVecComparison::SignedLt, amount, zero);
    let opposite = terms.bit_vec_negate(amount);
    let back = terms.bit_vec_binary(backwards, value, opposite);
    terms.ite(negative, back, ahead)
}

/// The absolute value of an `Int` or of a signed bit-vector. The absolute value of the least
/// bit-vector wraps to itself.
pub(crate) fn abs(terms: &mut Terms, term: TermId) -> TermId {
    let (negative, opposite) = match terms.sort(term) {
        Sort::BitVec(width) => {
            let zero = terms.bit_vec(width, 0);
            let negative = terms.bit_vec_compare(BitVecComparison::SignedLt, term, zero);
            (negative, terms.bit_vec_negate(term))
        }
        Sort::Int | Sort::Real | Sort::Bool | Sort::Float { .. } => {
            let zero = terms.int(0);
            (terms.lt(term, zero), terms.negate(term))
        }
    };
    terms.ite(negative, opposite, term)
}
