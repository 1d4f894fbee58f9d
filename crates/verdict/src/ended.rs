//! The end of commands.

use crate::{Exit, Nothing, Verdict};

/// The end of a command. Exit status 0 requires a proof, a result that the user accepts instead of
/// one, or a job that does not judge.
#[derive(Debug)]
#[must_use]
pub enum Ended {
    /// The command did its job, which was not to judge.
    Done,
    /// The command judged.
    Judged(Verdict),
    /// The command judged, and an option accepts results that are not proofs. The remaining results
    /// decide the exit status.
    Accepted {
        /// The verdict.
        verdict: Verdict,
        /// The worst result that is not accepted.
        left: Option<Verdict>,
    },
    /// A required tool is missing on this machine.
    Lacking,
    /// A file is not formatted, or a session was broken off.
    Amiss,
    /// The usage or the input was bad; a diagnostic was printed.
    BadInput,
    /// The input has nothing to judge; a diagnostic was printed.
    Nothing(Nothing),
    /// The solvers contradict each other; a diagnostic was printed.
    Disagreement,
}

impl Ended {
    /// The exit status.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Done => Exit::Done,
            Self::Lacking | Self::Amiss => Exit::Wrong,
            Self::Judged(verdict) => verdict.exit(),
            Self::Accepted { verdict: verdict @ Verdict::Nothing(_), .. } => verdict.exit(),
            Self::Accepted {
                verdict: Verdict::Proved(_) | Verdict::Refuted(_) | Verdict::Unknown(_),
                left,
            } => left.as_ref().map_or(Exit::Done, Verdict::exit),
            Self::BadInput | Self::Nothing(_) => Exit::BadInput,
            Self::Disagreement => Exit::Disagreement,
        }
    }

    /// The verdict, if there is one.
    pub fn verdict(&self) -> Option<Verdict> {
        match self {
            Self::Judged(verdict) | Self::Accepted { verdict, .. } => Some(verdict.clone()),
            Self::Nothing(nothing) => Some(Verdict::Nothing(nothing.clone())),
            Self::Done | Self::Lacking | Self::Amiss | Self::BadInput | Self::Disagreement => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ended;
    use crate::{Cause, Exit, Verdict};

    #[test]
    fn only_accepted_results_and_proofs_end_well() {
        let unknown = || Verdict::unknown(Cause::Runs, "no proof");
        assert_eq!(Ended::Judged(unknown()).exit(), Exit::Unknown);
        let accepted = |left| Ended::Accepted { verdict: unknown(), left };
        assert_eq!(accepted(None).exit(), Exit::Done);
        assert_eq!(accepted(Some(unknown())).exit(), Exit::Unknown);
        // Nothing is never accepted.
        let nothing = Verdict::nothing("no program", "name one");
        assert_eq!(Ended::Accepted { verdict: nothing, left: None }.exit(), Exit::BadInput);
        assert_eq!(Ended::Disagreement.exit(), Exit::Disagreement);
    }
}
