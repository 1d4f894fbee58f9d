//! C's names for types, and the tables of their widths and signs.

use halidom_ir::Scalar;

/// Returns the C name of a scalar type.
pub fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool | Scalar::U8 => "uint8_t",
        Scalar::I8 => "int8_t",
        Scalar::I16 => "int16_t",
        Scalar::I32 => "int32_t",
        Scalar::I64 | Scalar::Int => "int64_t",
        Scalar::U16 => "uint16_t",
        Scalar::U32 => "uint32_t",
        Scalar::U64 => "uint64_t",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

/// Returns the unsigned type of the same width. For a float, it is the type that holds the bits.
pub fn unsigned_of(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool | Scalar::I8 | Scalar::U8 => Scalar::U8,
        Scalar::I16 | Scalar::U16 => Scalar::U16,
        Scalar::I32 | Scalar::U32 | Scalar::F32 => Scalar::U32,
        Scalar::I64 | Scalar::U64 | Scalar::F64 | Scalar::Int => Scalar::U64,
    }
}

/// Returns the signed type of the same width, which the masks of comparisons have.
pub fn signed_of(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool | Scalar::I8 | Scalar::U8 => Scalar::I8,
        Scalar::I16 | Scalar::U16 => Scalar::I16,
        Scalar::I32 | Scalar::U32 | Scalar::F32 => Scalar::I32,
        Scalar::I64 | Scalar::U64 | Scalar::F64 | Scalar::Int => Scalar::I64,
    }
}

/// Returns the number of bytes that a value takes in C, `int` included.
pub fn c_bytes(scalar: Scalar) -> usize {
    scalar.bytes().unwrap_or(8)
}

/// Returns the name of a vector type.
pub fn vector_name(scalar: Scalar, lanes: u32) -> String {
    // Vectors of `int` and of `i64` are one C type, so they have one name.
    let scalar = if scalar == Scalar::Int { Scalar::I64 } else { scalar };
    let mut name = String::from(scalar.name());
    name.push('x');
    name.push_str(&lanes.to_string());
    name
}
