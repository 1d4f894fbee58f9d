//! Sums of products of atoms, and facts about the variables in them.

use halidom_base::FxHashMap;
use halidom_ir::{ExprId, VarId};

/// A product of atoms.
pub(crate) type Product = halidom_sums::Product<ExprId>;
/// A sum of products of atoms, the normal form of `int` expressions.
pub(crate) type Sum = halidom_sums::Sum<Product>;

/// Facts about variables that hold wherever the variables are in scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Least values.
    pub(crate) lower: FxHashMap<VarId, i128>,
    /// Greatest values.
    pub(crate) upper: FxHashMap<VarId, ExprId>,
}
