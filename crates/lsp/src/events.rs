//! The events that the server waits for.

use std::sync::Weak;

use halidom_diag::Diagnostic;
use lsp_server::RequestId;

use crate::answer::Answer;
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
    /// The answer to a request that takes long.
    Answered(Answered),
    /// A proof ended.
    Finished(Finished),
}

/// The refusals of a text's schedules.
pub(crate) struct Analysed {
    pub(crate) uri: String,
    /// The life of the text's document.
    pub(crate) life: Weak<()>,
    /// `None` if the check failed, which is a defect.
    pub(crate) refusals: Option<Vec<Diagnostic>>,
}

/// The answer to a request that takes long.
pub(crate) struct Answered {
    pub(crate) id: RequestId,
    /// `None` if the handler failed, which is a defect.
    pub(crate) answer: Option<Answer>,
    /// The life of the document that it is about.
    pub(crate) life: Weak<()>,
}

/// A proof that ended.
pub(crate) struct Finished {
    pub(crate) number: u64,
    pub(crate) judged: Judged,
}
