//! Fuzzing with random programs × schedules × inputs. It compares the interpreter of algorithms,
//! the interpreter of programs, compiled code and the validator with each other.
//!
//! `testgen` makes a program from a seed, and the front end reads its text. Each of its schedules
//! is applied directive by directive (FS Fig. 4). Each legal program among T₀ … Tₙ is completed by
//! the bounds engine and at random, and every completion runs. A run must not fault, race, or store
//! a value that differs from its claim, and its outputs must be the algorithm's. The last legal
//! program is lowered and runs again; it is printed as C, read back, compiled and run; and it is
//! validated, and must not be refuted. A program with a change in one place that makes a run go
//! wrong must not be proved. Any deviation is a [`Disagreement`]. All results follow from the
//! seeds, whatever the number of threads. Start with [`run`].

mod disagreement;
pub mod engines;
mod examine;
mod features;
mod figures;
mod mutate;
mod native;
mod options;
mod runs;
mod shrink;
mod steps;
mod subject;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use halidom_base::stack;
use halidom_codegen::{CompileError, Toolchain};
use halidom_smt::FindError;
use halidom_testgen::{pipeline, schedule};
use halidom_validate::{Budget, Search};
use halidom_verdict::{Evidence, Ran, Verdict};

use crate::searched;

pub use disagreement::{Disagreement, Kind, Undecided};
use examine::{Examined, Examiner};
pub use figures::{Figures, Histogram, Part, Slowest, Spent};
pub use options::Options;
pub(crate) use runs::counterexample_inputs;
use subject::Subject;

/// The number of programs whose native code is compiled together; they are examined one after
/// another.
const BATCH: u64 = 32;

/// The results of a whole run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Counts of the tried programs.
    pub figures: Figures,
    /// The disagreements, in the order of their seeds.
    pub disagreements: Vec<Disagreement>,
    /// The undecided validations, in the order of their seeds.
    pub undecided: Vec<Undecided>,
    /// The time of each part of the work.
    pub spent: Spent,
    /// The programs that took longest.
    pub slowest: Slowest,
    /// The elapsed time.
    pub time: Duration,
}

impl Outcome {
    /// The verdict; `None` if programs ran and agreed.
    pub fn verdict(&self) -> Option<Verdict> {
        let evidence = self
            .disagreements
            .iter()
            .map(|found| Evidence::of(Ran::Interpreter, "that all agree", found.heading()));
        searched::verdict(self.figures.runs + self.figures.native_runs, evidence)
    }
}

/// The reason why fuzzing cannot start.
#[derive(Debug, thiserror::Error)]
pub enum FuzzError {
    /// There is no solver.
    #[error(transparent)]
    Solver(#[from] FindError),
    /// There is no C compiler.
    #[error(transparent)]
    Compiler(#[from] CompileError),
}

/// The text for a seed: a program and the given number of schedules.
pub fn text(seed: u64, schedules: u64) -> String {
    let made = pipeline(seed);
    let mut text = made.text.clone();
    for number in 0..schedules {
        let seed = seed.wrapping_mul(schedules).wrapping_add(number);
        text.push_str(&schedule(&made, &format!("s{number}"), seed));
    }
    text
}

/// Tries programs until all are done or enough disagreements are found. Calls `progress` from time
/// to time.
pub fn run(options: &Options, progress: &mut dyn FnMut(&Figures)) -> Result<Outcome, FuzzError> {
    let begin = Instant::now();
    let judge = (options.validate_one_in > 0).then(judge).transpose()?;
    let toolchain = match options.native_one_in {
        0 => None,
        1.. => Some(Toolchain::find()?),
    };
    let examiner = Examiner { options, judge, toolchain };
    let mut merged = Examined::default();
    let batches = options.programs.div_ceil(BATCH);
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel::<(u64, Examined)>();
        for _ in 0..options.threads.max(1) {
            let (sender, examiner, next, stop) = (sender.clone(), &examiner, &next, &stop);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= batches || stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let examined = stack::whole(|| batch(examiner, number));
                    if sender.send((number, examined)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        // Count batches in order, up to the one with enough disagreements: which later batches were
        // started is a matter of chance.
        let mut waiting: BTreeMap<u64, Examined> = BTreeMap::new();
        let mut wanted = 0;
        for (number, examined) in receiver {
            waiting.insert(number, examined);
            while let Some(examined) = waiting.remove(&wanted) {
                wanted += 1;
                if merged.disagreements.len() < options.stop_after {
                    merged.add(examined);
                    progress(&merged.figures);
                }
                if merged.disagreements.len() >= options.stop_after {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        }
    });
    let Examined { figures, mut disagreements, undecided, spent, slowest } = merged;
    if options.shrink {
        for found in disagreements.iter_mut().take(options.stop_after) {
            found.small = Some(shrink::shrink(&examiner, found));
        }
    }
    Ok(Outcome { figures, disagreements, undecided, spent, slowest, time: begin.elapsed() })
}

/// Validation limits that make verdicts independent of the machine. The timeouts are only a
/// safeguard.
fn judge() -> Result<halidom_validate::Options, FindError> {
    let mut judge = halidom_driver::judge::Options::find()?.validator();
    judge.asking.timeout = Duration::from_secs(30);
    judge.budget = Budget { questions: Some(QUESTIONS), steps: Some(SOLVER_STEPS), open: Some(1) };
    // The program is already known to be right on a few runs. The search looks for cases that they
    // missed.
    judge.search =
        Search { trials: 8 * RUNS, runs: RUNS, time: Duration::from_mins(1), ..Search::default() };
    judge.strictness = Duration::ZERO;
    Ok(judge)
}

/// The number of solver queries for one program.
const QUESTIONS: u64 = 80;
/// The solver's step limit for one query.
const SOLVER_STEPS: u64 = 100_000;
/// The number of runs in the counterexample search.
const RUNS: usize = 3;

/// Examines the programs of a batch.
fn batch(examiner: &Examiner<'_>, number: u64) -> Examined {
    let options = examiner.options;
    let first = number * BATCH;
    let mut merged = Examined::default();
    let mut jobs = Vec::new();
    for program in first..(first + BATCH).min(options.programs) {
        let seed = options.seed.wrapping_add(program);
        let text = options.text.clone().unwrap_or_else(|| text(seed, options.schedules));
        let (mut examined, job) = examiner.subject(&Subject { seed, text });
        examined.slowest.note(seed, examined.spent.clone());
        merged.add(examined);
        jobs.extend(job);
    }
    let mut figures = Figures::default();
    let mut spent = Spent::default();
    let found = examiner.natively(&jobs, &mut figures, &mut spent);
    merged.figures.add(&figures);
    merged.spent.add(&spent);
    merged.disagreements.extend(found);
    merged.disagreements.sort_by_key(|disagreement| disagreement.seed);
    merged
}
