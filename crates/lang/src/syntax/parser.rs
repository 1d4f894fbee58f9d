//! The parser's state, its elementary steps, and recovery.

use halidom_diag::{Code, Diagnostic, Fix, Span};

use super::ast::{ConstantParam, Name};
use super::lexer::Lexeme;
use super::token::{Keyword, Punct, Token};
use crate::codes;

/// The maximum height of an expression's tree.
pub(super) const MAX_HEIGHT: usize = 256;
/// The maximum number of open constructs; each takes several stack frames.
const MAX_NESTING: usize = 64;

/// The error was reported; callers that can recover do so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

pub(super) type Parsed<T> = Result<T, Reported>;

pub(super) struct Parser<'s, 'd> {
    /// Ends with [`Token::End`].
    lexemes: Vec<Lexeme<'s>>,
    at: usize,
    /// The number of nested constructs being parsed.
    pub(super) depth: usize,
    /// Names of definitions in the current pipeline that could not be parsed.
    pub(super) broken: Vec<&'s str>,
    /// Compile-time parameters of the current pipeline.
    pub(super) constants: Vec<ConstantParam<'s>>,
    pub(super) diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'s, 'd> Parser<'s, 'd> {
    /// Makes a parser of lexemes, which end with [`Token::End`].
    pub(super) fn new(lexemes: Vec<Lexeme<'s>>, diagnostics: &'d mut Vec<Diagnostic>) -> Self {
        Self { lexemes, at: 0, depth: 0, broken: Vec::new(), constants: Vec::new(), diagnostics }
    }
}

impl<'s> Parser<'s, '_> {
    pub(super) fn peek(&self) -> Token<'s> {
        self.peek_at(0)
    }

    /// Returns the token `ahead` places further on; beyond the last token there is the end.
    pub(super) fn peek_at(&self, ahead: usize) -> Token<'s> {
        self.lexemes.get(self.at + ahead).map_or(Token::End, |lexeme| lexeme.token)
    }

    /// Returns the place of the next token.
    pub(super) fn span(&self) -> Span {
        let last = self.lexemes.len() - 1;
        self.lexemes[self.at.min(last)].span
    }

    /// Returns the range from the start of `start` to the end of the token taken last.
    pub(super) fn span_from(&self, start: Span) -> Span {
        let previous = self.at.saturating_sub(1);
        start.to(self.lexemes[previous].span)
    }

    pub(super) fn advance(&mut self) {
        if self.at + 1 < self.lexemes.len() {
            self.at += 1;
        }
    }

    pub(super) fn at_punct(&self, punct: Punct) -> bool {
        self.peek() == Token::Punct(punct)
    }

    pub(super) fn at_keyword(&self, keyword: Keyword) -> bool {
        self.peek() == Token::Keyword(keyword)
    }

    /// Takes the token if it is this one.
    pub(super) fn eat(&mut self, punct: Punct) -> bool {
        let found = self.at_punct(punct);
        if found {
            self.advance();
        }
        found
    }

    /// Takes the keyword if it is this one.
    pub(super) fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, punct: Punct) -> Parsed<()> {
        if self.eat(punct) {
            return Ok(());
        }
        let expected = format!("`{}`", punct.text());
        if punct != Punct::Semicolon || self.peek() == Token::Bad {
            return self.unexpected(&expected);
        }
        // A missing semicolon belongs after the statement that it should end, maybe lines above.
        let previous = self.lexemes[self.at.saturating_sub(1)].span;
        let behind = Span { start: previous.end, ..previous };
        let message = format!("expected {expected}, found {}", self.peek());
        let fix = Fix::insert_after(previous, punct.text());
        self.diagnostics.push(Diagnostic::error(codes::UNEXPECTED, behind, message).with_fix(fix));
        Err(Reported)
    }

    pub(super) fn expect_keyword(&mut self, keyword: Keyword) -> Parsed<()> {
        if self.eat_keyword(keyword) {
            Ok(())
        } else {
            self.unexpected(&format!("`{}`", keyword.text()))
        }
    }

    /// Takes a name; `what` describes it in messages.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name<'s>> {
        let span = self.span();
        if let Token::Name(text) = self.peek() {
            self.advance();
            Ok(Name { text, span })
        } else {
            self.unexpected(what)
        }
    }

    pub(super) fn unexpected<T>(&mut self, expected: &str) -> Parsed<T> {
        if self.peek() == Token::Bad {
            return Err(Reported);
        }
        let message = format!("expected {expected}, found {}", self.peek());
        self.error(codes::UNEXPECTED, self.span(), message)
    }

    pub(super) fn error<T>(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> Parsed<T> {
        self.diagnostics.push(Diagnostic::error(code, span, message));
        Err(Reported)
    }

    /// Gives the last diagnostic a hint, unless it has one.
    pub(super) fn hint(&mut self, hint: &str) {
        if let Some(last) = self.diagnostics.last_mut() {
            last.hint.get_or_insert_with(|| hint.to_owned());
        }
    }

    /// Runs a parser one level deeper, unless that is too deep.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return self.too_deep(self.span());
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    pub(super) fn too_deep<T>(&mut self, span: Span) -> Parsed<T> {
        self.diagnostics.push(
            Diagnostic::error(codes::TOO_DEEP, span, "this is nested too deeply")
                .with_hint("name parts of it with `let`, or make them funcs"),
        );
        Err(Reported)
    }

    /// Parses `element, element close`; a trailing comma is allowed.
    pub(super) fn list<T>(
        &mut self,
        close: Punct,
        mut element: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut elements = Vec::new();
        while !self.at_punct(close) {
            elements.push(element(self)?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(close)?;
        Ok(elements)
    }

    /// Parses statements up to the closing brace, and takes it. After an error it continues with
    /// the next statement.
    pub(super) fn block<T>(
        &mut self,
        mut statement: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let opening = self.span();
        self.expect(Punct::OpenBrace)?;
        let mut statements = Vec::new();
        loop {
            if self.eat(Punct::CloseBrace) {
                return Ok(statements);
            }
            if self.peek() == Token::End || self.starts_item() {
                // An unfinished comment consumed the rest of the text.
                let is_cut = self.at > 0 && self.lexemes[self.at - 1].token == Token::Bad;
                if !is_cut {
                    let message = format!("expected `}}`, found {}", self.peek());
                    self.diagnostics.push(
                        Diagnostic::error(codes::UNEXPECTED, self.span(), message)
                            .with_label(opening, "this brace is not closed"),
                    );
                }
                return Ok(statements);
            }
            let before = self.at;
            match statement(self) {
                Ok(statement) => statements.push(statement),
                Err(Reported) => self.skip_statement(before),
            }
        }
    }

    /// True if a top-level item starts here.
    pub(super) fn starts_item(&self) -> bool {
        let Token::Keyword(keyword) = self.peek() else { return false };
        matches!(keyword, Keyword::Pipeline | Keyword::Schedule | Keyword::ScheduleFn | Keyword::Fn)
    }

    /// Continues after the next `;` or block, or before a token that starts or ends a statement.
    fn skip_statement(&mut self, before: usize) {
        let mut open = 0_usize;
        loop {
            match self.peek() {
                Token::End => return,
                Token::Keyword(
                    Keyword::Func
                    | Keyword::Require
                    | Keyword::Let
                    | Keyword::For
                    | Keyword::FastMath,
                ) if open == 0 && self.at > before => {
                    return;
                }
                Token::Keyword(_) if self.starts_item() => return,
                Token::Punct(Punct::Semicolon) if open == 0 => {
                    self.advance();
                    return;
                }
                Token::Punct(Punct::OpenBrace) => open += 1,
                Token::Punct(Punct::CloseBrace) => {
                    if open == 0 {
                        return;
                    }
                    open -= 1;
                    if open == 0 {
                        self.advance();
                        return;
                    }
                }
                Token::Name(_)
                | Token::Keyword(_)
                | Token::Integer(_)
                | Token::Float(_)
                | Token::Text(_)
                | Token::Bad
                | Token::Punct(_) => {}
            }
            self.advance();
        }
    }

    /// Continues at the next top-level item.
    pub(super) fn skip_to_item(&mut self) {
        while self.peek() != Token::End && !self.starts_item() {
            self.advance();
        }
    }
}
