//! Diagnostics as plain data.

use std::fmt;

use crate::Span;

/// A stable code: `HAL` and four digits. Each has a page in `docs/errors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub &'static str);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; the input is accepted.
    Note,
    /// Probably unintended; the input is accepted.
    Warning,
    /// The input is rejected.
    Error,
}

impl Severity {
    /// The name of the severity in every output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A place and a message about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The message; may be empty.
    pub message: String,
}

/// A message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The kind of the problem.
    pub code: Code,
    /// One sentence, in lower case and without a full stop.
    pub message: String,
    /// The main place; `None` if the problem has no place in a text (a missing input, for example).
    pub primary: Option<Label>,
    /// Other relevant places.
    pub secondary: Vec<Label>,
    /// A suggested remedy.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Creates an error at a place.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        let primary = Some(Label { span, message: String::new() });
        Self { primary, ..Self::without_place(Severity::Error, code, message) }
    }

    /// Creates a diagnostic that has no place in a text.
    pub fn without_place(severity: Severity, code: Code, message: impl Into<String>) -> Self {
        Self {
            severity,
            code,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            hint: None,
        }
    }

    /// Adds a message at the primary place; has no effect if there is no primary place.
    #[must_use]
    pub fn labelled(mut self, message: impl Into<String>) -> Self {
        if let Some(primary) = &mut self.primary {
            primary.message = message.into();
        }
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn with_label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.secondary.push(Label { span, message: message.into() });
        self
    }

    /// Adds a suggested remedy.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// True if the input is rejected.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The primary place.
    pub fn span(&self) -> Option<Span> {
        self.primary.as_ref().map(|label| label.span)
    }
}
