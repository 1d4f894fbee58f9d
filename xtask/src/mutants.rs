//! `cargo xtask mutants`: programs with one defect each, of all examples, and what the validator says of them.

use crate::error::Error;
use crate::process::{self, cargo};
use crate::setup;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "mutants",
    summary: "changes all examples in 3,000 places and prints what the validator says: no wrong program is proved",
    help: "\
Installs what is missing and runs the test `mutants` of halidom-driver on every example under every
schedule, with small factors: final programs, structured programs before they are lowered, specifications
and annotations, each changed in one place. Each mutant is run on two hundred inputs and validated. Prints
each mutant that is not refuted, a table by kind of mutant, why mutants are proved or unknown, and which
kinds of obligations alone keep mutants from being proved. Fails if a mutant is proved that a run shows to
be wrong, if annotations can be found that prove one, or if fewer than nine in ten of those that a run
shows to be wrong are refuted. Takes most of an hour on two cores.

HALIDOM_MUTANTS=N makes N mutants instead, HALIDOM_MUTANTS_OF=TEXT those of examples with TEXT in their
name, HALIDOM_TEST_DETAILS=1 prints the open obligations.

example: cargo xtask mutants
example: HALIDOM_MUTANTS=100 HALIDOM_MUTANTS_OF=table1/blur cargo xtask mutants",
    run,
    options: &[],
};

/// Mutants of all examples together.
const MUTANTS: &str = "3000";
/// Tells the test how many.
const VARIABLE: &str = "HALIDOM_MUTANTS";

fn run() -> Result<(), Error> {
    setup::ensure()?;
    let mut command =
        cargo(&["test", "--release", "--package", "halidom-driver", "--test", "mutants"]);
    command.args(["--", "--nocapture"]);
    if std::env::var_os(VARIABLE).is_none() {
        command.env(VARIABLE, MUTANTS);
    }
    process::run(&mut command).map(drop)
}
