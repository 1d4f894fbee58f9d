//! The elements of arrays, in the order of files.

use halidom_ir::{Array, Constant, Scalar, Shape};

/// The values of an array in the order of its points, without padding.
pub(super) fn values(array: &Array) -> impl Iterator<Item = Constant> + '_ {
    array.points().filter_map(|point| array.get(&point))
}

/// A dense array of the given values in the order of its points; `None` if their number or type is
/// wrong.
pub(super) fn from_values(
    scalar: Scalar,
    shape: Shape,
    values: impl Iterator<Item = Constant>,
) -> Option<Array> {
    let mut array = Array::zeros(scalar, shape)?;
    let mut count = 0;
    for value in values {
        if !array.set_element(count, value) {
            return None;
        }
        count += 1;
    }
    (count == array.len()).then_some(array)
}
