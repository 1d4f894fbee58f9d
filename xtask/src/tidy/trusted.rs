//! Counts the lines that somebody must believe to believe a verdict, and keeps the obligations
//! apart from the tactics.
//!
//! A count covers the *import closure* of some files: the files themselves, and every file of the
//! same crate that one of them names in a `use`, a path or a `mod`, directly or not. (The `mod`s of
//! a crate's root do not count: they name the whole crate.) Modules of tests and blank lines do not
//! count. Comments do, because they carry the argument.

use std::collections::{BTreeMap, BTreeSet};

use super::circles::{Arrows, Module, Source, arrows, shown, sources};
use super::{File, Finding};

/// The beginnings of modules in a crate, which are closed under imports. An empty list stands for
/// the whole crate.
type Roots = &'static [&'static str];

/// The parts of the trusted code: their names, crates and roots.
const PARTS: &[(&str, &str, Roots)] = &[
    ("obligations", "validate", &["obligation"]),
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
    "expressions as solver terms",
    "the reader of the solver's answers",
    "the reader of .hal files",
];
const STOCK: &[&str] = &[
    "obligations",
    "expressions as solver terms",
    "the reader of the solver's answers",
    "Halide's translation",
    "the reader of Halide's dumps",
    "the reader of Halide's pipelines",
];

/// The rooms of `validate`, of which the first must not need the second, not even through others.
const OBLIGATION: &str = "obligation";
const TACTICS: &str = "tactics";

/// Finds files that obligations need and that need tactics.
pub(super) fn obligations_without_tactics(files: &[File]) -> Vec<Finding> {
    let sources = sources(files, "crates/validate/src/");
    let arrows = arrows(&sources);
    let closure = closure(&sources, &arrows, &[OBLIGATION]);
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
        let lines: usize = closure.iter().filter_map(|module| sources.get(module)).map(lines).sum();
        (*name, *krate, closure.len(), lines)
    };
    let counted: Vec<_> = PARTS.iter().map(part).collect();
    let mut text = vec!["trusted lines (nonblank, without tests, by import closure):".to_owned()];
    for (name, krate, files, lines) in &counted {
        text.push(format!("  {lines:6} in {files:3} files of {krate}: {name}"));
    }
    for (title, parts) in [("our own compiles", OURS), ("stock Halide", STOCK)] {
        let counted = counted.iter().filter(|(name, ..)| parts.contains(name));
        let sum: usize = counted.map(|(.., lines)| lines).sum();
        text.push(format!("  {sum:6} for a verdict on {title}"));
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

/// Counts the nonblank lines of a module, without its tests.
fn lines(source: &Source<'_>) -> usize {
    let text = source.file.text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().filter(|line| !line.trim().is_empty()).count()
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
    }

    #[test]
    fn counts_what_is_imported_without_tests_and_blank_lines() {
        let file = |(path, text): (&str, &str)| File {
            path: path.to_owned(),
            bytes: 0,
            text: text.to_owned(),
        };
        let tests =
            "use crate::term::T;\n\nfn f() {}\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";
        let files = [(GOAL, tests), (TERM, "pub struct T;\n"), (GUESS, "fn g() {}\n")].map(file);
        let text = counts(&files);
        assert!(text[1].contains("     3 in   2 files of validate"), "{text:?}");
        assert!(text.iter().any(|line| line.contains("     3 for a verdict on our own")));
    }
}
