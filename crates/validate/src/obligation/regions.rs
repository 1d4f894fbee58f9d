//! Regions of stages that a tactic proposes.
//!
//! # Correctness
//! Regions are hints, so any regions will do that mean one thing for an instance of the label: the
//! obligations are stated for the regions that are left in the model. A region that mentions a loop
//! inside the label, or a lane, would mean something else at each access, so it is refused.
//!
//! All obligations of a judgement are about the same regions: a second description of the program
//! takes those of the first ([`described_again`]), and no tactic has a say in them.

use halidom_ir::{Pool, Program};

use super::door::{Region, Tactics};
use crate::program::{self, LabelId, Model, Parameters};
use crate::space::{Copies, Formula, Space, Symbol, Term, Value};

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

/// Describes the same program in another space, with the regions of the first description.
///
/// Returns `None` if they cannot be stated there.
pub(super) fn described_again(
    pool: &Pool,
    (first, known, parameters): (&Space, &Model, &Parameters),
    space: &Space,
    program: &Program,
) -> Option<(Parameters, Model)> {
    let again = program::parameters(pool, space, program);
    let mut model = program::walk(pool, space, program, &again);
    let mut partners = Vec::new();
    for var in program::vars(pool, program) {
        let (value, other) = (*parameters.get(&var)?, *again.get(&var)?);
        partners.push((symbol_of(first, value)?, symbol_of(space, other)?));
    }
    if known.loops.len() != model.loops.len() || known.labels.len() != model.labels.len() {
        return None;
    }
    let loops = known.loops.values().zip(model.loops.values());
    partners.extend(loops.map(|(one, other)| (one.symbol, other.symbol)));
    let mut copies = Copies::new(first, space, partners);
    let mut copy = |region: &Region| -> Option<Region> {
        let sides = region.iter();
        sides.map(|(min, extent)| Some((copies.poly(*min)?, copies.poly(*extent)?))).collect()
    };
    for (label, known) in known.labels.iter() {
        let labelled = &mut model.labels[label];
        if labelled.func != known.func {
            return None;
        }
        labelled.needed = copy(&known.needed)?;
        labelled.regions = known.regions.iter().map(&mut copy).collect::<Option<_>>()?;
    }
    Some((again, model))
}

/// Returns the symbol of a parameter.
fn symbol_of(space: &Space, value: Value) -> Option<Symbol> {
    let term = match value {
        Value::Int(poly) => return space.as_symbol(poly),
        Value::Number(term) => term,
        Value::Bool(formula) => {
            let Formula::Holds(term) = space.formula(formula) else { return None };
            *term
        }
    };
    let Term::Parameter(symbol, _) = space.term(term) else { return None };
    Some(*symbol)
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
