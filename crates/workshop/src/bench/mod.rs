//! Benchmarks of schedules, compared with each other and with stock Halide's compilations of them.
//!
//! All forms of a pipeline get the same inputs. They are called in turn in one process, and each
//! round begins with another form. The time of a form is its median over the rounds. The benchmark
//! compares the computed results. Since only validated programs are worth timing, each form of ours
//! carries its verdict.

mod compare;
mod halide;
mod limits;
mod plot;

use std::time::{Duration, Instant};

use halidom_codegen::{CompileError, HalideError};
use halidom_diag::Diagnostic;
use halidom_ir::Array;
use halidom_verdict::{Evidence, Ran, Verdict};

pub(crate) use compare::{Likeness, TOLERANCE, furthest, identical};
pub(crate) use limits::measure;
pub use limits::{Limits, traffic};
pub use plot::svg;

pub(crate) use halide::{HalideForm, HalideRun, compile_all};
use halidom_driver::compile;
use halidom_driver::data::{self, DataError, Prepared, Request};
use halidom_driver::execute::{self, BuildError, ExecuteError, Native, Placed};
use halidom_driver::judge;
use halidom_driver::source::{Choice, DEFAULT_SCHEDULE, Loaded};
use halidom_driver::subject::{self, Subject};

/// The number of warm-up rounds after the first calls. They are skipped if they would take a large
/// part of the budget.
const WARM: usize = 2;
/// The least number of rounds for which the budget must suffice before warm-up rounds are run.
const ROOM: usize = 20;
/// The least number of timed rounds, however slow the forms are.
const FEWEST_ROUNDS: usize = 5;

/// Options of a benchmark.
#[derive(Clone, Debug)]
pub struct Options {
    /// The pipeline's number in its module.
    pub pipeline: usize,
    /// The schedules' numbers; `None` is the unscheduled form.
    pub schedules: Vec<Option<usize>>,
    /// True if stock Halide compiles the same schedules.
    pub halide: bool,
    /// Thread counts; each gets a table.
    pub threads: Vec<usize>,
    /// The largest number of timed rounds.
    pub rounds: usize,
    /// The time limit for the rounds with one thread count. It reduces the number of rounds, but
    /// never below five.
    pub budget: Duration,
    /// The validation options; `None` skips validation.
    pub judge: Option<judge::Options>,
}

/// The compiler of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// This compiler.
    Halidom,
    /// Stock Halide.
    Halide,
}

impl Maker {
    /// The maker's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Halidom => "halidom",
            Self::Halide => "halide",
        }
    }
}

/// The times of one form with one thread count.
#[derive(Clone, Debug)]
pub struct Row {
    /// The schedule's name.
    pub schedule: String,
    /// The compiler of the form.
    pub maker: Maker,
    /// The number of threads.
    pub threads: usize,
    /// The median over the rounds.
    pub median: Duration,
    /// The shortest time.
    pub least: Duration,
    /// The longest of the shortest nine tenths of the times.
    pub most: Duration,
    /// The number of timed rounds.
    pub rounds: usize,
    /// The distance of the results from the first form's results, relative to the largest differing
    /// element; 0 for the first form.
    pub distance: f64,
    /// The verdict on a form of ours, if validation was requested.
    pub verdict: Option<Verdict>,
}

impl Row {
    /// Tests whether the results agree with the first form's, up to the effect of regrouping on
    /// floats and on integers that are made of them.
    pub fn agrees(&self) -> bool {
        self.distance <= TOLERANCE
    }
}

/// The results of a benchmark.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The pipeline's name.
    pub pipeline: String,
    /// The rows, ordered by thread count and then by schedule as given, ours before Halide's.
    pub rows: Vec<Row>,
    /// Forms that could not be compiled or run, with the reasons.
    pub left_out: Vec<(String, Maker, String)>,
    /// The number of bytes of the needed inputs and of the outputs.
    pub bytes: u64,
    /// The machine's limits, for each thread count.
    pub limits: Vec<Limits>,
}

impl Bench {
    /// The verdict: a form that computes something else than the others is wrong. `None` if
    /// schedules were timed, and nobody wanted them judged.
    pub fn verdict(&self, are_judged: bool) -> Option<Verdict> {
        let judged = self.rows.iter().filter_map(|row| {
            if row.agrees() {
                return row.verdict.clone();
            }
            let got = format!("something else, by {} under {}", row.maker.name(), row.schedule);
            let evidence = Evidence::of(Ran::CompiledCode, "what the others compute", got);
            Some(Verdict::refuted(evidence))
        });
        let judged: Vec<Verdict> = judged.collect();
        if judged.is_empty() && !are_judged && !self.rows.is_empty() {
            return None;
        }
        let nothing = ("no schedule was timed", "name a schedule of the pipeline with `-s`");
        Some(Verdict::worst(judged, nothing))
    }

    /// Halide's row for the schedule and thread count of a row of ours.
    pub fn beside(&self, own: &Row) -> Option<&Row> {
        self.rows.iter().find(|row| {
            row.maker == Maker::Halide && row.schedule == own.schedule && row.threads == own.threads
        })
    }

    /// The time for moving the inputs and outputs once at this machine's speed.
    pub fn least_time(&self, threads: usize) -> Option<Duration> {
        let limits = self.limits.iter().find(|limits| limits.threads == threads)?;
        Some(Duration::from_secs_f64(self.bytes as f64 / limits.bytes_per_second))
    }
}

/// The reason why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A schedule is refused.
    #[error("a schedule is refused")]
    Refused(Vec<Diagnostic>),
    /// The inputs cannot be prepared.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The C compiler is missing or fails.
    #[error(transparent)]
    Toolchain(#[from] CompileError),
    /// A program cannot be compiled.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A run fails.
    #[error("{schedule}: {error}")]
    Run {
        /// The schedule's name.
        schedule: String,
        /// The reason.
        error: ExecuteError,
    },
}

/// A form with its arrays in place.
struct Form<'f> {
    schedule: String,
    maker: Maker,
    verdict: Option<Verdict>,
    code: Code<'f>,
    times: Vec<Duration>,
}

/// Code with its arguments in place, ours or Halide's.
pub(crate) enum Code<'f> {
    Own(&'f Native, Placed<'f>),
    Halide(&'f HalideForm, HalideRun<'f>),
}

/// The reason why code does not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FormError {
    #[error(transparent)]
    Own(#[from] ExecuteError),
    #[error(transparent)]
    Halide(#[from] HalideError),
}

impl Code<'_> {
    /// Runs it once.
    pub(crate) fn run(&mut self) -> Result<(), FormError> {
        match self {
            Self::Own(_, placed) => placed.run()?,
            Self::Halide(_, run) => run.call.run()?,
        }
        Ok(())
    }

    fn set_threads(&self, count: usize) {
        match self {
            Self::Own(native, _) => native.set_threads(count),
            Self::Halide(form, _) => form.library.set_threads(count),
        }
    }

    /// The outputs of the last run; `None` if they cannot be read.
    pub(crate) fn outputs(&mut self) -> Option<Vec<Array>> {
        match self {
            Self::Own(_, placed) => placed.outputs().ok(),
            Self::Halide(_, run) => run.outputs(),
        }
    }
}

/// Compiles, validates and times the forms. Reports its steps to `progress`.
///
/// # Errors
/// Returns the reason why a form of ours cannot be compiled or run. Forms of Halide that fail are
/// left out.
pub fn run(
    loaded: &mut Loaded,
    options: &Options,
    request: &Request,
    progress: &mut dyn FnMut(&str),
) -> Result<Bench, BenchError> {
    let references = compile::references(loaded, options.pipeline).map_err(BenchError::Refused)?;
    let toolchain = execute::toolchain()?;
    let mut left_out = Vec::new();
    let mut own = Vec::new();
    let mut foreign = Vec::new();
    let algorithm = loaded.module.pipelines[options.pipeline].algorithm.clone();
    let prepared = data::prepare(&loaded.module.pool, &algorithm, &references, request)?;
    for schedule in &options.schedules {
        let choice = Choice { pipeline: options.pipeline, schedule: *schedule };
        let name = schedule_name(loaded, &choice);
        progress(&format!("{name}: compiling"));
        let subject =
            subject::compiled(loaded, &choice, &mut |_, _, _| {}).map_err(BenchError::Refused)?;
        let native = execute::build(
            &subject.pool,
            &subject.compiled.program,
            &toolchain,
            execute::host(&algorithm),
        )?;
        let verdict = options.judge.as_ref().map(|judging| {
            progress(&format!("{name}: validating"));
            judge::judge(&subject.pool, &subject.algorithm, &subject.compiled, judging).answer()
        });
        if options.halide {
            progress(&format!("{name}: compiling with Halide"));
            match halide::compile(loaded, &choice, &toolchain) {
                Ok(form) => foreign.push((name.clone(), form)),
                Err(reason) => left_out.push((name.clone(), Maker::Halide, reason)),
            }
        }
        own.push((name, subject, native, verdict));
    }
    let mut forms = Vec::new();
    for (name, subject, native, verdict) in &own {
        let placed = place(subject, native, &prepared)
            .map_err(|error| BenchError::Run { schedule: name.clone(), error })?;
        forms.push(Form {
            schedule: name.clone(),
            maker: Maker::Halidom,
            verdict: verdict.clone(),
            code: Code::Own(native, placed),
            times: Vec::new(),
        });
    }
    for (name, form) in &foreign {
        match form.place((&loaded.module.pool, &algorithm), &prepared) {
            Ok(run) => forms.push(Form {
                schedule: name.clone(),
                maker: Maker::Halide,
                verdict: None,
                code: Code::Halide(form, run),
                times: Vec::new(),
            }),
            Err(error) => left_out.push((name.clone(), Maker::Halide, error.to_string())),
        }
    }
    let mut bench = Bench {
        pipeline: algorithm.name.clone(),
        rows: Vec::new(),
        left_out,
        bytes: traffic(&loaded.module.pool, &algorithm, &references[0], &prepared),
        limits: Vec::new(),
    };
    // Without `fast_math`, our own forms round in the same way.
    let regrouped = Likeness::of(&loaded.module.pool, &algorithm);
    let own = if algorithm.fast_math { regrouped.clone() } else { Likeness::exact() };
    let likeness = |maker| if maker == Maker::Halide { &regrouped } else { &own };
    for threads in &options.threads {
        progress(&format!(
            "timing with {threads} {}",
            if *threads == 1 { "thread" } else { "threads" }
        ));
        bench.limits.push(measure(*threads));
        let budget = (options.rounds, options.budget);
        time(&mut forms, *threads, budget, &likeness, &mut bench)?;
    }
    Ok(bench)
}

fn schedule_name(loaded: &Loaded, choice: &Choice) -> String {
    choice.schedule.map_or(DEFAULT_SCHEDULE.to_owned(), |number| {
        loaded.module.pipelines[choice.pipeline].schedules[number].schedule.name.clone()
    })
}

fn place<'n>(
    subject: &Subject,
    native: &'n Native,
    prepared: &Prepared,
) -> Result<Placed<'n>, ExecuteError> {
    let program = &subject.compiled.program;
    execute::place(native, &subject.pool, &subject.algorithm, program, prepared)
}

/// Times all forms with one thread count. A form of Halide that fails in its first run is removed.
fn time<'l>(
    forms: &mut Vec<Form<'_>>,
    threads: usize,
    (rounds, budget): (usize, Duration),
    likeness: &dyn Fn(Maker) -> &'l Likeness,
    bench: &mut Bench,
) -> Result<(), BenchError> {
    let mut once = Duration::ZERO;
    let mut number = 0;
    while let Some(form) = forms.get_mut(number) {
        form.times.clear();
        form.code.set_threads(threads);
        let begin = Instant::now();
        match form.code.run() {
            Ok(()) => number += 1,
            Err(FormError::Own(error)) => {
                return Err(BenchError::Run { schedule: form.schedule.clone(), error });
            }
            Err(FormError::Halide(error)) => {
                bench.left_out.push((form.schedule.clone(), form.maker, error.to_string()));
                forms.remove(number);
                continue;
            }
        }
        once += begin.elapsed();
    }
    let fit = budget.as_nanos() / once.as_nanos().max(1);
    let fit = usize::try_from(fit).unwrap_or(usize::MAX);
    let warm = if fit < ROOM { 0 } else { WARM };
    let rounds = rounds.clamp(1, fit.max(FEWEST_ROUNDS));
    let count = forms.len();
    for turn in 0..warm + rounds {
        for step in 0..count {
            let form = &mut forms[(turn + step) % count];
            let begin = Instant::now();
            let outcome = form.code.run();
            let took = begin.elapsed();
            match outcome {
                Ok(()) => {}
                Err(FormError::Own(error)) => {
                    return Err(BenchError::Run { schedule: form.schedule.clone(), error });
                }
                // Unexpected: the form already ran on the same inputs.
                Err(FormError::Halide(error)) => {
                    bench.left_out.push((form.schedule.clone(), form.maker, error.to_string()));
                }
            }
            if turn >= warm {
                form.times.push(took);
            }
        }
    }
    let first = forms.first_mut().and_then(|form| form.code.outputs());
    for form in forms.iter_mut() {
        form.times.sort_unstable();
        let times = &form.times;
        let (least, median, most) =
            (times[0], times[times.len() / 2], times[(times.len() * 9 / 10).min(times.len() - 1)]);
        let distance = match (&first, form.code.outputs()) {
            (Some(first), Some(outputs)) => furthest(first, &outputs, likeness(form.maker)),
            _ => f64::INFINITY,
        };
        bench.rows.push(Row {
            schedule: form.schedule.clone(),
            maker: form.maker,
            threads,
            median,
            least,
            most,
            rounds,
            distance,
            verdict: form.verdict.clone(),
        });
    }
    Ok(())
}
