//! A pipeline's algorithm: what to compute (FS §4), as data.

use crate::{ExprId, FuncId, VarId};

/// A pipeline. Everything it names is declared in one [`crate::Pool`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Algorithm {
    /// Its name.
    pub name: String,
    /// Scalar parameters, in order of the signature.
    pub params: Vec<VarId>,
    /// Inputs, in order of the signature.
    pub inputs: Vec<FuncId>,
    /// Every defined func, definitions before uses, outputs included.
    pub funcs: Vec<FuncId>,
    /// The outputs, in order of the signature. At least one.
    pub outputs: Vec<FuncId>,
    /// Facts about parameters and shapes that are checked at entry.
    pub requires: Vec<Require>,
    /// Whether floats may be reassociated and contracted.
    pub fast_math: bool,
}

/// A `require`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Require {
    /// `bool`, a startup expression.
    pub condition: ExprId,
    /// What is said when it does not hold.
    pub message: String,
}
