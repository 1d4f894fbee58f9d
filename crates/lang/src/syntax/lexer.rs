//! Splits text into tokens. Continues after every error, so that all errors are reported.

use halidom_diag::{Diagnostic, FileId, Fix, Remedy, Span};

use super::token::{Keyword, Punct, Token};
use crate::codes;

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexeme<'s> {
    pub(crate) token: Token<'s>,
    pub(crate) span: Span,
}

/// Returns the tokens of a text; the last one is [`Token::End`].
pub(crate) fn lex<'s>(
    text: &'s str,
    file: FileId,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Lexeme<'s>> {
    lex_with_comments(text, file, diagnostics).0
}

/// Returns the tokens of a text, the last of which is [`Token::End`], and the places of its
/// comments. Everything else in the text is white space, unless there are diagnostics.
pub(crate) fn lex_with_comments<'s>(
    text: &'s str,
    file: FileId,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Vec<Lexeme<'s>>, Vec<Span>) {
    let mut lexer = Lexer { text, file, at: 0, comments: Vec::new(), diagnostics };
    let mut lexemes = Vec::new();
    loop {
        let blank = lexer.at;
        if !lexer.skip_blank() {
            lexemes.push(Lexeme { token: Token::Bad, span: lexer.span_from(blank) });
        }
        let start = lexer.at;
        let token = lexer.next_token();
        lexemes.push(Lexeme { token, span: lexer.span_from(start) });
        if token == Token::End {
            return (lexemes, lexer.comments);
        }
    }
}

struct Lexer<'s, 'd> {
    text: &'s str,
    file: FileId,
    at: usize,
    comments: Vec<Span>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'s> Lexer<'s, '_> {
    fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.file, start..self.at)
    }

    /// Takes characters while they satisfy a condition.
    fn take_while(&mut self, condition: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !condition(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Skips white space and comments. Returns true if all comments end.
    fn skip_blank(&mut self) -> bool {
        let mut ended = true;
        loop {
            self.take_while(char::is_whitespace);
            let start = self.at;
            if self.rest().starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if self.rest().starts_with("/*") {
                match self.rest()[2..].find("*/") {
                    Some(end) => self.at += 2 + end + 2,
                    None => {
                        self.at = self.text.len();
                        ended = false;
                        let opening = Span::new(self.file, start..start + 2);
                        self.diagnostics.push(
                            Diagnostic::error(
                                codes::UNTERMINATED,
                                opening,
                                "this comment does not end",
                            )
                            .with_hint(Remedy::with_fix(
                                "close it with `*/`",
                                Fix::insert_after(self.span_from(start), "*/"),
                            )),
                        );
                    }
                }
            } else {
                return ended;
            }
            self.comments.push(self.span_from(start));
        }
    }

    /// Returns the next token. Reports and skips characters that start no token.
    fn next_token(&mut self) -> Token<'s> {
        let Some(first) = self.rest().chars().next() else {
            return Token::End;
        };
        if first.is_alphabetic() || first == '_' {
            return self.word();
        }
        if first.is_ascii_digit() {
            return self.number();
        }
        if first == '"' {
            return self.string();
        }
        if let Some(punct) = Punct::ALL.iter().find(|punct| self.rest().starts_with(punct.text())) {
            self.at += punct.text().len();
            return Token::Punct(*punct);
        }
        let start = self.at;
        self.at += first.len_utf8();
        let message = format!("`{}` means nothing here", first.escape_default());
        self.diagnostics.push(Diagnostic::error(
            codes::BAD_CHARACTER,
            self.span_from(start),
            message,
        ));
        Token::Bad
    }

    fn word(&mut self) -> Token<'s> {
        // `$` occurs in the names of funcs that the compiler makes, so that schedules can name
        // them.
        let word = self.take_while(|c| c.is_alphanumeric() || c == '_' || c == '$');
        match Keyword::ALL.iter().find(|keyword| keyword.text() == word) {
            Some(keyword) => Token::Keyword(*keyword),
            None => Token::Name(word),
        }
    }

    fn number(&mut self) -> Token<'s> {
        let start = self.at;
        for (prefix, radix) in [("0x", 16), ("0b", 2)] {
            if self.rest().starts_with(prefix) {
                self.at += prefix.len();
                let digits = self.take_while(|c| c.is_alphanumeric() || c == '_');
                return self.integer(start, digits, radix);
            }
        }
        let is_digit = |c: char| c.is_ascii_digit() || c == '_';
        self.take_while(is_digit);
        let mut is_float = false;
        // `0..n` is a range: a dot belongs to the number only if a digit follows.
        let mut after_point = self.rest().chars();
        if after_point.next() == Some('.') && after_point.next().is_some_and(|c| c.is_ascii_digit())
        {
            is_float = true;
            self.at += 1;
            self.take_while(is_digit);
        }
        let exponent = self.rest().strip_prefix(['e', 'E']);
        let exponent = exponent.map(|rest| rest.strip_prefix(['+', '-']).unwrap_or(rest));
        if let Some(digits) = exponent.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        {
            is_float = true;
            self.at = self.text.len() - digits.len();
            self.take_while(is_digit);
        }
        let number = &self.text[start..self.at];
        if !self.take_while(|c| c.is_alphanumeric() || c == '_').is_empty() {
            return self.bad_number(start, "a number ends in letters");
        }
        if is_float { Token::Float(number) } else { self.integer(start, number, 10) }
    }

    fn integer(&mut self, start: usize, digits: &str, radix: u32) -> Token<'s> {
        let mut value: i128 = 0;
        let mut any = false;
        for digit in digits.chars().filter(|c| *c != '_') {
            let Some(digit) = digit.to_digit(radix) else {
                return self.bad_number(start, "a digit that its base does not have");
            };
            any = true;
            value = value * i128::from(radix) + i128::from(digit);
            if value > i128::from(u64::MAX) {
                return self.bad_number(start, "a number beyond 64 bits");
            }
        }
        if any { Token::Integer(value) } else { self.bad_number(start, "a number without digits") }
    }

    /// Replaces a bad number with 0, so that the text around it is still parsed.
    fn bad_number(&mut self, start: usize, message: &str) -> Token<'s> {
        let span = self.span_from(start);
        self.diagnostics.push(Diagnostic::error(codes::BAD_NUMBER, span, message));
        Token::Integer(0)
    }

    fn string(&mut self) -> Token<'s> {
        let start = self.at;
        self.at += 1;
        let content = self.take_while(|c| c != '"' && c != '\n');
        if self.rest().starts_with('"') {
            self.at += 1;
            return Token::Text(content);
        }
        self.diagnostics.push(
            Diagnostic::error(
                codes::UNTERMINATED,
                self.span_from(start),
                "this string does not end on its line",
            )
            .with_hint(Remedy::with_fix(
                "close it with `\"`",
                Fix::insert_after(self.span_from(start), "\""),
            )),
        );
        Token::Bad
    }
}
