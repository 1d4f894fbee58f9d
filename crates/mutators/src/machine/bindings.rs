//! The places that references are bound to: those that expressions name, and those that calls give.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind};

use crate::ir::state::{Slot, State};
use crate::ir::value::{Place, Val};
use crate::machine::audits::{FORWARDS, PARTS};
use crate::machine::run::{Machine, Paths};

impl<'p> Machine<'p> {
    /// The reference that a call gives to a place, if it gives one.
    pub(super) fn given_by(
        &mut self,
        callee: &'p Expr,
        arguments: &'p [Expr],
        state: &State,
        line: usize,
    ) -> Option<Paths<Val>> {
        const WHAT: &str = "a reference to what a call gives";
        let has_place = |expr: &Expr| self.place_of(expr, state).is_some();
        match &callee.kind {
            ExprKind::Name(name)
                if ["std::move", "std::forward", "std::ref"].contains(&&**name) =>
            {
                let [of] = arguments else { return None };
                has_place(of).then(|| self.reference(of, state.clone()))
            }
            ExprKind::Name(name) if name.starts_with("std::get") || name == "std::tie" => {
                let is_place = arguments.iter().any(has_place);
                is_place.then(|| self.unsupported(state.clone(), WHAT, line))
            }
            ExprKind::Name(name) => {
                let place = Self::find_variable(name, state)?;
                let Val::Lambda(id, _) = Self::load(&place, state)?.value else { return None };
                let result = &self.lambdas.get(id)?.lambda.result;
                let is_reference = result.contains('&') || result.contains("decltype");
                is_reference.then(|| self.unsupported(state.clone(), WHAT, line))
            }
            ExprKind::Member { object, name, .. } if PARTS.contains(&name.as_str()) => {
                let place = self.place_of(object, state)?;
                let held = Self::load(&place, state)?.value;
                let is_known = matches!(held, Val::List(_) | Val::Map(_));
                is_known.then(|| self.unsupported(state.clone(), WHAT, line))
            }
            _ => None,
        }
    }

    /// The reference to the variable that an expression assigns; `None` for other expressions.
    pub(super) fn assigned_variable(
        &mut self,
        expr: &'p Expr,
        state: &State,
    ) -> Option<Paths<Val>> {
        let ExprKind::Assign(None, target, _) = &expr.kind else { return None };
        let place = self.place_of(target, state)?;
        let paths = self.eval(expr, state.clone()).into_iter();
        Some(paths.map(|(state, _)| self.referred(place.clone(), state)).collect())
    }

    /// Tests whether an expression may be something that lasts, rather than a new value.
    pub(super) fn is_kept(&self, expr: &Expr, state: &State) -> bool {
        match &expr.kind {
            ExprKind::Call { callee, .. } => match &callee.kind {
                ExprKind::Name(name) | ExprKind::Member { name, .. } => {
                    PARTS.contains(&name.as_str())
                        || FORWARDS.contains(&name.split('<').next().unwrap_or(name))
                        || self.refers(name)
                        || Self::find_variable(name, state).is_some()
                }
                _ => true,
            },
            ExprKind::Conditional(_, then, otherwise) => {
                self.is_kept(then, state) && self.is_kept(otherwise, state)
            }
            ExprKind::Cast(ty, _) => ty.ends_with('&'),
            ExprKind::Braces(..)
            | ExprKind::Integer(..)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::Binary(..)
            | ExprKind::Postfix(..)
            | ExprKind::Lambda(_) => false,
            ExprKind::Prefix(op, _) => matches!(op, Sign::Mul | Sign::Increment | Sign::Decrement),
            _ => true,
        }
    }

    /// A reference to an element of a vector.
    pub(super) fn referred_element(
        &mut self,
        base: &Place,
        index: &'p Expr,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut paths = Vec::new();
        for (state, index) in self.eval(index, state) {
            let number = match Self::loaded(index, &state) {
                Val::Int(num) => self.values.as_number(num.term),
                _ => None,
            };
            let place =
                number.map(|number| Place::Part(Box::new(base.clone()), number.to_string()));
            match place.filter(|place| Self::load(place, &state).is_some()) {
                Some(place) => paths.push(self.referred(place, state)),
                None => {
                    let what = "a reference to an element that is not known";
                    paths.extend(self.unsupported(state, what, line));
                }
            }
        }
        paths
    }

    /// The place that an expression names without computing anything: a variable, or a known part
    /// of one.
    pub(super) fn place_of(&self, expr: &Expr, state: &State) -> Option<Place> {
        match &expr.kind {
            ExprKind::Name(name) => Self::find_variable(name, state).or_else(|| {
                let is_it = |slot: &Slot| slot.name == *name;
                state.members.iter().any(is_it).then(|| Place::Member(name.clone()))
            }),
            ExprKind::Member { object, name, .. } if object.kind == ExprKind::This => {
                let is_it = |slot: &Slot| slot.name == *name;
                state.members.iter().any(is_it).then(|| Place::Member(name.clone()))
            }
            _ => self.part(expr, state),
        }
    }
}
