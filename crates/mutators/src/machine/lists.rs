//! Vectors, maps and scopes of the compiler's own code.
//!
//! A list of the input has at most as many elements as loops have iterations; a longer list ends
//! its path as bounded, unless the method treats all elements alike. The contents of scopes are not
//! known when a mutator begins.

use halidom_cpp::ast::{Expr, ExprKind, Function};
use halidom_cpp::words;

use crate::ir::kinds::Type;
use crate::ir::layout::has_elements;
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::{Place, Val};
use crate::machine::alike::treats_alike;
use crate::machine::conversions::is_typed;
use crate::machine::invariants::invariant;
use crate::machine::methods::PART_OF_NAME;
use crate::machine::names::Method;
use crate::machine::program::Purpose;
use crate::machine::run::{ACTIVE, MAX_ITERATIONS, MOVED, Machine, Operands, Outcome, Paths};
use crate::machine::types::element_of;

/// The reason why a path becomes unsupported when it changes a container that no variable holds.
const PART: &str = "a change of a container that no variable holds";

impl<'p> Machine<'p> {
    /// The elements of a list of the input, with one path for each length.
    pub(crate) fn elements(
        &mut self,
        list: NodeId,
        state: State,
        line: usize,
    ) -> Paths<Vec<NodeId>> {
        if let Some(Shape { fields, .. }) = state.shape(list) {
            let nodes = fields.iter().filter_map(|field| match field {
                Field::Expr(node) => Some(*node),
                Field::Number(_) | Field::Lanes | Field::Opaque(_) => None,
            });
            let nodes = nodes.collect();
            return vec![(state, nodes)];
        }
        let mut paths = Vec::new();
        let mut longer = state;
        let least = usize::from(is_never_empty(list, &longer));
        for length in least..=MAX_ITERATIONS {
            let (mut fits, rest) = self.choose(longer);
            let nodes: Vec<NodeId> =
                (0..length).map(|_| fits.add(crate::ir::kinds::I32, None, None)).collect();
            let fields = nodes.iter().map(|node| Field::Expr(*node)).collect();
            let known = fits.node_mut(list);
            known.shape = Some(Shape { kind: crate::ir::kinds::Kind::List, fields });
            known.is_learnt = true;
            paths.push((fits, nodes));
            longer = rest;
        }
        let is_general = !self.mode.is_emitter()
            && self.method.is_some_and(|method| treats_alike(self.program, method));
        if !is_general {
            let what = format!("lists of at most {MAX_ITERATIONS} elements");
            self.end(longer, Outcome::Bounded(what), line);
        }
        paths
    }

    /// The arguments of a call about which nothing else is known, with one path for each number of
    /// arguments. The arguments are assumed to have the type of the call.
    fn call_arguments(&mut self, call: NodeId, state: State, line: usize) -> Paths<Vec<Val>> {
        if state.without_arguments.iter().any(|known| state.find(*known) == state.find(call)) {
            return vec![(state, Vec::new())];
        }
        let ty = state.node(call).ty;
        let counts =
            state.node(call).intrinsic.as_deref().map_or(&[][..], crate::ir::intrinsics::counts);
        let mut paths = vec![];
        let mut longer = state;
        for length in
            (0..=MAX_ITERATIONS).filter(|length| counts.is_empty() || counts.contains(length))
        {
            let (mut fits, rest) = self.choose(longer);
            let nodes: Vec<NodeId> = (0..length).map(|_| fits.add(ty, None, None)).collect();
            if length == 0 {
                fits.without_arguments.push(call);
            }
            if let Some(shape) = &mut fits.node_mut(call).shape {
                shape.fields = nodes.iter().map(|node| Field::Expr(*node)).collect();
            }
            paths.push((fits, nodes.into_iter().map(|node| Val::Expr(Some(node))).collect()));
            longer = rest;
        }
        let is_bounded = counts.is_empty()
            || longer.node(call).intrinsic.as_deref().is_some_and(crate::ir::intrinsics::is_open);
        if is_bounded {
            let what = format!("calls of at most {MAX_ITERATIONS} arguments");
            self.end(longer, Outcome::Bounded(what), line);
        }
        paths
    }

    /// The elements of a value that is a vector.
    pub(crate) fn as_list(&mut self, value: &Val, state: State, line: usize) -> Paths<Vec<Val>> {
        match value {
            Val::List(_) | Val::Object(_) => vec![(state, crate::ir::value::members(value))],
            Val::Expr(Some(node)) if state.node(*node).ty == Type::LIST => self
                .elements(*node, state, line)
                .into_iter()
                .map(|(state, nodes)| {
                    (state, nodes.into_iter().map(|node| Val::Expr(Some(node))).collect())
                })
                .collect(),
            Val::Arguments(call) => match state.shape(*call) {
                Some(Shape { fields, .. }) if !fields.is_empty() || self.is_concrete() => {
                    let values = fields.iter().filter_map(|field| match field {
                        Field::Expr(node) => Some(Val::Expr(Some(*node))),
                        Field::Number(_) | Field::Lanes | Field::Opaque(_) => None,
                    });
                    let values = values.collect();
                    vec![(state, values)]
                }
                Some(_) => {
                    let mut state = state;
                    let known = state.node(*call);
                    let count = known
                        .intrinsic
                        .as_deref()
                        .and_then(|callee| crate::ir::intrinsics::operands(callee, known.ty))
                        .map(|operands| operands.len());
                    let Some(count) = count else {
                        return self.call_arguments(*call, state, line);
                    };
                    let values: Vec<Val> = (0..count)
                        .filter_map(|index| {
                            Self::argument(*call, i128::try_from(index).ok()?, &mut state)
                        })
                        .map(|node| Val::Expr(Some(node)))
                        .collect();
                    vec![(state, values)]
                }
                None => self.unsupported(state, "arguments of a call that is not known", line),
            },
            _ => self.unsupported(state, "a vector that is not known", line),
        }
    }

    /// `std::sort(v.begin(), v.end(), …)`: the elements in any order.
    pub(crate) fn sorted(
        &mut self,
        arguments: &'p [Expr],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let vector = |expr: &'p Expr, end: &str| match &expr.kind {
            ExprKind::Call { callee, arguments, .. } if arguments.is_empty() => {
                match &callee.kind {
                    ExprKind::Member { object, name, .. } if name == end => Some(&**object),
                    _ => None,
                }
            }
            _ => None,
        };
        let ends = match arguments {
            [first, last, ..] => vector(first, "begin").zip(vector(last, "end")),
            _ => None,
        };
        let compares_alone = !arguments.iter().any(|argument| self.has_effect(argument, &state));
        let ends = ends.filter(|(first, last)| first.kind == last.kind && compares_alone);
        let Some((first, _)) = ends else {
            return self.unsupported(state, "a sort of something else", line);
        };
        let mut paths = Vec::new();
        for (state, place) in self.place(first, state) {
            let held = Self::load(&place, &state).map(|slot| slot.value);
            let values = match held {
                Some(list @ (Val::List(_) | Val::Object(_))) => crate::ir::value::members(&list),
                _ => {
                    paths.extend(self.unsupported(state, "a sort of something else", line));
                    continue;
                }
            };
            if values.len() > MAX_ITERATIONS {
                let what = format!("a sort of at most {MAX_ITERATIONS} elements");
                self.end(state, Outcome::Bounded(what), line);
                continue;
            }
            let mut left = state;
            for order in orders(&values) {
                let (mut taken, other) = self.choose(left);
                self.store(&place, Val::List(order), &mut taken);
                paths.push((taken, Val::Void));
                left = other;
            }
        }
        paths
    }

    /// Runs a method of a vector, map or scope that a variable holds; `None` if it holds none of
    /// these.
    pub(crate) fn container_method(
        &mut self,
        receiver: &Val,
        name: Method<'_>,
        arguments: &[Val],
        state: &State,
        line: usize,
    ) -> Option<Paths<Val>> {
        let mut place = match receiver {
            Val::Reference(place) => Some(place.clone()),
            _ => None,
        };
        let mut value = Self::loaded(receiver.clone(), state);
        if let Val::Address(of) = &value {
            // `pointer->push_back(e)`
            let pointed = Self::load(of, state)?.value;
            (place, value) = (Some(of.clone()), pointed);
        }
        if name == Method::EmplaceBack
            && let Val::List(values) = &value
            && let Some(made) = self.emplaced(place.as_ref(), arguments, state, line)
        {
            let mut paths = Vec::new();
            for (state, element) in made {
                let (place, element) = (place.as_ref(), std::slice::from_ref(&element));
                let values = values.clone();
                let name = Method::PushBack;
                paths.extend(self.list_method(place, values, name, element, state, line));
            }
            return Some(paths);
        }
        let arguments: Vec<Val> =
            arguments.iter().map(|value| Self::loaded(value.clone(), state)).collect();
        if arguments.iter().any(Self::binds) {
            return Some(self.unsupported(state.clone(), MOVED, line));
        }
        match &value {
            Val::Map(_) if self.hides(place.as_ref(), name) => {
                Some(vec![(state.clone(), Val::Void)])
            }
            Val::Map(entries) => {
                let entries = entries.clone();
                let state = state.clone();
                let place = place.as_ref();
                let mut paths = self.map_method(place, entries, name, &arguments, state, line);
                if let Some(Place::Member(of)) = place {
                    for (state, _) in &mut paths {
                        self.assume(of, name, &arguments, state);
                        self.record(of, name, &arguments, state, line);
                    }
                }
                Some(paths)
            }
            Val::List(values) => {
                let values = values.clone();
                let state = state.clone();
                Some(self.list_method(place.as_ref(), values, name, &arguments, state, line))
            }
            Val::Arguments(_) => Some(self.read_list(&value, name, state.clone(), line)),
            Val::Expr(Some(node))
                if state.node(*node).ty == Type::LIST
                    && name == Method::PushBack
                    && state.shape(*node).is_none() =>
            {
                Some(self.grown(place.as_ref(), state.clone(), line))
            }
            Val::Expr(Some(node)) if state.node(*node).ty == Type::LIST => {
                Some(self.read_list(&value, name, state.clone(), line))
            }
            _ => None,
        }
    }

    /// Appends to a copy of a list of the input: the copy becomes a list about which nothing is
    /// known.
    fn grown(&mut self, place: Option<&Place>, state: State, line: usize) -> Paths<Val> {
        let mut state = state;
        match place {
            Some(place @ Place::Local(..)) if !self.is_concrete() => {
                let list = state.add(Type::LIST, None, None);
                self.store(place, Val::Expr(Some(list)), &mut state);
                vec![(state, Val::Void)]
            }
            _ => self.unsupported(state, "the method push_back of a vector", line),
        }
    }

    fn read_list(&mut self, list: &Val, name: Method<'_>, state: State, line: usize) -> Paths<Val> {
        if let Val::Expr(Some(node)) = list
            && name == Method::Empty
            && state.shape(*node).is_none()
        {
            let (holds, fails) = self.choose(state);
            return self.truths(vec![holds], vec![fails]);
        }
        let mut paths = Vec::new();
        for (state, values) in self.as_list(list, state, line) {
            let value = match (name, values.as_slice()) {
                (Method::Size, values) => {
                    let size = i128::try_from(values.len()).unwrap_or(0);
                    Val::Int(self.number(size, 64, false))
                }
                (Method::Empty, values) => Val::Bool(self.values.bool(values.is_empty())),
                (Method::Front, [first, ..]) => first.clone(),
                (Method::Back, [.., last]) => last.clone(),
                _ => {
                    let what = format!("the method {name} of a vector");
                    self.end(state, Outcome::Unsupported(what), line);
                    continue;
                }
            };
            paths.push((state, value));
        }
        paths
    }

    fn list_method(
        &mut self,
        place: Option<&Place>,
        values: Vec<Val>,
        name: Method<'_>,
        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut values = values;
        let mut state = state;
        let result = match (name, arguments) {
            (Method::PushBack | Method::EmplaceBack, [value]) => {
                let ty = place.and_then(|place| Self::load(place, &state)).map(|slot| slot.ty);
                if ty.as_ref().is_some_and(|ty| self.is_active(element_of(ty))) {
                    return self.unsupported(state, ACTIVE, line);
                }
                // A function that calls itself fills a list of any length.
                if !self.is_concrete()
                    && values.len() >= MAX_ITERATIONS
                    && self.running.is_some_and(calls_itself)
                {
                    let what = format!("lists of at most {MAX_ITERATIONS} elements");
                    self.end(state, Outcome::Bounded(what), line);
                    return Vec::new();
                }
                let ty = ty.unwrap_or_default();
                let element = if is_typed(&ty) {
                    self.initialize(element_of(&ty), value.clone(), &mut state)
                } else {
                    let like = values.last().cloned().unwrap_or(Val::Unknown);
                    self.converted_like(&like, value.clone())
                };
                values.push(element);
                Val::Void
            }
            (Method::PopBack | Method::Clear, _) if values.iter().any(Self::binds) => {
                return self.unsupported(state, "a binding that ends with its element", line);
            }
            (Method::PopBack, []) => {
                if values.pop().is_none() {
                    self.end(state, Outcome::Crash("pop_back of an empty vector".to_owned()), line);
                    return Vec::new();
                }
                Val::Void
            }
            (Method::Clear, []) => {
                values.clear();
                Val::Void
            }
            (Method::Count, [_]) if !self.is_concrete() => {
                let (holds, fails) = self.choose(state);
                return self.truths(vec![holds], vec![fails]);
            }
            (Method::Back | Method::Front, []) => {
                let value = if name == Method::Back { values.last() } else { values.first() };
                let Some(value) = value else {
                    self.end(state, Outcome::Crash(format!("{name} of an empty vector")), line);
                    return Vec::new();
                };
                return vec![(state, value.clone())];
            }
            (Method::Size | Method::Empty, []) => {
                return self.read_list(&Val::List(values), name, state, line);
            }
            _ => {
                let what = format!("the method {name} of a vector");
                return self.unsupported(state, what, line);
            }
        };
        match place {
            Some(place) => self.store(place, Val::List(values), &mut state),
            None => state.lost = Some(PART),
        }
        vec![(state, result)]
    }

    fn map_method(
        &mut self,
        place: Option<&Place>,
        entries: Vec<(Val, Val)>,
        name: Method<'_>,
        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut entries = entries;
        let mut state = state;
        if let Some(found) = self.in_map(place, &entries, name, arguments, &state) {
            return vec![(state, found)];
        }
        if let Some(key) = arguments.first()
            && entries.iter().any(|(known, _)| !self.is_told_apart(known, key, &state))
        {
            return self.unsupported(state, "whether two keys are one", line);
        }
        let last = |key: &Val, entries: &[(Val, Val)], state: &State| {
            entries.iter().rposition(|(known, _)| Self::is_same_key(known, key, state))
        };
        let result = match (name, arguments) {
            (Method::Contains | Method::Count, [key]) => {
                let found = last(key, &entries, &state).is_some();
                let truth = if name == Method::Count {
                    Val::Int(self.number(i128::from(found), 64, false))
                } else {
                    Val::Bool(self.values.bool(found))
                };
                return vec![(state, truth)];
            }
            (Method::Empty, []) => {
                let truth = self.values.bool(entries.is_empty());
                return vec![(state, Val::Bool(truth))];
            }
            (Method::Get | Method::Ref | Method::At, [key]) => {
                let found = last(key, &entries, &state);
                let Some(found) = found else {
                    self.end(state, Outcome::Crash(format!("{name} of what is not there")), line);
                    return Vec::new();
                };
                // The mutators of operands may have changed the entry.
                if let Some(Place::Member(of)) = place
                    && matches!(self.operands, Operands::Kept | Operands::Copied)
                    && invariant(of).is_some()
                {
                    state.lost = Some("an entry that mutators of operands may change");
                }
                // An entry of the object that is referred to may be assigned.
                if let (Method::Ref, Some(place @ Place::Member(_)), true) =
                    (name, place, self.is_concrete())
                {
                    let entry = Place::Part(Box::new(place.clone()), found.to_string());
                    return vec![(state, Val::Reference(entry))];
                }
                let value = entries[found].1.clone();
                return vec![(state, value)];
            }
            // A pair is a key and its value. A key that is already present keeps its value.
            (Method::Insert | Method::Emplace, [Val::Object(_), ..]) => {
                return self.unsupported(state, "a pair that is put into a map", line);
            }
            (Method::Insert | Method::Emplace, [key, ..])
                if last(key, &entries, &state).is_some() =>
            {
                Val::Void
            }
            (Method::Push | Method::Insert | Method::Emplace, [key, rest @ ..]) => {
                let value = rest.first().cloned().unwrap_or(Val::Void);
                entries.push((key.clone(), value));
                Val::Void
            }
            (Method::Erase, [Val::Object(_)]) => {
                return self.unsupported(state, "an iterator whose entry is erased", line);
            }
            (Method::Pop | Method::Erase, [key]) => {
                match last(key, &entries, &state) {
                    Some(found) => {
                        entries.remove(found);
                    }
                    // The entries that other methods put there are not known.
                    None if name == Method::Pop && self.is_table(place) => {
                        return self.unsupported(state, "what others put on a scope", line);
                    }
                    None if name == Method::Pop => {
                        self.end(
                            state,
                            Outcome::Crash("pop of what is not there".to_owned()),
                            line,
                        );
                        return Vec::new();
                    }
                    None => {}
                }
                Val::Void
            }
            (Method::Clear, []) => {
                entries.clear();
                Val::Void
            }
            _ => {
                let what = format!("the method {name} of a map");
                return self.unsupported(state, what, line);
            }
        };
        match place {
            Some(place) => self.store(place, Val::Map(entries), &mut state),
            None => state.lost = Some(PART),
        }
        vec![(state, result)]
    }

    /// Tests whether two keys are known to be equal or known to be different.
    pub(crate) fn is_told_apart(&mut self, a: &Val, b: &Val, state: &State) -> bool {
        if self.is_concrete() {
            return true;
        }
        if Self::is_same_key(a, b, state) {
            return !self.is_vague(a);
        }
        let node = |value: &Val| match value {
            Val::Expr(Some(node)) | Val::Ptr(Some((node, _))) => Some(*node),
            _ => None,
        };
        match (Self::name_of(a, state).or(node(a)), Self::name_of(b, state).or(node(b))) {
            (Some(a), Some(b)) => {
                let (same, other) = self.equal(a, b, state.clone());
                same.is_empty() || other.is_empty()
            }
            // Two texts that are not written alike are different keys.
            (None, None) => matches!((a, b), (Val::Text(_), Val::Text(_))),
            _ => false,
        }
    }

    fn is_table(&self, place: Option<&Place>) -> bool {
        matches!(place, Some(Place::Member(name)) if self.purpose(name) == Some(Purpose::Table))
    }

    /// Tests whether a key that looks the same may be another key: a value that is not known has
    /// only a name.
    pub(crate) fn is_vague(&self, key: &Val) -> bool {
        let is_part = |of: &str| {
            let number = of.strip_prefix(PART_OF_NAME).and_then(|rest| rest.strip_prefix('#'));
            number.is_some_and(|number| number.parse::<u32>().is_ok())
        };
        !self.is_concrete() && matches!(key, Val::Handle(of) if !is_part(of))
    }

    pub(crate) fn is_same_key(a: &Val, b: &Val, state: &State) -> bool {
        match (Self::name_of(a, state), Self::name_of(b, state)) {
            (Some(a), Some(b)) => state.is_same(a, b),
            (None, None) => match (a, b) {
                (Val::Expr(Some(a)), Val::Expr(Some(b))) => state.is_same(*a, *b),
                (a, b) => a == b,
            },
            _ => false,
        }
    }
}

/// Every order of some values.
fn orders(values: &[Val]) -> Vec<Vec<Val>> {
    let Some((first, rest)) = values.split_first() else { return vec![Vec::new()] };
    let mut found = Vec::new();
    for order in orders(rest) {
        for place in 0..=order.len() {
            let mut order = order.clone();
            order.insert(place, first.clone());
            found.push(order);
        }
    }
    found
}

/// Tests whether a list is one that has elements in every node of its kind.
fn is_never_empty(list: NodeId, state: &State) -> bool {
    state.nodes.iter().filter_map(|node| node.shape.as_ref()).any(|shape| {
        shape.kind.fields().iter().zip(&shape.fields).any(|((name, _), field)| {
            matches!(field, Field::Expr(inner) if *inner == list) && has_elements(shape.kind, name)
        })
    })
}

/// Tests whether a function calls itself, as far as its text tells.
fn calls_itself(function: &Function) -> bool {
    words(&function.text).filter(|word| *word == function.name).count() > 1
}
