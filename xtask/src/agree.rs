//! `cargo xtask agree`: compares stock Halide's output run by the literal machine, by the
//! interpreter of its translation, and as compiled code.

use crate::error::Error;
use crate::process::{self, cargo};
use crate::setup;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "agree",
    summary: "compares three runs of Halide's statements: the literal machine, the translation and \
              the compiled code",
    help: "\
Installs what is missing and runs the test `agree` of halidom-workshop on everything: the pipelines
in tests/halide, Table 1 (../shared/halide21/table1) without the rows whose shortest run is too
long, and 500 random programs. Each has 60 inputs at the limits of its entry checks. The literal
machine, the interpreter of the translated statement and the compiled code run on each input. Prints
for each statement how often two of them gave the same result, and which cases were skipped, with
the reason. Fails if any two results differ. Reports and skips everything that is missing.

HALIDOM_AGREE_ONLY=NAME,… restricts the test to names that contain one of these (`seed 7$` is seed 7
alone), HALIDOM_AGREE_PROGRAMS=N to N random programs.

example: cargo xtask agree",
    run,
    options: &[],
};

/// The variable that tells the test to examine everything.
const VARIABLE: &str = "HALIDOM_AGREE";

fn run() -> Result<(), Error> {
    setup::ensure()?;
    let mut command =
        cargo(&["test", "--release", "--package", "halidom-workshop", "--test", "agree"]);
    command
        .args(["--no-fail-fast", "--", "--nocapture", "--test-threads", "1"])
        .env(VARIABLE, "all");
    process::run(&mut command).map(drop)
}
