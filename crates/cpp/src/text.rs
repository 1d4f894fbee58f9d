//! Words and names in the text of C++.

/// Tests whether a letter may stand in a name.
pub fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// Returns the words of a text: names, keywords and numbers.
pub fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|letter| !is_letter(letter)).filter(|word| !word.is_empty())
}

/// Splits a name into the class or namespace before its last part, and this part. A `::` between
/// template arguments splits nothing: `make<Internal::Add>` is one part.
pub fn split_name(name: &str) -> (Option<&str>, &str) {
    // The name of an operator may have angles.
    let end = name.find("operator").unwrap_or(name.len());
    let (mut depth, mut at) = (0_usize, None);
    for (index, letter) in name[..end].char_indices() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && name[index..].starts_with("::") => at = Some(index),
            _ => {}
        }
    }
    match at {
        Some(at) => (Some(&name[..at]), &name[at + 2..]),
        None => (None, name),
    }
}

/// Returns the last part of a name, without template arguments.
pub fn short_name(name: &str) -> &str {
    let (_, last) = split_name(name);
    if last.starts_with("operator") { last } else { last.split('<').next().unwrap_or(last).trim() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_outside_of_template_arguments() {
        assert_eq!(split_name("make<Internal::Add>"), (None, "make<Internal::Add>"));
        assert_eq!(split_name("A::B<C::D>::visit"), (Some("A::B<C::D>"), "visit"));
        assert_eq!(split_name("A::operator<"), (Some("A"), "operator<"));
        assert_eq!(short_name("A::Base<B::C>"), "Base");
        assert_eq!(short_name("operator<"), "operator<");
        assert_eq!(words("a_b(c1, ::d)").collect::<Vec<_>>(), ["a_b", "c1", "d"]);
    }
}
