//! Validation of our own compiles.

use std::path::PathBuf;
use std::time::Duration;

use halidom_ir::{Algorithm, Pool};
use halidom_smt::{Family, FindError, Program as Solver};
use halidom_validate::Report;

use crate::compile::Compiled;

/// How to validate.
#[derive(Clone, Debug)]
pub struct Options {
    /// The solver.
    pub solver: Solver,
    /// Time for one solver query.
    pub timeout: Duration,
    /// A folder for every solver query.
    pub emit_smt: Option<PathBuf>,
}

impl Options {
    /// With the solver that is found, ten seconds a query.
    pub fn find() -> Result<Self, FindError> {
        Ok(Self {
            solver: Solver::find(Family::Z3, None)?,
            timeout: Duration::from_secs(10),
            emit_smt: None,
        })
    }
}

/// Validates a compiled program against its algorithm. Works on a copy of the pool, so that it can go on beside other uses of it.
pub fn judge(pool: &Pool, algorithm: &Algorithm, compiled: &Compiled, options: &Options) -> Report {
    let mut pool = pool.clone();
    let mut own = halidom_validate::Options::new(options.solver.clone());
    own.timeout = options.timeout;
    own.emit_smt.clone_from(&options.emit_smt);
    halidom_validate::validate_refined(
        &mut pool,
        algorithm,
        &compiled.steps,
        &compiled.program,
        &own,
    )
}
