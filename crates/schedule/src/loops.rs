//! The names of a schedule's loops, for programs that write schedules.

use halidom_ir::{FuncId, LoopKind, Pool};

use crate::nest::{Loop, LoopClass, Lowered, Placement};

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

/// A place in the loops of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// None: the definition replaces the calls.
    Inline,
    /// Outside all loops.
    Root,
    /// In a loop of another func.
    At {
        /// The func.
        func: FuncId,
        /// The loop's name.
        name: String,
    },
}

/// The places where a func is computed and stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuncPlaces {
    /// The func; where the algorithm was rewritten, the func of the last algorithm.
    pub func: FuncId,
    /// The place of the computation.
    pub compute: Place,
    /// The place of the memory.
    pub store: Place,
}

/// Returns the places of all funcs, in the order of definition.
pub fn places(lowered: &Lowered) -> Vec<FuncPlaces> {
    let place = |placement| match placement {
        Placement::Inline => Place::Inline,
        Placement::Root => Place::Root,
        Placement::At(var) => {
            let nests = lowered
                .plans
                .iter()
                .flat_map(|plan| &plan.instances)
                .flat_map(|instance| &instance.stages);
            let mut loops =
                nests.flat_map(|nest| nest.loops.iter().map(move |found| (nest.func, found)));
            let around = loops.find(|(_, found)| found.var == var);
            around.map_or(Place::Root, |(func, found)| Place::At { func, name: found.name.clone() })
        }
    };
    let of = |plan: &crate::nest::Plan| FuncPlaces {
        func: plan.func,
        compute: place(plan.compute),
        store: place(plan.store),
    };
    lowered.plans.iter().map(of).collect()
}
