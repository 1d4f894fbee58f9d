//! Concrete arrays, which pipelines read and write.

use crate::{Constant, Scalar};

/// The box of an array: one `(min, extent)` for each dimension, first dimension first.
pub type Shape = Vec<(i64, i64)>;

/// The order of an array's dimensions in memory, innermost first: each dimension with the least
/// distance in elements between its neighbours.
pub type Nesting = Vec<(usize, i64)>;

/// A dense or padded array of machine values. The element at `(c_0, …)` has the number
/// `Σ (c_k - min_k) * stride_k`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The element type, never `int`.
    pub scalar: Scalar,
    /// The box.
    pub shape: Shape,
    /// The distance in elements between neighbours, one for each dimension.
    pub strides: Vec<i64>,
    /// The elements' bytes in native order, padding included.
    pub data: Vec<u8>,
}

impl Array {
    /// Returns a dense array of zeros, the first dimension innermost. Returns `None` for `int`,
    /// negative extents, or sizes beyond the address space.
    pub fn zeros(scalar: Scalar, shape: Shape) -> Option<Self> {
        let padding = vec![0; shape.len()];
        Self::padded(scalar, shape, &padding)
    }

    /// Returns an array of zeros with `padding[k]` unused elements after each run along dimension
    /// `k`. Returns `None` as [`Self::zeros`] does, and for negative padding.
    pub fn padded(scalar: Scalar, shape: Shape, padding: &[i64]) -> Option<Self> {
        let nesting: Nesting = (0..shape.len()).map(|dim| (dim, 0)).collect();
        Self::nested(scalar, shape, padding, &nesting)
    }

    /// Returns an array like [`Self::padded`] whose dimensions nest in another order. Returns
    /// `None` also if the order does not have each dimension once.
    pub fn nested(
        scalar: Scalar,
        shape: Shape,
        padding: &[i64],
        nesting: &[(usize, i64)],
    ) -> Option<Self> {
        let bytes = i64::try_from(scalar.bytes()?).ok()?;
        let (strides, size) = nested_strides(&shape, padding, nesting)?;
        let length = usize::try_from(size.checked_mul(bytes)?).ok()?;
        Some(Self { scalar, shape, strides, data: halidom_base::memory::zeroed(length)? })
    }

    /// The number of points in the box.
    pub fn len(&self) -> usize {
        self.shape.iter().map(|(_, extent)| usize::try_from(*extent).unwrap_or(0)).product()
    }

    /// True if the box is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the element number of a point. Returns `None` if the point is outside the box or has
    /// a wrong number of coordinates.
    pub fn offset(&self, coords: &[i64]) -> Option<usize> {
        if coords.len() != self.shape.len() {
            return None;
        }
        let mut offset = 0;
        for ((coord, (min, extent)), stride) in coords.iter().zip(&self.shape).zip(&self.strides) {
            let step = coord.checked_sub(*min)?;
            if step < 0 || step >= *extent {
                return None;
            }
            offset += step * stride;
        }
        usize::try_from(offset).ok()
    }

    /// Returns the value at a point, or `None` outside the box.
    pub fn get(&self, coords: &[i64]) -> Option<Constant> {
        self.get_element(self.offset(coords)?)
    }

    /// Writes a value of the array's type at a point. Returns true if the point is in the box and
    /// the type is right; otherwise nothing is written.
    #[must_use]
    pub fn set(&mut self, coords: &[i64], value: Constant) -> bool {
        match self.offset(coords) {
            Some(element) => self.set_element(element, value),
            None => false,
        }
    }

    /// Returns the element with this number. Padding counts.
    pub fn get_element(&self, element: usize) -> Option<Constant> {
        let bytes = self.scalar.bytes()?;
        let slice = self.data.get(element * bytes..(element + 1) * bytes)?;
        let mut bits = [0_u8; 8];
        bits[..bytes].copy_from_slice(slice);
        Constant::from_bits(self.scalar, u64::from_le_bytes(bits))
    }

    /// Writes the element with this number. Returns true if the element exists and the type is
    /// right; otherwise nothing is written.
    #[must_use]
    pub fn set_element(&mut self, element: usize, value: Constant) -> bool {
        let (Some(bytes), Some(bits)) = (self.scalar.bytes(), value.to_bits()) else {
            return false;
        };
        if value.scalar() != self.scalar {
            return false;
        }
        match self.data.get_mut(element * bytes..(element + 1) * bytes) {
            Some(slice) => {
                slice.copy_from_slice(&bits.to_le_bytes()[..bytes]);
                true
            }
            None => false,
        }
    }

    /// Iterates over the points of the box, first dimension fastest.
    pub fn points(&self) -> impl Iterator<Item = Vec<i64>> + use<> {
        points(&self.shape)
    }
}

/// Iterates over the points of a box, first dimension fastest. A box of rank 0 has one point.
pub fn points(shape: &[(i64, i64)]) -> impl Iterator<Item = Vec<i64>> + use<> {
    let shape = shape.to_vec();
    let empty = shape.iter().any(|(_, extent)| *extent <= 0);
    let mut next = (!empty).then(|| shape.iter().map(|(min, _)| *min).collect::<Vec<_>>());
    std::iter::from_fn(move || {
        let point = next.clone()?;
        next = None;
        let mut successor = point.clone();
        for (coord, (min, extent)) in successor.iter_mut().zip(&shape) {
            *coord += 1;
            if *coord < min + extent {
                next = Some(successor);
                break;
            }
            *coord = *min;
        }
        Some(point)
    })
}

/// Returns the strides of an array with this padding and nesting, and its number of elements.
/// Returns `None` if the nesting does not have each dimension once, and for negative extents.
pub fn nested_strides(
    shape: &[(i64, i64)],
    padding: &[i64],
    nesting: &[(usize, i64)],
) -> Option<(Vec<i64>, i64)> {
    let mut strides = vec![None; shape.len()];
    let mut size = 1_i64;
    for (dim, least) in nesting {
        let ((_, extent), padding) = (*shape.get(*dim)?, *padding.get(*dim)?);
        if extent < 0 || padding < 0 {
            return None;
        }
        size = size.max(*least);
        if strides.get_mut(*dim)?.replace(size).is_some() {
            return None;
        }
        size = size.checked_mul(extent.checked_add(padding)?)?;
    }
    Some((strides.into_iter().collect::<Option<_>>()?, size))
}

#[cfg(test)]
mod tests {
    use super::{Array, points};
    use crate::{Constant, Scalar};

    #[test]
    fn padded_arrays_keep_elements_apart() {
        let mut array = Array::padded(Scalar::U16, vec![(-1, 3), (5, 2)], &[2, 0]).unwrap();
        assert_eq!(array.strides, [1, 5]);
        for (number, point) in array.points().enumerate() {
            assert!(array.set(&point, Constant::wrapped(Scalar::U16, number as i128).unwrap()));
        }
        assert_eq!(array.get(&[1, 6]).and_then(Constant::as_integer), Some(5));
        assert_eq!(array.get(&[2, 6]), None);
        assert!(!array.set(&[-1, 5], Constant::f32(1.0)));
    }

    #[test]
    fn dimensions_nest_in_any_order() {
        let shape = vec![(0, 5), (0, 2), (0, 3)];
        let nesting = [(2, 1), (0, 4), (1, 0)];
        let array = Array::nested(Scalar::U8, shape.clone(), &[0, 0, 0], &nesting).unwrap();
        assert_eq!(array.strides, [4, 20, 1]);
        assert_eq!(array.data.len(), 40);
        assert_eq!(Array::nested(Scalar::U8, shape.clone(), &[0; 3], &nesting[..2]), None);
        assert_eq!(Array::nested(Scalar::U8, shape, &[0; 3], &[(2, 1), (2, 1), (0, 1)]), None);
    }

    #[test]
    fn points_run_along_the_first_dimension_first() {
        assert_eq!(points(&[(0, 2), (3, 2)]).collect::<Vec<_>>(), [[0, 3], [1, 3], [0, 4], [1, 4]]);
        assert_eq!(points(&[(0, 0), (3, 2)]).count(), 0);
        assert_eq!(points(&[]).count(), 1);
    }
}
