//! The reasons why a text could not be read.

/// The reason why a text could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at byte {offset}")]
pub struct ParseError {
    /// The byte offset in the text.
    pub offset: usize,
    /// A description of the text that was expected there.
    pub expected: &'static str,
}

impl ParseError {
    /// The line and column of the error in its text, both counted from 1.
    pub fn position(&self, text: &str) -> (usize, usize) {
        let before = &text[..self.offset.min(text.len())];
        let line = before.matches('\n').count() + 1;
        (line, before.rsplit('\n').next().unwrap_or_default().chars().count() + 1)
    }
}

pub(super) type Result<T> = std::result::Result<T, ParseError>;
