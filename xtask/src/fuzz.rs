//! `cargo xtask fuzz`: random programs under random schedules, for longer than a test run may take.

use crate::error::Error;
use crate::process::{self, program};
use crate::setup;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "fuzz",
    summary: "tests 20,000 random programs under random schedules, step by step, and prints the \
              figures",
    help: "\
Installs what is missing, builds the release binary, and runs `halidom fuzz --programs 20000`: the
interpreters, native code and the validator must agree on every program, at every step of its
schedule. `halidom fuzz --help` lists the options for a shorter run.

example: cargo xtask fuzz",
    run,
    options: &[],
};

fn run() -> Result<(), Error> {
    setup::ensure()?;
    let halidom = process::halidom()?;
    let mut fuzz = program(halidom);
    process::run(fuzz.args(["fuzz", "--programs", "20000"]))?;
    Ok(())
}
