//! Errors in a text.

use std::fmt;

use halidom_diag::{Diagnostic, FileId, Span};

use crate::{HALIDE_VERSION, codes};

/// A place that Halide's printer would not have written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The place, in bytes.
    pub at: usize,
    /// A token that the printer could have written there.
    pub expected: &'static str,
    /// A description of the text that stands there instead, if it is known.
    pub known: Option<&'static str>,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.expected {
            "\n" => write!(f, "expected the end of the line"),
            blank if blank.trim().is_empty() => write!(f, "expected a blank"),
            token => write!(f, "expected {}", token.trim_end()),
        }
    }
}

impl std::error::Error for SyntaxError {}

impl SyntaxError {
    /// Returns the error for people, with the text that it is about.
    pub fn diagnostic(&self, file: FileId) -> Diagnostic {
        let span = Span::new(file, self.at..self.at);
        let hint = match self.known {
            Some(known) => known.to_owned(),
            None => format!(
                "give a statement as Halide {HALIDE_VERSION} prints it: \
                    `compile_to_conceptual_stmt` with `StmtOutputFormat.Text`, or `-e \
                    conceptual_stmt` of a generator"
            ),
        };
        Diagnostic::error(codes::NOT_A_STATEMENT, span, self.to_string()).with_hint(hint)
    }
}
