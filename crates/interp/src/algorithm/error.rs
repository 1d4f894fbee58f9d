//! Why an algorithm has no value.

use halidom_ir::eval::EvalError;
use halidom_ir::{FuncId, Pool, Shape};

use crate::code::{CodeError, OpError};
use crate::startup::StartupError;

/// Why an algorithm has no value on its inputs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AlgorithmError {
    /// A `require` does not hold.
    #[error("the pipeline requires: {message}")]
    RequireFailed {
        /// What the pipeline says.
        message: String,
    },
    /// `ε_rdom`: a reduction variable with a negative extent (FS Fig. 6, RDom-Err).
    #[error(
        "the domain of `{variable_name}` in update {stage} of `{name}` has a negative extent: {extent}"
    )]
    DomainExtent {
        /// The func.
        func: FuncId,
        /// Its name.
        name: String,
        /// The stage.
        stage: usize,
        /// Position in the stage's domain.
        variable: usize,
        /// Its name.
        variable_name: String,
        /// The extent.
        extent: i128,
    },
    /// More work than the caller allows.
    #[error("the evaluation takes more steps than it may")]
    TooLong,
    /// A read outside an input.
    #[error("`{reader_name}` reads `{name}` at {coords:?}, outside of {shape:?} (min, extent)")]
    InputOutOfBounds {
        /// The input.
        input: FuncId,
        /// Its name.
        name: String,
        /// Where it was read.
        coords: Vec<i64>,
        /// Its box.
        shape: Shape,
        /// The func that reads.
        reader: FuncId,
        /// Its name.
        reader_name: String,
    },
    /// In a dry run: a coordinate depends on elements of an input that is not given.
    #[error("where `{reader_name}` reads depends on the elements of an input that is not given")]
    DataDependent {
        /// The func that reads.
        reader: FuncId,
        /// Its name.
        reader_name: String,
    },
    /// An input without array.
    #[error("input `{0}` is not given")]
    MissingInput(String),
    /// An operator stops.
    #[error("in `{name}`: {error}")]
    Eval {
        /// The func.
        name: String,
        /// Why.
        error: EvalError,
    },
    /// A coordinate or a bound of a reduction domain that 64 bits do not hold.
    #[error("in `{name}`: {value} is no coordinate")]
    Coordinate {
        /// The func.
        name: String,
        /// The number.
        value: i128,
    },
    /// A window too large for memory, or an output of type `int`.
    #[error("there is no array for `{name}` on {shape:?} (min, extent)")]
    NoArray {
        /// The output.
        name: String,
        /// Its window.
        shape: Shape,
    },
    /// Not as many windows as outputs.
    #[error("{outputs} outputs and {windows} windows")]
    WindowCount {
        /// Number of outputs.
        outputs: usize,
        /// Number of windows.
        windows: usize,
    },
    /// A window of another rank than its output.
    #[error("`{name}` has {rank} dimensions and its window {given}")]
    WindowRank {
        /// The output.
        name: String,
        /// Its rank.
        rank: usize,
        /// The window's.
        given: usize,
    },
    /// The algorithm is not valid (FS Definition 4.5).
    #[error("in `{name}`: {error}")]
    Malformed {
        /// The func.
        name: String,
        /// What is wrong.
        error: CodeError,
    },
    /// A `require` or a bound of a reduction domain is not a startup expression, or its variables are not bound.
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
