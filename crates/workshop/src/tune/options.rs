//! The subject and the effort of a search.

use std::time::{Duration, Instant};

use halidom_driver::judge;
use halidom_driver::stock::Language;

/// The subject and the effort of a search.
#[derive(Clone, Debug)]
pub struct Options {
    /// The pipeline's number in its module.
    pub pipeline: usize,
    /// The schedule to start with; `None` starts with all that the search can make. `Some(None)` is
    /// the unscheduled form.
    pub schedule: Option<Option<usize>>,
    /// The time limit for the search, without the validator's time.
    pub budget: Duration,
    /// The time limit for the proofs after the search. Later, only a schedule that was proved
    /// during the search, or with which it started, is validated.
    pub proofs: Duration,
    /// The number of threads for parallel loops; `None` means the number of processors.
    pub threads: Option<usize>,
    /// The seed of the random changes.
    pub seed: u64,
    /// True if the winner may demand that outputs are at least one block large, or that they have
    /// just the few channels that were asked for. Such demands are checked at entry.
    pub allow_bounds: bool,
    /// True if estimates choose the candidates; else they are drawn at random.
    pub estimates: bool,
    /// If present, the search is for stock Halide: its code for the schedules is timed and
    /// validated instead of ours, and the winner is printed as its directives in this language.
    pub halide: Option<Language>,
    /// The options for validating the winner.
    pub judge: judge::Options,
}

impl Options {
    /// The instant at which proofs end that begin now. `None` if there is no such instant.
    pub(super) fn end_of_proofs(&self) -> Option<Instant> {
        Instant::now().checked_add(self.proofs)
    }

    /// The options for a proof that asks the solver nothing after this instant.
    pub(super) fn judge_until(&self, until: Option<Instant>) -> judge::Options {
        let mut judge = self.judge.clone();
        judge.asking.until = until;
        judge
    }

    /// The number of threads for parallel loops.
    pub(super) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }
}
