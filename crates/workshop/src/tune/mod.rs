//! Search for fast schedules within a time budget.
//!
//! A candidate is a schedule as data. The compiler decides whether it is legal. The first run of
//! each candidate is compared with the outputs of another form, and the validator must prove a
//! candidate before it can win. The search starts with the file's schedules and with some that are
//! made from the algorithm. It continues with small random changes of the best ones. Candidates are
//! timed in turn with the best one so far, so that a busy machine slows both.

mod asked;
mod batch;
mod calibrate;
mod counts;
mod demands;
mod error;
mod facts;
mod form;
mod halide;
mod hints;
mod model;
mod moves;
mod options;
mod polish;
mod processor;
mod propose;
mod race;
mod sample;
mod search;
mod seeds;
mod statement;

use std::sync::Arc;
use std::time::{Duration, Instant};

use halidom_ir::Schedule;
use halidom_lang::print_schedule;
use halidom_verdict::{Cause, Verdict};

pub use calibrate::{Calibration, calibrate, keep};
pub use counts::{Counts, Rejection};
pub use error::{TuneError, wrong};
pub use model::{Explained, Model, explained};
pub use options::Options;
pub use processor::machine;
pub use sample::{Agreement, Sample, Sampling, agreement, sample};
pub use search::Row;

use crate::bench::{Likeness, Limits, measure, traffic};
use form::{Built, Expected, Failure, Form, words};
use halidom_driver::compile;
use halidom_driver::data::{self, Prepared, Request};
use halidom_driver::execute;
use halidom_driver::source::{self, DEFAULT_SCHEDULE, Loaded};
use halidom_driver::stock;
use search::{Last, Member, Search, Unscheduled};

/// If a run of the unscheduled form is at most this long, the interpreter provides the expected
/// outputs.
const CHEAP: Duration = Duration::from_micros(300);
/// The part of the budget for the final timing, and an upper limit for that.
const LAST: (f64, Duration) = (0.15, Duration::from_secs(6));
/// The time limit for compiling a winner from its text alone: it was compiled before, with others.
const LAST_COMPILE: Duration = Duration::from_secs(30);
/// The largest number of candidates that are given to the validator.
const MOST_VALIDATED: usize = 20;

/// The source of the expected outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The interpreter of the algorithm itself.
    Interpreter,
    /// The native unscheduled form, which is proved.
    Unscheduled,
    /// The native unscheduled form, on which the validator could not decide, with its reason.
    Undecided(String),
}

/// The fastest schedule that is proved.
#[derive(Clone, Debug)]
pub struct Winner {
    /// Its name. A new schedule gets a name that no schedule of the pipeline has.
    pub name: String,
    /// Its text. For our own compiler, a new schedule was read again from this text and compiled,
    /// so the proof is about the text. For stock Halide, these are the directives of the script.
    pub text: String,
    /// The whole script that the installed Halide compiles, if the search is for it. The proof is
    /// about the statement of this script, and the text is its schedule.
    pub script: Option<String>,
    /// True if the search found it; false if nothing was faster than the schedules to start with.
    pub is_new: bool,
    /// Its verdict, which is a proof.
    pub verdict: Verdict,
    /// The validator's time.
    pub validated_in: Duration,
}

/// The results of a search.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// The pipeline.
    pub pipeline: String,
    /// The schedules to start with, and the winner last.
    pub rows: Vec<Row>,
    /// The winner.
    pub winner: Winner,
    /// The candidates' fates.
    pub counts: Counts,
    /// The source of the expected outputs.
    pub reference: Reference,
    /// The number of bytes of the needed inputs and of the outputs.
    pub bytes: u64,
    /// The scripts for which stock Halide's code gave other outputs than the unscheduled form, or
    /// was refuted.
    pub differing: Vec<String>,
    /// The machine's limits.
    pub limits: Limits,
    /// The time of the search, without the validator.
    pub took: Duration,
}

impl Tuning {
    /// The time for moving the inputs and outputs once at this machine's speed.
    pub fn least_time(&self) -> Duration {
        Duration::from_secs_f64(self.bytes as f64 / self.limits.bytes_per_second)
    }

    /// The winner's row.
    pub fn best(&self) -> Option<&Row> {
        self.rows.last()
    }
}

/// Runs a search. Reports its steps to `progress`.
///
/// # Errors
/// Returns the reason if the search cannot start, if a schedule is compiled wrongly, or if no
/// schedule is proved.
pub fn run(
    loaded: &Loaded,
    options: &Options,
    request: &Request,
    progress: &mut dyn FnMut(&str),
) -> Result<Tuning, TuneError> {
    let begin = Instant::now();
    let mut loaded = loaded.clone();
    let references =
        compile::references(&mut loaded, options.pipeline).map_err(TuneError::Refused)?;
    let algorithm = loaded.module.pipelines[options.pipeline].algorithm.clone();
    let toolchain = execute::toolchain()?;
    let prepared = data::prepare(&loaded.module.pool, &algorithm, &references, request)?;
    let prepared = Arc::new(prepared);
    let threads = options
        .threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let limits = measure(threads);
    progress("running the unscheduled form, which says what is right");
    let right = expected(&loaded, options, &toolchain, &prepared)?;
    let bytes = traffic(&loaded.module.pool, &algorithm, &references[0], &prepared);
    right.unscheduled.built.set_threads(threads);
    let deadline = begin + right.validated_in + options.budget;
    let last = options.budget.mul_f64(LAST.0).min(LAST.1);
    // The rest of the budget is for the winner.
    let until = deadline.checked_sub(last).unwrap_or(deadline);
    let Right { expected, reference, unscheduled, validated_in } = right;
    let known = (expected, unscheduled);
    let mut search = Search::new(loaded, options, &toolchain, prepared, request, known);
    search.begin(until, progress)?;
    search.go(until, &options.judge, progress)?;
    let searched = begin.elapsed().saturating_sub(validated_in + search.judged_in);
    let Found { rows, winner, took } = settle(&mut search, options, last, progress)?;
    Ok(Tuning {
        pipeline: algorithm.name,
        rows,
        winner,
        counts: search.counts,
        differing: search.differing,
        reference,
        bytes,
        limits,
        took: searched + took,
    })
}

/// The expected results, with their source.
struct Right {
    expected: Arc<Expected>,
    reference: Reference,
    unscheduled: Unscheduled,
    validated_in: Duration,
}

fn expected(
    loaded: &Loaded,
    options: &Options,
    toolchain: &halidom_codegen::Toolchain,
    prepared: &Arc<Prepared>,
) -> Result<Right, TuneError> {
    let schedule = DEFAULT_SCHEDULE.to_owned();
    let fails = |failure: Failure| match failure {
        Failure::Refused(diagnostics) => TuneError::Refused(diagnostics),
        other @ (Failure::NotCompiled(_)
        | Failure::SlowToCompile
        | Failure::EntryCheck(_)
        | Failure::Run(_)
        | Failure::SlowToRun
        | Failure::Ended) => TuneError::Start { schedule: schedule.clone(), reason: words(&other) },
    };
    let limit = options.budget.max(Duration::from_secs(10));
    let (copy, pipeline, compiler) = (loaded.clone(), options.pipeline, toolchain.clone());
    let make = move || form::compile(copy, pipeline, None, &compiler).map(Arc::new);
    let mut form = Form::start(make, prepared, limit).map_err(|(failure, _)| fails(failure))?;
    let mut took = form.run(1, limit).map_err(fails)?;
    // A short run may have waited for other work.
    for _ in 0..2 {
        if (CHEAP..20 * CHEAP).contains(&took) {
            took = took.min(form.run(1, limit).map_err(fails)?);
        }
    }
    let outputs = form.outputs().map_err(fails)?;
    let built = Arc::clone(&form.built);
    let begin = Instant::now();
    let Built { pool, algorithm, .. } = &*built;
    let judged = built.judged(&options.judge);
    let validated_in = begin.elapsed();
    let wrong = |how: String| TuneError::Wrong { text: schedule.clone(), how };
    let mut reference = match judged {
        Verdict::Proved(_) => Reference::Unscheduled,
        Verdict::Refuted(refuted) => {
            return Err(wrong(format!("the validator refutes it: {}", refuted.first())));
        }
        Verdict::Unknown(unknown) => Reference::Undecided(unknown.first().to_owned()),
        Verdict::Nothing(nothing) => Reference::Undecided(nothing.what),
    };
    let nearly = algorithm.fast_math.then(|| Likeness::of(pool, algorithm));
    let mut expected = Arc::new(Expected { outputs, nearly: nearly.clone() });
    if took <= CHEAP
        && let Ok(outputs) = execute::interpret(pool, algorithm, prepared)
    {
        expected = Arc::new(Expected { outputs, nearly });
        if !form.agrees(&expected).map_err(fails)? {
            return Err(wrong("its outputs are not the interpreter's".to_owned()));
        }
        reference = Reference::Interpreter;
    }
    if options.halide.is_some() {
        // Stock Halide may regroup floats.
        let nearly = Some(Likeness::of(pool, algorithm));
        expected = Arc::new(Expected { outputs: expected.outputs.clone(), nearly });
    }
    Ok(Right { expected, reference, unscheduled: Unscheduled { built, took }, validated_in })
}

/// The winner, with the final times.
struct Found {
    rows: Vec<Row>,
    winner: Winner,
    /// The elapsed time, without the validator.
    took: Duration,
}

/// Validates the fastest candidates until one is proved, each as read again from its text. Times it
/// together with the schedules that the search started with.
fn settle(
    search: &mut Search,
    options: &Options,
    limit: Duration,
    progress: &mut dyn FnMut(&str),
) -> Result<Found, TuneError> {
    let mut took = Duration::ZERO;
    let mut first_verdict = None;
    let mut tried = 0;
    // True once a found schedule turned out to be no faster than the schedules to start with.
    let mut in_vain = false;
    // A proved schedule, if another one to start with turned out to be faster, and the name of that
    // one.
    let mut slower: Option<(Found, String)> = None;
    for member in search.ranked().iter().take(MOST_VALIDATED) {
        if in_vain && member.start.is_none() {
            continue;
        }
        if let Some((_, name)) = &slower
            && member.start.as_ref() != Some(name)
        {
            continue;
        }
        tried += 1;
        progress(&format!("validating number {tried} of the fastest"));
        let begin = Instant::now();
        let last = last(search, options, member)?;
        took += begin.elapsed();
        let last = match last {
            Ok(last) => last,
            Err(reason) => {
                search.counts.reject(reason);
                continue;
            }
        };
        let begin = Instant::now();
        let verdict = last.built.judged(&options.judge);
        let validated_in = begin.elapsed();
        let script = halide::script(&last.built).map(str::to_owned);
        match &verdict {
            Verdict::Proved(_) => {}
            Verdict::Refuted(_) if script.is_some() => {
                search.differing.extend(script);
                search.counts.reject(Rejection::Differs);
                first_verdict.get_or_insert(verdict);
                continue;
            }
            Verdict::Refuted(refuted) => {
                let how = format!("the validator refutes it: {}", refuted.first());
                return Err(TuneError::Wrong { text: last.text, how });
            }
            Verdict::Unknown(_) | Verdict::Nothing(_) => {
                progress(&format!("not proved: {}\n{}", verdict.sentence(), last.text));
                search.counts.reject(Rejection::NotProved);
                first_verdict.get_or_insert(verdict);
                continue;
            }
        }
        let begin = Instant::now();
        let rows = search.last_times(&last, limit)?;
        took += begin.elapsed();
        let Some(rows) = rows else {
            search.counts.reject(Rejection::Slower);
            in_vain = true;
            continue;
        };
        let Last { name, text, is_new, .. } = last;
        let faster = faster_than(&rows, &name).filter(|_| !is_new && slower.is_none());
        let faster = faster.map(str::to_owned);
        let winner = Winner { name, text, script, is_new, verdict, validated_in };
        let found = Found { rows, winner, took };
        match faster {
            Some(faster) => slower = Some((found, faster)),
            None => return Ok(found),
        }
    }
    if let Some((found, _)) = slower {
        return Ok(Found { took, ..found });
    }
    Err(TuneError::NotProved {
        tried,
        verdict: Box::new(
            first_verdict.unwrap_or_else(|| {
                Verdict::unknown(Cause::Part, "none is faster when timed again")
            }),
        ),
        counts: Box::new(search.counts.clone()),
        differing: search.differing.clone(),
    })
}

/// The fastest of the timed schedules, unless it is the one with this name.
fn faster_than<'r>(rows: &'r [Row], name: &str) -> Option<&'r str> {
    let fastest = rows.iter().min_by_key(|row| row.median)?;
    (fastest.schedule != name).then_some(fastest.schedule.as_str())
}

/// Prints a schedule and compiles it again from that text, appended to the file's. A schedule of
/// the file keeps its existing form.
/// Rejects it if that takes too long, as it may on a busy machine, or if it cannot be printed.
fn last(
    search: &Search,
    options: &Options,
    member: &Member,
) -> Result<Result<Last, Rejection>, TuneError> {
    let base = &search.loaded;
    let pipeline = &base.module.pipelines[options.pipeline];
    let is_new = member.start.is_none();
    let name = member.start.clone().unwrap_or_else(|| unused(pipeline));
    let schedule = Schedule { name: name.clone(), directives: member.directives.clone() };
    let (pool, algorithm) = (&base.module.pool, &pipeline.algorithm);
    let text = match options.halide {
        None => print_schedule(pool, algorithm, &schedule).map_err(|unprintable| {
            TuneError::Start { schedule: name.clone(), reason: unprintable.to_string() }
        })?,
        Some(language) => match stock::directives(pool, algorithm, &schedule, language) {
            Ok(text) => text,
            Err(_) => return Ok(Err(Rejection::NotCompiled)),
        },
    };
    // Stock Halide compiles a script again when it is validated.
    if !is_new || options.halide.is_some() {
        let built = Arc::clone(&member.built);
        return Ok(Ok(Last { name, text, is_new, built, prepared: None }));
    }
    let wrong = |how: &str| TuneError::Wrong { text: text.clone(), how: how.to_owned() };
    let whole = format!("{}\n{text}", base.text());
    let mut again = source::parse(base.sources.name(pipeline.span.file), whole);
    let not_read = || wrong("its text is not read as a schedule");
    if again.module.has_errors() {
        return Err(not_read());
    }
    let found = &mut again.module.pipelines[options.pipeline];
    let read = found.schedules.pop().filter(|read| read.schedule.name == name);
    let schedule = read.ok_or_else(not_read)?.schedule;
    let algorithm = found.algorithm.clone();
    // The inputs are the same, as they are made from the same references.
    let references =
        compile::references(&mut again, options.pipeline).map_err(TuneError::Refused)?;
    let pool = &again.module.pool;
    let prepared = data::prepare(pool, &algorithm, &references, &search.request)?;
    let pipeline = options.pipeline;
    let toolchain = search.toolchain.clone().within(LAST_COMPILE);
    let built = match form::compile(again, pipeline, Some(schedule), &toolchain) {
        Ok(built) => Arc::new(built),
        Err(Failure::SlowToCompile) => return Ok(Err(Rejection::SlowToCompile)),
        Err(failure) => return Err(wrong(&words(&failure))),
    };
    Ok(Ok(Last { name, text, is_new, built, prepared: Some(Arc::new(prepared)) }))
}

/// A name that no schedule of a pipeline has.
fn unused(pipeline: &halidom_lang::Pipeline) -> String {
    let mut name = "tuned".to_owned();
    let mut number = 1;
    while pipeline.schedule(&name).is_some() {
        number += 1;
        name = format!("tuned_{number}");
    }
    name
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Row, faster_than};

    #[test]
    fn what_was_timed_says_which_is_fastest() {
        let row = |schedule: &str, median| {
            let median = Duration::from_micros(median);
            Row { schedule: schedule.to_owned(), median, least: median, most: median }
        };
        let rows = [row("best", 700), row("application", 1300)];
        assert_eq!(faster_than(&rows, "application"), Some("best"));
        assert_eq!(faster_than(&rows, "best"), None);
        assert_eq!(faster_than(&[], "best"), None);
    }
}
