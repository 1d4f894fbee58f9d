//! The early end of a command, as reports tell it.

use halidom_verdict::Verdict;
use serde_json::Value;

/// The end of a command without a verdict on each subject.
pub(super) enum Cut<'a> {
    /// The verdict on the whole.
    Judged(&'a Verdict),
    /// There is no verdict; the diagnostics tell why.
    Failed(&'a [Value]),
}
