//! Compares printed statements up to the names that Halide makes up.

use halidom_base::{FxHashMap, FxHashSet};

use crate::tree::ForKind;

/// Tests whether two printed statements are the same but for the names of `let`s and loops. Halide
/// numbers the names that it makes up from one compile of a process to the next, so that the second
/// compile of a pipeline prints other names than the first.
///
/// Each name must stand for one name of the other text throughout, in both directions, so that a
/// name is bound where its counterpart is. Cost: linear in the length of the texts.
#[must_use]
pub fn same_but_bound_names(one: &str, other: &str) -> bool {
    let (bound, bound_in_other) = (bound_names(one), bound_names(other));
    let (mut forth, mut back) = (FxHashMap::default(), FxHashMap::default());
    let (mut left, mut right) = (words(one), words(other));
    loop {
        let (a, b) = match (left.next(), right.next()) {
            (Some(a), Some(b)) => (a, b),
            (None, None) => return true,
            _ => return false,
        };
        let same = a == b || bound.contains(a) && bound_in_other.contains(b);
        if !same || *forth.entry(a).or_insert(b) != b || *back.entry(b).or_insert(a) != a {
            return false;
        }
    }
}

/// The names that a `let` or a loop of the text binds.
fn bound_names(text: &str) -> FxHashSet<&str> {
    let first_word = |text| words(text).next();
    let by_let = text.match_indices("let ").filter_map(|(at, found)| {
        let is_word = !text[..at].ends_with(is_part);
        first_word(&text[at + found.len()..]).filter(|_| is_word)
    });
    let by_loop = text.lines().filter_map(|line| {
        let line = line.trim_start();
        let is_loop = ForKind::ALL.iter().any(|kind| first_word(line) == Some(kind.keyword()));
        line.split_once(" (").filter(|_| is_loop).and_then(|(_, rest)| first_word(rest))
    });
    by_let.chain(by_loop).collect()
}

/// Tests whether a character may be part of a name.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// Splits a text into words and single other characters.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = if is_part(first) {
            rest.find(|c: char| !is_part(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::same_but_bound_names;

    const FIRST: &str = "let t4 = max(f.max.s, 8)\nfor (f.s1.x, 0, t4) {\n f[f.s1.x] = t4 + n\n}\n";

    #[test]
    fn bound_names_may_differ() {
        let second = FIRST.replace("t4", "t10").replace("f.s1.x", "f.s1.y");
        assert!(same_but_bound_names(FIRST, FIRST));
        assert!(same_but_bound_names(FIRST, &second));
    }

    #[test]
    fn everything_else_counts() {
        let others = [
            FIRST.replace("max(", "min("),
            FIRST.replace(", 8)", ", 9)"),
            FIRST.replace("+ n", "+ m"),
            FIRST.replace("+ n", "+ t4"),
            FIRST.replace("0, t4", "0, t5"),
            FIRST.replace("= t4 + n", "= n + t4"),
            FIRST.replace("f[", "g["),
            FIRST.replace("t4", "f.s1.x"),
            FIRST.replace('\n', " "),
            format!("{FIRST}f[0] = 1\n"),
        ];
        for other in others {
            assert!(!same_but_bound_names(FIRST, &other), "{other}");
            assert!(!same_but_bound_names(&other, FIRST), "{other}");
        }
    }
}
