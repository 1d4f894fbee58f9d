//! Runs of steps within one part of the program. Their lemmas state only that part, under the
//! binders around it, and one more lemma carries them to the whole program. So the certificate of a
//! long derivation of a large program does not repeat the program for each step.

use std::fmt::Write as _;

use super::scope::Scope;
use super::steps;
use crate::engine::{Path, State, Step, part};
use crate::term::{Term, size};

/// A part is stated alone if the program is at least this many times as large.
const SMALLER: usize = 3;

/// Steps one after the other, and a path to a part that contains all of their places.
struct Run {
    first: usize,
    end: usize,
    path: Path,
}

/// The definitions of the programs between the runs, and the lemmas.
#[derive(Default)]
pub(super) struct Written {
    pub(super) definitions: String,
    pub(super) lemmas: String,
    /// The proof that the first program equals the last.
    pub(super) chain: String,
}

/// Divides steps into runs.
fn runs(first: &Term, steps: &[Step]) -> Vec<Run> {
    let mut all = Vec::new();
    let mut before = first;
    let mut number = 0;
    while let Some(step) = steps.get(number) {
        let whole = size(before);
        let mut run = Run { first: number, end: number + 1, path: step.path.clone() };
        while let Some(next) = steps.get(run.end) {
            let common = run.path.iter().zip(&next.path).take_while(|(a, b)| a == b).count();
            if common == 0 || size(&part(before, &run.path[..common])) * SMALLER > whole {
                break;
            }
            run.path.truncate(common);
            run.end += 1;
        }
        before = &steps[run.end - 1].after;
        number = run.end;
        all.push(run);
    }
    all
}

/// Writes the steps from a program to the last one.
pub(super) fn write(scope: &mut Scope<'_>, first: &Term, state: &State<'_>, rank: &str) -> Written {
    let steps = &state.steps;
    let rules = &state.engine.rules;
    let count = steps.len();
    let name = |number: usize| match number {
        0 => "source".to_owned(),
        _ if number == count => "final".to_owned(),
        _ => format!("p{number}"),
    };
    let mut written = Written::default();
    let mut proofs = Vec::new();
    let mut before = first;
    for run in runs(first, steps) {
        let Some(last) = steps[..run.end].last() else { continue };
        let (from, to) = (name(run.first), name(run.end));
        let after = scope.writer.term(&last.after);
        let _ = writeln!(written.definitions, "Definition {to} : T K {rank} := {after}.");
        if run.end == run.first + 1 {
            let proof = steps::step(scope, rules, before, last);
            let _ = writeln!(
                written.lemmas,
                "Lemma s{0} : {from} = {to}.\nProof. exact {proof}. Qed.",
                run.end
            );
            proofs.push(format!("s{}", run.end));
        } else {
            let mark = scope.mark();
            let (start, end) = steps::descend(scope, before, &run.path);
            let (binders, names) = scope.local();
            let forall = if binders.is_empty() { "" } else { " forall" };
            let comma = if binders.is_empty() { "" } else { "," };
            let mut local = Vec::new();
            let mut here = part(before, &run.path);
            for (number, step) in (run.first + 1..).zip(&steps[run.first..run.end]) {
                let place = &step.path[run.path.len()..];
                let proof = steps::congruence(scope, rules, &here, place, &step.reason);
                let next = part(&step.after, &run.path);
                let (left, right) = (scope.writer.term(&here), scope.writer.term(&next));
                let _ = writeln!(
                    written.lemmas,
                    "Lemma s{number} :{forall}{binders}{comma} {left} = {right}.\n\
                     Proof. intros{names}. exact {proof}. Qed."
                );
                local.push(format!("(s{number}{names})"));
                here = next;
            }
            scope.leave(mark);
            let _ = writeln!(
                written.lemmas,
                "Lemma r{} : {from} = {to}.\nProof. exact {start}{}{end}. Qed.",
                run.end,
                chained(&local)
            );
            proofs.push(format!("r{}", run.end));
        }
        before = &last.after;
    }
    written.chain = chained(&proofs);
    written
}

/// The composition of equations.
fn chained(proofs: &[String]) -> String {
    let Some((last, before)) = proofs.split_last() else { return "eq_refl".to_owned() };
    before.iter().rev().fold(last.clone(), |chain, proof| format!("(eq_trans {proof} {chain})"))
}
