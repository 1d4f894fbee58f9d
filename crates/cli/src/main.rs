//! The `halidom` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A panic is a defect of this program; Rust's exit status for it, 101, shows that.
    let status = halidom_cli::run(
        std::env::args_os(),
        &mut std::io::stdout().lock(),
        &mut std::io::stderr(),
    );
    ExitCode::from(status.code())
}
