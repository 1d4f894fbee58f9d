//! Proposes schedules: a beam search in the order of decisions, ranked by the model.
//!
//! The first decision is how the output is cut into blocks. Then each func that it needs is placed,
//! consumers first: inline, as a whole, for each block, for each row of a block with or without
//! what the row before computed, or for each row of a consumer. A state in which some funcs are not
//! placed yet is as good as the best of a few uniform completions.

use std::time::Instant;

use halidom_base::{FxHashSet, IndexMap};
use halidom_ir::{Action, Directive, FuncId, LoopLevel, Pool, Schedule};

use super::facts::{Facts, Func, Placement};
use super::model::Model;
use super::seeds::{Cut, cut_loops, directive, fresh, vectors, whole};

/// The number of states that are kept after each decision.
const BEAM: usize = 20;

/// The blocks into which an output is cut.
const CUTS: [Cut; 16] = [
    Cut::Rows,
    Cut::Strips(4),
    Cut::Strips(8),
    Cut::Strips(16),
    Cut::Strips(32),
    Cut::Strips(64),
    Cut::Strips(128),
    Cut::Tiles(32, 8),
    Cut::Tiles(64, 16),
    Cut::Tiles(128, 16),
    Cut::Tiles(128, 32),
    Cut::Tiles(256, 32),
    Cut::Tiles(256, 64),
    Cut::Tiles(512, 32),
    Cut::Tiles(512, 128),
    Cut::Tiles(1024, 64),
];

/// A schedule with its estimated nanoseconds.
#[derive(Clone)]
pub(super) struct Proposal {
    pub(super) estimate: f64,
    pub(super) directives: Vec<Directive>,
}

/// A place for a func.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Inline,
    Root,
    Block,
    Row,
    Sliding,
}

/// The loops of the output's blocks.
#[derive(Clone)]
struct State {
    directives: Vec<Directive>,
    outer: Option<LoopLevel>,
    inner: Option<LoopLevel>,
    estimate: f64,
}

/// The proposals, the best first, and the number of schedules that were estimated.
pub(super) struct Proposals {
    pub(super) all: Vec<Proposal>,
    pub(super) estimated: usize,
}

struct Proposer<'p> {
    pool: &'p mut Pool,
    facts: &'p Facts,
    model: &'p Model,
    found: IndexMap<String, Proposal>,
    estimated: usize,
}

/// Searches until all decisions are made, or until a deadline.
pub(super) fn propose(
    pool: &mut Pool,
    facts: &Facts,
    model: &Model,
    deadline: Instant,
) -> Proposals {
    let mut proposer = Proposer { pool, facts, model, found: IndexMap::default(), estimated: 0 };
    proposer.search(deadline);
    let mut all: Vec<Proposal> = proposer.found.into_values().collect();
    all.sort_by(|one, other| one.estimate.total_cmp(&other.estimate));
    Proposals { all, estimated: proposer.estimated }
}

/// The form in which equal schedules are equal: the directives of each func in their order.
pub(super) fn canonical(directives: &[Directive]) -> String {
    let mut sorted: Vec<&Directive> = directives.iter().collect();
    sorted.sort_by_key(|found| (found.func, found.stage));
    let words = |found: &&Directive| format!("{:?}{}{:?};", found.func, found.stage, found.action);
    sorted.iter().map(words).collect()
}

impl Proposer<'_> {
    fn search(&mut self, deadline: Instant) {
        let facts = self.facts;
        let Some(output) = facts.funcs.iter().rev().find(|func| func.is_output) else { return };
        let rest: Vec<&Func> = facts
            .funcs
            .iter()
            .rev()
            .filter(|func| func.id != output.id && !(func.is_synthetic && func.points <= 1))
            .collect();
        let mut states = Vec::new();
        for cut in CUTS {
            for width in [1, 2] {
                let wide = Func { lanes: output.lanes * width, ..output.clone() };
                let mut directives = Vec::new();
                let blocks = cut_loops(self.pool, &wide, cut, &mut directives);
                let level = |var: Option<String>| {
                    var.map(|var| LoopLevel { func: output.id, stage: None, var })
                };
                let (outer, inner) = (level(blocks.outer), level(blocks.inner));
                if let Some(vars) = channels(output, cut) {
                    // What a row needs is then computed once for all channels.
                    let mut directives = directives.clone();
                    directives.push(directive(output.id, 0, Action::Reorder { vars }));
                    let (outer, inner) = (outer.clone(), inner.clone());
                    states.push(State { directives, outer, inner, estimate: 0.0 });
                }
                states.push(State { directives, outer, inner, estimate: 0.0 });
            }
        }
        self.rank(&mut states, &rest);
        for (number, func) in rest.iter().enumerate() {
            if Instant::now() >= deadline {
                return;
            }
            let mut next = Vec::new();
            for state in &states {
                self.placed(state, func, &mut next);
            }
            self.rank(&mut next, &rest[number + 1..]);
            states = next;
        }
    }

    /// Adds the states that follow from a state by placing a func.
    fn placed(&mut self, state: &State, func: &Func, next: &mut Vec<State>) {
        let wide = Func { lanes: func.lanes * 2, ..func.clone() };
        for choice in [Choice::Inline, Choice::Root, Choice::Block, Choice::Row, Choice::Sliding] {
            for func in [func, &wide] {
                let mut made = state.clone();
                let is_placed = self.place(&mut made, func, choice);
                if is_placed && (choice != Choice::Inline || func.lanes != wide.lanes) {
                    next.push(made);
                }
            }
        }
        for (reader, _) in &func.readers {
            if self.facts.placement(&state.directives, *reader) != Placement::Root {
                continue;
            }
            let Some(of) = self.facts.func(*reader).filter(|of| !of.is_output) else { continue };
            let Some(var) = of.args.last().filter(|_| of.args.len() > 1) else { continue };
            let level = LoopLevel { func: *reader, stage: None, var: var.clone() };
            let mut made = state.clone();
            made.directives.push(directive(func.id, 0, Action::ComputeAt(level)));
            vectors(self.pool, func, &mut made.directives);
            next.push(made);
        }
    }

    /// Places a func. Returns false if it cannot be placed so.
    fn place(&mut self, state: &mut State, func: &Func, choice: Choice) -> bool {
        let push = |state: &mut State, action| {
            state.directives.push(directive(func.id, 0, action));
        };
        if func.is_output {
            if choice == Choice::Root {
                whole(self.pool, func, &mut state.directives);
            }
            return choice == Choice::Root;
        }
        match (choice, state.outer.clone(), state.inner.clone()) {
            (Choice::Inline, ..) if func.stages.len() == 1 => {
                if !func.is_synthetic {
                    push(state, Action::ComputeInline);
                }
                return true;
            }
            (Choice::Root, ..) => {
                whole(self.pool, func, &mut state.directives);
                return true;
            }
            (Choice::Block, Some(outer), _) => push(state, Action::ComputeAt(outer)),
            (Choice::Row, _, Some(inner)) => push(state, Action::ComputeAt(inner)),
            (Choice::Sliding, Some(outer), Some(inner)) => {
                push(state, Action::StoreAt(outer));
                push(state, Action::ComputeAt(inner));
            }
            (Choice::Inline | Choice::Block | Choice::Row | Choice::Sliding, ..) => return false,
        }
        vectors(self.pool, func, &mut state.directives);
        true
    }

    /// Estimates states by their completions, and keeps the best.
    fn rank(&mut self, states: &mut Vec<State>, rest: &[&Func]) {
        for state in states.iter_mut() {
            let mut best = f64::INFINITY;
            for choice in [Choice::Inline, Choice::Sliding, Choice::Block, Choice::Root] {
                let mut complete = state.clone();
                for func in rest {
                    let is_cheap = func.points <= 1 && func.stages.len() == 1;
                    let own = if is_cheap && !func.is_output { Choice::Inline } else { choice };
                    let _ = self.place(&mut complete, func, own)
                        || self.place(&mut complete, func, Choice::Block)
                        || self.place(&mut complete, func, Choice::Root);
                }
                best = best.min(self.estimate(complete.directives));
                if rest.is_empty() {
                    break;
                }
            }
            state.estimate = best;
        }
        states.retain(|state| state.estimate.is_finite());
        states.sort_by(|one, other| one.estimate.total_cmp(&other.estimate));
        let mut seen = FxHashSet::default();
        states.retain(|state| seen.insert(canonical(&state.directives)));
        states.truncate(BEAM);
    }

    fn estimate(&mut self, directives: Vec<Directive>) -> f64 {
        let key = canonical(&directives);
        if let Some(known) = self.found.get(&key) {
            return known.estimate;
        }
        self.estimated += 1;
        let schedule = Schedule { name: String::new(), directives };
        let estimate = self.model.estimate(self.pool, &schedule);
        let estimate = estimate.map_or(f64::INFINITY, |estimate| estimate.total);
        let proposal = Proposal { estimate, directives: schedule.directives };
        if estimate.is_finite() {
            self.found.insert(key, proposal);
        }
        estimate
    }
}

/// The order of an output's loops, innermost first, in which the dimensions beyond the second are
/// within each row; `None` if there are no such dimensions.
fn channels(output: &Func, cut: Cut) -> Option<Vec<String>> {
    let [x, y, rest @ ..] = output.stages.first()?.pure.as_slice() else { return None };
    if rest.is_empty() {
        return None;
    }
    let (row, around) = match cut {
        Cut::Rows => (x.clone(), vec![y.clone()]),
        Cut::Strips(_) => (x.clone(), vec![fresh(output, y, "i"), fresh(output, y, "o")]),
        Cut::Tiles(..) => {
            let around = [(y, "i"), (x, "o"), (y, "o")];
            let around = around.map(|(var, suffix)| fresh(output, var, suffix));
            (fresh(output, x, "i"), around.to_vec())
        }
    };
    Some([row].into_iter().chain(rest.iter().cloned()).chain(around).collect())
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
