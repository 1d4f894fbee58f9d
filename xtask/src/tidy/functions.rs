//! Checks that functions are short enough to be read at once. Tests may be longer.

use super::matches::{is_word, position, without_literals};
use super::{File, Finding};

/// The greatest number of lines of a function, from its `fn` to its closing brace.
const MAX_LINES: usize = 120;

/// The mark of what only tests contain.
const TEST: &str = "#[cfg(test)]";

pub(super) fn function_lengths(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| is_production(file)) {
        let code = without_tests(without_literals(&file.text));
        for (at, _) in code.match_indices("fn ") {
            if !is_word(&code, at, "fn") {
                continue;
            }
            let Some(lines) = lines(&code[at..]).filter(|lines| *lines > MAX_LINES) else {
                continue;
            };
            let rest = code[at + "fn ".len()..].trim_start();
            let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let name = &rest[..end.unwrap_or(rest.len())];
            let problem = format!("`{name}` has {lines} lines; at most {MAX_LINES} are allowed");
            findings.push(Finding::at_line(file, line(&code, at), problem));
        }
    }
    findings
}

fn is_production(file: &File) -> bool {
    let path = &file.path;
    let is_ours = path.starts_with("crates/") || path.starts_with("xtask/");
    let is_test = path.ends_with("/tests.rs")
        || path.split('/').any(|folder| matches!(folder, "tests" | "benches"));
    file.extension() == "rs" && is_ours && !is_test
}

/// Replaces the items that only tests contain by blanks.
fn without_tests(mut code: String) -> String {
    let mut from = 0;
    while let Some(at) = code[from..].find(TEST).map(|at| from + at) {
        let after = at + TEST.len();
        let end = item(&code[after..]).map_or(code.len(), |length| after + length);
        let blank: String =
            code[at..end].chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }).collect();
        code.replace_range(at..end, &blank);
        from = at + blank.len();
    }
    code
}

/// The number of lines of the function that begins here, if it has a body.
fn lines(code: &str) -> Option<usize> {
    let length = item(code)?;
    code[..length].ends_with('}').then(|| code[..length].matches('\n').count() + 1)
}

/// The length of the item that begins here: to its semicolon, or the closing brace of its body.
fn item(code: &str) -> Option<usize> {
    let open = position(code, |letter| matches!(letter, '{' | ';'))?;
    match code[open..].strip_prefix('{') {
        Some(body) => Some(open + position(body, |letter| letter == '}')? + 2),
        None => Some(open + 1),
    }
}

/// The number of the line of a position.
fn line(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::function_lengths;

    const PLACE: &str = "crates/rewrites/src/a.rs";

    fn body(lines: usize) -> String {
        "    call();\n".repeat(lines)
    }

    #[test]
    fn long_functions_are_found() {
        let (most, more) = (body(118), body(119));
        let text = format!("fn short() {{\n{most}}}\n\nfn long(a: [u8; 2]) {{\n{more}}}\n");
        let problem = "crates/rewrites/src/a.rs:122: `long` has 121 lines; at most 120 are allowed";
        check(function_lengths, &[(PLACE, &text)], &[problem]);
        check(function_lengths, &[("xtask/src/a.rs", &text)], &["xtask/src/a.rs:122: `long`"]);
    }

    #[test]
    fn braces_of_literals_and_functions_without_bodies_do_not_count() {
        let more = body(119);
        let text = format!(
            "trait T {{\n    fn f();\n    fn g();\n}}\nfn h() {{\n    '}}'; \"}}\"; // \
                }}\n}}\n{more}"
        );
        check(function_lengths, &[(PLACE, &text)], &[]);
        let long = format!("fn h() {{\n    '}}'; \"}}\"; // }}\n{more}}}\n");
        check(function_lengths, &[(PLACE, &long)], &["crates/rewrites/src/a.rs:1: `h` has 122"]);
    }

    #[test]
    fn tests_may_have_long_functions() {
        let long = format!("fn f() {{\n{}}}\n", body(119));
        let tests =
            format!("#[cfg(test)]\nuse a::b;\n#[cfg(test)]\nmod tests {{\n{long}}}\n{long}");
        check(function_lengths, &[(PLACE, &tests)], &["crates/rewrites/src/a.rs:127: `f`"]);
        let others = ["crates/a/src/tests.rs", "crates/a/tests/b.rs", "crates/a/benches/b.rs"];
        check(function_lengths, &others.map(|place| (place, long.as_str())), &[]);
    }
}
