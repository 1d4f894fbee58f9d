//! Inputs for runs of mutants.

use std::collections::BTreeSet;

use halidom_interp::algorithm::{evaluate, evaluate_noting};
use halidom_interp::machine::{self, Fault};
use halidom_ir::{Algorithm, Array, Constant, Pool, Program, Scalar, Shape};
use halidom_testgen::{Case, Random, cases_of};

/// The number of inputs for each mutant, not counting those that the original's entry checks
/// refuse.
pub(crate) const RUNS: usize = 200;
/// The step limit (loop iterations and stores) for a run of a mutant.
const MOST_STEPS: u64 = 1_000_000;
/// The step limit for most runs of the original. Windows are as large as it allows.
const STEPS: u64 = 40_000;
/// The largest number of points in a window; the first that fits is used.
const POINTS: [i64; 5] = [500, 200, 80, 30, 12];
/// The number of rounds of drawing cases, for programs that refuse most of them.
const ROUNDS: u64 = 160;
/// The number of cases for determining the size of windows.
const SAMPLE: usize = 20;

/// The criterion for different outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Equality {
    /// Different bits.
    Bits,
    /// Floats may be regrouped. Outputs differ if a number differs where nothing was rounded, or if
    /// it differs by more than regrouping can cause where no input is extreme.
    Numbers,
}

impl Equality {
    /// The equality that an algorithm permits.
    pub(crate) fn of(algorithm: &Algorithm) -> Self {
        if algorithm.fast_math { Self::Numbers } else { Self::Bits }
    }
}

/// The largest difference that regrouping causes for floats of ordinary inputs, relative to the
/// largest element.
const REGROUPED: f64 = 1e-3;

/// A case with the algorithm's outputs on it.
pub(crate) struct Input {
    pub(crate) case: Case,
    /// True if elements of inputs are extreme: large, tiny, infinite or NaN.
    pub(crate) extreme: bool,
    /// `None` if the algorithm has no value.
    pub(crate) expected: Option<Expected>,
}

/// The algorithm's outputs, with the information needed to compare others with them.
pub(crate) struct Expected {
    pub(crate) outputs: Vec<Array>,
    /// True if an operator on floats gave another number than on real numbers.
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

    /// Tests whether a run gives the algorithm's outputs.
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

/// The largest difference of numbers, relative to the largest; infinite if only one of two values
/// is a finite number.
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

/// Cases of all shapes. The program accepts [`RUNS`] of them, if so many can be found. In every
/// fifth case some elements of the inputs are extreme. In every eighth case an input is smaller
/// than generated, so that entry checks have something to refuse.
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
                // Keep only some of the refused cases.
                Err(Fault::CheckFailed(_)) if found.len() >= accepted + RUNS / 4 => continue,
                Err(Fault::OutOfSteps | Fault::TooLarge { .. }) => continue,
                Err(Fault::CheckFailed(_)) => {}
                // The later runs of all cases detect whether the original is wrong.
                Ok(_) | Err(_) => accepted += 1,
            }
            let expected = Expected::new(pool, algorithm, &case, extreme);
            found.push(Input { case, extreme, expected });
        }
    }
    found
}

/// The interpreter's options for running a mutant on a case.
pub(crate) fn options(case: &Case, seed: u64, steps: u64) -> machine::Options {
    machine::Options {
        seed,
        output_padding: case.output_padding.clone(),
        steps: Some(steps),
        elements: 1 << 22,
        ..machine::Options::default()
    }
}

/// Runs a program on inputs. Returns a description of the failure if a run shows it to be wrong,
/// else the number of runs that reached their end.
pub(crate) fn observe(
    pool: &Pool,
    program: &Program,
    inputs: &[Input],
    equality: Equality,
) -> Result<usize, String> {
    let mut ended = 0;
    for (number, Input { case, expected, .. }) in inputs.iter().enumerate() {
        // Where the algorithm has no value, any run without a fault is right.
        let same = |run: &machine::Outcome| {
            expected.as_ref().is_none_or(|expected| expected.is_given_by(run, equality))
        };
        ended += usize::from(runs_right(pool, program, case, number as u64, same)?);
    }
    Ok(ended)
}

/// Like [`observe`], for a program that must compute an algorithm in another pool.
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

/// Tests whether a run reached its end. Returns a description of the failure if the run shows the
/// program to be wrong.
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
        // A stricter entry check gives no wrong result, and a run that is too long shows nothing.
        Err(Fault::CheckFailed(_) | Fault::OutOfSteps | Fault::TooLarge { .. }) => Ok(false),
        Err(fault) => unreachable!("a mutant cannot be run: {fault}"),
    }
}

/// Statistics of the inputs' shapes.
#[derive(Default)]
pub(crate) struct Shapes {
    /// The extents of windows.
    pub(crate) extents: BTreeSet<i64>,
    pub(crate) moved_windows: usize,
    pub(crate) moved_inputs: usize,
    pub(crate) padded_inputs: usize,
    pub(crate) padded_outputs: usize,
}

/// Collects the statistics of an algorithm's inputs.
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

/// Varies a case according to its number. Returns true if elements of inputs are extreme.
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

/// Removes a row or column from an input.
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
