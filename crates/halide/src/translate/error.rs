//! Errors for constructs that have no translation.

use halidom_diag::{Diagnostic, FileId, Severity, Span};

use crate::codes;

/// The reason why a number is refused that its type does not hold.
pub(super) const UNHELD: &str = "a number that its type does not hold";

/// A construct of a pipeline or a statement that has no translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The construct.
    pub what: String,
    /// The place, in bytes of a statement's text.
    pub at: Option<usize>,
    /// The place in words, such as the name of a func.
    pub place: Option<String>,
}

pub(super) type Result<T> = std::result::Result<T, Unsupported>;

/// Fails with the construct that is not translated.
pub(super) fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(Unsupported { what: what.into(), at: None, place: None })
}

impl Unsupported {
    /// Adds a place in a text, unless there is one already.
    pub(super) fn at(self, at: usize) -> Self {
        Self { at: self.at.or(Some(at)), ..self }
    }

    /// Adds a place in words, unless there is one already.
    pub(super) fn within(self, place: impl FnOnce() -> String) -> Self {
        Self { place: Some(self.place.unwrap_or_else(place)), ..self }
    }

    /// The error as a diagnostic for users; `file` is the text, if there is one.
    pub fn diagnostic(&self, file: Option<FileId>) -> Diagnostic {
        let place = self.place.as_ref().map_or(String::new(), |place| format!("{place}: "));
        let message = format!("{place}{} is not translated", self.what);
        let diagnostic = match (self.at, file) {
            (Some(at), Some(file)) => {
                Diagnostic::error(codes::UNSUPPORTED, Span::new(file, at..at), message)
            }
            (Some(_) | None, _) => {
                Diagnostic::without_place(Severity::Error, codes::UNSUPPORTED, message)
            }
        };
        diagnostic.with_hint("docs/stock-halide.md lists what is translated")
    }
}
