//! Chooses the proposals that are compiled.

use halidom_base::IndexMap;
use halidom_ir::{Action, Directive, FuncId};

use super::facts::{Facts, Func, Placement};
use super::propose::{Family, Proposal};

/// The number of proposals that are compiled.
const CHOSEN: usize = 24;

/// A proposal counts as slower by these factors for each earlier one of its family, and for each
/// earlier one that differs from it in numbers only. The model does not see all differences, so
/// that some of each kind should be compiled.
const ALIKE: (f64, f64) = (1.1, 1.25);

/// So many instructions in innermost loops count as twice the time: the C compiler takes a second
/// or more for them, in which others could run.
const MUCH_CODE: f64 = 3000.0;

/// Chooses proposals with low estimates that are not too much alike, in the order in which they are
/// to be compiled.
pub(super) fn choose(facts: &Facts, all: Vec<Proposal>) -> Vec<Vec<Directive>> {
    let kind = |proposal: &Proposal| (proposal.family, places(facts, &proposal.directives));
    let mut left: Vec<(Proposal, (Family, String))> = all
        .into_iter()
        .map(|proposal| {
            let kind = kind(&proposal);
            (proposal, kind)
        })
        .collect();
    let mut families: IndexMap<Family, f64> = IndexMap::default();
    let mut kinds: IndexMap<(Family, String), f64> = IndexMap::default();
    let mut chosen = Vec::new();
    while chosen.len() < CHOSEN {
        let rank = |(proposal, kind): &(Proposal, (Family, String))| {
            let family = families.get(&proposal.family).copied().unwrap_or(1.0);
            let code = 1.0 + proposal.code / MUCH_CODE;
            proposal.estimate * code * family * kinds.get(kind).copied().unwrap_or(1.0)
        };
        let ranks = left.iter().map(rank).enumerate();
        let best = ranks.min_by(|(_, one), (_, other)| one.total_cmp(other));
        let Some((next, _)) = best else { break };
        let (proposal, kind) = left.remove(next);
        *families.entry(proposal.family).or_insert(1.0) *= ALIKE.0;
        *kinds.entry(kind).or_insert(1.0) *= ALIKE.1;
        chosen.push(proposal.directives);
    }
    chosen
}

/// The places of all funcs, as words: schedules with the same places differ in numbers only.
pub(super) fn places(facts: &Facts, directives: &[Directive]) -> String {
    let place = |func: &Func| -> (FuncId, Placement, bool) {
        let stored = directives
            .iter()
            .any(|found| found.func == func.id && matches!(found.action, Action::StoreAt(_)));
        (func.id, facts.placement(directives, func.id), stored)
    };
    format!("{:?}", facts.funcs.iter().map(place).collect::<Vec<_>>())
}
