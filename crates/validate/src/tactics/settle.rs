//! Proofs that values are equal because of the place where they are computed.
//!
//! In the steady part of a loop a clamp has no effect, and under the condition of a boundary the
//! clamp behind it has none either. The program leaves the clamp out, but the specification has it.
//! The solver cannot handle products and sums of many such values as they stand. Without the minima
//! they have one normal form.

use halidom_base::IndexSet;

use super::forms::{after, split};
use super::parts::{Choice, choices, depends_on_data};
use super::shifted::same_reads;
use crate::obligation::door::{Desk, Proof, Step};
use crate::space::{Atom, Formula, FormulaId, Part, PolyId, Rename, Space, Symbol, Value};

/// The most choices that occur in only one of the two values. Values with more are not tried.
const MOST_CHOICES: usize = 96;
/// The least number of choices that are examined together, and how often these are halved.
const FEW: usize = 4;
const MOST_HALVES: u32 = 3;
/// The depth of nested case splits on open conditions.
pub(super) const MOST_SPLITS: u32 = 3;

/// Finds a proof that makes the choices of two values.
pub(super) fn settled(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    (a, b): (Value, Value),
    splits: u32,
) -> Option<Proof> {
    let (of_a, of_b) = (choices(desk.space, a), choices(desk.space, b));
    let differ = of_a.symmetric_difference(&of_b).count();
    if differ == 0 || differ > MOST_CHOICES {
        return None;
    }
    let (mut rename, mut steps) = (Rename::new(), Vec::new());
    let by_data = facts.iter().any(|fact| depends_on_data(desk.space, *fact));
    let mut differ: Vec<Choice> = of_a.symmetric_difference(&of_b).copied().collect();
    differ.retain(|choice| by_data || !is_open(desk.space, *choice));
    scatter(desk, facts, &differ);
    for choice in differ {
        steps.extend(made(desk, choice, facts, &mut rename));
    }
    let (a, b) = (rename.value(desk.space, a), rename.value(desk.space, b));
    let (mut rename, mut same) = (Rename::new(), Vec::new());
    for (read, other) in same_reads(desk.space, a, b) {
        rename.means(read, other);
        same.push(Step::SameValue(read, other));
    }
    let (a, b) = (rename.value(desk.space, a), rename.value(desk.space, b));
    let after = |proof| after(vec![steps, same], proof);
    let alike = desk.space.values_alike(a, b)?;
    if desk.follows(facts, alike, "settled value") {
        return Some(after(Proof::Asked("settled value")));
    }
    if splits == 0 {
        return None;
    }
    let open = choices(desk.space, a).into_iter().chain(choices(desk.space, b));
    let mut conditions = open.filter_map(|choice| match choice {
        Choice::Condition(condition) => Some(condition),
        Choice::Least(_) => None,
    });
    let condition = conditions.find(|condition| !depends_on_data(desk.space, *condition));
    let condition = condition.or_else(|| of_least(desk, (a, b)))?;
    let mut case = |holds| {
        let truth = desk.space.truth(holds);
        let fact = if holds { condition } else { desk.space.not(condition) };
        let mut case = Rename::new();
        case.override_formula(condition, truth);
        let (a, b) = (case.value(desk.space, a), case.value(desk.space, b));
        let facts = [facts, &[fact]].concat();
        let same = Some(Proof::Asked("settled value"));
        if a == b { same } else { settled(desk, &facts, (a, b), splits - 1) }
    };
    let cases = [case(true)?, case(false)?];
    Some(after(split(desk.space, condition, cases)))
}

/// Tests whether a choice among machine values is open, by the intervals of these alone. Facts that
/// mention no machine values do not decide it either.
fn is_open(space: &Space, choice: Choice) -> bool {
    match choice {
        Choice::Least(atom) => {
            let Atom::Min(operands) = space.atom(atom) else { return false };
            let sides = operands.iter().map(|operand| space.static_range(*operand, 0));
            let Some(sides) = sides.collect::<Option<Vec<_>>>() else { return false };
            !sides.iter().enumerate().any(|(number, (_, high))| {
                let mut others = sides.iter().enumerate().filter(|(other, _)| *other != number);
                others.all(|(_, (low, _))| high <= low)
            })
        }
        Choice::Condition(condition) => {
            let Formula::NonNegative(poly) = space.formula(condition) else { return false };
            space.static_range(*poly, 0).is_some_and(|(low, high)| low < 0 && high >= 0)
        }
    }
}

/// Returns a condition that decides a minimum of two integers in only one of the two values.
fn of_least(desk: &mut Desk<'_, '_>, (a, b): (Value, Value)) -> Option<FormulaId> {
    choices(desk.space, a).symmetric_difference(&choices(desk.space, b)).find_map(|choice| {
        let Choice::Least(atom) = *choice else { return None };
        let Atom::Min(operands) = desk.space.atom(atom).clone() else { return None };
        let [first, second] = *operands else { return None };
        let condition = desk.space.at_most(first, second);
        (!depends_on_data(desk.space, condition)).then_some(condition)
    })
}

/// Returns the choices in integers that the facts decide, and that depend on none of `free`.
pub(super) fn decided(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    integers: &[PolyId],
    free: &[Symbol],
) -> Rename {
    let found: IndexSet<Choice> =
        integers.iter().flat_map(|integer| choices(desk.space, Value::Int(*integer))).collect();
    let mut rename = Rename::new();
    // Inner choices come first.
    let mut found: Vec<Choice> = found.into_iter().rev().take(MOST_CHOICES).collect();
    found.retain(|choice| {
        let symbols = match *choice {
            Choice::Least(atom) => desk.space.symbols_of(Part::Atom(atom)),
            Choice::Condition(condition) => desk.space.symbols_of(condition),
        };
        !symbols.iter().any(|symbol| free.contains(symbol))
    });
    scatter(desk, facts, &found);
    for choice in found {
        made(desk, choice, facts, &mut rename);
    }
    rename
}

/// Looks for samples at which many choices go one way, and for some at which they go the other. At
/// such samples, the guesses that facts decide these choices are seen to be wrong, without a
/// question for each.
fn scatter(desk: &mut Desk<'_, '_>, facts: &[FormulaId], choices: &[Choice]) {
    for holds in [true, false] {
        let mut wanted = Vec::new();
        for choice in choices {
            let condition = match *choice {
                Choice::Condition(condition) => condition,
                Choice::Least(atom) => {
                    let Atom::Min(operands) = desk.space.atom(atom).clone() else { continue };
                    let [first, second] = *operands else { continue };
                    desk.space.at_most(first, second)
                }
            };
            let condition = if holds { condition } else { desk.space.not(condition) };
            if !desk.is_sampled(&[desk.entry(), facts, &[condition]].concat()) {
                wanted.push(condition);
            }
        }
        together(desk, facts, &wanted, MOST_HALVES);
    }
}

/// Looks for samples at which all formulas hold, or else for samples of either half.
fn together(desk: &mut Desk<'_, '_>, facts: &[FormulaId], wanted: &[FormulaId], halves: u32) {
    if wanted.len() < FEW {
        return;
    }
    let all = desk.space.and(wanted);
    let formulas = [desk.entry(), facts, &[all]].concat();
    desk.contradict(&formulas, "choices");
    if halves > 0 && !desk.is_sampled(&formulas) {
        let (first, second) = wanted.split_at(wanted.len() / 2);
        together(desk, facts, first, halves - 1);
        together(desk, facts, second, halves - 1);
    }
}

/// Makes a choice if the facts decide it.
fn made(
    desk: &mut Desk<'_, '_>,
    choice: Choice,
    facts: &[FormulaId],
    rename: &mut Rename,
) -> Option<Step> {
    match choice {
        Choice::Least(atom) => {
            let Atom::Min(operands) = desk.space.atom(atom).clone() else { return None };
            let operands = rename.polys(desk.space, &operands);
            for (number, operand) in operands.iter().enumerate() {
                let others: Vec<FormulaId> =
                    operands.iter().map(|other| desk.space.at_most(*operand, *other)).collect();
                let least = desk.space.and(others);
                if desk.follows(facts, least, "choice") {
                    rename.override_atom(atom, *operand);
                    return Some(Step::Least(atom, number));
                }
            }
            None
        }
        Choice::Condition(condition) => {
            let settled = rename.formula(desk.space, condition);
            if matches!(desk.space.formula(settled), Formula::True | Formula::False) {
                return None;
            }
            let holds = known(desk, facts, settled, "choice")?;
            rename.override_formula(condition, desk.space.truth(holds));
            Some(Step::Known(condition, holds))
        }
    }
}

/// Returns the truth value of a formula if the facts decide it.
pub(super) fn known(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    formula: FormulaId,
    label: &str,
) -> Option<bool> {
    if desk.follows(facts, formula, label) {
        return Some(true);
    }
    desk.follows(facts, desk.space.not(formula), label).then_some(false)
}
