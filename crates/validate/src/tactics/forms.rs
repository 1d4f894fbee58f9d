//! Forms of a pair of values, with the replacements that lead to them.

use crate::obligation::door::{Proof, Step};
use crate::space::{FormulaId, Space, Value};

/// Rounds of replacements, and the pair of values that they lead to.
pub(super) type Form = (Vec<Vec<Step>>, (Value, Value));

/// Puts rounds of replacements before a proof. A round without replacements may still bring terms
/// into normal form.
pub(super) fn after(rounds: Vec<Vec<Step>>, proof: Proof) -> Proof {
    rounds.into_iter().rfold(proof, |proof, steps| Proof::After(steps, Box::new(proof)))
}

/// Makes the proof that takes two cases apart: the condition holds, or it does not. In each case,
/// its truth value replaces it.
pub(super) fn split(space: &Space, condition: FormulaId, cases: [Proof; 2]) -> Proof {
    let facts = [condition, space.not(condition)];
    let case = |(holds, proof)| Proof::After(vec![Step::Known(condition, holds)], Box::new(proof));
    let cases = [true, false].into_iter().zip(cases).map(case);
    Proof::Cases(facts.into_iter().zip(cases).collect())
}
