//! Text cases: a program, a command, and the expected output.
//!
//! A case is a file under `tests/cases/`. Its first line is `// command: …` (the arguments of
//! `halidom`, with `FILE` for the case itself). The program follows, then `// exit: N` and, as
//! comments, the command's standard output and after it the standard error. Times, rates and
//! numbers of obligations are blanked. With `UPDATE_EXPECT=1` in the environment the expectations
//! are rewritten; read the difference before you commit it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A case, read from its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The arguments of `halidom`, separated by blanks; an argument that contains blanks is
    /// enclosed in `'`.
    pub command: String,
    /// The text before the expectations, including the command line.
    pub program: String,
    /// The expectations, from `// exit:` on.
    pub expected: String,
}

const COMMAND: &str = "// command: ";
const EXIT: &str = "// exit: ";

/// Lists every case under a folder, in order of path.
pub fn find(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(find(&path)?);
        } else if path.extension().is_some_and(|extension| {
            matches!(extension.to_str(), Some("hal" | "ir" | "atl" | "cpp"))
        }) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

impl Case {
    /// Splits a case's text; `None` if it does not begin with its command.
    pub fn read(text: &str) -> Option<Self> {
        let command = text.lines().next()?.strip_prefix(COMMAND)?.to_owned();
        let split =
            text.match_indices(EXIT).map(|(at, _)| at).find(|at| text[..*at].ends_with('\n'));
        let (program, expected) = text.split_at(split.unwrap_or(text.len()));
        Some(Self { command, program: program.to_owned(), expected: expected.to_owned() })
    }

    /// Runs the command on the case's file and returns the result in the form of the expectations.
    pub fn observe(&self, path: &Path) -> String {
        let arguments = words(&self.command).into_iter();
        let arguments = arguments.map(|word| {
            if word == "FILE" { path.as_os_str().to_owned() } else { OsString::from(word) }
        });
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let status = halidom_cli::run(
            std::iter::once(OsString::from("halidom")).chain(arguments),
            &mut out,
            &mut err,
        );
        let mut text = format!("{EXIT}{}\n", status as u8);
        for stream in [out, err] {
            for line in String::from_utf8_lossy(&stream).lines() {
                text.push_str(format!("// {}", blank_figures(line)).trim_end());
                text.push('\n');
            }
        }
        text
    }
}

/// Splits a command into words, which are separated by blanks or enclosed in `'`.
fn words(command: &str) -> Vec<&str> {
    let quoted = command.split('\'').enumerate();
    quoted
        .flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        })
        .collect()
}

/// Blanks numbers that differ from run to run (those before `s`, `ms`, `µs`, `Mpix/s`) and numbers
/// that change with every improvement of the validator (counts of obligations, of trial runs, and
/// of the steps in them).
fn blank_figures(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let is_number =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let unit = |word: &str| {
        let word = word.trim_end_matches([',', ')', ';', ':']);
        matches!(
            word,
            "s" | "ms" | "µs" | "Mpix/s" | "obligations" | "runs" | "times" | "answers" | "were"
        )
    };
    let blanked = words.iter().enumerate().map(|(position, word)| {
        let measured = words.get(position + 1).is_some_and(|next| unit(next));
        if measured && is_number(word.trim_start_matches('(')) { "#" } else { word }
    });
    blanked.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Case, blank_figures, words};

    #[test]
    fn quoted_words_keep_their_blanks() {
        assert_eq!(
            words("reduce FILE --while 'grep -q x {}' -q"),
            ["reduce", "FILE", "--while", "grep -q x {}", "-q"]
        );
    }

    #[test]
    fn cases_split_at_their_expectations() {
        let case =
            Case::read("// command: check FILE\npipeline …\n// exit: 2\n// error\n").unwrap();
        assert_eq!(case.command, "check FILE");
        assert_eq!(case.expected, "// exit: 2\n// error\n");
        assert_eq!(Case::read("pipeline …"), None);
    }

    #[test]
    fn only_measured_figures_are_blanked() {
        assert_eq!(
            blank_figures("proved in 0.42 s, 12 obligations"),
            "proved in # s, # obligations"
        );
        assert_eq!(blank_figures("12.5 ms at 3 Mpix/s"), "# ms at # Mpix/s");
    }
}
