//! `halidom validate`, and how every command shows a verdict.

use std::time::Duration;

use halidom_driver::judge::{self, Options};
use halidom_driver::source::{Choice, Loaded};
use halidom_driver::{compile, derivation};
use halidom_ir::{Array, Constant, print};
use halidom_validate::{Counterexample, Report, Status as Closed, Verdict};
use serde_json::{Map, Value, json};

use super::{load, report as report_diagnostics, status};
use crate::args::ValidateArgs;
use crate::output::{Output, Status};

/// How the validator's report begins a note on a store that never runs.
const DEAD_CODE: &str = "dead code: ";
/// How the validator's report begins the assumption that an entry check on a size holds.
const SIZE_LIMIT: &str = "size limit of";
/// How many elements of an input a person is shown.
const SHOWN_ELEMENTS: usize = 64;

pub(crate) fn run(args: &ValidateArgs, output: &mut Output<'_>) -> Status {
    status(validate(args, output))
}

fn validate(args: &ValidateArgs, output: &mut Output<'_>) -> Result<Status, Status> {
    if derivation::is_derivation_file(&args.choice.file) {
        return derivations(args, output);
    }
    let mut loaded = load(&args.choice.file, output)?;
    let choices = choices(args, &loaded).map_err(|diagnostic| {
        report_diagnostics(&loaded, &[diagnostic], output);
        Status::BadInput
    })?;
    let options = options(args, output)?;
    let mut schedules = Map::new();
    let mut worst = Status::Done;
    let single = choices.len() == 1;
    for choice in &choices {
        let algorithm = loaded.module.pipelines[choice.pipeline].algorithm.clone();
        let name = format!("{} under {}", algorithm.name, loaded.schedule_of(choice).name);
        let compiled =
            compile::compile(&mut loaded, choice, &mut |_, _, _| {}).map_err(|diagnostics| {
                report_diagnostics(&loaded, &diagnostics, output);
                Status::BadInput
            })?;
        output.line(&format!("{name}:"));
        let report = judge::judge(&loaded.module.pool, &algorithm, &compiled, &options);
        let judged = show(&report, output);
        worst = worse(worst, judged);
        if !single {
            schedules.insert(key(&loaded, choice, &choices), Value::Object(object(&report)));
        }
    }
    if !single {
        output.set("verdict", verdict(worst));
        output.set("schedules", schedules);
    }
    Ok(worst)
}

/// How to validate.
fn options(args: &ValidateArgs, output: &mut Output<'_>) -> Result<Options, Status> {
    let mut options = solver(output)?;
    options.timeout = Duration::try_from_secs_f64(args.timeout).map_err(|_| {
        output.error(
            "HAL0906",
            &format!("`{}` is no time limit", args.timeout),
            "give a number of seconds, such as 10",
        )
    })?;
    if let Some(folder) = &args.emit_smt {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| {
            output.error(
                "HAL0805",
                &format!("cannot make `{}`: {error}", folder.display()),
                "check the path",
            )
        })?;
        options.emit_smt = Some(folder.clone());
    }
    Ok(options)
}

/// Validates the derivations of a file against their source programs.
fn derivations(args: &ValidateArgs, output: &mut Output<'_>) -> Result<Status, Status> {
    let (engine, loaded) = super::derive::load(&args.choice.file, output)?;
    let name = args.choice.derivation.as_deref();
    let chosen = loaded.chosen(name).map_err(|diagnostic| {
        output.diagnostic(&loaded.sources, &diagnostic);
        Status::BadInput
    })?;
    let options = options(args, output)?;
    let mut verdicts = Map::new();
    let mut worst = Status::Done;
    for derivation in &chosen {
        let lowered = loaded.lower(&engine, derivation, &mut |_, _, _| {});
        let lowered = lowered.map_err(|diagnostics| {
            for diagnostic in &diagnostics {
                output.diagnostic(&loaded.sources, diagnostic);
            }
            Status::BadInput
        })?;
        let name = &derivation.name.text;
        output.line(&format!("{name} of {}:", derivation.of.text));
        let report = judge::judge(&lowered.pool, &lowered.algorithm, &lowered.compiled, &options);
        worst = worse(worst, show(&report, output));
        verdicts.insert(name.clone(), Value::Object(object(&report)));
    }
    if chosen.len() != 1 {
        output.set("verdict", verdict(worst));
        output.set("derivations", verdicts);
    }
    Ok(worst)
}

/// The word for the worst of several verdicts.
fn verdict(worst: Status) -> &'static str {
    match worst {
        Status::Done => "proved",
        Status::Wrong => "refuted",
        Status::BadInput | Status::Unknown => "unknown",
    }
}

/// The pipelines and schedules that were asked for: all of what was not named.
fn choices(args: &ValidateArgs, loaded: &Loaded) -> Result<Vec<Choice>, halidom_diag::Diagnostic> {
    let pipelines = match &args.choice.pipeline {
        Some(name) => vec![loaded.pipeline(Some(name))?],
        None if args.choice.schedule.is_some() => vec![loaded.pipeline(None)?],
        None => (0..loaded.module.pipelines.len()).collect(),
    };
    let mut choices = Vec::new();
    for pipeline in pipelines {
        match &args.choice.schedule {
            Some(name) => {
                choices.push(Choice { pipeline, schedule: loaded.schedule(pipeline, Some(name))? })
            }
            None => {
                let count = loaded.module.pipelines[pipeline].schedules.len();
                choices.extend(
                    std::iter::once(None)
                        .chain((0..count).map(Some))
                        .map(|schedule| Choice { pipeline, schedule }),
                );
            }
        }
    }
    Ok(choices)
}

/// The schedule's name, after the pipeline's where there are several.
fn key(loaded: &Loaded, choice: &Choice, all: &[Choice]) -> String {
    let schedule = loaded.schedule_of(choice).name;
    if all.iter().all(|other| other.pipeline == choice.pipeline) {
        schedule
    } else {
        format!("{}.{schedule}", loaded.module.pipelines[choice.pipeline].algorithm.name)
    }
}

/// The options of a validation with the solver that is found.
pub(crate) fn solver(output: &mut Output<'_>) -> Result<Options, Status> {
    Options::find().map_err(|error| {
        output.error(
            "HAL0817",
            &error.to_string(),
            "run `cargo xtask setup`, or set HALIDOM_Z3; `halidom doctor` shows what is found",
        )
    })
}

fn worse(one: Status, other: Status) -> Status {
    let rank = |status| match status {
        Status::Done => 0,
        Status::Unknown => 1,
        Status::Wrong => 2,
        Status::BadInput => 3,
    };
    if rank(other) > rank(one) { other } else { one }
}

/// Prints a verdict with what it rests on, and puts it into the JSON object.
pub(crate) fn show(report: &Report, output: &mut Output<'_>) -> Status {
    output.extend(object(report));
    let total = report.obligations.len();
    let open = report.open().count();
    let seconds = report.time.as_secs_f64();
    let status = match &report.verdict {
        Verdict::Proved => {
            output
                .line(&format!("  proved: {total} obligations, {seconds:.2} s, {}", report.sizes));
            Status::Done
        }
        Verdict::Refuted(counterexample) => {
            output.line(&format!("  refuted, {seconds:.2} s"));
            show_counterexample(counterexample, output);
            Status::Wrong
        }
        Verdict::Unknown(reason) => {
            output.line(&format!(
                "  unknown: {reason} ({open} of {total} obligations open, {seconds:.2} s)"
            ));
            Status::Unknown
        }
    };
    for step in &report.trusted_steps {
        output.line(&format!("  trusted: {step}"));
    }
    for obligation in report.open() {
        if let Closed::Open(reason) = &obligation.status {
            output.line(&format!(
                "  open: {} at {}: {reason}",
                obligation.kind.name(),
                obligation.place
            ));
        }
    }
    show_assumptions(&report.assumptions, output);
    show_notes(&report.notes, output);
    output.line(&format!("  below: {}", report.below.join(", ")));
    status
}

/// Assumptions, a line each; the many limits on sizes are one line unless details are asked for.
fn show_assumptions(assumptions: &[String], output: &mut Output<'_>) {
    let limited = |assumption: &String| !output.verbose && assumption.starts_with(SIZE_LIMIT);
    let (limits, others): (Vec<&String>, Vec<&String>) =
        assumptions.iter().partition(|assumption| limited(assumption));
    if !limits.is_empty() {
        output.line(&format!(
            "  assumes: size limits: mins and extents below 2^31, strides and spans up to 2^47 ({} checks, listed by --verbose)",
            limits.len()
        ));
    }
    for assumption in others {
        output.line(&format!("  assumes: {assumption}"));
    }
}

/// Notes, a line each; of stores that never run, which unrolling makes by the hundred, the first unless details are asked for.
fn show_notes(notes: &[String], output: &mut Output<'_>) {
    let (dead, others): (Vec<&String>, Vec<&String>) =
        notes.iter().partition(|note| note.starts_with(DEAD_CODE));
    // One more would be as long as what stands for it.
    let shown = if output.verbose || dead.len() == 2 { dead.len() } else { dead.len().min(1) };
    for note in &dead[..shown] {
        output.line(&format!("  note: {note}"));
    }
    if shown < dead.len() {
        let more = dead.len() - shown;
        output.line(&format!("  note: {more} more stores never run, listed by --verbose"));
    }
    for note in others {
        output.line(&format!("  note: {note}"));
    }
}

fn show_counterexample(counterexample: &Counterexample, output: &mut Output<'_>) {
    for (name, value) in &counterexample.parameters {
        output.line(&format!("    {name} = {}", print::constant(*value)));
    }
    for (name, array) in &counterexample.inputs {
        let values: Vec<String> = array
            .points()
            .take(SHOWN_ELEMENTS)
            .filter_map(|point| array.get(&point))
            .map(print::constant)
            .collect();
        let more = if array.len() > SHOWN_ELEMENTS { ", …" } else { "" };
        output.line(&format!("    {name} {:?} = [{}{more}]", array.shape, values.join(", ")));
    }
    if let Some(name) = &counterexample.output {
        output.line(&format!("    at {name}{:?}:", counterexample.coords));
    }
    output.line(&format!("    expected {}", counterexample.expected));
    output.line(&format!("    got      {}", counterexample.got));
}

/// A verdict as the keys of a JSON object.
pub(crate) fn object(report: &Report) -> Map<String, Value> {
    let total = report.obligations.len();
    let open = report.open().count();
    let (verdict, reason) = match &report.verdict {
        Verdict::Proved => ("proved", None),
        Verdict::Refuted(_) => ("refuted", None),
        Verdict::Unknown(reason) => ("unknown", Some(reason.clone())),
    };
    let kinds: Map<String, Value> = report
        .counts()
        .into_iter()
        .map(|(kind, (total, closed))| {
            (kind.name().to_owned(), json!({"total": total, "proved": closed}))
        })
        .collect();
    let open_places: Vec<Value> = report
        .open()
        .map(|obligation| {
            let Closed::Open(reason) = &obligation.status else { return Value::Null };
            json!({"kind": obligation.kind.name(), "place": obligation.place, "reason": reason})
        })
        .collect();
    let effort: Map<String, Value> = report
        .effort
        .iter()
        .map(|(purpose, (questions, time))| {
            let spent = json!({"questions": questions, "seconds": time.as_secs_f64()});
            (purpose.clone(), spent)
        })
        .collect();
    let value = json!({
        "verdict": verdict,
        "obligations": {"total": total, "proved": total - open, "refuted": 0, "unknown": open, "trusted": report.trusted_steps.len(), "kinds": kinds},
        "open": open_places,
        "assumptions": report.assumptions,
        "trusted_steps": report.trusted_steps,
        "notes": report.notes,
        "sizes": report.sizes,
        "below": report.below,
        "reason": reason,
        "seconds": report.time.as_secs_f64(),
        "queries": report.queries,
        "effort": effort,
    });
    let mut object = match value {
        Value::Object(object) => object,
        other @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)) => Map::from_iter([("report".to_owned(), other)]),
    };
    if let Verdict::Refuted(counterexample) = &report.verdict {
        object.insert("counterexample".to_owned(), counterexample_object(counterexample));
    }
    object
}

fn counterexample_object(counterexample: &Counterexample) -> Value {
    let array = |array: &Array| {
        let values: Vec<Value> =
            array.points().filter_map(|point| array.get(&point)).map(number).collect();
        json!({"type": array.scalar.name(), "shape": array.shape, "values": values})
    };
    let parameters: Map<String, Value> = counterexample
        .parameters
        .iter()
        .map(|(name, value)| (name.clone(), number(*value)))
        .collect();
    let inputs: Map<String, Value> =
        counterexample.inputs.iter().map(|(name, value)| (name.clone(), array(value))).collect();
    json!({
        "parameters": parameters,
        "inputs": inputs,
        "output": counterexample.output,
        "coordinates": counterexample.coords,
        "expected": counterexample.expected,
        "got": counterexample.got,
        "replayed": counterexample.replayed,
    })
}

/// A JSON number where there is one, else text.
fn number(value: Constant) -> Value {
    if let Some(float) = value.as_f64().or(value.as_f32().map(f64::from)) {
        return if float.is_finite() { json!(float) } else { json!(print::constant(value)) };
    }
    match value.as_integer().map(i64::try_from) {
        Some(Ok(integer)) => json!(integer),
        _ => json!(print::constant(value)),
    }
}
