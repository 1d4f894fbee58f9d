//! Edits that simplify expressions: an expression becomes one of its operands or arguments, or a
//! number; numbers become smaller.

use std::ops::Range;

use halidom_lang::{Bracket, Outline, TokenKind};

use super::edits::{Edit, for_each_level, is_group, span, split_commas, word};

/// Tokens between the operands of an expression, and tokens around an expression.
const OPERATORS: [&str; 18] = [
    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&",
    "||",
];
const BORDERS: [&str; 9] = [",", ";", ":", "=", "+=", "*=", "..", "->", "in"];

/// An operand: its byte range, and the ranges that could replace it.
struct Operand {
    range: Range<usize>,
    inside: Vec<Range<usize>>,
    is_plain: bool,
}

/// Replaces expressions by runs of their operands, the shortest first; operands by expressions
/// inside them; and both by numbers.
pub(super) fn simplify(text: &str, parts: &[Outline]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for_each_level(parts, None, &mut |parts, _| {
        for slot in parts.split(|part| BORDERS.contains(&word(text, part)) || is_word(text, part)) {
            slot_edits(text, slot, &mut edits);
        }
    });
    edits
}

/// Tests for words that end an expression although they look like names to the bracket structure.
fn is_word(text: &str, part: &Outline) -> bool {
    matches!(part, Outline::Token { kind: TokenKind::Keyword, .. })
        && !matches!(word(text, part), "true" | "false")
}

fn slot_edits(text: &str, slot: &[Outline], edits: &mut Vec<Edit>) {
    let operands: Vec<Operand> = slot
        .split(|part| OPERATORS.contains(&word(text, part)))
        .filter(|operand| !operand.is_empty())
        .map(|operand| self::operand(text, operand))
        .collect();
    let whole = span(slot);
    let count = operands.len();
    if count > 1 || operands.iter().any(|operand| !operand.is_plain) {
        for number in ["0", "1", "0.0", "true"] {
            edits.push(Edit::replace(whole.clone(), number));
        }
    }
    for length in 1..count {
        for run in operands.windows(length) {
            if let (Some(first), Some(last)) = (run.first(), run.last()) {
                let kept = first.range.start..last.range.end;
                edits.push(Edit::replace(whole.clone(), &text[kept]));
            }
        }
    }
    for Operand { range, inside, is_plain } in &operands {
        for inner in inside {
            edits.push(Edit::replace(range.clone(), &text[inner.clone()]));
        }
        if count > 1 && !is_plain {
            for number in ["0", "1", "0.0"] {
                edits.push(Edit::replace(range.clone(), number));
            }
        }
    }
}

/// The parts of an operand: a name, a number, a call, or an expression in parentheses.
fn operand(text: &str, parts: &[Outline]) -> Operand {
    let mut inside = Vec::new();
    for part in parts {
        if let Outline::Group { bracket: Bracket::Parenthesis, parts: inner, .. } = part {
            inside.extend(
                split_commas(text, inner)
                    .into_iter()
                    .filter(|argument| !argument.is_empty())
                    .map(|argument| after_name(text, argument)),
            );
        }
    }
    let is_number = |part: &Outline| {
        matches!(part, Outline::Token { kind: TokenKind::Integer | TokenKind::Float, .. })
    };
    let is_plain = matches!(parts, [only] if is_number(only));
    // The operand of a unary operator: `!x`, `~x`.
    if let [first, rest @ ..] = parts
        && matches!(word(text, first), "!" | "~")
        && !rest.is_empty()
    {
        inside.push(span(rest));
    }
    Operand { range: span(parts), inside, is_plain }
}

/// The range of an argument without its label (`tail: guard`), or of an inline reduction's value
/// without its domain (`r in 0..4: f(r)`).
fn after_name(text: &str, argument: &[Outline]) -> Range<usize> {
    let colon = argument.iter().rposition(|part| word(text, part) == ":");
    match colon {
        Some(colon) if colon + 1 < argument.len() => span(&argument[colon + 1..]),
        Some(_) | None => span(argument),
    }
}

/// Makes numbers smaller.
pub(super) fn literals(text: &str, parts: &[Outline]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for_each_level(parts, None, &mut |parts, _| {
        for (at, part) in parts.iter().enumerate() {
            let Outline::Token { kind, range } = part else { continue };
            let smaller: Vec<String> = match kind {
                TokenKind::Integer => match text[range.clone()].replace('_', "").parse::<u128>() {
                    Ok(value) => [0, 1, 2, value / 2, value.saturating_sub(1)]
                        .into_iter()
                        .filter(|smaller| *smaller < value)
                        .map(|smaller| smaller.to_string())
                        .collect(),
                    // Hexadecimal, such as `0xff`.
                    Err(_) => vec!["0".to_owned(), "1".to_owned()],
                },
                TokenKind::Float => vec!["0.0".to_owned(), "1.0".to_owned()],
                TokenKind::Name | TokenKind::Keyword | TokenKind::Text | TokenKind::Punctuation => {
                    Vec::new()
                }
            };
            edits.extend(smaller.into_iter().map(|smaller| Edit::replace(range.clone(), smaller)));
            // A name where a number could be: `x + 0` is simpler than `x + r`.
            let is_name = matches!(kind, TokenKind::Name);
            let called = is_group(parts.get(at + 1), Bracket::Parenthesis)
                || is_group(parts.get(at + 1), Bracket::Square);
            if is_name && !called {
                edits.push(Edit::replace(range.clone(), "0"));
            }
        }
    });
    edits
}
