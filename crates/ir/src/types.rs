//! The types of expressions: a scalar type and a number of lanes.

use std::fmt;

/// An element type of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// `false` or `true`, one byte (0 or 1) in memory.
    Bool,
    /// 8-bit two's complement.
    I8,
    /// 16-bit two's complement.
    I16,
    /// 32-bit two's complement.
    I32,
    /// 64-bit two's complement.
    I64,
    /// 8-bit unsigned.
    U8,
    /// 16-bit unsigned.
    U16,
    /// 32-bit unsigned.
    U32,
    /// 64-bit unsigned.
    U64,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// A mathematical integer, for pure and reduction variables, mins, extents and indices. It is
    /// never stored in a buffer. Generated code holds it in 64 bits; it is a proof obligation that
    /// its values fit.
    Int,
}

impl Scalar {
    /// Every scalar type, in order.
    pub const ALL: [Self; 12] = [
        Self::Bool,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::F32,
        Self::F64,
        Self::Int,
    ];

    /// The name of the type in every text form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Int => "int",
        }
    }

    /// Returns the type with this name, the inverse of [`Self::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scalar| scalar.name() == name)
    }

    /// The width in bits of a machine type. `None` for `int`. A `bool` has 1 bit here, though it
    /// takes 8 in memory.
    pub fn bits(self) -> Option<u32> {
        match self {
            Self::Bool => Some(1),
            Self::I8 | Self::U8 => Some(8),
            Self::I16 | Self::U16 => Some(16),
            Self::I32 | Self::U32 | Self::F32 => Some(32),
            Self::I64 | Self::U64 | Self::F64 => Some(64),
            Self::Int => None,
        }
    }

    /// The number of bytes of one element in a buffer. `None` for `int`, which has no memory form.
    pub fn bytes(self) -> Option<usize> {
        self.bits().map(|bits| (bits as usize).div_ceil(8))
    }

    /// True for `f32` and `f64`.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// True for a fixed-width integer, signed or unsigned (neither `bool` nor `int`).
    pub fn is_machine_integer(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// True for `i8` to `i64`.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// True for `u8` to `u64`.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }

    /// The least and the greatest value of a machine integer or `bool`. `None` for floats and
    /// `int`.
    pub fn range(self) -> Option<(i128, i128)> {
        let bits = self.bits()?;
        if self.is_signed() {
            Some((-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1))
        } else if self.is_float() {
            None
        } else {
            Some((0, (1_i128 << bits) - 1))
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The type of an expression. A type with one lane is a scalar. A type with more is a vector, with
/// one value for each iteration of a vectorized loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Type {
    /// The type of each lane.
    pub scalar: Scalar,
    /// The number of lanes, at least 1.
    pub lanes: u32,
}

impl Type {
    /// The most lanes that a vector has. It is far above what processors have, and keeps the memory
    /// for the value of an expression within bounds.
    pub const MOST_LANES: u32 = 1 << 16;
    /// `bool` with one lane.
    pub const BOOL: Self = Self { scalar: Scalar::Bool, lanes: 1 };
    /// `int` with one lane.
    pub const INT: Self = Self { scalar: Scalar::Int, lanes: 1 };

    /// Returns the type with one lane.
    pub fn scalar(scalar: Scalar) -> Self {
        Self { scalar, lanes: 1 }
    }

    /// Returns the type with the same number of lanes and another scalar.
    #[must_use]
    pub fn with_scalar(self, scalar: Scalar) -> Self {
        Self { scalar, lanes: self.lanes }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lanes == 1 {
            write!(f, "{}", self.scalar)
        } else {
            write!(f, "{}x{}", self.scalar, self.lanes)
        }
    }
}
