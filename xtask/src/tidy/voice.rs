//! The voice: comments in plain English; and lines that fit a window.
//!
//! The rules refuse what is never right; `cargo xtask voice` counts habits that make a reader
//! stumble, crate by crate.

use std::collections::BTreeMap;

use super::{File, Finding, repository_files};
use crate::error::Error;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "voice",
    summary: "counts, crate by crate, the habits in comments that make a reader stumble",
    help: "\
Prints a line for each crate: lines of comments, items with documentation, and the number of these
that begin with a question word; then, for 1,000 lines of comments, the number of sentences with
`what` twice, `says`, `of which`, `is none` and `beside`; then lines of more than 100 columns.
Changes nothing and never fails: `cargo xtask tidy` rejects the habits that are never right, and
too many of `what` twice, `says` and `of which`.

example: cargo xtask voice",
    run: print_counts,
    options: &[],
};

/// The greatest number of columns of a line that must fit.
const MAX_COLUMNS: usize = 100;

/// Words that begin a question, and no documentation.
const QUESTIONS: [&str; 4] = ["What", "Whether", "How", "Where"];

/// A paragraph of comment lines of one kind.
struct Paragraph {
    /// The number of its first line.
    line: usize,
    is_doc: bool,
    /// True for the first paragraph of its comment.
    is_first: bool,
    text: String,
}

/// The comment that a line consists of: its marker and its text.
fn comment(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_start();
    ["///", "//!", "//"].into_iter().find_map(|marker| Some((marker, line.strip_prefix(marker)?)))
}

/// The paragraphs of a file's comments, without the code in them.
fn paragraphs(text: &str) -> Vec<Paragraph> {
    let mut found: Vec<Paragraph> = Vec::new();
    let mut last: Option<&str> = None;
    let (mut is_open, mut is_code) = (false, false);
    for (index, line) in text.lines().enumerate() {
        let Some((marker, words)) = comment(line) else {
            (last, is_open, is_code) = (None, false, false);
            continue;
        };
        let is_first = last != Some(marker);
        last = Some(marker);
        let words = words.trim();
        if words.starts_with("```") {
            (is_code, is_open) = (!is_code, false);
        } else if words.is_empty() {
            is_open = false;
        } else if !is_code {
            match found.last_mut().filter(|_| is_open && !is_first) {
                Some(paragraph) => paragraph.text.extend([" ", words]),
                None => found.push(Paragraph {
                    line: index + 1,
                    is_doc: marker != "//",
                    is_first,
                    text: words.to_owned(),
                }),
            }
            is_open = true;
        }
    }
    found
}

impl Paragraph {
    /// Counts each habit in the paragraph.
    fn habits(&self) -> [usize; HABITS.len()] {
        let times = |sentence: &str, habit: &Habit| {
            habit.words.iter().filter(|words| has_in_order(sentence, words)).count()
        };
        HABITS.map(|habit| self.text.split(". ").map(|sentence| times(sentence, &habit)).sum())
    }
}

fn begins_with_a_question(paragraph: &Paragraph) -> bool {
    let first = paragraph.text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    paragraph.is_doc && paragraph.is_first && QUESTIONS.contains(&first)
}

/// Documentation begins with a verb or a name.
pub(super) fn beginnings(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.extension() == "rs") {
        for paragraph in paragraphs(&file.text) {
            if begins_with_a_question(&paragraph) {
                let problem =
                    "documentation that begins with a question word: begin with a verb or a name";
                findings.push(Finding::at_line(file, paragraph.line, problem));
            }
        }
    }
    findings
}

/// True for the inputs of tests, which may look as a user may write them.
fn is_input(path: &str) -> bool {
    path.starts_with("tests/cases/") || path.starts_with("crates/") && path.contains("/tests/")
}

/// Sources and Markdown fit a window. Tables, code and links of Markdown may be wider.
pub(super) fn columns(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        let mut is_code = false;
        for (index, line) in file.text.lines().enumerate() {
            let must_fit = match file.extension() {
                "rs" => true,
                "c" | "h" | "cpp" | "py" | "v" | "hal" => !is_input(&file.path),
                "md" => {
                    let is_fence = line.trim_start().starts_with("```");
                    is_code ^= is_fence;
                    !is_code && !is_fence && !line.trim_start().starts_with('|')
                }
                _ => false,
            };
            let columns = line.chars().count();
            // A word without an end cannot be broken.
            let is_breakable = line.trim().contains(' ');
            if must_fit && is_breakable && columns > MAX_COLUMNS {
                let problem = format!("{columns} columns; at most {MAX_COLUMNS} are allowed");
                findings.push(Finding::at_line(file, index + 1, problem));
            }
        }
    }
    findings
}

/// A habit that makes a reader stumble.
struct Habit {
    name: &'static str,
    /// The words that are counted; several words must stand in one sentence, in this order.
    words: &'static [&'static [&'static str]],
    /// The greatest number for 1,000 lines of comments in all crates, if there is one.
    most: Option<f64>,
}

const HABITS: [Habit; 5] = [
    Habit { name: "what…what", words: &[&["what", "what"]], most: Some(0.5) },
    Habit { name: "says", words: &[&["says"], &["is said"]], most: Some(2.0) },
    Habit { name: "of which", words: &[&["of which"]], most: Some(1.0) },
    Habit { name: "is none", words: &[&["is none"], &["are none"]], most: None },
    Habit { name: "beside", words: &[&["beside"]], most: None },
];

/// Tests whether a file's comments count: sources of crates and of xtask do.
fn counts(file: &File) -> bool {
    file.extension() == "rs" && crate_of(&file.path).is_some()
}

/// Checks that no habit is too common in the comments of all crates together.
pub(super) fn habits(files: &[File]) -> Vec<Finding> {
    let mut lines = 0_usize;
    let mut places = HABITS.map(|_| Vec::new());
    for file in files.iter().filter(|file| counts(file)) {
        lines += comment_lines(file);
        for paragraph in paragraphs(&file.text) {
            for (places, times) in places.iter_mut().zip(paragraph.habits()) {
                places.extend(std::iter::repeat_n((file, paragraph.line), times));
            }
        }
    }
    let mut findings = Vec::new();
    for (habit, places) in HABITS.iter().zip(places) {
        let Some(most) = habit.most else { continue };
        if places.len() as f64 * 1000.0 <= most * lines as f64 {
            continue;
        }
        let problem = format!(
            "one of {} habits `{}` in {lines} lines of comments, more than {most} for 1,000: \
             write a plain sentence",
            places.len(),
            habit.name
        );
        let at = |(file, line)| Finding::at_line(file, line, &problem);
        findings.extend(places.into_iter().map(at));
    }
    findings
}

fn comment_lines(file: &File) -> usize {
    file.text.lines().filter(|line| comment(line).is_some()).count()
}

/// Counts of a crate.
#[derive(Default)]
struct Counts {
    comments: usize,
    docs: usize,
    questions: usize,
    habits: [usize; HABITS.len()],
    wide: usize,
}

impl Counts {
    fn add(&mut self, file: &File) {
        self.comments += comment_lines(file);
        self.wide += file.text.lines().filter(|line| line.chars().count() > MAX_COLUMNS).count();
        for paragraph in paragraphs(&file.text) {
            self.docs += usize::from(paragraph.is_doc && paragraph.is_first);
            self.questions += usize::from(begins_with_a_question(&paragraph));
            for (count, times) in self.habits.iter_mut().zip(paragraph.habits()) {
                *count += times;
            }
        }
    }
}

/// True if the words stand in a sentence, one after the other.
fn has_in_order(sentence: &str, words: &[&str]) -> bool {
    let sentence = sentence.to_lowercase();
    let mut rest = sentence.as_str();
    words.iter().all(|word| {
        let found = rest.match_indices(word).find(|(at, _)| {
            let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            !is_letter(rest[..*at].chars().next_back())
                && !is_letter(rest[at + word.len()..].chars().next())
        });
        found.is_some_and(|(at, _)| {
            rest = &rest[at + word.len()..];
            true
        })
    })
}

/// The crate that a file belongs to.
fn crate_of(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("crates/").unwrap_or(path);
    (path.starts_with("crates/") || path.starts_with("xtask/")).then(|| rest.split('/').next())?
}

fn print_counts() -> Result<(), Error> {
    let files = repository_files()?;
    let mut crates: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut all = Counts::default();
    for file in files.iter().filter(|file| counts(file)) {
        if let Some(name) = crate_of(&file.path) {
            crates.entry(name).or_default().add(file);
            all.add(file);
        }
    }
    let names = HABITS.map(|habit| format!("{:>10}", habit.name)).join("");
    println!(
        "{:<16}{:>9}{:>7}{:>11}{names}{:>7}",
        "crate", "comments", "docs", "questions", "wide"
    );
    for (name, counts) in crates.iter().chain([(&"all", &all)]) {
        let share = 100.0 * counts.questions as f64 / counts.docs.max(1) as f64;
        let rate = |count: usize| 1000.0 * count as f64 / counts.comments.max(1) as f64;
        let habits = counts.habits.map(|count| format!("{:>10.1}", rate(count))).join("");
        println!(
            "{name:<16}{:>9}{:>7}{share:>9.1} %{habits}{:>7}",
            counts.comments, counts.docs, counts.wide
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::{beginnings, columns, habits, has_in_order};

    #[test]
    fn documentation_begins_with_a_verb_or_a_name() {
        let text = "//! Sets.\n//!\n//! What follows is more.\n\n/// What it is.\nfn f() {}\n\n/// \
            Whatever.\nfn g() {}\n// What for?\n";
        let problem = "a.rs:5: documentation that begins with a question word";
        check(beginnings, &[("a.rs", text), ("b.md", "/// What\n")], &[problem]);
        check(beginnings, &[("a.rs", "/// Sets:\n/// ```\n/// What\n/// ```\n")], &[]);
    }

    #[test]
    fn wide_lines_are_found() {
        let wide = "word ".repeat(21);
        let rust = format!("let x = \"{wide}\";\n    // {wide}\n");
        let markdown = format!("{wide}\n| {wide}|\n```\n{wide}\n```\n- {}\n", "x".repeat(200));
        let files = [("a.rs", rust.as_str()), ("b.md", &markdown), ("c.js", &wide)];
        let expected = [
            "a.rs:1: 116 columns",
            "a.rs:2: 112 columns",
            "b.md:1: 105 columns",
            "b.md:6: 202 columns",
        ];
        check(columns, &files, &expected);
        check(columns, &[("a.rs", &format!("//{}\n", "x".repeat(200)))], &[]);
    }

    #[test]
    fn wide_lines_of_other_languages_are_found() {
        let wide = "word ".repeat(21);
        for path in ["runtime/a.c", "coq/A.v", "examples/a.hal", "python/a.py", "tests/a.cpp"] {
            check(columns, &[(path, &wide)], &[&format!("{path}:1: 105 columns")]);
        }
        for path in ["tests/cases/run/a.hal", "crates/mutators/tests/mutators/a.cpp"] {
            check(columns, &[(path, &wide)], &[]);
        }
    }

    #[test]
    fn habits_are_limited_for_all_crates_together() {
        let plain = "// A plain sentence.\n".repeat(1999);
        let with = |text: &str| format!("{text}\n{plain}");
        let path = "crates/ir/src/a.rs";
        check(habits, &[(path, &with("// What it is, what it does."))], &[]);
        check(habits, &[("a.rs", "// What it is, what it does.\n")], &[]);
        let twice = with("/// It is what it is, and what not. What is what?\n");
        let problem = "one of 2 habits `what…what` in 2000 lines of comments, more than 0.5";
        let found = format!("{path}:1: {problem}");
        check(habits, &[(path, &twice)], &[&found, &found]);
        let says = with("// It says: what is said of it, says it. She says. He says. It says.\n");
        let found = format!("{path}:1: one of 5 habits `says`");
        check(habits, &[(path, &says)], &[found.as_str(); 5]);
    }

    #[test]
    fn words_are_whole_and_in_order() {
        assert!(has_in_order("what it does, and What not", &["what", "what"]));
        assert!(!has_in_order("whatever it does, and what not", &["what", "what"]));
        assert!(!has_in_order("besides", &["beside"]));
    }
}
