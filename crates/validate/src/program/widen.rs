//! Better guesses at needed regions.
//!
//! An update that reads other locations of its own func needs them to be right, though no consumer may need them: the regions of this stage and of those before it become, in the
//! dimensions in which the locations differ, the box over which the func's pure stage runs.
//!
//! # Correctness
//! Regions of stages are hints, so any will do: the obligations are stated for the regions that are left in the model.

use halidom_ir::{BufferKind, Check};

use super::{Model, Step, Store};
use crate::space::{Formula, PolyId, Rename, Space, Symbol};

/// Widens the regions of stages up to the last update that reads other locations than it writes, in the dimensions concerned.
pub(super) fn widen(model: &mut Model, space: &mut Space) {
    for label in 0..model.labels.len() {
        let own = |store: &&Store| store.label == Some(label);
        let reaches = |dim: usize| {
            let reaching = model.stores.iter().filter(own).filter(|store| {
                store.uses.iter().chain(&store.decides).any(|used| {
                    let load = &model.loads[used.load];
                    model.labels[label].memories.contains(&load.memory)
                        && load.coords.get(dim) != store.access.coords.get(dim)
                })
            });
            reaching.map(|store| store.stage).max()
        };
        let mut regions = model.labels[label].regions.clone();
        for dim in 0..model.labels[label].needed.len() {
            let Some(last) = reaches(dim) else { continue };
            let pure: Vec<&Store> =
                model.stores.iter().filter(own).filter(|store| store.stage == 0).collect();
            let place = &model.labels[label].place;
            let outside = (place.steps.len(), place.facts.len());
            // The box may be written in pieces: it begins where the first begins.
            let start = pure.first().and_then(|store| {
                let (first, _) = first_iterations(model, space, store, outside.0)?;
                Some({ first }.poly(space, *store.access.coords.get(dim)?))
            });
            let guarded = pure.iter().rev().find_map(|store| {
                let coord = *store.access.coords.get(dim)?;
                guarded_range(model, space, store, coord, outside, start?)
            });
            let mut piece = |store: &Store| {
                let coord = *store.access.coords.get(dim)?;
                loop_range(model, space, store, coord, outside.0)
            };
            // From the first iteration of the first piece to the last one of the last.
            let pieces = match (pure.first(), pure.last()) {
                (Some(first), Some(last)) => piece(first).zip(piece(last)),
                (_, _) => None,
            };
            let looped = pieces.map(|((min, extent), (last, rest))| {
                if (min, extent) == (last, rest) {
                    return (min, extent);
                }
                let end = space.add(last, rest);
                (min, space.sub(end, min))
            });
            let range = if pure.len() == 1 { looped.or(guarded) } else { guarded.or(looped) };
            // Otherwise the box that is allocated, or that an entry check says is written.
            let memory = model.labels[label].memories.first().map(|first| &model.memories[*first]);
            let allocated = memory
                .filter(|memory| memory.kind == BufferKind::Internal)
                .and_then(|memory| memory.dims.get(dim).filter(|dim| !dim.folded))
                .map(|dim| (dim.min, dim.extent));
            let func = model.labels[label].func;
            let checked = model.entry.iter().find_map(|entry| match entry.check {
                Check::OutputRegion { output, dim: which, .. }
                    if output == func && which == dim =>
                {
                    entry.region
                }
                Check::OutputRegion { .. }
                | Check::InputRegion { .. }
                | Check::Require { .. }
                | Check::DomainExtent { .. }
                | Check::SplitFactor { .. }
                | Check::Bound { .. }
                | Check::SizeLimit { .. }
                | Check::Layout { .. } => None,
            });
            if let Some(range) = range.or(allocated).or(checked) {
                let widened = regions.iter_mut().take(last + 1);
                widened.filter_map(|region| region.get_mut(dim)).for_each(|own| *own = range);
            }
        }
        if let Some(last) = regions.last() {
            model.labels[label].needed.clone_from(last);
        }
        model.labels[label].regions = regions;
    }
}

/// The range of a coordinate that is the variable of a loop inside the first `depth` steps, or fixed there.
fn loop_range(
    model: &Model,
    space: &mut Space,
    store: &Store,
    coord: PolyId,
    depth: usize,
) -> Option<(PolyId, PolyId)> {
    let inner = store.access.place.steps.get(depth..)?.iter().filter_map(|step| match step {
        Step::Loop(index) => Some(&model.loops[*index]),
        Step::Part(_) => None,
    });
    let symbols = space.poly_symbols(coord);
    let mut used = inner.filter(|found| symbols.contains(&found.symbol));
    match (used.next(), used.next()) {
        (Some(only), None) if space.as_symbol(coord) == Some(only.symbol) => {
            Some((only.min, only.extent))
        }
        (None, _) if store.access.lane.is_none_or(|lane| !symbols.contains(&lane)) => {
            Some((coord, space.constant(1)))
        }
        (_, _) => None,
    }
}

/// The range of a coordinate that a guard keeps below something outside the loops: from `min` to there.
fn guarded_range(
    model: &Model,
    space: &mut Space,
    store: &Store,
    coord: PolyId,
    (depth, known): (usize, usize),
    min: PolyId,
) -> Option<(PolyId, PolyId)> {
    let own = store.access.place.facts.get(known..)?;
    let (_, inner) = first_iterations(model, space, store, depth)?;
    for fact in own {
        let Formula::NonNegative(room) = *space.formula(*fact) else { continue };
        let last = space.add(coord, room);
        if !space.poly_symbols(last).iter().any(|symbol| inner.contains(symbol)) {
            let extent = space.sub(last, min);
            return Some((min, space.offset(extent, 1)));
        }
    }
    None
}

/// The first iterations of the loops around a store inside the first `depth` steps, with the symbols of these loops and of its lane.
fn first_iterations(
    model: &Model,
    space: &mut Space,
    store: &Store,
    depth: usize,
) -> Option<(Rename, Vec<Symbol>)> {
    let mut first = Rename::new();
    let mut inner: Vec<Symbol> = Vec::new();
    for step in store.access.place.steps.get(depth..)? {
        let Step::Loop(index) = step else { continue };
        let found = &model.loops[*index];
        let min = first.poly(space, found.min);
        first.insert(found.symbol, min);
        inner.push(found.symbol);
    }
    if let Some(lane) = store.access.lane {
        let zero = space.constant(0);
        first.insert(lane, zero);
        inner.push(lane);
    }
    Some((first, inner))
}
