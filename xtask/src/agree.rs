//! `cargo xtask agree`: compares stock Halide's output run by the literal machine, by the
//! interpreter of its translation, and as compiled code.

use crate::error::Error;
use crate::process::{self, cargo};
use crate::setup;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "agree",
    summary: "compares the literal machine for Halide's statements with their translation and with the compiled code",
    help: "\
Installs what is missing and runs the test `agree` of halidom-driver on everything: the pipelines in
tests/halide, Table 1 (../shared/halide21/table1) without the rows whose least run is too long, and 500
random programs, 60 inputs each at the borders of what the entry checks accept. Each input is run by the
literal machine, by the interpreter of the translated statement, and by the compiled code. Prints for each
statement how often two of them gave the same, and what was passed over with its reason. Fails if anything
differs. What is missing is said and passed over.

HALIDOM_AGREE_ONLY=NAME,… looks only at what has one of these in its name (`seed 7$` is seed 7 alone), HALIDOM_AGREE_PROGRAMS=N at N random
programs.

example: cargo xtask agree",
    run,
    options: &[],
};

/// The variable that tells the test to examine everything.
const VARIABLE: &str = "HALIDOM_AGREE";

fn run() -> Result<(), Error> {
    setup::ensure()?;
    let mut command =
        cargo(&["test", "--release", "--package", "halidom-driver", "--test", "agree"]);
    command
        .args(["--no-fail-fast", "--", "--nocapture", "--test-threads", "1"])
        .env(VARIABLE, "all");
    process::run(&mut command).map(drop)
}
