//! The commands, one file each.

pub(crate) mod bench;
pub(crate) mod bridge;
pub(crate) mod build;
pub(crate) mod certificate;
pub(crate) mod check;
pub(crate) mod derive;
pub(crate) mod diff;
pub(crate) mod doctor;
mod engines;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod fmt;
pub(crate) mod fuzz;
pub(crate) mod halo;
pub(crate) mod import;
pub(crate) mod lower;
pub(crate) mod lsp;
pub(crate) mod preload;
pub(crate) mod reduce;
pub(crate) mod report;
pub(crate) mod run;
mod searching;
mod solving;
mod stock_fuzz;
pub(crate) mod studio;
mod subjects;
pub(crate) mod tune;
pub(crate) mod validate;
pub(crate) mod verify;

use std::path::Path;

use halidom::{Chosen, Input, Kind, Named};
use halidom_diag::Diagnostic;
use halidom_driver::compile::Observer;
use halidom_driver::files;
use halidom_driver::input::pipelines;
use halidom_driver::phases::Phase;
use halidom_driver::source::Loaded;
use halidom_driver::subject::Subject;

use crate::args;
use crate::output::{Ended, Output, Stop};
use crate::places;

/// Reads a file of pipelines and reports all its errors and warnings.
fn load(path: &Path, output: &mut Output<'_>) -> Result<Loaded, Stop> {
    let loaded = pipelines(path).map_err(|refusal| output.refused(&refusal))?;
    report(&loaded, &loaded.module.diagnostics, output);
    Ok(loaded)
}

/// Reads a file of programs of our own and reports all its errors and warnings.
fn open(choice: &args::Choice, output: &mut Output<'_>) -> Result<Input, Stop> {
    let kind = Kind::of(&choice.file);
    if kind == Kind::Stock {
        let message = format!("`{}` is a pipeline of stock Halide", choice.file.display());
        let hint = "`halidom validate --halide FILE` and `--halide-script FILE` judge it; \
            `halidom import FILE` makes a `.hal` file of it";
        return Err(output.error("HAL0906", &message, hint));
    }
    let named = names(&choice.named);
    let mut input = kind
        .check(&choice.file, &named)
        .and_then(|()| kind.check_windows(&choice.file, &named))
        .and_then(|()| Input::open(&choice.file))
        .map_err(|refusal| output.refused(&refusal))?;
    input.open_windows(&named).map_err(|refusal| output.refused(&refusal))?;
    if let Some((sources, diagnostics)) = input.warnings() {
        for diagnostic in diagnostics {
            output.diagnostic(sources, diagnostic);
        }
    }
    Ok(input)
}

/// The names of parts on the command line.
fn names(given: &args::Named) -> Named {
    let args::Named { pipeline, schedule, derivation, windows, compute, given, piece } =
        given.clone();
    Named {
        pipeline,
        schedule,
        derivation,
        windows,
        phase: Phase { given, compute, is_piece: piece },
    }
}

/// Reads a file and finds the chosen part in it.
fn one(choice: &args::Choice, output: &mut Output<'_>) -> Result<(Input, Chosen), Stop> {
    let input = open(choice, output)?;
    let chosen = input.one(&names(&choice.named)).map_err(|refusal| output.refused(&refusal))?;
    Ok((input, chosen))
}

/// Compiles a part of an input; `observe` is called after every stage.
fn compile(
    input: &mut Input,
    chosen: &Chosen,
    observe: Observer<'_>,
    output: &mut Output<'_>,
) -> Result<Subject, Stop> {
    input.compile(chosen, observe).map_err(|refusal| output.refused(&refusal))
}

/// Reads a file and compiles the part that the options choose.
fn compiled(choice: &args::Choice, output: &mut Output<'_>) -> Result<Subject, Stop> {
    let (mut input, chosen) = one(choice, output)?;
    compile(&mut input, &chosen, &mut |_, _, _| {}, output)
}

fn report(loaded: &Loaded, diagnostics: &[Diagnostic], output: &mut Output<'_>) {
    for diagnostic in diagnostics {
        output.diagnostic(&loaded.sources, diagnostic);
    }
}

/// Writes a file that the user names or that goes to a folder of the user's, and never an input.
fn write(path: &Path, bytes: &[u8], output: &mut Output<'_>) -> Result<(), Stop> {
    places::spare(path, output)?;
    files::write_bytes(path, bytes)
        .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))
}

/// Removes a report of an earlier run, which must not stand for this one, however it ends. Another
/// file stays.
fn forget(path: &Path, is_report: fn(&[u8]) -> bool, output: &mut Output<'_>) -> Result<(), Stop> {
    files::forget(path, is_report)
        .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))
}

/// Turns the early end of a command into its result.
fn ended(result: Result<Ended, Stop>) -> Ended {
    result.unwrap_or_else(Ended::from)
}
