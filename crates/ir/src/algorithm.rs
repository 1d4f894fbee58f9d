//! A pipeline's algorithm: what to compute (FS §4), as data.

use crate::{ExprId, FuncId, Pool, VarId};

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

impl Algorithm {
    /// Each component of each output, in order: what a run leaves is one array for each.
    pub fn output_components(&self, pool: &Pool) -> Vec<(FuncId, usize)> {
        let components = |func: FuncId| (0..pool.func(func).scalars.len()).map(move |k| (func, k));
        self.outputs.iter().flat_map(|func| components(*func)).collect()
    }
}

/// A `require`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Require {
    /// `bool`, a startup expression.
    pub condition: ExprId,
    /// What is said when it does not hold.
    pub message: String,
}
