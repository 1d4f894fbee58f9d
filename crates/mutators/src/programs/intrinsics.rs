//! What calls compute: the intrinsics of the IR whose values are known.
//!
//! Others, called with equal arguments, have equal values.

use super::ir::Type;
use super::meaning::Meaning;
use super::state::NodeId;
use crate::rules::{Domain, Fun, ValueId};

/// How many arguments an intrinsic has, all of the type of the call; `None` if that is not known.
pub(crate) fn arity(intrinsic: &str) -> Option<usize> {
    Some(match intrinsic {
        "likely" | "likely_if_innermost" | "bitwise_not" => 1,
        "bitwise_and" | "bitwise_or" | "bitwise_xor" | "shift_left" | "shift_right" => 2,
        _ => return None,
    })
}

impl Meaning<'_> {
    /// What a function returns that has no effects: equal values for equal arguments.
    pub(crate) fn called(&mut self, callee: &str, arguments: &[NodeId], ty: Type) -> ValueId {
        let arguments: Vec<ValueId> =
            arguments.iter().map(|argument| self.node(*argument)).collect();
        let domain = self.domain(ty);
        if let Some(given) = self.given {
            let numbers: Vec<Option<i128>> =
                arguments.iter().map(|term| self.values.as_number(*term)).collect();
            let number = given.number(&format!("{callee} {numbers:?}"), ty);
            return self.values.number(number, domain);
        }
        let other = format!("{callee} {arguments:?}");
        let short = callee.rsplit("::").next().unwrap_or(callee);
        match (short, arguments.as_slice()) {
            ("bitwise_and" | "shift_left" | "shift_right", [a, b]) if domain != Domain::Real => {
                self.by_bits(short, *a, *b, ty, &other)
            }
            ("min" | "max" | "halide_cpp_min" | "halide_cpp_max", [a, b]) => {
                let less = self.values.apply(Fun::Lt, &[*a, *b]);
                let is_least = short.ends_with("min");
                let (then, otherwise) = if is_least { (*a, *b) } else { (*b, *a) };
                self.values.apply(Fun::Ite, &[less, then, otherwise])
            }
            _ => {
                self.is_opaque = true;
                self.values.var(&other, domain)
            }
        }
    }

    /// An operation whose second argument is a number of bits, or a mask of lowest ones: a choice among all such numbers.
    fn by_bits(&mut self, name: &str, a: ValueId, b: ValueId, ty: Type, other: &str) -> ValueId {
        let domain = self.values.domain(a);
        if domain == Domain::Bool {
            let all = self.values.apply(Fun::And, &[a, b]);
            return if name == "bitwise_and" { all } else { self.values.var(other, domain) };
        }
        let known = self.values.as_number(b);
        let mut term = self.values.var(other, domain);
        let most = ty.range().map_or(0, |(_, greatest)| greatest);
        for bits in (0..i128::from(ty.bits)).rev() {
            let power = 1_i128 << bits;
            let second = if name == "bitwise_and" { power - 1 } else { bits };
            if known.is_some_and(|known| known != second) || power > most {
                continue;
            }
            let factor = self.values.number(power, domain);
            let fun = match name {
                "bitwise_and" => Fun::Mod,
                "shift_left" => Fun::Mul,
                _ => Fun::Div,
            };
            let value = self.values.apply(fun, &[a, factor]);
            let second = self.values.number(second, domain);
            let is_second = self.values.apply(Fun::Eq, &[b, second]);
            term = self.values.apply(Fun::Ite, &[is_second, value, term]);
        }
        if name == "bitwise_and" && known.is_none_or(|known| known == most) {
            // Of unsigned numbers all bits may be kept.
            let all = self.values.number(most, domain);
            let is_all = self.values.apply(Fun::Eq, &[b, all]);
            let value = if ty.range().is_some_and(|(least, _)| least == 0) {
                a
            } else {
                let size = self.values.number(most, domain);
                let one = self.values.number(1, domain);
                if domain == Domain::Whole {
                    let size = self.values.apply(Fun::Add, &[size, one]);
                    self.values.apply(Fun::Mod, &[a, size])
                } else {
                    self.values.var(&format!("{other} all"), domain)
                }
            };
            term = self.values.apply(Fun::Ite, &[is_all, value, term]);
        }
        term
    }
}
