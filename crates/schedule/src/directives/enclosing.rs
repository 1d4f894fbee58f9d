//! The loops around a place, and the loops of the same name in other instances.

use halidom_ir::{FuncId, VarId};

use crate::nest::{Lowered, Nest, Placement};

/// Identifies a nest of a lowered pipeline: func, specialization, stage.
pub(super) type Key = (FuncId, usize, usize);

pub(super) fn key(nest: &Nest) -> Key {
    (nest.func, nest.specialization, nest.stage)
}

/// Returns the loops of the same name in other instances of the same stage, and in its copies.
pub(super) fn siblings(lowered: &Lowered, level: VarId) -> Vec<VarId> {
    let Some((nest, position)) = lowered.find_loop(level) else { return Vec::new() };
    let name = &nest.loops[position].name;
    let original = lowered.original(nest.func);
    let others = lowered.nests().filter(|other| {
        lowered.original(other.func) == original
            && other.stage == nest.stage
            && key(other) != key(nest)
    });
    others.filter_map(|other| other.position(name).map(|at| other.loops[at].var)).collect()
}

/// True if all of a stage's code runs within a loop, after what is computed at the start of the
/// loop's body.
pub(super) fn is_within(lowered: &Lowered, nest: &Nest, level: VarId) -> bool {
    if nest.loops.iter().any(|l| l.var == level) {
        return true;
    }
    let Some(Placement::At(outer)) = lowered.plan(nest.func).map(|plan| plan.compute) else {
        return false;
    };
    // At the same level the order of definition decides, and definitions come before uses.
    enclosing(lowered, outer).contains(&level)
}

/// Returns the loops around the start of a loop's body, that loop first.
pub(super) fn enclosing(lowered: &Lowered, level: VarId) -> Vec<VarId> {
    let mut loops = Vec::new();
    let mut next = Some(level);
    while let Some(level) = next {
        let Some((nest, position)) = lowered.find_loop(level) else { break };
        loops.extend(nest.loops[..=position].iter().rev().map(|l| l.var));
        next = match lowered.plan(nest.func).map(|plan| plan.compute) {
            // A cycle of placements is impossible: it is refused because its uses are not
            // dominated.
            Some(Placement::At(outer)) if !loops.contains(&outer) => Some(outer),
            Some(Placement::At(_) | Placement::Root | Placement::Inline) | None => None,
        };
    }
    loops
}

/// Returns the loops from just within the storage to the place where a func is computed, innermost
/// first; `None` if the storage does not enclose that place.
pub(crate) fn loops_between(
    lowered: &Lowered,
    store: Placement,
    compute: Placement,
) -> Option<Vec<VarId>> {
    let around = match compute {
        Placement::At(level) => enclosing(lowered, level),
        Placement::Root | Placement::Inline => Vec::new(),
    };
    match store {
        Placement::At(level) => {
            let position = around.iter().position(|var| *var == level)?;
            Some(around[..position].to_vec())
        }
        Placement::Root | Placement::Inline => Some(around),
    }
}
