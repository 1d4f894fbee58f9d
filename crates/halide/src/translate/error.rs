//! What has no translation.

use halidom_diag::{Diagnostic, FileId, Severity, Span};

use crate::codes;

/// Something that stands in a pipeline or a statement and has no translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// What it is.
    pub what: String,
    /// Where it stands: in bytes of a statement's text.
    pub at: Option<usize>,
    /// Where it stands in words: a func, say.
    pub place: Option<String>,
}

pub(super) type Result<T> = std::result::Result<T, Unsupported>;

/// Fails with what is not translated.
pub(super) fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(Unsupported { what: what.into(), at: None, place: None })
}

impl Unsupported {
    /// The same at a place in a text, unless it has one.
    pub(super) fn at(self, at: usize) -> Self {
        Self { at: self.at.or(Some(at)), ..self }
    }

    /// The same at a place in words, unless it has one.
    pub(super) fn within(self, place: impl FnOnce() -> String) -> Self {
        Self { place: Some(self.place.unwrap_or_else(place)), ..self }
    }

    /// For people; with the text, where there is one.
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
