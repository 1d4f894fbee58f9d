//! Counts of the programs tried and their results.

use std::collections::BTreeMap;
use std::time::Duration;

/// The number of occurrences of things, by name.
pub type Histogram = BTreeMap<&'static str, u64>;

/// Counts of the programs tried and their results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Programs examined.
    pub programs: u64,
    /// Schedules without a final program: bounds cannot be inferred, or loops are too long to be
    /// unrolled or vectorized.
    pub refused: u64,
    /// Programs T₀ … Tₙ of schedules that are legal.
    pub steps: u64,
    /// Such programs that are refused with a diagnostic; later directives may make them legal.
    pub steps_refused: u64,
    /// Directives that are removed because no later one makes them legal.
    pub directives_refused: u64,
    /// Completed programs that ran: the bounds engine's, and random ones that the bounds query
    /// allows.
    pub completions: u64,
    /// The random ones among them.
    pub random_completions: u64,
    /// Runs of the interpreter that reached their end.
    pub runs: u64,
    /// The runs among them in which instances of an update run in another order than in the
    /// algorithm. Only their final values are compared.
    pub runs_reordered: u64,
    /// Runs that an entry check ends; bounds may be larger than the regions that are read.
    pub runs_refused: u64,
    /// Last legal steps, compiled to final programs.
    pub compiles: u64,
    /// Final programs compiled to native code.
    pub native: u64,
    /// The programs among them that the C compiler optimized; the others it only translated.
    pub native_optimised: u64,
    /// Runs of native code.
    pub native_runs: u64,
    /// Validated programs that are proved.
    pub proved: u64,
    /// Validated programs with an unknown verdict.
    pub unknown: u64,
    /// Mutants that a run shows to be wrong.
    pub mutants: u64,
    /// Directives of the last legal steps, by name.
    pub directives: Histogram,
    /// Features of the programs.
    pub features: Histogram,
}

impl Figures {
    pub(super) fn add(&mut self, other: &Self) {
        let Self {
            programs,
            refused,
            steps,
            steps_refused,
            directives_refused,
            completions,
            random_completions,
            runs,
            runs_reordered,
            runs_refused,
            compiles,
            native,
            native_optimised,
            native_runs,
            proved,
            unknown,
            mutants,
            directives,
            features,
        } = other;
        self.programs += programs;
        self.refused += refused;
        self.steps += steps;
        self.steps_refused += steps_refused;
        self.directives_refused += directives_refused;
        self.completions += completions;
        self.random_completions += random_completions;
        self.runs += runs;
        self.runs_reordered += runs_reordered;
        self.runs_refused += runs_refused;
        self.compiles += compiles;
        self.native += native;
        self.native_optimised += native_optimised;
        self.native_runs += native_runs;
        self.proved += proved;
        self.unknown += unknown;
        self.mutants += mutants;
        add(&mut self.directives, directives);
        add(&mut self.features, features);
    }

    /// The counts by name, without the histograms.
    pub fn counts(&self) -> [(&'static str, u64); 17] {
        [
            ("programs", self.programs),
            ("refused", self.refused),
            ("steps", self.steps),
            ("steps_refused", self.steps_refused),
            ("directives_refused", self.directives_refused),
            ("completions", self.completions),
            ("random_completions", self.random_completions),
            ("runs", self.runs),
            ("runs_reordered", self.runs_reordered),
            ("runs_refused", self.runs_refused),
            ("compiles", self.compiles),
            ("native", self.native),
            ("native_optimised", self.native_optimised),
            ("native_runs", self.native_runs),
            ("proved", self.proved),
            ("unknown", self.unknown),
            ("wrong_mutants", self.mutants),
        ]
    }
}

fn add(to: &mut Histogram, from: &Histogram) {
    for (name, count) in from {
        *to.entry(name).or_default() += count;
    }
}

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Making texts, parsing them, making inputs, and evaluating the algorithm.
    Algorithm,
    /// Applying directives to programs with holes, including the checks of their legality.
    Directives,
    /// Bounds inference by the engine, and random bounds.
    Bounds,
    /// The verifier and the interpreter, on completed steps and final programs.
    Interpreter,
    /// The passes from the last step to the final program.
    Lowering,
    /// Printing C and reading it back.
    Printing,
    /// Waiting for the C compiler.
    Compiler,
    /// Runs of native code.
    Native,
    /// The validator and its solver.
    Validator,
    /// Mutants: runs and validations.
    Mutants,
}

impl Part {
    /// All parts, in the order of the work.
    pub const ALL: [Self; 10] = [
        Self::Algorithm,
        Self::Directives,
        Self::Bounds,
        Self::Interpreter,
        Self::Lowering,
        Self::Printing,
        Self::Compiler,
        Self::Native,
        Self::Validator,
        Self::Mutants,
    ];

    /// The part's name in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Algorithm => "algorithm and inputs",
            Self::Directives => "directives",
            Self::Bounds => "bounds inference",
            Self::Interpreter => "interpreter",
            Self::Lowering => "lowering",
            Self::Printing => "printing C, reading it back",
            Self::Compiler => "C compiler",
            Self::Native => "native code",
            Self::Validator => "validator",
            Self::Mutants => "mutants",
        }
    }
}

/// The elapsed time of each part of the work, summed over all threads.
#[derive(Clone, Debug, Default)]
pub struct Spent([Duration; Part::ALL.len()]);

impl Spent {
    pub(super) fn add(&mut self, other: &Self) {
        for (time, more) in self.0.iter_mut().zip(other.0) {
            *time += more;
        }
    }

    /// Does a job and records its time.
    pub(super) fn on<T>(&mut self, part: Part, job: impl FnOnce() -> T) -> T {
        let begin = std::time::Instant::now();
        let result = job();
        self.0[part as usize] += begin.elapsed();
        result
    }

    /// The time of a part.
    pub fn of(&self, part: Part) -> Duration {
        self.0[part as usize]
    }

    /// The time of all parts.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// The part that took the most time.
    pub fn longest(&self) -> Part {
        Part::ALL.into_iter().max_by_key(|part| self.of(*part)).unwrap_or(Part::Algorithm)
    }
}

/// The programs that took longest, the slowest first. The times exclude native code and the C
/// compiler, which compiles many programs at once.
#[derive(Clone, Debug, Default)]
pub struct Slowest(pub Vec<(u64, Spent)>);

impl Slowest {
    /// The number of programs that are kept.
    const KEPT: usize = 5;

    /// Records the time of the program with a seed.
    pub(super) fn note(&mut self, seed: u64, spent: Spent) {
        self.0.push((seed, spent));
        self.0.sort_by_key(|(seed, spent)| (std::cmp::Reverse(spent.total()), *seed));
        self.0.truncate(Self::KEPT);
    }

    pub(super) fn add(&mut self, other: Self) {
        for (seed, spent) in other.0 {
            self.note(seed, spent);
        }
    }
}
