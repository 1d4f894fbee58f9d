//! Lifts C expressions to terms, by C's rules for conversions and promotions.
//!
//! # Correctness
//! A lifted term has the value that C gives the expression on every input. Lifting fails where C
//! would leave a result undefined (signed overflow, division by zero, conversions of floats out of
//! range) and the operands do not exclude this. No operand is lifted twice: this would double the
//! work at each level of nesting.
#![expect(
    clippy::many_single_char_names,
    reason = "operands are a and b in C and x and y as terms"
)]

use halidom_ir::{BufferId, Constant, Scalar, VarId, eval};
use halidom_prelude::types::signed_of;

use crate::mismatch::Mismatch;
use crate::syntax::{Node, Shape, Ty};
use crate::term::{Op, Ring, TermId};
use crate::terms::{Terms, contains, holds, integral};

/// The meaning of a C name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Binding {
    /// A variable of the IR.
    Var(VarId),
    /// A vector of `bool`, as a mask of lanes of this type.
    Mask(VarId, Scalar),
    /// A buffer's first element.
    Buffer(BufferId),
}

/// The value of a C expression.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// A scalar. Its C type is the term's or, for `bool` and small integers, possibly `int` with
    /// the same value.
    Scalar(TermId),
    /// A number that literals give, with its C type: of 32 or 64 bits, which hold it. Where C
    /// assigns it or combines it, it takes any type that holds it.
    Literal { value: i128, ty: Scalar },
    /// Lanes.
    Vector(TermId),
    /// A vector of `bool` as a mask: all ones where it holds, in signed lanes of this type.
    Mask(TermId, Scalar),
    /// A vector of `bool` as bits: 1 where it holds, in signed lanes of this type.
    Bits(TermId, Scalar),
}

/// The names in scope, with the innermost last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    names: Vec<(String, Binding)>,
}

impl Scope {
    pub(crate) fn bind(&mut self, name: &str, binding: Binding) {
        self.names.push((name.to_owned(), binding));
    }

    pub(crate) fn depth(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn leave(&mut self, depth: usize) {
        self.names.truncate(depth);
    }

    pub(crate) fn get(&self, name: &str) -> Option<Binding> {
        self.names.iter().rev().find(|(known, _)| known == name).map(|(_, binding)| *binding)
    }
}

/// Lifts expressions within a scope.
pub(crate) struct Lift<'t, 'a> {
    pub(crate) text: &'t str,
    pub(crate) scope: &'t Scope,
    pub(crate) terms: &'t mut Terms<'a>,
}

/// A lifted value, or the mismatch in the C.
pub(crate) type Lifted<T> = Result<T, Mismatch>;

impl Lift<'_, '_> {
    pub(crate) fn fail<T>(&self, node: &Node, what: &str) -> Lifted<T> {
        Err(Mismatch::at(self.text, node.at, what))
    }

    /// Lifts a scalar expression and converts it to `to` as by assignment.
    pub(crate) fn scalar_as(&mut self, node: &Node, to: Scalar) -> Lifted<TermId> {
        let value = self.value(node)?;
        self.convert(node, value, to)
    }

    /// Lifts a vector expression, whose lanes must be of this type.
    pub(crate) fn vector_as(&mut self, node: &Node, to: Scalar, lanes: u32) -> Lifted<TermId> {
        let value = self.value(node)?;
        self.vector_of(node, value, to, lanes)
    }

    /// Returns the lanes of a value, which must be of this type.
    pub(crate) fn vector_of(
        &mut self,
        node: &Node,
        value: Value,
        to: Scalar,
        lanes: u32,
    ) -> Lifted<TermId> {
        match value {
            Value::Vector(term)
                if self.terms.ty(term).scalar == to && self.terms.ty(term).lanes == lanes =>
            {
                Ok(term)
            }
            Value::Bits(mask, width) if width == to && self.terms.ty(mask).lanes == lanes => {
                Ok(self.terms.cast(to, mask))
            }
            Value::Vector(_)
            | Value::Bits(..)
            | Value::Mask(..)
            | Value::Scalar(_)
            | Value::Literal { .. } => self.fail(node, "a vector of another type"),
        }
    }

    /// Lifts a mask with these lanes, as a vector of `bool`.
    pub(crate) fn mask_as(&mut self, node: &Node, width: Scalar, lanes: u32) -> Lifted<TermId> {
        match self.value(node)? {
            Value::Mask(term, found) if found == width && self.terms.ty(term).lanes == lanes => {
                Ok(term)
            }
            Value::Mask(..)
            | Value::Vector(_)
            | Value::Bits(..)
            | Value::Scalar(_)
            | Value::Literal { .. } => self.fail(node, "no mask of the right width"),
        }
    }

    /// Lifts a condition.
    pub(crate) fn truth(&mut self, node: &Node) -> Lifted<TermId> {
        let value = self.value(node)?;
        self.truth_of(node, value)
    }

    fn truth_of(&mut self, node: &Node, value: Value) -> Lifted<TermId> {
        match value {
            Value::Scalar(term) if self.terms.ty(term).scalar == Scalar::Bool => Ok(term),
            Value::Literal { value: bit @ (0 | 1), .. } => {
                Ok(self.terms.constant(Constant::bool(bit == 1)))
            }
            Value::Scalar(_)
            | Value::Literal { .. }
            | Value::Vector(_)
            | Value::Mask(..)
            | Value::Bits(..) => self.fail(node, "a condition that is no comparison"),
        }
    }

    /// Converts a scalar value to `to` as by assignment.
    pub(crate) fn convert(&mut self, node: &Node, value: Value, to: Scalar) -> Lifted<TermId> {
        match value {
            Value::Scalar(term) => {
                if self.terms.ty(term).scalar.is_float() && integral(to) {
                    return self.fail(node, "a conversion that C may leave undefined");
                }
                Ok(self.terms.cast(to, term))
            }
            Value::Literal { value, .. } if contains(to, value) => Ok(self.literal_as(value, to)),
            Value::Literal { .. } => self.fail(node, "a literal that does not fit"),
            Value::Vector(_) | Value::Mask(..) | Value::Bits(..) => {
                self.fail(node, "a vector where a scalar is due")
            }
        }
    }

    pub(crate) fn literal_as(&mut self, value: i128, to: Scalar) -> TermId {
        let wide = Constant::int(value);
        // Every literal fits 64 bits, so it casts to every type.
        let constant = eval::cast(to, wide).unwrap_or(wide);
        self.terms.constant(constant)
    }

    /// Lifts an expression.
    pub(crate) fn value(&mut self, node: &Node) -> Lifted<Value> {
        match &node.shape {
            Shape::Name(name) => match self.scope.get(name) {
                Some(Binding::Var(var)) => {
                    let term = self.terms.var(var);
                    Ok(if self.terms.ty(term).lanes == 1 {
                        Value::Scalar(term)
                    } else {
                        Value::Vector(term)
                    })
                }
                Some(Binding::Mask(var, width)) => Ok(Value::Mask(self.terms.var(var), width)),
                Some(Binding::Buffer(_)) => self.fail(node, "a buffer is no value"),
                None => self.fail(node, "a name that stands for nothing"),
            },
            Shape::Number(text) => self.number(node, text),
            Shape::Text(_) | Shape::SizeOf(_) | Shape::Array(..) | Shape::Arrow(..) => {
                self.fail(node, "no value of the program")
            }
            Shape::Unary(op, operand) => self.unary(node, op, operand),
            Shape::Binary(op, lhs, rhs) => self.binary(node, op, lhs, rhs),
            Shape::Conditional(condition, if_true, if_false) => {
                let condition = self.truth(condition)?;
                let a = self.value(if_true)?;
                let b = self.value(if_false)?;
                let (a, b) = self.alike(node, a, b)?;
                Ok(Value::Scalar(self.terms.select(condition, a, b)))
            }
            Shape::Cast(ty, operand) => self.cast(node, ty, operand),
            Shape::Call(name, arguments) => self.call(node, name, arguments),
            Shape::Index(base, index) => {
                let buffer = self.buffer(base)?;
                let index = self.scalar_as(index, Scalar::I64)?;
                Ok(Value::Scalar(self.terms.load(buffer, index)))
            }
        }
    }

    /// Returns the buffer that a pointer points to.
    pub(crate) fn buffer(&mut self, node: &Node) -> Lifted<BufferId> {
        if let Shape::Name(name) = &node.shape
            && let Some(Binding::Buffer(buffer)) = self.scope.get(name)
        {
            return Ok(buffer);
        }
        self.fail(node, "no buffer")
    }

    fn number(&mut self, node: &Node, text: &str) -> Lifted<Value> {
        if text.contains('.') || text.contains('e') || text.ends_with('f') {
            let constant = match text.strip_suffix('f') {
                Some(digits) => digits.parse().ok().map(Constant::f32),
                None => text.parse().ok().map(Constant::f64),
            };
            return match constant {
                Some(constant) => Ok(Value::Scalar(self.terms.constant(constant))),
                None => self.fail(node, "no number"),
            };
        }
        let (digits, unsigned) = match text.strip_suffix('u') {
            Some(digits) => (digits, true),
            None => (text, false),
        };
        // C's type of a decimal literal is the first that holds it. A `long` has 64 bits.
        let types = if unsigned { [Scalar::U32, Scalar::U64] } else { [Scalar::I32, Scalar::I64] };
        let value = digits.parse::<i128>().ok();
        // A leading zero would make the literal octal.
        let value = value.filter(|value| value.to_string() == digits);
        let ty = types.into_iter().find(|ty| value.is_some_and(|value| contains(*ty, value)));
        match (value, ty) {
            (Some(value), Some(ty)) => Ok(Value::Literal { value, ty }),
            _ => self.fail(node, "no number"),
        }
    }

    fn unary(&mut self, node: &Node, op: &str, operand: &Node) -> Lifted<Value> {
        let value = self.value(operand)?;
        match (op, value) {
            ("!", _) => {
                let term = self.truth_of(operand, value)?;
                Ok(Value::Scalar(self.terms.not(term)))
            }
            ("-", Value::Literal { value, ty }) => self.literal(node, -value, ty),
            ("~", Value::Literal { value, ty }) => self.literal(node, -value - 1, ty),
            ("-", Value::Scalar(term)) => {
                let from = self.terms.ty(term).scalar;
                let to = promoted(from);
                let wide = self.terms.cast(to, term);
                if to == Scalar::I32 && !self.fits(wide, |(low, high)| (-high, -low)) {
                    return self.fail(node, "a negation that C may leave undefined");
                }
                Ok(Value::Scalar(self.terms.neg(to.is_signed(), wide)))
            }
            ("-", Value::Vector(term)) => {
                let ty = self.terms.ty(term).scalar;
                self.refuse_overflow_of_lanes(node, ty)?;
                Ok(Value::Vector(self.terms.neg(ty.is_signed(), term)))
            }
            ("~", Value::Scalar(term)) if self.terms.ty(term).scalar.is_machine_integer() => {
                let to = promoted(self.terms.ty(term).scalar);
                let wide = self.terms.cast(to, term);
                Ok(Value::Scalar(self.terms.not(wide)))
            }
            ("~", Value::Vector(term)) => Ok(Value::Vector(self.terms.not(term))),
            ("~", Value::Mask(term, width)) => Ok(Value::Mask(self.terms.not(term), width)),
            _ => self.fail(node, "an operator on what it does not take"),
        }
    }

    /// Tests whether C's `int` holds every result of an operation on such operands.
    fn fits(&self, term: TermId, result: impl Fn((i128, i128)) -> (i128, i128)) -> bool {
        let (low, high) = result(self.terms.range(term));
        i128::from(i32::MIN) <= low && high <= i128::from(i32::MAX)
    }

    fn binary(&mut self, node: &Node, op: &str, lhs: &Node, rhs: &Node) -> Lifted<Value> {
        let a = self.value(lhs)?;
        let b = self.value(rhs)?;
        if matches!(op, "&&" | "||") {
            let a = self.truth_of(lhs, a)?;
            let b = self.truth_of(rhs, b)?;
            let op = if op == "&&" { Op::And } else { Op::Or };
            return Ok(Value::Scalar(self.terms.binary(op, a, b)));
        }
        match (a, b) {
            (Value::Literal { value: x, ty: s }, Value::Literal { value: y, ty: t }) => {
                self.literals(node, op, (x, s), (y, t))
            }
            (
                Value::Scalar(_) | Value::Literal { .. },
                Value::Scalar(_) | Value::Literal { .. },
            ) => self.scalars(node, op, a, b),
            (Value::Mask(m, width), Value::Literal { value: 1, .. }) if op == "&" => {
                Ok(Value::Bits(m, width))
            }
            (Value::Mask(x, width), Value::Mask(y, other)) if width == other => match plain(op) {
                Some(op @ (Op::And | Op::Or | Op::Xor | Op::Eq | Op::Ne)) => {
                    Ok(Value::Mask(self.terms.binary(op, x, y), width))
                }
                Some(_) | None => self.fail(node, "an operator that masks do not take"),
            },
            _ => self.vectors(node, op, a, b),
        }
    }

    /// Lifts an operator on two literals: C converts both to their common type.
    fn literals(
        &mut self,
        node: &Node,
        op: &str,
        (x, ty_x): (i128, Scalar),
        (y, ty_y): (i128, Scalar),
    ) -> Lifted<Value> {
        let ty = common(ty_x, ty_y);
        let (a, b) = (self.literal_as(x, ty), self.literal_as(y, ty));
        if let Some(op) = plain(op).filter(|op| op.is_comparison()) {
            return Ok(Value::Scalar(self.terms.binary(op, a, b)));
        }
        let (Some(x), Some(y)) = (self.integer(a), self.integer(b)) else {
            return self.fail(node, "literals that are no integers");
        };
        let result = match op {
            "+" => x.checked_add(y),
            "-" => x.checked_sub(y),
            "*" => x.checked_mul(y),
            "/" if x >= 0 && y > 0 => Some(x / y),
            "%" if x >= 0 && y > 0 => Some(x % y),
            "&" => Some(x & y),
            "|" => Some(x | y),
            "^" => Some(x ^ y),
            _ => None,
        };
        match result {
            Some(result) => self.literal(node, result, ty),
            None => self.fail(node, "literals that C may leave undefined"),
        }
    }

    /// Returns the number that arithmetic of this type gives for an exact result: C leaves signed
    /// overflow undefined.
    fn literal(&mut self, node: &Node, exact: i128, ty: Scalar) -> Lifted<Value> {
        let held = Constant::wrapped(ty, exact).and_then(Constant::as_integer);
        match held {
            Some(value) if value == exact || ty.is_unsigned() => Ok(Value::Literal { value, ty }),
            Some(_) | None => self.fail(node, "literals that C may leave undefined"),
        }
    }

    fn integer(&self, id: TermId) -> Option<i128> {
        self.terms.as_constant(id).and_then(Constant::as_integer)
    }

    /// Returns both values as terms of one type, without a change of value if there is such a type.
    /// Otherwise they are converted as C converts operands.
    fn alike(&mut self, node: &Node, a: Value, b: Value) -> Lifted<(TermId, TermId)> {
        match (a, b) {
            (Value::Literal { value: x, ty: s }, Value::Literal { value: y, ty: t }) => {
                let ty = common(s, t);
                Ok((self.literal_as(x, ty), self.literal_as(y, ty)))
            }
            (Value::Scalar(a), Value::Scalar(b)) => {
                let (ty_a, ty_b) = (self.terms.ty(a).scalar, self.terms.ty(b).scalar);
                if ty_a == ty_b {
                    return Ok((a, b));
                }
                // A narrower type stands for the type that C promotes it to.
                let to = common(ty_a, ty_b);
                if promoted(ty_a) == to
                    && let Some(b) = self.terms.view(b, ty_a)
                {
                    return Ok((a, b));
                }
                if promoted(ty_b) == to
                    && let Some(a) = self.terms.view(a, ty_b)
                {
                    return Ok((a, b));
                }
                Ok((self.terms.cast(to, a), self.terms.cast(to, b)))
            }
            (Value::Scalar(a), Value::Literal { value, ty }) => {
                Ok((a, self.literal_beside(node, a, value, ty)?))
            }
            (Value::Literal { value, ty }, Value::Scalar(b)) => {
                Ok((self.literal_beside(node, b, value, ty)?, b))
            }
            _ => self.fail(node, "operands that C does not combine so"),
        }
    }

    fn literal_beside(
        &mut self,
        node: &Node,
        beside: TermId,
        value: i128,
        of_literal: Scalar,
    ) -> Lifted<TermId> {
        let ty = self.terms.ty(beside).scalar;
        // The literal would make the other operand unsigned, or wider.
        if !contains(ty, value) || common(ty, of_literal) != promoted(ty) {
            return self.fail(node, "a literal that does not fit the other operand");
        }
        Ok(self.literal_as(value, ty))
    }

    fn scalars(&mut self, node: &Node, op: &str, a: Value, b: Value) -> Lifted<Value> {
        let (x, y) = self.alike(node, a, b)?;
        let ty = self.terms.ty(x).scalar;
        if let Some(ring) = ring(op) {
            let to = promoted(ty);
            let (x, y) = (self.terms.cast(to, x), self.terms.cast(to, y));
            if to == Scalar::I32 {
                let (c, d) = self.terms.range(y);
                let reach = |(a, b): (i128, i128)| match ring {
                    Ring::Add => (a + c, b + d),
                    Ring::Sub => (a - d, b - c),
                    Ring::Mul => {
                        let products = [a * c, a * d, b * c, b * d];
                        (
                            products.into_iter().fold(i128::MAX, i128::min),
                            products.into_iter().fold(i128::MIN, i128::max),
                        )
                    }
                };
                if !self.fits(x, reach) {
                    return self.fail(node, "arithmetic that C may leave undefined");
                }
            }
            return Ok(Value::Scalar(self.terms.ring(ring, to.is_signed(), x, y)));
        }
        let Some(op) = plain(op) else {
            return self.fail(node, "an operator that scalars do not take here");
        };
        let takes = match op {
            Op::Div | Op::Mod => self.divides(op, ty, x, y),
            Op::And | Op::Or | Op::Xor => integral(ty),
            Op::Min | Op::Max | Op::Shl | Op::Shr => false,
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => true,
        };
        if !takes {
            return self.fail(node, "an operator that C may leave undefined here");
        }
        Ok(Value::Scalar(self.terms.binary(op, x, y)))
    }

    /// Tests whether C's division equals the IR's: it divides floats, or numbers that are not
    /// negative by a constant that is not 0 and not negative either.
    fn divides(&self, op: Op, ty: Scalar, dividend: TermId, divisor: TermId) -> bool {
        let divisor = self.terms.as_constant(divisor).and_then(Constant::as_integer);
        let is_positive = divisor.is_some_and(|value| value > 0);
        let is_natural = ty.is_unsigned()
            || self.terms.ty(dividend).lanes == 1
                && integral(ty)
                && self.terms.range(dividend).0 >= 0;
        (ty.is_float() && op == Op::Div) || (is_natural && is_positive)
    }

    /// Lifts an operator on lanes. One side may be a constant that GNU C broadcasts.
    fn vectors(&mut self, node: &Node, op: &str, a: Value, b: Value) -> Lifted<Value> {
        let [a, b] = [a, b].map(|value| match value {
            Value::Bits(mask, width) => Value::Vector(self.terms.cast(width, mask)),
            Value::Scalar(_) | Value::Literal { .. } | Value::Vector(_) | Value::Mask(..) => value,
        });
        let (x, y) = match (a, b) {
            (Value::Vector(x), Value::Vector(y)) if self.terms.ty(x) == self.terms.ty(y) => (x, y),
            (Value::Vector(x), _) => (x, self.beside_vector(node, x, b)?),
            (_, Value::Vector(y)) => (self.beside_vector(node, y, a)?, y),
            _ => return self.fail(node, "operands that C does not combine so"),
        };
        let ty = self.terms.ty(x).scalar;
        if let Some(ring) = ring(op) {
            self.refuse_overflow_of_lanes(node, ty)?;
            return Ok(Value::Vector(self.terms.ring(ring, ty.is_signed(), x, y)));
        }
        let Some(plain) = plain(op) else {
            let shift = match op {
                "<<" if ty.is_unsigned() => Op::Shl,
                ">>" if integral(ty) => Op::Shr,
                _ => return self.fail(node, "an operator that vectors do not take"),
            };
            if !self.terms.is_small_shift(y) {
                return self.fail(node, "a shift that C may leave undefined");
            }
            return Ok(Value::Vector(self.terms.binary(shift, x, y)));
        };
        if plain.is_comparison() {
            return Ok(Value::Mask(self.terms.binary(plain, x, y), signed_of(ty)));
        }
        let takes = match plain {
            Op::Div | Op::Mod => self.divides(plain, ty, x, y),
            Op::And | Op::Or | Op::Xor => integral(ty),
            Op::Min | Op::Max | Op::Shl | Op::Shr => false,
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => false,
        };
        if !takes {
            return self.fail(node, "an operator that C may leave undefined here");
        }
        Ok(Value::Vector(self.terms.binary(plain, x, y)))
    }

    /// Refuses arithmetic on signed lanes of fewer than 64 bits, which may overflow. With 64 bits,
    /// only the program's own exact arithmetic equals it.
    fn refuse_overflow_of_lanes(&self, node: &Node, ty: Scalar) -> Lifted<()> {
        if ty.is_signed() && ty != Scalar::I64 {
            return self.fail(node, "arithmetic that C may leave undefined");
        }
        Ok(())
    }

    fn beside_vector(&mut self, node: &Node, vector: TermId, value: Value) -> Lifted<TermId> {
        let ty = self.terms.ty(vector);
        let scalar = match value {
            Value::Literal { value, .. } if contains(ty.scalar, value) => {
                self.literal_as(value, ty.scalar)
            }
            Value::Scalar(term)
                if self.terms.ty(term).scalar == ty.scalar
                    && self.terms.as_constant(term).is_some() =>
            {
                term
            }
            Value::Literal { .. }
            | Value::Scalar(_)
            | Value::Vector(_)
            | Value::Mask(..)
            | Value::Bits(..) => return self.fail(node, "no constant to broadcast"),
        };
        Ok(self.terms.broadcast(scalar, ty.lanes))
    }

    fn cast(&mut self, node: &Node, ty: &Ty, operand: &Node) -> Lifted<Value> {
        let value = self.value(operand)?;
        match (ty, value) {
            (Ty::Scalar(to), Value::Literal { value, .. }) => {
                Ok(Value::Scalar(self.literal_as(value, *to)))
            }
            (Ty::Scalar(to), Value::Scalar(_)) => {
                Ok(Value::Scalar(self.convert(node, value, *to)?))
            }
            (Ty::Vector(to, lanes), Value::Vector(term)) => {
                let from = self.terms.ty(term);
                let same = from.lanes == *lanes
                    && integral(*to)
                    && integral(from.scalar)
                    && to.bits() == from.scalar.bits();
                if !same {
                    return self.fail(node, "a vector that is not merely reinterpreted");
                }
                Ok(Value::Vector(self.terms.cast(*to, term)))
            }
            (Ty::Vector(to, lanes), Value::Bits(mask, width))
                if integral(*to)
                    && to.bits() == width.bits()
                    && self.terms.ty(mask).lanes == *lanes =>
            {
                Ok(Value::Vector(self.terms.cast(*to, mask)))
            }
            _ => self.fail(node, "a conversion between these types"),
        }
    }
}

fn ring(op: &str) -> Option<Ring> {
    match op {
        "+" => Some(Ring::Add),
        "-" => Some(Ring::Sub),
        "*" => Some(Ring::Mul),
        _ => None,
    }
}

/// Operators with the same meaning on operands of any one type, where C defines them.
fn plain(op: &str) -> Option<Op> {
    Some(match op {
        "/" => Op::Div,
        "%" => Op::Mod,
        "&" => Op::And,
        "|" => Op::Or,
        "^" => Op::Xor,
        "==" => Op::Eq,
        "!=" => Op::Ne,
        "<" => Op::Lt,
        "<=" => Op::Le,
        ">" => Op::Gt,
        ">=" => Op::Ge,
        _ => return None,
    })
}

/// C's promoted type of an operand: `int` where it holds all values.
fn promoted(scalar: Scalar) -> Scalar {
    if integral(scalar) && holds(Scalar::I32, scalar) { Scalar::I32 } else { scalar }
}

/// C's common type of two operands of different types.
fn common(a: Scalar, b: Scalar) -> Scalar {
    let (a, b) = (promoted(a), promoted(b));
    let order = [Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64, Scalar::F32, Scalar::F64];
    let rank = |scalar: Scalar| order.iter().position(|other| *other == scalar);
    if rank(a) < rank(b) { b } else { a }
}
