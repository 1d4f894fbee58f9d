//! The table of a sweep, the ranking of the reasons, and the changes since the last table.

use super::list::{Entry, Group};
use super::rows::{End, Row};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The number of reasons in a ranking.
const RANKED: usize = 40;

/// Lays out cells as a Markdown table; all columns but the first are numbers.
fn markdown(headings: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let headings: Vec<String> = headings.iter().map(|&heading| heading.to_owned()).collect();
    let rule = format!("|---|{}\n", "--:|".repeat(headings.len() - 1));
    let rows: Vec<String> = rows.iter().map(|row| line(row)).collect();
    line(&headings) + &rule + &rows.concat()
}

/// The table: a line for each group that has pipelines.
pub(super) fn table(rows: &[Row]) -> String {
    let mut headings = vec!["group", "pipelines"];
    headings.extend(End::ALL.map(End::name));
    headings.extend(["proved, %", "median, s", "longest, s"]);
    let of_group = |group: Group| {
        let own: Vec<&Row> = rows.iter().filter(|row| row.entry.group == group).collect();
        (!own.is_empty()).then(|| line(group.name(), &own))
    };
    let mut lines: Vec<Vec<String>> = Group::ALL.into_iter().filter_map(of_group).collect();
    if lines.len() > 1 {
        lines.push(line("all", &rows.iter().collect::<Vec<_>>()));
    }
    markdown(&headings, &lines)
}

fn line(name: &str, rows: &[&Row]) -> Vec<String> {
    let count = |end: End| rows.iter().filter(|row| row.end == end).count();
    let proved = rows.iter().filter(|row| row.end.is_proof()).count();
    let mut times: Vec<f64> = rows.iter().map(|row| row.seconds).collect();
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let longest = times.last().copied().unwrap_or_default();
    let mut cells = vec![name.to_owned(), rows.len().to_string()];
    cells.extend(End::ALL.map(|end| count(end).to_string()));
    cells.push((100 * proved / rows.len().max(1)).to_string());
    cells.extend([median, longest].map(|seconds| format!("{seconds:.1}")));
    cells
}

/// The reasons of rows without a proof, the most frequent first: the number of pipelines, the end,
/// the code, the reason and one pipeline.
pub(super) fn ranking(rows: &[Row]) -> String {
    let mut counts: BTreeMap<(&str, &str, &str), Vec<&Entry>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.end.is_proof()) {
        let key = (row.end.name(), row.code.as_str(), row.reason.as_str());
        counts.entry(key).or_default().push(&row.entry);
    }
    let mut ranked: Vec<_> = counts.into_iter().collect();
    ranked.sort_by_key(|(_, entries)| std::cmp::Reverse(entries.len()));
    let left = ranked.len().saturating_sub(RANKED);
    let lines: Vec<Vec<String>> = ranked
        .iter()
        .take(RANKED)
        .map(|((end, code, reason), entries)| {
            let example = entries.first().map(|entry| format!("{} {}", entry.file, entry.name));
            let reason = reason.replace('|', "\\|");
            vec![
                (*end).to_owned(),
                entries.len().to_string(),
                (*code).to_owned(),
                reason,
                example.unwrap_or_default(),
            ]
        })
        .collect();
    let mut text = markdown(&["end", "pipelines", "code", "reason", "such as"], &lines);
    if left > 0 {
        let _ = writeln!(text, "\n{left} further reasons are left out.");
    }
    text
}

/// The changes since earlier rows: pipelines that became proved, that are no longer proved, and
/// that are judged for the first time.
pub(super) fn changes(earlier: &[Row], rows: &[Row]) -> String {
    let before: BTreeMap<String, &Row> =
        earlier.iter().map(|row| (row.entry.to_string(), row)).collect();
    let mut gained = Vec::new();
    let mut lost = Vec::new();
    let mut fresh = 0;
    for row in rows {
        let Some(old) = before.get(&row.entry.to_string()) else {
            fresh += 1;
            continue;
        };
        let words = format!(
            "  {} {} {}: {} before, {} at this time",
            row.entry.group.name(),
            row.entry.file,
            row.entry.name,
            old.end.name(),
            row.end.name()
        );
        match (old.end.is_proof(), row.end.is_proof()) {
            (false, true) => gained.push(words),
            (true, false) => lost.push(words),
            (true, true) | (false, false) => {}
        }
    }
    let mut text = format!(
        "since the last table: {} became proved, {} are not proved any longer, {fresh} are new\n",
        gained.len(),
        lost.len()
    );
    for words in gained.iter().chain(&lost) {
        let _ = writeln!(text, "{words}");
    }
    text
}

/// Replaces the lines between two markers of a page; `None` if a marker is missing.
pub(super) fn inserted(page: &str, markers: [&str; 2], text: &str) -> Option<String> {
    let [begin, end] = markers;
    let start = page.find(begin)? + begin.len();
    let stop = start + page.get(start..)?.find(end)?;
    Some(format!("{}\n\n{}\n{}", &page[..start], text.trim_end(), &page[stop..]))
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::row;
    use super::*;

    #[test]
    fn everything_is_in_the_denominator() {
        let rows: Vec<Row> =
            End::ALL.into_iter().zip(1..).map(|(end, number)| row(number, end, "why")).collect();
        let table = table(&rows);
        assert!(
            table.ends_with("| tests | 8 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 25 | 1.2 | 2.0 |\n"),
            "{table}"
        );
    }

    #[test]
    fn reasons_are_ranked_by_pipelines() {
        let rows = [
            row(1, End::Unknown, "rare"),
            row(2, End::Unknown, "often | so"),
            row(3, End::Proved, ""),
            row(4, End::Unknown, "often | so"),
        ];
        let ranking = ranking(&rows);
        let lines: Vec<&str> = ranking.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "| unknown | 2 | HAL1301 | often \\| so | test/correctness/argmax.cpp 2 |",
                "| unknown | 1 | HAL1301 | rare | test/correctness/argmax.cpp 1 |",
            ]
        );
    }

    #[test]
    fn gains_and_losses_are_told() {
        let earlier = [row(1, End::Proved, ""), row(2, End::Unknown, "why")];
        let rows = [row(1, End::Late, ""), row(2, End::Axioms, ""), row(3, End::Proved, "")];
        let text = changes(&earlier, &rows);
        assert!(text.starts_with("since the last table: 1 became proved, 1 are not"), "{text}");
        assert!(text.contains("argmax.cpp 1: proved before, over the limits"), "{text}");
        assert!(text.contains("1 are new"), "{text}");
    }

    #[test]
    fn the_table_goes_between_its_markers() {
        let markers = ["<begin>", "<end>"];
        let page = "a\n<begin>\nold\n<end>\nb\n";
        assert_eq!(
            inserted(page, markers, "new\n").as_deref(),
            Some("a\n<begin>\n\nnew\n<end>\nb\n")
        );
        assert_eq!(inserted("<end> <begin>", markers, "new"), None);
    }
}
