//! `halidom diff`: two compiles of one pipeline by stock Halide compute the same, or differ on an
//! input.

use std::path::Path;
use std::time::Instant;

use halidom_driver::judge;
use halidom_driver::layout::Layout;
use halidom_driver::stock::diff::{Diff, Difference, Pair, SIDES, Sided};
use halidom_driver::stock::{Request, bridge};
use halidom_driver::subject::Subject;
use halidom_driver::wanted;
use halidom_ir::{Array, print};
use halidom_validate::Verdict as Outcome;
use serde_json::{Map, Value, json};

use super::validate::{annotated, counterexample, json, replay, show};
use super::{ended, solving};
use crate::args::DiffArgs;
use crate::output::{Ended, Output, Stop};
use crate::watch::Watch;

/// The part of the limit that proofs may take; the rest is for runs.
const PROOFS: f64 = 0.7;

pub(crate) fn run(args: &DiffArgs, output: &mut Output<'_>) -> Ended {
    ended(diff(args, output))
}

fn diff(args: &DiffArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    let begin = Instant::now();
    let limit = solving::seconds(args.limit, output)?;
    let mut options = solving::options(&args.solving, output)?.of_stock();
    let requests = requests(args, output)?;
    let _watch = Watch::begin("diff", limit, output.json, Box::new(|_, _| {}));
    options.asking.until = Some(begin + limit.mul_f64(PROOFS));
    let pair = Pair::read(requests.each_ref()).map_err(|(side, refusal)| {
        output.progress(&format!("the {side} compile is refused:"));
        output.unjudged(&refusal)
    })?;
    let mut judge = |subject: &Subject| {
        judge::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
    };
    let annotations = annotated::wanted(args.annotations);
    let compared = pair
        .compare(annotations, args.replay.as_deref(), &mut judge)
        .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))?;
    solving::keep(&args.solving, &options, output)?;
    for ((name, side), request) in SIDES.iter().zip(&compared.sides).zip(&requests) {
        show_side(name, side, request.file(), output);
    }
    show_runs(&pair, &compared, output);
    for side in &compared.sides {
        super::validate::faults(&side.judged.report, output)?;
    }
    let verdict = compared.answer();
    output.line(&format!("{:.1} s", begin.elapsed().as_secs_f64()));
    Ok(Ended::Judged(verdict))
}

/// The requests for both compiles.
fn requests(args: &DiffArgs, output: &mut Output<'_>) -> Result<[Request; 2], Stop> {
    let new = args.new.as_ref().unwrap_or(&args.old);
    let params = |own: &[String]| args.param.iter().chain(own).cloned().collect::<Vec<_>>();
    let mut one = |file: &Path, params, python: &Option<_>, target: &Option<_>| {
        let found = wanted::origin(file, args.generator_name.as_deref(), params);
        let (origin, compiled) = found.map_err(|refusal| output.refused(&refusal))?;
        let (target, python) = (target.clone(), python.clone());
        let job = bridge::Job { target, python, ..bridge::Job::of(origin) };
        let assumptions = args.assume.clone();
        Ok(Request { compiled, assumptions, ..Request::of_job(job) })
    };
    Ok([
        one(&args.old, params(&args.old_param), &args.old_python, &args.old_target)?,
        one(new, params(&args.new_param), &args.new_python, &args.new_target)?,
    ])
}

/// Shows the judgement of one side.
fn show_side(name: &str, side: &Sided, file: &Path, output: &mut Output<'_>) {
    let Sided { judged, verdict } = side;
    let by = match judged.stock.compiled_by() {
        Some((release, target)) => format!(", Halide {release}, {target}"),
        None => String::new(),
    };
    output.line(&format!("{name}: {}{by}", file.display()));
    for note in &judged.stock.notes {
        output.line(&format!("  {note}"));
    }
    let (subject, report) = (&judged.stock.subject, &judged.report);
    let layout = Layout::new(subject, report);
    output.verdict(verdict);
    let lines = match &report.verdict {
        Outcome::Refuted(found) => counterexample(subject, &layout, found),
        Outcome::Proved | Outcome::Unknown(_) => show::lines(subject, &layout, report),
    };
    for line in lines {
        output.line(&format!("    {line}"));
    }
    let mut object = json::object_of(subject, &layout, report);
    object.extend(verdict.json());
    output.set(name, Value::Object(object));
}

/// Shows what the runs of both codes gave.
fn show_runs(pair: &Pair, diff: &Diff, output: &mut Output<'_>) {
    output.set("runs", diff.runs);
    if let Some(reason) = &diff.not_run {
        output.line(&format!("runs: the codes were not run: {reason}"));
    }
    let Some(found) = &diff.difference else {
        if diff.runs > 0 {
            output.line(&format!(
                "runs: no difference beyond rounding on {} runs, which proves nothing",
                diff.runs
            ));
        }
        return;
    };
    output.line("they differ:");
    for line in show::inputs(&found.run.parameters, &found.run.inputs, &found.run.windows) {
        output.line(&format!("  {line}"));
    }
    let Difference { output: name, coords, got, defined, .. } = found;
    for side in [0, 1] {
        let (name, got, defined) = (&name[side], &got[side], &defined[side]);
        let says = if got == defined { "as".to_owned() } else { format!("and {defined} is what") };
        let word = SIDES[side];
        output.line(&format!("  {word}: {name}{coords:?} is {got}, {says} the pipeline says"));
        if got != defined && diff.sides[side].verdict.is_proved() {
            output.line(&format!(
                "  the {word} statement was proved, so this value contradicts the proof, or the \
                    code differs from the statement: please report it"
            ));
        }
    }
    let arrays = |values: &[(String, Array)]| {
        let shape = |(name, array): &(String, Array)| (name.clone(), json!(array.shape));
        values.iter().map(shape).collect::<Map<_, _>>()
    };
    let parameters = found.run.parameters.iter();
    let parameters = parameters.map(|(name, value)| (name.clone(), json!(print::constant(*value))));
    output.set(
        "difference",
        json!({
            "parameters": parameters.collect::<Map<_, _>>(),
            "inputs": arrays(&found.run.inputs),
            "windows": found.run.windows,
            "output": name[0],
            "coords": coords,
            "old": got[0],
            "new": got[1],
            "defined": { "old": defined[0], "new": defined[1] },
        }),
    );
    for (side, stock) in [&pair.old, &pair.new].into_iter().enumerate() {
        if got[side] != defined[side] {
            output.line(&format!("  the {} compile:", SIDES[side]));
            replay::show_pass(stock, &found.of_side(side), output);
        }
    }
}
