//! Words and names in the text of C++.

/// Tests whether a letter may stand in a name.
pub fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// The words before the quote of a raw string literal.
const RAW: [&str; 5] = ["R", "LR", "UR", "u8R", "uR"];

/// The word before a quote. It begins with a quote if it is the suffix of another literal, or a
/// part of a number with `'` between its digits.
#[derive(Debug, Default)]
pub(crate) struct BeforeQuote(String);

impl BeforeQuote {
    /// Takes the next letter of a text. Of a literal, only its end counts.
    pub(crate) fn push(&mut self, letter: char) {
        if !is_letter(letter) {
            self.0.clear();
        }
        if is_letter(letter) || matches!(letter, '"' | '\'') {
            self.0.push(letter);
        }
    }

    /// Tests whether a quote after it begins a raw string literal. A longer name that ends with
    /// `R` is no prefix, and neither is the suffix of another literal.
    pub(crate) fn is_raw(&self) -> bool {
        RAW.contains(&self.0.as_str())
    }

    /// Tests whether it is a number or another literal whose suffix ends with `R`. The grammar
    /// takes the end for the prefix of a raw string literal.
    pub(crate) fn is_doubtful(&self) -> bool {
        let is_literal = |letter: char| letter.is_ascii_digit() || !is_letter(letter);
        self.0.ends_with('R') && self.0.starts_with(is_literal)
    }
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
    fn only_a_whole_word_makes_a_string_raw() {
        let before = |text: &str| {
            let mut found = BeforeQuote::default();
            text.chars().for_each(|letter| found.push(letter));
            found
        };
        assert!(
            ["R", "f(R", "a u8R", "LR", "= uR", "\"a\" R"].iter().all(|of| before(of).is_raw())
        );
        let others = ["FOOR", "_R", "R8", "xLR", "u8", "1R", "\"a\"R", "'a'R", "1'0R", ""];
        assert!(others.iter().all(|of| !before(of).is_raw()));
        let doubtful = others.iter().filter(|of| before(of).is_doubtful());
        assert_eq!(doubtful.copied().collect::<Vec<_>>(), ["1R", "\"a\"R", "'a'R", "1'0R"]);
    }

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
