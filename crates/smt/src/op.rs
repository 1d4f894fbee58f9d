//! The operators and their SMT-LIB 2 texts.

use std::fmt;

/// An operator that is applied to terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Not,
    And,
    Or,
    Implies,
    Equal,
    Ite,
    Add,
    Mul,
    Negate,
    IntDiv,
    IntMod,
    RealDiv,
    Le,
    Lt,
    IntToReal,
    RealToIntFloor,
    BitVec(BitVecBinary),
    BitVecCompare(BitVecComparison),
    BitVecNot,
    BitVecNegate,
    Concat,
    Extract { high: u32, low: u32 },
    ZeroExtend(u32),
    SignExtend(u32),
    BitVecToNat,
    IntToBitVec(u32),
    Float(FloatBinary, RoundingMode),
    FloatRemainder,
    FloatMin,
    FloatMax,
    FloatCompare(FloatComparison),
    FloatTest(FloatTest),
    FloatNegate,
    FloatAbs,
    FloatSqrt(RoundingMode),
    FloatFma(RoundingMode),
    FloatRound(RoundingMode),
    FloatFromBits(Format),
    FloatFromFloat(RoundingMode, Format),
    FloatFromReal(RoundingMode, Format),
    FloatFromSigned(RoundingMode, Format),
    FloatFromUnsigned(RoundingMode, Format),
    FloatToSigned(RoundingMode, u32),
    FloatToUnsigned(RoundingMode, u32),
    FloatToReal,
}

/// The format of a float sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Format {
    pub(crate) exponent: u32,
    pub(crate) significand: u32,
}

/// An operator on two bit-vectors of one width, with a result of that width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BitVecBinary {
    /// Sum, wrapping.
    Add,
    /// Difference, wrapping.
    Sub,
    /// Product, wrapping.
    Mul,
    /// Unsigned quotient rounded down; all ones if the divisor is 0.
    UnsignedDiv,
    /// Unsigned remainder; the dividend if the divisor is 0.
    UnsignedRem,
    /// Signed quotient rounded towards 0.
    SignedDiv,
    /// Signed remainder with the sign of the dividend.
    SignedRem,
    /// Signed remainder with the sign of the divisor.
    SignedMod,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Left shift; 0 if the distance is the width or more.
    ShiftLeft,
    /// Right shift that fills with 0; 0 if the distance is the width or more.
    ShiftRightLogical,
    /// Right shift that fills with the sign; all sign bits if the distance is the width or more.
    ShiftRightArithmetic,
}

/// A comparison of two bit-vectors of one width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BitVecComparison {
    /// Unsigned `<`.
    UnsignedLt,
    /// Unsigned `≤`.
    UnsignedLe,
    /// Signed `<`.
    SignedLt,
    /// Signed `≤`.
    SignedLe,
}

/// An operator on two floats of one format, with a result of that format, rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatBinary {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
}

/// An IEEE comparison of two floats of one format: false if either is NaN; the zeros are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatComparison {
    /// `==`
    Equal,
    /// `<`
    Lt,
    /// `≤`
    Le,
}

/// A test of the class of a float.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatTest {
    /// Not a number.
    Nan,
    /// An infinity.
    Infinite,
    /// A zero of either sign.
    Zero,
    /// A normal number.
    Normal,
    /// A subnormal number.
    Subnormal,
    /// Has the sign bit set and is not NaN.
    Negative,
}

/// The rounding mode of a float operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RoundingMode {
    /// To nearest, ties to even.
    NearestEven,
    /// To nearest, ties away from zero.
    NearestAway,
    /// Towards zero.
    TowardZero,
    /// Towards positive infinity.
    Up,
    /// Towards negative infinity.
    Down,
}

impl RoundingMode {
    fn text(self) -> &'static str {
        match self {
            Self::NearestEven => "RNE",
            Self::NearestAway => "RNA",
            Self::TowardZero => "RTZ",
            Self::Up => "RTP",
            Self::Down => "RTN",
        }
    }
}

impl BitVecBinary {
    fn text(self) -> &'static str {
        match self {
            Self::Add => "bvadd",
            Self::Sub => "bvsub",
            Self::Mul => "bvmul",
            Self::UnsignedDiv => "bvudiv",
            Self::UnsignedRem => "bvurem",
            Self::SignedDiv => "bvsdiv",
            Self::SignedRem => "bvsrem",
            Self::SignedMod => "bvsmod",
            Self::And => "bvand",
            Self::Or => "bvor",
            Self::Xor => "bvxor",
            Self::ShiftLeft => "bvshl",
            Self::ShiftRightLogical => "bvlshr",
            Self::ShiftRightArithmetic => "bvashr",
        }
    }
}

impl BitVecComparison {
    fn text(self) -> &'static str {
        match self {
            Self::UnsignedLt => "bvult",
            Self::UnsignedLe => "bvule",
            Self::SignedLt => "bvslt",
            Self::SignedLe => "bvsle",
        }
    }
}

impl FloatBinary {
    fn text(self) -> &'static str {
        match self {
            Self::Add => "fp.add",
            Self::Sub => "fp.sub",
            Self::Mul => "fp.mul",
            Self::Div => "fp.div",
        }
    }
}

impl FloatComparison {
    fn text(self) -> &'static str {
        match self {
            Self::Equal => "fp.eq",
            Self::Lt => "fp.lt",
            Self::Le => "fp.leq",
        }
    }
}

impl FloatTest {
    fn text(self) -> &'static str {
        match self {
            Self::Nan => "fp.isNaN",
            Self::Infinite => "fp.isInfinite",
            Self::Zero => "fp.isZero",
            Self::Normal => "fp.isNormal",
            Self::Subnormal => "fp.isSubnormal",
            Self::Negative => "fp.isNegative",
        }
    }
}

/// Writes the text before the arguments, including a rounding mode.
impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to_fp =
            |f: &mut fmt::Formatter<'_>, name: &str, format: Format, mode: Option<RoundingMode>| {
                write!(f, "(_ {name} {} {})", format.exponent, format.significand)?;
                mode.map_or(Ok(()), |mode| write!(f, " {}", mode.text()))
            };
        match *self {
            Self::Not => f.write_str("not"),
            Self::And => f.write_str("and"),
            Self::Or => f.write_str("or"),
            Self::Implies => f.write_str("=>"),
            Self::Equal => f.write_str("="),
            Self::Ite => f.write_str("ite"),
            Self::Add => f.write_str("+"),
            Self::Mul => f.write_str("*"),
            Self::Negate => f.write_str("-"),
            Self::IntDiv => f.write_str("div"),
            Self::IntMod => f.write_str("mod"),
            Self::RealDiv => f.write_str("/"),
            Self::Le => f.write_str("<="),
            Self::Lt => f.write_str("<"),
            Self::IntToReal => f.write_str("to_real"),
            Self::RealToIntFloor => f.write_str("to_int"),
            Self::BitVec(op) => f.write_str(op.text()),
            Self::BitVecCompare(op) => f.write_str(op.text()),
            Self::BitVecNot => f.write_str("bvnot"),
            Self::BitVecNegate => f.write_str("bvneg"),
            Self::Concat => f.write_str("concat"),
            Self::Extract { high, low } => write!(f, "(_ extract {high} {low})"),
            Self::ZeroExtend(bits) => write!(f, "(_ zero_extend {bits})"),
            Self::SignExtend(bits) => write!(f, "(_ sign_extend {bits})"),
            Self::BitVecToNat => f.write_str("bv2nat"),
            Self::IntToBitVec(width) => write!(f, "(_ int2bv {width})"),
            Self::Float(op, mode) => write!(f, "{} {}", op.text(), mode.text()),
            Self::FloatRemainder => f.write_str("fp.rem"),
            Self::FloatMin => f.write_str("fp.min"),
            Self::FloatMax => f.write_str("fp.max"),
            Self::FloatCompare(op) => f.write_str(op.text()),
            Self::FloatTest(op) => f.write_str(op.text()),
            Self::FloatNegate => f.write_str("fp.neg"),
            Self::FloatAbs => f.write_str("fp.abs"),
            Self::FloatSqrt(mode) => write!(f, "fp.sqrt {}", mode.text()),
            Self::FloatFma(mode) => write!(f, "fp.fma {}", mode.text()),
            Self::FloatRound(mode) => write!(f, "fp.roundToIntegral {}", mode.text()),
            Self::FloatFromBits(format) => to_fp(f, "to_fp", format, None),
            Self::FloatFromFloat(mode, format) => to_fp(f, "to_fp", format, Some(mode)),
            Self::FloatFromReal(mode, format) => to_fp(f, "to_fp", format, Some(mode)),
            Self::FloatFromSigned(mode, format) => to_fp(f, "to_fp", format, Some(mode)),
            Self::FloatFromUnsigned(mode, format) => to_fp(f, "to_fp_unsigned", format, Some(mode)),
            Self::FloatToSigned(mode, width) => write!(f, "(_ fp.to_sbv {width}) {}", mode.text()),
            Self::FloatToUnsigned(mode, width) => {
                write!(f, "(_ fp.to_ubv {width}) {}", mode.text())
            }
            Self::FloatToReal => f.write_str("fp.to_real"),
        }
    }
}
