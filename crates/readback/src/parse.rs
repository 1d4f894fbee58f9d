//! Parses exactly the C that the printer emits, by C's own grammar and precedence.

use halidom_base::FxHashSet;
use halidom_ir::Scalar;

use crate::lex::{Kind, Token, tokens};
use crate::mismatch::Mismatch;
use crate::syntax::{Action, File, Function, Line, Node, Shape, Struct, Ty};

/// Parses a file.
pub(crate) fn parse(text: &str) -> Result<File, Mismatch> {
    let tokens = tokens(text)?;
    let called = FxHashSet::default();
    let mut parser = Parser { text, tokens, next: 0, structs: Vec::new(), called };
    let mut file = File::default();
    while parser.peek().kind != Kind::End {
        parser.item(&mut file)?;
    }
    file.called = parser.called;
    Ok(file)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    next: usize,
    structs: Vec<String>,
    called: FxHashSet<String>,
}

type Parsed<T> = Result<T, Mismatch>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.ahead(0)
    }

    fn ahead(&self, distance: usize) -> Token<'a> {
        let last = self.tokens.len() - 1;
        self.tokens[(self.next + distance).min(last)]
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn fail<T>(&self, expected: &str) -> Parsed<T> {
        let what = [expected, " was expected"].concat();
        Err(Mismatch::at(self.text, self.peek().start, what))
    }

    fn is(&self, text: &str) -> bool {
        let token = self.peek();
        token.text == text && matches!(token.kind, Kind::Mark | Kind::Word)
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.next += 1;
        }
        found
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.accept(text) { Ok(()) } else { self.fail(text) }
    }

    fn word(&mut self) -> Parsed<String> {
        if self.peek().kind == Kind::Word {
            Ok(self.take().text.to_owned())
        } else {
            self.fail("a name")
        }
    }

    fn item(&mut self, file: &mut File) -> Parsed<()> {
        let at = self.peek().start;
        if self.peek().kind == Kind::Directive {
            file.directives.push(self.take().text.to_owned());
            return Ok(());
        }
        if self.is("typedef") && self.ahead(1).text == "struct" {
            return self.structure(file);
        }
        if self.is("typedef") || (self.is("static") && self.ahead(1).text == "inline") {
            let (name, text) = self.helper()?;
            file.helpers.push((at, name, text));
            return Ok(());
        }
        let is_static = self.accept("static");
        self.expect("int")?;
        let name = self.word()?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        loop {
            let ty = self.ty()?;
            parameters.push((ty, self.word()?));
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        let body = self.block()?;
        file.functions.push(Function { at, is_static, name, parameters, body });
        Ok(())
    }

    fn structure(&mut self, file: &mut File) -> Parsed<()> {
        let at = self.peek().start;
        self.expect("typedef")?;
        self.expect("struct")?;
        let name = self.word()?;
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.accept("}") {
            let ty = self.ty()?;
            fields.push((ty, self.word()?));
            self.expect(";")?;
        }
        if self.word()? != name {
            return self.fail("the struct's name");
        }
        self.expect(";")?;
        self.structs.push(name.clone());
        file.structs.push(Struct { at, name, fields });
        Ok(())
    }

    /// Takes a helper as text, from its first token to its last: helpers are compared as texts.
    fn helper(&mut self) -> Parsed<(String, String)> {
        let start = self.peek().start;
        let is_type = self.is("typedef");
        let mut name = None;
        let mut depth = 0_usize;
        loop {
            let token = self.take();
            let (close, end) = match token.text {
                _ if token.kind == Kind::End => return self.fail("the end of a helper"),
                "(" if name.is_none() => {
                    let before = if is_type { 3 } else { 2 };
                    name = self.next.checked_sub(before).map(|at| self.tokens[at].text.to_owned());
                    (false, false)
                }
                "{" => {
                    depth += 1;
                    (false, false)
                }
                "}" => {
                    depth = depth.saturating_sub(1);
                    (true, depth == 0 && !is_type)
                }
                ";" => (false, is_type),
                _ => (false, false),
            };
            // A type's companion for memory follows it and belongs to it.
            let more = is_type && !close && self.is_companion(name.as_deref());
            if end && !more {
                let text = self.text[start..token.start + token.text.len()].to_owned();
                let Some(name) = name else { return self.fail("a helper's name") };
                return Ok((name, text));
            }
        }
    }

    fn is_companion(&self, name: Option<&str>) -> bool {
        let Some(name) = name else { return false };
        self.is("typedef") && self.ahead(2).text.strip_suffix("_memory") == Some(name)
    }

    fn is_type(&self, token: Token<'_>) -> bool {
        token.kind == Kind::Word
            && (is_type_name(token.text)
                || matches!(token.text, "const" | "halidom_failure")
                || self.structs.iter().any(|name| name == token.text))
    }

    fn ty(&mut self) -> Parsed<Ty> {
        let read_only = self.accept("const");
        if !self.is_type(self.peek()) {
            return self.fail("a type");
        }
        let name = self.word()?;
        let base = match name.as_str() {
            "void" => Ty::Void,
            "int" => Ty::CInt,
            "size_t" => Ty::Size,
            _ => match (scalar(&name), vector(&name)) {
                (Some(scalar), _) => Ty::Scalar(scalar),
                (None, Some((scalar, lanes))) => Ty::Vector(scalar, lanes),
                (None, None) => Ty::Struct(name),
            },
        };
        if self.accept("*") {
            let restrict = self.accept("restrict");
            Ok(Ty::Pointer { to: Box::new(base), read_only, restrict })
        } else if read_only {
            self.fail("*")
        } else {
            Ok(base)
        }
    }

    fn block(&mut self) -> Parsed<Vec<Line>> {
        self.expect("{")?;
        let mut lines = Vec::new();
        while !self.accept("}") {
            lines.push(self.line()?);
        }
        Ok(lines)
    }

    fn line(&mut self) -> Parsed<Line> {
        let at = self.peek().start;
        let action = self.action()?;
        Ok(Line { at, action })
    }

    fn action(&mut self) -> Parsed<Action> {
        if self.is("{") {
            return Ok(Action::Block(self.block()?));
        }
        if self.accept("if") {
            self.expect("(")?;
            let condition = self.expr()?;
            self.expect(")")?;
            let then_branch = self.block()?;
            let else_branch = if self.accept("else") { Some(self.block()?) } else { None };
            return Ok(Action::If(condition, then_branch, else_branch));
        }
        if self.accept("for") {
            return self.for_loop();
        }
        if self.accept("return") {
            let value = self.expr()?;
            self.expect(";")?;
            return Ok(Action::Return(value));
        }
        if self.is("(") && self.ahead(1).text == "void" {
            self.next += 2;
            self.expect(")")?;
            let name = self.word()?;
            self.expect(";")?;
            return Ok(Action::Discard(name));
        }
        if self.accept("HALIDOM_OWNING") {
            self.expect("void")?;
            self.expect("*")?;
            let name = self.word()?;
            self.expect("=")?;
            let memory = self.expr()?;
            self.expect(";")?;
            return Ok(Action::DeclareOwning(name, memory));
        }
        if self.is_type(self.peek()) {
            return self.declaration();
        }
        let target = self.expr()?;
        let action = if self.accept("=") {
            Action::Assign(target, self.expr()?)
        } else {
            Action::Call(target)
        };
        self.expect(";")?;
        Ok(action)
    }

    fn declaration(&mut self) -> Parsed<Action> {
        let ty = self.ty()?;
        let name = self.word()?;
        if self.accept("[") {
            let length = self.expr()?;
            self.expect("]")?;
            for text in ["__attribute__", "(", "(", "aligned", "("] {
                self.expect(text)?;
            }
            let align = self.expr()?;
            for text in [")", ")", ")", "=", "{"] {
                self.expect(text)?;
            }
            if self.take().text != "0" {
                return self.fail("0");
            }
            self.expect("}")?;
            self.expect(";")?;
            return Ok(Action::DeclareArray(ty, name, length, align));
        }
        self.expect("=")?;
        if let Ty::Struct(struct_name) = &ty {
            self.expect("{")?;
            let values = self.list("}")?;
            self.expect(";")?;
            return Ok(Action::DeclareStruct(struct_name.clone(), name, values));
        }
        let value = self.expr()?;
        self.expect(";")?;
        Ok(Action::Declare(ty, name, value))
    }

    fn for_loop(&mut self) -> Parsed<Action> {
        self.expect("(")?;
        self.expect("int64_t")?;
        let var = self.word()?;
        self.expect("=")?;
        let from = self.expr()?;
        let end = if self.accept(",") {
            let name = self.word()?;
            self.expect("=")?;
            Some((name, self.expr()?))
        } else {
            None
        };
        self.expect(";")?;
        if self.word()? != var {
            return self.fail("the loop's variable");
        }
        self.expect(if end.is_some() { "!=" } else { "<" })?;
        let bound = self.binary(Precedence::Shift)?;
        self.expect(";")?;
        if self.word()? != var {
            return self.fail("the loop's variable");
        }
        self.expect("++")?;
        self.expect(")")?;
        let body = self.block()?;
        Ok(Action::For { var, from, end, bound, body })
    }

    /// Parses expressions up to the closing mark, which is taken.
    fn list(&mut self, close: &str) -> Parsed<Vec<Node>> {
        let mut nodes = Vec::new();
        if self.accept(close) {
            return Ok(nodes);
        }
        loop {
            nodes.push(self.expr()?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(close)?;
        Ok(nodes)
    }

    fn expr(&mut self) -> Parsed<Node> {
        let condition = self.binary(Precedence::Or)?;
        if !self.accept("?") {
            return Ok(condition);
        }
        let if_true = self.expr()?;
        self.expect(":")?;
        let if_false = self.expr()?;
        let at = condition.at;
        let parts = (Box::new(condition), Box::new(if_true), Box::new(if_false));
        Ok(Node { at, shape: Shape::Conditional(parts.0, parts.1, parts.2) })
    }

    fn binary(&mut self, least: Precedence) -> Parsed<Node> {
        let mut lhs = self.prefix()?;
        while let Some(precedence) = precedence(self.peek()).filter(|found| *found >= least) {
            let op = self.take().text.to_owned();
            // All operators are left-associative: the right operand binds tighter.
            let rhs = match precedence.tighter() {
                Some(tighter) => self.binary(tighter)?,
                None => self.prefix()?,
            };
            let at = lhs.at;
            lhs = Node { at, shape: Shape::Binary(op, Box::new(lhs), Box::new(rhs)) };
        }
        Ok(lhs)
    }

    fn prefix(&mut self) -> Parsed<Node> {
        let at = self.peek().start;
        for op in ["-", "~", "!", "&"] {
            if self.accept(op) {
                let operand = self.prefix()?;
                return Ok(Node { at, shape: Shape::Unary(op.to_owned(), Box::new(operand)) });
            }
        }
        if self.is("sizeof") {
            self.next += 1;
            self.expect("(")?;
            let ty = self.ty()?;
            self.expect(")")?;
            return Ok(Node { at, shape: Shape::SizeOf(ty) });
        }
        if self.is("(") && self.is_type(self.ahead(1)) {
            self.next += 1;
            let ty = self.ty()?;
            if self.accept("[") {
                self.expect("]")?;
                self.expect(")")?;
                self.expect("{")?;
                let values = self.list("}")?;
                return Ok(Node { at, shape: Shape::Array(ty, values) });
            }
            self.expect(")")?;
            let operand = self.prefix()?;
            return Ok(Node { at, shape: Shape::Cast(ty, Box::new(operand)) });
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Parsed<Node> {
        let at = self.peek().start;
        let token = self.peek();
        let mut node = match token.kind {
            Kind::Word if self.ahead(1).text == "(" => {
                self.next += 2;
                let arguments = self.list(")")?;
                self.called.insert(token.text.to_owned());
                Node { at, shape: Shape::Call(token.text.to_owned(), arguments) }
            }
            Kind::Word => {
                self.next += 1;
                Node { at, shape: Shape::Name(token.text.to_owned()) }
            }
            Kind::Number => {
                self.next += 1;
                Node { at, shape: Shape::Number(token.text.to_owned()) }
            }
            Kind::Text => {
                self.next += 1;
                Node { at, shape: Shape::Text(token.text.to_owned()) }
            }
            Kind::Mark | Kind::Directive | Kind::End => {
                self.expect("(")?;
                let inner = self.expr()?;
                self.expect(")")?;
                inner
            }
        };
        loop {
            if self.accept("[") {
                let index = self.expr()?;
                self.expect("]")?;
                node = Node { at, shape: Shape::Index(Box::new(node), Box::new(index)) };
            } else if self.accept("->") {
                let field = self.word()?;
                node = Node { at, shape: Shape::Arrow(Box::new(node), field) };
            } else {
                return Ok(node);
            }
        }
    }
}

/// C's levels of binary operators, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
}

impl Precedence {
    fn tighter(self) -> Option<Self> {
        Some(match self {
            Self::Or => Self::And,
            Self::And => Self::BitOr,
            Self::BitOr => Self::BitXor,
            Self::BitXor => Self::BitAnd,
            Self::BitAnd => Self::Equality,
            Self::Equality => Self::Relation,
            Self::Relation => Self::Shift,
            Self::Shift => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product => return None,
        })
    }
}

fn precedence(token: Token<'_>) -> Option<Precedence> {
    if token.kind != Kind::Mark {
        return None;
    }
    Some(match token.text {
        "||" => Precedence::Or,
        "&&" => Precedence::And,
        "|" => Precedence::BitOr,
        "^" => Precedence::BitXor,
        "&" => Precedence::BitAnd,
        "==" | "!=" => Precedence::Equality,
        "<" | "<=" | ">" | ">=" => Precedence::Relation,
        "<<" | ">>" => Precedence::Shift,
        "+" | "-" => Precedence::Sum,
        "*" | "/" | "%" => Precedence::Product,
        _ => return None,
    })
}

/// Tests for the name of a type that no file declares.
pub(crate) fn is_type_name(name: &str) -> bool {
    matches!(name, "void" | "int" | "size_t") || scalar(name).is_some() || vector(name).is_some()
}

/// Returns the type that C calls `name`.
fn scalar(name: &str) -> Option<Scalar> {
    Some(match name {
        "int8_t" => Scalar::I8,
        "int16_t" => Scalar::I16,
        "int32_t" => Scalar::I32,
        "int64_t" => Scalar::I64,
        "uint8_t" => Scalar::U8,
        "uint16_t" => Scalar::U16,
        "uint32_t" => Scalar::U32,
        "uint64_t" => Scalar::U64,
        "float" => Scalar::F32,
        "double" => Scalar::F64,
        _ => return None,
    })
}

/// Returns the type that a vector type's name describes, such as `u16x8`.
pub(crate) fn vector(name: &str) -> Option<(Scalar, u32)> {
    let (element, lanes) = name.split_once('x')?;
    let scalar = Scalar::from_name(element)
        .filter(|scalar| !matches!(scalar, Scalar::Bool | Scalar::Int))?;
    let lanes: u32 = lanes.parse().ok()?;
    // A number has only one spelling here.
    (lanes > 1 && lanes.to_string() == name[element.len() + 1..]).then_some((scalar, lanes))
}
