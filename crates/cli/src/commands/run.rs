//! `halidom run`.

use std::path::PathBuf;

use halidom::{Chosen, Input, Refusal};
use halidom_codegen::{CompileError, Toolchain};
use halidom_driver::compile::references;
use halidom_driver::data::{self, Prepared};
use halidom_driver::execute::{self, ExecuteError, Native};
use halidom_driver::subject::Subject;
use halidom_driver::{files, judge};
use halidom_ir::{Algorithm, Array, Pool, Program};
use halidom_validate::Report;
use halidom_verdict::Verdict;

use super::{compile, ended, one, solving, validate};
use crate::args::RunArgs;
use crate::output::{Ended, Output, Stop};
use crate::request::{self, Malformed};

pub(crate) fn run(args: &RunArgs, output: &mut Output<'_>) -> Ended {
    ended(execute(args, output))
}

fn execute(args: &RunArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let (mut input, chosen) = one(&args.choice, output)?;
    let compiler = (!args.interpret).then(execute::toolchain);
    let (references, interpreted) = match (&mut input, &chosen) {
        (Input::Pipelines(loaded), Chosen::Schedule(choice)) => {
            let references = references(loaded, choice.pipeline).map_err(|diagnostics| {
                output.refused(&Refusal::new(loaded.sources.clone(), diagnostics))
            })?;
            let algorithm = loaded.module.pipelines[choice.pipeline].algorithm.clone();
            let pool = || loaded.module.pool.clone();
            (Some(references), args.interpret.then(|| (pool(), algorithm)))
        }
        (
            Input::Pipelines(_) | Input::Derivations(_) | Input::Program(_) | Input::Stock(_),
            Chosen::Schedule(_) | Chosen::Derivation(_) | Chosen::Whole,
        ) => (None, None),
    };
    let job = match interpreted {
        Some(interpreted) => Err(interpreted),
        None => Ok(compile(&mut input, &chosen, &mut |_, _, _| {}, output)?),
    };
    let own = || job.iter().map(|job| job.compiled.structured.clone()).collect();
    let references = references.unwrap_or_else(own);
    finish(args, compiler.as_ref(), &references, &job, output)
}

/// Runs the compiled program or, without a C compiler, the algorithm.
fn finish(
    args: &RunArgs,
    compiler: Option<&Result<Toolchain, CompileError>>,
    references: &[Program],
    job: &Result<Subject, (Pool, Algorithm)>,
    output: &mut Output<'_>,
) -> Result<Ended, Stop> {
    let (pool, algorithm) = match job {
        Ok(job) => (&job.pool, &job.algorithm),
        Err((pool, algorithm)) => (pool, algorithm),
    };
    let names: Vec<String> = component_names(pool, algorithm);
    let places =
        request::outputs(&args.output, &names).map_err(|error| malformed(&error, output))?;
    let request = request::request(&args.data).map_err(|error| malformed(&error, output))?;
    let prepared = data::prepare(pool, algorithm, references, &request)
        .map_err(|error| output.error(error.code(), &error.to_string(), &error.hint()))?;
    let outcome = match (job, compiler) {
        (Ok(job), Some(compiler)) => native(args, compiler, job, &prepared, output)?,
        (Ok(_), None) | (Err(_), _) => {
            let arrays = execute::interpret(pool, algorithm, &prepared)
                .map_err(|error| failed(&error, output))?;
            Outcome { arrays, verdict: None }
        }
    };
    write(&outcome.arrays, &places, output)?;
    Ok(match outcome.verdict {
        None => Ended::Done,
        // An unknown verdict only gives a warning, as the program is not known to be wrong.
        Some(verdict @ Verdict::Unknown(_)) if !args.strict => {
            Ended::Accepted { verdict, left: None }
        }
        Some(verdict) => Ended::Judged(verdict),
    })
}

/// The names of the arrays of a run.
fn component_names(pool: &Pool, algorithm: &Algorithm) -> Vec<String> {
    let components = algorithm.output_components(pool).into_iter();
    components.map(|(func, component)| pool.func(func).component_name(component)).collect()
}

struct Outcome {
    arrays: Vec<Array>,
    verdict: Option<Verdict>,
}

fn native(
    args: &RunArgs,
    compiler: &Result<Toolchain, CompileError>,
    job: &Subject,
    prepared: &Prepared,
    output: &mut Output<'_>,
) -> Result<Outcome, Stop> {
    let Subject { pool, algorithm, compiled, .. } = job;
    let toolchain = compiler
        .as_ref()
        .map_err(|error| output.error("HAL0705", &error.to_string(), "run `halidom doctor`"))?;
    let target = execute::host(algorithm);
    let options = if args.no_validate { None } else { Some(solving::default(output)?) };
    let build = || execute::build(pool, &compiled.program, toolchain, target);
    // The C compiler and the solver are separate processes, so both work at once.
    let (native, judged) = match options.as_ref().filter(|_| !args.eager) {
        None => (build(), None),
        Some(options) => {
            let (native, report) = judge::judge_during(pool, (algorithm, compiled), options, build);
            (native, Some(report))
        }
    };
    let native = native.map_err(|error| {
        output.error(
            "HAL0706",
            &error.to_string(),
            "run `halidom doctor`; the C is shown by `halidom build`",
        )
    })?;
    output.set("compiler", native.compiler.as_str());
    output.set("target", native.target.name());
    output.detail(&format!("compiled by {} for {}", native.compiler, native.target.name()));
    if let Some(report) = &judged {
        let verdict = validate::present(job, report, output);
        match &verdict {
            Verdict::Proved(_) => {}
            Verdict::Unknown(unknown) if !args.strict => output.progress(&format!(
                "warning: running a program that is not proved: {}",
                unknown.first()
            )),
            Verdict::Refuted(_) | Verdict::Unknown(_) | Verdict::Nothing(_) => {
                return Err(Stop::Judged(verdict));
            }
        }
    }
    let (arrays, late) = if args.eager {
        eager(args, job, &native, prepared, output)?
    } else {
        (timed(args, job, &native, prepared, output)?, None)
    };
    Ok(Outcome { arrays, verdict: late.or(judged).map(|report| report.answer()) })
}

/// Runs at once and validates at the same time; the verdict comes last.
fn eager(
    args: &RunArgs,
    job: &Subject,
    native: &Native,
    prepared: &Prepared,
    output: &mut Output<'_>,
) -> Result<(Vec<Array>, Option<Report>), Stop> {
    let options = solving::default(output)?;
    let run = || timed(args, job, native, prepared, output);
    let judged = (&job.algorithm, &job.compiled);
    let (arrays, report) = judge::judge_during(&job.pool, judged, &options, run);
    let arrays = arrays?;
    let _: Verdict = validate::present(job, &report, output);
    Ok((arrays, Some(report)))
}

fn timed(
    args: &RunArgs,
    job: &Subject,
    native: &Native,
    prepared: &Prepared,
    output: &mut Output<'_>,
) -> Result<Vec<Array>, Stop> {
    let run = execute::run(
        native,
        &job.pool,
        &job.algorithm,
        &job.compiled.program,
        prepared,
        args.threads,
    )
    .map_err(|error| failed(&error, output))?;
    let pixels: usize = run.outputs.iter().map(Array::len).max().unwrap_or(0);
    let seconds = run.median.as_secs_f64();
    let rate = if seconds > 0.0 { pixels as f64 / seconds / 1e6 } else { 0.0 };
    output.set("milliseconds", seconds * 1e3);
    output.set("mpix_per_s", rate);
    output.set("runs", run.runs);
    output.line(&format!(
        "{}, {rate:.1} Mpix/s (median of {} runs, compiled by {})",
        duration(seconds),
        run.runs,
        native.compiler
    ));
    Ok(run.outputs)
}

/// Prints a time with a unit that keeps digits before the point.
fn duration(seconds: f64) -> String {
    if seconds >= 1.0 {
        format!("{seconds:.2} s")
    } else if seconds >= 1e-3 {
        format!("{:.3} ms", seconds * 1e3)
    } else {
        format!("{:.2} µs", seconds * 1e6)
    }
}

fn write(
    arrays: &[Array],
    places: &[(usize, PathBuf)],
    output: &mut Output<'_>,
) -> Result<(), Stop> {
    for (number, path) in places {
        files::write(path, &arrays[*number])
            .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))?;
        output.line(&format!("wrote {}", path.display()));
        if let Some(range) = range_of_floats(&arrays[*number])
            && path.extension().is_none_or(|extension| extension != "npy")
        {
            output.line(&format!(
                "  note: its values run from {} to {}; a picture keeps them rounded, from 0 to 255",
                range.0, range.1
            ));
        }
    }
    let shapes: Vec<Vec<i64>> = arrays
        .iter()
        .map(|array| array.shape.iter().map(|(_, extent)| *extent).collect())
        .collect();
    output.set("shapes", serde_json::json!(shapes));
    Ok(())
}

/// The least and greatest value of an array of floats.
fn range_of_floats(array: &Array) -> Option<(f64, f64)> {
    if !array.scalar.is_float() {
        return None;
    }
    let values = array.points().filter_map(|point| array.get(&point));
    let floats = values.filter_map(|value| value.as_f64().or(value.as_f32().map(f64::from)));
    floats.fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((value.min(low), value.max(high)))
    })
}

pub(super) fn malformed(error: &Malformed, output: &mut Output<'_>) -> Stop {
    output.error("HAL0906", &error.message, &error.hint)
}

pub(super) fn failed(error: &ExecuteError, output: &mut Output<'_>) -> Stop {
    output.error(error.code(), &error.to_string(), error.hint())
}
