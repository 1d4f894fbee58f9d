//! Proofs and measurements as processes, for programs that stay: a crash or a limit of a proof is
//! then its own, and it can be ended with everything that it started.

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// The time between two looks at a process.
const PAUSE: Duration = Duration::from_millis(20);
/// The greatest size of what a process may print, in bytes.
const MOST: u64 = 64 << 20;

/// The end of a process.
#[derive(Debug)]
pub struct Ended {
    /// The exit status; `None` if a signal ended it.
    pub exit: Option<i32>,
    /// Its standard output.
    pub printed: String,
}

/// Runs a command in a process group of its own until it ends, or until `is_over` tells to end it.
/// Nothing of the group is left after that. The command's standard input stays open until the end:
/// with `--end-with-input`, `halidom validate` also ends if the caller is killed.
///
/// # Errors
///
/// Returns a sentence if the process cannot be started, or if its output is not text or longer than
/// 64 MiB.
pub fn run(command: &mut Command, is_over: &dyn Fn() -> bool) -> Result<Ended, String> {
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    let mut child = child.map_err(|error| format!("the process cannot be started: {error}"))?;
    let output = child.stdout.take();
    let reader = thread::spawn(move || {
        let mut printed = Vec::new();
        let read = output.map(|output| output.take(MOST + 1).read_to_end(&mut printed));
        read.transpose().map(|_| printed)
    });
    wait(&mut child, is_over);
    let status = child.wait().map_err(|error| format!("the process is lost: {error}"))?;
    let printed = reader.join().ok().and_then(Result::ok);
    let printed = printed.filter(|bytes| bytes.len() as u64 <= MOST);
    let printed = printed.and_then(|bytes| String::from_utf8(bytes).ok());
    let printed = printed.ok_or_else(|| "its output cannot be read".to_owned())?;
    Ok(Ended { exit: status.code(), printed })
}

/// Waits for the end of a process without taking its status, so that its number stays its own until
/// its group is ended.
fn wait(child: &mut Child, is_over: &dyn Fn() -> bool) {
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return };
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    while matches!(waitid(WaitId::Pid(pid), look), Ok(None)) && !is_over() {
        thread::sleep(PAUSE);
    }
    // Its solvers may have outlived it.
    let _ = kill_process_group(pid, Signal::KILL);
}
