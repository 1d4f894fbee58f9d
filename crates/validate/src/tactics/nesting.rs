//! The order in which the dimensions of a buffer nest.

use crate::program::Dimension;
use crate::space::{PolyId, Space};

/// Proposes an order in which each stride is the product of the extents before, or else the order
/// of the strides that are known numbers.
pub(super) fn nesting(space: &Space, dims: &[Dimension]) -> Vec<usize> {
    let all: Vec<usize> = (0..dims.len()).collect();
    let (one, mut found) = (space.constant(1), Vec::new());
    if dense(space, dims, (&all, one), &mut found) {
        return found;
    }
    // Of dimensions with the same constant stride, only those of one element leave room for others.
    let mut order = all;
    order.sort_by_key(|dim| {
        let [stride, extent] = [dims[*dim].stride, dims[*dim].extent];
        let single = space.as_constant(extent) == Some(1);
        space.as_constant(stride).map_or((i128::MAX, true), |stride| (stride, !single))
    });
    order
}

/// Finds an order of the dimensions that are left in which each stride is the product of `first`
/// and the extents before.
fn dense(
    space: &Space,
    dims: &[Dimension],
    (left, first): (&[usize], PolyId),
    found: &mut Vec<usize>,
) -> bool {
    // A dimension with one coordinate has the same stride as the next one, so each candidate may
    // have to be tried.
    left.is_empty()
        || left.iter().any(|dim| {
            if dims[*dim].stride != first {
                return false;
            }
            let others: Vec<usize> = left.iter().filter(|other| *other != dim).copied().collect();
            let next = space.mul(first, dims[*dim].extent);
            found.push(*dim);
            let is_dense = dense(space, dims, (&others, next), found);
            if !is_dense {
                found.pop();
            }
            is_dense
        })
}
