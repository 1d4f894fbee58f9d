//! Random small systems of constraints; every answer is compared with an enumeration of a box of
//! points.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use halidom_poly::{
    Condition, Constraint, Context, DEFAULT_WORK_LIMIT, Dim, QuasiAffine, Relation, Set,
};

/// The bound of the coordinates, which range over `-RADIUS..=RADIUS`.
const RADIUS: i64 = 4;
const SYSTEMS: u64 = 250;

/// A small pseudorandom generator (xorshift), so that the cases are the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn within(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1).cast_unsigned()).cast_signed()
    }

    fn expr(&mut self, dims: &[Dim], depth: u32) -> QuasiAffine {
        let mut sum = QuasiAffine::Constant(self.within(-4, 4));
        for dim in dims {
            if self.within(0, 2) > 0 {
                sum = sum.plus(QuasiAffine::Dim(*dim).scale(self.within(-3, 3)));
            }
        }
        if depth == 0 {
            return sum;
        }
        match self.within(0, 6) {
            0 => sum.plus(
                self.expr(dims, depth - 1).floor_div(self.within(2, 4)).scale(self.within(-2, 2)),
            ),
            1 => self.expr(dims, depth - 1).modulo(self.within(2, 4)).plus(sum.floor_div(3)),
            2 => QuasiAffine::Min(vec![sum, self.expr(dims, depth - 1)]),
            3 => QuasiAffine::Max(vec![sum, self.expr(dims, depth - 1)]),
            _ => sum,
        }
    }

    fn condition(&mut self, dims: &[Dim]) -> Condition {
        let conjunctions = (0..self.within(1, 2)).map(|_| {
            let constraints = (0..self.within(1, 3)).map(|_| Constraint {
                expr: self.expr(dims, 1),
                relation: if self.within(0, 5) == 0 {
                    Relation::Zero
                } else {
                    Relation::NonNegative
                },
            });
            constraints.collect()
        });
        Condition(conjunctions.collect())
    }
}

struct System {
    dims: [Dim; 3],
    condition: Condition,
    /// The points of the condition within the box.
    set: Set,
}

impl System {
    fn random(seed: u64) -> Self {
        let context = Context::new(DEFAULT_WORK_LIMIT).unwrap();
        let dims = ["p", "x", "y"].map(|name| context.dim(name));
        let condition = Random(seed * 0x9e37_79b9 + 88_172_645_463_325_252).condition(&dims);
        let sides = |dim| [QuasiAffine::Dim(dim).ge(-RADIUS), QuasiAffine::Dim(dim).le(RADIUS)];
        let cube: Vec<Constraint> = dims.iter().flat_map(|dim| sides(*dim)).collect();
        let cube = Set::from_constraints(&context, &cube).unwrap();
        let set = Set::from_condition(&context, &condition).unwrap().intersect(&cube).unwrap();
        Self { dims, condition, set }
    }

    fn assignment(&self, point: [i64; 3]) -> impl Fn(Dim) -> Option<i64> {
        let dims = self.dims;
        move |dim| dims.iter().position(|known| *known == dim).map(|index| point[index])
    }

    fn holds(&self, point: [i64; 3]) -> bool {
        self.condition.holds(&self.assignment(point)).unwrap()
    }
}

fn range() -> std::ops::RangeInclusive<i64> {
    -RADIUS..=RADIUS
}

fn points() -> impl Iterator<Item = [i64; 3]> {
    range().flat_map(|p| range().flat_map(move |x| range().map(move |y| [p, x, y])))
}

fn each_system(mut check: impl FnMut(u64, &System)) {
    for seed in 1..=SYSTEMS {
        check(seed, &System::random(seed));
    }
}

#[test]
fn constraints_survive_the_way_in_and_out() {
    let mut members = 0;
    each_system(|seed, system| {
        let read = system.set.condition().unwrap();
        for point in points() {
            let expected = system.holds(point);
            members += u32::from(expected);
            assert_eq!(
                read.holds(&system.assignment(point)).unwrap(),
                expected,
                "seed {seed}, {point:?}"
            );
        }
    });
    assert!(members > 10_000, "too few points for the comparison to mean anything: {members}");
}

#[test]
fn emptiness_and_samples_agree_with_enumeration() {
    let mut empty = 0;
    each_system(|seed, system| {
        let expected = !points().any(|point| system.holds(point));
        empty += u32::from(expected);
        assert_eq!(system.set.is_empty().unwrap(), expected, "seed {seed}");
        match system.set.sample().unwrap() {
            None => assert!(expected, "seed {seed}"),
            Some(sample) => {
                let at =
                    |dim| sample.iter().find(|(named, _)| *named == dim).map(|(_, value)| *value);
                assert_eq!(system.condition.holds(&at), Some(true), "seed {seed}, {sample:?}");
            }
        }
    });
    assert!(empty > 5, "too few empty sets: {empty}");
}

#[test]
fn projection_agrees_with_enumeration() {
    each_system(|seed, system| {
        let projected = system.set.exists(&[system.dims[2]]).unwrap().condition().unwrap();
        for p in range() {
            for x in range() {
                let expected = range().any(|y| system.holds([p, x, y]));
                let found = projected.holds(&system.assignment([p, x, 0])).unwrap();
                assert_eq!(found, expected, "seed {seed}, p = {p}, x = {x}");
            }
        }
    });
}

#[test]
fn least_and_greatest_values_agree_with_enumeration() {
    let mut compared = 0;
    each_system(|seed, system| {
        let [_, x, y] = system.dims;
        let [least, greatest] =
            [system.set.min(x, &[y]).unwrap(), system.set.max(x, &[y]).unwrap()];
        let expressions = [least.expression().unwrap(), greatest.expression().unwrap()];
        let pieces = [least.pieces().unwrap(), greatest.pieces().unwrap()];
        for p in range() {
            let at = system.assignment([p, 0, 0]);
            let values: Vec<i64> =
                range().filter(|x| range().any(|y| system.holds([p, *x, y]))).collect();
            let expected =
                [values.first(), values.last()].map(|value| value.map(|value| i128::from(*value)));
            for side in 0..2 {
                let applicable: Vec<_> =
                    pieces[side].iter().filter(|piece| piece.domain.holds(&at).unwrap()).collect();
                let found = applicable.first().map(|piece| piece.value.eval(&at).unwrap());
                assert!(applicable.len() < 2, "seed {seed}, p = {p}: pieces overlap");
                assert_eq!(found, expected[side], "seed {seed}, p = {p}");
                if expected[side].is_some() {
                    let value = expressions[side].as_ref().unwrap().eval(&at);
                    assert_eq!(value, expected[side], "seed {seed}, p = {p}");
                    compared += 1;
                }
            }
        }
    });
    assert!(compared > 1_000, "too few comparisons: {compared}");
}
