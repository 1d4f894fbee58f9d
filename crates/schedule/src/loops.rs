//! What a schedule's loops are called: for those who write schedules by machine.

use halidom_ir::{FuncId, LoopKind, Pool};

use crate::nest::{Loop, LoopClass, Lowered};

/// The loops of a stage of a func, as its directives leave them; of the instance for which no condition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageLoops {
    /// The func; where the algorithm was rewritten, that of the last algorithm.
    pub func: FuncId,
    /// The stage.
    pub stage: usize,
    /// Outermost first.
    pub loops: Vec<NamedLoop>,
}

/// A loop by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedLoop {
    /// Its name; with a point in it, it is a part that no directive can name.
    pub name: String,
    /// How it is traversed.
    pub kind: LoopKind,
    /// Whether it runs over a reduction variable.
    pub is_reduction: bool,
    /// The number of its iterations, if it is known.
    pub extent: Option<i128>,
}

/// The loops of every stage, also of funcs that are computed inline, in the order of definition.
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
