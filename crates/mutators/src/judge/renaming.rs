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
//! The method that visits `Variable` is never verified alone, as the members of the class hold the
//! names that are given away. It is refuted by such a run on a statement without binders, or with
//! binders of one kind: the result has another effect, and a variable that no binder encloses has
//! another name in the result, which this method returned for it in the run.

use crate::ir::kinds::Kind;
use crate::ir::renamed::BINDERS;
use crate::ir::value::Val;
use crate::judge::entry::Entry;
use crate::judge::statement::{names, observed, shown, told};
use crate::judge::trial::Trials;
use crate::judge::verdict::{Examination, Finding, Standing};
use crate::machine::run::{End, Operands, Outcome};
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
    let is_variable = entry.kind == Kind::Variable;
    let among = BINDERS.iter().filter(|_| is_variable);
    for binder in std::iter::once(&entry.kind).chain(among) {
        if let Some(finding) = refuted(Entry { kind: *binder, ..entry }, is_variable, &mut why) {
            return Examination::of(line, vec![finding], 0);
        }
    }
    if let Some(why) = why {
        return Examination::of(line, vec![found(Standing::Unsupported, why)], 0);
    }
    let text = "a class that renames was run, and no statement was found on which it is wrong";
    Examination::of(line, vec![found(Standing::Undecided, text.to_owned())], 0)
}

/// Looks for a statement that the class turns into one with another effect, where nodes of the
/// entry's kind are the only binders. If the method visits variables, it also must have given a
/// free variable another name there. Tells why no run was followed, if none was.
fn refuted(entry: Entry<'_>, is_variable: bool, why: &mut Option<String>) -> Option<Finding> {
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
        let is_other = !state.is_same(concrete.input(), result)
            && (!is_variable || machine.renamed.is_free(state, (concrete.input(), result)));
        let seeds = if is_other { SEEDS } else { 0 };
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
