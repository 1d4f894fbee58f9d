//! `cargo xtask test`: runs everything that continuous integration checks.

use crate::error::Error;
use crate::process::{capture, cargo, program, root, run};
use crate::suite::{self, Extent};
use crate::{book, setup, table, tidy};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "test",
    summary: "runs everything that continuous integration checks",
    help: "\
Runs these steps in order: set-up (see `cargo xtask setup --help`), tidy, formatting, clippy, the
crates' documentation, the book if mdBook is installed, all tests. Python packages that only tests
need are installed during the steps before the tests. Stops at the first step that fails, and prints
the time of each step. Test programs, and the tests of the Python package, run at the same time,
three for each two cores. Tests of corpora examine a share of their cases; `cargo xtask sweep`
examines all.

example: cargo xtask test",
    run: run_steps,
    options: &[],
};

pub(crate) const SWEEP: crate::Command = crate::Command {
    name: "sweep",
    summary: "runs all tests with all cases of their corpora",
    help: "\
Runs the tests of `cargo xtask test`, and no other step. Where these examine a share of a corpus
(schedules of examples, constructs of stock Halide's statements, random programs, our own rules), a
sweep examines all. It takes about an hour on two cores. HALIDOM_SWEEP=1 does the same for one test.

example: cargo xtask sweep",
    run: || {
        setup::ensure_for_tests()
            .and_then(|()| suite::run_all(Extent::Sweep, python().into_iter().collect()))
    },
    options: &[],
};

/// The setting under which a warning of rustdoc, such as a link that leads nowhere, is an error.
const NO_WARNINGS: &str = "build.rustdocflags=['-D', 'warnings']";

/// The steps, each with its arguments for cargo. All use the release profile, so that the workspace
/// and its C library are built once. No test needs features of a dependency that the crates do not
/// need themselves: else the documentation, which knows no tests, would check most crates again.
const CARGO_STEPS: &[(&str, &[&str])] = &[
    ("format", &["fmt", "--all", "--check"]),
    ("clippy", &["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    (DOC, &["doc", "--release", "--workspace", "--no-deps", "--lib", "--config", NO_WARNINGS]),
];

const DOC: &str = "doc";

/// Makes the command of a step. The documentation uses what clippy made of each crate, as if clippy
/// had called for it: else cargo would check all crates once more.
fn command(name: &str, arguments: &[&str]) -> Result<Command, Error> {
    let mut command = cargo(arguments);
    if name == DOC {
        let mut rustc = program("rustc");
        let folder = capture(rustc.args(["--print", "sysroot"]))?.stdout;
        let driver = Path::new(String::from_utf8_lossy(&folder).trim()).join("bin/clippy-driver");
        if driver.is_file() {
            // The words that `cargo clippy` makes of `-D warnings`.
            command.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
            command.env("RUSTC_WORKSPACE_WRAPPER", driver);
        }
    }
    Ok(command)
}

fn run_steps() -> Result<(), Error> {
    let start = Instant::now();
    let mut seconds = Vec::new();
    let mut outcome = step("set-up", &mut seconds, setup::ensure);
    // These are downloaded, which leaves the processors to the next steps.
    let wheels = outcome.is_ok().then(|| thread::spawn(setup::ensure_wheels_of_tests));
    if outcome.is_ok() {
        outcome = step("tidy", &mut seconds, tidy::check_repository);
    }
    for (name, arguments) in CARGO_STEPS {
        if outcome.is_ok() {
            outcome = step(name, &mut seconds, || run(&mut command(name, arguments)?).map(drop));
        }
    }
    if outcome.is_ok() {
        outcome = step("book", &mut seconds, book::build_if_installed);
    }
    // A panic there has printed its message, and the tests that lack something say so.
    drop(wheels.map(thread::JoinHandle::join));
    if outcome.is_ok() {
        let others = || python().into_iter().collect();
        outcome = step("tests", &mut seconds, || suite::run_all(Extent::Share, others()));
    }
    seconds.push(row("total", start.elapsed(), ""));
    println!("\n{}", table::layout(&["step", "seconds", ""], &seconds));
    outcome
}

/// Returns the tests of the Python package, which use the release build. `None` if the packages
/// that they need are missing.
fn python() -> Option<(&'static str, Command)> {
    let python = root().join(".venv/bin/python");
    let probe = capture(program(&python).args(["-c", "import numpy, pytest"]));
    if !probe.is_ok_and(|output| output.status.success()) {
        println!("skipped: `.venv` has no NumPy or no pytest");
        return None;
    }
    let mut command = program(&python);
    command.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "python/tests"]);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    Some(("the Python package", command))
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
