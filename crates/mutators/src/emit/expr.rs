//! Reads expressions in emitted C, with C's promotions and conversions.

use halidom_cpp::Sign;
use halidom_rewrites::rules::{Domain, Fun, ValueId};

use crate::emit::text::{Token, tokens};
use crate::ir::intrinsics::Intrinsic;
use crate::ir::kinds::{Code, I32, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::{Num, Piece, Val};
use crate::machine::names::TypeName;
use crate::machine::run::Machine;

impl Machine<'_> {
    /// Returns the value of a text as a C expression that stands for a node of a type; `None` if
    /// the text is not a known expression.
    pub(super) fn read_c(
        &mut self,
        ty: Type,
        rope: &[Piece],
        state: &mut State,
        line: usize,
    ) -> Option<Val> {
        let tokens = tokens(rope)?;
        let mut reader = Reader::new(self, &tokens, Vec::new(), line);
        reader.ty = ty;
        let value = reader.conditional(state)?;
        reader.is_done().then_some(value)
    }

    /// Tests whether a text is a C expression that needs no parentheses within any other: no
    /// operator of two operands stands outside of parentheses.
    pub(super) fn binds_tightly(
        &mut self,
        ty: Type,
        rope: &[Piece],
        state: &mut State,
        line: usize,
    ) -> bool {
        let Some(tokens) = tokens(rope) else { return false };
        let mut reader = Reader::new(self, &tokens, Vec::new(), line);
        reader.ty = ty;
        reader.unary(state).is_some() && reader.is_done()
    }

    /// Returns the value of an operand in C.
    pub(super) fn c_value(&mut self, node: NodeId, state: &State) -> Option<Val> {
        let ty = state.node(node).ty;
        if ty.is_vector || !ty.is_value() {
            return None;
        }
        let term = self.node_value(node, state);
        Some(match ty.code {
            Code::Float => Val::Real(term),
            _ if ty.is_bool() => Val::Bool(term),
            Code::Int | Code::UInt => {
                let num = self.host_number(term, ty.range()?, ty.code == Code::Int);
                Val::Int(Num { bits: ty.bits, ..num })
            }
            Code::Handle | Code::Stmt | Code::Name | Code::List => return None,
        })
    }
}

/// The binary operators by precedence, loosest first.
const LEVELS: [&[Sign]; 10] = [
    &[Sign::Or],
    &[Sign::And],
    &[Sign::BitOr],
    &[Sign::BitXor],
    &[Sign::BitAnd],
    &[Sign::Eq, Sign::Ne],
    &[Sign::Lt, Sign::Le, Sign::Gt, Sign::Ge],
    &[Sign::Shl, Sign::Shr],
    &[Sign::Add, Sign::Sub],
    &[Sign::Mul, Sign::Div, Sign::Rem],
];

pub(super) struct Reader<'r, 'p> {
    pub(super) machine: &'r mut Machine<'p>,
    pub(super) tokens: &'r [Token],
    pub(super) at: usize,
    /// The variables for operands that are computed somewhere in the text.
    pub(super) declared: Vec<NodeId>,
    /// The declared variables that are visible here.
    pub(super) visible: Vec<NodeId>,
    /// The type of the expression that is read.
    ty: Type,
    line: usize,
}

impl<'r, 'p> Reader<'r, 'p> {
    pub(super) fn new(
        machine: &'r mut Machine<'p>,
        tokens: &'r [Token],
        declared: Vec<NodeId>,
        line: usize,
    ) -> Self {
        Self { machine, tokens, at: 0, declared, visible: Vec::new(), ty: I32, line }
    }
}

impl Reader<'_, '_> {
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn is_done(&self) -> bool {
        self.at == self.tokens.len()
    }

    /// Tests whether the next token is one of these signs.
    fn is_at(&self, signs: &[&str]) -> bool {
        matches!(self.peek(), Some(Token::Sign(sign)) if signs.contains(&sign.as_str()))
    }

    pub(super) fn take_sign(&mut self, wanted: &str) -> bool {
        let is_met = self.is_at(&[wanted]);
        self.at += usize::from(is_met);
        is_met
    }

    pub(super) fn conditional(&mut self, state: &mut State) -> Option<Val> {
        let condition = self.binary(0, state)?;
        if !self.take_sign("?") {
            return Some(condition);
        }
        let condition = self.truth(&condition)?;
        let then = self.conditional(state)?;
        if !self.take_sign(":") {
            return None;
        }
        let otherwise = self.conditional(state)?;
        self.choice(condition, then, otherwise)
    }

    fn choice(&mut self, condition: ValueId, then: Val, otherwise: Val) -> Option<Val> {
        let machine = &mut *self.machine;
        Some(match (then, otherwise) {
            (Val::Real(a), Val::Real(b)) => {
                Val::Real(machine.values.apply(Fun::Ite, &[condition, a, b]))
            }
            (Val::Bool(a), Val::Bool(b)) => {
                Val::Bool(machine.values.apply(Fun::Ite, &[condition, a, b]))
            }
            (then, otherwise) => {
                let (a, b) = (machine.promote(&then)?, machine.promote(&otherwise)?);
                let (a, b, bits, is_signed) = machine.promoted(a, b);
                let term = machine.values.apply(Fun::Ite, &[condition, a.term, b.term]);
                let (low, high) = (a.low.min(b.low), a.high.max(b.high));
                Val::Int(Num { term, bits, is_signed, low, high, remainder_of: None })
            }
        })
    }

    pub(super) fn truth(&mut self, value: &Val) -> Option<ValueId> {
        match value {
            Val::Bool(term) => Some(*term),
            Val::Int(num) => {
                let zero = self.machine.number(0, num.bits, num.is_signed);
                Some(self.machine.comparison(Sign::Ne, num.term, zero.term))
            }
            _ => None,
        }
    }

    fn binary(&mut self, level: usize, state: &mut State) -> Option<Val> {
        if level == LEVELS.len() {
            return self.unary(state);
        }
        let mut value = self.binary(level + 1, state)?;
        loop {
            let sign = match self.peek() {
                Some(Token::Sign(sign)) => Sign::of(sign),
                _ => None,
            };
            let Some(op) = sign.filter(|sign| LEVELS[level].contains(sign)) else {
                return Some(value);
            };
            self.at += 1;
            let rhs = self.binary(level + 1, state)?;
            value = self.apply(op, &value, &rhs, state)?;
        }
    }

    fn apply(&mut self, op: Sign, lhs: &Val, rhs: &Val, state: &mut State) -> Option<Val> {
        if matches!(op, Sign::And | Sign::Or) {
            let (a, b) = (self.truth(lhs)?, self.truth(rhs)?);
            let fun = if op == Sign::And { Fun::And } else { Fun::Or };
            return Some(Val::Bool(self.machine.values.apply(fun, &[a, b])));
        }
        let machine = &mut *self.machine;
        if let (Val::Real(_), _) | (_, Val::Real(_)) = (lhs, rhs) {
            let real = |machine: &mut Machine<'_>, value: &Val| match value {
                Val::Real(term) => Some(*term),
                Val::Int(num) => Some(machine.values.convert(num.term, Domain::Real)),
                _ => None,
            };
            let (a, b) = (real(machine, lhs)?, real(machine, rhs)?);
            let fun = match op {
                Sign::Add => Fun::Add,
                Sign::Sub => Fun::Sub,
                Sign::Mul => Fun::Mul,
                Sign::Div => Fun::Div,
                Sign::Eq | Sign::Ne | Sign::Lt | Sign::Le | Sign::Gt | Sign::Ge => {
                    return Some(Val::Bool(machine.comparison(op, a, b)));
                }
                _ => return None,
            };
            return Some(Val::Real(machine.values.apply(fun, &[a, b])));
        }
        let (a, b) = (machine.promote(lhs)?, machine.promote(rhs)?);
        if op == Sign::BitAnd
            && let Some(value) = machine.masked(a, b)
        {
            return Some(value);
        }
        // `c_arithmetic` truncates as C does, and records a divisor of 0 as undefined in the C
        // text.
        machine.c_arithmetic(op, a, b, self.line, state)
    }

    fn unary(&mut self, state: &mut State) -> Option<Val> {
        if self.take_sign("!") {
            let operand = self.unary(state)?;
            let truth = self.truth(&operand)?;
            return Some(Val::Bool(self.machine.values.apply(Fun::Not, &[truth])));
        }
        if self.take_sign("-") {
            let operand = self.unary(state)?;
            if let Val::Real(term) = operand {
                let zero = self.machine.values.number(0, Domain::Real);
                return Some(Val::Real(self.machine.values.apply(Fun::Sub, &[zero, term])));
            }
            let num = self.machine.promote(&operand)?;
            let zero = self.machine.number(0, num.bits, num.is_signed);
            return self.machine.c_arithmetic(Sign::Sub, zero, num, self.line, state);
        }
        if self.take_sign("+") {
            return self.unary(state);
        }
        // A cast: `(T) e`.
        if matches!(self.peek(), Some(Token::Sign(sign)) if sign == "(") {
            let start = self.at;
            self.at += 1;
            if let Some(ty) = self.type_name()
                && self.take_sign(")")
            {
                if let Some(value) = self.converted_operand(ty, state) {
                    return Some(value);
                }
                let operand = self.unary(state)?;
                return self.cast(ty, operand);
            }
            self.at = start;
        }
        self.primary(state)
    }

    /// Reads an operand that is converted to `bool`, or a floating-point operand that is converted
    /// to an integer. C and the IR may differ in which bits become `true`, so conversions of
    /// numbers other than 0 and 1 are not judged. Both cut off fractions.
    fn converted_operand(&mut self, ty: Type, state: &mut State) -> Option<Val> {
        let begin = self.at;
        let is_wrapped = self.take_sign("(");
        let operand = self.operand();
        let is_whole = operand.is_some()
            && (!is_wrapped || self.take_sign(")"))
            && !self.is_at(&["[", "(", "++"]);
        let is_converted = |node: &NodeId| {
            let from = state.node(*node).ty;
            let is_number = matches!(ty.code, Code::Int | Code::UInt);
            is_whole
                && is_number
                && !from.is_bool()
                && !from.is_vector
                && (ty.is_bool() || from.code == Code::Float)
        };
        let Some(node) = operand.filter(is_converted) else {
            self.at = begin;
            return None;
        };
        let shape = Shape { kind: Kind::Cast, fields: vec![Field::Expr(node)] };
        let cast = state.add(ty, None, Some(shape));
        self.machine.c_value(cast, state)
    }

    pub(super) fn type_name(&mut self) -> Option<Type> {
        let ty = match self.peek()? {
            Token::Type(ty) => *ty,
            Token::Word(word) => c_type(word)?,
            _ => return None,
        };
        self.at += 1;
        Some(ty)
    }

    fn cast(&mut self, ty: Type, value: Val) -> Option<Val> {
        let machine = &mut *self.machine;
        Some(match (ty.code, value) {
            (Code::Float, Val::Real(term)) => Val::Real(term),
            (Code::Float, value) => {
                let num = machine.promote(&value)?;
                machine.real_of(num)
            }
            (_, Val::Bool(truth)) if ty.is_bool() => Val::Bool(truth),
            (_, Val::Int(num)) if ty.is_bool() => {
                let zero = machine.number(0, num.bits, num.is_signed);
                Val::Bool(machine.comparison(Sign::Ne, num.term, zero.term))
            }
            _ if ty.is_bool() => return None,
            (Code::Int | Code::UInt, value) => {
                let num = machine.promote(&value)?;
                Val::Int(machine.convert(num, ty.bits, ty.code == Code::Int))
            }
            _ => return None,
        })
    }

    /// Reads a load from a buffer, `b[i]` or `((const T *)b)[i]`. Without a cast, the load has the
    /// type of the expression that is read.
    fn loaded(&mut self, state: &mut State) -> Option<Val> {
        let begin = self.at;
        let read = self.buffer_and_type().filter(|_| self.take_sign("["));
        let Some((name, ty)) = read else {
            self.at = begin;
            return None;
        };
        let index = self.expr(state)?;
        if !self.take_sign("]") {
            return None;
        }
        self.load_of(name, index, ty, state)
    }

    fn load_of(&mut self, name: NodeId, index: NodeId, ty: Type, state: &mut State) -> Option<Val> {
        let always = self.machine.truth_of(true, state);
        let operands = [name, always, index].map(Field::Expr);
        let fields = operands.into_iter().chain([Field::Opaque(0); 3]).collect();
        let load = state.add(ty, None, Some(Shape { kind: Kind::Load, fields }));
        self.machine.c_value(load, state)
    }

    fn buffer_and_type(&mut self) -> Option<(NodeId, Type)> {
        if !matches!(self.peek(), Some(Token::Sign(_))) {
            return Some((self.name()?, self.ty));
        }
        for sign in ["(", "("] {
            self.expect(sign)?;
        }
        let _ = self.take(&Token::Word("const".to_owned()));
        let ty = self.type_name()?;
        for sign in ["*", ")"] {
            self.expect(sign)?;
        }
        let name = self.name()?;
        self.expect(")")?;
        Some((name, ty))
    }

    fn primary(&mut self, state: &mut State) -> Option<Val> {
        if let Some(value) = self.loaded(state) {
            return Some(value);
        }
        let token = self.peek()?.clone();
        self.at += 1;
        match token {
            Token::Node(_) => {
                self.at -= 1;
                let node = self.operand()?;
                self.machine.c_value(node, state)
            }
            Token::Name(name) if self.take_sign(".") => {
                self.take(&Token::Word("read".to_owned()))?;
                for sign in ["(", ")"] {
                    self.expect(sign)?;
                }
                let shape = Shape { kind: Kind::StreamExpr, fields: vec![Field::Expr(name)] };
                let read = state.add(self.ty, None, Some(shape));
                self.machine.c_value(read, state)
            }
            Token::Name(name) | Token::Raw(name)
                if self.peek() == Some(&Token::Sign("(".to_owned())) =>
            {
                let arguments = self.arguments(state)?;
                let list = state.list(&arguments);
                let fields = [name, list].map(Field::Expr).to_vec();
                let shape = Shape { kind: Kind::KernelExpr, fields };
                let call = state.add(self.ty, None, Some(shape));
                self.machine.c_value(call, state)
            }
            Token::Name(name) => {
                // A buffer of one element is a variable in C.
                if (0..state.nodes.len()).any(|node| holds(node, name, state)) {
                    let zero = self.machine.number(0, 32, true);
                    let zero = self.machine.literal(I32, zero, state);
                    return self.load_of(name, zero, self.ty, state);
                }
                let variable = (0..state.nodes.len()).find(|node| {
                    matches!(state.shape(*node), Some(Shape { kind: Kind::Variable, fields })
                        if matches!(fields.first(), Some(Field::Expr(own))
                            if state.find(*own) == state.find(name)))
                })?;
                self.machine.c_value(variable, state)
            }
            Token::Num(num) => {
                if let Some(Token::Suffix(suffix)) = self.peek().cloned() {
                    self.at += 1;
                    return self.with_suffix(num, &suffix);
                }
                // A literal has the first type of `int`, `long` and `unsigned long` that holds it.
                // The sign of a negative number does not belong to the literal.
                let fits = |bits, is_signed| {
                    let greatest = Num::range(bits, is_signed).1;
                    (num.low >= 0 || is_signed && -greatest <= num.low) && num.high <= greatest
                };
                // Where the type depends on the number, only its conversion is known.
                let is_long = |least: i128| least > Num::range(32, true).1 && fits(64, true);
                let is_known = fits(32, true) || is_long(num.low) || is_long(-num.high);
                if !is_known && !self.only_converts() {
                    return None;
                }
                let (bits, is_signed) = match (fits(32, true), fits(64, true)) {
                    (true, _) => (32, true),
                    (_, true) => (64, true),
                    _ => (64, false),
                };
                Some(Val::Int(self.machine.convert(num, bits, is_signed)))
            }
            Token::Real(term, digits) => {
                if self.peek() == Some(&Token::Word("f".to_owned())) {
                    self.at += 1;
                }
                Some(Val::Real(self.machine.rounded(term, digits)))
            }
            Token::Number(value, suffix) => {
                let is_signed = !suffix.contains('u');
                let fits = Num::range(32, is_signed).1 >= value && !suffix.contains('l');
                let bits = if fits { 32 } else { 64 };
                Some(Val::Int(self.machine.number(value, bits, is_signed)))
            }
            Token::Word(word) if word == "true" || word == "false" => {
                Some(Val::Bool(self.machine.values.bool(word == "true")))
            }
            Token::Word(word) => self.function(&word, state),
            Token::Sign(sign) if sign == "::" && matches!(self.peek(), Some(Token::Word(_))) => {
                self.primary(state)
            }
            Token::Sign(sign) if sign == "(" => {
                let value = self.conditional(state)?;
                self.take_sign(")").then_some(value)
            }
            Token::Sign(_)
            | Token::Type(_)
            | Token::Quoted
            | Token::Bits(_)
            | Token::Raw(_)
            | Token::Suffix(_)
            | Token::Pragma(_)
            | Token::Stmt(_)
            | Token::Eval(..) => None,
        }
    }

    /// The value of a literal with a suffix. It has the first type of those that the suffix permits
    /// that holds it.
    fn with_suffix(&mut self, num: Num, suffix: &str) -> Option<Val> {
        let is_signed = !suffix.contains('u');
        let (narrow, wide) = (Num::range(32, is_signed).1, Num::range(64, is_signed).1);
        let is_wide = suffix.contains('l') || num.low > narrow;
        if num.low < 0 || num.high > wide || !is_wide && num.high > narrow {
            return None;
        }
        let bits = if is_wide { 64 } else { 32 };
        Some(Val::Int(self.machine.convert(num, bits, is_signed)))
    }

    /// Tests whether the text only converts a number: no operator asks for its type.
    fn only_converts(&self) -> bool {
        self.tokens.iter().all(|token| match token {
            Token::Num(_) | Token::Suffix(_) | Token::Type(_) => true,
            Token::Word(word) => c_type(word).is_some(),
            Token::Sign(sign) => ["(", ")"].contains(&sign.as_str()),
            Token::Number(..)
            | Token::Quoted
            | Token::Pragma(_)
            | Token::Node(_)
            | Token::Name(_)
            | Token::Raw(_)
            | Token::Real(..)
            | Token::Bits(_)
            | Token::Stmt(_)
            | Token::Eval(..) => false,
        })
    }

    fn function(&mut self, name: &str, state: &mut State) -> Option<Val> {
        if !self.take_sign("(") {
            return None;
        }
        if name == "float_from_bits" {
            let Some(Token::Bits(term)) = self.peek() else { return None };
            let mut term = *term;
            self.at += 1;
            if self.ty.bits != 32 {
                // Nine digits tell all floats of 32 bits apart.
                term = self.machine.rounded(term, 9);
            }
            return self.take_sign(")").then_some(Val::Real(term));
        }
        let mut arguments = Vec::new();
        while !self.take_sign(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(self.conditional(state)?);
        }
        let is_least = match Intrinsic::of(name) {
            Intrinsic::Min | Intrinsic::HalideCppMin => true,
            Intrinsic::Max | Intrinsic::HalideCppMax => false,
            _ => return None,
        };
        let [a, b] = arguments.as_slice() else { return None };
        // Both arguments have the one type of the template.
        let are_alike = match (a, b) {
            (Val::Int(a), Val::Int(b)) => (a.bits, a.is_signed) == (b.bits, b.is_signed),
            (Val::Real(_), Val::Real(_)) | (Val::Bool(_), Val::Bool(_)) => true,
            _ => false,
        };
        if !are_alike {
            return None;
        }
        let less = self.apply(Sign::Lt, a, b, state)?;
        let less = self.truth(&less)?;
        let (a, b) = (a.clone(), b.clone());
        if is_least { self.choice(less, a, b) } else { self.choice(less, b, a) }
    }
}

/// True if a node loads from the buffer.
fn holds(node: NodeId, name: NodeId, state: &State) -> bool {
    matches!(state.shape(node), Some(Shape { kind: Kind::Load, fields })
        if matches!(fields.first(), Some(Field::Expr(of)) if state.find(*of) == state.find(name)))
}

/// Returns the type with this name in C.
fn c_type(word: &str) -> Option<Type> {
    let of = |code, bits| Some(Type { code, bits, is_vector: false });
    match TypeName::of(word) {
        TypeName::Bool => Some(Type::BOOL),
        TypeName::Float => of(Code::Float, 32),
        TypeName::Double => of(Code::Float, 64),
        TypeName::Int => Some(I32),
        _ => {
            let (code, rest) = match word.strip_prefix("uint") {
                Some(rest) => (Code::UInt, rest),
                None => (Code::Int, word.strip_prefix("int")?),
            };
            let digits = rest.strip_suffix("_t")?;
            let bits = [8, 16, 32, 64].into_iter().find(|bits: &u8| bits.to_string() == digits)?;
            of(code, bits)
        }
    }
}

impl Machine<'_> {
    /// Rounds a floating-point number to the given number of significant digits.
    fn rounded(&mut self, term: ValueId, digits: u32) -> ValueId {
        let Some(value) = self.values.as_number(term) else {
            return self.values.var(&format!("real {digits} digits of {term:?}"), Domain::Real);
        };
        let mut unit = 1_i128;
        while value.abs() / unit >= 10_i128.pow(digits) {
            unit *= 10;
        }
        let rest = value.rem_euclid(unit);
        let down = value - rest;
        let rounded = if 2 * rest < unit { down } else { down + unit };
        self.values.number(rounded, Domain::Real)
    }

    /// Computes `a & b` if `b` is a literal whose ones are the lowest bits, or no bits, or all
    /// bits.
    fn masked(&mut self, a: Num, b: Num) -> Option<Val> {
        let (a, b, bits, is_signed) = self.promoted(a, b);
        let mask = self.values.as_number(b.term)?;
        if mask == 0 {
            return Some(Val::Int(self.number(0, bits, is_signed)));
        }
        if mask == -1 || !is_signed && mask == Num::range(bits, false).1 {
            return Some(Val::Int(a));
        }
        if mask < 0 || mask & (mask + 1) != 0 {
            return None;
        }
        let size = self.number(mask + 1, bits, is_signed);
        let term = self.values.apply(Fun::Mod, &[a.term, size.term]);
        Some(Val::Int(Num { term, bits, is_signed, low: 0, high: mask, remainder_of: None }))
    }

    /// Computes arithmetic of emitted C. Its overflow is judged together with the input, whose own
    /// overflow is excluded.
    fn c_arithmetic(
        &mut self,
        op: Sign,
        a: Num,
        b: Num,
        line: usize,
        state: &mut State,
    ) -> Option<Val> {
        let count = self.ends.len();
        let before = state.facts.len();
        let value = self.arithmetic(op, a, b, line, state);
        // These ends are undefined behaviour of the emitted code, not of the compiler.
        for end in self.ends.drain(count..) {
            let bad = end.state.facts.last().copied();
            state.emitted_undefined.extend(bad);
        }
        state.facts.truncate(before);
        value
    }
}
