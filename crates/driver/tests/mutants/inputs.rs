//! What mutants are run on.

use halidom_interp::algorithm::evaluate;
use halidom_ir::{Algorithm, Array, Constant, Pool, Scalar, Shape};
use halidom_testgen::{Case, Random, cases};

/// A case and what the algorithm gives on it.
pub(crate) struct Input {
    pub(crate) case: Case,
    /// `None` if the algorithm has no value.
    pub(crate) expected: Option<Vec<Array>>,
}

/// Cases of all shapes; in every fifth, some elements of the inputs are extreme. In every eighth an input is
/// smaller than what would do, so that entry checks have something to refuse.
pub(crate) fn inputs(pool: &Pool, algorithm: &Algorithm, seed: u64, count: usize) -> Vec<Input> {
    let mut random = Random::new(seed);
    let mut found = Vec::new();
    for (number, mut case) in cases(pool, algorithm, seed, count).into_iter().enumerate() {
        if number % 5 == 4 {
            make_extreme(pool, algorithm, &mut case, &mut random);
        }
        // Histograms have more bins than small windows show.
        if let [window] = case.windows.as_mut_slice()
            && let [(_, extent)] = window.as_mut_slice()
            && number % 3 == 0
        {
            *extent = random.between(250, 270);
        }
        if number % 8 == 7 {
            crop_input(pool, algorithm, &mut case, &mut random);
        }
        let expected = evaluate(pool, algorithm, &case.bindings, &case.windows).ok();
        found.push(Input { case, expected });
    }
    assert!(found.len() * 10 >= count * 9, "{} of {count} cases", found.len());
    found
}

/// Takes a row or column off an input.
fn crop_input(pool: &Pool, algorithm: &Algorithm, case: &mut Case, random: &mut Random) {
    let Some(input) = random.choose(&algorithm.inputs) else { return };
    let Some(array) = case.bindings.input(*input) else { return };
    let mut shape = array.shape.clone();
    shorten(&mut shape, random);
    let mut smaller = Array::zeros(array.scalar, shape).expect("it is smaller");
    for point in smaller.points() {
        let value = array.get(&point).expect("it lies within");
        assert!(smaller.set(&point, value));
    }
    case.bindings.set_input(pool, *input, smaller).expect("the type is as it was");
}

fn shorten(shape: &mut Shape, random: &mut Random) {
    let dim = random.below(shape.len());
    let (min, extent) = &mut shape[dim];
    if *extent > 0 {
        *extent -= 1;
        *min += i64::from(random.one_in(2));
    }
}

fn make_extreme(pool: &Pool, algorithm: &Algorithm, case: &mut Case, random: &mut Random) {
    for input in &algorithm.inputs {
        let Some(mut array) = case.bindings.input(*input).cloned() else { continue };
        let extremes = extremes(array.scalar);
        for point in array.points() {
            if random.chance(50)
                && let Some(value) = random.choose(&extremes)
            {
                assert!(array.set(&point, *value));
            }
        }
        case.bindings.set_input(pool, *input, array).expect("the array is as it was");
    }
}

fn extremes(scalar: Scalar) -> Vec<Constant> {
    match scalar {
        Scalar::F32 => [0.0, -0.0, 1.0e30, f32::MIN_POSITIVE, f32::INFINITY, f32::NAN]
            .map(Constant::f32)
            .to_vec(),
        Scalar::F64 => [0.0, -0.0, 1.0e300, f64::MIN_POSITIVE, f64::INFINITY, f64::NAN]
            .map(Constant::f64)
            .to_vec(),
        Scalar::Int
        | Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64 => {
            let bits = scalar.bits().unwrap_or(8);
            [0, 1, -1, 1 << (bits - 1), (1 << (bits - 1)) - 1]
                .into_iter()
                .filter_map(|value| Constant::wrapped(scalar, value))
                .collect()
        }
    }
}
