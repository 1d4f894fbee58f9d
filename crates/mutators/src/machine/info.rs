//! The report that `mutate` returns along with an expression: `ExprInfo`, with bounds and an
//! alignment.
//!
//! # Correctness
//!
//! A report is trusted: its numbers are any numbers for which it is true. The truth of a number is
//! added to a path when the number is compared. A report that is computed from others is true of
//! the value that the same operators give ([`crate::machine::intervals`]). Other computations with
//! numbers of reports are not followed, and the reports that visitors themselves make are not
//! checked.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind};
use halidom_rewrites::rules::{Fun, ValueId};

use crate::ir::kinds::Code;
use crate::ir::node::NodeId;
use crate::ir::state::State;
use crate::ir::value::{Num, Place, Val};
use crate::machine::intervals::{about, is_whole};
use crate::machine::names::Method;
use crate::machine::run::{Machine, Paths};

/// The bits of the numbers in reports.
const BITS: u8 = 64;

impl Machine<'_> {
    /// A report on an expression, with the members of each compiler's `ExprInfo`.
    pub(crate) fn info_of(&mut self, node: NodeId, state: &State) -> Val {
        // What is true of the value under a condition is not true of it elsewhere.
        if !self.is_concrete() && !state.conditions().is_empty() {
            return Val::info();
        }
        let ty = state.node(node).ty;
        let term = self.node_value(node, state);
        // On wholly known IR, only literals are reported.
        let range = if self.is_concrete() {
            let is_told = !ty.is_bool() && self.values.as_number(term).is_some();
            ty.reported_range().filter(|_| is_told)
        } else if self.is_whole {
            ty.range()
        } else {
            ty.reported_range()
        };
        let value = range.map(|range| self.host_number(term, range, true));
        let Some(value) = value else {
            // Nothing is reported about other types.
            return self.blank_report();
        };
        if self.is_concrete() {
            let truth = self.values.bool(true);
            let yes = Val::Bool(truth);
            let zero = self.number(0, BITS, true);
            // Every compiler reports these literals, so what is computed from them is followed.
            let is_certain = ty.code == Code::UInt || ty.bits >= 32;
            let number = |num| if is_certain { Val::Int(num) } else { Val::Bound(num, truth) };
            let bounds = interval(number(value), number(value), &yes, &yes);
            return info(bounds, number(zero), number(value), &[]);
        }
        let [least, greatest] = ["least", "greatest"].map(|of| self.any_number(of, BITS, true));
        let [has_least, has_greatest] =
            ["has least", "has greatest"].map(|of| Val::Bool(self.any_truth(of)));
        let above = self.comparison(Sign::Le, least.term, value.term);
        let below = self.comparison(Sign::Le, value.term, greatest.term);
        let above = self.implied(&has_least, above);
        let below = self.implied(&has_greatest, below);
        let bounds = interval(
            Val::Bound(least, above),
            Val::Bound(greatest, below),
            &has_least,
            &has_greatest,
        );
        let modulus = self.any_number("modulus", BITS, true);
        let remainder = self.any_number("remainder", BITS, true);
        let aligned = self.congruence(value, modulus, remainder);
        info(bounds, Val::Bound(modulus, aligned), Val::Bound(remainder, aligned), &[value])
    }

    /// A report that nobody has filled in, with the initial values of its members.
    pub(crate) fn blank_report(&mut self) -> Val {
        let no = Val::Bool(self.values.bool(false));
        let [none, one] = [0, 1].map(|number| Val::Int(self.number(number, BITS, true)));
        info(interval(none.clone(), none.clone(), &no, &no), one, none, &[])
    }

    /// The place of a report, or of a part of one, that an expression names.
    pub(super) fn place_of_report(expr: &Expr, state: &State) -> Option<Place> {
        let place = match &expr.kind {
            ExprKind::Name(name) => {
                let place = Self::find_variable(name, state)?;
                match Self::load(&place, state)?.value {
                    Val::Address(place) | Val::Reference(place) => place,
                    _ => place,
                }
            }
            ExprKind::Member { object, name, .. } => {
                Place::Part(Box::new(Self::place_of_report(object, state)?), name.clone())
            }
            _ => return None,
        };
        let held = Self::load(&place, state)?.value;
        is_report(&held).then_some(place)
    }

    fn any_truth(&mut self, name: &str) -> ValueId {
        let name = self.fresh_name(name);
        self.values.var(&name, halidom_rewrites::rules::Domain::Bool)
    }

    fn implied(&mut self, premise: &Val, conclusion: ValueId) -> ValueId {
        let Val::Bool(premise) = premise else { return conclusion };
        let not = self.values.apply(Fun::Not, &[*premise]);
        self.values.apply(Fun::Or, &[not, conclusion])
    }

    /// Compares with a number of a report. From then on, the facts about that number hold on the
    /// path.
    pub(crate) fn compare_bounds(
        &mut self,
        op: Sign,
        lhs: &Val,
        rhs: &Val,
        state: &mut State,
    ) -> Option<Val> {
        if !op.is_comparison() {
            return None;
        }
        let number = |value: &Val, state: &mut State| match value {
            // C++ makes the other number unsigned.
            Val::Int(num) if num.bits >= BITS && !num.is_signed => None,
            Val::Int(num) => Some(*num),
            Val::Bound(num, fact) => {
                if !state.facts.contains(fact) {
                    state.facts.push(*fact);
                }
                Some(*num)
            }
            _ => None,
        };
        let (a, b) = (number(lhs, state)?, number(rhs, state)?);
        let widened = |machine: &mut Self, num: Num| machine.convert(num, BITS, true);
        let (a, b) = (widened(self, a), widened(self, b));
        Some(self.compare(op, a, b))
    }

    /// Compares intervals: the comparison holds if it holds of all their numbers
    /// (`ConstantInterval.h`).
    pub(crate) fn compare_intervals(
        &mut self,
        op: Sign,
        lhs: &Val,
        rhs: &Val,
        state: &mut State,
    ) -> Option<Val> {
        let (low, high, strict) = match op {
            Sign::Lt => (lhs, rhs, Sign::Lt),
            Sign::Le => (lhs, rhs, Sign::Le),
            Sign::Gt => (rhs, lhs, Sign::Lt),
            Sign::Ge => (rhs, lhs, Sign::Le),
            _ => return None,
        };
        let truth = Val::Bool(self.values.bool(true));
        // A number is compared as an interval that holds it alone.
        let bound = |of: &Val, name: &str, has: &str| match of {
            Val::Int(_) if self.knows_reports() => Some((of.clone(), truth.clone())),
            of => Some((member(of, name)?, member(of, has)?)),
        };
        let (greatest, Val::Bool(has_greatest)) = bound(low, "max", "max_defined")? else {
            return None;
        };
        let (least, Val::Bool(has_least)) = bound(high, "min", "min_defined")? else {
            return None;
        };
        let Val::Bool(apart) = self.compare_bounds(strict, &greatest, &least, state)? else {
            return None;
        };
        let both = self.values.apply(Fun::And, &[has_greatest, has_least]);
        Some(Val::Bool(self.values.apply(Fun::And, &[both, apart])))
    }

    /// Runs a method of a report or an interval. Questions are followed if their answer is known,
    /// and so are some changes; after any other method the receiver is not known.
    pub(crate) fn info_method(
        &mut self,
        receiver: &Val,
        name: Method<'_>,
        arguments: &[Val],
        place: Option<&Place>,
        state: State,
    ) -> Paths<Val> {
        let mut state = state;
        if let Some(truth) = self.asked_interval(receiver, name, arguments, &mut state) {
            return vec![(state, Val::Bool(truth))];
        }
        if let Some(place) = place
            && let Some(after) = match (name, arguments) {
                (Method::CastTo, [Val::Type(ty)]) => Some(self.cast_report(receiver, *ty)),
                (Method::Trim, []) => Some(self.trimmed(receiver)),
                _ => None,
            }
        {
            self.store(place, after, &mut state);
            return vec![(state, Val::Void)];
        }
        if let (Method::Contains, [number @ Val::Int(_)]) = (name, arguments)
            && let Some(truth) = self.contains(receiver, number, &mut state)
        {
            return vec![(state, Val::Bool(truth))];
        }
        if let Some(place) = place {
            self.store(place, Val::info(), &mut state);
        }
        vec![(state, Val::info())]
    }

    fn contains(&mut self, interval: &Val, number: &Val, state: &mut State) -> Option<ValueId> {
        let mut all = self.values.bool(true);
        for (bound, defined, op) in
            [("min", "min_defined", Sign::Le), ("max", "max_defined", Sign::Ge)]
        {
            let Val::Bool(defined) = member(interval, defined)? else { return None };
            let bound = member(interval, bound)?;
            let Val::Bool(within) = self.compare_bounds(op, &bound, number, state)? else {
                return None;
            };
            let not = self.values.apply(Fun::Not, &[defined]);
            let holds = self.values.apply(Fun::Or, &[not, within]);
            all = self.values.apply(Fun::And, &[all, holds]);
        }
        Some(all)
    }
}

/// Tests whether a value is a report, or an interval or alignment from one.
pub(crate) fn is_report(value: &Val) -> bool {
    let Val::Object(members) = value else { return false };
    members.iter().any(|(name, _)| ["min_defined", "modulus"].contains(&name.as_str()))
        || is_whole(value)
}

fn member(of: &Val, name: &str) -> Option<Val> {
    let Val::Object(members) = of else { return None };
    members.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
}

fn interval(least: Val, greatest: Val, has_least: &Val, has_greatest: &Val) -> Vec<(String, Val)> {
    let member = |name: &str, value: Val| (name.to_owned(), value);
    vec![
        member("min", least),
        member("max", greatest),
        member("min_defined", has_least.clone()),
        member("max_defined", has_greatest.clone()),
    ]
}

/// Older compilers have the bounds as members, newer ones an interval.
fn info(bounds: Vec<(String, Val)>, modulus: Val, remainder: Val, values: &[Num]) -> Val {
    let alignment = vec![("modulus".to_owned(), modulus), ("remainder".to_owned(), remainder)];
    let mut members = bounds.clone();
    members.push(("bounds".to_owned(), Val::Object(about(bounds, values))));
    members.push(("alignment".to_owned(), Val::Object(about(alignment, values))));
    Val::Object(members)
}
