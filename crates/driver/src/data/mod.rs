//! What a run is given: parameters, inputs, and the window of the output.
//!
//! [`prepare`] turns a [`Request`] (what the user said) into a [`Prepared`] (values for every parameter, an array for every input, a window for every output), asking the
//! entry checks of a reference program (the unscheduled one) which region of each input a window needs.

mod inputs;
mod params;
mod regions;
mod window;

use std::path::PathBuf;

use halidom_interp::Bindings;
use halidom_ir::{Algorithm, Pool, Program, Shape};

pub use regions::Regions;

use crate::files::{Channels, FileError};

/// Where an input's elements come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A picture or an NPY file.
    File {
        /// The file.
        path: PathBuf,
        /// How a colour picture is read.
        channels: Channels,
    },
    /// Drawn from a seed.
    Random(u64),
    /// Zeros.
    Zeros,
}

/// What the user said about a run.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `--set NAME=VALUE`.
    pub params: Vec<(String, String)>,
    /// `--input NAME=…`.
    pub inputs: Vec<(String, Source)>,
    /// `--random SEED`: for every parameter and input that is not named.
    pub random: Option<u64>,
    /// `--size E0xE1…`: extents of the output, mins 0.
    pub size: Option<Vec<i64>>,
    /// `--input-size NAME=E0xE1…`.
    pub input_sizes: Vec<(String, Vec<i64>)>,
}

/// Everything that a run needs.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Parameters, shapes and inputs.
    pub bindings: Bindings,
    /// The window of each output.
    pub windows: Vec<Shape>,
}

/// Why a run cannot be prepared.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// A name that the pipeline does not have.
    #[error("the pipeline has no {kind} `{name}`; it has {known}")]
    UnknownName {
        /// `input` or `parameter`.
        kind: &'static str,
        /// What was given.
        name: String,
        /// What there is.
        known: String,
    },
    /// An input or parameter without a value.
    #[error("the {kind} `{name}` has no value")]
    Missing {
        /// `input` or `parameter`.
        kind: &'static str,
        /// Which.
        name: String,
    },
    /// A value that is not of the parameter's type.
    #[error("`{value}` is not a value of type {ty} for the parameter `{name}`")]
    Value {
        /// The parameter.
        name: String,
        /// What was given.
        value: String,
        /// Its type.
        ty: halidom_ir::Scalar,
    },
    /// A size with the wrong number of dimensions or too large.
    #[error("the size given for `{name}` has {given} dimensions, it has {rank}")]
    SizeRank {
        /// The input or output.
        name: String,
        /// Dimensions given.
        given: usize,
        /// Dimensions that it has.
        rank: usize,
    },
    /// More memory than can be had.
    #[error("`{name}` would be too large")]
    TooLarge {
        /// The input or output.
        name: String,
    },
    /// No window follows from the inputs.
    #[error("the inputs do not say how large `{output}` is in dimension {dim}")]
    NoWindow {
        /// The output.
        output: String,
        /// The dimension.
        dim: usize,
    },
    /// An input is too small for any output.
    #[error(
        "`{input}` is too small in dimension {dim}: one value of the output needs {needed}, it has {given}"
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
        /// What was looked for.
        name: String,
        /// Why.
        source: halidom_interp::StartupError,
    },
    /// A value cannot be bound.
    #[error(transparent)]
    Bind(#[from] halidom_interp::BindError),
}

impl DataError {
    /// The stable code.
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

    /// What would help.
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

/// Finds a value for everything. `references` are programs of the algorithm whose entry checks tell which region of each input a window needs: the window follows from
/// the first; inputs that are made here are as large as any of them needs, so that runs under different schedules are runs on the same data.
pub fn prepare(
    pool: &Pool,
    algorithm: &Algorithm,
    references: &[Program],
    request: &Request,
) -> Result<Prepared, DataError> {
    let mut bindings = Bindings::new();
    params::bind(pool, algorithm, request, &mut bindings)?;
    inputs::check_names(pool, algorithm, request)?;
    inputs::bind_files(pool, algorithm, request, &mut bindings)?;
    let windows = match references.first() {
        Some(reference) => {
            window::choose(pool, reference, &Regions::of(pool, reference), request, &mut bindings)?
        }
        None => Vec::new(),
    };
    for reference in references {
        for (output, window) in reference.outputs.iter().zip(&windows) {
            window::bind(pool, output, window, &mut bindings)?;
        }
    }
    inputs::bind_rest(pool, algorithm, references, request, &mut bindings)?;
    Ok(Prepared { bindings, windows })
}
