//! The place where a file differs from its program.

/// A place where the C differs from the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the generated C is not what was validated: {what}: `{excerpt}`")]
pub struct Mismatch {
    /// Line of the file, from 1.
    pub line: usize,
    /// A description of the difference.
    pub what: String,
    /// The line's text.
    pub excerpt: String,
}

impl Mismatch {
    pub(crate) fn at(text: &str, offset: usize, what: impl Into<String>) -> Self {
        let offset = offset.min(text.len());
        let line = text[..offset].matches('\n').count();
        let excerpt = text.lines().nth(line).unwrap_or_default().trim().to_owned();
        Self { line: line + 1, what: what.into(), excerpt }
    }
}
