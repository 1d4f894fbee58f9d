//! Traces of a run, for users who want to know where a program goes wrong.

use halidom_ir::{Algorithm, BufferId, Pool, Program, Shape, StmtId, VarId};

use super::{Fault, Options, Outcome, run_with_oracle};
use crate::Bindings;
use crate::algorithm::Evaluator;
use crate::code::Value;

/// The things to watch during a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// A store whose executions are counted.
    pub stmt: Option<StmtId>,
    /// An element of an output whose last write is recorded: the buffer and the coordinates.
    pub element: Option<(BufferId, Vec<i64>)>,
}

/// The observations of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The loops around the place of the fault, outermost first, with the values of their
    /// variables. Vectorized loops are not listed. Empty without a fault.
    pub loops: Vec<(VarId, i128)>,
    /// The last write to the element.
    pub last: Option<Written>,
    /// The number of executions of the store.
    pub executions: u64,
}

/// A write to the watched element.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The store.
    pub stmt: StmtId,
    /// The loops around the store, outermost first, with the values of their variables. Vectorized
    /// loops are not listed.
    pub loops: Vec<(VarId, i128)>,
    /// The written value. `None` is undefined.
    pub value: Value,
}

/// Runs a program like [`super::run`] or, with an algorithm, like [`super::run_checking_claims`].
/// Also returns the observations of `watch`, with or without a fault.
pub fn run_watched(
    pool: &Pool,
    program: &Program,
    algorithm: Option<&Algorithm>,
    (bindings, windows): (&Bindings, &[Shape]),
    options: &Options,
    watch: &Watch,
) -> (Result<Outcome, Fault>, Trace) {
    let mut trace = Trace::default();
    let oracle = algorithm
        .map(|algorithm| Evaluator::with_instances(pool, algorithm, bindings))
        .transpose()
        .map_err(|error| Fault::from(Box::new(error)));
    let result = oracle.and_then(|oracle| {
        let watched = Some((watch, &mut trace));
        run_with_oracle(pool, program, (bindings, windows), options, oracle, watched)
    });
    (result, trace)
}
