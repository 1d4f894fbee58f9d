//! Verdicts that were recorded earlier.

use halidom_verdict::{Compared, Record, Verdict};

use crate::output::Output;

/// Prints how a verdict compares with the recorded one. Returns the verdict that decides the exit
/// status; `None` if it is accepted. A subject that is not recorded must be proved.
pub(super) fn compared(
    verdict: &Verdict,
    recorded: Option<&Record>,
    output: &mut Output<'_>,
) -> Option<Verdict> {
    let Some(before) = recorded else {
        if !verdict.is_proved() {
            output.line("  baseline: worse: not recorded");
        }
        return Some(verdict.clone());
    };
    match verdict.against(before) {
        Compared::Worse => output.line(&format!("  baseline: worse: recorded as {before}")),
        Compared::Weaker(more) => output.line(&format!(
            "  baseline: worse: recorded as {before}, and is proved only with {more}"
        )),
        Compared::Better => {
            output.line(&format!("  baseline: better than recorded, which is {before}"));
        }
        Compared::Same if before.is_proof_of_bits() => {}
        Compared::Same => output.line(&format!("  baseline: {before}, as recorded")),
    }
    verdict.unaccepted(before)
}
