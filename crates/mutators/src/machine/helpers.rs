//! Objects of the program's own visitors and mutators, which a method makes and calls.
//!
//! # Correctness
//!
//! A visitor only looks at IR, and may find anything. A mutator with members may make any statement
//! of a statement: its methods have verdicts of their own, but these say nothing of the values of
//! its members. An object that is made from something that it may change
//! is not followed.

use halidom_cpp::ast::{Class, Declared, Expr, ExprKind, Function};
use halidom_cpp::{Sign, words};

use crate::ir::kinds::Type;
use crate::ir::node::NodeId;
use crate::ir::state::{Slot, State};
use crate::ir::value::{Place, Val};
use crate::machine::run::{Machine, Paths};
use crate::machine::sequence::{Before, ORDER};

/// The name of the member that lists what an object may change. No member has this name.
const CHANGES: &str = "changes by reference";

/// Tests whether a type is a class of visitors, with its methods.
fn is_local_visitor(ty: &str) -> bool {
    let head = ty.split_once('{').map(|(head, _)| head);
    head.is_some_and(|head| head.starts_with("class ") && head.contains("Visitor"))
}

/// The number of the methods of [`READS`], the first ones, whose results are iterators.
const ITERATORS: usize = 3;

/// The methods that only read a container.
pub(crate) const READS: [&str; 16] = [
    "find",
    "begin",
    "end",
    "contains",
    "count",
    "get",
    "empty",
    "size",
    "defined",
    "as",
    "type",
    "same_as",
    "is_bounded",
    "is_pure",
    "is_intrinsic",
    "accept",
];

/// Tests whether a text uses a name only to call some methods.
pub(super) fn only_calls(text: &str, name: &str, methods: &[&str]) -> bool {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut rest = text;
    let mut before = ' ';
    while let Some(at) = rest.find(name) {
        let previous = rest[..at].chars().last().unwrap_or(before);
        rest = &rest[at + name.len()..];
        before = name.chars().last().unwrap_or(' ');
        if is_word(previous) || rest.starts_with(is_word) {
            continue;
        }
        let method = rest.strip_prefix('.').or_else(|| rest.strip_prefix("->"));
        let read = method.and_then(|method| method.split_once('(')).map(|(method, _)| method);
        if !read.is_some_and(|method| methods.contains(&method)) {
            return false;
        }
    }
    true
}

impl<'p> Machine<'p> {
    /// The class of a name, and whether its objects are mutators; `None` if they are neither
    /// visitors nor mutators.
    fn helper(&self, name: &str) -> Option<(&'p Class, bool)> {
        let program: &'p crate::machine::program::Program = self.program;
        let class = program.classes.iter().find(|class| class.name == name)?;
        let bases = self.classes_of(name);
        let is_of = |root: &str| bases.iter().any(|base| base.ends_with(root));
        let is_mutator = is_of("Mutator");
        (is_mutator || is_of("Visitor")).then_some((class, is_mutator))
    }

    /// The data members of a class of visitors or mutators, those of its bases included; `None` for
    /// other types.
    pub(super) fn fields_of_helper(&self, ty: &str) -> Option<Vec<&'p Declared>> {
        self.helper(ty)?;
        let program: &'p crate::machine::program::Program = self.program;
        let classes = self.classes_of(ty);
        let of = program.classes.iter().filter(|class| classes.contains(&class.name));
        Some(of.flat_map(|class| &class.fields).collect())
    }

    /// Tests whether something else may be changed through a value of a type: it is a reference or
    /// a pointer, may hold one, or calls a function.
    pub(super) fn may_carry(&self, ty: &str) -> bool {
        let mut open = vec![ty.to_owned()];
        let mut seen: Vec<String> = Vec::new();
        while let Some(ty) = open.pop() {
            let holds = ["function", "reference_wrapper", "iterator", "_ptr", "decltype"];
            if ty.contains(['&', '*'])
                || holds.iter().any(|part| ty.contains(part))
                || self.may_refer(&ty)
            {
                return true;
            }
            let named = self.program.classes.iter().filter(|class| {
                words(&ty).any(|word| word == class.name) && !seen.contains(&class.name)
            });
            for class in named.collect::<Vec<_>>() {
                seen.push(class.name.clone());
                open.extend(class.fields.iter().map(|field| field.ty.clone()));
            }
        }
        false
    }

    /// Tests whether a constructor of a class, or of one of its bases, may change something that it
    /// is given: it has a place to change, and does more than to take it over.
    fn constructor_may_change(&self, ty: &str) -> bool {
        let classes = self.classes_of(ty);
        let constructors = self.program.functions.iter();
        let mut constructors = constructors.filter(|function| {
            function.name == function.class && classes.contains(&function.class)
        });
        constructors.any(|function| {
            let has_place = function.parameters.iter().enumerate().any(|(index, parameter)| {
                let value = parameter.ty.trim_end_matches('&');
                function.may_write(index) || self.may_carry(value)
            });
            let does_more = |expr: &Expr| {
                let mut found = false;
                expr.visit(&mut |part| {
                    found |= match &part.kind {
                        ExprKind::Call { callee, .. } => {
                            callee.kind != ExprKind::Name("std::move".to_owned())
                        }
                        ExprKind::Assign(..)
                        | ExprKind::Prefix(Sign::Increment | Sign::Decrement, _)
                        | ExprKind::Postfix(..)
                        | ExprKind::Lambda(_)
                        | ExprKind::Other(_) => true,
                        _ => false,
                    };
                });
                found
            };
            let mut initial = function.initializers.iter().flat_map(|(_, arguments)| arguments);
            has_place && (!function.body.is_empty() || initial.any(does_more))
        })
    }

    /// The members of a mutator's object that is made without arguments.
    pub(crate) fn members_of_mutator(&self, ty: &str) -> Option<Vec<(String, Val)>> {
        let (class, true) = self.helper(ty)? else { return None };
        let member =
            |field: &Declared| (field.name.clone(), Val::Handle(format!("what {ty} finds")));
        Some(class.fields.iter().map(member).collect())
    }

    /// The functions of a class, without its constructors.
    fn methods_of(&self, class: &str) -> impl Iterator<Item = &'p Function> {
        let program: &'p crate::machine::program::Program = self.program;
        let class = class.to_owned();
        let is_it = move |known: &&Function| known.class == class && known.name != class;
        program.functions.iter().filter(is_it)
    }

    /// Makes an object of a visitor or mutator from arguments; `None` if the type is neither.
    pub(crate) fn helper_object(
        &mut self,
        ty: &str,
        arguments: &'p [Expr],
        state: State,
        line: usize,
    ) -> Option<Paths<Val>> {
        let (class, _) = self.helper(ty)?;
        let is_constructed = self
            .program
            .functions
            .iter()
            .any(|function| function.class == ty && function.name == ty);
        if !is_constructed && !arguments.is_empty() {
            return None;
        }
        if !self.spells && self.constructor_may_change(ty) {
            let what = format!("what the constructor of {ty} changes");
            return Some(self.unsupported(state, what, line));
        }
        let mut paths = Vec::new();
        for (state, values) in self.arguments(arguments, state) {
            if self.spells {
                match self.live_object(class, &values, &state) {
                    Some(object) => paths.push((state, object)),
                    None => paths.extend(self.unsupported(state, format!("a new {ty}"), line)),
                }
                continue;
            }
            let Some(changes) = self.may_change(class, &values, &state) else {
                let what = format!("what {ty} changes");
                paths.extend(self.unsupported(state, what, line));
                continue;
            };
            let member =
                |field: &Declared| (field.name.clone(), Val::Handle(format!("what {ty} finds")));
            let changes = (CHANGES.to_owned(), Val::List(changes));
            let members = class.fields.iter().map(member);
            let object = Val::Object(members.chain([changes]).collect());
            paths.push((state, object));
        }
        Some(paths)
    }

    /// Makes an object of a class of visitors that a function declares in place of a variable's
    /// type; `None` for other types.
    pub(crate) fn local_visitor(
        &mut self,
        ty: &str,
        arguments: &'p [Expr],
        state: State,
    ) -> Option<Paths<Val>> {
        if !is_local_visitor(ty) || self.is_concrete() {
            return None;
        }
        let mut paths = Vec::new();
        for (state, values) in self.arguments(arguments, state) {
            let is_scope = |value: &Val| {
                matches!(Self::loaded(value.clone(), &state), Val::Handle(of) | Val::Text(of)
                    if self.purpose(&of).is_some()
                        || crate::machine::invariants::invariant(&of).is_some())
                    || matches!(value, Val::Reference(Place::Member(_)))
            };
            if values.iter().any(is_scope) {
                paths.extend(self.unsupported(state, "what a visitor changes", 0));
                continue;
            }
            let place = |value: &Val| match Self::loaded(value.clone(), &state) {
                address @ Val::Address(_) => address,
                _ => value.clone(),
            };
            let changes = values.iter().map(place).collect();
            paths.push((state, Val::Object(vec![(CHANGES.to_owned(), Val::List(changes))])));
        }
        Some(paths)
    }

    /// Makes what an object refers to unknown, because a method of the object may change it.
    pub(crate) fn change_by(&mut self, members: &[(String, Val)], state: &mut State) {
        let changes = members.iter().find(|(name, _)| name == CHANGES);
        for value in changes.map(|(_, value)| crate::ir::value::members(value)).unwrap_or_default()
        {
            match value {
                Val::Address(place) | Val::Reference(place) => {
                    let unknown = Val::Handle(self.fresh_name("unknown"));
                    self.store(&place, unknown, state);
                }
                Val::Handle(of) => {
                    Self::changed_unseen(state);
                    self.assume_anything(&of, state);
                }
                _ => {}
            }
        }
    }

    /// Returns what an object that is made from these values may change; `None` if it may change a
    /// scope.
    fn may_change(&self, class: &Class, values: &[Val], state: &State) -> Option<Vec<Val>> {
        let classes = self.classes_of(&class.name);
        let fields = self.fields_of_helper(&class.name).unwrap_or_default();
        // Something that is read through a constant reference cannot be changed by an iterator.
        let is_read = |field: &Declared| {
            let name = &field.name;
            let methods: &[&str] =
                if field.ty.starts_with("const ") { &READS } else { &READS[ITERATORS..] };
            field.ty.ends_with(['&', '*'])
                && !field.ty.trim_end_matches(['&', '*']).contains(['&', '*'])
                && classes.iter().all(|class| {
                    self.methods_of(class).all(|of| only_calls(&of.text, name, methods))
                })
        };
        let mut changing =
            fields.into_iter().filter(|field| self.may_carry(&field.ty) && !is_read(field));
        if changing.next().is_none() {
            return Some(Vec::new());
        }
        let mut changes = Vec::new();
        for value in values {
            let loaded = Self::loaded(value.clone(), state);
            match (&loaded, value) {
                (Val::Handle(of), _)
                    if self.purpose(of).is_some()
                        || crate::machine::invariants::invariant(of).is_some() =>
                {
                    return None;
                }
                // Its parts may be places.
                (Val::Object(_) | Val::List(_) | Val::Map(_) | Val::Lambda(..), _) => return None,
                (Val::Address(_), _) => changes.push(loaded),
                (_, Val::Reference(Place::Member(of)))
                    if self.purpose(of).is_some()
                        || crate::machine::invariants::invariant(of).is_some() =>
                {
                    return None;
                }
                (_, value) => changes.push(value.clone()),
            }
        }
        Some(changes)
    }

    /// The class of the visitor or mutator that a variable holds, and whether it is a mutator.
    pub(crate) fn held_helper(&self, expr: &Expr, state: &State) -> Option<(Place, bool)> {
        let ExprKind::Name(name) = &expr.kind else { return None };
        let place = Self::find_variable(name, state)?;
        let Slot { ty, value: Val::Object(_), .. } = Self::load(&place, state)? else {
            return None;
        };
        if is_local_visitor(&ty) {
            return Some((place, false));
        }
        let (_, is_mutator) = self.helper(ty.trim_end_matches('&'))?;
        Some((place, is_mutator))
    }

    /// `visitor(e)`, `mutator(e)` and `mutator.mutate(e)` of a variable.
    pub(crate) fn call_helper(
        &mut self,
        (place, is_mutator): (&Place, bool),
        arguments: &'p [Expr],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let [argument] = arguments else {
            return self.unsupported(state, "a visitor of several things", line);
        };
        let mut paths = Vec::new();
        for (state, value) in self.eval(argument, state) {
            match value {
                Val::Handle(_) if !value.is_info() && !self.is_concrete() => {
                    let held = Self::load(place, &state).map(|slot| slot.value);
                    let mut state = state;
                    self.change_by(
                        &held.as_ref().map(object_members).unwrap_or_default(),
                        &mut state,
                    );
                    let unknown = Val::Handle(self.fresh_name("unknown"));
                    paths.push((state, unknown));
                }
                Val::Expr(Some(node)) | Val::Ptr(Some((node, _))) if is_mutator => {
                    let found = Self::load(place, &state).map(|slot| slot.value);
                    let (ty, members) = match found {
                        Some(Val::Object(members)) => {
                            (Self::load(place, &state).map(|slot| slot.ty), members)
                        }
                        _ => (None, Vec::new()),
                    };
                    let ty = ty.unwrap_or_default();
                    let name = ty.trim_end_matches('&');
                    for (mut state, value) in self.made_by(name, node, state, line) {
                        self.change_by(&members, &mut state);
                        let found = members.iter().map(|(of, value)| {
                            let unknown = Val::Handle(self.fresh_name("unknown"));
                            (of.clone(), if of == CHANGES { value.clone() } else { unknown })
                        });
                        let found = Val::Object(found.collect());
                        self.store(place, found, &mut state);
                        paths.push((state, value));
                    }
                }
                Val::Expr(Some(node)) | Val::Ptr(Some((node, _))) => {
                    paths.extend(self.accept(node, place, state, line));
                }
                _ => paths.extend(self.unsupported(state, "a visitor of something else", line)),
            }
        }
        paths
    }

    /// Makes the result of a mutator with members: any statement, or any expression if it keeps
    /// types.
    pub(crate) fn made_by(
        &mut self,
        class: &str,
        node: NodeId,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let ty = state.node(node).ty;
        let keeps_types = crate::machine::contracts::other_statement(class).is_none();
        if self.is_concrete() || (ty != Type::STMT && !keeps_types) {
            return self.unsupported(state, "a call of a computed function", line);
        }
        let mut state = state;
        Self::changed_unseen(&mut state);
        let made = state.add(ty, None, None);
        vec![(state, Val::Expr(Some(made)))]
    }

    /// `Pass(a, b)(e)` of a mutator that is made from arguments.
    pub(crate) fn made_by_other(
        &mut self,
        made: &'p Expr,
        arguments: &'p [Expr],
        state: State,
        line: usize,
    ) -> Option<Paths<Val>> {
        let ExprKind::Call { callee, arguments: given, .. } = &made.kind else { return None };
        let ExprKind::Name(name) = &callee.kind else { return None };
        let (_, is_mutator) = self.helper(name)?;
        let ([argument], true) = (arguments, is_mutator) else { return None };
        if let Some(given) = given.iter().find(|given| self.has_effect(given, &state)) {
            return Some(self.unsupported(state, ORDER, given.line));
        }
        let mut paths = Vec::new();
        let before = Before::of(given.iter(), &state);
        for (state, object) in self.helper_object(name, given, state, line)? {
            let evaluated = self.eval(argument, state).into_iter();
            let ordered = evaluated
                .flat_map(|path| self.in_any_order(argument, given.iter(), before.as_ref(), path))
                .collect::<Vec<_>>();
            for (mut state, value) in ordered {
                self.change_by(&object_members(&object), &mut state);
                match value {
                    Val::Expr(Some(node)) | Val::Ptr(Some((node, _))) => {
                        paths.extend(self.made_by(name, node, state, line));
                    }
                    _ => {
                        let what = "a call of a computed function";
                        paths.extend(self.unsupported(state, what, line));
                    }
                }
            }
        }
        Some(paths)
    }
}

/// The members of an object by their names.
fn object_members(object: &Val) -> Vec<(String, Val)> {
    match object {
        Val::Object(members) => members.clone(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{ITERATORS, READS, only_calls};

    #[test]
    fn only_methods_that_read_are_reads() {
        let only_reads = |text, name| only_calls(text, name, &READS);
        assert!(only_reads("if (scope.contains(x)) { my_scope.push(x); }", "scope"));
        assert!(only_reads("vars->find(x); a.empty();", "vars"));
        assert!(!only_reads("scope.push(x);", "scope"));
        assert!(!only_reads("f(scope);", "scope"));
        assert!(!only_reads("scope = other;", "scope"));
        assert!(!only_calls("*vars.begin() = 5;", "vars", &READS[ITERATORS..]));
    }
}
