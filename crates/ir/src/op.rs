//! Operators, with their conventions.

/// What `+`, `-`, `*` and negation mean where the exact result does not fit the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Overflow {
    /// The result is taken modulo 2^width: `.hal`'s machine integers. Floats carry it too, as IEEE arithmetic never traps.
    Wraps,
    /// The specification is only considered on inputs where the result fits; in a compiled program, fitting is an obligation.
    AssumedAbsent,
    /// There is no width: `int`.
    Unbounded,
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnaryOp {
    /// Negation of a number.
    Neg(Overflow),
    /// Complement: of a `bool`, or of every bit of a machine integer.
    Not,
}

/// Operators of two operands of one type.
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
    /// Conjunction of `bool`s, or of every bit of machine integers. Both operands are evaluated.
    And,
    /// Disjunction, likewise.
    Or,
    /// Exclusive or, likewise.
    Xor,
    /// Shift left of machine integers; by the width or more gives 0; by a negative amount shifts right.
    Shl,
    /// Shift right (arithmetic for signed types); by the width or more gives 0 or the sign; by a negative amount shifts left.
    Shr,
    /// Equality; IEEE for floats. Result `bool`, as for all comparisons.
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
    /// The same operator with another convention; operators without one stay as they are.
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

    /// Whether the result is `bool` whatever the operands' type.
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
}

/// Functions of one operand that yield its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Intrinsic {
    /// Absolute value of a float or a signed integer (`abs(MIN) = MIN`) or `int`.
    Abs,
    /// IEEE square root of a float.
    Sqrt,
    /// Greatest integral float not above.
    Floor,
    /// Least integral float not below.
    Ceil,
    /// Nearest integral float, ties to even.
    Round,
    /// Integral float next towards zero.
    Trunc,
    /// The exponential function of a float, as [`crate::eval`] computes it; so all that follow.
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

    /// Whether IEEE 754 says what the result is. The others are functions of this project's own: for a proof, some function.
    pub fn is_ieee(self) -> bool {
        match self {
            Self::Abs | Self::Sqrt | Self::Floor | Self::Ceil | Self::Round | Self::Trunc => true,
            Self::Exp | Self::Log | Self::Sin | Self::Cos | Self::Tan | Self::Atan => false,
        }
    }

    /// The name in every text form.
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
