//! The sorts of types, and the terms of constants.

use halidom_ir::{Constant, Scalar};
use halidom_smt::{Sort, TermId, Terms};

/// The sort of a type's terms.
pub fn sort(scalar: Scalar) -> Sort {
    match scalar {
        Scalar::Bool => Sort::Bool,
        Scalar::Int => Sort::Int,
        Scalar::F32 => Sort::FLOAT32,
        Scalar::F64 => Sort::FLOAT64,
        Scalar::I8 | Scalar::U8 => Sort::BitVec(8),
        Scalar::I16 | Scalar::U16 => Sort::BitVec(16),
        Scalar::I32 | Scalar::U32 => Sort::BitVec(32),
        Scalar::I64 | Scalar::U64 => Sort::BitVec(64),
    }
}

/// The term of a constant.
pub fn constant(terms: &mut Terms, constant: Constant) -> TermId {
    let sort = sort(constant.scalar());
    match (sort, constant.to_bits(), constant.as_integer()) {
        (Sort::Bool, _, Some(value)) => terms.bool(value != 0),
        (Sort::BitVec(width), Some(bits), _) => terms.bit_vec(width, bits.into()),
        (Sort::Float { .. }, Some(bits), _) => terms.float(sort, bits.into()),
        // Only `int` is left: it has no bits, and its value is its integer.
        (_, _, value) => terms.int(value.unwrap_or_default()),
    }
}
