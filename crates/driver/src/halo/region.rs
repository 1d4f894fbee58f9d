//! Regions of inputs.

use std::fmt;

use halidom_ir::{ExprId, FuncId};

/// The region of an input.
#[derive(Clone, Debug)]
pub struct Region {
    /// The input.
    pub input: FuncId,
    /// Its name.
    pub name: String,
    /// An interval for each dimension.
    pub dims: Vec<Reach>,
}

/// The interval of a dimension: from `low` to `high`, both included.
#[derive(Clone, Debug)]
pub struct Reach {
    /// The least coordinate.
    pub low: ExprId,
    /// The number of coordinates; none are needed where it is not positive.
    pub extent: ExprId,
    /// The interval in words: `[x0 - 2, x1 + 2]`, where `x0` and `x1` are the ends of the window.
    pub text: String,
    /// True if the coordinates are then clamped to the whole.
    pub is_clamped: bool,
}

impl fmt::Display for Region {
    /// Shows the intervals: `[x0 - 1, x1 + 1] clamped × [y0, y1]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (dim, reach) in self.dims.iter().enumerate() {
            let before = if dim == 0 { "" } else { " × " };
            let after = if reach.is_clamped { " clamped" } else { "" };
            write!(f, "{before}{}{after}", reach.text)?;
        }
        Ok(())
    }
}
