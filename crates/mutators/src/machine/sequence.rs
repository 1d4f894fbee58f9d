//! The order of evaluation, which C++ leaves open for arguments and operands.
//!
//! # Correctness
//!
//! The machine evaluates arguments from left to right. Another order gives the same if no argument
//! changes a variable, a member, a scope or an assumption that another argument may use. An
//! argument may use the variables and members that it names, those that the functions it calls
//! name, those whose places are in the values of these, at any depth, and all of them if one of
//! these values holds a lambda function. It may use any scope, any assumption and any unknown
//! object if it calls anything. `mutate` and the functions that a contract replaces use no members
//! but what the contract says. `mutate` may change every member that a method of the program may
//! assign (`steady`).
//!
//! C++17 orders the two sides of an assignment, of `[]`, `<<` and `>>`, and a callee before its
//! arguments; C++11 does not. Compilers are built by either, so only the order of the sides of `=`
//! is relied on, where the profile is that of a compiler in C++17.

use std::collections::BTreeSet;
use std::rc::Rc;

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind};
use halidom_cpp::is_letter;

use crate::ir::record::Record;
use crate::ir::state::{Assumption, Slot, State};
use crate::ir::value::{Place, Val};
use crate::machine::contracts;
use crate::machine::program::{VISITS, called};
use crate::machine::run::{Machine, Paths};

/// The parts of a state that an argument may change, before it is evaluated.
pub(crate) struct Before {
    #[expect(clippy::rc_buffer, reason = "it is shared with a state")]
    frames: Vec<Rc<Vec<Slot>>>,
    members: Vec<Slot>,
    scopes: Rc<Record>,
    assumed: Vec<Assumption>,
    visits: u32,
    unseen: u32,
}

/// The variables and members that changed.
struct Changed {
    places: Vec<Place>,
    /// True if any member may have changed that methods assign.
    has_visited: bool,
}

impl Changed {
    fn is_empty(&self) -> bool {
        self.places.is_empty() && !self.has_visited
    }

    fn has(&self, place: &Place) -> bool {
        self.places.iter().any(|known| known.root() == place.root())
    }
}

impl Before {
    /// Remembers the parts of a state that an argument may change. `None` if all other parts are so
    /// plain that no order is left open.
    pub(crate) fn of<'e>(others: impl Iterator<Item = &'e Expr>, state: &State) -> Option<Self> {
        let mut others = others.filter(|part| !is_constant(part));
        others.next().map(|_| Self {
            frames: state.frames.clone(),
            members: state.members.clone(),
            scopes: Rc::clone(&state.scopes),
            assumed: state.assumed.clone(),
            visits: state.visits,
            unseen: state.unseen,
        })
    }

    /// Tests whether entries were pushed on scopes or popped since, assumptions made or ended, or
    /// unknown objects changed.
    fn has_other_scopes(&self, state: &State) -> bool {
        // Questions about tables leave knowledge, which is no change.
        let known = state.scopes.known.clone();
        self.assumed != state.assumed
            || self.unseen != state.unseen
            || Record { known, ..Record::clone(&self.scopes) } != *state.scopes
    }

    /// The variables and members that have changed since.
    fn changed(&self, state: &State) -> Changed {
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
        Changed { places: changed, has_visited: self.visits != state.visits }
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
            paths.extend(self.other_operand([lhs, rhs], before.as_ref(), path));
        }
        paths
    }

    /// Evaluates the second operand of an operator, after the first was evaluated.
    pub(super) fn other_operand(
        &mut self,
        [lhs, rhs]: [&'p Expr; 2],
        before: Option<&Before>,
        path: (State, Val),
    ) -> Paths<[Val; 2]> {
        let mut paths = Vec::new();
        for (state, first) in self.in_any_order(lhs, std::iter::once(rhs), before, path) {
            let before = Before::of(std::iter::once(lhs), &state);
            for (state, second) in self.eval(rhs, state) {
                let path = (state, [first.clone(), second]);
                paths.extend(self.in_any_order(rhs, std::iter::once(lhs), before.as_ref(), path));
            }
        }
        paths
    }

    /// Evaluates the value and the place of an assignment, in this order.
    pub(super) fn sides(
        &mut self,
        op: Option<Sign>,
        lhs: &'p Expr,
        rhs: &'p Expr,
        state: State,
    ) -> Paths<(Place, Val)> {
        let name = variable(lhs).filter(|_| op.is_none());
        if name.is_some_and(|name| assigns(rhs, name)) {
            return self.unsupported(state, ORDER, lhs.line);
        }
        // The variable is assigned after its value was computed, in any order of the sides.
        let is_ordered = name.is_some()
            || op.is_none() && self.profile.name == "halide"
            || op.is_none() && Self::only_finds_a_report(lhs, rhs, &state);
        let before_it = |part: &'p Expr, state: &State| {
            Before::of(std::iter::once(part), state).filter(|_| !is_ordered)
        };
        let mut paths = Vec::new();
        let before = before_it(lhs, &state);
        for path in self.eval(rhs, state) {
            for (state, value) in
                self.in_any_order(rhs, std::iter::once(lhs), before.as_ref(), path)
            {
                let before = before_it(rhs, &state);
                for (state, place) in self.place(lhs, state) {
                    let path = (state, (place, value.clone()));
                    paths.extend(self.in_any_order(
                        lhs,
                        std::iter::once(rhs),
                        before.as_ref(),
                        path,
                    ));
                }
            }
        }
        paths
    }

    /// Tests whether the left side of an assignment only finds a member of a report on wholly known
    /// IR, through a variable that the right side does not assign. No order matters then.
    fn only_finds_a_report(lhs: &Expr, rhs: &Expr, state: &State) -> bool {
        let ExprKind::Member { object, .. } = &lhs.kind else { return false };
        let mut root = object;
        while let ExprKind::Member { object, .. } = &root.kind {
            root = object;
        }
        let is_assigned = variable(root).is_none_or(|name| assigns(rhs, name));
        !is_assigned && Self::place_of_report(object, state).is_some()
    }

    /// Tests whether an expression has one value in every state and among any variables, because
    /// it has only constants and functions of the API.
    pub(super) fn is_fixed(&self, expr: &Expr, state: &State) -> bool {
        let program = self.program;
        let mut is_fixed = true;
        expr.visit(&mut |part| {
            is_fixed &= match &part.kind {
                ExprKind::Name(name) => {
                    let short = name.rsplit("::").next().unwrap_or(name);
                    let is_it = |known: &String| known == short;
                    let fields = program.classes.iter().flat_map(|class| &class.fields);
                    Self::find_variable(name, state).is_none()
                        && !program.others.iter().any(is_it)
                        && !fields.into_iter().any(|field| field.name == short)
                        && program.functions.iter().all(|function| {
                            function.name != short || contracts::is_replaced(function)
                        })
                }
                ExprKind::Assign(..)
                | ExprKind::Member { .. }
                | ExprKind::Lambda(_)
                | ExprKind::This
                | ExprKind::Other(_) => false,
                ExprKind::Prefix(op, _) | ExprKind::Postfix(op, _) => {
                    !matches!(op, Sign::Increment | Sign::Decrement)
                }
                _ => true,
            };
        });
        is_fixed
    }

    /// Ends a path if a part has changed what another part may use.
    pub(crate) fn in_any_order<'e, T>(
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
            return self.unsupported(state, ORDER, part.line);
        }
        vec![(state, value)]
    }

    /// Tests whether an expression may use what changed.
    fn may_use(&self, expr: &Expr, changed: &Changed, state: &State) -> bool {
        if is_constant(expr) {
            return false;
        }
        let op = Self::find_variable("op", state);
        let is_node = op.as_ref().and_then(|place| Self::load(place, state));
        let is_node = is_node.is_some_and(|slot| matches!(slot.value, Val::Ptr(_)));
        let is_op_used = !is_node || op.is_some_and(|place| changed.has(&place));
        let mut names: BTreeSet<String> = BTreeSet::new();
        let mut rest = expr.clone();
        rest.visit_mut(&mut |part| {
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
        let mut found = names.iter().filter_map(|name| Self::find_variable(name, state));
        if found.any(|place| Self::reaches_changed(&place, changed, state)) {
            return true;
        }
        // Members are used by their names, here and in the functions that are called.
        let program: &'p crate::machine::program::Program = self.program;
        let gone = changed.places.iter().filter_map(|place| match place.root() {
            Place::Member(name) => Some(name.as_str()),
            _ => None,
        });
        // A scope is bound to a reference, as it cannot be copied.
        let is_scope = variable(expr).is_some_and(|name| self.purpose(name).is_some());
        let may_change = changed.has_visited && !is_scope;
        let names_of_members = state.members.iter().map(|slot| slot.name.as_str());
        let members: BTreeSet<&str> = names_of_members
            .filter(|name| {
                Self::reaches_changed(&Place::Member((*name).to_owned()), changed, state)
            })
            .chain(gone)
            .chain(program.unsteady.iter().map(String::as_str).filter(|_| may_change))
            .collect();
        if members.is_empty() {
            return false;
        }
        let is_used = |word: &str| members.contains(word);
        if names.iter().any(|name| is_used(name)) {
            return true;
        }
        // A call of `visit` names its class, which is lost here: it may be any.
        let first = program.functions.iter().filter(|function| {
            let is_visit = VISITS.contains(&function.name.as_str());
            names.contains(&function.name) && (is_visit || !contracts::is_replaced(function))
        });
        called(program, first.collect())
            .iter()
            .any(|function| function.text.split(|letter| !is_letter(letter)).any(is_used))
    }

    /// Tests whether a place, or one that can be reached through the values that it holds, changed.
    fn reaches_changed(place: &Place, changed: &Changed, state: &State) -> bool {
        let mut places = vec![place.root().clone()];
        let mut next = 0;
        while let Some(place) = places.get(next).cloned() {
            next += 1;
            if changed.has(&place) {
                return true;
            }
            let Some(slot) = Self::load(&place, state) else { continue };
            let is_anything = slot.value.any(&mut |value| {
                if let Val::Address(at) | Val::Reference(at) = value
                    && !places.contains(at.root())
                {
                    places.push(at.root().clone());
                }
                // It may use every variable where it was made.
                matches!(value, Val::Lambda(..))
            });
            if is_anything {
                return true;
            }
        }
        false
    }
}

/// The reason why a path becomes unsupported where an order matters that C++ leaves open.
pub(super) const ORDER: &str = "arguments or operands whose order of evaluation C++ leaves open";

/// The variable or member of the object that an expression names.
pub(super) fn variable(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Member { object, name, .. } if matches!(object.kind, ExprKind::This) => {
            Some(name)
        }
        _ => None,
    }
}

/// Tests whether an expression assigns a variable, apart from the functions that it calls.
fn assigns(expr: &Expr, name: &str) -> bool {
    let mut found = false;
    expr.visit(&mut |part| {
        found |= match &part.kind {
            ExprKind::Assign(_, lhs, _) => variable(lhs) == Some(name),
            ExprKind::Prefix(op, operand) | ExprKind::Postfix(op, operand) => {
                matches!(op, Sign::Increment | Sign::Decrement) && variable(operand) == Some(name)
            }
            _ => false,
        };
    });
    found
}

/// Tests whether an expression may run code that looks at scopes.
fn calls(expr: &Expr) -> bool {
    let mut calls = false;
    expr.visit(&mut |part| {
        calls |=
            matches!(part.kind, ExprKind::Call { .. } | ExprKind::Braces(..) | ExprKind::Index(..));
    });
    calls
}
