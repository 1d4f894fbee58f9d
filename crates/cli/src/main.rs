//! The `halidom` binary.

use std::io::Write as _;
use std::process::ExitCode;
use std::thread;

fn main() -> ExitCode {
    thread::spawn(|| {
        let (text, exit) = halidom_cli::overdue();
        let mut out = std::io::stdout().lock();
        // A closed pipe must not hide the status.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        std::process::exit(i32::from(exit.code()));
    });
    // A panic is a defect of this program; Rust's exit status for it, 101, shows that.
    let status =
        halidom_cli::run(std::env::args_os(), &mut std::io::stdout(), &mut std::io::stderr());
    ExitCode::from(status.code())
}
