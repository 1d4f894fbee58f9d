//! Reads the text form that [`crate::print`] writes. Printing a text that was read gives the same
//! text.
//!
//! The result is not checked: run [`crate::verify`] on it.

mod error;
mod expr;
mod program;
mod token;

use halidom_base::{FxHashMap, stack};

use crate::{Algorithm, BufferId, FuncId, Pool, Program, Scalar, Type, VarId};
pub use error::ParseError;
use error::Result;
use token::Token;

/// The contents of a text.
#[derive(Clone, Debug)]
pub struct Module {
    /// The owner of everything below.
    pub pool: Pool,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The program, if the text has one.
    pub program: Option<Program>,
}

/// Reads an algorithm and, if there is one, a program for it.
///
/// # Errors
/// The first place at which the text is not as expected.
pub fn module(text: &str) -> Result<Module> {
    let mut parser = Parser::new(text)?;
    let algorithm = parser.algorithm()?;
    let program =
        if parser.peek() == &Token::End { None } else { Some(parser.program(&algorithm)?) };
    if parser.peek() != &Token::End {
        return Err(parser.error("the end of the text"));
    }
    Ok(Module { pool: parser.pool, algorithm, program })
}

struct Parser {
    pool: Pool,
    tokens: Vec<(Token, usize)>,
    next: usize,
    vars: FxHashMap<String, VarId>,
    funcs: FxHashMap<String, FuncId>,
    buffers: FxHashMap<String, BufferId>,
    /// The nesting depth of the text that is being read.
    depth: usize,
}

/// The maximal nesting depth of expressions and statements, and the maximal length of a chain of
/// operators. Recursive walks have enough stack for that.
const DEEPEST: usize = 50_000;

impl Parser {
    fn new(text: &str) -> Result<Self> {
        let tokens = token::tokens(text)?;
        let (vars, funcs, buffers) =
            (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        Ok(Self { pool: Pool::new(), tokens, next: 0, vars, funcs, buffers, depth: 0 })
    }

    /// Reads a nested expression or statement. The nesting depth is limited.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.shallow(self.depth)?;
        self.depth += 1;
        let result = stack::deep(|| read(self));
        self.depth -= 1;
        result
    }

    fn shallow(&self, depth: usize) -> Result<()> {
        if depth < DEEPEST { Ok(()) } else { Err(self.error("fewer things within each other")) }
    }

    fn error(&self, expected: &'static str) -> ParseError {
        ParseError { offset: self.tokens[self.next].1, expected }
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn peek_second(&self) -> &Token {
        &self.tokens[(self.next + 1).min(self.tokens.len() - 1)].0
    }

    fn advance(&mut self) {
        // The last token is `End`, which is never passed.
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    fn at(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(found) if *found == sign)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.at(sign);
        if found {
            self.advance();
        }
        found
    }

    fn sign(&mut self, sign: &'static str) -> Result<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.error(sign)) }
    }

    fn at_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(found) if found == word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn word(&mut self, word: &'static str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.error(word)) }
    }

    fn name(&mut self) -> Result<String> {
        let Token::Name(name) = self.peek() else { return Err(self.error("a name")) };
        let name = name.clone();
        self.advance();
        Ok(name)
    }

    fn text(&mut self) -> Result<String> {
        let Token::Text(text) = self.peek() else { return Err(self.error("a string")) };
        let text = text.clone();
        self.advance();
        Ok(text)
    }

    fn number(&mut self) -> Result<i128> {
        let value =
            if let Token::Constant(constant) = self.peek() { constant.as_integer() } else { None };
        let value = value.ok_or_else(|| self.error("a number"))?;
        self.advance();
        Ok(value)
    }

    fn index(&mut self) -> Result<usize> {
        let error = self.error("a small number that is not negative");
        usize::try_from(self.number()?).map_err(|_| error)
    }

    fn scalar(&mut self) -> Result<Scalar> {
        let ty = self.ty()?;
        if ty.lanes == 1 { Ok(ty.scalar) } else { Err(self.error("a scalar type")) }
    }

    /// Reads a type: `f32` or `f32x8`.
    fn ty(&mut self) -> Result<Type> {
        let error = self.error("a type");
        let name = self.name()?;
        if let Some(scalar) = Scalar::from_name(&name) {
            return Ok(Type::scalar(scalar));
        }
        let (scalar, lanes) = name.rsplit_once('x').ok_or_else(|| error.clone())?;
        match (Scalar::from_name(scalar), lanes.parse::<u32>()) {
            (Some(scalar), Ok(lanes)) if lanes > 1 => Ok(Type { scalar, lanes }),
            _ => Err(error),
        }
    }

    /// Reads a name and declares it as a variable.
    fn declare(&mut self, ty: Type) -> Result<VarId> {
        let error = self.error("a name that is not declared yet");
        let name = self.name()?;
        self.declare_named(name, ty, &error)
    }

    fn declare_named(&mut self, name: String, ty: Type, error: &ParseError) -> Result<VarId> {
        if self.vars.contains_key(&name) {
            return Err(error.clone());
        }
        let var = self.pool.declare_var(name.clone(), ty);
        self.vars.insert(name, var);
        Ok(var)
    }

    fn func(&mut self) -> Result<FuncId> {
        let error = self.error("a declared func");
        let name = self.name()?;
        self.funcs.get(&name).copied().ok_or(error)
    }

    /// Resolves `f` for a func with one component, `f.1` for others.
    fn component(&self, name: &str) -> Option<(FuncId, usize)> {
        let components = |func: &FuncId| self.pool.func(*func).scalars.len();
        if let Some(func) = self.funcs.get(name) {
            return (components(func) == 1).then_some((*func, 0));
        }
        let (func, component) = name.rsplit_once('.')?;
        let (func, component) = (self.funcs.get(func)?, component.parse().ok()?);
        (components(func) > 1 && component < components(func)).then_some((*func, component))
    }

    /// Reads items in parentheses, separated by commas.
    fn parenthesised<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.sign("(")?;
        let mut items = Vec::new();
        while !self.at(")") {
            items.push(item(self)?);
            if !self.eat(",") {
                break;
            }
        }
        self.sign(")")?;
        Ok(items)
    }
}
