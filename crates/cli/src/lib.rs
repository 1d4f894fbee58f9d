//! The command line: the only crate that prints. See [`run`].

mod args;
mod commands;
mod output;
mod request;
mod watch;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser as _;
use clap::error::ErrorKind;

use args::{Cli, Command};
use halidom_base::stack;
pub use halidom_verdict::Exit;
use output::Output;
pub use watch::{end_children, overdue};

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
    let (job, ended) = stack::whole(|| match &cli.command {
        Command::Check(args) => ("check", commands::check::run(args, &mut output)),
        Command::Run(args) => ("run", commands::run::run(args, &mut output)),
        Command::Build(args) => ("build", commands::build::run(args, &mut output)),
        Command::Lower(args) => ("lower", commands::lower::run(args, &mut output)),
        Command::Validate(args) => ("validate", commands::validate::run(args, &mut output)),
        Command::Diff(args) => ("diff", commands::diff::run(args, &mut output)),
        Command::Report(args) => ("report", commands::report::run(args, &mut output)),
        Command::Explain(args) => ("explain", commands::explain::run(args, &mut output)),
        Command::Certificate(args) => {
            ("certificate", commands::certificate::run(args, &mut output))
        }
        Command::Derive(args) => ("derive", commands::derive::run(args, &mut output)),
        Command::Verify(args) => ("verify", commands::verify::run(args, &mut output)),
        Command::Bench(args) => ("bench", commands::bench::run(args, &mut output)),
        Command::Tune(args) => ("tune", commands::tune::run(args, &mut output)),
        Command::Fmt(args) => ("fmt", commands::fmt::run(args, &mut output)),
        Command::Lsp => ("lsp", commands::lsp::run(&mut output)),
        Command::Studio(args) => ("studio", commands::studio::run(args, &mut output)),
        Command::Export(args) => ("export", commands::export::run(args, &mut output)),
        Command::Fuzz(args) => ("fuzz", commands::fuzz::run(args, &mut output)),
        Command::Halo(args) => ("halo", commands::halo::run(args, &mut output)),
        Command::Import(args) => ("import", commands::import::run(args, &mut output)),
        Command::Preload(args) => ("preload", commands::preload::run(args, &mut output)),
        Command::Reduce(args) => ("reduce", commands::reduce::run(args, &mut output)),
        Command::Bridge(args) => ("bridge", commands::bridge::run(args, &mut output)),
        Command::Doctor => ("doctor", commands::doctor::run(&mut output)),
    });
    output.conclude(job, &ended)
}
