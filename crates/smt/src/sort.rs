//! Sorts of terms.

use std::fmt;

/// The sort of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Unbounded integers.
    Int,
    /// Real numbers.
    Real,
    /// Bit-vectors of a width of at least 1.
    BitVec(u32),
    /// IEEE 754 binary floats, with one NaN.
    Float {
        /// Width of the exponent in bits, at least 2.
        exponent: u32,
        /// Width of the significand in bits with the hidden bit, at least 2.
        significand: u32,
    },
}

impl Sort {
    /// IEEE 754 binary16.
    pub const FLOAT16: Self = Self::Float { exponent: 5, significand: 11 };
    /// IEEE 754 binary32.
    pub const FLOAT32: Self = Self::Float { exponent: 8, significand: 24 };
    /// IEEE 754 binary64.
    pub const FLOAT64: Self = Self::Float { exponent: 11, significand: 53 };
}

/// Writes the sort in SMT-LIB syntax.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("Bool"),
            Self::Int => f.write_str("Int"),
            Self::Real => f.write_str("Real"),
            Self::BitVec(width) => write!(f, "(_ BitVec {width})"),
            Self::Float { exponent, significand } => {
                write!(f, "(_ FloatingPoint {exponent} {significand})")
            }
        }
    }
}
