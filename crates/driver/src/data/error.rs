//! The reasons why a run cannot be prepared.

use crate::files::FileError;

/// The reason why a run cannot be prepared.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The pipeline has no such name.
    #[error("the pipeline has no {kind} `{name}`; it has {known}")]
    UnknownName {
        /// `input` or `parameter`.
        kind: &'static str,
        /// The given name.
        name: String,
        /// The known names.
        known: String,
    },
    /// An input or parameter without a value.
    #[error("the {kind} `{name}` has no value")]
    Missing {
        /// `input` or `parameter`.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// A value that is not of the parameter's type.
    #[error("`{value}` is not a value of type {ty} for the parameter `{name}`")]
    Value {
        /// The parameter.
        name: String,
        /// The given value.
        value: String,
        /// Its type.
        ty: halidom_ir::Scalar,
    },
    /// A size has the wrong number of dimensions.
    #[error("the size given for `{name}` has {given} dimensions, it has {rank}")]
    SizeRank {
        /// The input or output.
        name: String,
        /// The number of given dimensions.
        given: usize,
        /// The number of dimensions that it has.
        rank: usize,
    },
    /// An array does not fit into memory.
    #[error("`{name}` would be too large")]
    TooLarge {
        /// The input or output.
        name: String,
    },
    /// The inputs do not determine a window.
    #[error("the inputs do not say how large `{output}` is in dimension {dim}")]
    NoWindow {
        /// The output.
        output: String,
        /// The dimension.
        dim: usize,
    },
    /// An input is too small for any output.
    #[error(
        "`{input}` is too small in dimension {dim}: one value of the output needs {needed}, it has \
            {given}"
    )]
    TooSmall {
        /// The input.
        input: String,
        /// The dimension.
        dim: usize,
        /// The needed coordinates, as text.
        needed: String,
        /// The given coordinates, as text.
        given: String,
    },
    /// An entry check cannot be evaluated.
    #[error("the size of `{name}` cannot be found: {source}")]
    Startup {
        /// The name of the array whose size is computed.
        name: String,
        /// The reason.
        source: halidom_interp::StartupError,
    },
    /// A value cannot be bound.
    #[error(transparent)]
    Bind(#[from] halidom_interp::BindError),
}

impl DataError {
    /// The stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::File(error) => error.code(),
            Self::UnknownName { .. } => "HAL0807",
            Self::Missing { .. } => "HAL0806",
            Self::Value { .. } => "HAL0808",
            Self::SizeRank { .. } => "HAL0811",
            Self::TooLarge { .. } => "HAL0812",
            Self::NoWindow { .. } | Self::Startup { .. } => "HAL0810",
            Self::TooSmall { .. } => "HAL0809",
            Self::Bind(_) => "HAL0815",
        }
    }

    /// A hint for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::File(error) => error.hint().to_owned(),
            Self::UnknownName { .. } => "names are those of the pipeline's signature".to_owned(),
            Self::Missing { kind: "input", name } => {
                format!("give `--input {name}=FILE`, or `--random 1` for every input not named")
            }
            Self::Missing { name, .. } => format!("give `--set {name}=VALUE`, or `--random 1`"),
            Self::Value { .. } => {
                "write an integer, a decimal number, `true` or `false`, within the type's range"
                    .to_owned()
            }
            Self::SizeRank { .. } => {
                "sizes are written `640x427`, one number a dimension, the first dimension first"
                    .to_owned()
            }
            Self::TooLarge { .. } => "give a smaller size".to_owned(),
            Self::NoWindow { .. } | Self::Startup { .. } => "give `--size E0xE1`".to_owned(),
            Self::TooSmall { .. } => {
                "give a larger input, or a boundary condition such as `repeat_edge`".to_owned()
            }
            Self::Bind(_) => "check the types of the signature".to_owned(),
        }
    }
}
