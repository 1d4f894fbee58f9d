//! The errors of the printer.

use halidom_ir::{Scalar, Type};

/// The reasons why a program cannot be printed as C. Each is a defect of the pass that produced the
/// program, or a feature that the printer lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    /// A construct of earlier stages is left.
    #[error("a final program cannot contain {0}")]
    NotFinal(&'static str),
    /// A variable stands where it is not bound.
    #[error("variable `{0}` is used where it is not bound")]
    UnboundVar(String),
    /// A buffer stands where it does not exist.
    #[error("buffer `{0}` is used where it is not allocated")]
    UnboundBuffer(String),
    /// An `int` constant beyond 64 bits.
    #[error("the constant {0} does not fit the 64 bits of generated code")]
    ConstantTooLarge(i128),
    /// A vector type without a C type.
    #[error("no vector type of C has the lanes of `{0}`")]
    Lanes(Type),
    /// An operator on a type that it does not take.
    #[error("`{operator}` does not take operands of type `{scalar}`")]
    Operator {
        /// The operator.
        operator: &'static str,
        /// The operands' type.
        scalar: Scalar,
    },
    /// A function that is only named: no program of our own has one.
    #[error("`{0}` is only named, and generated code calls no function of others")]
    NamedFunction(String),
    /// An operator that assumes that no overflow happens: only other compilers' IR has these.
    #[error("generated code cannot assume that there is no overflow")]
    AssumedAbsent,
    /// A buffer whose storage takes only small constant sizes, and whose size is not known to be
    /// one.
    #[error("buffer `{0}` is not known to be small enough for the {1}")]
    TooLarge(String, &'static str),
    /// A caller's buffer whose layout does not consist of variables.
    #[error("dimension {dim} of buffer `{buffer}` is not given by variables")]
    FixedLayout {
        /// The buffer.
        buffer: String,
        /// The dimension.
        dim: usize,
    },
}
