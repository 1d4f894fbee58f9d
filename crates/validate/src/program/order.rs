//! The order of access instances.
//!
//! # Correctness
//! Two instances are compared at the first step where their paths differ. Parts of a statement run
//! in order. Iterations of a serial loop run in the order of its variable; iterations of a parallel
//! loop are unordered. Before vectorizing and unrolling, `Unrolled` counts as serial and
//! `Vectorized` as unordered. Lanes of one statement are not steps: they are not ordered among each
//! other, but all loads of a statement come before its stores. [`before`] holds only where the
//! first instance certainly comes first.

use halidom_ir::LoopKind;

use super::{LoopId, Model, Step};
use crate::space::{Formula, FormulaId, PolyId, Rename, Space};

/// The value of a loop's variable in an instance.
fn iteration(space: &Space, model: &Model, index: LoopId, rename: &Rename) -> PolyId {
    rename.poly(space, space.symbol(model.loops[index].symbol))
}

/// Tests whether the iterations of a loop run in the order of its variable.
pub(crate) fn is_ordered(model: &Model, index: LoopId) -> bool {
    match model.loops[index].kind {
        LoopKind::Serial | LoopKind::Unrolled => true,
        LoopKind::Parallel(_)
        | LoopKind::GpuBlocks
        | LoopKind::GpuThreads
        | LoopKind::Vectorized => false,
    }
}

/// Returns the condition that the first path's instance certainly runs before the second path's.
/// Each is given by its renaming.
pub(crate) fn before(
    space: &Space,
    model: &Model,
    (first, in_first): (&[Step], &Rename),
    (second, in_second): (&[Step], &Rename),
) -> FormulaId {
    let mut ways = Vec::new();
    let mut equal = space.truth(true);
    for pair in first.iter().copied().zip(second.iter().copied()) {
        match pair {
            (Step::Part(i), Step::Part(j)) if i == j => {}
            (Step::Part(i), Step::Part(j)) => {
                ways.extend((i < j).then_some(equal));
                return space.or(ways);
            }
            (Step::Loop(i), Step::Loop(j)) if i == j => {
                let u = iteration(space, model, i, in_first);
                let v = iteration(space, model, i, in_second);
                if is_ordered(model, i) {
                    ways.push(space.and([equal, space.less(u, v)]));
                }
                equal = space.and([equal, space.equal(u, v)]);
            }
            // Two paths through one tree cannot differ in kind here, so nothing is claimed.
            (Step::Part(_) | Step::Loop(_), _) => return space.truth(false),
        }
    }
    space.or(ways)
}

/// Returns the condition that the two instances lie in different iterations of an unordered loop,
/// and in equal iterations of all loops around it.
pub(crate) fn concurrent(
    space: &Space,
    model: &Model,
    first: (&[Step], &Rename),
    second: (&[Step], &Rename),
) -> FormulaId {
    space.or(apart(space, model, first, second).into_iter().map(|(_, way)| way))
}

/// Returns one entry for each unordered loop around both: the number of steps that lead into it,
/// and the condition that the two instances lie in different iterations of it and in equal
/// iterations of the loops around it.
pub(crate) fn apart(
    space: &Space,
    model: &Model,
    (first, in_first): (&[Step], &Rename),
    (second, in_second): (&[Step], &Rename),
) -> Vec<(usize, FormulaId)> {
    let mut ways = Vec::new();
    let mut equal = space.truth(true);
    for (depth, pair) in first.iter().copied().zip(second.iter().copied()).enumerate() {
        match pair {
            (Step::Loop(i), Step::Loop(j)) if i == j => {
                let u = iteration(space, model, i, in_first);
                let v = iteration(space, model, i, in_second);
                let same = space.equal(u, v);
                if !is_ordered(model, i) {
                    let way = space.and([equal, space.not(same)]);
                    if *space.formula(way) != Formula::False {
                        ways.push((depth + 1, way));
                    }
                }
                equal = space.and([equal, same]);
            }
            (Step::Part(i), Step::Part(j)) if i == j => {}
            (Step::Part(_) | Step::Loop(_), _) => break,
        }
    }
    ways
}

/// Counts the leading steps that two paths share.
pub(crate) fn shared(a: &[Step], b: &[Step]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// Tests whether every instance of `b` comes after `a` if its loops agree with `a`'s loops. This
/// holds if every loop of the path `a` is also around `b`, and `b` then takes a later part.
pub(crate) fn dominates(a: &[Step], b: &[Step]) -> bool {
    let common = shared(a, b);
    match (a.get(common), b.get(common)) {
        (Some(Step::Part(i)), Some(Step::Part(j))) => {
            i < j && a[common..].iter().all(|step| matches!(step, Step::Part(_)))
        }
        _ => false,
    }
}
