//! The imperative program of a pipeline, with or without holes (**Tgt** in FS).

use crate::{BufferId, FuncId, StmtId, VarId};

/// A lowered pipeline. Its free variables are the algorithm's parameters, the shapes of inputs and
/// outputs, and the windows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The pipeline's name.
    pub name: String,
    /// Scalar parameters.
    pub params: Vec<VarId>,
    /// The inputs' buffers.
    pub inputs: Vec<BufferId>,
    /// The outputs, in order.
    pub outputs: Vec<Output>,
    /// The entry checks, followed by the work.
    pub body: StmtId,
}

impl Program {
    /// Iterates over the outputs' buffers, component by component.
    pub fn output_buffers(&self) -> impl Iterator<Item = BufferId> + '_ {
        self.outputs.iter().flat_map(|output| output.buffers.iter().copied())
    }
}

/// An output of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The func.
    pub func: FuncId,
    /// The caller's memory: one buffer for each component of the func's values. All have one shape,
    /// with the same variables. It may be larger than the window: `round` writes beyond the window.
    pub buffers: Vec<BufferId>,
    /// The required region: for each dimension a pair of `int` variables (min, extent). FS calls
    /// them x^min and x^len.
    pub window: Vec<(VarId, VarId)>,
}
