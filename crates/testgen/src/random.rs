//! Random numbers, constants and arrays, the same for the same seed on every machine.

use halidom_ir::{Array, Constant, Nesting, Scalar, Shape};

/// `SplitMix64` (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Returns a generator whose numbers depend only on the seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a number in `0..bound`, or 0 if the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.bits() % bound as u64) as usize }
    }

    /// Returns a number in `low..=high`, or `low` if the range is empty.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = usize::try_from(i128::from(high) - i128::from(low) + 1).unwrap_or(1);
        low.saturating_add(self.below(span) as i64)
    }

    /// Returns true with a probability of `percent` %.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Puts a slice in random order.
    pub fn shuffle<T>(&mut self, slice: &mut [T]) {
        for last in (1..slice.len()).rev() {
            slice.swap(last, self.below(last + 1));
        }
    }

    /// Returns true with a probability of one in `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns one of the items, or `None` if there are no items.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Returns a value of a type: a finite float in `[0, 1)`, a machine integer of its whole range,
    /// or an `int` in `1..=16`.
    pub fn constant(&mut self, scalar: Scalar) -> Constant {
        let bits = self.bits();
        match scalar {
            Scalar::F32 => Constant::f32((bits >> 40) as f32 / (1_u32 << 24) as f32),
            Scalar::F64 => Constant::f64((bits >> 11) as f64 / (1_u64 << 53) as f64),
            Scalar::Int => Constant::int(i128::from(bits % 16 + 1)),
            Scalar::Bool => Constant::bool(bits & 1 == 1),
            Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => {
                Constant::wrapped(scalar, i128::from(bits)).unwrap_or(Constant::zero(scalar))
            }
        }
    }
}

/// Returns the value of parameter number `number` for a seed.
pub fn random_constant(scalar: Scalar, seed: u64, number: u64) -> Constant {
    Random::new(seed ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93)).constant(scalar)
}

/// Returns a dense array of random values. Returns `None` for `int`, negative extents, or sizes
/// beyond the address space.
pub fn random_array(scalar: Scalar, shape: Shape, seed: u64) -> Option<Array> {
    let padding = vec![0; shape.len()];
    random_padded_array(scalar, shape, &padding, &mut Random::new(seed))
}

/// Returns the same with its dimensions nested in this order.
pub fn random_nested_array(
    scalar: Scalar,
    shape: Shape,
    nesting: &Nesting,
    seed: u64,
) -> Option<Array> {
    let padding = vec![0; shape.len()];
    filled(Array::nested(scalar, shape, &padding, nesting)?, &mut Random::new(seed))
}

/// Returns the same with `padding[k]` unused elements after each run along dimension `k`. These are
/// random as well, so a program that reads them is noticed.
pub(crate) fn random_padded_array(
    scalar: Scalar,
    shape: Shape,
    padding: &[i64],
    random: &mut Random,
) -> Option<Array> {
    filled(Array::padded(scalar, shape, padding)?, random)
}

fn filled(mut array: Array, random: &mut Random) -> Option<Array> {
    let scalar = array.scalar;
    for element in 0..array.data.len() / scalar.bytes()? {
        let value = random.constant(scalar);
        if !array.set_element(element, value) {
            return None;
        }
    }
    Some(array)
}

#[cfg(test)]
mod tests {
    use super::{Random, random_array};
    use halidom_ir::Scalar;

    #[test]
    fn arrays_depend_on_the_seed_alone() {
        let make = |seed| random_array(Scalar::F32, vec![(-2, 5), (0, 3)], seed).unwrap();
        assert_eq!(make(7), make(7));
        assert_ne!(make(7), make(8));
        for point in make(7).points() {
            let value = make(7).get(&point).and_then(halidom_ir::Constant::as_f32).unwrap();
            assert!((0.0..1.0).contains(&value));
        }
    }

    #[test]
    fn ranges_are_kept_and_covered() {
        let mut random = Random::new(3);
        let drawn: Vec<i64> = (0..200).map(|_| random.between(-2, 2)).collect();
        assert!((-2..=2).all(|number| drawn.contains(&number)));
        assert!(drawn.iter().all(|number| (-2..=2).contains(number)));
        assert_eq!((random.below(0), random.between(5, 4)), (0, 5));
        let mut order: Vec<usize> = (0..9).collect();
        random.shuffle(&mut order);
        assert_ne!(order, (0..9).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..9).collect::<Vec<_>>());
    }

    #[test]
    fn the_generator_is_the_published_one() {
        // First outputs of the reference implementation for seed 0.
        let mut random = Random::new(0);
        assert_eq!([random.bits(), random.bits()], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }
}
