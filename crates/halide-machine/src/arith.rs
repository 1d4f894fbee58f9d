//! Operators on lanes, as LLVM receives them.

use std::cmp::Ordering;

use halidom_halide_ir::tree::{BinaryOp, ReduceOp};

use crate::float::{self, Arithmetic};
use crate::value::{Kind, Lane, Poison};

/// Applies an operator to two lanes of one type. Poison in an operand makes the result poison:
/// conjunctions do not short-circuit.
pub(crate) fn binary(
    op: BinaryOp,
    kind: Kind,
    a: Lane,
    b: Lane,
    arithmetic: &mut Arithmetic,
) -> Lane {
    if let Some(poison) = a.poison.or(b.poison) {
        return Lane::poison(poison);
    }
    if kind.is_float() {
        of_floats(op, kind, a.bits, b.bits, arithmetic)
    } else {
        of_ints(op, kind, [a.bits, b.bits], arithmetic)
    }
}

fn of_ints(op: BinaryOp, kind: Kind, [a, b]: [u64; 2], arithmetic: &Arithmetic) -> Lane {
    let (x, y) = (kind.value(a), kind.value(b));
    match op {
        BinaryOp::Add => arithmetic.exact(kind, x + y),
        BinaryOp::Sub => arithmetic.exact(kind, x - y),
        // Signed products of 64 bits fit in 128 bits. Unsigned ones that do not fit wrap.
        BinaryOp::Mul => match x.checked_mul(y) {
            Some(product) => arithmetic.exact(kind, product),
            None => kind.wrapped(x.wrapping_mul(y)),
        },
        // Euclidean division, with 0 for a divisor of 0. The least value by -1 overflows: the
        // quotient is corrected by a sum that LLVM assumes not to wrap.
        BinaryOp::Div => {
            if y == 0 {
                Lane::of(0)
            } else {
                kind.result(x.div_euclid(y))
            }
        }
        BinaryOp::Mod => {
            if y == 0 {
                Lane::of(0)
            } else {
                kind.wrapped(x.rem_euclid(y))
            }
        }
        BinaryOp::Min => kind.wrapped(x.min(y)),
        BinaryOp::Max => kind.wrapped(x.max(y)),
        BinaryOp::Eq => Lane::truth(x == y),
        BinaryOp::Ne => Lane::truth(x != y),
        BinaryOp::Lt => Lane::truth(x < y),
        BinaryOp::Le => Lane::truth(x <= y),
        BinaryOp::Gt => Lane::truth(x > y),
        BinaryOp::Ge => Lane::truth(x >= y),
        BinaryOp::And => Lane::of(a & b),
        BinaryOp::Or => Lane::of(a | b),
    }
}

fn of_floats(op: BinaryOp, kind: Kind, a: u64, b: u64, arithmetic: &mut Arithmetic) -> Lane {
    let (x, y) = (float::decode(kind, a), float::decode(kind, b));
    let order = x.partial_cmp(&y);
    let bits = match op {
        BinaryOp::Add => float::apply(kind, [a, b], |a, b| a + b, |a, b| a + b),
        BinaryOp::Sub => float::apply(kind, [a, b], |a, b| a - b, |a, b| a - b),
        BinaryOp::Mul => float::apply(kind, [a, b], |a, b| a * b, |a, b| a * b),
        BinaryOp::Div => float::apply(kind, [a, b], |a, b| a / b, |a, b| a / b),
        BinaryOp::Mod => float::apply(
            kind,
            [a, b],
            |a, b| a - b * (a / b).floor(),
            |a, b| a - b * (a / b).floor(),
        ),
        // Both are selects by a comparison, which is false for a NaN.
        BinaryOp::Min => {
            if x < y {
                a
            } else {
                b
            }
        }
        BinaryOp::Max => {
            if x > y {
                a
            } else {
                b
            }
        }
        // Comparisons are ordered, inequality included.
        BinaryOp::Eq => return Lane::truth(order.is_some_and(Ordering::is_eq)),
        BinaryOp::Ne => return Lane::truth(order.is_some_and(Ordering::is_ne)),
        BinaryOp::Lt => return Lane::truth(x < y),
        BinaryOp::Le => return Lane::truth(x <= y),
        BinaryOp::Gt => return Lane::truth(x > y),
        BinaryOp::Ge => return Lane::truth(x >= y),
        BinaryOp::And | BinaryOp::Or => return Lane::poison(Poison::Conversion),
    };
    float::noted(kind, bits, arithmetic)
}

/// Reduces lanes from the first to the last. A partial sum or product of integers that overflows
/// makes the result poison, where overflow does not wrap.
pub(crate) fn reduce(
    op: ReduceOp,
    kind: Kind,
    lanes: &[Lane],
    arithmetic: &mut Arithmetic,
) -> Lane {
    if let Some(poison) = lanes.iter().find_map(|lane| lane.poison) {
        return Lane::poison(poison);
    }
    let operator = match op {
        ReduceOp::Add => BinaryOp::Add,
        ReduceOp::Mul => BinaryOp::Mul,
        ReduceOp::Min => BinaryOp::Min,
        ReduceOp::Max => BinaryOp::Max,
        ReduceOp::And => BinaryOp::And,
        ReduceOp::Or => BinaryOp::Or,
        ReduceOp::SaturatingAdd => {
            let lanes = lanes.iter().copied();
            return lanes
                .reduce(|a, b| kind.saturated(kind.value(a.bits) + kind.value(b.bits)))
                .unwrap_or(Lane::of(0));
        }
    };
    if kind.is_float() && matches!(operator, BinaryOp::Add | BinaryOp::Mul) && lanes.len() > 2 {
        arithmetic.notes.regrouped = true;
    }
    let lanes = lanes.iter().copied();
    lanes.reduce(|a, b| binary(operator, kind, a, b, arithmetic)).unwrap_or(Lane::of(0))
}

/// Converts a lane.
pub(crate) fn cast(from: Kind, to: Kind, lane: Lane, arithmetic: &mut Arithmetic) -> Lane {
    if lane.poison.is_some() {
        return lane;
    }
    match (from.is_float(), to.is_float()) {
        (false, false) => to.wrapped(from.value(lane.bits)),
        (false, true) => {
            let value = from.value(lane.bits);
            let bits = match to {
                // Directly from the integer: by way of 64 bits it would be rounded twice.
                Kind::Single => u64::from((value as f32).to_bits()),
                Kind::Half | Kind::BFloat => float::encode(to, f64::from(value as f32)),
                Kind::Double | Kind::Int(_) | Kind::UInt(_) | Kind::Handle => {
                    (value as f64).to_bits()
                }
            };
            float::noted(to, bits, arithmetic)
        }
        (true, false) => {
            let value = float::decode(from, lane.bits).trunc();
            // A truth value is made from a byte.
            let by = if to.bits() < 8 { Kind::UInt(8) } else { to };
            let (least, greatest) = by.range();
            // The greatest value of 64 bits is no exact float, so its successor, a power of two, is
            // written out.
            let beyond = if greatest == i128::from(i64::MAX) {
                9_223_372_036_854_775_808.0
            } else if greatest == i128::from(u64::MAX) {
                18_446_744_073_709_551_616.0
            } else {
                greatest as f64 + 1.0
            };
            let is_inside = value >= least as f64 && value < beyond;
            if is_inside || arithmetic.wraps_converted(to, value) {
                to.wrapped(value as i128)
            } else {
                Lane::poison(Poison::Conversion)
            }
        }
        (true, true) => {
            float::noted(to, float::encode(to, float::decode(from, lane.bits)), arithmetic)
        }
    }
}

/// Shifts by an amount that has its own type. A negative amount of a signed type shifts the other
/// way.
pub(crate) fn shift(kind: Kind, by: Kind, a: Lane, b: Lane, left: bool) -> Lane {
    if let Some(poison) = a.poison.or(b.poison) {
        return Lane::poison(poison);
    }
    let amount = by.value(b.bits);
    let (left, amount) = if amount < 0 { (!left, -amount) } else { (left, amount) };
    if amount >= i128::from(kind.bits()) {
        return Lane::poison(Poison::Shift);
    }
    let value = kind.value(a.bits);
    // Left shifts may lose bits: LLVM is not told that they do not.
    kind.wrapped(if left { value << amount } else { value >> amount })
}
