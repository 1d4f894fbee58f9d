//! A text as a tree of brackets, for tools that change texts without understanding them:
//! [`crate::parse`] checks every change.

use std::ops::Range;

use halidom_diag::Sources;

use crate::syntax::{Lexeme, Punct, Token, lex, lex_with_comments};

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outline {
    /// A token that is not a bracket.
    Token {
        /// Its kind.
        kind: TokenKind,
        /// Its bytes.
        range: Range<usize>,
    },
    /// A pair of brackets and their content.
    Group {
        /// The kind of the brackets.
        bracket: Bracket,
        /// The bytes, brackets included.
        range: Range<usize>,
        /// In order of the text.
        parts: Vec<Outline>,
    },
}

/// Kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name.
    Name,
    /// A reserved word.
    Keyword,
    /// An integer.
    Integer,
    /// A number with a decimal point or exponent.
    Float,
    /// A string.
    Text,
    /// Punctuation.
    Punctuation,
}

/// Kinds of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// `( )`
    Parenthesis,
    /// `{ }`
    Brace,
    /// `[ ]`
    Square,
}

impl Outline {
    /// Returns its bytes.
    pub fn range(&self) -> Range<usize> {
        match self {
            Self::Token { range, .. } | Self::Group { range, .. } => range.clone(),
        }
    }
}

/// A token or comment of a text that may have errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lexical {
    /// Its kind; `None` for a comment.
    pub kind: Option<TokenKind>,
    /// Its bytes.
    pub range: Range<usize>,
}

/// Returns the tokens and comments of a text, in order. Characters that begin no token are left
/// out.
pub fn tokens(text: &str) -> Vec<Lexical> {
    let mut sources = Sources::new();
    let file = sources.add("text", "");
    let (lexemes, comments) = lex_with_comments(text, file, &mut Vec::new());
    let token = |lexeme: &Lexeme<'_>| {
        let kind = kind(lexeme.token)?;
        Some(Lexical { kind: Some(kind), range: lexeme.span.range() })
    };
    let mut found: Vec<Lexical> = lexemes.iter().filter_map(token).collect();
    found.extend(comments.iter().map(|span| Lexical { kind: None, range: span.range() }));
    found.sort_by_key(|lexical| lexical.range.start);
    found
}

/// The kind of a token; `None` for the end and for what could not be read.
fn kind(token: Token<'_>) -> Option<TokenKind> {
    Some(match token {
        Token::End | Token::Bad => return None,
        Token::Punct(_) => TokenKind::Punctuation,
        Token::Name(_) => TokenKind::Name,
        Token::Keyword(_) => TokenKind::Keyword,
        Token::Integer(_) => TokenKind::Integer,
        Token::Float(_) => TokenKind::Float,
        Token::Text(_) => TokenKind::Text,
    })
}

/// Returns the brackets of a text; `None` if they do not match or the text contains something that
/// is not a token.
pub fn outline(text: &str) -> Option<Vec<Outline>> {
    let mut sources = Sources::new();
    let file = sources.add("text", text);
    let mut diagnostics = Vec::new();
    let lexemes = lex(text, file, &mut diagnostics);
    if !diagnostics.is_empty() {
        return None;
    }
    let mut open: Vec<(Bracket, usize, Vec<Outline>)> = Vec::new();
    let mut parts: Vec<Outline> = Vec::new();
    for Lexeme { token, span } in lexemes {
        let range = span.start..span.end;
        let kind = match token {
            Token::End => break,
            Token::Bad => return None,
            Token::Punct(punct) => {
                if let Some(bracket) = opening(punct) {
                    open.push((bracket, range.start, std::mem::take(&mut parts)));
                    continue;
                }
                if let Some(closed) = closing(punct) {
                    let (bracket, start, outer) = open.pop()?;
                    if bracket != closed {
                        return None;
                    }
                    let inner = std::mem::replace(&mut parts, outer);
                    parts.push(Outline::Group { bracket, range: start..range.end, parts: inner });
                    continue;
                }
                TokenKind::Punctuation
            }
            Token::Name(_) => TokenKind::Name,
            Token::Keyword(_) => TokenKind::Keyword,
            Token::Integer(_) => TokenKind::Integer,
            Token::Float(_) => TokenKind::Float,
            Token::Text(_) => TokenKind::Text,
        };
        parts.push(Outline::Token { kind, range });
    }
    open.is_empty().then_some(parts)
}

fn opening(punct: Punct) -> Option<Bracket> {
    [
        (Punct::OpenParen, Bracket::Parenthesis),
        (Punct::OpenBrace, Bracket::Brace),
        (Punct::OpenBracket, Bracket::Square),
    ]
    .into_iter()
    .find_map(|(open, bracket)| (open == punct).then_some(bracket))
}

fn closing(punct: Punct) -> Option<Bracket> {
    [
        (Punct::CloseParen, Bracket::Parenthesis),
        (Punct::CloseBrace, Bracket::Brace),
        (Punct::CloseBracket, Bracket::Square),
    ]
    .into_iter()
    .find_map(|(close, bracket)| (close == punct).then_some(bracket))
}

#[cfg(test)]
mod tests {
    use super::{Bracket, Outline, TokenKind, outline};

    #[test]
    fn brackets_nest_and_comments_are_nothing() {
        let parts = outline("f(x, [1]) /* ( */ { y }").unwrap();
        let [
            Outline::Token { kind: TokenKind::Name, .. },
            Outline::Group { bracket: Bracket::Parenthesis, range, parts: arguments },
            Outline::Group { bracket: Bracket::Brace, .. },
        ] = parts.as_slice()
        else {
            panic!("{parts:?}");
        };
        assert_eq!((range.clone(), arguments.len()), (1..9, 3));
    }

    #[test]
    fn brackets_that_do_not_match_have_no_outline() {
        for text in ["f(x", "f)x", "f(x]", "é€", "/* no end"] {
            assert_eq!(outline(text), None, "{text}");
        }
    }
}
