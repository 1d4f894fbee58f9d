//! Sizes and inputs for runs: first the solver's suggestions, then small and awkward ones, from a
//! fixed seed.

use halidom_interp::algorithm::demand_within;
use halidom_interp::{Bindings, nesting};
use halidom_ir::{
    Algorithm, Array, Constant, Expr, FuncId, FuncKind, Nesting, Pool, Program, Scalar, Shape,
    VarId, nested_strides,
};

use super::case::{Case, Given};
use super::{fixed, regions};

/// A reproducible sequence of numbers (xorshift).
pub(super) struct Random {
    state: u64,
    /// True if floats get only few digits.
    pub(super) coarse: bool,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed, coarse: false }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    /// Draws a number from `low` to `high`, both included.
    fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.abs_diff(low) + 1;
        low.saturating_add_unsigned(self.next() % span)
    }

    fn choose(&mut self, choices: &[i64]) -> i64 {
        let index = (self.next() % (choices.len().max(1) as u64)) as usize;
        choices.get(index).copied().unwrap_or(1)
    }

    /// Draws a value at the edges of a type.
    fn extreme(&mut self, scalar: Scalar) -> Constant {
        let float = [0.0, -0.0, 1.0, f64::INFINITY, f64::NAN, 1.0e-300, 1.0e30, -1.0];
        let float = float[(self.next() % float.len() as u64) as usize];
        let bits = scalar.bits().unwrap_or(8);
        let integer = [0, -1, 1, 1 << (bits - 1), (1 << (bits - 1)) - 1];
        let integer: i128 = integer[(self.next() % integer.len() as u64) as usize];
        match scalar {
            Scalar::F32 => Constant::f32(float as f32),
            Scalar::F64 => Constant::f64(float),
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
                Constant::wrapped(scalar, integer).unwrap_or_else(|| Constant::zero(scalar))
            }
        }
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

/// The divisor of the steps for runs at the solver's sizes, which tend to be the least or the
/// greatest possible.
pub(super) const HINTED: u64 = 8;

/// Extents that reveal mistakes: one, primes, and neighbours of the powers of two that split loops.
const EXTENTS: [i64; 13] = [1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63];
/// The most locations in a window.
const MOST_POINTS: i64 = 3000;

/// The requirements on a case.
#[derive(Clone, Copy)]
pub(super) struct Aim<'a> {
    pub(super) hint: &'a [(VarId, i64)],
    /// The most steps of one interpreter.
    pub(super) steps: u64,
    /// True if windows must be as entry checks fix them.
    pub(super) fixed: bool,
}

impl<'a> Aim<'a> {
    /// Aims at a run of at most this many steps that passes the entry checks, with the hinted sizes
    /// if there are some.
    pub(super) fn at(hint: &'a [(VarId, i64)], steps: u64) -> Self {
        let steps = if hint.is_empty() { steps } else { steps / HINTED };
        Self { hint, steps, fixed: true }
    }
}

/// Draws a case. Returns `None` if the drawn values allow none.
pub(super) fn draw(
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
        // Make one dimension long now and then, to cross the border of a large tile.
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
    let given = given_shapes(pool, algorithm, &hinted, trial, random)?;
    // Windows that shapes fix must not shape the inputs in turn.
    let mut tight = true;
    if fixed {
        tight = !fixed::fix(pool, program, &hinted, &mut bindings, &mut windows, |bindings| {
            shape_only(pool, algorithm, program, &given, bindings)
        })?;
    }
    // Every other trial has the inputs that the program asks for, which may be more than the
    // algorithm reads.
    let programs = (algorithm, (program, trial % 2 == 1), steps);
    let mut shapes = input_shapes(pool, programs, &mut bindings, &windows, (given, tight), random)?;
    // Now and then an input is too small: an entry check should notice.
    if trial % 16 == 5 {
        shorten(&mut shapes, random);
    }
    let wild = trial % 4 == 3;
    let mut inputs = Vec::new();
    for (input, shape) in algorithm.inputs.iter().zip(shapes) {
        let nesting = nesting_of(pool, program, *input)?;
        let array = random_array(pool.func(*input).scalar(0), (shape, &nesting), wild, random)?;
        bindings.set_input(pool, *input, array).ok()?;
        inputs.push((*input, bindings.input(*input)?.clone()));
    }
    let rank = program.outputs.first()?.window.len();
    let padded = random.between(0, 3) == 0;
    let padding = (0..rank).map(|_| if padded { random.between(0, 3) } else { 0 }).collect();
    Some(Case { steps, bindings, inputs, windows, padding })
}

/// Makes a case at the given sizes.
pub(super) fn filled(
    pool: &Pool,
    (algorithm, program): (&Algorithm, &Program),
    given: &Given,
    steps: u64,
    random: &mut Random,
) -> Option<Case> {
    let Given { mut bindings, windows } = given.clone();
    for param in &algorithm.params {
        let scalar = pool.var(*param).ty.scalar;
        if scalar.is_float() {
            bindings.set_var(pool, *param, random.constant(scalar)).ok()?;
        }
    }
    let mut inputs = Vec::new();
    for input in &algorithm.inputs {
        let shape = bindings.input(*input)?.shape.clone();
        let padding = vec![0; shape.len()];
        let nesting = nesting_of(pool, program, *input)?;
        let array = Array::nested(pool.func(*input).scalar(0), shape, &padding, &nesting)?;
        let array = random_elements(array, false, random)?;
        bindings.set_input(pool, *input, array).ok()?;
        inputs.push((*input, bindings.input(*input)?.clone()));
    }
    let rank = windows.first()?.len();
    Some(Case { steps, bindings, inputs, windows, padding: vec![0; rank] })
}

/// Chooses initial shapes of the inputs: as hinted, with one extent, two or many. Pipelines may
/// demand that some are equal.
fn given_shapes(
    pool: &Pool,
    algorithm: &Algorithm,
    hinted: &dyn Fn(VarId) -> Option<i64>,
    trial: usize,
    random: &mut Random,
) -> Option<Vec<Shape>> {
    // Large extents come later, because they take long.
    let reach = EXTENTS.len().min(9 + trial / 8);
    let mut few = [random.choose(&EXTENTS[..reach]), random.choose(&EXTENTS[..9])];
    let different = random.between(0, 3);
    if different > 1 {
        few[1] = few[0];
    }
    let mut shapes: Vec<Shape> = Vec::new();
    for input in &algorithm.inputs {
        let FuncKind::Input { buffer } = pool.func(*input).kind else { return None };
        let mut shape = Shape::new();
        for dim in &pool.buffer(buffer).dims {
            let known = |expr| {
                let Expr::Var(var) = pool.get(expr) else { return None };
                hinted(*var).filter(|value| value.abs() <= 64)
            };
            let min = known(dim.min).unwrap_or(0);
            let extent =
                if different == 0 { random.choose(&EXTENTS[..9]) } else { random.choose(&few) };
            shape.push((min, known(dim.extent).unwrap_or(extent).max(0)));
        }
        shapes.push(shape);
    }
    Some(shapes)
}

/// Binds the shapes of the inputs, but not their elements.
fn shape_only(
    pool: &Pool,
    algorithm: &Algorithm,
    program: &Program,
    shapes: &[Shape],
    bindings: &mut Bindings,
) -> Option<()> {
    for (input, shape) in algorithm.inputs.iter().zip(shapes) {
        let some: Shape = shape.iter().map(|(min, extent)| (*min, (*extent).max(1))).collect();
        let nesting = nesting_of(pool, program, *input)?;
        let (strides, _) = nested_strides(&some, &vec![0; some.len()], &nesting)?;
        bindings.set_input_shape(pool, *input, shape, &strides).ok()?;
    }
    Some(())
}

/// The order in which the entry checks nest the dimensions of an input.
fn nesting_of(pool: &Pool, program: &Program, input: FuncId) -> Option<Nesting> {
    match pool.func(input).kind {
        FuncKind::Input { buffer } => Some(nesting(pool, program, buffer)),
        FuncKind::Defined { .. } => None,
    }
}

/// Removes a row or column of one of the inputs.
fn shorten(shapes: &mut [Shape], random: &mut Random) {
    let mut sides: Vec<&mut (i64, i64)> =
        shapes.iter_mut().flatten().filter(|(_, extent)| *extent > 0).collect();
    let last = sides.len() as i64 - 1;
    if let Some((min, extent)) = sides.get_mut(random.between(0, last.max(0)) as usize) {
        *extent -= 1;
        *min += random.between(0, 1);
    }
}

/// Finds shapes of the inputs that contain everything that the algorithm reads for the windows,
/// tightly or with some room, and everything that the program asks for. The reads can depend on the
/// shapes, so this takes several rounds.
fn input_shapes(
    pool: &Pool,
    (algorithm, (program, asks), steps): (&Algorithm, (&Program, bool), u64),
    bindings: &mut Bindings,
    windows: &[Shape],
    (mut shapes, tight): (Vec<Shape>, bool),
    random: &mut Random,
) -> Option<Vec<Shape>> {
    let room = if random.between(0, 1) == 0 { 0 } else { random.between(0, 4) };
    for round in 0..6 {
        for (input, shape) in algorithm.inputs.iter().zip(&shapes) {
            let layout = (shape.clone(), &nesting_of(pool, program, *input)?);
            let array = random_array(pool.func(*input).scalar(0), layout, false, random)?;
            bindings.set_input(pool, *input, array).ok()?;
        }
        let read = demand_within(pool, algorithm, bindings, windows, steps).ok()?;
        let mut enough = true;
        for (shape, read) in shapes.iter_mut().zip(&read) {
            let Some(read) = read else { continue };
            let wanted: Shape =
                read.iter().map(|(min, extent)| (min - room, extent + 2 * room)).collect();
            // The first round takes exactly the region that is read, and later rounds never shrink
            // it.
            let next = if round == 0 && tight { wanted } else { hull(shape, read) };
            enough &= next == *shape;
            *shape = next;
        }
        let asked = asks.then(|| regions::required(pool, program, bindings, windows));
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

/// Makes an array of random values. A wild one has extreme values among them.
fn random_array(
    scalar: Scalar,
    (shape, nesting): (Shape, &Nesting),
    wild: bool,
    random: &mut Random,
) -> Option<Array> {
    // An empty side does not make the others small: padding may follow.
    let elements =
        shape.iter().try_fold(1_i64, |product, (_, extent)| product.checked_mul((*extent).max(1)));
    if elements.is_none_or(|elements| elements > 1 << 18) {
        return None;
    }
    let padded = random.between(0, 3) == 0;
    let padding: Vec<i64> =
        shape.iter().map(|_| if padded { random.between(0, 3) } else { 0 }).collect();
    random_elements(Array::nested(scalar, shape, &padding, nesting)?, wild, random)
}

fn random_elements(mut array: Array, wild: bool, random: &mut Random) -> Option<Array> {
    for point in array.points() {
        let extreme = wild && random.between(0, 3) == 0;
        let scalar = array.scalar;
        let value = if extreme { random.extreme(scalar) } else { random.constant(scalar) };
        if !array.set(&point, value) {
            return None;
        }
    }
    Some(array)
}
