//! Objects of structures that functions declare, and elements of vectors as places.
//!
//! # Correctness
//!
//! An object with a `ScopedBinding` pushes when it is made, and pops where its variable ends. An
//! element of a vector ends with the vector; no method may remove such an element earlier.
//!
//! An object of any other class of the program is made member by member, which is right only if
//! neither its class nor the class of a member declares a constructor, a destructor or an
//! assignment. Constructors of structures that a function declares, and of visitors and mutators,
//! are known in part.

use halidom_cpp::ast::{Expr, ExprKind, Function, Local, Stmt, StmtKind};

use crate::ir::state::{Slot, State};
use crate::ir::value::{Place, Val};
use crate::machine::names::Method;
use crate::machine::run::{ACTIVE, Machine, Outcome, Paths};
use crate::machine::types::{
    element_of, is_binding_type, is_scoped_value_type, is_vector_type, parts_of, short,
};

/// The handle for a `ScopedBinding` that pushed.
pub(crate) const BOUND: &str = "a scope";

/// The handle for a `ScopedBinding` that did not push.
pub(crate) const UNBOUND: &str = "no scope";

/// The reason that is given where braces or a conversion call a constructor.
pub(crate) const BRACED: &str = "an object that a constructor makes of other values";

/// The handle for a `ScopedValue`.
pub(crate) const HELD: &str = "a scoped value";

/// Finds a structure that statements declare.
fn declared_in<'p>(stmts: &'p [Stmt], name: &str) -> Option<&'p Local> {
    stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Struct(local) if local.class.name == name => Some(&**local),
        StmtKind::Block(stmts) => declared_in(stmts, name),
        _ => None,
    })
}

impl<'p> Machine<'p> {
    /// The structure with a name that the running function declares.
    pub(crate) fn local(&self, name: &str) -> Option<&'p Local> {
        declared_in(&self.running?.body, name)
    }

    /// Tests whether objects of a structure that the running function declares are made by one of
    /// its constructors.
    pub(super) fn is_constructed(&self, ty: &str) -> bool {
        self.local(ty).is_some_and(|local| !local.constructors.is_empty())
    }

    /// Tests whether a value becomes one of a type by no constructor that is not followed: one
    /// takes the values of a list in braces, or a single value, and may have effects.
    pub(super) fn may_initialize(&self, ty: &str, value: &Val) -> bool {
        let is_list = match value {
            Val::Object(parts) => parts.first().is_some_and(|(name, _)| name == "first"),
            value => matches!(value, Val::List(_)),
        };
        let ends = |of: &str| ["ScopedBinding", "ScopedValue"].contains(&of);
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let mut words = ty.split(|letter| !is_word(letter));
        if self.is_constructed(ty) || is_binding_type(ty) || is_scoped_value_type(ty) {
            let is_made = matches!(value, Val::Object(_)) && !is_list;
            return is_made || matches!(value, Val::Handle(_) | Val::Reference(_) | Val::Unknown);
        }
        // The elements of vectors and the parts of pairs are initialized one by one.
        let is_parted = is_vector_type(short(ty)) || parts_of(short(ty)).is_some();
        !is_list || is_parted || !words.any(|of| ends(of) || self.is_constructed(of))
    }

    /// Tests whether code of the program may run when an object of a type is made, copied or ends.
    pub(crate) fn is_active(&self, ty: &str) -> bool {
        if ty.ends_with(['&', '*']) || self.local(ty).is_some() {
            return false;
        }
        let classes = self.classes_of(ty.rsplit("::").next().unwrap_or(ty));
        let is_helper = classes.iter().any(|of| of.ends_with("Mutator") || of.ends_with("Visitor"));
        let ends = |class: &str| {
            let of_class = |known: &&Function| known.class == class;
            let mut functions = self.program.functions.iter().filter(of_class);
            functions.any(|function| function.name.starts_with('~'))
        };
        let known = self.program.classes.iter().filter(|class| classes.contains(&class.name));
        known.into_iter().any(|class| {
            if is_helper {
                return ends(&class.name);
            }
            class.is_active
                || ends(&class.name)
                || class.fields.iter().any(|field| field.ty != ty && self.is_active(&field.ty))
        })
    }

    /// Makes an object of a structure that the running function declares. Its bindings end where
    /// the variable at `depth` ends.
    pub(crate) fn construct(
        &mut self,
        local: &'p Local,
        arguments: &[Val],
        depth: (usize, usize),
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let fitting: Vec<&'p Function> = local
            .constructors
            .iter()
            .filter(|constructor| constructor.parameters.len() == arguments.len())
            .collect();
        let constructor = match fitting.as_slice() {
            [] if local.constructors.is_empty() => None,
            [one] if one.body.is_empty() => Some(*one),
            _ => return self.unsupported(state, "which constructor makes this", line),
        };
        let fields = &local.class.fields;
        if fields.iter().any(|field| field.ty.ends_with('&')) {
            return self.unsupported(state, "an object that refers to another", line);
        }
        if constructor.is_none() && ![0, fields.len()].contains(&arguments.len()) {
            return self.unsupported(state, "an object with some of its members", line);
        }
        let mut state = state;
        let mut frame = Vec::new();
        for (index, parameter) in constructor.iter().flat_map(|one| &one.parameters).enumerate() {
            let mut value = arguments[index].clone();
            if !parameter.ty.ends_with('&') {
                value = Self::loaded(value, &state);
            }
            let value = self.initialize(&parameter.ty, value, &mut state);
            frame.push(Slot { name: parameter.name.clone(), ty: parameter.ty.clone(), value });
        }
        if constructor.is_some() {
            state.frames.push(std::rc::Rc::new(frame));
        }
        let mut paths = vec![(state, Vec::new())];
        for (index, field) in fields.iter().enumerate() {
            let given = constructor
                .and_then(|one| one.initializers.iter().find(|(name, _)| *name == field.name));
            let mut next = Vec::new();
            for (state, made) in paths {
                let values = match (given, arguments.get(index)) {
                    (Some((_, given)), _) => self.made_of(&field.ty, given, depth, state, line),
                    (None, Some(value)) if constructor.is_none() => {
                        let mut state = state;
                        let value = Self::loaded(value.clone(), &state);
                        let value = self.initialize(&field.ty, value, &mut state);
                        vec![(state, value)]
                    }
                    (None, _) => match &field.value {
                        Some(value) => {
                            let given = std::slice::from_ref(value);
                            self.made_of(&field.ty, given, depth, state, line)
                        }
                        None => self.made_of(&field.ty, &[], depth, state, line),
                    },
                };
                for (mut state, value) in values {
                    // A later member may be made of this one, unless a parameter hides it.
                    let is_hidden = constructor.is_none_or(|one| {
                        one.parameters.iter().any(|parameter| parameter.name == field.name)
                    });
                    if !is_hidden {
                        let (name, ty) = (field.name.clone(), field.ty.clone());
                        state.frame().push(Slot { name, ty, value: value.clone() });
                    }
                    let mut made: Vec<(String, Val)> = made.clone();
                    made.push((field.name.clone(), value));
                    next.push((state, made));
                }
            }
            paths = next;
        }
        let mut done = Vec::new();
        for (mut state, made) in paths {
            if constructor.is_some() {
                state.frames.pop();
            }
            done.push((state, Val::Object(made)));
        }
        done
    }

    /// The value of a member that is initialized with these arguments.
    fn made_of(
        &mut self,
        ty: &str,
        arguments: &'p [Expr],
        depth: (usize, usize),
        state: State,
        line: usize,
    ) -> Paths<Val> {
        if is_binding_type(ty) {
            if arguments.is_empty() {
                return vec![(state, Val::Handle(UNBOUND.to_owned()))];
            }
            let mut paths = Vec::new();
            for (state, values) in self.arguments(arguments, state) {
                paths.extend(self.bind_scope_until(&values, depth, state, line));
            }
            return paths;
        }
        if self.is_constructed(ty) {
            return self.unsupported(state, BRACED, line);
        }
        match arguments {
            [] => vec![(state, Self::default(ty))],
            [one] if ty.ends_with('&') => self.reference(one, state),
            [one] => {
                let mut paths = self.eval(one, state);
                for (state, value) in &mut paths {
                    let loaded = Self::loaded(std::mem::replace(value, Val::Void), state);
                    *value = self.initialize(ty, loaded, state);
                }
                paths
            }
            _ => self.unsupported(state, "a member that is made of several values", line),
        }
    }

    /// A list in braces after a type: an object of a structure.
    pub(crate) fn braced(
        &mut self,
        ty: &str,
        parts: &'p [Expr],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut paths = Vec::new();
        for (state, values) in self.arguments(parts, state) {
            if let Some(local) = self.local(ty) {
                let depth = (state.frames.len(), state.depth());
                paths.extend(self.construct(local, &values, depth, state, line));
                continue;
            }
            if self.is_active(ty) {
                paths.extend(self.unsupported(state, ACTIVE, line));
                continue;
            }
            let values: Vec<Val> =
                values.into_iter().map(|value| Self::loaded(value, &state)).collect();
            let mut state = state;
            match self.aggregate(ty, Val::List(values), &mut state) {
                object @ Val::Object(_) => paths.push((state, object)),
                _ => paths.extend(self.unsupported(state, "braces", line)),
            }
        }
        paths
    }

    /// `v.emplace_back(…)`: the new element, if the vector's declared type tells how it is made;
    /// `None` if it is the argument itself.
    pub(crate) fn emplaced(
        &mut self,
        place: Option<&Place>,
        arguments: &[Val],
        state: &State,
        line: usize,
    ) -> Option<Paths<Val>> {
        let slot = Self::load(place?, state)?;
        let element = element_of(&slot.ty);
        if let Some(local) = self.local(element)
            && let Some(Place::Local(frame, index)) = place
        {
            let depth = (*frame + 1, *index);
            return Some(self.construct(local, arguments, depth, state.clone(), line));
        }
        if self.is_active(element) {
            return Some(self.unsupported(state.clone(), ACTIVE, line));
        }
        let arguments: Vec<Val> =
            arguments.iter().map(|value| Self::loaded(value.clone(), state)).collect();
        match arguments.as_slice() {
            [] => Some(vec![(state.clone(), Self::default(element))]),
            [_] => None,
            arguments => {
                let mut state = state.clone();
                let given = match arguments {
                    [first, second] => {
                        let parts = [("first", first), ("second", second)];
                        let parts = parts.map(|(name, value)| (name.to_owned(), value.clone()));
                        Val::Object(parts.to_vec())
                    }
                    arguments => Val::List(arguments.to_vec()),
                };
                let is_known = parts_of(element).is_some() || self.has_fields(element);
                let element = self.initialize(element, given, &mut state);
                (is_known && matches!(element, Val::Object(_) | Val::List(_)))
                    .then(|| vec![(state, element)])
            }
        }
    }

    /// Tests whether a value has a `ScopedBinding` or a `ScopedValue`, which undoes its change
    /// where it ends.
    pub(crate) fn binds(value: &Val) -> bool {
        value.any(&mut |part| matches!(part, Val::Handle(of) if of == BOUND || of == HELD))
    }

    /// `binding.bound()`
    pub(crate) fn is_bound(&mut self, of: &str, name: Method<'_>) -> Option<Val> {
        let is_binding = name == Method::Bound && [BOUND, UNBOUND].contains(&of);
        is_binding.then(|| Val::Bool(self.values.bool(of == BOUND)))
    }

    /// The vector's first or last element as a place, for `v.front()` and `v.back()`; `None` for
    /// any other expression.
    pub(crate) fn end_of_vector(&mut self, expr: &'p Expr, state: &State) -> Option<Paths<Val>> {
        let ExprKind::Call { callee, arguments, .. } = &expr.kind else { return None };
        let ExprKind::Member { object, name, .. } = &callee.kind else { return None };
        let name = Method::of(name);
        if !arguments.is_empty() || !matches!(name, Method::Back | Method::Front) {
            return None;
        }
        if !matches!(object.kind, ExprKind::Name(_)) {
            return None;
        }
        let mut paths = Vec::new();
        for (state, of) in self.reference(object, state.clone()) {
            let Val::Reference(place) = of else { return None };
            let Some(Val::List(values)) = Self::load(&place, &state).map(|slot| slot.value) else {
                return None;
            };
            let index = if name == Method::Front { 0 } else { values.len().saturating_sub(1) };
            if values.is_empty() {
                let what = format!("{name} of an empty vector");
                self.end(state, Outcome::Crash(what), expr.line);
                continue;
            }
            let element = Place::Part(Box::new(place), index.to_string());
            paths.push((state, Val::Reference(element)));
        }
        Some(paths)
    }
}
