//! Takes out text that a compiler does not see, where this file alone decides it.
//!
//! # Correctness
//! A condition of an `#if` is decided if it consists of integers, of `!`, `&&` and `||`, and of
//! macros that the text defines as an integer: once, under no other directive, before the `#if`,
//! after the last `#include`, and without an `#undef`. The arm that is not chosen becomes blank,
//! and so do the directives. An `#if` with an `#elif` stays as it is. Lines stay.

use std::borrow::Cow;

use halidom_base::FxHashMap;

/// A directive that begins or ends an arm.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arm {
    If,
    Elif,
    Else,
    End,
}

/// Returns the files that a text includes, as it names them, each with whether the name is in
/// quotes. What stands in comments, or in arms that no compiler sees, does not count. Files whose
/// names are not spelled are left out.
pub fn included(text: &str) -> Vec<(String, bool)> {
    inclusions(text).into_iter().flatten().collect()
}

/// Tests whether a text may include any file: a macro names it, or an `#include` is not read.
pub(crate) fn includes_any(text: &str) -> bool {
    inclusions(text).iter().any(Option::is_none)
}

/// The files of all directives that include one; `None` for one that does not spell the name.
fn inclusions(text: &str) -> Vec<Option<(String, bool)>> {
    let text = settled(text);
    let plain = crate::headers::without_comments(&text);
    let directive = |line: &str| {
        let name = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        Some(name.to_owned())
    };
    let name = |rest: String| {
        let rest = rest.trim_start();
        let (begin, is_quoted) = if rest.starts_with('"') { ('"', true) } else { ('<', false) };
        let end = if is_quoted { '"' } else { '>' };
        let (name, _) = rest.strip_prefix(begin)?.split_once(end)?;
        Some((name.to_owned(), is_quoted))
    };
    let all = text.split('\n').zip(plain.split('\n'));
    let all = all.filter(|(_, plain)| directive(plain).is_some());
    all.map(|(line, _)| directive(line).and_then(name)).collect()
}

/// Returns a text in which the arms that no compiler sees are blank.
pub(crate) fn settled(text: &str) -> Cow<'_, str> {
    if !text.contains("#if") && !text.contains("# if") {
        return Cow::Borrowed(text);
    }
    // A directive or a quote that goes on in the next line would need the whole preprocessor.
    let plain = crate::headers::without_comments(text);
    let lines: Vec<&str> = plain.split('\n').collect();
    let macros = integers(&lines);
    let mut is_kept = vec![true; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        if is_kept[at]
            && let Some(chosen) = condition(lines[at]).and_then(|of| value(of, &macros, at))
            && let Some((middle, end)) = arms(&lines, at)
        {
            let first = at + 1..middle.unwrap_or(end);
            let second = middle.map_or(end, |middle| middle + 1)..end;
            let dropped = if chosen { second } else { first };
            is_kept[dropped].fill(false);
            is_kept[at] = false;
            is_kept[end] = false;
            if let Some(middle) = middle {
                is_kept[middle] = false;
            }
        }
        at += 1;
    }
    if is_kept.iter().all(|kept| *kept) {
        return Cow::Borrowed(text);
    }
    let kept = text.split('\n').zip(is_kept).map(|(line, kept)| if kept { line } else { "" });
    Cow::Owned(kept.collect::<Vec<_>>().join("\n"))
}

/// The name and the rest of a directive.
fn directive(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
    Some(rest.split_at(end))
}

fn arm(line: &str) -> Option<Arm> {
    match directive(line)?.0 {
        "if" | "ifdef" | "ifndef" => Some(Arm::If),
        "elif" | "elifdef" | "elifndef" => Some(Arm::Elif),
        "else" => Some(Arm::Else),
        "endif" => Some(Arm::End),
        _ => None,
    }
}

/// The condition of an `#if`.
fn condition(line: &str) -> Option<&str> {
    directive(line).filter(|(name, _)| *name == "if").map(|(_, rest)| rest.trim())
}

/// The macros that are integers, each with its line and whether it is 0.
fn integers(lines: &[&str]) -> FxHashMap<String, (usize, bool)> {
    let (mut found, mut defined): (FxHashMap<String, (usize, bool)>, FxHashMap<String, usize>) =
        (FxHashMap::default(), FxHashMap::default());
    let mut depth = 0_usize;
    for (at, line) in lines.iter().enumerate() {
        match arm(line) {
            Some(Arm::If) => depth += 1,
            Some(Arm::End) => depth = depth.saturating_sub(1),
            Some(Arm::Elif | Arm::Else) | None => {}
        }
        let Some((kind, rest)) = directive(line) else { continue };
        match kind {
            // It may define any macro anew.
            "include" => found.clear(),
            "define" | "undef" => {
                let mut parts = rest.split_whitespace();
                let (Some(name), number, more) = (parts.next(), parts.next(), parts.next()) else {
                    continue;
                };
                let short = name.split('(').next().unwrap_or_default().to_owned();
                *defined.entry(short).or_default() += 1;
                let number = number.filter(|_| more.is_none() && depth == 0 && kind == "define");
                if let Some(number) = number.and_then(|number| number.parse::<u64>().ok()) {
                    found.insert(name.to_owned(), (at, number != 0));
                }
            }
            _ => {}
        }
    }
    found.retain(|name, _| defined.get(name) == Some(&1));
    found
}

/// The value of a condition in a line, if it is known.
fn value(text: &str, macros: &FxHashMap<String, (usize, bool)>, at: usize) -> Option<bool> {
    let any = |(a, b): (&str, &str)| Some(value(a, macros, at)? | value(b, macros, at)?);
    let all = |(a, b): (&str, &str)| Some(value(a, macros, at)? & value(b, macros, at)?);
    let text = text.trim();
    if text.contains(['(', ')', '\\', '=', '<', '>']) {
        return None;
    }
    if let Some(parts) = text.split_once("||") {
        return any(parts);
    }
    if let Some(parts) = text.split_once("&&") {
        return all(parts);
    }
    if let Some(operand) = text.strip_prefix('!') {
        return value(operand, macros, at).map(|value| !value);
    }
    if let Ok(number) = text.parse::<u64>() {
        return Some(number != 0);
    }
    macros.get(text).filter(|(line, _)| *line < at).map(|(_, value)| *value)
}

/// The lines of the `#else`, if there is one, and of the `#endif` that belong to an `#if`. Without
/// an `#endif`, or with an `#elif`, there are none.
fn arms(lines: &[&str], from: usize) -> Option<(Option<usize>, usize)> {
    let (mut depth, mut middle) = (0_usize, None);
    for (at, line) in lines.iter().enumerate().skip(from + 1) {
        match arm(line) {
            Some(Arm::If) => depth += 1,
            Some(Arm::End) if depth == 0 => return Some((middle, at)),
            Some(Arm::End) => depth -= 1,
            Some(Arm::Elif) if depth == 0 => return None,
            Some(Arm::Else) if depth == 0 && middle.is_some() => return None,
            Some(Arm::Else) if depth == 0 => middle = Some(at),
            Some(Arm::Elif | Arm::Else) | None => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{included, includes_any, settled};

    #[test]
    fn an_inclusion_that_does_not_spell_the_name_may_be_of_any_file() {
        for text in ["#define A <a>\n#include A\n", "# include B(c)\n", "#include /* */ <a>\n"] {
            assert!(includes_any(text) && included(text).is_empty(), "{text}");
        }
        for text in ["#include_next <a>\n", "#include\tA\n", "#includes \"a\"\n"] {
            assert!(includes_any(text), "{text}");
        }
        let text =
            "#include <a>\n  # include \"b/c\" // d\n// #include D\n#if 0\n#include D\n#endif\n";
        assert!(!includes_any(text));
        let found = included(text);
        assert_eq!(found, [("a".to_owned(), false), ("b/c".to_owned(), true)]);
    }

    #[test]
    fn arms_that_no_compiler_sees_are_blank() {
        let text = "#include <a>\n#define LOG 0\n#if LOG || 0\na\n#if B\nb\n#else\nc\n#endif\n\
            #else\nd\n#endif\ne\n";
        assert_eq!(settled(text), "#include <a>\n#define LOG 0\n\n\n\n\n\n\n\n\nd\n\ne\n");
        assert_eq!(settled("#if 1\na\n#endif\n"), "\na\n\n");
    }

    #[test]
    fn what_another_text_may_decide_stays() {
        for text in [
            "#define LOG 0\n#include <a>\n#if LOG\na\n#endif\n",
            "#define LOG 0\n#undef LOG\n#if LOG\na\n#endif\n",
            "#define LOG 0\n#define LOG 1\n#if LOG\na\n#endif\n",
            "#ifndef B\n#define LOG 0\n#endif\n#if LOG\na\n#endif\n",
            "#if LOG\na\n#endif\n#define LOG 0\n",
            "#if defined(LOG)\na\n#endif\n",
            "#define LOG 0\n#if LOG\na\n#elif B\nb\n#endif\n",
            "#if 0 \\\n || 1\na\n#endif\n",
            "// #define LOG 0\n#if LOG\na\n#endif\n",
        ] {
            assert_eq!(settled(text), text);
        }
    }
}
