//! Finding programs, and starting them in the repository's root.

use crate::error::Error;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}

/// Makes a command that runs a program in the root.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// Makes a command that runs cargo, the same one that runs this program, with the given arguments.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// The variable of the environment that says that the release version of `halidom` was built just
/// now. To build it alone, with fewer features than the tests have, would build most crates anew.
pub(crate) const IS_BUILT: &str = "HALIDOM_IS_BUILT";

/// Builds the release version of `halidom` if necessary and returns its path.
pub(crate) fn halidom() -> Result<PathBuf, Error> {
    if env::var_os(IS_BUILT).is_none() {
        run(&mut cargo(&["build", "--release", "--package", "halidom-cli"]))?;
    }
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    Ok(root().join(target).join("release").join("halidom"))
}

/// Prints a command, runs it with its output passed on, and returns the time that it took.
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

/// The output of a program with its time and memory.
pub(crate) struct Measured {
    /// The output.
    pub(crate) output: Output,
    /// The running time.
    pub(crate) time: Duration,
    /// The greatest total memory, in MiB, of the program and the running programs that it started;
    /// each program counts with its peak so far.
    pub(crate) peak_mib: u64,
}

/// The interval between two samples of the memory.
const LOOK: Duration = Duration::from_millis(50);

/// Like [`capture`], with time and memory.
pub(crate) fn measure(command: &mut Command) -> Result<Measured, Error> {
    let start = Instant::now();
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|cause| cannot_start(command, cause))?;
    let id = child.id();
    let ended = AtomicBool::new(false);
    let (output, peak) = thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut peak = 0;
            while !ended.load(Ordering::Relaxed) {
                peak = peak.max(memory(id));
                thread::sleep(LOOK);
            }
            peak
        });
        let output = child.wait_with_output();
        ended.store(true, Ordering::Relaxed);
        (output, watch.join().unwrap_or(0))
    });
    let output = output.map_err(|cause| cannot_start(command, cause))?;
    Ok(Measured { output, time: start.elapsed(), peak_mib: peak / 1024 })
}

/// The sum of the peak memory of a process and its running descendants, in KiB.
pub(crate) fn memory(id: u32) -> u64 {
    let folder = PathBuf::from(format!("/proc/{id}"));
    let status = fs::read_to_string(folder.join("status")).unwrap_or_default();
    let own = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let own = own.and_then(|text| text.trim().trim_end_matches("kB").trim().parse().ok());
    own.unwrap_or(0) + children(id).into_iter().map(memory).sum::<u64>()
}

/// The running processes that any thread of a process started.
pub(crate) fn children(id: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let children = threads.flat_map(|thread| {
        let text = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        text.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()
    });
    children.collect()
}

/// Tests whether a program of this name is on the PATH.
pub(crate) fn is_installed(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// A command in the form in which one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.strip_prefix(root()).unwrap_or(program);
    // Cargo is named by its full path.
    let name = if name.is_absolute() { name.file_name().map_or(name, Path::new) } else { name };
    let words = command.get_args().map(|word| word.to_string_lossy());
    let words: Vec<_> = std::iter::once(name.to_string_lossy()).chain(words).collect();
    words.join(" ")
}

fn cannot_start(command: &Command, cause: std::io::Error) -> Error {
    Error::Start { program: command.get_program().to_string_lossy().into_owned(), cause }
}
