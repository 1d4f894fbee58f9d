//! `halidom tune`.

use std::path::Path;

use halidom::{Kind, Refusal};
use halidom_diag::Sources;
use halidom_driver::data::Request;
use halidom_driver::input;
use halidom_driver::source::Loaded;
use halidom_driver::stock::{self, Import, Language, bridge};
use halidom_workshop::tune::{
    self, Counts, Lead, Options, Reference, Rejection, Row, Sampling, TuneError, Tuning, within,
};
use serde_json::{Map, Value, json};

use super::run::malformed;
use super::{ended, load, report, solving, write};
use crate::args::{LanguageArg, TuneArgs};
use crate::output::{Ended, Output, Stop};
use crate::request;

/// The seed for everything that has no given value.
const SEED: u64 = 1;

/// The least time limit for proofs that is the default, in seconds.
const LEAST_PROOFS: f64 = 10.0;

pub(crate) fn run(args: &TuneArgs, output: &mut Output<'_>) -> Ended {
    ended(search(args, output))
}

fn search(args: &TuneArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    if language(args).is_some() && !bridge::is_installed() {
        return Err(output.error(
            "HAL0705",
            "there is no Python with Halide, which compiles the candidates",
            "run `halidom doctor`",
        ));
    }
    let loaded = match (&args.file, &args.halide_script) {
        (_, Some(script)) => imported(script, stock::import_script(script), output)?,
        (Some(file), None) if Kind::of(file) == Kind::Stock && args.language.is_some() => {
            imported(file, stock::import(file), output)?
        }
        (Some(file), None) => load(file, output)?,
        (None, None) => return calibrate(output),
    };
    let chosen = loaded.pipeline(args.pipeline.as_deref()).and_then(|pipeline| {
        let named = args.schedule.as_deref();
        let schedule = named.map(|name| loaded.schedule(pipeline, Some(name))).transpose()?;
        Ok((pipeline, schedule))
    });
    let (pipeline, schedule) = chosen.map_err(|diagnostic| {
        report(&loaded, &[diagnostic], output);
        Stop::BadInput
    })?;
    let mut request = request::request(&args.data).map_err(|error| malformed(&error, output))?;
    request.random = request.random.or(Some(SEED));
    if args.explain {
        let named: Vec<Option<usize>> = schedule.into_iter().collect();
        return explain(&loaded, pipeline, &named, &request, args, output);
    }
    if let (Some(count), Some(path)) = (args.sample, &args.samples) {
        let sampling = Sampling {
            pipeline,
            count,
            threads: threads(args),
            seed: args.seed,
            budget: solving::seconds(args.budget, output)?,
        };
        return sample(&loaded, &sampling, &request, path, output);
    }
    let proofs = args.proofs.unwrap_or_else(|| (args.budget / 2.0).max(LEAST_PROOFS));
    let options = Options {
        pipeline,
        schedule,
        budget: solving::seconds(args.budget, output)?,
        proofs: solving::seconds(proofs, output)?,
        threads: args.threads.map(usize::from),
        seed: args.seed,
        allow_bounds: args.allow_bounds,
        estimates: !args.no_estimates,
        halide: language(args),
        judge: solving::default(output)?,
    };
    let found = tune::run(&loaded, &options, &request, &mut |words| output.progress(words));
    match found {
        Ok(tuning) => {
            present(&tuning, output);
            if let Some(path) = &args.output {
                write(path, tuning.winner.text.as_bytes(), output)?;
                output.line(&path.display().to_string());
            }
            Ok(Ended::Judged(tuning.winner.verdict))
        }
        Err(TuneError::Wrong { text, how }) => Ok(wrong(&text, &how, output)),
        Err(TuneError::NotProved { tried, verdict, counts, differing }) => {
            differ(&differing, output);
            output.line(&format!(
                "none of the {tried} fastest schedules is proved; of the fastest: {}",
                verdict.sentence()
            ));
            output.line(&tried_line(&counts));
            output.set("candidates", candidates(&counts));
            Ok(Ended::Judged(*verdict))
        }
        Err(error) => Err(stopped(&loaded, error, output)),
    }
}

/// The language of the winner, if the search is for stock Halide.
fn language(args: &TuneArgs) -> Option<Language> {
    match args.language {
        Some(LanguageArg::Python) => Some(Language::Python),
        Some(LanguageArg::Cpp) => Some(Language::Cpp),
        None => args.halide_script.is_some().then_some(Language::Python),
    }
}

/// A pipeline of stock Halide as a program, and notes on what is missing in it.
fn imported(
    path: &Path,
    import: Result<Import, Refusal>,
    output: &mut Output<'_>,
) -> Result<Loaded, Stop> {
    let Import { text, notes } = import.map_err(|refusal| output.refused(&refusal))?;
    for note in &notes {
        output.diagnostic(&Sources::new(), note);
    }
    let loaded = input::text(&path.display().to_string(), text);
    let loaded = loaded.map_err(|refusal| output.refused(&refusal))?;
    report(&loaded, &loaded.module.diagnostics, output);
    Ok(loaded)
}

/// Reports an error that no verdict follows from.
fn stopped(loaded: &Loaded, error: TuneError, output: &mut Output<'_>) -> Stop {
    match error {
        TuneError::Refused(diagnostics) => {
            report(loaded, &diagnostics, output);
            Stop::BadInput
        }
        TuneError::Data(error) => output.error(error.code(), &error.to_string(), &error.hint()),
        TuneError::Toolchain(_) => {
            output.error("HAL0705", &error.to_string(), "run `halidom doctor`")
        }
        TuneError::File(error) => {
            output.error("HAL0818", &error.to_string(), "give a file that can be written")
        }
        TuneError::Start { .. } | TuneError::Wrong { .. } | TuneError::NotProved { .. } => output
            .error(
                "HAL0818",
                &error.to_string(),
                "give another `--size`, a longer `--budget`, or another schedule to begin with",
            ),
    }
}

/// Estimates schedules, and explains where the time goes.
fn explain(
    loaded: &Loaded,
    pipeline: usize,
    schedules: &[Option<usize>],
    request: &Request,
    args: &TuneArgs,
    output: &mut Output<'_>,
) -> Result<Ended, Stop> {
    let threads = threads(args);
    let explained = tune::explained(loaded, pipeline, schedules, request, threads);
    let (all, is_calibrated) = explained.map_err(|error| stopped(loaded, error, output))?;
    if !is_calibrated {
        output.progress("the times are those of a usual machine; `halidom tune --calibrate`");
    }
    for explained in &all {
        output.line(&format!("{}:", explained.schedule));
        for line in &explained.lines {
            output.line(&format!("  {line}"));
        }
    }
    let object = |explained: &tune::Explained| {
        json!({
            "schedule": explained.schedule,
            "nanoseconds": explained.estimate,
            "parts": explained.parts,
            "lines": explained.lines,
            "features": explained.features.as_ref().ok(),
        })
    };
    output.set("schedules", all.iter().map(object).collect::<Vec<_>>());
    Ok(Ended::Done)
}

/// Measures the machine.
fn calibrate(output: &mut Output<'_>) -> Result<Ended, Stop> {
    let found = tune::calibrate(&mut |words| output.progress(words));
    let calibration = found
        .map_err(|error| output.error("HAL0818", &error.to_string(), "run `halidom doctor`"))?;
    output.line(&format!("{:<36} {:>12} {:>12}", "kernel", "measured µs", "fitted µs"));
    for (name, measured, fitted) in &calibration.rows {
        output.line(&format!("{name:<36} {:>12.1} {:>12.1}", measured / 1e3, fitted / 1e3));
    }
    let path = tune::keep(&calibration).map_err(|error| {
        output.error("HAL0818", &error.to_string(), "set `HALIDOM_CACHE_DIR` to a folder")
    })?;
    output.line(&path.display().to_string());
    output.set("machine", json!(calibration.machine));
    Ok(Ended::Done)
}

/// Measures random schedules and compares the times with the estimates.
fn sample(
    loaded: &Loaded,
    sampling: &Sampling,
    request: &Request,
    path: &Path,
    output: &mut Output<'_>,
) -> Result<Ended, Stop> {
    let found = tune::sample(loaded, sampling, request, path, &mut |words| output.progress(words));
    let samples = found.map_err(|error| stopped(loaded, error, output))?;
    let pairs: Vec<(f64, f64)> =
        samples.iter().map(|sample| (sample.measured, sample.estimated)).collect();
    let agreement = tune::agreement(&pairs);
    output.line(&format!(
        "{} schedules; Spearman {:.2}, of the fastest quarter {:.2}; the best of the ten with the \
            lowest estimates takes {:.2} of the fastest's time",
        samples.len(),
        agreement.all,
        agreement.fastest,
        agreement.top
    ));
    output.set("count", samples.len());
    output.set("spearman", agreement.all);
    output.set("fastest_quarter", agreement.fastest);
    output.set("top_ten", agreement.top);
    let object = |sample: &tune::Sample| {
        json!({
            "measured": sample.measured,
            "estimated": sample.estimated,
            "features": sample.features,
        })
    };
    output.set("samples", samples.iter().map(object).collect::<Vec<_>>());
    Ok(Ended::Done)
}

/// The number of threads that was asked for, or else that of the processors.
fn threads(args: &TuneArgs) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    args.threads.map_or_else(all, usize::from)
}

/// Reports a legal schedule that computes something else. This is a defect of the compiler.
fn wrong(text: &str, how: &str, output: &mut Output<'_>) -> Ended {
    output.line(&format!(
        "COMPUTES SOMETHING ELSE: {how}. This is a defect of the compiler; the schedule:"
    ));
    output.line(text);
    output.set("text", text);
    Ended::Judged(tune::wrong(how))
}

fn present(tuning: &Tuning, output: &mut Output<'_>) {
    let words = if tuning.limits.threads == 1 { "thread" } else { "threads" };
    output.line(&format!(
        "{}, {} {words}; memory is copied at {:.1} GB/s, the inputs and outputs are {:.1} MB",
        tuning.pipeline,
        tuning.limits.threads,
        tuning.limits.bytes_per_second / 1e9,
        tuning.bytes as f64 / 1e6
    ));
    output.line(&format!(
        "{:<24} {:>10} {:>19} {:>10} {:>10}  {}",
        "schedule", "ms", "least–most", "speed-up", "× limit", "verdict"
    ));
    for row in &tuning.rows {
        output.line(&line(tuning, row));
    }
    output.line("");
    output.line(&tried_line(&tuning.counts));
    output.line(&right(&tuning.reference));
    if let Some(course) = course_line(tuning) {
        output.line(&course);
    }
    if !tuning.winner.is_new {
        output.line("nothing faster was found than what there was:");
    }
    differ(&tuning.differing, output);
    output.line("");
    output.line(&tuning.winner.text);
    if let Some(script) = &tuning.winner.script {
        output.line(
            "The verdict is about the statement that the installed Halide compiles from the \
                script of these directives. Paste them, then judge your own program with \
                `halidom validate --halide-script`.",
        );
        output.set("script", script.as_str());
    }
    output.set("pipeline", tuning.pipeline.as_str());
    output.set("threads", tuning.limits.threads);
    output.set("bytes", tuning.bytes);
    output.set("rows", tuning.rows.iter().map(|row| object(tuning, row)).collect::<Vec<_>>());
    output.set("candidates", candidates(&tuning.counts));
    output.set("course", tuning.course.iter().map(lead).collect::<Vec<_>>());
    if let Some((count, took)) = tuning.estimated {
        output.set("estimated", json!({ "schedules": count, "seconds": took.as_secs_f64() }));
    }
    output.set(
        "reference",
        match &tuning.reference {
            Reference::Interpreter => "interpreter",
            Reference::Unscheduled => "default",
            Reference::Undecided(_) => "default, undecided",
            Reference::Proposed => "proposed",
        },
    );
    output.set("seconds", tuning.took.as_secs_f64());
    output.set("validated_in", tuning.winner.validated_in.as_secs_f64());
    output.set("schedule", tuning.winner.name.as_str());
    output.set("is_new", tuning.winner.is_new);
    output.set("text", tuning.winner.text.as_str());
}

/// Prints the first schedule for which stock Halide's code is not right.
fn differ(differing: &[String], output: &mut Output<'_>) {
    if let Some(script) = differing.first() {
        output.line(&format!(
            "Halide's code for {} of the schedules gives other outputs, or is refuted; the first:",
            differing.len()
        ));
        output.line(script);
        output.set("differing", json!(differing));
    }
}

fn milliseconds(time: std::time::Duration) -> f64 {
    1e3 * time.as_secs_f64()
}

/// The speed-up of a row over the fastest of the schedules that the search began with.
fn speed_up(tuning: &Tuning, row: &Row) -> f64 {
    let is_new = tuning.winner.is_new;
    let started = tuning.rows.iter().filter(|row| !is_new || row.schedule != tuning.winner.name);
    let best = started.map(|row| row.median).min().unwrap_or(row.median);
    best.as_secs_f64() / row.median.as_secs_f64().max(1e-9)
}

fn over_limit(tuning: &Tuning, row: &Row) -> f64 {
    row.median.as_secs_f64() / tuning.least_time().as_secs_f64().max(1e-9)
}

fn is_winner(tuning: &Tuning, row: &Row) -> bool {
    row.schedule == tuning.winner.name
}

fn line(tuning: &Tuning, row: &Row) -> String {
    format!(
        "{:<24} {:>10.3} {:>19} {:>10.2} {:>10.2}  {}",
        row.schedule,
        milliseconds(row.median),
        format!("{:.3}–{:.3}", milliseconds(row.least), milliseconds(row.most)),
        speed_up(tuning, row),
        over_limit(tuning, row),
        if is_winner(tuning, row) { "proved" } else { "" },
    )
}

fn object(tuning: &Tuning, row: &Row) -> Value {
    json!({
        "schedule": row.schedule,
        "milliseconds": milliseconds(row.median),
        "least": milliseconds(row.least),
        "most": milliseconds(row.most),
        "speed_up": speed_up(tuning, row),
        "ratio_to_limit": over_limit(tuning, row),
    })
}

fn tried_line(counts: &Counts) -> String {
    let reasons = Rejection::ALL.into_iter().filter(|reason| counts.rejected(*reason) > 0);
    let parts: Vec<String> =
        reasons.map(|reason| format!("{} {}", counts.rejected(reason), reason.name())).collect();
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    format!("tried {} candidates, {} faster than all before{parts}", counts.tried, counts.improved)
}

/// A line about how soon the search was near its end.
fn course_line(tuning: &Tuning) -> Option<String> {
    if tuning.course.len() < 2 {
        return None;
    }
    let [near, nearer] = [1.5, 1.1].map(|factor| within(&tuning.course, factor));
    let (near, nearer) = (near?.as_secs_f64(), nearer?.as_secs_f64());
    let took = tuning.took.as_secs_f64();
    Some(format!(
        "the best schedule was within 1.5 of the last one's time after {near:.1} s, and within \
            1.1 after {nearer:.1} s of {took:.1} s"
    ))
}

fn lead(lead: &Lead) -> Value {
    json!({
        "seconds": lead.after.as_secs_f64(),
        "milliseconds": milliseconds(lead.time),
        "candidates": lead.tried,
    })
}

fn candidates(counts: &Counts) -> Value {
    let mut object = Map::new();
    object.insert("tried".to_owned(), counts.tried.into());
    object.insert("improved".to_owned(), counts.improved.into());
    for reason in Rejection::ALL {
        object.insert(reason.name().replace(' ', "_"), counts.rejected(reason).into());
    }
    Value::Object(object)
}

fn right(reference: &Reference) -> String {
    match reference {
        Reference::Interpreter => {
            "every one that ran was compared with the interpreter's outputs".to_owned()
        }
        Reference::Unscheduled => {
            "every one that ran was compared with the outputs of the unscheduled form, which is \
                proved"
                .to_owned()
        }
        Reference::Proposed => {
            "every one that ran was compared with the outputs of one that is proved: the \
                unscheduled form takes too long"
                .to_owned()
        }
        Reference::Undecided(reason) => format!(
            "every one that ran was compared with the outputs of the unscheduled form, which is \
                not proved: {reason}"
        ),
    }
}
