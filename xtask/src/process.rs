//! Starting programs from the repository's root, and finding them.

use crate::error::Error;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// The repository's root.
pub(crate) fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}

/// A program to run in the root.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// The cargo that runs this program, with the given arguments.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// The release build of `halidom`, built anew where something changed.
pub(crate) fn halidom() -> Result<PathBuf, Error> {
    run(&mut cargo(&["build", "--release", "--package", "halidom-cli"]))?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    Ok(root().join(target).join("release").join("halidom"))
}

/// Prints the command, runs it with its output passed on, and says how long it took.
pub(crate) fn run(command: &mut Command) -> Result<Duration, Error> {
    println!("> {}", shown(command));
    let start = Instant::now();
    let status = command.status().map_err(|cause| cannot_start(command, cause))?;
    if status.success() {
        Ok(start.elapsed())
    } else {
        Err(Error::Failed { command: shown(command), status })
    }
}

/// Runs a command silently and returns its output, whatever its exit status.
pub(crate) fn capture(command: &mut Command) -> Result<Output, Error> {
    command.output().map_err(|cause| cannot_start(command, cause))
}

/// Whether a program of this name can be found.
pub(crate) fn is_installed(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// A command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.strip_prefix(root()).unwrap_or(program);
    // Cargo names itself by its full path.
    let name = if name.is_absolute() { name.file_name().map_or(name, Path::new) } else { name };
    let words = command.get_args().map(|word| word.to_string_lossy());
    let words: Vec<_> = std::iter::once(name.to_string_lossy()).chain(words).collect();
    words.join(" ")
}

fn cannot_start(command: &Command, cause: std::io::Error) -> Error {
    Error::Start { program: command.get_program().to_string_lossy().into_owned(), cause }
}
