//! The results of the inference.

use halidom_base::{FxHashMap, IndexMap};
use halidom_ir::{BufferId, ExprId, StmtId};

use super::form::Form;
use super::layout::Layout;

/// A claim about a store: the stage and the instance that it writes.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) stage: usize,
    pub(super) coords: Vec<Form>,
    pub(super) point: Vec<Form>,
}

/// Coordinates of loads.
pub(super) type Loads = FxHashMap<ExprId, Vec<Form>>;

/// The results of the inference.
#[derive(Default)]
pub(super) struct Found {
    pub(super) layouts: IndexMap<BufferId, Layout>,
    pub(super) stores: FxHashMap<StmtId, Claim>,
    /// The coordinates of loads.
    pub(super) loads: Loads,
    /// The coordinates of loads in one store, where another store reads another element at the same
    /// place, because a stride is 0.
    pub(super) own: FxHashMap<StmtId, Loads>,
}
