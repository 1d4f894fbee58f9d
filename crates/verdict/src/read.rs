//! Answers of other processes: the JSON that a command printed, held against the process's end.

use std::fmt;

use serde_json::{Map, Value};

use crate::{Exit, Floats, Modes, SCHEMA, Word};

/// A verdict that a process printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    word: Word,
    statement: String,
    title: String,
    object: Map<String, Value>,
}

/// The reason why the output of a process is no verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum NoVerdict {
    /// The command refused its input. The object has diagnostics, at least one of them an error.
    Refused(Map<String, Value>),
    /// The output is not the answer of a command that ended as it says, or contradicts itself.
    Broken(&'static str),
}

impl NoVerdict {
    /// The message of the first error.
    pub fn first(&self) -> &str {
        let object = match self {
            Self::Refused(object) => object,
            Self::Broken(reason) => return reason,
        };
        errors(object).next().unwrap_or("there is no verdict")
    }
}

impl fmt::Display for NoVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.first())
    }
}

impl Answer {
    /// Reads what `validate --json` printed before it ended with this status; `None` if a signal
    /// ended it. The verdict has to be about this pipeline and schedule, if they are named.
    ///
    /// # Errors
    ///
    /// Refuses all output that is not one whole answer which agrees with the status. No part has a
    /// default: a proof needs the status 0, a shown obligation, and its equality of floats.
    pub fn read(
        printed: &str,
        status: Option<i32>,
        named: Option<(&str, &str)>,
    ) -> Result<Self, NoVerdict> {
        let object = object(printed, status, "validate").map_err(NoVerdict::Broken)?;
        if !object.contains_key("verdict") {
            let is_done = status == Some(Exit::Done.code().into());
            let is_refused = !is_done && errors(&object).next().is_some();
            return Err(if is_refused {
                NoVerdict::Refused(object)
            } else {
                NoVerdict::Broken("no verdict: the process ended without one")
            });
        }
        let text = |key: &str| object.get(key).and_then(Value::as_str);
        let (word, statement, title) = judgement(&object, status)
            .ok_or(NoVerdict::Broken("no verdict: the answer contradicts itself"))?;
        let is_meant = named.is_none_or(|(pipeline, schedule)| {
            // An unknown verdict, or none, may precede the choice of a program.
            let may_lack = matches!(word, Word::Unknown | Word::Nothing);
            let is = |key: &str, name: &str| match text(key) {
                Some(found) => found == name,
                None => may_lack,
            };
            is("pipeline", pipeline) && is("schedule", schedule)
        });
        if !is_meant {
            return Err(NoVerdict::Broken("no verdict: the answer is about something else"));
        }
        Ok(Self { word, statement, title, object })
    }

    /// The kind of the verdict.
    pub fn word(&self) -> Word {
        self.word
    }

    /// The verdict's own sentence.
    pub fn statement(&self) -> &str {
        &self.statement
    }

    /// A short form of the sentence.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// All that was printed.
    pub fn object(&self) -> &Map<String, Value> {
        &self.object
    }
}

/// Reads the JSON object that a command printed before it ended with this status.
///
/// # Errors
///
/// Refuses an object that is incomplete, of another job, or that names another exit status.
pub fn object(
    printed: &str,
    status: Option<i32>,
    job: &str,
) -> Result<Map<String, Value>, &'static str> {
    let object: Map<String, Value> = serde_json::from_str(printed.trim())
        .map_err(|_| "no verdict: the process ended without an answer")?;
    let is = |key: &str, name: &str| object.get(key).and_then(Value::as_str) == Some(name);
    if !is("schema", SCHEMA) || !is("job", job) {
        return Err("no verdict: the answer is that of another job");
    }
    let exit = object.get("exit").and_then(Value::as_i64);
    if status.is_none() || exit != status.map(i64::from) {
        return Err("no verdict: the process did not end as its answer says");
    }
    Ok(object)
}

/// The messages of the errors of an object.
fn errors(object: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let all = object.get("diagnostics").and_then(Value::as_array);
    let errors = all.into_iter().flatten().filter(|one| one["severity"] == "error");
    errors.filter_map(|one| one["message"].as_str())
}

/// The kind, the sentence and the title of a verdict that does not contradict itself.
fn judgement(object: &Map<String, Value>, status: Option<i32>) -> Option<(Word, String, String)> {
    let word = Word::named(object.get("verdict")?.as_str()?)?;
    if status != Some(word.exit().code().into()) {
        return None;
    }
    let statement = object.get("statement")?.as_str()?.to_owned();
    let title = match word {
        Word::Proved => proof_title(object)?,
        Word::Refuted if object.get("evidence")?.as_array()?.is_empty() => return None,
        Word::Refuted | Word::Unknown | Word::Nothing => statement.clone(),
    };
    Some((word, statement, title))
}

/// The title of a proof: how floats are compared, unless bit for bit, the number of obligations,
/// and that of conditions.
fn proof_title(object: &Map<String, Value>) -> Option<String> {
    let modes = object.get("modes")?;
    let axioms: Option<Vec<&str>> =
        modes.get("axioms")?.as_array()?.iter().map(Value::as_str).collect();
    let equality = match Floats::named(modes.get("floats")?.as_str()?)? {
        Floats::Bits => String::new(),
        Floats::Axioms => format!(" {}", Modes::axioms(axioms?)),
        Floats::Reals => format!(" {}", Modes::reals(axioms?)),
    };
    let counted =
        |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let shown = usize::try_from(object.get("shown")?.as_u64()?).ok().filter(|shown| *shown > 0)?;
    let conditions = match object.get("conditions")?.as_array()?.len() {
        0 => String::new(),
        count => format!(", under {}", counted(count, "condition")),
    };
    Some(format!("proved{equality}: {}{conditions}", counted(shown, "obligation")))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Answer, NoVerdict, Word, object};

    const NAMED: Option<(&str, &str)> = Some(("p", "s"));

    fn proof() -> Value {
        json!({
            "schema": "halidom-verdict-1", "job": "validate", "exit": 0, "verdict": "proved",
            "statement": "proved: it is right, bit for bit", "shown": 2, "conditions": [],
            "pipeline": "p", "schedule": "s", "modes": {"floats": "bits", "axioms": []},
            "diagnostics": [],
        })
    }

    /// Reads a proof with changes; `null` removes a key.
    fn read(status: Option<i32>, changes: &Value) -> Result<Answer, NoVerdict> {
        let mut object = proof();
        let object = object.as_object_mut().expect("an object");
        for (key, value) in changes.as_object().expect("an object") {
            if value.is_null() {
                object.remove(key);
            } else {
                object.insert(key.clone(), value.clone());
            }
        }
        Answer::read(&Value::from(object.clone()).to_string(), status, NAMED)
    }

    #[test]
    fn titles_are_short_sentences() {
        let answer = read(Some(0), &json!({})).expect("a proof");
        assert_eq!(answer.word(), Word::Proved);
        assert_eq!(answer.statement(), "proved: it is right, bit for bit");
        assert_eq!(answer.title(), "proved: 2 obligations");
        for (changes, title) in [
            (json!({"shown": 1}), "proved: 1 obligation"),
            (json!({"conditions": [{}]}), "proved: 2 obligations, under 1 condition"),
            (json!({"conditions": [{}, {}]}), "proved: 2 obligations, under 2 conditions"),
            (
                json!({"modes": {"floats": "reals", "axioms": []}}),
                "proved over the reals: 2 obligations",
            ),
            (
                json!({"modes": {"floats": "axioms", "axioms": ["a", "b"]}}),
                "proved under a, b: 2 obligations",
            ),
        ] {
            assert_eq!(read(Some(0), &changes).expect("a proof").title(), title);
        }
        for (exit, word) in [(1, Word::Refuted), (2, Word::Nothing), (3, Word::Unknown)] {
            let sentence = format!("{}: so it is", word.name());
            let changes = json!({
                "verdict": word.name(), "exit": exit, "statement": sentence, "evidence": [{}],
                "shown": null, "modes": null,
            });
            let answer = read(Some(exit), &changes).expect("a verdict");
            assert_eq!((answer.word(), answer.title()), (word, sentence.as_str()));
        }
    }

    #[test]
    fn only_a_whole_answer_that_ends_as_it_says_is_a_verdict() {
        for status in [None, Some(1), Some(2), Some(3), Some(4), Some(101)] {
            assert!(read(status, &json!({})).is_err(), "{status:?}");
        }
        for changes in [
            json!({"exit": 1}),
            json!({"exit": "0"}),
            json!({"exit": null}),
            json!({"shown": 0}),
            json!({"shown": -1}),
            json!({"shown": "2"}),
            json!({"shown": null}),
            json!({"conditions": null}),
            json!({"schema": "halidom-verdict-2"}),
            json!({"job": "verify"}),
            json!({"pipeline": "q"}),
            json!({"pipeline": null}),
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
            assert!(read(Some(0), &changes).is_err(), "{changes}");
        }
        for (status, changes) in [
            (3, json!({"exit": 3})),
            (1, json!({"verdict": "refuted", "exit": 1, "evidence": []})),
            (1, json!({"verdict": "refuted", "exit": 1})),
            (1, json!({"verdict": "refuted", "exit": 1, "evidence": [{}], "schedule": "t"})),
            (3, json!({"verdict": "unknown", "exit": 3, "schedule": "t"})),
        ] {
            assert!(read(Some(status), &changes).is_err(), "{changes}");
        }
        let whole = proof().to_string();
        for printed in ["", "proved", "[]", &whole[..whole.len() - 1], &format!("{whole}{whole}")] {
            assert!(Answer::read(printed, Some(0), NAMED).is_err(), "{printed}");
        }
        assert!(object(&whole, Some(0), "bench").is_err());
    }

    #[test]
    fn names_count_only_if_they_are_asked_for() {
        let read = |named| Answer::read(&proof().to_string(), Some(0), named);
        assert!(read(None).is_ok());
        assert!(read(Some(("p", "t"))).is_err());
        assert!(read(Some(("q", "s"))).is_err());
    }

    #[test]
    fn a_refused_program_is_told_by_its_first_error() {
        let answer = |severity: &str, exit: i32| {
            json!({
                "schema": "halidom-verdict-1", "job": "validate", "exit": exit,
                "diagnostics": [
                    {"severity": "warning", "message": "careful"},
                    {"severity": severity, "message": "no such func"},
                ],
            })
        };
        let read = |object: Value| {
            let status = object["exit"].as_i64().map(|status| status as i32);
            Answer::read(&object.to_string(), status, NAMED).expect_err("it has no verdict")
        };
        let refused = read(answer("error", 2));
        assert!(matches!(refused, NoVerdict::Refused(_)));
        assert_eq!(refused.first(), "no such func");
        assert!(matches!(read(answer("note", 2)), NoVerdict::Broken(_)));
        assert!(matches!(read(answer("error", 0)), NoVerdict::Broken(_)));
    }
}
