//! The summary of the verdicts on a program's pipelines.

use std::path::Path;
use std::time::{Duration, Instant};

use halidom_verdict::Exit;
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

    /// Reads the output of `validate --json`, which must agree with the exit status. A proof must
    /// have shown something.
    pub(super) fn of(verdict: &Value, status: Option<i32>, time: Duration) -> Self {
        if verdict["exit"].as_i64() != status.map(i64::from) || status.is_none() {
            let ended = status.map_or("a signal".to_owned(), |status| format!("status {status}"));
            return Self::missing(&format!(
                "`halidom validate` ends with {ended}, and says another"
            ));
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let word = match verdict["verdict"].as_str() {
            Some("proved") if verdict["shown"].as_u64() > Some(0) => Word::Proved,
            Some("refuted") => Word::Refuted,
            Some("unknown") => Word::Unknown,
            Some(_) | None => Word::Missing,
        };
        let sentence = match word {
            Word::Unknown => text(&verdict["reason"]),
            Word::Missing => text(&verdict["diagnostics"][0]["message"]),
            Word::Refuted | Word::Proved | Word::Again => text(&verdict["statement"]),
        };
        let details = [
            ("place: ", &verdict["place"]),
            ("algorithm: ", &verdict["site"]["algorithm"]["text"]),
            ("", &verdict["compiled_code"]["said"]),
        ];
        let details =
            details.into_iter().filter(|(_, value)| word == Word::Refuted && value.is_string());
        Self {
            word,
            pipeline: text(&verdict["pipeline"]),
            sentence,
            details: details.map(|(label, value)| format!("{label}{}", text(value))).collect(),
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

    fn item(name: &str, verdict: &Value) -> Item {
        let status = verdict["exit"].as_i64().map(|status| status as i32);
        let outcome = Outcome::of(verdict, status, Duration::from_millis(500));
        Item { outcome: Some(outcome), ..Item::begun(name) }
    }

    #[test]
    fn the_worst_answer_decides() {
        let proved =
            || item("1", &json!({"verdict": "proved", "shown": 1, "exit": 0, "pipeline": "f"}));
        let wrong = json!({
            "verdict": "refuted", "exit": 1, "statement": "refuted: expected 1, got 2",
            "pipeline": "g", "place": "line 3",
        });
        let folder = (Path::new("here"), "");
        assert_eq!(summary(&[], 0, folder).exit, 0);
        assert_eq!(summary(&[proved()], 0, folder).exit, 0);
        assert_eq!(summary(&[proved()], 1, folder).exit, 3);
        let unknown =
            item("2", &json!({"verdict": "unknown", "exit": 3, "reason": "time", "pipeline": "h"}));
        let said = summary(&[proved(), unknown], 0, folder);
        assert_eq!(said.exit, 3);
        assert_eq!(
            said.text,
            "halidom: 2 pipelines: 1 proved, 1 unknown (1.0 s)\n  h: unknown: time\n"
        );
        let said = summary(&[proved(), item("2", &wrong)], 0, folder);
        assert_eq!(said.exit, 1);
        assert!(said.text.ends_with("  g: refuted: expected 1, got 2\n    place: line 3\n"));
    }

    #[test]
    fn a_verdict_agrees_with_the_exit_status() {
        let proved = json!({"verdict": "proved", "shown": 3, "exit": 0});
        let empty = json!({"verdict": "proved", "shown": 0, "exit": 0});
        for (verdict, status, expected) in [
            (&proved, Some(0), Word::Proved),
            (&proved, Some(1), Word::Missing),
            (&proved, None, Word::Missing),
            (&empty, Some(0), Word::Missing),
            (&json!({"verdict": "proved", "shown": 3}), None, Word::Missing),
        ] {
            let word = Outcome::of(verdict, status, Duration::ZERO).word;
            assert_eq!(word, expected, "{verdict} {status:?}");
        }
    }

    #[test]
    fn options_are_named() {
        let proved = item("1", &json!({"verdict": "proved", "shown": 1, "exit": 0}));
        let said = summary(&[proved], 0, (Path::new("here"), "--assume small"));
        assert!(said.text.ends_with("  judged with `--assume small` (HALIDOM_PRELOAD_OPTIONS)\n"));
    }

    #[test]
    fn no_verdict_is_no_proof() {
        let strange = item("1", &json!({"verdict": "splendid", "exit": 0}));
        assert_eq!(summary(&[strange], 0, (Path::new("here"), "")).exit, 3);
        let again = Item { outcome: Some(Outcome::again()), ..Item::begun("2") };
        let said = summary(&[again], 0, (Path::new("here"), ""));
        assert_eq!(
            (said.exit, said.json["pipelines"][0]["verdict"].as_str()),
            (0, Some("compiled again"))
        );
    }
}
