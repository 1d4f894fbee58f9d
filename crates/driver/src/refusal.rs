//! Refusals of inputs, as data.

use std::fmt;

use halidom_diag::{Code, Colours, Diagnostic, Severity, Sources, render};
use halidom_halide::codes::UNSUPPORTED;
use halidom_verdict::{Cause, Verdict};

use crate::files::FileError;

/// The diagnostics that refuse an input, with the texts that they refer to.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The texts.
    pub sources: Sources,
    /// The diagnostics, the decisive one last.
    pub diagnostics: Vec<Diagnostic>,
    /// True if the input is well-formed and has nothing to compile.
    pub is_empty: bool,
}

impl Refusal {
    /// A refusal by diagnostics in these texts.
    pub fn new(sources: Sources, diagnostics: Vec<Diagnostic>) -> Self {
        Self { sources, diagnostics, is_empty: false }
    }

    /// A refusal by an error that has no place in a text.
    pub fn without_place(code: &'static str, message: impl Into<String>, hint: &str) -> Self {
        let diagnostic =
            Diagnostic::without_place(Severity::Error, Code(code), message).with_hint(hint);
        Self::new(Sources::new(), vec![diagnostic])
    }

    /// The verdict on the input: there is nothing to judge, or nothing is known because a construct
    /// is not supported. `None` if the input is wrong.
    pub fn verdict(&self) -> Option<Verdict> {
        let unsupported = self.diagnostics.iter().find(|diagnostic| diagnostic.code == UNSUPPORTED);
        match (unsupported, self.diagnostics.last()) {
            (Some(reason), _) => Some(Verdict::unknown(Cause::Construct, reason.message.as_str())),
            (None, Some(last)) if self.is_empty => {
                let hint = last.hint.as_deref().unwrap_or_default();
                Some(Verdict::nothing(last.message.as_str(), hint))
            }
            (None, _) => None,
        }
    }
}

impl fmt::Display for Refusal {
    /// Prints the diagnostics with their places.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut diagnostics = self.diagnostics.iter();
        diagnostics.try_for_each(|diagnostic| {
            f.write_str(&render(&self.sources, diagnostic, Colours::Never))
        })
    }
}

impl From<FileError> for Refusal {
    fn from(error: FileError) -> Self {
        Self::without_place(error.code(), error.to_string(), error.hint())
    }
}
