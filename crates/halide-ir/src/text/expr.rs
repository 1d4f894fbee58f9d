//! Expressions.

use super::SyntaxError;
use super::cursor::{Cursor, Result, count, is_name, numeric};
use super::notation::{INFIX, REDUCE, digits};
use crate::NameId;
use crate::tree::{Alignment, BinaryOp, Call, Expr, Load, ReduceOp, Scalar, ShuffleKind, Type};

impl Cursor<'_> {
    /// Reads an expression where nothing else can follow. Its outermost operator has no
    /// parentheses, except in a conversion that 19.0.0 prints: the printer tells the two apart.
    pub(super) fn expr(&mut self) -> Result<Expr> {
        self.nested(|cursor| {
            if cursor.skip("let ") {
                return cursor.let_expr();
            }
            let lhs = cursor.operand()?;
            let op = INFIX.iter().find(|(token, _)| cursor.skip(token));
            match (op, lhs) {
                (Some((_, op)), lhs) => {
                    let rhs = cursor.operand()?;
                    Ok(Expr::Binary(*op, Box::new([lhs, rhs])))
                }
                (None, Expr::Load(mut load)) if cursor.skip(" if ") => {
                    load.predicate = Some(cursor.operand()?);
                    Ok(Expr::Load(load))
                }
                (None, lhs) => Ok(lhs),
            }
        })
    }

    /// Reads the rest after the `let ` of an expression.
    fn let_expr(&mut self) -> Result<Expr> {
        let name = self.name()?;
        self.eat(" = ")?;
        let value = Box::new(self.operand()?);
        self.eat(" in ")?;
        let body = Box::new(self.operand()?);
        Ok(Expr::Let { name, value, body })
    }

    /// Reads an expression next to others: operators stand in parentheses.
    pub(super) fn operand(&mut self) -> Result<Expr> {
        let begin = self.at();
        match self.peek() {
            Some(b'!') => {
                self.eat("!")?;
                let operand = self.nested(Self::operand)?;
                Ok(Expr::Not(Box::new(operand)))
            }
            Some(b'"') => self.string(),
            Some(b'(') => match self.type_prefix() {
                Some(ty) => self.typed(ty),
                None => {
                    self.eat("(")?;
                    let inner = self.expr()?;
                    if !stands_in_parentheses(&inner) {
                        let error = self.expected("an operator in the parentheses");
                        return Err(SyntaxError { at: begin, ..error });
                    }
                    self.eat(")")?;
                    Ok(inner)
                }
            },
            Some(b'-' | b'0'..=b'9') => self.number(None),
            _ => self.named(None),
        }
    }

    /// Reads the rest after a type in parentheses.
    fn typed(&mut self, ty: Type) -> Result<Expr> {
        let handle = matches!(ty.scalar, Scalar::Handle(_));
        match self.peek() {
            Some(b'(') if handle => {
                self.eat("(")?;
                let value = self.expr()?;
                self.eat(")")?;
                Ok(Expr::Cast(ty, Box::new(value)))
            }
            Some(b'-' | b'0'..=b'9') if !handle => self.number(Some(ty)),
            _ => self.named(Some(ty)),
        }
    }

    /// Reads a number, given the type that stands before it.
    fn number(&mut self, ty: Option<Type>) -> Result<Expr> {
        let begin = self.at();
        self.skip("-");
        if ty.is_none() && self.starts_name() {
            let value = special(self.word()?);
            let negative = value.map(|(value, bits)| Expr::Float(-value, float(bits)));
            return negative.ok_or_else(|| SyntaxError { at: begin, ..self.expected("a number") });
        }
        if self.digits().is_empty() {
            return Err(self.expected("a number"));
        }
        let number = if ty.is_none() && self.skip(".") {
            self.fraction(begin)?
        } else {
            let text = self.between(begin);
            let ty = ty.unwrap_or(Type::INT32);
            let number = match ty.scalar {
                Scalar::Int(_) => canonical(text).map(|value| Expr::Int(value, ty)),
                Scalar::UInt(_) => canonical(text).map(|value| Expr::UInt(value, ty)),
                Scalar::Float(_) | Scalar::BFloat(_) | Scalar::Handle(_) => None,
            };
            number.ok_or_else(|| SyntaxError {
                at: begin,
                ..self.expected("an integer of its type")
            })?
        };
        match self.peek() {
            Some(b'_') => Err(SyntaxError {
                known: Some(
                    "Halide writes types after numbers from the version after 21.0.0 on; halidom \
                        reads what 21.0.0 prints",
                ),
                ..self.expected("the end of the number")
            }),
            Some(next) if is_name(next) => Err(self.expected("the end of the number")),
            _ => Ok(number),
        }
    }

    /// Reads the rest after the point of a float.
    fn fraction(&mut self, begin: usize) -> Result<Expr> {
        if self.digits().len() != 6 {
            return Err(self.expected("six digits after the point"));
        }
        if self.skip("e") {
            self.eat("-")?;
            if self.digits().len() < 2 {
                return Err(self.expected("two digits of an exponent"));
            }
        }
        let text = self.between(begin);
        let bits = if self.skip("f") {
            32
        } else if self.skip("h") {
            16
        } else {
            64
        };
        // The omitted digits may decide the printed form: only a float next to the digits' value
        // may print like this.
        let value = if bits == 32 {
            text.parse().ok().and_then(|value: f32| {
                let near = [value, value.next_up(), value.next_down()].map(f64::from);
                near.into_iter().find(|value| digits(*value) == text)
            })
        } else {
            text.parse().ok().and_then(|value: f64| {
                let near = [value, value.next_up(), value.next_down()];
                near.into_iter().find(|value| digits(*value) == text)
            })
        };
        let value = value.ok_or_else(|| SyntaxError { at: begin, ..self.expected("a float") })?;
        Ok(Expr::Float(value, float(bits)))
    }

    /// Reads a string in its quotes.
    fn string(&mut self) -> Result<Expr> {
        self.eat("\"")?;
        let mut bytes = Vec::new();
        loop {
            let rest = self.rest();
            let Some(next) = rest.chars().next() else {
                return Err(self.expected("the end of the string"));
            };
            match next {
                '"' => {
                    self.eat("\"")?;
                    return Ok(Expr::String(bytes.into()));
                }
                '\\' => {
                    let escapes = [
                        ("\\\"", b'"'),
                        ("\\\\", b'\\'),
                        ("\\t", b'\t'),
                        ("\\r", b'\r'),
                        ("\\n", b'\n'),
                    ];
                    if let Some((_, byte)) = escapes.iter().find(|(token, _)| self.skip(token)) {
                        bytes.push(*byte);
                    } else {
                        self.eat("\\x")?;
                        let byte = rest.get(2..4).filter(|digits| {
                            digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'A'..=b'F'))
                        });
                        let byte = byte.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                        bytes.push(byte.ok_or_else(|| self.expected("two hexadecimal digits"))?);
                        self.back_to(self.at() + 2);
                    }
                }
                ' '..='~' => {
                    bytes.push(next as u8);
                    self.back_to(self.at() + 1);
                }
                _ => return Err(self.expected("a printable character")),
            }
        }
    }

    /// Reads a construct that begins with a name.
    fn named(&mut self, ty: Option<Type>) -> Result<Expr> {
        let begin = self.at();
        if ty.is_none() && self.skip("reinterpret<") {
            let ty = self.ty()?;
            self.eat(">(")?;
            let value = self.expr()?;
            self.eat(")")?;
            return Ok(Expr::Reinterpret(ty, Box::new(value)));
        }
        if !self.starts_name() {
            return Err(self.expected("an expression"));
        }
        let word = self.word()?;
        match self.peek() {
            Some(b'(') => {
                let args = self.arguments()?;
                let ty = (begin, ty);
                self.applied(word, ty, args)
            }
            Some(b'[') => {
                let name = self.names.id(word);
                let (index, alignment) = self.subscript()?;
                Ok(Expr::Load(Box::new(Load { name, ty, index, alignment, predicate: None })))
            }
            _ => match special(word) {
                Some((value, bits)) if ty.is_none() => Ok(Expr::Float(value, float(bits))),
                _ => Ok(Expr::Variable { name: self.names.id(word), ty }),
            },
        }
    }

    /// Reads arguments in their parentheses.
    pub(super) fn arguments(&mut self) -> Result<Vec<Expr>> {
        self.eat("(")?;
        let mut args = Vec::new();
        if self.skip(")") {
            return Ok(args);
        }
        loop {
            args.push(self.expr()?);
            if self.skip(")") {
                return Ok(args);
            }
            self.eat(", ")?;
        }
    }

    /// Reads an index in its brackets.
    pub(super) fn subscript(&mut self) -> Result<(Expr, Option<Alignment>)> {
        self.eat("[")?;
        let index = self.expr()?;
        let alignment = if self.skip(" aligned(") {
            let modulus = self.integer()?;
            self.eat(", ")?;
            let remainder = self.integer()?;
            self.eat(")")?;
            Some(Alignment { modulus, remainder })
        } else {
            None
        };
        self.eat("]")?;
        Ok((index, alignment))
    }

    /// Returns the expression that a name with arguments stands for.
    pub(super) fn applied(
        &mut self,
        word: &str,
        (begin, ty): (usize, Option<Type>),
        mut args: Vec<Expr>,
    ) -> Result<Expr> {
        let wrong = |expected| SyntaxError { at: begin, expected, known: None };
        if let Some(ty) = ty {
            let op = word.strip_prefix(REDUCE).and_then(reduction);
            if let (Some(op), [_]) = (op, args.as_slice()) {
                let value = args.remove(0);
                return Ok(Expr::VectorReduce(op, ty, Box::new(value)));
            }
            return Ok(call(self.names.id(word), Some(ty), args));
        }
        if let Some(ty) = numeric(word) {
            let [value] =
                <[Expr; 1]>::try_from(args).map_err(|_| wrong("one operand of a cast"))?;
            return Ok(Expr::Cast(ty, Box::new(value)));
        }
        if let Some(lanes) = broadcast(word) {
            let operand = <[Expr; 1]>::try_from(args);
            let [value] = operand.map_err(|_| wrong("one operand of a broadcast"))?;
            return Ok(Expr::Broadcast { value: Box::new(value), lanes });
        }
        Ok(match word {
            "ramp" => {
                let operands = <[Expr; 3]>::try_from(args);
                let [base, stride, lanes] =
                    operands.map_err(|_| wrong("three operands of a ramp"))?;
                let lanes = literal(&lanes).and_then(|lanes| u32::try_from(lanes).ok());
                let lanes =
                    lanes.filter(|lanes| *lanes > 1).ok_or_else(|| wrong("a number of lanes"))?;
                Expr::Ramp { base: Box::new(base), stride: Box::new(stride), lanes }
            }
            "min" | "max" => {
                let op = if word == "min" { BinaryOp::Min } else { BinaryOp::Max };
                let operands = <[Expr; 2]>::try_from(args).map_err(|_| wrong("two operands"))?;
                Expr::Binary(op, Box::new(operands))
            }
            "select" => {
                let operands = <[Expr; 3]>::try_from(args);
                Expr::Select(Box::new(operands.map_err(|_| wrong("three operands of a select"))?))
            }
            "concat_vectors" => Expr::Shuffle(ShuffleKind::Concat, args),
            "interleave_vectors" => Expr::Shuffle(ShuffleKind::Interleave, args),
            "extract_element" => {
                let lane = args.pop().as_ref().and_then(literal);
                let lane = lane.ok_or_else(|| wrong("the number of a lane"))?;
                Expr::Shuffle(ShuffleKind::Extract(lane), args)
            }
            "slice_vectors" => {
                let mut last = || args.pop().as_ref().and_then(literal);
                let (count, stride, begin) = (last(), last(), last());
                let (Some(begin), Some(stride), Some(count)) = (begin, stride, count) else {
                    return Err(wrong("begin, stride and number of lanes"));
                };
                Expr::Shuffle(ShuffleKind::Slice { begin, stride, count }, args)
            }
            "shuffle" => {
                let vectors = args.iter().take_while(|arg| literal(arg).is_none()).count();
                let lanes = args.split_off(vectors);
                let lanes: Option<Vec<i64>> = lanes.iter().map(literal).collect();
                let lanes = lanes.ok_or_else(|| wrong("numbers of lanes after the vectors"))?;
                Expr::Shuffle(ShuffleKind::Lanes(lanes), args)
            }
            _ => call(self.names.id(word), None, args),
        })
    }
}

fn call(name: NameId, ty: Option<Type>, args: Vec<Expr>) -> Expr {
    Expr::Call(Box::new(Call { name, ty, args, kind: None, component: 0, parameter: None }))
}

/// Returns the value of a plain integer.
fn literal(expr: &Expr) -> Option<i64> {
    if let Expr::Int(value, Type::INT32) = expr { Some(*value) } else { None }
}

/// Tests whether the printer puts an expression in parentheses next to an operator.
fn stands_in_parentheses(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(op, _) => !matches!(op, BinaryOp::Min | BinaryOp::Max),
        Expr::Let { .. } => true,
        Expr::Load(load) => load.predicate.is_some(),
        Expr::Int(..)
        | Expr::UInt(..)
        | Expr::Float(..)
        | Expr::String(_)
        | Expr::Variable { .. }
        | Expr::Cast(..)
        | Expr::Reinterpret(..)
        | Expr::Not(_)
        | Expr::Select(_)
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Call(_)
        | Expr::Shuffle(..)
        | Expr::VectorReduce(..) => false,
    }
}

/// Returns the number of times that `x8` repeats its operand.
fn broadcast(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('x')?;
    count(digits).filter(|lanes| *lanes > 1)
}

/// Tests whether a text with this name for a function or a parameter reads as something else:
/// `x8(e)`, `select(a, b, c)`, `inf`.
pub fn is_construct(name: &str) -> bool {
    const FUNCTIONS: [&str; 10] = [
        "ramp",
        "min",
        "max",
        "select",
        "concat_vectors",
        "interleave_vectors",
        "extract_element",
        "slice_vectors",
        "shuffle",
        "reinterpret",
    ];
    FUNCTIONS.contains(&name)
        || name.starts_with(REDUCE)
        || numeric(name).is_some()
        || broadcast(name).is_some()
        || special(name).is_some()
}

fn reduction(name: &str) -> Option<ReduceOp> {
    ReduceOp::ALL.into_iter().find(|op| op.name() == name)
}

/// Returns a float that has no digits, and its width.
fn special(word: &str) -> Option<(f64, u8)> {
    let (word, bits) = match word.strip_suffix('h') {
        Some(word) => (word, 16),
        None if word == "inff" || word == "nanf" => (&word[..3], 32),
        None => (word, 64),
    };
    match word {
        "inf" => Some((f64::INFINITY, bits)),
        "nan" => Some((f64::NAN, bits)),
        _ => None,
    }
}

/// Returns an integer if its digits are printed in this way.
fn canonical<T: std::str::FromStr + ToString>(text: &str) -> Option<T> {
    text.parse().ok().filter(|value: &T| value.to_string() == text)
}

fn float(bits: u8) -> Type {
    Type::of(Scalar::Float(bits))
}
