//! Schedules by name, and what is known of their proofs.

use halidom_verdict::{Exit, Modes, SCHEMA};
use serde_json::Value;

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

/// The kinds of verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Proved,
    Refuted,
    Unknown,
    Nothing,
    /// There is no verdict.
    Failed,
}

/// The verdict on a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judged {
    pub(crate) word: Word,
    /// The verdict's own sentence; if there is no verdict, the reason.
    pub(crate) sentence: String,
    /// A short form of the sentence, for a lens.
    pub(crate) title: String,
}

impl Judged {
    /// The outcome of a proof that ended without a verdict.
    pub(crate) fn failed(reason: impl Into<String>) -> Self {
        let sentence = reason.into();
        Self { word: Word::Failed, title: sentence.clone(), sentence }
    }

    /// Reads what `validate --json` printed about a schedule before it ended with a status. What
    /// does not fit the status or the request is no verdict: nothing defaults to a proof.
    pub(crate) fn read(printed: &str, status: Option<i32>, named: &Named) -> Self {
        let object: Option<Value> = serde_json::from_str(printed).ok();
        let judged = object.zip(status).and_then(|(object, status)| of(&object, status, named));
        judged.unwrap_or_else(|| Self::failed("there is no verdict: see `halidom validate`"))
    }
}

fn of(object: &Value, status: i32, (pipeline, schedule): &Named) -> Option<Judged> {
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    let is_of_job = text("schema") == Some(SCHEMA) && text("job") == Some("validate");
    if !is_of_job || object.get("exit")?.as_i64()? != i64::from(status) {
        return None;
    }
    let Some(word) = object.get("verdict") else {
        let mut all = object.get("diagnostics")?.as_array()?.iter();
        let error = all.find(|one| one["severity"] == "error")?;
        return Some(Judged::failed(error["message"].as_str()?));
    };
    let sentence = text("statement")?.to_owned();
    let is_named =
        text("pipeline") == Some(pipeline.as_str()) && text("schedule") == Some(schedule.as_str());
    // An unknown verdict may precede the choice of a program.
    let (word, exit, title) = match word.as_str()? {
        "proved" if is_named => (Word::Proved, Exit::Done, proof_title(object)?),
        "refuted" if is_named => (Word::Refuted, Exit::Wrong, sentence.clone()),
        "unknown" => (Word::Unknown, Exit::Unknown, sentence.clone()),
        "nothing" => (Word::Nothing, Exit::BadInput, sentence.clone()),
        _ => return None,
    };
    (status == i32::from(exit.code())).then_some(Judged { word, sentence, title })
}

/// The title of a proof: how floats are compared, unless bit for bit, and the obligations.
fn proof_title(object: &Value) -> Option<String> {
    let modes = object.get("modes")?;
    let axioms: Option<Vec<&str>> =
        modes.get("axioms")?.as_array()?.iter().map(Value::as_str).collect();
    let equality = match modes.get("floats")?.as_str()? {
        "bits" => String::new(),
        "axioms" => format!(" {}", Modes::axioms(axioms?)),
        "reals" => format!(" {}", Modes::reals(axioms?)),
        _ => return None,
    };
    match object.get("shown")?.as_u64()? {
        0 => None,
        1 => Some(format!("proved{equality}: 1 obligation")),
        shown => Some(format!("proved{equality}: {shown} obligations")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Judged, Named, Word};

    fn named() -> Named {
        ("p".to_owned(), "s".to_owned())
    }

    fn proof() -> Value {
        json!({
            "schema": "halidom-verdict-1", "job": "validate", "exit": 0, "verdict": "proved",
            "statement": "proved: it is right, bit for bit", "shown": 2, "pipeline": "p",
            "schedule": "s", "modes": {"floats": "bits", "axioms": []}, "diagnostics": [],
        })
    }

    /// Reads a proof with changes.
    fn read(status: Option<i32>, changes: &Value) -> Judged {
        let mut object = proof();
        for (key, value) in changes.as_object().expect("an object") {
            object[key] = value.clone();
        }
        Judged::read(&object.to_string(), status, &named())
    }

    #[test]
    fn sentences_are_those_of_verdicts() {
        let judged = read(Some(0), &json!({}));
        assert_eq!(judged.word, Word::Proved);
        assert_eq!(judged.sentence, "proved: it is right, bit for bit");
        assert_eq!(judged.title, "proved: 2 obligations");
        for (changes, title) in [
            (json!({"shown": 1}), "proved: 1 obligation"),
            (
                json!({"modes": {"floats": "reals", "axioms": []}}),
                "proved over the reals: 2 obligations",
            ),
            (
                json!({"modes": {"floats": "axioms", "axioms": ["a", "b"]}}),
                "proved under a, b: 2 obligations",
            ),
        ] {
            assert_eq!(read(Some(0), &changes).title, title);
        }
        for (verdict, exit, word) in [
            ("refuted", 1, Word::Refuted),
            ("nothing", 2, Word::Nothing),
            ("unknown", 3, Word::Unknown),
        ] {
            let sentence = format!("{verdict}: so it is");
            let judged = read(
                Some(exit),
                &json!({"verdict": verdict, "exit": exit, "statement": sentence, "reason": "x"}),
            );
            assert_eq!(judged, Judged { word, title: sentence.clone(), sentence });
        }
    }

    #[test]
    fn only_a_whole_answer_that_ends_as_it_says_is_a_verdict() {
        for status in [None, Some(1), Some(2), Some(3), Some(4), Some(101)] {
            assert_eq!(read(status, &json!({})).word, Word::Failed, "{status:?}");
        }
        for changes in [
            json!({"exit": 1}),
            json!({"exit": "0"}),
            json!({"exit": null}),
            json!({"shown": 0}),
            json!({"shown": -1}),
            json!({"shown": "2"}),
            json!({"shown": null}),
            json!({"schema": "halidom-verdict-2"}),
            json!({"job": "verify"}),
            json!({"pipeline": "q"}),
            json!({"schedule": null}),
            json!({"statement": null}),
            json!({"modes": null}),
            json!({"modes": {"floats": "none", "axioms": []}}),
            json!({"modes": {"floats": "axioms", "axioms": [1]}}),
            json!({"verdict": "Proved"}),
            json!({"verdict": null}),
            json!({"verdict": "refuted"}),
            json!({"verdict": "unknown"}),
            json!({"verdict": "nothing"}),
        ] {
            assert_eq!(read(Some(0), &changes).word, Word::Failed, "{changes}");
        }
        let wrong = json!({"verdict": "refuted", "exit": 1, "schedule": "t"});
        assert_eq!(read(Some(1), &wrong).word, Word::Failed);
        let whole = proof().to_string();
        for printed in ["", "proved", "[]", &whole[..whole.len() - 1], &format!("{whole}{whole}")] {
            assert_eq!(Judged::read(printed, Some(0), &named()).word, Word::Failed, "{printed}");
        }
    }

    #[test]
    fn a_refused_program_is_told_by_its_first_error() {
        let diagnostics = json!([
            {"severity": "warning", "message": "careful"},
            {"severity": "error", "message": "no such func"},
        ]);
        let answer = json!({
            "schema": "halidom-verdict-1", "job": "validate", "exit": 2,
            "diagnostics": diagnostics,
        });
        let judged = Judged::read(&answer.to_string(), Some(2), &named());
        assert_eq!(judged, Judged::failed("no such func"));
    }
}
