//! Distances between the results of two forms.

use halidom_base::FxHashSet;
use halidom_ir::{
    Algorithm, Array, BinaryOp, Constant, Expr, ExprId, FuncId, Intrinsic, Pool, Scalar,
};

/// The largest tolerated distance between the floats of two forms, relative to the largest element
/// that differs. Halide contracts and regroups floats, and so do we under `fast_math`.
pub(crate) const TOLERANCE: f64 = 1e-3;

/// The comparison rules for the components of outputs, in order, where floats may be rounded at
/// other places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Likeness {
    /// True where integers may differ by one.
    by_one: Vec<bool>,
}

impl Likeness {
    /// Determines the rules for an algorithm. Integers must be equal, unless they come from floats
    /// that were computed. Such integers may differ by one, as `u8(x)` may where `x` is close to an
    /// integer.
    pub(crate) fn of(pool: &Pool, algorithm: &Algorithm) -> Self {
        let is_rounded = |(func, component)| {
            let mut search = Search { pool, seen: FxHashSet::default() };
            search.func(func, component, Above::Values)
        };
        let components = algorithm.output_components(pool).into_iter();
        Self { by_one: components.map(is_rounded).collect() }
    }

    /// Rules that require all integers to be equal.
    pub(crate) fn exact() -> Self {
        Self { by_one: Vec::new() }
    }
}

/// The context of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Above {
    Values,
    /// The value is converted to an integer.
    Conversion,
}

/// Search for floats that are rounded when they are computed and then become integers.
struct Search<'a> {
    pool: &'a Pool,
    seen: FxHashSet<(FuncId, usize, Above)>,
}

impl Search<'_> {
    fn func(&mut self, func: FuncId, component: usize, above: Above) -> bool {
        if !self.seen.insert((func, component, above)) {
            return false;
        }
        let stages = self.pool.func(func).stages();
        let values: Vec<ExprId> =
            stages.iter().filter_map(|stage| stage.values.get(component).copied()).collect();
        values.into_iter().any(|value| self.value(value, above))
    }

    /// Searches the parts of a value. Conditions and indices decide which value is chosen but are
    /// not parts of it: a different choice may differ by any amount.
    fn value(&mut self, expr: ExprId, above: Above) -> bool {
        let is_float = self.pool.ty(expr).scalar.is_float();
        let rounds = is_float && above == Above::Conversion;
        match *self.pool.get(expr) {
            Expr::Cast(_, operand) => {
                let becomes_integer = !is_float && self.pool.ty(operand).scalar.is_float();
                self.value(operand, if becomes_integer { Above::Conversion } else { above })
            }
            Expr::Binary(op, lhs, rhs) => {
                if op.is_comparison() {
                    return false;
                }
                let picks = matches!(op, BinaryOp::Min | BinaryOp::Max);
                (rounds && !picks) || self.value(lhs, above) || self.value(rhs, above)
            }
            Expr::Call(call, operand) => (rounds && !is_exact(call)) || self.value(operand, above),
            Expr::Apply { ref args, .. } => {
                rounds || args.iter().any(|arg| self.value(*arg, above))
            }
            Expr::Unary(_, operand) | Expr::Broadcast { value: operand, .. } => {
                self.value(operand, above)
            }
            Expr::Select { if_true, if_false, .. } => {
                self.value(if_true, above) || self.value(if_false, above)
            }
            Expr::Ref { func, component, .. } => self.func(func, component, above),
            Expr::Shuffle { ref vectors, .. } => {
                vectors.iter().any(|vector| self.value(*vector, above))
            }
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Hole(_) => false,
        }
    }
}

fn is_exact(call: Intrinsic) -> bool {
    match call {
        Intrinsic::Abs
        | Intrinsic::Floor
        | Intrinsic::Ceil
        | Intrinsic::Round
        | Intrinsic::Trunc => true,
        Intrinsic::Sqrt
        | Intrinsic::Exp
        | Intrinsic::Log
        | Intrinsic::Sin
        | Intrinsic::Cos
        | Intrinsic::Tan
        | Intrinsic::Atan => false,
    }
}

/// The largest distance between corresponding arrays, relative to the largest differing element of
/// each. It is infinite if the shapes differ or if integers differ by more than they may. Permitted
/// differences of integers count as zero.
pub(crate) fn furthest(first: &[Array], others: &[Array], likeness: &Likeness) -> f64 {
    if first.len() != others.len() {
        return f64::INFINITY;
    }
    let pairs = first.iter().zip(others).enumerate();
    let distances = pairs.map(|(position, (a, b))| {
        let by_one = likeness.by_one.get(position).copied().unwrap_or(false);
        if by_one && are_one_apart(a, b) { 0.0 } else { Apart::of(a, b).relative() }
    });
    distances.fold(0.0, f64::max)
}

/// Tests whether arrays of integers have the same shape and elements that differ by at most one.
fn are_one_apart(a: &Array, b: &Array) -> bool {
    let integer = |value: Option<Constant>| value.and_then(Constant::as_integer);
    let near = |x, y| match (integer(x), integer(y)) {
        (Some(x), Some(y)) => x.abs_diff(y) <= 1,
        (Some(_) | None, None) | (None, Some(_)) => false,
    };
    if a.shape != b.shape || a.scalar != b.scalar {
        false
    } else if is_dense(a) && is_dense(b) && a.strides == b.strides {
        (0..a.len()).all(|element| near(a.get_element(element), b.get_element(element)))
    } else {
        a.points().all(|point| near(a.get(&point), b.get(&point)))
    }
}

/// Tests whether arrays have bitwise equal elements. All NaNs count as equal.
pub(crate) fn identical(first: &[Array], others: &[Array]) -> bool {
    first.len() == others.len()
        && first.iter().zip(others).all(|(a, b)| {
            let apart = Apart::of(a, b);
            !apart.differs && apart.furthest <= 0.0
        })
}

/// Tests whether an array has no bytes besides its elements.
fn is_dense(array: &Array) -> bool {
    array.scalar.bytes().is_some_and(|bytes| array.len() * bytes == array.data.len())
}

/// The largest difference, and the largest magnitude of the first array's elements that differ.
/// That magnitude is at most the largest over all elements.
#[derive(Default)]
struct Apart {
    furthest: f64,
    largest: f64,
    /// True if any element differs. Zeros of different signs differ but have distance zero.
    differs: bool,
}

impl Apart {
    fn of(a: &Array, b: &Array) -> Self {
        let mut apart = Self::default();
        if a.shape != b.shape || a.scalar != b.scalar {
            apart.furthest = f64::INFINITY;
        } else if a == b {
            // The arrays are identical.
        } else if is_dense(a) && is_dense(b) && a.strides == b.strides {
            apart.elements(a, b);
        } else {
            apart.points(a, b);
        }
        apart
    }

    /// Compares elements that are laid out differently.
    fn points(&mut self, a: &Array, b: &Array) {
        let float = |value: Option<Constant>| {
            value.and_then(|value| value.as_f64().or(value.as_f32().map(f64::from)))
        };
        for point in a.points() {
            let (of_a, of_b) = (a.get(&point), b.get(&point));
            match (float(of_a), float(of_b)) {
                (Some(x), Some(y)) => self.values(x, y),
                _ if of_a == of_b => {}
                _ => self.furthest = f64::INFINITY,
            }
        }
    }

    /// Compares elements that have the same layout in both arrays.
    fn elements(&mut self, a: &Array, b: &Array) {
        if a.scalar == Scalar::F32 {
            let parts = |bytes: &[u8; 4]| f64::from(f32::from_ne_bytes(*bytes));
            let (of_a, of_b) = (a.data.as_chunks().0, b.data.as_chunks().0);
            of_a.iter().zip(of_b).for_each(|(x, y)| self.values(parts(x), parts(y)));
        } else if a.scalar == Scalar::F64 {
            let (of_a, of_b) = (a.data.as_chunks().0, b.data.as_chunks().0);
            let pairs = of_a.iter().zip(of_b);
            pairs.for_each(|(x, y)| self.values(f64::from_ne_bytes(*x), f64::from_ne_bytes(*y)));
        } else {
            self.furthest = f64::INFINITY;
        }
    }

    fn values(&mut self, x: f64, y: f64) {
        if x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()) {
            return;
        }
        self.differs = true;
        let apart = (x - y).abs();
        // An infinity or NaN on one side only gives no numeric difference.
        self.furthest = if apart.is_finite() { self.furthest.max(apart) } else { f64::INFINITY };
        self.largest = self.largest.max(x.abs());
    }

    fn relative(&self) -> f64 {
        if self.furthest > 0.0 {
            if self.furthest.is_finite() {
                self.furthest / self.largest.max(f64::MIN_POSITIVE)
            } else {
                f64::INFINITY
            }
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Likeness, furthest, identical};
    use halidom_driver::source;
    use halidom_ir::{Array, Constant, Scalar};

    fn array(scalar: Scalar, padding: i64, values: &[Constant]) -> Array {
        let shape = vec![(0, values.len() as i64), (0, 1)];
        let mut array = Array::padded(scalar, shape, &[padding, 0]).unwrap();
        for (position, value) in values.iter().enumerate() {
            assert!(array.set(&[position as i64, 0], *value));
        }
        array
    }

    fn floats(padding: i64, values: &[f32]) -> Array {
        let values: Vec<Constant> = values.iter().map(|value| Constant::f32(*value)).collect();
        array(Scalar::F32, padding, &values)
    }

    fn exactly(first: &[Array], others: &[Array]) -> f64 {
        furthest(first, others, &Likeness::exact())
    }

    /// The comparison rules of a pipeline's output.
    fn likeness(definitions: &str) -> Likeness {
        let text = format!(
            "pipeline p(a: buffer<f32, 1>, b: buffer<u8, 1>, s: f32) -> output: buffer<u8, 1> \
                {{\n{definitions}\n}}\n"
        );
        let loaded = source::parse("p.hal", text);
        assert_eq!(loaded.module.diagnostics, [], "{definitions}");
        Likeness::of(&loaded.module.pool, &loaded.module.pipelines[0].algorithm)
    }

    #[test]
    fn integers_made_of_computed_floats_may_be_one_apart() {
        let by_one = Likeness { by_one: vec![true] };
        for definitions in [
            "func output(x) = u8(a(x) * s);",
            "func output(x) = b(x) + 2 * u8(sqrt(a(x)));",
            "func t(x) = a(x) + 0.5; func output(x) = u8(floor(t(x)));",
            "func t(x) = i32(a(x) / s); func output(x) = select(b(x) > 3, u8(t(x)), 1);",
            "func output(x) { output(x) = 0; for k in 0..5 { output(k) += u8(a(k) * 2.0); } }",
        ] {
            assert_eq!(likeness(definitions), by_one, "{definitions}");
        }
        let exact = Likeness { by_one: vec![false] };
        for definitions in [
            "func output(x) = b(x) / 3;",
            // A value that is not computed is not rounded.
            "func output(x) = u8(a(x));",
            "func output(x) = u8(max(f32(b(x)), s));",
            // Floats that decide a choice do not make the chosen value inexact.
            "func output(x) = select(a(x) * s > 1.0, b(x), 7);",
            "func output(x) = b(clamp(int(i32(a(x) * s)), 0, 9));",
        ] {
            assert_eq!(likeness(definitions), exact, "{definitions}");
        }
    }

    #[test]
    fn integers_one_apart_are_near_where_they_may_be() {
        let of = |padding, values: [i128; 2]| {
            [array(
                Scalar::U8,
                padding,
                &values.map(|value| Constant::wrapped(Scalar::U8, value).unwrap()),
            )]
        };
        let by_one = Likeness { by_one: vec![true] };
        for padding in [0, 3] {
            for near in [[7, 8], [6, 8], [8, 9]] {
                let far = furthest(&of(0, [7, 8]), &of(padding, near), &by_one);
                assert_eq!(far.to_bits(), 0.0_f64.to_bits(), "{near:?}");
            }
            for far in [[7, 10], [5, 8], [255, 8]] {
                assert!(furthest(&of(0, [7, 8]), &of(padding, far), &by_one).is_infinite());
            }
            assert!(exactly(&of(0, [7, 8]), &of(padding, [7, 9])).is_infinite());
            assert!(furthest(&of(0, [0, 8]), &of(padding, [255, 8]), &by_one).is_infinite());
        }
        let floats = [floats(0, &[1.0, 2.0])];
        let others = [self::floats(0, &[1.0, 3.0])];
        assert!(furthest(&floats, &others, &by_one) > 0.1);
    }

    #[test]
    fn floats_are_compared_with_the_largest() {
        for padding in [0, 3] {
            let first = floats(0, &[1.0, 200.0, f32::NAN]);
            let near =
                exactly(std::slice::from_ref(&first), &[floats(padding, &[1.0, 201.0, f32::NAN])]);
            assert!((near - 0.005).abs() < 1e-9, "{near}");
            for far in [f32::NAN, f32::INFINITY] {
                let others = [floats(padding, &[1.0, far, f32::NAN])];
                assert!(exactly(std::slice::from_ref(&first), &others).is_infinite());
            }
            assert!(
                exactly(std::slice::from_ref(&first), &[first.clone(), first.clone()])
                    .is_infinite()
            );
        }
    }

    #[test]
    fn zeros_of_two_signs_are_not_identical() {
        for padding in [0, 3] {
            let (first, other) = ([floats(0, &[0.0, 1.0])], [floats(padding, &[-0.0, 1.0])]);
            assert_eq!(exactly(&first, &other).to_bits(), 0.0_f64.to_bits());
            assert!(!identical(&first, &other));
            let nans = |bits| [floats(padding, &[f32::from_bits(bits), 1.0])];
            assert!(identical(&nans(0x7fc0_0000), &nans(0x7fc0_0001)));
        }
    }

    #[test]
    fn a_difference_beside_a_greater_one_does_not_hide_it() {
        let far = exactly(&[floats(0, &[1.0, 1.0])], &[floats(0, &[f32::NAN, 2.0])]);
        assert!(far.is_infinite());
    }

    #[test]
    fn integers_are_equal_or_not() {
        let of = |padding, last| {
            array(
                Scalar::I32,
                padding,
                &[1, last].map(|value| Constant::wrapped(Scalar::I32, value).unwrap()),
            )
        };
        assert_eq!(exactly(&[of(0, 2)], &[of(3, 2)]).to_bits(), 0.0_f64.to_bits());
        assert!(exactly(&[of(0, 2)], &[of(0, 3)]).is_infinite());
        assert!(exactly(&[of(0, 2)], &[of(3, 3)]).is_infinite());
    }
}
