//! Linearized arrays (TV §7.1): accesses are annotated with coordinates and denote the element at
//! these coordinates.
//!
//! # Correctness
//! For every access we show `index = Σ slot_k·stride_k`, with the slots of [`Dimension::slot`]. We
//! show it as an identity of polynomials or, where strides are unknown, separately for the
//! coefficient of each product of the strides' atoms. Each array has one linearization, and its
//! injectivity follows from the strides. For internal arrays, the strides are, in some order of the
//! dimensions, the products of the preceding extents. For outputs, entry checks imply that each
//! stride steps over the dimensions inside.

use halidom_base::FxHashSet;
use halidom_ir::{BufferId, BufferKind, ExprId, Pool, StoreIn};
use halidom_poly::Set;

use crate::affine::Affine;
use crate::heap::entails;
use crate::polynomial::Polynomial;
use crate::premise::Gap;

/// One dimension of an array.
#[derive(Clone)]
pub(crate) struct Dimension {
    pub(crate) min: Polynomial,
    pub(crate) extent: Polynomial,
    pub(crate) stride: Polynomial,
    pub(crate) folded: bool,
}

/// The layout of an array. The variables in it must be bound when this is called.
pub(crate) fn dimensions(
    pool: &Pool,
    affine: &mut Affine,
    buffer: BufferId,
) -> Result<Vec<Dimension>, Gap> {
    let decl = pool.buffer(buffer);
    if matches!(decl.store_in, StoreIn::Within(_)) {
        return Err(Gap::new("an array in the memory of another one"));
    }
    let mut dimensions = Vec::new();
    for dim in &decl.dims {
        let [min, extent, stride] = [dim.min, dim.extent, dim.stride];
        let dimension = Dimension {
            min: affine.int(pool, min)?,
            extent: affine.int(pool, extent)?,
            stride: affine.int(pool, stride)?,
            folded: dim.folded,
        };
        let sound = dimension.min.is_zero()
            && dimension.extent.as_constant().is_some_and(|extent| extent > 0)
            && decl.kind == BufferKind::Internal;
        if dim.folded && !sound {
            return Err(Gap::new("an array that is folded by what is no constant"));
        }
        dimensions.push(dimension);
    }
    Ok(dimensions)
}

impl Dimension {
    /// The slot of a coordinate: its distance from the least coordinate, or, in a folded dimension,
    /// its remainder by the extent.
    fn slot(&self, affine: &mut Affine, coord: &Polynomial) -> Result<Polynomial, Gap> {
        let from = if self.folded {
            let quotient = affine.quotient(coord, &self.extent)?;
            quotient.times(&self.extent)
        } else {
            Some(self.min.clone())
        };
        from.and_then(|from| coord.plus(-1, &from)).ok_or_else(|| Gap::new("a long polynomial"))
    }

    /// The location that the heap uses for a coordinate.
    pub(crate) fn location(
        &self,
        affine: &mut Affine,
        coord: &Polynomial,
    ) -> Result<Polynomial, Gap> {
        if self.folded { self.slot(affine, coord) } else { Ok(coord.clone()) }
    }
}

/// Tests whether a linear index addresses the given coordinates wherever the facts hold.
pub(crate) fn located(
    pool: &Pool,
    affine: &mut Affine,
    facts: &Set,
    dimensions: &[Dimension],
    (index, coords): (ExprId, &[Polynomial]),
) -> Result<bool, Gap> {
    let mut difference = affine.int(pool, index)?;
    for (dimension, coord) in dimensions.iter().zip(coords) {
        let slot = dimension.slot(affine, coord)?;
        let step = slot.times(&dimension.stride).and_then(|step| difference.plus(-1, &step));
        difference = step.ok_or_else(|| Gap::new("a long polynomial"))?;
    }
    if difference.is_zero() {
        return Ok(true);
    }
    let strides: Vec<_> = dimensions.iter().flat_map(|dim| dim.stride.atoms()).collect();
    for part in difference.coefficients(&strides) {
        if !entails(facts, &affine.zero(&part)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// True if in some order of the dimensions each stride is the product of `first` and the preceding
/// extents.
pub(crate) fn is_mixed_radix(dimensions: &[Dimension], first: &Polynomial) -> bool {
    dimensions.is_empty()
        || dimensions.iter().enumerate().any(|(position, dimension)| {
            let mut others = dimensions.to_vec();
            others.remove(position);
            dimension.stride == *first
                && first.times(&dimension.extent).is_some_and(|next| is_mixed_radix(&others, &next))
        })
}

/// True if each stride is known to step over the dimensions inside; `known` holds polynomials that
/// are at least 0.
pub(crate) fn steps_over(dimensions: &[Dimension], known: &FxHashSet<Polynomial>) -> bool {
    let mut least = Some(Polynomial::constant(1));
    dimensions.iter().all(|dimension| {
        let room = least.as_ref().and_then(|least| dimension.stride.plus(-1, least));
        least = dimension.stride.times(&dimension.extent);
        room.is_some_and(|room| {
            room.as_constant().map_or_else(|| known.contains(&room), |room| room >= 0)
        })
    })
}
