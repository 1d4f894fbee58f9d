//! Bounded products of two shapes, with their proofs.

use crate::obligation::natural::Natural;
use crate::space::{FormulaId, PolyId};

/// A bounded product of two shapes: `first·second <= most`, both at least 0.
pub(super) struct Limit {
    pub(super) first: PolyId,
    pub(super) second: PolyId,
    pub(super) most: i128,
    /// The greatest values of the two shapes.
    pub(super) greatest: [i128; 2],
    /// The facts under which it holds.
    pub(super) facts: Vec<FormulaId>,
    /// Steps that show all of it, in terms of offsets.
    pub(super) steps: Vec<Natural>,
}

impl Limit {
    /// The same limit with its shapes exchanged.
    pub(super) fn swapped(&self) -> Self {
        let (first, second, most) = (self.second, self.first, self.most);
        let [a, b] = self.greatest;
        let (facts, steps) = (self.facts.clone(), self.steps.clone());
        Self { first, second, most, greatest: [b, a], facts, steps }
    }
}
