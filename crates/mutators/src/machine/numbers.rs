//! C++ integers: promotions, overflow, division.

use halidom_cpp::Sign;
use halidom_rewrites::rules::{Domain, Fun, ValueId};

use crate::ir::state::State;
use crate::ir::value::{Num, Val};
use crate::machine::run::{Machine, Mode, Outcome};

impl Machine<'_> {
    /// The domain in which C++ integers are computed: integers where the IR's type excludes
    /// overflow, else 64 bits.
    pub(crate) fn host(&self, is_signed: bool) -> Domain {
        match (self.is_whole, is_signed) {
            (true, _) => Domain::Whole,
            (false, true) => Domain::Signed(64),
            (false, false) => Domain::Unsigned(64),
        }
    }

    /// A literal of a C++ type.
    pub(crate) fn number(&mut self, value: i128, bits: u8, is_signed: bool) -> Num {
        let domain = self.host(is_signed);
        let term = self.values.number(value, domain);
        Num { term, bits, is_signed, low: value, high: value, remainder_of: None }
    }

    /// A number that can be any value of its type.
    pub(crate) fn any_number(&mut self, name: &str, bits: u8, is_signed: bool) -> Num {
        let domain = self.host(is_signed);
        let fresh = self.fresh_name(name);
        let term = self.values.var(&fresh, domain);
        let (low, high) = Num::range(bits, is_signed);
        Num { term, bits, is_signed, low, high, remainder_of: None }
    }

    /// A number of the IR as a C++ integer of 64 bits.
    pub(crate) fn host_number(&mut self, term: ValueId, range: (i128, i128), signed: bool) -> Num {
        let domain = self.host(signed);
        let term = if self.values.domain(term) == Domain::Bool {
            let (one, zero) = (self.values.number(1, domain), self.values.number(0, domain));
            self.values.apply(Fun::Ite, &[term, one, zero])
        } else {
            self.values.convert(term, domain)
        };
        let (low, high) = match self.values.as_number(term) {
            Some(value) => (value, value),
            None => range,
        };
        Num { term, bits: 64, is_signed: signed, low, high, remainder_of: None }
    }

    /// Converts a number to a C++ type, keeping the bits that fit.
    pub(crate) fn convert(&mut self, num: Num, bits: u8, is_signed: bool) -> Num {
        let (low, high) = Num::range(bits, is_signed);
        let domain = self.host(is_signed);
        if low <= num.low && num.high <= high {
            let term = self.values.convert(num.term, domain);
            return Num { term, bits, is_signed, ..num };
        }
        if let Some(value) = self.values.as_number(num.term) {
            let wrapped =
                if is_signed { Domain::Signed(bits) } else { Domain::Unsigned(bits) }.wrap(value);
            return self.number(wrapped, bits, is_signed);
        }
        let wrapping = if is_signed { Domain::Signed(bits) } else { Domain::Unsigned(bits) };
        let wrapped = self.values.convert(num.term, wrapping);
        let term = self.values.convert(wrapped, domain);
        Num { term, bits, is_signed, low, high, remainder_of: None }
    }

    pub(crate) fn promoted(&mut self, a: Num, b: Num) -> (Num, Num, u8, bool) {
        let rank = |num: &Num| if num.bits < 32 { (32, true) } else { (num.bits, num.is_signed) };
        let ((left, left_signed), (right, right_signed)) = (rank(&a), rank(&b));
        let bits = left.max(right);
        let is_signed = (left < bits || left_signed) && (right < bits || right_signed);
        let a = self.convert(a, bits, is_signed);
        let b = self.convert(b, bits, is_signed);
        (a, b, bits, is_signed)
    }

    /// `a op b` of integers; `None` for an operator that is not modelled.
    pub(crate) fn arithmetic(
        &mut self,
        op: Sign,
        a: Num,
        b: Num,
        line: usize,
        s: &mut State,
    ) -> Option<Val> {
        if matches!(op, Sign::Shl | Sign::Shr) {
            return self.shift(op, a, b, line, s);
        }
        let (a, b, bits, is_signed) = self.promoted(a, b);
        let corners = |f: fn(i128, i128) -> Option<i128>| {
            let all = [f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)];
            let all: Option<Vec<i128>> = all.into_iter().collect();
            all.and_then(|all| Some((*all.iter().min()?, *all.iter().max()?)))
        };
        let (fun, bounds) = match op {
            Sign::Add => (Fun::Add, corners(i128::checked_add)),
            Sign::Sub => (Fun::Sub, corners(i128::checked_sub)),
            Sign::Mul => (Fun::Mul, corners(i128::checked_mul)),
            Sign::Div | Sign::Rem => return Some(self.division(op, a, b, line, s)),
            Sign::Eq | Sign::Ne | Sign::Lt | Sign::Le | Sign::Gt | Sign::Ge => {
                return Some(self.compare(op, a, b));
            }
            Sign::BitAnd | Sign::BitOr | Sign::BitXor => {
                let (left, right) =
                    (self.values.as_number(a.term)?, self.values.as_number(b.term)?);
                let value = match op {
                    Sign::BitAnd => left & right,
                    Sign::BitOr => left | right,
                    _ => left ^ right,
                };
                return Some(Val::Int(self.number(value, bits, is_signed)));
            }
            _ => return None,
        };
        let term = self.values.apply(fun, &[a.term, b.term]);
        Some(Val::Int(self.in_range(term, bounds, bits, is_signed, line, s)))
    }

    /// The result of arithmetic. Signed overflow is a defect; unsigned arithmetic wraps.
    fn in_range(
        &mut self,
        term: ValueId,
        bounds: Option<(i128, i128)>,
        bits: u8,
        is_signed: bool,
        line: usize,
        s: &mut State,
    ) -> Num {
        let (least, greatest) = Num::range(bits, is_signed);
        let fits = bounds.filter(|(low, high)| least <= *low && *high <= greatest);
        if let Some((low, high)) = fits {
            return Num { term, bits, is_signed, low, high, remainder_of: None };
        }
        if is_signed {
            let known = s.facts.len();
            self.overflow_claim(term, least, greatest, line, s);
            if let Some(value) = self.values.as_number(term).filter(|_| self.mode.is_emitter()) {
                // The emitter then prints the result that the hardware computes.
                s.facts.truncate(known);
                return self.number(Domain::Signed(bits).wrap(value), bits, true);
            }
            return Num { term, bits, is_signed, low: least, high: greatest, remainder_of: None };
        }
        if let Some(value) = self.values.as_number(term) {
            return self.number(Domain::Unsigned(bits).wrap(value), bits, false);
        }
        let wrapped = self.values.convert(term, Domain::Unsigned(bits));
        let term = self.values.convert(wrapped, self.host(false));
        Num { term, bits, is_signed, low: least, high: greatest, remainder_of: None }
    }

    /// Claims that a signed result stays within its type; otherwise it is a defect. Where numbers
    /// are bit vectors, a path ends as unsupported instead.
    fn overflow_claim(
        &mut self,
        term: ValueId,
        least: i128,
        greatest: i128,
        line: usize,
        s: &mut State,
    ) {
        let domain = self.values.domain(term);
        if domain == Domain::Whole {
            let (low, high) =
                (self.values.number(least, domain), self.values.number(greatest, domain));
            let below = self.values.apply(Fun::Lt, &[term, low]);
            let above = self.values.apply(Fun::Lt, &[high, term]);
            let outside = self.values.apply(Fun::Or, &[below, above]);
            self.defect("signed overflow", outside, line, s);
        } else {
            let truth = self.values.bool(true);
            self.doubt("arithmetic of 64 bits that may overflow", truth, line, s);
        }
    }

    /// Ends a path with a crash where a condition holds. On the remaining path the condition does
    /// not hold.
    pub(crate) fn defect(&mut self, what: &str, bad: ValueId, line: usize, s: &mut State) {
        if self.values.as_number(bad) == Some(0) || self.mode == Mode::Hardware {
            return;
        }
        let mut failing = s.clone();
        failing.facts.push(bad);
        self.end(failing, Outcome::Crash(what.to_owned()), line);
        let good = self.values.apply(Fun::Not, &[bad]);
        s.facts.push(good);
    }

    /// Ends a path as unsupported where a condition holds.
    fn doubt(&mut self, what: &str, condition: ValueId, line: usize, s: &mut State) {
        let mut failing = s.clone();
        failing.facts.push(condition);
        self.end(failing, Outcome::Unsupported(what.to_owned()), line);
    }

    /// Compares two C++ integers.
    pub(crate) fn compare(&mut self, op: Sign, a: Num, b: Num) -> Val {
        let mut sides = (a.term, b.term);
        // C++'s remainder has the sign of the dividend, so the two remainders agree only on whether
        // they are 0.
        if let (Some((p, q)), Some(0)) = (a.remainder_of, self.values.as_number(b.term))
            && matches!(op, Sign::Eq | Sign::Ne)
        {
            sides.0 = self.values.apply(Fun::Mod, &[p, q]);
        }
        let decided = match op {
            Sign::Lt if a.high < b.low => Some(true),
            Sign::Lt if a.low >= b.high => Some(false),
            Sign::Le if a.high <= b.low => Some(true),
            Sign::Le if a.low > b.high => Some(false),
            Sign::Gt if a.low > b.high => Some(true),
            Sign::Gt if a.high <= b.low => Some(false),
            Sign::Ge if a.low >= b.high => Some(true),
            Sign::Ge if a.high < b.low => Some(false),
            Sign::Eq if a.high < b.low || b.high < a.low => Some(false),
            Sign::Ne if a.high < b.low || b.high < a.low => Some(true),
            _ => None,
        };
        if let Some(truth) = decided {
            return Val::Bool(self.values.bool(truth));
        }
        Val::Bool(self.comparison(op, sides.0, sides.1))
    }

    /// Compares two terms of one domain.
    pub(crate) fn comparison(&mut self, op: Sign, a: ValueId, b: ValueId) -> ValueId {
        let values = &mut self.values;
        let (fun, lhs, rhs, negated) = match op {
            Sign::Lt => (Fun::Lt, a, b, false),
            Sign::Gt => (Fun::Lt, b, a, false),
            Sign::Ge => (Fun::Lt, a, b, true),
            Sign::Le => (Fun::Lt, b, a, true),
            Sign::Eq => (Fun::Eq, a, b, false),
            _ => (Fun::Eq, a, b, true),
        };
        let truth = values.apply(fun, &[lhs, rhs]);
        if negated { values.apply(Fun::Not, &[truth]) } else { truth }
    }

    /// Claims that a division by `b` is not a defect. On the remaining path it is not one.
    pub(crate) fn division_claims(&mut self, a: Num, b: Num, line: usize, s: &mut State) {
        if b.low <= 0 && 0 <= b.high {
            let zero = self.values.number(0, self.host(b.is_signed));
            let is_zero = self.values.apply(Fun::Eq, &[b.term, zero]);
            self.defect("division by zero", is_zero, line, s);
        }
        let (least, _) = Num::range(a.bits, a.is_signed);
        if a.is_signed && a.low == least && b.low <= -1 && -1 <= b.high {
            let domain = self.host(true);
            let (low, minus) = (self.values.number(least, domain), self.values.number(-1, domain));
            let is_least = self.values.apply(Fun::Eq, &[a.term, low]);
            let is_minus = self.values.apply(Fun::Eq, &[b.term, minus]);
            let bad = self.values.apply(Fun::And, &[is_least, is_minus]);
            self.defect("the least integer divided by -1", bad, line, s);
        }
    }

    /// C++'s division, which truncates.
    fn division(&mut self, op: Sign, a: Num, b: Num, line: usize, s: &mut State) -> Val {
        self.division_claims(a, b, line, s);
        let domain = self.host(a.is_signed);
        let quotient = self.values.apply(Fun::Div, &[a.term, b.term]);
        let remainder = self.values.apply(Fun::Mod, &[a.term, b.term]);
        let magnitude = a.low.unsigned_abs().max(a.high.unsigned_abs());
        let magnitude = i128::try_from(magnitude).unwrap_or(i128::MAX);
        let (mut low, mut high) = (-magnitude, magnitude);
        let (quotient, remainder) = if a.low >= 0 && (!a.is_signed || b.low >= 0) {
            low = 0;
            (quotient, remainder)
        } else {
            let zero = self.values.number(0, domain);
            let is_negative = self.values.apply(Fun::Lt, &[a.term, zero]);
            let is_whole = self.values.apply(Fun::Eq, &[remainder, zero]);
            let is_rest = self.values.apply(Fun::Not, &[is_whole]);
            let is_rounded = self.values.apply(Fun::And, &[is_negative, is_rest]);
            let b_negative = self.values.apply(Fun::Lt, &[b.term, zero]);
            let one = self.values.number(1, domain);
            let up = self.values.apply(Fun::Add, &[quotient, one]);
            let down = self.values.apply(Fun::Sub, &[quotient, one]);
            let mended = self.values.apply(Fun::Ite, &[b_negative, down, up]);
            let less = self.values.apply(Fun::Sub, &[remainder, b.term]);
            let more = self.values.apply(Fun::Add, &[remainder, b.term]);
            let rest = self.values.apply(Fun::Ite, &[b_negative, more, less]);
            (
                self.values.apply(Fun::Ite, &[is_rounded, mended, quotient]),
                self.values.apply(Fun::Ite, &[is_rounded, rest, remainder]),
            )
        };
        let (term, remainder_of) =
            if op == Sign::Div { (quotient, None) } else { (remainder, Some((a.term, b.term))) };
        if op == Sign::Rem && b.low > 0 {
            (low, high) = (low.max(1 - b.high), high.min(b.high - 1));
        }
        let (least, greatest) = Num::range(a.bits, a.is_signed);
        if let Some(value) = self.values.as_number(term) {
            (low, high) = (value, value);
        }
        let (low, high) = (low.max(least), high.min(greatest));
        Val::Int(Num { term, bits: a.bits, is_signed: a.is_signed, low, high, remainder_of })
    }

    fn shift(&mut self, op: Sign, a: Num, b: Num, line: usize, s: &mut State) -> Option<Val> {
        let (bits, is_signed) = if a.bits < 32 { (32, true) } else { (a.bits, a.is_signed) };
        let width = i128::from(bits);
        if b.low < 0 || b.high >= width {
            let domain = self.host(b.is_signed);
            let (zero, width) = (self.values.number(0, domain), self.values.number(width, domain));
            let below = self.values.apply(Fun::Lt, &[b.term, zero]);
            let inside = self.values.apply(Fun::Lt, &[b.term, width]);
            let above = self.values.apply(Fun::Not, &[inside]);
            let bad = self.values.apply(Fun::Or, &[below, above]);
            let known = s.facts.len();
            self.defect("shift by more than the type's bits", bad, line, s);
            if self.mode.is_emitter() && self.values.as_number(b.term).is_some() {
                s.facts.truncate(known);
            }
        }
        let (value, mut by) = (self.values.as_number(a.term), self.values.as_number(b.term));
        let width = i128::from(bits);
        if self.mode.is_emitter() {
            // The hardware shifts by the lowest bits of the number.
            by = by.map(|by| by.rem_euclid(width));
        }
        match (value, by.filter(|by| (0..width).contains(by))) {
            (Some(value), Some(by)) if op == Sign::Shr => {
                Some(Val::Int(self.number(value >> by, bits, is_signed)))
            }
            (Some(value), Some(by)) => {
                let shifted = value.checked_shl(u32::try_from(by).ok()?)?;
                let (least, greatest) = Num::range(bits, is_signed);
                if is_signed && !(least..=greatest).contains(&shifted) {
                    // C++20 defines it as the value modulo 2^bits.
                    let wrapped = Domain::Signed(bits).wrap(shifted);
                    return Some(Val::Int(self.number(wrapped, bits, is_signed)));
                }
                let term = self.values.number(shifted, self.host(is_signed));
                let bounds = Some((shifted, shifted));
                Some(Val::Int(self.in_range(term, bounds, bits, is_signed, line, s)))
            }
            (Some(value), None) if op == Sign::Shl && value >= 0 => {
                // A choice among all shift amounts.
                let domain = self.host(is_signed);
                let mut term = self.values.number(0, domain);
                for by in (0..width).rev() {
                    let shifted = value.checked_shl(u32::try_from(by).ok()?)?;
                    let wrapping =
                        if is_signed { Domain::Signed(bits) } else { Domain::Unsigned(bits) };
                    let shifted = self.values.number(wrapping.wrap(shifted), domain);
                    let number = self.values.number(by, self.values.domain(b.term));
                    let is_by = self.values.apply(Fun::Eq, &[b.term, number]);
                    term = self.values.apply(Fun::Ite, &[is_by, shifted, term]);
                }
                let (low, high) = Num::range(bits, is_signed);
                Some(Val::Int(Num { term, bits, is_signed, low, high, remainder_of: None }))
            }
            (None, Some(by)) if op == Sign::Shr => {
                // The quotient is rounded down.
                let domain = self.host(is_signed);
                let divisor =
                    self.values.number(1_i128.checked_shl(u32::try_from(by).ok()?)?, domain);
                let a = self.convert(a, bits, is_signed);
                let term = self.values.apply(Fun::Div, &[a.term, divisor]);
                let (low, high) = (a.low >> by, a.high >> by);
                Some(Val::Int(Num { term, bits, is_signed, low, high, remainder_of: None }))
            }
            (None, Some(by)) if op == Sign::Shl => {
                let domain = self.host(is_signed);
                let factor =
                    self.values.number(1_i128.checked_shl(u32::try_from(by).ok()?)?, domain);
                let a = self.convert(a, bits, is_signed);
                let term = self.values.apply(Fun::Mul, &[a.term, factor]);
                let scale = |value: i128| value.checked_shl(u32::try_from(by).ok()?);
                let bounds = scale(a.low).zip(scale(a.high));
                Some(Val::Int(self.in_range(term, bounds, bits, is_signed, line, s)))
            }
            _ => None,
        }
    }
}
