//! Reads literals: numbers, and texts as the characters that they stand for.

use crate::ast::ExprKind;

/// The characters of a string or a character literal. Returns `None` for a literal with a prefix,
/// with an escape of a number, or with characters of several bytes.
pub(crate) fn characters(literal: &str) -> Option<String> {
    let quote = literal.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    let inner = literal.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut letters = inner.chars();
    let mut text = String::new();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                plain @ ('\\' | '"' | '\'') => plain,
                _ => return None,
            },
            ' '..='~' => letter,
            _ => return None,
        });
    }
    (quote == '"' || text.len() == 1).then_some(text)
}

/// Reads a number: its digits and its suffix.
pub(crate) fn number(text: &str) -> Option<ExprKind> {
    let text = text.replace('\'', "").to_lowercase();
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(magnitude) => (-1, magnitude),
        None => (1, text.as_str()),
    };
    let is_octal = |digits: &str| digits.starts_with(|digit: char| digit.is_ascii_digit());
    let (digits, radix) = match (magnitude.strip_prefix("0x"), magnitude.strip_prefix('0')) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) if is_octal(digits) && !digits.contains(['.', 'e']) => (digits, 8),
        (None, _) => (magnitude, 10),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    if suffix.chars().all(|letter| matches!(letter, 'u' | 'l')) {
        let value = i128::from_str_radix(digits, radix).ok()?;
        // Only literals that are not decimal may have an unsigned type without a suffix.
        let is_between = |bits: u32| (1_i128 << (bits - 1)..1 << bits).contains(&value);
        let is_unsigned = radix != 10
            && (is_between(32) && !suffix.contains('l') || is_between(64))
            && !suffix.contains('u');
        let suffix = if is_unsigned { format!("u{suffix}") } else { suffix.to_owned() };
        return Some(ExprKind::Integer(sign * value, suffix));
    }
    text.trim_end_matches('f').parse().ok().map(ExprKind::Float)
}
