//! Forms of a pair of values, with the replacements that lead to them.

use crate::obligation::door::{Equality, Step};
use crate::space::Value;

/// Rounds of replacements, and the pair of values that they lead to.
pub(super) type Form = (Vec<Vec<Step>>, (Value, Value));

/// Puts rounds of replacements before a proof. A round without replacements may still bring terms
/// into normal form.
pub(super) fn after(rounds: Vec<Vec<Step>>, proof: Equality) -> Equality {
    rounds.into_iter().rfold(proof, |proof, steps| Equality::After(steps, Box::new(proof)))
}
