//! Suggests the known name that was probably meant.

use halidom_diag::{Fix, Remedy, Span};

/// Returns the known name nearest to the written one, if any is near: at most about a third of its
/// letters differ, so no name is near to a single letter.
pub(crate) fn nearest<'a>(
    written: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (written.chars().count() + 1) / 3;
    known
        .into_iter()
        .map(|name| (distance(written, name), name))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// A hint that lists names; the change writes the nearest one.
pub(crate) fn one_near(
    hint: String,
    span: Span,
    written: &str,
    known: impl IntoIterator<Item = &'static str>,
) -> Remedy {
    let fix = nearest(written, known).map(|near| Fix::replace(span, near));
    Remedy { hint, fix }
}

/// Returns the number of letters to insert, delete or replace to turn one name into the other
/// (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn only_near_names_are_suggested() {
        let known = ["blur_x", "blur_y", "output"];
        assert_eq!(nearest("blurx", known), Some("blur_x"));
        assert_eq!(nearest("blur_z", known), Some("blur_x"));
        assert_eq!(nearest("outptu", known), Some("output"));
        assert_eq!(nearest("gemm", known), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("xo", ["x", "yo"]), Some("x"));
    }
}
