//! Checks whether a path leaves the scopes of the object as it found them.
//!
//! # Correctness
//!
//! The contents of scopes are not known when a mutator begins. A path records the entries that it
//! pushed but did not pop, and the entries that it popped but had not pushed. It is balanced if
//! both records are empty at its end: by induction, the calls of `mutate` in between are balanced.
//! A `push` undoes a `pop` only if it puts back the value that `get` or `ref` returned for that key
//! while the scope was as it was found. The path is not balanced if it is unknown which of two
//! entries a `pop` takes, or if the record was lost. On known IR the contents of a scope of a
//! declared class are known too, and an entry that is no longer there was not left.
//!
//! Entries left on a table (see `scopes`) are not checked, but a `pop` from a table fails if
//! nothing is there. So a path keeps the entries that it knows to be there: those that it pushed,
//! and those that `contains` reported. After `mutate`, which may remove any entry, nothing is
//! known. A path that pops any other entry is not balanced.

use std::rc::Rc;

use halidom_cpp::ast::Expr;

use crate::ir::record::{Binding, Change, Pushed, Read};
use crate::ir::state::State;
use crate::ir::value::{Place, Val};
use crate::machine::names::Method;
use crate::machine::objects::{BOUND, HELD, UNBOUND};
use crate::machine::program::{Purpose, ScopeMember};
use crate::machine::run::{Machine, Paths};
use crate::machine::sequence::Before;

/// Entries that are wrongly left on scopes at the end of a path on known IR.
pub(crate) fn left_at_end(state: &State) -> Vec<Pushed> {
    let record = &state.scopes;
    let is_there = |pushed: &&Pushed| {
        if pushed.may_stay {
            return false;
        }
        let slot = state.members.iter().find(|slot| slot.name == pushed.scope);
        match slot.map(|slot| &slot.value) {
            Some(Val::Map(entries)) => {
                entries.iter().any(|(key, _)| Machine::is_same_key(key, &pushed.key, state))
            }
            _ => true,
        }
    };
    if record.lost.is_some() {
        return Vec::new();
    }
    record.pushed.iter().filter(is_there).cloned().collect()
}

impl<'p> Machine<'p> {
    /// The purpose of a member of the object, if that member is a scope.
    pub(crate) fn purpose(&self, name: &str) -> Option<Purpose> {
        let program = self.program;
        let is_it = |known: &&ScopeMember| known.name == name && known.class == self.class;
        program.scopes.iter().find(is_it).map(|known| known.purpose)
    }

    /// Interprets a method of a scope whose contents are not known; `None` for a method whose
    /// effect is not modelled here.
    pub(crate) fn scope_method(
        &mut self,
        scope: &str,
        name: Method<'_>,
        arguments: &[Val],
        state: &State,
        line: usize,
    ) -> Option<Paths<Val>> {
        if self.purpose(scope)? == Purpose::Table {
            return self.table_method(scope, name, arguments, state, line);
        }
        match (name, arguments) {
            (Method::Push | Method::Pop, [_, ..]) => {
                let mut state = state.clone();
                if name == Method::Pop {
                    state.forget_entries(scope);
                }
                self.record(scope, name, arguments, &mut state, line);
                Some(vec![(state, Val::Void)])
            }
            (Method::Contains, [key]) => {
                let is_own = |pushed: &Pushed| {
                    pushed.scope == scope && Self::is_same_key(&pushed.key, key, state)
                };
                let truth = !self.is_vague(key) && state.scopes.pushed.iter().any(is_own);
                truth.then(|| vec![(state.clone(), Val::Bool(self.values.bool(true)))])
            }
            _ => None,
        }
    }

    /// Interprets a method of a table whose contents are not known; `None` if the method reveals
    /// nothing about the contents.
    fn table_method(
        &mut self,
        scope: &str,
        name: Method<'_>,
        arguments: &[Val],
        state: &State,
        line: usize,
    ) -> Option<Paths<Val>> {
        let is_known = |key: &Val| {
            let mut known = state.scopes.known.iter();
            !self.is_vague(key)
                && known.any(|(of, known)| of == scope && Self::is_same_key(known, key, state))
        };
        match (name, arguments) {
            (Method::Push, [key, ..]) => {
                let mut state = state.clone();
                Rc::make_mut(&mut state.scopes).known.push((scope.to_owned(), key.clone()));
                self.begins_buffer(scope, key, &mut state);
                Some(vec![(state, Val::Void)])
            }
            (Method::Contains, [key]) if is_known(key) => {
                Some(vec![(state.clone(), Val::Bool(self.values.bool(true)))])
            }
            (Method::Contains, [key]) if !self.is_concrete() => {
                let (mut holds, mut fails) = self.choose(state.clone());
                Rc::make_mut(&mut holds.scopes).known.push((scope.to_owned(), key.clone()));
                self.asks_for_buffer(scope, key, [&mut holds, &mut fails]);
                Some(self.truths(vec![holds], vec![fails]))
            }
            (Method::Pop, [key]) => {
                let mut state = state.clone();
                state.forget_entries(scope);
                self.popped_from_table(scope, key, &mut state, line);
                self.uses_buffer(scope, key, &mut state);
                Some(vec![(state, Val::Void)])
            }
            (Method::Clear | Method::Swap, _) => {
                let mut state = state.clone();
                Rc::make_mut(&mut state.scopes).known.retain(|(of, _)| of != scope);
                state.forget_entries(scope);
                Some(vec![(state, Val::Void)])
            }
            _ => None,
        }
    }

    /// Records a pop from a table, whether or not the entry is known to be there.
    fn popped_from_table(&mut self, scope: &str, key: &Val, state: &mut State, line: usize) {
        let known: Vec<(usize, Val)> = state
            .scopes
            .known
            .iter()
            .enumerate()
            .filter(|(_, (of, _))| of == scope)
            .map(|(index, (_, known))| (index, known.clone()))
            .collect();
        let same = known.iter().rfind(|(_, known)| Self::is_same_key(known, key, state));
        let same = same.filter(|_| !self.is_vague(key)).map(|(index, _)| *index);
        // If another key may be the same, it is no longer known whether its entry is there.
        let gone: Vec<usize> = known
            .iter()
            .filter(|(_, known)| !self.is_told_apart(known, key, state))
            .map(|(index, _)| *index)
            .chain(same)
            .collect();
        if same.is_none() && self.is_concrete() {
            return;
        }
        let record = Rc::make_mut(&mut state.scopes);
        if same.is_none() {
            record.missing.get_or_insert((scope.to_owned(), line));
        }
        let mut index = 0;
        record.known.retain(|_| {
            index += 1;
            !gone.contains(&(index - 1))
        });
    }

    /// Forgets the known contents of all tables, as any method may have removed any entry.
    pub(crate) fn forget_tables(&self, state: &mut State) {
        if !self.is_concrete() && !state.scopes.known.is_empty() {
            Rc::make_mut(&mut state.scopes).known.clear();
        }
        self.forget_unsteady_entries(state);
        if self.mode.is_emitter() {
            state.filled.clear();
        }
    }

    /// Records the value that `get` or `ref` returned from a scope whose contents are not known.
    pub(crate) fn keep_read(scope: &str, key: &Val, value: &Val, state: &mut State) {
        let record = &state.scopes;
        let is_it = |known: &Pushed| known.scope == scope;
        let is_first = !record.pushed.iter().chain(&record.popped).any(is_it);
        let (scope, key, value) = (scope.to_owned(), key.clone(), value.clone());
        Rc::make_mut(&mut state.scopes).read.push(Read { scope, key, value, is_first });
    }

    /// Records a change that is not followed: it may affect any value that was read before.
    pub(crate) fn changed_unseen(state: &mut State) {
        state.unseen += 1;
        state.filled.clear();
        state.entries.clear();
        if state.scopes.read.iter().any(|read| read.is_first) {
            for read in &mut Rc::make_mut(&mut state.scopes).read {
                read.is_first = false;
            }
        }
    }

    /// The value that a scope holds for a key, if it was read while the scope was as it was found
    /// and differs from every value that was read for another key or later.
    fn held(scope: &str, key: &Val, state: &State) -> Option<Val> {
        let read = &state.scopes.read;
        let is_of_key =
            |read: &&Read| read.scope == scope && Self::is_same_key(&read.key, key, state);
        let held = read.iter().rfind(is_of_key).filter(|read| read.is_first)?;
        let is_other = |read: &&Read| !is_of_key(read) || !read.is_first;
        let is_vague = held.value.is_info()
            || matches!(held.value, Val::Unknown | Val::Void | Val::Opaque(_))
            || read.iter().filter(is_other).any(|other| other.value == held.value);
        (!is_vague).then(|| held.value.clone())
    }

    /// Records a `push` or a `pop`.
    pub(crate) fn record(
        &mut self,
        scope: &str,
        name: Method<'_>,
        arguments: &[Val],
        state: &mut State,
        line: usize,
    ) {
        let purpose = self.purpose(scope).filter(|purpose| *purpose != Purpose::Table);
        let (Some(key), Some(purpose)) = (arguments.first(), purpose) else { return };
        let is_push = match name {
            Method::Push => true,
            Method::Pop => false,
            _ => return,
        };
        let may_stay = purpose == Purpose::Growth;
        let is_vague = self.is_vague(key);
        let held = if is_push || is_vague { None } else { Self::held(scope, key, state) };
        let new = Pushed { scope: scope.to_owned(), key: key.clone(), line, may_stay, held };
        let undone = if is_push { &state.scopes.popped } else { &state.scopes.pushed };
        let undone: Vec<(usize, Val)> = undone
            .iter()
            .enumerate()
            .filter(|(_, known)| known.scope == scope)
            .map(|(index, known)| (index, known.key.clone()))
            .collect();
        let same = undone.iter().rfind(|(_, known)| Self::is_same_key(known, key, state));
        let same = same.filter(|_| !is_vague).map(|(index, _)| *index);
        // An entry before the one with this very key is not meant, and a later one may be.
        let later = undone.iter().filter(|(index, _)| same.is_none_or(|same| *index > same));
        let is_told = later.into_iter().all(|(_, known)| self.is_told_apart(known, key, state));
        let record = Rc::make_mut(&mut state.scopes);
        // After a `pop`, earlier reads no longer show the current contents.
        for read in record.read.iter_mut().filter(|read| read.scope == scope && !is_push) {
            read.is_first = false;
        }
        if !is_told {
            let lost = (scope.to_owned(), line, "whether two keys are one");
            record.lost.get_or_insert(lost);
        }
        let (undone, done) = if is_push {
            (&mut record.popped, &mut record.pushed)
        } else {
            (&mut record.pushed, &mut record.popped)
        };
        match same {
            Some(index) => {
                let Pushed { held, .. } = undone.remove(index);
                if is_push && arguments.get(1).is_some_and(|value| held.as_ref() != Some(value)) {
                    let lost = (scope.to_owned(), line, "another value is put back");
                    record.lost.get_or_insert(lost);
                }
            }
            None => done.push(new),
        }
    }

    /// Records that a scope was assigned as a whole.
    pub(crate) fn replaced_scope(&self, name: &str, value: &Val, state: &mut State) {
        state.forget_entries(name);
        let is_known = self.is_concrete() && matches!(value, Val::Map(_));
        if !is_known && self.purpose(name).is_some_and(|purpose| purpose != Purpose::Table) {
            let lost = (name.to_owned(), self.line, "it is assigned");
            Rc::make_mut(&mut state.scopes).lost.get_or_insert(lost);
        }
    }

    /// Records the effect on scopes of a loop whose number of iterations is not known. The record
    /// is lost unless each iteration leaves the scopes unchanged.
    pub(crate) fn looped(before: &State, after: &mut State, line: usize) {
        after.buffers = before.buffers.clone();
        if before.scopes == after.scopes {
            return;
        }
        let record = Rc::make_mut(&mut after.scopes);
        // The next iteration may remove an entry that one iteration added to a table; every
        // iteration keeps the entries that were known before the loop.
        if record.known.starts_with(&before.scopes.known) {
            record.known.clone_from(&before.scopes.known);
            if *record == *before.scopes {
                return;
            }
        }
        let scope = record.pushed.last().or(record.popped.last());
        let scope = scope.map_or_else(String::new, |last| last.scope.clone());
        record.lost.get_or_insert((scope, line, "any number of iterations change it"));
    }

    /// `ScopedBinding<T> b(scope, key, value)` pushes now and pops where the block ends. A
    /// condition may come first.
    pub(crate) fn bind_scope(
        &mut self,
        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let depth = (state.frames.len(), state.depth());
        self.bind_scope_until(arguments, depth, state, line)
    }

    /// The same, for a binding that pops where the variable at `depth` ends.
    pub(crate) fn bind_scope_until(
        &mut self,
        arguments: &[Val],
        depth: (usize, usize),
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let (condition, rest) = match arguments {
            [first @ (Val::Bool(_) | Val::Int(_)), rest @ ..] => (Some(first), rest),
            rest => (None, rest),
        };
        let ([scope, key] | [scope, key, _]) = rest else {
            return self.unsupported(state, "a ScopedBinding of these", line);
        };
        let key = Self::loaded(key.clone(), &state);
        // A reference parameter of a constructor ends before the binding.
        let scope = &match Self::loaded(scope.clone(), &state) {
            known @ Val::Handle(_) => known,
            _ => scope.clone(),
        };
        let handle = || Val::Handle(BOUND.to_owned());
        let unbound = || Val::Handle(UNBOUND.to_owned());
        let (holds, fails) = match condition {
            Some(condition) => self.truth(condition, state, line),
            None => (vec![state], Vec::new()),
        };
        let mut paths: Paths<Val> = fails.into_iter().map(|state| (state, unbound())).collect();
        for state in holds {
            for (mut state, _) in self.of_scope(scope, Method::Push, &rest[1..], state, line) {
                let (scope, key) = (scope.clone(), key.clone());
                let record = Rc::make_mut(&mut state.scopes);
                record.bindings.push(Binding { change: Change::Pushed(scope, key), depth, line });
                paths.push((state, handle()));
            }
        }
        paths
    }

    /// Calls a method of a scope, whether its contents are known or not.
    fn of_scope(
        &mut self,
        scope: &Val,
        name: Method<'_>,
        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        match self.container_method(scope, name, arguments, &state, line) {
            Some(paths) => paths,
            None => self.method(scope.clone(), name, &[], arguments.to_vec(), state, line),
        }
    }

    /// `ScopedValue<T> s(variable, value)` assigns now, if there is a value, and assigns the old
    /// value where the block ends.
    pub(crate) fn hold_value(
        &mut self,
        variable: &'p Expr,
        value: Option<&'p Expr>,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        if self.has_effect(variable, &state) {
            return self.unsupported(state, "a ScopedValue of a place with effects", line);
        }
        let mut paths = Vec::new();
        for (state, place) in self.place(variable, state) {
            let old = match (Self::load(&place, &state), &place) {
                (Some(slot), _) => slot.value,
                (None, Place::Member(name)) => Val::Handle(name.clone()),
                (None, _) => {
                    paths.extend(self.unsupported(state, "a ScopedValue of this", line));
                    continue;
                }
            };
            let values = match value {
                Some(value) => {
                    let before = Before::of(std::iter::once(variable), &state);
                    let mut paths = Vec::new();
                    for path in self.eval(value, state) {
                        let others = std::iter::once(variable);
                        paths.extend(self.in_any_order(value, others, before.as_ref(), path));
                    }
                    paths
                }
                None => vec![(state, old.clone())],
            };
            for (mut state, value) in values {
                let depth = (state.frames.len(), state.depth());
                let change = Change::Assigned(place.clone(), old.clone());
                Rc::make_mut(&mut state.scopes).bindings.push(Binding { change, depth, line });
                self.store(&place, value, &mut state);
                paths.push((state, Val::Handle(HELD.to_owned())));
            }
        }
        paths
    }

    /// Undoes the changes of a block that ends, the last one first.
    pub(crate) fn unbind_scopes<T: Clone>(
        &mut self,
        depth: (usize, usize),
        state: State,
        value: T,
    ) -> Paths<T> {
        let mut open = vec![state];
        let mut done = Vec::new();
        while let Some(state) = open.pop() {
            let mut state = state;
            let is_inside = |binding: &Binding| binding.depth >= depth;
            // An element of an outer block's vector may have been made after a binding of this one.
            let Some(last) = state.scopes.bindings.iter().rposition(is_inside) else {
                done.push((state, value.clone()));
                continue;
            };
            let bindings = &mut Rc::make_mut(&mut state.scopes).bindings;
            let Binding { change, line, .. } = bindings.remove(last);
            match change {
                Change::Pushed(scope, key) => {
                    let key = std::slice::from_ref(&key);
                    let popped = self.of_scope(&scope, Method::Pop, key, state, line);
                    open.extend(popped.into_iter().map(|(state, _)| state));
                }
                Change::Assigned(place, old) => {
                    self.store(&place, old, &mut state);
                    open.push(state);
                }
            }
        }
        done
    }
}
