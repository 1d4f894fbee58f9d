//! Schedules by name, and what is known of their proofs.

/// A schedule by its names: the pipeline's and its own.
pub(crate) type Named = (String, String);

/// The state of a schedule's proof.
#[derive(Clone, Debug)]
pub(crate) enum Proof {
    /// It waits or runs.
    Running,
    /// It ended with a verdict.
    Ended(Judged),
}

/// The verdict on a schedule.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    /// `proved`, `refuted`, `unknown`, or `failed` if there is no verdict.
    pub(crate) word: String,
    /// A sentence for people.
    pub(crate) sentence: String,
}
