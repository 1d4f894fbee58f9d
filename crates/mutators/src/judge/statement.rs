//! Verifies a statement mutator: proves that every path has the effect of its input, and runs
//! random statements before and after.

use halidom_base::IndexMap;
use halidom_rewrites::rules::{Fulfilment, Limits, ValueId, Values, fulfil};
use halidom_smt::Solver;

use crate::ir::kinds::{I32, Kind, Type};
use crate::ir::layout::operand_types;
use crate::ir::node::NodeId;
use crate::ir::record::{Imbalance, Pushed};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::judge::entry::Entry;
use crate::judge::replay::Concrete;
use crate::judge::trial::Trials;
use crate::judge::verdict::{Counterexample, Examination, Finding, Standing};
use crate::judge::verify::{UNKNOWN_RESULT, is_unknown, not_shown_to_end, unfounded};
use crate::machine::balance::left_at_end;
use crate::machine::run::{End, MANY_PATHS, Machine, Operands, Outcome};
use crate::meaning::equivalence::same_effect;
use crate::meaning::memory::{Memory, MemoryId, Stop};
use crate::meaning::terms::{Given, Meaning};

/// The number of random statements for each mutator.
const TRIALS: usize = 2000;

/// The number of random loops with a negative or a very large number of iterations.
const EXTREMES: usize = 200;

/// The number of random loops with spelled names.
const LOOPS: usize = 600;

/// The number of further random statements, from each further seed, if a line has neither a proof
/// nor a defect.
const MORE_TRIALS: usize = 10_000;

/// The seed of the random statements.
const SEED: u64 = 7;

/// The number of seeds in all, if something stays open.
const MORE: u64 = 3;

/// The number of random statements on which operands are mutated under what the mutator adds to
/// scopes, although the mutator is right on them as they are.
const MAX_ASSUMED: usize = 3000;

/// The number of memory contents for each statement.
const SEEDS: u64 = 3;

/// The observable effect of a statement: its calls, and the values that it left in buffers that it
/// did not allocate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Observed {
    calls: Vec<String>,
    memory: Vec<((u32, i128), i128)>,
    stop: Option<Stop>,
}

/// Examines a mutator of statements.
pub(crate) fn examine_statement(
    entry: Entry<'_>,
    solver: &mut Solver,
    limits: Limits,
) -> Examination {
    let mut findings = Vec::new();
    let trials = |seed| Trials::new(entry, Type::STMT, I32, seed);
    let is_followed = try_out(entry, trials(SEED), TRIALS, &mut findings);
    // Emitters may assume that the end of a loop fits into an `int`.
    if entry.kind == Kind::For && !entry.mode.is_emitter() {
        try_out(entry, Trials::of_extremes(entry, SEED), EXTREMES, &mut findings);
    }
    if reads_names(entry) {
        try_out(entry, Trials::of_loops(entry, SEED), LOOPS, &mut findings);
    }
    let mut proved = 0;
    let mut operands = operand_types(entry.kind, Type::STMT, entry.profile.name);
    // Operators on vectors of C are not modelled.
    operands.retain(|operand| !operand.is_vector || !entry.mode.is_emitter());
    for operand in operands {
        let mut machine = Machine::new(entry.program, entry.profile, true);
        let mut state = State::default();
        let input = entry.input(Type::STMT, operand, &mut machine, &mut state);
        entry.run(&mut machine, input, state);
        let ends = std::mem::take(&mut machine.ends);
        // Each input follows some path.
        if ends.is_empty() {
            findings.push(Finding {
                file: None,
                standing: Standing::Unsupported,
                line: entry.function.line,
                ty: String::new(),
                text: "no path ends".to_owned(),
                counterexample: None,
            });
        }
        for end in &ends {
            unbalanced(entry, &machine, end, solver, limits, &mut findings);
            unshown(entry, &machine, input, end, &mut findings);
            endless(entry, &machine, end, solver, limits, &mut findings);
            let standing = standing_unless_proved(end);
            let is_known = findings
                .iter()
                .any(|found: &Finding| found.standing == standing && found.line == end.line);
            // A proof of another path of the line would change nothing.
            if is_known {
                continue;
            }
            match judged(entry, &machine, input, end, solver, limits) {
                Ok(()) => proved += 1,
                Err(text) => findings.push(Finding {
                    file: None,
                    standing,
                    line: end.line,
                    ty: String::new(),
                    text,
                    counterexample: None,
                }),
            }
        }
    }
    if entry.is_own()
        && let Some((line, text)) = entry.made_of_nothing()
    {
        findings.push(Finding {
            file: None,
            standing: Standing::Undecided,
            line,
            ty: String::new(),
            text,
            counterexample: None,
        });
    }
    // Lines without a proof and without a defect are tried on more statements.
    for seed in SEED + 1..SEED + MORE {
        let is_open = |line| {
            let mut of_line = findings.iter().filter(|found| found.line == line);
            !of_line.any(|found| found.standing.is_refuted())
        };
        if is_followed && findings.iter().any(|found| is_open(found.line)) {
            try_out(entry, trials(seed), MORE_TRIALS, &mut findings);
        }
    }
    let refuted: Vec<usize> = findings
        .iter()
        .filter(|found: &&Finding| found.standing.is_refuted())
        .map(|found| found.line)
        .collect();
    findings
        .retain(|found| found.standing != Standing::Undecided || !refuted.contains(&found.line));
    Examination::of(entry.function.line, findings, proved)
}

/// Tests whether a method visits loops or bindings, and a method of its class takes names apart.
fn reads_names(entry: Entry<'_>) -> bool {
    let takes_apart = |function: &halidom_cpp::ast::Function| {
        function.class == entry.function.class && function.text.contains("split_string")
    };
    matches!(entry.kind, Kind::For | Kind::LetStmt)
        && !entry.mode.is_emitter()
        && entry.program.functions.iter().any(takes_apart)
}

/// Records a possible path that does not leave scopes as it found them, one for a line.
fn unbalanced(
    entry: Entry<'_>,
    machine: &Machine<'_>,
    end: &End,
    solver: &mut Solver,
    limits: Limits,
    findings: &mut Vec<Finding>,
) {
    let (Outcome::Returned(_), Some(Imbalance { text, line, .. })) =
        (&end.outcome, end.state.scopes.imbalance())
    else {
        return;
    };
    let is_known = findings.iter().any(|found| {
        found.line == line && matches!(found.standing, Standing::Scope | Standing::Undecided)
    });
    let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
    if !is_known && is_possible(&mut meaning, solver, limits) {
        findings.push(Finding {
            file: None,
            standing: Standing::Undecided,
            line,
            ty: String::new(),
            text,
            counterexample: None,
        });
    }
}

/// Records a path that does not show which buffers are used, one for a line, if the class states
/// that it drops unused allocations.
fn unshown(
    entry: Entry<'_>,
    machine: &Machine<'_>,
    input: NodeId,
    end: &End,
    findings: &mut Vec<Finding>,
) {
    let Outcome::Returned(value) = &end.outcome else { return };
    let is_it = |found: &Finding| found.line == end.line && found.standing == Standing::Undecided;
    let ended = (value, &end.state);
    if let Some(text) = machine.unshown_use(entry.function, entry.kind, input, ended)
        && !findings.iter().any(is_it)
    {
        findings.push(Finding {
            file: None,
            standing: Standing::Undecided,
            line: end.line,
            ty: String::new(),
            text: text.to_owned(),
            counterexample: None,
        });
    }
}

/// Records a possible path that is not shown to end, one for a line.
fn endless(
    entry: Entry<'_>,
    machine: &Machine<'_>,
    end: &End,
    solver: &mut Solver,
    limits: Limits,
    findings: &mut Vec<Finding>,
) {
    let Outcome::Returned(_) = &end.outcome else { return };
    let Some((line, why)) = unfounded(entry, end) else { return };
    let is_it = |found: &Finding| found.line == line && found.standing == Standing::Partial;
    let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
    if !findings.iter().any(is_it) && is_possible(&mut meaning, solver, limits) {
        let trials = Trials::new(entry, Type::STMT, I32, SEED);
        findings.push(not_shown_to_end(entry, trials, (line, why), ""));
    }
}

/// Tests whether a path's facts can hold at all, as far as the solver decides it.
fn is_possible(meaning: &mut Meaning<'_>, solver: &mut Solver, limits: Limits) -> bool {
    let mut facts = meaning.facts();
    facts.extend(meaning.not_taken(false));
    !matches!(fulfil(&meaning.values, &facts, solver, limits), Fulfilment::None)
}

/// Returns the standing of a path unless its end is proved to be right.
fn standing_unless_proved(end: &End) -> Standing {
    match &end.outcome {
        Outcome::Returned(Val::Expr(_)) | Outcome::Crash(_) => Standing::Undecided,
        Outcome::Returned(value) if is_unknown(value) => Standing::Undecided,
        Outcome::Returned(_) | Outcome::Unsupported(_) => Standing::Unsupported,
        Outcome::Bounded(_) => Standing::Bounded,
        Outcome::Rejected(_) => Standing::Rejects,
        Outcome::Endless(_) => Standing::Partial,
    }
}

/// Checks that the end of a path is right, or returns the reason why that is not known.
fn judged(
    entry: Entry<'_>,
    machine: &Machine<'_>,
    input: NodeId,
    end: &End,
    solver: &mut Solver,
    limits: Limits,
) -> Result<(), String> {
    let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
    meaning.is_emitted = entry.mode.is_emitter();
    let text = match &end.outcome {
        Outcome::Returned(Val::Expr(Some(result))) => {
            if end.state.node(*result).ty != Type::STMT {
                "an expression is returned".to_owned()
            } else if !end.state.emitted_undefined.is_empty() {
                "the C that is written may be undefined".to_owned()
            } else if entry.kind == Kind::Free
                && machine.frees_unused(input, &end.state)
                && meaning.does_nothing(*result)
            {
                // The class states that such a `Free` may be gone.
                return Ok(());
            } else {
                return same_effect(&mut meaning, input, *result, solver, limits);
            }
        }
        Outcome::Returned(Val::Expr(None)) => "an undefined Stmt is returned".to_owned(),
        Outcome::Returned(value) if is_unknown(value) => UNKNOWN_RESULT.to_owned(),
        Outcome::Returned(_) => "a result that is no Stmt".to_owned(),
        Outcome::Crash(what)
        | Outcome::Unsupported(what)
        | Outcome::Bounded(what)
        | Outcome::Rejected(what)
        | Outcome::Endless(what) => what.clone(),
    };
    // A path that stands for others, which may be possible.
    if matches!(&end.outcome, Outcome::Unsupported(what) if what == MANY_PATHS) {
        return Err(text);
    }
    if is_possible(&mut meaning, solver, limits) { Err(text) } else { Ok(()) }
}

/// Looks for a random statement, among `inputs` from a seed, on which the mutator has another
/// effect. Describes it; `None` if there is no such statement.
pub(crate) fn seen(entry: Entry<'_>, seed: u64, inputs: usize) -> Option<String> {
    let mut trials = Trials::new(entry, Type::STMT, I32, seed);
    let mut assumed = 0;
    for _ in 0..inputs {
        let concrete = trials.next()?;
        let kept = ran(entry, &concrete, Operands::Kept);
        let left = left_on_scopes(entry, &concrete, &kept, &[]);
        if let Some((_, _, text, _)) =
            left.or_else(|| difference(entry, &concrete, kept, &mut assumed))
        {
            return Some(format!("{text} on {}", concrete.before()));
        }
    }
    None
}

/// Runs the mutator on random statements. Returns whether it was followed on one of them: if not,
/// more of them would show nothing.
fn try_out(
    entry: Entry<'_>,
    mut trials: Trials,
    count: usize,
    findings: &mut Vec<Finding>,
) -> bool {
    let mut is_followed = false;
    let mut assumed = 0;
    for _ in 0..count {
        let Some(concrete) = trials.next() else { break };
        let kept = ran(entry, &concrete, Operands::Kept);
        is_followed = is_followed || !matches!(kept, Ran::Failed);
        let left = left_on_scopes(entry, &concrete, &kept, findings);
        for (standing, line, text, counterexample) in
            left.into_iter().chain(difference(entry, &concrete, kept, &mut assumed))
        {
            let is_known =
                findings.iter().any(|found| found.standing == standing && found.line == line);
            if !is_known {
                let counterexample = Some(counterexample);
                findings.push(Finding {
                    file: None,
                    standing,
                    line,
                    ty: String::new(),
                    text,
                    counterexample,
                });
            }
        }
    }
    is_followed
}

/// Looks for something that is left on a scope, both with operands as they are and with operands
/// that went through the class's own mutators.
fn left_on_scopes(
    entry: Entry<'_>,
    concrete: &Concrete,
    kept: &Ran,
    findings: &[Finding],
) -> Option<(Standing, usize, String, Counterexample)> {
    let Ran::Returned(after, _) = kept else { return None };
    let After { state, values, result, .. } = &**after;
    let is_new = |pushed: &Pushed| {
        let is_it =
            |found: &Finding| found.standing == Standing::Scope && found.line == pushed.line;
        !findings.iter().any(is_it)
    };
    let left = left_at_end(state).into_iter().find(is_new)?;
    let Ran::Returned(mutated, _) = ran(entry, concrete, Operands::Mutated) else { return None };
    let is_it = |other: &Pushed| other.scope == left.scope && other.line == left.line;
    if !left_at_end(&mutated.state).iter().any(is_it) {
        return None;
    }
    let after = crate::ir::show::text(state, values, *result);
    let shown = shown(entry, concrete, Some(after), &[], Given { seed: 0 }, None);
    Some((Standing::Scope, left.line, left.text(), shown))
}

/// The result of a mutator's run on a statement.
enum Ran {
    Returned(Box<After>, usize),
    Crashed(String, usize),
    Failed,
}

/// The end of a run that returned.
struct After {
    state: State,
    values: Values,
    result: NodeId,
    /// True if an entry was added to a scope with an invariant.
    has_assumed: bool,
}

fn ran(entry: Entry<'_>, concrete: &Concrete, operands: Operands) -> Ran {
    let mut machine = concrete.machine(entry);
    machine.operands = operands;
    entry.run(&mut machine, concrete.input(), concrete.state());
    if machine.has_chosen {
        return Ran::Failed;
    }
    let ends = std::mem::take(&mut machine.ends);
    for end in &ends {
        if let Outcome::Crash(what) = &end.outcome {
            let kind = concrete.loops.and_then(|kind| machine.constants.get(kind as usize));
            let kind = kind.map(|kind| format!(", where loops are of the kind {kind}"));
            return Ran::Crashed(what.clone() + &kind.unwrap_or_default(), end.line);
        }
    }
    match ends.as_slice() {
        [End { state, outcome: Outcome::Returned(Val::Expr(Some(result))), line }] => {
            let (state, result) = (state.clone(), *result);
            let has_assumed = machine.has_assumed;
            let after = After { state, values: machine.values, result, has_assumed };
            Ran::Returned(Box::new(after), *line)
        }
        [End { outcome: Outcome::Returned(Val::Expr(None)), line, .. }] => {
            Ran::Crashed("an undefined Stmt is returned".to_owned(), *line)
        }
        _ => Ran::Failed,
    }
}

/// Looks for a difference that shows both on operands as they are and on operands that went through
/// the class's own mutators.
fn difference(
    entry: Entry<'_>,
    concrete: &Concrete,
    kept: Ran,
    assumed: &mut usize,
) -> Option<(Standing, usize, String, Counterexample)> {
    match kept {
        Ran::Crashed(what, line) => match ran(entry, concrete, Operands::Mutated) {
            Ran::Crashed(other, at) if other == what && at == line => {
                let seed = Given { seed: 0 };
                let shown = shown(entry, concrete, None, &[], seed, None);
                Some((Standing::Crash, line, what, shown))
            }
            _ => None,
        },
        Ran::Returned(after, line) => {
            let After { state, values, result, has_assumed } = *after;
            // The same statement has the same effect: there is nothing to run.
            let seeds = if state.is_same(concrete.input(), result) { 0 } else { SEEDS };
            for seed in 0..seeds {
                let given = Given { seed };
                let expected = observed(entry, &state, &values, concrete.input(), given, true);
                let Some(expected) = expected else { continue };
                let got = observed(entry, &state, &values, result, given, false)?;
                if expected == got {
                    continue;
                }
                let Ran::Returned(mutated, _) = ran(entry, concrete, Operands::Mutated) else {
                    return None;
                };
                let After { state: state_too, values: values_too, result: result_too, .. } =
                    *mutated;
                let again = observed(entry, &state_too, &values_too, result_too, given, false)?;
                if again == expected {
                    continue;
                }
                let after = crate::ir::show::text(&state, &values, result);
                let text = told(&expected, &got);
                let shown = shown(
                    entry,
                    concrete,
                    Some(after),
                    &names(&expected, &got),
                    given,
                    Some((&expected, &got)),
                );
                return Some((Standing::Wrong, line, text, shown));
            }
            if !has_assumed || *assumed >= MAX_ASSUMED {
                return None;
            }
            *assumed += 1;
            by_assumption(entry, concrete, &state, &values, line)
        }
        Ran::Failed => None,
    }
}

/// Looks for a difference on operands that went through the class's own mutators, which is gone
/// where these do not see what the mutator adds to scopes with invariants.
fn by_assumption(
    entry: Entry<'_>,
    concrete: &Concrete,
    state: &State,
    values: &Values,
    line: usize,
) -> Option<(Standing, usize, String, Counterexample)> {
    let Ran::Returned(mutated, _) = ran(entry, concrete, Operands::Mutated) else { return None };
    let After { state: state_too, values: values_too, result, .. } = *mutated;
    let after = crate::ir::show::text(&state_too, &values_too, result);
    if after == crate::ir::show::text(state, values, concrete.input()) {
        return None;
    }
    for seed in 0..SEEDS {
        let given = Given { seed };
        let expected = observed(entry, state, values, concrete.input(), given, true);
        let Some(expected) = expected else { continue };
        let got = observed(entry, &state_too, &values_too, result, given, false)?;
        if expected == got {
            continue;
        }
        let Ran::Returned(apart, _) = ran(entry, concrete, Operands::Apart) else { return None };
        let After { state: state_too, values: values_too, result, .. } = *apart;
        let alone = observed(entry, &state_too, &values_too, result, given, false)?;
        if alone != expected {
            continue;
        }
        let text = format!("{}, by what is pushed on a scope", told(&expected, &got));
        let names = names(&expected, &got);
        let seen = Some((&expected, &got));
        let shown = shown(entry, concrete, Some(after), &names, given, seen);
        return Some((Standing::Wrong, line, text, shown));
    }
    None
}

/// Returns the effect of a statement that is known completely; `None` if it was not computed, or if
/// it is undefined and `must_fit`.
pub(super) fn observed(
    entry: Entry<'_>,
    state: &State,
    values: &Values,
    stmt: NodeId,
    given: Given,
    must_fit: bool,
) -> Option<Observed> {
    let mut meaning = Meaning::new(state, values, entry.profile, false);
    meaning.given = Some(given);
    let ways = meaning.ways(stmt)?;
    let [way] = ways.as_slice() else { return None };
    if way.defined.iter().any(|fact| meaning.values.as_number(*fact) != Some(1)) {
        // Undefined behaviour has no particular effect.
        return if must_fit { None } else { Some(undefined()) };
    }
    let mut happened = Vec::new();
    let mut memory: MemoryId = way.memory;
    loop {
        let event = meaning.effects.memory(memory).clone();
        let before = match &event {
            Memory::Start(_) => break,
            Memory::Store { before, .. }
            | Memory::Call { before, .. }
            | Memory::Mark { before, .. } => *before,
            Memory::Unknown { .. }
            | Memory::Loop { .. }
            | Memory::While { .. }
            | Memory::Fork { .. } => return None,
        };
        happened.push(event);
        memory = before;
    }
    let mut observed = Observed { calls: Vec::new(), memory: Vec::new(), stop: way.stop };
    let mut held: IndexMap<(u32, i128), i128> = IndexMap::default();
    let mut local: Vec<u32> = Vec::new();
    let mut taken = Taken::default();
    for event in happened.into_iter().rev() {
        match event {
            Memory::Store { buffer, index, value, .. } => {
                let number = |term| meaning.values.as_number(term);
                let (index, value) = (number(index)?, number(value)?);
                let buffer = meaning.name_id(buffer);
                if !local.contains(&buffer) {
                    held.insert((buffer, index), value);
                }
            }
            Memory::Call { callee, arguments, .. } => {
                let arguments: Option<Vec<String>> = arguments
                    .iter()
                    .map(|term| meaning.values.as_number(*term).map(|number| number.to_string()))
                    .collect();
                observed.calls.extend(taken.told());
                observed.calls.push(format!("{callee}({})", arguments?.join(", ")));
            }
            Memory::Mark { what: Kind::Acquire, values, is_end: false, .. } => {
                let [semaphore, count] = values.as_slice() else { return None };
                let number = |term: &ValueId| meaning.values.as_number(*term);
                observed.calls.extend(taken.take(number(semaphore)?, number(count)?));
            }
            Memory::Mark { name, is_end, .. } => {
                if let Some(name) = name {
                    let name = meaning.name_id(name);
                    if is_end {
                        local.retain(|known| *known != name);
                    } else {
                        local.push(name);
                    }
                }
            }
            Memory::Start(_)
            | Memory::Unknown { .. }
            | Memory::Loop { .. }
            | Memory::While { .. }
            | Memory::Fork { .. } => return None,
        }
    }
    observed.calls.extend(taken.told());
    for ((buffer, index), value) in held {
        let was = given.number(&format!("{buffer} {index}"), I32);
        if was != value {
            observed.memory.push(((buffer, index), value));
        }
    }
    observed.memory.sort_unstable();
    Some(observed)
}

/// A semaphore's number, and how much is taken of it since the last call, at once or bit by bit.
#[derive(Debug, Default)]
struct Taken(Option<(i128, i128)>);

impl Taken {
    /// Takes some more. Returns what was taken of another semaphore.
    fn take(&mut self, semaphore: i128, count: i128) -> Option<String> {
        let before = match self.0 {
            Some((known, so_far)) if known == semaphore => {
                self.0 = Some((semaphore, so_far + count));
                return None;
            }
            _ => self.told(),
        };
        self.0 = Some((semaphore, count));
        before
    }

    /// Returns what was taken, unless it is nothing, and forgets it.
    fn told(&mut self) -> Option<String> {
        let (semaphore, count) = self.0.take()?;
        (count != 0).then(|| format!("acquire({semaphore}, {count})"))
    }
}

fn undefined() -> Observed {
    Observed { calls: vec!["undefined".to_owned()], memory: Vec::new(), stop: None }
}

/// Describes the first difference.
pub(super) fn told(expected: &Observed, got: &Observed) -> String {
    let calls = expected.calls.iter().map(Some).chain(std::iter::repeat(None));
    let others = got.calls.iter().map(Some).chain(std::iter::repeat(None));
    let most = expected.calls.len().max(got.calls.len());
    for (call, other) in calls.zip(others).take(most) {
        if call != other {
            let text = |call: Option<&String>| call.map_or("nothing", String::as_str).to_owned();
            return format!("{} becomes {}", text(call), text(other));
        }
    }
    if expected.stop != got.stop {
        return "one alone ends early".to_owned();
    }
    for (place, _) in expected.memory.iter().chain(&got.memory) {
        let held = |observed: &Observed| {
            let found = observed.memory.iter().find(|(known, _)| known == place);
            found.map_or("what it was".to_owned(), |(_, value)| value.to_string())
        };
        let (first, second) = (held(expected), held(got));
        if first != second {
            let (buffer, index) = place;
            let buffer = crate::ir::show::name(*buffer);
            return format!("{buffer}[{index}] = {first} becomes {buffer}[{index}] = {second}");
        }
    }
    "other effects".to_owned()
}

/// Returns the places in memory that either effect changes.
pub(super) fn names(expected: &Observed, got: &Observed) -> Vec<(u32, i128)> {
    let mut places: Vec<(u32, i128)> =
        expected.memory.iter().chain(&got.memory).map(|(place, _)| *place).collect();
    places.sort_unstable();
    places.dedup();
    places
}

pub(super) fn shown(
    entry: Entry<'_>,
    concrete: &Concrete,
    after: Option<String>,
    places: &[(u32, i128)],
    given: Given,
    observed: Option<(&Observed, &Observed)>,
) -> Counterexample {
    let mut values = concrete.given(given);
    for (buffer, index) in places {
        let held = given.number(&format!("{buffer} {index}"), I32);
        let name = format!("{}[{index}]", crate::ir::show::name(*buffer));
        if !values.iter().any(|(known, _)| *known == name) {
            values.push((name, held.to_string()));
        }
    }
    let text = |observed: &Observed| {
        let mut parts = observed.calls.clone();
        parts.extend(observed.memory.iter().map(|((buffer, index), value)| {
            format!("{}[{index}] = {value}", crate::ir::show::name(*buffer))
        }));
        parts.extend(observed.stop.map(|stop| match stop {
            Stop::Loop => "a break".to_owned(),
            Stop::All => "a failed assert".to_owned(),
        }));
        if parts.is_empty() { "nothing".to_owned() } else { parts.join("; ") }
    };
    Counterexample {
        before: concrete.before(),
        after,
        values,
        expected: observed.map(|(expected, _)| text(expected)),
        got: observed.map(|(_, got)| text(got)),
        built: Box::new(concrete.built(entry.profile)),
        snippet: concrete.snippet(entry.profile),
    }
}
