//! What mutants are run on.

use std::collections::BTreeSet;

use halidom_interp::algorithm::{evaluate, evaluate_noting};
use halidom_interp::machine::{self, Fault};
use halidom_ir::{Algorithm, Array, Constant, Pool, Program, Scalar, Shape};
use halidom_testgen::{Case, Random, cases_of};

/// Inputs that each mutant is run on, those that the original's entry checks refuse not counted.
pub(crate) const RUNS: usize = 200;
/// Loop iterations and stores of one run of a mutant.
const MOST_STEPS: u64 = 1_000_000;
/// Loop iterations and stores of most runs of the original: windows are as large as this allows.
const STEPS: u64 = 40_000;
/// Points of a window, at most.
const POINTS: [i64; 5] = [500, 200, 80, 30, 12];
/// How often so many cases are drawn, where the program refuses most.
const ROUNDS: u64 = 160;
/// Cases that show how large windows may be.
const SAMPLE: usize = 20;

/// What counts as another output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Equality {
    /// Other bits.
    Bits,
    /// Floats may be regrouped: another number where nothing rounded, or one that is further off than regrouping takes it, where none of the inputs is extreme.
    Numbers,
}

impl Equality {
    /// What an algorithm permits.
    pub(crate) fn of(algorithm: &Algorithm) -> Self {
        if algorithm.fast_math { Self::Numbers } else { Self::Bits }
    }
}

/// How far regrouping takes floats of ordinary inputs from the algorithm's, of the largest element, at most.
const REGROUPED: f64 = 1e-3;

/// A case and what the algorithm gives on it.
pub(crate) struct Input {
    pub(crate) case: Case,
    /// Whether elements of inputs are extreme: large, tiny, infinite, or no numbers.
    pub(crate) extreme: bool,
    /// `None` if the algorithm has no value.
    pub(crate) expected: Option<Expected>,
}

/// What an algorithm gives, and what counts as something else.
pub(crate) struct Expected {
    pub(crate) outputs: Vec<Array>,
    /// An operator on floats gave another number than that on real numbers.
    rounded: bool,
    extreme: bool,
}

impl Expected {
    pub(crate) fn new(
        pool: &Pool,
        algorithm: &Algorithm,
        case: &Case,
        extreme: bool,
    ) -> Option<Self> {
        let Case { bindings, windows, .. } = case;
        let (outputs, notes) =
            evaluate_noting(pool, algorithm, bindings, windows, u64::MAX).ok()?;
        Some(Self { outputs, rounded: notes.rounded, extreme })
    }

    /// Whether a run that left this gives what the algorithm gives.
    fn is_given_by(&self, run: &machine::Outcome, equality: Equality) -> bool {
        if equality == Equality::Bits {
            return self.outputs == run.outputs;
        }
        let exact = !(self.rounded || run.notes.rounded);
        self.outputs.len() == run.outputs.len()
            && self.outputs.iter().zip(&run.outputs).all(|(want, have)| {
                if !want.scalar.is_float() || want.shape != have.shape {
                    return want == have;
                }
                let off = furthest(want, have);
                if exact { off <= 0.0 } else { self.extreme || off <= REGROUPED }
            })
    }
}

/// How far numbers are from others, of the largest; infinite where only one of two is a number.
fn furthest(want: &Array, have: &Array) -> f64 {
    let number = |array: &Array, point: &[i64]| {
        let value = array.get(point)?;
        value.as_f64().or(value.as_f32().map(f64::from)).filter(|value| value.is_finite())
    };
    let (mut furthest, mut largest) = (0.0_f64, f64::MIN_POSITIVE);
    for point in want.points() {
        match (number(want, &point), number(have, &point)) {
            (Some(a), Some(b)) => {
                furthest = furthest.max((a - b).abs());
                largest = largest.max(a.abs());
            }
            (None, None) => {}
            (Some(_), None) | (None, Some(_)) => return f64::INFINITY,
        }
    }
    furthest / largest
}

/// Cases of all shapes, of which the program accepts [`RUNS`] if they can be found; in every fifth, some elements of the inputs are extreme. In every eighth an input is
/// smaller than what would do, so that entry checks have something to refuse.
pub(crate) fn inputs(
    pool: &Pool,
    algorithm: &Algorithm,
    program: &Program,
    seed: u64,
) -> Vec<Input> {
    let within = |case: &Case| {
        let options = options(case, 0, STEPS);
        let run = machine::run(pool, program, &case.bindings, &case.windows, &options);
        !matches!(run, Err(Fault::OutOfSteps | Fault::TooLarge { .. }))
    };
    let points = POINTS.into_iter().find(|points| {
        let sample = cases_of(pool, algorithm, program, *points, (seed, SAMPLE));
        sample.iter().filter(|case| within(case)).count() * 10 >= sample.len() * 9
    });
    let points = points.unwrap_or(POINTS[POINTS.len() - 1]);
    let mut random = Random::new(seed);
    let mut found = Vec::new();
    let mut accepted = 0;
    for round in 0..ROUNDS {
        let seed = seed.wrapping_add(round << 32);
        for mut case in cases_of(pool, algorithm, program, points, (seed, RUNS)) {
            if accepted == RUNS {
                return found;
            }
            let extreme = vary(pool, algorithm, &mut case, found.len(), &mut random);
            let options = options(&case, 0, MOST_STEPS);
            match machine::run(pool, program, &case.bindings, &case.windows, &options) {
                // Of those that are refused some are kept.
                Err(Fault::CheckFailed(_)) if found.len() >= accepted + RUNS / 4 => continue,
                Err(Fault::OutOfSteps | Fault::TooLarge { .. }) => continue,
                Err(Fault::CheckFailed(_)) => {}
                // That the original is wrong is noticed when all are run.
                Ok(_) | Err(_) => accepted += 1,
            }
            let expected = Expected::new(pool, algorithm, &case, extreme);
            found.push(Input { case, extreme, expected });
        }
    }
    found
}

/// How a mutant is run on a case.
pub(crate) fn options(case: &Case, seed: u64, steps: u64) -> machine::Options {
    machine::Options {
        seed,
        output_padding: case.output_padding.clone(),
        steps: Some(steps),
        elements: 1 << 22,
        ..machine::Options::default()
    }
}

/// How a run shows that a program is wrong; the number of runs that went to their end otherwise.
pub(crate) fn observe(
    pool: &Pool,
    program: &Program,
    inputs: &[Input],
    equality: Equality,
) -> Result<usize, String> {
    let mut ended = 0;
    for (number, Input { case, expected, .. }) in inputs.iter().enumerate() {
        // Where the algorithm has no value any run will do that does not fault.
        let same = |run: &machine::Outcome| {
            expected.as_ref().is_none_or(|expected| expected.is_given_by(run, equality))
        };
        ended += usize::from(runs_right(pool, program, case, number as u64, same)?);
    }
    Ok(ended)
}

/// The same for a program that is to compute what an algorithm says whose funcs stand in another pool.
pub(crate) fn observe_against(
    (pool, program): (&Pool, &Program),
    (other, algorithm): (&Pool, &Algorithm),
    inputs: &[Input],
    equality: Equality,
) -> Result<usize, String> {
    let mut ended = 0;
    for (number, Input { case, extreme, .. }) in inputs.iter().enumerate() {
        let Some(expected) = Expected::new(other, algorithm, case, *extreme) else { continue };
        let same = |run: &machine::Outcome| expected.is_given_by(run, equality);
        ended += usize::from(runs_right(pool, program, case, number as u64, same)?);
    }
    Ok(ended)
}

/// Whether a run went to its end, or how it shows that the program is wrong.
fn runs_right(
    pool: &Pool,
    program: &Program,
    case: &Case,
    seed: u64,
    same: impl Fn(&machine::Outcome) -> bool,
) -> Result<bool, String> {
    let options = options(case, seed, MOST_STEPS);
    match machine::run(pool, program, &case.bindings, &case.windows, &options) {
        Ok(outcome) if same(&outcome) => Ok(true),
        Ok(_) => Err(format!("another output on windows {:?}", case.windows)),
        Err(fault) if fault.is_defect() => Err(fault.to_string()),
        // A stricter entry check makes no wrong result, and a run that is too long shows nothing.
        Err(Fault::CheckFailed(_) | Fault::OutOfSteps | Fault::TooLarge { .. }) => Ok(false),
        Err(fault) => unreachable!("a mutant cannot be run: {fault}"),
    }
}

/// Which shapes inputs have.
#[derive(Default)]
pub(crate) struct Shapes {
    /// Extents of windows.
    pub(crate) extents: BTreeSet<i64>,
    pub(crate) moved_windows: usize,
    pub(crate) moved_inputs: usize,
    pub(crate) padded_inputs: usize,
    pub(crate) padded_outputs: usize,
}

/// The shapes of inputs for an algorithm.
pub(crate) fn shapes(algorithm: &Algorithm, inputs: &[Input]) -> Shapes {
    let mut shapes = Shapes::default();
    for Input { case, .. } in inputs {
        let sides = || case.windows.iter().flatten();
        shapes.extents.extend(sides().map(|(_, extent)| *extent));
        shapes.moved_windows += usize::from(sides().any(|(min, _)| *min != 0));
        shapes.padded_outputs += usize::from(case.output_padding.iter().any(|some| *some > 0));
        let arrays = || algorithm.inputs.iter().filter_map(|input| case.bindings.input(*input));
        let moved = arrays().any(|array| array.shape.iter().any(|(min, _)| *min != 0));
        shapes.moved_inputs += usize::from(moved);
        let padded = |array: &Array| {
            let mut dense = 1;
            array.shape.iter().zip(&array.strides).any(|((_, extent), stride)| {
                let is_padded = *stride != dense && *extent > 1;
                dense *= extent.max(&1);
                is_padded
            })
        };
        shapes.padded_inputs += usize::from(arrays().any(padded));
    }
    shapes
}

/// Gives a case something of its own, by its number; whether elements of inputs are extreme.
fn vary(
    pool: &Pool,
    algorithm: &Algorithm,
    case: &mut Case,
    number: usize,
    random: &mut Random,
) -> bool {
    let extreme = number % 5 == 4;
    if extreme {
        make_extreme(pool, algorithm, case, random);
    }
    if number % 8 == 7 {
        crop_input(pool, algorithm, case, random);
    }
    // Histograms have more bins than small windows show.
    if let [window] = case.windows.as_slice()
        && let [(min, _)] = *window.as_slice()
        && number.is_multiple_of(3)
    {
        let windows = vec![vec![(min, random.between(250, 270))]];
        if evaluate(pool, algorithm, &case.bindings, &windows).is_ok() {
            case.windows = windows;
        }
    }
    extreme
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
