//! Random programs × schedules × inputs: the interpreter of algorithms, the interpreter of programs, compiled code and the validator against one another.
//!
//! A program is made from a seed by `testgen` and goes the whole way through the front end. Each of its schedules is applied directive by directive (FS Fig. 4); each of the
//! programs T₀ … Tₙ that is legal is completed by the bounds engine and at random, and every completion is run: nothing faults, races, or stores other values than it claims, and
//! the outputs are the algorithm's. The last legal one is lowered and run again, printed as C, read back, compiled and run, and validated: it is not refuted. A program changed in one
//! place so that a run goes wrong is not proved. Anything else is a [`Disagreement`]. Everything follows from the seeds, however many threads there are. Start with [`run`].

pub mod engines;
mod examine;
mod features;
mod figures;
mod mutate;
mod native;
mod runs;
mod shrink;
mod steps;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use halidom_base::stack;
use halidom_codegen::{CompileError, Toolchain};
use halidom_smt::FindError;
use halidom_testgen::{pipeline, schedule};
use halidom_validate::{Budget, Search};

use examine::{Examined, Examiner, Subject};
pub use figures::{Figures, Histogram, Part, Slowest, Spent};
pub(crate) use runs::counterexample_inputs;

/// Programs whose native code is compiled together; they are examined one after another.
const BATCH: u64 = 32;

/// How much to try.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many programs.
    pub programs: u64,
    /// The first program's seed; the next ones follow it.
    pub seed: u64,
    /// Random schedules of each program; the unscheduled form is the first step of each.
    pub schedules: u64,
    /// Cases that each final program is run on.
    pub cases: usize,
    /// Random completions of each step.
    pub completions: usize,
    /// Of how many final programs one is validated; none if 0.
    pub validate_one_in: u64,
    /// Of how many schedules one is compiled to native code; none if 0.
    pub native_one_in: u64,
    /// Mutants of each compile, which the validator must not prove if a run shows them to be wrong.
    pub mutants: usize,
    /// How many programs are examined at once.
    pub threads: usize,
    /// After so many disagreements no program is begun.
    pub stop_after: usize,
    /// Whether what is found is made small.
    pub shrink: bool,
    /// A text to be examined instead of random ones, with the cases of the seed.
    pub text: Option<String>,
}

impl Default for Options {
    /// A hundred programs.
    fn default() -> Self {
        Self {
            programs: 100,
            seed: 0,
            schedules: 1,
            cases: 3,
            completions: 1,
            validate_one_in: 1,
            native_one_in: 1,
            mutants: 0,
            threads: 2,
            stop_after: 1,
            shrink: true,
            text: None,
        }
    }
}

/// Who disagrees with the algorithm's value, or broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The front end refuses what is valid.
    FrontEnd,
    /// The algorithm has no value where it should have one.
    NoValue,
    /// A refusal without a proper diagnostic.
    Refusal,
    /// A step's program is not well formed.
    Malformed,
    /// A step's program, completed by the bounds engine.
    Step,
    /// A step's program under a random completion.
    RandomCompletion,
    /// A legal program is not lowered.
    Lowering,
    /// The final program.
    Final,
    /// Entry checks before and after lowering.
    EntryChecks,
    /// The C printer, the reading back of its C, or the C compiler.
    BackEnd,
    /// Native code.
    Native,
    /// The validator has a counterexample.
    Refuted,
    /// The validator proves a wrong mutant.
    ProvedMutant,
    /// Something panicked.
    Panic,
}

impl Kind {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::FrontEnd => "the front end",
            Self::NoValue => "the algorithm's interpreter",
            Self::Refusal => "a refusal",
            Self::Malformed => "a malformed step",
            Self::Step => "a step, completed by the bounds engine",
            Self::RandomCompletion => "a step, completed at random",
            Self::Lowering => "lowering",
            Self::Final => "the final program",
            Self::EntryChecks => "entry checks",
            Self::BackEnd => "the back end",
            Self::Native => "native code",
            Self::Refuted => "the validator refutes it",
            Self::ProvedMutant => "the validator proves a wrong mutant",
            Self::Panic => "a panic",
        }
    }
}

/// Who disagrees, how, and on which case.
struct Wrong {
    kind: Kind,
    what: String,
    inputs: Option<String>,
}

impl Wrong {
    fn of(kind: Kind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), inputs: None }
    }
}

/// Two of those who should agree do not, or one of them broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The program's seed: `--programs 1 --seed SEED` shows it again.
    pub seed: u64,
    /// The program and its schedules.
    pub text: String,
    /// The schedule's name; `None` if it is about the program alone.
    pub schedule: Option<String>,
    /// Who disagrees.
    pub kind: Kind,
    /// How.
    pub what: String,
    /// Parameters, inputs and windows, if it is about a run.
    pub inputs: Option<String>,
    /// The least text with a disagreement of this kind.
    pub small: Option<String>,
}

/// What a validation that ended without a proof said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The program's seed.
    pub seed: u64,
    /// The schedule's name.
    pub schedule: String,
    /// The verdict's reason.
    pub reason: String,
}

/// The outcome of a whole run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What was tried.
    pub figures: Figures,
    /// In order of their seeds.
    pub disagreements: Vec<Disagreement>,
    /// In order of their seeds.
    pub undecided: Vec<Undecided>,
    /// What each part of the work took.
    pub spent: Spent,
    /// The programs that took longest.
    pub slowest: Slowest,
    /// Time taken.
    pub time: Duration,
}

/// Why nothing can be tried.
#[derive(Debug, thiserror::Error)]
pub enum FuzzError {
    /// No solver.
    #[error(transparent)]
    Solver(#[from] FindError),
    /// No C compiler.
    #[error(transparent)]
    Compiler(#[from] CompileError),
}

/// The text of a seed: a program and so many schedules.
pub fn text(seed: u64, schedules: u64) -> String {
    let made = pipeline(seed);
    let mut text = made.text.clone();
    for number in 0..schedules {
        let seed = seed.wrapping_mul(schedules).wrapping_add(number);
        text.push_str(&schedule(&made, &format!("s{number}"), seed));
    }
    text
}

/// Tries programs until all are done or enough disagreements are found. `progress` is called now and then.
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
        // Batches count in their order up to the one that has enough: which others were begun by then is a matter of chance.
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

/// Limits that make a verdict the same on every machine; the time is for accidents.
fn judge() -> Result<halidom_validate::Options, FindError> {
    let solver = halidom_smt::Program::find(halidom_smt::Family::Z3, None)?;
    let mut judge = halidom_validate::Options::new(solver);
    judge.timeout = Duration::from_secs(30);
    judge.budget = Budget { questions: Some(QUESTIONS), steps: Some(SOLVER_STEPS), open: Some(1) };
    // That the program is right on a few runs is known; the search is for what they missed.
    judge.search =
        Search { trials: 8 * RUNS, runs: RUNS, time: Duration::from_mins(1), ..Search::default() };
    judge.strictness = Duration::ZERO;
    Ok(judge)
}

/// Questions to the solver for one program.
const QUESTIONS: u64 = 80;
/// Steps of the solver for one question.
const SOLVER_STEPS: u64 = 100_000;
/// Runs that search for a counterexample.
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
