//! Runs of the programs that drive Halide.

use std::io;
use std::process::Command;

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

/// Runs a program to its end; returns its standard error.
pub(super) fn run(
    command: &mut Command,
    variable: Option<(&str, &str)>,
) -> io::Result<Result<String, Failed>> {
    command.env_remove(DUMP.0).envs(variable);
    let output = command.output()?;
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        return Ok(Ok(words));
    }
    Ok(Err(Failed { words, status: output.status.to_string() }))
}
