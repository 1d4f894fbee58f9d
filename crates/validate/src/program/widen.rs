//! Better guesses at needed regions.
//!
//! An update that reads other locations of its own func needs them to be right, though no consumer may need them: the region of such a func's label becomes the box over which its
//! pure stage runs.
//!
//! # Correctness
//! Needed regions are hints, so any will do: the obligations are stated for the regions that are left in the model.

use halidom_ir::{BufferKind, Check};

use super::{Model, Store};
use crate::space::{PolyId, Space};

/// Widens the regions of funcs whose updates read other locations than they write.
pub(super) fn widen(model: &mut Model, space: &Space) {
    for label in 0..model.labels.len() {
        let own = |store: &&Store| store.label == Some(label);
        let reaches = model.stores.iter().filter(own).any(|store| {
            store.uses.iter().any(|used| {
                let load = &model.loads[used.load];
                load.memory == store.access.memory && load.coords != store.access.coords
            })
        });
        if !reaches {
            continue;
        }
        let mut region = model.labels[label].needed.clone();
        for (dim, interval) in region.iter_mut().enumerate() {
            let mut pure = model.stores.iter().filter(own).filter(|store| store.stage == 0);
            let range = pure
                .find_map(|store| loop_range(model, space, store, *store.access.coords.get(dim)?));
            // Otherwise the box that is allocated, or that an entry check says is written.
            let memory = model.labels[label].memory.map(|memory| &model.memories[memory]);
            let allocated = memory
                .filter(|memory| memory.kind == BufferKind::Internal)
                .and_then(|memory| memory.dims.get(dim))
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
                *interval = range;
            }
        }
        model.labels[label].needed = region;
    }
}

/// The range of a coordinate that is a loop's variable.
fn loop_range(
    model: &Model,
    space: &Space,
    store: &Store,
    coord: PolyId,
) -> Option<(PolyId, PolyId)> {
    let symbol = space.as_symbol(coord)?;
    let found = store.access.place.loops().find(|index| model.loops[*index].symbol == symbol)?;
    Some((model.loops[found].min, model.loops[found].extent))
}
