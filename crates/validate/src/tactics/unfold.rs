//! Values with known selections and definitions put in.

use halidom_base::{FxHashMap, FxHashSet, IndexSet};
use halidom_ir::FuncId;

use super::forms::Form;
use super::parts::poly_atoms;
use super::settle::known;
use crate::obligation::door::{Desk, Step};
use crate::space::{Atom, FormulaId, PolyId, Rename, Space, Term, TermId, Value, Version};

/// The most rounds. The next round handles funcs that the definitions of the last one read.
const MOST_ROUNDS: usize = 8;
/// The most reads that a round unfolds. Each level of a pyramid reads several elements of the level
/// below, so the number grows by a factor each round; a large stencil has some hundred.
const MOST_READS: usize = 512;

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
        let [of_stored, of_specified] = [stored, specified].map(|side| {
            let mut found = Found::default();
            find(desk.space, side, &mut found);
            found
        });
        let (mut rename, mut steps) = (Rename::new(), Vec::new());
        for condition in of_stored.conditions.union(&of_specified.conditions) {
            if let Some(holds) = known(desk, facts, *condition, "choice") {
                rename.override_formula(*condition, desk.space.truth(holds));
                steps.push(Step::Known(*condition, holds));
            }
        }
        for (read, meaning) in meanings(desk, &of_stored.reads, &of_specified.reads) {
            rename.means(read, meaning);
            steps.push(Step::Unfold(read));
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

/// Returns the reads that a round unfolds, with their definitions: reads of funcs that only one of
/// the two values reads, or, if none of these has a definition or they are too many, of funcs that
/// both read.
fn meanings(
    desk: &mut Desk<'_, '_>,
    a: &IndexSet<TermId>,
    b: &IndexSet<TermId>,
) -> Vec<(TermId, TermId)> {
    let [of_a, of_b] = [a, b].map(|reads| -> FxHashSet<FuncId> {
        reads.iter().filter_map(|read| func_of(desk.space, *read)).collect()
    });
    // Inputs, and funcs with updates, have no definition.
    let mut defined: FxHashMap<FuncId, bool> = FxHashMap::default();
    let mut reads: Vec<TermId> = a.union(b).copied().collect();
    reads.retain(|read| {
        func_of(desk.space, *read).is_some_and(|func| {
            *defined.entry(func).or_insert_with(|| desk.definition(*read).is_some())
        })
    });
    let (shared, alone): (Vec<TermId>, Vec<TermId>) = reads.into_iter().partition(|read| {
        func_of(desk.space, *read).is_some_and(|func| of_a.contains(&func) && of_b.contains(&func))
    });
    for reads in [alone, shared] {
        if reads.len() > MOST_READS {
            continue;
        }
        let meaning = |read: TermId| Some((read, desk.definition(read)?));
        let meanings: Vec<_> = reads.into_iter().filter_map(meaning).collect();
        if !meanings.is_empty() {
            return meanings;
        }
    }
    Vec::new()
}

fn func_of(space: &Space, read: TermId) -> Option<FuncId> {
    if let Term::Read { func, .. } = space.term(read) { Some(*func) } else { None }
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
