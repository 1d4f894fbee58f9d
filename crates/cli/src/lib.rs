//! The command line: the only crate that prints. See [`run`].

mod args;
mod commands;
mod output;
mod places;
mod request;
mod watch;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser as _;
use clap::error::ErrorKind;

use args::{Cli, Command};
use halidom_base::stack;
pub use halidom_verdict::Exit;
use output::{Ended, Output};
pub use watch::{end_children, has_own_signals, overdue};

/// Runs the command that the arguments (with the program's name first) select, and writes to the
/// two streams.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let asked_for =
                matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            // A closed pipe must not hide the status.
            let _ = if asked_for { write!(out, "{error}") } else { write!(err, "{error}") };
            return if asked_for { Exit::Done } else { Exit::BadInput };
        }
    };
    let mut output = Output::new(out, err);
    output.json = cli.json;
    output.quiet = cli.quiet;
    output.verbose = cli.verbose;
    let job = job(&cli.command);
    let ended = stack::whole(|| match places::check(&cli.command, &mut output) {
        Ok(()) => ended(&cli.command, &mut output),
        Err(stop) => stop.into(),
    });
    output.conclude(job, &ended)
}

/// The name of a command in its JSON object.
fn job(command: &Command) -> &'static str {
    match command {
        Command::Check(_) => "check",
        Command::Run(_) => "run",
        Command::Build(_) => "build",
        Command::Lower(_) => "lower",
        Command::Validate(_) => "validate",
        Command::Diff(_) => "diff",
        Command::Report(_) => "report",
        Command::Explain(_) => "explain",
        Command::Certificate(_) => "certificate",
        Command::Derive(_) => "derive",
        Command::Verify(_) => "verify",
        Command::Bench(_) => "bench",
        Command::Tune(_) => "tune",
        Command::Fmt(_) => "fmt",
        Command::Lsp => "lsp",
        Command::Studio(_) => "studio",
        Command::Export(_) => "export",
        Command::Fuzz(_) => "fuzz",
        Command::Halo(_) => "halo",
        Command::Import(_) => "import",
        Command::Preload(_) => "preload",
        Command::Reduce(_) => "reduce",
        Command::Bridge(_) => "bridge",
        Command::Doctor => "doctor",
    }
}

/// Runs a command.
fn ended(command: &Command, output: &mut Output<'_>) -> Ended {
    match command {
        Command::Check(args) => commands::check::run(args, output),
        Command::Run(args) => commands::run::run(args, output),
        Command::Build(args) => commands::build::run(args, output),
        Command::Lower(args) => commands::lower::run(args, output),
        Command::Validate(args) => commands::validate::run(args, output),
        Command::Diff(args) => commands::diff::run(args, output),
        Command::Report(args) => commands::report::run(args, output),
        Command::Explain(args) => commands::explain::run(args, output),
        Command::Certificate(args) => commands::certificate::run(args, output),
        Command::Derive(args) => commands::derive::run(args, output),
        Command::Verify(args) => commands::verify::run(args, output),
        Command::Bench(args) => commands::bench::run(args, output),
        Command::Tune(args) => commands::tune::run(args, output),
        Command::Fmt(args) => commands::fmt::run(args, output),
        Command::Lsp => commands::lsp::run(output),
        Command::Studio(args) => commands::studio::run(args, output),
        Command::Export(args) => commands::export::run(args, output),
        Command::Fuzz(args) => commands::fuzz::run(args, output),
        Command::Halo(args) => commands::halo::run(args, output),
        Command::Import(args) => commands::import::run(args, output),
        Command::Preload(args) => commands::preload::run(args, output),
        Command::Reduce(args) => commands::reduce::run(args, output),
        Command::Bridge(args) => commands::bridge::run(args, output),
        Command::Doctor => commands::doctor::run(output),
    }
}
