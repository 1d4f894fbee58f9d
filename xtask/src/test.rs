//! `cargo xtask test`: runs everything that continuous integration checks.

use crate::error::Error;
use crate::process::{capture, cargo, program, root, run};
use crate::{setup, suite, table, tidy};
use std::time::{Duration, Instant};

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "test",
    summary: "runs everything that continuous integration checks",
    help: "\
Runs these steps in order: set-up (see `cargo xtask setup --help`), tidy, formatting, clippy, the
crates' documentation, all tests, those of the Python package. Stops at the first step that fails,
and prints the time of each step. Test programs run at the same time, one for each core.

example: cargo xtask test",
    run: run_steps,
    options: &[],
};

/// The setting under which a warning of rustdoc, such as a link that leads nowhere, is an error.
const NO_WARNINGS: &str = "build.rustdocflags=['-D', 'warnings']";

/// The steps, each with its arguments for cargo. All use the release profile, so that the workspace
/// and its C library are built once. The tests' build makes the binary too. A step that builds the
/// binary alone would build most crates twice: without the tests, their dependencies have other
/// features.
const CARGO_STEPS: &[(&str, &[&str])] = &[
    ("format", &["fmt", "--all", "--check"]),
    ("clippy", &["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    ("doc", &["doc", "--release", "--workspace", "--no-deps", "--lib", "--config", NO_WARNINGS]),
];

fn run_steps() -> Result<(), Error> {
    let start = Instant::now();
    let mut seconds = Vec::new();
    let mut outcome = step("set-up", &mut seconds, setup::ensure_for_tests);
    if outcome.is_ok() {
        outcome = step("tidy", &mut seconds, tidy::check_repository);
    }
    for (name, arguments) in CARGO_STEPS {
        if outcome.is_ok() {
            outcome = step(name, &mut seconds, || run(&mut cargo(arguments)).map(drop));
        }
    }
    if outcome.is_ok() {
        outcome = step("tests", &mut seconds, suite::run_all);
    }
    if outcome.is_ok() {
        outcome = step("python", &mut seconds, python);
    }
    seconds.push(row("total", start.elapsed(), ""));
    println!("\n{}", table::layout(&["step", "seconds", ""], &seconds));
    outcome
}

/// Runs the tests of the Python package, on the release build.
fn python() -> Result<(), Error> {
    let python = root().join(".venv/bin/python");
    let probe = capture(program(&python).args(["-c", "import numpy, pytest"]));
    if !probe.is_ok_and(|output| output.status.success()) {
        println!("skipped: `.venv` has no NumPy or no pytest");
        return Ok(());
    }
    let words = ["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "python/tests"];
    run(program(&python).args(words).env("PYTHONDONTWRITEBYTECODE", "1")).map(drop)
}

fn step(
    name: &str,
    seconds: &mut Vec<Vec<String>>,
    work: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    println!("\n== {name}");
    let start = Instant::now();
    let outcome = work();
    seconds.push(row(name, start.elapsed(), if outcome.is_ok() { "" } else { "failed" }));
    outcome
}

fn row(name: &str, time: Duration, remark: &str) -> Vec<String> {
    vec![name.to_owned(), format!("{:.1}", time.as_secs_f64()), remark.to_owned()]
}
