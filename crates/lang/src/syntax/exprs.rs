//! Parses expressions, by precedence climbing.

use halidom_diag::Span;

use super::ast::{Argument, BinaryOp, Expr, ExprKind, Name, UnaryOp};
use super::parser::{MAX_HEIGHT, Parsed, Parser};
use super::token::{Keyword, Punct, Token};
use crate::codes;

/// Returns the precedence of a binary operator, and the operator. Comparisons do not chain.
fn binary_op(token: Token<'_>) -> Option<(u8, BinaryOp)> {
    let Token::Punct(punct) = token else { return None };
    Some(match punct {
        Punct::OrOr => (1, BinaryOp::Or),
        Punct::AndAnd => (2, BinaryOp::And),
        Punct::EqualEqual => (COMPARISON, BinaryOp::Equal),
        Punct::NotEqual => (COMPARISON, BinaryOp::NotEqual),
        Punct::Less => (COMPARISON, BinaryOp::Less),
        Punct::LessEqual => (COMPARISON, BinaryOp::LessEqual),
        Punct::Greater => (COMPARISON, BinaryOp::Greater),
        Punct::GreaterEqual => (COMPARISON, BinaryOp::GreaterEqual),
        Punct::Or => (4, BinaryOp::BitOr),
        Punct::Xor => (5, BinaryOp::BitXor),
        Punct::And => (6, BinaryOp::BitAnd),
        Punct::ShiftLeft => (7, BinaryOp::ShiftLeft),
        Punct::ShiftRight => (7, BinaryOp::ShiftRight),
        Punct::Plus => (8, BinaryOp::Add),
        Punct::Minus => (8, BinaryOp::Sub),
        Punct::Times => (9, BinaryOp::Mul),
        Punct::Slash => (9, BinaryOp::Div),
        Punct::Percent => (9, BinaryOp::Mod),
        Punct::Arrow
        | Punct::DotDot
        | Punct::PlusEqual
        | Punct::TimesEqual
        | Punct::Equal
        | Punct::Not
        | Punct::Complement
        | Punct::Dot
        | Punct::Comma
        | Punct::Colon
        | Punct::Semicolon
        | Punct::OpenParen
        | Punct::CloseParen
        | Punct::OpenBrace
        | Punct::CloseBrace
        | Punct::OpenBracket
        | Punct::CloseBracket => return None,
    })
}

const COMPARISON: u8 = 3;

/// Functions whose argument may be a reduction.
const REDUCTIONS: [&str; 6] = ["sum", "product", "minimum", "maximum", "argmin", "argmax"];

impl<'s> Parser<'s, '_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr<'s>> {
        self.nested(|parser| parser.binary(1))
    }

    /// Makes a node, unless the tree would become too high.
    fn node(&mut self, kind: ExprKind<'s>, span: Span) -> Parsed<Expr<'s>> {
        let node = Expr::new(kind, span);
        if node.height > MAX_HEIGHT {
            return self.too_deep(span);
        }
        Ok(node)
    }

    fn binary(&mut self, least: u8) -> Parsed<Expr<'s>> {
        let mut lhs = self.unary()?;
        while let Some((level, op)) = binary_op(self.peek()).filter(|(level, _)| *level >= least) {
            self.advance();
            let rhs = self.binary(level + 1)?;
            let span = lhs.span.to(rhs.span);
            lhs = self.node(ExprKind::Binary(op, Box::new(lhs), Box::new(rhs)), span)?;
            if level == COMPARISON && binary_op(self.peek()).is_some_and(|(next, _)| next == level)
            {
                let message = "comparisons do not chain: write `a < b && b < c`";
                return self.error(codes::UNEXPECTED, self.span(), message);
            }
        }
        Ok(lhs)
    }

    fn unary(&mut self) -> Parsed<Expr<'s>> {
        let start = self.span();
        let op = match self.peek() {
            Token::Punct(Punct::Minus) => UnaryOp::Neg,
            Token::Punct(Punct::Not) => UnaryOp::Not,
            Token::Punct(Punct::Complement) => UnaryOp::Complement,
            Token::Name(_)
            | Token::Keyword(_)
            | Token::Integer(_)
            | Token::Float(_)
            | Token::Text(_)
            | Token::Punct(_)
            | Token::Bad
            | Token::End => return self.primary(),
        };
        self.advance();
        let operand = self.nested(Self::unary)?;
        let span = self.span_from(start);
        self.node(ExprKind::Unary(op, Box::new(operand)), span)
    }

    fn primary(&mut self) -> Parsed<Expr<'s>> {
        let span = self.span();
        let kind = match self.peek() {
            Token::Integer(value) => ExprKind::Integer(value),
            Token::Float(text) => ExprKind::Float(text),
            Token::Keyword(Keyword::True) => ExprKind::Bool(true),
            Token::Keyword(Keyword::False) => ExprKind::Bool(false),
            Token::Punct(Punct::OpenParen) => {
                let inner = self.parenthesized()?;
                return self.component(inner);
            }
            Token::Punct(Punct::OpenBrace) => {
                let block = self.block_expr()?;
                return self.component(block);
            }
            Token::Name(text) => {
                self.advance();
                let named = self.named(Name { text, span })?;
                return self.component(named);
            }
            Token::Keyword(_) | Token::Text(_) | Token::Punct(_) | Token::Bad | Token::End => {
                return self.unexpected("an expression");
            }
        };
        self.advance();
        self.node(kind, span)
    }

    fn parenthesized(&mut self) -> Parsed<Expr<'s>> {
        let start = self.span();
        self.expect(Punct::OpenParen)?;
        let inner = self.expr()?;
        if self.eat(Punct::Comma) {
            let mut parts = vec![inner];
            parts.extend(self.list(Punct::CloseParen, Self::expr)?);
            let span = self.span_from(start);
            return self.node(ExprKind::Tuple(parts), span);
        }
        self.expect(Punct::CloseParen)?;
        Ok(Expr { span: self.span_from(start), ..inner })
    }

    /// Parses `.number` after an expression, if present.
    fn component(&mut self, tuple: Expr<'s>) -> Parsed<Expr<'s>> {
        let (Token::Punct(Punct::Dot), Token::Integer(number)) = (self.peek(), self.peek_at(1))
        else {
            return Ok(tuple);
        };
        self.advance();
        self.advance();
        let span = self.span_from(tuple.span);
        self.node(ExprKind::Component { tuple: Box::new(tuple), number }, span)
    }

    fn block_expr(&mut self) -> Parsed<Expr<'s>> {
        let start = self.span();
        self.expect(Punct::OpenBrace)?;
        let mut lets = Vec::new();
        while self.at_keyword(Keyword::Let) {
            lets.push(self.let_item()?);
        }
        let value = Box::new(self.expr()?);
        self.expect(Punct::CloseBrace)?;
        let span = self.span_from(start);
        self.node(ExprKind::Block { lets, value }, span)
    }

    /// Parses a name and its continuation, if any: a call, a member, or a reduction.
    fn named(&mut self, name: Name<'s>) -> Parsed<Expr<'s>> {
        let element = self.element()?.map(Box::new);
        let kind = if self.at_punct(Punct::OpenParen) {
            self.advance();
            if element.is_none() && REDUCTIONS.contains(&name.text) && self.starts_domain() {
                let domain = self.domain()?;
                self.expect(Punct::Colon)?;
                let value = Box::new(self.expr()?);
                self.expect(Punct::CloseParen)?;
                ExprKind::Reduction { op: name, domain, value }
            } else {
                let arguments = self.list(Punct::CloseParen, Self::argument)?;
                ExprKind::Call { callee: name, element, arguments }
            }
        } else if self.at_punct(Punct::Dot) && !matches!(self.peek_at(1), Token::Integer(_)) {
            self.advance();
            let start = self.span();
            // `in` is a property of funcs in schedules.
            let member = if self.eat_keyword(Keyword::In) {
                Name { text: "in", span: start }
            } else {
                self.name("a property such as `extent(0)`")?
            };
            let index = if self.eat(Punct::OpenParen) {
                Some(self.list(Punct::CloseParen, Self::expr)?)
            } else {
                None
            };
            ExprKind::Member { object: name, element, member, index }
        } else if let Some(index) = element {
            ExprKind::Element { array: name, index }
        } else {
            ExprKind::Name(name.text)
        };
        let span = self.span_from(name.span);
        self.node(kind, span)
    }

    /// True if `x in` or `(x, …) in` follows.
    fn starts_domain(&self) -> bool {
        let mut ahead = 0;
        if self.at_punct(Punct::OpenParen) {
            loop {
                ahead += 1;
                match self.peek_at(ahead) {
                    Token::Name(_) | Token::Punct(Punct::Comma) => {}
                    Token::Keyword(_)
                    | Token::Integer(_)
                    | Token::Float(_)
                    | Token::Text(_)
                    | Token::Punct(_)
                    | Token::Bad
                    | Token::End => break,
                }
            }
        }
        self.peek_at(ahead + 1) == Token::Keyword(Keyword::In)
    }

    fn argument(&mut self) -> Parsed<Argument<'s>> {
        let value = self.expr()?;
        let expanded = self.eat(Punct::DotDot);
        Ok(Argument { value, expanded })
    }
}
