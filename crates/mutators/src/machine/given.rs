//! Pointers that the caller of a method gives, which may be null.
//!
//! # Correctness
//!
//! A caller that asks for no report gives a null pointer, and nothing is known of other pointers
//! that a method takes. The value of such a parameter is a handle: its type. A path remembers
//! whether the pointer is null, once it was asked or followed. A path on which the pointer may be
//! null crashes where it is followed, and goes on with a pointer that is not null.

use halidom_cpp::Sign;

use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::contracts::is_place_of_report;
use crate::machine::run::{Machine, Outcome, Paths};

/// The defect of following a null pointer.
const NULL: &str = "null dereference";

/// Tests whether a value is a null pointer.
pub(super) fn is_null(value: &Val) -> bool {
    matches!(value, Val::Ptr(None) | Val::NumPtr(None))
}

/// The type of a pointer that a caller gave.
pub(super) fn given(value: &Val) -> Option<&str> {
    match value {
        Val::Handle(of) if of.ends_with('*') => Some(of),
        _ => None,
    }
}

impl State {
    /// Tells whether a pointer that the caller gave is something or null, where the path knows.
    pub(super) fn is_something(&self, pointer: &str) -> Option<bool> {
        self.pointers.iter().find(|(known, _)| known == pointer).map(|(_, is)| *is)
    }
}

impl Machine<'_> {
    /// Forks on whether a pointer that the caller gave is something or null.
    pub(super) fn pointer_or_null(
        &mut self,
        pointer: &str,
        state: State,
    ) -> (Vec<State>, Vec<State>) {
        match state.is_something(pointer) {
            Some(true) => (vec![state], Vec::new()),
            Some(false) => (Vec::new(), vec![state]),
            // A method that another one runs on known IR is asked for no report.
            None if self.is_concrete() && is_place_of_report(pointer) => (Vec::new(), vec![state]),
            None if self.is_concrete() => {
                let what = "a condition on a pointer that is not known".to_owned();
                self.end(state, Outcome::Unsupported(what), self.line);
                (Vec::new(), Vec::new())
            }
            None => {
                let (mut something, mut null) = self.choose(state);
                something.pointers.push((pointer.to_owned(), true));
                null.pointers.push((pointer.to_owned(), false));
                (vec![something], vec![null])
            }
        }
    }

    /// Follows a pointer: the path on which it is something. A path crashes where a pointer that
    /// the caller gave may be null. Values that are no pointers are left as they are.
    pub(super) fn followed(&mut self, value: &Val, state: State, line: usize) -> Option<State> {
        if is_null(value) {
            self.end(state, Outcome::Crash(NULL.to_owned()), line);
            return None;
        }
        // On known IR, a method that another one runs may be asked for a report or not.
        let Some(pointer) = given(value).filter(|_| !self.is_concrete()) else {
            return Some(state);
        };
        let (something, null) = self.pointer_or_null(pointer, state);
        for state in null {
            self.end(state, Outcome::Crash(NULL.to_owned()), line);
        }
        something.into_iter().next()
    }

    /// The answers to whether a pointer that the caller gave, or a place, is null; `None` for other
    /// operands.
    pub(super) fn is_given_null(
        &mut self,
        op: Sign,
        operands: [&Val; 2],
        state: &State,
    ) -> Option<Paths<Val>> {
        let is_place = |value: &Val| matches!(value, Val::Address(_));
        let pointer = match operands {
            [Val::Ptr(None), Val::Ptr(None)] => {
                return self.answer(op, vec![state.clone()], Vec::new());
            }
            [place, Val::Ptr(None)] | [Val::Ptr(None), place] if is_place(place) => {
                return self.answer(op, Vec::new(), vec![state.clone()]);
            }
            [pointer, Val::Ptr(None)] | [Val::Ptr(None), pointer] => given(pointer)?,
            _ => return None,
        };
        let (something, null) = self.pointer_or_null(pointer, state.clone());
        self.answer(op, null, something)
    }

    /// The answers of `==` or `!=`, from the paths on which two things are equal or not.
    fn answer(&mut self, op: Sign, equal: Vec<State>, other: Vec<State>) -> Option<Paths<Val>> {
        match op {
            Sign::Eq => Some(self.truths(equal, other)),
            Sign::Ne => Some(self.truths(other, equal)),
            _ => None,
        }
    }
}
