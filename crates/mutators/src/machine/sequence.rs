//! The order of evaluation, which C++ leaves open for arguments and operands.
//!
//! # Correctness
//!
//! The machine evaluates arguments from left to right. Another order gives the same if no argument
//! changes a variable, a member, a scope or an assumption that another argument may use. An
//! argument may use the variables and members that it names, those that the functions it calls
//! name, and all of them if it calls a lambda function. It may use any scope and any assumption if
//! it calls anything. `mutate` and the functions that a contract replaces use no members but what
//! the contract says.

use std::collections::BTreeSet;
use std::rc::Rc;

use halidom_cpp::ast::{Expr, ExprKind};
use halidom_cpp::is_letter;

use crate::ir::record::Record;
use crate::ir::state::{Assumption, Slot, State};
use crate::ir::value::{Place, Val};
use crate::machine::contracts;
use crate::machine::program::{VISITS, called};
use crate::machine::run::{Machine, Paths};

/// The parts of a state that an argument may change, before it is evaluated.
pub(super) struct Before {
    #[expect(clippy::rc_buffer, reason = "it is shared with a state")]
    frames: Vec<Rc<Vec<Slot>>>,
    members: Vec<Slot>,
    scopes: Rc<Record>,
    assumed: Vec<Assumption>,
}

impl Before {
    /// Remembers the parts of a state that an argument may change. `None` if all other parts are so
    /// plain that no order is left open.
    pub(super) fn of<'e>(others: impl Iterator<Item = &'e Expr>, state: &State) -> Option<Self> {
        let mut others = others.filter(|part| !is_constant(part));
        others.next().map(|_| Self {
            frames: state.frames.clone(),
            members: state.members.clone(),
            scopes: Rc::clone(&state.scopes),
            assumed: state.assumed.clone(),
        })
    }

    /// Tests whether entries were pushed on scopes or popped since, or assumptions made or ended.
    fn has_other_scopes(&self, state: &State) -> bool {
        // Questions about tables leave knowledge, which is no change.
        let known = state.scopes.known.clone();
        self.assumed != state.assumed
            || Record { known, ..Record::clone(&self.scopes) } != *state.scopes
    }

    /// The variables and members that have changed since.
    fn changed(&self, state: &State) -> Vec<Place> {
        let mut changed = Vec::new();
        for (depth, (before, now)) in self.frames.iter().zip(&state.frames).enumerate() {
            if !Rc::ptr_eq(before, now) {
                let differs = |index: &usize| before[*index] != now[*index];
                let common = 0..before.len().min(now.len());
                changed.extend(common.filter(differs).map(|index| Place::Local(depth, index)));
            }
        }
        let is_in = |slots: &[Slot], slot: &Slot| slots.contains(slot);
        let gone = self.members.iter().filter(|slot| !is_in(&state.members, slot));
        let new = state.members.iter().filter(|slot| !is_in(&self.members, slot));
        changed.extend(gone.chain(new).map(|slot| Place::Member(slot.name.clone())));
        changed
    }
}

/// Tests whether an expression is the same at any time.
fn is_constant(expr: &Expr) -> bool {
    matches!(
        &expr.kind,
        ExprKind::Integer(..)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::This
    )
}

impl<'p> Machine<'p> {
    /// Evaluates the operands of an operator.
    pub(super) fn both(&mut self, lhs: &'p Expr, rhs: &'p Expr, state: State) -> Paths<[Val; 2]> {
        let mut paths = Vec::new();
        let before = Before::of(std::iter::once(rhs), &state);
        for path in self.eval(lhs, state) {
            for (state, first) in
                self.in_any_order(lhs, std::iter::once(rhs), before.as_ref(), path)
            {
                let before = Before::of(std::iter::once(lhs), &state);
                for (state, second) in self.eval(rhs, state) {
                    let path = (state, [first.clone(), second]);
                    paths.extend(self.in_any_order(
                        rhs,
                        std::iter::once(lhs),
                        before.as_ref(),
                        path,
                    ));
                }
            }
        }
        paths
    }

    /// Ends a path if a part has changed what another part may use.
    pub(super) fn in_any_order<'e, T>(
        &mut self,
        part: &Expr,
        mut others: impl Iterator<Item = &'e Expr>,
        before: Option<&Before>,
        (state, value): (State, T),
    ) -> Paths<T> {
        let Some(before) = before else { return vec![(state, value)] };
        let (changed, scopes) = (before.changed(&state), before.has_other_scopes(&state));
        let depends = |other: &Expr| {
            scopes && calls(other) || !changed.is_empty() && self.may_use(other, &changed, &state)
        };
        if others.any(depends) {
            let what = "arguments or operands whose order of evaluation C++ leaves open";
            return self.unsupported(state, what, part.line);
        }
        vec![(state, value)]
    }

    /// Tests whether an expression may use one of these places.
    fn may_use(&self, expr: &Expr, places: &[Place], state: &State) -> bool {
        if is_constant(expr) {
            return false;
        }
        let is_used = |place: &Place| places.iter().any(|known| root(known) == root(place));
        let is_op_used = Self::find_variable("op", state).as_ref().is_some_and(is_used);
        let mut names: BTreeSet<String> = BTreeSet::new();
        expr.clone().visit_mut(&mut |part| {
            // A member of a node is no member of the object.
            let is_of_node = matches!(&part.kind, ExprKind::Member { object, arrow: true, .. }
                if matches!(&object.kind, ExprKind::Name(name) if name == "op"));
            if is_of_node && !is_op_used {
                part.kind = ExprKind::Null;
            }
            if let ExprKind::Name(name) | ExprKind::Member { name, .. } = &part.kind {
                names.insert(name.rsplit("::").next().unwrap_or_default().to_owned());
            }
        });
        for name in &names {
            let Some(place) = Self::find_variable(name, state) else { continue };
            let value = Self::load(&place, state).map(|slot| slot.value);
            let at = match &value {
                Some(Val::Lambda(..)) => return true,
                Some(Val::Address(at) | Val::Reference(at)) => Some(at),
                _ => None,
            };
            if is_used(&place) || at.is_some_and(is_used) {
                return true;
            }
        }
        // Members are used by their names, here and in the functions that are called.
        let members: Vec<&str> = places
            .iter()
            .filter_map(|place| match root(place) {
                Place::Member(name) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        if members.is_empty() {
            return false;
        }
        if members.iter().any(|member| names.contains(*member)) {
            return true;
        }
        let program: &'p crate::machine::program::Program = self.program;
        // A call of `visit` names its class, which is lost here: it may be any.
        let first = program.functions.iter().filter(|function| {
            let is_visit = VISITS.contains(&function.name.as_str());
            names.contains(&function.name) && (is_visit || !contracts::is_replaced(function))
        });
        called(program, first.collect()).iter().any(|function| {
            let mut words = function.text.split(|letter| !is_letter(letter));
            words.any(|word| members.contains(&word))
        })
    }
}

/// Tests whether an expression may run code that looks at scopes.
fn calls(expr: &Expr) -> bool {
    let mut calls = false;
    expr.clone().visit_mut(&mut |part| {
        calls |=
            matches!(part.kind, ExprKind::Call { .. } | ExprKind::Braces(..) | ExprKind::Index(..));
    });
    calls
}

/// The variable or member that a place is part of.
fn root(place: &Place) -> &Place {
    match place {
        Place::Part(base, _) => root(base),
        _ => place,
    }
}
