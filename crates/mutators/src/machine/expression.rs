//! The symbolic interpreter: expressions.
//!
//! Reason for length: one case for each form of expression, each of a few lines.

use halidom_cpp::ast::{Expr, ExprKind};
use halidom_rewrites::rules::{Domain, Fun};

use crate::ir::kinds::{Code, Kind};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::{Slot, State};
use crate::ir::value::{Num, Place, Val};
use crate::machine::info::is_report;
use crate::machine::methods::PART_OF_TEXT;
use crate::machine::run::{Machine, Outcome, Paths};
use crate::machine::types::UNION;

impl<'p> Machine<'p> {
    /// The values of an expression.
    pub(crate) fn eval(&mut self, expr: &'p Expr, state: State) -> Paths<Val> {
        let line = expr.line;
        match &expr.kind {
            ExprKind::Integer(value, suffix) => {
                // A sign is applied to the literal, whose type is that of its magnitude.
                let is_signed = !suffix.contains('u');
                let is_long =
                    suffix.contains('l') || Num::range(32, is_signed).1 < value.saturating_abs();
                let bits = if is_long { 64 } else { 32 };
                let domain = if is_signed { Domain::Signed(bits) } else { Domain::Unsigned(bits) };
                let num = self.number(domain.wrap(*value), bits, is_signed);
                vec![(state, Val::Int(num))]
            }
            ExprKind::Float(value) => match whole(*value) {
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
            ExprKind::Member { object, name, .. } => self.member(object, name, state, line),
            ExprKind::Call { callee, templates, arguments } => {
                self.call_expression(callee, templates, arguments, state, line)
            }
            ExprKind::Prefix(op, operand) => self.prefix(op, operand, state, line),
            ExprKind::Postfix(..) | ExprKind::Assign(..) => self.effect(expr, state),
            ExprKind::Binary(op, lhs, rhs) if op == "&&" || op == "||" => {
                self.logic(op, lhs, rhs, state, line)
            }
            ExprKind::Binary(op, lhs, rhs) => {
                if op == "<<"
                    && self.is_emitter
                    && let Some(paths) = self.append_chain(expr, &state, line)
                {
                    return paths;
                }
                let mut paths = Vec::new();
                for (state, lhs) in self.eval(lhs, state) {
                    for (state, rhs) in self.eval(rhs, state) {
                        paths.extend(self.binary(op, lhs.clone(), rhs, state, line));
                    }
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
            ExprKind::Cast(ty, operand) => {
                let mut paths = Vec::new();
                for (mut state, value) in self.eval(operand, state) {
                    let value = self.coerce(ty.trim_end_matches('&'), value, &mut state);
                    paths.push((state, value));
                }
                paths
            }
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
                if parts.is_empty() && crate::machine::api::is_of_reports(ty) =>
            {
                vec![(state, Val::info())]
            }
            ExprKind::Braces(..) => self.unsupported(state, "braces", line),
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
        let mut paths = Vec::new();
        for (state, object) in self.eval(object, state) {
            for (mut state, index) in self.eval(index, state) {
                if self.is_emitter && matches!(object, Val::Rope(_)) {
                    paths.push((state, Val::Handle(PART_OF_TEXT.to_owned())));
                    continue;
                }
                if let Val::Handle(of) = &object
                    && !object.is_info()
                {
                    // What is known of the input's own buffer is told from what is of others.
                    let is_own = Self::name_of(&index, &state).is_some_and(|name| {
                        matches!(state.shape(0).and_then(|shape| shape.fields.first()),
                            Some(Field::Expr(own)) if state.find(*own) == state.find(name))
                    });
                    let of = if is_own { format!("{of}[]") } else { format!("{of}[other]") };
                    paths.push((state, Val::Handle(of)));
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
                    let code = self.number(i128::from(*byte), 32, true);
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
        }
        paths
    }

    /// What one side of `c ? a : b` becomes: a number has the type that both sides have in common.
    fn in_common(&mut self, value: Val, other: &'p Expr, state: State, line: usize) -> Paths<Val> {
        let Val::Int(num) = value else { return vec![(state, value)] };
        // The other side is evaluated for its type alone.
        let (ends, has_chosen) = (std::mem::take(&mut self.ends), self.has_chosen);
        let other = self.eval(other, state.clone()).pop().map(|(_, value)| value);
        (self.ends, self.has_chosen) = (ends, has_chosen);
        let mut state = state;
        match other {
            Some(Val::Int(other)) => {
                let (num, ..) = self.promoted(num, other);
                vec![(state, Val::Int(num))]
            }
            Some(Val::Real(_)) => vec![(state, self.real_of(num))],
            Some(Val::Expr(_)) => {
                let value = self.coerce("Expr", value, &mut state);
                vec![(state, value)]
            }
            Some(_) => vec![(state, Val::Int(num))],
            // No type changes what is not negative.
            None if num.low >= 0 => vec![(state, Val::Int(num))],
            None => self.unsupported(state, "the type of a conditional expression", line),
        }
    }

    /// `&&` and `||`: of truth values, where the second is computed only if it matters, or of expressions.
    fn logic(
        &mut self,
        op: &str,
        lhs: &'p Expr,
        rhs: &'p Expr,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut paths = Vec::new();
        for (state, first) in self.eval(lhs, state) {
            if matches!(first, Val::Expr(_)) {
                for (state, second) in self.eval(rhs, state) {
                    paths.extend(self.operator(op, first.clone(), second, state, line));
                }
                continue;
            }
            if first.is_info() {
                let second = self.eval(rhs, state);
                paths.extend(second.into_iter().map(|(state, _)| (state, Val::info())));
                continue;
            }
            let (holds, fails) = self.truth(&first, state, line);
            let (open, closed) = if op == "&&" { (holds, fails) } else { (fails, holds) };
            let decided = self.values.bool(op == "||");
            paths.extend(closed.into_iter().map(|state| (state, Val::Bool(decided))));
            for state in open {
                for (state, second) in self.eval(rhs, state) {
                    if second.is_info() {
                        paths.push((state, second));
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
            return match Self::load(&place, &state) {
                Some(slot) => vec![(state, slot.value)],
                None => self.unsupported(state, format!("the variable {name}"), line),
            };
        }
        if let Some(slot) = state.members.iter().find(|slot| slot.name == name) {
            let value = slot.value.clone();
            return vec![(state, value)];
        }
        if let Some(paths) = self.unknown_member(name, &state) {
            return paths;
        }
        if let Some(code) = type_code(name) {
            return vec![(state, Val::Code(code))];
        }
        if self.is_emitter && name == "print_ssa_form_" {
            // Expressions are printed as they stand.
            return vec![(state, Val::Bool(self.values.bool(false)))];
        }
        vec![(state, Val::Handle(name.to_owned()))]
    }

    /// What an expression that the object has as a member is when the method begins: undefined, or any.
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

    /// The variable that an expression names.
    pub(crate) fn place(&mut self, expr: &'p Expr, state: State) -> Paths<Place> {
        match &expr.kind {
            ExprKind::Name(name) => {
                let place = Self::find_variable(name, &state);
                vec![(state, place.unwrap_or_else(|| Place::Member(name.clone())))]
            }
            ExprKind::Prefix(op, operand) if op == "*" => {
                let mut paths = Vec::new();
                for (state, value) in self.eval(operand, state) {
                    match value {
                        Val::Address(place) => paths.push((state, place)),
                        value if value.is_info() => paths.push((state, Place::Nowhere)),
                        _ => self.end(
                            state,
                            Outcome::Unsupported("an assignment through a pointer".to_owned()),
                            expr.line,
                        ),
                    }
                }
                paths
            }
            ExprKind::Member { object, name, .. } if matches!(object.kind, ExprKind::This) => {
                vec![(state, Place::Member(name.clone()))]
            }
            ExprKind::Member { object, name, .. } => {
                let mut paths = Vec::new();
                for (mut state, value) in self.eval(object, state) {
                    // A report of which a member is assigned says nothing any more.
                    if let ExprKind::Name(of) = &object.kind
                        && is_report(&value)
                        && !self.is_concrete()
                        && let Some(place) = Self::find_variable(of, &state)
                    {
                        self.store(&place, Val::info(), &mut state);
                        paths.push((state, Place::Nowhere));
                        continue;
                    }
                    // What is known of a structure's member may be read again; of what is not, it cannot be.
                    let is_known = match &value {
                        Val::Object(members) => {
                            members.iter().any(|(known, _)| known == name || known == UNION)
                        }
                        Val::Handle(_) => false,
                        _ => true,
                    };
                    let base = match &object.kind {
                        ExprKind::Name(of) if matches!(value, Val::Object(_)) => {
                            Self::find_variable(of, &state)
                                .filter(|base| Self::is_own(base, &state))
                        }
                        _ => None,
                    };
                    if let Some(base) = base.filter(|_| is_known) {
                        paths.push((state, Place::Part(Box::new(base), name.clone())));
                    } else if is_known {
                        let what = "an assignment to a part".to_owned();
                        self.end(state, Outcome::Unsupported(what), expr.line);
                    } else {
                        paths.push((state, Place::Nowhere));
                    }
                }
                paths
            }
            ExprKind::Index(object, index) => {
                let mut paths = Vec::new();
                for (state, index) in self.eval(index, state) {
                    for (state, value) in self.eval(object, state) {
                        paths.extend(self.element_place(object, &value, &index, state, expr.line));
                    }
                }
                paths
            }
            _ => self.unsupported(state, "an assignment to a part", expr.line),
        }
    }

    /// An element of a vector that a variable holds; what is not known cannot be read again.
    fn element_place(
        &mut self,
        object: &'p Expr,
        value: &Val,
        index: &Val,
        state: State,
        line: usize,
    ) -> Paths<Place> {
        let number = match index {
            Val::Int(num) => {
                self.values.as_number(num.term).and_then(|index| usize::try_from(index).ok())
            }
            _ => None,
        };
        let base = match &object.kind {
            ExprKind::Name(of) => {
                Self::find_variable(of, &state).filter(|base| Self::is_own(base, &state))
            }
            _ => None,
        };
        match (value, number, base) {
            (Val::List(values), Some(index), Some(_)) if index >= values.len() => {
                self.end(state, Outcome::Crash("an index beyond a vector".to_owned()), line);
                Vec::new()
            }
            (Val::List(_), Some(index), Some(base)) => {
                vec![(state, Place::Part(Box::new(base), index.to_string()))]
            }
            (Val::Handle(_), ..) if !value.is_info() && !self.is_concrete() => {
                vec![(state, Place::Nowhere)]
            }
            _ => self.unsupported(state, "an assignment to a part", line),
        }
    }

    /// Whether what a variable refers to is known, if it is a reference.
    fn is_assignable(place: &Place, state: &State) -> bool {
        let is_bookkeeping = |slot: Slot| {
            matches!(slot.value, Val::Handle(_) | Val::Unknown | Val::Opaque(_))
                || slot.value.is_info()
        };
        Self::is_own(place, state)
            || *place == Place::Nowhere
            || Self::load(place, state).is_none_or(is_bookkeeping)
    }

    /// Whether a variable holds a value of its own, rather than what something else that it refers to held.
    fn is_own(place: &Place, state: &State) -> bool {
        match place {
            Place::Local(frame, index) => {
                let slot = state.frames.get(*frame).and_then(|frame| frame.get(*index));
                slot.is_some_and(|slot| !slot.ty.ends_with('&'))
            }
            Place::Member(_) | Place::Part(..) => true,
            Place::Nowhere => false,
        }
    }

    /// What a reference is bound to: a variable, or a value if the expression is none.
    pub(crate) fn reference(&mut self, expr: &'p Expr, state: State) -> Paths<Val> {
        if let ExprKind::Name(name) = &expr.kind
            && let Some(place) = Self::find_variable(name, &state)
        {
            return vec![(state, Val::Reference(place))];
        }
        if let ExprKind::Conditional(condition, then, otherwise) = &expr.kind
            && [then, otherwise].iter().all(|side| {
                let ExprKind::Name(name) = &side.kind else { return false };
                let place = Self::find_variable(name, &state);
                let slot = place.and_then(|place| Self::load(&place, &state));
                slot.is_some_and(|slot| !matches!(slot.value, Val::Int(_)))
            })
        {
            let (holds, fails) = self.branch(condition, state);
            let mut paths = Vec::new();
            for (states, side) in [(holds, then), (fails, otherwise)] {
                for state in states {
                    paths.extend(self.reference(side, state));
                }
            }
            return paths;
        }
        if let ExprKind::Prefix(op, operand) = &expr.kind
            && op == "*"
        {
            let mut paths = Vec::new();
            for (state, value) in self.eval(operand, state) {
                match value {
                    Val::Address(place) => paths.push((state, Val::Reference(place))),
                    _ => paths.extend(self.eval(expr, state)),
                }
            }
            return paths;
        }
        let member = match &expr.kind {
            ExprKind::Name(name) => Some(name),
            ExprKind::Member { object, name, .. } if matches!(object.kind, ExprKind::This) => {
                Some(name)
            }
            _ => None,
        };
        if let Some(name) = member
            && state.members.iter().any(|slot| slot.name == *name)
        {
            return vec![(state, Val::Reference(Place::Member(name.clone())))];
        }
        self.eval(expr, state)
    }

    /// An expression that may assign.
    pub(crate) fn effect(&mut self, expr: &'p Expr, state: State) -> Paths<Val> {
        let line = expr.line;
        match &expr.kind {
            ExprKind::Assign(op, lhs, rhs)
                if op == "="
                    && matches!(&lhs.kind, ExprKind::Call { callee, .. }
                        if matches!(&callee.kind, ExprKind::Name(name) if name == "std::tie")) =>
            {
                self.tie(lhs, rhs, state, line)
            }
            ExprKind::Assign(op, lhs, rhs) => {
                let mut paths = Vec::new();
                for (state, value) in self.eval(rhs, state) {
                    for (state, place) in self.place(lhs, state) {
                        if !Self::is_assignable(&place, &state) {
                            let what = "an assignment through a reference".to_owned();
                            self.end(state, Outcome::Unsupported(what), line);
                            continue;
                        }
                        let combined = if op == "=" {
                            vec![(state, value.clone())]
                        } else if place == Place::Nowhere {
                            vec![(state, Val::info())]
                        } else {
                            let old = Self::load(&place, &state).map(|slot| slot.value);
                            let sign = op.trim_end_matches('=');
                            let old = old.unwrap_or(Val::Unknown);
                            self.binary(sign, old, value.clone(), state, line)
                        };
                        for (mut state, value) in combined {
                            self.store(&place, value.clone(), &mut state);
                            if matches!(place, Place::Member(_)) {
                                state.at = line;
                            }
                            paths.push((state, value));
                        }
                    }
                }
                paths
            }
            ExprKind::Prefix(op, operand) | ExprKind::Postfix(op, operand)
                if op == "++" || op == "--" =>
            {
                let mut paths = Vec::new();
                for (mut state, place) in self.place(operand, state) {
                    if place == Place::Nowhere {
                        Self::changed_unseen(&mut state);
                        paths.push((state, Val::Void));
                        continue;
                    }
                    let old = Self::load(&place, &state).map_or(Val::Unknown, |slot| slot.value);
                    let one = Val::Int(self.number(1, 32, true));
                    for (mut state, value) in self.binary(&op[..1], old.clone(), one, state, line) {
                        self.store(&place, value.clone(), &mut state);
                        let is_prefix = matches!(expr.kind, ExprKind::Prefix(..));
                        paths.push((state, if is_prefix { value } else { old.clone() }));
                    }
                }
                paths
            }
            // Logging and asserts are streams: `internal_assert(c) << "text"`.
            ExprKind::Binary(op, ..) if op == "<<" => match stream_head(expr) {
                Some(_) if self.logs_with_effect(expr) => {
                    self.unsupported(state, "a message with an effect", line)
                }
                Some((name, arguments)) => self.stream(name, arguments, state, line),
                None => self.eval(expr, state),
            },
            ExprKind::Call { callee, arguments, .. } => match &callee.kind {
                ExprKind::Name(name) if is_stream(name) => {
                    self.stream(name, arguments, state, line)
                }
                _ => self.eval(expr, state),
            },
            _ => self.eval(expr, state),
        }
    }

    /// Whether something that is written to a stream does more than to have a value.
    fn logs_with_effect(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Binary(op, rest, last) if op == "<<" => {
                self.has_effect(last) || self.logs_with_effect(rest)
            }
            _ => false,
        }
    }

    /// Whether an expression assigns, moves or mutates, or calls a function of the program that may.
    fn has_effect(&self, expr: &Expr) -> bool {
        let mut found = false;
        expr.clone().visit_mut(&mut |part| {
            found |= match &part.kind {
                ExprKind::Assign(..) | ExprKind::Other(_) => true,
                ExprKind::Prefix(op, _) | ExprKind::Postfix(op, _) => op == "++" || op == "--",
                ExprKind::Call { callee, .. } => match &callee.kind {
                    ExprKind::Name(name) | ExprKind::Member { name, .. } => {
                        let short = name.rsplit("::").next().unwrap_or(name);
                        EFFECTS.contains(&short) || self.may_assign(short)
                    }
                    _ => true,
                },
                _ => false,
            };
        });
        found
    }

    /// Whether a function of the program assigns something that is not its own, as far as its text shows.
    fn may_assign(&self, name: &str) -> bool {
        self.program.functions.iter().filter(|function| function.name == name).any(|function| {
            let mut may = false;
            function.clone().visit_mut(&mut |part| {
                may |= match &part.kind {
                    ExprKind::Assign(..) => true,
                    ExprKind::Prefix(op, _) | ExprKind::Postfix(op, _) => op == "++" || op == "--",
                    ExprKind::Call { callee, .. } => {
                        matches!(&callee.kind, ExprKind::Name(name) | ExprKind::Member { name, .. }
                            if EFFECTS.contains(&&**name))
                    }
                    _ => false,
                };
            });
            may
        })
    }

    /// `std::tie(a, b) = e`
    fn tie(&mut self, lhs: &'p Expr, rhs: &'p Expr, state: State, line: usize) -> Paths<Val> {
        let ExprKind::Call { arguments, .. } = &lhs.kind else {
            return self.unsupported(state, "std::tie", line);
        };
        let mut paths = Vec::new();
        for (state, value) in self.eval(rhs, state) {
            let Val::Object(members) = value else {
                paths.extend(self.unsupported(state, "std::tie of something else", line));
                continue;
            };
            if members.len() != arguments.len() {
                paths.extend(self.unsupported(state, "std::tie of something else", line));
                continue;
            }
            let mut states = vec![state];
            for (argument, (_, value)) in arguments.iter().zip(members) {
                let mut next = Vec::new();
                for state in states {
                    for (mut state, place) in self.place(argument, state) {
                        self.store(&place, value.clone(), &mut state);
                        next.push(state);
                    }
                }
                states = next;
            }
            paths.extend(states.into_iter().map(|state| (state, Val::Void)));
        }
        paths
    }

    /// A message: an assert's condition can fail, an error ends the compiler, logging does nothing.
    pub(crate) fn stream(
        &mut self,
        name: &str,
        arguments: &'p [Expr],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let is_fatal = name == "LOG"
            && matches!(arguments.first().map(|level| &level.kind), Some(ExprKind::Name(level)) if level == "FATAL");
        if name.ends_with("_error") || is_fatal {
            self.end(state, Outcome::Crash(format!("{name} is reached")), line);
            return Vec::new();
        }
        if let (Some(op), [a, b]) = (compared(name), arguments) {
            let mut passed = Vec::new();
            for (state, a) in self.eval(a, state) {
                for (state, b) in self.eval(b, state) {
                    for (state, truth) in self.binary(op, a.clone(), b, state, line) {
                        let (holds, fails) = self.truth(&truth, state, line);
                        for state in fails {
                            self.end(state, Outcome::Crash(format!("{name} fails")), line);
                        }
                        passed.extend(holds.into_iter().map(|state| (state, Val::Void)));
                    }
                }
            }
            return passed;
        }
        match arguments.first() {
            // Where asserts are compiled away, so is what they do.
            Some(condition) if name == "assert" && self.has_effect(condition) => {
                self.unsupported(state, "an assert with an effect", line)
            }
            Some(condition) if !matches!(name, "debug" | "LOG") => {
                let (holds, fails) = self.branch(condition, state);
                for state in fails {
                    self.end(state, Outcome::Crash(format!("{name} fails")), line);
                }
                holds.into_iter().map(|state| (state, Val::Void)).collect()
            }
            _ => vec![(state, Val::Void)],
        }
    }

    fn prefix(&mut self, op: &str, operand: &'p Expr, state: State, line: usize) -> Paths<Val> {
        match op {
            "!" => {
                let mut paths = Vec::new();
                for (state, value) in self.eval(operand, state) {
                    if value.is_info() {
                        paths.push((state, value));
                        continue;
                    }
                    if matches!(value, Val::Expr(_)) {
                        paths.extend(self.make_node(Kind::Not, &[value], state, line));
                        continue;
                    }
                    let (holds, fails) = self.truth(&value, state, line);
                    let (yes, no) = (self.values.bool(true), self.values.bool(false));
                    paths.extend(holds.into_iter().map(|state| (state, Val::Bool(no))));
                    paths.extend(fails.into_iter().map(|state| (state, Val::Bool(yes))));
                }
                paths
            }
            "&" => {
                let places = self.place(operand, state);
                places.into_iter().map(|(state, place)| (state, Val::Address(place))).collect()
            }
            "*" => {
                let mut paths = Vec::new();
                for (state, value) in self.eval(operand, state) {
                    match value {
                        Val::NumPtr(Some(value)) => paths.push((state, *value)),
                        Val::NumPtr(None) | Val::Ptr(None) => {
                            self.end(state, Outcome::Crash("null dereference".to_owned()), line)
                        }
                        Val::Address(place) => match Self::load(&place, &state) {
                            Some(slot) => paths.push((state, slot.value)),
                            None => {
                                self.end(state, Outcome::Unsupported("a pointer".to_owned()), line)
                            }
                        },
                        value @ Val::Handle(_) => paths.push((state, value)),
                        _ => self.end(state, Outcome::Unsupported("a pointer".to_owned()), line),
                    }
                }
                paths
            }
            "-" | "+" | "~" => {
                let mut paths = Vec::new();
                for (mut state, value) in self.eval(operand, state) {
                    match (op, value) {
                        ("+", value) => paths.push((state, value)),
                        (_, value) if value.is_info() => paths.push((state, value)),
                        ("-", Val::Int(num)) => {
                            let zero = self.number(0, num.bits, num.is_signed);
                            match self.arithmetic("-", zero, num, line, &mut state) {
                                Some(value) => paths.push((state, value)),
                                None => return self.unsupported(state, "a negation", line),
                            }
                        }
                        ("-", Val::Real(term)) => {
                            let zero = self.values.number(0, Domain::Real);
                            let negated = self.values.apply(Fun::Sub, &[zero, term]);
                            paths.push((state, Val::Real(negated)));
                        }
                        ("-", Val::Expr(Some(node))) => {
                            let ty = state.node(node).ty;
                            let zero = self.number(0, 32, true);
                            let zero = self.literal(ty, zero, &mut state);
                            paths.extend(self.make(Kind::Sub, zero, node, state, line));
                        }
                        _ => self.end(
                            state,
                            Outcome::Unsupported(format!("the operator {op}")),
                            line,
                        ),
                    }
                }
                paths
            }
            _ => self.unsupported(state, format!("the operator {op}"), line),
        }
    }

    /// A binary operator on values.
    pub(crate) fn binary(
        &mut self,
        op: &str,
        lhs: Val,
        rhs: Val,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut state = state;
        let real = |machine: &mut Self, value: &Val| match value {
            Val::Real(term) => Some(*term),
            Val::Int(num) => match machine.real_of(*num) {
                Val::Real(term) => Some(term),
                _ => None,
            },
            _ => None,
        };
        if lhs.is_info() || rhs.is_info() {
            let compared = self.compare_bounds(op, &lhs, &rhs, &mut state);
            return vec![(state, compared.unwrap_or_else(Val::info))];
        }
        if is_report(&lhs) || is_report(&rhs) {
            let compared = self.compare_intervals(op, &lhs, &rhs, &mut state);
            return vec![(state, compared.unwrap_or_else(Val::info))];
        }
        let is_part = |value: &Val| matches!(value, Val::Handle(of) if of == PART_OF_TEXT);
        if self.is_emitter && (is_part(&lhs) || is_part(&rhs)) {
            return self.unknown_text(op, &lhs, &rhs, state, line);
        }
        if let Some(paths) = self.symbols(op, &lhs, &rhs, &state) {
            return paths;
        }
        match (&lhs, &rhs) {
            (Val::Expr(_), _) | (_, Val::Expr(_)) => self.operator(op, lhs, rhs, state, line),
            (Val::Bool(a), Val::Bool(b)) if matches!(op, "==" | "!=") => {
                let truth = self.comparison(op, *a, *b);
                vec![(state, Val::Bool(truth))]
            }
            (Val::Int(_) | Val::Bool(_), Val::Int(_) | Val::Bool(_)) => {
                let (Some(a), Some(b)) = (self.promote(&lhs), self.promote(&rhs)) else {
                    return self.unsupported(state, format!("the operator {op}"), line);
                };
                match self.arithmetic(op, a, b, line, &mut state) {
                    Some(value) => vec![(state, value)],
                    None => self.unsupported(state, format!("the operator {op} on numbers"), line),
                }
            }
            (Val::Real(_), _) | (_, Val::Real(_)) => {
                let (Some(a), Some(b)) = (real(self, &lhs), real(self, &rhs)) else {
                    return self.unsupported(state, format!("the operator {op}"), line);
                };
                let fun = match op {
                    "+" => Fun::Add,
                    "-" => Fun::Sub,
                    "*" => Fun::Mul,
                    "/" => Fun::Div,
                    "==" | "!=" | "<" | "<=" | ">" | ">=" => {
                        let truth = self.comparison(op, a, b);
                        return vec![(state, Val::Bool(truth))];
                    }
                    _ => return self.unsupported(state, format!("the operator {op}"), line),
                };
                vec![(state, Val::Real(self.values.apply(fun, &[a, b])))]
            }
            (Val::Type(a), Val::Type(b)) if matches!(op, "==" | "!=") => {
                let truth = self.values.bool((a == b) == (op == "=="));
                vec![(state, Val::Bool(truth))]
            }
            (Val::Code(a), Val::Code(b)) if matches!(op, "==" | "!=") => {
                let truth = self.values.bool((a == b) == (op == "=="));
                vec![(state, Val::Bool(truth))]
            }
            (Val::Ptr(Some(a)), Val::Ptr(Some(b))) if matches!(op, "==" | "!=") => {
                let (same, other) = self.same_pointer(*a, *b, state);
                let (yes, no) = (self.values.bool(op == "=="), self.values.bool(op == "!="));
                let same = same.into_iter().map(|state| (state, Val::Bool(yes)));
                same.chain(other.into_iter().map(|state| (state, Val::Bool(no)))).collect()
            }
            (Val::Ptr(Some((node, kind))), Val::Ptr(None))
            | (Val::Ptr(None), Val::Ptr(Some((node, kind))))
                if matches!(op, "==" | "!=") =>
            {
                let (holds, fails) = self.is_kind(*node, *kind, state);
                let (present, absent) =
                    (self.values.bool(op == "!="), self.values.bool(op == "=="));
                let holds = holds.into_iter().map(|state| (state, Val::Bool(present)));
                holds.chain(fails.into_iter().map(|state| (state, Val::Bool(absent)))).collect()
            }
            _ => self.unsupported(state, format!("the operator {op}"), line),
        }
    }

    /// What is computed from a text of which parts are not known: that it has something is a choice. On IR that is known
    /// no name has what is looked for.
    fn unknown_text(
        &mut self,
        op: &str,
        lhs: &Val,
        rhs: &Val,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let is_nowhere = |value: &Val| matches!(value, Val::Handle(of) if of.ends_with("npos"));
        match op {
            "==" | "!=" if self.is_concrete() => {
                let is_missed = is_nowhere(lhs) || is_nowhere(rhs);
                let truth = self.values.bool(is_missed == (op == "=="));
                vec![(state, Val::Bool(truth))]
            }
            "==" | "!=" | "<" | "<=" | ">" | ">=" => {
                let (holds, fails) = self.choose(state);
                self.truths(vec![holds], vec![fails])
            }
            "+" | "-" => vec![(state, Val::Handle(PART_OF_TEXT.to_owned()))],
            _ => self.unsupported(state, format!("the operator {op} on a text"), line),
        }
    }

    /// Forks on whether two pointers are one: both null, or to nodes that are one. Nodes of equal structure may be two.
    fn same_pointer(
        &mut self,
        (a, of_a): (NodeId, Kind),
        (b, of_b): (NodeId, Kind),
        state: State,
    ) -> (Vec<State>, Vec<State>) {
        let (mut same, mut other) = (Vec::new(), Vec::new());
        let (first, not_first) = self.is_kind(a, of_a, state);
        for state in first {
            let (both, only) = self.is_kind(b, of_b, state);
            other.extend(only);
            for state in both {
                if state.find(a) == state.find(b) {
                    same.push(state);
                } else if self.is_concrete() {
                    other.push(state);
                } else {
                    same.extend(self.equal(a, b, state.clone()).0);
                    other.push(state);
                }
            }
        }
        for state in not_first {
            let (only, neither) = self.is_kind(b, of_b, state);
            other.extend(only);
            same.extend(neither);
        }
        (same, other)
    }

    /// A number as an operand: a truth value is an `int`.
    pub(crate) fn promote(&mut self, value: &Val) -> Option<Num> {
        match value {
            Val::Int(num) => Some(*num),
            Val::Bool(truth) => Some(Num { bits: 32, ..self.host_number(*truth, (0, 1), true) }),
            _ => None,
        }
    }

    /// An integer as a floating-point number.
    pub(crate) fn real_of(&mut self, num: Num) -> Val {
        Val::Real(self.values.convert(num.term, Domain::Real))
    }

    /// An operator of the API on expressions: an integer beside an expression is a literal of its type, other types are
    /// matched.
    fn operator(&mut self, op: &str, lhs: Val, rhs: Val, state: State, line: usize) -> Paths<Val> {
        let mut state = state;
        let is_own = self.program.functions.iter().any(|own| {
            own.name.strip_prefix("operator").is_some_and(|sign| sign.trim() == op)
                && own.parameters.iter().any(|parameter| parameter.ty.starts_with("Expr"))
        });
        if is_own {
            return self.unsupported(state, format!("an operator {op} of its own"), line);
        }
        if let (Some(intrinsic), Val::Expr(Some(a)), Val::Expr(Some(b))) = (bitwise(op), &lhs, &rhs)
        {
            let (a, b) = self.match_types(*a, *b, &mut state);
            let ty = state.node(a).ty;
            let fields = vec![Field::Expr(a), Field::Expr(b)];
            let node = state.add(ty, None, Some(Shape { kind: Kind::Call, fields }));
            state.node_mut(node).intrinsic = Some(intrinsic.to_owned());
            return vec![(state, Val::Expr(Some(node)))];
        }
        let kind = match op {
            "+" => Kind::Add,
            "-" => Kind::Sub,
            "*" => Kind::Mul,
            "/" => Kind::Div,
            "%" => Kind::Mod,
            "<" => Kind::LT,
            "<=" => Kind::LE,
            ">" => Kind::GT,
            ">=" => Kind::GE,
            "==" => Kind::EQ,
            "!=" => Kind::NE,
            "&&" => Kind::And,
            "||" => Kind::Or,
            _ => return self.unsupported(state, format!("the operator {op} on Expr"), line),
        };
        let pair = match (lhs, rhs) {
            (Val::Expr(Some(a)), Val::Expr(Some(b))) => (a, b),
            // The operators take an `int`.
            (Val::Expr(Some(a)), Val::Int(num)) => {
                let ty = state.node(a).ty;
                let num = self.convert(num, 32, true);
                let literal = self.literal(ty, num, &mut state);
                (a, literal)
            }
            (Val::Int(num), Val::Expr(Some(b))) => {
                let ty = state.node(b).ty;
                let num = self.convert(num, 32, true);
                let literal = self.literal(ty, num, &mut state);
                (literal, b)
            }
            (Val::Expr(None), _) | (_, Val::Expr(None)) => {
                self.end(state, Outcome::Crash(format!("{op} of an undefined Expr")), line);
                return Vec::new();
            }
            _ => return self.unsupported(state, format!("the operator {op} on Expr"), line),
        };
        let (a, b) = self.match_types(pair.0, pair.1, &mut state);
        self.make(kind, a, b, state, line)
    }

    /// `object.name` and `object->name`.
    fn member(&mut self, object: &'p Expr, name: &'p str, state: State, line: usize) -> Paths<Val> {
        if matches!(object.kind, ExprKind::This) {
            return self.name(name, state, line);
        }
        let mut paths = Vec::new();
        for (state, value) in self.eval(object, state) {
            match value {
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
                Val::Handle(of) => paths.push((state, Val::Handle(format!("{of}.{name}")))),
                Val::Opaque(_) if !self.is_concrete() => {
                    paths.push((state, Val::Handle(name.to_owned())));
                }
                // Variables are told apart by identity, and pointers to them are followed.
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

/// Functions and methods that change what they are called on, or the object.
const EFFECTS: [&str; 15] = [
    "mutate",
    "Mutate",
    "visit",
    "accept",
    "swap",
    "move",
    "push",
    "pop",
    "push_back",
    "pop_back",
    "emplace_back",
    "insert",
    "emplace",
    "erase",
    "clear",
];

/// The bits of the floating-point number that a union of 32 bits holds, read as an integer.
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

/// The intrinsic that an operator of the API on expressions calls.
fn bitwise(op: &str) -> Option<&'static str> {
    Some(match op {
        "&" => "bitwise_and",
        "|" => "bitwise_or",
        "^" => "bitwise_xor",
        "<<" => "shift_left",
        ">>" => "shift_right",
        _ => return None,
    })
}

/// A code of types by its name.
fn type_code(name: &str) -> Option<Code> {
    Some(match name.strip_prefix("Halide::").unwrap_or(name) {
        "Type::Int" => Code::Int,
        "Type::UInt" => Code::UInt,
        "Type::Float" => Code::Float,
        "Type::Handle" => Code::Handle,
        _ => return None,
    })
}

/// A floating-point literal that is whole.
#[expect(clippy::float_cmp, reason = "the literal is whole just if rounding leaves it as it is")]
fn whole(value: f64) -> Option<i128> {
    (value.abs() < 1e15 && value.trunc() == value).then_some(value as i128)
}

/// The comparison that an assert of two operands makes.
fn compared(name: &str) -> Option<&'static str> {
    Some(match name {
        "CHECK_EQ" => "==",
        "CHECK_NE" => "!=",
        "CHECK_LT" => "<",
        "CHECK_LE" => "<=",
        "CHECK_GT" => ">",
        "CHECK_GE" => ">=",
        _ => return None,
    })
}

pub(crate) fn is_stream(name: &str) -> bool {
    compared(name).is_some()
        || matches!(
            name,
            "internal_assert"
                | "user_assert"
                | "internal_error"
                | "user_error"
                | "debug"
                | "user_warning"
                | "LOG"
                | "CHECK"
                | "assert"
                | "std::cerr"
                | "std::cout"
                | "cerr"
        )
}

/// The leftmost operand of a chain of `<<`, if it is a stream.
fn stream_head(expr: &Expr) -> Option<(&str, &[Expr])> {
    match &expr.kind {
        ExprKind::Binary(op, lhs, _) if op == "<<" => stream_head(lhs),
        ExprKind::Call { callee, arguments, .. } => match &callee.kind {
            ExprKind::Name(name) if is_stream(name) => Some((name, arguments)),
            _ => None,
        },
        ExprKind::Name(name) if is_stream(name) => Some((name, &[])),
        _ => None,
    }
}
