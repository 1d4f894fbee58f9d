//! Parses tokens into a syntax tree by recursive descent. After an error it continues with the next
//! item, so that the first error of every item is reported.

use halidom_diag::{Diagnostic, FileId, Span};

use super::ast::{
    Argument, Binary, Call, Command, CommandKind, Derivation, Expr, ExprKind, File, Function, Move,
    Name, Param, ParamKind, Program, Site, SiteBase,
};
use super::lexer::{Token, lex};
use crate::codes;

/// Reads a file. Returns the errors along with the items that were read.
pub fn parse(text: &str, file: FileId) -> (File, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let tokens = lex(text, file, &mut diagnostics);
    let mut parser = Parser { tokens, at: 0, depth: 0, in_where: false };
    let mut parsed = File::default();
    while parser.peek() != Token::End {
        let before = parser.at;
        if let Err(diagnostic) = parser.item(&mut parsed) {
            diagnostics.push(*diagnostic);
            parser.at = parser.at.max(before + 1);
            while !matches!(
                parser.peek(),
                Token::End | Token::Ident("program" | "derivation" | "schedule")
            ) {
                parser.at += 1;
            }
        }
    }
    (parsed, diagnostics)
}

/// Reads one expression.
///
/// # Errors
/// The first error in the text.
pub fn parse_expr(text: &str, file: FileId) -> Result<Expr, Diagnostic> {
    let mut diagnostics = Vec::new();
    let tokens = lex(text, file, &mut diagnostics);
    if let Some(first) = diagnostics.into_iter().next() {
        return Err(first);
    }
    let mut parser = Parser { tokens, at: 0, depth: 0, in_where: false };
    let expr = parser.expr().map_err(|diagnostic| *diagnostic)?;
    match parser.peek() {
        Token::End => Ok(expr),
        Token::Ident(_) | Token::Number(_) | Token::Punct(_) => Err(*parser.unexpected("the end")),
    }
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// The maximal nesting depth. It keeps texts from exhausting the stack.
const MAX_DEPTH: usize = 400;
/// The maximal number of operators in a row, for the same reason.
const MAX_LINKS: usize = 2000;

struct Parser<'s> {
    tokens: Vec<(Token<'s>, Span)>,
    at: usize,
    depth: usize,
    /// True if a single `=` ends a comparison. After `where` it begins the program's body.
    in_where: bool,
}

impl<'s> Parser<'s> {
    fn peek(&self) -> Token<'s> {
        self.tokens.get(self.at).map_or(Token::End, |(token, _)| *token)
    }

    fn span(&self) -> Span {
        let last = self.tokens.len() - 1;
        self.tokens[self.at.min(last)].1
    }

    fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        let found = match self.peek() {
            Token::Ident(text) | Token::Number(text) => format!("`{text}`"),
            Token::Punct(text) => format!("`{text}`"),
            Token::End => "the end of the text".to_owned(),
        };
        Box::new(
            Diagnostic::error(
                codes::SYNTAX,
                self.span(),
                format!("expected {wanted}, found {found}"),
            )
            .labelled(format!("{wanted} should stand here")),
        )
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = matches!(self.peek(), Token::Punct(found) if found == punct);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, punct: &str) -> Parsed<()> {
        if self.eat(punct) { Ok(()) } else { Err(self.unexpected(&format!("`{punct}`"))) }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Token::Ident(word);
        self.at += usize::from(found);
        found
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.peek() {
            Token::Ident(text) if !crate::print::KEYWORDS.contains(&text) => {
                let name = Name { text: text.to_owned(), span: self.span() };
                self.at += 1;
                Ok(name)
            }
            Token::Ident(_) | Token::Number(_) | Token::Punct(_) | Token::End => {
                Err(self.unexpected(what))
            }
        }
    }

    fn item(&mut self, file: &mut File) -> Parsed<()> {
        if self.eat_word("program") {
            let name = self.name("the program's name")?;
            let params = self.params()?;
            let wheres = self.wheres()?;
            self.expect("=")?;
            let body = self.expr()?;
            self.eat(";");
            file.programs.push(Program { name, params, wheres, body });
        } else if self.eat_word("derivation") {
            let name = self.name("the derivation's name")?;
            let params = if self.peek() == Token::Punct("(") { self.params()? } else { Vec::new() };
            self.expect_word("of")?;
            let of = self.name("the program's name")?;
            let wheres = self.wheres()?;
            let script = self.block()?;
            file.derivations.push(Derivation { name, params, of, wheres, script });
        } else if self.eat_word("schedule") {
            let name = self.name("the schedule function's name")?;
            let params = self.params()?;
            let script = self.block()?;
            file.functions.push(Function { name, params, script });
        } else {
            let refused = *self.unexpected("`program`, `derivation` or `schedule`");
            let hint =
                "a file is made of `program name(…) = …` and `derivation name of program { … }`";
            return Err(Box::new(refused.with_hint(hint)));
        }
        Ok(())
    }

    fn params(&mut self) -> Parsed<Vec<Param>> {
        self.expect("(")?;
        let mut params = Vec::new();
        while !self.eat(")") {
            let name = self.name("a parameter's name")?;
            self.expect(":")?;
            params.push(Param { name, kind: self.param_kind()? });
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(params)
    }

    fn param_kind(&mut self) -> Parsed<ParamKind> {
        let kind = self.name("`size`, `shape`, `tensor`, `site` or `name`")?;
        Ok(match kind.text.as_str() {
            "size" => ParamKind::Size,
            "shape" => ParamKind::Shape,
            "site" => ParamKind::Site,
            "name" => ParamKind::Name,
            "tensor" => {
                self.expect("<")?;
                let element = self.name("an element type")?;
                self.expect(">")?;
                self.expect("[")?;
                let (mut dims, mut rest) = (Vec::new(), None);
                while !self.eat("]") {
                    if self.eat("..") {
                        rest = Some(self.name("a shape's name")?);
                        self.expect("]")?;
                        break;
                    }
                    dims.push(self.sum()?);
                    if !self.eat(",") && !self.eat(";") {
                        self.expect("]")?;
                        break;
                    }
                }
                ParamKind::Tensor(element, dims, rest)
            }
            _ => {
                self.at -= 1;
                return Err(self.unexpected("`size`, `shape`, `tensor`, `site` or `name`"));
            }
        })
    }

    fn wheres(&mut self) -> Parsed<Vec<Expr>> {
        let mut all = Vec::new();
        if self.eat_word("where") {
            self.in_where = true;
            loop {
                let condition = self.comparison();
                self.in_where = condition.is_ok();
                all.push(condition?);
                if !self.eat(",") && !self.eat("&&") {
                    break;
                }
            }
            self.in_where = false;
        }
        Ok(all)
    }

    fn block(&mut self) -> Parsed<Vec<Command>> {
        self.expect("{")?;
        let mut commands = Vec::new();
        while !self.eat("}") {
            commands.push(self.command()?);
        }
        Ok(commands)
    }

    /// Reads a block, or `:` and one command.
    fn body(&mut self) -> Parsed<Vec<Command>> {
        if self.eat(":") { Ok(vec![self.command()?]) } else { self.block() }
    }

    fn command(&mut self) -> Parsed<Command> {
        self.deeper(|parser| {
            let start = parser.span();
            let kind = if parser.eat_word("at") {
                let site = parser.site()?;
                CommandKind::At(site, parser.body()?)
            } else if parser.eat_word("everywhere") {
                CommandKind::Everywhere(parser.body()?)
            } else if parser.eat_word("repeat") {
                CommandKind::Repeat(parser.body()?)
            } else if parser.eat_word("try") {
                let first = parser.body()?;
                if parser.eat_word("else") {
                    CommandKind::Else(first, parser.body()?)
                } else {
                    CommandKind::Try(first)
                }
            } else {
                let call = parser.call()?;
                parser.expect(";")?;
                CommandKind::Call(call)
            };
            Ok(Command { kind, span: start.to(parser.before()) })
        })
    }

    fn call(&mut self) -> Parsed<Call> {
        let back = self.eat_word("back");
        let name = self.name("a command")?;
        let mut call =
            Call { name, back, args: Vec::new(), with: Vec::new(), names: Vec::new(), site: None };
        loop {
            match self.peek() {
                Token::Punct(";") | Token::End => break,
                Token::Ident("with") => {
                    self.at += 1;
                    loop {
                        let name = self.name("a name of the rule")?;
                        self.expect("=")?;
                        call.with.push((name, self.comparisons()?));
                        if !self.eat(",") {
                            break;
                        }
                    }
                }
                Token::Ident("as") => {
                    self.at += 1;
                    loop {
                        call.names.push(self.name("a new name")?);
                        if !self.eat(",") {
                            break;
                        }
                    }
                }
                Token::Ident("at") => {
                    self.at += 1;
                    call.site = Some(self.site()?);
                }
                Token::Ident(_) | Token::Number(_) | Token::Punct(_) => {
                    let expr = self.sum()?;
                    call.args.push(match self.peek() {
                        Token::Punct("#" | ".") => Argument::Site(self.site_from(Site::of(expr))?),
                        Token::Ident(_) | Token::Number(_) | Token::Punct(_) | Token::End => {
                            Argument::Expr(expr)
                        }
                    });
                    self.eat(",");
                }
            }
        }
        Ok(call)
    }

    fn site(&mut self) -> Parsed<Site> {
        let start = self.span();
        let base = match self.peek() {
            Token::Punct("(") => {
                self.at += 1;
                let pattern = self.expr()?;
                self.expect(")")?;
                SiteBase::Pattern(Box::new(pattern))
            }
            Token::Ident("here") => {
                self.at += 1;
                SiteBase::Here
            }
            Token::Ident(text) => {
                self.at += 1;
                SiteBase::Named(text.to_owned())
            }
            Token::Number(_) | Token::Punct(_) | Token::End => {
                return Err(self.unexpected("a site"));
            }
        };
        self.site_from(Site { base, number: None, moves: Vec::new(), span: start })
    }

    /// Reads a site's number and moves.
    fn site_from(&mut self, mut site: Site) -> Parsed<Site> {
        if self.eat("#") {
            let Token::Number(text) = self.peek() else { return Err(self.unexpected("a number")) };
            site.number = Some(text.parse().map_err(|_| self.unexpected("a small number"))?);
            self.at += 1;
        }
        while self.eat(".") {
            site.moves.push(match self.peek() {
                Token::Ident("body") => Move::Body,
                Token::Ident("value") => Move::Value,
                Token::Ident("left") => Move::Left,
                Token::Ident("right") => Move::Right,
                Token::Ident("inner") => Move::Inner,
                Token::Ident(_) | Token::Number(_) | Token::Punct(_) | Token::End => {
                    return Err(self.unexpected("`body`, `value`, `left`, `right` or `inner`"));
                }
            });
            self.at += 1;
        }
        site.span = site.span.to(self.before());
        Ok(site)
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.shallow(self.depth < MAX_DEPTH)?;
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Counts one more operator in a row.
    fn link(&self, links: &mut usize) -> Parsed<()> {
        *links += 1;
        self.shallow(*links <= MAX_LINKS)
    }

    fn shallow(&self, is_shallow: bool) -> Parsed<()> {
        if is_shallow {
            return Ok(());
        }
        Err(Box::new(Diagnostic::error(codes::SYNTAX, self.span(), "nested too deeply")))
    }

    fn expr(&mut self) -> Parsed<Expr> {
        self.comparisons()
    }

    /// Reads comparisons joined by `&&`.
    fn comparisons(&mut self) -> Parsed<Expr> {
        let mut left = self.comparison()?;
        let mut links = 0;
        while self.eat("&&") {
            self.link(&mut links)?;
            let right = self.comparison()?;
            left = binary(Binary::And, left, right);
        }
        Ok(left)
    }

    /// Reads a sum, or a chain of comparisons such as `a <= b < c`.
    fn comparison(&mut self) -> Parsed<Expr> {
        let mut last = self.sum()?;
        let mut chain: Option<Expr> = None;
        let mut links = 0;
        loop {
            let (op, turned) = match self.peek() {
                Token::Punct("<") => (Binary::Lt, false),
                Token::Punct("<=") => (Binary::Le, false),
                Token::Punct(">") => (Binary::Lt, true),
                Token::Punct(">=") => (Binary::Le, true),
                Token::Punct("==") => (Binary::Eq, false),
                Token::Punct("=") if !self.in_where => (Binary::Eq, false),
                Token::Ident(_) | Token::Number(_) | Token::Punct(_) | Token::End => break,
            };
            self.at += 1;
            self.link(&mut links)?;
            let next = self.sum()?;
            let link = if turned {
                binary(op, next.clone(), last)
            } else {
                binary(op, last, next.clone())
            };
            chain = Some(match chain {
                Some(before) => binary(Binary::And, before, link),
                None => link,
            });
            last = next;
        }
        Ok(chain.unwrap_or(last))
    }

    fn sum(&mut self) -> Parsed<Expr> {
        let mut left = self.product()?;
        let mut links = 0;
        loop {
            let op = match self.peek() {
                Token::Punct("+") => Binary::Add,
                Token::Punct("-") => Binary::Sub,
                Token::Ident(_) | Token::Number(_) | Token::Punct(_) | Token::End => {
                    return Ok(left);
                }
            };
            self.at += 1;
            self.link(&mut links)?;
            let right = self.product()?;
            left = binary(op, left, right);
        }
    }

    fn product(&mut self) -> Parsed<Expr> {
        let mut left = self.unary()?;
        let mut links = 0;
        loop {
            let op = match self.peek() {
                Token::Punct("*") => Binary::Mul,
                Token::Punct("/") => Binary::Div,
                Token::Punct("%") => Binary::Mod,
                Token::Ident(_) | Token::Number(_) | Token::Punct(_) | Token::End => {
                    return Ok(left);
                }
            };
            self.at += 1;
            self.link(&mut links)?;
            let right = self.unary()?;
            left = binary(op, left, right);
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let start = parser.span();
            if parser.eat("[") {
                let pred = parser.comparisons()?;
                parser.expect("]")?;
                parser.expect("*")?;
                let body = parser.product()?;
                let span = start.to(body.span);
                return Ok(Expr { kind: ExprKind::Guard(Box::new((pred, body))), span });
            }
            match parser.peek() {
                Token::Ident(word @ ("gen" | "sum")) => {
                    parser.at += 1;
                    let var = parser.name("a variable")?;
                    let (lo, hi) = if parser.eat("<") {
                        (None, parser.sum()?)
                    } else {
                        parser.expect_word("in")?;
                        let lo = parser.sum()?;
                        parser.expect("..")?;
                        (Some(Box::new(lo)), parser.sum()?)
                    };
                    parser.expect(":")?;
                    let body = parser.expr()?;
                    let span = start.to(body.span);
                    let kind = ExprKind::Loop(word == "gen", var, lo, Box::new(hi), Box::new(body));
                    Ok(Expr { kind, span })
                }
                Token::Ident("let") => {
                    parser.at += 1;
                    let var = parser.name("a variable")?;
                    parser.expect("=")?;
                    let value = parser.expr()?;
                    parser.expect_word("in")?;
                    let body = parser.expr()?;
                    let span = start.to(body.span);
                    Ok(Expr { kind: ExprKind::Let(var, Box::new((value, body))), span })
                }
                Token::Ident(_) | Token::Number(_) | Token::Punct(_) | Token::End => {
                    parser.postfix()
                }
            }
        })
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut base = self.atom()?;
        while self.eat("[") {
            let mut indices = vec![self.sum()?];
            while self.eat(";") || self.eat(",") {
                indices.push(self.sum()?);
            }
            self.expect("]")?;
            let span = base.span.to(self.before());
            base = Expr { kind: ExprKind::Get(Box::new(base), indices), span };
        }
        Ok(base)
    }

    fn atom(&mut self) -> Parsed<Expr> {
        let span = self.span();
        match self.peek() {
            Token::Number(text) => {
                self.at += 1;
                Ok(Expr { kind: ExprKind::Num(text.to_owned()), span })
            }
            Token::Punct("-") => {
                self.at += 1;
                let operand = self.deeper(Self::atom)?;
                let zero = Expr { kind: ExprKind::Num("0".to_owned()), span };
                Ok(binary(Binary::Sub, zero, operand))
            }
            Token::Punct("(") => {
                self.at += 1;
                let inner = self.expr()?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Ident(_) | Token::Punct(_) | Token::End => {
                let name = self.name("an expression")?;
                let mut sizes = Vec::new();
                // After `where`, a brace begins the script.
                let braces = !self.in_where && self.eat("{");
                if braces {
                    sizes = self.list("}")?;
                }
                if self.eat("(") {
                    let args = self.list(")")?;
                    let span = span.to(self.before());
                    Ok(Expr { kind: ExprKind::Call(name, sizes, args), span })
                } else if braces {
                    Err(self.unexpected("`(`"))
                } else {
                    Ok(Expr { kind: ExprKind::Name(name.text), span })
                }
            }
        }
    }

    fn list(&mut self, end: &str) -> Parsed<Vec<Expr>> {
        let mut all = Vec::new();
        while !self.eat(end) {
            all.push(self.expr()?);
            if !self.eat(",") && !self.eat(";") {
                self.expect(end)?;
                break;
            }
        }
        Ok(all)
    }
}

fn binary(op: Binary, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr { kind: ExprKind::Binary(op, Box::new((left, right))), span }
}
