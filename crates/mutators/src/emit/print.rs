//! Collects the text that emitters of C write, and gives it C's meaning by reading it again.
//!
//! The text that an emitter writes is a rope: characters, and between them pieces for a number, a
//! type or the name under which an operand was printed. By induction, as for `mutate`, an operand's
//! name has the operand's value and C type. The rope is read as a C expression, with promotions and
//! conversions. The result is a number, which becomes a literal of the node's type. So an emitter
//! is judged like a mutator that folds constants.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind};

use crate::emit::text::{Token, tokens};
use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::quoted::{printed, read};
use crate::ir::state::State;
use crate::ir::value::{Piece, Place, Val};
use crate::machine::language::Print;
use crate::machine::run::{Machine, Outcome, Paths};
use crate::machine::sequence::Before;

impl<'p> Machine<'p> {
    /// Appends the items of `stream << a << b`; `None` if the leftmost operand is not a text that
    /// is being written.
    pub(crate) fn append_chain(
        &mut self,
        expr: &'p Expr,
        state: &State,
        line: usize,
    ) -> Option<Paths<Val>> {
        let mut items = Vec::new();
        let mut head = expr;
        while let ExprKind::Binary(op, lhs, rhs) = &head.kind {
            if *op != Sign::Shl {
                return None;
            }
            items.push(&**rhs);
            head = lhs;
        }
        let place = match &head.kind {
            ExprKind::Name(name) => {
                let variable = Self::find_variable(name, state);
                variable.unwrap_or_else(|| Place::Member(name.clone()))
            }
            ExprKind::Member { object, name, .. } if matches!(object.kind, ExprKind::This) => {
                Place::Member(name.clone())
            }
            _ => return None,
        };
        let value = Self::load(&place, state)?.value;
        if !matches!(value, Val::Rope(_)) || items.is_empty() {
            return None;
        }
        let mut paths = vec![state.clone()];
        let mut digits = SHORT;
        let all = items.clone();
        for item in items.into_iter().rev() {
            // Before C++17, the items are evaluated in any order.
            let is_other = |other: &&&Expr| !std::ptr::eq(**other, item);
            let is_ordered = self.profile.name == "halide";
            let others = all.iter().filter(is_other).filter(|_| !is_ordered);
            let others: Vec<&Expr> = others.copied().collect();
            let mut next = Vec::new();
            if let ExprKind::Name(name) = &item.kind
                && let Some(printed) = manipulator(name, digits)
            {
                digits = printed;
                continue;
            }
            for state in paths {
                let before = Before::of(others.iter().copied(), &state);
                let evaluated = self.eval(item, state).into_iter();
                let ordered: Paths<Val> = evaluated
                    .flat_map(|path| {
                        self.in_any_order(item, others.iter().copied(), before.as_ref(), path)
                    })
                    .collect();
                for (mut state, value) in ordered {
                    let value = self.in_a_name(value, &mut state);
                    if matches!(value, Val::Int(num) if num.bits == 8) {
                        let what = "an integer that is printed as a character".to_owned();
                        self.end(state, Outcome::Unsupported(what), line);
                        continue;
                    }
                    match Self::rope_of(&value, &state) {
                        Some(mut pieces) => {
                            for piece in &mut pieces {
                                if let Piece::Real(_, known) = piece {
                                    *known = digits;
                                }
                            }
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
            if self.is_within_stmt() {
                state.at = self.line;
            }
        }
    }

    /// Appends to the stream of statements.
    fn write(&mut self, pieces: Vec<Piece>, state: &mut State) {
        self.append(&Place::Member("stream".to_owned()), pieces, state);
    }

    /// Returns a value as text.
    pub(crate) fn rope_of(value: &Val, state: &State) -> Option<Vec<Piece>> {
        Some(match value {
            Val::Rope(pieces) => pieces.clone(),
            Val::Text(text) => vec![Piece::Text(text.clone())],
            Val::Int(num) => vec![Piece::Num(*num)],
            Val::Real(term) => vec![Piece::Real(*term, SHORT)],
            Val::Bits(term) => vec![Piece::Bits(*term)],
            Val::Expr(Some(node)) if state.node(*node).ty == Type::NAME => {
                vec![Piece::Name(*node)]
            }
            Val::Expr(Some(node)) => vec![Piece::Text(printed(state.text_of_literal(*node)?))],
            _ => return None,
        })
    }

    /// Runs a function that prints, by its contract.
    pub(crate) fn print(
        &mut self,
        what: Print,
        values: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut state = state;
        if matches!(what, Print::Stmt | Print::Expr | Print::Inline) {
            self.forget_tables(&mut state);
            self.forget_flags(&mut state);
            let printed = values.first().map(|value| Self::loaded(value.clone(), &state));
            if let Some(Val::Expr(Some(node)) | Val::Ptr(Some((node, _)))) = printed {
                self.descend(node, &mut state, line);
            }
        }
        let place = values.iter().find_map(|value| match value {
            Val::Reference(place) if matches!(Self::load(place, &state)?.value, Val::Rope(_)) => {
                Some(place.clone())
            }
            _ => None,
        });
        let loaded: Vec<Val> =
            values.iter().map(|value| Self::loaded(value.clone(), &state)).collect();
        let pieces = match (what, loaded.as_slice()) {
            // The result may be put on a stream.
            (Print::Nothing, _) => return vec![(state, Val::Rope(Vec::new()))],
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
                if self.is_within_stmt() =>
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
                Some(name) => vec![Piece::Printed(name)],
                None => match Self::rope_of(value, &state) {
                    Some(pieces) => pieces,
                    None => return self.unsupported(state, "a name of something else", line),
                },
            },
            // A letter is a number there.
            (Print::Number, [Val::Text(_), ..]) => {
                return self.unsupported(state, "digits of a letter", line);
            }
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
                        let Some(value) = self.read_c(*ty, &rope, &mut state, line) else {
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

    /// Turns the text that an emitter wrote for a node into a literal of the node's type with the
    /// text's value. A text that others insert into theirs owes what they assume of an operand: the
    /// promoted C type and the value of the node, and that it binds as tightly as an operand.
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
        if self.is_concrete()
            && ty == Type::HANDLE
            && let Some(node) = text_in_c(rope, &mut state)
        {
            return vec![(state, Val::Expr(Some(node)))];
        }
        let Some(value) = self.read_c(ty, rope, &mut state, line) else {
            return self.unsupported(state, format!("the C text {}", plain(rope)), line);
        };
        if !self.binds_tightly(ty, rope, &mut state.clone(), line) {
            let what = format!("C that binds less tightly than an operand: {}", plain(rope));
            return self.unsupported(state, what, line);
        }
        if !self.keeps_its_type(ty, &value, &mut state) {
            let what = format!("C of another type than the operand of {ty} that it stands for");
            return self.unsupported(state, what, line);
        }
        match self.as_literal(ty, value, &mut state) {
            Some(node) => vec![(state, Val::Expr(Some(node)))],
            None => self.unsupported(state, format!("C of the type {ty}"), line),
        }
    }

    /// Tests whether a value in C has the promoted C type of a node. The text is taken as undefined
    /// where the value lies outside of the node's type.
    fn keeps_its_type(&mut self, ty: Type, value: &Val, state: &mut State) -> bool {
        match value {
            Val::Bool(_) => ty.is_bool(),
            Val::Real(_) => ty.code == Code::Float,
            Val::Int(num) => {
                let Some((least, greatest)) = ty.range() else { return false };
                let is_own = (num.bits, num.is_signed) == (ty.bits, ty.code == Code::Int);
                let is_promoted = ty.bits < 32 && (num.bits, num.is_signed) == (32, true);
                if !is_own && !is_promoted {
                    return false;
                }
                if num.low < least || num.high > greatest {
                    let [least, greatest] =
                        [least, greatest].map(|bound| self.number(bound, num.bits, num.is_signed));
                    let below = self.comparison(Sign::Lt, num.term, least.term);
                    let above = self.comparison(Sign::Lt, greatest.term, num.term);
                    state.emitted_undefined.extend([below, above]);
                }
                true
            }
            _ => false,
        }
    }

    /// Turns a value in C into a literal of an IR type.
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
            // A number becomes the `bool` that tells whether it is not 0.
            (Code::UInt, value) if ty.is_bool() => {
                let truth = match value {
                    Val::Bool(truth) => truth,
                    Val::Int(num) => {
                        let zero = self.number(0, num.bits, num.is_signed);
                        self.comparison(Sign::Ne, num.term, zero.term)
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
}

/// The significant digits of a floating-point number that a stream prints: by default, and with an
/// exponent.
const SHORT: u32 = 6;
const SCIENTIFIC: u32 = 7;

/// Returns the number of digits that a stream prints after a manipulator; `None` if the name is not
/// a manipulator.
fn manipulator(name: &str, digits: u32) -> Option<u32> {
    match name.strip_prefix("std::").unwrap_or(name) {
        "scientific" => Some(SCIENTIFIC),
        "dec" => Some(digits),
        _ => None,
    }
}

/// Reads `T::ramp(a, b)` or `T::broadcast(a)` as a node of the vector type `T`.
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

/// Reads a text in quotes that is wholly known as a literal of the IR.
fn text_in_c(rope: &[Piece], state: &mut State) -> Option<NodeId> {
    let part = |piece: &Piece| match piece {
        Piece::Text(text) => Some(text.clone()),
        _ => None,
    };
    let text = read(&rope.iter().map(part).collect::<Option<String>>()?)?;
    let fields = vec![Field::Opaque(state.spell(&text))];
    Some(state.add(Type::HANDLE, None, Some(Shape { kind: Kind::StringImm, fields })))
}

/// Returns a text for a reader.
pub(crate) fn plain(rope: &[Piece]) -> String {
    const SHOWN: usize = 300;
    let parts = rope.iter().map(|piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Num(_) | Piece::Real(..) | Piece::Bits(_) => "#".to_owned(),
        Piece::Node(node) => format!("_{node}"),
        Piece::Name(_) | Piece::Printed(_) => "v".to_owned(),
        Piece::Type(ty) => ty.to_string(),
        Piece::Stmt(_) => "statement".to_owned(),
        Piece::Eval(_, variable) => format!("_{variable} is computed; "),
    });
    // A message shows the beginning of a long text.
    let text: String = parts.collect();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
