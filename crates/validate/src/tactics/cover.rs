//! Guesses of the instances that write a target, and of earlier labels that promised it.

use halidom_base::{FxHashSet, IndexMap};
use halidom_ir::LoopKind;

use super::witness::witness;
use super::{divide, settle};
use crate::obligation::door::{Assignment, Desk, Earlier, Proof, Target, Witness};
use crate::program::{LabelId, LoopId, Step, Store, loops, order};
use crate::space::{FormulaId, PolyId, Rename, Symbol};

/// The most cases that are told apart.
const MOST_CASES: usize = 16;
/// Stages with more stores than this are not tried with siblings, because there is a guess for each
/// pair of stores.
const MOST_SIBLINGS: usize = 16;
/// The most earlier instances that are tried.
const MOST_EARLIER: usize = 12;

/// Proposes instances: first those that share loops, then one for each store, then the same without
/// keeping loops within their ranges, and at last pairs of siblings.
pub(super) fn witnesses(
    desk: &mut Desk<'_, '_>,
    target: &Target<'_>,
    round: usize,
) -> Option<Vec<Witness>> {
    match round {
        0 => Some(pieces(desk, target)),
        1 => Some(each(desk, target, true)),
        2 if target.writers.len() <= MOST_SIBLINGS => Some(each(desk, target, false)),
        3 => Some(siblings(desk, target)),
        _ => None,
    }
}

fn guess(
    desk: &mut Desk<'_, '_>,
    target: &Target<'_>,
    writer: usize,
    preset: (&Rename, bool),
) -> Rename {
    let depth = desk.model.labels[target.label].place.steps.len();
    let store = target.writers[writer];
    let mut decided = decided(desk, store, depth);
    witness(desk.space, desk.model, store, depth, target.values, (preset, &mut decided))
}

/// The choices in a store's coordinates and loops that the conditions around the store decide, such
/// as `min(n, 32)` under `n >= 256`. Guesses without them are simpler.
fn decided(desk: &mut Desk<'_, '_>, store: &Store, depth: usize) -> Rename {
    let access = &store.access;
    let mut integers: Vec<PolyId> = access.coords.iter().chain(&store.point).copied().collect();
    let mut free: Vec<Symbol> = access.lane.into_iter().collect();
    for step in access.place.steps.get(depth..).unwrap_or_default() {
        if let Step::Loop(index) = step {
            let found = &desk.model.loops[*index];
            integers.extend([found.min, found.extent]);
            free.push(found.symbol);
        }
    }
    settle::decided(desk, &access.place.facts, &integers, &free)
}

/// Turns a guess into a proposal.
fn proposal(desk: &Desk<'_, '_>, target: &Target<'_>, writer: usize, at: &Rename) -> Witness {
    let store = target.writers[writer];
    let loops = store.access.place.loops().map(|index| desk.model.loops[index].symbol);
    let at = loops.chain(store.access.lane).filter_map(|symbol| Some((symbol, at.get(symbol)?)));
    Witness { writer, at: at.collect() }
}

/// Guesses, for each writer, the instance that writes the target.
fn each(desk: &mut Desk<'_, '_>, target: &Target<'_>, clamped: bool) -> Vec<Witness> {
    let free = Rename::new();
    let guess = |writer| {
        let at = guess(desk, target, writer, (&free, clamped));
        proposal(desk, target, writer, &at)
    };
    (0..target.writers.len()).map(guess).collect()
}

/// Guesses in which each loop has the value that was found for it at the first store within. Pieces
/// of one vector and copies of an unrolled loop share loops, but a rounded-down quotient finds
/// these loops only from the first piece.
fn pieces(desk: &mut Desk<'_, '_>, target: &Target<'_>) -> Vec<Witness> {
    let mut known = Rename::new();
    let mut found = Vec::new();
    for (writer, store) in target.writers.iter().enumerate() {
        let at = guess(desk, target, writer, (&known, true));
        for index in store.access.place.loops() {
            let symbol = desk.model.loops[index].symbol;
            if let (None, Some(value)) = (known.get(symbol), at.get(symbol)) {
                known.insert(symbol, value);
            }
        }
        found.push(proposal(desk, target, writer, &at));
    }
    found
}

/// Guesses that take the shared loops from one store and the rest from another.
fn siblings(desk: &mut Desk<'_, '_>, target: &Target<'_>) -> Vec<Witness> {
    let alone = each(desk, target, true);
    let mut found = Vec::new();
    for (writer, store) in target.writers.iter().enumerate() {
        for (sibling, own) in alone.iter().enumerate().filter(|(sibling, _)| *sibling != writer) {
            let shared = common_loops(store, target.writers[sibling]);
            let shared: Vec<Symbol> =
                shared.into_iter().map(|index| desk.model.loops[index].symbol).collect();
            let known: Assignment =
                own.at.iter().copied().filter(|(symbol, _)| shared.contains(symbol)).collect();
            if !known.is_empty() {
                let at = guess(desk, target, writer, (&Rename::symbols(known), true));
                found.push(proposal(desk, target, writer, &at));
            }
        }
    }
    found
}

/// The loops around both stores.
fn common_loops(store: &Store, other: &Store) -> Vec<LoopId> {
    let (own, others) = (&store.access.place, &other.access.place);
    own.loops().filter(|index| others.loops().any(|other| other == *index)).collect()
}

/// Proposes a proof that some way covers a target: by cases, or by the values of quotients.
pub(super) fn covered(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    ways: &[FormulaId],
    target: &[PolyId],
) -> Option<Proof> {
    cases(desk, facts, ways, target)
        .or_else(|| divide::by_quotients(desk, facts, desk.space.or(ways)))
}

/// Sorts ways by their conditions on sizes alone, as specializations have. A single case is not
/// tried.
fn cases(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    ways: &[FormulaId],
    target: &[PolyId],
) -> Option<Proof> {
    const LABEL: &str = "coverage of a case";
    let free: FxHashSet<Symbol> =
        target.iter().flat_map(|coord| desk.space.symbols_of(*coord)).collect();
    let mut cases: IndexMap<FormulaId, Vec<FormulaId>> = IndexMap::default();
    for way in ways {
        let mut sizes = desk.space.conjuncts(*way);
        sizes.retain(|part| {
            !desk.space.symbols_of(*part).iter().any(|symbol| free.contains(symbol))
        });
        cases.entry(desk.space.and(sizes)).or_default().push(*way);
    }
    if cases.len() < 2
        || cases.len() > MOST_CASES
        || !desk.follows(facts, desk.space.or(cases.keys()), "cases")
    {
        return None;
    }
    let proved = cases.into_iter().map(|(holds, ways)| {
        let written = desk.space.or(ways);
        let proof = Proof::Stronger(written, Box::new(Proof::Asked(LABEL)));
        desk.follows(&[facts, &[holds]].concat(), written, LABEL).then_some((holds, proof))
    });
    Some(Proof::Cases(proved.collect::<Option<_>>()?))
}

/// Guesses the label instances just before an instance of a label, in the same lifetime of its
/// buffer: the previous iteration, in each of the loops that the two labels share.
pub(super) fn earlier(desk: &mut Desk<'_, '_>, label: LabelId) -> Vec<Earlier> {
    let model = desk.model;
    let to = &model.labels[label];
    let depths = to.memories.iter().map(|memory| model.memories[*memory].place.steps.len());
    let Some(lifetime) = depths.max() else { return Vec::new() };
    let mut found = Vec::new();
    for (from, other) in model.labels.iter() {
        let common = order::shared(&other.place.steps, &to.place.steps);
        if other.memories != to.memories || common < lifetime {
            continue;
        }
        let shared: Vec<LoopId> = loops(&to.place.steps[lifetime..common]).collect();
        let own: Vec<LoopId> = loops(&other.place.steps[common..]).collect();
        if let (Some(Step::Part(i)), Some(Step::Part(j))) =
            (other.place.steps.get(common), to.place.steps.get(common))
            && i < j
        {
            found.push(Earlier { from, at: ends(desk, Vec::new(), &own) });
        }
        for (position, index) in shared.iter().enumerate() {
            match model.loops[*index].kind {
                LoopKind::Serial | LoopKind::Unrolled => {}
                LoopKind::Parallel(_)
                | LoopKind::GpuBlocks
                | LoopKind::GpuThreads
                | LoopKind::Vectorized => continue,
            }
            let symbol = model.loops[*index].symbol;
            let inner = &shared[position + 1..];
            let previous = desk.space.offset(desk.space.symbol(symbol), -1);
            // The same iteration of the loops within, then their last iteration.
            let mut lasts = vec![own.clone()];
            if !inner.is_empty() {
                lasts.push([inner, &own].concat());
            }
            for lasts in lasts {
                found.push(Earlier { from, at: ends(desk, vec![(symbol, previous)], &lasts) });
            }
        }
    }
    found.truncate(MOST_EARLIER);
    found
}

/// Adds the last iterations of loops, outermost first.
fn ends(desk: &mut Desk<'_, '_>, mut at: Assignment, lasts: &[LoopId]) -> Assignment {
    let mut rename = Rename::symbols(at.iter().copied());
    for index in lasts {
        let found = &desk.model.loops[*index];
        let min = rename.poly(desk.space, found.min);
        let end = desk.space.add(min, rename.poly(desk.space, found.extent));
        let last = desk.space.offset(end, -1);
        rename.insert(found.symbol, last);
        at.push((found.symbol, last));
    }
    at
}
