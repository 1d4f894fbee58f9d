//! Failing assertions: a run that fails one must end with an error.
//!
//! # Correctness
//! If the condition of an assertion is false, the code returns the value of its message. A caller
//! takes 0 for success. The message must therefore be a call of one of the runtime's
//! functions for errors that never return 0 (`HalideRuntime.h`), or the result of a call that the
//! condition compares with 0, or a call that returns this result. The same holds for the message of
//! a `require`, whose condition is not looked at.

use super::error::{Result, unsupported};
use crate::tree::{BinaryOp, Expr, Stmt, StmtKind};
use crate::{NameId, Names};

/// The beginning of the names of the runtime's functions for errors.
const ERROR: &str = "halide_error_";

/// The ends of the names of those functions that return a number other than 0.
const CODES: [&str; 35] = [
    "access_out_of_bounds",
    "bad_dimensions",
    "bad_extern_fold",
    "bad_fold",
    "bad_type",
    "buffer_allocation_too_large",
    "buffer_argument_is_null",
    "buffer_extents_negative",
    "buffer_extents_too_large",
    "buffer_is_null",
    "constraint_violated",
    "constraints_make_required_region_smaller",
    "debug_to_file_failed",
    "device_crop_failed",
    "device_dirty_with_no_device_support",
    "device_interface_no_device",
    "explicit_bounds_too_small",
    "fold_factor_too_small",
    "host_and_device_dirty",
    "host_is_null",
    "no_device_interface",
    "out_of_memory",
    "param_too_large_f64",
    "param_too_large_i64",
    "param_too_large_u64",
    "param_too_small_f64",
    "param_too_small_i64",
    "param_too_small_u64",
    "requirement_failed",
    "specialize_fail",
    "split_factor_not_positive",
    "storage_bound_too_small",
    "streaming_vscale_invalid",
    "unaligned_host_ptr",
    "vscale_invalid",
];

/// The ends of the names of those that return their last argument.
const RESULTS: [&str; 2] = ["bounds_inference_call_failed", "extern_stage_failed"];

/// Refuses assertions that may return success where they fail.
pub(super) fn speak(names: &Names, block: &[Stmt]) -> Result<()> {
    for stmt in block {
        if let StmtKind::Assert { condition, message } = &stmt.kind
            && !is_error(names, message)
            && !is_tested(names, condition, message)
        {
            return unsupported("an assertion whose failure may return success")
                .map_err(|what| what.at(stmt.at));
        }
        let mut is_right = true;
        stmt.for_each_expr(&mut |expr| is_right = is_right && requires(names, expr));
        if !is_right {
            return unsupported("a `require` whose failure may return success")
                .map_err(|what| what.at(stmt.at));
        }
        let mut result = Ok(());
        stmt.for_each_block(&mut |inner| {
            if result.is_ok() {
                result = speak(names, inner);
            }
        });
        result?;
    }
    Ok(())
}

/// Tests whether a message calls a function of the runtime that reports an error.
fn is_error(names: &Names, message: &Expr) -> bool {
    if let Expr::Let { name: _, value: _, body } = message {
        return is_error(names, body);
    }
    matches!(message, Expr::Call(call) if names_one(names, call.name, &CODES))
}

/// Tests for the name of a function for errors.
fn names_one(names: &Names, name: NameId, ends: &[&str]) -> bool {
    names.text(name).strip_prefix(ERROR).is_some_and(|end| ends.contains(&end))
}

/// Tests whether a message is a name that is not 0 where the condition is false, or a call that
/// returns its value.
fn is_tested(names: &Names, condition: &Expr, message: &Expr) -> bool {
    if let Expr::Call(call) = message
        && names_one(names, call.name, &RESULTS)
    {
        return call.args.last().is_some_and(|result| is_tested(names, condition, result));
    }
    let Some(name) = message.variable() else { return false };
    let Expr::Binary(BinaryOp::Eq | BinaryOp::Ge | BinaryOp::Le, operands) = condition else {
        return false;
    };
    let is_zero = |expr: &Expr| matches!(expr, Expr::Int(0, _));
    let [a, b] = &**operands;
    (a.variable() == Some(name) && is_zero(b)) || (b.variable() == Some(name) && is_zero(a))
}

/// Tests whether each `require` in an expression reports an error.
fn requires(names: &Names, expr: &Expr) -> bool {
    let mut is_right = true;
    if let Expr::Call(call) = expr
        && names.text(call.name) == "require"
    {
        is_right = call.args.last().is_some_and(|message| is_error(names, message));
    }
    expr.for_each_operand(&mut |operand| is_right = is_right && requires(names, operand));
    is_right
}
