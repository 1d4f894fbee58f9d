//! Regions of stages that a tactic proposes.
//!
//! # Correctness
//! Regions are hints, so any regions will do that mean one thing for an instance of the label: the
//! obligations are stated for the regions that are left in the model. A region that mentions a loop
//! inside the label, or a lane, would mean something else at each access, so it is refused.

use halidom_ir::{Pool, Program};

use super::door::{Region, Tactics};
use crate::program::{self, LabelId, Model, Parameters};
use crate::space::{Space, Symbol};

/// Describes a program as terms, with the regions that each label must provide.
pub(super) fn described(
    pool: &Pool,
    space: &Space,
    program: &Program,
    tactics: &mut dyn Tactics,
) -> (Parameters, Model) {
    let parameters = program::parameters(pool, space, program);
    let mut model = program::walk(pool, space, program, &parameters);
    let proposed = tactics.regions(space, &model);
    accept(&mut model, space, proposed);
    (parameters, model)
}

/// Replaces the regions of labels by the proposed ones.
fn accept(model: &mut Model, space: &Space, proposed: Vec<Vec<Region>>) {
    let labels: Vec<LabelId> = model.labels.ids().collect();
    for (label, regions) in labels.into_iter().zip(proposed) {
        let labelled = &model.labels[label];
        let around: Vec<Symbol> =
            labelled.place.loops().map(|index| model.loops[index].symbol).collect();
        let is_bound = |symbol: &Symbol| {
            !around.contains(symbol)
                && (space.lane_count(*symbol).is_some()
                    || model.loops.values().any(|found| found.symbol == *symbol))
        };
        let rank = labelled.needed.len();
        let fits = regions.len() == labelled.regions.len()
            && regions.iter().all(|region| {
                region.len() == rank
                    && region
                        .iter()
                        .flat_map(|(min, extent)| [min, extent])
                        .all(|side| !space.symbols_of(*side).iter().any(is_bound))
            });
        if let (true, Some(last)) = (fits, regions.last()) {
            let labelled = &mut model.labels[label];
            labelled.needed.clone_from(last);
            labelled.regions = regions;
        }
    }
}
