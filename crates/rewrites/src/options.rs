//! The input of an examination, its settings, and what can stop it before it begins.

use std::path::PathBuf;

use halidom_smt::{OpenError, Program};

use crate::profile::Profile;
use crate::rules::Limits;

/// A file's name and text.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name in reports.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// How to examine.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the sources' IR means.
    pub profile: &'static Profile,
    /// The solver.
    pub solver: Program,
    /// The solver's limits.
    pub limits: Limits,
    /// Solvers at once.
    pub threads: usize,
    /// A file of answers; it is read and written again.
    pub cache: Option<PathBuf>,
}

/// Why nothing was examined.
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
        /// What the system said.
        source: std::io::Error,
    },
}
