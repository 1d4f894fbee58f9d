//! Random programs × schedules × inputs: the interpreter of algorithms, the interpreter of programs, compiled code and the validator against one another.
//!
//! A program is made from a seed by `testgen` and goes the whole way through the front end. Under each of its schedules it is either refused with a diagnostic, or: the program
//! before and after lowering, and its native code, give on each case what the algorithm gives; no run faults, races, or stores other than it claims; and the validator does not
//! refute it. A program changed in one place so that a run goes wrong is not proved. Anything else is a [`Disagreement`]. Start with [`run`].

mod examine;
mod mutate;
mod native;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use halidom_codegen::{CompileError, Toolchain};
use halidom_smt::FindError;
use halidom_validate::Search;

use examine::{Examined, Examiner};

/// How much to try.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many programs.
    pub programs: u64,
    /// The first program's seed; the next ones follow it.
    pub seed: u64,
    /// Random schedules of each program, beside the unscheduled form.
    pub schedules: u64,
    /// Cases that each schedule is run on.
    pub cases: usize,
    /// Whether schedules are validated.
    pub validate: bool,
    /// Of how many schedules one is compiled to native code; none if 0.
    pub native_one_in: u64,
    /// Mutants of each compile, which the validator must not prove if a run shows them to be wrong.
    pub mutants: usize,
    /// How many programs are examined at once.
    pub threads: usize,
    /// After so many disagreements no program is begun.
    pub stop_after: usize,
}

impl Default for Options {
    /// A hundred programs.
    fn default() -> Self {
        Self {
            programs: 100,
            seed: 0,
            schedules: 2,
            cases: 4,
            validate: true,
            native_one_in: 1,
            mutants: 0,
            threads: 2,
            stop_after: 1,
        }
    }
}

/// What was tried and what came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Programs examined.
    pub programs: u64,
    /// Programs under a schedule, those refused not counted.
    pub compiles: u64,
    /// Schedules refused with a diagnostic.
    pub refused: u64,
    /// Cases on which the algorithm has a value, by schedule.
    pub cases: u64,
    /// Those of them that an entry check of the compiled program refuses: bounds may be larger than what is read.
    pub cases_refused: u64,
    /// Programs compiled to native code.
    pub native: u64,
    /// Validated and proved.
    pub proved: u64,
    /// Validated and unknown.
    pub unknown: u64,
    /// Mutants that a run shows to be wrong.
    pub mutants: u64,
}

impl Figures {
    fn add(&mut self, other: &Self) {
        let Self {
            programs,
            compiles,
            refused,
            cases,
            cases_refused,
            native,
            proved,
            unknown,
            mutants,
        } = other;
        self.programs += programs;
        self.compiles += compiles;
        self.refused += refused;
        self.cases += cases;
        self.cases_refused += cases_refused;
        self.native += native;
        self.proved += proved;
        self.unknown += unknown;
        self.mutants += mutants;
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
    /// Who disagrees, and how.
    pub what: String,
    /// Parameters, inputs and windows, if it is about a run.
    pub inputs: Option<String>,
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

/// Tries programs until all are done or enough disagreements are found. `progress` is called after each program.
pub fn run(options: &Options, progress: &mut dyn FnMut(&Figures)) -> Result<Outcome, FuzzError> {
    let begin = Instant::now();
    let judge = if options.validate {
        let mut judge = halidom_validate::Options::new(halidom_smt::Program::find(
            halidom_smt::Family::Z3,
            None,
        )?);
        judge.timeout = Duration::from_secs(2);
        // That the program is right on a few runs is known; the search is for what they missed.
        judge.search = Search { trials: 60, time: Duration::from_secs(1) };
        Some(judge)
    } else {
        None
    };
    let toolchain = match options.native_one_in {
        0 => None,
        1.. => Some(Toolchain::find()?),
    };
    let examiner = Examiner { options, judge, toolchain };
    let mut outcome = Outcome::default();
    let next = AtomicU64::new(0);
    let found = Mutex::new(0);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel::<Examined>();
        for _ in 0..options.threads.max(1) {
            let (sender, examiner, next, found) = (sender.clone(), &examiner, &next, &found);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let enough = |found: &Mutex<usize>| {
                        found.lock().is_ok_and(|found| *found >= options.stop_after)
                    };
                    if number >= options.programs || enough(found) {
                        break;
                    }
                    let examined = examiner.program(options.seed.wrapping_add(number));
                    if let Ok(mut found) = found.lock() {
                        *found += examined.disagreements.len();
                    }
                    if sender.send(examined).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for examined in receiver {
            outcome.figures.add(&examined.figures);
            outcome.disagreements.extend(examined.disagreements);
            outcome.undecided.extend(examined.undecided);
            progress(&outcome.figures);
        }
    });
    outcome.disagreements.sort_by_key(|disagreement| disagreement.seed);
    outcome.undecided.sort_by_key(|undecided| undecided.seed);
    outcome.time = begin.elapsed();
    Ok(outcome)
}
