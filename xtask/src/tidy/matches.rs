//! Counts the `match` expressions over statements of the IR, and strings in patterns of `mutators`.
//!
//! Code that treats few kinds of statements in a special way leaves the others to `ir::visit`.
//! Names in the sources of foreign compilers are data (`cpp::names`, contracts), not cases in Rust.

use std::collections::BTreeSet;

use super::circles::literal;
use super::{File, Finding, before_tests};

/// Files that list all kinds of statements by their purpose: the traversals, the printers, the
/// verifier and the interpreter.
const EXEMPT: &[&str] = &[
    "crates/ir/src/visit.rs",
    "crates/ir/src/print.rs",
    "crates/ir/src/verify.rs",
    "crates/interp/src/",
    "crates/codegen/src/emit/translate.rs",
];

const KINDS: &[&str] =
    &["Block", "Let", "If", "For", "Allocate", "Assert", "Labeled", "Provide", "Store"];

/// A `match` counts if its patterns name at least this many kinds.
const FEWEST_KINDS: usize = 4;

/// The maximum number of such matches.
const MOST: usize = 22;

/// The sources whose patterns contain few strings, and their maximum number.
const NAMED: &str = "crates/mutators/src/";
const MOST_STRINGS: usize = 59;

/// Stands for a string literal where only brackets of the code are left.
const STRING: char = '"';

/// Checks that there are not too many matches over statements.
pub(super) fn statement_matches(files: &[File]) -> Vec<Finding> {
    let places = places(files);
    if places.len() <= MOST {
        return Vec::new();
    }
    let problem = format!(
        "one of {} matches over statements, more than {MOST}: use `ir::visit`",
        places.len()
    );
    places.into_iter().map(|(file, line)| Finding::at_line(file, line, &problem)).collect()
}

/// Checks that there are not too many strings in patterns.
pub(super) fn string_patterns(files: &[File]) -> Vec<Finding> {
    let strings = strings(files);
    let sum: usize = strings.iter().map(|(.., count)| count).sum();
    if sum <= MOST_STRINGS {
        return Vec::new();
    }
    let problem = format!(
        "{sum} strings in the patterns of `match` in {NAMED}, more than {MOST_STRINGS}, some of \
         them here: make names data"
    );
    strings.into_iter().map(|(file, line, _)| Finding::at_line(file, line, &problem)).collect()
}

/// Describes the numbers of matches over statements and of strings in patterns.
pub(super) fn counts(files: &[File]) -> [String; 2] {
    let strings: usize = strings(files).iter().map(|(.., count)| count).sum();
    [
        format!(
            "{} matches over statements outside of traversals, printers, the verifier and the \
             interpreter (at most {MOST})",
            places(files).len()
        ),
        format!("{strings} strings in the patterns of `match` in {NAMED} (at most {MOST_STRINGS})"),
    ]
}

/// The files and lines of the matches whose patterns contain strings, and the number of these.
fn strings(files: &[File]) -> Vec<(&File, usize, usize)> {
    let mut found = Vec::new();
    let is_counted =
        |path: &str| path.strip_prefix(NAMED).is_some_and(|rest| !rest.starts_with("tests/"));
    for file in files.iter().filter(|file| is_counted(&file.path)) {
        let code = blanked(before_tests(&file.text), Some(STRING));
        for at in matches(&code) {
            let patterns = patterns(&code[at..]);
            let count = patterns.iter().map(|arm| pattern(arm).matches(STRING).count()).sum();
            if count > 0 {
                found.push((file, line(&code, at), count));
            }
        }
    }
    found
}

/// The positions of the word `match` in code without literals.
fn matches(code: &str) -> impl Iterator<Item = usize> + '_ {
    let found = code.match_indices("match").map(|(at, _)| at);
    found.filter(|at| is_word(code, *at, "match"))
}

fn line(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

/// The files and lines of the matches that count.
fn places(files: &[File]) -> Vec<(&File, usize)> {
    let mut places = Vec::new();
    for file in files.iter().filter(|file| file.extension() == "rs") {
        let is_exempt = EXEMPT.iter().any(|path| file.path.starts_with(path));
        if !file.path.starts_with("crates/") || is_exempt {
            continue;
        }
        let code = without_literals(&file.text);
        let counted = matches(&code).filter(|at| kinds(&code[*at..]) >= FEWEST_KINDS);
        places.extend(counted.map(|at| (file, line(&code, at))));
    }
    places
}

/// Replaces comments and literals by blanks, so that only brackets of the code are left.
pub(super) fn without_literals(text: &str) -> String {
    blanked(text, None)
}

/// Replaces comments and literals by blanks, with a mark at the beginning of each string if one is
/// given.
fn blanked(text: &str, mark: Option<char>) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let in_word = code.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        let blank = if rest.starts_with("//") {
            Some(rest.find('\n').unwrap_or(rest.len()))
        } else if first == 'r' && in_word {
            None
        } else {
            literal(rest)
        };
        let length = blank.unwrap_or(first.len_utf8());
        let (token, after) = rest.split_at(length);
        match blank {
            Some(_) => {
                let is_string = token.starts_with(['"', 'r']);
                let mark = mark.filter(|_| is_string);
                code.extend(mark);
                let blanks = token.chars().skip(usize::from(mark.is_some()));
                code.extend(blanks.map(|letter| if letter == '\n' { '\n' } else { ' ' }));
            }
            None => code.push_str(token),
        }
        rest = after;
    }
    code
}

pub(super) fn is_word(code: &str, at: usize, word: &str) -> bool {
    let in_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    !code[..at].ends_with(in_word) && !code[at + word.len()..].starts_with(in_word)
}

/// Counts the kinds of statements in the patterns of the `match` at the beginning of the code.
fn kinds(code: &str) -> usize {
    let mut kinds: BTreeSet<&str> = BTreeSet::new();
    for pattern in patterns(code) {
        for (at, _) in pattern.match_indices("Stmt::") {
            let name = &pattern[at + "Stmt::".len()..];
            kinds.extend(
                KINDS.iter().filter(|kind| name.starts_with(**kind) && is_word(name, 0, kind)),
            );
        }
    }
    kinds.len()
}

/// The patterns of the `match` at the beginning of the code, with their guards.
fn patterns(code: &str) -> Vec<&str> {
    let Some(open) = position(code, |letter| letter == '{') else { return Vec::new() };
    let mut arms = &code[open + 1..];
    let mut patterns = Vec::new();
    while let Some(arrow) = arrow(arms) {
        patterns.push(&arms[..arrow]);
        arms = after_arm(&arms[arrow + 2..]);
    }
    patterns
}

/// The pattern of an arm without its guard.
fn pattern(arm: &str) -> &str {
    let mut from = 0;
    while let Some(at) = position(&arm[from..], |letter| letter == 'i').map(|at| from + at) {
        if arm[at..].starts_with("if") && is_word(arm, at, "if") {
            return &arm[..at];
        }
        from = at + 1;
    }
    arm
}

/// The position of the `=>` after the next pattern, unless the `match` ends before it.
fn arrow(arms: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + position(&arms[from..], |letter| matches!(letter, '=' | '}'))?;
        let rest = &arms[at..];
        if rest.starts_with("=>") {
            return Some(at);
        }
        if rest.starts_with('}') {
            return None;
        }
        from = at + 1;
    }
}

/// The code after the expression of an arm.
fn after_arm(code: &str) -> &str {
    let code = code.trim_start();
    if let Some(inside) = code.strip_prefix('{') {
        let end = position(inside, |letter| letter == '}').map_or(code.len(), |end| end + 2);
        let rest = code[end..].trim_start();
        if !rest.starts_with(['.', '?']) {
            return rest.strip_prefix(',').unwrap_or(rest);
        }
    }
    let end = position(code, |letter| matches!(letter, ',' | '}'));
    let end = end.unwrap_or(code.len());
    code[end..].strip_prefix(',').unwrap_or(&code[end..])
}

/// The position of the first letter that passes the test outside of brackets.
pub(super) fn position(code: &str, test: impl Fn(char) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in code.char_indices() {
        if depth == 0 && test(letter) {
            return Some(at);
        }
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::File;
    use super::{MOST_STRINGS, kinds, places, string_patterns, strings, without_literals};

    #[test]
    fn patterns_count_and_expressions_do_not() {
        let all = "match stmt { Stmt::Let { body, .. } | Stmt::For { body, .. } => f(body), \
            ir::Stmt::If { .. } if a >= b => {} Stmt::Block(parts) => { g(parts) } .h(), \
            Stmt::Letter => {} } Stmt::Store";
        assert_eq!(kinds(all), 4);
        let made = "match kind { A => Stmt::Let { a }, B => { Stmt::For; Stmt::If } C => \
            [Stmt::Block, Stmt::Store] }";
        assert_eq!(kinds(made), 0);
        let nested = "match a { X => match b { Stmt::Let => 1, Stmt::If => 2 }, Stmt::For => 3 }";
        assert_eq!(kinds(nested), 1);
    }

    #[test]
    fn literals_and_comments_hide_nothing() {
        let text = "match a { // }\n'}' => \"}\", Stmt::Let => 'a', }";
        assert_eq!(kinds(&without_literals(text)), 1);
    }

    #[test]
    fn exempt_files_do_not_count() {
        let text = "\nmatch s { Stmt::Let => 1, Stmt::If => 2, Stmt::For => 3, Stmt::Block => 4 }";
        let file = |path: &str| File {
            path: path.to_owned(),
            bytes: text.len() as u64,
            text: text.to_owned(),
        };
        let files = [file("crates/ir/src/print.rs"), file("crates/lower/src/cse.rs")];
        let places = places(&files);
        let places: Vec<(&str, usize)> =
            places.iter().map(|(file, line)| (&*file.path, *line)).collect();
        assert_eq!(places, [("crates/lower/src/cse.rs", 2)]);
    }

    #[test]
    fn strings_in_patterns_count_and_others_do_not() {
        let text = "fn f() {\n    match \"x\" { // \"y\"\n        \"a\" | (r\"b\", 'c', _) => \
            \"d\",\n        x if x == \"e\" => { match x { 'f' => \"g\", _ => \"h\" } }\n    }\n}\n\
            #[cfg(test)]\nmod tests { fn t() { match x { \"i\" => 1 } } }\n";
        let file = |path: &str, text: &str| File {
            path: path.to_owned(),
            bytes: text.len() as u64,
            text: text.to_owned(),
        };
        let files = [file("crates/mutators/src/a.rs", text), file("crates/ir/src/b.rs", text)];
        let found: Vec<(&str, usize, usize)> = strings(&files)
            .iter()
            .map(|(file, line, count)| (&*file.path, *line, *count))
            .collect();
        assert_eq!(found, [("crates/mutators/src/a.rs", 2, 2)]);
        assert_eq!(string_patterns(&files), []);
        let arms = "\"a\" => 1, ".repeat(MOST_STRINGS + 1);
        let many = [file("crates/mutators/src/a.rs", &format!("\nmatch x {{ {arms} }}"))];
        let findings = string_patterns(&many);
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].line, &findings[0].problem[..10]), (2, "60 strings"));
    }
}
