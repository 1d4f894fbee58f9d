//! `halidom studio`.

use std::path::Path;
use std::process::{Command, Stdio};

use halidom_driver::files;
use halidom_studio::{OpenError, Studio, StudioError};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::args::StudioArgs;
use crate::output::{Ended, Output, Stop};
use crate::watch;

pub(crate) fn run(args: &StudioArgs, output: &mut Output<'_>) -> Ended {
    super::ended(serve(args, output))
}

fn serve(args: &StudioArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    // Proofs run in processes of this program.
    let program = std::env::current_exe().map_err(|error| {
        let message = format!("the path of this program is not known: {error}");
        output.error("HAL0801", &message, "start it by its path")
    })?;
    let studio =
        Studio::open(&args.file, program, args.port).map_err(|error| refused(&error, output))?;
    let stopper = studio.stopper();
    let signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(|error| {
        let message = format!("the end of this program cannot be waited for: {error}");
        output.error("HAL0801", &message, "start it from a terminal")
    })?;
    watch::own_signals();
    let handle = signals.handle();
    let waiting = std::thread::spawn(move || {
        let mut signals = signals;
        if signals.forever().next().is_some() {
            stopper.stop();
        }
    });
    let url = studio.url();
    if output.json {
        output.progress(&url);
    } else {
        output.line(&url);
    }
    output.progress("Ctrl-C ends it");
    // The folder is kept as long as the server runs.
    let folder = if args.open { open(&url, output) } else { None };
    studio.serve();
    handle.close();
    // The thread has no result.
    let _ = waiting.join();
    drop(folder);
    Ok(Ended::Done)
}

fn refused(error: &StudioError, output: &mut Output<'_>) -> Stop {
    let (code, hint) = match error {
        StudioError::File(OpenError::Kind(_)) => {
            ("HAL0906", "name a `.hal` file, or a `.ir` file that `halidom lower` printed")
        }
        StudioError::File(_) => ("HAL0801", "check the path and its permissions"),
        StudioError::Port { .. } => ("HAL0906", "leave `--port` out: then a free one is taken"),
        StudioError::Setup(_) => ("HAL0801", "check the folder for temporary files"),
    };
    output.error(code, &error.to_string(), hint)
}

/// Opens the page in a browser. The address does not stand on a command line, where other users of
/// the computer could read it, but in a private file that leads to the page.
fn open(url: &str, output: &mut Output<'_>) -> Option<tempfile::TempDir> {
    let folder = tempfile::Builder::new().prefix("halidom-open-").tempdir().ok()?;
    let file = folder.path().join("open.html");
    let text = format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><title>Halidom</title>\
        <meta http-equiv=\"refresh\" content=\"0; url={url}\"><a href=\"{url}\">Halidom</a>\n"
    );
    let written = files::write_bytes(&file, text.as_bytes()).map_err(std::io::Error::other);
    let opened = written.and_then(|()| browser(&file));
    if let Err(error) = opened {
        output.progress(&format!("no browser was opened: {error}; open the address above"));
    }
    Some(folder)
}

fn browser(file: &Path) -> std::io::Result<()> {
    let mut command = Command::new("xdg-open");
    command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    // It ends at once, or with the browser.
    std::thread::spawn(move || child.wait());
    Ok(())
}
