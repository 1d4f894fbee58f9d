//! One file a command.

pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod derive;
pub(crate) mod doctor;
pub(crate) mod fuzz;
pub(crate) mod lower;
pub(crate) mod reduce;
pub(crate) mod run;
pub(crate) mod validate;
pub(crate) mod verify;

use std::path::Path;

use halidom_diag::Diagnostic;
use halidom_driver::source::{self, Loaded};

use crate::args;
use crate::output::{Output, Status};

/// Reads a file and reports everything that is wrong with it.
fn load(path: &Path, output: &mut Output<'_>) -> Result<Loaded, Status> {
    let loaded = source::load(path)
        .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))?;
    report(&loaded, &loaded.module.diagnostics, output);
    if loaded.module.has_errors() { Err(Status::BadInput) } else { Ok(loaded) }
}

/// Reads a file and finds the pipeline and schedule in it.
fn choose(
    choice: &args::Choice,
    output: &mut Output<'_>,
) -> Result<(Loaded, source::Choice), Status> {
    let loaded = load(&choice.file, output)?;
    let found = loaded.pipeline(choice.pipeline.as_deref()).and_then(|pipeline| {
        let schedule = loaded.schedule(pipeline, choice.schedule.as_deref())?;
        Ok(source::Choice { pipeline, schedule })
    });
    match found {
        Ok(found) => Ok((loaded, found)),
        Err(diagnostic) => {
            report(&loaded, &[diagnostic], output);
            Err(Status::BadInput)
        }
    }
}

fn report(loaded: &Loaded, diagnostics: &[Diagnostic], output: &mut Output<'_>) {
    for diagnostic in diagnostics {
        output.diagnostic(&loaded.sources, diagnostic);
    }
}

/// Ends a command that may fail half-way.
fn status(result: Result<Status, Status>) -> Status {
    match result {
        Ok(status) | Err(status) => status,
    }
}
