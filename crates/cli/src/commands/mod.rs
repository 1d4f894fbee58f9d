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
use halidom_driver::compile::{self, Compiled, Observer};
use halidom_driver::derivation::{self, Lowered};
use halidom_driver::source::{self, Loaded};
use halidom_ir::{Algorithm, Pool};

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

/// A pipeline under a schedule, or a derivation, compiled.
struct Compilation {
    pool: Pool,
    /// What it computes.
    algorithm: Algorithm,
    compiled: Compiled,
}

/// Reads a file of derivations and compiles one; `observe` is given every stage.
fn derived(
    choice: &args::Choice,
    observe: Observer<'_>,
    output: &mut Output<'_>,
) -> Result<Compilation, Status> {
    let (engine, loaded) = derive::load(&choice.file, output)?;
    let lowered = loaded.one(choice.derivation.as_deref()).map_err(|found| vec![found]);
    let lowered = lowered.and_then(|found| loaded.lower(&engine, found, observe));
    match lowered {
        Ok(Lowered { pool, algorithm, compiled }) => Ok(Compilation { pool, algorithm, compiled }),
        Err(diagnostics) => {
            for diagnostic in &diagnostics {
                output.diagnostic(&loaded.sources, diagnostic);
            }
            Err(Status::BadInput)
        }
    }
}

/// Reads a file and compiles the pipeline and schedule, or the derivation, that is chosen in it.
fn compiled(choice: &args::Choice, output: &mut Output<'_>) -> Result<Compilation, Status> {
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
) -> Result<Compilation, Status> {
    let algorithm = loaded.module.pipelines[chosen.pipeline].algorithm.clone();
    let compiled =
        compile::compile(&mut loaded, chosen, &mut |_, _, _| {}).map_err(|diagnostics| {
            report(&loaded, &diagnostics, output);
            Status::BadInput
        })?;
    Ok(Compilation { pool: loaded.module.pool, algorithm, compiled })
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
