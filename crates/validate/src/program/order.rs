//! The order of access instances.
//!
//! # Correctness
//! Two instances are compared at the first step where their paths differ. Parts of a statement run
//! in order. Iterations of a serial loop run in the order of its variable; iterations of a parallel
//! loop are unordered. Before vectorizing and unrolling, `Unrolled` counts as serial and
//! `Vectorized` as unordered. Lanes of one statement are not steps: they are not ordered among each
//! other, but all loads of a statement come before its stores. [`before`] holds only where the
//! first instance certainly comes first.

use std::rc::Rc;

use halidom_ir::LoopKind;

use super::{LoopId, Model, Place, Step};
use crate::space::{Formula, FormulaId, PolyId, Rename, Space};

/// An instance of a statement: its place, and values for loops around it and for its lane. All
/// others keep their names.
pub(crate) struct Run<'m> {
    pub(crate) place: &'m Place,
    pub(crate) at: Rc<Rename>,
}

impl<'m> Run<'m> {
    /// The instance in which all loops keep their names.
    pub(crate) fn of(place: &'m Place) -> Self {
        Self { place, at: Rc::default() }
    }

    /// The facts that hold for the instance.
    pub(crate) fn facts(&self, space: &Space) -> Vec<FormulaId> {
        self.at.formulas(space, &self.place.facts)
    }

    /// The value of a loop's variable.
    fn iteration(&self, space: &Space, model: &Model, index: LoopId) -> PolyId {
        self.at.poly(space, space.symbol(model.loops[index].symbol))
    }
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

/// Returns the condition that the first instance certainly runs before the second one.
pub(crate) fn before(space: &Space, model: &Model, first: &Run<'_>, second: &Run<'_>) -> FormulaId {
    let mut ways = Vec::new();
    let mut equal = space.truth(true);
    for pair in steps(first, second) {
        match pair {
            (Step::Part(i), Step::Part(j)) if i == j => {}
            (Step::Part(i), Step::Part(j)) => {
                ways.extend((i < j).then_some(equal));
                return space.or(ways);
            }
            (Step::Loop(i), Step::Loop(j)) if i == j => {
                let u = first.iteration(space, model, i);
                let v = second.iteration(space, model, i);
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
    first: &Run<'_>,
    second: &Run<'_>,
) -> FormulaId {
    space.or(apart(space, model, first, second).into_iter().map(|(_, way)| way))
}

/// Returns one entry for each unordered loop around both: the number of steps that lead into it,
/// and the condition that the two instances lie in different iterations of it and in equal
/// iterations of the loops around it.
pub(crate) fn apart(
    space: &Space,
    model: &Model,
    first: &Run<'_>,
    second: &Run<'_>,
) -> Vec<(usize, FormulaId)> {
    let mut ways = Vec::new();
    let mut equal = space.truth(true);
    for (depth, pair) in steps(first, second).enumerate() {
        match pair {
            (Step::Loop(i), Step::Loop(j)) if i == j => {
                let u = first.iteration(space, model, i);
                let v = second.iteration(space, model, i);
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

/// The steps of two paths, in pairs.
fn steps(first: &Run<'_>, second: &Run<'_>) -> impl Iterator<Item = (Step, Step)> {
    first.place.steps.iter().copied().zip(second.place.steps.iter().copied())
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
