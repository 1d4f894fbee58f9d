//! The summary of the verdicts on a program's pipelines, as text.

use halidom_driver::stock::preload::{Item, Kind, Summary};

/// The number of pipelines without a proof that are printed.
const SHOWN: usize = 40;
/// The number of characters of a reason that are printed.
const WIDTH: usize = 160;

/// Prints the numbers of verdicts, and the pipelines that are not proved.
pub(super) fn text(summary: &Summary) -> String {
    let kinds = [Kind::Proved, Kind::Refuted, Kind::Unknown, Kind::Missing];
    let counts = kinds.map(|kind| (kind, summary.count(kind)));
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    let parts: Vec<String> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {}", kind.text()))
        .collect();
    let plural = if total == 1 { "" } else { "s" };
    let (parts, seconds) = (parts.join(", "), summary.seconds());
    let mut text = format!("halidom: {total} pipeline{plural}: {parts} ({seconds:.1} s)\n");
    if !summary.options.is_empty() {
        let options = &summary.options;
        text.extend([format!("  judged with `{options}` (HALIDOM_PRELOAD_OPTIONS)\n")]);
    }
    let open: Vec<&Item> = summary.items.iter().filter(|item| item.is_open()).collect();
    for item in open.iter().take(SHOWN) {
        text.push_str(&lines(item));
    }
    let hidden = open.len().saturating_sub(SHOWN);
    if hidden > 0 {
        text.extend([format!("  and {hidden} more\n")]);
    }
    if summary.unseen > 0 {
        let unseen = summary.unseen;
        text.extend([format!(
            "  {unseen} more compiles were not looked at (HALIDOM_PRELOAD_MOST)\n"
        )]);
    }
    text
}

/// The lines about a pipeline that is not proved.
fn lines(Item { name, custom, answer, .. }: &Item) -> String {
    let name = if answer.pipeline.is_empty() { name } else { &answer.pipeline };
    // A refutation's sentence begins with the word.
    let said = answer.sentence.trim_start_matches("refuted: ");
    let said = cut(said.lines().next().unwrap_or_default());
    let mut text = format!("  {name}: {}: {said}\n", answer.kind.text());
    if *custom {
        text.push_str("    the statement went through lowering passes of the program\n");
    }
    for detail in &answer.details {
        text.extend([format!("    {}\n", cut(detail))]);
    }
    text
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
    use halidom_driver::stock::preload::Answer;

    use super::*;

    fn item(kind: Kind, pipeline: &str, sentence: &str, details: &[&str]) -> Item {
        let answer = Answer {
            kind,
            pipeline: pipeline.to_owned(),
            sentence: sentence.to_owned(),
            details: details.iter().map(|detail| (*detail).to_owned()).collect(),
            seconds: 0.5,
        };
        Item { name: "1".to_owned(), function: String::new(), custom: false, answer }
    }

    fn of(items: Vec<Item>, unseen: usize, options: &str) -> String {
        text(&Summary { items, unseen, options: options.to_owned(), folder: "here".into() })
    }

    #[test]
    fn pipelines_that_are_not_proved_are_named() {
        let proved = || item(Kind::Proved, "f", "proved: it is", &[]);
        let unknown = item(Kind::Unknown, "h", "time", &[]);
        assert_eq!(
            of(vec![proved(), unknown], 0, ""),
            "halidom: 2 pipelines: 1 proved, 1 unknown (1.0 s)\n  h: unknown: time\n"
        );
        let wrong = item(Kind::Refuted, "g", "refuted: expected 1, got 2", &["place: line 3"]);
        assert_eq!(
            of(vec![proved(), wrong], 2, ""),
            "halidom: 2 pipelines: 1 proved, 1 refuted (1.0 s)\n  g: refuted: expected 1, got 2\n\
             \x20   place: line 3\n  2 more compiles were not looked at (HALIDOM_PRELOAD_MOST)\n"
        );
        let missing = Item { custom: true, ..item(Kind::Missing, "", "a crash", &[]) };
        assert_eq!(
            of(vec![missing], 0, ""),
            "halidom: 1 pipeline: 1 not judged (0.5 s)\n  1: not judged: a crash\n    the \
             statement went through lowering passes of the program\n"
        );
        assert_eq!(
            of(vec![proved(), item(Kind::Again, "", "", &[])], 0, "--assume small"),
            "halidom: 1 pipeline: 1 proved (1.0 s)\n  judged with `--assume small` \
             (HALIDOM_PRELOAD_OPTIONS)\n"
        );
    }
}
