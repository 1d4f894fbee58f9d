//! The symbolic interpreter: expressions.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind};
use halidom_rewrites::rules::Domain;

use crate::ir::kinds::{Code, Kind};
use crate::ir::node::Field;
use crate::ir::state::State;
use crate::ir::value::{Num, Place, Val};
use crate::machine::absent::{DEFINED, MISSING, UNDEFINED, changed};
use crate::machine::given::given;
use crate::machine::invariants::invariant;
use crate::machine::maps::GONE;
use crate::machine::methods::PART_OF_TEXT;
use crate::machine::names::TypeName;
use crate::machine::references::{NAMED_CAPTURES, names_captures};
use crate::machine::run::{MOVED, Machine, Outcome, Paths};
use crate::machine::sequence::Before;
use crate::machine::types::{UNION, integer_type};

impl<'p> Machine<'p> {
    /// Evaluates an expression on each path, unless the expressions of the method have too many.
    pub(crate) fn eval(&mut self, expr: &'p Expr, state: State) -> Paths<Val> {
        let line = expr.line;
        let mut paths = Vec::new();
        if self.shows_nothing() {
            return paths;
        }
        if self.is_forked(0) {
            self.give_up(vec![state], line);
            return paths;
        }
        paths = self.eval_kind(expr, state);
        // The paths of operands were counted with them.
        let is_counted = !matches!(
            expr.kind,
            ExprKind::Binary(..)
                | ExprKind::Conditional(..)
                | ExprKind::Cast(..)
                | ExprKind::Braces(..)
        );
        let new = if is_counted { paths.len().saturating_sub(1) } else { 0 };
        if self.is_forked(new) {
            self.give_up(paths.drain(..).map(|(state, _)| state), line);
        }
        paths
    }

    /// `(ty)operand`. An expression of the IR is no number.
    fn cast_value(&mut self, ty: &str, operand: &'p Expr, state: State, line: usize) -> Paths<Val> {
        let mut paths = Vec::new();
        for (mut state, value) in self.eval(operand, state) {
            let is_number = integer_type(ty).is_some()
                || matches!(TypeName::of(ty), TypeName::Bool | TypeName::Double | TypeName::Float);
            if is_number && matches!(Self::loaded(value.clone(), &state), Val::Expr(_)) {
                let what = "an expression that becomes a number";
                paths.extend(self.unsupported(state, what, line));
                continue;
            }
            if Self::binds(&Self::loaded(value.clone(), &state)) {
                state.lost = Some(MOVED);
            }
            let value = self.coerce(ty.trim_end_matches('&'), value, &mut state);
            paths.push((state, value));
        }
        paths
    }

    fn eval_kind(&mut self, expr: &'p Expr, state: State) -> Paths<Val> {
        let line = expr.line;
        match &expr.kind {
            ExprKind::Integer(value, suffix) => {
                // The literal's magnitude decides its type; a sign is applied afterwards.
                let is_signed = !suffix.contains('u');
                let is_long =
                    suffix.contains('l') || Num::range(32, is_signed).1 < value.saturating_abs();
                let bits = if is_long { 64 } else { 32 };
                let domain = if is_signed { Domain::Signed(bits) } else { Domain::Unsigned(bits) };
                let num = self.number(domain.wrap(*value), bits, is_signed);
                vec![(state, Val::Int(num))]
            }
            // A `float` holds integers up to 2^24.
            ExprKind::Float(value) => match whole(*value).filter(|value| value.abs() <= 1 << 24) {
                Some(value) => {
                    let term = self.values.number(value, Domain::Real);
                    vec![(state, Val::Real(term))]
                }
                None => self.unsupported(state, "a fraction", line),
            },
            ExprKind::Bool(value) => vec![(state, Val::Bool(self.values.bool(*value)))],
            ExprKind::Text(text) => vec![(state, Val::Text(text.clone()))],
            ExprKind::Null => vec![(state, Val::Ptr(None))],
            ExprKind::This => vec![(state, Val::Handle("this".to_owned()))],
            ExprKind::Name(name) => self.name(name, state, line),
            ExprKind::Member { object, name, arrow } => {
                self.member((object, *arrow), name, state, line)
            }
            ExprKind::Call { callee, templates, arguments } => {
                self.call_expression(callee, templates, arguments, state, line)
            }
            ExprKind::Prefix(op, operand) => self.prefix(*op, operand, state, line),
            ExprKind::Postfix(..) | ExprKind::Assign(..) => self.effect(expr, state),
            ExprKind::Binary(op, lhs, rhs) if matches!(op, Sign::And | Sign::Or) => {
                self.logic(*op, lhs, rhs, state, line)
            }
            ExprKind::Binary(op, lhs, rhs) => {
                if *op == Sign::Shl
                    && (self.mode.is_emitter() || self.makes_names())
                    && let Some(paths) = self.append_chain(expr, &state, line)
                {
                    return paths;
                }
                if let Some(paths) = self.has_scalar_type(*op, (lhs, rhs), &state) {
                    return paths;
                }
                let mut paths = Vec::new();
                for (state, [lhs, rhs]) in self.both(lhs, rhs, state) {
                    paths.extend(self.binary(*op, lhs, rhs, state, line));
                }
                paths
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let (holds, fails) = self.branch(condition, state);
                let mut paths = Vec::new();
                for (states, chosen, other) in [(holds, then, otherwise), (fails, otherwise, then)]
                {
                    for state in states {
                        for (state, value) in self.eval(chosen, state) {
                            paths.extend(self.in_common(value, other, state, line));
                        }
                    }
                }
                paths
            }
            ExprKind::Cast(ty, operand) => self.cast_value(ty, operand, state, line),
            ExprKind::Braces(None, parts) if parts.len() == 2 => {
                let mut paths = Vec::new();
                for (state, first) in self.eval(&parts[0], state) {
                    for (state, second) in self.eval(&parts[1], state) {
                        let pair = vec![
                            ("first".to_owned(), first.clone()),
                            ("second".to_owned(), second),
                        ];
                        paths.push((state, Val::Object(pair)));
                    }
                }
                paths
            }
            ExprKind::Index(object, index) => self.index(object, index, state, line),
            ExprKind::Braces(None, parts) => {
                let mut paths = vec![(state, Vec::new())];
                for part in parts {
                    let mut next = Vec::new();
                    for (state, values) in paths {
                        for (state, value) in self.eval(part, state) {
                            let mut values: Vec<Val> = values.clone();
                            values.push(value);
                            next.push((state, values));
                        }
                    }
                    paths = next;
                }
                paths.into_iter().map(|(state, values)| (state, Val::List(values))).collect()
            }
            ExprKind::Braces(Some(ty), parts)
                if let Some(paths) = self.braced_report(ty, parts, &state) =>
            {
                paths
            }
            ExprKind::Braces(Some(ty), parts) => {
                let mut paths = self.braced(ty, parts, state, line);
                // It ends with the whole expression, unless a variable is made of it.
                for (state, _) in paths.iter_mut().filter(|(_, value)| Self::binds(value)) {
                    state.lost = Some(MOVED);
                }
                paths
            }
            ExprKind::Lambda(_) if self.running.is_some_and(names_captures) => {
                self.unsupported(state, NAMED_CAPTURES, line)
            }
            ExprKind::Lambda(lambda) => {
                let value = self.lambda(lambda, &state);
                vec![(state, value)]
            }
            ExprKind::Other(what) => self.unsupported(state, what.clone(), line),
        }
    }

    fn index(
        &mut self,
        object: &'p Expr,
        index: &'p Expr,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        if let Some(paths) = self.text_at(object, index, &state, line) {
            return paths;
        }
        let mut paths = Vec::new();
        let map = object;
        for (mut state, [object, index]) in self.both(object, index, state) {
            if self.mode.is_emitter() && matches!(object, Val::Rope(_)) {
                paths.push((state, Val::Handle(PART_OF_TEXT.to_owned())));
                continue;
            }
            if let Val::Handle(of) = &object
                && !object.is_info()
            {
                if let Some(what) = self.has_other_meaning(map, "operator[]", 1, &state) {
                    paths.extend(self.unsupported(state, what, line));
                    continue;
                }
                if self.may_lack(of, &index, &state) {
                    paths.extend(self.unsupported(state, MISSING, line));
                    continue;
                }
                // Facts about the input's own buffer are kept apart from facts about other
                // buffers.
                let is_own = Self::name_of(&index, &state).is_some_and(|name| {
                    matches!(state.shape(0).and_then(|shape| shape.fields.first()),
                            Some(Field::Expr(own)) if state.find(*own) == state.find(name))
                });
                let of = if is_own { format!("{of}[]") } else { format!("{of}[other]") };
                paths.push((state, Val::Handle(of)));
                continue;
            }
            if matches!(object, Val::Map(_)) && self.is_concrete() {
                for (state, place) in self.map_element(map, &index, state, line) {
                    let value = Self::load(&place, &state).map_or(Val::Unknown, |slot| slot.value);
                    paths.push((state, value));
                }
                continue;
            }
            let Val::Int(num) = &index else {
                self.end(state, Outcome::Unsupported("an index".to_owned()), line);
                continue;
            };
            let Some(index) = self.values.as_number(num.term) else {
                self.end(state, Outcome::Unsupported("an index".to_owned()), line);
                continue;
            };
            if let Val::Text(text) = &object
                && let Some(byte) =
                    usize::try_from(index).ok().and_then(|index| text.as_bytes().get(index))
            {
                // Printed, it is a letter.
                let code = self.number(i128::from(*byte), 8, true);
                paths.push((state, Val::Int(code)));
                continue;
            }
            if let Val::Arguments(call) = &object
                && let Some(node) = Self::argument(*call, index, &mut state)
            {
                paths.push((state, Val::Expr(Some(node))));
                continue;
            }
            for (state, values) in self.as_list(&object, state, line) {
                match usize::try_from(index).ok().and_then(|index| values.get(index)) {
                    Some(value) => paths.push((state, value.clone())),
                    None => {
                        let what = "an index beyond a vector".to_owned();
                        self.end(state, Outcome::Crash(what), line);
                    }
                }
            }
        }
        paths
    }

    /// Converts one side of `c ? a : b`: a number takes the common type of both sides.
    fn in_common(&mut self, value: Val, other: &'p Expr, state: State, line: usize) -> Paths<Val> {
        let is_truth = matches!(value, Val::Bool(_));
        if !is_truth && !matches!(value, Val::Int(_) | Val::Real(_)) || is_truth && asks(other) {
            return vec![(state, value)];
        }
        // The other side is evaluated only for its type.
        let (ends, has_chosen) = (std::mem::take(&mut self.ends), self.has_chosen);
        let is_told = self.is_told;
        let known = self.eval(other, state.clone()).pop().map(|(_, value)| value);
        (self.ends, self.has_chosen) = (ends, has_chosen);
        self.is_told = is_told;
        let mut state = state;
        let other = known.or_else(|| self.pointed_number(other, &state));
        match other {
            Some(other) => {
                let value = self.common(value, &other, &mut state);
                vec![(state, value)]
            }
            None if self.counts_lanes => {
                let name = self.fresh_name("unknown");
                vec![(state, Val::Handle(name))]
            }
            None => self.unsupported(state, "the type of a conditional expression", line),
        }
    }

    /// Returns a number of the type of `*p`, where the variable `p` is a pointer to integers.
    fn pointed_number(&mut self, expr: &Expr, state: &State) -> Option<Val> {
        let ExprKind::Prefix(Sign::Mul, pointer) = &expr.kind else { return None };
        let ExprKind::Name(name) = &pointer.kind else { return None };
        let slot = Self::load(&Self::find_variable(name, state)?, state)?;
        let ty = slot.ty.trim_start_matches("const ").strip_suffix('*')?.trim();
        let (bits, is_signed) = integer_type(ty)?;
        Some(Val::Int(self.number(0, bits, is_signed)))
    }

    /// `&&` and `||` of truth values, where the second operand is evaluated only if it matters, or
    /// of expressions.
    fn logic(
        &mut self,
        op: Sign,
        lhs: &'p Expr,
        rhs: &'p Expr,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut paths = Vec::new();
        let before = Before::of(std::iter::once(rhs), &state);
        for (state, first) in self.eval(lhs, state) {
            // Only operators of the language have an order in all versions of C++.
            if matches!(first, Val::Expr(_)) {
                let path = (state, first);
                for (state, [first, second]) in
                    self.other_operand([lhs, rhs], before.as_ref(), path)
                {
                    paths.extend(self.operator(op, first, second, state, line));
                }
                continue;
            }
            if first.is_info() && given(&first).is_none() {
                let second = self.eval(rhs, state);
                paths.extend(second.into_iter().map(|(state, _)| (state, Val::info())));
                continue;
            }
            let (holds, fails) = self.truth(&first, state, line);
            let (open, closed) = if op == Sign::And { (holds, fails) } else { (fails, holds) };
            let decided = self.values.bool(op == Sign::Or);
            paths.extend(closed.into_iter().map(|state| (state, Val::Bool(decided))));
            for state in open {
                for (state, second) in self.eval(rhs, state) {
                    if second.is_info() && given(&second).is_none() {
                        paths.push((state, Val::info()));
                        continue;
                    }
                    let (holds, fails) = self.truth(&second, state, line);
                    let (yes, no) = (self.values.bool(true), self.values.bool(false));
                    paths.extend(holds.into_iter().map(|state| (state, Val::Bool(yes))));
                    paths.extend(fails.into_iter().map(|state| (state, Val::Bool(no))));
                }
            }
        }
        paths
    }

    fn name(&mut self, name: &str, state: State, line: usize) -> Paths<Val> {
        if let Some(place) = Self::find_variable(name, &state) {
            if let Place::Member(member) = &place
                && let Some(slot) = Self::load(&place, &state)
                && let Some(paths) = self.changed_member(member, &slot.value, &state)
            {
                return paths;
            }
            return match Self::load(&place, &state) {
                Some(slot) => {
                    let mut state = state;
                    self.reads(&place, &slot.value, &mut state);
                    vec![(state, slot.value)]
                }
                None => self.unsupported(state, format!("the variable {name}"), line),
            };
        }
        self.name_of_object(name, state)
    }

    /// Reads a name that no variable of the function has, or `this->name`.
    fn name_of_object(&mut self, name: &str, state: State) -> Paths<Val> {
        if let Some(slot) = state.members.iter().find(|slot| slot.name == name) {
            let value = slot.value.clone();
            if let Some(paths) = self.changed_member(name, &value, &state) {
                return paths;
            }
            let mut state = state;
            self.reads(&Place::Member(name.to_owned()), &value, &mut state);
            return self.asked_for(name, value, state);
        }
        if let Some(paths) = self.unknown_member(name, &state) {
            return paths;
        }
        let mut state = state;
        if self.program.linked.iter().any(|known| known == name) {
            state.lost = Some("a scope that may have another name");
        }
        if let Some(code) = type_code(name) {
            return vec![(state, Val::Code(code))];
        }
        if let Some(truth) = self.is_same_type(name) {
            return vec![(state, Val::Bool(self.values.bool(truth)))];
        }
        if self.mode.is_emitter() && name == "print_ssa_form_" {
            // Expressions are printed as they stand.
            return vec![(state, Val::Bool(self.values.bool(false)))];
        }
        let is_unsteady = state.visits > 0
            && self.program.unsteady.binary_search_by(|known| known.as_str().cmp(name)).is_ok();
        if is_unsteady && self.purpose(name).is_none() && invariant(name).is_none() {
            let now = changed(name, state.visits);
            return vec![(state, Val::Handle(now))];
        }
        vec![(state, Val::Handle(name.to_owned()))]
    }

    /// The value of `std::is_same<A, B>::value` and `std::is_same_v<A, B>`, if both are kinds.
    fn is_same_type(&self, name: &str) -> Option<bool> {
        let rest = name.strip_prefix("std::").unwrap_or(name).strip_prefix("is_same")?;
        let list = rest.strip_suffix("::value").or_else(|| rest.strip_prefix("_v"))?;
        let (a, b) = list.strip_prefix('<')?.strip_suffix('>')?.split_once(',')?;
        let (a, b) = (self.kind_named(a.trim())?, self.kind_named(b.trim())?);
        Some(a == b)
    }

    /// The value of an expression or a statement in a member that other methods may have assigned:
    /// undefined, or something about which nothing is known. `None` for other members.
    fn changed_member(&mut self, name: &str, value: &Val, state: &State) -> Option<Paths<Val>> {
        let Val::Handle(of) = value else { return None };
        let slot = state.members.iter().find(|slot| slot.name == name);
        let is_node =
            slot.is_some_and(|slot| ["Expr", "Stmt"].contains(&slot.ty.as_str()))
                || self.program.classes.iter().flat_map(|class| &class.fields).any(|field| {
                    field.name == name && ["Expr", "Stmt"].contains(&field.ty.as_str())
                });
        if self.is_concrete() || !is_node || of.ends_with(DEFINED) {
            return None;
        }
        let (mut defined, mut undefined) = self.choose(state.clone());
        let place = Place::Member(name.to_owned());
        let known = Val::Handle(format!("{of}{DEFINED}"));
        self.store(&place, known.clone(), &mut defined);
        self.store(&place, Val::Expr(None), &mut undefined);
        Some(vec![(defined, known), (undefined, Val::Expr(None))])
    }

    /// The value of a member that is given to a function.
    pub(super) fn found_member(&mut self, name: &str, state: State) -> Paths<Val> {
        let place = Place::Member(name.to_owned());
        let value = Self::load(&place, &state).map_or(Val::Unknown, |slot| slot.value);
        match self.changed_member(name, &value, &state) {
            Some(paths) => paths,
            None => vec![(state, value)],
        }
    }

    /// The value of an expression that is a member of the object when the method begins: undefined,
    /// or any expression.
    fn unknown_member(&mut self, name: &str, state: &State) -> Option<Paths<Val>> {
        let program = self.program;
        let class = program.classes.iter().find(|class| class.name == self.class)?;
        class.fields.iter().find(|field| field.name == name && field.ty == "Expr")?;
        if self.is_concrete() {
            return None;
        }
        let (mut defined, mut undefined) = self.choose(state.clone());
        let node = defined.add(crate::ir::kinds::I32, None, None);
        let place = Place::Member(name.to_owned());
        self.store(&place, Val::Expr(Some(node)), &mut defined);
        self.store(&place, Val::Expr(None), &mut undefined);
        Some(vec![(defined, Val::Expr(Some(node))), (undefined, Val::Expr(None))])
    }

    /// `object.name` and `object->name`.
    fn member(
        &mut self,
        (object, arrow): (&'p Expr, bool),
        name: &'p str,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        if matches!(object.kind, ExprKind::This) {
            return self.name_of_object(name, state);
        }
        let mut paths = Vec::new();
        for (state, value) in self.eval(object, state) {
            match Self::loaded(value, &state) {
                Val::Ptr(None) => {
                    self.end(state, Outcome::Crash("null dereference".to_owned()), line);
                }
                Val::Ptr(Some((node, kind))) => {
                    let (holds, fails) = self.is_kind(node, kind, state);
                    for state in fails {
                        self.end(state, Outcome::Crash("null dereference".to_owned()), line);
                    }
                    for state in holds {
                        paths.extend(self.node_member(node, kind, name, state, line));
                    }
                }
                Val::NumPtr(Some((_, entry))) if arrow && !matches!(*entry, Val::Int(_)) => {
                    let held = match &*entry {
                        Val::Object(members) => members.iter().find(|(known, _)| known == name),
                        _ => None,
                    };
                    let of_report = entry.is_info().then(Val::info);
                    match held.map(|(_, value)| value.clone()).or(of_report) {
                        Some(value) if !Self::may_be_gone(&entry, &state) => {
                            paths.push((state, value));
                        }
                        Some(_) => self.end(state, Outcome::Unsupported(GONE.to_owned()), line),
                        None => {
                            let what = format!("the member {name}");
                            self.end(state, Outcome::Unsupported(what), line);
                        }
                    }
                }
                Val::NumPtr(None) => {
                    self.end(state, Outcome::Crash("null dereference".to_owned()), line);
                }
                Val::Object(members) if name == "second" && Self::is_entry(&members) => {
                    let place = Self::entry_place(&members, &state);
                    match place.and_then(|place| Self::load(&place, &state)) {
                        Some(slot) => paths.push((state, slot.value)),
                        None => self.end(state, Outcome::Unsupported(GONE.to_owned()), line),
                    }
                }
                Val::Object(members) => {
                    let bits = bits_of(&members, name);
                    let found = members.into_iter().find(|(known, _)| known == name);
                    match bits.or(found.map(|(_, value)| value)) {
                        Some(value) => paths.push((state, value)),
                        None => {
                            let what = format!("the member {name}");
                            self.end(state, Outcome::Unsupported(what), line);
                        }
                    }
                }
                Val::Address(place) => match Self::load(&place, &state).map(|slot| slot.value) {
                    Some(Val::Object(members)) => {
                        let found = members.into_iter().find(|(known, _)| known == name);
                        let value = found.map_or(Val::Unknown, |(_, value)| value);
                        paths.push((state, value));
                    }
                    _ => {
                        let what = format!("the member {name}");
                        self.end(state, Outcome::Unsupported(what), line);
                    }
                },
                Val::Handle(of) if arrow && self.may_be_null(&of, &state) => {
                    self.end(state, Outcome::Unsupported(UNDEFINED.to_owned()), line);
                }
                pointer @ Val::Handle(_) if arrow && given(&pointer).is_some() => {
                    let part = match &pointer {
                        Val::Handle(of) => Val::Handle(format!("{of}.{name}")),
                        _ => Val::Unknown,
                    };
                    let followed = self.followed(&pointer, state, line).into_iter();
                    paths.extend(followed.map(|state| (state, part.clone())));
                }
                Val::Handle(of) => paths.push((state, Val::Handle(format!("{of}.{name}")))),
                Val::Opaque(_) if !self.is_concrete() => {
                    paths.push((state, Val::Handle(name.to_owned())));
                }
                // Variables are compared by identity, and pointers to them are followed.
                Val::Expr(Some(node))
                    if state.shape(node).is_some_and(|shape| shape.kind == Kind::Variable) =>
                {
                    paths.extend(self.node_member(node, Kind::Variable, name, state, line));
                }
                _ => self.end(state, Outcome::Unsupported(format!("the member {name}")), line),
            }
        }
        paths
    }
}

/// Tests whether an expression is a truth value by its form.
fn asks(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Bool(_) => true,
        ExprKind::Prefix(Sign::Not, operand) => asks(operand),
        ExprKind::Binary(Sign::And | Sign::Or, lhs, rhs) => asks(lhs) && asks(rhs),
        _ => false,
    }
}

/// The bits of the floating-point number that a 32-bit union holds, read as an integer.
fn bits_of(members: &[(String, Val)], name: &str) -> Option<Val> {
    let declared = members.iter().find_map(|(known, value)| match value {
        Val::Text(text) if known == UNION => Some(text.replace(' ', "")),
        _ => None,
    })?;
    let (held, value) = members.iter().find(|(known, _)| known != UNION)?;
    match value {
        Val::Real(term)
            if declared.contains(&format!("float{held};"))
                && declared.contains(&format!("uint32_t{name};")) =>
        {
            Some(Val::Bits(*term))
        }
        _ => None,
    }
}

/// Type codes by their names.
const CODES: [(&str, Code); 4] = [
    ("Type::Int", Code::Int),
    ("Type::UInt", Code::UInt),
    ("Type::Float", Code::Float),
    ("Type::Handle", Code::Handle),
];

/// The type code of a name.
fn type_code(name: &str) -> Option<Code> {
    let name = name.strip_prefix("Halide::").unwrap_or(name);
    CODES.iter().find(|(known, _)| *known == name).map(|(_, code)| *code)
}

/// The value of a floating-point literal that is a whole number.
#[expect(clippy::float_cmp, reason = "the literal is whole just if rounding leaves it as it is")]
fn whole(value: f64) -> Option<i128> {
    (value.abs() < 1e15 && value.trunc() == value).then_some(value as i128)
}
