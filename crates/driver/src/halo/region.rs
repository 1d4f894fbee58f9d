//! Regions of inputs.

use std::fmt;

use halidom_ir::{ExprId, FuncId};

/// Longer formulas are not shown: nobody reads them.
const MOST_CHARACTERS: usize = 200;

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
    /// The interval where it lies within the whole, if it is shorter to write than `text`: near the
    /// ends of the whole a mirrored input is read elsewhere.
    pub inside: Option<String>,
}

impl fmt::Display for Region {
    /// Shows the intervals: `[x0 - 1, x1 + 1] clamped × [y0, y1] inside`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (dim, reach) in self.dims.iter().enumerate() {
            let before = if dim == 0 { "" } else { " × " };
            match &reach.inside {
                Some(inside) => write!(f, "{before}{inside} inside")?,
                None if reach.text.len() > MOST_CHARACTERS => {
                    write!(f, "{before}[a formula of {} characters]", reach.text.len())?;
                }
                None if reach.is_clamped => write!(f, "{before}{} clamped", reach.text)?,
                None => write!(f, "{before}{}", reach.text)?,
            }
        }
        Ok(())
    }
}
