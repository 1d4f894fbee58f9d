//! Runs of the programs that drive Halide.

use std::io;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The script that the package's Python runs.
pub(super) const SCRIPT: &str = include_str!("bridge.py");

/// The environment variable that names the Python to use.
pub(super) const VARIABLE: &str = "HALIDOM_PYTHON";

/// Makes Halide write the statement after every pass to standard error.
pub(super) const DUMP: (&str, &str) = ("HL_DEBUG_CODEGEN", "2");

/// A failed program: its standard error, and its exit status in words.
pub(crate) struct Failed {
    pub(super) words: String,
    pub(super) status: String,
}

/// The number of programs that run now.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Tests whether Halide works at this moment: compiles, searches for a schedule, or runs what it
/// compiled. A judgement that ends meanwhile can say so.
pub fn is_running() -> bool {
    RUNNING.load(Ordering::Relaxed) > 0
}

/// Counts as a program that runs.
struct Running;

impl Running {
    fn begin() -> Self {
        RUNNING.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs a program to its end; returns its standard error.
pub(super) fn run(
    command: &mut Command,
    variable: Option<(&str, &str)>,
) -> io::Result<Result<String, Failed>> {
    command.env_remove(DUMP.0).envs(variable);
    let running = Running::begin();
    let output = command.output()?;
    drop(running);
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        return Ok(Ok(words));
    }
    Ok(Err(Failed { words, status: output.status.to_string() }))
}
