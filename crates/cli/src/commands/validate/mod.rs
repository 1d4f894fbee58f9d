//! `halidom validate`, and the presentation of a verdict for every command.

pub(super) mod annotated;
mod baseline;
mod compare;
pub(super) mod json;
mod judged;
mod junit;
pub(super) mod replay;
mod sarif;
mod sentence;
pub(super) mod show;

use std::path::Path;
use std::time::{Duration, Instant};

use halidom_driver::baseline::Baseline;
use halidom_driver::files;
use halidom_driver::judge::{self, Engine};
use halidom_driver::layout::Layout;
use halidom_driver::stock::{self, Stock};
use halidom_driver::subject::Subject;
use halidom_validate::{Report, Verdict as Outcome};
use halidom_verdict::Verdict;
use serde_json::{Map, Value};

use super::subjects::{SCHEDULES, Wanted};
use super::{ended, solving, subjects};
use crate::args::{self, ValidateArgs};
use crate::output::{Ended, Output, Stop};
use crate::watch::{self, Watch};

pub(crate) use json::object;
use judged::Judged;
pub(crate) use sentence::sentence;
pub(crate) use show::{counterexample, strict};

/// The time limit of a judgement of stock Halide, if none is given.
const STOCK_LIMIT: Duration = Duration::from_mins(1);
/// The message if there was nothing to validate.
const NOTHING: (&str, &str) = ("no program was chosen", "name a file with a pipeline");

pub(crate) fn run(args: &ValidateArgs, output: &mut Output<'_>) -> Ended {
    ended(validate(args, output))
}

/// Prints a verdict with its foundations, and adds it to the JSON object.
pub(crate) fn present(subject: &Subject, report: &Report, output: &mut Output<'_>) -> Verdict {
    let layout = Layout::new(subject, report);
    output.extend(json::object_of(subject, &layout, report));
    show::show(subject, &layout, report, output);
    report.answer()
}

fn validate(args: &ValidateArgs, output: &mut Output<'_>) -> Result<Ended, Stop> {
    if let Some(dump) = args.given.dump_alone() {
        return compare::run(dump, output);
    }
    if args.end_with_input {
        watch::end_with_input();
    }
    // Reports of an earlier run must not stand for this one, however it ends.
    for path in args.junit.iter().chain(&args.sarif) {
        super::forget(path, output)?;
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
    let mut all: Vec<Judged> = Vec::new();
    let wanted = subjects::wanted(&args.given, output)?;
    let limit = match &wanted {
        Wanted::Choice(_) => given,
        Wanted::Stock(_) => given.or(Some(STOCK_LIMIT)),
    };
    let watch = limit.map(|limit| Watch::begin("validate", limit, output.json));
    options.asking.until = watch.as_ref().map(Watch::until);
    let (file, stock) = match &wanted {
        Wanted::Choice(choice) => (choice.file.clone(), None),
        Wanted::Stock(request) => {
            (request.file().to_owned(), Some(subjects::stock(request, output)?))
        }
    };
    if stock.is_some() {
        options = options.of_stock();
    }
    if let (Some(path), Some(stock)) = (&args.write_statement, &stock) {
        write_statement(stock, path, output)?;
    }
    let annotations = annotated::wanted(args.annotations);
    let mut each = |key: &str,
                    subject: Subject,
                    _: Option<String>,
                    output: &mut Output<'_>|
     -> Result<(), Stop> {
        let mut options = options.clone();
        options.asking.emit_smt =
            args.emit_smt.as_ref().map(|folder| folder.join(&subject.pipeline).join(key));
        output.line(&format!("{}:", subject.title()));
        let begin = if stock.is_some() { begin } else { Instant::now() };
        let mut judge = |subject: &Subject| {
            judge::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
        };
        let (subject, stock, mut report) = match &stock {
            None => {
                let report = judge(&subject);
                (subject, None, report)
            }
            Some(stock) => {
                let judged = stock::judged(stock, annotations, &mut judge);
                annotated::show(&judged, output);
                (judged.stock.subject.clone(), Some(judged.stock), judged.report)
            }
        };
        let found = match &report.verdict {
            Outcome::Refuted(found) => Some(found.clone()),
            Outcome::Proved | Outcome::Unknown(_) => None,
        };
        let folder = args.replay.as_deref();
        let replayed = stock.as_ref().filter(|_| !args.no_replay);
        let replayed = replayed.map(|stock| stock::bear_out(stock, &mut report, folder));
        let replayed = replayed
            .transpose()
            .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))?;
        // The printed time is the time of the wait, with the compiles of stock Halide.
        report.time = begin.elapsed();
        let layout = Layout::new(&subject, &report);
        if let Some(path) = &args.write_program {
            write_file(path, &layout.listing.text, output)?;
        }
        show::show(&subject, &layout, &report, output);
        show::show_stores(&subject, &layout, &report, output);
        if let (Some(found), Outcome::Unknown(_)) = (&found, &report.verdict) {
            // A refutation that the compiled code does not confirm helps to maintain the
            // translation.
            for line in counterexample(&subject, &layout, found) {
                output.detail(&format!("  not borne out: {line}"));
            }
        }
        if let (Some(stock), Some(Some(replay))) = (&stock, &replayed) {
            replay::show(stock, replay, &report, output);
        }
        faults(&report, output)?;
        let recorded = baseline.as_ref().and_then(|baseline| baseline.verdict(&subject)).cloned();
        let verdict = report.answer();
        let left = match &baseline {
            Some(_) => baseline::compared(&verdict, recorded.as_ref(), output),
            None => Some(verdict.clone()),
        };
        let key = key.to_owned();
        all.push(Judged { key, subject, report, layout, verdict, left, recorded });
        Ok(())
    };
    let kind = match (&stock, &wanted) {
        (None, Wanted::Choice(choice)) => subjects::for_each(choice, output, &mut each),
        (Some(stock), _) => each("halide", stock.subject.clone(), None, output).map(|()| SCHEDULES),
        (None, Wanted::Stock(_)) => Ok(SCHEDULES),
    };
    // Answers are kept even if a later subject is rejected.
    solving::keep(&args.solving, &options, output)?;
    let kind = kind?;
    // Reports and exit status must tell the same, so the time limit ends before the first report.
    drop(watch);
    write(args, &file, &all, output)?;
    let object = |judged: &Judged| json::object_of(&judged.subject, &judged.layout, &judged.report);
    if let [only] = all.as_slice() {
        output.extend(object(only));
    } else {
        let objects = all.iter().map(|judged| (judged.key.clone(), Value::Object(object(judged))));
        output.set(kind, objects.collect::<Map<String, Value>>());
    }
    let verdict = Verdict::worst(all.iter().map(|judged| judged.verdict.clone()), NOTHING);
    if baseline.is_none() {
        return Ok(Ended::Judged(verdict));
    }
    let left: Vec<Verdict> = all.into_iter().filter_map(|judged| judged.left).collect();
    let left = (!left.is_empty()).then(|| Verdict::worst(left, NOTHING));
    Ok(Ended::Accepted { verdict, left })
}

/// Writes the judged statement, if its lossless form is known.
fn write_statement(stock: &Stock, path: &Path, output: &mut Output<'_>) -> Result<(), Stop> {
    let Some(text) = stock.lossless() else {
        let message = "of this statement the text alone is known, which is no dump";
        let hint = "give the pipeline without `--ir`, or a dump with it";
        return Err(output.error("HAL1205", message, hint));
    };
    write_file(path, &text, output)
}

/// Writes a text to a file that the user names.
fn write_file(path: &Path, text: &str, output: &mut Output<'_>) -> Result<(), Stop> {
    files::write_bytes(path, text.as_bytes())
        .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))
}

/// Reports loudly anything that makes every verdict of the run doubtful.
pub(crate) fn faults(report: &Report, output: &mut Output<'_>) -> Result<(), Stop> {
    if let Some(reason) = &report.solver.not_kept {
        let message = format!("cannot keep the questions to the solver: {reason}");
        return Err(output.error("HAL0805", &message, "check the folder of `--emit-smt`"));
    }
    if report.solver.disagreements.is_empty() {
        return Ok(());
    }
    let mut purposes: Vec<&str> = report.solver.disagreements.iter().map(String::as_str).collect();
    purposes.sort_unstable();
    purposes.dedup();
    let message = format!(
        "the solvers disagree: the first refutes what the second has a model of ({})",
        purposes.join(", ")
    );
    let hint = "one of them is wrong: keep the questions with `--emit-smt DIR` and report them to \
        the solvers' authors";
    output.error("HAL0907", &message, hint);
    Err(Stop::Disagreement)
}

/// Writes the reports for other tools.
fn write(
    args: &ValidateArgs,
    file: &Path,
    all: &[Judged],
    output: &mut Output<'_>,
) -> Result<(), Stop> {
    let mut texts = Vec::new();
    if let Some(path) = &args.junit {
        let text = junit::text(file, all).map_err(|error| {
            output.error("HAL0805", &format!("`{}`: {error}", path.display()), "use `--json`")
        })?;
        texts.push((path, text));
    }
    texts.extend(args.sarif.as_ref().map(|path| (path, sarif::text(file, all))));
    for (path, text) in texts {
        files::write_bytes(path, text.as_bytes())
            .map_err(|error| output.error(error.code(), &error.to_string(), error.hint()))?;
    }
    Ok(())
}
