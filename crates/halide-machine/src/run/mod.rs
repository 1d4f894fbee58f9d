//! Runs a statement. One thread runs at a time, each as far as it comes, in an order that does not
//! change from run to run.
//!
//! The order does not matter: everything that it could change is a race, a deadlock, or refused
//! ([`crate::order`]).

mod buffers;
mod compute;
mod exec;
mod machine;
mod memory;
mod sync;
mod thread;
mod threads;

use crate::case::Case;
use crate::compile::Statement;
use crate::outcome::{Fault, Limits, Outcome, Refused, Stop};
use machine::Machine;

/// Runs a statement on a case.
pub fn run(statement: &Statement, case: &Case, limits: &Limits) -> Outcome {
    let mut machine = Machine::new(statement, limits);
    let outcome = machine.set_up(case).and_then(|()| machine.run());
    match outcome.and_then(|()| machine.finish()) {
        Ok(outcome) => outcome,
        Err(Stop::Fault(kind, words)) => Outcome::Fault(Fault { kind, at: machine.at, words }),
        Err(Stop::Ended { error, words }) => Outcome::Ended { error, words },
        Err(Stop::Refused(construct)) => Outcome::Refused(Refused { construct, at: machine.at }),
        Err(Stop::TooLong) => Outcome::TooLong,
    }
}
