//! Constructs that Halide's Python cannot express.

/// A construct that Halide's Python cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} cannot be said in a script")]
pub struct Unprintable {
    /// The construct.
    pub what: String,
}

pub(super) type Result<T> = std::result::Result<T, Unprintable>;

pub(super) fn unprintable<T>(what: impl Into<String>) -> Result<T> {
    Err(Unprintable { what: what.into() })
}
