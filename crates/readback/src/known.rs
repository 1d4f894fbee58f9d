//! Facts that a walk along the program has met.

use halidom_base::FxHashMap;
use halidom_ir::{BufferId, VarId};

use crate::polynomial::{Choices, Polynomial};
use crate::term::TermId;

/// Facts about the variables and buffers that the program binds.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The term that each variable is bound to; `None` if it loads from memory, or if there were
    /// two.
    pub(crate) variables: FxHashMap<VarId, Option<TermId>>,
    /// Factors of the number of elements that a buffer has memory for.
    pub(crate) sizes: FxHashMap<BufferId, Vec<TermId>>,
    /// Terms as polynomials in which variables are replaced. A term is queried only after
    /// everything that it mentions is bound.
    pub(crate) done: FxHashMap<TermId, Polynomial>,
    pub(crate) choices: Choices,
}
