//! The errors of evaluating an algorithm.

use halidom_ir::eval::EvalError;
use halidom_ir::{FuncId, Pool, Shape};

use crate::code::{CodeError, OpError};
use crate::startup::StartupError;

/// The reason why an algorithm has no value on its inputs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AlgorithmError {
    /// A `require` does not hold.
    #[error("the pipeline requires: {message}")]
    RequireFailed {
        /// The message of the `require`.
        message: String,
    },
    /// `ε_rdom`: a reduction variable has a negative extent (FS Fig. 6, RDom-Err).
    #[error(
        "the domain of `{variable_name}` in update {stage} of `{name}` has a negative extent: \
            {extent}"
    )]
    DomainExtent {
        /// The func.
        func: FuncId,
        /// The func's name.
        name: String,
        /// The stage.
        stage: usize,
        /// The position in the stage's domain.
        variable: usize,
        /// The reduction variable's name.
        variable_name: String,
        /// The extent.
        extent: i128,
    },
    /// The evaluation needs more work than the caller allows.
    #[error("the evaluation takes more steps than it may")]
    TooLong,
    /// A read outside an input.
    #[error("`{reader_name}` reads `{name}` at {coords:?}, outside of {shape:?} (min, extent)")]
    InputOutOfBounds {
        /// The input.
        input: FuncId,
        /// The input's name.
        name: String,
        /// The point that was read.
        coords: Vec<i64>,
        /// The input's box.
        shape: Shape,
        /// The func that reads.
        reader: FuncId,
        /// The reader's name.
        reader_name: String,
    },
    /// In a dry run, a coordinate depends on elements of an input that is not given.
    #[error("where `{reader_name}` reads depends on the elements of an input that is not given")]
    DataDependent {
        /// The func that reads.
        reader: FuncId,
        /// The reader's name.
        reader_name: String,
    },
    /// A read of a func where it has no value: its pure stage does not apply there, and no update
    /// has written it.
    #[error("`{name}` has no value at {coords:?}")]
    Unwritten {
        /// The func.
        name: String,
        /// The point.
        coords: Vec<i64>,
    },
    /// An input has no array.
    #[error("input `{0}` is not given")]
    MissingInput(String),
    /// An operator has no value on its operands.
    #[error("in `{name}`: {error}")]
    Eval {
        /// The func.
        name: String,
        /// The operator's error.
        error: EvalError,
    },
    /// A coordinate or a bound of a reduction domain does not fit 64 bits.
    #[error("in `{name}`: {value} is no coordinate")]
    Coordinate {
        /// The func.
        name: String,
        /// The number.
        value: i128,
    },
    /// A window is too large for memory, or an output has type `int`.
    #[error("there is no array for `{name}` on {shape:?} (min, extent)")]
    NoArray {
        /// The output.
        name: String,
        /// The output's window.
        shape: Shape,
    },
    /// The number of windows differs from the number of outputs.
    #[error("{outputs} outputs and {windows} windows")]
    WindowCount {
        /// The number of outputs.
        outputs: usize,
        /// The number of windows.
        windows: usize,
    },
    /// A window has another rank than its output.
    #[error("`{name}` has {rank} dimensions and its window {given}")]
    WindowRank {
        /// The output.
        name: String,
        /// The output's rank.
        rank: usize,
        /// The window's rank.
        given: usize,
    },
    /// The algorithm is not valid (FS Definition 4.5).
    #[error("in `{name}`: {error}")]
    Malformed {
        /// The func.
        name: String,
        /// The error in its code.
        error: CodeError,
    },
    /// A `require` or a bound of a reduction domain is not a startup expression, or its variables
    /// are not bound.
    #[error(transparent)]
    Startup(#[from] StartupError),
}

impl AlgorithmError {
    pub(super) fn ill_typed(pool: &Pool, func: FuncId) -> Self {
        Self::Eval { name: pool.func(func).name.clone(), error: EvalError::IllTyped }
    }

    pub(super) fn operator(pool: &Pool, func: FuncId, error: OpError) -> Self {
        let name = pool.func(func).name.clone();
        match error {
            OpError::Eval(error) => Self::Eval { name, error },
            OpError::Beyond64(value) => Self::Coordinate { name, value },
        }
    }
}
