//! The parameters that stand for the unknown of funcs that extern functions compute.

use halidom_ir::VarId;

use crate::NameId;
use crate::pipeline::{ExternArgument, Func};

/// The number of bounds queries with different windows that a func may have before all work.
pub(super) const QUERIES: usize = 2;

/// The interval of a dimension, as parameters: the least coordinate and the number of coordinates.
pub(super) type Side = [VarId; 2];

/// The regions that a bounds query answers.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// The window of the func that the function wants to compute.
    pub(super) window: Vec<Side>,
    /// The region of each buffer that it reads. The components of a func share one region.
    pub(super) inputs: Vec<Vec<Side>>,
}

/// The parameters that stand for what is unknown of a func of an extern function.
#[derive(Clone, Debug)]
pub(super) struct ExternStage {
    /// The func.
    pub(super) name: NameId,
    /// The arbitrary point whose value depends on the inputs' probes.
    pub(super) point: Vec<VarId>,
    /// The region of each input that the value at the point depends on.
    pub(super) reads: Vec<Vec<Side>>,
    /// The answers of queries before all work.
    pub(super) answers: Vec<Answer>,
    /// The probe of each input.
    pub(super) probes: Vec<Vec<VarId>>,
}

impl ExternStage {
    /// All parameters.
    pub(super) fn params(&self) -> impl Iterator<Item = VarId> {
        let answers = self.answers.iter();
        let answers = answers.flat_map(|answer| {
            answer.window.iter().chain(answer.inputs.iter().flatten()).flatten().copied()
        });
        let reads = self.reads.iter().flatten().flatten().copied();
        let points = self.point.iter().chain(self.probes.iter().flatten()).copied();
        reads.chain(answers).chain(points)
    }
}

/// The indices of the funcs that are arguments of a func's extern function.
pub(super) fn callees(func: &Func, count: usize) -> Vec<usize> {
    let arguments = func.external.iter().flat_map(|external| &external.arguments);
    let callee = |argument: &ExternArgument| match argument {
        ExternArgument::Func(callee) => Some(*callee).filter(|callee| *callee < count),
        ExternArgument::Image(_) | ExternArgument::Scalar(_) | ExternArgument::Input(_) => None,
    };
    arguments.filter_map(callee).collect()
}
