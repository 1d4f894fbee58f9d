//! Pipeline files (`.hlpipe`): an algorithm and its schedule, as `serialize_pipeline` of Halide
//! 21.0.0 writes them.
//!
//! The format has no magic number, so the reader checks the version first. Anything that the schema
//! of that version does not allow counts as damage.

mod annotate;
mod exprs;
mod funcs;
mod model;
mod rewrite;
mod schema;
mod wire;

use std::fmt;

use halidom_diag::{Diagnostic, Severity};

pub use annotate::{ACCESS, Marks, PROPHECY, SECOND, annotated};
pub use model::{
    Bound, Constraint, Definition, Dim, ExternArgument, External, Func, FuncSchedule, Image,
    ImageDim, Input, LoopLevel, Parameter, Pipeline, Prefetch, ReductionVariable, Requirement,
    Specialization, Split, StageSchedule, StorageDim, TailStrategy, Wrapper,
};

use crate::{Names, Release, codes};
use wire::{File, Table, WireError};

/// The version of the file format that Halide 21.0.0 writes.
const FORMAT_VERSION: &str = "18.0.1";

/// The reason why a file is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The bytes are not laid out as in a pipeline file.
    Damaged {
        /// The place of the damage, in bytes.
        at: usize,
        /// The item that should be there.
        expected: &'static str,
    },
    /// The file is of another version.
    Version {
        /// The version of Halide.
        halide: String,
        /// The version of the file format.
        format: String,
    },
}

impl From<WireError> for ReadError {
    fn from(error: WireError) -> Self {
        Self::Damaged { at: error.at, expected: error.expected }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged { at, expected } => {
                write!(
                    f,
                    "no pipeline file, or a damaged one: at byte {at} there is not {expected}"
                )
            }
            Self::Version { halide, format } => write!(
                f,
                "written by Halide {halide} (format {format}), and what is read is \
                    {} (format {FORMAT_VERSION})",
                Release::ALL.map(Release::version).join(" or ")
            ),
        }
    }
}

impl std::error::Error for ReadError {}

impl ReadError {
    /// The error as a diagnostic for users, with the file's name.
    pub fn diagnostic(&self, name: &str) -> Diagnostic {
        let (code, hint) = match self {
            Self::Damaged { .. } => (
                codes::NOT_A_PIPELINE,
                "write the file anew: `halide.serialize_pipeline(pipeline, \"FILE.hlpipe\")`, or \
                    `-e hlpipe` of a generator",
            ),
            Self::Version { .. } => {
                (codes::OTHER_VERSION, "write the file with `pip install halide==21.0.0` or 19.0.0")
            }
        };
        Diagnostic::without_place(Severity::Error, code, format!("`{name}`: {self}"))
            .with_hint(hint)
    }
}

/// Reads a pipeline file.
///
/// # Errors
/// Returns an error if the file is damaged or of another version.
pub fn read(bytes: &[u8], names: &mut Names) -> Result<Pipeline, ReadError> {
    let file = File::new(bytes);
    Ok(funcs::pipeline(checked_root(&file)?, names)?)
}

/// Returns the root table of a file, after a check of its version.
fn checked_root<'f>(file: &'f File<'f>) -> Result<Table<'f>, ReadError> {
    let root = file.root("Pipeline")?;
    let halide = root.string("halide_version")?;
    let format = root.string("serialization_version")?;
    if halide.is_empty() || format.is_empty() {
        return Err(root.damaged("a version").into());
    }
    if Release::of_version(halide).is_none() || format != FORMAT_VERSION {
        return Err(ReadError::Version { halide: halide.to_owned(), format: format.to_owned() });
    }
    Ok(root)
}
