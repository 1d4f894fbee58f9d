//! Operators, with their conventions.

/// The meaning of `+`, `-`, `*` and negation if the exact result does not fit the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Overflow {
    /// The result is taken modulo 2^width. This is the convention of `.hal`'s machine integers.
    /// Float operators carry it too, as IEEE arithmetic never traps.
    Wraps,
    /// The specification covers only inputs for which the result fits. In a compiled program it is
    /// an obligation that the result fits.
    AssumedAbsent,
    /// There is no width. This is the convention of `int`.
    Unbounded,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnaryOp {
    /// Negation of a number.
    Neg(Overflow),
    /// Complement of a `bool`, or of every bit of a machine integer.
    Not,
}

/// Operators with two operands of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    /// Sum.
    Add(Overflow),
    /// Difference.
    Sub(Overflow),
    /// Product.
    Mul(Overflow),
    /// Quotient: Euclidean for integers, with `x / 0 = 0` and `MIN / -1 = MIN`; IEEE for floats.
    Div,
    /// Euclidean remainder of integers, never negative, with `x % 0 = 0`. Not for floats.
    Mod,
    /// `a < b ? a : b`.
    Min,
    /// `a > b ? a : b`.
    Max,
    /// Conjunction of `bool`s, or bitwise conjunction of machine integers. Both operands are
    /// evaluated.
    And,
    /// Disjunction, for the same types.
    Or,
    /// Exclusive or, for the same types.
    Xor,
    /// Left shift of machine integers. A shift by the width or more gives 0. A negative amount
    /// shifts right.
    Shl,
    /// Right shift of machine integers, arithmetic for signed types. A shift by the width or more
    /// gives 0 or the sign. A negative amount shifts left.
    Shr,
    /// Equality, IEEE for floats. The result is `bool`, as for all comparisons.
    Eq,
    /// Inequality.
    Ne,
    /// Less than.
    Lt,
    /// Less than or equal.
    Le,
    /// Greater than.
    Gt,
    /// Greater than or equal.
    Ge,
}

impl BinaryOp {
    /// Returns the same operator with another convention. Operators without a convention stay as
    /// they are.
    #[must_use]
    pub fn with_overflow(self, overflow: Overflow) -> Self {
        if let Self::Add(_) = self {
            Self::Add(overflow)
        } else if let Self::Sub(_) = self {
            Self::Sub(overflow)
        } else if let Self::Mul(_) = self {
            Self::Mul(overflow)
        } else {
            self
        }
    }

    /// True if the result is `bool` for operands of any type.
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
}

/// Functions of one operand whose result has the operand's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Intrinsic {
    /// Absolute value of a float or a signed integer (`abs(MIN) = MIN`) or `int`.
    Abs,
    /// IEEE square root of a float.
    Sqrt,
    /// The greatest integral float that is not above the operand.
    Floor,
    /// The least integral float that is not below the operand.
    Ceil,
    /// The nearest integral float, ties to even.
    Round,
    /// The next integral float towards zero.
    Trunc,
    /// The exponential function of a float. [`crate::eval`] defines its bits, and the bits of all
    /// functions below.
    Exp,
    /// The natural logarithm.
    Log,
    /// The sine of an angle in radians.
    Sin,
    /// The cosine.
    Cos,
    /// The tangent.
    Tan,
    /// The arc tangent, from -π/2 to π/2.
    Atan,
}

impl Intrinsic {
    /// Every intrinsic.
    pub const ALL: [Self; 12] = [
        Self::Abs,
        Self::Sqrt,
        Self::Floor,
        Self::Ceil,
        Self::Round,
        Self::Trunc,
        Self::Exp,
        Self::Log,
        Self::Sin,
        Self::Cos,
        Self::Tan,
        Self::Atan,
    ];

    /// True if IEEE 754 defines the result. The other functions are this project's own; in proofs
    /// they are uninterpreted functions.
    pub fn is_ieee(self) -> bool {
        match self {
            Self::Abs | Self::Sqrt | Self::Floor | Self::Ceil | Self::Round | Self::Trunc => true,
            Self::Exp | Self::Log | Self::Sin | Self::Cos | Self::Tan | Self::Atan => false,
        }
    }

    /// The name of the function in every text form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Abs => "abs",
            Self::Sqrt => "sqrt",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::Round => "round",
            Self::Trunc => "trunc",
            Self::Exp => "exp",
            Self::Log => "log",
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Tan => "tan",
            Self::Atan => "atan",
        }
    }
}
