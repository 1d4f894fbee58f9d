//! The names of a schedule's loops, for programs that write schedules.

use halidom_ir::{FuncId, LoopKind, Pool};

use crate::nest::{Loop, LoopClass, Lowered};

/// The loops of a stage of a func after its directives, in the instance for which no condition
/// holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageLoops {
    /// The func; where the algorithm was rewritten, the func of the last algorithm.
    pub func: FuncId,
    /// The stage.
    pub stage: usize,
    /// Outermost first.
    pub loops: Vec<NamedLoop>,
}

/// A loop by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedLoop {
    /// Its name; a name with a dot in it is a part that no directive can name.
    pub name: String,
    /// The way that it is traversed.
    pub kind: LoopKind,
    /// True if it runs over a reduction variable.
    pub is_reduction: bool,
    /// The number of its iterations, if it is known.
    pub extent: Option<i128>,
}

/// Returns the loops of every stage, including funcs that are computed inline, in the order of
/// definition.
pub fn stage_loops(pool: &Pool, lowered: &Lowered) -> Vec<StageLoops> {
    let unspecialized = lowered.plans.iter().filter_map(|plan| plan.instances.first());
    let nests = unspecialized.flat_map(|instance| &instance.stages);
    let named = |found: &Loop| NamedLoop {
        name: found.name.clone(),
        kind: found.kind,
        is_reduction: found.class == LoopClass::Reduction,
        extent: pool.as_constant(found.interval.extent).and_then(halidom_ir::Constant::as_integer),
    };
    nests
        .map(|nest| StageLoops {
            func: nest.func,
            stage: nest.stage,
            loops: nest.loops.iter().map(named).collect(),
        })
        .collect()
}
