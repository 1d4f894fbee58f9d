//! Intervals and alignments that functions of the API make.
//!
//! # Correctness
//!
//! The result of a function is about the values that its arguments are about
//! ([`crate::machine::intervals`]): the least or the greatest of two intervals is about the least
//! or the greatest of two numbers, and a union holds whatever one of both holds.

use halidom_cpp::words;
use halidom_rewrites::rules::Fun;

use crate::ir::value::{Num, Val};
use crate::machine::classes::REPORTS;
use crate::machine::intervals::{BITS, about, is_alignment, is_held, is_interval, member};
use crate::machine::run::Machine;

words! {
    /// A function that makes an interval or an alignment.
    enum Maker {
        Abs "abs"
        Alignment "ModulusRemainder"
        Intersect "intersect"
        MakeUnion "make_union"
        Max "max"
        Min "min"
        Report "ExprInfo"
        SinglePoint "single_point"
        Unify "unify"
    }
}

/// The namespaces of the API's classes.
const SPACES: [&str; 4] = ["", "Internal", "Halide", "Halide::Internal"];

impl Machine<'_> {
    /// The result of a function of the API on intervals, alignments and numbers; `None` for other
    /// functions and arguments.
    pub(super) fn made_of_reports(&mut self, name: &str, arguments: &[Val]) -> Option<Val> {
        let (class, short) = name.rsplit_once("::").unwrap_or(("", name));
        let (space, class) = class.rsplit_once("::").unwrap_or(("", class));
        if !SPACES.contains(&space) {
            return None;
        }
        let is_free = ["", "Internal"].contains(&class);
        match (Maker::of(short), arguments) {
            (Maker::SinglePoint, [Val::Int(num)])
                if class == REPORTS[1] && self.knows_reports() =>
            {
                let num = self.convert(*num, BITS, true);
                let yes = Val::Bool(self.values.bool(true));
                let members = [
                    ("min", Val::Int(num)),
                    ("max", Val::Int(num)),
                    ("min_defined", yes.clone()),
                    ("max_defined", yes),
                ];
                let members = members.map(|(name, value)| (name.to_owned(), value)).to_vec();
                Some(Val::Object(about(members, &[num])))
            }
            // A modulus of 0 stands for one number.
            (Maker::Alignment, [Val::Int(modulus), Val::Int(remainder)])
                if self.values.as_number(modulus.term) == Some(0)
                    && self.knows_reports()
                    && self.bits_of_remainders() == BITS =>
            {
                let [modulus, remainder] =
                    [modulus, remainder].map(|num| self.convert(*num, BITS, true));
                let members = [("modulus", Val::Int(modulus)), ("remainder", Val::Int(remainder))];
                let members = members.map(|(name, value)| (name.to_owned(), value)).to_vec();
                Some(Val::Object(about(members, &[remainder])))
            }
            (Maker::Report, []) if self.knows_reports() => Some(self.empty_report()),
            // The oldest compilers have another one by default, of `int` (`ModulusRemainder.h`).
            (Maker::Alignment, []) if self.bits_of_remainders() < BITS => {
                Some(self.known_alignment((0, 0)))
            }
            (Maker::Alignment, []) if self.knows_reports() => {
                member(&self.empty_report(), "alignment").cloned()
            }
            // The alignment that a node states is not judged, and stays on known IR.
            (Maker::Intersect, [stated @ Val::Opaque(_), _])
                if class == REPORTS[2] && self.is_concrete() && self.knows_reports() =>
            {
                Some(stated.clone())
            }
            (Maker::Intersect, [a, b])
                if class == REPORTS[2] && self.is_concrete() && self.knows_reports() =>
            {
                self.intersected_exactly(a, b)
            }
            (maker @ (Maker::Min | Maker::Max), [a, b])
                if is_free
                    && self.is_concrete()
                    && [a, b].iter().all(|of| is_interval(of))
                    && self.knows_reports() =>
            {
                self.merged_exactly(Some(maker == Maker::Min), a, b)
            }
            (Maker::MakeUnion, [a, b])
                if class == REPORTS[1] && self.is_concrete() && self.knows_reports() =>
            {
                self.merged_exactly(None, a, b)
            }
            _ if self.is_concrete() => None,
            // The union holds what one of both holds.
            (Maker::MakeUnion, [a, b])
                if class == REPORTS[1]
                    && [a, b].iter().all(|of| is_interval(of))
                    && self.knows_reports() =>
            {
                let (of_a, of_b) = (Self::subjects(a), Self::subjects(b));
                if of_a.is_empty() || of_b.is_empty() {
                    return None;
                }
                Some(self.interval_about_all(&[of_a, of_b].concat()))
            }
            (maker @ (Maker::Min | Maker::Max), [a, b])
                if is_free && [a, b].iter().all(|of| is_interval(of)) && self.knows_reports() =>
            {
                let ([a], [b]) = (&*Self::subjects(a), &*Self::subjects(b)) else { return None };
                let value = self.extreme_of(maker == Maker::Min, *a, *b)?;
                Some(self.interval_about(value))
            }
            (Maker::Abs, [of]) if is_free && is_interval(of) && self.knows_reports() => {
                let [value] = &*Self::subjects(of) else { return None };
                let value = self.magnitude_of(*value)?;
                Some(self.interval_about(value))
            }
            // Each set holds what one of both holds.
            (Maker::Unify, [a, b])
                if class == REPORTS[2]
                    && [a, b].iter().all(|of| is_alignment(of))
                    && self.knows_reports() =>
            {
                let (of_a, of_b) = (Self::subjects(a), Self::subjects(b));
                if of_a.is_empty() || of_b.is_empty() {
                    return None;
                }
                Some(self.alignment_about(&[of_a, of_b].concat()))
            }
            // It is one of both.
            (Maker::Intersect, [a, b])
                if class == REPORTS[2]
                    && [a, b].iter().all(|of| is_alignment(of))
                    && self.knows_reports() =>
            {
                let of_b = Self::subjects(b);
                let mut both = Self::subjects(a);
                both.retain(|known| of_b.iter().any(|other| other.term == known.term));
                (!both.is_empty()).then(|| self.alignment_about(&both))
            }
            _ => None,
        }
    }

    fn extreme_of(&mut self, is_least: bool, a: Num, b: Num) -> Option<Num> {
        if !(self.is_whole || is_held(a) && is_held(b)) {
            return None;
        }
        let is_less = self.values.apply(Fun::Lt, &[a.term, b.term]);
        let (then, other) = if is_least { (a, b) } else { (b, a) };
        let term = self.values.apply(Fun::Ite, &[is_less, then.term, other.term]);
        let (low, high) = (a.low.min(b.low), a.high.max(b.high));
        Some(Num { term, bits: BITS, is_signed: true, low, high, remainder_of: None })
    }

    fn magnitude_of(&mut self, of: Num) -> Option<Num> {
        if !self.is_whole && !is_held(of) {
            return None;
        }
        let zero = self.values.number(0, self.host(true));
        let is_negative = self.values.apply(Fun::Lt, &[of.term, zero]);
        let negated = self.values.apply(Fun::Sub, &[zero, of.term]);
        let term = self.values.apply(Fun::Ite, &[is_negative, negated, of.term]);
        let high = of.low.checked_abs()?.max(of.high.checked_abs()?);
        let magnitude = Num { term, low: 0, high, bits: BITS, is_signed: true, remainder_of: None };
        // The least number of 64 bits has no magnitude there.
        (self.is_whole || is_held(magnitude)).then_some(magnitude)
    }
}
