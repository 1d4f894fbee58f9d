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
mod choose;
mod counts;
mod course;
mod demands;
mod early;
mod error;
mod facts;
mod form;
mod halide;
mod hints;
mod last;
mod model;
mod moves;
mod options;
mod polish;
mod processor;
mod propose;
mod race;
mod reference;
mod sample;
mod search;
mod seeds;
mod statement;
mod unproved;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use halidom_ir::Schedule;
use halidom_lang::print_schedule;
use halidom_verdict::{Cause, Verdict};

pub use calibrate::{Calibration, calibrate, keep};
pub use counts::{Counts, Rejection};
pub use course::{Lead, within};
pub use error::{TuneError, wrong};
pub use model::{Explained, Model, explained};
pub use options::Options;
pub use processor::machine;
pub use reference::Reference;
pub use sample::{Agreement, Sample, Sampling, agreement, sample};
pub use search::Row;

use crate::bench::{Limits, measure, traffic};
use form::{Failure, words};
use halidom_driver::compile;
use halidom_driver::data::{self, Request};
use halidom_driver::execute;
use halidom_driver::source::{self, Loaded};
use halidom_driver::stock;
use reference::{Right, expected};
use search::{Last, Member, Search};

/// The part of the budget for the final timing, and an upper limit for that.
const LAST: (f64, Duration) = (0.15, Duration::from_secs(6));
/// The time limit for compiling a winner from its text alone: it was compiled before, with others.
const LAST_COMPILE: Duration = Duration::from_secs(30);
/// After so many found schedules that are no faster than the schedules to start with, no more of
/// them are timed.
const MOST_IN_VAIN: usize = 3;
/// The largest number of candidates that are given to the validator.
const MOST_VALIDATED: usize = 20;

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
    /// The schedules that took the lead, one after another.
    pub course: Vec<Lead>,
    /// The number of schedules that were estimated for the first proposals, and the time for that.
    pub estimated: Option<(usize, Duration)>,
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
    let threads = options.threads();
    let limits = measure(threads);
    let right = expected(&mut loaded, options, &toolchain, &prepared, progress)?;
    let bytes = traffic(&loaded.module.pool, &algorithm, &references[0], &prepared);
    if let Some(unscheduled) = &right.unscheduled {
        unscheduled.built.set_threads(threads);
    }
    let deadline = begin + right.validated_in + options.budget;
    let last = options.budget.mul_f64(LAST.0).min(LAST.1);
    // The rest of the budget is for the winner.
    let until = deadline.checked_sub(last).unwrap_or(deadline);
    let Right { expected, reference, unscheduled, compiled_in, validated_in } = right;
    let known = (expected, unscheduled);
    let mut search = Search::new(loaded, options, &toolchain, prepared, request, known);
    search.limit_compiles(compiled_in);
    search.begun = begin + validated_in;
    search.begin(until, progress)?;
    search.go(until, options, progress)?;
    let searched = begin.elapsed().saturating_sub(validated_in + search.judged_in);
    let Found { rows, winner, took } = settle(&mut search, options, last, progress)?;
    Ok(Tuning {
        pipeline: algorithm.name,
        rows,
        winner,
        counts: search.counts,
        course: search.course,
        estimated: search.estimated,
        differing: search.differing,
        reference,
        bytes,
        limits,
        took: searched + took,
    })
}

/// The winner, with the final times.
struct Found {
    rows: Vec<Row>,
    winner: Winner,
    /// The elapsed time, without the validator.
    took: Duration,
}

/// Validates the fastest candidates until one is proved, each as read again from its text. Of those
/// with the funcs at the same places, most wait after some are not proved. Times the proved one
/// together with the schedules that the search started with.
fn settle(
    search: &mut Search,
    options: &Options,
    limit: Duration,
    progress: &mut dyn FnMut(&str),
) -> Result<Found, TuneError> {
    let until = options.end_of_proofs();
    let mut took = Duration::ZERO;
    let mut first_verdict = search.unproved.verdict.clone();
    let mut tried = search.unproved.len();
    // The number of found schedules that turned out to be no faster than the schedules to start
    // with.
    let mut in_vain = 0;
    // A proved schedule, if another one to start with turned out to be faster, and the name of that
    // one.
    let mut slower: Option<(Found, String)> = None;
    let begin = Instant::now();
    search.rank_again(limit / 2);
    took += begin.elapsed();
    let mut queue: VecDeque<Arc<Member>> = search.ranked().into();
    let mut later = VecDeque::new();
    let mut are_all_slower = false;
    while tried < MOST_VALIDATED {
        let Some(member) = queue.pop_front().or_else(|| later.pop_front()) else {
            // The fastest of those that were dropped as slower may be proved.
            if are_all_slower || slower.is_some() {
                break;
            }
            are_all_slower = true;
            let begin = Instant::now();
            search.go_on_without(begin, progress)?;
            took += begin.elapsed();
            queue = search.ranked().into();
            continue;
        };
        if search.unproved.has(&member.directives) {
            continue;
        }
        let is_doubtful = search.is_like_unproved(&member.directives) && !search.is_proved(&member);
        if is_doubtful && !queue.is_empty() {
            later.push_back(member);
            continue;
        }
        if in_vain >= MOST_IN_VAIN && member.start.is_none() {
            continue;
        }
        if let Some((_, name)) = &slower
            && member.start.as_ref() != Some(name)
        {
            continue;
        }
        let is_known = member.start.is_some() || search.is_proved(&member);
        if !is_known && until.is_some_and(|until| Instant::now() >= until) {
            search.counts.reject(Rejection::NotProved);
            continue;
        }
        tried += 1;
        progress(&format!("validating number {tried} of the fastest"));
        let begin = Instant::now();
        let last = last(search, options, &member)?;
        took += begin.elapsed();
        let Ok(last) = last.map_err(|reason| search.counts.reject(reason)) else { continue };
        let begin = Instant::now();
        let verdict = last.built.judged(&options.judge_until(until.filter(|_| !is_known)));
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
                first_verdict.get_or_insert(verdict.clone());
                search.unproved.add(&search.facts, &member.directives, verdict);
                continue;
            }
        }
        let begin = Instant::now();
        let rows = search.last_times(&last, limit)?;
        took += begin.elapsed();
        let Some(rows) = rows else {
            search.counts.reject(Rejection::Slower);
            in_vain += 1;
            continue;
        };
        let Last { name, text, is_new, .. } = last;
        let rivals = rows.iter().filter(|row| !search.is_unproved_start(&row.schedule));
        let faster = faster_than(rivals, &name).filter(|_| !is_new && slower.is_none());
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
fn faster_than<'r>(rows: impl Iterator<Item = &'r Row>, name: &str) -> Option<&'r str> {
    let fastest = rows.min_by_key(|row| row.median)?;
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
        assert_eq!(faster_than(rows.iter(), "application"), Some("best"));
        assert_eq!(faster_than(rows.iter(), "best"), None);
        assert_eq!(faster_than([].iter(), "best"), None);
    }
}
