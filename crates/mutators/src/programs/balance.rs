//! Whether a path leaves the scopes of the object as it found them.
//!
//! # Correctness
//!
//! What scopes hold when a mutator begins is not known. A path keeps a record of what it pushed and did not pop, and of what
//! it popped that it had not pushed. It is balanced if both are empty at its end: what `mutate` does between is balanced by
//! induction. Where it is not known which of two a `pop` takes, or the record was lost, the path is not balanced. Tables
//! (see `scopes`) are not recorded. On IR that is known what a scope of a declared class holds is known too, and what is not
//! there any more was not left.

use std::rc::Rc;

use super::machine::{Machine, Paths};
use super::scopes::{Purpose, ScopeMember};
use super::state::State;
use super::value::Val;

/// Something that was pushed, or popped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pushed {
    /// The scope.
    pub(crate) scope: String,
    key: Val,
    /// Where.
    pub(crate) line: usize,
    /// Whether no method pops from the scope, so that it may be meant to grow.
    may_stay: bool,
}

/// What is popped where a block ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Binding {
    /// The scope.
    scope: Val,
    key: Val,
    /// Activations of functions, and variables of the running one, where the block began.
    depth: (usize, usize),
    line: usize,
}

/// What a path did to scopes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    /// What it pushed and did not pop, in order.
    pushed: Vec<Pushed>,
    /// What it popped and had not pushed.
    popped: Vec<Pushed>,
    /// Where it is not known what it did to which scope, and why.
    lost: Option<(String, usize, &'static str)>,
    /// What will be popped.
    bindings: Vec<Binding>,
}

/// Why a path is not balanced.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Imbalance {
    /// What it did.
    pub(crate) text: String,
    /// Where.
    pub(crate) line: usize,
    /// Whether it may be meant.
    pub(crate) may_be_meant: bool,
}

impl Record {
    /// Whether something will be popped where a block ends.
    pub(crate) fn is_bound(&self) -> bool {
        !self.bindings.is_empty()
    }

    /// Why the path is not balanced, if it is not.
    pub(crate) fn imbalance(&self) -> Option<Imbalance> {
        // What is a defect comes first.
        let stays = self.pushed.iter().find(|pushed| !pushed.may_stay).or(self.pushed.first());
        if let Some(pushed) = stays {
            let (line, may_be_meant) = (pushed.line, pushed.may_stay);
            return Some(Imbalance { text: pushed.text(), line, may_be_meant });
        }
        let (text, line) = match (self.popped.first(), &self.lost) {
            (Some(Pushed { scope, line, .. }), _) => {
                (format!("{scope} loses what was not pushed here"), *line)
            }
            (None, Some((scope, line, why))) => (format!("what is left on {scope}: {why}"), *line),
            (None, None) => return None,
        };
        Some(Imbalance { text, line, may_be_meant: false })
    }
}

/// Whether a C++ type is what pushes, and pops where its block ends.
pub(crate) fn is_binding_type(ty: &str) -> bool {
    let (name, _) = ty.split_once('<').unwrap_or((ty, ""));
    name.rsplit("::").next() == Some("ScopedBinding")
}

impl Pushed {
    /// What is said where it is left.
    pub(crate) fn text(&self) -> String {
        let scope = &self.scope;
        if self.may_stay {
            return format!("nothing is ever popped from {scope}, on which this is pushed");
        }
        format!("what is pushed on {scope} is not popped")
    }
}

/// What is left on scopes at the end of a path on IR that is known, and is not meant to be.
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

impl Machine<'_> {
    /// What a member of the object is for that is a scope.
    pub(crate) fn purpose(&self, name: &str) -> Option<Purpose> {
        let program = self.program;
        let is_it = |known: &&ScopeMember| known.name == name && known.class == self.class;
        program.scopes.iter().find(is_it).map(|known| known.purpose)
    }

    /// A method of a scope of which it is not known what it holds; `None` if it is none whose effect is known.
    pub(crate) fn scope_method(
        &mut self,
        scope: &str,
        name: &str,
        arguments: &[Val],
        state: &State,
        line: usize,
    ) -> Option<Paths<Val>> {
        if self.purpose(scope)? == Purpose::Table {
            return None;
        }
        match (name, arguments) {
            ("push" | "pop", [_, ..]) => {
                let mut state = state.clone();
                self.record(scope, name, arguments, &mut state, line);
                Some(vec![(state, Val::Void)])
            }
            ("contains", [key]) => {
                let is_own = |pushed: &Pushed| {
                    pushed.scope == scope && Self::is_same_key(&pushed.key, key, state)
                };
                let truth = state.scopes.pushed.iter().any(is_own);
                truth.then(|| vec![(state.clone(), Val::Bool(self.values.bool(true)))])
            }
            _ => None,
        }
    }

    /// Keeps a record of a `push` or a `pop`.
    pub(crate) fn record(
        &mut self,
        scope: &str,
        name: &str,
        arguments: &[Val],
        state: &mut State,
        line: usize,
    ) {
        let purpose = self.purpose(scope).filter(|purpose| *purpose != Purpose::Table);
        let (Some(key), Some(purpose)) = (arguments.first(), purpose) else { return };
        let is_push = match name {
            "push" => true,
            "pop" => false,
            _ => return,
        };
        let may_stay = purpose == Purpose::Growth;
        let new = Pushed { scope: scope.to_owned(), key: key.clone(), line, may_stay };
        let undone = if is_push { &state.scopes.popped } else { &state.scopes.pushed };
        let undone: Vec<(usize, Val)> = undone
            .iter()
            .enumerate()
            .filter(|(_, known)| known.scope == scope)
            .map(|(index, known)| (index, known.key.clone()))
            .collect();
        let same = undone.iter().rfind(|(_, known)| Self::is_same_key(known, key, state));
        let same = same.map(|(index, _)| *index);
        let is_told =
            same.is_some() || undone.iter().all(|(_, known)| self.is_told_apart(known, key, state));
        let record = Rc::make_mut(&mut state.scopes);
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
                undone.remove(index);
            }
            None => done.push(new),
        }
    }

    /// A scope was assigned as a whole.
    pub(crate) fn replaced_scope(&self, name: &str, value: &Val, state: &mut State) {
        let is_known = self.is_concrete() && matches!(value, Val::Map(_));
        if !is_known && self.purpose(name).is_some_and(|purpose| purpose != Purpose::Table) {
            let lost = (name.to_owned(), self.line, "it is assigned");
            Rc::make_mut(&mut state.scopes).lost.get_or_insert(lost);
        }
    }

    /// Of a loop of which it is not known how often it runs it is not known what it leaves, unless each iteration leaves nothing.
    pub(crate) fn looped(before: &State, after: &mut State, line: usize) {
        if before.scopes == after.scopes {
            return;
        }
        let record = Rc::make_mut(&mut after.scopes);
        let scope = record.pushed.last().or(record.popped.last());
        let scope = scope.map_or_else(String::new, |last| last.scope.clone());
        record.lost.get_or_insert((scope, line, "any number of iterations change it"));
    }

    /// `ScopedBinding<T> b(scope, key, value)`, which pushes, and pops where the block ends; a condition may come first.
    pub(crate) fn bind_scope(
        &mut self,
        arguments: &[Val],
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
        let handle = || Val::Handle("a scope".to_owned());
        let (holds, fails) = match condition {
            Some(condition) => self.truth(condition, state, line),
            None => (vec![state], Vec::new()),
        };
        let mut paths: Paths<Val> = fails.into_iter().map(|state| (state, handle())).collect();
        for state in holds {
            for (mut state, _) in self.of_scope(scope, "push", &rest[1..], state, line) {
                let depth = (state.frames.len(), state.depth());
                let (scope, key) = (scope.clone(), key.clone());
                let record = Rc::make_mut(&mut state.scopes);
                record.bindings.push(Binding { scope, key, depth, line });
                paths.push((state, handle()));
            }
        }
        paths
    }

    /// A method of a scope, known or not.
    fn of_scope(
        &mut self,
        scope: &Val,
        name: &str,
        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        match self.container_method(scope, name, arguments, &state, line) {
            Some(paths) => paths,
            None => self.method(scope.clone(), name, &[], arguments.to_vec(), state, line),
        }
    }

    /// Pops what was bound in a block that ends, the last first.
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
            let last = state.scopes.bindings.last().filter(|last| is_inside(last)).cloned();
            let Some(Binding { scope, key, line, .. }) = last else {
                done.push((state, value.clone()));
                continue;
            };
            Rc::make_mut(&mut state.scopes).bindings.pop();
            let popped = self.of_scope(&scope, "pop", std::slice::from_ref(&key), state, line);
            open.extend(popped.into_iter().map(|(state, _)| state));
        }
        done
    }
}
