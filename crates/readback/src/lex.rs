//! Splits C into tokens. Comments vanish; each line of the preprocessor is one token.

use crate::mismatch::Mismatch;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or keyword.
    Word,
    /// A number, with its suffix.
    Number,
    /// A string.
    Text,
    /// An operator or bracket.
    Mark,
    /// A line of the preprocessor.
    Directive,
    /// The end of the file.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// Its kind.
    pub kind: Kind,
    /// Its text, without spaces around it.
    pub text: &'a str,
    /// Byte offset in the file.
    pub start: usize,
}

/// C's operators and brackets, also those that generated C lacks: the longest one that fits is the
/// token. Longer ones come before their prefixes.
const MARKS: &[&str] = &[
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", "<:", ":>", "<%", "%>", "%:", "//", "(", ")",
    "{", "}", "[", "]", ";", ",", "?", ":", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^",
    "~", "!", ".",
];

/// Returns the place of the first character that C may read otherwise than it looks: `\` joins
/// lines, also within a comment and in the spelling `??/`, and a carriage return may end one.
fn unclear(text: &str) -> Option<usize> {
    let character = text.find(|c: char| c == '\\' || (c.is_control() && c != '\n'));
    character.or_else(|| text.find("??"))
}

/// Returns the tokens of a file, including the end.
///
/// # Errors
/// The first text that is no token of generated C.
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, Mismatch> {
    if let Some(at) = unclear(text) {
        return Err(Mismatch::at(text, at, "a character that C may read otherwise"));
    }
    let mut tokens = Vec::new();
    let mut start = 0;
    let run = |from: usize, accept: fn(char) -> bool| {
        text[from..].find(|c| !accept(c)).map_or(text.len(), |length| from + length)
    };
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let (kind, end) = if matches!(first, ' ' | '\n') {
            start += first.len_utf8();
            continue;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let length =
                comment.find("*/").ok_or_else(|| Mismatch::at(text, start, "an open comment"))?;
            start += length + 4;
            continue;
        } else if first == '#' {
            (Kind::Directive, run(start, |c| c != '\n'))
        } else if first.is_ascii_alphabetic() || first == '_' {
            (Kind::Word, run(start, |c| c.is_ascii_alphanumeric() || c == '_'))
        } else if first.is_ascii_digit() {
            (Kind::Number, number_end(text, start))
        } else if first == '"' {
            let length =
                rest[1..].find('"').ok_or_else(|| Mismatch::at(text, start, "an open string"))?;
            (Kind::Text, start + length + 2)
        } else if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            (Kind::Mark, start + mark.len())
        } else {
            return Err(Mismatch::at(text, start, "a character that is no C"));
        };
        tokens.push(Token { kind, text: &text[start..end], start });
        start = end;
    }
    tokens.push(Token { kind: Kind::End, text: "", start: text.len() });
    Ok(tokens)
}

/// Returns the end of a number: digits, a point, an exponent with its sign, a suffix.
fn number_end(text: &str, start: usize) -> usize {
    let mut previous = ' ';
    for (offset, c) in text[start..].char_indices() {
        let sign = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E');
        if !(c.is_ascii_alphanumeric() || c == '.' || sign) {
            return start + offset;
        }
        previous = c;
    }
    text.len()
}
