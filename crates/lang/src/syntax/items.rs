//! Parses pipelines, funcs, functions and their statements.

use halidom_diag::{Diagnostic, Remedy};
use halidom_ir::Scalar;

use super::ast::{
    AssignOp, ConstantParam, Domain, Elements, Expr, File, Func, FuncBody, Function, Item, Let,
    Name, Param, ParamType, Pipeline, Range, Statement, TypeAnnotation, Update, VarKind,
};
use super::parser::{Parsed, Parser, Reported};
use super::token::{Keyword, Punct, Token};
use crate::codes;
use crate::names::nearest;

impl<'s> Parser<'s, '_> {
    pub(super) fn file(&mut self) -> File<'s> {
        let mut file = File::default();
        while self.peek() != Token::End {
            let parsed = match self.peek() {
                Token::Keyword(Keyword::Pipeline) => {
                    let name =
                        if let Token::Name(name) = self.peek_at(1) { Some(name) } else { None };
                    let pipeline = self.pipeline();
                    if pipeline.is_err() {
                        file.broken.extend(name);
                    }
                    pipeline.map(|pipeline| file.pipelines.push(pipeline))
                }
                Token::Keyword(Keyword::Schedule) => {
                    self.schedule().map(|schedule| file.schedules.push(schedule))
                }
                Token::Keyword(Keyword::ScheduleFn) => {
                    self.schedule_fn().map(|function| file.schedule_fns.push(function))
                }
                Token::Keyword(Keyword::Fn) => {
                    self.function().map(|function| file.functions.push(function))
                }
                Token::Name(_)
                | Token::Keyword(_)
                | Token::Integer(_)
                | Token::Float(_)
                | Token::Text(_)
                | Token::Punct(_)
                | Token::Bad
                | Token::End => self.no_item(),
            };
            if let Err(Reported) = parsed {
                self.skip_to_item();
            }
        }
        file
    }

    /// Reports text that begins no item of a file; often it is in another language.
    fn no_item<T>(&mut self) -> Parsed<T> {
        let refused = self.unexpected("`pipeline`, `schedule`, `schedule_fn` or `fn`");
        self.hint(
            "a program is made of `pipeline name(inputs) -> outputs { … }` and `schedule \
            name for pipeline { … }`",
        );
        refused
    }

    fn pipeline(&mut self) -> Parsed<Pipeline<'s>> {
        let start = self.span();
        self.expect_keyword(Keyword::Pipeline)?;
        let name = self.name("the pipeline's name")?;
        self.constants = if self.eat(Punct::Less) {
            self.list(Punct::Greater, Self::constant_param)?
        } else {
            Vec::new()
        };
        self.expect(Punct::OpenParen)?;
        let params = self.list(Punct::CloseParen, |parser| parser.param(Self::value))?;
        self.expect(Punct::Arrow)?;
        let outputs = if self.eat(Punct::OpenParen) {
            self.list(Punct::CloseParen, |parser| parser.param(Self::tuple))?
        } else {
            let mut outputs = vec![self.param(Self::tuple)?];
            while self.eat(Punct::Comma) {
                outputs.push(self.param(Self::tuple)?);
            }
            outputs
        };
        self.broken.clear();
        let body = self.block(Self::item)?;
        let end = self.span_from(name.span).end;
        let broken = std::mem::take(&mut self.broken);
        let constants = std::mem::take(&mut self.constants);
        let span = self.span_from(start);
        Ok(Pipeline { name, constants, params, outputs, body, broken, end, span })
    }

    /// Parses `name: number`.
    pub(super) fn constant_param(&mut self) -> Parsed<ConstantParam<'s>> {
        let name = self.name("a parameter's name")?;
        self.expect(Punct::Colon)?;
        let negative = self.eat(Punct::Minus);
        let Token::Integer(value) = self.peek() else {
            return self.unexpected("an integer, known at compile time");
        };
        self.advance();
        Ok(ConstantParam { name, value: if negative { -value } else { value } })
    }

    /// Parses `name: type`, where `element` reads the element type of a buffer.
    fn param(
        &mut self,
        element: fn(&mut Self) -> Parsed<Option<Vec<Scalar>>>,
    ) -> Parsed<Param<'s>> {
        let name = self.name("a parameter's name")?;
        self.expect(Punct::Colon)?;
        let start = self.span();
        let ty = if self.peek() == Token::Name("buffer") {
            self.advance();
            self.expect(Punct::Less)?;
            let scalars = element(self)?;
            self.expect(Punct::Comma)?;
            let rank = self.rank()?;
            self.expect(Punct::Greater)?;
            scalars
                .zip(rank)
                .map_or(ParamType::Bad, |(scalars, rank)| ParamType::Buffer(scalars, rank))
        } else {
            self.scalar()?.map_or(ParamType::Bad, ParamType::Scalar)
        };
        Ok(Param { name, ty, ty_span: self.span_from(start) })
    }

    /// Parses the element type of an input: values of one type.
    fn value(&mut self) -> Parsed<Option<Vec<Scalar>>> {
        Ok(self.scalar()?.map(|scalar| vec![scalar]))
    }

    /// Parses the element type of an output: values of one type, or tuples.
    fn tuple(&mut self) -> Parsed<Option<Vec<Scalar>>> {
        if !self.eat(Punct::OpenParen) {
            return self.value();
        }
        let mut scalars = vec![self.scalar()?];
        while self.eat(Punct::Comma) {
            scalars.push(self.scalar()?);
        }
        self.expect(Punct::CloseParen)?;
        Ok(scalars.into_iter().collect())
    }

    /// Parses a rank; `None` for an invalid number, which is reported without stopping.
    fn rank(&mut self) -> Parsed<Option<usize>> {
        const MAX_RANK: i128 = 16;
        let span = self.span();
        let rank = match self.peek() {
            Token::Integer(rank) => Some(rank),
            Token::Name(name) => self
                .constants
                .iter()
                .find(|constant| constant.name.text == name)
                .map(|constant| constant.value),
            Token::Keyword(_)
            | Token::Float(_)
            | Token::Text(_)
            | Token::Punct(_)
            | Token::Bad
            | Token::End => None,
        };
        let Some(rank) = rank else {
            return self.unexpected("the number of dimensions");
        };
        self.advance();
        if !(0..=MAX_RANK).contains(&rank) {
            let message = format!("a buffer has 0 to {MAX_RANK} dimensions");
            self.diagnostics.push(Diagnostic::error(codes::UNKNOWN_TYPE, span, message));
            return Ok(None);
        }
        Ok(Some(rank as usize))
    }

    /// Parses a scalar type; `None` for a name that is not a type, which is reported without
    /// stopping.
    fn scalar(&mut self) -> Parsed<Option<Scalar>> {
        let name = self.name("a type")?;
        let scalar = Scalar::from_name(name.text);
        if scalar.is_none() {
            let known = Scalar::ALL.map(Scalar::name);
            let hint = match (name.text, nearest(name.text, known)) {
                ("f16" | "bf16", _) => "half precision is not supported; use `f32`".to_owned(),
                ("buffer", _) => "a func's values and parameters are scalars".to_owned(),
                (_, Some(near)) => {
                    let remedy = Remedy::did_you_mean(near, name.span);
                    let message = format!("there is no type `{}`", name.text);
                    let refused = Diagnostic::error(codes::UNKNOWN_TYPE, name.span, message);
                    self.diagnostics.push(refused.with_hint(remedy));
                    return Ok(None);
                }
                (_, None) => format!("the types are {}", known.join(", ")),
            };
            let message = format!("there is no type `{}`", name.text);
            self.diagnostics
                .push(Diagnostic::error(codes::UNKNOWN_TYPE, name.span, message).with_hint(hint));
        }
        Ok(scalar)
    }

    /// Parses `: type` or `: (type, …)`, if present.
    fn type_annotation(&mut self) -> Parsed<Option<TypeAnnotation>> {
        if !self.eat(Punct::Colon) {
            return Ok(None);
        }
        let start = self.span();
        let scalars = if self.eat(Punct::OpenParen) {
            self.list(Punct::CloseParen, Self::scalar)?
        } else {
            vec![self.scalar()?]
        };
        let span = self.span_from(start);
        if scalars.is_empty() {
            return self.error(codes::UNEXPECTED, span, "a tuple has at least one component");
        }
        let scalars: Option<Vec<Scalar>> = scalars.into_iter().collect();
        Ok(scalars.map(|scalars| (scalars, span)))
    }

    fn item(&mut self) -> Parsed<Item<'s>> {
        let start = self.span();
        if self.eat_keyword(Keyword::FastMath) {
            self.expect(Punct::Semicolon)?;
            return Ok(Item::FastMath);
        }
        if self.eat_keyword(Keyword::Require) {
            let condition = self.expr()?;
            let message = if self.eat(Punct::Comma) { Some(self.text()?) } else { None };
            self.expect(Punct::Semicolon)?;
            return Ok(Item::Require { condition, message, span: self.span_from(start) });
        }
        if self.at_keyword(Keyword::Let) {
            return self.let_item().map(Item::Let);
        }
        if self.at_keyword(Keyword::Func) {
            return self.func().map(Item::Func);
        }
        if self.eat_keyword(Keyword::For) {
            return self.nested(|parser| {
                let var = parser.name("a name for the index")?;
                parser.expect_keyword(Keyword::In)?;
                let range = Box::new(parser.range()?);
                Ok(Item::For { var, range, items: parser.block(Self::item)? })
            });
        }
        self.unexpected("`func`, `let`, `require`, `for` or `fast_math`")
    }

    fn text(&mut self) -> Parsed<&'s str> {
        let Token::Text(text) = self.peek() else {
            return self.unexpected("a message in quotes");
        };
        self.advance();
        Ok(text)
    }

    pub(super) fn let_item(&mut self) -> Parsed<Let<'s>> {
        self.expect_keyword(Keyword::Let)?;
        let name = self.name("a name")?;
        self.whole(name, |parser| {
            let ty = parser.type_annotation()?;
            parser.expect(Punct::Equal)?;
            let value = parser.expr()?;
            parser.expect(Punct::Semicolon)?;
            Ok(Let { name, ty, value })
        })
    }

    fn func(&mut self) -> Parsed<Func<'s>> {
        let start = self.span();
        self.expect_keyword(Keyword::Func)?;
        let name = self.name("the func's name")?;
        self.whole(name, |parser| {
            let (elements, body) = parser.func_body()?;
            Ok(Func { name, elements, body, span: parser.span_from(start) })
        })
    }

    /// Parses the rest of a definition. If there is an error in it, drops it and records its name.
    fn whole<T>(
        &mut self,
        name: Name<'s>,
        parse: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let before = self.diagnostics.len();
        match parse(self) {
            Ok(parsed) if self.diagnostics.len() == before => Ok(parsed),
            Ok(_) | Err(Reported) => {
                self.broken.push(name.text);
                Err(Reported)
            }
        }
    }

    fn func_body(&mut self) -> Parsed<(Option<Elements<'s>>, FuncBody<'s>)> {
        let elements = self.elements()?;
        if self.eat(Punct::Equal) {
            let start = self.span();
            let function = self.name("a function such as `repeat_edge`")?;
            self.expect(Punct::OpenParen)?;
            let mut ranges = Vec::new();
            let given = self.list(Punct::CloseParen, |parser| {
                let value = parser.expr()?;
                if parser.eat(Punct::DotDot) {
                    ranges.push(Range { min: value, end: parser.expr()? });
                    return Ok(None);
                }
                if !ranges.is_empty() {
                    return parser.unexpected("`..` and the end of a range: ranges stand last");
                }
                Ok(Some(value))
            })?;
            let arguments = given.into_iter().flatten().collect();
            let span = self.span_from(start);
            self.expect(Punct::Semicolon)?;
            let body = FuncBody::Instance { function, arguments, ranges, span };
            return Ok((elements, body));
        }
        self.expect(Punct::OpenParen)?;
        let args = self.list(Punct::CloseParen, |parser| parser.name("a pure variable"))?;
        let ty = self.type_annotation()?;
        let body = if self.eat(Punct::Equal) {
            let value = self.expr()?;
            self.expect(Punct::Semicolon)?;
            FuncBody::Pure { args, ty, value }
        } else if self.at_punct(Punct::OpenBrace) {
            FuncBody::Stages { args, ty, statements: self.block(Self::statement)? }
        } else {
            return self.unexpected("`=` and a value, or `{` and stages");
        };
        Ok((elements, body))
    }

    /// Parses `[index]` or `[name in range]`, if present.
    fn elements(&mut self) -> Parsed<Option<Elements<'s>>> {
        if !self.eat(Punct::OpenBracket) {
            return Ok(None);
        }
        let elements = if self.peek_at(1) == Token::Keyword(Keyword::In) {
            let var = self.name("a name for the index")?;
            self.expect_keyword(Keyword::In)?;
            Elements::Each(var, Box::new(self.range()?))
        } else {
            Elements::One(self.expr()?)
        };
        self.expect(Punct::CloseBracket)?;
        Ok(Some(elements))
    }

    /// Parses `[index]`, if present.
    pub(super) fn element(&mut self) -> Parsed<Option<Expr<'s>>> {
        if !self.eat(Punct::OpenBracket) {
            return Ok(None);
        }
        let index = self.expr()?;
        self.expect(Punct::CloseBracket)?;
        Ok(Some(index))
    }

    fn statement(&mut self) -> Parsed<Statement<'s>> {
        if self.at_keyword(Keyword::Let) {
            return self.let_item().map(Statement::Let);
        }
        let start = self.span();
        if self.eat_keyword(Keyword::For) {
            return self.nested(|parser| {
                let domain = parser.domain()?;
                let body = parser.block(Self::statement)?;
                Ok(Statement::For { domain, body, span: parser.span_from(start) })
            });
        }
        self.update().map(Statement::Update)
    }

    /// Parses `x in a..b where p`, or `(x, y) in (a..b, c..d) where p`.
    pub(super) fn domain(&mut self) -> Parsed<Domain<'s>> {
        const WHAT: &str = "a reduction variable";
        let start = self.span();
        let names = if self.eat(Punct::OpenParen) {
            self.list(Punct::CloseParen, |parser| parser.name(WHAT))?
        } else {
            vec![self.name(WHAT)?]
        };
        self.expect_keyword(Keyword::In)?;
        // A parenthesis opens a list of ranges, or the expression that starts a single one.
        let ranges = if self.at_punct(Punct::OpenParen) && self.list_of_ranges() {
            self.advance();
            self.list(Punct::CloseParen, Self::range)?
        } else {
            vec![self.range()?]
        };
        if names.len() != ranges.len() {
            let message =
                format!("{} for {}", count(names.len(), "variable"), count(ranges.len(), "range"));
            let span = self.span_from(start);
            return self.error(codes::RANGE_COUNT, span, message);
        }
        let predicate =
            if self.eat_keyword(Keyword::Where) { Some(Box::new(self.expr()?)) } else { None };
        Ok(Domain { vars: names.into_iter().zip(ranges).collect(), predicate })
    }

    /// True if the parenthesis here encloses a `..` at its own level.
    fn list_of_ranges(&self) -> bool {
        let mut open = 0_usize;
        for ahead in 0.. {
            match self.peek_at(ahead) {
                Token::End | Token::Punct(Punct::Semicolon | Punct::OpenBrace) => return false,
                Token::Punct(Punct::OpenParen) => open += 1,
                Token::Punct(Punct::CloseParen) => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return false;
                    }
                }
                Token::Punct(Punct::DotDot) if open == 1 => return true,
                Token::Name(_)
                | Token::Keyword(_)
                | Token::Integer(_)
                | Token::Float(_)
                | Token::Text(_)
                | Token::Bad
                | Token::Punct(_) => {}
            }
        }
        false
    }

    pub(super) fn range(&mut self) -> Parsed<Range<'s>> {
        let min = self.expr()?;
        self.expect(Punct::DotDot)?;
        let end = self.expr()?;
        Ok(Range { min, end })
    }

    fn update(&mut self) -> Parsed<Update<'s>> {
        let target = self.name("an update, `for`, `let` or `}`")?;
        let element = self.element()?;
        self.expect(Punct::OpenParen)?;
        let coords = self.list(Punct::CloseParen, Self::expr)?;
        let op = match (self.peek(), self.peek_at(1)) {
            (Token::Punct(Punct::Equal), _) => AssignOp::Set,
            (Token::Punct(Punct::PlusEqual), _) => AssignOp::Add,
            (Token::Punct(Punct::TimesEqual), _) => AssignOp::Mul,
            (Token::Name("min"), Token::Punct(Punct::Equal)) => AssignOp::Min,
            (Token::Name("max"), Token::Punct(Punct::Equal)) => AssignOp::Max,
            _ => return self.unexpected("`=`, `+=`, `*=`, `min=` or `max=`"),
        };
        self.advance();
        if matches!(op, AssignOp::Min | AssignOp::Max) {
            self.advance();
        }
        let value = self.expr()?;
        let span = self.span_from(target.span);
        self.expect(Punct::Semicolon)?;
        Ok(Update { target, element, coords, op, value, span })
    }

    fn function(&mut self) -> Parsed<Function<'s>> {
        let start = self.span();
        self.expect_keyword(Keyword::Fn)?;
        let name = self.name("the function's name")?;
        self.expect(Punct::OpenParen)?;
        let mut region = None;
        let params = self.list(Punct::CloseParen, |parser| {
            if region.is_some() {
                return parser.unexpected("`)`: a region is the last parameter");
            }
            let param = parser.name("a parameter")?;
            if parser.eat(Punct::DotDot) {
                region = Some(param);
                return Ok(None);
            }
            Ok(Some(param))
        })?;
        let params = params.into_iter().flatten().collect();
        self.expect(Punct::Arrow)?;
        self.expect_keyword(Keyword::Func)?;
        self.expect(Punct::OpenParen)?;
        let vars = self.list(Punct::CloseParen, |parser| {
            let var: Name<'s> = parser.name("a pure variable")?;
            let kind = if parser.eat(Punct::DotDot) { VarKind::Pack } else { VarKind::Single };
            Ok((var, kind))
        })?;
        self.expect(Punct::Equal)?;
        let value = self.expr()?;
        self.expect(Punct::Semicolon)?;
        let span = self.span_from(start);
        Ok(Function { name, params, region, vars, value, span })
    }
}

/// Formats a count: `1 range`, `2 ranges`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Formats a count as a clause: `1 range is given`, `2 ranges are given`.
pub(crate) fn given(number: usize, noun: &str) -> String {
    format!("{} {} given", count(number, noun), if number == 1 { "is" } else { "are" })
}
