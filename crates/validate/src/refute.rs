//! The search for a run on which program and algorithm differ.
//!
//! # Correctness
//! What is found is no guess: both sides were run by the interpreter, the entry checks held, the algorithm has a value, and the program gave another or faulted.
//! What is not found says nothing. The search also shows that assumptions can hold: it counts the runs that went through on a window that is not empty.
//!
//! Where floats need not be equal bit for bit, an output that depends on operators on floats is compared after runs in which none of these rounded: such runs are runs over the reals, so that two
//! numbers that differ then are different functions of the inputs there, and no axioms make them one. Zeros of either sign are one number; what is no number shows nothing.

mod admitted;
mod fixed;
mod regions;
mod site;
mod strict;
mod survive;

use std::time::{Duration, Instant};

use halidom_interp::Bindings;
use halidom_interp::algorithm::{demand_within, evaluate_noting};
use halidom_interp::machine::{self, Fault};
use halidom_ir::{Algorithm, Array, Constant, Expr, FuncId, Pool, Program, Scalar, Shape, VarId};

pub(crate) use admitted::admits;
pub(crate) use strict::{questions, too_strict};
pub use survive::{Survived, survive};

use crate::floats::Floats;
use crate::floats::deciding::Flow;
use crate::report::Counterexample;

/// How long to search.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Cases that are tried at most.
    pub trials: usize,
    /// Runs that pass the entry checks at most.
    pub runs: usize,
    /// After this time no run is begun.
    pub time: Duration,
    /// How much an interpreter may do in one run: a parameter drawn from a solver's model can make a loop as long as it likes.
    pub steps: u64,
}

impl Default for Search {
    /// Two hundred runs or five seconds.
    fn default() -> Self {
        let time = Duration::from_secs(5);
        Self { trials: 200, runs: usize::MAX, time, steps: 4_000_000 }
    }
}

/// What a search saw.
pub(crate) struct Found {
    pub(crate) counterexample: Option<Counterexample>,
    /// Runs that passed the entry checks, on windows that are not empty.
    pub(crate) passed: usize,
    /// Cases with such windows on which the algorithm has a value and an entry check of the program failed.
    pub(crate) refused: usize,
}

/// Values for shape and window variables that the solver thought of.
pub(crate) type Hint = Vec<(VarId, i64)>;

/// Of how many times fewer steps runs have whose sizes the solver thought of: these tend to be the least or the greatest there are.
const HINTED: u64 = 8;

/// Looks for a counterexample to equality of floats that may be as weak as `weakest`; stops early after `enough` runs that went through.
pub(crate) fn search(
    pool: &Pool,
    (algorithm, lowered): (&Algorithm, &Algorithm),
    program: &Program,
    hints: &[Hint],
    (limits, enough): (Search, usize),
    weakest: Floats,
) -> Found {
    let begin = Instant::now();
    let mut found = Found { counterexample: None, passed: 0, refused: 0 };
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let loose = loose(pool, (algorithm, lowered), program, weakest);
    for trial in 0..limits.trials {
        if begin.elapsed() > limits.time || found.passed >= enough.min(limits.runs) {
            break;
        }
        let hint = hints.get(trial).map_or(&[][..], Vec::as_slice);
        let aim = Aim::at(hint, limits.steps);
        // Few digits, so that few operators round.
        random.coarse = loose.contains(&true) && trial % 4 != 3;
        let Some(case) = draw(pool, algorithm, program, aim, &mut random, trial) else { continue };
        let solid = case.windows.iter().all(|window| window.iter().all(|(_, extent)| *extent > 0));
        match run(pool, algorithm, (lowered, program), &case, (trial as u64, &loose)) {
            Run::Different(counterexample) => {
                found.counterexample = Some(*counterexample);
                break;
            }
            Run::Same => found.passed += usize::from(solid),
            Run::Refused => found.refused += usize::from(solid),
            Run::Inconclusive => {}
        }
    }
    found
}

/// For each component of the outputs, whether its value may depend on operators on floats whose results need not be equal bit for bit.
fn loose(
    pool: &Pool,
    (algorithm, lowered): (&Algorithm, &Algorithm),
    program: &Program,
    weakest: Floats,
) -> Vec<bool> {
    let [of_algorithm, of_lowered] =
        [(algorithm, None), (lowered, Some(program))].map(|(algorithm, program)| {
            if weakest == Floats::Bits {
                return halidom_base::IndexSet::default();
            }
            let flow = Flow::of(pool, algorithm, program);
            flow.closure(flow.computing())
        });
    let outputs = algorithm.outputs.iter().zip(&lowered.outputs);
    outputs
        .flat_map(|(output, image)| {
            let is_loose = of_algorithm.contains(output) || of_lowered.contains(image);
            vec![is_loose; pool.func(*output).scalars.len()]
        })
        .collect()
}

/// Whether two values are different numbers.
fn are_different_numbers(a: Option<Constant>, b: Option<Constant>) -> bool {
    let number = |value: Constant| value.as_f64().or(value.as_f32().map(f64::from));
    match (a.map(number), b.map(number)) {
        (Some(Some(x)), Some(Some(y))) => x.is_finite() && y.is_finite() && (x < y || y < x),
        (Some(None), Some(None)) => a != b,
        (Some(_) | None, _) => false,
    }
}

/// Parameters, inputs and windows.
struct Case {
    /// How much one interpreter may do.
    steps: u64,
    bindings: Bindings,
    inputs: Vec<(FuncId, Array)>,
    windows: Vec<Shape>,
    padding: Vec<i64>,
}

enum Run {
    Same,
    Different(Box<Counterexample>),
    /// An entry check of the program failed.
    Refused,
    Inconclusive,
}

fn run(
    pool: &Pool,
    algorithm: &Algorithm,
    (lowered, program): (&Algorithm, &Program),
    case: &Case,
    (seed, loose): (u64, &[bool]),
) -> Run {
    let evaluated = evaluate_noting(pool, algorithm, &case.bindings, &case.windows, case.steps);
    let Ok((expected, rounded)) = evaluated else {
        return Run::Inconclusive;
    };
    let options = machine::Options {
        seed,
        output_padding: case.padding.clone(),
        steps: Some(case.steps),
        elements: 1 << 22,
        ..machine::Options::default()
    };
    let different = |wrong: Option<(String, halidom_ir::BufferId)>,
                     coords: Vec<i64>,
                     expected: String,
                     got: String| {
        let (output, buffer) = wrong.unzip();
        let element = buffer.map(|buffer| (buffer, coords.clone()));
        let site = site::site(pool, lowered, program, case, &options, element);
        let parameters = algorithm
            .params
            .iter()
            .filter_map(|param| Some((pool.var(*param).name.clone(), case.bindings.var(*param)?)));
        let name = |func: &FuncId| pool.func(*func).name.clone();
        let inputs = case.inputs.iter().map(|(func, array)| (name(func), array.clone())).collect();
        let windows = algorithm.outputs.iter().map(name).zip(case.windows.clone()).collect();
        Run::Different(Box::new(Counterexample {
            parameters: parameters.collect(),
            inputs,
            windows,
            output,
            coords,
            expected,
            got,
            site,
            replayed: true,
        }))
    };
    match machine::run(pool, program, &case.bindings, &case.windows, &options) {
        Ok(outcome) => {
            let components = algorithm.output_components(pool);
            let buffers = program.output_buffers();
            let rounded = rounded || outcome.rounded;
            for (((((output, component), want), have), buffer), loose) in
                components.iter().zip(&expected).zip(&outcome.outputs).zip(buffers).zip(loose)
            {
                let mismatch = want.points().find(|point| {
                    let (want, have) = (want.get(point), have.get(point));
                    if *loose {
                        !rounded && are_different_numbers(want, have)
                    } else {
                        want != have
                    }
                });
                if let Some(point) = mismatch {
                    let value = |array: &Array| {
                        array.get(&point).map_or_else(|| "nothing".to_owned(), show)
                    };
                    let name = pool.func(*output).component_name(*component);
                    let (want, have) = (value(want), value(have));
                    return different(Some((name, buffer)), point, want, have);
                }
            }
            Run::Same
        }
        Err(Fault::CheckFailed(_)) => Run::Refused,
        Err(
            fault @ (Fault::OutOfBounds { .. }
            | Fault::Undefined { .. }
            | Fault::UndefinedOutput { .. }
            | Fault::IndexOverflow { .. }
            | Fault::WriteToInput { .. }
            | Fault::DeadBuffer { .. }
            | Fault::Race { .. }
            | Fault::LaneConflict { .. }),
        ) => different(None, Vec::new(), "a run without fault".to_owned(), fault.to_string()),
        Err(
            Fault::ClaimWrong(_)
            | Fault::Specification(_)
            | Fault::Eval(_)
            | Fault::Malformed(_)
            | Fault::Startup(_)
            | Fault::Bind(_)
            | Fault::OutputCount { .. }
            | Fault::MissingInput(_)
            | Fault::WindowOutsideBuffer { .. }
            | Fault::OutOfSteps
            | Fault::TooLarge { .. },
        ) => Run::Inconclusive,
    }
}

/// A value in words.
fn show(value: Constant) -> String {
    match (value.as_integer(), value.as_f32(), value.as_f64()) {
        (Some(number), ..) => number.to_string(),
        (None, Some(number), _) => format!("{number:?}"),
        (None, None, Some(number)) => format!("{number:?}"),
        (None, None, None) => "nothing".to_owned(),
    }
}

/// A reproducible sequence of numbers (xorshift).
struct Random {
    state: u64,
    /// Whether floats are to have few digits.
    coarse: bool,
}

impl Random {
    fn new(seed: u64) -> Self {
        Self { state: seed, coarse: false }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    /// At least `low`, at most `high`.
    fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.abs_diff(low) + 1;
        low.saturating_add_unsigned(self.next() % span)
    }

    fn choose(&mut self, choices: &[i64]) -> i64 {
        let index = (self.next() % (choices.len().max(1) as u64)) as usize;
        choices.get(index).copied().unwrap_or(1)
    }

    fn constant(&mut self, scalar: Scalar) -> Constant {
        let small = self.between(0, 3) > 0;
        let number = if small { self.between(-4, 20) } else { self.next() as i64 };
        let fraction = if self.coarse {
            self.between(-8, 8) as f64 / 2.0
        } else {
            self.between(0, 1 << 20) as f64 / f64::from(1 << 20)
        };
        match scalar {
            Scalar::F32 => Constant::f32(fraction as f32),
            Scalar::F64 => Constant::f64(fraction),
            Scalar::Int => Constant::int(i128::from(self.between(-3, 9))),
            Scalar::Bool
            | Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => Constant::wrapped(scalar, i128::from(number))
                .unwrap_or_else(|| Constant::zero(scalar)),
        }
    }
}

/// Extents that reveal mistakes: one, primes, neighbours of the powers of two that loops are split by.
const EXTENTS: [i64; 13] = [1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63];
/// Locations in a window, at most.
const MOST_POINTS: i64 = 3000;

/// What a case should be like.
#[derive(Clone, Copy)]
struct Aim<'a> {
    hint: &'a [(VarId, i64)],
    /// How much one interpreter may do.
    steps: u64,
    /// Whether windows are as entry checks fix them.
    fixed: bool,
}

impl<'a> Aim<'a> {
    /// For a run of so many steps that passes the entry checks, with these sizes if there are some.
    fn at(hint: &'a [(VarId, i64)], steps: u64) -> Self {
        let steps = if hint.is_empty() { steps } else { steps / HINTED };
        Self { hint, steps, fixed: true }
    }
}

fn draw(
    pool: &Pool,
    algorithm: &Algorithm,
    program: &Program,
    Aim { hint, steps, fixed }: Aim<'_>,
    random: &mut Random,
    trial: usize,
) -> Option<Case> {
    let mut bindings = Bindings::new();
    let hinted = |var: VarId| hint.iter().find(|(known, _)| *known == var).map(|(_, value)| *value);
    for param in &algorithm.params {
        let scalar = pool.var(*param).ty.scalar;
        let value = match hinted(*param).filter(|_| scalar == Scalar::Int) {
            Some(value) => Constant::int(i128::from(value)),
            None => random.constant(scalar),
        };
        bindings.set_var(pool, *param, value).ok()?;
    }
    let mut windows = Vec::new();
    for output in &program.outputs {
        let mut points = 1;
        let mut window = Shape::new();
        // One long dimension now and then, to cross the border of a large tile.
        let long = random.between(0, 2 * output.window.len() as i64) as usize;
        for (dim, (min_var, extent_var)) in output.window.iter().enumerate() {
            let mut extent = random.choose(&EXTENTS[..(4 + trial).min(EXTENTS.len())]);
            if dim == long && trial % 3 == 2 {
                extent = random.between(64, 300);
            }
            if trial % 16 == 7 && dim == 0 {
                extent = 0;
            }
            let min = if random.between(0, 2) == 0 { random.between(-7, 9) } else { 0 };
            let min = hinted(*min_var).unwrap_or(min);
            let extent =
                hinted(*extent_var).unwrap_or(extent).clamp(0, (MOST_POINTS / points).max(1));
            points *= extent.max(1);
            window.push((min, extent));
        }
        windows.push(window);
    }
    if fixed {
        fixed::fix(pool, program, &hinted, &mut bindings, &mut windows)?;
    }
    // Every other trial has the inputs that the program asks for, which may be more than the algorithm reads.
    let asking = (trial % 2 == 1).then_some(program);
    let programs = (algorithm, asking, steps);
    let shapes = input_shapes(pool, programs, &mut bindings, &windows, &hinted, random)?;
    let mut inputs = Vec::new();
    for (input, shape) in algorithm.inputs.iter().zip(shapes) {
        let array = random_array(pool.func(*input).scalar(0), shape, random)?;
        bindings.set_input(pool, *input, array.clone()).ok()?;
        inputs.push((*input, array));
    }
    let rank = program.outputs.first()?.window.len();
    let padded = random.between(0, 3) == 0;
    let padding = (0..rank).map(|_| if padded { random.between(0, 3) } else { 0 }).collect();
    Some(Case { steps, bindings, inputs, windows, padding })
}

/// Shapes of the inputs that contain what the algorithm reads for the windows, tight or with some room, and what the program asks for. What is read can depend on the shapes.
fn input_shapes(
    pool: &Pool,
    (algorithm, asking, steps): (&Algorithm, Option<&Program>, u64),
    bindings: &mut Bindings,
    windows: &[Shape],
    hinted: &dyn Fn(VarId) -> Option<i64>,
    random: &mut Random,
) -> Option<Vec<Shape>> {
    let common = random.choose(&EXTENTS[..9]);
    let alike = random.between(0, 1) == 0;
    let mut shapes: Vec<Shape> = Vec::new();
    for input in &algorithm.inputs {
        let halidom_ir::FuncKind::Input { buffer } = pool.func(*input).kind else { return None };
        let mut shape = Shape::new();
        for dim in &pool.buffer(buffer).dims {
            let known = |expr| {
                let Expr::Var(var) = pool.get(expr) else { return None };
                hinted(*var).filter(|value| value.abs() <= 64)
            };
            let min = known(dim.min).unwrap_or(0);
            let extent = if alike { common } else { random.choose(&EXTENTS[..9]) };
            shape.push((min, known(dim.extent).unwrap_or(extent).max(0)));
        }
        shapes.push(shape);
    }
    let room = if random.between(0, 1) == 0 { 0 } else { random.between(0, 4) };
    for round in 0..6 {
        for (input, shape) in algorithm.inputs.iter().zip(&shapes) {
            let array = random_array(pool.func(*input).scalar(0), shape.clone(), random)?;
            bindings.set_input(pool, *input, array).ok()?;
        }
        let read = demand_within(pool, algorithm, bindings, windows, steps).ok()?;
        let mut enough = true;
        for (shape, read) in shapes.iter_mut().zip(&read) {
            let Some(read) = read else { continue };
            let wanted: Shape =
                read.iter().map(|(min, extent)| (min - room, extent + 2 * room)).collect();
            // In the first round take just what is read, later never shrink.
            let next = if round == 0 { wanted } else { hull(shape, read) };
            enough &= next == *shape;
            *shape = next;
        }
        let asked = asking.map(|program| regions::required(pool, program, bindings, windows));
        for (input, dim, (min, extent)) in asked.into_iter().flatten() {
            let shape = algorithm.inputs.iter().position(|other| *other == input);
            let side = shape.and_then(|index| shapes.get_mut(index)?.get_mut(dim));
            let Some(side) = side.filter(|_| extent > 0) else { continue };
            let low = side.0.min(min);
            let next = (
                low,
                side.0.saturating_add(side.1).max(min.saturating_add(extent)).saturating_sub(low),
            );
            enough &= next == *side;
            *side = next;
        }
        if enough && round > 0 {
            return Some(shapes);
        }
    }
    None
}

/// The least box around both.
fn hull(a: &Shape, b: &Shape) -> Shape {
    a.iter()
        .zip(b)
        .map(|((min, extent), (other, length))| {
            let low = *min.min(other);
            (low, (min + extent).max(other + length) - low)
        })
        .collect()
}

fn random_array(scalar: Scalar, shape: Shape, random: &mut Random) -> Option<Array> {
    // An empty side does not make the others small: padding may follow.
    let elements =
        shape.iter().try_fold(1_i64, |product, (_, extent)| product.checked_mul((*extent).max(1)));
    if elements.is_none_or(|elements| elements > 1 << 18) {
        return None;
    }
    let padded = random.between(0, 3) == 0;
    let padding: Vec<i64> =
        shape.iter().map(|_| if padded { random.between(0, 3) } else { 0 }).collect();
    let mut array = Array::padded(scalar, shape, &padding)?;
    for point in array.points() {
        if !array.set(&point, random.constant(scalar)) {
            return None;
        }
    }
    Some(array)
}
