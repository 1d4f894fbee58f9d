//! Errors in a dump.

use std::fmt;

use halidom_diag::{Diagnostic, FileId, Span};

use crate::codes;

/// A place that a dump cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpError {
    /// The place, in bytes.
    pub at: usize,
    /// A description of the error.
    pub what: String,
}

impl fmt::Display for DumpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for DumpError {}

impl DumpError {
    /// Returns the error for people, with the dump that it is about.
    pub fn diagnostic(&self, file: FileId) -> Diagnostic {
        let span = Span::new(file, self.at..self.at);
        Diagnostic::error(codes::NOT_A_STATEMENT, span, self.what.clone())
            .with_hint("give a dump as `halidom validate --write-statement` writes it")
    }
}
