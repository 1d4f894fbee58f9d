//! `cargo xtask tidy`: rules about the sources that no compiler checks.
//!
//! A rule is a function from the repository's files to findings, with an entry in [`RULES`]. It
//! sees the files as data, so its tests need no folder.

mod circles;
mod codes;
mod functions;
mod layers;
mod links;
mod matches;
mod nodes;
mod text;
mod trusted;
pub(crate) mod voice;

use crate::error::Error;
use crate::process::{capture, program, root, shown};
use std::fs;
use std::io;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "tidy",
    summary: "checks layers, circles of files, sizes, documentation, links, codes and forbidden \
        text",
    help: "\
Looks at every file that git tracks or would track. Prints each finding with its place, then how
many lines a verdict rests on; the exit status is 0 only if there are no findings.

example: cargo xtask tidy",
    run: check_repository,
    options: &[],
};

/// A file of the repository.
struct File {
    /// The path from the root, with `/` between folders.
    path: String,
    bytes: u64,
    /// The text; empty for files that are not UTF-8, such as pictures.
    text: String,
}

impl File {
    fn extension(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or("", |(_, extension)| extension)
    }
}

/// The text before a file's module of tests. A mere declaration, `mod tests;`, ends nothing.
fn before_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

/// A problem to mend.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    /// The line, counted from 1; 0 for the whole file.
    line: usize,
    problem: String,
}

impl Finding {
    fn in_file(file: &File, problem: impl Into<String>) -> Self {
        Self::at_line(file, 0, problem)
    }

    fn at_line(file: &File, line: usize, problem: impl Into<String>) -> Self {
        Self { path: file.path.clone(), line, problem: problem.into() }
    }
}

type Rule = fn(&[File]) -> Vec<Finding>;

const RULES: &[Rule] = &[
    layers::crate_layers,
    circles::circles,
    trusted::obligations_without_tactics,
    nodes::whole_nodes,
    matches::statement_matches,
    matches::string_patterns,
    text::file_sizes,
    functions::function_lengths,
    text::crate_and_module_docs,
    text::descriptions,
    text::forbidden_text,
    voice::beginnings,
    voice::columns,
    voice::habits,
    codes::codes_and_pages,
    links::links,
    links::mentioned_paths,
    links::pages_of_the_book,
];

/// Runs all rules over the working tree and prints what they find.
pub(crate) fn check_repository() -> Result<(), Error> {
    let files = repository_files()?;
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&files)).collect();
    findings.sort();
    for line in matches::counts(&files) {
        println!("tidy: {line}");
    }
    for Finding { path, line, problem } in &findings {
        match line {
            0 => println!("{path}: {problem}"),
            _ => println!("{path}:{line}: {problem}"),
        }
    }
    for line in trusted::counts(&files) {
        println!("{line}");
    }
    match findings.len() {
        0 => {
            println!("tidy: {} files, nothing found", files.len());
            Ok(())
        }
        count => Err(Error::Untidy(count)),
    }
}

fn repository_files() -> Result<Vec<File>, Error> {
    let mut command = program("git");
    command.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = capture(&mut command)?;
    if !output.status.success() {
        return Err(Error::Failed { command: shown(&command), status: output.status });
    }
    let mut files = Vec::new();
    for path in String::from_utf8_lossy(&output.stdout).split('\0').filter(|path| !path.is_empty())
    {
        match fs::read(root().join(path)) {
            Ok(content) => files.push(File {
                path: path.to_owned(),
                bytes: content.len() as u64,
                text: String::from_utf8(content).unwrap_or_default(),
            }),
            // The file was deleted, but git still lists it.
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => return Err(Error::File { path: path.into(), cause }),
        }
    }
    Ok(files)
}

/// Applies a rule to files given as path and text, and compares its findings with
/// `path:line: problem`, where a prefix of the problem suffices.
#[cfg(test)]
fn check(rule: Rule, files: &[(&str, &str)], expected: &[&str]) {
    let files: Vec<File> = files
        .iter()
        .map(|(path, text)| File {
            path: (*path).to_owned(),
            bytes: text.len() as u64,
            text: (*text).to_owned(),
        })
        .collect();
    let mut findings = rule(&files);
    findings.sort();
    let found: Vec<String> = findings
        .iter()
        .map(|finding| format!("{}:{}: {}", finding.path, finding.line, finding.problem))
        .collect();
    let matches = found.len() == expected.len()
        && found.iter().zip(expected).all(|(one, two)| one.starts_with(two));
    assert!(matches, "found {found:#?}\nexpected {expected:#?}");
}
