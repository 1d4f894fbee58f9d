//! The input of an examination, its settings, and the errors that stop it before it begins.

use std::path::PathBuf;

use halidom_smt::{OpenError, Program};

use crate::profile::Profile;
use crate::rules::Limits;

/// A file's name and text.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file's name in reports.
    pub name: String,
    /// The file's text.
    pub text: String,
}

/// The settings of an examination.
#[derive(Clone, Debug)]
pub struct Options {
    /// The meaning of the sources' IR.
    pub profile: &'static Profile,
    /// The solver.
    pub solver: Program,
    /// The solver's limits.
    pub limits: Limits,
    /// The number of solvers that run at once.
    pub threads: usize,
    /// A file of kept verdicts, which is read and written again.
    pub cache: Option<PathBuf>,
}

/// The reason why nothing was examined.
#[derive(Debug, thiserror::Error)]
pub enum ExamineError {
    /// A solver could not be set up.
    #[error(transparent)]
    Solver(#[from] OpenError),
    /// The cache's file cannot be read or written.
    #[error("cannot use the cache `{path}`: {source}")]
    Cache {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}
