//! Stores values by point: in a dense box that grows as long as the points fill it, else in a hash
//! map.

use halidom_base::FxHashMap;
use halidom_ir::{Constant, Scalar};

use crate::code::Value;

/// A box with up to this many points is dense, no matter how few values it holds.
const SMALL: i128 = 4096;
/// The maximal number of points for each stored value in a larger box.
const SLACK: i128 = 16;

/// Values of one scalar type by point. A stored `None` is an unknown value.
pub(super) struct Table {
    scalar: Scalar,
    count: usize,
    storage: Storage,
}

enum Storage {
    Dense(Dense),
    Sparse(FxHashMap<Box<[i64]>, Value>),
}

#[derive(Default)]
struct Dense {
    mins: Vec<i64>,
    extents: Vec<i64>,
    bits: Vec<u64>,
    state: Vec<State>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Absent,
    Known,
    Unknown,
}

impl Table {
    pub(super) fn new(scalar: Scalar, rank: usize) -> Self {
        let storage = if scalar == Scalar::Int {
            // An `int` has no fixed width for a dense box.
            Storage::Sparse(FxHashMap::default())
        } else {
            let (mins, extents) = (vec![0; rank], vec![0; rank]);
            Storage::Dense(Dense { mins, extents, ..Dense::default() })
        };
        Self { scalar, count: 0, storage }
    }

    /// The stored value of a point, if there is one.
    pub(super) fn get(&self, point: &[i64]) -> Option<Value> {
        match &self.storage {
            Storage::Sparse(map) => map.get(point).copied(),
            Storage::Dense(dense) => {
                let element = dense.element(point)?;
                match dense.state[element] {
                    State::Absent => None,
                    State::Known => Some(Constant::from_bits(self.scalar, dense.bits[element])),
                    State::Unknown => Some(None),
                }
            }
        }
    }

    /// Stores the value of a point and overwrites an earlier one.
    pub(super) fn set(&mut self, point: &[i64], value: Value) {
        self.count += 1;
        if let Storage::Dense(dense) = &mut self.storage {
            let bits = value.and_then(Constant::to_bits);
            if dense.reach(point, self.count) {
                dense.put(point, bits);
                return;
            }
            self.storage = Storage::Sparse(dense.scattered(self.scalar));
        }
        if let Storage::Sparse(map) = &mut self.storage {
            map.insert(point.into(), value);
        }
    }
}

impl Dense {
    fn element(&self, point: &[i64]) -> Option<usize> {
        let mut element = 0_usize;
        let mut stride = 1_usize;
        if self.state.is_empty() {
            return None;
        }
        for ((coord, min), extent) in point.iter().zip(&self.mins).zip(&self.extents) {
            let step = coord.wrapping_sub(*min);
            if *coord < *min || step < 0 || step >= *extent {
                return None;
            }
            element += step as usize * stride;
            stride *= *extent as usize;
        }
        Some(element)
    }

    fn put(&mut self, point: &[i64], bits: Option<u64>) {
        if let Some(element) = self.element(point) {
            self.bits[element] = bits.unwrap_or(0);
            self.state[element] = if bits.is_some() { State::Known } else { State::Unknown };
        }
    }

    /// Grows the box to contain `point`. Returns false if that would need too much memory for
    /// `count` points.
    fn reach(&mut self, point: &[i64], count: usize) -> bool {
        if self.element(point).is_some() {
            return true;
        }
        let allowed = SMALL.max(SLACK * count as i128);
        let volume = |extents: &[i64]| {
            extents
                .iter()
                .try_fold(1_i128, |product, extent| product.checked_mul(i128::from(*extent)))
        };
        // The first attempt leaves room to grow further, the second is exact.
        for room in [2, i64::MAX] {
            if let Some((mins, extents)) = self.grown(point, room)
                && volume(&extents).is_some_and(|volume| volume <= allowed)
            {
                self.relocate(mins, extents);
                return true;
            }
        }
        false
    }

    /// The box extended to contain `point`. Each side that grows gets an extra `1 / room` of the
    /// extent.
    fn grown(&self, point: &[i64], room: i64) -> Option<(Vec<i64>, Vec<i64>)> {
        let mut mins = Vec::with_capacity(point.len());
        let mut extents = Vec::with_capacity(point.len());
        for ((coord, min), extent) in point.iter().zip(&self.mins).zip(&self.extents) {
            let (mut low, mut high) = if self.state.is_empty() {
                (*coord, coord.checked_add(1)?)
            } else {
                (*min, min.checked_add(*extent)?)
            };
            let extra = extent / room;
            if *coord < low {
                low = coord.checked_sub(extra)?;
            } else if *coord >= high {
                high = coord.checked_add(1)?.checked_add(extra)?;
            }
            mins.push(low);
            extents.push(high.checked_sub(low)?);
        }
        Some((mins, extents))
    }

    fn relocate(&mut self, mins: Vec<i64>, extents: Vec<i64>) {
        let size = extents.iter().map(|extent| *extent as usize).product();
        let mut larger =
            Self { mins, extents, bits: vec![0; size], state: vec![State::Absent; size] };
        self.for_each_present(|point, bits| larger.put(point, bits));
        *self = larger;
    }

    fn scattered(&self, scalar: Scalar) -> FxHashMap<Box<[i64]>, Value> {
        let mut map = FxHashMap::default();
        self.for_each_present(|point, bits| {
            map.insert(point.into(), bits.and_then(|bits| Constant::from_bits(scalar, bits)));
        });
        map
    }

    fn for_each_present(&self, mut visit: impl FnMut(&[i64], Option<u64>)) {
        let mut point = self.mins.clone();
        for (state, bits) in self.state.iter().zip(&self.bits) {
            match state {
                State::Absent => {}
                State::Known => visit(&point, Some(*bits)),
                State::Unknown => visit(&point, None),
            }
            for ((coord, min), extent) in point.iter_mut().zip(&self.mins).zip(&self.extents) {
                *coord += 1;
                if *coord < min + extent {
                    break;
                }
                *coord = *min;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use halidom_ir::{Constant, Scalar};

    use super::{Storage, Table};

    /// Stores the numbers of `points`. Then finds all of them and nothing else.
    fn check(points: &[[i64; 2]], dense: bool) {
        let value = |number: usize| Constant::wrapped(Scalar::U16, number as i128);
        let mut table = Table::new(Scalar::U16, 2);
        for (number, point) in points.iter().enumerate() {
            assert_eq!(table.get(point), None, "{point:?} before it is stored");
            table.set(point, value(number));
        }
        for (number, point) in points.iter().enumerate() {
            assert_eq!(table.get(point), Some(value(number)), "{point:?}");
        }
        assert_eq!(table.get(&[-77, 12_345]), None);
        assert_eq!(matches!(table.storage, Storage::Dense(_)), dense);
    }

    #[test]
    fn near_points_are_dense_and_far_ones_are_not() {
        let grid: Vec<[i64; 2]> =
            (0..80).flat_map(|y| (0..90).map(move |x| [x - 40, 3 - y])).collect();
        check(&grid, true);
        check(&[[0, 0], [-3, 5], [1_000_000_000, 5], [i64::MIN, i64::MAX]], false);
    }

    #[test]
    fn a_point_of_rank_zero_and_unknown_values_are_kept() {
        let mut table = Table::new(Scalar::F32, 0);
        assert_eq!(table.get(&[]), None);
        table.set(&[], Some(Constant::f32(2.5)));
        assert_eq!(table.get(&[]), Some(Some(Constant::f32(2.5))));
        table.set(&[], None);
        assert_eq!(table.get(&[]), Some(None));
    }
}
