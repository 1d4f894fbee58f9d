//! `cargo xtask corpus`: the validator's verdicts on stock Halide's output.

use crate::error::Error;
use crate::process::{self, cargo};
use crate::setup;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "corpus",
    summary: "judges what stock Halide compiles: Table 1, miscompiles and their repairs, pipelines \
              of our own, 2,000 mutants",
    help: "\
Installs what is missing and runs the test `corpus` of halidom-workshop on everything. Prints a
table for each group: Table 1 from plain statements (../shared/halide21/table1; each is read and
printed back), the four programs that Halide 21.0.0 miscompiles, the same programs without the
faulty part, and the pipelines in tests/halide/pipelines. The columns are the verdict, the closed
obligations, the equality of floats that the proof needed, the seconds, the reason if the verdict is
unknown, and the runs of the compiled code if it is proved. Then come mutants of all these
statements, each with one defect, and 400 random programs. Fails if a run refutes a right pipeline,
if a miscompile is not refuted, if the code of a proved statement gives another value, if a
statement is proved that a run shows to be wrong, or if fewer than six in ten of the mutants that a
run shows to be wrong are refuted. Reports and skips everything that is missing.

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
        cargo(&["test", "--release", "--package", "halidom-workshop", "--test", "corpus"]);
    command.args(["--", "--nocapture", "--test-threads", "1"]).env(VARIABLE, "all");
    process::run(&mut command).map(drop)
}
