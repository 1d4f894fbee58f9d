//! Checks that files of a crate import one another without a circle, and rooms import only the
//! rooms below them.
//!
//! Reads paths as they are written: `use`, and `crate::`, `self::`, `super::` or an imported name
//! within the code. Follows re-exports to the file that defines a name. Ignores modules of tests.
//! Method calls contain no path, so methods of one type may still be spread over several files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{File, Finding, before_tests};

/// The crates with rooms, and their rooms from bottom to top.
const ROOMS: &[(&str, &[&str])] = &[
    ("codegen", &["c", "native", "emit"]),
    ("mutators", &["ir", "machine", "meaning", "emit", "judge"]),
];

/// A module, as the names on the path to it from the crate's root.
pub(super) type Module = Vec<String>;

/// The imports of each module from the other modules of its crate.
pub(super) type Arrows = BTreeMap<Module, BTreeMap<Module, Import>>;

/// The import of a module by another one.
pub(super) struct Import {
    /// The first line that names the module.
    pub(super) line: usize,
    /// The imported names.
    names: BTreeSet<String>,
}

/// Finds the circles in each crate, and imports from a room to one above it.
pub(super) fn circles(files: &[File]) -> Vec<Finding> {
    let crates: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.path.strip_prefix("crates/")?.split_once("/src/"))
        .map(|(name, _)| name)
        .collect();
    let mut findings = Vec::new();
    for name in crates {
        let sources = sources(files, &format!("crates/{name}/src/"));
        let arrows = arrows(&sources);
        for knot in knots(&arrows) {
            let circle = circle(&arrows, &knot);
            let import = &arrows[circle[0]][circle[1]];
            let problem = described(&arrows, &knot, &circle);
            findings.push(Finding::at_line(sources[circle[0]].file, import.line, problem));
        }
        let rooms = ROOMS.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, all)| all);
        let room = |module: &Module| {
            rooms.iter().position(|room| module.first().is_some_and(|first| first == room))
        };
        for (from, targets) in &arrows {
            for (to, import) in targets {
                if let (Some(below), Some(above)) = (room(from), room(to))
                    && below < above
                {
                    let problem = format!(
                        "`{}` must not import from `{}`, which is above it",
                        rooms[below], rooms[above]
                    );
                    findings.push(Finding::at_line(sources[from].file, import.line, problem));
                }
            }
        }
    }
    findings
}

/// Describes a knot: one circle in it, and every import that ties it.
fn described(arrows: &Arrows, knot: &BTreeSet<&Module>, circle: &[&Module]) -> String {
    let way: Vec<String> = circle.iter().map(|module| shown(module)).collect();
    let mut text = format!("files import one another in a circle: {}", way.join(" → "));
    text.push_str("; these imports tie it:");
    for from in knot {
        for (to, Import { line, names }) in arrows[*from].iter().filter(|(to, _)| knot.contains(to))
        {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let (from, to, names) = (shown(from), shown(to), names.join(", "));
            let _ = write!(text, "\n    {from} → {to} (line {line}): {names}");
        }
    }
    text
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
        sources.insert(module, Source { file, tokens: tokens(before_tests(&file.text)) });
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
            if target == **module {
                continue;
            }
            let name = path[path.len().min(target.len())..].join("::");
            let import =
                targets.entry(target).or_insert(Import { line: *line, names: BTreeSet::new() });
            import.names.extend((!name.is_empty()).then_some(name));
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

/// Finds the knots: sets of modules in which each needs every other, through others or directly.
fn knots(arrows: &Arrows) -> Vec<BTreeSet<&Module>> {
    let needed: BTreeMap<&Module, BTreeSet<&Module>> =
        arrows.keys().map(|module| (module, needs(arrows, module))).collect();
    let mut knots: Vec<BTreeSet<&Module>> = Vec::new();
    for (module, needs) in &needed {
        if needs.contains(module) && !knots.iter().any(|knot| knot.contains(module)) {
            let is_tied =
                |other: &&&Module| needed.get(**other).is_some_and(|of| of.contains(module));
            knots.push(needs.iter().filter(is_tied).copied().collect());
        }
    }
    knots
}

/// Returns the modules that a module needs, directly or through others.
fn needs<'a>(arrows: &'a Arrows, module: &Module) -> BTreeSet<&'a Module> {
    let mut found = BTreeSet::new();
    let mut open = vec![module];
    while let Some(module) = open.pop() {
        for target in arrows.get(module).into_iter().flat_map(|targets| targets.keys()) {
            if found.insert(target) {
                open.push(target);
            }
        }
    }
    found
}

/// Returns a circle of a knot: each module imports from the next, and the last is the first again.
fn circle<'a>(arrows: &'a Arrows, knot: &BTreeSet<&'a Module>) -> Vec<&'a Module> {
    let mut way: Vec<&Module> = knot.first().into_iter().copied().collect();
    // Each module of a knot imports from another one of it, so the way comes back to itself.
    while let Some(next) =
        way.last().and_then(|last| arrows[*last].keys().find(|target| knot.contains(target)))
    {
        let known = way.iter().position(|module| *module == next);
        way.push(next);
        if let Some(known) = known {
            return way.split_off(known);
        }
    }
    way
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
        // Files of two crates with the same names.
        let other = [
            ("crates/lower/src/a.rs", "use crate::b::g;\n"),
            ("crates/rules/src/b.rs", "use crate::a::f;\n"),
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
    fn finds_every_knot_and_lists_its_imports() {
        let files = [
            ("crates/lower/src/a.rs", "use crate::b::{f, g};\nuse crate::c;\n"),
            ("crates/lower/src/b.rs", "\nuse crate::a::T;\nuse crate::d::h;\n"),
            ("crates/lower/src/c.rs", "fn f() { crate::d::h() }\n"),
            ("crates/lower/src/d.rs", "use super::c::U;\n"),
        ];
        let found = [
            "crates/lower/src/a.rs:1: files import one another in a circle: a → b → a; these \
                imports tie it:\n    a → b (line 1): f, g\n    b → a (line 2): T",
            "crates/lower/src/c.rs:1: files import one another in a circle: c → d → c; these \
                imports tie it:\n    c → d (line 1): h\n    d → c (line 1): U",
        ];
        check(circles, &files, &found);
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
