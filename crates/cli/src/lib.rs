//! The command line: the only crate that prints. See [`run`].

mod args;
mod commands;
mod output;
mod request;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser as _;
use clap::error::ErrorKind;

use args::{Cli, Command};
use output::Output;
pub use output::Status;

/// Runs the command that the arguments (the program's name first) ask for, writing to the two streams.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Status {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let asked_for =
                matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            // A closed pipe must not hide the status.
            let _ = if asked_for { write!(out, "{error}") } else { write!(err, "{error}") };
            return if asked_for { Status::Done } else { Status::BadInput };
        }
    };
    let mut output = Output::new(out, err);
    output.json = cli.json;
    output.quiet = cli.quiet;
    output.verbose = cli.verbose;
    let status = match &cli.command {
        Command::Check(args) => commands::check::run(args, &mut output),
        Command::Run(args) => commands::run::run(args, &mut output),
        Command::Build(args) => commands::build::run(args, &mut output),
        Command::Lower(args) => commands::lower::run(args, &mut output),
        Command::Validate(args) => commands::validate::run(args, &mut output),
        Command::Report(args) => commands::report::run(args, &mut output),
        Command::Explain(args) => commands::explain::run(args, &mut output),
        Command::Certificate(args) => commands::certificate::run(args, &mut output),
        Command::Derive(args) => commands::derive::run(args, &mut output),
        Command::Verify(args) => commands::verify::run(args, &mut output),
        Command::Bench(args) => commands::bench::run(args, &mut output),
        Command::Tune(args) => commands::tune::run(args, &mut output),
        Command::Export(args) => commands::export::run(args, &mut output),
        Command::Fuzz(args) => commands::fuzz::run(args, &mut output),
        Command::Import(args) => commands::import::run(args, &mut output),
        Command::Reduce(args) => commands::reduce::run(args, &mut output),
        Command::Doctor => commands::doctor::run(&mut output),
    };
    output.finish();
    status
}
