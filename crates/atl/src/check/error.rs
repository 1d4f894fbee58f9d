//! The reasons why Coq cannot be used, and the access to files that gives them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why Coq cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// There is no `coqc`, or no `coqchk`.
    #[error("{0} is not installed")]
    NoCoq(&'static str),
    /// A file cannot be written or read.
    #[error("{path}: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// One of our own files does not compile. This is a defect of this project.
    #[error("{file}.v is not accepted: {message}")]
    Own {
        /// The file.
        file: &'static str,
        /// Coq's message.
        message: String,
    },
    /// Coq's own library assumes something.
    #[error("coqchk does not accept Coq's own library: {0}")]
    Installation(String),
}

pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> CheckError + use<> {
    let path = path.to_owned();
    move |cause| CheckError::File { path, cause }
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, CheckError> {
    fs::read(path).map_err(at(path))
}

pub(super) fn is(path: &Path, content: &[u8]) -> bool {
    fs::read(path).is_ok_and(|found| found == content)
}
