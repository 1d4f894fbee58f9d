//! The end of a text. Editors and scripts add line breaks there, or remove the last one.

use std::borrow::Cow;

/// Gives a text the end that Halide and the dumps print: its last line ends, and no blank lines
/// follow. Other blanks at the end of the last line stay. Only the place of the end changes.
pub(crate) fn ended(text: &str) -> Cow<'_, str> {
    let kept = text.trim_end().len();
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    match text[kept..].find('\n') {
        Some(end) => Cow::Borrowed(&text[..=kept + end]),
        None => Cow::Owned(format!("{text}\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::ended;

    #[test]
    fn only_the_last_line_break_counts() {
        for text in ["a\nb", "a\nb\n", "a\nb\n\n", "a\nb\n\n  \n\t", "a\nb\n \u{a0}"] {
            assert_eq!(ended(text), "a\nb\n", "{text:?}");
        }
        for text in ["", "\n", "b ", "b \n\n", "b\r\n"] {
            let last = text.trim_end_matches('\n');
            let expected = if last.is_empty() { text.to_owned() } else { format!("{last}\n") };
            assert_eq!(ended(text), expected, "{text:?}");
        }
    }
}
