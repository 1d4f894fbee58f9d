//! The calls of a method in a run of its whole class.

use crate::ir::node::NodeId;
use crate::ir::state::State;

/// A call of the method that is examined.
pub(crate) struct Visit {
    /// The node that it took.
    pub(crate) node: NodeId,
    /// The node that it returned.
    pub(crate) result: NodeId,
    /// The state before the call.
    pub(crate) before: State,
}

/// A run of a whole class, in which the class's own `mutate` runs too.
#[derive(Default)]
pub(crate) struct Visits {
    /// The calls that returned, the inner ones first.
    pub(crate) all: Vec<Visit>,
    /// True if the class's own `mutate` is passed over once, because it calls that of its base.
    pub(crate) is_by_base: bool,
}
