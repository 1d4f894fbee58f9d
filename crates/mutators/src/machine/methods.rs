//! Methods of `Expr`, `Type`, nodes and the compiler's own objects.

use halidom_cpp::Sign;
use halidom_rewrites::rules::Fun;

use crate::ir::kinds::{Code, I32, Kind, Type};
use crate::ir::layout::has_last;
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::{Num, Piece, Place, Val};
use crate::machine::info::is_report;
use crate::machine::keys::key_of;
use crate::machine::language::Print;
use crate::machine::names::Method;
use crate::machine::run::{Machine, Outcome, Paths};

/// The handle for an unknown character, position or part of a text.
pub(crate) const PART_OF_TEXT: &str = "a part of a text";

/// The beginning of the handle of a part of a name. Each handle is one text.
pub(crate) const PART_OF_NAME: &str = "a part of a name";

/// Tests whether each number of another type is one of a type (`Type::can_represent`). A type
/// represents none of another number of lanes. Two of the compilers do not ask first whether the
/// types are equal, so that addresses represent nothing (`Type.cpp`: Halide-HLS 102, HeteroCL 99).
pub(super) fn can_represent(ty: Type, other: Type, profile: &str) -> bool {
    let asks_first = !["halide-hls", "heterocl"].contains(&profile);
    match (ty.range(), other.range()) {
        _ if ty == other => asks_first || ty.code != Code::Handle,
        _ if ty.is_vector != other.is_vector => false,
        (Some((least, greatest)), Some((low, high))) => least <= low && high <= greatest,
        // The numbers that a significand holds.
        (None, Some((_, high))) => match (ty.code, ty.bits) {
            (Code::Float, 16) => profile == "halide" && high <= 1 << 8,
            (Code::Float, 32) => high <= 1 << 24,
            (Code::Float, 64) => high <= 1 << 53,
            _ => false,
        },
        (None, None) => [ty.code, other.code] == [Code::Float; 2] && other.bits <= ty.bits,
        (Some(_), None) => false,
    }
}

impl Machine<'_> {
    /// Runs a method of an `Expr`, a `Type`, a node or one of the compiler's own objects.
    pub(crate) fn method(
        &mut self,
        receiver: Val,
        name: Method<'_>,
        templates: &[String],
        arguments: Vec<Val>,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let receiver = match receiver {
            Val::Address(place)
                if Self::load(&place, &state).is_some_and(|slot| is_report(&slot.value)) =>
            {
                Val::Reference(place)
            }
            receiver => receiver,
        };
        let place = match &receiver {
            Val::Reference(place) => Some(place.clone()),
            _ => None,
        };
        let receiver = Self::loaded(receiver, &state);
        let arguments: Vec<Val> =
            arguments.into_iter().map(|value| Self::loaded(value, &state)).collect();
        let mut state = state;
        if let Val::Handle(of) = &receiver {
            self.assume(of, name, &arguments, &mut state);
        }
        if let Val::Handle(of) = &receiver
            && let Some(paths) = self.scope_method(of, name, &arguments, &state, line)
        {
            return paths;
        }
        if let (Val::Handle(of), Method::Get | Method::Ref, [key]) =
            (&receiver, name, arguments.as_slice())
            && !self.is_concrete()
            && !receiver.is_info()
            && of != "this"
        {
            state = self.reads_entry(of, name, key, state, line);
        }
        // A value that a scope holds for a key may be put back later.
        if let (Val::Handle(of), Method::Get | Method::Ref, [key]) =
            (&receiver, name, arguments.as_slice())
            && self.purpose(of).is_some()
        {
            let (of, key) = (of.clone(), key.clone());
            let mut paths = self.known_method(
                receiver,
                name,
                templates,
                &arguments,
                place.as_ref(),
                state,
                line,
            );
            for (state, value) in &mut paths {
                Self::keep_read(&of, &key, value, state);
            }
            return paths;
        }
        self.known_method(receiver, name, templates, &arguments, place.as_ref(), state, line)
    }

    /// Runs a method whose receiver is not a scope, or reads from a scope.
    #[expect(clippy::too_many_arguments, reason = "a call has all of these")]
    fn known_method(
        &mut self,
        receiver: Val,
        name: Method<'_>,
        templates: &[String],
        arguments: &[Val],
        place: Option<&Place>,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        match &receiver {
            Val::Expr(_) => self.expr_method(receiver, name, templates, arguments, state, line),
            Val::Type(ty) => self.type_method(*ty, name, arguments, state, line),
            Val::Ptr(_) => self.pointer_method(&receiver, name, arguments, state, line),
            Val::Opaque(_) => self.opaque_method(&receiver, name, arguments, state, line),
            Val::Rope(pieces)
                if name == Method::Str && arguments.is_empty() && self.makes_names() =>
            {
                let mut state = state;
                let value = self.name_of_text(pieces, &mut state);
                vec![(state, value)]
            }
            Val::Rope(_) if name == Method::Str && arguments.is_empty() => vec![(state, receiver)],
            Val::Text(text) if name == Method::Empty && arguments.is_empty() => {
                vec![(state, Val::Bool(self.values.bool(text.is_empty())))]
            }
            Val::Rope(_) if self.mode.is_emitter() => {
                self.text_method(&receiver, name, state, line)
            }
            Val::Handle(of) if self.is_bound(of, name).is_some() => {
                let bound = self.is_bound(of, name).unwrap_or(Val::Unknown);
                vec![(state, bound)]
            }
            // For emitters, all features of the target are off. A mutator must be right for both.
            Val::Handle(_) if name == Method::HasFeature && self.mode.is_emitter() => {
                vec![(state, Val::Bool(self.values.bool(false)))]
            }
            Val::Handle(_) if name == Method::HasFeature && !self.is_concrete() => {
                let (holds, fails) = self.choose(state);
                self.truths(vec![holds], vec![fails])
            }
            receiver if receiver.is_info() => vec![(state, Val::info())],
            receiver if is_report(receiver) => {
                self.info_method(receiver, name, arguments, place, state)
            }
            Val::Handle(_) => self.handle_method(&receiver, name, arguments, state, line),
            _ => self.unsupported(state, format!("the method {name}"), line),
        }
    }

    /// Runs a method of an `Expr` or a `Stmt`.
    fn expr_method(
        &mut self,
        receiver: Val,
        name: Method<'_>,
        templates: &[String],
        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        // A pointer to a node becomes an expression or a statement.
        if let (Method::SameAs, [Val::Ptr(Some((node, kind)))]) = (name, arguments)
            && state.shape(*node).is_some_and(|shape| shape.kind == *kind)
        {
            let arguments = [Val::Expr(Some(*node))];
            return self.expr_method(receiver, name, templates, &arguments, state, line);
        }
        match (&receiver, name, arguments) {
            (Val::Expr(node), Method::Defined, []) => {
                let truth = self.values.bool(node.is_some());
                vec![(state, Val::Bool(truth))]
            }
            (Val::Expr(None), Method::As, []) => vec![(state, Val::Ptr(None))],
            (Val::Expr(Some(node)), Method::As, []) => {
                let kind = templates.first().and_then(|name| self.kind_named(name));
                match kind {
                    Some(kind) => vec![(state, Val::Ptr(Some((*node, kind))))],
                    None => {
                        let what = format!("as<{}>", templates.join(", "));
                        self.unsupported(state, what, line)
                    }
                }
            }
            (Val::Expr(None), Method::Type, []) => {
                self.end(state, Outcome::Crash("null dereference".to_owned()), line);
                Vec::new()
            }
            (Val::Expr(Some(node)), Method::Type, []) => {
                let ty = state.node(*node).ty;
                vec![(state, Val::Type(ty))]
            }
            (Val::Expr(Some(a)), Method::SameAs, [Val::Expr(Some(b))]) => {
                if self.is_concrete() {
                    let name = |node: &NodeId| Self::name_of(&Val::Expr(Some(*node)), &state);
                    let is_name = name(a).zip(name(b)).is_some_and(|(a, b)| state.is_same(a, b));
                    let truth = self.values.bool(a == b || is_name);
                    return vec![(state, Val::Bool(truth))];
                }
                let held = |node: NodeId| {
                    let known = state.identical.iter().find(|(made, _)| *made == node);
                    known.map_or(node, |(_, held)| *held)
                };
                let [a, b] = &[held(*a), held(*b)];
                if Self::is_newer(*a, *b, &state) || Self::is_newer(*b, *a, &state) {
                    return vec![(state, Val::Bool(self.values.bool(false)))];
                }
                let (holds, fails) = self.equal(*a, *b, state.clone());
                // Equal structure is not identity: both remain possible.
                let fails = if fails.is_empty() && *a != *b { vec![state] } else { fails };
                self.truths(holds, fails)
            }
            (Val::Expr(None), Method::SameAs, [Val::Expr(None)]) => {
                vec![(state, Val::Bool(self.values.bool(true)))]
            }
            (Val::Expr(Some(_)), Method::SameAs, [Val::Expr(None)])
            | (Val::Expr(None), Method::SameAs, [Val::Expr(Some(_))]) => {
                vec![(state, Val::Bool(self.values.bool(false)))]
            }
            (Val::Expr(Some(node)), Method::TypeKey, []) => {
                let key = match state.shape(*node) {
                    Some(shape) if self.is_concrete() => Val::Text(shape.kind.name().to_owned()),
                    _ => Val::Handle(key_of(*node)),
                };
                vec![(state, key)]
            }
            (Val::Expr(Some(node)), Method::Accept, [Val::Address(place)]) => {
                self.accept(*node, place, state, line)
            }
            (Val::Expr(Some(node)), Method::Get, []) => match state.shape(*node) {
                Some(shape) if shape.kind == Kind::Variable => {
                    vec![(state, Val::Ptr(Some((*node, Kind::Variable))))]
                }
                // A pointer is not what it points to.
                _ => self.unsupported(state, "the address of a node", line),
            },
            // A class that prints visits the nodes that it prints.
            (Val::Expr(node), Method::Accept, [Val::Handle(of)])
                if self.mode.is_emitter() && of == "this" =>
            {
                let is_stmt = node.is_some_and(|node| state.node(node).ty == Type::STMT);
                let print = if is_stmt { Print::Stmt } else { Print::Expr };
                self.print(print, &[receiver], state, line)
            }
            (Val::Expr(Some(node)), Method::Substr | Method::Find | Method::FindFirstOf, _)
                if state.node(*node).ty == Type::NAME =>
            {
                // Each time it may be another part, or the same.
                let part = if self.is_concrete() {
                    format!("a part of name {node}")
                } else {
                    self.fresh_name(PART_OF_NAME)
                };
                vec![(state, Val::Handle(part))]
            }
            _ => self.unsupported(state, format!("the method {name}"), line),
        }
    }

    /// Runs a method of the pointer that `as` returned.
    fn pointer_method(
        &mut self,
        receiver: &Val,
        name: Method<'_>,

        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        match (receiver, name, arguments) {
            (Val::Ptr(Some((node, _))), Method::Accept, [Val::Address(place)]) => {
                self.accept(*node, place, state, line)
            }
            (Val::Ptr(Some((node, kind))), Method::With, _) => {
                let (holds, fails) = self.is_kind(*node, *kind, state);
                for state in fails {
                    self.end(state, Outcome::Crash("null dereference".to_owned()), line);
                }
                let with = |state| self.with_operands(*node, *kind, arguments, state, line);
                holds.into_iter().flat_map(with).collect()
            }
            (Val::Ptr(Some((node, Kind::For))), Method::Extent, [])
                if has_last(self.profile.name) =>
            {
                self.extent(*node, state, line)
            }
            // The kind of a loop is not known.
            (
                Val::Ptr(Some((node, Kind::For))),
                Method::IsParallel | Method::IsUnorderedParallel,
                [],
            ) if !self.is_concrete() => {
                let (holds, fails) = self.is_kind(*node, Kind::For, state);
                for state in fails {
                    self.end(state, Outcome::Crash("null dereference".to_owned()), line);
                }
                let mut paths = Vec::new();
                for state in holds {
                    let (yes, no) = self.choose(state);
                    paths.extend(self.truths(vec![yes], vec![no]));
                }
                paths
            }
            (Val::Ptr(Some(_)), Method::IsPure, []) if self.are_calls_impure => {
                vec![(state, Val::Bool(self.values.bool(false)))]
            }
            (Val::Ptr(Some((node, Kind::Call))), Method::IsExtern, []) if self.is_concrete() => {
                let is_print = state.node(*node).intrinsic.as_deref() == Some("print");
                vec![(state, Val::Bool(self.values.bool(is_print)))]
            }
            (Val::Ptr(Some((_, Kind::Call))), Method::IsExtern, []) => {
                let (holds, fails) = self.choose(state);
                self.truths(vec![holds], vec![fails])
            }
            (
                Val::Ptr(Some((node, kind))),
                Method::IsIntrinsic
                | Method::IsSlice
                | Method::IsPure
                | Method::IsConcat
                | Method::IsInterleave
                | Method::IsExtractElement,
                _,
            ) => {
                let (holds, fails) = self.is_kind(*node, *kind, state);
                for state in fails {
                    self.end(state, Outcome::Crash("null dereference".to_owned()), line);
                }
                let mut paths = Vec::new();
                for state in holds {
                    if let Some(known) = self.known_shuffle(*node, name, &state) {
                        paths.push((state, known));
                        continue;
                    }
                    match (name, arguments) {
                        (Method::IsIntrinsic, [Val::Handle(intrinsic)]) => {
                            let intrinsic = intrinsic.rsplit("::").next().unwrap_or_default();
                            paths.extend(self.is_intrinsic(*node, intrinsic, state));
                        }
                        _ => {
                            let (mut holds, fails) = self.choose(state);
                            if name == Method::IsSlice {
                                holds.slices.push(*node);
                            }
                            paths.extend(self.truths(vec![holds], vec![fails]));
                        }
                    }
                }
                paths
            }
            _ => self.unsupported(state, format!("the method {name}"), line),
        }
    }

    /// The number of a loop's iterations, `max - min + 1`.
    fn extent(&mut self, node: NodeId, state: State, line: usize) -> Paths<Val> {
        let (holds, fails) = self.is_kind(node, Kind::For, state);
        for state in fails {
            self.end(state, Outcome::Crash("null dereference".to_owned()), line);
        }
        let mut paths = Vec::new();
        for mut state in holds {
            let bounds = state.shape(node).map(|shape| (shape.fields[1], shape.fields[2]));
            let Some((Field::Expr(min), Field::Expr(max))) = bounds else { continue };
            let one = self.number(1, 32, true);
            let one = self.literal(I32, one, &mut state);
            for (state, distance) in self.make(Kind::Sub, max, min, state, line) {
                if let Val::Expr(Some(distance)) = distance {
                    paths.extend(self.make(Kind::Add, distance, one, state, line));
                }
            }
        }
        paths
    }

    /// Runs a method of a member that is only compared.
    fn opaque_method(
        &mut self,
        receiver: &Val,
        name: Method<'_>,

        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        match (receiver, name, arguments) {
            // A member that is only compared, as a node.
            (Val::Opaque(_), Method::As, []) if !self.is_concrete() => {
                vec![(state, Val::Handle("as".to_owned()))]
            }
            (Val::Opaque(id), Method::Empty | Method::Defined, []) if self.is_concrete() => {
                let truth = (*id == 0) == (name == Method::Empty);
                vec![(state, Val::Bool(self.values.bool(truth)))]
            }
            (Val::Opaque(_), Method::Empty | Method::Defined | Method::SameAs, _) => {
                let (holds, fails) = self.choose(state);
                self.truths(vec![holds], vec![fails])
            }
            // A question about a member that is only compared.
            (
                Val::Opaque(id),
                Method::Other(_) | Method::Bytes | Method::Bits | Method::Lanes | Method::Size,
                [],
            ) if !self.is_concrete() && !self.mode.is_emitter() => {
                vec![(state, Val::Handle(format!("{name} of {id}")))]
            }
            _ => self.unsupported(state, format!("the method {name}"), line),
        }
    }

    /// Runs a method of a text with unknown parts. A search, a part or a length is a handle, on
    /// which `unknown_text` in `operators` computes.
    fn text_method(
        &mut self,
        text: &Val,
        name: Method<'_>,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let Val::Rope(pieces) = text else { return self.unsupported(state, name.text(), line) };
        let value = match name {
            Method::Empty => {
                let is_blank =
                    |piece: &Piece| matches!(piece, Piece::Text(text) if text.is_empty());
                Val::Bool(self.values.bool(pieces.iter().all(is_blank)))
            }
            Method::Find | Method::Substr | Method::Length | Method::Size => {
                Val::Handle(PART_OF_TEXT.to_owned())
            }
            _ => return self.unsupported(state, format!("the method {name} of a text"), line),
        };
        vec![(state, value)]
    }

    pub(crate) fn is_intrinsic(&mut self, node: NodeId, name: &str, state: State) -> Paths<Val> {
        let known = state.node(node);
        if let Some(intrinsic) = &known.intrinsic {
            let truth = self.values.bool(intrinsic == name);
            return vec![(state, Val::Bool(truth))];
        }
        if self.is_concrete()
            || known.not_intrinsics.iter().any(|other| other == name)
            || !crate::ir::intrinsics::is_possible(name, known.ty)
            || !has_its_arguments(node, name, &state)
        {
            return vec![(state, Val::Bool(self.values.bool(false)))];
        }
        let (mut holds, mut fails) = self.choose(state);
        holds.node_mut(node).intrinsic = Some(name.to_owned());
        fails.node_mut(node).not_intrinsics.push(name.to_owned());
        if holds.shape(node).is_none_or(|shape| !shape.fields.is_empty()) {
            return self.truths(vec![holds], vec![fails]);
        }
        let ty = holds.node(node).ty;
        let mut typings = crate::ir::intrinsics::typings(name, ty);
        let has_others = !typings.is_empty();
        typings.extend(crate::ir::intrinsics::other_operands(name, ty));
        let typed = typings.into_iter().map(|types| {
            let mut typed = holds.clone();
            let fields = types.into_iter().map(|ty| Field::Expr(typed.add(ty, None, None)));
            let fields = fields.collect();
            typed.node_mut(node).shape = Some(Shape { kind: Kind::Call, fields });
            typed
        });
        let mut all: Vec<State> = typed.collect();
        if !has_others {
            all.insert(0, holds);
        }
        self.truths(all, vec![fails])
    }

    fn type_method(
        &mut self,
        ty: Type,
        name: Method<'_>,
        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        if let Some(paths) = self.open_lanes(ty, name, &state) {
            return paths;
        }
        let is_integer = matches!(ty.code, Code::Int | Code::UInt);
        let truth = match name {
            Method::IsInt | Method::IsFixed => ty.code == Code::Int,
            Method::IsUint | Method::IsUfixed => ty.code == Code::UInt,
            Method::IsFloat => ty.code == Code::Float,
            Method::IsBool => ty.is_bool(),
            Method::IsIntOrUint => is_integer,
            Method::IsScalar => !ty.is_vector,
            Method::IsVector => ty.is_vector,
            Method::IsHandle => ty.element() == Type::HANDLE,
            Method::IsBfloat => false,
            Method::Bits | Method::Bytes | Method::Fracs => {
                let number = match name {
                    Method::Bits => ty.bits.into(),
                    Method::Bytes => i128::from(ty.bits.div_ceil(8)),
                    _ => 0,
                };
                return vec![(state, Val::Int(self.number(number, 32, true)))];
            }
            Method::Lanes => {
                let one = self.number(1, 32, true);
                let num = if ty.is_vector { self.lanes.unwrap_or(one) } else { one };
                return vec![(state, Val::Int(num))];
            }
            Method::Code => return vec![(state, Val::Code(ty.code))],
            Method::ElementOf => return vec![(state, Val::Type(ty.element()))],
            Method::WithBits | Method::WithLanes | Method::WithCode => {
                let new = match arguments {
                    [Val::Int(num)] if name == Method::WithBits => self
                        .values
                        .as_number(num.term)
                        .and_then(|bits| u8::try_from(bits).ok())
                        .map(|bits| Type { bits, ..ty }),
                    [Val::Code(code)] if name == Method::WithCode => {
                        Some(Type { code: *code, ..ty })
                    }
                    [lanes] if name == Method::WithLanes => {
                        self.is_lanes(Some(lanes)).map(|is_vector| ty.with_vector(is_vector))
                    }
                    _ => None,
                };
                return match new {
                    Some(ty) => vec![(state, Val::Type(ty))],
                    None if self.counts_lanes && name == Method::WithLanes => {
                        vec![(state, Val::Handle("a type of other lanes".to_owned()))]
                    }
                    None => self.unsupported(state, format!("Type::{name}"), line),
                };
            }
            Method::CanRepresent | Method::IsMax | Method::IsMin => {
                let mut state = state;
                let told = self.told_number(arguments, ty, &mut state);
                return match (told.as_slice(), ty.range()) {
                    ([value], _)
                        if (value.is_info() || is_report(value)) && !self.is_concrete()
                            || matches!(value, Val::Handle(_)) && self.counts_lanes =>
                    {
                        let (holds, fails) = self.choose(state);
                        self.truths(vec![holds], vec![fails])
                    }
                    ([Val::Int(num)], Some((least, greatest))) => {
                        let bound = |value, machine: &mut Self| Num {
                            bits: 64,
                            is_signed: true,
                            ..machine.number(value, 64, num.is_signed)
                        };
                        let (low, high) = (bound(least, self), bound(greatest, self));
                        let truth = match name {
                            Method::IsMax => self.comparison(Sign::Eq, num.term, high.term),
                            // The least number is only asked for among signed ones: of a
                            // `uint64_t`, the answer is false.
                            Method::IsMin if !num.is_signed => self.values.bool(false),
                            Method::IsMin => self.comparison(Sign::Eq, num.term, low.term),
                            _ => {
                                let (Val::Bool(above), Val::Bool(below)) = (
                                    self.compare(Sign::Le, low, *num),
                                    self.compare(Sign::Le, *num, high),
                                ) else {
                                    return self.unsupported(state, name.text(), line);
                                };
                                self.values.apply(Fun::And, &[above, below])
                            }
                        };
                        vec![(state, Val::Bool(truth))]
                    }
                    ([Val::Type(other)], _) if name == Method::CanRepresent => {
                        let truth = can_represent(ty, *other, self.profile.name);
                        vec![(state, Val::Bool(self.values.bool(truth)))]
                    }
                    _ => self.unsupported(state, format!("Type::{name}"), line),
                };
            }
            Method::Min | Method::Max => {
                let Some((least, greatest)) = ty.range() else {
                    return self.unsupported(state, format!("Type::{name} of floats"), line);
                };
                let mut state = state;
                let value = if name == Method::Min { least } else { greatest };
                let num = self.number(value, 64, ty.code == Code::Int);
                let node = self.literal(ty, num, &mut state);
                return vec![(state, Val::Expr(Some(node)))];
            }
            _ => return self.unsupported(state, format!("Type::{name}"), line),
        };
        vec![(state, Val::Bool(self.values.bool(truth)))]
    }
}

/// Tests whether the known arguments of a call fit an intrinsic.
fn has_its_arguments(call: NodeId, name: &str, state: &State) -> bool {
    let known: Vec<Type> = crate::ir::state::operands(call, state)
        .into_iter()
        .map(|argument| state.node(argument).ty)
        .collect();
    let counts = crate::ir::intrinsics::counts(name);
    let ty = state.node(call).ty;
    if known.is_empty() {
        let is_it = |without: &NodeId| state.find(*without) == state.find(call);
        let has_some = !counts.is_empty() && !counts.contains(&0);
        return !(has_some && state.without_arguments.iter().any(is_it));
    }
    match crate::ir::intrinsics::operands(name, ty) {
        Some(operands) => {
            operands == known
                || crate::ir::intrinsics::other_operands(name, ty).is_some_and(|of| of == known)
        }
        None => counts.is_empty() || counts.contains(&known.len()),
    }
}
