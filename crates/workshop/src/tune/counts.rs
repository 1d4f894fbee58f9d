//! Counts of the candidates by their fate.

use halidom_base::IndexMap;

use super::form::Failure;

/// The reason why a candidate is not the winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rejection {
    /// The compiler refuses the schedule.
    Refused,
    /// Our compiler or the C compiler takes too long.
    SlowToCompile,
    /// The program cannot be printed as C, or the C compiler fails.
    NotCompiled,
    /// An entry check fails: the candidate needs more of an input, or other sizes.
    EntryCheck,
    /// A run takes too long.
    SlowToRun,
    /// A run fails for lack of memory.
    FailedRun,
    /// Its outputs differ from those of the unscheduled form, or it is refuted. For our own code
    /// the search stops at the first such candidate; for stock Halide's it goes on.
    Differs,
    /// It is slower than the best so far.
    Slower,
    /// It is not proved.
    NotProved,
    /// The compiler panicked.
    Defect,
}

impl Rejection {
    /// All reasons.
    pub const ALL: [Self; 10] = [
        Self::Refused,
        Self::SlowToCompile,
        Self::NotCompiled,
        Self::EntryCheck,
        Self::SlowToRun,
        Self::FailedRun,
        Self::Differs,
        Self::Slower,
        Self::NotProved,
        Self::Defect,
    ];

    /// The reason in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::SlowToCompile => "slow to compile",
            Self::NotCompiled => "not compiled",
            Self::EntryCheck => "entry check",
            Self::SlowToRun => "slow to run",
            Self::FailedRun => "failed run",
            Self::Differs => "other outputs",
            Self::Slower => "slower",
            Self::NotProved => "not proved",
            Self::Defect => "defect",
        }
    }

    pub(super) fn of(failure: &Failure) -> Self {
        match failure {
            Failure::Refused(_) => Self::Refused,
            Failure::NotCompiled(_) => Self::NotCompiled,
            Failure::SlowToCompile => Self::SlowToCompile,
            Failure::EntryCheck(_) => Self::EntryCheck,
            Failure::Run(_) => Self::FailedRun,
            Failure::SlowToRun => Self::SlowToRun,
            Failure::Ended => Self::Defect,
        }
    }
}

/// The number of candidates, and their fates.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// The candidates that were given to the compiler.
    pub tried: usize,
    /// The candidates that were the fastest at the time when they were found.
    pub improved: usize,
    rejected: IndexMap<Rejection, usize>,
}

impl Counts {
    /// The number of candidates that were rejected for a reason.
    pub fn rejected(&self, reason: Rejection) -> usize {
        self.rejected.get(&reason).copied().unwrap_or(0)
    }

    pub(super) fn reject(&mut self, reason: Rejection) {
        *self.rejected.entry(reason).or_default() += 1;
    }
}
