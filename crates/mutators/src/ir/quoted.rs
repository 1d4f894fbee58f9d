//! Texts in quotes: as Halide prints them, as C reads them, and in C++ that builds them.
//!
//! # Correctness
//!
//! Only runs on texts that are known use this, and such runs can only refute.

/// The text in quotes, as `IRPrinter::visit(const StringImm *)` prints it.
pub(crate) fn printed(text: &str) -> String {
    let one = |letter: char| match letter {
        '"' | '\\' => format!("\\{letter}"),
        '\t' => "\\t".to_owned(),
        '\r' => "\\r".to_owned(),
        '\n' => "\\n".to_owned(),
        ' '..='~' => letter.to_string(),
        _ => format!("\\x{:02X}", u32::from(letter)),
    };
    format!("\"{}\"", text.chars().map(one).collect::<String>())
}

/// A literal of C++ for the text. An octal number has at most three digits.
pub(crate) fn literal(text: &str) -> String {
    let one = |letter: char| match letter {
        '"' | '\\' => format!("\\{letter}"),
        ' '..='~' => letter.to_string(),
        _ => format!("\\{:03o}", u32::from(letter)),
    };
    format!("\"{}\"", text.chars().map(one).collect::<String>())
}

/// The text that one literal of C stands for; `None` if it is no literal, or has an escape that is
/// not read.
pub(crate) fn read(literal: &str) -> Option<String> {
    let mut rest = literal.strip_prefix('"')?;
    let mut text = String::new();
    loop {
        let letter = rest.chars().next()?;
        rest = &rest[letter.len_utf8()..];
        match letter {
            '"' => return rest.is_empty().then_some(text),
            '\\' => {
                let escape = rest.chars().next()?;
                rest = &rest[escape.len_utf8()..];
                text.push(match escape {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    '"' | '\\' | '\'' | '?' => escape,
                    // All digits that follow belong to the number.
                    'x' => {
                        let end = rest.find(|of: char| !of.is_ascii_hexdigit())?;
                        let number = u8::from_str_radix(&rest[..end], 16).ok()?;
                        rest = &rest[end..];
                        char::from(number)
                    }
                    _ => return None,
                });
            }
            ' '..='~' => text.push(letter),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_takes_all_digits() {
        for text in ["a", "\\n", "a\"b", "\u{1}g", "\n\t"] {
            assert_eq!(read(&printed(text)).as_deref(), Some(text));
        }
        assert_eq!(printed("\u{1}f"), "\"\\x01f\"");
        assert_eq!(read("\"\\x01f\"").as_deref(), Some("\u{1f}"));
        assert_eq!(read("\"a\"b\""), None);
        assert_eq!(literal("\u{1}f\"\\"), "\"\\001f\\\"\\\\\"");
    }
}
