//! Fields of a caller's buffer that are the same for every caller.

use halidom_ir::Pool;

use super::error::{Result, unsupported};
use super::ops::{Ops, Value, Widths};
use crate::tree::Scalar;

/// A field of a caller's buffer that is the same for every caller.
pub(super) fn fixed_field(
    pool: &mut Pool,
    (ty, rank): (Scalar, usize),
    field: &str,
) -> Result<Value> {
    let mut widths = Widths::default();
    let mut ops = Ops { pool, widths: &mut widths, signed: halidom_ir::Overflow::Wraps };
    match field {
        "type" => match type_code(ty) {
            Some(code) => ops.integer(code, Scalar::UInt(32)),
            None => unsupported("the code of this type"),
        },
        "dimensions" => ops.integer(rank as i128, Scalar::Int(32)),
        _ => ops.integer(0, Scalar::UInt(1)),
    }
}

/// A `halide_type_t` as a number: code, bits, lanes.
pub(super) fn type_code(ty: Scalar) -> Option<i128> {
    let (code, bits) = match ty {
        Scalar::Int(bits) => (0, bits),
        Scalar::UInt(bits) => (1, bits),
        Scalar::Float(bits) => (2, bits),
        Scalar::BFloat(bits) => (4, bits),
        Scalar::Handle(_) => return None,
    };
    Some(code | i128::from(bits) << 8 | 1 << 16)
}
