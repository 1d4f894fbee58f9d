//! Schedules timed side by side, and beside what stock Halide makes of them.
//!
//! All forms of a pipeline get the same inputs and are called in turn in one process, each round beginning with another one; a form's time is the median over the rounds. What
//! they compute is compared. Only validated programs are worth timing: each form of ours carries its verdict.

mod compare;
mod halide;
mod limits;
mod plot;

use std::time::{Duration, Instant};

use halidom_codegen::{CompileError, HalideCall, HalideError};
use halidom_diag::Diagnostic;
use halidom_ir::Array;
use halidom_verdict::Verdict;

pub(crate) use compare::{Likeness, TOLERANCE, furthest, identical};
pub use halide::export;
pub(crate) use limits::measure;
pub use limits::{Limits, traffic};
pub use plot::svg;

use crate::compile;
use crate::data::{self, DataError, Prepared, Request};
use crate::execute::{self, BuildError, ExecuteError, Native, Placed};
use crate::judge;
use crate::source::{Choice, DEFAULT_SCHEDULE, Loaded};
use crate::subject::{self, Subject};
use halide::HalideForm;

/// Rounds that do not count, after the first calls; none where these take a large part of the budget.
const WARM: usize = 2;
/// How many rounds the budget must have room for, that some be spent on warming.
const ROOM: usize = 20;
/// The least number of rounds that count, however slow the forms are.
const FEWEST_ROUNDS: usize = 5;

/// What is timed.
#[derive(Clone, Debug)]
pub struct Options {
    /// The pipeline's number in its module.
    pub pipeline: usize,
    /// The schedules' numbers; `None` is the unscheduled form.
    pub schedules: Vec<Option<usize>>,
    /// Whether stock Halide compiles the same schedules.
    pub halide: bool,
    /// Numbers of threads, one table each.
    pub threads: Vec<usize>,
    /// How many rounds count, at most.
    pub rounds: usize,
    /// Rounds are fewer where all of them would take longer than this for one number of threads, but five at least.
    pub budget: Duration,
    /// How to validate; not at all if `None`.
    pub judge: Option<judge::Options>,
}

/// Who compiled a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// This compiler.
    Halidom,
    /// Stock Halide.
    Halide,
}

impl Maker {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Halidom => "halidom",
            Self::Halide => "halide",
        }
    }
}

/// The times of one form with one number of threads.
#[derive(Clone, Debug)]
pub struct Row {
    /// The schedule.
    pub schedule: String,
    /// Who compiled it.
    pub maker: Maker,
    /// How many threads.
    pub threads: usize,
    /// The median over the rounds.
    pub median: Duration,
    /// The shortest.
    pub least: Duration,
    /// The longest of the nine tenths that are shortest.
    pub most: Duration,
    /// How many rounds.
    pub rounds: usize,
    /// How far the results are from those of the first form, of its largest element; 0 for the first.
    pub distance: f64,
    /// The verdict on a form of ours, if it was asked for.
    pub verdict: Option<Verdict>,
}

impl Row {
    /// Whether the results are those of the first form, up to what regrouping does to floats and to integers that are made of them.
    pub fn agrees(&self) -> bool {
        self.distance <= TOLERANCE
    }
}

/// All that was measured.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The pipeline.
    pub pipeline: String,
    /// In order of the numbers of threads, schedules as given, ours first.
    pub rows: Vec<Row>,
    /// Forms that could not be made or run, and why.
    pub left_out: Vec<(String, Maker, String)>,
    /// Bytes of the inputs that are needed and of the outputs.
    pub bytes: u64,
    /// What the machine can do, for each number of threads.
    pub limits: Vec<Limits>,
}

impl Bench {
    /// The row of Halide beside a row of ours.
    pub fn beside(&self, own: &Row) -> Option<&Row> {
        self.rows.iter().find(|row| {
            row.maker == Maker::Halide && row.schedule == own.schedule && row.threads == own.threads
        })
    }

    /// The time that moving the inputs and outputs once takes at this machine's speed.
    pub fn least_time(&self, threads: usize) -> Option<Duration> {
        let limits = self.limits.iter().find(|limits| limits.threads == threads)?;
        Some(Duration::from_secs_f64(self.bytes as f64 / limits.bytes_per_second))
    }
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A schedule is refused.
    #[error("a schedule is refused")]
    Refused(Vec<Diagnostic>),
    /// The inputs.
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
        /// Of which schedule.
        schedule: String,
        /// Why.
        error: ExecuteError,
    },
}

/// A form in place.
struct Form<'f> {
    schedule: String,
    maker: Maker,
    verdict: Option<Verdict>,
    code: Code<'f>,
    times: Vec<Duration>,
}

enum Code<'f> {
    Own(&'f Native, Placed<'f>),
    Halide(&'f HalideForm, HalideCall<'f>),
}

#[derive(Debug, thiserror::Error)]
enum FormError {
    #[error(transparent)]
    Own(#[from] ExecuteError),
    #[error(transparent)]
    Halide(#[from] HalideError),
}

impl Form<'_> {
    fn run(&mut self) -> Result<(), FormError> {
        match &mut self.code {
            Code::Own(_, placed) => placed.run()?,
            Code::Halide(_, call) => call.run()?,
        }
        Ok(())
    }

    fn set_threads(&self, count: usize) {
        match &self.code {
            Code::Own(native, _) => native.set_threads(count),
            Code::Halide(form, _) => form.library.set_threads(count),
        }
    }

    fn outputs(&mut self) -> Option<Vec<Array>> {
        match &mut self.code {
            Code::Own(_, placed) => placed.outputs().ok(),
            Code::Halide(form, call) => form.outputs(call),
        }
    }
}

/// Compiles, validates and times; `progress` is told what is going on.
///
/// # Errors
/// What keeps a form of ours from being made or run. Halide's are left out where they cannot be.
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
        let subject = subject::compiled(loaded, &choice).map_err(BenchError::Refused)?;
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
            match halide::compile(loaded, &choice, &prepared, &toolchain) {
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
        match form.call() {
            Ok(call) => forms.push(Form {
                schedule: name.clone(),
                maker: Maker::Halide,
                verdict: None,
                code: Code::Halide(form, call),
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
    // Without `fast_math` our own forms round alike.
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

/// Times all forms with one number of threads. A form of Halide that fails is taken out.
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
        form.set_threads(threads);
        let begin = Instant::now();
        match form.run() {
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
            let outcome = form.run();
            let took = begin.elapsed();
            match outcome {
                Ok(()) => {}
                Err(FormError::Own(error)) => {
                    return Err(BenchError::Run { schedule: form.schedule.clone(), error });
                }
                // It ran before on the same inputs.
                Err(FormError::Halide(error)) => {
                    bench.left_out.push((form.schedule.clone(), form.maker, error.to_string()));
                }
            }
            if turn >= warm {
                form.times.push(took);
            }
        }
    }
    let first = forms.first_mut().and_then(Form::outputs);
    for form in forms.iter_mut() {
        form.times.sort_unstable();
        let times = &form.times;
        let (least, median, most) =
            (times[0], times[times.len() / 2], times[(times.len() * 9 / 10).min(times.len() - 1)]);
        let distance = match (&first, form.outputs()) {
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
