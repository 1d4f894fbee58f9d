//! The commands, one file each.

pub(crate) mod bench;
pub(crate) mod build;
pub(crate) mod certificate;
pub(crate) mod check;
pub(crate) mod derive;
pub(crate) mod doctor;
mod engines;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod fuzz;
pub(crate) mod import;
pub(crate) mod lower;
pub(crate) mod reduce;
pub(crate) mod report;
pub(crate) mod run;
mod solving;
mod stock_fuzz;
mod subjects;
pub(crate) mod tune;
pub(crate) mod validate;
pub(crate) mod verify;

use std::path::Path;

use halidom_diag::Diagnostic;
use halidom_driver::compile::Observer;
use halidom_driver::derivation;
use halidom_driver::source::{self, Loaded};
use halidom_driver::subject::{self, Subject};

use crate::args;
use crate::output::{Ended, Output, Stop};

/// The hint for a file without pipelines.
const NO_PIPELINE: &str =
    "write `pipeline name(…) -> …`; a program is a file `.hal`, derivations are a file `.atl`";

/// Reads a file and reports all its errors.
fn load(path: &Path, output: &mut Output<'_>) -> Result<Loaded, Stop> {
    let loaded = source::load(path)
        .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))?;
    report(&loaded, &loaded.module.diagnostics, output);
    if loaded.module.has_errors() {
        return Err(Stop::BadInput);
    }
    if loaded.module.pipelines.is_empty() {
        let message = format!("`{}` has no pipeline", path.display());
        return Err(output.nothing("HAL0901", &message, NO_PIPELINE));
    }
    Ok(loaded)
}

/// Reads a file and finds the chosen pipeline and schedule in it.
fn choose(
    choice: &args::Choice,
    output: &mut Output<'_>,
) -> Result<(Loaded, source::Choice), Stop> {
    let loaded = load(&choice.file, output)?;
    let found = loaded.pipeline(choice.named.pipeline.as_deref()).and_then(|pipeline| {
        let schedule = loaded.schedule(pipeline, choice.named.schedule.as_deref())?;
        Ok(source::Choice { pipeline, schedule })
    });
    match found {
        Ok(found) => Ok((loaded, found)),
        Err(diagnostic) => {
            report(&loaded, &[diagnostic], output);
            Err(Stop::BadInput)
        }
    }
}

/// Reads a file of derivations and compiles one; `observe` is called after every stage.
fn derived(
    choice: &args::Choice,
    observe: Observer<'_>,
    output: &mut Output<'_>,
) -> Result<Subject, Stop> {
    let (engine, loaded) = derive::load(&choice.file, output)?;
    let derived = loaded.one(choice.named.derivation.as_deref()).map_err(|found| vec![found]);
    let derived = derived.and_then(|found| {
        let lowered = loaded.lower(&engine, found, observe)?;
        Ok(subject::derived(&loaded, found, lowered))
    });
    match derived {
        Ok(derived) => Ok(derived),
        Err(diagnostics) => {
            for diagnostic in &diagnostics {
                output.diagnostic(&loaded.sources, diagnostic);
            }
            Err(Stop::BadInput)
        }
    }
}

/// Reads a file and compiles the pipeline and schedule, or the derivation, that the options choose.
fn compiled(choice: &args::Choice, output: &mut Output<'_>) -> Result<Subject, Stop> {
    if subject::is_program_file(&choice.file) {
        return program(choice, output);
    }
    if derivation::is_derivation_file(&choice.file) {
        return derived(choice, &mut |_, _, _| {}, output);
    }
    let (loaded, chosen) = choose(choice, output)?;
    compiled_of(loaded, &chosen, output)
}

/// Compiles a pipeline under a schedule.
fn compiled_of(
    mut loaded: Loaded,
    chosen: &source::Choice,
    output: &mut Output<'_>,
) -> Result<Subject, Stop> {
    subject::compiled(&mut loaded, chosen).map_err(|diagnostics| {
        report(&loaded, &diagnostics, output);
        Stop::BadInput
    })
}

/// Reads an algorithm and a program in the text form of the IR.
fn program(choice: &args::Choice, output: &mut Output<'_>) -> Result<Subject, Stop> {
    let named = choice
        .named
        .schedule
        .as_ref()
        .or(choice.named.pipeline.as_ref())
        .or(choice.named.derivation.as_ref());
    if let Some(name) = named {
        return Err(output.error(
            "HAL0902",
            &format!("`{}` is one program: there is no `{name}` to choose", choice.file.display()),
            "leave out `-p`, `-s` and `-d`",
        ));
    }
    let read = subject::program(&choice.file)
        .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))?;
    read.map_err(|(sources, diagnostics)| {
        for diagnostic in &diagnostics {
            output.diagnostic(&sources, diagnostic);
        }
        Stop::BadInput
    })
}

fn report(loaded: &Loaded, diagnostics: &[Diagnostic], output: &mut Output<'_>) {
    for diagnostic in diagnostics {
        output.diagnostic(&loaded.sources, diagnostic);
    }
}

/// Turns the early end of a command into its result.
fn ended(result: Result<Ended, Stop>) -> Ended {
    result.unwrap_or_else(Ended::from)
}
