//! Sums of products of integers that are at least 0.

use crate::obligation::natural::Natural;
use crate::space::PolyId;

/// A product with a coefficient that is at least 0.
pub(super) type Part = (i128, Vec<Factor>);

/// An integer that is at least 0.
#[derive(Clone)]
pub(super) enum Factor {
    /// The integer that one step shows.
    Leaf(PolyId, Natural),
    /// A sum of products of natural symbols with coefficients at least 0.
    Terms(PolyId),
    /// `bound - of` of a node.
    Over(usize),
}
