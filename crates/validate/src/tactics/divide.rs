//! Proposals for goals with quotients by a number that is known only at run time.

use halidom_base::IndexSet;

use super::lemmas::Reached;
use super::settle::known;
use crate::obligation::door::{Desk, Divided};
use crate::space::{Atom, AtomId, FormulaId, PolyId, Rename, Symbol};

/// A divisor from which on divisors are not told apart.
const LARGE: i128 = 3;
/// The most quotients by one divisor that are compared. Fewer can only prove less.
const MOST_QUOTIENTS: usize = 12;

/// Proposes a divisor of a goal, and what to know of it.
pub(super) fn divided(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    goal: FormulaId,
) -> Option<Divided> {
    let divisor = divisor(desk, goal)?;
    let value = desk.space.symbol(divisor);
    let large = desk.space.constant(LARGE);
    let large = desk.space.at_most(large, value);
    let assumed = [facts, &[large]].concat();
    let formulas = [desk.entry(), facts, &[goal]].concat();
    let known = conditions_decided(desk, &assumed, &formulas);
    let mut rename = Rename::new();
    for (formula, holds) in &known {
        rename.override_formula(*formula, desk.space.truth(*holds));
    }
    let formulas = rename.formulas(desk.space, &formulas);
    let mut reached = Reached::default();
    for formula in formulas.iter().chain([&large]) {
        reached.formula(desk.space, *formula);
    }
    let quotients = reached.atoms.iter().filter(|atom| match desk.space.atom(**atom) {
        Atom::Div(_, by) => *by == value,
        Atom::Symbol(_) | Atom::Min(_) | Atom::Select(..) | Atom::Value(_) => false,
    });
    let quotients: Vec<_> = quotients.take(MOST_QUOTIENTS).copied().collect();
    let pairs = quotients.iter().flat_map(|less| {
        quotients.iter().filter(move |more| *more != less).map(move |more| (*less, *more))
    });
    Some(Divided { divisor, known, quotients: pairs.collect() })
}

/// Proposes values of quotients by numbers that are known only at run time: a dividend `n·v + r`
/// with a small `r` has the quotient `v`. Such quotients number the coordinates of fused
/// dimensions.
pub(super) fn quotients(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    goal: FormulaId,
) -> Vec<(AtomId, PolyId)> {
    let mut reached = Reached::default();
    reached.formula(desk.space, goal);
    let mut open: Vec<AtomId> = reached.atoms.iter().rev().copied().collect();
    open.retain(|atom| {
        matches!(desk.space.atom(*atom), Atom::Div(_, by) if desk.space.as_constant(*by).is_none())
    });
    let (mut rename, mut known) = (Rename::new(), Vec::new());
    if open.len() > MOST_QUOTIENTS {
        return known;
    }
    loop {
        let before = open.len();
        open.retain(|atom| {
            let Atom::Div(dividend, divisor) = *desk.space.atom(*atom) else { return false };
            let dividend = rename.poly(desk.space, dividend);
            let divisor = rename.poly(desk.space, divisor);
            let (value, rest) = desk.space.divide(dividend, divisor);
            let zero = desk.space.constant(0);
            let is_rest = desk.space.within(rest, zero, divisor);
            let found = desk.follows(facts, is_rest, "quotient");
            if found {
                rename.override_atom(*atom, value);
                known.push((*atom, value));
            }
            !found
        });
        if open.len() == before || open.is_empty() {
            return known;
        }
    }
}

/// Returns a symbol that is a divisor in a formula.
fn divisor(desk: &Desk<'_, '_>, formula: FormulaId) -> Option<Symbol> {
    let mut reached = Reached::default();
    reached.formula(desk.space, formula);
    reached.atoms.iter().find_map(|atom| match desk.space.atom(*atom) {
        Atom::Div(_, divisor) => desk.space.as_symbol(*divisor),
        Atom::Symbol(_) | Atom::Min(_) | Atom::Select(..) | Atom::Value(_) => None,
    })
}

/// Returns the truth values of the conditions of selections in formulas where the facts decide
/// them.
fn conditions_decided(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    formulas: &[FormulaId],
) -> Vec<(FormulaId, bool)> {
    let mut reached = Reached::default();
    for formula in formulas {
        reached.formula(desk.space, *formula);
    }
    let selections = reached.atoms.iter().filter_map(|atom| match desk.space.atom(*atom) {
        Atom::Select(condition, ..) => Some(*condition),
        Atom::Symbol(_) | Atom::Min(_) | Atom::Div(..) | Atom::Value(_) => None,
    });
    let conditions: IndexSet<FormulaId> = selections.collect();
    let mut decided = Vec::new();
    for condition in conditions {
        decided.extend(known(desk, facts, condition, "divisor").map(|holds| (condition, holds)));
    }
    decided
}
