//! The summary of the verdicts on a program's pipelines.

use std::path::Path;
use std::time::{Duration, Instant};

use halidom_verdict::{Answer, Exit, NoVerdict, Word as Verdict};
use serde_json::{Value, json};

/// The number of pipelines without a proof that are printed.
const SHOWN: usize = 40;
/// The number of characters of a reason that are printed.
const WIDTH: usize = 160;

/// A pipeline that a program compiled.
#[derive(Debug)]
pub(super) struct Item {
    /// The name of its files.
    pub(super) name: String,
    /// The name of the compiled function, once it is known.
    pub(super) function: String,
    /// The time at which the files were announced.
    pub(super) since: Instant,
    /// The files are there.
    pub(super) is_written: bool,
    /// Lowering passes of the program have changed the statement.
    pub(super) custom: bool,
    /// The answer, once there is one.
    pub(super) outcome: Option<Outcome>,
}

impl Item {
    /// A pipeline whose files are being written.
    pub(super) fn begun(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            function: String::new(),
            since: Instant::now(),
            is_written: false,
            custom: false,
            outcome: None,
        }
    }

    /// Tests whether the answer is still to come.
    pub(super) fn is_awaited(&self) -> bool {
        self.outcome.is_none()
    }

    /// Tests whether the program itself compiled it, and not a forked child.
    pub(super) fn is_of_program(&self) -> bool {
        !self.name.contains('-')
    }
}

/// The kinds of answers, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Word {
    Refuted,
    /// There is no verdict.
    Missing,
    Unknown,
    Proved,
    /// The pipeline is one that was compiled before.
    Again,
}

impl Word {
    fn text(self) -> &'static str {
        match self {
            Self::Refuted => "refuted",
            Self::Missing => "not judged",
            Self::Unknown => "unknown",
            Self::Proved => "proved",
            Self::Again => "compiled again",
        }
    }
}

/// The answer about a pipeline.
#[derive(Debug)]
pub(super) struct Outcome {
    word: Word,
    /// The pipeline's name.
    pipeline: String,
    /// The verdict's sentence, or why there is no verdict.
    sentence: String,
    /// Further lines: the place of a fault.
    details: Vec<String>,
    seconds: f64,
}

impl Outcome {
    fn without_verdict(word: Word, sentence: &str) -> Self {
        let (pipeline, sentence) = (String::new(), sentence.to_owned());
        Self { word, pipeline, sentence, details: Vec::new(), seconds: 0.0 }
    }

    /// There is no verdict, for this reason.
    pub(super) fn missing(reason: &str) -> Self {
        Self::without_verdict(Word::Missing, reason)
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
        Self::without_verdict(Word::Again, "")
    }

    /// Reads what `validate --json` printed before it ended.
    pub(super) fn of(printed: &str, status: Option<i32>, time: Duration) -> Self {
        let answer = match Answer::read(printed, status, None) {
            Ok(answer) => answer,
            Err(NoVerdict::Broken(reason)) => {
                let ended =
                    status.map_or("a signal".to_owned(), |status| format!("status {status}"));
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
        let (word, sentence, details) = match answer.word() {
            Verdict::Proved => (Word::Proved, None, None),
            Verdict::Refuted => (Word::Refuted, None, Some(place())),
            Verdict::Unknown => (Word::Unknown, text(object.get("reason")), None),
            Verdict::Nothing => (Word::Missing, None, None),
        };
        let details = details
            .into_iter()
            .flatten()
            .filter_map(|(label, value)| text(value).map(|text| format!("{label}{text}")));
        Self {
            word,
            pipeline: text(object.get("pipeline")).unwrap_or_default(),
            sentence: sentence.unwrap_or_else(|| answer.statement().to_owned()),
            details: details.collect(),
            seconds: time.as_secs_f64(),
        }
    }
}

/// A summary.
#[derive(Debug)]
pub(super) struct Summary {
    pub(super) text: String,
    pub(super) json: Value,
    /// The exit status of the worst answer.
    pub(super) exit: u8,
}

/// Sums up; `unseen` compiles were not looked at. The judgements had further options.
pub(super) fn summary(items: &[Item], unseen: usize, (folder, options): (&Path, &str)) -> Summary {
    let outcomes = || items.iter().filter_map(|item| item.outcome.as_ref().map(|o| (item, o)));
    let count = |word: Word| outcomes().filter(|(_, outcome)| outcome.word == word).count();
    let words = [Word::Proved, Word::Refuted, Word::Unknown, Word::Missing];
    let counts = words.map(|word| (word, count(word)));
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    let parts: Vec<String> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(word, count)| format!("{count} {}", word.text()))
        .collect();
    let seconds: f64 = outcomes().map(|(_, outcome)| outcome.seconds).sum();
    let plural = if total == 1 { "" } else { "s" };
    let mut text =
        format!("halidom: {total} pipeline{plural}: {} ({seconds:.1} s)\n", parts.join(", "));
    if !options.is_empty() {
        text.extend([format!("  judged with `{options}` (HALIDOM_PRELOAD_OPTIONS)\n")]);
    }
    let open = || outcomes().filter(|(_, outcome)| outcome.word < Word::Proved);
    for (item, outcome) in open().take(SHOWN) {
        let name = if outcome.pipeline.is_empty() { &item.name } else { &outcome.pipeline };
        // A refutation's sentence begins with the word.
        let said = outcome.sentence.trim_start_matches("refuted: ");
        let said = cut(said.lines().next().unwrap_or_default());
        text.extend([format!("  {name}: {}: {said}\n", outcome.word.text())]);
        if item.custom {
            text.push_str("    the statement went through lowering passes of the program\n");
        }
        for detail in &outcome.details {
            text.extend([format!("    {}\n", cut(detail))]);
        }
    }
    let hidden = open().count().saturating_sub(SHOWN);
    if hidden > 0 {
        text.extend([format!("  and {hidden} more\n")]);
    }
    if unseen > 0 {
        text.extend([format!(
            "  {unseen} more compiles were not looked at (HALIDOM_PRELOAD_MOST)\n"
        )]);
    }
    let worst = outcomes().map(|(_, outcome)| outcome.word).min();
    let exit = match worst {
        Some(Word::Refuted) => Exit::Wrong,
        Some(Word::Missing | Word::Unknown) => Exit::Unknown,
        Some(Word::Proved | Word::Again) | None if unseen > 0 => Exit::Unknown,
        Some(Word::Proved | Word::Again) | None => Exit::Done,
    };
    let values: Vec<Value> = outcomes()
        .map(|(item, outcome)| {
            json!({
                "name": item.name, "function": item.function, "pipeline": outcome.pipeline,
                "verdict": outcome.word.text(), "statement": outcome.sentence,
                "seconds": outcome.seconds,
            })
        })
        .collect();
    let json = json!({
        "pipelines": values, "unseen": unseen, "exit": exit.code(), "options": options,
        "folder": folder.display().to_string(),
    });
    Summary { text, json, exit: exit.code() }
}

/// The beginning of a line.
fn cut(line: &str) -> String {
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer of `validate --json` with these keys.
    fn answer(verdict: &str, exit: i32, keys: Value) -> Item {
        outcome(verdict, exit, Some(exit), keys)
    }

    fn outcome(verdict: &str, exit: i32, status: Option<i32>, keys: Value) -> Item {
        let mut object = json!({
            "schema": "halidom-verdict-1", "job": "validate", "exit": exit, "verdict": verdict,
            "statement": verdict, "modes": {"floats": "bits", "axioms": []}, "conditions": [],
            "shown": 1, "evidence": [{}], "diagnostics": [],
        });
        if let (Value::Object(object), Value::Object(keys)) = (&mut object, keys) {
            object.extend(keys);
        }
        let outcome = Outcome::of(&object.to_string(), status, Duration::from_millis(500));
        Item { outcome: Some(outcome), ..Item::begun("1") }
    }

    fn said(items: &[Item]) -> Summary {
        summary(items, 0, (Path::new("here"), ""))
    }

    #[test]
    fn the_worst_answer_decides() {
        let proved = || answer("proved", 0, json!({"pipeline": "f"}));
        assert_eq!(said(&[]).exit, 0);
        assert_eq!(said(&[proved()]).exit, 0);
        assert_eq!(summary(&[proved()], 1, (Path::new("here"), "")).exit, 3);
        let unknown = answer("unknown", 3, json!({"reason": "time", "pipeline": "h"}));
        let summed = said(&[proved(), unknown]);
        assert_eq!(summed.exit, 3);
        assert_eq!(
            summed.text,
            "halidom: 2 pipelines: 1 proved, 1 unknown (1.0 s)\n  h: unknown: time\n"
        );
        let wrong = json!({
            "statement": "refuted: expected 1, got 2", "pipeline": "g", "place": "line 3",
        });
        let summed = said(&[proved(), answer("refuted", 1, wrong)]);
        assert_eq!(summed.exit, 1);
        assert!(summed.text.ends_with("  g: refuted: expected 1, got 2\n    place: line 3\n"));
    }

    #[test]
    fn only_an_answer_that_ends_as_it_says_is_a_verdict() {
        assert_eq!(said(&[answer("proved", 0, json!({}))]).exit, 0);
        for item in [
            answer("splendid", 0, json!({})),
            answer("proved", 3, json!({})),
            answer("proved", 0, json!({"shown": 0})),
            answer("proved", 0, json!({"schema": "other"})),
            answer("proved", 0, json!({"job": "bench"})),
            outcome("proved", 0, Some(1), json!({})),
            outcome("proved", 0, None, json!({})),
        ] {
            let summed = said(&[item]);
            assert_eq!(summed.exit, 3);
            assert_eq!(summed.json["pipelines"][0]["verdict"], "not judged");
        }
        let refused = json!({
            "schema": "halidom-verdict-1", "job": "validate", "exit": 2,
            "diagnostics": [{"severity": "error", "message": "no such file"}],
        });
        let outcome = Outcome::of(&refused.to_string(), Some(2), Duration::ZERO);
        assert_eq!((outcome.word, outcome.sentence.as_str()), (Word::Missing, "no such file"));
    }

    #[test]
    fn options_are_named() {
        let proved = answer("proved", 0, json!({}));
        let summed = summary(&[proved], 0, (Path::new("here"), "--assume small"));
        let line = "  judged with `--assume small` (HALIDOM_PRELOAD_OPTIONS)\n";
        assert!(summed.text.ends_with(line));
    }

    #[test]
    fn a_second_compile_is_named() {
        let again = Item { outcome: Some(Outcome::again()), ..Item::begun("2") };
        let summed = said(&[again]);
        assert_eq!(summed.exit, 0);
        assert_eq!(summed.json["pipelines"][0]["verdict"], "compiled again");
    }
}
