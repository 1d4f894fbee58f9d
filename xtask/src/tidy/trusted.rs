//! Counts the lines that somebody must believe to believe a verdict, and keeps the obligations
//! apart from the tactics.
//!
//! A count covers the *import closure* of some files: the files themselves, and every file of the
//! same crate that one of them names in a `use`, a path or a `mod`, directly or not. Modules of
//! tests and blank lines do not count. Comments count apart: they carry the argument.
//!
//! A crate's root names the whole crate, so its imports do not count. The root itself counts if it
//! decides: `validate`'s makes the settings and the verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::iter::Sum;

use super::circles::{Arrows, Module, Source, arrows, shown, sources};
use super::{File, Finding, before_tests};

/// The beginnings of modules in a crate, which are closed under imports; [`ROOT`] is the crate's
/// root. An empty list stands for the whole crate.
type Roots = &'static [&'static str];

/// The root of a crate, without its imports.
const ROOT: &str = "lib";

/// The parts of the trusted code: their names, crates and roots.
const PARTS: &[(&str, &str, Roots)] = &[
    ("obligations", "validate", &[OBLIGATION, ANSWER, REPORT, ROOT]),
    ("the fold of verdicts", "verdict", &[]),
    ("expressions as solver terms", "encode", &[]),
    ("the reader of the solver's answers", "smt", &["sexpr", "value", "session", "solver"]),
    ("Halide's translation", "halide", &["translate"]),
    ("the reader of Halide's dumps", "halide-ir", &["dump"]),
    ("the reader of Halide's pipelines", "halide", &["pipeline"]),
    ("the reader of .hal files", "lang", &["parse"]),
];

/// The parts that decide a verdict on our own compiles, and on stock Halide.
const OURS: &[&str] = &[
    "obligations",
    "the fold of verdicts",
    "expressions as solver terms",
    "the reader of the solver's answers",
    "the reader of .hal files",
];
const STOCK: &[&str] = &[
    "obligations",
    "the fold of verdicts",
    "expressions as solver terms",
    "the reader of the solver's answers",
    "Halide's translation",
    "the reader of Halide's dumps",
    "the reader of Halide's pipelines",
];

/// The rooms and files of `validate` that decide. They must not need the tactics, not even through
/// others. Only the crate's root, which hands the tactics to the obligations, sees both.
const OBLIGATION: &str = "obligation";
const ANSWER: &str = "answer";
const REPORT: &str = "report";
const TACTICS: &str = "tactics";

/// Finds files that obligations or answers need and that need tactics.
pub(super) fn obligations_without_tactics(files: &[File]) -> Vec<Finding> {
    let sources = sources(files, "crates/validate/src/");
    let arrows = arrows(&sources);
    let closure = closure(&sources, &arrows, &[OBLIGATION, ANSWER, REPORT]);
    let mut findings = Vec::new();
    for module in closure.iter().filter(|module| !is_in(module, TACTICS)) {
        for (target, import) in arrows.get(module).into_iter().flatten() {
            if is_in(target, TACTICS) {
                let problem = format!(
                    "obligations need this file, so it must not import `{}`: tactics are not \
                        trusted",
                    shown(target)
                );
                findings.push(Finding::at_line(sources[module].file, import.line, problem));
            }
        }
    }
    findings
}

/// Returns lines that say how much code is trusted.
pub(super) fn counts(files: &[File]) -> Vec<String> {
    let part = |(name, krate, roots): &(&'static str, &'static str, Roots)| {
        let sources = sources(files, &format!("crates/{krate}/src/"));
        let closure = closure(&sources, &arrows(&sources), roots);
        let lines: Lines = closure.iter().filter_map(|module| sources.get(module)).map(lines).sum();
        (*name, *krate, closure.len(), lines)
    };
    let counted: Vec<_> = PARTS.iter().map(part).collect();
    let title = "trusted lines (nonblank, without tests, by import closure): code + comments";
    let mut text = vec![title.to_owned()];
    for (name, krate, files, lines) in &counted {
        text.push(format!("{lines} in {files:3} files of {krate}: {name}"));
    }
    for (title, parts) in [("our own compiles", OURS), ("stock Halide", STOCK)] {
        let counted = counted.iter().filter(|(name, ..)| parts.contains(name));
        let sum: Lines = counted.map(|(.., lines)| *lines).sum();
        text.push(format!("{sum} for a verdict on {title}"));
    }
    text
}

/// The modules below the roots, and all modules of the crate that they import or declare.
fn closure(
    sources: &BTreeMap<Module, Source<'_>>,
    arrows: &Arrows,
    roots: &[&str],
) -> BTreeSet<Module> {
    let is_root =
        |module: &&Module| roots.is_empty() || roots.iter().any(|root| is_in(module, root));
    let root = roots.contains(&ROOT).then(Module::new);
    let mut open: Vec<Module> = arrows.keys().filter(is_root).cloned().collect();
    open.retain(|module| module.last().is_none_or(|last| last != "tests"));
    let mut found = BTreeSet::new();
    while let Some(module) = open.pop() {
        if !found.insert(module.clone()) {
            continue;
        }
        open.extend(arrows.get(&module).into_iter().flat_map(|targets| targets.keys()).cloned());
        if let Some(source) = sources.get(&module).filter(|_| !module.is_empty()) {
            open.extend(declared(&source.file.text).map(|name| {
                let mut child = module.clone();
                child.push(name);
                child
            }));
        }
    }
    found.extend(root);
    found.retain(|module| sources.contains_key(module));
    found
}

/// The modules that a text declares, except for tests.
fn declared(text: &str) -> impl Iterator<Item = String> + '_ {
    let lines = text.lines().scan("", |before, line| Some((std::mem::replace(before, line), line)));
    lines.filter(|(before, _)| before.trim() != "#[cfg(test)]").filter_map(|(_, line)| {
        let (_, name) = line.strip_suffix(';')?.split_once("mod ")?;
        name.chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_')
            .then(|| name.to_owned())
    })
}

/// Tests whether a module is a room of the crate, or in it.
fn is_in(module: &[String], room: &str) -> bool {
    module.first().is_some_and(|first| first == room)
}

/// Nonblank lines.
#[derive(Clone, Copy, Default)]
struct Lines {
    code: usize,
    comments: usize,
}

impl fmt::Display for Lines {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, comments } = self;
        write!(out, "  {:6} = {code:5} + {comments:5}", code + comments)
    }
}

impl Sum for Lines {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, lines| Self {
            code: sum.code + lines.code,
            comments: sum.comments + lines.comments,
        })
    }
}

/// Counts the nonblank lines of a module, without its tests.
fn lines(source: &Source<'_>) -> Lines {
    let text = before_tests(&source.file.text);
    let (comments, code): (Vec<&str>, Vec<&str>) = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .partition(|line| line.starts_with("//"));
    Lines { code: code.len(), comments: comments.len() }
}

#[cfg(test)]
mod tests {
    use super::super::{File, check};
    use super::{counts, obligations_without_tactics};

    const GOAL: &str = "crates/validate/src/obligation/goal.rs";
    const TERM: &str = "crates/validate/src/term.rs";
    const GUESS: &str = "crates/validate/src/tactics/guess.rs";

    #[test]
    fn accepts_tactics_that_see_obligations() {
        let files = [
            (GOAL, "use crate::term::T;\n"),
            (TERM, "pub struct T;\n"),
            (GUESS, "use crate::obligation::goal;\n"),
        ];
        check(obligations_without_tactics, &files, &[]);
    }

    #[test]
    fn refuses_obligations_that_see_tactics() {
        let direct = [(GOAL, "use crate::tactics::guess::g;\n"), (GUESS, "pub fn g() {}\n")];
        let found = "crates/validate/src/obligation/goal.rs:1: obligations need this file";
        check(obligations_without_tactics, &direct, &[found]);
        let through = [
            (GOAL, "use crate::term::T;\n"),
            (TERM, "\nfn f() { crate::tactics::guess::g() }\n"),
            (GUESS, "pub fn g() {}\n"),
        ];
        let found = "crates/validate/src/term.rs:2: obligations need this file";
        check(obligations_without_tactics, &through, &[found]);
        let answer = "crates/validate/src/answer.rs";
        let answers = [(answer, "use crate::tactics::guess::g;\n"), (GUESS, "pub fn g() {}\n")];
        let found = "crates/validate/src/answer.rs:1: obligations need this file";
        check(obligations_without_tactics, &answers, &[found]);
        let root = "crates/validate/src/lib.rs";
        let seen = [(root, "mod tactics;\nuse tactics::guess::g;\n"), (GUESS, "pub fn g() {}\n")];
        check(obligations_without_tactics, &seen, &[]);
    }

    #[test]
    fn counts_what_is_imported_without_tests_and_blank_lines() {
        let file = |(path, text): (&str, &str)| File {
            path: path.to_owned(),
            bytes: 0,
            text: text.to_owned(),
        };
        let tests = "//! Goals.\n#[cfg(test)]\nmod tests;\nuse crate::term::T;\n\nfn f() {}\n\
            #[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";
        let root = "mod obligation;\nmod tactics;\nuse tactics::guess::g;\n";
        let files = [
            ("crates/validate/src/lib.rs", root),
            (GOAL, tests),
            (TERM, "pub struct T;\n"),
            (GUESS, "fn g() {}\n"),
        ];
        let text = counts(&files.map(file));
        // The root's three lines, one comment and four lines of the goal, and one of the term.
        let sum = "       9 =     8 +     1";
        assert!(text[1].contains(&format!("{sum} in   3 files of validate")), "{text:?}");
        let ours = format!("{sum} for a verdict on our own");
        assert!(text.iter().any(|line| line.contains(&ours)), "{text:?}");
    }
}
