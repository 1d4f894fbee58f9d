//! A mutator's verdict: every path at every type.
//!
//! Reason for length: one method for each claim about the end of a path, with what refutes it.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_rewrites::rules::{
    Decision, Domain, Fulfilment, Fun, Limits, Number, Obligation, ValueId, Values, contradict,
    decide, fulfil, shows,
};
use halidom_smt::Solver;

use crate::ir::kinds::{Kind, Type, operand_types};
use crate::ir::node::{NodeId, Shape};
use crate::ir::record::{Imbalance, Pushed};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::judge::entry::Entry;
use crate::judge::replay::{Computed, Concrete, Replayed};
use crate::judge::trial::Trials;
use crate::judge::verdict::{Counterexample, Examination, Finding, Standing};
use crate::machine::run::{End, Machine, Operands, Outcome};
use crate::meaning::claims::{
    assemble, bare, flat, flat_fact, in_type_range, obligation, of_every_type, premises, sensitive,
};
use crate::meaning::terms::Meaning;

/// Answers about claims that were asked already.
#[derive(Debug, Default)]
pub(crate) struct Known {
    decisions: FxHashMap<String, Decision>,
    fulfilments: FxHashMap<String, Fulfilment>,
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
    };
    let mut is_run = false;
    // Most arms are about types that do not wrap; they come first, as only so much is asked.
    let scalars = match entry.kind {
        Kind::StringImm => vec![Type::HANDLE],
        _ => Type::SCALARS.to_vec(),
    };
    let (whole, wrapping): (Vec<Type>, Vec<Type>) =
        scalars.into_iter().partition(|element| !element.domain().wraps());
    for element in whole.into_iter().chain(wrapping) {
        for is_vector in [false, true] {
            let ty = element.with_vector(is_vector);
            // Vectors of C have operators that are not modelled, but they are made.
            let is_made = matches!(entry.kind, Kind::Ramp | Kind::Broadcast);
            if !entry.kind.admits(ty) || is_vector && entry.is_emitter && !is_made {
                continue;
            }
            for operand in operand_types(entry.kind, ty) {
                is_run = true;
                examiner.at(ty, operand);
            }
        }
    }
    if !is_run {
        let what = "none of the types that are looked at";
        examiner.find(Standing::Unsupported, entry.function.line, "", what);
    }
    let Examiner { mut findings, proved, .. } = examiner;
    findings.sort_by_key(|finding| (finding.line, std::cmp::Reverse(finding.standing)));
    let standing =
        findings.iter().map(|finding| finding.standing).max().unwrap_or(Standing::Verified);
    Examination { standing, findings, proved }
}

struct Examiner<'p, 's> {
    entry: Entry<'p>,
    solver: &'s mut Solver,
    limits: Limits,
    known: &'s mut Known,
    findings: Vec<Finding>,
    proved: usize,
    /// Whether it may push on a scope.
    has_scopes: bool,
    /// What the solver had been asked before.
    begin: u64,
    /// Lines of which claims were left undecided, one entry for each claim.
    left: Vec<usize>,
}

/// What the solver was asked, an answer that is not known counted for what it costs.
fn effort(solver: &Solver) -> u64 {
    let statistics = solver.statistics();
    statistics.queries + UNKNOWN_EFFORT * statistics.unknown
}

/// What questions about one mutator may cost: one each, and more where the answer is not known, since that takes all the
/// time that a question is given.
const MAX_EFFORT: u64 = 6000;

/// The cost of a question whose answer is not known.
const UNKNOWN_EFFORT: u64 = 60;

/// Why a question was not asked.
const EXHAUSTED: &str = "more questions than are asked about one mutator";

/// Claims of a line that are left undecided before its others are not tried: the line stays undecided.
const MAX_LEFT: usize = 20;

/// Random inputs at each type of a node.
const TRIALS: usize = 200;

/// Counterexamples that are tried before a claim is left undecided.
const MAX_TRIES: usize = 3;

/// What the C that an emitter writes for an expression has wrong, if it has.
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
        let mut machine = Machine::new(entry.program, entry.profile, entry.is_whole);
        let mut state = State::default();
        let input = state.add(ty, None, None);
        let fields = state.opaque_fields(input, entry.kind, operand, &mut machine.values);
        state.node_mut(input).shape = Some(Shape { kind: entry.kind, fields });
        entry.run(&mut machine, input, state);
        let ends = std::mem::take(&mut machine.ends);
        for end in ends {
            self.end(entry, &mut machine, input, &end, &shown);
        }
    }

    /// Runs the mutator on random IR.
    fn try_out(&mut self, entry: Entry<'_>, ty: Type, operand: Type, shown: &str) {
        let mut trials = Trials::new(entry, ty, operand, 7);
        for _ in 0..TRIALS / operand_types(entry.kind, ty).len() {
            let Some(concrete) = trials.next() else { return };
            if let Ok(found) = Self::confirmed_difference(entry, &concrete) {
                self.keep(found, shown);
            }
            if self.has_scopes
                && let Ok(found) = Self::confirmed_scope(entry, &concrete, &self.findings)
            {
                self.keep(found, shown);
            }
        }
    }

    fn is_found(&self, standing: Standing, line: usize) -> bool {
        self.findings.iter().any(|found| found.standing == standing && found.line == line)
    }

    /// Whether a claim of the line was undecided in a narrower type that wraps: a wider one is not easier. Or so many were
    /// undecided that no more are tried.
    fn is_given_up(&self, line: usize, end: &End, input: NodeId) -> bool {
        let ty = end.state.node(input).ty;
        let left = self.left.iter().filter(|known| **known == line).count();
        left >= MAX_LEFT
            || ty.domain().wraps() && ty.bits > 8 && self.is_found(Standing::Undecided, line)
    }

    fn find(&mut self, standing: Standing, line: usize, ty: &str, text: impl Into<String>) {
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
            Outcome::Unsupported(what) => {
                if !self.is_found(Standing::Unsupported, end.line)
                    && self.is_possible(entry, machine, end)
                {
                    self.find(Standing::Unsupported, end.line, ty, what.clone());
                }
            }
            Outcome::Bounded(what) => {
                if !self.is_found(Standing::Bounded, end.line)
                    && self.is_possible(entry, machine, end)
                {
                    self.find(Standing::Bounded, end.line, ty, what.clone());
                }
            }
            Outcome::Returned(value) => {
                self.unbalanced(entry, machine, input, end, ty);
                self.with_result(entry, machine, input, value, end, ty);
            }
            Outcome::Crash(what) => self.crash(entry, machine, input, end, what, ty),
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
            Val::Expr(Some(result)) => self.returned(entry, machine, input, *result, end, ty),
            Val::Expr(None) => {
                self.crash(entry, machine, input, end, "an undefined Expr is returned", ty);
            }
            _ => self.find(Standing::Unsupported, end.line, ty, "a result that is no Expr"),
        }
    }

    /// The facts of a path's end that does not compare values, with those of arms that were not taken.
    fn path_facts(
        meaning: &mut Meaning<'_>,
        input: NodeId,
        as_variables: bool,
    ) -> (Vec<ValueId>, Vec<ValueId>) {
        // The compiler must not fail on input that is undefined either, so nothing is assumed of that.
        let _ = meaning.node(input);
        meaning.defined.clear();
        let mut facts = meaning.facts();
        facts.extend(meaning.not_taken(as_variables));
        let (always, narrow) = meaning.lane_facts();
        facts.extend(always);
        facts.append(&mut meaning.equations);
        (facts, narrow)
    }

    /// A path that returns leaves scopes as it found them, or is not possible; else IR is looked for on which it does not.
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

    /// Something that is left on a scope, but where that was found.
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

    /// Whether a path's facts can hold at all, as far as the solver tells.
    fn is_possible(&mut self, entry: Entry<'_>, machine: &Machine<'_>, end: &End) -> bool {
        let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
        let (facts, _) = Self::path_facts(&mut meaning, 0, false);
        !matches!(self.fulfilled(&meaning, &facts), Fulfilment::None)
    }

    /// A path that ends the compiler: possible, and then replayed, or not.
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

    /// IR that leads to the end of a path, none if it is shown that there is none, or why none was found.
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

    /// Keeps a defect, one of a kind for a line.
    fn keep(&mut self, found: (Standing, usize, String, Counterexample), ty: &str) {
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

    fn confirmed_crash(entry: Entry<'_>, concrete: &Concrete) -> Result<(String, usize), String> {
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

    /// A path that returns: the result has the input's value and type.
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
        let reason = match self.decided(&plain) {
            Decision::Proved | Decision::Vacuous => {
                return self.narrowed(entry, machine, input, result, end, ty);
            }
            Decision::Wrong(_) => "no IR was found on which it fails".to_owned(),
            Decision::Unknown(reason) => reason,
        };
        let refined = obligation(entry.profile, machine, input, result, end, Some(false));
        if matches!(self.decided(&refined), Decision::Proved | Decision::Vacuous) {
            return self.narrowed(entry, machine, input, result, end, ty);
        }
        let text = self.refute(entry, machine, input, result, end, ty).unwrap_or(reason);
        if !text.is_empty() {
            self.find(Standing::Undecided, line, ty, text);
        }
    }

    /// Looks for IR on which the result differs. `Some("")` if it was found, else why not, if that is known.
    fn refute(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        result: NodeId,
        end: &End,
        ty: &str,
    ) -> Option<String> {
        let mut claim = obligation(entry.profile, machine, input, result, end, Some(true));
        let mut reason = None;
        for _ in 0..MAX_TRIES {
            let assignment = match self.decided(&claim) {
                Decision::Wrong(assignment) => assignment,
                Decision::Proved | Decision::Vacuous => {
                    return reason.or_else(|| {
                        Some("holds where operands are variables and literals".to_owned())
                    });
                }
                Decision::Unknown(why) => {
                    match self.model_of_difference(entry, machine, input, result, end) {
                        Some(assignment) if reason.is_none() => assignment,
                        _ => return reason.or(Some(why)),
                    }
                }
            };
            let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
            // The same terms in the same order, so that the assignment is of the same variables.
            let _ = assemble(&mut meaning, &end.state, input, result, Some(true));
            let mut confirmed = Err("no IR was found that leads there".to_owned());
            for are_literals in [false, true] {
                if confirmed.is_err()
                    && let Some(concrete) =
                        Concrete::build(&end.state, input, &mut meaning, &assignment, are_literals)
                {
                    confirmed = Self::confirmed_for_some(entry, &concrete);
                }
            }
            match confirmed {
                Ok(found) => {
                    self.keep(found, ty);
                    return Some(String::new());
                }
                Err(why) => reason = Some(why),
            }
            // Other values: none of the variables is what it was.
            let vars = claim.values.vars().to_vec();
            let mut other = claim.values.bool(false);
            for ((name, domain), value) in vars.iter().zip(&assignment) {
                if value.denominator == 1 && *domain != Domain::Bool && name.starts_with(['c', 'x'])
                {
                    let var = claim.values.var(name, *domain);
                    let number = claim.values.number(value.numerator, *domain);
                    let same = claim.values.apply(Fun::Eq, &[var, number]);
                    let differs = claim.values.apply(Fun::Not, &[same]);
                    other = claim.values.apply(Fun::Or, &[other, differs]);
                }
            }
            claim.facts.push(other);
        }
        reason
    }

    /// Values within the types' ranges on which the result differs; the variables are those of the claim.
    fn model_of_difference(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        result: NodeId,
        end: &End,
    ) -> Option<Vec<Number>> {
        let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
        let (lhs, rhs, lhs_defined, _, mut facts, narrow) =
            assemble(&mut meaning, &end.state, input, result, Some(true));
        let same = meaning.values.apply(Fun::Eq, &[lhs, rhs]);
        facts.push(meaning.values.apply(Fun::Not, &[same]));
        facts.extend(lhs_defined);
        facts.extend(narrow);
        facts.extend(in_type_range(&mut meaning, &end.state));
        match self.fulfilled(&meaning, &facts) {
            Fulfilment::By(assignment) => Some(assignment),
            Fulfilment::None | Fulfilment::Unknown(_) => None,
        }
    }

    /// Whether the result differs for these values of variables, or for others that often matter.
    fn confirmed_for_some(
        entry: Entry<'_>,
        concrete: &Concrete,
    ) -> Result<(Standing, usize, String, Counterexample), String> {
        let first = Self::confirmed_difference(entry, concrete);
        if first.is_ok() {
            return first;
        }
        let extremes = [31, 63].map(|bits| [(1_i128 << bits) - 1, -(1 << bits)]).concat();
        let values = [-1, 1, 100, -100].into_iter().chain(extremes);
        for value in values {
            let found = Self::confirmed_difference(entry, &concrete.with_variables(value));
            if found.is_ok() {
                return found;
            }
        }
        first
    }

    fn confirmed_difference(
        entry: Entry<'_>,
        concrete: &Concrete,
    ) -> Result<(Standing, usize, String, Counterexample), String> {
        let mut replayed = concrete.replay(entry, Operands::Kept);
        let mut is_copied = false;
        if let Replayed::Returned { other_type: None, expected, got, .. } = &replayed
            && expected == got
        {
            replayed = concrete.replay(entry, Operands::Copied);
            is_copied = true;
        }
        match &replayed {
            Replayed::Returned { after, other_type, expected, got, line, .. } => {
                if let Some(types) = other_type {
                    let shown = counterexample(entry, concrete, Some((after, None, None)));
                    return Ok((Standing::Type, *line, types.clone(), shown));
                }
                let (expected, got) = match (expected, got) {
                    (Computed::Number(expected), Computed::Number(got)) if expected != got => {
                        (*expected, Some(*got))
                    }
                    (Computed::Number(expected), Computed::Undefined) => (*expected, None),
                    (Computed::Undefined, _) => {
                        return Err(format!("the input is undefined: {}", concrete.before()));
                    }
                    (Computed::Unknown, _) | (_, Computed::Unknown) => {
                        return Err(format!("not computed for {}", concrete.before()));
                    }
                    (Computed::Number(_), Computed::Number(_)) => {
                        return Err(format!("not confirmed on {}", concrete.before()));
                    }
                };
                // Operands that are rewritten may not lead there; that they are copied shows only where they are changed.
                if !is_copied {
                    match concrete.replay(entry, Operands::Mutated) {
                        Replayed::Returned {
                            expected: Computed::Number(expected),
                            got: Computed::Number(got),
                            ..
                        } if expected != got => {}
                        Replayed::Returned { got: Computed::Undefined, .. } => {}
                        Replayed::Returned { .. } | Replayed::Crash(..) => {
                            return Err(format!(
                                "not on operands that were simplified before: {}",
                                concrete.before()
                            ));
                        }
                        Replayed::Failed(why) => return Err(not_followed(concrete, &why)),
                    }
                }
                let got_text = got.map_or("undefined".to_owned(), |got| got.to_string());
                let text = format!("{expected} becomes {got_text}");
                let shown = counterexample(entry, concrete, Some((after, Some(expected), got)));
                Ok((Standing::Wrong, *line, text, shown))
            }
            Replayed::Crash(..) if entry.is_emitter && !entry.is_hardware => {
                let there = Entry { is_hardware: true, ..entry };
                Self::confirmed_difference(there, concrete).or_else(|_| {
                    let (what, line) = Self::confirmed_crash(entry, concrete)?;
                    Ok((Standing::Crash, line, what, counterexample(entry, concrete, None)))
                })
            }
            Replayed::Crash(..) => {
                let (what, line) = Self::confirmed_crash(entry, concrete)?;
                Ok((Standing::Crash, line, what, counterexample(entry, concrete, None)))
            }
            Replayed::Failed(what) => Err(format!("not followed on {}: {what}", concrete.before())),
        }
    }

    fn other_type(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        end: &End,
        text: &str,
        ty: &str,
    ) {
        if self.is_found(Standing::Type, end.line) {
            return;
        }
        let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
        let (mut facts, narrow) = Self::path_facts(&mut meaning, input, true);
        facts.extend(narrow);
        facts.extend(in_type_range(&mut meaning, &end.state));
        let reason = match self.fulfilled(&meaning, &facts) {
            Fulfilment::By(assignment) => {
                match Concrete::build(&end.state, input, &mut meaning, &assignment, false) {
                    None => "no IR was found that leads there".to_owned(),
                    Some(concrete) => match Self::confirmed_difference(entry, &concrete) {
                        Ok(found) => return self.keep(found, ty),
                        Err(reason) => reason,
                    },
                }
            }
            Fulfilment::None => {
                let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
                let (facts, _) = Self::path_facts(&mut meaning, input, false);
                if self.fulfilled(&meaning, &facts) == Fulfilment::None {
                    self.proved += 1;
                    return;
                }
                "no IR of variables and literals leads there".to_owned()
            }
            Fulfilment::Unknown(reason) => reason,
        };
        self.find(Standing::Undecided, end.line, ty, format!("{text}: {reason}"));
    }

    /// Constants that were computed and put into a literal fit it, unless what is cut off does not matter.
    fn narrowed(
        &mut self,
        entry: Entry<'_>,
        machine: &Machine<'_>,
        input: NodeId,
        result: NodeId,
        end: &End,
        ty: &str,
    ) {
        self.proved += 1;
        let mut matters = FxHashSet::default();
        sensitive(&end.state, result, false, &mut matters, &mut FxHashSet::default());
        for (class, number, element) in &end.state.narrowed {
            let class = end.state.class(*class);
            if !matters.contains(&class) {
                continue;
            }
            let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
            let (lhs, facts, _) = premises(&mut meaning, input);
            let number = meaning.term(*number);
            let Some((least, greatest)) = element.range() else { continue };
            let [above, below] = meaning.between(number, least, greatest);
            let fits = meaning.values.apply(Fun::And, &[above, below]);
            let outside = meaning.values.apply(Fun::Not, &[fits]);
            let mut all = facts.clone();
            all.push(outside);
            all.extend(meaning.no_overflow());
            all.extend(in_type_range(&mut meaning, &end.state));
            all.extend(meaning.not_taken(true));
            let _ = lhs;
            let text = match self.fulfilled(&meaning, &all) {
                Fulfilment::None => continue,
                Fulfilment::Unknown(reason) => {
                    format!("a constant may not fit {element}: {reason}")
                }
                Fulfilment::By(assignment) => {
                    match Concrete::build(&end.state, input, &mut meaning, &assignment, false) {
                        None => format!("a constant may not fit {element}"),
                        Some(concrete) => match Self::confirmed_for_some(entry, &concrete) {
                            Ok((standing, line, text, shown)) => {
                                let text = format!("{text} (a constant does not fit {element})");
                                self.keep((standing, line, text, shown), ty);
                                continue;
                            }
                            Err(why) => format!("a constant may not fit {element}: {why}"),
                        },
                    }
                }
            };
            self.find(Standing::Undecided, end.line, ty, text);
        }
    }

    /// Whether as much was asked about the mutator as is asked about one.
    fn is_exhausted(&self) -> bool {
        effort(self.solver) - self.begin > MAX_EFFORT
    }

    fn flat_fulfilled(&mut self, claim: &Obligation) -> Fulfilment {
        let mut facts = claim.facts.clone();
        facts.push(claim.lhs);
        self.fulfilled_in(&claim.values, &facts)
    }

    fn fulfilled(&mut self, meaning: &Meaning<'_>, facts: &[ValueId]) -> Fulfilment {
        self.fulfilled_in(&meaning.values, facts)
    }

    /// Values that fulfil facts, unless they were asked for before.
    fn fulfilled_in(&mut self, values: &Values, facts: &[ValueId]) -> Fulfilment {
        if facts.iter().any(|fact| values.as_number(*fact) == Some(0)) {
            return Fulfilment::None;
        }
        let key = format!("{facts:?} {values:?}");
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

    fn decided(&mut self, claim: &Obligation) -> Decision {
        let key = format!(
            "{:?} {:?} {:?} {:?} {:?}",
            claim.lhs, claim.rhs, claim.facts, claim.lhs_defined, claim.rhs_defined
        ) + &format!("{:?} {:?}", claim.narrow_facts, claim.values);
        if let Some(decision) = self.known.decisions.get(&key) {
            return decision.clone();
        }
        if shows(claim) {
            return Decision::Proved;
        }
        if self.is_exhausted() {
            return Decision::Unknown(EXHAUSTED.to_owned());
        }
        let decision = decide(claim, self.solver, self.limits);
        self.known.decisions.insert(key, decision.clone());
        decision
    }
}

/// Why IR on which the mutator itself fails does not count: what its operands' mutators do was not found out.
fn not_followed(concrete: &Concrete, why: &str) -> String {
    format!("the mutators of the operands were not followed on {}: {why}", concrete.before())
}

fn counterexample(
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
        snippet: concrete.snippet(entry.profile),
    }
}
