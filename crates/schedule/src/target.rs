//! A variable to be eliminated, and the end of the interval that is sought.

use halidom_ir::ExprId;

/// The end of an interval that is sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum End {
    Low,
    High,
}

impl End {
    pub(crate) fn opposite(self) -> Self {
        match self {
            Self::Low => Self::High,
            Self::High => Self::Low,
        }
    }

    pub(crate) fn along(self, positive: bool) -> Self {
        if positive { self } else { self.opposite() }
    }
}

/// A variable (or data-dependent expression) to be eliminated, with its interval, both ends
/// included; `None` is infinite. Ends mention only targets further out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub(crate) expr: ExprId,
    pub(crate) low: Option<ExprId>,
    pub(crate) high: Option<ExprId>,
}
