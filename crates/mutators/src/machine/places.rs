//! Places, which can be assigned, and expressions that assign.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Declared, Expr, ExprKind, Function};

use crate::ir::state::{Slot, State};
use crate::ir::value::{Place, Val};
use crate::machine::absent::{MISSING, UNDEFINED};
use crate::machine::contracts;
use crate::machine::given::is_null;
use crate::machine::info::is_report;
use crate::machine::invariants::{Invariant, invariant};
use crate::machine::lookup::last_part;
use crate::machine::names::Method;
use crate::machine::operators::{is_stream, stream_head};
use crate::machine::program::called;
use crate::machine::run::{MOVED, Machine, Outcome, Paths};
use crate::machine::types::UNION;

impl<'p> Machine<'p> {
    /// The variable that an expression names.
    pub(crate) fn place(&mut self, expr: &'p Expr, state: State) -> Paths<Place> {
        match &expr.kind {
            ExprKind::Name(name) => {
                let place = Self::find_variable(name, &state);
                vec![(state, place.unwrap_or_else(|| Place::Member(name.clone())))]
            }
            ExprKind::Prefix(op, operand) if *op == Sign::Mul => {
                let mut paths = Vec::new();
                for (state, value) in self.eval(operand, state) {
                    match value {
                        Val::Address(place) => paths.push((state, place)),
                        value if value.is_info() || is_null(&value) => {
                            let followed = self.followed(&value, state, expr.line).into_iter();
                            paths.extend(followed.map(|state| (state, Place::Nowhere)));
                        }
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
            ExprKind::Member { object, name, .. }
                if let Some(ends) = self.end_of_vector(object, &state) =>
            {
                let part = |(state, value)| match value {
                    Val::Reference(base) => (state, Place::Part(Box::new(base), name.clone())),
                    _ => (state, Place::Nowhere),
                };
                ends.into_iter().map(part).collect()
            }
            ExprKind::Call { .. } if let Some(ends) = self.end_of_vector(expr, &state) => {
                let place = |(state, value)| match value {
                    Val::Reference(place) => (state, place),
                    _ => (state, Place::Nowhere),
                };
                ends.into_iter().map(place).collect()
            }
            // An element of a vector that is not known cannot be read again.
            ExprKind::Call { callee, arguments, .. }
                if let ExprKind::Member { object, name, .. } = &callee.kind
                    && matches!(name.as_str(), "back" | "front")
                    && arguments.is_empty()
                    && !self.is_concrete() =>
            {
                self.unknown_end(object, name, state, expr.line)
            }
            ExprKind::Member { object, name, .. } => {
                let mut paths = Vec::new();
                if let Some(report) = Self::place_of_report(object, &state) {
                    return vec![(state, Place::Part(Box::new(report), name.clone()))];
                }
                let arrow = matches!(expr.kind, ExprKind::Member { arrow: true, .. });
                for (state, value) in self.eval(object, state) {
                    let followed =
                        if arrow { self.followed(&value, state, expr.line) } else { Some(state) };
                    let Some(state) = followed else { continue };
                    if let ExprKind::Name(of) = &object.kind
                        && is_report(&value)
                        && !self.is_concrete()
                        && let Some(place) = Self::find_variable(of, &state)
                    {
                        paths.push((state, Place::Part(Box::new(place), name.clone())));
                        continue;
                    }
                    if let Val::Object(members) = &value
                        && Self::is_entry(members)
                    {
                        paths.extend(self.value_of_entry(members, name, state, expr.line));
                        continue;
                    }
                    if arrow && matches!(&value, Val::Handle(of) if self.may_be_null(of, &state)) {
                        paths.extend(self.unsupported(state, UNDEFINED, expr.line));
                        continue;
                    }
                    // A known member of a structure may be read again; an unknown one cannot.
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
                    // The object itself may be meant.
                    if matches!(value, Val::Handle(_)) && !self.type_of_member(name).is_empty() {
                        let what = "a member of what may be the object itself".to_owned();
                        self.end(state, Outcome::Unsupported(what), expr.line);
                    } else if let Some(base) = base.filter(|_| is_known) {
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
            ExprKind::Index(object, index) => self.place_at(object, index, state, expr.line),
            _ => self.unsupported(state, "an assignment to a part", expr.line),
        }
    }

    /// The first or last element of a vector that is not known: it cannot be read again.
    fn unknown_end(
        &mut self,
        object: &'p Expr,
        name: &str,
        state: State,
        line: usize,
    ) -> Paths<Place> {
        let mut paths = Vec::new();
        for (mut state, value) in self.eval(object, state) {
            let Val::Handle(of) = &value else {
                paths.extend(self.unsupported(state, "an assignment to a part", line));
                continue;
            };
            if value.is_info() {
                paths.extend(self.unsupported(state, "an assignment to a part", line));
            } else if let Some(given) = self.element_method(of, Method::of(name), &[], &state, line)
            {
                paths.extend(given.into_iter().map(|(state, _)| (state, Place::Nowhere)));
            } else {
                self.assume_anything(of, &mut state);
                paths.push((state, Place::Nowhere));
            }
        }
        paths
    }

    /// An element of a map or a vector.
    fn place_at(
        &mut self,
        object: &'p Expr,
        index: &'p Expr,
        state: State,
        line: usize,
    ) -> Paths<Place> {
        let mut paths = Vec::new();
        for (state, [value, index]) in self.both(object, index, state) {
            if matches!(value, Val::Handle(_))
                && let Some(what) = self.has_other_meaning(object, "operator[]", 1, &state)
            {
                paths.extend(self.unsupported(state, what, line));
                continue;
            }
            if matches!(value, Val::Map(_)) && self.is_concrete() {
                paths.extend(self.map_element(object, &index, state, line));
                continue;
            }
            paths.extend(self.element_place(object, &value, &index, state, line));
        }
        paths
    }

    /// An element of a vector that a variable holds. An unknown element cannot be read again.
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
            (Val::Handle(of), ..) if self.may_lack(of, index, &state) => {
                self.unsupported(state, MISSING, line)
            }
            (Val::Handle(of), ..) if !value.is_info() && !self.is_concrete() => {
                let mut state = state;
                self.assume_anything(of, &mut state);
                vec![(state, Place::Nowhere)]
            }
            _ => self.unsupported(state, "an assignment to a part", line),
        }
    }

    /// Tests whether an assignment to a place can be modelled: the variable holds its own value, or
    /// refers to something that is not known.
    fn is_assignable(place: &Place, state: &State) -> bool {
        let is_bookkeeping = |slot: Slot| {
            matches!(slot.value, Val::Handle(_) | Val::Unknown | Val::Opaque(_))
                || slot.value.is_info()
        };
        Self::is_own(place, state)
            || *place == Place::Nowhere
            || Self::load(place, state).is_none_or(is_bookkeeping)
    }

    /// Tests whether a place is a member of a report on IR that is not wholly known. An assignment
    /// makes the whole report unknown.
    pub(super) fn is_of_report(&self, place: &Place, state: &State) -> bool {
        let Place::Part(base, _) = place else { return false };
        let held = Self::load(base, state).map(|slot| slot.value);
        !self.is_concrete() && held.as_ref().is_some_and(is_report)
    }

    /// Tests whether a variable holds its own value. A reference parameter or variable that was
    /// bound to a value does not.
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

    /// The binding of a reference: a variable, or a value if the expression is not a variable.
    pub(crate) fn reference(&mut self, expr: &'p Expr, state: State) -> Paths<Val> {
        if let ExprKind::Name(name) = &expr.kind
            && let Some(place) = Self::find_variable(name, &state)
        {
            return vec![self.referred(place, state)];
        }
        if let ExprKind::Conditional(condition, then, otherwise) = &expr.kind
            && [then, otherwise].iter().any(|side| self.place_of(side, &state).is_some())
            // With a new value on one side, the other one is copied.
            && [then, otherwise].iter().all(|side| self.is_kept(side, &state))
        {
            let types = [then, otherwise].map(|side| {
                let place = self.place_of(side, &state)?;
                match Self::load(&place, &state)?.value {
                    Val::Int(num) => Some((num.bits, num.is_signed)),
                    Val::Bool(_) => Some((1, false)),
                    _ => Some((0, false)),
                }
            });
            if types[0].is_none() || types[0] != types[1] {
                return self.unsupported(state, "a reference to one of two places", expr.line);
            }
            let (holds, fails) = self.branch(condition, state);
            let mut paths = Vec::new();
            for (states, side) in [(holds, then), (fails, otherwise)] {
                for state in states {
                    paths.extend(self.reference(side, state));
                }
            }
            return paths;
        }
        if let Some(ends) = self.end_of_vector(expr, &state) {
            return ends;
        }
        if let Some(place) = self.part(expr, &state) {
            return vec![self.referred(place, state)];
        }
        if let ExprKind::Index(object, index) = &expr.kind
            && let Some(base) = self.place_of(object, &state)
            && Self::load(&base, &state).is_some_and(|it| matches!(it.value, Val::List(_)))
        {
            return self.referred_element(&base, index, state, expr.line);
        }
        if let ExprKind::Call { callee, arguments, .. } = &expr.kind
            && let Some(paths) = self.given_by(callee, arguments, &state, expr.line)
        {
            return paths;
        }
        let is_changed = match &expr.kind {
            ExprKind::Assign(..) => true,
            ExprKind::Prefix(op, _) => matches!(op, Sign::Increment | Sign::Decrement),
            _ => false,
        };
        if let Some(paths) = self.assigned_variable(expr, &state) {
            return paths;
        }
        if is_changed {
            return self.unsupported(state, "a reference to what is assigned", expr.line);
        }
        if let ExprKind::Prefix(op, operand) = &expr.kind
            && *op == Sign::Mul
        {
            let mut paths = Vec::new();
            for (state, value) in self.eval(operand, state) {
                match value {
                    Val::Address(place) => paths.push((state, Val::Reference(place))),
                    value => paths.extend(self.pointed(value, state, expr.line)),
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
        let Some(name) = member else { return self.eval(expr, state) };
        let is_it = |slot: &Slot| slot.name == *name;
        if state.members.iter().any(is_it) {
            return vec![self.referred(Place::Member(name.clone()), state)];
        }
        if self.is_result_member(name) {
            // What an earlier `mutate` left there is not known.
            let mut state = state;
            let ty = if name == "expr" { "Expr" } else { "Stmt" }.to_owned();
            state.members.push(Slot { name: name.clone(), ty, value: Val::Unknown });
            return vec![self.referred(Place::Member(name.clone()), state)];
        }
        // A member that was not assigned may get its place here.
        let paths = self.eval(expr, state).into_iter();
        let bound = paths.map(|(state, value)| {
            let place = Place::Member(name.clone());
            let has_place = state.members.iter().any(is_it);
            (state, if has_place { Val::Reference(place) } else { value })
        });
        bound.collect()
    }

    /// Tests whether a class has the root of all mutators, whose members hold a result.
    fn has_result_members(&self, class: &str) -> bool {
        let mut classes = self.classes_of(class).into_iter();
        classes.any(|class| last_part(&class) == "IRMutator")
    }

    /// Tests whether a name is that of the member of the root of all mutators that holds a result,
    /// in a method of a class with this root that has no such member itself.
    fn is_result_member(&self, name: &str) -> bool {
        ["expr", "stmt"].contains(&name)
            && self.running.is_some_and(|running| self.has_result_members(&running.class))
            && self.type_of_member(name).is_empty()
            && !self.program.others.iter().any(|other| other == name)
    }

    /// Tests whether the object's class has a member of its own by the name of the one that holds a
    /// result.
    pub(crate) fn hides_result(&self, name: &str) -> bool {
        self.has_result_members(&self.class) && !self.type_of_member(name).is_empty()
    }

    /// A reference to a place, which may be read through it.
    pub(super) fn referred(&self, place: Place, state: State) -> (State, Val) {
        let mut state = state;
        if let Some(slot) = Self::load(&place, &state) {
            self.reads(&place, &slot.value, &mut state);
        }
        (state, Val::Reference(place))
    }

    /// The place of a part of a structure or vector that a variable holds, `x.name` or `x[i]`, if
    /// the part is known; `None` for other expressions.
    pub(super) fn part(&self, expr: &Expr, state: &State) -> Option<Place> {
        let (object, name) = match &expr.kind {
            ExprKind::Member { object, arrow: false, name } => (object, name.clone()),
            ExprKind::Index(object, index) => match &index.kind {
                ExprKind::Integer(number, _) => (object, number.to_string()),
                ExprKind::Name(name) => {
                    let place = Self::find_variable(name, state)?;
                    let Val::Int(num) = Self::load(&place, state)?.value else { return None };
                    (object, self.values.as_number(num.term)?.to_string())
                }
                _ => return None,
            },
            _ => return None,
        };
        let base = match &object.kind {
            ExprKind::Name(name) => Self::find_variable(name, state)?,
            _ => self.part(object, state)?,
        };
        let is_list = matches!(expr.kind, ExprKind::Index(..));
        match Self::load(&base, state)?.value {
            Val::List(_) if is_list => {}
            Val::Object(members) if !is_list && members.iter().all(|(known, _)| known != UNION) => {
            }
            _ => return None,
        }
        let place = Place::Part(Box::new(base), name);
        let held = Self::load(&place, state)?.value;
        match held {
            Val::Reference(place) => Some(place),
            _ => Some(place),
        }
    }

    /// Evaluates an expression that may assign.
    pub(crate) fn effect(&mut self, expr: &'p Expr, state: State) -> Paths<Val> {
        let line = expr.line;
        match &expr.kind {
            ExprKind::Assign(None, lhs, rhs)
                if matches!(&lhs.kind, ExprKind::Call { callee, .. }
                        if matches!(&callee.kind, ExprKind::Name(name) if name == "std::tie")) =>
            {
                self.tie(lhs, rhs, state, line)
            }
            ExprKind::Assign(op, lhs, rhs) => {
                let mut paths = Vec::new();
                for (state, (place, value)) in self.sides(*op, lhs, rhs, state) {
                    if !Self::is_assignable(&place, &state) {
                        let what = "an assignment through a reference".to_owned();
                        self.end(state, Outcome::Unsupported(what), line);
                        continue;
                    }
                    let combined = match op {
                        None => vec![(state, value)],
                        Some(_) if place == Place::Nowhere || self.is_of_report(&place, &state) => {
                            vec![(state, Val::info())]
                        }
                        Some(sign) => {
                            let old = self.value_before(&place, &state);
                            let (mut state, mut value) = (state, value);
                            // The right side gets the type of the left one. TVM matches both.
                            if let (Val::Expr(Some(old)), Val::Expr(Some(new))) = (&old, &value)
                                && self.profile.name != "tvm"
                                && state.node(*old).ty.is_vector == state.node(*new).ty.is_vector
                            {
                                let made = self.cast(state.node(*old).ty, *new, &mut state, line);
                                let Some(_) = made else { continue };
                                value = Val::Expr(made);
                            }
                            if let (Val::Expr(Some(old)), Val::Expr(Some(new))) = (&old, &value)
                                && state.node(*old).ty != state.node(*new).ty
                            {
                                let what = format!("{sign}= of expressions of two types");
                                paths.extend(self.unsupported(state, what, line));
                                continue;
                            }
                            self.stepped(*sign, &old, value, state, line)
                        }
                    };
                    for (mut state, value) in combined {
                        let old = Self::load(&place, &state).map(|slot| slot.value);
                        if Self::binds(&value) || old.as_ref().is_some_and(Self::binds) {
                            paths.extend(self.unsupported(state, MOVED, line));
                            continue;
                        }
                        // Nothing reads the report that the caller asks for.
                        if place != Place::Nowhere || !Self::is_asked_for(lhs, &state) {
                            self.store(&place, value.clone(), &mut state);
                        }
                        if matches!(place, Place::Member(_)) {
                            state.at = line;
                        }
                        // The value of an assignment is what the variable then holds.
                        let value = Self::load(&place, &state).map_or(value, |slot| slot.value);
                        paths.push((state, value));
                    }
                }
                paths
            }
            ExprKind::Prefix(op, operand) | ExprKind::Postfix(op, operand)
                if matches!(op, Sign::Increment | Sign::Decrement) =>
            {
                let mut paths = Vec::new();
                if self.has_prefix_operator(*op) {
                    return self.unsupported(state, format!("an operator {op} of its own"), line);
                }
                if let Some(counted) = self.counted(operand, &state) {
                    return counted;
                }
                for (mut state, place) in self.place(operand, state) {
                    if place == Place::Nowhere {
                        Self::changed_unseen(&mut state);
                        paths.push((state, Val::Void));
                        continue;
                    }
                    let old = self.value_before(&place, &state);
                    if self.is_global(&place, &old) {
                        Self::changed_unseen(&mut state);
                        let unknown = if self.is_concrete() {
                            Val::Unknown
                        } else {
                            Val::Handle(self.fresh_name("unknown"))
                        };
                        self.store(&place, unknown, &mut state);
                        paths.push((state, Val::Void));
                        continue;
                    }
                    let one = Val::Int(self.number(1, 32, true));
                    let step = if *op == Sign::Increment { Sign::Add } else { Sign::Sub };
                    for (mut state, value) in self.stepped(step, &old, one, state, line) {
                        self.store(&place, value.clone(), &mut state);
                        let value = Self::load(&place, &state).map_or(value, |slot| slot.value);
                        let is_prefix = matches!(expr.kind, ExprKind::Prefix(..));
                        paths.push((state, if is_prefix { value } else { old.clone() }));
                    }
                }
                paths
            }
            // Logging and asserts are streams: `internal_assert(c) << "text"`.
            ExprKind::Binary(op, ..) if *op == Sign::Shl => match stream_head(expr) {
                Some(_) if self.logs_with_effect(expr, &state) => {
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

    /// Tests whether a place is a variable of the files outside of functions and classes, whose
    /// value is not known.
    fn is_global(&self, place: &Place, value: &Val) -> bool {
        let Place::Member(name) = place else { return false };
        let is_field =
            |class: &halidom_cpp::ast::Class| class.fields.iter().any(|field| field.name == *name);
        matches!(value, Val::Handle(_) | Val::Unknown)
            && !value.is_info()
            && !self.mode.is_emitter()
            && self.program.others.contains(name)
            && !self.program.classes.iter().any(is_field)
    }

    /// Tests whether a place is the report that the caller asks for, or a part of it.
    fn is_asked_for(expr: &Expr, state: &State) -> bool {
        match &expr.kind {
            ExprKind::Prefix(Sign::Mul, of) | ExprKind::Member { object: of, .. } => {
                Self::is_asked_for(of, state)
            }
            ExprKind::Name(name) => Self::find_variable(name, state)
                .and_then(|place| Self::load(&place, state))
                .is_some_and(|slot| {
                    matches!(&slot.value, Val::Handle(of)
                        if slot.value.is_info() && of.ends_with('*'))
                }),
            _ => false,
        }
    }

    /// Counts a use in an entry of a scope of replacements: `info.uses++`, where `info` refers to
    /// the entry. The count is then any number, as it is whenever the entry is read again; it is
    /// assumed not to overflow.
    fn counted(&mut self, count: &'p Expr, state: &State) -> Option<Paths<Val>> {
        let ExprKind::Member { object, name: member, .. } = &count.kind else { return None };
        if self.is_concrete() {
            return None;
        }
        let mut state = state.clone();
        if let ExprKind::Name(info) = &object.kind {
            let mut declared = Vec::new();
            for stmt in &self.running?.body {
                stmt.declared(&mut |one| declared.extend((one.name == *info).then_some(one)));
            }
            let refers =
                |one: &Declared| one.ty.ends_with('&') && one.value.as_ref().is_some_and(is_entry);
            let Place::Local(frame, index) = Self::find_variable(info, &state)? else {
                return None;
            };
            let slot = state.frames.get(frame)?.get(index)?.clone();
            // An entry to which a pointer points.
            if let Val::NumPtr(Some((of, entry))) = &slot.value {
                let Val::Object(mut members) = (**entry).clone() else { return None };
                let known = members.iter_mut().find(|(name, _)| name == member)?;
                let Val::Int(old) = known.1 else { return None };
                if Self::may_be_gone(entry, &state) {
                    return None;
                }
                known.1 = Val::Int(self.any_number(member, old.bits, old.is_signed));
                Self::changed_unseen(&mut state);
                // A count removes no entry.
                let members = Self::pointed_entry(members, &state);
                let entry = Val::NumPtr(Some((*of, Box::new(Val::Object(members)))));
                std::rc::Rc::make_mut(&mut state.frames[frame])[index].value = entry;
                return Some(vec![(state, Val::Unknown)]);
            }
            if declared.is_empty() || !declared.into_iter().all(refers) {
                return None;
            }
            let Val::Object(mut members) = slot.value else { return None };
            let known = members.iter_mut().find(|(name, _)| name == member)?;
            let Val::Int(old) = known.1 else { return None };
            known.1 = Val::Int(self.any_number(member, old.bits, old.is_signed));
            std::rc::Rc::make_mut(&mut state.frames[frame])[index].value = Val::Object(members);
        } else if !is_entry(object) {
            return None;
        } else {
            let mut paths = Vec::new();
            for (mut state, entry) in self.eval(object, state) {
                let is_count = matches!(&entry, Val::Object(members)
                if members.iter().any(|(name, value)| {
                    name == member && matches!(value, Val::Int(_))
                }));
                if is_count {
                    Self::changed_unseen(&mut state);
                    paths.push((state, Val::Unknown));
                } else {
                    let what = "an assignment to a part";
                    paths.extend(self.unsupported(state, what, count.line));
                }
            }
            return Some(paths);
        }
        Self::changed_unseen(&mut state);
        Some(vec![(state, Val::Unknown)])
    }

    /// The value at a place before it is changed. A member has an unknown value when the method
    /// begins.
    fn value_before(&self, place: &Place, state: &State) -> Val {
        match (Self::load(place, state), place) {
            (Some(slot), _) => slot.value,
            (None, Place::Member(name)) if !self.is_concrete() => Val::Handle(name.clone()),
            (None, _) => Val::Unknown,
        }
    }

    /// Tests whether evaluating the operands of a stream has an effect.
    fn logs_with_effect(&self, expr: &Expr, state: &State) -> bool {
        match &expr.kind {
            ExprKind::Binary(op, rest, last) if *op == Sign::Shl => {
                self.has_effect(last, state) || self.logs_with_effect(rest, state)
            }
            _ => false,
        }
    }

    /// Tests whether an expression assigns, moves or mutates, or calls a function of the program
    /// that may.
    pub(super) fn has_effect(&self, expr: &Expr, state: &State) -> bool {
        let mut found = false;
        expr.visit(&mut |part| {
            found |= match &part.kind {
                ExprKind::Assign(..) | ExprKind::Other(_) => true,
                ExprKind::Prefix(op, _) | ExprKind::Postfix(op, _) => {
                    matches!(op, Sign::Increment | Sign::Decrement)
                }
                ExprKind::Call { callee, .. } => match &callee.kind {
                    ExprKind::Name(name) | ExprKind::Member { name, .. } => {
                        let short = name.rsplit("::").next().unwrap_or(name);
                        EFFECTS.contains(&short)
                            || self.may_assign(short)
                            || Self::find_variable(name, state).is_some()
                                && matches!(callee.kind, ExprKind::Name(_))
                    }
                    // Its body is looked at, too.
                    ExprKind::Lambda(_) => false,
                    _ => true,
                },
                _ => false,
            };
        });
        found
    }

    /// The same for a part of a rewrite rule, in which functions of the API are patterns.
    pub(super) fn rule_has_effect(&self, rule: &Expr, state: &State) -> bool {
        let mut rule = rule.clone();
        rule.visit_mut(&mut |part| {
            if let ExprKind::Call { callee, .. } = &mut part.kind
                && let ExprKind::Name(name) = &callee.kind
                && contracts::is_known(name.rsplit("::").next().unwrap_or(name))
            {
                callee.kind = ExprKind::Name("make".to_owned());
            }
        });
        self.has_effect(&rule, state)
    }

    /// Tests whether a function of the program, or one that it calls, may assign a variable, as far
    /// as their texts show.
    fn may_assign(&self, name: &str) -> bool {
        let program: &'p crate::machine::program::Program = self.program;
        let is_it =
            |function: &&Function| function.name == name && !contracts::is_replaced(function);
        let first: Vec<&'p Function> = program.functions.iter().filter(is_it).collect();
        called(program, first).into_iter().any(|function| {
            let mut may = false;
            function.visit(&mut |part| {
                may |= match &part.kind {
                    ExprKind::Assign(..) | ExprKind::Other(_) => true,
                    ExprKind::Prefix(op, _) | ExprKind::Postfix(op, _) => {
                        matches!(op, Sign::Increment | Sign::Decrement)
                    }
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
        if arguments.iter().any(|argument| self.has_effect(argument, &state)) {
            return self.unsupported(state, "std::tie of places with effects", line);
        }
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
}

/// Functions and methods that change their receiver, their arguments or the object.
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

/// Tests whether an expression is an entry of a scope of replacements: `var_info.ref(name)`.
fn is_entry(expr: &Expr) -> bool {
    let ExprKind::Call { callee, .. } = &expr.kind else { return false };
    matches!(&callee.kind, ExprKind::Member { object, name, .. }
        if name == "ref" && matches!(&object.kind, ExprKind::Name(scope)
            if invariant(scope) == Some(Invariant::Replacement)))
}
