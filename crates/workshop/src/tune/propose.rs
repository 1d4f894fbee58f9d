//! Proposes schedules: a beam search in the order of decisions, ranked by the model.
//!
//! The first decision is how the output is cut into blocks. Then each func that it needs is placed,
//! consumers first: inline, as a whole, for each block, for each row of a block with or without
//! what the row before computed, for each vector, for each row of a consumer, or for each iteration
//! of a consumer's reduction, which is then around the consumer's other loops. A state in which
//! some funcs are not placed yet is as good as the best of a few uniform completions.

use std::time::{Duration, Instant};

use halidom_base::{FxHashMap, FxHashSet, IndexMap, IndexSet};
use halidom_ir::{Action, Directive, FuncId, LoopLevel, Pool, Schedule, StoreIn, Tail};

use super::demands::fixed;
use super::facts::{Facts, Func, Placement, Reader, StageNames};
use super::model::Model;
use super::seeds::{Cut, Registers, cut_loops, directive, fresh, registers, vectors, whole};

/// The number of states that are kept after each decision.
const BEAM: usize = 20;

/// The blocks into which an output is cut.
const CUTS: [Cut; 22] = [
    Cut::Bands(2, 2),
    Cut::Bands(4, 4),
    Cut::Bands(8, 8),
    Cut::Bands(16, 16),
    Cut::Bands(64, 2),
    Cut::Bands(64, 4),
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

/// The blocks in registers: numbers of vectors and of rows.
const IN_REGISTERS: [(i128, i128); 6] = [(1, 4), (1, 8), (1, 12), (2, 4), (2, 8), (4, 6)];

/// A schedule with its estimated nanoseconds.
#[derive(Clone)]
pub(super) struct Proposal {
    pub(super) estimate: f64,
    /// The instructions in its innermost loops.
    pub(super) code: f64,
    /// The kind of its blocks. The estimates of different kinds are less comparable.
    pub(super) family: Family,
    pub(super) directives: Vec<Directive>,
}

/// A kind of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Family {
    /// Rows and strips.
    Rows,
    /// Tiles.
    Tiles,
    /// Some rows at a time.
    Bands,
    /// The channels of a vector together.
    Channels,
    /// Blocks in registers.
    Registers,
}

/// A place for a func.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Inline,
    Root,
    Block,
    Row,
    Sliding,
    Vector,
    /// In the innermost loop around its readers that belongs to no output.
    Near,
}

/// The loops of the output's blocks.
#[derive(Clone)]
struct State {
    directives: Vec<Directive>,
    outer: Option<LoopLevel>,
    inner: Option<LoopLevel>,
    /// The loop over vectors, if several statements for one vector share what they need.
    vector: Option<LoopLevel>,
    family: Family,
    /// The number of points at which one value that has a place reads each inline func.
    reach: FxHashMap<FuncId, usize>,
    /// The innermost reduction loop of each func whose reductions are around its other loops.
    around: IndexMap<FuncId, String>,
    estimate: f64,
}

/// The decisions so far. The search can go on from here.
#[derive(Default)]
pub(super) struct Proposals {
    found: IndexMap<String, Proposal>,
    /// The number of schedules that were estimated, and the time that the search took.
    pub(super) estimated: usize,
    pub(super) took: Duration,
    /// The states in which the next func is to be placed, or all, if no func is placed yet. The
    /// first ones have their estimates.
    states: Vec<State>,
    ranked: usize,
    /// The number of funcs that are placed; `None` before the output is cut.
    placed: Option<usize>,
    pub(super) is_done: bool,
}

impl Proposals {
    /// The schedules, those with the lowest estimates first.
    pub(super) fn all(&self) -> Vec<Proposal> {
        let mut all: Vec<Proposal> = self.found.values().cloned().collect();
        all.sort_by(|one, other| one.estimate.total_cmp(&other.estimate));
        all
    }

    /// The schedule with the lowest estimate of those that compute each func inline or as a whole.
    /// These have the least code.
    pub(super) fn simplest(&self) -> Option<Proposal> {
        let is_placed = |found: &Directive| matches!(found.action, Action::ComputeAt(_));
        self.best_without(is_placed)
    }

    /// The one of these that keeps all loops whole and in their order.
    pub(super) fn plainest(&self) -> Option<Proposal> {
        let is_changed = |found: &Directive| {
            let action = &found.action;
            matches!(action, Action::ComputeAt(_) | Action::Split { .. })
                || matches!(action, Action::Tile { .. } | Action::Reorder { .. })
        };
        self.best_without(is_changed).or_else(|| self.simplest())
    }

    /// The schedule with the lowest estimate that has no such directive.
    fn best_without(&self, has: impl Fn(&Directive) -> bool + Copy) -> Option<Proposal> {
        let left = self.found.values().filter(|of| !of.directives.iter().any(has));
        left.min_by(|one, other| one.estimate.total_cmp(&other.estimate)).cloned()
    }
}

struct Proposer<'p> {
    pool: &'p mut Pool,
    facts: &'p Facts,
    model: &'p Model,
    so_far: &'p mut Proposals,
    begin: Instant,
}

/// Searches until all decisions are made, or until a deadline. Returns the schedules, those with
/// the lowest estimates first.
pub(super) fn propose(
    pool: &mut Pool,
    facts: &Facts,
    model: &Model,
    deadline: Instant,
) -> Vec<Proposal> {
    let mut so_far = Proposals::default();
    go_on((pool, facts, model), &mut so_far, &mut |_| Instant::now() >= deadline);
    stream((pool, facts, model), &mut so_far);
    so_far.all()
}

/// Goes on with a search until all decisions are made, or until the search took long enough.
pub(super) fn go_on(
    (pool, facts, model): (&mut Pool, &Facts, &Model),
    so_far: &mut Proposals,
    is_enough: &mut dyn FnMut(Duration) -> bool,
) {
    let begin = Instant::now();
    Proposer { pool, facts, model, so_far, begin }.search(is_enough);
    so_far.took += begin.elapsed();
}

/// Adds proposals that write outputs past the caches.
pub(super) fn stream((pool, facts, model): (&mut Pool, &Facts, &Model), so_far: &mut Proposals) {
    let begin = Instant::now();
    Proposer { pool, facts, model, so_far, begin }.stream();
    so_far.took += begin.elapsed();
}

/// The form in which equal schedules are equal: the directives of each func in their order.
pub(super) fn canonical(directives: &[Directive]) -> String {
    let mut sorted: Vec<&Directive> = directives.iter().collect();
    sorted.sort_by_key(|found| (found.func, found.stage));
    let words = |found: &&Directive| format!("{:?}{}{:?};", found.func, found.stage, found.action);
    sorted.iter().map(words).collect()
}

impl Proposer<'_> {
    fn search(&mut self, is_enough: &mut dyn FnMut(Duration) -> bool) {
        let facts = self.facts;
        let Some(output) = facts.funcs.iter().rev().find(|func| func.is_output) else {
            self.so_far.is_done = true;
            return;
        };
        let rest: Vec<&Func> = facts
            .funcs
            .iter()
            .rev()
            .filter(|func| func.id != output.id && !(func.is_synthetic && func.points <= 1))
            .collect();
        if self.so_far.placed.is_none() {
            self.so_far.states = self.cut(output);
            self.so_far.placed = Some(0);
        }
        while let Some(placed) = self.so_far.placed {
            if !self.rank(&rest[placed..], is_enough) {
                return;
            }
            let Some(func) = rest.get(placed) else {
                self.so_far.is_done = true;
                return;
            };
            let mut next = Vec::new();
            for state in &std::mem::take(&mut self.so_far.states) {
                self.placed(state, func, &mut next);
            }
            self.so_far.states = next;
            self.so_far.placed = Some(placed + 1);
        }
    }

    /// The states in which the output is cut and nothing else is decided.
    fn cut(&mut self, output: &Func) -> Vec<State> {
        let facts = self.facts;
        let mut states = Vec::new();
        let blocks = in_registers(facts).into_iter().map(Cut::Registers);
        for cut in CUTS.into_iter().chain(blocks) {
            let widths = if matches!(cut, Cut::Registers(_)) { 1..=1 } else { 1..=2 };
            for width in widths {
                let wide = Func { lanes: output.lanes * width, ..output.clone() };
                let mut directives = Vec::new();
                let blocks = cut_loops(self.pool, &wide, cut, &mut directives);
                let level = |var: Option<String>| {
                    var.map(|var| LoopLevel { func: output.id, stage: None, var })
                };
                let vector = level(blocks.vector);
                let family = match cut {
                    Cut::Rows | Cut::Strips(_) => Family::Rows,
                    Cut::Tiles(..) => Family::Tiles,
                    Cut::Bands(..) => Family::Bands,
                    Cut::Registers(_) => Family::Registers,
                };
                let in_registers = matches!(family, Family::Bands | Family::Registers);
                let state = State {
                    directives,
                    outer: level(blocks.outer),
                    inner: level(blocks.inner),
                    // Blocks of varying size in registers are not worth it.
                    vector: vector.clone().filter(|_| in_registers && facts.may_demand),
                    family,
                    reach: FxHashMap::default(),
                    around: IndexMap::default(),
                    estimate: 0.0,
                };
                for within_vectors in [false, true] {
                    // What a row, or a vector, needs is then computed once for all channels.
                    let Some(vars) = channels(output, cut, within_vectors) else { continue };
                    let mut made = state.clone();
                    made.directives.push(directive(output.id, 0, Action::Reorder { vars }));
                    self.fix_channels(output, within_vectors, &mut made.directives);
                    if within_vectors {
                        made.vector = vector.clone().filter(|_| facts.may_demand);
                        made.family = Family::Channels;
                    }
                    states.push(made);
                }
                states.push(state);
            }
        }
        states
    }

    /// Adds the states that follow from a state by placing a func.
    fn placed(&mut self, state: &State, func: &Func, next: &mut Vec<State>) {
        let wide = Func { lanes: func.lanes * 2, ..func.clone() };
        const CHOICES: [Choice; 6] = [
            Choice::Inline,
            Choice::Root,
            Choice::Block,
            Choice::Row,
            Choice::Sliding,
            Choice::Vector,
        ];
        for choice in CHOICES {
            for func in [func, &wide] {
                let mut made = state.clone();
                let is_placed = self.place(&mut made, func, choice);
                if is_placed && (choice != Choice::Inline || func.lanes != wide.lanes) {
                    next.extend(reduced_around(&made, func));
                    next.extend(turned(&made, func));
                    next.push(made);
                }
            }
        }
        for level in self.levels(state, func) {
            let mut made = state.clone();
            made.directives.push(directive(func.id, 0, Action::ComputeAt(level)));
            vectors(self.pool, func, &mut made.directives);
            next.extend(reduced_around(&made, func));
            next.push(made);
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

    /// The loops around the readers of a func that belong to no output, the innermost last: the
    /// reductions that are around their other loops, and the places of readers.
    fn levels(&self, state: &State, func: &Func) -> IndexSet<LoopLevel> {
        let mut levels = IndexSet::default();
        let mut work = func.readers.clone();
        let mut seen: FxHashSet<FuncId> = FxHashSet::default();
        while let Some((reader, stage)) = work.pop() {
            let Some(found) = self.facts.func(reader) else { continue };
            match self.facts.placement(&state.directives, reader) {
                Placement::Inline if seen.insert(reader) => {
                    work.extend(found.readers.iter().copied());
                    continue;
                }
                Placement::At(level) => {
                    let is_output = self.facts.func(level.func).is_some_and(|of| of.is_output);
                    levels.extend((!is_output).then_some(level));
                }
                Placement::Inline | Placement::Root => {}
            }
            if let Some(var) = state.around.get(&reader)
                && stage + 1 == found.stages.len()
            {
                levels.insert(LoopLevel { func: reader, stage: None, var: var.clone() });
            }
        }
        levels
    }

    /// The number of points at which one value that has a place reads a func, directly or through
    /// inline funcs. A product of a func with itself reads it once; a sum of nine such products
    /// reads it nine times if the products are inline.
    fn reach(&self, state: &State, func: &Func) -> usize {
        const MOST: usize = 10_000;
        let through = |(reader, _): &Reader| match self.facts.func(*reader) {
            // It has no directives and is inline by default.
            Some(found) if found.is_synthetic && found.points <= 1 && !found.is_output => {
                self.reach(state, found)
            }
            Some(_) | None => state.reach.get(reader).copied().unwrap_or(1),
        };
        (func.points * func.readers.iter().map(through).max().unwrap_or(1)).min(MOST)
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
                let reach = self.reach(state, func);
                state.reach.insert(func.id, reach);
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
            (Choice::Vector, ..) if state.vector.is_some() => {
                let level = state.vector.clone();
                state
                    .directives
                    .extend(level.map(|level| directive(func.id, 0, Action::ComputeAt(level))));
                if state.family == Family::Registers {
                    registers(self.pool, func, &mut state.directives);
                    return true;
                }
                vectors(self.pool, func, &mut state.directives);
                if let ([_, .., last], 1) = (func.args.as_slice(), func.stages.len()) {
                    let (var, factor, tail) = (last.clone(), None, Tail::Auto);
                    let action = Action::Unroll { var, factor, tail };
                    state.directives.push(directive(func.id, 0, action));
                }
                return true;
            }
            (Choice::Near, ..) => match self.levels(state, func).pop() {
                Some(level) => push(state, Action::ComputeAt(level)),
                None => return false,
            },
            (
                Choice::Inline | Choice::Block | Choice::Row | Choice::Sliding | Choice::Vector,
                ..,
            ) => return false,
        }
        vectors(self.pool, func, &mut state.directives);
        true
    }

    /// Fixes the few channels of an output, where that is permitted, and unrolls their loops if
    /// they are within vectors. Rows of a fixed number of channels have a size that is known to be
    /// small.
    fn fix_channels(
        &mut self,
        output: &Func,
        within_vectors: bool,
        directives: &mut Vec<Directive>,
    ) {
        for var in output.args.iter().skip(2) {
            let Some((min, extent)) = fixed(self.facts, output, var) else { continue };
            let (min, extent) = (Some(self.pool.int(min)), self.pool.int(extent));
            let bound = Action::Bound { var: var.clone(), min, extent };
            directives.insert(0, directive(output.id, 0, bound));
            if within_vectors {
                let unroll = Action::Unroll { var: var.clone(), factor: None, tail: Tail::Auto };
                directives.push(directive(output.id, 0, unroll));
            }
        }
    }

    fn stream(&mut self) {
        const MOST: usize = 200;
        let outputs: Vec<FuncId> = self
            .facts
            .funcs
            .iter()
            .filter(|func| func.is_output && func.readers.is_empty())
            .map(|func| func.id)
            .collect();
        let mut counts: IndexMap<Family, usize> = IndexMap::default();
        for Proposal { family, mut directives, .. } in self.so_far.all() {
            let count = counts.entry(family).or_default();
            *count += 1;
            if *count > MOST {
                continue;
            }
            for output in &outputs {
                directives.push(directive(*output, 0, Action::StoreIn(StoreIn::Stream)));
            }
            self.estimate(directives, family);
        }
    }

    /// Estimates states by their completions, and keeps the best. Returns false if the search
    /// took long enough before all have an estimate.
    fn rank(&mut self, rest: &[&Func], is_enough: &mut dyn FnMut(Duration) -> bool) -> bool {
        while let Some(state) = self.so_far.states.get(self.so_far.ranked).cloned() {
            if is_enough(self.so_far.took + self.begin.elapsed()) {
                return false;
            }
            let estimate = self.completed(&state, rest);
            self.so_far.states[self.so_far.ranked].estimate = estimate;
            self.so_far.ranked += 1;
        }
        let states = &mut self.so_far.states;
        states.retain(|state| state.estimate.is_finite());
        states.sort_by(|one, other| one.estimate.total_cmp(&other.estimate));
        let mut seen = FxHashSet::default();
        states.retain(|state| seen.insert(canonical(&state.directives)));
        states.truncate(BEAM);
        self.so_far.ranked = 0;
        true
    }

    /// The lowest estimate of a state's completions.
    fn completed(&mut self, state: &State, rest: &[&Func]) -> f64 {
        let mut best = f64::INFINITY;
        let usual = [Choice::Inline, Choice::Sliding, Choice::Block, Choice::Root];
        let vector = state.vector.as_ref().map(|_| Choice::Vector);
        let near = (!state.around.is_empty()).then_some(Choice::Near);
        for choice in usual.into_iter().chain(vector).chain(near) {
            let mut complete = state.clone();
            for func in rest {
                let is_cheap = self.reach(&complete, func) <= 1 && func.stages.len() == 1;
                let own = if is_cheap && !func.is_output { Choice::Inline } else { choice };
                let _ = self.place(&mut complete, func, own)
                    || self.place(&mut complete, func, Choice::Block)
                    || self.place(&mut complete, func, Choice::Root);
            }
            best = best.min(self.estimate(complete.directives, state.family));
            if rest.is_empty() {
                break;
            }
        }
        best
    }

    fn estimate(&mut self, directives: Vec<Directive>, family: Family) -> f64 {
        let key = canonical(&directives);
        if let Some(known) = self.so_far.found.get(&key) {
            return known.estimate;
        }
        self.so_far.estimated += 1;
        let schedule = Schedule { name: String::new(), directives };
        let found = self.model.time_and_code(self.pool, &schedule);
        let (estimate, code) = found.unwrap_or((f64::INFINITY, 0.0));
        let proposal = Proposal { estimate, code, family, directives: schedule.directives };
        if estimate.is_finite() {
            self.so_far.found.insert(key, proposal);
        }
        estimate
    }
}

/// The blocks in registers that may pay: where a func that is read sums over a reduction.
fn in_registers(facts: &Facts) -> Vec<Registers> {
    let sums = |func: &Func| {
        let is_sum = |names: &StageNames| names.pure.len() > 1 && !names.reduction.is_empty();
        !func.is_output && func.stages.iter().any(is_sum)
    };
    if !facts.may_demand || !facts.funcs.iter().any(sums) {
        return Vec::new();
    }
    let block =
        |(vectors, rows)| [false, true].map(|is_turned| Registers { vectors, rows, is_turned });
    IN_REGISTERS.into_iter().flat_map(block).collect()
}

/// The state in which the reductions of a func's updates are around their other loops; `None` if
/// there are none. What a reduction reads is then computed for each of its iterations.
fn reduced_around(state: &State, func: &Func) -> Option<State> {
    let (last, names) = func.stages.iter().enumerate().next_back().filter(|(last, _)| *last > 0)?;
    let innermost = names.reduction.first().filter(|_| !names.pure.is_empty())?;
    let mut made = state.clone();
    let order = made.directives.iter_mut().rev().find_map(|found| {
        let is_own = found.func == func.id && found.stage == last;
        if let Action::Reorder { vars } = &mut found.action { is_own.then_some(vars) } else { None }
    })?;
    *order = names.pure.iter().chain(&names.reduction).cloned().collect();
    made.around.insert(func.id, innermost.clone());
    Some(made)
}

/// The state in which the values that a scan computes together are neighbours in memory; `None` if
/// no update scans along the first dimension.
fn turned(state: &State, func: &Func) -> Option<State> {
    let first = func.args.first()?;
    let scans = |names: &&StageNames| !names.pure.contains(first) && !names.reduction.is_empty();
    let along = func.stages.iter().skip(1).find(scans)?.pure.first()?;
    let others = func.args.iter().filter(|arg| *arg != along);
    let vars = [along].into_iter().chain(others).cloned().collect();
    let mut made = state.clone();
    made.directives.push(directive(func.id, 0, Action::ReorderStorage { vars }));
    Some(made)
}

/// The order of an output's loops, innermost first, in which the dimensions beyond the second are
/// within each row, or within each vector; `None` if there are no such dimensions.
fn channels(output: &Func, cut: Cut, within_vectors: bool) -> Option<Vec<String>> {
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
        Cut::Bands(..) | Cut::Registers(_) => return None,
    };
    let rest = rest.iter().cloned();
    Some(if within_vectors {
        rest.chain([row]).chain(around).collect()
    } else {
        [row].into_iter().chain(rest).chain(around).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use halidom_base::FxHashSet;
    use halidom_codegen::Target;
    use halidom_driver::data::{self, Request};
    use halidom_driver::{compile, source};
    use halidom_lang::print_schedule;

    use super::super::demands::move_inwards;
    use super::super::facts::{Facts, Placement};
    use super::super::model::Model;
    use super::super::processor;
    use super::{Action, Family, Pool, Proposal, Proposals, Schedule, go_on, stream};

    const TEXT: &str = "\
fn nine(f) -> func(x, y) = f(x - 1, y - 1) + f(x, y - 1) + f(x + 1, y - 1) + f(x - 1, y) + f(x, y)
    + f(x + 1, y) + f(x - 1, y + 1) + f(x, y + 1) + f(x + 1, y + 1);
pipeline p(input: buffer<f32, 3>) -> output: buffer<f32, 3> {
    fast_math;
    func gray(x, y) = input(x, y, 0) + input(x, y, 1) + input(x, y, 2);
    func slope(x, y) = gray(x + 1, y) - gray(x - 1, y) + gray(x, y + 1) - gray(x, y - 1);
    func square(x, y) = slope(x, y) * slope(x, y);
    func total = nine(square);
    func output(x, y, c) = input(x, y, c) * total(x, y);
}
";

    /// A reduction whose terms are read at two points.
    const SUM: &str = "\
pipeline p(input: buffer<f32, 2>) -> output: buffer<f32, 2> {
    func weight(x, y, d) = exp(input(x + d, y));
    func total(x, y): f32 {
        total(x, y) = 0;
        for d in 0..8 { total(x, y) += weight(x, y, d) * weight(x, y + 1, d); }
    }
    func output(x, y) = total(x, y) / 8;
}
";

    /// A product of matrices.
    const PRODUCT: &str = "\
pipeline p(a: buffer<f32, 2>, b: buffer<f32, 2>) -> output: buffer<f32, 2> {
    fast_math;
    func dot(x, y): f32 {
        dot(x, y) = 0;
        for k in 0..256 { dot(x, y) += a(x, k) * b(k, y); }
    }
    func output(x, y) = max(dot(x, y), 0);
}
";

    /// A scan along rows.
    const SCAN: &str = "\
pipeline p(input: buffer<f32, 2>) -> output: buffer<f32, 2> {
    func sums(x, y): f32 {
        sums(x, y) = input(x, y);
        for k in 1..512 { sums(k, y) += sums(k - 1, y); }
    }
    func output(x, y) = sums(x, y) / 2;
}
";

    /// The proposals for a picture, with their texts.
    fn proposals(may_demand: bool) -> (Facts, Vec<(Proposal, String)>) {
        let (facts, all, estimated) = proposed(TEXT, vec![1536, 1024, 3], may_demand);
        assert!(estimated > 1000);
        (facts, all)
    }

    fn proposed(
        text: &str,
        size: Vec<i64>,
        may_demand: bool,
    ) -> (Facts, Vec<(Proposal, String)>, usize) {
        let mut loaded = source::parse("p.hal", text);
        assert!(!loaded.module.has_errors(), "{:?}", loaded.module.diagnostics);
        let references = compile::references(&mut loaded, 0).unwrap();
        let algorithm = loaded.module.pipelines[0].algorithm.clone();
        let request = Request { random: Some(1), size: Some(size), ..Request::default() };
        let pool = &mut loaded.module.pool;
        let prepared = data::prepare(pool, &algorithm, &references, &request).unwrap();
        let facts = Facts::of(pool, &algorithm, &Target::host()).sized(
            &algorithm.outputs,
            &prepared.windows,
            may_demand,
        );
        let machine = processor::uncalibrated(1);
        let model = Model::new(pool, &algorithm, &prepared, machine);
        let mut so_far = Proposals::default();
        let mut asked = 0;
        // A search that is stopped goes on from there.
        let mut stops = |_: Duration| {
            asked += 1;
            asked % 50 == 0
        };
        while !so_far.is_done {
            go_on((&mut *pool, &facts, &model), &mut so_far, &mut stops);
        }
        stream((&mut *pool, &facts, &model), &mut so_far);
        let named = |mut proposal: Proposal, pool: &Pool| {
            move_inwards(pool, &facts, &mut proposal.directives);
            let directives = proposal.directives.clone();
            let schedule = Schedule { name: "made".to_owned(), directives };
            let text = print_schedule(pool, &algorithm, &schedule).unwrap();
            (proposal, text)
        };
        let all = so_far.all().into_iter().map(|proposal| named(proposal, pool)).collect();
        (facts, all, so_far.estimated)
    }

    #[test]
    fn terms_are_computed_for_each_iteration_of_a_reduction() {
        let (facts, all, _) = proposed(SUM, vec![512, 512], false);
        let (weight, total) = (facts.funcs[0].id, facts.funcs[1].id);
        let is_in_reduction = |(proposal, text): &&(Proposal, String)| {
            text.contains("reorder(x, y, d)")
                && matches!(facts.placement(&proposal.directives, weight),
                    Placement::At(level) if level.func == total && level.var == "d")
        };
        assert!(all.iter().any(|found| is_in_reduction(&found)), "{}", all[0].1);
    }

    #[test]
    fn rows_that_are_scanned_together_lie_side_by_side() {
        let (_, all, _) = proposed(SCAN, vec![512, 512], false);
        let wanted = ["sums.reorder_storage(y, x)", "sums.update(1).reorder(y, k).vectorize(y"];
        let near = 1.5 * all[0].0.estimate;
        let found = all.iter().find(|(proposal, text)| {
            proposal.estimate < near && wanted.iter().all(|part| text.contains(part))
        });
        assert!(found.is_some(), "{}", all[0].1);
    }

    #[test]
    fn sums_of_blocks_stay_in_registers() {
        let (_, all, _) = proposed(PRODUCT, vec![512, 512], false);
        assert!(all.iter().all(|(found, _)| found.family != Family::Registers));
        let (_, all, _) = proposed(PRODUCT, vec![512, 512], true);
        let (best, text) = &all[0];
        assert_eq!(best.family, Family::Registers, "{text}");
        let wanted = ["tail: shift_inwards", "dot.update(1).reorder(x, y, k)", ".unroll(y)"];
        assert!(wanted.iter().all(|part| text.contains(part)), "{text}");
    }

    #[test]
    fn products_may_be_inline_while_their_factors_are_kept() {
        let (facts, all) = proposals(false);
        let func = |number: usize| facts.funcs[number].id;
        let (slope, square) = (func(1), func(2));
        let near = 1.5 * all[0].0.estimate;
        let kept =
            all.iter().filter(|(proposal, _)| proposal.estimate < near).find(|(proposal, _)| {
                facts.placement(&proposal.directives, square) == Placement::Inline
                    && matches!(facts.placement(&proposal.directives, slope), Placement::At(_))
            });
        assert!(kept.is_some(), "{}", all[0].1);
    }

    #[test]
    fn outputs_are_demanded_only_with_permission() {
        let demands = |text: &str| text.contains("shift_inwards") || text.contains("bound");
        let (_, all) = proposals(false);
        assert!(all.iter().all(|(_, text)| !demands(text)));
        let families: FxHashSet<Family> = all.iter().map(|(found, _)| found.family).collect();
        assert_eq!(families.len(), 4);
        let (_, all) = proposals(true);
        // All blocks of these cuts fit into the output.
        assert!(all.iter().all(|(_, text)| demands(text)));
        assert!(all.iter().any(|(_, text)| text.contains("bound(c, 0, 3)")));
        let is_at_vector = |(proposal, _): &(Proposal, String)| {
            let at =
                |action: &Action| matches!(action, Action::ComputeAt(level) if level.var == "x");
            proposal.family == Family::Channels
                && proposal.directives.iter().any(|found| at(&found.action))
        };
        assert!(all.iter().any(is_at_vector));
        assert!(all.iter().any(|(_, text)| text.contains("store_in(stream)")));
    }
}
