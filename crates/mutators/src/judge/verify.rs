//! Verifies a mutator on every path at every type.

use std::hash::{DefaultHasher, Hash, Hasher};

use halidom_base::{FxHashMap, FxHashSet};
use halidom_rewrites::rules::{
    Decision, Fulfilment, Limits, Node, Number, Obligation, ValueId, Values, contradict,
    decide_or_vacuous, fulfil, shows,
};
use halidom_smt::Solver;

use crate::ir::kinds::{Kind, Type};
use crate::ir::layout::operand_types;
use crate::ir::node::NodeId;
use crate::ir::record::{Imbalance, Pushed};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::judge::entry::Entry;
use crate::judge::growth::growing;
use crate::judge::replay::{Concrete, Replayed};
use crate::judge::shuffles::refuted_by_shuffles;
use crate::judge::texts::refuted_by_texts;
use crate::judge::trial::Trials;
use crate::judge::verdict::{Counterexample, Examination, Finding, Standing};
use crate::machine::run::{End, MANY_PATHS, Machine, Operands, Outcome};
use crate::meaning::claims::{
    bare, flat, flat_fact, in_type_range, obligation, of_every_type, premises, with_more_facts,
};
use crate::meaning::terms::Meaning;

/// The answers about claims that were asked before.
#[derive(Debug, Default)]
pub(crate) struct Known {
    decisions: FxHashMap<Digest, Decision>,
    fulfilments: FxHashMap<Digest, Fulfilment>,
}

/// A digest of a claim, of 128 bits: the claim itself may hold as many terms as the whole mutator.
type Digest = [u64; 2];

/// Digests lists of terms with all parts of these terms.
fn digest(values: &Values, lists: &[&[ValueId]], is_wide: bool) -> Digest {
    let mut hashers = [0_u8, 1].map(|seed| {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        hasher
    });
    let mut put = |part: &dyn Fn(&mut DefaultHasher)| hashers.iter_mut().for_each(part);
    put(&|hasher| (lists, is_wide).hash(hasher));
    let mut seen = FxHashSet::default();
    let mut open: Vec<ValueId> = lists.iter().flat_map(|list| list.iter().copied()).collect();
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        let node = values.node(term);
        put(&|hasher| (term, node, values.domain(term)).hash(hasher));
        match node {
            Node::Var(index) => {
                let (name, domain) = &values.vars()[*index as usize];
                put(&|hasher| (name, domain).hash(hasher));
            }
            Node::Apply(_, operands) => open.extend(operands),
            Node::Number(_) => {}
        }
    }
    hashers.map(|hasher| hasher.finish())
}

/// Examines a mutator at every type.
pub(crate) fn examine(
    entry: Entry<'_>,
    solver: &mut Solver,
    limits: Limits,
    known: &mut Known,
) -> Examination {
    let begin = effort(solver);
    let has_scopes = crate::machine::scopes::may_push(entry.program, entry.function);
    let mut examiner = Examiner {
        entry,
        has_scopes,
        begin,
        solver,
        limits,
        known,
        findings: Vec::new(),
        proved: 0,
        left: Vec::new(),
        slow: Vec::new(),
        endless_types: 0,
    };
    let mut is_run = false;
    // Most arms are for types that do not wrap. These come first, as the number of questions is
    // limited.
    let scalars = match entry.kind {
        Kind::StringImm => vec![Type::HANDLE],
        _ => Type::SCALARS.to_vec(),
    };
    let (whole, wrapping): (Vec<Type>, Vec<Type>) =
        scalars.into_iter().partition(|element| !element.domain().wraps());
    for element in whole.into_iter().chain(wrapping) {
        for is_vector in [false, true] {
            let ty = element.with_vector(is_vector);
            // Operators on vectors of C are not modelled, but making vectors is.
            let is_made = matches!(entry.kind, Kind::Ramp | Kind::Broadcast);
            // Nor are addresses that are printed.
            let is_left_out =
                ty == Type::HANDLE && entry.kind != Kind::StringImm || is_vector && !is_made;
            if !entry.kind.admits(ty) || entry.mode.is_emitter() && is_left_out {
                continue;
            }
            for operand in operand_types(entry.kind, ty, entry.profile.name) {
                if entry.mode.is_emitter() && operand == Type::HANDLE && ty != operand {
                    continue;
                }
                is_run = true;
                examiner.at(ty, operand);
            }
        }
    }
    if !is_run {
        let what = "none of the types that are looked at";
        examiner.find(Standing::Unsupported, entry.function.line, "", what);
    }
    if entry.is_own()
        && let Some((line, why)) = entry.made_of_nothing()
    {
        examiner.find(Standing::Undecided, line, "", why);
    }
    let Examiner { mut findings, proved, .. } = examiner;
    findings.extend(refuted_by_shuffles(entry));
    findings.extend(refuted_by_texts(entry));
    Examination::of(entry.function.line, findings, proved)
}

pub(super) struct Examiner<'p, 's> {
    entry: Entry<'p>,
    solver: &'s mut Solver,
    limits: Limits,
    known: &'s mut Known,
    findings: Vec<Finding>,
    pub(super) proved: usize,
    /// True if the mutator may push on a scope.
    has_scopes: bool,
    /// The effort of the solver before this mutator.
    begin: u64,
    /// The lines of claims that were left undecided, one entry for each claim.
    left: Vec<usize>,
    /// The lines and types of claims that the solver did not decide, one entry for each claim.
    slow: Vec<(usize, Type)>,
    /// The number of types at which there were more paths than are followed.
    endless_types: usize,
}

/// Returns the number of the solver's queries, where an unknown answer counts for its cost.
fn effort(solver: &Solver) -> u64 {
    let statistics = solver.statistics();
    statistics.queries + UNKNOWN_EFFORT * statistics.unknown
}

/// The effort allowed for one mutator. A query costs 1; a query without an answer costs more, since
/// it takes all the time that a query may take.
const MAX_EFFORT: u64 = 10_000;

/// The extra cost of a query without an answer.
const UNKNOWN_EFFORT: u64 = 60;

/// The reason why a question was not asked.
const EXHAUSTED: &str = "more questions than are asked about one mutator";

/// The number of undecided claims after which other claims of a line are not tried: the line stays
/// undecided.
const MAX_LEFT: usize = 40;

/// The number of claims that the solver did not decide after which other claims of a line at the
/// same type are not tried. They differ in the way to the line.
const MAX_SLOW: usize = 8;

/// The number of types at which a mutator may have more paths than are followed. It is unsupported
/// then, and is only tried out at the other types.
const MAX_ENDLESS_TYPES: usize = 3;

/// The number of random inputs at each type of a node.
const TRIALS: usize = 200;

/// Describes the error in the C that an emitter writes for an expression, if there is one.
pub(crate) fn seen_in_print(entry: Entry<'_>, concrete: &Concrete) -> Option<String> {
    let (_, _, text, _) = Examiner::confirmed_difference(entry, concrete).ok()?;
    Some(format!("{text} on {}", concrete.before()))
}

impl Examiner<'_, '_> {
    fn at(&mut self, ty: Type, operand: Type) {
        let main = if self.entry.kind.has_free_operand() { operand } else { ty };
        let entry = self.entry.at(ty, operand);
        let shown = if main == ty { ty.to_string() } else { format!("{ty} of {main}") };
        self.try_out(entry, ty, operand, &shown);
        if self.endless_types >= MAX_ENDLESS_TYPES {
            return;
        }
        let mut machine = Machine::new(entry.program, entry.profile, entry.is_whole);
        let mut state = State::default();
        let input = entry.input(ty, operand, &mut machine, &mut state);
        entry.run(&mut machine, input, state);
        let ends = std::mem::take(&mut machine.ends);
        let is_endless = |end: &End| end.outcome == Outcome::Unsupported(MANY_PATHS.to_owned());
        self.endless_types += usize::from(ends.iter().any(is_endless));
        // Each input follows some path.
        if ends.is_empty() {
            self.find(Standing::Unsupported, entry.function.line, &shown, "no path ends");
        }
        for end in ends {
            self.end(entry, &mut machine, input, &end, &shown);
        }
    }

    /// Runs the mutator on random IR.
    fn try_out(&mut self, entry: Entry<'_>, ty: Type, operand: Type, shown: &str) {
        let mut trials = Trials::new(entry, ty, operand, 7);
        for _ in 0..TRIALS / operand_types(entry.kind, ty, entry.profile.name).len() {
            let Some(concrete) = trials.next() else { return };
            for is_asked in [false, true] {
                let entry = Entry { is_asked, ..entry };
                if (!is_asked || entry.may_report())
                    && let Ok(mut found) = Self::confirmed_difference(entry, &concrete)
                {
                    if is_asked {
                        found.2.push_str(", where the caller asks for a report");
                    }
                    self.keep(found, shown);
                }
            }
            if self.has_scopes
                && let Ok(found) = Self::confirmed_scope(entry, &concrete, &self.findings)
            {
                self.keep(found, shown);
            }
        }
    }

    pub(super) fn is_found(&self, standing: Standing, line: usize) -> bool {
        self.findings.iter().any(|found| found.standing == standing && found.line == line)
    }

    /// True if a claim of the line was undecided at a narrower type that wraps, as a wider one is
    /// not easier. Also true if so many claims of the line were undecided that no more are tried.
    fn is_given_up(&self, line: usize, end: &End, input: NodeId) -> bool {
        let ty = end.state.node(input).ty;
        let left = self.left.iter().filter(|known| **known == line).count();
        let slow = self.slow.iter().filter(|known| **known == (line, ty)).count();
        left >= MAX_LEFT
            || slow >= MAX_SLOW
            || ty.domain().wraps() && ty.bits > 8 && self.is_found(Standing::Undecided, line)
    }

    pub(super) fn find(
        &mut self,
        standing: Standing,
        line: usize,
        ty: &str,
        text: impl Into<String>,
    ) {
        if standing == Standing::Undecided {
            self.left.push(line);
        }
        if !self.is_found(standing, line) {
            self.findings.push(Finding {
                file: None,
                standing,
                line,
                ty: ty.to_owned(),
                text: text.into(),
                counterexample: None,
            });
        }
    }

    fn end(
        &mut self,
        entry: Entry<'_>,
        machine: &mut Machine<'_>,
        input: NodeId,
        end: &End,
        ty: &str,
    ) {
        match &end.outcome {
            // This path stands for others, which may be possible.
            Outcome::Unsupported(what) if what == MANY_PATHS => {
                self.find(Standing::Unsupported, end.line, ty, what);
            }
            Outcome::Unsupported(what) => {
                self.limited(entry, machine, end, Standing::Unsupported, what, ty);
            }
            Outcome::Bounded(what) => {
                self.limited(entry, machine, end, Standing::Bounded, what, ty)
            }
            Outcome::Rejected(what) => {
                self.limited(entry, machine, end, Standing::Rejects, what, ty);
            }
            Outcome::Endless(what) => {
                self.limited(entry, machine, end, Standing::Partial, what, ty)
            }
            Outcome::Returned(value) => {
                self.endless(entry, machine, input, end, ty);
                self.unbalanced(entry, machine, input, end, ty);
                let ended = (value, &end.state);
                if let Some(what) = machine.unshown_use(entry.function, entry.kind, input, ended) {
                    self.limited(entry, machine, end, Standing::Undecided, what, ty);
                }
                self.with_result(entry, machine, input, value, end, ty);
            }
            Outcome::Crash(what) => self.crash(entry, machine, input, end, what, ty),
        }
    }

    /// Records that a possible path is not shown to end, once for a line.
    fn endless(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        end: &End,
        ty: &str,
    ) {
        let Some((line, why)) = unfounded(entry, end) else { return };
        if !self.is_found(Standing::Partial, line) && self.is_possible(entry, machine, end) {
            let node = end.state.node(input).ty;
            let operand = operand_types(entry.kind, node, entry.profile.name);
            let operand = operand.first().copied().unwrap_or(node);
            let trials = Trials::new(entry, node, operand, 7);
            self.findings.push(not_shown_to_end(entry, trials, (line, why), ty));
        }
    }

    /// Records the reason why nothing more is claimed of a path, if the path is possible.
    fn limited(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        end: &End,
        standing: Standing,
        what: &str,
        ty: &str,
    ) {
        if !self.is_found(standing, end.line) && self.is_possible(entry, machine, end) {
            self.find(standing, end.line, ty, what);
        }
    }

    fn with_result(
        &mut self,
        entry: Entry<'_>,
        machine: &mut Machine<'_>,
        input: NodeId,
        value: &Val,
        end: &End,
        ty: &str,
    ) {
        match value {
            Val::Expr(Some(result)) if machine.makes_masks => {
                self.masked(entry, machine, input, *result, end, ty);
            }
            Val::Expr(Some(result)) => self.returned(entry, machine, input, *result, end, ty),
            Val::Expr(None) if machine.vanishing.is_some() => {
                self.nothing(entry, machine, input, end, ty);
            }
            Val::Expr(None) => {
                self.crash(entry, machine, input, end, "an undefined Expr is returned", ty);
            }
            value if is_unknown(value) => {
                if self.is_possible(entry, machine, end) {
                    self.find(Standing::Undecided, end.line, ty, UNKNOWN_RESULT);
                }
            }
            _ => self.find(Standing::Unsupported, end.line, ty, "a result that is no Expr"),
        }
    }

    /// Examines a path that returns nothing: the input must have no value.
    fn nothing(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        end: &End,
        ty: &str,
    ) {
        let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
        let (_, mut facts, _) = premises(&mut meaning, input);
        facts.extend(meaning.not_taken(false));
        facts.append(&mut meaning.equations);
        match self.fulfilled(&meaning, &facts) {
            Fulfilment::None => self.proved += 1,
            Fulfilment::By(_) | Fulfilment::Unknown(_) => {
                let what = "nothing is returned where the argument may have a value";
                self.find(Standing::Undecided, end.line, ty, what);
            }
        }
    }

    /// Returns the facts at the end of a path that does not compare values, including the facts of
    /// arms that were not taken.
    pub(super) fn path_facts(
        meaning: &mut Meaning<'_>,
        input: NodeId,
        as_variables: bool,
    ) -> (Vec<ValueId>, Vec<ValueId>) {
        // The compiler must not fail on undefined input either, so definedness is not assumed.
        let _ = meaning.node(input);
        meaning.defined.clear();
        let mut facts = meaning.facts();
        facts.extend(meaning.not_taken(as_variables));
        let (always, narrow) = meaning.lane_facts();
        facts.extend(always);
        facts.append(&mut meaning.equations);
        (facts, narrow)
    }

    /// Checks that a path that returns leaves scopes as it found them, or is not possible.
    /// Otherwise looks for IR on which it leaves something.
    fn unbalanced(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        end: &End,
        ty: &str,
    ) {
        let Some(imbalance) = end.state.scopes.imbalance() else { return };
        let Imbalance { text, line, may_be_meant } = imbalance;
        let left = self.left.iter().filter(|known| **known == line).count();
        if self.is_found(Standing::Scope, line) || left >= MAX_LEFT {
            return;
        }
        let reason = match self.leading_to(entry, machine, input, end) {
            Ok(None) => {
                self.proved += 1;
                return;
            }
            Ok(Some(_)) if may_be_meant => "which may be meant".to_owned(),
            Ok(Some(concrete)) => match Self::confirmed_scope(entry, &concrete, &[]) {
                Ok(found) => return self.keep(found, ty),
                Err(reason) => match Self::confirmed_crash(entry, &concrete) {
                    Ok((what, line)) => {
                        let shown = counterexample(entry, &concrete, None);
                        return self.keep((Standing::Crash, line, what, shown), ty);
                    }
                    Err(_) => reason,
                },
            },
            Err(reason) => reason,
        };
        self.find(Standing::Undecided, line, ty, format!("{text}: {reason}"));
    }

    /// Looks for something that is left on a scope in a line that has no such finding yet.
    fn confirmed_scope(
        entry: Entry<'_>,
        concrete: &Concrete,
        found: &[Finding],
    ) -> Result<(Standing, usize, String, Counterexample), String> {
        let is_new = |pushed: &&Pushed| {
            let is_it =
                |found: &Finding| found.standing == Standing::Scope && found.line == pushed.line;
            !found.iter().any(is_it)
        };
        let (left, after) = match concrete.replay(entry, Operands::Kept) {
            Replayed::Returned { left, after, .. } => match left.iter().find(is_new) {
                Some(left) => (left.clone(), after),
                None => return Err(format!("not confirmed on {}", concrete.before())),
            },
            Replayed::Crash(what, _) | Replayed::Failed(what) => {
                return Err(format!("not followed on {}: {what}", concrete.before()));
            }
        };
        let is_it = |other: &Pushed| other.scope == left.scope && other.line == left.line;
        match concrete.replay(entry, Operands::Mutated) {
            Replayed::Returned { left: others, .. } if others.iter().any(is_it) => {
                let shown = counterexample(entry, concrete, Some((&after, None, None)));
                Ok((Standing::Scope, left.line, left.text(), shown))
            }
            Replayed::Returned { .. } | Replayed::Crash(..) => {
                Err(format!("not on operands that were simplified before: {}", concrete.before()))
            }
            Replayed::Failed(why) => Err(not_followed(concrete, &why)),
        }
    }

    /// Tests whether a path's facts can hold at all, as far as the solver decides it.
    pub(super) fn is_possible(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        end: &End,
    ) -> bool {
        let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
        let (facts, _) = Self::path_facts(&mut meaning, 0, false);
        !matches!(self.fulfilled(&meaning, &facts), Fulfilment::None)
    }

    /// Examines a path that ends the compiler: if it is possible, it is replayed.
    fn crash(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        end: &End,
        what: &str,
        ty: &str,
    ) {
        let left = self.left.iter().filter(|known| **known == end.line).count();
        if self.is_found(Standing::Crash, end.line) || left >= MAX_LEFT {
            return;
        }
        if let Some(flat) = flat_fact(entry.profile, machine, end)
            && matches!(self.flat_fulfilled(&flat), Fulfilment::None)
        {
            self.proved += 1;
            return;
        }
        let reason = match self.leading_to(entry, machine, input, end) {
            Ok(None) => {
                self.proved += 1;
                return;
            }
            Ok(Some(concrete)) => match Self::confirmed_crash(entry, &concrete) {
                Ok((happened, line)) => {
                    let shown = counterexample(entry, &concrete, None);
                    return self.keep((Standing::Crash, line, happened, shown), ty);
                }
                Err(reason) => reason,
            },
            Err(reason) => reason,
        };
        self.find(Standing::Undecided, end.line, ty, format!("{what}: {reason}"));
    }

    /// Returns IR that leads to the end of a path, `None` if it is shown that there is no such IR,
    /// or the reason why no IR was found.
    fn leading_to(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        end: &End,
    ) -> Result<Option<Concrete>, String> {
        let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
        let (facts, _) = Self::path_facts(&mut meaning, input, false);
        match self.fulfilled(&meaning, &facts) {
            Fulfilment::None => return Ok(None),
            Fulfilment::Unknown(reason) => return Err(reason),
            Fulfilment::By(_) => {}
        }
        let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
        let (mut facts, narrow) = Self::path_facts(&mut meaning, input, true);
        facts.extend(narrow);
        facts.extend(in_type_range(&mut meaning, &end.state));
        match self.fulfilled(&meaning, &facts) {
            Fulfilment::By(assignment) => {
                Concrete::build(&end.state, input, &mut meaning, &assignment, false)
                    .map(Some)
                    .ok_or_else(|| "no IR was found that leads there".to_owned())
            }
            Fulfilment::None => Err("no IR of variables and literals leads there".to_owned()),
            Fulfilment::Unknown(reason) => Err(reason),
        }
    }

    /// Keeps a defect; one of each kind for a line.
    pub(super) fn keep(&mut self, found: (Standing, usize, String, Counterexample), ty: &str) {
        let (standing, line, text, shown) = found;
        if !self.is_found(standing, line) {
            self.findings.push(Finding {
                file: None,
                standing,
                line,
                ty: ty.to_owned(),
                text,
                counterexample: Some(shown),
            });
        }
    }

    pub(super) fn confirmed_crash(
        entry: Entry<'_>,
        concrete: &Concrete,
    ) -> Result<(String, usize), String> {
        match concrete.replay(entry, Operands::Kept) {
            Replayed::Crash(what, line) => match concrete.replay(entry, Operands::Mutated) {
                Replayed::Crash(other, at) if other == what && at == line => Ok((what, line)),
                Replayed::Returned { .. } | Replayed::Crash(..) => Err(format!(
                    "not on operands that were simplified before: {}",
                    concrete.before()
                )),
                Replayed::Failed(why) => Err(not_followed(concrete, &why)),
            },
            Replayed::Returned { .. } => Err(format!("not confirmed on {}", concrete.before())),
            Replayed::Failed(what) => Err(format!("not followed on {}: {what}", concrete.before())),
        }
    }

    /// Examines a path that returns: the result must have the input's value and type.
    fn returned(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        result: NodeId,
        end: &End,
        ty: &str,
    ) {
        let line = end.line;
        if self.is_found(Standing::Wrong, line) || self.is_given_up(line, end, input) {
            return;
        }
        let (before, after) = (end.state.node(input).ty, end.state.node(result).ty);
        if before != after {
            self.other_type(entry, machine, input, end, &format!("{before} becomes {after}"), ty);
            return;
        }
        if end.state.nodes.iter().any(|node| node.is_learnt) {
            let flat = flat(entry.profile, machine, input, result, end);
            if let Some(bare) = bare(&flat)
                && self.decided(&bare) == Decision::Proved
            {
                return self.narrowed(entry, machine, input, result, end, ty);
            }
            if matches!(self.decided(&flat), Decision::Proved | Decision::Vacuous) {
                return self.narrowed(entry, machine, input, result, end, ty);
            }
        }
        let plain = obligation(entry.profile, machine, input, result, end, None);
        if let Some(shared) = of_every_type(&plain)
            && (bare(&shared).is_some_and(|bare| self.decided(&bare) == Decision::Proved)
                || self.decided(&shared) == Decision::Proved)
        {
            return self.narrowed(entry, machine, input, result, end, ty);
        }
        let (reason, is_slow) = match self.decided(&plain) {
            Decision::Proved | Decision::Vacuous => {
                return self.narrowed(entry, machine, input, result, end, ty);
            }
            Decision::Wrong(_) => ("no IR was found on which it fails".to_owned(), false),
            Decision::Unknown(reason) => (reason, true),
        };
        let refined = obligation(entry.profile, machine, input, result, end, Some(false));
        if matches!(self.decided(&refined), Decision::Proved | Decision::Vacuous) {
            return self.narrowed(entry, machine, input, result, end, ty);
        }
        let text = self.refute(entry, machine, input, result, end, ty).unwrap_or(reason);
        if !text.is_empty() {
            if is_slow {
                self.slow.push((line, before));
            }
            self.find(Standing::Undecided, line, ty, text);
        }
    }

    /// True if the effort allowed for one mutator is used up.
    fn is_exhausted(&self) -> bool {
        effort(self.solver) - self.begin > MAX_EFFORT
    }

    fn flat_fulfilled(&mut self, claim: &Obligation) -> Fulfilment {
        let mut facts = claim.facts.clone();
        facts.push(claim.lhs);
        self.fulfilled_in(&claim.values, &facts)
    }

    pub(super) fn fulfilled(&mut self, meaning: &Meaning<'_>, facts: &[ValueId]) -> Fulfilment {
        self.fulfilled_in(&meaning.values, facts)
    }

    /// Looks for values that fulfil facts, unless the question was asked before.
    fn fulfilled_in(&mut self, values: &Values, facts: &[ValueId]) -> Fulfilment {
        if facts.iter().any(|fact| values.as_number(*fact) == Some(0)) {
            return Fulfilment::None;
        }
        let key = digest(values, &[facts], false);
        if let Some(known) = self.known.fulfilments.get(&key) {
            return known.clone();
        }
        if contradict(values, facts) {
            return Fulfilment::None;
        }
        if self.is_exhausted() {
            return Fulfilment::Unknown(EXHAUSTED.to_owned());
        }
        let fulfilment = fulfil(values, facts, self.solver, self.limits);
        self.known.fulfilments.insert(key, fulfilment.clone());
        fulfilment
    }

    pub(super) fn decided(&mut self, claim: &Obligation) -> Decision {
        let key = digest(
            &claim.values,
            &[
                &[claim.lhs, claim.rhs],
                &claim.facts,
                &claim.narrow_facts,
                &claim.tried,
                &claim.lhs_defined,
                &claim.rhs_defined,
            ],
            claim.is_wide,
        );
        if let Some(decision) = self.known.decisions.get(&key) {
            return decision.clone();
        }
        if shows(claim) {
            return Decision::Proved;
        }
        if self.is_exhausted() {
            return Decision::Unknown(EXHAUSTED.to_owned());
        }
        let mut decide = |claim: &Obligation| decide_or_vacuous(claim, self.solver, self.limits);
        let mut decision = decide(claim);
        if matches!(decision, Decision::Unknown(_))
            && let Some(other) = with_more_facts(claim, &mut decide)
        {
            decision = other;
        }
        self.known.decisions.insert(key, decision.clone());
        decision
    }
}

/// The number of random inputs on which a mutator that is not shown to end is run.
const ENDLESS_TRIALS: usize = 100;

/// Returns the line of a path for which the pass is not shown to end, with the reason.
pub(super) fn unfounded(entry: Entry<'_>, end: &End) -> Option<(usize, String)> {
    if let Some(line) = end.state.unfounded {
        let text = "it may not end: what it mutates here may be as large as its own input";
        return Some((line, text.to_owned()));
    }
    let line = end.state.relying?;
    let method = growing(entry)?;
    let text = "it may not end: it mutates the result of `mutate` again";
    Some((line, format!("{text}, which may be larger than what was given to {method}")))
}

/// Makes the finding that a line mutates something that is not smaller than the input, with a cycle
/// if a run on random IR has one.
pub(super) fn not_shown_to_end(
    entry: Entry<'_>,
    mut trials: Trials,
    (line, mut text): (usize, String),
    ty: &str,
) -> Finding {
    for _ in 0..ENDLESS_TRIALS {
        let Some(concrete) = trials.next() else { break };
        if let Some(cycle) = concrete.cycle(entry) {
            text = format!("it does not end: {cycle}");
            break;
        }
    }
    Finding {
        file: None,
        standing: Standing::Partial,
        line,
        ty: ty.to_owned(),
        text,
        counterexample: None,
    }
}

/// Explains why IR on which the mutator itself fails does not count: the mutators of its operands
/// were not followed.
pub(super) fn not_followed(concrete: &Concrete, why: &str) -> String {
    format!("the mutators of the operands were not followed on {}: {why}", concrete.before())
}

pub(super) fn counterexample(
    entry: Entry<'_>,
    concrete: &Concrete,
    result: Option<(&String, Option<Number>, Option<Number>)>,
) -> Counterexample {
    Counterexample {
        before: concrete.before(),
        after: result.map(|(after, ..)| after.clone()),
        values: concrete.values(),
        expected: result.and_then(|(_, expected, _)| expected.map(|value| value.to_string())),
        got: result.and_then(|(_, _, got)| got.map(|value| value.to_string())),
        built: Box::new(concrete.built(entry.profile)),
        snippet: concrete.snippet(entry.profile),
    }
}

/// The reason why the result of a path is not decided, if it is an object of the compiler.
pub(crate) const UNKNOWN_RESULT: &str = "nothing is known about what is returned";

/// Tests whether a result is an object of the compiler about which nothing is known.
pub(crate) fn is_unknown(value: &Val) -> bool {
    matches!(value, Val::Handle(_)) && !value.is_info()
}
