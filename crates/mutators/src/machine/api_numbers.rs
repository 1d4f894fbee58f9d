//! The operators of contracts: numbers and types.

use halidom_cpp::Sign;
use halidom_rewrites::rules::{Domain, Fun, ValueId};

use crate::ir::kinds::{Code, Type};
use crate::ir::state::State;
use crate::ir::value::{Num, Val};
use crate::machine::api::Item;
use crate::machine::language::Op;
use crate::machine::methods::can_represent;
use crate::machine::run::Machine;

impl Machine<'_> {
    /// Applies an operator; `None` if it is not defined on the operands.
    pub(super) fn applied(&mut self, op: Op, items: &[Item], state: &State) -> Option<Item> {
        match (op, items) {
            (Op::Eq, [a, b]) => self.related(Sign::Eq, a, b),
            (Op::Ne, [a, b]) => self.related(Sign::Ne, a, b),
            (Op::Lt, [a, b]) => self.related(Sign::Lt, a, b),
            (Op::Le, [a, b]) => self.related(Sign::Le, a, b),
            (Op::Gt, [a, b]) => self.related(Sign::Gt, a, b),
            (Op::Ge, [a, b]) => self.related(Sign::Ge, a, b),
            (Op::Not, [Item::Val(Val::Bool(truth))]) => {
                Some(Item::Val(Val::Bool(self.values.apply(Fun::Not, &[*truth]))))
            }
            (Op::Add, [a, b]) => self.exact(Fun::Add, i128::checked_add, a, b),
            (Op::Sub, [a, b]) => self.exact(Fun::Sub, i128::checked_sub, a, b),
            (Op::Mul, [a, b]) => self.exact(Fun::Mul, i128::checked_mul, a, b),
            (Op::Div | Op::Mod, [Item::Val(Val::Int(a)), Item::Val(Val::Int(b))]) => {
                Some(Item::Val(Val::Int(self.euclid(op, *a, *b))))
            }
            (Op::Mod, [Item::Val(Val::Real(a)), Item::Val(Val::Real(b))]) => {
                Some(Item::Val(Val::Real(self.values.apply(Fun::Mod, &[*a, *b]))))
            }
            (Op::Min | Op::Max, [Item::Val(Val::Int(a)), Item::Val(Val::Int(b))]) => {
                Some(Item::Val(Val::Int(self.extreme(op, *a, *b))))
            }
            (Op::Min | Op::Max, [Item::Val(Val::Real(a)), Item::Val(Val::Real(b))]) => {
                let is_less = self.values.apply(Fun::Lt, &[*a, *b]);
                let (then, other) = if op == Op::Min { (a, b) } else { (b, a) };
                let term = self.values.apply(Fun::Ite, &[is_less, *then, *other]);
                Some(Item::Val(Val::Real(term)))
            }
            (Op::Abs, [Item::Val(Val::Int(num))]) => {
                Some(Item::Val(Val::Int(self.magnitude(*num))))
            }
            (Op::Power, [Item::Whole(base), Item::Whole(exponent)]) => {
                let exponent = u32::try_from(*exponent).ok()?;
                Some(Item::Whole(base.checked_pow(exponent)?))
            }
            (Op::Type, [Item::Val(Val::Expr(Some(node)))]) => {
                Some(Item::Val(Val::Type(state.node(*node).ty)))
            }
            (Op::Type, [Item::Val(Val::Code(code)), bits, lanes @ ..]) => {
                let bits = self.known(bits).and_then(|bits| u8::try_from(bits).ok())?;
                let is_vector = match lanes.first() {
                    None | Some(Item::Whole(1)) => false,
                    Some(Item::Val(Val::Bool(truth))) => self.values.as_number(*truth)? != 0,
                    Some(Item::Val(lanes)) => self.is_lanes(Some(lanes))?,
                    Some(Item::Whole(_) | Item::Lane(_)) => return None,
                };
                Some(Item::Val(Val::Type(Type { code: *code, bits, is_vector })))
            }
            (Op::Slices, [Item::Val(Val::Expr(Some(node)))]) => {
                Some(Item::Val(Val::Bool(self.values.bool(Self::has_slices(*node, state)))))
            }
            (Op::Represents, [Item::Val(Val::Type(ty)), Item::Val(Val::Type(other))]) => {
                let truth = can_represent(*ty, *other, self.profile.name);
                Some(Item::Val(Val::Bool(self.values.bool(truth))))
            }
            (Op::Code, [Item::Val(Val::Int(num))]) => {
                let code = if num.is_signed { Code::Int } else { Code::UInt };
                Some(Item::Val(Val::Code(code)))
            }
            (Op::Code, [item]) => Some(Item::Val(Val::Code(type_of(item, state)?.code))),
            (Op::Bits, [item]) => Some(Item::Whole(type_of(item, state)?.bits.into())),
            (Op::Vector, [item]) => {
                let is_vector = type_of(item, state)?.is_vector;
                Some(Item::Val(Val::Bool(self.values.bool(is_vector))))
            }
            (Op::Integer, [item]) => {
                let is_integer = type_of(item, state)?.range().is_some();
                Some(Item::Val(Val::Bool(self.values.bool(is_integer))))
            }
            (Op::Least, [Item::Val(Val::Int(num))]) => {
                Some(Item::Whole(Num::range(num.bits, num.is_signed).0))
            }
            (Op::Greatest, [Item::Val(Val::Int(num))]) => {
                Some(Item::Whole(Num::range(num.bits, num.is_signed).1))
            }
            (Op::Least | Op::Greatest, [item]) => {
                let ty = type_of(item, state).filter(|ty| (1..=64).contains(&ty.bits))?;
                let (least, greatest) = ty.range()?;
                Some(Item::Whole(if op == Op::Least { least } else { greatest }))
            }
            _ => None,
        }
    }

    /// The integer that an item is known to be.
    fn known(&self, item: &Item) -> Option<i128> {
        match item {
            Item::Whole(value) => Some(*value),
            Item::Val(Val::Int(num)) => self.values.as_number(num.term),
            Item::Val(_) | Item::Lane(_) => None,
        }
    }

    /// Compares two items.
    fn related(&mut self, op: Sign, a: &Item, b: &Item) -> Option<Item> {
        let truth = match (a, b) {
            (Item::Whole(a), Item::Whole(b)) => self.values.bool(is_related(op, a, b)?),
            (Item::Lane(term), Item::Whole(value)) => self.lane_test(op, *term, *value)?,
            (Item::Whole(value), Item::Lane(term)) => self.lane_test(turned(op), *term, *value)?,
            (Item::Lane(term), Item::Val(Val::Int(num))) => self.lane_equals(op, *term, *num)?,
            (Item::Val(Val::Int(a)), Item::Val(Val::Int(b))) => self.num_test(op, *a, *b)?,
            (Item::Val(Val::Int(num)), Item::Whole(value)) => {
                let value = self.number(*value, num.bits, num.is_signed);
                self.num_test(op, *num, value)?
            }
            (Item::Whole(value), Item::Val(Val::Int(num))) => {
                let value = self.number(*value, num.bits, num.is_signed);
                self.num_test(op, value, *num)?
            }
            (Item::Val(Val::Code(a)), Item::Val(Val::Code(b))) => match op {
                Sign::Eq => self.values.bool(a == b),
                Sign::Ne => self.values.bool(a != b),
                _ => return None,
            },
            _ => return None,
        };
        Some(Item::Val(Val::Bool(truth)))
    }

    fn num_test(&mut self, op: Sign, a: Num, b: Num) -> Option<ValueId> {
        if self.values.domain(a.term) != self.values.domain(b.term) {
            return None;
        }
        match self.compare(op, a, b) {
            Val::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// Compares a literal's number with an integer, which may be outside the literal's type.
    fn lane_test(&mut self, op: Sign, term: ValueId, value: i128) -> Option<ValueId> {
        let domain = self.values.domain(term);
        let range = domain.range().filter(|_| domain != Domain::Whole);
        if let Some((least, greatest)) = range {
            // Below or above the range, one comparison with its ends decides.
            if value < least || greatest < value {
                return Some(self.values.bool(is_related(op, &least, &value)?));
            }
        }
        if domain != Domain::Bool || matches!(op, Sign::Eq | Sign::Ne) {
            let number = self.values.number(value, domain);
            return Some(self.comparison(op, term, number));
        }
        let is_one = value == 1;
        Some(match op {
            Sign::Ge if is_one => term,
            Sign::Gt if !is_one => term,
            Sign::Lt if is_one => self.values.apply(Fun::Not, &[term]),
            Sign::Le if !is_one => self.values.apply(Fun::Not, &[term]),
            Sign::Lt | Sign::Gt => self.values.bool(false),
            Sign::Le | Sign::Ge => self.values.bool(true),
            _ => return None,
        })
    }

    /// Tests whether a literal's number equals a number of the program.
    fn lane_equals(&mut self, op: Sign, term: ValueId, num: Num) -> Option<ValueId> {
        if let Some(value) = self.values.as_number(num.term) {
            return self.lane_test(op, term, value);
        }
        let host = self.values.domain(num.term);
        let (term, number) = match self.values.domain(term) {
            Domain::Real => (term, self.values.convert(num.term, Domain::Real)),
            Domain::Bool => {
                let (one, zero) = (self.values.number(1, host), self.values.number(0, host));
                (self.values.apply(Fun::Ite, &[term, one, zero]), num.term)
            }
            Domain::Unsigned(_) | Domain::Signed(_) | Domain::Whole => {
                (self.values.convert(term, host), num.term)
            }
        };
        matches!(op, Sign::Eq | Sign::Ne).then(|| self.comparison(op, term, number))
    }

    /// A sum, difference or product as an integer that never overflows.
    fn exact(
        &mut self,
        fun: Fun,
        compute: fn(i128, i128) -> Option<i128>,
        a: &Item,
        b: &Item,
    ) -> Option<Item> {
        let (a, b) = match (a, b) {
            (Item::Whole(a), Item::Whole(b)) => return Some(Item::Whole(compute(*a, *b)?)),
            (Item::Val(Val::Int(a)), Item::Val(Val::Int(b))) => (*a, *b),
            (Item::Val(Val::Int(a)), Item::Whole(b)) => (*a, self.number(*b, a.bits, a.is_signed)),
            (Item::Whole(a), Item::Val(Val::Int(b))) => (self.number(*a, b.bits, b.is_signed), *b),
            _ => return None,
        };
        // Where numbers are bit vectors, the result itself wraps.
        let fits = |num: &Num| i32::try_from(num.low).is_ok() && i32::try_from(num.high).is_ok();
        if self.values.domain(a.term) != self.values.domain(b.term)
            || !(self.is_whole || fits(&a) && fits(&b))
        {
            return None;
        }
        let term = self.values.apply(fun, &[a.term, b.term]);
        let corners = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
        let corners = corners.into_iter().map(|(a, b)| compute(a, b));
        let corners = corners.collect::<Option<Vec<_>>>()?;
        let (low, high) = (*corners.iter().min()?, *corners.iter().max()?);
        Some(Item::Val(Val::Int(Num { term, low, high, remainder_of: None, ..a })))
    }

    /// The Euclidean quotient or remainder.
    fn euclid(&mut self, op: Op, a: Num, b: Num) -> Num {
        let fun = if op == Op::Div { Fun::Div } else { Fun::Mod };
        let term = self.values.apply(fun, &[a.term, b.term]);
        let magnitude = a.high.max(-a.low);
        let (low, high) = match self.values.as_number(term) {
            Some(value) => (value, value),
            None if op == Op::Div => (-magnitude - 1, magnitude + 1),
            None => (0, b.high.max(-b.low)),
        };
        let (least, greatest) = Num::range(a.bits, a.is_signed);
        let (low, high) = (low.max(least), high.min(greatest));
        Num { term, low, high, remainder_of: None, ..a }
    }

    /// The minimum or the maximum of two numbers.
    fn extreme(&mut self, op: Op, a: Num, b: Num) -> Num {
        let is_less = self.values.apply(Fun::Lt, &[a.term, b.term]);
        let (then, other) = if op == Op::Min { (&a, &b) } else { (&b, &a) };
        let term = self.values.apply(Fun::Ite, &[is_less, then.term, other.term]);
        let (low, high) = if op == Op::Min {
            (a.low.min(b.low), a.high.min(b.high))
        } else {
            (a.low.max(b.low), a.high.max(b.high))
        };
        Num { term, low, high, remainder_of: None, ..a }
    }

    /// The magnitude of a number that is not the least of its type. That one, if it is known,
    /// becomes what the hardware makes of it.
    fn magnitude(&mut self, num: Num) -> Num {
        // There is no function for numbers below 32 bits.
        let num = if num.bits < 32 { self.convert(num, 32, true) } else { num };
        let zero = self.number(0, num.bits, num.is_signed);
        let negated = self.values.apply(Fun::Sub, &[zero.term, num.term]);
        let below = self.comparison(Sign::Lt, num.term, zero.term);
        let term = self.values.apply(Fun::Ite, &[below, negated, num.term]);
        let high = num.high.max(-num.low);
        let (_, greatest) = Num::range(num.bits, num.is_signed);
        match self.values.as_number(term) {
            Some(value) if value > greatest => {
                self.number(Domain::Signed(num.bits).wrap(value), num.bits, num.is_signed)
            }
            _ => Num { term, low: 0, high: high.min(greatest), remainder_of: None, ..num },
        }
    }
}

/// The type that an item is or has.
fn type_of(item: &Item, state: &State) -> Option<Type> {
    match item {
        Item::Val(Val::Type(ty)) => Some(*ty),
        Item::Val(Val::Expr(Some(node))) => Some(state.node(*node).ty),
        Item::Val(_) | Item::Lane(_) | Item::Whole(_) => None,
    }
}

fn is_related<T: Ord>(op: Sign, a: &T, b: &T) -> Option<bool> {
    Some(match op {
        Sign::Eq => a == b,
        Sign::Ne => a != b,
        Sign::Lt => a < b,
        Sign::Le => a <= b,
        Sign::Gt => a > b,
        Sign::Ge => a >= b,
        _ => return None,
    })
}

/// The comparison with its sides swapped.
fn turned(op: Sign) -> Sign {
    match op {
        Sign::Lt => Sign::Gt,
        Sign::Le => Sign::Ge,
        Sign::Gt => Sign::Lt,
        Sign::Ge => Sign::Le,
        _ => op,
    }
}
