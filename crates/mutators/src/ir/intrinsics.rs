//! The functions that calls of the IR name: their arguments and types.

use crate::ir::kinds::{Code, Type};
use crate::ir::node::NodeId;

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

pub(crate) fn is_nan(callee: &str) -> bool {
    callee == "is_nan" || callee.starts_with("is_nan_f")
}

/// A function of floating-point numbers, by its name without a type.
pub(crate) fn math(callee: &str) -> Option<&'static str> {
    let plain = callee.strip_suffix("_f32").unwrap_or(callee);
    ["sqrt", "log", "exp", "pow", "floor", "ceil", "round", "trunc"]
        .into_iter()
        .find(|known| *known == plain)
}

/// How the name begins that stands for what is called.
pub(crate) const CALLEE: &str = "callee ";

/// The call whose callee a name stands for.
pub(crate) fn called_by(name: &str) -> Option<NodeId> {
    name.strip_prefix(CALLEE)?.parse().ok()
}

/// How functions of the C library are called.
pub(crate) const PURE_EXTERN: &str = "Call::PureExtern";

/// What a call calls of which only that it is one is known.
pub(crate) fn callee(call: NodeId) -> String {
    format!("{CALLEE}{call}")
}
