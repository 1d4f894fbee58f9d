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
            Sign::Mul | Sign::Div | Sign::Rem => {
                let (a, b) = (a.single()?, b.single()?);
                let number = match op {
                    Sign::Mul => a.checked_mul(b)?,
                    _ if b == 0 => 0,
                    Sign::Div => a.div_euclid(b),
                    _ => a.rem_euclid(b),
                };
                let number = Some(held(number)?);
                Self { least: number, greatest: number }
            }
            _ => return None,
        })
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
        _ => None,
    }
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
