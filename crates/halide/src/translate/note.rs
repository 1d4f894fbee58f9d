//! Notes of a translation.

use std::fmt;

/// A note on what a translation leaves out, infers or rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The compiler computed a float constant, and the text shows only six of its digits.
    Digits(String),
    /// Annotations give the claims of some stores.
    Annotated(String),
    /// A store or load has no claim.
    Unclaimed(String),
    /// Memory is treated as if it were filled anew in each iteration of a loop.
    Lifetime(String),
    /// Anything else.
    Other(String),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Digits(text)
            | Self::Annotated(text)
            | Self::Unclaimed(text)
            | Self::Lifetime(text)
            | Self::Other(text) => f.write_str(text),
        }
    }
}

impl From<String> for Note {
    fn from(text: String) -> Self {
        Self::Other(text)
    }
}
