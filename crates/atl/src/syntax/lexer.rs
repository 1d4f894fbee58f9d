//! Splits text into tokens.

use halidom_diag::{Diagnostic, FileId, Span};

use crate::codes;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'s> {
    Ident(&'s str),
    Number(&'s str),
    Punct(&'static str),
    End,
}

/// The punctuation, longest first, so that `<=` is not read as `<` and `=`.
const PUNCTUATION: &[&str] = &[
    "..", "<=", ">=", "==", "&&", "(", ")", "[", "]", "{", "}", "<", ">", "=", "+", "-", "*", "/",
    "%", ",", ";", ":", ".", "#",
];

/// Splits a text into tokens. The last one is [`Token::End`].
pub(crate) fn lex<'s>(
    text: &'s str,
    file: FileId,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<(Token<'s>, Span)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start().len();
        if blank > 0 {
            at += blank;
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let Some(first) = rest.chars().next() else {
            tokens.push((Token::End, Span::new(file, at..at)));
            return tokens;
        };
        let run = |accept: &dyn Fn(char) -> bool| rest.find(|c| !accept(c)).unwrap_or(rest.len());
        let (token, length) = if first.is_ascii_alphabetic() || first == '_' {
            let length = run(&|c| c.is_ascii_alphanumeric() || c == '_');
            (Some(Token::Ident(&rest[..length])), length)
        } else if first.is_ascii_digit() {
            let whole = run(&|c| c.is_ascii_digit());
            let fraction = rest[whole..]
                .strip_prefix('.')
                .filter(|tail| tail.starts_with(|c: char| c.is_ascii_digit()));
            let length = fraction.map_or(whole, |tail| {
                whole + 1 + tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len())
            });
            (Some(Token::Number(&rest[..length])), length)
        } else if let Some(punct) = PUNCTUATION.iter().find(|punct| rest.starts_with(**punct)) {
            (Some(Token::Punct(punct)), punct.len())
        } else {
            (None, first.len_utf8())
        };
        let span = Span::new(file, at..at + length);
        match token {
            Some(token) => tokens.push((token, span)),
            None => diagnostics.push(
                Diagnostic::error(
                    codes::SYNTAX,
                    span,
                    format!("the character `{first}` begins nothing"),
                )
                .with_hint("programs consist of names, numbers and the signs of the language"),
            ),
        }
        at += length;
    }
}
