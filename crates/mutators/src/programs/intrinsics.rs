//! What calls compute: the intrinsics of the IR whose values are known.
//!
//! Others, called with equal arguments, have equal values.

use halidom_rewrites::rules::{Domain, Fun, Node, ValueId};

use super::ir::{Code, Type};
use super::meaning::Meaning;
use super::state::NodeId;

/// The types of the arguments of an intrinsic, or of a function of the C library, that has a type; `None` if they are not
/// known.
pub(crate) fn operands(callee: &str, ty: Type) -> Option<Vec<Type>> {
    Some(match callee {
        "likely" | "likely_if_innermost" | "bitwise_not" => vec![ty],
        "bitwise_and" | "bitwise_or" | "bitwise_xor" | "shift_left" | "shift_right" => {
            vec![ty, ty]
        }
        "abs" if ty.code == Code::UInt => vec![Type { code: Code::Int, ..ty }],
        "abs" => vec![ty],
        _ if is_nan(callee) => vec![Type { code: Code::Float, bits: 32, ..ty }],
        _ => match math(callee)? {
            "pow" => vec![ty, ty],
            _ => vec![ty],
        },
    })
}

/// How many arguments an intrinsic of the IR has; empty if that is not known.
pub(crate) fn counts(callee: &str) -> &'static [usize] {
    match callee {
        "likely"
        | "likely_if_innermost"
        | "bitwise_not"
        | "abs"
        | "popcount"
        | "count_leading_zeros"
        | "count_trailing_zeros"
        | "reinterpret"
        | "strict_float" => &[1],
        "bitwise_and"
        | "bitwise_or"
        | "bitwise_xor"
        | "shift_left"
        | "shift_right"
        | "absd"
        | "return_second"
        | "quiet_div"
        | "quiet_mod"
        | "div_round_to_zero"
        | "mod_round_to_zero"
        | "register_destructor" => &[2],
        "require" | "if_then_else" | "lerp" | "debug_to_file" => &[3],
        // An address and an offset, then an extent and a stride for each dimension.
        "prefetch" => &[2],
        _ if is_nan(callee) => &[1],
        _ => match math(callee) {
            Some("pow") => &[2],
            Some(_) => &[1],
            None => &[],
        },
    }
}

/// Whether an intrinsic may have more arguments than are looked at.
pub(crate) fn is_open(callee: &str) -> bool {
    callee == "prefetch"
}

/// Whether a call of something can have a type that is looked at.
pub(crate) fn is_possible(callee: &str, ty: Type) -> bool {
    match callee {
        // Texts and structures are passed by their addresses.
        "stringify" | "make_struct" | "alloca" => ty.code == Code::Handle,
        "abs" => ty.code == Code::Float || ty.code == Code::UInt && !ty.is_bool(),
        _ if is_nan(callee) => ty.is_bool(),
        _ => math(callee).is_none() || ty.code == Code::Float,
    }
}

/// Whether a function is pure and of the C library, rather than an intrinsic of the IR.
pub(crate) fn is_extern(callee: &str) -> bool {
    is_nan(callee) || math(callee).is_some()
}

fn is_nan(callee: &str) -> bool {
    callee == "is_nan" || callee.starts_with("is_nan_f")
}

/// A function of floating-point numbers, by its name without a type.
pub(crate) fn math(callee: &str) -> Option<&'static str> {
    let plain = callee.strip_suffix("_f32").unwrap_or(callee);
    ["sqrt", "log", "exp", "pow", "floor", "ceil", "round", "trunc"]
        .into_iter()
        .find(|known| *known == plain)
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
        let short = callee.rsplit("::").next().unwrap_or(callee);
        if let Some(math) = math(short) {
            return self.computed(math, &arguments);
        }
        if is_nan(short) {
            // Floats are meant as reals.
            return self.values.bool(false);
        }
        let other = format!("{callee} {arguments:?}");
        match (short, arguments.as_slice()) {
            ("bitwise_and" | "shift_left" | "shift_right", [a, b]) if domain != Domain::Real => {
                self.by_bits(short, *a, *b, ty, &other)
            }
            ("abs", [a]) => {
                let zero = self.values.number(0, self.values.domain(*a));
                let is_negative = self.values.apply(Fun::Lt, &[*a, zero]);
                let negated = self.values.apply(Fun::Sub, &[zero, *a]);
                let [negated, kept] = [negated, *a].map(|term| {
                    if self.values.domain(term) == domain {
                        term
                    } else {
                        self.values.convert(term, domain)
                    }
                });
                self.values.apply(Fun::Ite, &[is_negative, negated, kept])
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

    /// What a call computes of which the arguments were not asked for, if it rounds: a number that is whole.
    pub(crate) fn rounded_class(&mut self, callee: &str, class: usize) -> Option<ValueId> {
        let name =
            math(callee).filter(|name| matches!(*name, "floor" | "ceil" | "round" | "trunc"))?;
        self.is_opaque = true;
        Some(self.values.var(&format!("{name} [of {class}]"), Domain::Real))
    }

    /// What a function of floating-point numbers computes: one number for each argument, and none but a whole one if it
    /// rounds. A whole number is not rounded any more.
    pub(crate) fn computed(&mut self, name: &str, arguments: &[ValueId]) -> ValueId {
        let first = arguments[0];
        match name {
            "floor" | "ceil" | "round" | "trunc" if self.is_whole(first) => first,
            "trunc" => {
                let zero = self.values.number(0, Domain::Real);
                let is_negative = self.values.apply(Fun::Lt, &[first, zero]);
                let (up, down) =
                    (self.computed("ceil", arguments), self.computed("floor", arguments));
                self.values.apply(Fun::Ite, &[is_negative, up, down])
            }
            _ => {
                self.is_opaque = true;
                self.values.var(&format!("{name} {arguments:?}"), Domain::Real)
            }
        }
    }

    fn is_whole(&self, term: ValueId) -> bool {
        match self.values.node(term) {
            Node::Var(index) => {
                let name = &self.values.vars()[*index as usize].0;
                ["floor [", "ceil [", "round [", "trunc ["]
                    .iter()
                    .any(|known| name.starts_with(known))
            }
            Node::Number(_) => self.values.as_number(term).is_some(),
            Node::Apply(Fun::Ite, parts) => parts[1..].iter().all(|part| self.is_whole(*part)),
            Node::Apply(..) => false,
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
