//! Tokens of the text form.

use crate::{Constant, Scalar};

use super::error::ParseError;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    Constant(Constant),
    /// A quoted string, unescaped.
    Text(String),
    /// An operator or a bracket.
    Sign(&'static str),
    End,
}

/// The signs, longest first, so that `<<` is not read as `<`.
const SIGNS: [&str; 32] = [
    "<<", ">>", "<=", ">=", "==", "!=", "+!", "-!", "*!", "(", ")", "[", "]", "{", "}", ",", ";",
    ":", "=", "+", "-", "*", "/", "%", "<", ">", "&", "|", "^", "!", "@", "?",
];

/// Splits a text into tokens, each with its byte offset. The last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, usize)>, ParseError> {
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, after)| after);
            continue;
        }
        let offset = text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            out.push((Token::End, offset));
            return Ok(out);
        };
        let (token, length) = if is_literal(rest) {
            number(rest, offset)?
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || "_.$".contains(c)))
                .unwrap_or(rest.len());
            (word(&rest[..length]), length)
        } else if first == '"' {
            quoted(rest, offset)?
        } else {
            let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
            let sign = sign.ok_or(ParseError { offset, expected: "a token" })?;
            (Token::Sign(sign), sign.len())
        };
        out.push((token, offset));
        rest = &rest[length..];
    }
}

/// True for a digit, or a minus followed directly by a digit or `inf`. Binary minus is always
/// printed with a space after it.
fn is_literal(rest: &str) -> bool {
    let digits = rest.strip_prefix('-').unwrap_or(rest);
    digits.starts_with(|c: char| c.is_ascii_digit()) || rest.starts_with("-inf")
}

fn word(text: &str) -> Token {
    match text {
        "true" => Token::Constant(Constant::bool(true)),
        "false" => Token::Constant(Constant::bool(false)),
        "inff32" => Token::Constant(Constant::f32(f32::INFINITY)),
        "inff64" => Token::Constant(Constant::f64(f64::INFINITY)),
        "nanf32" => Token::Constant(Constant::f32(f32::NAN)),
        "nanf64" => Token::Constant(Constant::f64(f64::NAN)),
        _ => Token::Name(text.to_owned()),
    }
}

fn number(rest: &str, offset: usize) -> Result<(Token, usize), ParseError> {
    let error = ParseError { offset, expected: "a number with a type that holds it" };
    let mut length = 0;
    let mut previous = ' ';
    for c in rest.chars() {
        let sign = c == '-' && (length == 0 || previous == 'e');
        if !(c.is_ascii_alphanumeric() || c == '.' || sign) {
            break;
        }
        previous = c;
        length += c.len_utf8();
    }
    let text = &rest[..length];
    let suffix = Scalar::ALL.into_iter().find(|scalar| text.ends_with(scalar.name()));
    let scalar = suffix.unwrap_or(Scalar::Int);
    let digits = if suffix.is_some() { &text[..length - scalar.name().len()] } else { text };
    let constant = if scalar == Scalar::F32 {
        Constant::f32(digits.parse().map_err(|_| error)?)
    } else if scalar == Scalar::F64 {
        Constant::f64(digits.parse().map_err(|_| error)?)
    } else {
        let value = digits.parse::<i128>().ok();
        let constant = value.and_then(|value| Constant::wrapped(scalar, value));
        constant.filter(|constant| constant.as_integer() == value).ok_or(error)?
    };
    Ok((Token::Constant(constant), length))
}

/// Reads a string in the form that Rust's `{:?}` writes.
fn quoted(rest: &str, offset: usize) -> Result<(Token, usize), ParseError> {
    let error = ParseError { offset, expected: "a string that ends" };
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((position, c)) = chars.next() {
        match c {
            '"' => return Ok((Token::Text(text), position + 1)),
            '\\' => {
                let (_, escaped) = chars.next().ok_or_else(|| error.clone())?;
                match escaped {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    '0' => text.push('\0'),
                    'u' => {
                        let hex: String = chars
                            .by_ref()
                            .map(|(_, c)| c)
                            .skip(1)
                            .take_while(|c| *c != '}')
                            .collect();
                        let code = u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32);
                        text.push(code.ok_or_else(|| error.clone())?);
                    }
                    other => text.push(other),
                }
            }
            other => text.push(other),
        }
    }
    Err(error)
}
