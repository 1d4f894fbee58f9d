//! `halidom validate`, and the presentation of a verdict for every command.

pub(super) mod annotated;
mod baseline;
mod compare;
mod cut;
pub(super) mod json;
mod judging;
mod junit;
pub(super) mod replay;
mod reports;
mod sarif;
mod sentence;
pub(super) mod show;
mod unwritten;

use std::path::Path;
use std::time::Instant;

use halidom_driver::baseline::Baseline;
use halidom_driver::input::Refusal;
use halidom_driver::judge::{self, Engine};
use halidom_driver::layout::Layout;
use halidom_driver::stock::Stock;
use halidom_driver::subject::Subject;
use halidom_validate::Report;
use halidom_verdict::Verdict;
use serde_json::{Map, Value};

use super::subjects::{SCHEDULES, Wanted};
use super::{ended, solving, subjects, write};
use crate::args::{self, ValidateArgs};
use crate::output::{Ended, Output, Stop};
use crate::watch::{self, Watch};

pub(crate) use json::object;
pub(crate) use judging::faults;
use judging::{Judged, Judging};
use reports::Reports;
pub(crate) use sentence::sentence;
pub(crate) use show::{counterexample, strict};

/// The message if there was nothing to validate.
const NOTHING: (&str, &str) = ("no program was chosen", "name a file with a pipeline");

pub(crate) fn run(args: &ValidateArgs, output: &mut Output<'_>) -> Ended {
    let reports = Reports::of(args);
    let mut all = Vec::new();
    let judged = reports.forget(output).and_then(|()| validate(args, &reports, &mut all, output));
    // The time limit has ended by now, so reports and exit status tell the same.
    let result = match judged {
        Ok(Judgement::Alone(ended)) => reports.ended(&ended, output).map(|()| ended),
        Ok(Judgement::Subjects(kind)) => {
            reports.write(&all, None, output).map(|()| concluded(args, kind, all, output))
        }
        Err(stop) => reports.stopped(&all, &stop, output).and(Err(stop)),
    };
    ended(result)
}

/// The end of a judgement.
enum Judgement {
    /// Every subject was judged; the kind of the subjects.
    Subjects(&'static str),
    /// Something without subjects was judged.
    Alone(Ended),
}

/// Prints a verdict with its foundations, and adds it to the JSON object.
pub(crate) fn present(subject: &Subject, report: &Report, output: &mut Output<'_>) -> Verdict {
    let layout = Layout::new(subject, report);
    output.extend(json::object_of(subject, &layout, report));
    show::show(subject, &layout, report, output);
    report.answer()
}

fn validate(
    args: &ValidateArgs,
    reports: &Reports,
    all: &mut Vec<Judged>,
    output: &mut Output<'_>,
) -> Result<Judgement, Stop> {
    if let Some(dump) = args.given.dump_alone() {
        return compare::run(dump, output).map(Judgement::Alone);
    }
    if args.end_with_input {
        watch::end_with_input();
    }
    let begin = Instant::now();
    let mut options = solving::options(&args.solving, output)?;
    let given = args.limit.map(|limit| solving::seconds(limit, output)).transpose()?;
    options.engine = match args.engine {
        args::Engine::Default => Engine::Default,
        args::Engine::Reference => Engine::Reference,
    };
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose();
    let baseline = baseline.map_err(|refusal| output.refused(&refusal))?;
    let wanted = subjects::wanted(&args.given, output)?;
    if let (Wanted::Choice(_), Some(folder)) = (&wanted, &args.replay) {
        let message =
            format!("`--replay {}` is about what stock Halide compiled", folder.display());
        let hint = "leave it out: `--json` has the inputs of a refutation";
        return Err(output.error("HAL0906", &message, hint));
    }
    let limit = match &wanted {
        Wanted::Choice(_) => given,
        Wanted::Stock(_) => given.or(Some(judge::STOCK_LIMIT)),
    };
    let watch = limit.map(|limit| {
        let reports = reports.clone();
        let late = move |verdict: &Verdict, output: &mut Output<'_>| {
            reports.overdue(verdict, output);
        };
        Watch::begin("validate", limit, output.json, Box::new(late))
    });
    options.asking.until = watch.as_ref().map(Watch::until);
    let (options, kind) = match &wanted {
        Wanted::Choice(choice) => {
            let judging = Judging { args, options, baseline, begin };
            let kind = judging.all_judged(choice, all, output);
            (judging.options, kind)
        }
        Wanted::Stock(request) => {
            let until = watch.as_ref().map(Watch::until);
            let refuted = |refusal: &Refusal, output: &mut Output<'_>| {
                if args.no_replay {
                    None
                } else {
                    unwritten::search(request, refusal, until, output)
                }
            };
            let stock = subjects::stock_or(request, refuted, output)?;
            if let Some(path) = &args.write_statement {
                write_statement(&stock, path, output)?;
            }
            let judging = Judging { args, options: options.of_stock(), baseline, begin };
            let judged = judging.stock_judged(&stock, "halide", output);
            let kind = judged.map(|judged| all.push(judged)).map(|()| SCHEDULES);
            (judging.options, kind)
        }
    };
    // Answers are kept even if a later subject is rejected.
    solving::keep(&args.solving, &options, output)?;
    kind.map(Judgement::Subjects)
}

/// Adds the verdicts to the JSON object, and folds them.
fn concluded(args: &ValidateArgs, kind: &str, all: Vec<Judged>, output: &mut Output<'_>) -> Ended {
    let object = |judged: &Judged| json::object_of(&judged.subject, &judged.layout, &judged.report);
    if let [only] = all.as_slice() {
        output.extend(object(only));
    } else {
        let objects = all.iter().map(|judged| (judged.key.clone(), Value::Object(object(judged))));
        output.set(kind, objects.collect::<Map<String, Value>>());
    }
    let verdict = Verdict::worst(all.iter().map(|judged| judged.verdict.clone()), NOTHING);
    if args.baseline.is_none() {
        return Ended::Judged(verdict);
    }
    let left: Vec<Verdict> = all.into_iter().filter_map(|judged| judged.left).collect();
    let left = (!left.is_empty()).then(|| Verdict::worst(left, NOTHING));
    Ended::Accepted { verdict, left }
}

/// Writes the judged statement, if its lossless form is known.
fn write_statement(stock: &Stock, path: &Path, output: &mut Output<'_>) -> Result<(), Stop> {
    let Some(text) = stock.lossless() else {
        let message = "of this statement the text alone is known, which is no dump";
        let hint = "give the pipeline without `--ir`, or a dump with it";
        return Err(output.error("HAL1205", message, hint));
    };
    write(path, text.as_bytes(), output)
}
