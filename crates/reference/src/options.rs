//! The limits and tools of an evaluation.

use std::time::Duration;

use halidom_smt::Asking;

/// The limits and tools of an evaluation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The solvers for values that are not the same expression. The second one is asked again about
    /// every constraint that the first one shows.
    pub asking: Asking,
    /// The time limit for the whole program. It is checked before each step, so a step may overrun
    /// it.
    pub time: Duration,
    /// The limit of isl's basic operations for one step.
    pub operations: u64,
}

impl Options {
    /// The defaults: ten seconds a program, one second a question, 100,000 operations of isl a
    /// step.
    pub fn new(solver: halidom_smt::Program) -> Self {
        let asking = Asking::new(solver, Duration::from_secs(1));
        Self { asking, time: Duration::from_secs(10), operations: 100_000 }
    }
}
