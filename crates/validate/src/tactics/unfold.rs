//! Values with known selections and definitions put in.

use halidom_base::{FxHashSet, IndexSet};

use super::forms::Form;
use super::parts::poly_atoms;
use super::settle::known;
use crate::obligation::door::{Desk, Step};
use crate::space::{Atom, FormulaId, PolyId, Rename, Space, Term, TermId, Value, Version};

/// The most rounds. The next round handles funcs that the definitions of the last one read.
const MOST_ROUNDS: usize = 8;

/// The conditions of selections, and the final values of funcs, in a value.
#[derive(Default)]
struct Found {
    seen: FxHashSet<TermId>,
    polys: FxHashSet<PolyId>,
    conditions: IndexSet<FormulaId>,
    reads: IndexSet<TermId>,
}

/// Decides selections and unfolds funcs in both values. Returns the replacements of each round and
/// the results, or `None` if nothing changes.
pub(super) fn unfolded(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    (stored, specified): (Value, Value),
) -> Option<Form> {
    let (Value::Number(mut stored), Value::Number(mut specified)) = (stored, specified) else {
        return None;
    };
    let mut rounds = Vec::new();
    for _ in 0..MOST_ROUNDS {
        let mut found = Found::default();
        for side in [stored, specified] {
            find(desk.space, side, &mut found);
        }
        let (mut rename, mut steps) = (Rename::new(), Vec::new());
        for condition in found.conditions {
            if let Some(holds) = known(desk, facts, condition, "choice") {
                rename.override_formula(condition, desk.space.truth(holds));
                steps.push(Step::Known(condition, holds));
            }
        }
        for read in found.reads {
            if let Some(meaning) = desk.definition(read) {
                rename.means(read, meaning);
                steps.push(Step::Unfold(read));
            }
        }
        let sides = (rename.term(desk.space, stored), rename.term(desk.space, specified));
        if sides == (stored, specified) {
            break;
        }
        (stored, specified) = sides;
        rounds.push(steps);
    }
    (!rounds.is_empty()).then_some((rounds, (Value::Number(stored), Value::Number(specified))))
}

fn find(space: &Space, term: TermId, found: &mut Found) {
    if !found.seen.insert(term) {
        return;
    }
    match space.term(term) {
        Term::Constant(_) | Term::Truth(_) | Term::Parameter(..) => {}
        Term::Ring(_, poly) | Term::FromInt(_, poly) => find_in(space, *poly, found),
        Term::Read { version, .. } => {
            if *version == Version::Final {
                found.reads.insert(term);
            }
        }
        Term::Unary(_, operand) | Term::Cast(_, operand) | Term::Call(_, operand) => {
            find(space, *operand, found);
        }
        Term::Apply { args, .. } => args.iter().for_each(|arg| find(space, *arg, found)),
        Term::Binary(_, a, b) => {
            find(space, *a, found);
            find(space, *b, found);
        }
        Term::Select(condition, a, b) => {
            found.conditions.insert(*condition);
            find(space, *a, found);
            find(space, *b, found);
        }
    }
}

fn find_in(space: &Space, poly: PolyId, found: &mut Found) {
    if !found.polys.insert(poly) {
        return;
    }
    for atom in poly_atoms(space, poly) {
        match space.atom(atom) {
            Atom::Symbol(_) => {}
            Atom::Min(operands) => {
                operands.iter().for_each(|operand| find_in(space, *operand, found));
            }
            Atom::Div(a, b) => {
                find_in(space, *a, found);
                find_in(space, *b, found);
            }
            Atom::Select(condition, a, b) => {
                found.conditions.insert(*condition);
                find_in(space, *a, found);
                find_in(space, *b, found);
            }
            Atom::Value(term) => find(space, *term, found),
        }
    }
}
