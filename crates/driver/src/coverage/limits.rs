//! Recognizes entry checks that only limit sizes.
//!
//! # Correctness
//! The kind of an entry check comes from untrusted code. A report sums up the checks that have the
//! shape in its summary: mins and extents below 2^31 in magnitude, spans of up to 2^40 elements (up
//! to 2^31 for code with fewer than 64 bits, where a condition of the verdict names that limit).
//! Greater limits count too, because they refuse nothing that the summary names. Our own compiler's
//! limit of a span is 2^47. Where a common factor of the sizes was divided out, the number is less.

use halidom_base::FxHashSet;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Pool, Program, VarId};

/// The least value that mins, extents and their ends may be limited to.
const SIZES: i128 = (1 << 31) - 1;
/// The least values that spans may be limited to, in elements: for code with 64-bit integers, and
/// for code with fewer bits.
const ELEMENTS: [i128; 2] = [1 << 40, SIZES];

/// The limits that a summary names.
#[derive(Debug)]
pub(crate) struct Limits {
    natural: FxHashSet<VarId>,
    elements: i128,
}

impl Limits {
    /// Returns the limits for a program whose code has integers of so many bits.
    pub(crate) fn of(pool: &Pool, program: &Program, int_bits: u32) -> Self {
        let [wide, narrow] = ELEMENTS;
        let elements = if int_bits >= 64 { wide } else { narrow };
        Self { natural: natural(pool, program), elements }
    }
}

/// The sizes of callers' buffers that are never negative: extents, strides, and the extents of
/// windows.
fn natural(pool: &Pool, program: &Program) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    for buffer in program.inputs.iter().copied().chain(program.output_buffers()) {
        for dim in &pool.buffer(buffer).dims {
            for side in [dim.extent, dim.stride] {
                if let Expr::Var(var) = pool.get(side) {
                    found.insert(*var);
                }
            }
        }
    }
    for output in &program.outputs {
        found.extend(output.window.iter().map(|(_, extent)| *extent));
    }
    found
}

/// Tests whether a condition refuses only sizes beyond the limits.
pub(crate) fn is_limit(pool: &Pool, limits: &Limits, condition: ExprId) -> bool {
    let number = |id: ExprId| pool.as_constant(id).and_then(Constant::as_integer);
    let Expr::Binary(op, a, b) = *pool.get(condition) else { return false };
    match op {
        BinaryOp::And => is_limit(pool, limits, a) && is_limit(pool, limits, b),
        // A disjunction refuses less than each of its parts.
        BinaryOp::Or => is_limit(pool, limits, a) || is_limit(pool, limits, b),
        BinaryOp::Le if is_product_limit(pool, limits, b) => true,
        BinaryOp::Le | BinaryOp::Lt => match (number(a), number(b)) {
            (Some(low), None) => {
                let only_natural = is_natural(pool, &limits.natural, b);
                let least = if only_natural { 0 } else { -SIZES };
                low <= least && (op == BinaryOp::Le || low < least)
            }
            (None, Some(high)) => {
                let mut is_product = false;
                pool.for_each_subexpr(a, &mut |_, expr| {
                    is_product |= matches!(expr, Expr::Binary(BinaryOp::Mul(_), ..));
                });
                (if is_product { limits.elements } else { SIZES }) <= high
            }
            (None, None) | (Some(_), Some(_)) => false,
        },
        BinaryOp::Add(_)
        | BinaryOp::Sub(_)
        | BinaryOp::Mul(_)
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Gt
        | BinaryOp::Ge => false,
    }
}

/// Tests whether the expression is `limit / size`, with which a check keeps the product of a size
/// and another one within the limit.
fn is_product_limit(pool: &Pool, limits: &Limits, expr: ExprId) -> bool {
    let Expr::Binary(BinaryOp::Div, limit, size) = *pool.get(expr) else { return false };
    let limit = pool.as_constant(limit).and_then(Constant::as_integer);
    limit.is_some_and(|limit| limits.elements <= limit) && is_natural(pool, &limits.natural, size)
}

/// Tests whether the expression cannot be negative because of its operators and operands.
fn is_natural(pool: &Pool, natural: &FxHashSet<VarId>, expr: ExprId) -> bool {
    let mut all = true;
    pool.for_each_subexpr(expr, &mut |_, expr| {
        all &= match expr {
            Expr::Var(var) => natural.contains(var),
            Expr::Const(constant) => constant.as_integer().is_some_and(|value| value >= 0),
            Expr::Binary(op, ..) => {
                matches!(op, BinaryOp::Add(_) | BinaryOp::Mul(_) | BinaryOp::Max | BinaryOp::Min)
            }
            Expr::Unary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => false,
        };
    });
    all
}

#[cfg(test)]
mod tests {
    use halidom_ir::{BinaryOp as Op, ExprId, Overflow, Pool, Type};

    use super::{Limits, is_limit};

    fn between(pool: &mut Pool, low: i128, id: ExprId, high: i128) -> ExprId {
        let (low, high) = (pool.int(low), pool.int(high));
        let (low, high) = (pool.binary(Op::Le, low, id), pool.binary(Op::Le, id, high));
        pool.binary(Op::And, low, high)
    }

    fn sizes(pool: &mut Pool) -> (ExprId, ExprId, Limits) {
        let (min, extent) = (pool.declare_var("min", Type::INT), pool.declare_var("n", Type::INT));
        (
            pool.var_expr(min),
            pool.var_expr(extent),
            Limits { natural: [extent].into_iter().collect(), elements: 1 << 40 },
        )
    }

    #[test]
    fn limits_are_known_by_their_shape() {
        let mut pool = Pool::new();
        let (min, extent, limits) = sizes(&mut pool);
        for (low, id, high) in [
            (-(1 << 31), min, (1 << 31) - 1),
            (1 - (1 << 31), min, (1 << 31) - 1),
            (0, extent, (1 << 31) - 1),
            (0, extent, 1 << 47),
        ] {
            let condition = between(&mut pool, low, id, high);
            assert!(is_limit(&pool, &limits, condition), "{low} {high}");
        }
    }

    #[test]
    fn what_refuses_more_is_no_limit_whatever_it_calls_itself() {
        let mut pool = Pool::new();
        let (min, extent, limits) = sizes(&mut pool);
        for (low, id, high) in [
            (0, min, (1 << 31) - 1),
            (-5, min, (1 << 31) - 1),
            (1, extent, (1 << 31) - 1),
            (0, extent, 1),
            (0, extent, 1 << 30),
        ] {
            let condition = between(&mut pool, low, id, high);
            assert!(!is_limit(&pool, &limits, condition), "{low} {high}");
        }
        let one = pool.int(1);
        let equal = pool.binary(Op::Eq, extent, one);
        assert!(!is_limit(&pool, &limits, equal));
    }

    #[test]
    fn products_have_greater_limits() {
        let mut pool = Pool::new();
        let (_, extent, limits) = sizes(&mut pool);
        let two = pool.int(2);
        let product = pool.binary(Op::Mul(Overflow::Unbounded), extent, two);
        for (high, is_span) in [(1 << 40, true), ((1 << 40) - 1, false)] {
            let high = pool.int(high);
            let whole = pool.binary(Op::Le, product, high);
            assert_eq!(is_limit(&pool, &limits, whole), is_span);
            let quotient = pool.binary(Op::Div, high, extent);
            let parted = pool.binary(Op::Le, two, quotient);
            assert_eq!(is_limit(&pool, &limits, parted), is_span);
        }
    }
}
