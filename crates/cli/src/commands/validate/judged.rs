//! A subject with its verdict.

use halidom_driver::layout::Layout;
use halidom_driver::subject::Subject;
use halidom_validate::Report;
use halidom_verdict::{Record, Verdict};

/// A subject with its verdict.
pub(super) struct Judged {
    pub(super) key: String,
    pub(super) subject: Subject,
    pub(super) report: Report,
    pub(super) layout: Layout,
    pub(super) verdict: Verdict,
    /// The verdict that decides the exit status; `None` if the baseline accepts it.
    pub(super) left: Option<Verdict>,
    /// The verdict that the baseline records, if any.
    pub(super) recorded: Option<Record>,
}

impl Judged {
    /// True if the command does not fail because of this subject.
    pub(super) fn is_accepted(&self) -> bool {
        self.left.as_ref().is_none_or(Verdict::is_proved)
    }
}
