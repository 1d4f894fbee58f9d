//! What a run is asked to remember: for people who want to know where a program goes wrong.

use halidom_ir::{Algorithm, BufferId, Pool, Program, Shape, StmtId, VarId};

use super::{Fault, Options, Outcome, run_with_oracle};
use crate::Bindings;
use crate::algorithm::Evaluator;
use crate::code::Value;

/// What is looked for during a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// A store, whose executions are counted.
    pub stmt: Option<StmtId>,
    /// An element of an output, whose last write is noted: the buffer and the coordinates.
    pub element: Option<(BufferId, Vec<i64>)>,
}

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The loops around the place of the fault, outermost first, with the values of their variables; empty without a fault.
    pub loops: Vec<(VarId, i128)>,
    /// The last write to the element.
    pub last: Option<Written>,
    /// How often the store was executed.
    pub executions: u64,
}

/// A write to the element that was looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The store.
    pub stmt: StmtId,
    /// The loops around it, outermost first, with the values of their variables.
    pub loops: Vec<(VarId, i128)>,
    /// What was written; `None` is undefined.
    pub value: Value,
}

/// Like [`super::run`], or, with an algorithm, like [`super::run_checking_claims`]; also what was seen of `watch`, fault or not.
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
