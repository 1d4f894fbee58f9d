//! Checks that files of a crate import one another without a circle, and rooms import only the
//! rooms below them.
//!
//! Reads paths as they are written: `use`, and `crate::`, `self::`, `super::` or an imported name
//! within the code. Follows re-exports to the file that defines a name. Ignores modules of tests.
//! Method calls contain no path, so methods of one type may still be spread over several files.

use std::collections::{BTreeMap, BTreeSet};

use super::{File, Finding};

/// The crates that are checked, with their rooms from bottom to top.
const CRATES: &[(&str, &[&str])] = &[
    ("cpp", &[]),
    ("rewrites", &[]),
    ("prelude", &[]),
    ("readback", &[]),
    ("codegen", &["c", "native", "emit"]),
    ("mutators", &["ir", "machine", "meaning", "emit", "judge"]),
];

/// A module, as the names on the path to it from the crate's root.
pub(super) type Module = Vec<String>;

/// The imports of each module: the modules that it needs, and the first lines that name them.
pub(super) type Arrows = BTreeMap<Module, BTreeMap<Module, usize>>;

/// Finds a circle in each crate, and imports from a room to one above it.
pub(super) fn circles(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, rooms) in CRATES {
        let sources = sources(files, &format!("crates/{name}/src/"));
        let arrows = arrows(&sources);
        if let Some(circle) = circle(&arrows) {
            let names: Vec<String> = circle.iter().map(shown).collect();
            let problem = format!("files import one another in a circle: {}", names.join(" → "));
            let line = arrows[&circle[0]][&circle[1]];
            findings.push(Finding::at_line(sources[&circle[0]].file, line, problem));
        }
        let room = |module: &Module| {
            rooms.iter().position(|room| module.first().is_some_and(|first| first == room))
        };
        for (from, targets) in &arrows {
            for (to, line) in targets {
                if let (Some(below), Some(above)) = (room(from), room(to))
                    && below < above
                {
                    let problem = format!(
                        "`{}` must not import from `{}`, which is above it",
                        rooms[below], rooms[above]
                    );
                    findings.push(Finding::at_line(sources[from].file, *line, problem));
                }
            }
        }
    }
    findings
}

/// A module's file and its tokens.
pub(super) struct Source<'f> {
    pub(super) file: &'f File,
    tokens: Vec<(String, usize)>,
}

pub(super) fn sources<'f>(files: &'f [File], folder: &str) -> BTreeMap<Module, Source<'f>> {
    let mut sources = BTreeMap::new();
    for file in files {
        let Some(path) = file.path.strip_prefix(folder).and_then(|path| path.strip_suffix(".rs"))
        else {
            continue;
        };
        let mut module: Module = path.split('/').map(str::to_owned).collect();
        if module.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
            module.pop();
        }
        let text = file.text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
        sources.insert(module, Source { file, tokens: tokens(text) });
    }
    sources
}

/// Splits a text into words, `::` and single signs with their lines. Leaves out comments, string
/// literals and characters.
fn tokens(text: &str) -> Vec<(String, usize)> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(length) = literal(rest) {
            length
        } else if is_word(first) {
            rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        let is_kept = is_word(first) && literal(rest).is_none()
            || token == "::"
            || matches!(token, "{" | "}" | "," | ";" | "*" | "." | "(" | ")");
        if is_kept {
            tokens.push((token.to_owned(), line));
        }
        line += token.matches('\n').count();
        rest = after;
    }
    tokens
}

/// Returns the length of the string literal or character that begins here, if there is one.
pub(super) fn literal(text: &str) -> Option<usize> {
    if let Some(raw) = text.strip_prefix('r') {
        let marks = raw.len() - raw.trim_start_matches('#').len();
        let inside = raw[marks..].strip_prefix('"')?;
        let close = format!("\"{}", "#".repeat(marks));
        return Some(inside.find(&close)? + close.len() + marks + 2);
    }
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            letter if letter == quote => return Some(at + 1),
            // This is a lifetime and not a character.
            _ if quote == '\''
                && !text[at + letter.len_utf8()..].starts_with('\'')
                && !text[1..at].starts_with('\\') =>
            {
                return None;
            }
            _ => {}
        }
    }
    None
}

/// The paths that a module's text names.
#[derive(Default)]
struct Named {
    /// The needed paths from the crate's root, with their lines.
    needed: Vec<(Module, usize)>,
    /// The re-exported names, with the paths that they lead to.
    offered: BTreeMap<String, Module>,
}

pub(super) fn arrows(sources: &BTreeMap<Module, Source<'_>>) -> Arrows {
    let named: BTreeMap<&Module, Named> = sources
        .iter()
        .map(|(module, source)| (module, named(module, &source.tokens, sources)))
        .collect();
    let mut arrows = Arrows::new();
    for (module, named_here) in &named {
        let targets = arrows.entry((*module).clone()).or_default();
        for (path, line) in &named_here.needed {
            let target = defining(path, &named, 0);
            if target != **module {
                targets.entry(target).or_insert(*line);
            }
        }
    }
    arrows
}

/// Returns the module that defines the target of a path.
fn defining(path: &Module, named: &BTreeMap<&Module, Named>, depth: usize) -> Module {
    let mut module = Module::new();
    for (index, name) in path.iter().enumerate() {
        module.push(name.clone());
        if named.keys().any(|known| known.starts_with(&module)) {
            continue;
        }
        module.pop();
        let offered = named.get(&module).and_then(|named| named.offered.get(name));
        return match offered.filter(|_| depth < 9) {
            Some(offered) => {
                let whole = offered.iter().chain(&path[index + 1..]).cloned().collect();
                defining(&whole, named, depth + 1)
            }
            None => module,
        };
    }
    module
}

fn named(
    module: &Module,
    tokens: &[(String, usize)],
    sources: &BTreeMap<Module, Source<'_>>,
) -> Named {
    let mut found = Named::default();
    // The meaning of the names in this module.
    let mut known: BTreeMap<String, Module> = BTreeMap::new();
    for source in sources.keys() {
        if let Some((last, parent)) = source.split_last()
            && parent == module
        {
            known.insert(last.clone(), source.clone());
        }
    }
    let absolute = |path: &[String], known: &BTreeMap<String, Module>| -> Option<Module> {
        let (first, rest) = path.split_first()?;
        let base = match first.as_str() {
            "crate" => Module::new(),
            "self" => module.clone(),
            "super" => {
                let ups = path.iter().take_while(|name| *name == "super").count();
                let kept = &module[..module.len().saturating_sub(ups)];
                return Some(kept.iter().chain(&path[ups..]).cloned().collect());
            }
            name => known.get(name)?.clone(),
        };
        Some(base.into_iter().chain(rest.iter().cloned()).collect())
    };
    let word = |at: usize| tokens.get(at).map_or("", |(token, _)| token.as_str());
    let mut bodies = Vec::new();
    let mut at = 0;
    while let Some((token, line)) = tokens.get(at) {
        if token == "use" {
            let is_offered = at > 0 && matches!(word(at - 1), "pub" | ")");
            let end = (at..tokens.len()).find(|index| word(*index) == ";").unwrap_or(tokens.len());
            for (path, name) in imported(&tokens[at + 1..end]) {
                let Some(path) = absolute(&path, &known) else { continue };
                if is_offered {
                    found.offered.insert(name, path);
                } else {
                    found.needed.push((path.clone(), *line));
                    known.insert(name, path);
                }
            }
            at = end + 1;
            continue;
        }
        if word(at + 1) == "::" && !(at > 0 && matches!(word(at - 1), "::" | ".")) {
            let mut path = vec![token.clone()];
            let mut next = at + 1;
            while word(next) == "::" && !matches!(word(next + 1), "{" | "*" | "" | "(") {
                path.push(word(next + 1).to_owned());
                next += 2;
            }
            bodies.push((path, *line));
        }
        at += 1;
    }
    for (path, line) in bodies {
        found.needed.extend(absolute(&path, &known).map(|path| (path, line)));
    }
    found
}

/// Returns the paths of a `use`, each with the name that it gets.
fn imported(tokens: &[(String, usize)]) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    let mut outer: Vec<Vec<String>> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut alias = None;
    let mut index = 0;
    let mut end = |path: &mut Vec<String>, alias: &mut Option<String>| {
        if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
            path.pop();
        }
        if let Some(last) = path.last().filter(|last| *last != "*").cloned() {
            found.push((path.clone(), alias.take().unwrap_or(last)));
        } else if path.pop().is_some() && !path.is_empty() {
            found.push((path.clone(), "*".to_owned()));
        }
        path.clear();
    };
    while let Some((token, _)) = tokens.get(index) {
        match token.as_str() {
            "::" => {}
            "{" => {
                outer.push(path.clone());
            }
            "," | "}" => {
                let prefix = outer.last().cloned().unwrap_or_default();
                if path.len() > prefix.len() {
                    end(&mut path, &mut alias);
                }
                if token == "}" {
                    outer.pop();
                }
                path = outer.last().cloned().unwrap_or_default();
            }
            "as" => {
                index += 1;
                alias = tokens.get(index).map(|(name, _)| name.clone());
            }
            name => path.push(name.to_owned()),
        }
        index += 1;
    }
    if outer.is_empty() && !path.is_empty() {
        end(&mut path, &mut alias);
    }
    found
}

/// Finds a circle of modules: each imports from the next, and the last is the first again.
fn circle(arrows: &Arrows) -> Option<Vec<Module>> {
    // A module that imports no remaining module is in no circle.
    let mut left: BTreeSet<&Module> = arrows.keys().collect();
    loop {
        let before = left.len();
        let needs = |module: &Module, left: &BTreeSet<&Module>| {
            arrows[module].keys().any(|target| left.contains(target))
        };
        left = left.iter().copied().filter(|module| needs(module, &left)).collect();
        if left.len() == before {
            break;
        }
    }
    let mut way: Vec<&Module> = vec![left.first()?];
    loop {
        let next = arrows[way[way.len() - 1]].keys().find(|target| left.contains(target))?;
        let known = way.iter().position(|module| *module == next);
        way.push(next);
        if let Some(known) = known {
            return Some(way[known..].iter().map(|module| (*module).clone()).collect());
        }
    }
}

pub(super) fn shown(module: &Module) -> String {
    if module.is_empty() { "lib".to_owned() } else { module.join("/") }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::circles;

    const A: &str = "crates/rewrites/src/a.rs";
    const B: &str = "crates/rewrites/src/b.rs";

    #[test]
    fn accepts_files_without_a_circle() {
        let b = "//! `crate::a` is above.\npub fn g() -> &'static str \
            { \"crate::a::f\" }\n#[cfg(test)]\nmod tests {\n    use crate::a::f;\n}\n";
        check(circles, &[(A, "use crate::b::g;\nfn f() { g() }\n"), (B, b)], &[]);
        // A circle in a crate that is not checked.
        let other = [
            ("crates/lower/src/a.rs", "use crate::b::g;\n"),
            ("crates/lower/src/b.rs", "use crate::a::f;\n"),
        ];
        check(circles, &other, &[]);
    }

    #[test]
    fn refuses_a_circle() {
        let found = "crates/rewrites/src/a.rs:1: files import one another in a circle: a → b → a";
        let of = |a: &str, b: &str, expected: &[&str]| check(circles, &[(A, a), (B, b)], expected);
        of("use crate::b::g;\n", "use super::a::f;\n", &[found]);
        of(
            "use super::b;\nfn f() { b::g() }\n",
            "fn g() { let quote = '\"'; crate::a::f() }\n",
            &[found],
        );
        of("use crate::{b::{g, H}, c};\n", "use {std::fmt, crate::a::{self, f as h}};\n", &[found]);
    }

    #[test]
    fn follows_what_is_offered_again() {
        let offered = [
            ("crates/rewrites/src/rules/mod.rs", "mod a;\nmod b;\npub use a::f;\npub use b::*;\n"),
            ("crates/rewrites/src/rules/a.rs", "use super::b::g;\n"),
            ("crates/rewrites/src/rules/b.rs", "use crate::rules;\nfn g() {\n    rules::f()\n}\n"),
        ];
        let found = "crates/rewrites/src/rules/a.rs:1: files import one another in a circle: \
            rules/a → rules/b → rules/a";
        check(circles, &offered, &[found]);
    }

    #[test]
    fn refuses_a_room_that_looks_up() {
        let rooms = [
            ("crates/mutators/src/ir/value.rs", "pub struct Val;\n"),
            ("crates/mutators/src/ir/show.rs", "use crate::machine::run::Machine;\n"),
            ("crates/mutators/src/machine/run.rs", "use crate::ir::value::Val;\n"),
        ];
        let found = "crates/mutators/src/ir/show.rs:1: `ir` must not import from `machine`";
        check(circles, &rooms, &[found]);
    }
}
