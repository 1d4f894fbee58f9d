//! Parses schedules.

use super::ast::{Chain, DirectiveArgument, DirectiveCall, Name, Schedule, ScheduleFn, Step};
use super::parser::{Parsed, Parser};
use super::token::{Keyword, Punct, Token};

impl<'s> Parser<'s, '_> {
    pub(super) fn schedule(&mut self) -> Parsed<Schedule<'s>> {
        let start = self.span();
        self.expect_keyword(Keyword::Schedule)?;
        let name = self.name("the schedule's name")?;
        let constants = if self.eat(Punct::OpenParen) {
            self.list(Punct::CloseParen, Self::constant_param)?
        } else {
            Vec::new()
        };
        self.expect_keyword(Keyword::For)?;
        let pipeline = self.name("the pipeline's name")?;
        let before = self.diagnostics.len();
        let steps = self.block(Self::step)?;
        let is_whole = self.diagnostics.len() == before;
        let span = self.span_from(start);
        Ok(Schedule { name, constants, pipeline, steps, is_whole, span })
    }

    pub(super) fn schedule_fn(&mut self) -> Parsed<ScheduleFn<'s>> {
        let start = self.span();
        self.expect_keyword(Keyword::ScheduleFn)?;
        let name = self.name("the schedule function's name")?;
        self.expect(Punct::OpenParen)?;
        let params = self.list(Punct::CloseParen, |parser| parser.name("a parameter"))?;
        let steps = self.block(Self::step)?;
        Ok(ScheduleFn { name, params, steps, span: self.span_from(start) })
    }

    fn step(&mut self) -> Parsed<Step<'s>> {
        if self.eat_keyword(Keyword::For) {
            return self.nested(|parser| {
                let var = parser.name("a name for the index")?;
                parser.expect_keyword(Keyword::In)?;
                let range = parser.range()?;
                Ok(Step::For { var, range, steps: parser.block(Self::step)? })
            });
        }
        if self.peek_at(1) == Token::Punct(Punct::OpenParen) {
            let function = self.name("a schedule function")?;
            self.expect(Punct::OpenParen)?;
            let arguments = self.list(Punct::CloseParen, Self::expr)?;
            let span = self.span_from(function.span);
            self.expect(Punct::Semicolon)?;
            return Ok(Step::Apply { function, arguments, span });
        }
        self.chain().map(Step::Chain)
    }

    fn chain(&mut self) -> Parsed<Chain<'s>> {
        let func = self.name("a func to schedule")?;
        let element = self.element()?;
        let mut calls = Vec::new();
        while self.eat(Punct::Dot) {
            calls.push(self.nested(Self::directive)?);
        }
        if calls.is_empty() {
            return self.unexpected("`.` and a directive");
        }
        let ends_in_block = calls.last().is_some_and(|call| call.block.is_some());
        if !self.eat(Punct::Semicolon) && !ends_in_block {
            return self.unexpected("`;` or `.` and a directive");
        }
        Ok(Chain { func, element, calls })
    }

    fn directive(&mut self) -> Parsed<DirectiveCall<'s>> {
        let start = self.span();
        // `in` is a directive as well as a keyword.
        let name = if self.eat_keyword(Keyword::In) {
            Name { text: "in", span: start }
        } else {
            self.name("a directive")?
        };
        self.expect(Punct::OpenParen)?;
        let text = if let Token::Text(text) = self.peek() {
            self.advance();
            Some(text)
        } else {
            None
        };
        let arguments = self.list(Punct::CloseParen, Self::directive_argument)?;
        let span = self.span_from(start);
        let block =
            if self.at_punct(Punct::OpenBrace) { Some(self.block(Self::step)?) } else { None };
        Ok(DirectiveCall { name, text, arguments, block, span })
    }

    fn directive_argument(&mut self) -> Parsed<DirectiveArgument<'s>> {
        let span = self.span();
        let name = match (self.peek(), self.peek_at(1)) {
            (Token::Name(text), Token::Punct(Punct::Colon)) => {
                self.advance();
                self.advance();
                Some(Name { text, span })
            }
            _ => None,
        };
        Ok(DirectiveArgument { name, value: self.expr()? })
    }
}
