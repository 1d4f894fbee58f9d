//! Judges methods of classes that give variables new names, where binders may share a name.
//!
//! # Correctness
//!
//! Proofs rest on the assumption that each binder has a name of its own, so nothing is proved of
//! a method of such a class that visits a binder. It is refuted by a run of the class on a
//! statement that is wholly known, in which nodes of the method's kind are the only binders: the
//! class begins as a new object, all methods of the class run, and the result has another effect.
//! Otherwise the method is undecided.
//!
//! What `Variable` becomes defines the new names, so its method is verified if it always returns a
//! variable of the node's type, changes no member, and is right on variables that are free.

use crate::ir::kinds::{Kind, Type};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::judge::entry::Entry;
use crate::judge::statement::{names, observed, shown, told};
use crate::judge::trial::Trials;
use crate::judge::verdict::{Examination, Finding, Standing};
use crate::machine::run::{End, Machine, Operands, Outcome};
use crate::meaning::terms::Given;

/// The number of statements on which a class is run for each method.
const TRIALS: usize = 4000;

/// The seed of the statements.
const SEED: u64 = 7;

/// The number of memory contents for each statement.
const SEEDS: u64 = 3;

/// Examines a method of a class that renames.
pub(crate) fn examine_renaming(entry: Entry<'_>) -> Examination {
    let line = entry.function.line;
    let found = |standing, text: String| Finding {
        file: None,
        standing,
        line,
        ty: String::new(),
        text,
        counterexample: None,
    };
    let mut why = None;
    if let Some(finding) = refuted(entry, &mut why) {
        return Examination::of(line, vec![finding], 0);
    }
    if let Some(why) = why {
        return Examination::of(line, vec![found(Standing::Unsupported, why)], 0);
    }
    if entry.kind != Kind::Variable {
        let text = "a class that renames was run, and no statement was found on which it is wrong";
        return Examination::of(line, vec![found(Standing::Undecided, text.to_owned())], 0);
    }
    match proved(entry) {
        Ok(count) => Examination::of(line, Vec::new(), count),
        Err(finding) => Examination::of(line, vec![*finding], 0),
    }
}

/// Looks for a statement of which the class makes one with another effect. Tells why no run was
/// followed, if none was.
fn refuted(entry: Entry<'_>, why: &mut Option<String>) -> Option<Finding> {
    let mut trials = Trials::of_binders(entry, SEED);
    let mut is_followed = false;
    for _ in 0..TRIALS {
        let concrete = trials.next()?;
        let mut machine = concrete.machine(entry);
        machine.operands = Operands::Mutated;
        entry.run_class(&mut machine, concrete.input(), concrete.state());
        let ends = std::mem::take(&mut machine.ends);
        let (state, result) = match ends.as_slice() {
            [End { state, outcome: Outcome::Returned(Val::Expr(Some(result))), .. }]
                if !machine.has_chosen =>
            {
                (state, *result)
            }
            [End { outcome: Outcome::Unsupported(what), .. }, ..] if !is_followed => {
                *why = Some(what.clone());
                continue;
            }
            _ => continue,
        };
        is_followed = true;
        *why = None;
        // The same statement has the same effect.
        let seeds = if state.is_same(concrete.input(), result) { 0 } else { SEEDS };
        for seed in 0..seeds {
            let given = Given { seed };
            let effect =
                |of, must_fit| observed(entry, state, &machine.values, of, given, must_fit);
            let Some(expected) = effect(concrete.input(), true) else { continue };
            let Some(got) = effect(result, false) else { continue };
            if expected == got {
                continue;
            }
            let after = crate::ir::show::text(state, &machine.values, result);
            let places = names(&expected, &got);
            let both = Some((&expected, &got));
            return Some(Finding {
                file: None,
                standing: Standing::Wrong,
                line: entry.function.line,
                ty: String::new(),
                text: told(&expected, &got),
                counterexample: Some(shown(entry, &concrete, Some(after), &places, given, both)),
            });
        }
    }
    None
}

/// Shows that the method always returns a variable of the node's type and changes no member.
/// Returns the number of paths.
fn proved(entry: Entry<'_>) -> Result<usize, Box<Finding>> {
    let mut count = 0;
    for element in Type::SCALARS {
        for ty in [element, element.with_vector(true)] {
            if !entry.kind.admits(ty) {
                continue;
            }
            let entry = entry.at(ty, ty);
            let mut machine = Machine::new(entry.program, entry.profile, entry.is_whole);
            let mut state = State::default();
            let input = entry.input(ty, ty, &mut machine, &mut state);
            entry.run(&mut machine, input, state);
            for End { state, outcome, line } in &machine.ends {
                let (standing, text) = match outcome {
                    Outcome::Returned(Val::Expr(Some(result))) => {
                        let is_variable =
                            state.shape(*result).is_some_and(|shape| shape.kind == Kind::Variable);
                        let is_result = |name: &str| ["expr", "stmt"].contains(&name);
                        let is_kept = state.unseen == 0
                            && state.members.iter().all(|slot| is_result(&slot.name));
                        if is_variable && state.node(*result).ty == ty && is_kept {
                            count += 1;
                            continue;
                        }
                        let text = "it does not just give a variable a new name";
                        (Standing::Undecided, text.to_owned())
                    }
                    Outcome::Returned(_) => {
                        (Standing::Undecided, "something else is returned".to_owned())
                    }
                    Outcome::Crash(what) | Outcome::Endless(what) => {
                        (Standing::Undecided, what.clone())
                    }
                    Outcome::Unsupported(what) => (Standing::Unsupported, what.clone()),
                    Outcome::Bounded(what) => (Standing::Bounded, what.clone()),
                    Outcome::Rejected(what) => (Standing::Rejects, what.clone()),
                };
                return Err(Box::new(Finding {
                    file: None,
                    standing,
                    line: *line,
                    ty: ty.to_string(),
                    text,
                    counterexample: None,
                }));
            }
        }
    }
    Ok(count)
}
