//! The algorithm of a pipeline as data: what to compute (FS §4).

use crate::{ExprId, FuncId, Pool, VarId};

/// A pipeline. One [`crate::Pool`] declares everything that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Algorithm {
    /// The pipeline's name.
    pub name: String,
    /// Scalar parameters, in the order of the signature.
    pub params: Vec<VarId>,
    /// Inputs, in the order of the signature.
    pub inputs: Vec<FuncId>,
    /// Every defined func, definitions before uses, outputs included.
    pub funcs: Vec<FuncId>,
    /// The outputs, in the order of the signature. There is at least one.
    pub outputs: Vec<FuncId>,
    /// Facts about parameters and shapes. They are checked at entry.
    pub requires: Vec<Require>,
    /// True if floats may be reassociated and contracted.
    pub fast_math: bool,
}

impl Algorithm {
    /// Lists each component of each output, in order. A run produces one array for each.
    pub fn output_components(&self, pool: &Pool) -> Vec<(FuncId, usize)> {
        let components = |func: FuncId| (0..pool.func(func).scalars.len()).map(move |k| (func, k));
        self.outputs.iter().flat_map(|func| components(*func)).collect()
    }
}

/// A `require` clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Require {
    /// The condition: a startup expression of type `bool`.
    pub condition: ExprId,
    /// The message if the condition does not hold.
    pub message: String,
}
