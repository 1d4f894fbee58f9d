//! Helpers shared by the tests of solvers.

#![expect(clippy::panic, reason = "a test may panic")]

use halidom_smt::{Family, Options, Program, Solver};

/// The solver that set-up installs. The tests make no sense without one.
pub(crate) fn z3() -> Program {
    Program::find(Family::Z3, None)
        .unwrap_or_else(|error| panic!("these tests need a solver: {error}"))
}

/// Default options.
pub(crate) fn options() -> Options {
    Options::new(z3())
}

/// A solver with default options.
pub(crate) fn solver() -> Solver {
    Solver::open(options()).unwrap_or_else(|error| panic!("{error}"))
}
