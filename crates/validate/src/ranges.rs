//! Constant bounds of the values of funcs.
//!
//! # Correctness
//! One of a func's stages wrote its value at a location, in any version, unless its pure stage has
//! a predicate; then nothing is said of the func. So the value lies in the union of the intervals
//! of the stages' expressions. An expression's interval holds for all values that its variables,
//! inputs and funcs may have. Variables and inputs may have any value of their types, and earlier
//! funcs any value in the interval found for them. If a stage reads its func itself, the read may
//! be any value of the type. An exact result that may leave the type wraps, so it may be any value
//! of the type.

use halidom_base::FxHashMap;
use halidom_ir::{Algorithm, BinaryOp, Constant, Expr, ExprId, FuncId, Pool, Scalar};

/// The greatest width that code has. An `int` that is noted with more bits is a step of an exact
/// operation, which the code computes by other means: nothing is owed about it.
pub(crate) const WIDEST: u32 = 64;

/// The least and the greatest value.
pub(crate) type Interval = (i128, i128);

/// Returns the ranges of the components of funcs that are machine integers, where they are narrower
/// than their types.
pub(crate) fn ranges(pool: &Pool, algorithm: &Algorithm) -> FxHashMap<(FuncId, usize), Interval> {
    let mut found = FxHashMap::default();
    // Definitions come before uses.
    for func in &algorithm.funcs {
        let decl = pool.func(*func);
        for (component, scalar) in decl.scalars.iter().enumerate() {
            let Some(of_type) = scalar.range() else { continue };
            let values = decl.stages().iter().filter_map(|stage| stage.values.get(component));
            let mut known = FxHashMap::default();
            let ranges =
                values.map(|value| range(pool, *value, &found, &mut known).unwrap_or(of_type));
            // Where the pure stage does not apply, the value before the updates may be any value.
            let any = decl.is_partial().then_some(of_type);
            let all = ranges.chain(any).reduce(hull).unwrap_or(of_type);
            if all != of_type {
                found.insert((*func, component), all);
            }
        }
    }
    found
}

fn hull(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

/// Returns the range of a machine integer or an exact number, and `None` for all others. Keeps
/// the ranges in `known`, as expressions share operands.
fn range(
    pool: &Pool,
    expr: ExprId,
    funcs: &FxHashMap<(FuncId, usize), Interval>,
    known: &mut FxHashMap<ExprId, Option<Interval>>,
) -> Option<Interval> {
    if let Some(range) = known.get(&expr) {
        return *range;
    }
    let range = range_of(pool, expr, funcs, known);
    known.insert(expr, range);
    range
}

fn range_of(
    pool: &Pool,
    expr: ExprId,
    funcs: &FxHashMap<(FuncId, usize), Interval>,
    known: &mut FxHashMap<ExprId, Option<Interval>>,
) -> Option<Interval> {
    let mut range = |operand| range(pool, operand, funcs, known);
    if pool.ty(expr).scalar == Scalar::Int {
        // Exact integers have no bounds of their own.
        let known = pool.as_constant(expr).and_then(Constant::as_integer);
        return known.map(|value| (value, value));
    }
    let (least, greatest) = pool.ty(expr).scalar.range()?;
    let exact = match *pool.get(expr) {
        Expr::Const(constant) => constant.as_integer().map(|value| (value, value)),
        Expr::Ref { func, component, .. } => funcs.get(&(func, component)).copied(),
        Expr::Cast(_, operand) => range(operand),
        Expr::Select { if_true, if_false, .. } => Some(hull(range(if_true)?, range(if_false)?)),
        Expr::Binary(op, lhs, rhs) => match (range(lhs), range(rhs)) {
            (Some(lhs), Some(rhs)) => Some(binary(op, lhs, rhs)),
            _ => None,
        },
        Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    };
    Some(
        exact.filter(|(low, high)| least <= *low && *high <= greatest).unwrap_or((least, greatest)),
    )
}

/// The intersection of two intervals.
pub(crate) fn both(a: Interval, b: Interval) -> Interval {
    (a.0.max(b.0), a.1.min(b.1))
}

/// Tests whether an interval lies in another one.
pub(crate) fn within(found: Interval, width: Interval) -> bool {
    width.0 <= found.0 && found.1 <= width.1
}

/// Returns the interval of products.
pub(crate) fn product(a: Interval, b: Interval) -> Interval {
    corners(a, b, i128::saturating_mul)
}

/// Returns the hull of an operator's results at the ends of two intervals.
fn corners(a: Interval, b: Interval, of: fn(i128, i128) -> i128) -> Interval {
    let sides = [a.0, a.1].map(|end| (of(end, b.0), of(end, b.1)));
    let [first, second] = sides.map(|(one, other)| (one.min(other), one.max(other)));
    hull(first, second)
}

/// Returns the interval of the exact results of an operator, before they wrap.
pub(crate) fn binary(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    let size = |x: Interval| x.0.saturating_abs().max(x.1.saturating_abs());
    match op {
        BinaryOp::Add(_) => (a.0.saturating_add(b.0), a.1.saturating_add(b.1)),
        BinaryOp::Sub(_) => (a.0.saturating_sub(b.1), a.1.saturating_sub(b.0)),
        BinaryOp::Mul(_) => product(a, b),
        BinaryOp::Min => (a.0.min(b.0), a.1.min(b.1)),
        BinaryOp::Max => (a.0.max(b.0), a.1.max(b.1)),
        BinaryOp::Div if b.0 > 0 => corners(a, b, i128::div_euclid),
        // |x / y| <= |x|, even where rounding takes the quotient of a negative x away from zero.
        BinaryOp::Div => (size(a).saturating_neg(), size(a)),
        BinaryOp::Mod => (0, size(b).saturating_sub(1).max(0)),
        // If neither operand is negative, the result has only bits that both operands have.
        BinaryOp::And if a.0 >= 0 && b.0 >= 0 => (0, a.1.min(b.1)),
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => (i128::MIN, i128::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The range of the first component of the last func.
    fn of(body: &str) -> Option<Interval> {
        let text = format!(
            "algorithm p {{ input a(x): u8 in a.buffer [a.min.0, a.extent.0, a.stride.0]; {body} \
                output f; }}"
        );
        let module = halidom_ir::parse::module(&text).unwrap();
        let last = *module.algorithm.funcs.last().unwrap();
        ranges(&module.pool, &module.algorithm).get(&(last, 0)).copied()
    }

    #[test]
    fn values_lie_where_their_definitions_say() {
        let one = |value: &str, ty: &str| of(&format!("func f(y): {ty} {{ stage(y) = {value}; }}"));
        assert_eq!(one("a(y) / 16u8", "u8"), Some((0, 15)));
        assert_eq!(one("u8(y) % 4u8", "u8"), Some((0, 3)));
        assert_eq!(one("i32(a(y)) * 2i32 - 5i32", "i32"), Some((-5, 505)));
        assert_eq!(one("max(min(i32(a(y)), 9i32), 3i32)", "i32"), Some((3, 9)));
        // Exact integers have no bounds of their own.
        assert_eq!(one("max(min(i32(y), i32(9)), i32(3))", "i32"), Some((3, 9)));
        assert_eq!(one("i32(min(y, 9))", "i32"), None);
        assert_eq!(one("i32(y * y / 158456325028528675187087900672)", "i32"), None);
        assert_eq!(one("u8(max(min(y * y, 300), 0))", "u8"), None);
        // A value that may wrap has no narrower range.
        assert_eq!(one("a(y) + 1u8", "u8"), None);
        assert_eq!(one("i8(a(y))", "i8"), None);
        assert_eq!(one("a(y) / (a(y) & 3u8)", "u8"), None);
    }

    #[test]
    fn every_stage_counts_and_own_values_are_anything() {
        let updated =
            of("func f(y): u8 { stage(y) = a(y) / 16u8; stage(0) = 40u8; stage(1) = a(0) / 2u8; }");
        assert_eq!(updated, Some((0, 127)));
        let counted =
            of("func f(y): u8 { stage(y) = 0u8; for r in [0, 4] stage(r) = f(r) / 2u8; }");
        assert_eq!(counted, Some((0, 127)));
        assert_eq!(of("func f(y): u8 { stage(y) = 0u8; stage(1) = f(1) + 1u8; }"), None);
    }
}
