//! A term: an operation on other terms.

use halidom_base::define_id;
use halidom_ir::{BufferId, Constant, Intrinsic, Scalar, VarId};

define_id!(
    /// A term; equal terms have equal ids.
    pub(crate) TermId, "t"
);

/// Arithmetic whose results may leave the type's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ring {
    Add,
    Sub,
    Mul,
}

/// Operators whose results always fit the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Div,
    Mod,
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Op {
    pub(crate) fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
}

/// A term. `int` does not occur: it is `i64` with exact arithmetic.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    Const(Constant),
    Var(VarId),
    /// Arithmetic: exact, or modulo the width, or of floats.
    Ring {
        op: Ring,
        exact: bool,
        lhs: TermId,
        rhs: TermId,
    },
    Neg {
        exact: bool,
        operand: TermId,
    },
    Not(TermId),
    Binary(Op, TermId, TermId),
    Select(TermId, TermId, TermId),
    Cast(Scalar, TermId),
    Call(Intrinsic, TermId),
    /// An element; for a `bool` buffer, its byte.
    Load(BufferId, TermId),
    Ramp {
        base: TermId,
        stride: TermId,
        lanes: u32,
    },
    Broadcast(TermId, u32),
    /// Chosen lanes: for each, a vector that is no shuffle and the lane's number there; `None` for
    /// a lane that does not matter.
    Shuffle(Box<[Option<(TermId, u32)>]>),
}
