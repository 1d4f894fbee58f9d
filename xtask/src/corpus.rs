//! `cargo xtask corpus`: the validator's verdicts on stock Halide's output.

use crate::error::Error;
use crate::process::{self, cargo};
use crate::setup;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "corpus",
    summary: "judges what stock Halide compiles: Table 1, miscompiles and their repairs, pipelines of our own, 2,000 mutants",
    help: "\
Installs what is missing and runs the test `corpus` of halidom-driver on everything. Prints a table each of
Table 1 from plain statements (../shared/halide21/table1; each is read and prints back), the four programs
that Halide 21.0.0 compiles wrongly, the same with the faulty part taken out, and the pipelines in
tests/halide/pipelines: verdict, closed obligations, how strong an equality of floats was needed, seconds,
the reason where it is unknown, runs of the compiled code where it is proved. Then statements of all of
them, each with one defect, and 400 random programs. Fails if a right pipeline is refuted by a run, a miscompile is not, the code of
a proved statement gives another value, or a statement is proved that a run shows to be wrong; and if fewer
than six in ten of those are refuted. What is missing is said and passed over.

HALIDOM_CORPUS_MUTANTS=N makes N mutants instead of 2,000.

example: cargo xtask corpus",
    run,
    options: &[],
};

/// The variable that tells the test to examine everything.
const VARIABLE: &str = "HALIDOM_CORPUS";

fn run() -> Result<(), Error> {
    setup::ensure()?;
    let mut command =
        cargo(&["test", "--release", "--package", "halidom-driver", "--test", "corpus"]);
    command.args(["--", "--nocapture", "--test-threads", "1"]).env(VARIABLE, "all");
    process::run(&mut command).map(drop)
}
