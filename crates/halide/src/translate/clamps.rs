//! Rewrites clamped sums: `clamp(x + c, low, high)` becomes `clamp(x, low - c, high - c) + c`, the
//! form that Halide's compiler gives them.
//!
//! # Correctness
//! `min(x + c, m)` equals `min(x, m - c) + c` where `x + c` does not overflow, and likewise for
//! maxima. The rewrite applies only if the new sum never overflows, and if the old one never does
//! or is assumed not to. Then both have the same value wherever the old one has a value. On the
//! remaining inputs the pipeline has no value, and they are no evidence about a compiler, but the
//! new sum does have a value. A difference found there must be checked again with the original
//! definition.

use halidom_base::FxHashMap;
use halidom_ir::{
    BinaryOp, Constant, Expr, ExprId, FuncId, FuncKind, Overflow, Pool, Scalar, Stage,
};

/// Rewrites the clamped sums in the definitions of funcs.
pub fn keep_in_range(pool: &mut Pool, funcs: &[FuncId]) {
    for func in funcs {
        let FuncKind::Defined { stages, synthetic } = pool.func(*func).kind.clone() else {
            continue;
        };
        let mut changed = false;
        let mut done = FxHashMap::default();
        let mut rewrite = |pool: &mut Pool, id: ExprId, _: &Expr| exchanged(pool, id).unwrap_or(id);
        let stages = stages.into_iter().map(|stage| {
            let values: Vec<ExprId> = stage
                .values
                .iter()
                .map(|value| pool.rewrite_bottom_up(*value, &mut done, &mut rewrite))
                .collect();
            changed |= values != stage.values;
            Stage { values, ..stage }
        });
        let stages = stages.collect();
        if changed {
            pool.define_func(*func, FuncKind::Defined { stages, synthetic });
        }
    }
}

/// Rewrites a clamped sum as a sum with a clamped operand.
fn exchanged(pool: &mut Pool, expr: ExprId) -> Option<ExprId> {
    let Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) = *pool.get(expr) else {
        return None;
    };
    let scalar = pool.ty(expr).scalar;
    let (least, greatest) = limits(scalar)?;
    let fits = |(low, high): (i128, i128)| least <= low && high <= greatest;
    let (sum, limit) = match (number(pool, a), number(pool, b)) {
        (None, Some(limit)) => (a, limit),
        (Some(limit), None) => (b, limit),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    let Expr::Binary(BinaryOp::Add(overflow), x, y) = *pool.get(sum) else { return None };
    let (rest, by) = match (number(pool, x), number(pool, y)) {
        (None, Some(by)) => (x, by),
        (Some(by), None) => (y, by),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    let (low, high) = range(pool, rest)?;
    let has_value = overflow == Overflow::AssumedAbsent || fits((low + by, high + by));
    if !has_value || !fits((limit - by, limit - by)) {
        return None;
    }
    let constant = |pool: &mut Pool, value| {
        Constant::wrapped(scalar, value).map(|constant| pool.constant(constant))
    };
    let (limit, by_expr) = (constant(pool, limit - by)?, constant(pool, by)?);
    let clamped = pool.binary(op, rest, limit);
    let (low, high) = range(pool, clamped)?;
    fits((low + by, high + by))
        .then(|| pool.binary(BinaryOp::Add(Overflow::Wraps), clamped, by_expr))
}

/// The least and the greatest value of a signed type that may be assumed not to overflow.
fn limits(scalar: Scalar) -> Option<(i128, i128)> {
    match scalar {
        Scalar::I32 => Some((i128::from(i32::MIN), i128::from(i32::MAX))),
        Scalar::I64 => Some((i128::from(i64::MIN), i128::from(i64::MAX))),
        Scalar::Int
        | Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::F32
        | Scalar::F64 => None,
    }
}

/// The value of a constant, possibly converted to a type in which it fits.
fn number(pool: &Pool, expr: ExprId) -> Option<i128> {
    if let Some(constant) = pool.as_constant(expr) {
        return constant.as_integer();
    }
    let Expr::Cast(scalar, inner) = *pool.get(expr) else { return None };
    let (least, greatest) = limits(scalar)?;
    let value = pool.as_constant(inner)?.as_integer()?;
    (least <= value && value <= greatest).then_some(value)
}

/// An interval that contains the values of a signed integer expression.
fn range(pool: &Pool, expr: ExprId) -> Option<(i128, i128)> {
    if let Some(value) = number(pool, expr) {
        return Some((value, value));
    }
    if let Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) = *pool.get(expr) {
        let ((low, high), (other_low, other_high)) = (range(pool, a)?, range(pool, b)?);
        return Some(if op == BinaryOp::Min {
            (low.min(other_low), high.min(other_high))
        } else {
            (low.max(other_low), high.max(other_high))
        });
    }
    limits(pool.ty(expr).scalar)
}

#[cfg(test)]
mod tests {
    use halidom_base::FxHashMap;
    use halidom_interp::{Bindings, evaluate_expr};
    use halidom_ir::{BinaryOp as Op, Constant, Expr, ExprId, Overflow, Pool, Scalar, Type};

    use super::exchanged;

    const EDGES: [i32; 11] = [
        i32::MIN,
        i32::MIN + 1,
        -383,
        -128,
        -127,
        0,
        128,
        129,
        i32::MAX - 127,
        i32::MAX - 126,
        i32::MAX,
    ];

    fn number(pool: &mut Pool, value: i32) -> ExprId {
        pool.constant(Constant::wrapped(Scalar::I32, i128::from(value)).unwrap())
    }

    /// Tests whether the rewrite applies, and returns the values of both expressions at the edges.
    fn compare(
        pool: &mut Pool,
        make: impl Fn(&mut Pool, ExprId) -> ExprId,
    ) -> (bool, Vec<[Option<Constant>; 2]>) {
        let var = pool.declare_var("x", Type::scalar(Scalar::I32));
        let x = pool.var_expr(var);
        let before = make(pool, x);
        let mut rewrite = |pool: &mut Pool, id: ExprId, _: &Expr| exchanged(pool, id).unwrap_or(id);
        let after = pool.rewrite_bottom_up(before, &mut FxHashMap::default(), &mut rewrite);
        let values = EDGES.map(|value| {
            let mut bindings = Bindings::new();
            let value = Constant::wrapped(Scalar::I32, i128::from(value)).unwrap();
            bindings.set_var(pool, var, value).unwrap();
            [before, after].map(|expr| evaluate_expr(pool, expr, &bindings).ok())
        });
        (before != after, values.to_vec())
    }

    fn clamp(pool: &mut Pool, x: ExprId, overflow: Overflow, [by, low, high]: [i32; 3]) -> ExprId {
        let [by, low, high] = [by, low, high].map(|value| number(pool, value));
        let sum = pool.binary(Op::Add(overflow), x, by);
        let least = pool.binary(Op::Min, sum, high);
        pool.binary(Op::Max, least, low)
    }

    #[test]
    fn clamped_sums_keep_their_values() {
        for sides in [
            [127, 0, 255],
            [127, -300, 255],
            [-127, 0, 255],
            [1, i32::MIN, i32::MAX],
            [i32::MAX, 0, 9],
            [i32::MIN, -5, 5],
        ] {
            let mut pool = Pool::new();
            let make = |pool: &mut Pool, x| clamp(pool, x, Overflow::AssumedAbsent, sides);
            let (_, values) = compare(&mut pool, make);
            for [before, after] in values {
                assert!(before.is_none() || before == after, "{sides:?}: {before:?}, {after:?}");
            }
        }
        let mut pool = Pool::new();
        let make = |pool: &mut Pool, x| clamp(pool, x, Overflow::AssumedAbsent, [127, 0, 255]);
        let (changed, values) = compare(&mut pool, make);
        assert!(changed && values.iter().all(|[_, after]| after.is_some()));
        assert!(values.iter().any(|[before, _]| before.is_none()));
    }

    #[test]
    fn sums_that_wrap_and_those_that_no_clamp_keeps_are_left_alone() {
        let mut pool = Pool::new();
        let make = |pool: &mut Pool, x| clamp(pool, x, Overflow::Wraps, [127, 0, 255]);
        assert!(!compare(&mut pool, make).0);
        let make = |pool: &mut Pool, x| {
            let (by, low) = (number(pool, 127), number(pool, 0));
            let sum = pool.binary(Op::Add(Overflow::AssumedAbsent), x, by);
            pool.binary(Op::Max, sum, low)
        };
        assert!(!compare(&mut pool, make).0);
    }
}
