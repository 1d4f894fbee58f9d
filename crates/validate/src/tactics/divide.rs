//! Proposals for goals with quotients by a number that is known only at run time.

use halidom_base::IndexSet;

use super::lemmas::Reached;
use super::settle::known;
use crate::obligation::door::{Desk, Divided};
use crate::space::{Atom, FormulaId, Symbol};

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
    let mut rename = crate::space::Rename::new();
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
