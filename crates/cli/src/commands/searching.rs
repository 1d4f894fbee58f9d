//! The threads and the end of every search for disagreements.

use halidom_verdict::{Evidence, Verdict};

use crate::output::Ended;

pub(super) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Decides how a search for disagreements ends. Each disagreement found is a refutation. Finding
/// none proves nothing, and without a run there was nothing to judge.
pub(super) fn tried(runs: u64, found: impl Iterator<Item = Evidence>) -> Ended {
    let nothing = ("no program was run", "try more programs with `--programs N`");
    let refuted: Vec<Verdict> = found.map(Verdict::refuted).collect();
    if refuted.is_empty() && runs > 0 {
        return Ended::Done;
    }
    Ended::Judged(Verdict::worst(refuted, nothing))
}
