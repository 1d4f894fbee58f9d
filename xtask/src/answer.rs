//! The only reader of the output of `halidom … --json`.
//!
//! A verdict that is absent or not understood is an error or a separate case; nothing defaults to a
//! proof. `docs/schema/verdict-1.json` describes the format.

use crate::error::Error;
use crate::json::Json;
use crate::process::shown;
use std::fmt;
use std::process::{Command, Output};

/// The version of the format that this reader understands.
const SCHEMA: &str = "halidom-verdict-1";

/// A printed verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Proved,
    Refuted,
    Unknown,
    /// There was nothing to judge.
    Nothing,
    /// The job was not asked to judge, or stopped before it could.
    NotJudged,
}

impl Verdict {
    /// Reads the verdict of an object: of a job, a derivation or a mutator.
    pub(crate) fn of(object: &Json) -> Result<Self, String> {
        let verdict = Self::word(object.get("verdict"))?;
        let shown = object.get("shown").and_then(Json::number);
        if verdict == Self::Proved && shown.is_none_or(|shown| shown < 1.0) {
            return Err("a proof in which nothing was shown".to_owned());
        }
        Ok(verdict)
    }

    /// Reads the word of a verdict; [`Verdict::NotJudged`] if the key is missing.
    pub(crate) fn word(word: Option<&Json>) -> Result<Self, String> {
        match word {
            None | Some(Json::Null) => Ok(Self::NotJudged),
            Some(Json::Text(word)) => match word.as_str() {
                "proved" => Ok(Self::Proved),
                "refuted" => Ok(Self::Refuted),
                "unknown" => Ok(Self::Unknown),
                "nothing" => Ok(Self::Nothing),
                other => Err(format!("the verdict `{other}` is not understood")),
            },
            Some(Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_)) => {
                Err("a verdict that is no word".to_owned())
            }
        }
    }

    pub(crate) fn is_proved(&self) -> bool {
        match self {
            Self::Proved => true,
            Self::Refuted | Self::Unknown | Self::Nothing | Self::NotJudged => false,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Proved => "proved",
            Self::Refuted => "refuted",
            Self::Unknown => "unknown",
            Self::Nothing => "nothing to judge",
            Self::NotJudged => "not judged",
        })
    }
}

/// The answer of a job.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) json: Json,
    pub(crate) verdict: Verdict,
}

impl Answer {
    /// Reads the text that a job printed.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let json = Json::parse(text).map_err(|expected| format!("expected {expected}"))?;
        if json.get("schema").and_then(Json::text) != Some(SCHEMA) {
            return Err(format!("not of the form {SCHEMA}"));
        }
        let verdict = Verdict::of(&json)?;
        let exit = json.get("exit").and_then(Json::number);
        if verdict == Verdict::Nothing && exit != Some(2.0) {
            return Err("nothing was judged, and the exit status does not say so".to_owned());
        }
        Ok(Self { json, verdict })
    }

    /// Reads the output of a command. The command must have ended with the exit status that the
    /// output states.
    pub(crate) fn of(command: &Command, output: &Output) -> Result<Self, Error> {
        let problem = |problem: String| Error::Output { command: shown(command), problem };
        let answer = Self::read(&String::from_utf8_lossy(&output.stdout)).map_err(problem)?;
        let said = answer.json.get("exit").and_then(Json::number);
        if said != output.status.code().map(f64::from) {
            return Err(problem("another exit status than it ended with".to_owned()));
        }
        Ok(answer)
    }

    /// The same for a command whose job is to judge.
    pub(crate) fn judged(command: &Command, output: &Output) -> Result<Self, Error> {
        let answer = Self::of(command, output)?;
        match answer.verdict {
            Verdict::Proved | Verdict::Refuted | Verdict::Unknown => Ok(answer),
            Verdict::Nothing | Verdict::NotJudged => Err(Error::Output {
                command: shown(command),
                problem: format!("no verdict ({})", answer.verdict),
            }),
        }
    }

    /// Returns the value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        self.json.get(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(members: &str) -> Result<Verdict, String> {
        let text = format!(r#"{{"schema": "halidom-verdict-1", "job": "validate", {members}}}"#);
        Answer::read(&text).map(|answer| answer.verdict)
    }

    #[test]
    fn verdicts_are_read() {
        for (members, verdict) in [
            (r#""exit": 0, "verdict": "proved", "shown": 3"#, Verdict::Proved),
            (r#""exit": 1, "verdict": "refuted""#, Verdict::Refuted),
            (r#""exit": 3, "verdict": "unknown""#, Verdict::Unknown),
            (r#""exit": 2, "verdict": "nothing""#, Verdict::Nothing),
            (r#""exit": 2"#, Verdict::NotJudged),
        ] {
            assert_eq!(read(members), Ok(verdict.clone()), "{members}");
            assert_eq!(verdict.is_proved(), members.contains("proved"));
        }
    }

    #[test]
    fn what_is_not_understood_is_no_verdict() {
        for members in [
            r#""exit": 0, "verdict": "proved""#,
            r#""exit": 0, "verdict": "proved", "shown": 0"#,
            r#""exit": 0, "verdict": "nothing""#,
            r#""exit": 0, "verdict": "fine", "shown": 3"#,
            r#""exit": 0, "verdict": "Proved", "shown": 3"#,
            r#""exit": 0, "verdict": true, "shown": 3"#,
            r#""exit": 0, "verdict": ["proved"], "shown": 3"#,
        ] {
            assert!(read(members).is_err(), "{members}");
        }
        assert!(Answer::read("").is_err());
        assert!(Answer::read("[]").is_err());
        let older = r#"{"verdict": "proved", "shown": 3}"#;
        assert!(Answer::read(older).is_err(), "another form");
    }
}
