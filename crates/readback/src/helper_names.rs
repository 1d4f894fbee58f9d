//! The meanings of helper functions, by their names.

use halidom_ir::{Intrinsic, Scalar};
use halidom_prelude::helpers::Helper;
use halidom_prelude::operators::{AtomicOp, ScalarOp, VectorOp};

use crate::parse::vector;

/// Returns the helper with this name, or `None` if no helper has it.
pub(crate) fn helper_of(name: &str) -> Option<Helper> {
    if let Some((scalar, lanes)) = vector(name) {
        return Some(Helper::Type(scalar, lanes));
    }
    if let Some((to, from)) = name.split_once("_from_") {
        return match (vector(to), vector(from)) {
            (Some((to, lanes)), Some((from, other))) if lanes == other => {
                Some(if from.is_float() && !to.is_float() {
                    Helper::VectorSaturate { to, from, lanes }
                } else {
                    Helper::Convert { to, from, lanes }
                })
            }
            (None, None) => {
                let (to, from) = (Scalar::from_name(to)?, Scalar::from_name(from)?);
                (from.is_float() && to.is_machine_integer())
                    .then_some(Helper::Saturate { to, from })
            }
            _ => None,
        };
    }
    if let Some((operator, divisor)) = name.split_once("_by_") {
        let (prefix, ty) = operator.split_once('_')?;
        let (scalar, lanes) = vector(ty)?;
        let (negative, digits) = match divisor.strip_prefix("minus_") {
            Some(digits) => (true, digits),
            None => (false, divisor),
        };
        let magnitude: i128 = digits.parse().ok()?;
        let divisor = i64::try_from(if negative { -magnitude } else { magnitude }).ok()?;
        return match prefix {
            "div" => Some(Helper::DivBy(scalar, lanes, divisor)),
            "mod" => Some(Helper::ModBy(scalar, lanes, divisor)),
            _ => None,
        };
    }
    let (prefix, ty) = name.rsplit_once('_')?;
    if let Some((scalar, lanes)) = vector(ty) {
        if let Some(op) = vector_op(prefix) {
            // The absolute value of floats is a mathematical function.
            return Some(if op == VectorOp::Abs && scalar.is_float() {
                Helper::VectorCall(Intrinsic::Abs, scalar, lanes)
            } else {
                Helper::Vector(op, scalar, lanes)
            });
        }
        let intrinsic = Intrinsic::ALL.into_iter().find(|known| known.name() == prefix)?;
        return Some(Helper::VectorCall(intrinsic, scalar, lanes));
    }
    let scalar = Scalar::from_name(ty)?;
    if let Some(op) = AtomicOp::ALL.into_iter().find(|op| op.prefix() == prefix) {
        return Some(Helper::Atomic(op, scalar));
    }
    Some(Helper::Scalar(scalar_op(prefix)?, scalar))
}

fn scalar_op(prefix: &str) -> Option<ScalarOp> {
    Some(match prefix {
        "div" => ScalarOp::Div,
        "mod" => ScalarOp::Mod,
        "min" => ScalarOp::Min,
        "max" => ScalarOp::Max,
        "shl" => ScalarOp::Shl,
        "shr" => ScalarOp::Shr,
        "abs" => ScalarOp::Abs,
        _ => return None,
    })
}

fn vector_op(prefix: &str) -> Option<VectorOp> {
    Some(match prefix {
        "load" => VectorOp::Load,
        "load_strided" => VectorOp::LoadStrided,
        "gather" => VectorOp::Gather,
        "gather_narrow" => VectorOp::GatherNarrow,
        "gather_at" => VectorOp::GatherAt,
        "gather_narrow_at" => VectorOp::GatherNarrowAt,
        "store" => VectorOp::Store,
        "stream" => VectorOp::Stream,
        "store_strided" => VectorOp::StoreStrided,
        "scatter" => VectorOp::Scatter,
        "broadcast" => VectorOp::Broadcast,
        "ramp" => VectorOp::Ramp,
        "select" => VectorOp::Select,
        "min" => VectorOp::Min,
        "max" => VectorOp::Max,
        "div" => VectorOp::Div,
        "mod" => VectorOp::Mod,
        "shl" => VectorOp::Shl,
        "shr" => VectorOp::Shr,
        "abs" => VectorOp::Abs,
        _ => return VectorOp::SHUFFLES.into_iter().find(|op| op.prefix() == prefix),
    })
}
