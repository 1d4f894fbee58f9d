//! Updates that change nothing.

use super::forms::split;
use super::parts::{Choice, choices};
use crate::obligation::door::Proof;
use crate::space::{FormulaId, Rename, Space, Value};

/// The most conditions that are taken apart, one within the other.
pub(super) const MOST_CASES: u32 = 3;

/// Proposes a condition under which two values are equal, and the proof: case by case for the
/// conditions that choose the first one. So `x * select(c, 2, 1)` is `x` where `c` does not hold.
pub(super) fn unchanged(
    space: &Space,
    (a, b): (Value, Value),
    cases: u32,
) -> Option<(FormulaId, Proof)> {
    let conditions = choices(space, a).into_iter().rev().filter_map(|choice| match choice {
        Choice::Condition(condition) => Some(condition),
        Choice::Least(_) => None,
    });
    let asked = Proof::Asked("no change");
    let Some(condition) = conditions.take(cases as usize).next() else {
        return Some((space.values_alike(a, b)?, asked));
    };
    let [(first, one), (second, other)] = [true, false].map(|holds| {
        let fact = if holds { condition } else { space.not(condition) };
        let mut case = Rename::new();
        case.override_formula(condition, space.truth(holds));
        let values = (case.value(space, a), case.value(space, b));
        match unchanged(space, values, cases - 1) {
            Some((same, proof)) => (space.and([fact, same]), proof),
            None => (space.truth(false), asked.clone()),
        }
    });
    let same = space.or([first, second]);
    (same != space.truth(false)).then(|| (same, split(space, condition, [one, other])))
}
