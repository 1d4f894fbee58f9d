//! Values of integers at sampled points. They decide between two guesses at a region, and prove
//! nothing.

use std::rc::Rc;

use halidom_base::{FxHashMap, Id};
use halidom_ir::{Constant, Expr, ExprId, Pool, Scalar, VarId, eval};

use super::form::Form;

/// The upper limits of the sampled sizes, used in turn.
const LIMITS: [u64; 5] = [3, 24, 90, 300, 1000];
/// The sampled floats.
const FLOATS: [f32; 8] = [0.04, 0.3, 0.5, 0.9, 1.0, 1.5, 9.0, 40.0];
/// The number of sampled points.
const POINTS: usize = 96;

/// The values of an expression at the points; `None` where it has none.
type Values = Rc<[Option<i64>]>;

/// The values of expressions at the sampled points. A variable has the same values everywhere, so
/// that each expression is evaluated once, however many forms share it.
#[derive(Default)]
pub(super) struct Samples {
    known: FxHashMap<ExprId, Option<Values>>,
    /// The first value and the number of values of each loop's variable.
    ranges: FxHashMap<VarId, (Form, Form)>,
}

impl Samples {
    /// Records the range of a loop's variable, which its samples keep to.
    pub(super) fn keep_to(&mut self, var: VarId, range: (Form, Form)) {
        self.ranges.insert(var, range);
    }

    /// The least and the greatest value of a form at points with sizes of at least 1 and loops
    /// within their ranges; `None` if it has no value at some point.
    pub(super) fn span(&mut self, pool: &Pool, form: &Form) -> Option<(i128, i128)> {
        let sums = self.sums(pool, form)?;
        Some((sums.iter().copied().min()?, sums.iter().copied().max()?))
    }

    /// The values of a form.
    fn sums(&mut self, pool: &Pool, form: &Form) -> Option<[i128; POINTS]> {
        if form.is_too_large() {
            return None;
        }
        let mut sums = [0_i128; POINTS];
        for (atoms, factor) in form.terms() {
            let mut products = [factor; POINTS];
            for atom in atoms {
                let values = self.values(pool, *atom)?;
                for (product, value) in products.iter_mut().zip(values.iter()) {
                    *product = product.checked_mul(i128::from((*value)?))?;
                }
            }
            for (sum, product) in sums.iter_mut().zip(products) {
                *sum = sum.checked_add(product)?;
            }
        }
        Some(sums)
    }

    /// The values of a loop's variable; `None` if its range has no values. If the number of
    /// iterations depends on sizes, the first one, which may differ from the others, is left out.
    fn iterations(&mut self, pool: &Pool, var: VarId) -> Option<Values> {
        let (min, extent) = self.ranges.get(&var)?.clone();
        let skipped = i128::from(extent.as_constant().is_none());
        let (min, extent) = (self.sums(pool, &min)?, self.sums(pool, &extent)?);
        let at = |point: usize| {
            let count = (extent[point] - skipped).max(1);
            let first = if extent[point] > 1 { skipped } else { 0 };
            let step = i128::from(mixed(var.index() as u64, point)) % count;
            i64::try_from(min[point] + first + step).ok()
        };
        Some((0..POINTS).map(at).collect())
    }

    /// The values of an expression; `None` if its kind has none.
    fn values(&mut self, pool: &Pool, expr: ExprId) -> Option<Values> {
        if let Some(known) = self.known.get(&expr) {
            return known.clone();
        }
        let values = self.evaluated(pool, expr);
        self.known.insert(expr, values.clone());
        values
    }

    fn evaluated(&mut self, pool: &Pool, expr: ExprId) -> Option<Values> {
        let mut each = |operand: ExprId| {
            let scalar = pool.ty(operand).scalar;
            self.values(pool, operand).map(|values| (scalar, values))
        };
        match pool.get(expr) {
            Expr::Const(constant) => {
                let value = number(*constant);
                Some(std::iter::repeat_n(value, POINTS).collect())
            }
            Expr::Var(var) if pool.ty(expr).scalar == Scalar::Int => {
                let sampled = || (0..POINTS).map(|point| Some(coordinate(*var, point))).collect();
                Some(self.iterations(pool, *var).unwrap_or_else(sampled))
            }
            // A truth value, such as the condition of a specialization.
            Expr::Var(var) if pool.ty(expr).scalar == Scalar::Bool => {
                let at = |point| Some((mixed(var.index() as u64, point) & 1) as i64);
                Some((0..POINTS).map(at).collect())
            }
            Expr::Unary(op, a) => {
                let (scalar, a) = each(*a)?;
                let at = |a: &Option<i64>| number(eval::unary(*op, constant(scalar, (*a)?)?).ok()?);
                Some(a.iter().map(at).collect())
            }
            Expr::Binary(op, a, b) => {
                let ((left, a), (right, b)) = (each(*a)?, each(*b)?);
                let at = |(a, b): (&Option<i64>, &Option<i64>)| {
                    let (a, b) = (constant(left, (*a)?)?, constant(right, (*b)?)?);
                    number(eval::binary(*op, a, b).ok()?)
                };
                Some(a.iter().zip(b.iter()).map(at).collect())
            }
            Expr::Cast(to, a) => {
                let (scalar, a) = each(*a)?;
                let at = |a: &Option<i64>| number(eval::cast(*to, constant(scalar, (*a)?)?).ok()?);
                Some(a.iter().map(at).collect())
            }
            Expr::Call(call, a) => {
                let (scalar, a) = each(*a)?;
                let at = |a: &Option<i64>| {
                    number(eval::intrinsic(*call, constant(scalar, (*a)?)?).ok()?)
                };
                Some(a.iter().map(at).collect())
            }
            Expr::Broadcast { value, .. } => each(*value).map(|(_, values)| values),
            // Parameters and elements of memory that are floats, which coordinates depend on.
            Expr::Var(_) | Expr::Load { .. } if pool.ty(expr).scalar.is_float() => {
                let scalar = pool.ty(expr).scalar;
                let state = |point: usize| mixed(expr.index() as u64, point) % FLOATS.len() as u64;
                let at = |point| {
                    let value = FLOATS[usize::try_from(state(point)).ok()?];
                    number(if scalar == Scalar::F32 {
                        Constant::f32(value)
                    } else {
                        Constant::f64(f64::from(value))
                    })
                };
                Some((0..POINTS).map(at).collect())
            }
            Expr::Select { condition, if_true, if_false } => {
                let (_, holds) = each(*condition)?;
                let [then, other] =
                    [*if_true, *if_false].map(|arm| each(arm).map(|(_, values)| values));
                let at = |(point, holds): (usize, &Option<i64>)| {
                    let arm = if (*holds)? != 0 { &then } else { &other };
                    arm.as_ref()?[point]
                };
                Some(holds.iter().enumerate().map(at).collect())
            }
            Expr::Var(_)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => None,
        }
    }
}

/// The constant that a sampled number stands for. A float is given by its bits.
fn constant(scalar: Scalar, value: i64) -> Option<Constant> {
    match scalar {
        Scalar::Int => Some(Constant::int(i128::from(value))),
        Scalar::Bool => Some(Constant::bool(value != 0)),
        Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64 => Constant::wrapped(scalar, i128::from(value)),
        Scalar::F32 | Scalar::F64 => Constant::from_bits(scalar, value.cast_unsigned()),
    }
}

fn number(constant: Constant) -> Option<i64> {
    if constant.scalar().is_float() {
        return constant.to_bits().map(u64::cast_signed);
    }
    i64::try_from(constant.as_integer()?).ok()
}

/// The value of a variable at a point, the same in every run.
fn coordinate(var: VarId, point: usize) -> i64 {
    1 + (mixed(var.index() as u64, point) % LIMITS[point % LIMITS.len()]) as i64
}

/// A number that depends on the point and on another number.
fn mixed(seed: u64, point: usize) -> u64 {
    // Knuth's generator, and a shift, as its low bits repeat.
    let mut state = (seed << 8) | point as u64;
    for _ in 0..3 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^= state >> 29;
    }
    state >> 33
}
