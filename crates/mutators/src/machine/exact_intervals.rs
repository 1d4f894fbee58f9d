//! Arithmetic of reports on wholly known IR, where all their numbers are known.
//!
//! # Correctness
//!
//! Nothing is proved here: such a run may only show a defect. What is not computed as the compiler
//! computes it (`ConstantInterval.cpp`, `ModulusRemainder.cpp`) is not known.

use halidom_cpp::Sign;

use crate::ir::kinds::{Code, Type};
use crate::ir::value::{Num, Val};
use crate::machine::run::Machine;

/// An interval whose missing bounds are infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    least: Option<i128>,
    greatest: Option<i128>,
}

/// A modulus and a remainder.
type Stride = (i128, i128);

fn greatest_divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The remainder that is not negative; a modulus of 0 leaves the number.
fn reduced(number: i128, modulus: i128) -> i128 {
    if modulus == 0 { number } else { number.rem_euclid(modulus) }
}

/// A number that 64 bits hold.
fn held(number: i128) -> Option<i128> {
    i64::try_from(number).ok().map(i128::from)
}

impl Span {
    fn single(self) -> Option<i128> {
        self.least.filter(|least| Some(*least) == self.greatest)
    }

    fn computed(op: Sign, a: Self, b: Self) -> Option<Self> {
        let sum = |a: Option<i128>, b: Option<i128>| held(a?.checked_add(b?)?);
        let difference = |a: Option<i128>, b: Option<i128>| held(a?.checked_sub(b?)?);
        Some(match op {
            Sign::Add => {
                Self { least: sum(a.least, b.least), greatest: sum(a.greatest, b.greatest) }
            }
            Sign::Sub => Self {
                least: difference(a.least, b.greatest),
                greatest: difference(a.greatest, b.least),
            },
            Sign::Mul => Self::product(a, b),
            Sign::Div => Self::quotient(a, b)?,
            Sign::Rem => Self::remainder(a, b)?,
            _ => return None,
        })
    }

    fn is_bounded(self) -> bool {
        self.least.is_some() && self.greatest.is_some()
    }

    /// Tests whether all its numbers are known to be at least a number.
    fn is_from(self, number: i128) -> bool {
        self.least.is_some_and(|least| number <= least)
    }

    /// Tests whether all its numbers are known to be at most a number.
    fn is_up_to(self, number: i128) -> bool {
        self.greatest.is_some_and(|greatest| greatest <= number)
    }

    /// The pairs of bounds that are there.
    fn corners(a: Self, b: Self) -> impl Iterator<Item = (i128, i128)> {
        [a.least, a.greatest].into_iter().flatten().flat_map(move |one| {
            [b.least, b.greatest].into_iter().flatten().map(move |other| (one, other))
        })
    }

    fn product(a: Self, b: Self) -> Self {
        let (mut least, mut greatest) = (None::<i128>, None::<i128>);
        let (mut has_least, mut has_greatest) = (true, true);
        for (one, other) in Self::corners(a, b) {
            match one.checked_mul(other).and_then(held) {
                Some(number) => {
                    least = Some(least.map_or(number, |known| known.min(number)));
                    greatest = Some(greatest.map_or(number, |known| known.max(number)));
                }
                None if (one > 0) == (other > 0) => has_greatest = false,
                None => has_least = false,
            }
        }
        let [(above, below), (over, under)] = [a, b].map(|of| (of.is_from(0), of.is_up_to(0)));
        let are_bounded = a.is_bounded() && b.is_bounded();
        let small = |of: Self| of.greatest.is_some() && of.is_from(0);
        let large = |of: Self| of.least.is_some() && of.is_up_to(0);
        has_least &= are_bounded
            || above && over
            || below && under
            || a.least.is_some() && small(b)
            || b.least.is_some() && small(a)
            || a.greatest.is_some() && large(b)
            || b.greatest.is_some() && large(a);
        has_greatest &= are_bounded
            || above && under
            || below && over
            || a.greatest.is_some() && small(b)
            || b.greatest.is_some() && small(a)
            || a.least.is_some() && large(b)
            || b.least.is_some() && large(a);
        Self { least: least.filter(|_| has_least), greatest: greatest.filter(|_| has_greatest) }
    }

    /// `None` where the compiler divides the least number by -1.
    fn quotient(a: Self, b: Self) -> Option<Self> {
        let mut corners = Vec::new();
        for (one, other) in Self::corners(a, b).filter(|(_, other)| *other != 0) {
            corners.push(held(one.div_euclid(other))?);
        }
        let (is_positive, is_negative) = (b.is_from(1), b.is_up_to(-1));
        if is_positive && b.greatest.is_none() || is_negative && b.least.is_none() {
            corners.push(0);
        }
        let has = |of: Option<i128>, other: Option<i128>| {
            of.is_some() && is_positive || other.is_some() && is_negative
        };
        let least = corners.iter().copied().min().filter(|_| has(a.least, a.greatest));
        let greatest = corners.iter().copied().max().filter(|_| has(a.greatest, a.least));
        let mut made = Self { least, greatest };
        if let (Some(low), Some(high)) = (a.least, a.greatest)
            && low != Num::range(64, true).0
        {
            let magnitude = high.max(-low);
            made.least = Some(made.least.map_or(-magnitude, |least| least.max(-magnitude)));
            made.greatest = Some(made.greatest.map_or(magnitude, |known| known.min(magnitude)));
        }
        let [(above, below), (over, under)] = [a, b].map(|of| (of.is_from(0), of.is_up_to(0)));
        if above && over || below && under {
            made.least = Some(made.least.map_or(0, |least| least.max(0)));
        } else if above && under || below && over {
            made.greatest = Some(made.greatest.map_or(0, |greatest| greatest.min(0)));
        }
        Some(made)
    }

    /// `None` where it depends on a magnitude.
    fn remainder(a: Self, b: Self) -> Option<Self> {
        if let (Some(a), Some(b)) = (a.single(), b.single()) {
            let number = Some(if b == 0 { 0 } else { a.rem_euclid(b) });
            return Some(Self { least: number, greatest: number });
        }
        if a.is_from(0) {
            return None;
        }
        let (lowest, _) = Num::range(64, true);
        let most = b.least.zip(b.greatest).filter(|(_, greatest)| *greatest != lowest);
        let greatest = most.map(|(least, greatest)| (greatest - 1).max(-1 - least).max(0));
        Some(Self { least: Some(0), greatest })
    }

    /// The least or the greatest of a number of each.
    fn extreme(is_least: bool, a: Self, b: Self) -> Self {
        let either = |a: Option<i128>, b: Option<i128>, of: fn(i128, i128) -> i128| {
            a.zip(b).map(|(a, b)| of(a, b)).or(a).or(b)
        };
        let both = |a: Option<i128>, b: Option<i128>, of: fn(i128, i128) -> i128| {
            a.zip(b).map(|(a, b)| of(a, b))
        };
        if is_least {
            Self {
                least: both(a.least, b.least, i128::min),
                greatest: either(a.greatest, b.greatest, i128::min),
            }
        } else {
            Self {
                least: either(a.least, b.least, i128::max),
                greatest: both(a.greatest, b.greatest, i128::max),
            }
        }
    }

    /// An interval that holds both.
    fn united(a: Self, b: Self) -> Self {
        Self {
            least: a.least.zip(b.least).map(|(a, b)| a.min(b)),
            greatest: a.greatest.zip(b.greatest).map(|(a, b)| a.max(b)),
        }
    }

    fn cast(self, ty: Type) -> Self {
        let Some((low, high)) = ty.range() else {
            return Self { least: None, greatest: None };
        };
        let fits = self.least.is_some_and(|least| low <= least)
            && self.greatest.is_some_and(|greatest| greatest <= high);
        if fits { self } else { Self { least: Some(low), greatest: held(high) } }
    }
}

fn combined_strides(op: Sign, a: Stride, b: Stride) -> Option<Stride> {
    let of = |number: i128| {
        let modulus = greatest_divisor(a.0, b.0);
        held(number).map_or((1, 0), |number| (modulus, reduced(number, modulus)))
    };
    match op {
        Sign::Add => Some(of(a.1 + b.1)),
        Sign::Sub => Some(of(a.1 - b.1)),
        Sign::Mul if a.0 == 0 && b.0 == 0 => Some((0, held(a.1.checked_mul(b.1)?)?)),
        Sign::Div => quotient_of_strides(a, b),
        _ => None,
    }
}

/// The compiler takes every quotient by the least number for 0. `None` where it divides the least
/// number by -1.
fn quotient_of_strides(a: Stride, b: Stride) -> Option<Stride> {
    let (lowest, _) = Num::range(64, true);
    if b.0 != 0 {
        return Some((1, 0));
    }
    if b.1 == 0 || b.1 == lowest {
        return Some((0, 0));
    }
    if b.1 < 0 {
        return combined_strides(Sign::Sub, (0, 0), quotient_of_strides(a, (0, -b.1))?);
    }
    if a.0.rem_euclid(b.1) != 0 {
        return Some((1, 0));
    }
    let modulus = a.0 / b.1;
    Some((modulus, reduced(a.1.div_euclid(b.1), modulus)))
}

impl Machine<'_> {
    fn known_number(&self, of: &Val) -> Option<i128> {
        match of {
            Val::Int(num) | Val::Bound(num, _) => self.values.as_number(num.term),
            Val::Bool(truth) => self.values.as_number(*truth),
            _ => None,
        }
    }

    fn part_of_report<'v>(of: &'v Val, name: &str) -> Option<&'v Val> {
        let Val::Object(members) = of else { return None };
        members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    fn span(&self, of: &Val) -> Option<Span> {
        if let Val::Int(num) = of {
            let number = Some(self.values.as_number(num.term)?);
            return Some(Span { least: number, greatest: number });
        }
        let number = |name: &str| self.known_number(Self::part_of_report(of, name)?);
        let bound = |has: &str, name: &str| match number(has)? {
            0 => Some(None),
            _ => Some(Some(number(name)?)),
        };
        let (least, greatest) = (bound("min_defined", "min")?, bound("max_defined", "max")?);
        Some(Span { least, greatest })
    }

    fn stride(&self, of: &Val) -> Option<Stride> {
        if let Val::Int(num) = of {
            return Some((0, self.values.as_number(num.term)?));
        }
        let number = |name: &str| self.known_number(Self::part_of_report(of, name)?);
        Some((number("modulus")?, number("remainder")?))
    }

    fn of_span(&mut self, span: Span) -> Val {
        let number = |machine: &mut Self, of: Option<i128>| {
            Val::Int(machine.number(of.unwrap_or(0), 64, true))
        };
        let has =
            |machine: &mut Self, of: Option<i128>| Val::Bool(machine.values.bool(of.is_some()));
        let members = vec![
            ("min".to_owned(), number(self, span.least)),
            ("max".to_owned(), number(self, span.greatest)),
            ("min_defined".to_owned(), has(self, span.least)),
            ("max_defined".to_owned(), has(self, span.greatest)),
        ];
        Val::Object(members)
    }

    fn of_stride(&mut self, stride: Stride) -> Val {
        let number = |machine: &mut Self, of: i128| Val::Int(machine.number(of, 64, true));
        let members = vec![
            ("modulus".to_owned(), number(self, stride.0)),
            ("remainder".to_owned(), number(self, stride.1)),
        ];
        Val::Object(members)
    }

    /// The result of an operator on two intervals or two alignments.
    pub(super) fn combined_exactly(&mut self, op: Sign, lhs: &Val, rhs: &Val) -> Option<Val> {
        if let (Some(a), Some(b)) = (self.span(lhs), self.span(rhs)) {
            let span = Span::computed(op, a, b)?;
            return Some(self.of_span(span));
        }
        let stride = combined_strides(op, self.stride(lhs)?, self.stride(rhs)?)?;
        Some(self.of_stride(stride))
    }

    /// The least or the greatest of the numbers of two intervals, or their union.
    pub(super) fn merged_exactly(
        &mut self,
        is_least: Option<bool>,
        a: &Val,
        b: &Val,
    ) -> Option<Val> {
        let (a, b) = (self.span(a)?, self.span(b)?);
        let merged = match is_least {
            Some(is_least) => Span::extreme(is_least, a, b),
            None => Span::united(a, b),
        };
        Some(self.of_span(merged))
    }

    /// The alignment of both that tells more.
    pub(super) fn intersected_exactly(&mut self, a: &Val, b: &Val) -> Option<Val> {
        let (a, b) = (self.stride(a)?, self.stride(b)?);
        let is_first = a.0 == 0 || b.0 != 0 && a.0 > b.0;
        Some(self.of_stride(if is_first { a } else { b }))
    }

    /// The bounds and the alignment of a report.
    fn parts_of_report(&self, report: &Val) -> Option<(Span, Stride)> {
        let bounds = self.span(Self::part_of_report(report, "bounds")?)?;
        let alignment = self.stride(Self::part_of_report(report, "alignment")?)?;
        Some((bounds, alignment))
    }

    fn of_parts(&mut self, (span, stride): (Span, Stride)) -> Val {
        let (bounds, alignment) = (self.of_span(span), self.of_stride(stride));
        Val::Object(vec![("bounds".to_owned(), bounds), ("alignment".to_owned(), alignment)])
    }

    /// A report, or an interval, after a conversion to a type.
    pub(super) fn cast_exactly(&mut self, report: &Val, ty: Type) -> Option<Val> {
        if let Some(span) =
            self.span(report).filter(|_| Self::part_of_report(report, "bounds").is_none())
        {
            return Some(self.of_span(span.cast(ty)));
        }
        let (span, (mut modulus, mut remainder)) = self.parts_of_report(report)?;
        let is_integer = matches!(ty.code, Code::Int | Code::UInt);
        if !is_integer || ty.code == Code::Int && ty.bits >= 32 {
            return Some(report.clone());
        }
        if span.cast(ty) != span {
            // The alignment of numbers that 64 bits do not hold is not computed.
            if ty.bits >= 64 {
                return None;
            }
            modulus = greatest_divisor(modulus, 1 << ty.bits);
            remainder = reduced(remainder, modulus);
        }
        Some(self.of_parts((span.cast(ty), (modulus, remainder))))
    }

    /// A report after one of its parts was used to narrow the other one.
    pub(super) fn trimmed_exactly(&mut self, report: &Val) -> Option<Val> {
        let (mut span, (mut modulus, mut remainder)) = self.parts_of_report(report)?;
        let (lowest, highest) = Num::range(64, true);
        if modulus == 0 {
            span = Span { least: Some(remainder), greatest: Some(remainder) };
        } else if modulus > 1 {
            let above = |least: i128| {
                let next = least + reduced(remainder - reduced(least, modulus), modulus);
                if next <= highest { next } else { least }
            };
            let below = |greatest: i128| {
                let last = greatest - reduced(reduced(greatest, modulus) - remainder, modulus);
                if lowest <= last { last } else { greatest }
            };
            span = Span { least: span.least.map(above), greatest: span.greatest.map(below) };
        }
        if let Some(single) = span.single() {
            (modulus, remainder) = (0, single);
        }
        if let (Some(least), Some(greatest)) = (span.least, span.greatest)
            && greatest < least
        {
            span.greatest = span.least;
        }
        Some(self.of_parts((span, (modulus, remainder))))
    }
}
