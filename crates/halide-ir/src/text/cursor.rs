//! A place in a text, and reading from there without knowledge of the text's meaning.

use super::SyntaxError;
use crate::tree::{Scalar, Type};
use crate::{NameId, Names};

pub(super) type Result<T> = std::result::Result<T, SyntaxError>;

/// The deepest nesting of expressions and statements: far more than Halide prints, and little
/// enough for the stack.
const DEPTH: usize = 500;

/// A type of numbers, without its width.
type Kind = fn(u8) -> Scalar;

/// The types of numbers in a text, without their widths.
const KINDS: [(&str, Kind); 4] = [
    ("int", Scalar::Int),
    ("uint", Scalar::UInt),
    ("float", Scalar::Float),
    ("bfloat", Scalar::BFloat),
];

/// Reads a text from the front.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    pub(super) names: &'a mut Names,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str, at: usize, names: &'a mut Names) -> Self {
        Self { text, at, depth: 0, names }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes back to an earlier place.
    pub(super) fn back_to(&mut self, at: usize) {
        self.at = at;
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn expected(&self, expected: &'static str) -> SyntaxError {
        SyntaxError { at: self.at, expected, known: None }
    }

    /// Skips these bytes, and returns true, if they come next.
    pub(super) fn skip(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Skips these bytes, which must come next.
    pub(super) fn eat(&mut self, token: &'static str) -> Result<()> {
        if self.skip(token) { Ok(()) } else { Err(self.expected(token)) }
    }

    /// Reads a nested construct.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == DEPTH {
            return Err(SyntaxError {
                known: Some("expressions and statements are nested at most 500 deep"),
                ..self.expected("fewer things within each other")
            });
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reads the bytes from here on that satisfy a condition.
    fn run(&mut self, mut belongs: impl FnMut(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().take_while(|byte| belongs(*byte)).count();
        self.at += length;
        &rest[..length]
    }

    /// Skips the blanks from here on, and returns their number.
    pub(super) fn blanks(&mut self) -> usize {
        self.run(|byte| byte == b' ').len()
    }

    pub(super) fn starts_name(&self) -> bool {
        self.peek().is_some_and(|byte| is_name(byte) && !byte.is_ascii_digit())
    }

    /// Reads a name's text.
    pub(super) fn word(&mut self) -> Result<&'a str> {
        if self.starts_name() { Ok(self.run(is_name)) } else { Err(self.expected("a name")) }
    }

    /// Reads a name.
    pub(super) fn name(&mut self) -> Result<NameId> {
        let text = self.word()?;
        Ok(self.names.id(text))
    }

    /// Reads the type of a number.
    pub(super) fn number_type(&mut self) -> Result<Type> {
        let begin = self.at;
        let word = self.word()?;
        numeric(word).ok_or_else(|| SyntaxError { at: begin, ..self.expected("a type") })
    }

    /// Reads a type, as it stands before the `>` of a `reinterpret` or the extents of an
    /// allocation.
    pub(super) fn ty(&mut self) -> Result<Type> {
        match self.handle() {
            Some(ty) => Ok(ty),
            None => self.number_type(),
        }
    }

    /// Reads a pointer type in its parentheses.
    fn handle(&mut self) -> Option<Type> {
        let inner = self.rest().strip_prefix('(')?;
        let length = inner
            .bytes()
            .take_while(|byte| is_name(*byte) || matches!(byte, b' ' | b'*' | b'<' | b'>'))
            .count();
        let (said, after) = inner.split_at(length);
        let pointer = said.contains(" *");
        // Without a pointer's mark, the word is a type only if a name follows directly.
        let prefix = after.strip_prefix(')')?;
        let named = prefix
            .starts_with(|first: char| first == ':' || first == '_' || first.is_ascii_alphabetic());
        if !(pointer || (named && numeric(said).is_none())) {
            return None;
        }
        self.at += length + 2;
        Some(Type::of(Scalar::Handle(Some(self.names.id(said)))))
    }

    /// Reads a type in parentheses that applies to what follows it.
    pub(super) fn type_prefix(&mut self) -> Option<Type> {
        if let Some(ty) = self.handle() {
            return Some(ty);
        }
        let inner = self.rest().strip_prefix('(')?;
        let length = inner.bytes().take_while(|byte| is_name(*byte)).count();
        let ty = numeric(&inner[..length])?;
        inner[length..].strip_prefix(')')?;
        self.at += length + 2;
        Some(ty)
    }

    /// Reads digits.
    pub(super) fn digits(&mut self) -> &'a str {
        self.run(|byte| byte.is_ascii_digit())
    }

    /// Reads an integer with its sign.
    pub(super) fn integer(&mut self) -> Result<i64> {
        let begin = self.at;
        self.skip("-");
        self.digits();
        let text = &self.text[begin..self.at];
        let parsed = text.parse().ok().filter(|value: &i64| value.to_string() == text);
        parsed.ok_or_else(|| SyntaxError { at: begin, ..self.expected("an integer") })
    }

    /// Returns the text from a place to here.
    pub(super) fn between(&self, begin: usize) -> &'a str {
        &self.text[begin..self.at]
    }
}

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b':')
}

/// Returns a positive number that has no leading zero or plus sign.
pub(super) fn count<T: std::str::FromStr>(digits: &str) -> Option<T> {
    if digits.starts_with(['0', '+']) { None } else { digits.parse().ok() }
}

/// Returns the type of a number with this name.
pub(super) fn numeric(word: &str) -> Option<Type> {
    let (kind, rest) =
        KINDS.iter().find_map(|(name, kind)| Some((kind, word.strip_prefix(name)?)))?;
    let (bits, lanes) = match rest.split_once('x') {
        Some((bits, lanes)) => (bits, count(lanes).filter(|lanes| *lanes > 1)?),
        None => (rest, 1),
    };
    Some(Type { scalar: kind(count(bits)?), lanes })
}
