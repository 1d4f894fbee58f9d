//! The events that the server waits for.

use halidom_diag::Diagnostic;

use crate::frames::Frame;
use crate::verdicts::Judged;

/// An event.
pub(crate) enum Event {
    /// A part of the input.
    Frame(Frame),
    /// The end of the input.
    End,
    /// The refusals of a text's schedules.
    Analysed(Analysed),
    /// A proof ended.
    Finished(Finished),
}

/// The refusals of a text's schedules.
pub(crate) struct Analysed {
    pub(crate) uri: String,
    pub(crate) version: i32,
    /// `None` if the check failed, which is a defect.
    pub(crate) refusals: Option<Vec<Diagnostic>>,
}

/// A proof that ended.
pub(crate) struct Finished {
    pub(crate) number: u64,
    pub(crate) judged: Judged,
}
