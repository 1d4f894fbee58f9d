//! The machine's values: lanes with poison, and their types.

use std::sync::Arc;

use halidom_halide_ir::tree::{Scalar, Type};

/// The reasons why a lane has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poison {
    /// A signed sum, difference, product or quotient of 32 or 64 bits overflowed.
    Overflow,
    /// An amount of a shift was not below the width.
    Shift,
    /// A float was beyond the integer type that it was converted to.
    Conversion,
    /// Memory was read that nothing had written.
    Undefined,
    /// The lane's predicate leaves it out.
    Inactive,
}

impl Poison {
    /// Describes the event in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Overflow => "a signed overflow",
            Self::Shift => "a shift by more than the width",
            Self::Conversion => "a conversion of a float out of range",
            Self::Undefined => "undefined memory",
            Self::Inactive => "a lane that was not loaded",
        }
    }
}

/// One lane: poison, or bits with those above the type's width 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) bits: u64,
    pub(crate) poison: Option<Poison>,
}

impl Lane {
    pub(crate) const fn of(bits: u64) -> Self {
        Self { bits, poison: None }
    }

    pub(crate) const fn poison(poison: Poison) -> Self {
        Self { bits: 0, poison: Some(poison) }
    }

    /// A truth value.
    pub(crate) const fn truth(holds: bool) -> Self {
        Self::of(holds as u64)
    }
}

/// The type of a lane, among those that the machine supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Signed, of 8, 16, 32 or 64 bits.
    Int(u32),
    /// Unsigned, of 1, 8, 16, 32 or 64 bits.
    UInt(u32),
    /// IEEE binary16.
    Half,
    /// The upper half of a binary32.
    BFloat,
    /// IEEE binary32.
    Single,
    /// IEEE binary64.
    Double,
    /// A pointer.
    Handle,
}

impl Kind {
    /// Returns the type for Halide's type, if the machine supports it.
    pub(crate) fn of(scalar: Scalar) -> Option<Self> {
        Some(match scalar {
            Scalar::Int(bits @ (8 | 16 | 32 | 64)) => Self::Int(u32::from(bits)),
            Scalar::UInt(bits @ (1 | 8 | 16 | 32 | 64)) => Self::UInt(u32::from(bits)),
            Scalar::Float(16) => Self::Half,
            Scalar::Float(32) => Self::Single,
            Scalar::Float(64) => Self::Double,
            Scalar::BFloat(16) => Self::BFloat,
            Scalar::Handle(_) => Self::Handle,
            Scalar::Int(_) | Scalar::UInt(_) | Scalar::Float(_) | Scalar::BFloat(_) => return None,
        })
    }

    /// The width in bits.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::Int(bits) | Self::UInt(bits) => bits,
            Self::Half | Self::BFloat => 16,
            Self::Single => 32,
            Self::Double | Self::Handle => 64,
        }
    }

    /// The number of bytes that an element takes in memory.
    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.bits().div_ceil(8))
    }

    pub(crate) fn is_float(self) -> bool {
        match self {
            Self::Half | Self::BFloat | Self::Single | Self::Double => true,
            Self::Int(_) | Self::UInt(_) | Self::Handle => false,
        }
    }

    pub(crate) fn is_int(self) -> bool {
        match self {
            Self::Int(_) | Self::UInt(_) => true,
            Self::Half | Self::BFloat | Self::Single | Self::Double | Self::Handle => false,
        }
    }

    pub(crate) fn is_signed(self) -> bool {
        match self {
            Self::Int(_) => true,
            Self::UInt(_)
            | Self::Half
            | Self::BFloat
            | Self::Single
            | Self::Double
            | Self::Handle => false,
        }
    }

    /// All bits of the type.
    pub(crate) fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// Returns an integer's value.
    pub(crate) fn value(self, bits: u64) -> i128 {
        if self.is_signed() {
            let above = 64 - self.bits();
            i128::from((bits << above).cast_signed() >> above)
        } else {
            i128::from(bits)
        }
    }

    /// The least and the greatest value of an integer type.
    pub(crate) fn range(self) -> (i128, i128) {
        let bits = self.bits();
        if self.is_signed() {
            (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
        } else {
            (0, (1_i128 << bits) - 1)
        }
    }

    /// The integer type of twice the width, if there is one.
    pub(crate) fn wider(self) -> Option<Self> {
        match self {
            Self::Int(bits @ (8 | 16 | 32)) => Some(Self::Int(bits * 2)),
            Self::UInt(bits @ (8 | 16 | 32)) => Some(Self::UInt(bits * 2)),
            Self::Int(_)
            | Self::UInt(_)
            | Self::Half
            | Self::BFloat
            | Self::Single
            | Self::Double
            | Self::Handle => None,
        }
    }

    /// The unsigned type of the same width.
    pub(crate) fn unsigned(self) -> Self {
        match self {
            Self::Int(bits) | Self::UInt(bits) => Self::UInt(bits),
            Self::Half | Self::BFloat | Self::Single | Self::Double | Self::Handle => self,
        }
    }

    /// The signed type of the same width.
    pub(crate) fn signed(self) -> Self {
        match self {
            Self::Int(bits) | Self::UInt(bits) => Self::Int(bits),
            Self::Half | Self::BFloat | Self::Single | Self::Double | Self::Handle => self,
        }
    }

    /// Returns a value as a lane; it wraps if it does not fit.
    pub(crate) fn wrapped(self, value: i128) -> Lane {
        Lane::of((value as u64) & self.mask())
    }

    /// Returns a result of arithmetic. LLVM is told that signed integers of 32 and 64 bits do not
    /// overflow; all others wrap.
    pub(crate) fn result(self, value: i128) -> Lane {
        let (least, greatest) = self.range();
        if self.is_signed() && self.bits() >= 32 && !(least..=greatest).contains(&value) {
            return Lane::poison(Poison::Overflow);
        }
        self.wrapped(value)
    }

    /// Returns the nearest value of the type.
    pub(crate) fn saturated(self, value: i128) -> Lane {
        let (least, greatest) = self.range();
        self.wrapped(value.clamp(least, greatest))
    }
}

/// A type with its number of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ty {
    pub(crate) kind: Kind,
    pub(crate) lanes: u32,
}

impl Ty {
    pub(crate) const INT32: Self = Self { kind: Kind::Int(32), lanes: 1 };
    pub(crate) const INT64: Self = Self { kind: Kind::Int(64), lanes: 1 };
    pub(crate) const BOOL: Self = Self { kind: Kind::UInt(1), lanes: 1 };
    pub(crate) const HANDLE: Self = Self { kind: Kind::Handle, lanes: 1 };

    pub(crate) fn of(ty: Type) -> Option<Self> {
        let Type { scalar, lanes } = ty;
        let kind = Kind::of(scalar)?;
        (1..=MOST_LANES).contains(&lanes).then_some(Self { kind, lanes })
    }

    pub(crate) fn with(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }
}

/// The most lanes that a vector can have.
pub(crate) const MOST_LANES: u32 = 1 << 16;

/// A scalar or a vector.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    One(Lane),
    Many(Arc<[Lane]>),
}

impl Value {
    pub(crate) fn lanes(&self) -> &[Lane] {
        match self {
            Self::One(lane) => std::slice::from_ref(lane),
            Self::Many(lanes) => lanes,
        }
    }

    /// Returns a lane. A scalar has the same value in every lane.
    pub(crate) fn lane(&self, number: usize) -> Lane {
        match self {
            Self::One(lane) => *lane,
            Self::Many(lanes) => {
                lanes.get(number).copied().unwrap_or(Lane::poison(Poison::Undefined))
            }
        }
    }

    pub(crate) fn first(&self) -> Lane {
        self.lane(0)
    }

    /// Returns the value with these lanes.
    pub(crate) fn of(lanes: u32, lane: impl FnMut(usize) -> Lane) -> Self {
        let mut lane = lane;
        if lanes == 1 {
            Self::One(lane(0))
        } else {
            Self::Many((0..lanes as usize).map(lane).collect())
        }
    }
}

impl Default for Value {
    fn default() -> Self {
        Self::One(Lane::poison(Poison::Undefined))
    }
}
