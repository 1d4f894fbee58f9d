//! The summary of the verdicts on a program's pipelines.

use std::path::Path;
use std::time::{Duration, Instant};

use halidom_verdict::{Answer, NoVerdict, Word};
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

/// The kinds of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Proved,
    Refuted,
    Unknown,
    /// There is no verdict.
    Missing,
    /// The pipeline is one that was compiled before.
    Again,
}

impl Kind {
    fn text(self) -> &'static str {
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
    fn word(self) -> Option<Word> {
        match self {
            Self::Proved => Some(Word::Proved),
            Self::Refuted => Some(Word::Refuted),
            Self::Unknown | Self::Missing => Some(Word::Unknown),
            Self::Again => None,
        }
    }

    /// Tests for a pipeline that was to be proved and is not.
    fn is_open(self) -> bool {
        self.word().is_some_and(|word| word != Word::Proved)
    }
}

/// The answer about a pipeline.
#[derive(Debug)]
pub(super) struct Outcome {
    kind: Kind,
    /// The pipeline's name.
    pipeline: String,
    /// The verdict's sentence, or why there is no verdict.
    sentence: String,
    /// Further lines: the place of a fault.
    details: Vec<String>,
    seconds: f64,
}

impl Outcome {
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
    let count = |kind: Kind| outcomes().filter(|(_, outcome)| outcome.kind == kind).count();
    let kinds = [Kind::Proved, Kind::Refuted, Kind::Unknown, Kind::Missing];
    let counts = kinds.map(|kind| (kind, count(kind)));
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    let parts: Vec<String> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {}", kind.text()))
        .collect();
    let seconds: f64 = outcomes().map(|(_, outcome)| outcome.seconds).sum();
    let plural = if total == 1 { "" } else { "s" };
    let mut text =
        format!("halidom: {total} pipeline{plural}: {} ({seconds:.1} s)\n", parts.join(", "));
    if !options.is_empty() {
        text.extend([format!("  judged with `{options}` (HALIDOM_PRELOAD_OPTIONS)\n")]);
    }
    let open = || outcomes().filter(|(_, outcome)| outcome.kind.is_open());
    for (item, outcome) in open().take(SHOWN) {
        let name = if outcome.pipeline.is_empty() { &item.name } else { &outcome.pipeline };
        // A refutation's sentence begins with the word.
        let said = outcome.sentence.trim_start_matches("refuted: ");
        let said = cut(said.lines().next().unwrap_or_default());
        text.extend([format!("  {name}: {}: {said}\n", outcome.kind.text())]);
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
    // What nobody looked at is not known.
    let unseen_word = (unseen > 0).then_some(Word::Unknown);
    let words = outcomes().filter_map(|(_, outcome)| outcome.kind.word()).chain(unseen_word);
    let exit = Word::worst(words).exit();
    let values: Vec<Value> = outcomes()
        .map(|(item, outcome)| {
            json!({
                "name": item.name, "function": item.function, "pipeline": outcome.pipeline,
                "verdict": outcome.kind.text(), "statement": outcome.sentence,
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
        assert_eq!(said(&[]).exit, 2);
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
        assert_eq!((outcome.kind, outcome.sentence.as_str()), (Kind::Missing, "no such file"));
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
        let summed = said(&[answer("proved", 0, json!({})), again]);
        assert_eq!(summed.exit, 0);
        assert_eq!(summed.text, "halidom: 1 pipeline: 1 proved (0.5 s)\n");
        assert_eq!(summed.json["pipelines"][1]["verdict"], "compiled again");
    }
}
