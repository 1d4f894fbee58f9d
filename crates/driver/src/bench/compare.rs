//! How far what two forms compute is apart.

use halidom_ir::{Array, Constant, Scalar};

/// How far floats may be from those of another form, of the largest element: Halide contracts and regroups them, and so do we under `fast_math`.
pub(crate) const TOLERANCE: f64 = 1e-3;

/// How far arrays are from others, of the largest element of each; infinite where they are of different shapes, or integers differ.
pub(crate) fn furthest(first: &[Array], others: &[Array]) -> f64 {
    if first.len() != others.len() {
        return f64::INFINITY;
    }
    first.iter().zip(others).map(|(a, b)| distance(a, b)).fold(0.0, f64::max)
}

/// Whether arrays have the same elements, bit by bit; one NaN is as good as another.
pub(crate) fn identical(first: &[Array], others: &[Array]) -> bool {
    first.len() == others.len()
        && first.iter().zip(others).all(|(a, b)| {
            let apart = Apart::of(a, b);
            !apart.differs && apart.furthest <= 0.0
        })
}

fn distance(a: &Array, b: &Array) -> f64 {
    Apart::of(a, b).relative()
}

/// Whether an array has no bytes but its elements'.
fn is_dense(array: &Array) -> bool {
    array.scalar.bytes().is_some_and(|bytes| array.len() * bytes == array.data.len())
}

/// The greatest difference, and the largest of the elements that differ: never more than that of all.
#[derive(Default)]
struct Apart {
    furthest: f64,
    largest: f64,
    /// Whether any element differs: zeros of two signs are no distance apart.
    differs: bool,
}

impl Apart {
    fn of(a: &Array, b: &Array) -> Self {
        let mut apart = Self::default();
        if a.shape != b.shape || a.scalar != b.scalar {
            apart.furthest = f64::INFINITY;
        } else if a == b {
            // Nothing is apart.
        } else if is_dense(a) && is_dense(b) && a.strides == b.strides {
            apart.elements(a, b);
        } else {
            apart.points(a, b);
        }
        apart
    }

    /// Elements that lie differently.
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

    /// Elements that lie alike in both.
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
        // Of one infinity or NaN alone the difference is none of numbers.
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
    use super::{furthest, identical};
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

    #[test]
    fn floats_are_compared_with_the_largest() {
        for padding in [0, 3] {
            let first = floats(0, &[1.0, 200.0, f32::NAN]);
            let near =
                furthest(std::slice::from_ref(&first), &[floats(padding, &[1.0, 201.0, f32::NAN])]);
            assert!((near - 0.005).abs() < 1e-9, "{near}");
            for far in [f32::NAN, f32::INFINITY] {
                let others = [floats(padding, &[1.0, far, f32::NAN])];
                assert!(furthest(std::slice::from_ref(&first), &others).is_infinite());
            }
            assert!(
                furthest(std::slice::from_ref(&first), &[first.clone(), first.clone()])
                    .is_infinite()
            );
        }
    }

    #[test]
    fn zeros_of_two_signs_are_not_identical() {
        for padding in [0, 3] {
            let (first, other) = ([floats(0, &[0.0, 1.0])], [floats(padding, &[-0.0, 1.0])]);
            assert_eq!(furthest(&first, &other).to_bits(), 0.0_f64.to_bits());
            assert!(!identical(&first, &other));
            let nans = |bits| [floats(padding, &[f32::from_bits(bits), 1.0])];
            assert!(identical(&nans(0x7fc0_0000), &nans(0x7fc0_0001)));
        }
    }

    #[test]
    fn a_difference_beside_a_greater_one_does_not_hide_it() {
        let far = furthest(&[floats(0, &[1.0, 1.0])], &[floats(0, &[f32::NAN, 2.0])]);
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
        assert_eq!(furthest(&[of(0, 2)], &[of(3, 2)]).to_bits(), 0.0_f64.to_bits());
        assert!(furthest(&[of(0, 2)], &[of(0, 3)]).is_infinite());
        assert!(furthest(&[of(0, 2)], &[of(3, 3)]).is_infinite());
    }
}
