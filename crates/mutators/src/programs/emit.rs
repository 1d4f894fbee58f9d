//! Emitters of C: what they write is read again, and has C's meaning.
//!
//! Text that an emitter writes is a rope: characters, and in between what stands for a number, a type or the name under
//! which an operand was printed. An operand's name has the operand's value and C type: an induction, as for `mutate`.
//! Reading the rope as an expression of C, with its promotions and conversions, gives a number again, which becomes a
//! literal of the node's type. So an emitter is a mutator that folds, and is judged like one.
//!
//! Reason for length: what emitters write, expressions and statements, is read by one reader.

use super::ir::{Code, Kind, Type};
use super::machine::{I32, Machine, Outcome, Paths};
use super::state::{Field, NodeId, Shape, State};
use super::value::{Num, Piece, Place, Val};
use crate::cpp::ast::{Expr, ExprKind};
use crate::rules::{Domain, Fun};

/// What a function of an emitter prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Print {
    /// An operand; its name is returned, and appended to the stream if one is given.
    Expr,
    /// A type.
    Type,
    /// The name of a variable.
    Name,
    /// A variable of the type is declared with the value of the text.
    Assignment,
    /// A number.
    Number,
    /// An operand where its text stands; its text is returned, or appended to the stream if one is given.
    Inline,
    /// A statement.
    Stmt,
    /// A brace that opens.
    Open,
    /// A brace that closes.
    Close,
    /// Blanks.
    Nothing,
}

impl<'p> Machine<'p> {
    /// `stream << a << b`: what is appended; `None` if the leftmost operand is no text that is being written.
    pub(crate) fn append_chain(
        &mut self,
        expr: &'p Expr,
        state: &State,
        line: usize,
    ) -> Option<Paths<Val>> {
        let mut items = Vec::new();
        let mut head = expr;
        while let ExprKind::Binary(op, lhs, rhs) = &head.kind {
            if op != "<<" {
                return None;
            }
            items.push(&**rhs);
            head = lhs;
        }
        let ExprKind::Name(name) = &head.kind else { return None };
        let place = match Self::find_variable(name, state) {
            Some(place) => place,
            None => Place::Member(name.clone()),
        };
        let value = Self::load(&place, state)?.value;
        if !matches!(value, Val::Rope(_)) || items.is_empty() {
            return None;
        }
        let mut paths = vec![state.clone()];
        for item in items.into_iter().rev() {
            let mut next = Vec::new();
            for state in paths {
                for (mut state, value) in self.eval(item, state) {
                    match Self::rope_of(&value, &state) {
                        Some(pieces) => {
                            self.append(&place, pieces, &mut state);
                            next.push(state);
                        }
                        None => {
                            let what = "text of something else".to_owned();
                            self.end(state, Outcome::Unsupported(what), line);
                        }
                    }
                }
            }
            paths = next;
        }
        Some(paths.into_iter().map(|state| (state, Val::Void)).collect())
    }

    /// Appends to a text that is being written.
    fn append(&mut self, place: &Place, pieces: Vec<Piece>, state: &mut State) {
        if let Some(slot) = Self::load(place, state)
            && let Val::Rope(mut rope) = slot.value
        {
            rope.extend(pieces);
            self.store(place, Val::Rope(rope), state);
            if self.is_within_stmt {
                state.at = self.line;
            }
        }
    }

    /// Appends to the stream of statements.
    fn write(&mut self, pieces: Vec<Piece>, state: &mut State) {
        self.append(&Place::Member("stream".to_owned()), pieces, state);
    }

    /// A value as text.
    pub(crate) fn rope_of(value: &Val, state: &State) -> Option<Vec<Piece>> {
        Some(match value {
            Val::Rope(pieces) => pieces.clone(),
            Val::Text(text) => vec![Piece::Text(unescaped(text))],
            Val::Int(num) => vec![Piece::Num(*num)],
            Val::Expr(Some(node)) if state.node(*node).ty == Type::NAME => {
                vec![Piece::Name(*node)]
            }
            _ => return None,
        })
    }

    /// A function that prints.
    pub(crate) fn print(
        &mut self,
        what: Print,
        values: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut state = state;
        let place = values.iter().find_map(|value| match value {
            Val::Reference(place) if matches!(Self::load(place, &state)?.value, Val::Rope(_)) => {
                Some(place.clone())
            }
            _ => None,
        });
        let loaded: Vec<Val> =
            values.iter().map(|value| Self::loaded(value.clone(), &state)).collect();
        let pieces = match (what, loaded.as_slice()) {
            (Print::Nothing, _) => return vec![(state, Val::Void)],
            (Print::Open | Print::Close, _) => {
                let brace = if what == Print::Open { "{\n" } else { "}\n" };
                self.write(vec![Piece::Text(brace.to_owned())], &mut state);
                return vec![(state, Val::Void)];
            }
            (Print::Stmt | Print::Expr | Print::Inline, [Val::Expr(None) | Val::Ptr(None), ..]) => {
                let what = "an undefined operand is printed".to_owned();
                self.end(state, Outcome::Crash(what), line);
                return Vec::new();
            }
            (Print::Stmt, [Val::Expr(Some(node)), ..]) => {
                self.write(vec![Piece::Stmt(*node)], &mut state);
                return vec![(state, Val::Void)];
            }
            (Print::Expr, [Val::Expr(Some(node)) | Val::Ptr(Some((node, _))), ..])
                if self.is_within_stmt =>
            {
                let (mark, piece) = self.computed_here(*node, &mut state);
                self.write(vec![mark], &mut state);
                vec![piece]
            }
            (
                Print::Expr | Print::Inline,
                [Val::Expr(Some(node)) | Val::Ptr(Some((node, _))), ..],
            ) => {
                let name = Val::Rope(vec![Piece::Node(*node)]);
                if place.is_none() {
                    self.store(&Place::Member("id".to_owned()), name, &mut state);
                    state.at = line;
                }
                vec![Piece::Node(*node)]
            }
            (Print::Type, [Val::Type(ty), ..]) => vec![Piece::Type(*ty)],
            (Print::Name, [value, ..]) => match Self::name_of(value, &state) {
                Some(name) => vec![Piece::Name(name)],
                None => match Self::rope_of(value, &state) {
                    Some(pieces) => pieces,
                    None => return self.unsupported(state, "a name of something else", line),
                },
            },
            (Print::Number, [value, ..]) => match Self::rope_of(value, &state) {
                Some(pieces) => pieces,
                None => return self.unsupported(state, "text of something else", line),
            },
            (Print::Assignment, [Val::Type(ty), rhs]) => {
                let Some(rope) = Self::rope_of(rhs, &state) else {
                    return self.unsupported(state, "an assignment of something else", line);
                };
                let node = match vector_of(*ty, &rope, &mut state) {
                    Some(node) => node,
                    None => {
                        let Some(value) = self.read_c(&rope, &mut state, line) else {
                            let what = format!("the C text {}", plain(&rope));
                            return self.unsupported(state, what, line);
                        };
                        let Some(node) = self.as_literal(*ty, value, &mut state) else {
                            return self.unsupported(state, format!("C of the type {ty}"), line);
                        };
                        node
                    }
                };
                let name = vec![Piece::Node(node)];
                self.store(&Place::Member("id".to_owned()), Val::Rope(name.clone()), &mut state);
                state.at = line;
                name
            }
            _ => return self.unsupported(state, "printing something else", line),
        };
        if let Some(place) = place {
            self.append(&place, pieces, &mut state);
            return vec![(state, Val::Void)];
        }
        vec![(state, Val::Rope(pieces))]
    }

    /// What an emitter wrote for a node: a literal of the node's type with the value of the text.
    pub(crate) fn emitted(
        &mut self,
        ty: Type,
        value: &Val,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut state = state;
        let Val::Rope(rope) = value else {
            return self.unsupported(state, "an emitter that wrote no expression", line);
        };
        if let [Piece::Node(node)] = rope.as_slice()
            && state.node(*node).ty == ty
        {
            return vec![(state, Val::Expr(Some(*node)))];
        }
        if let Some(node) = vector_of(ty, rope, &mut state) {
            return vec![(state, Val::Expr(Some(node)))];
        }
        let Some(value) = self.read_c(rope, &mut state, line) else {
            return self.unsupported(state, format!("the C text {}", plain(rope)), line);
        };
        match self.as_literal(ty, value, &mut state) {
            Some(node) => vec![(state, Val::Expr(Some(node)))],
            None => self.unsupported(state, format!("C of the type {ty}"), line),
        }
    }

    /// A variable of an IR type that was given a value in C.
    pub(super) fn as_literal(&mut self, ty: Type, value: Val, state: &mut State) -> Option<NodeId> {
        if ty.is_vector {
            return None;
        }
        let (kind, term) = match (ty.code, value) {
            (Code::Float, Val::Real(term)) => (Kind::FloatImm, term),
            (Code::Float, Val::Int(num)) => match self.real_of(num) {
                Val::Real(term) => (Kind::FloatImm, term),
                _ => return None,
            },
            // A `bool` is whether a number is not 0.
            (Code::UInt, value) if ty.is_bool() => {
                let truth = match value {
                    Val::Bool(truth) => truth,
                    Val::Int(num) => {
                        let zero = self.number(0, num.bits, num.is_signed);
                        self.comparison("!=", num.term, zero.term)
                    }
                    _ => return None,
                };
                (Kind::UIntImm, truth)
            }
            (Code::Int | Code::UInt, Val::Bool(truth)) => {
                let num = self.host_number(truth, (0, 1), true);
                let kind = if ty.code == Code::Int { Kind::IntImm } else { Kind::UIntImm };
                (kind, self.values.convert(num.term, ty.domain()))
            }
            (Code::Int | Code::UInt, Val::Int(num)) => {
                let kind = if ty.code == Code::Int { Kind::IntImm } else { Kind::UIntImm };
                let num = self.convert(num, ty.bits, ty.code == Code::Int);
                (kind, self.values.convert(num.term, ty.domain()))
            }
            _ => return None,
        };
        let shape = Shape { kind, fields: vec![Field::Number(term)] };
        Some(state.add(ty, None, Some(shape)))
    }

    /// The value of a text as an expression of C; `None` if it is none that is known.
    fn read_c(&mut self, rope: &[Piece], state: &mut State, line: usize) -> Option<Val> {
        let tokens = tokens(rope)?;
        let mut reader = Reader::new(self, &tokens, Vec::new(), line);
        let value = reader.conditional(state)?;
        reader.is_done().then_some(value)
    }

    /// The value that an operand has in C.
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

/// A token of C.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(String),
    Number(i128, String),
    Sign(String),
    /// A text in quotes.
    Quoted,
    /// What a line says that tells the compiler something.
    Pragma(String),
    /// The text of an operand.
    Node(NodeId),
    Name(NodeId),
    Num(Num),
    Type(Type),
    /// An operand that is a statement.
    Stmt(NodeId),
    /// An operand is computed, for a variable.
    Eval(NodeId, NodeId),
}

/// `T::ramp(a, b)` or `T::broadcast(a)`, as a node of the vector type `T`.
fn vector_of(ty: Type, rope: &[Piece], state: &mut State) -> Option<NodeId> {
    if !ty.is_vector {
        return None;
    }
    let tokens = tokens(rope)?;
    let sign = |text: &str| Token::Sign(text.to_owned());
    let [Token::Type(of), scope, Token::Word(name), open, operands @ .., close] = tokens.as_slice()
    else {
        return None;
    };
    if *of != ty || *scope != sign("::") || *open != sign("(") || *close != sign(")") {
        return None;
    }
    let (kind, nodes) = match (name.as_str(), operands) {
        ("ramp", [Token::Node(base), comma, Token::Node(stride)]) if *comma == sign(",") => {
            (Kind::Ramp, vec![*base, *stride])
        }
        ("broadcast", [Token::Node(value)]) => (Kind::Broadcast, vec![*value]),
        _ => return None,
    };
    if nodes.iter().any(|node| state.node(*node).ty != ty.element()) {
        return None;
    }
    let mut fields: Vec<Field> = nodes.into_iter().map(Field::Expr).collect();
    fields.push(Field::Lanes);
    Some(state.add(ty, None, Some(Shape { kind, fields })))
}

/// The characters that a text of C++ stands for.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other) => other,
                None => letter,
            },
            (letter, false) => letter,
        });
    }
    plain
}

/// A text for a reader.
pub(super) fn plain(rope: &[Piece]) -> String {
    let parts = rope.iter().map(|piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Num(_) => "#".to_owned(),
        Piece::Node(node) => format!("_{node}"),
        Piece::Name(_) => "v".to_owned(),
        Piece::Type(ty) => ty.to_string(),
        Piece::Stmt(_) => "statement".to_owned(),
        Piece::Eval(_, variable) => format!("_{variable} is computed; "),
    });
    parts.collect()
}

/// Signs of two characters and more.
const LONG_SIGNS: [&str; 10] = ["<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "::", "++"];

/// What the characters that are read belong to.
#[derive(Clone, Debug, PartialEq)]
enum Within {
    Code,
    /// A comment to the end of the line.
    Comment,
    /// A line for the compiler, so far.
    Pragma(String),
    Quotes,
}

/// The tokens of a text; `None` if there are none, or one is not known.
pub(super) fn tokens(rope: &[Piece]) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut within = Within::Code;
    for piece in rope {
        let text = match piece {
            Piece::Text(text) => text.as_str(),
            // An operand is computed before the line that its text stands in.
            _ if within != Within::Code && !matches!(piece, Piece::Stmt(_) | Piece::Eval(..)) => {
                continue;
            }
            _ if within != Within::Code => return None,
            Piece::Num(num) => {
                tokens.push(Token::Num(*num));
                continue;
            }
            Piece::Node(node) => {
                tokens.push(Token::Node(*node));
                continue;
            }
            Piece::Name(node) => {
                tokens.push(Token::Name(*node));
                continue;
            }
            Piece::Type(ty) => {
                tokens.push(Token::Type(*ty));
                continue;
            }
            Piece::Stmt(node) => {
                tokens.push(Token::Stmt(*node));
                continue;
            }
            Piece::Eval(node, variable) => {
                tokens.push(Token::Eval(*node, *variable));
                continue;
            }
        };
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let after = &rest[first.len_utf8()..];
            match &mut within {
                Within::Code => {}
                Within::Comment | Within::Pragma(_) if first == '\n' => {
                    if let Within::Pragma(said) = &within {
                        tokens.push(Token::Pragma(said.strip_prefix("pragma ")?.to_owned()));
                    }
                    (within, rest) = (Within::Code, after);
                    continue;
                }
                Within::Pragma(said) => {
                    said.push(first);
                    rest = after;
                    continue;
                }
                // What is escaped is within the quotes.
                Within::Quotes if first == '\\' => {
                    rest = after.get(1..).unwrap_or_default();
                    continue;
                }
                Within::Comment | Within::Quotes => {
                    if within == Within::Quotes && first == '"' {
                        tokens.push(Token::Quoted);
                        within = Within::Code;
                    }
                    rest = after;
                    continue;
                }
            }
            if rest.starts_with("//") {
                (within, rest) = (Within::Comment, &rest[2..]);
                continue;
            }
            if first.is_whitespace() {
                rest = after;
                continue;
            }
            if matches!(first, '#' | '"') {
                within = if first == '#' { Within::Pragma(String::new()) } else { Within::Quotes };
                rest = after;
                continue;
            }
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if is_word(first) {
                let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                rest = after;
                if first.is_ascii_digit() {
                    let digits = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
                    let (digits, suffix) = word.split_at(digits);
                    tokens.push(Token::Number(digits.parse().ok()?, suffix.to_lowercase()));
                } else {
                    tokens.push(Token::Word(word.to_owned()));
                }
                continue;
            }
            let sign = LONG_SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let length = sign.map_or(first.len_utf8(), |sign| sign.len());
            tokens.push(Token::Sign(rest[..length].to_owned()));
            rest = &rest[length..];
        }
    }
    (within == Within::Code || within == Within::Comment).then_some(tokens)
}

/// Binary operators by precedence, loosest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

pub(super) struct Reader<'r, 'p> {
    pub(super) machine: &'r mut Machine<'p>,
    pub(super) tokens: &'r [Token],
    pub(super) at: usize,
    /// The variables under which operands are computed somewhere in the text.
    pub(super) declared: Vec<NodeId>,
    /// Those of them that are visible here.
    pub(super) visible: Vec<NodeId>,
    line: usize,
}

impl<'r, 'p> Reader<'r, 'p> {
    pub(super) fn new(
        machine: &'r mut Machine<'p>,
        tokens: &'r [Token],
        declared: Vec<NodeId>,
        line: usize,
    ) -> Self {
        Self { machine, tokens, at: 0, declared, visible: Vec::new(), line }
    }
}

impl Reader<'_, '_> {
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn is_done(&self) -> bool {
        self.at == self.tokens.len()
    }

    pub(super) fn take_sign(&mut self, wanted: &str) -> bool {
        let is_met = matches!(self.peek(), Some(Token::Sign(sign)) if sign == wanted);
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

    fn choice(
        &mut self,
        condition: crate::rules::ValueId,
        then: Val,
        otherwise: Val,
    ) -> Option<Val> {
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

    pub(super) fn truth(&mut self, value: &Val) -> Option<crate::rules::ValueId> {
        match value {
            Val::Bool(term) => Some(*term),
            Val::Int(num) => {
                let zero = self.machine.number(0, num.bits, num.is_signed);
                Some(self.machine.comparison("!=", num.term, zero.term))
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
            let op = match self.peek() {
                Some(Token::Sign(sign)) if LEVELS[level].contains(&sign.as_str()) => sign.clone(),
                _ => return Some(value),
            };
            self.at += 1;
            let rhs = self.binary(level + 1, state)?;
            value = self.apply(&op, &value, &rhs, state)?;
        }
    }

    fn apply(&mut self, op: &str, lhs: &Val, rhs: &Val, state: &mut State) -> Option<Val> {
        if matches!(op, "&&" | "||") {
            let (a, b) = (self.truth(lhs)?, self.truth(rhs)?);
            let fun = if op == "&&" { Fun::And } else { Fun::Or };
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
                "+" => Fun::Add,
                "-" => Fun::Sub,
                "*" => Fun::Mul,
                "/" => Fun::Div,
                "==" | "!=" | "<" | "<=" | ">" | ">=" => {
                    return Some(Val::Bool(machine.comparison(op, a, b)));
                }
                _ => return None,
            };
            return Some(Val::Real(machine.values.apply(fun, &[a, b])));
        }
        let (a, b) = (machine.promote(lhs)?, machine.promote(rhs)?);
        if op == "&"
            && let Some(value) = machine.masked(a, b)
        {
            return Some(value);
        }
        // Division truncates, which is exact where the divisor is not 0; that it is not is the input's own condition.
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
            return self.machine.c_arithmetic("-", zero, num, self.line, state);
        }
        if self.take_sign("+") {
            return self.unary(state);
        }
        // `(T) e`
        if matches!(self.peek(), Some(Token::Sign(sign)) if sign == "(") {
            let start = self.at;
            self.at += 1;
            if let Some(ty) = self.type_name()
                && self.take_sign(")")
            {
                if ty.is_bool()
                    && let Some(truth) = self.operand_as_truth(state)
                {
                    return Some(truth);
                }
                let operand = self.unary(state)?;
                return self.cast(ty, operand);
            }
            self.at = start;
        }
        self.primary(state)
    }

    /// An operand that is converted to `bool`. Which of its bits decide is C's choice, and another one than the IR's: what
    /// becomes of numbers but 0 and 1 is not judged.
    fn operand_as_truth(&mut self, state: &mut State) -> Option<Val> {
        let begin = self.at;
        let is_wrapped = self.take_sign("(");
        let operand = self.operand();
        let is_whole = operand.is_some()
            && (!is_wrapped || self.take_sign(")"))
            && !matches!(self.peek(), Some(Token::Sign(sign)) if matches!(sign.as_str(), "[" | "(" | "++"));
        let Some(node) = operand.filter(|node| is_whole && !state.node(*node).ty.is_bool()) else {
            self.at = begin;
            return None;
        };
        let shape = Shape { kind: Kind::Cast, fields: vec![Field::Expr(node)] };
        let cast = state.add(Type::BOOL, None, Some(shape));
        Some(Val::Bool(self.machine.node_value(cast, state)))
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
                Val::Bool(machine.comparison("!=", num.term, zero.term))
            }
            _ if ty.is_bool() => return None,
            (Code::Int | Code::UInt, value) => {
                let num = machine.promote(&value)?;
                Val::Int(machine.convert(num, ty.bits, ty.code == Code::Int))
            }
            _ => return None,
        })
    }

    fn primary(&mut self, state: &mut State) -> Option<Val> {
        let token = self.peek()?.clone();
        self.at += 1;
        match token {
            Token::Node(_) => {
                self.at -= 1;
                let node = self.operand()?;
                self.machine.c_value(node, state)
            }
            Token::Name(name) => {
                let variable = (0..state.nodes.len()).find(|node| {
                    matches!(state.shape(*node), Some(Shape { kind: Kind::Variable, fields })
                        if matches!(fields.first(), Some(Field::Expr(own))
                            if state.find(*own) == state.find(name)))
                })?;
                self.machine.c_value(variable, state)
            }
            Token::Num(num) => {
                // Digits have the first type of `int`, `long` and `unsigned long` that they fit.
                let fits = |bits, is_signed| {
                    let (least, greatest) = Num::range(bits, is_signed);
                    least <= num.low && num.high <= greatest
                };
                let (bits, is_signed) = match (fits(32, true), fits(64, true)) {
                    (true, _) => (32, true),
                    (_, true) => (64, true),
                    _ => (64, false),
                };
                Some(Val::Int(self.machine.convert(num, bits, is_signed)))
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
            Token::Sign(sign) if sign == "::" => self.primary(state),
            Token::Sign(sign) if sign == "(" => {
                let value = self.conditional(state)?;
                self.take_sign(")").then_some(value)
            }
            Token::Sign(_)
            | Token::Type(_)
            | Token::Quoted
            | Token::Pragma(_)
            | Token::Stmt(_)
            | Token::Eval(..) => None,
        }
    }

    fn function(&mut self, name: &str, state: &mut State) -> Option<Val> {
        if !self.take_sign("(") {
            return None;
        }
        let mut arguments = Vec::new();
        while !self.take_sign(")") {
            arguments.push(self.conditional(state)?);
            if !self.take_sign(",")
                && !matches!(self.peek(), Some(Token::Sign(sign)) if sign == ")")
            {
                return None;
            }
        }
        let is_least = match name {
            "min" | "halide_cpp_min" => true,
            "max" | "halide_cpp_max" => false,
            _ => return None,
        };
        let [a, b] = arguments.as_slice() else { return None };
        let less = self.apply("<", a, b, state)?;
        let less = self.truth(&less)?;
        let (a, b) = (a.clone(), b.clone());
        if is_least { self.choice(less, a, b) } else { self.choice(less, b, a) }
    }
}

/// A type by its name in C.
fn c_type(word: &str) -> Option<Type> {
    let of = |code, bits| Some(Type { code, bits, is_vector: false });
    match word {
        "bool" => Some(Type::BOOL),
        "float" => of(Code::Float, 32),
        "double" => of(Code::Float, 64),
        "int" => Some(I32),
        _ => {
            let (code, rest) = match word.strip_prefix("uint") {
                Some(rest) => (Code::UInt, rest),
                None => (Code::Int, word.strip_prefix("int")?),
            };
            of(code, rest.strip_suffix("_t")?.parse().ok()?)
        }
    }
}

impl Machine<'_> {
    /// `a & b` where `b` is a literal of low ones, or none, or all.
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

    /// Arithmetic of emitted C. Overflow in it is judged with the input, whose own overflow is excluded.
    fn c_arithmetic(
        &mut self,
        op: &str,
        a: Num,
        b: Num,
        line: usize,
        state: &mut State,
    ) -> Option<Val> {
        let count = self.ends.len();
        let before = state.facts.len();
        let value = self.arithmetic(op, a, b, line, state);
        // Undefined behaviour of the emitted code, not of the compiler.
        for end in self.ends.drain(count..) {
            let bad = end.state.facts.last().copied();
            state.emitted_undefined.extend(bad);
        }
        state.facts.truncate(before);
        value
    }
}
