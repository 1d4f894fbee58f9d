//! The answer about one pipeline.

use std::time::Duration;

use halidom_verdict::{self as verdict, NoVerdict, Word};
use serde_json::Value;

use crate::process::Ended;

/// The kinds of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The pipeline is proved.
    Proved,
    /// The pipeline is refuted.
    Refuted,
    /// The verdict is unknown.
    Unknown,
    /// There is no verdict.
    Missing,
    /// The pipeline is one that was compiled before.
    Again,
}

impl Kind {
    /// The words for it in JSON and in tables.
    pub fn text(self) -> &'static str {
        match self {
            Self::Proved => Word::Proved.name(),
            Self::Refuted => Word::Refuted.name(),
            Self::Unknown => Word::Unknown.name(),
            Self::Missing => "not judged",
            Self::Again => "compiled again",
        }
    }

    /// The kind of verdict that it adds to the whole. A pipeline that was compiled before has its
    /// verdict already.
    pub(super) fn word(self) -> Option<Word> {
        match self {
            Self::Proved => Some(Word::Proved),
            Self::Refuted => Some(Word::Refuted),
            Self::Unknown | Self::Missing => Some(Word::Unknown),
            Self::Again => None,
        }
    }
}

/// The answer about a pipeline.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its kind.
    pub kind: Kind,
    /// The pipeline's name; empty if it is not known.
    pub pipeline: String,
    /// The verdict's sentence, or the reason why there is no verdict.
    pub sentence: String,
    /// Further lines: the place of a fault.
    pub details: Vec<String>,
    /// The time of the judgement.
    pub seconds: f64,
}

impl Answer {
    fn without_verdict(kind: Kind, sentence: &str) -> Self {
        let (pipeline, sentence) = (String::new(), sentence.to_owned());
        Self { kind, pipeline, sentence, details: Vec::new(), seconds: 0.0 }
    }

    /// There is no verdict, for this reason.
    pub(super) fn missing(reason: &str) -> Self {
        Self::without_verdict(Kind::Missing, reason)
    }

    /// The time for all verdicts is over.
    pub(super) fn late() -> Self {
        Self::missing("the time after the program's end is over (HALIDOM_PRELOAD_WAIT)")
    }

    /// The copy of the program that writes the files has ended without a word.
    pub(super) fn stopped() -> Self {
        Self::missing("Halide crashes while it writes the pipeline, or is too slow")
    }

    /// The pipeline was compiled before.
    pub(super) fn again() -> Self {
        Self::without_verdict(Kind::Again, "")
    }

    /// Reads what `validate --json` printed before it ended.
    pub(super) fn of(ended: &Ended, time: Duration) -> Self {
        let answer = match verdict::Answer::read(&ended.printed, ended.exit, None) {
            Ok(answer) => answer,
            Err(NoVerdict::Broken(reason)) => {
                let ended =
                    ended.exit.map_or("a signal".to_owned(), |status| format!("status {status}"));
                return Self::missing(&format!("`halidom validate` ends with {ended}: {reason}"));
            }
            Err(none @ NoVerdict::Refused(_)) => return Self::missing(none.first()),
        };
        let object = answer.object();
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let place = || {
            let algorithm = object.get("site").map(|site| &site["algorithm"]["text"]);
            let code = object.get("compiled_code").map(|code| &code["said"]);
            [("place: ", object.get("place")), ("algorithm: ", algorithm), ("", code)]
        };
        let (kind, sentence, details) = match answer.word() {
            Word::Proved => (Kind::Proved, None, None),
            Word::Refuted => (Kind::Refuted, None, Some(place())),
            Word::Unknown => (Kind::Unknown, text(object.get("reason")), None),
            Word::Nothing => (Kind::Missing, None, None),
        };
        let details = details
            .into_iter()
            .flatten()
            .filter_map(|(label, value)| text(value).map(|text| format!("{label}{text}")));
        Self {
            kind,
            pipeline: text(object.get("pipeline")).unwrap_or_default(),
            sentence: sentence.unwrap_or_else(|| answer.statement().to_owned()),
            details: details.collect(),
            seconds: time.as_secs_f64(),
        }
    }
}
