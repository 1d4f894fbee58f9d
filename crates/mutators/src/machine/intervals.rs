//! Arithmetic of reports: intervals, and alignments.
//!
//! # Correctness
//!
//! An interval or an alignment that `mutate` reports is *about* the value of an expression, which
//! lies in it. An operator on two intervals gives one that is about the operator's result on these
//! values (`ConstantInterval.h`, `ModulusRemainder.h`: the result holds every value of the operator
//! applied to any two elements). So it has fresh numbers, with facts about that value. The only
//! exceptions are quotients by -1 and by the least number ([`Machine::combined`]). The value is an
//! integer that does not wrap. Where numbers are bit vectors, a value that 64 bits do not hold is
//! known modulo 2^64 alone, and nothing but a conversion to a narrower type makes a fact of it.
//!
//! A report that is changed in any other way is about nothing, and its numbers are not known. This
//! holds only for the classes of the API: if the files name one of them, nothing is known.

use halidom_cpp::Sign;
use halidom_cpp::ast::Expr;
use halidom_rewrites::profile::ZeroDivision;
use halidom_rewrites::rules::{Domain, Fun, Node, ValueId};

use crate::ir::kinds::{Code, Type};
use crate::ir::state::State;
use crate::ir::value::{Num, Val};
use crate::machine::classes::{REPORTS, is_of_reports};
use crate::machine::names::Method;
use crate::machine::run::{Machine, Paths};

/// The member of an interval or an alignment with the values that lie in it.
pub(super) const ABOUT: &str = "what lies in it";

/// The bits of the numbers in reports.
pub(super) const BITS: u8 = 64;

/// The parts of a report.
const PARTS: [&str; 2] = ["bounds", "alignment"];

pub(super) fn member<'v>(of: &'v Val, name: &str) -> Option<&'v Val> {
    let Val::Object(members) = of else { return None };
    members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// Tests whether a value is an interval.
pub(super) fn is_interval(value: &Val) -> bool {
    member(value, "min_defined").is_some() && member(value, "bounds").is_none()
}

/// Tests whether a value is an alignment.
pub(super) fn is_alignment(value: &Val) -> bool {
    member(value, "modulus").is_some() && member(value, "bounds").is_none()
}

/// Tests whether a value is a report with both parts.
pub(super) fn is_whole(value: &Val) -> bool {
    let is_part = |of: &Val| of.is_info() || is_interval(of) || is_alignment(of);
    PARTS.iter().all(|part| member(value, part).is_some_and(is_part))
}

/// Adds the values that an interval or an alignment is about.
pub(super) fn about(members: Vec<(String, Val)>, values: &[Num]) -> Vec<(String, Val)> {
    let values = values.iter().map(|value| Val::Int(*value)).collect();
    let mut members = members;
    members.push((ABOUT.to_owned(), Val::List(values)));
    members
}

/// An interval or an alignment without the values that are known to lie in it.
fn about_nothing(of: Val) -> Val {
    let Val::Object(mut members) = of else { return of };
    members.retain(|(name, _)| name != ABOUT);
    Val::Object(members)
}

/// A report that was changed in one member. Nothing else is known of the part than what is stored
/// there, and the other part stays.
pub(super) fn changed(report: &Val, name: &str, value: Val) -> Val {
    if !is_whole(report) || !PARTS.contains(&name) {
        return Val::info();
    }
    let fits = if name == "bounds" { is_interval(&value) } else { is_alignment(&value) };
    let value = if fits { value } else { Val::info() };
    let parts = PARTS.map(|part| {
        let kept = member(report, part).cloned().unwrap_or_else(Val::info);
        (part.to_owned(), if part == name { value.clone() } else { kept })
    });
    Val::Object(parts.to_vec())
}

/// Tests whether 64 signed bits hold every number of a range.
pub(super) fn is_held(num: Num) -> bool {
    let (least, greatest) = Num::range(BITS, true);
    least <= num.low && num.high <= greatest
}

impl<'p> Machine<'p> {
    /// Tests whether the classes of reports are those of the API.
    pub(super) fn knows_reports(&self) -> bool {
        let functions = &self.program.functions;
        !REPORTS.iter().any(|class| self.is_of_files(class))
            && functions.iter().all(|own| !own.name.starts_with("operator"))
    }

    /// A report that nobody has filled in, as a variable holds it.
    pub(super) fn empty_report(&mut self) -> Val {
        let no = Val::Bool(self.values.bool(false));
        let [none, one] = [0, 1].map(|number| Val::Int(self.number(number, BITS, true)));
        let named = |name: &str, value: &Val| (name.to_owned(), value.clone());
        let bounds = [("min", &none), ("max", &none), ("min_defined", &no), ("max_defined", &no)];
        let alignment = [("modulus", &one), ("remainder", &none)];
        let bounds = bounds.map(|(name, value)| named(name, value)).to_vec();
        let alignment = alignment.map(|(name, value)| named(name, value)).to_vec();
        Val::Object(vec![
            ("bounds".to_owned(), Val::Object(bounds)),
            ("alignment".to_owned(), Val::Object(alignment)),
        ])
    }

    /// A report that a variable of the type of reports holds when it is declared.
    pub(super) fn report_of_variable(&mut self, ty: &str) -> Option<Val> {
        (ty == REPORTS[0] && self.knows_reports()).then(|| self.empty_report())
    }

    /// A report, an interval or an alignment that a list in braces makes; `None` for other types.
    pub(super) fn braced_report(
        &mut self,
        ty: &str,
        parts: &'p [Expr],
        state: &State,
    ) -> Option<Paths<Val>> {
        let is_empty = ty == REPORTS[0] && parts.is_empty() && !self.is_of_files(ty);
        if !is_of_reports(ty) && !is_empty {
            return None;
        }
        let mut paths = Vec::new();
        for (state, values) in self.arguments(parts, state.clone()) {
            let values: Vec<Val> =
                values.into_iter().map(|value| Self::loaded(value, &state)).collect();
            let made = self.made_of_reports(ty, &values);
            paths.push((state, made.unwrap_or_else(Val::info)));
        }
        Some(paths)
    }

    /// The number of a report that a type is asked about, with its fact.
    pub(super) fn told_number(&self, arguments: &[Val], ty: Type, state: &mut State) -> Vec<Val> {
        match (arguments, ty.range()) {
            ([Val::Bound(num, fact)], Some(_)) if !self.is_concrete() => {
                state.facts.push(*fact);
                vec![Val::Int(*num)]
            }
            (arguments, _) => arguments.to_vec(),
        }
    }

    /// The values that are known to lie in an interval or an alignment.
    pub(super) fn subjects(of: &Val) -> Vec<Num> {
        let number = |value: &Val| match value {
            Val::Int(num) => Some(*num),
            _ => None,
        };
        match member(of, ABOUT) {
            Some(Val::List(values)) => values.iter().filter_map(number).collect(),
            _ => Vec::new(),
        }
    }

    /// An interval in which a value lies.
    pub(super) fn interval_about(&mut self, value: Num) -> Val {
        self.interval_about_all(&[value])
    }

    /// An interval in which some values lie.
    pub(super) fn interval_about_all(&mut self, values: &[Num]) -> Val {
        let [least, greatest] = ["least", "greatest"].map(|of| self.any_number(of, BITS, true));
        let [has_least, has_greatest] = ["has least", "has greatest"].map(|name| {
            let name = self.fresh_name(name);
            self.values.var(&name, Domain::Bool)
        });
        let (mut above, mut below) = (self.values.bool(true), self.values.bool(true));
        for value in values {
            let is_above = self.comparison(Sign::Le, least.term, value.term);
            let is_below = self.comparison(Sign::Le, value.term, greatest.term);
            let is_beyond = self.is_beyond(*value);
            let mut fact = |has: ValueId, holds: ValueId| {
                let not = self.values.apply(Fun::Not, &[has]);
                let holds = self.values.apply(Fun::Or, &[not, holds]);
                self.values.apply(Fun::Or, &[is_beyond, holds])
            };
            let (is_above, is_below) = (fact(has_least, is_above), fact(has_greatest, is_below));
            above = self.values.apply(Fun::And, &[above, is_above]);
            below = self.values.apply(Fun::And, &[below, is_below]);
        }
        let members = vec![
            ("min".to_owned(), Val::Bound(least, above)),
            ("max".to_owned(), Val::Bound(greatest, below)),
            ("min_defined".to_owned(), Val::Bool(has_least)),
            ("max_defined".to_owned(), Val::Bool(has_greatest)),
        ];
        Val::Object(about(members, values))
    }

    /// Tests whether a term may not be the value itself: 64 bits do not hold it.
    fn is_beyond(&mut self, value: Num) -> ValueId {
        self.values.bool(!self.is_whole && !is_held(value))
    }

    /// An alignment in which some values lie. The remainder may be beyond the modulus.
    pub(super) fn alignment_about(&mut self, values: &[Num]) -> Val {
        let [modulus, remainder] =
            ["modulus", "remainder"].map(|of| self.any_number(of, BITS, true));
        let mut fact = self.values.bool(true);
        for value in values {
            let is_beyond = self.is_beyond(*value);
            let known = self.congruence(*value, modulus, remainder);
            let known = self.values.apply(Fun::Or, &[is_beyond, known]);
            fact = self.values.apply(Fun::And, &[fact, known]);
        }
        let members = vec![
            ("modulus".to_owned(), Val::Bound(modulus, fact)),
            ("remainder".to_owned(), Val::Bound(remainder, fact)),
        ];
        Val::Object(about(members, values))
    }

    /// The fact that a value is the remainder if the modulus is 0, and else differs from it by a
    /// multiple of the modulus. Where the difference may wrap, it is stated only of remainders that
    /// are less than the modulus.
    pub(super) fn congruence(&mut self, value: Num, modulus: Num, remainder: Num) -> ValueId {
        let zero = self.values.number(0, self.values.domain(modulus.term));
        let is_single = self.values.apply(Fun::Eq, &[modulus.term, zero]);
        let is_value = self.values.apply(Fun::Eq, &[value.term, remainder.term]);
        let left = if self.is_whole {
            let distance = self.values.apply(Fun::Sub, &[value.term, remainder.term]);
            let left = self.values.apply(Fun::Mod, &[distance, modulus.term]);
            self.values.apply(Fun::Eq, &[left, zero])
        } else {
            let left = self.values.apply(Fun::Mod, &[value.term, modulus.term]);
            let is_left = self.values.apply(Fun::Eq, &[left, remainder.term]);
            let is_negative = self.comparison(Sign::Lt, remainder.term, zero);
            let is_above = self.comparison(Sign::Le, modulus.term, remainder.term);
            let is_beyond = self.values.apply(Fun::Or, &[is_negative, is_above]);
            self.values.apply(Fun::Or, &[is_beyond, is_left])
        };
        let known = self.values.apply(Fun::Ite, &[is_single, is_value, left]);
        // Of a product, some compilers report a negative modulus (`ModulusRemainder.cpp`).
        if self.profile.name != "halide" {
            return known;
        }
        let at_least = self.comparison(Sign::Le, zero, modulus.term);
        self.values.apply(Fun::And, &[at_least, known])
    }

    /// The result of an operator on two intervals or two alignments, or on one and a number.
    pub(super) fn combined(&mut self, op: Sign, lhs: &Val, rhs: &Val) -> Option<Val> {
        if !self.knows_reports() {
            return None;
        }
        if self.is_concrete() {
            return self.combined_exactly(op, lhs, rhs);
        }
        let is_number = |value: &Val| matches!(value, Val::Int(_));
        let is_of = |test: &dyn Fn(&Val) -> bool| {
            test(lhs) && (test(rhs) || is_number(rhs)) || test(rhs) && is_number(lhs)
        };
        let is_of_bounds = is_of(&is_interval);
        if !is_of_bounds && !is_of(&is_alignment) {
            return None;
        }
        // A sum of any number with another one is any number.
        if matches!(op, Sign::Add | Sign::Sub) && [lhs, rhs].iter().any(|of| self.tells_nothing(of))
        {
            let any = self.empty_report();
            return member(&any, if is_of_bounds { "bounds" } else { "alignment" }).cloned();
        }
        let [a, b] = [lhs, rhs].map(|value| match value {
            Val::Int(num) => Some(self.convert(*num, BITS, true)),
            value => match Self::subjects(value).as_slice() {
                [one] => Some(*one),
                _ => None,
            },
        });
        let value = self.computed_of(op, a?, b?)?;
        let (a, b) = (a?, b?);
        let exception = self.is_without_quotient(op, (a, b), is_of_bounds);
        let known = self.facts_about(op, value, (a, b));
        let made = if is_of_bounds {
            self.interval_about(value)
        } else {
            let made = self.alignment_about(&[value]);
            // The remainder of a sum is reduced, so it is 0 where the sum is.
            let is_exact = self.is_whole || is_held(value);
            let is_reduced = matches!(op, Sign::Add | Sign::Sub) && is_exact;
            if is_reduced { self.reduced(made, value) } else { made }
        };
        let made = self.with_facts(made, exception, known);
        // What is computed from the result has no exceptions, so nothing is known of it.
        let is_told = self.values.as_number(exception) == Some(0);
        Some(if is_told { made } else { about_nothing(made) })
    }

    /// The compiler does not compute the quotient of the least number and -1. Of alignments, it
    /// takes every quotient by the least number for 0 (`ModulusRemainder.cpp`).
    fn is_without_quotient(&mut self, op: Sign, (a, b): (Num, Num), is_of_bounds: bool) -> ValueId {
        let (least, _) = Num::range(BITS, true);
        if op == Sign::Div && !is_of_bounds && b.low <= least {
            let least = self.values.number(least, self.host(true));
            let is_by_least = self.values.apply(Fun::Eq, &[b.term, least]);
            let other = self.is_without_quotient(op, (a, b), true);
            return self.values.apply(Fun::Or, &[is_by_least, other]);
        }
        let may_be = op == Sign::Div && a.low <= least && b.low <= -1 && -1 <= b.high;
        let [least, minus] = [least, -1].map(|of| self.values.number(of, self.host(true)));
        let is_least = self.values.apply(Fun::Eq, &[a.term, least]);
        let is_minus = self.values.apply(Fun::Eq, &[b.term, minus]);
        let both = self.values.apply(Fun::And, &[is_least, is_minus]);
        if may_be { both } else { self.values.bool(false) }
    }

    /// Facts that a solver does not see: the range of a value, and that a difference is 0 only of
    /// equal numbers.
    fn facts_about(&mut self, op: Sign, value: Num, (a, b): (Num, Num)) -> ValueId {
        let mut known = self.values.bool(true);
        if !self.is_whole {
            return known;
        }
        let zero = self.values.number(0, Domain::Whole);
        if op == Sign::Sub {
            let is_zero = self.values.apply(Fun::Eq, &[value.term, zero]);
            let is_equal = self.values.apply(Fun::Eq, &[a.term, b.term]);
            known = self.values.apply(Fun::Eq, &[is_zero, is_equal]);
        }
        if matches!(op, Sign::Div | Sign::Rem) && value.low == 0 {
            known = self.comparison(Sign::Le, zero, value.term);
        }
        known
    }

    /// Adds facts to those of the numbers of an interval or an alignment. The others hold only
    /// without an exception.
    fn with_facts(&mut self, made: Val, exception: ValueId, known: ValueId) -> Val {
        let Val::Object(mut members) = made else { return made };
        for (_, held) in &mut members {
            if let Val::Bound(_, fact) = held {
                let told = self.values.apply(Fun::Or, &[exception, *fact]);
                *fact = self.values.apply(Fun::And, &[told, known]);
            }
        }
        Val::Object(members)
    }

    /// Adds the fact that the remainder is 0 where the value is.
    fn reduced(&mut self, alignment: Val, value: Num) -> Val {
        let Val::Object(mut members) = alignment else { return alignment };
        let zero = self.values.number(0, self.host(true));
        let is_zero = self.values.apply(Fun::Eq, &[value.term, zero]);
        let is_other = self.values.apply(Fun::Not, &[is_zero]);
        for (name, held) in &mut members {
            if let Val::Bound(num, fact) = held
                && name == "remainder"
            {
                let is_none = self.values.apply(Fun::Eq, &[num.term, zero]);
                let reduced = self.values.apply(Fun::Or, &[is_other, is_none]);
                *fact = self.values.apply(Fun::And, &[*fact, reduced]);
            }
        }
        Val::Object(members)
    }

    /// Tests whether an interval or an alignment is known to tell nothing.
    fn tells_nothing(&self, of: &Val) -> bool {
        let is = |name: &str, wanted: i128| match member(of, name) {
            Some(Val::Int(num) | Val::Bound(num, _)) => {
                self.values.as_number(num.term) == Some(wanted)
            }
            Some(Val::Bool(truth)) => self.values.as_number(*truth) == Some(wanted),
            _ => false,
        };
        is("min_defined", 0) && is("max_defined", 0) || is("modulus", 1) && is("remainder", 0)
    }

    /// An operator on integers that do not wrap. A divisor of 0 gives 0.
    fn computed_of(&mut self, op: Sign, a: Num, b: Num) -> Option<Num> {
        // Beyond 64 bits, the bounds only tell that they are beyond.
        let corners = |f: fn(i128, i128) -> i128| {
            let all = [f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)];
            let first = all[0];
            all.iter().fold((first, first), |(low, high), of| (low.min(*of), high.max(*of)))
        };
        let is_exact = self.is_whole || is_held(a) && is_held(b);
        let is_zero = self.profile.zero_division == ZeroDivision::Zero;
        let largest = |num: Num| num.low.checked_abs()?.max(num.high.checked_abs()?).into();
        let (term, (low, high)) = match op {
            Sign::Add => {
                (self.values.apply(Fun::Add, &[a.term, b.term]), corners(i128::saturating_add))
            }
            Sign::Sub => {
                (self.values.apply(Fun::Sub, &[a.term, b.term]), corners(i128::saturating_sub))
            }
            Sign::Mul => {
                (self.values.apply(Fun::Mul, &[a.term, b.term]), corners(i128::saturating_mul))
            }
            Sign::Div if is_exact && is_zero => {
                let largest: Option<i128> = largest(a);
                let least = if a.low >= 0 && b.low >= 0 { 0 } else { -largest? };
                (self.quotient(a, b), (least, largest?))
            }
            Sign::Rem if is_exact && is_zero => {
                let largest: Option<i128> = largest(b);
                let term = self.values.apply(Fun::Mod, &[a.term, b.term]);
                (term, (0, largest?))
            }
            _ => return None,
        };
        Some(Num { term, bits: BITS, is_signed: true, low, high, remainder_of: None })
    }

    /// The Euclidean quotient of two integers. It is computed in their own type, if they have one:
    /// there, only that of the least number and -1 wraps.
    fn quotient(&mut self, a: Num, b: Num) -> ValueId {
        let own = |machine: &Self, num: Num| match machine.values.node(num.term) {
            Node::Apply(Fun::Convert, inner) => {
                let domain = machine.values.domain(inner[0]);
                let is_narrow = domain.wraps() && machine.host(true).contains(domain);
                (is_narrow && domain != machine.host(true)).then_some((inner[0], domain))
            }
            Node::Var(_) | Node::Number(_) | Node::Apply(..) => None,
        };
        let host = self.host(true);
        let plain = self.values.apply(Fun::Div, &[a.term, b.term]);
        let (a, b) = match (own(self, a), own(self, b), self.values.as_number(b.term)) {
            (Some((a, of)), Some((b, other)), _) if of == other => (a, b),
            (Some((a, of)), _, Some(number))
                if of.range().is_some_and(|(low, high)| low <= number && number <= high) =>
            {
                (a, self.values.number(number, of))
            }
            _ => return plain,
        };
        let domain = self.values.domain(a);
        let quotient = self.values.apply(Fun::Div, &[a, b]);
        let quotient = self.values.convert(quotient, host);
        let Some((least, _)) = domain.range().filter(|(least, _)| *least < 0) else {
            return quotient;
        };
        let (low, minus) = (self.values.number(least, domain), self.values.number(-1, domain));
        let is_least = self.values.apply(Fun::Eq, &[a, low]);
        let is_minus = self.values.apply(Fun::Eq, &[b, minus]);
        let wraps = self.values.apply(Fun::And, &[is_least, is_minus]);
        let greater = self.values.number(-least, host);
        self.values.apply(Fun::Ite, &[wraps, greater, quotient])
    }

    /// Tests whether an interval has both bounds, or none of them.
    fn has_bounds(&mut self, interval: &Val, wanted: bool) -> Option<ValueId> {
        let (Val::Bool(least), Val::Bool(greatest)) =
            (member(interval, "min_defined")?, member(interval, "max_defined")?)
        else {
            return None;
        };
        let of = |machine: &mut Self, has: ValueId| {
            if wanted { has } else { machine.values.apply(Fun::Not, &[has]) }
        };
        let (least, greatest) = (of(self, *least), of(self, *greatest));
        Some(self.values.apply(Fun::And, &[least, greatest]))
    }

    /// The answer to a question about an interval, where it is known.
    pub(super) fn asked_interval(
        &mut self,
        interval: &Val,
        name: Method<'_>,
        arguments: &[Val],
        state: &mut State,
    ) -> Option<ValueId> {
        if !is_interval(interval) || !self.knows_reports() {
            return None;
        }
        match (name, arguments) {
            (Method::IsBounded, []) => self.has_bounds(interval, true),
            (Method::IsEverything, []) => self.has_bounds(interval, false),
            (Method::IsSinglePoint, [] | [Val::Int(_)]) => {
                let both = self.has_bounds(interval, true)?;
                let (least, greatest) = (member(interval, "min")?, member(interval, "max")?);
                let wanted = arguments.first().unwrap_or(greatest);
                let mut all = both;
                for bound in [least, greatest] {
                    let Some(Val::Bool(is_it)) =
                        self.compare_bounds(Sign::Eq, bound, wanted, state)
                    else {
                        return None;
                    };
                    all = self.values.apply(Fun::And, &[all, is_it]);
                }
                Some(all)
            }
            _ => None,
        }
    }

    /// The value that both parts of a report are about.
    fn parts_about(&self, report: &Val) -> Option<Num> {
        let (bounds, alignment) = (member(report, "bounds")?, member(report, "alignment")?);
        let [value] = &*Self::subjects(bounds) else { return None };
        let known = Self::subjects(alignment);
        let is_known = |term: ValueId| known.iter().any(|num| num.term == term);
        let is_about = match self.values.node(value.term) {
            _ if is_known(value.term) => true,
            Node::Apply(Fun::Ite, parts) => is_known(parts[1]) && is_known(parts[2]),
            Node::Var(_) | Node::Number(_) | Node::Apply(..) => false,
        };
        is_about.then_some(*value)
    }

    /// A report after one of its parts was used to narrow the other one. Both are still about the
    /// same value.
    pub(super) fn trimmed(&mut self, report: &Val) -> Val {
        if !is_whole(report) || !self.knows_reports() {
            return Val::info();
        }
        if self.is_concrete() {
            return self.trimmed_exactly(report).unwrap_or_else(Val::info);
        }
        if let Some(value) = self.parts_about(report) {
            return self.report_about(value, Some(value));
        }
        // Without an alignment, the bounds stay. Those of one number would tell an alignment.
        let is_single = |bounds: &Val| {
            let has = |name: &str| match member(bounds, name) {
                Some(Val::Bool(truth)) => self.values.as_number(*truth) != Some(0),
                _ => true,
            };
            has("min_defined") && has("max_defined") && {
                let number = |name: &str| match member(bounds, name) {
                    Some(Val::Int(num)) => self.values.as_number(num.term),
                    _ => None,
                };
                number("min").is_none() || number("min") == number("max")
            }
        };
        match (member(report, "bounds"), member(report, "alignment")) {
            (Some(bounds), Some(alignment))
                if self.tells_nothing(alignment) && !is_single(bounds) =>
            {
                report.clone()
            }
            (Some(bounds), Some(alignment)) if self.tells_nothing(alignment) => {
                match &*Self::subjects(bounds) {
                    [value] => self.report_about(*value, Some(*value)),
                    _ => Val::info(),
                }
            }
            _ => Val::info(),
        }
    }

    fn report_about(&mut self, value: Num, aligned: Option<Num>) -> Val {
        let bounds = self.interval_about(value);
        let alignment = match aligned {
            Some(value) => self.alignment_about(&[value]),
            None => Val::info(),
        };
        let parts = [("bounds", bounds), ("alignment", alignment)];
        Val::Object(parts.map(|(name, value)| (name.to_owned(), value)).to_vec())
    }

    /// A report, or an interval, after the value that it is about was converted to a type, where
    /// signed types of at least 32 bits do not wrap.
    pub(super) fn cast_report(&mut self, report: &Val, ty: Type) -> Val {
        if !self.knows_reports() {
            return Val::info();
        }
        if self.is_concrete() {
            return self.cast_exactly(report, ty).unwrap_or_else(Val::info);
        }
        if is_interval(report) {
            // An interval knows no types that do not wrap.
            let value = match &*Self::subjects(report) {
                [value] => self.wrapped(*value, ty),
                _ => None,
            };
            return value.map_or_else(Val::info, |value| self.interval_about(value));
        }
        if !is_whole(report) {
            return Val::info();
        }
        let is_integer = matches!(ty.code, Code::Int | Code::UInt);
        if !is_integer || ty.code == Code::Int && ty.bits >= 32 {
            return report.clone();
        }
        if PARTS.iter().all(|part| member(report, part).is_some_and(|of| self.tells_nothing(of))) {
            return self.report_of_type(ty);
        }
        let of_both = self.parts_about(report);
        let Some(bounds) = member(report, "bounds") else { return Val::info() };
        let [value] = &*Self::subjects(bounds) else { return Val::info() };
        let Some(wrapped) = self.wrapped(*value, ty) else { return Val::info() };
        self.report_about(wrapped, of_both.map(|_| wrapped))
    }

    /// A report that tells nothing but the numbers of a type.
    fn report_of_type(&mut self, ty: Type) -> Val {
        let any = self.empty_report();
        let Some((low, high)) = ty.range() else { return any };
        let is_bounded = high <= Num::range(BITS, true).1;
        let [low, high] =
            [low, if is_bounded { high } else { 0 }].map(|of| self.number(of, BITS, true));
        let bounds = [
            ("min", Val::Int(low)),
            ("max", Val::Int(high)),
            ("min_defined", Val::Bool(self.values.bool(true))),
            ("max_defined", Val::Bool(self.values.bool(is_bounded))),
        ];
        let bounds = bounds.map(|(name, value)| (name.to_owned(), value)).to_vec();
        changed(&any, "bounds", Val::Object(bounds))
    }

    /// An integer as one of a type that keeps the bits that fit.
    fn wrapped(&mut self, value: Num, ty: Type) -> Option<Num> {
        let (low, high) = ty.range()?;
        let host = self.host(true);
        if low <= value.low && value.high <= high {
            return Some(value);
        }
        let term = if ty.is_bool() {
            let two = self.values.number(2, host);
            self.values.apply(Fun::Mod, &[value.term, two])
        } else {
            let to = match ty.code {
                Code::Int => Domain::Signed(ty.bits),
                _ => Domain::Unsigned(ty.bits),
            };
            let term = self.low_bits(value.term, to);
            self.values.convert(term, host)
        };
        let num = Num { term, low, high, bits: BITS, is_signed: true, remainder_of: None };
        // The greatest numbers of 64 bits are none of a signed number.
        (self.is_whole || is_held(num)).then_some(num)
    }

    /// The lowest bits of an integer. Sums, differences and products have those of their operands'.
    fn low_bits(&mut self, term: ValueId, to: Domain) -> ValueId {
        match self.values.node(term).clone() {
            Node::Apply(fun @ (Fun::Add | Fun::Sub | Fun::Mul), parts) => {
                let parts: Vec<ValueId> =
                    parts.into_iter().map(|part| self.low_bits(part, to)).collect();
                self.values.apply(fun, &parts)
            }
            Node::Apply(Fun::Ite, parts) => {
                let [then, other] = [parts[1], parts[2]].map(|part| self.low_bits(part, to));
                self.values.apply(Fun::Ite, &[parts[0], then, other])
            }
            Node::Apply(Fun::Convert, inner) if self.values.domain(inner[0]) == to => inner[0],
            Node::Var(_) | Node::Number(_) | Node::Apply(..) => self.values.convert(term, to),
        }
    }
}
