//! The intrinsics of Halide 21.0.0, each with its treatment. A test compares the table with the
//! installed `IR.h`. Other functions are only named.

use halidom_base::{FxHashMap, FxHashSet};

use super::error::{Result, unsupported};
use crate::tree::Expr;
use crate::{NameId, Names};

/// The treatment of an intrinsic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// It has a value, which [`super::ops::Ops::call`] gives.
    Value,
    /// It is part of a form that is translated as a whole, such as an effect or a first stage.
    Form,
    /// It is refused, for this reason.
    Refused(&'static str),
}

use Treatment::{Form, Refused, Value};

const MARKER: &str = "it marks a place for the compiler, and no final statement has it";
const MASKS: &str = "only code for vectors of masks has it, of other machines";
const HEXAGON: &str = "only code for Hexagon has it";
const BY_NAME: &str = "the target resolves it before the final statement";
const POINTER: &str = "it reads a struct by a pointer";
const SEVERAL: &str = "one update writes several points at once";

/// The intrinsic that ends the run with an error where its first operand is false.
pub(super) const REQUIRE: &str = "require";
/// The calls by which Halide, and a pipeline's author, promise that a value lies between two.
pub(super) const PROMISE: &str = "promise_clamped";
pub(super) const UNSAFE_PROMISE: &str = "unsafe_promise_clamped";
/// Unknown values, as functions that are only named: the code has no value there. A pipeline and
/// its statement have the same one where they have the same operands.
pub(super) const FAILED: &str = "a requirement that fails";
pub(super) const UNSORTED: &str = "an average of operands in descending order";
pub(super) const BEYOND: &str = "a shift by the width or more";
pub(super) const BITS_OF_NAN: &str = "the bits of a NaN";

/// Tests whether a function is such a value, which no user names.
pub(super) fn has_no_value(function: &str) -> bool {
    [FAILED, BITS_OF_NAN].contains(&function) || is_undefined(function)
}

/// Tests the same, except for a requirement, whose failure ends a run.
pub(super) fn is_undefined(function: &str) -> bool {
    [UNSORTED, BEYOND].contains(&function)
}

/// Every intrinsic that `Call::IntrinsicOp` declares, in its order.
pub(super) const INTRINSICS: [(&str, Treatment); 96] = [
    ("abs", Value),
    ("absd", Value),
    ("add_image_checks_marker", Form),
    ("alloca", Form),
    ("bitwise_and", Value),
    ("bitwise_not", Value),
    ("bitwise_or", Value),
    ("bitwise_xor", Value),
    ("bool_to_mask", Refused(MASKS)),
    ("bundle", Refused(MARKER)),
    ("call_cached_indirect_function", Refused("which function it calls is known in a run only")),
    ("cast_mask", Refused(MASKS)),
    ("concat_bits", Value),
    ("count_leading_zeros", Value),
    ("count_trailing_zeros", Value),
    ("debug_to_file", Refused("it writes a file, and reads memory whose extent it states")),
    ("declare_box_touched", Refused(MARKER)),
    ("div_round_to_zero", Value),
    ("dynamic_shuffle", Refused(HEXAGON)),
    ("extract_bits", Value),
    ("extract_mask_element", Refused(MASKS)),
    ("get_user_context", Refused("it is a pointer")),
    ("gpu_thread_barrier", Form),
    ("halving_add", Value),
    ("halving_sub", Value),
    ("hvx_gather", Refused(HEXAGON)),
    ("hvx_scatter", Refused(HEXAGON)),
    ("hvx_scatter_acc", Refused(HEXAGON)),
    ("hvx_scatter_release", Refused(HEXAGON)),
    ("if_then_else", Value),
    ("if_then_else_mask", Refused(MASKS)),
    ("image_load", Refused("only textures of a GPU have it")),
    ("image_store", Refused("only textures of a GPU have it")),
    ("lerp", Value),
    ("likely", Value),
    ("likely_if_innermost", Value),
    ("load_typed_struct_member", Refused(POINTER)),
    ("make_struct", Form),
    ("memoize_expr", Value),
    ("mod_round_to_zero", Value),
    ("mul_shift_right", Value),
    ("mux", Value),
    ("popcount", Value),
    ("prefetch", Form),
    ("profiling_enable_instance_marker", Refused(MARKER)),
    (PROMISE, Value),
    ("random", Refused("the definition of a func replaces it by arithmetic")),
    ("register_destructor", Refused("it names a function that runs at the end")),
    ("require", Value),
    ("require_mask", Refused(MASKS)),
    ("return_second", Value),
    ("rewrite_buffer", Refused(POINTER)),
    ("round", Value),
    ("rounding_halving_add", Value),
    ("rounding_mul_shift_right", Value),
    ("rounding_shift_left", Value),
    ("rounding_shift_right", Value),
    ("saturating_add", Value),
    ("saturating_sub", Value),
    ("saturating_cast", Value),
    ("scatter_gather", Refused(SEVERAL)),
    ("select_mask", Value),
    ("shift_left", Value),
    ("shift_right", Value),
    ("signed_integer_overflow", Refused("it has no value")),
    ("size_of_halide_buffer_t", Refused(POINTER)),
    ("skip_stages_marker", Form),
    ("sliding_window_marker", Form),
    ("sorted_avg", Value),
    ("strict_add", Value),
    ("strict_div", Value),
    ("strict_eq", Value),
    ("strict_le", Value),
    ("strict_lt", Value),
    ("strict_max", Value),
    ("strict_min", Value),
    ("strict_mul", Value),
    ("strict_sub", Value),
    ("stringify", Form),
    ("target_arch_is", Refused(BY_NAME)),
    ("target_bits", Refused(BY_NAME)),
    ("target_has_feature", Refused(BY_NAME)),
    ("target_natural_vector_size", Refused(BY_NAME)),
    ("target_os_is", Refused(BY_NAME)),
    ("undef", Form),
    ("unreachable", Refused("it has no value")),
    (UNSAFE_PROMISE, Value),
    ("widen_right_add", Value),
    ("widen_right_mul", Value),
    ("widen_right_sub", Value),
    ("widening_add", Value),
    ("widening_mul", Value),
    ("widening_shift_left", Value),
    ("widening_shift_right", Value),
    ("widening_sub", Value),
    ("get_runtime_vscale", Refused("the length of vectors is known in a run only")),
];

/// Functions and pointers that a pipeline names and does not define.
#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    /// Functions.
    pub(super) functions: FxHashSet<NameId>,
    /// The functions of C++ among them, and those of C, as far as this is stated.
    pub(super) mangled: FxHashMap<NameId, bool>,
    /// Parameters that are pointers. Only these functions take them.
    pub(super) pointers: FxHashSet<NameId>,
    /// True once all functions of the pipeline are known: its statement may call no others.
    pub(super) is_whole: bool,
}

/// Refuses a call, with the reason if it is an intrinsic that is always refused.
pub(super) fn refuse<T>(name: &str) -> Result<T> {
    let known = INTRINSICS.iter().find(|(known, _)| *known == name);
    match known {
        Some((_, Refused(reason))) => unsupported(format!("`{name}` ({reason})")),
        Some((_, Value | Form)) => unsupported(format!("`{name}` of these operands")),
        None => unsupported(format!("`{name}`")),
    }
}

/// Tests whether an expression calls one of some functions.
pub(super) fn calls(names: &Names, expr: &Expr, is_one: &impl Fn(&str) -> bool) -> bool {
    let mut found = matches!(expr, Expr::Call(call) if is_one(names.text(call.name)));
    expr.for_each_operand(&mut |operand| found = found || calls(names, operand, is_one));
    found
}

#[cfg(test)]
mod tests {
    use halidom_ir::{Overflow, Pool, Type};

    use super::super::ops::{Ops, Value as Operand, Widths, stored};
    use super::*;
    use crate::bridge;
    use crate::tree::Scalar;

    /// The names between the braces of `enum IntrinsicOp`.
    fn declared(header: &str) -> Vec<String> {
        let from = header.find("enum IntrinsicOp {").expect("the header declares them");
        let rest = &header[from..];
        let body = &rest[rest.find('{').expect("it has a body") + 1..];
        let body = &body[..body.find('}').expect("the body ends")];
        let lines = body.lines().map(|line| line.split("//").next().unwrap_or_default());
        let names = lines.flat_map(|line| line.split(',').map(str::trim));
        let names = names.filter(|name| !name.is_empty() && *name != "IntrinsicOpCount");
        names.map(str::to_owned).collect()
    }

    #[test]
    fn the_table_has_the_intrinsics_of_the_installed_header() {
        let Some(header) = bridge::header() else {
            eprintln!("skipped: there is no Python with Halide");
            return;
        };
        let header = std::fs::read_to_string(header).expect("it can be read");
        let known: Vec<&str> = INTRINSICS.iter().map(|(name, _)| *name).collect();
        assert_eq!(declared(&header), known);
    }

    /// Tests whether a call has a value for operands of some types.
    fn has_value(name: &str) -> bool {
        let types =
            [Scalar::UInt(1), Scalar::UInt(8), Scalar::Int(16), Scalar::Int(32), Scalar::Float(32)];
        let results = [Scalar::UInt(1), Scalar::UInt(8), Scalar::UInt(16), Scalar::Float(32)];
        (1..=3).any(|count| {
            (0..types.len().pow(count)).any(|choice| {
                let mut pool = Pool::new();
                let mut widths = Widths::default();
                let mut args = Vec::new();
                for place in 0..count {
                    let ty = types[choice / types.len().pow(place) % types.len()];
                    let scalar = stored(ty).expect("it is a type of memory");
                    // A constant serves where an amount or a divisor must be known.
                    let id = if place > 0 && ty == Scalar::Int(32) {
                        pool.int(5)
                    } else {
                        let var = pool.declare_var("x", Type::scalar(scalar));
                        pool.var_expr(var)
                    };
                    args.push(Operand { id, ty });
                }
                let signed = Overflow::AssumedAbsent;
                let mut ops = Ops { pool: &mut pool, widths: &mut widths, signed };
                results.into_iter().any(|ty| ops.call(name, &args, ty).is_ok())
            })
        })
    }

    #[test]
    fn exactly_those_with_a_value_are_translated() {
        for (name, treatment) in INTRINSICS {
            assert_eq!(has_value(name), treatment == Value, "{name}");
        }
    }

    #[test]
    fn a_refusal_has_its_reason() {
        let what = |name: &str| refuse::<()>(name).expect_err("it is refused").what;
        assert_eq!(what("unreachable"), "`unreachable` (it has no value)");
        assert_eq!(what("pow_f16"), "`pow_f16`");
    }
}
