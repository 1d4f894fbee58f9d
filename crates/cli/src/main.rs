//! The `halidom` binary.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

fn main() -> ExitCode {
    // Temporary files stand in one folder, so that a command that is cut off leaves none.
    let folder = tempfile::Builder::new().prefix("halidom-").tempdir().ok();
    let place = folder.as_ref().map(|folder| folder.path().to_owned());
    if let Some(place) = &place {
        // Another folder was chosen before only if this function ran before.
        let _ = tempfile::env::override_temp_dir(place);
    }
    thread::spawn(move || cut_off(place));
    // A panic is a defect of this program; Rust's exit status for it, 101, shows that.
    let status =
        halidom_cli::run(std::env::args_os(), &mut std::io::stdout(), &mut std::io::stderr());
    drop(folder);
    ExitCode::from(status.code())
}

/// Waits until a judgement exceeds its time limit, and ends the process then.
#[expect(clippy::exit, reason = "the thread that judges cannot be stopped")]
fn cut_off(folder: Option<PathBuf>) {
    let (text, exit) = halidom_cli::overdue();
    halidom_cli::end_children();
    let mut out = std::io::stdout().lock();
    // A closed pipe must not hide the status.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Some(folder) = folder {
        // What cannot be removed now is left to the system.
        let _ = std::fs::remove_dir_all(folder);
    }
    std::process::exit(i32::from(exit.code()));
}
