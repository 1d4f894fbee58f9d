//! Traces of a run, for users who want to know where a program goes wrong.

use halidom_ir::{BufferId, StmtId, VarId};

use crate::code::Value;

/// The things to watch during a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// A store whose executions are counted.
    pub stmt: Option<StmtId>,
    /// An element of an output whose last write is recorded: the buffer and the coordinates.
    pub element: Option<(BufferId, Vec<i64>)>,
}

/// The observations of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The loops around the place of the fault, outermost first, with the values of their
    /// variables. Vectorized loops are not listed. Empty without a fault.
    pub loops: Vec<(VarId, i128)>,
    /// The last write to the element.
    pub last: Option<Written>,
    /// The number of executions of the store.
    pub executions: u64,
}

/// A write to the watched element.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The store.
    pub stmt: StmtId,
    /// The loops around the store, outermost first, with the values of their variables. Vectorized
    /// loops are not listed.
    pub loops: Vec<(VarId, i128)>,
    /// The written value. `None` is undefined.
    pub value: Value,
}
