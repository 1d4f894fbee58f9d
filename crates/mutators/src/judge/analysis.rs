//! Verifies analyses against the promise of their contract: the bounds that they return hold.
//!
//! An analysis that calls itself may assume its contract: an induction over the expression, in the
//! order in which mutators descend. Where it calls itself on anything that is not shown to be less
//! than what it was given, or runs mutators, which may call it again, it is verified where it ends.

use std::rc::Rc;

use halidom_cpp::Sign;
use halidom_rewrites::rules::{Decision, Fulfilment, Fun, Limits, Obligation, decide, fulfil};
use halidom_smt::Solver;

use crate::ir::kinds::Type;
use crate::ir::node::NodeId;
use crate::ir::state::{Slot, State};
use crate::ir::value::{Place, Val};
use crate::judge::entry::Entry;
use crate::judge::replay::{Computed, Concrete};
use crate::judge::verdict::{Counterexample, Examination, Finding, Standing};
use crate::machine::run::{End, Machine, Outcome, Paths};
use crate::meaning::claims::in_type_range;
use crate::meaning::terms::Meaning;

/// Examines `const_int_bounds`: if it returns true, the expression lies within the bounds that it
/// assigned.
pub(crate) fn examine_bounds(entry: Entry<'_>, solver: &mut Solver, limits: Limits) -> Examination {
    let mut findings: Vec<Finding> = Vec::new();
    let mut proved = 0;
    for element in Type::SCALARS {
        for ty in [element, element.with_vector(true)] {
            let Some(range) = ty.range().filter(|_| !ty.is_bool()) else { continue };
            let mut machine = Machine::new(entry.program, entry.profile, true);
            let mut state = State::default();
            let node = state.add(ty, None, None);
            for (state, result) in run(entry, &mut machine, node, state) {
                if let Some((line, text)) = endless(&state) {
                    let is_it =
                        |found: &Finding| found.standing == Standing::Partial && found.line == line;
                    if !findings.iter().any(is_it) {
                        let finding = undecided(Standing::Partial, text.to_owned());
                        findings.push(Finding { line, ty: ty.to_string(), ..finding });
                    }
                }
                let (holds, _) = machine.truth(&result, state, entry.function.line);
                for state in holds {
                    let at = state.at;
                    let is_known = |standing| {
                        findings.iter().any(|found| found.standing == standing && found.line == at)
                    };
                    if is_known(Standing::Contract) || is_known(Standing::Undecided) {
                        continue;
                    }
                    let Some((least, greatest)) = bounds(&state).filter(|_| state.lost.is_none())
                    else {
                        let what = "bounds that are not known are said to hold".to_owned();
                        let finding = undecided(Standing::Undecided, what);
                        findings.push(Finding { line: at, ty: ty.to_string(), ..finding });
                        continue;
                    };
                    let value = machine.node_value(node, &state);
                    let value = machine.host_number(value, range, true);
                    let above = machine.comparison(Sign::Le, least.term, value.term);
                    let below = machine.comparison(Sign::Le, value.term, greatest.term);
                    let within = machine.values.apply(Fun::And, &[above, below]);
                    match decided(entry, &machine, node, &state, within, solver, limits) {
                        Ok(()) => proved += 1,
                        Err(finding) => {
                            findings.push(Finding { line: at, ty: ty.to_string(), ..finding });
                        }
                    }
                }
            }
            let ends = std::mem::take(&mut machine.ends);
            for end in &ends {
                let is_known = |findings: &[Finding], standing| {
                    findings
                        .iter()
                        .any(|found| found.standing == standing && found.line == end.line)
                };
                if [Standing::Crash, Standing::Undecided, Standing::Unsupported]
                    .into_iter()
                    .any(|standing| is_known(&findings, standing))
                {
                    continue;
                }
                let finding = match &end.outcome {
                    Outcome::Crash(what) => match crash(entry, &machine, node, end, solver, limits)
                    {
                        Some(finding) => {
                            Finding { text: format!("{what}{}", finding.text), ..finding }
                        }
                        None => {
                            proved += 1;
                            continue;
                        }
                    },
                    Outcome::Unsupported(what) => undecided(Standing::Unsupported, what.clone()),
                    Outcome::Bounded(what) => undecided(Standing::Bounded, what.clone()),
                    Outcome::Rejected(what) => undecided(Standing::Rejects, what.clone()),
                    Outcome::Endless(what) => undecided(Standing::Partial, what.clone()),
                    Outcome::Returned(_) => continue,
                };
                findings.push(Finding { line: end.line, ty: ty.to_string(), ..finding });
            }
        }
    }
    Examination::of(entry.function.line, findings, proved)
}

/// Runs the analysis on a node. The values that it assigns are in the outermost frame.
fn run<'p>(entry: Entry<'p>, machine: &mut Machine<'p>, node: NodeId, state: State) -> Paths<Val> {
    let mut state = state;
    machine.class.clone_from(&entry.function.class);
    machine.is_analysis = true;
    let slot =
        |name: &str| Slot { name: name.to_owned(), ty: "int64_t".to_owned(), value: Val::Unknown };
    state.frames.push(Rc::new(vec![slot("least"), slot("greatest")]));
    let arguments = vec![
        Val::Expr(Some(node)),
        Val::Address(Place::Local(0, 0)),
        Val::Address(Place::Local(0, 1)),
    ];
    machine.call(entry.function, arguments, state)
}

/// Returns the line of a path for which the analysis is not shown to end, with the reason.
fn endless(state: &State) -> Option<(usize, &'static str)> {
    if let Some(line) = state.unfounded {
        return Some((line, "it may not end: what it analyses here may be as large as its input"));
    }
    let line = state.relying?;
    Some((line, "it may not end: it analyses what `mutate` returned"))
}

fn undecided(standing: Standing, text: String) -> Finding {
    Finding { file: None, standing, line: 0, ty: String::new(), text, counterexample: None }
}

/// Examines a path that ends the compiler: if the path is possible, it is a crash if a run of the
/// analysis confirms it.
fn crash(
    entry: Entry<'_>,
    machine: &Machine<'_>,
    node: NodeId,
    end: &End,
    solver: &mut Solver,
    limits: Limits,
) -> Option<Finding> {
    let mut meaning = Meaning::new(&end.state, &machine.values, entry.profile, false);
    let _ = meaning.node(node);
    let mut facts = meaning.facts();
    // Bounds of operands are assumed to be within the operands' types, as the tightest bounds are.
    for (operand, least, greatest) in &end.state.bounded {
        if let Some((low, high)) = end.state.node(*operand).ty.range() {
            for bound in [least, greatest] {
                let bound = meaning.term(*bound);
                facts.extend(meaning.between(bound, low, high));
            }
        }
    }
    facts.extend(in_type_range(&mut meaning, &end.state));
    let (always, narrow) = meaning.lane_facts();
    facts.extend(always.into_iter().chain(narrow));
    match fulfil(&meaning.values, &facts, solver, limits) {
        Fulfilment::None => None,
        Fulfilment::Unknown(reason) => Some(undecided(Standing::Undecided, format!(": {reason}"))),
        Fulfilment::By(assignment) => {
            let concrete = Concrete::build(&end.state, node, &mut meaning, &assignment, false);
            let Some(concrete) = concrete else {
                let text = ": no IR was found that leads there".to_owned();
                return Some(undecided(Standing::Undecided, text));
            };
            let mut machine = concrete.machine(entry);
            let _ = run(entry, &mut machine, concrete.input(), concrete.state());
            let is_confirmed =
                machine.ends.iter().any(|end| matches!(end.outcome, Outcome::Crash(_)));
            let standing = if is_confirmed { Standing::Crash } else { Standing::Undecided };
            let shown = concrete.counterexample(entry.profile);
            let counterexample = is_confirmed.then_some(shown);
            let text = if is_confirmed {
                String::new()
            } else {
                format!(": not confirmed on {}", concrete.before())
            };
            Some(Finding { counterexample, ..undecided(standing, text) })
        }
    }
}

fn bounds(state: &State) -> Option<(crate::ir::value::Num, crate::ir::value::Num)> {
    match state.frames.first().map(|frame| frame.as_slice()) {
        Some([Slot { value: Val::Int(least), .. }, Slot { value: Val::Int(greatest), .. }]) => {
            Some((*least, *greatest))
        }
        _ => None,
    }
}

fn decided(
    entry: Entry<'_>,
    machine: &Machine<'_>,
    node: NodeId,
    state: &State,
    within: halidom_rewrites::rules::ValueId,
    solver: &mut Solver,
    limits: Limits,
) -> Result<(), Finding> {
    let mut meaning = Meaning::new(state, &machine.values, entry.profile, false);
    let _ = meaning.node(node);
    let lhs_defined = std::mem::take(&mut meaning.defined);
    let lhs = meaning.term(within);
    let mut facts = meaning.facts();
    facts.extend(meaning.no_overflow());
    let (always, tried) = meaning.lane_facts();
    facts.extend(always);
    let truth = meaning.values.bool(true);
    let claim = Obligation {
        values: meaning.values.clone(),
        lhs,
        rhs: truth,
        facts,
        narrow_facts: Vec::new(),
        tried,
        lhs_defined,
        rhs_defined: Vec::new(),
        is_wide: true,
    };
    let undecided = |text: String| undecided(Standing::Undecided, text);
    let assignment = match decide(&claim, solver, limits) {
        Decision::Proved | Decision::Vacuous => return Ok(()),
        Decision::Unknown(reason) => return Err(undecided(reason)),
        Decision::Wrong(assignment) => assignment,
    };
    let concrete = Concrete::build(state, node, &mut meaning, &assignment, false)
        .ok_or_else(|| undecided("no IR was found on which it fails".to_owned()))?;
    match concrete.analysed(entry, |machine, node, state| run(entry, machine, node, state)) {
        Some((Computed::Number(value), least, greatest))
            if value.numerator < least || greatest < value.numerator =>
        {
            let shown = Counterexample {
                expected: Some(value.to_string()),
                got: Some(format!("within {least} and {greatest}")),
                ..concrete.counterexample(entry.profile)
            };
            Err(Finding {
                standing: Standing::Contract,
                text: format!("{value} is not within {least} and {greatest}"),
                counterexample: Some(shown),
                ..undecided(String::new())
            })
        }
        _ => Err(undecided(format!("not confirmed on {}", concrete.before()))),
    }
}

impl Concrete {
    /// Returns the value of the expression and the bounds that the analysis gives for it; `None` if
    /// it gives no bounds.
    fn analysed<'p>(
        &self,
        entry: Entry<'p>,
        run: impl Fn(&mut Machine<'p>, NodeId, State) -> Paths<Val>,
    ) -> Option<(Computed, i128, i128)> {
        let mut machine = self.machine(entry);
        let paths = run(&mut machine, self.input(), self.state());
        let [(state, Val::Bool(found))] = paths.as_slice() else { return None };
        if machine.values.as_number(*found) != Some(1) {
            return None;
        }
        let (least, greatest) = bounds(state)?;
        let number = |num: crate::ir::value::Num| machine.values.as_number(num.term);
        let value = self.value_of(state, &machine.values, self.input(), entry.profile, false);
        Some((value, number(least)?, number(greatest)?))
    }
}
