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

/// A change of the text that applies a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// A command, such as `replace it with `x``.
    pub title: String,
    /// The replaced places, which do not overlap, and their new texts.
    pub edits: Vec<(Span, String)>,
}

impl Fix {
    /// Replaces one place.
    pub fn replace(span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { title: format!("replace it with `{text}`"), edits: vec![(span, text)] }
    }

    /// Inserts a text after a place.
    pub fn insert_after(span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        let after = Span { start: span.end, ..span };
        Self { title: format!("insert `{text}`"), edits: vec![(after, text)] }
    }
}

/// A suggested remedy: a hint, and the change that applies it if one can be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The hint.
    pub hint: String,
    /// The change.
    pub fix: Option<Fix>,
}

impl Remedy {
    /// Suggests another name for the one at a place.
    pub fn did_you_mean(name: &str, span: Span) -> Self {
        let fix = Some(Fix::replace(span, name));
        Self { hint: format!("did you mean `{name}`?"), fix }
    }

    /// A hint with its change.
    pub fn with_fix(hint: impl Into<String>, fix: Fix) -> Self {
        Self { hint: hint.into(), fix: Some(fix) }
    }
}

impl From<String> for Remedy {
    fn from(hint: String) -> Self {
        Self { hint, fix: None }
    }
}

impl From<&str> for Remedy {
    fn from(hint: &str) -> Self {
        Self::from(hint.to_owned())
    }
}

impl From<&String> for Remedy {
    fn from(hint: &String) -> Self {
        Self::from(hint.clone())
    }
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
    /// The change of the text that applies the hint.
    pub fix: Option<Fix>,
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
            fix: None,
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
    pub fn with_hint(mut self, remedy: impl Into<Remedy>) -> Self {
        let Remedy { hint, fix } = remedy.into();
        self.hint = Some(hint);
        self.fix = fix;
        self
    }

    /// Adds a change that removes the problem, where a hint would add nothing to the message.
    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
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
