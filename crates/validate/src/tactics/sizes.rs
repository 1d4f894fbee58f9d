//! Sizes at which conditions may hold.

use halidom_ir::BufferKind;

use super::named::constant;
use crate::lia::Outcome;
use crate::obligation::door::Desk;
use crate::obligation::record::Reason;
use crate::space::{FormulaId, PolyId, Rename, Symbol};

/// A limit for mins and extents of moderate size.
const MODEST: i128 = 1 << 12;

/// Proposes sizes at which facts hold, and these extents are above 1. At moderate sizes it is
/// easiest to see whether a model also holds for products of sizes.
///
/// # Errors
/// Returns the reason if there are no such sizes.
pub(super) fn sizes(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    roomy: &[PolyId],
) -> Result<Vec<Vec<(Symbol, i128)>>, Reason> {
    let mut facts = with_constants(desk, facts);
    let two = desk.space.constant(2);
    facts.extend(roomy.iter().map(|extent| desk.space.at_most(two, *extent)));
    let label = if roomy.is_empty() { "modest sizes" } else { "room" };
    if !roomy.is_empty() && desk.ask(&facts, label).is_contradiction() {
        return Err("the conditions leave only outputs with an extent of 1 or 0".into());
    }
    facts.extend(modest(desk));
    Ok(match desk.ask(&facts, label) {
        Outcome::Possible(values) => vec![values],
        Outcome::Contradiction(_) | Outcome::Undecided(_) => Vec::new(),
    })
}

/// Returns the facts, and what they say where sizes that they fix have their values: with those,
/// some products are no longer opaque to the solver.
fn with_constants(desk: &mut Desk<'_, '_>, facts: &[FormulaId]) -> Vec<FormulaId> {
    let parts: Vec<FormulaId> = facts.iter().flat_map(|fact| desk.space.conjuncts(*fact)).collect();
    let mut fixed = Rename::new();
    for part in &parts {
        if let Some((symbol, is)) = constant(desk.space, *part) {
            fixed.insert(symbol, is);
        }
    }
    let mut all = facts.to_vec();
    for part in parts {
        let said = fixed.formula(desk.space, part);
        if said != part && said != desk.space.truth(true) {
            all.push(said);
        }
    }
    all
}

/// Returns conditions that windows and the caller's buffers are near the origin and not large.
fn modest(desk: &mut Desk<'_, '_>) -> Vec<FormulaId> {
    let (low, limit) = (desk.space.constant(-MODEST), desk.space.constant(2 * MODEST));
    let zero = desk.space.constant(0);
    let model = desk.model;
    let shapes = model.memories.values().filter(|memory| memory.kind != BufferKind::Internal);
    let shapes = shapes.flat_map(|memory| memory.dims.iter().map(|dim| (dim.min, dim.extent)));
    let windows = model.windows.iter().flat_map(|(_, window)| window.iter().copied());
    let mut facts = Vec::new();
    for (min, extent) in shapes.chain(windows) {
        facts.push(desk.space.within(min, low, limit));
        facts.push(desk.space.within(extent, zero, limit));
    }
    facts
}
