//! Schedules by name, and what is known of their proofs.

use halidom_driver::process::Ended;
use halidom_verdict::{Answer, Word};

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judged {
    /// The kind of the verdict; `None` if the proof ended without a verdict.
    pub(crate) word: Option<Word>,
    /// The verdict's own sentence; if there is no verdict, the reason.
    pub(crate) sentence: String,
    /// A short form of the sentence, for a lens.
    pub(crate) title: String,
}

impl Judged {
    /// The outcome of a proof that ended without a verdict.
    pub(crate) fn failed(reason: impl Into<String>) -> Self {
        let sentence = reason.into();
        Self { word: None, title: sentence.clone(), sentence }
    }

    /// Reads what `validate --json` printed about a schedule before its process ended.
    pub(crate) fn read(ended: &Ended, (pipeline, schedule): &Named) -> Self {
        match Answer::read(&ended.printed, ended.exit, Some((pipeline, schedule))) {
            Ok(answer) => Self {
                word: Some(answer.word()),
                sentence: answer.statement().to_owned(),
                title: answer.title().to_owned(),
            },
            Err(none) => Self::failed(none.first()),
        }
    }
}
