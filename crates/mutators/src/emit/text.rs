//! Splits emitted C into tokens, including the pieces between its characters.

use halidom_rewrites::rules::ValueId;

use crate::ir::kinds::Type;
use crate::ir::node::NodeId;
use crate::ir::value::{Num, Piece};

/// A token of C.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(String),
    Number(i128, String),
    Sign(String),
    /// A text in quotes.
    Quoted,
    /// The text of a pragma.
    Pragma(String),
    /// The text of an operand.
    Node(NodeId),
    Name(NodeId),
    /// A name as it is in the IR. Only those of functions are names of C.
    Raw(NodeId),
    Num(Num),
    /// The suffix of the number before it, in lower case.
    Suffix(String),
    /// A floating-point number with this many significant digits.
    Real(ValueId, u32),
    /// The bits of a floating-point number.
    Bits(ValueId),
    Type(Type),
    /// An operand that is a statement.
    Stmt(NodeId),
    /// The computation of an operand, for a variable.
    Eval(NodeId, NodeId),
}

/// The signs of more than one character.
const LONG_SIGNS: [&str; 22] = [
    "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "::", "++", "--", "->", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=",
];

/// The most tokens of a text that is read. Parentheses within parentheses take some of the stack.
const MOST_TOKENS: usize = 5000;

/// The suffixes of integers.
const SUFFIXES: [&str; 8] = ["", "u", "l", "ul", "lu", "ll", "ull", "llu"];

/// The part of the text that the current characters belong to.
#[derive(Clone, Debug, PartialEq)]
enum Within {
    Code,
    /// A comment to the end of the line.
    Comment,
    /// A comment between `/*` and `*/`.
    Remark,
    /// The text of a preprocessor line so far.
    Pragma(String),
    Quotes,
}

/// Returns the tokens of a text; `None` if it ends within quotes, a `/*` comment or a preprocessor
/// line, or contains something unknown.
pub(super) fn tokens(rope: &[Piece]) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut within = Within::Code;
    // True if nothing but blanks stands before in the line.
    let mut is_new_line = true;
    for piece in &joined(rope)? {
        let Piece::Text(text) = piece else {
            is_new_line = matches!(piece, Piece::Stmt(_) | Piece::Eval(..));
            match within {
                Within::Code => tokens.extend(token(piece)),
                // These operands are computed before the line that contains their text.
                _ if matches!(piece, Piece::Stmt(_) | Piece::Eval(..)) => return None,
                _ => {}
            }
            continue;
        };
        let mut rest = text.as_str();
        if within == Within::Code
            && matches!(tokens.last(), Some(Token::Num(_)))
            && let Some((suffix, after)) = suffix_of(rest)
        {
            tokens.push(Token::Suffix(suffix));
            (rest, is_new_line) = (after, false);
        }
        while let Some(first) = rest.chars().next() {
            let after = &rest[first.len_utf8()..];
            // A line that ends with a backslash goes on; a text in quotes ends in its line.
            if if within == Within::Quotes { first == '\n' } else { first == '\\' } {
                return None;
            }
            match &mut within {
                Within::Code => {}
                Within::Comment | Within::Pragma(_) if first == '\n' => {
                    if let Within::Pragma(said) = &within {
                        tokens.push(Token::Pragma(said.strip_prefix("pragma ")?.to_owned()));
                    }
                    (within, rest) = (Within::Code, after);
                    is_new_line = true;
                    continue;
                }
                Within::Pragma(said) => {
                    said.push(first);
                    rest = after;
                    continue;
                }
                Within::Remark => {
                    let ends = rest.strip_prefix("*/");
                    rest = ends.unwrap_or(after);
                    if ends.is_some() {
                        within = Within::Code;
                    }
                    continue;
                }
                // An escaped character does not end the quotes.
                Within::Quotes if first == '\\' => {
                    rest = after.get(1..).unwrap_or_default();
                    continue;
                }
                Within::Comment | Within::Quotes => {
                    if within == Within::Quotes && first == '"' {
                        tokens.push(Token::Quoted);
                        within = Within::Code;
                    }
                    rest = after;
                    continue;
                }
            }
            if rest.starts_with("//") {
                (within, rest) = (Within::Comment, &rest[2..]);
                continue;
            }
            if rest.starts_with("/*") {
                (within, rest) = (Within::Remark, &rest[2..]);
                continue;
            }
            if first.is_whitespace() {
                is_new_line |= first == '\n';
                rest = after;
                continue;
            }
            // A directive has a line of its own.
            if first == '#' && !is_new_line {
                return None;
            }
            is_new_line = false;
            if matches!(first, '#' | '"') {
                within = if first == '#' { Within::Pragma(String::new()) } else { Within::Quotes };
                rest = after;
                continue;
            }
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if is_word(first) {
                let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                rest = after;
                if first.is_ascii_digit() {
                    let digits = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
                    let (digits, suffix) = word.split_at(digits);
                    // A number that begins with 0 is octal, or hexadecimal.
                    let is_decimal = digits == "0" || !digits.starts_with('0');
                    let suffix = suffix.to_lowercase();
                    if !is_decimal || !SUFFIXES.contains(&suffix.as_str()) {
                        return None;
                    }
                    tokens.push(Token::Number(digits.parse().ok()?, suffix));
                } else {
                    tokens.push(Token::Word(word.to_owned()));
                }
                continue;
            }
            let sign = LONG_SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let length = sign.map_or(first.len_utf8(), |sign| sign.len());
            tokens.push(Token::Sign(rest[..length].to_owned()));
            rest = &rest[length..];
        }
    }
    // What follows would belong to a comment that does not end.
    (within == Within::Code && tokens.len() <= MOST_TOKENS).then_some(tokens)
}

/// Joins texts that follow one another; `None` if pieces that touch may be one word or one sign.
fn joined(rope: &[Piece]) -> Option<Vec<Piece>> {
    let mut joined: Vec<Piece> = Vec::new();
    for piece in rope {
        match (joined.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(text),
            // A number may begin with a sign, which belongs to the sign before it.
            (Some(Piece::Text(before)), Piece::Num(num))
                if num.low < 0 && before.ends_with('-') =>
            {
                return None;
            }
            (Some(Piece::Text(before)), Piece::Real(..) | Piece::Node(_))
                if before.ends_with(['-', '+']) =>
            {
                return None;
            }
            // The digits are a part of the word.
            (Some(Piece::Text(before)), Piece::Num(num))
                if num.low == num.high && num.low >= 0 && before.ends_with(is_letter) =>
            {
                before.push_str(&num.low.to_string());
            }
            (Some(Piece::Num(_)), Piece::Text(text)) if suffix_of(text).is_some() => {
                joined.push(piece.clone());
            }
            (Some(before), piece) if are_one_word(before, piece) => return None,
            _ => joined.push(piece.clone()),
        }
    }
    Some(joined)
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The suffix of an integer with which a text begins, and the rest of the text.
fn suffix_of(text: &str) -> Option<(String, &str)> {
    let end = text.find(|c: char| !is_letter(c)).unwrap_or(text.len());
    let suffix = text[..end].to_ascii_lowercase();
    // Both letters of `ll` have one case.
    let is_mixed = text[..end].contains("lL") || text[..end].contains("Ll");
    (end > 0 && !is_mixed && SUFFIXES.contains(&suffix.as_str())).then(|| (suffix, &text[end..]))
}

/// Tests whether the end of a piece and the beginning of the next one may make one word.
fn are_one_word(before: &Piece, piece: &Piece) -> bool {
    let is_text = |piece: &Piece| !matches!(piece, Piece::Stmt(_) | Piece::Eval(..));
    match (before, piece) {
        (Piece::Text(before), Piece::Text(text)) => {
            before.ends_with(is_letter) && text.starts_with(is_letter)
        }
        // The suffix of a number.
        (Piece::Real(..), Piece::Text(text)) => {
            let rest = text.strip_prefix('f').unwrap_or(text);
            rest.starts_with(is_letter)
        }
        (Piece::Text(text), piece) => text.ends_with(is_letter) && is_text(piece),
        (before, Piece::Text(text)) => text.starts_with(is_letter) && is_text(before),
        (before, piece) => is_text(before) && is_text(piece),
    }
}

/// Returns the token for a piece; `None` for a piece of characters.
fn token(piece: &Piece) -> Option<Token> {
    Some(match piece {
        Piece::Text(_) => return None,
        Piece::Num(num) => Token::Num(*num),
        Piece::Real(term, digits) => Token::Real(*term, *digits),
        Piece::Bits(term) => Token::Bits(*term),
        Piece::Node(node) => Token::Node(*node),
        Piece::Name(node) => Token::Raw(*node),
        Piece::Printed(node) => Token::Name(*node),
        Piece::Type(ty) => Token::Type(*ty),
        Piece::Stmt(node) => Token::Stmt(*node),
        Piece::Eval(node, variable) => Token::Eval(*node, *variable),
    })
}
