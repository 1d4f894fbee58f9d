//! Better guesses at needed regions.
//!
//! An update may read locations of its func other than the one it writes. These must be right even
//! if no consumer needs them. In the dimensions in which such locations differ, the regions of the
//! update's stage and of earlier stages become the box over which the func's pure stage runs.

use halidom_base::FxHashSet;
use halidom_ir::BufferKind;

use super::parts::poly_atoms;
use crate::obligation::door::Region;
use crate::program::{Access, Model, Step, Store};
use crate::space::{Atom, Formula, PolyId, Rename, Space, Symbol};

/// Returns regions of the stages of each label. Regions up to the last update that reads locations
/// other than the one it writes are widened, in the dimensions concerned.
pub(super) fn widened(model: &Model, space: &Space) -> Vec<Vec<Region>> {
    let mut found = Vec::new();
    // A load of an element that no buffer has is never made, whatever it claims. An output is
    // needed on its window all the same. The promise of another func may be less than its memory.
    let is_made = |space: &Space, load: &Access| {
        let at = load.flat.and_then(|flat| space.as_constant(flat));
        at.is_none_or(|at| at >= 0) || model.memories[load.memory].kind != BufferKind::Output
    };
    let made: FxHashSet<_> =
        model.loads.iter().filter(|(_, load)| is_made(space, load)).map(|(id, _)| id).collect();
    for (label, labelled) in model.labels.iter() {
        let own = |store: &&Store| store.label == Some(label);
        let reaches = |dim: usize| {
            let reaching = model.stores.values().filter(own).filter(|store| {
                store.uses.iter().chain(&store.decides).any(|used| {
                    let load = &model.loads[used.load];
                    labelled.memories.contains(&load.memory)
                        && made.contains(&used.load)
                        && load.coords.get(dim) != store.access.coords.get(dim)
                })
            });
            reaching.map(|store| store.stage).max()
        };
        let mut regions = labelled.regions.clone();
        for dim in 0..labelled.needed.len() {
            let Some(last) = reaches(dim) else { continue };
            let pure: Vec<&Store> =
                model.stores.values().filter(own).filter(|store| store.stage == 0).collect();
            let place = &labelled.place;
            let outside = (place.steps.len(), place.facts.len());
            // The box may be written in pieces. It begins where the first piece begins.
            let start = pure.first().and_then(|store| {
                let (first, _) = first_iterations(model, space, store, outside.0)?;
                Some({ first }.poly(space, *store.access.coords.get(dim)?))
            });
            let guarded = pure.iter().rev().find_map(|store| {
                let coord = *store.access.coords.get(dim)?;
                guarded_range(model, space, store, coord, outside, start?)
            });
            // Without a guard, the box ends where the last piece ends.
            let swept = pure.last().zip(start).and_then(|(store, start)| {
                let last = last_iterations(model, space, store, outside.0)?;
                let end = last.poly(space, *store.access.coords.get(dim)?);
                Some((start, space.offset(space.sub(end, start), 1)))
            });
            let range = guarded.or(swept);
            if let Some(range) = range {
                let widened = regions.iter_mut().take(last + 1);
                let widened = widened.filter_map(|region| region.get_mut(dim));
                widened.for_each(|own| *own = hull(space, *own, range));
            }
        }
        found.push(regions);
    }
    found
}

/// Returns the box's range, with the range that is needed if the box is known to leave some of it
/// out: a pure stage may have no value there.
fn hull(space: &Space, needed: (PolyId, PolyId), range: (PolyId, PolyId)) -> (PolyId, PolyId) {
    let known = |(min, extent)| Some((space.as_constant(min)?, space.as_constant(extent)?));
    let both = known(needed).zip(known(range)).and_then(|(needed, found)| {
        let ends = [needed, found].map(|(min, extent): (i128, i128)| min.checked_add(extent));
        let first = needed.0.min(found.0);
        Some((first, ends[0]?.max(ends[1]?).checked_sub(first)?))
    });
    match both {
        Some((first, extent)) => (space.constant(first), space.constant(extent)),
        None => range,
    }
}

/// Returns the range of a coordinate from `min` up to a bound that a guard sets, if the bound does
/// not depend on the loops inside the label.
fn guarded_range(
    model: &Model,
    space: &Space,
    store: &Store,
    coord: PolyId,
    (depth, known): (usize, usize),
    min: PolyId,
) -> Option<(PolyId, PolyId)> {
    let own = store.access.place.facts.get(known..)?;
    let (_, inner) = first_iterations(model, space, store, depth)?;
    // A condition within a loop is stronger than the loop's range.
    for fact in own.iter().rev() {
        let Formula::NonNegative(room) = *space.formula(*fact) else { continue };
        for room in at_least(space, room, MOST_NESTED) {
            let last = space.add(coord, room);
            if !space.symbols_of(last).iter().any(|symbol| inner.contains(symbol)) {
                return Some((min, space.offset(space.sub(last, min), 1)));
            }
        }
    }
    None
}

/// The depth to which minima within minima are examined. A split of a split of a loop has two.
const MOST_NESTED: u32 = 3;

/// Returns the integer, and its values where a minimum in it is replaced by an operand: an
/// iteration that a minimum cuts off ends at one of the operands.
fn at_least(space: &Space, poly: PolyId, depth: u32) -> Vec<PolyId> {
    let mut found = vec![poly];
    let Some(depth) = depth.checked_sub(1) else { return found };
    for atom in poly_atoms(space, poly) {
        let Atom::Min(operands) = space.atom(atom).clone() else { continue };
        for operand in operands {
            let mut replace = Rename::new();
            replace.override_atom(atom, operand);
            found.extend(at_least(space, replace.poly(space, poly), depth));
        }
    }
    found
}

/// Returns the first iterations of the loops around a store inside the first `depth` steps, with
/// the symbols of these loops and of its lane.
fn first_iterations(
    model: &Model,
    space: &Space,
    store: &Store,
    depth: usize,
) -> Option<(Rename, Vec<Symbol>)> {
    let mut first = Rename::new();
    let mut inner: Vec<Symbol> = Vec::new();
    for step in store.access.place.steps.get(depth..)? {
        let Step::Loop(index) = step else { continue };
        let found = &model.loops[*index];
        first.insert(found.symbol, first.poly(space, found.min));
        inner.push(found.symbol);
    }
    if let Some(lane) = store.access.lane {
        first.insert(lane, space.constant(0));
        inner.push(lane);
    }
    Some((first, inner))
}

/// Returns the last iterations of the loops around a store inside the first `depth` steps, and its
/// last lane.
fn last_iterations(model: &Model, space: &Space, store: &Store, depth: usize) -> Option<Rename> {
    let mut last = Rename::new();
    for step in store.access.place.steps.get(depth..)? {
        let Step::Loop(index) = step else { continue };
        let found = &model.loops[*index];
        let end = space.add(last.poly(space, found.min), last.poly(space, found.extent));
        last.insert(found.symbol, space.offset(end, -1));
    }
    if let Some(lane) = store.access.lane {
        let count = space.lane_count(lane)?;
        last.insert(lane, space.constant(i128::from(count) - 1));
    }
    Some(last)
}
