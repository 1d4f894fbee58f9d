//! The summary of the answers about a program's pipelines.

use std::path::PathBuf;

use halidom_verdict::{Exit, Word};
use serde_json::{Value, json};

use super::answer::{Answer, Kind};

/// A pipeline that a program compiled.
#[derive(Clone, Debug)]
pub struct Item {
    /// The name of its files.
    pub name: String,
    /// The name of the compiled function; empty if it is not known.
    pub function: String,
    /// Lowering passes of the program have changed the statement.
    pub custom: bool,
    /// The answer.
    pub answer: Answer,
}

impl Item {
    /// Tests for a pipeline that was to be proved and is not.
    pub fn is_open(&self) -> bool {
        self.answer.kind.word().is_some_and(|word| word != Word::Proved)
    }
}

/// The answers about a program's pipelines.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The pipelines, in the order in which they were announced.
    pub items: Vec<Item>,
    /// The number of compiles that nobody looked at.
    pub unseen: usize,
    /// The further options of the judgements, separated by blanks.
    pub options: String,
    /// The folder with the pipelines' files.
    pub folder: PathBuf,
}

impl Summary {
    /// The number of pipelines with answers of a kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.items.iter().filter(|item| item.answer.kind == kind).count()
    }

    /// The time of all judgements.
    pub fn seconds(&self) -> f64 {
        self.items.iter().map(|item| item.answer.seconds).sum()
    }

    /// The exit status of the verdict on all pipelines. What nobody looked at is unknown.
    pub fn exit(&self) -> Exit {
        let unseen = (self.unseen > 0).then_some(Word::Unknown);
        let words = self.items.iter().filter_map(|item| item.answer.kind.word());
        Word::worst(words.chain(unseen)).exit()
    }

    /// The summary for programs.
    pub fn json(&self) -> Value {
        let pipelines = self.items.iter().map(|Item { name, function, answer, .. }| {
            json!({
                "name": name, "function": function, "pipeline": answer.pipeline,
                "verdict": answer.kind.text(), "statement": answer.sentence,
                "seconds": answer.seconds,
            })
        });
        json!({
            "pipelines": pipelines.collect::<Vec<Value>>(), "unseen": self.unseen,
            "exit": self.exit().code(), "options": self.options,
            "folder": self.folder.display().to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::process::Ended;

    /// The item of an answer of `validate --json` with these keys.
    fn item(verdict: &str, exit: i32, keys: Value) -> Item {
        ended(verdict, exit, Some(exit), keys)
    }

    fn ended(verdict: &str, exit: i32, status: Option<i32>, keys: Value) -> Item {
        let mut object = json!({
            "schema": "halidom-verdict-1", "job": "validate", "exit": exit, "verdict": verdict,
            "statement": verdict, "modes": {"floats": "bits", "axioms": []}, "conditions": [],
            "shown": 1, "evidence": [{}], "diagnostics": [],
        });
        if let (Value::Object(object), Value::Object(keys)) = (&mut object, keys) {
            object.extend(keys);
        }
        answered(&object, status)
    }

    fn answered(object: &Value, status: Option<i32>) -> Item {
        let ended = Ended { exit: status, printed: object.to_string() };
        with(Answer::of(&ended, Duration::from_millis(500)))
    }

    fn with(answer: Answer) -> Item {
        Item { name: "1".to_owned(), function: String::new(), custom: false, answer }
    }

    fn summary(items: Vec<Item>, unseen: usize) -> Summary {
        Summary { items, unseen, options: String::new(), folder: "here".into() }
    }

    #[test]
    fn the_worst_answer_decides() {
        let proved = || item("proved", 0, json!({}));
        let unknown = || item("unknown", 3, json!({"reason": "time"}));
        let refuted = || item("refuted", 1, json!({}));
        let again = || with(Answer::again());
        for (items, unseen, exit) in [
            (vec![], 0, Exit::BadInput),
            (vec![], 1, Exit::Unknown),
            (vec![proved()], 0, Exit::Done),
            (vec![proved(), again()], 0, Exit::Done),
            (vec![proved()], 1, Exit::Unknown),
            (vec![proved(), unknown()], 0, Exit::Unknown),
            (vec![proved(), with(Answer::late())], 0, Exit::Unknown),
            (vec![unknown(), refuted(), proved()], 1, Exit::Wrong),
        ] {
            assert_eq!(summary(items, unseen).exit(), exit);
        }
    }

    #[test]
    fn only_an_answer_that_ends_as_it_says_is_a_verdict() {
        assert_eq!(item("proved", 0, json!({})).answer.kind, Kind::Proved);
        for item in [
            item("splendid", 0, json!({})),
            item("proved", 3, json!({})),
            item("proved", 0, json!({"shown": 0})),
            item("proved", 0, json!({"schema": "other"})),
            item("proved", 0, json!({"job": "bench"})),
            ended("proved", 0, Some(1), json!({})),
            ended("proved", 0, None, json!({})),
        ] {
            let summary = summary(vec![item], 0);
            assert_eq!(summary.exit(), Exit::Unknown);
            assert_eq!(summary.json()["pipelines"][0]["verdict"], "not judged");
        }
        let refused = json!({
            "schema": "halidom-verdict-1", "job": "validate", "exit": 2,
            "diagnostics": [{"severity": "error", "message": "no such file"}],
        });
        let answer = answered(&refused, Some(2)).answer;
        assert_eq!((answer.kind, answer.sentence.as_str()), (Kind::Missing, "no such file"));
    }

    #[test]
    fn a_refutation_comes_with_its_place() {
        let keys = json!({
            "statement": "refuted: expected 1, got 2", "pipeline": "g", "place": "line 3",
        });
        let Item { answer, .. } = item("refuted", 1, keys);
        assert_eq!((answer.pipeline.as_str(), answer.kind), ("g", Kind::Refuted));
        assert_eq!(answer.details, ["place: line 3"]);
    }
}
