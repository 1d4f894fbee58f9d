//! Inputs and windows on which an algorithm has a value.

use halidom_interp::Bindings;
use halidom_interp::algorithm::{AlgorithmError, demand_within};
use halidom_ir::{Algorithm, FuncId, Pool, Scalar, Shape};

use crate::Random;
use crate::random::random_padded_array;

/// How much finding the inputs of one case may take.
const MOST_STEPS: u64 = 4_000_000;

/// What a pipeline can be run on.
#[derive(Clone, Debug)]
pub struct Case {
    /// Parameters and inputs.
    pub bindings: Bindings,
    /// The windows of the outputs.
    pub windows: Vec<Shape>,
    /// Unused elements after each run along a dimension of the outputs.
    pub output_padding: Vec<i64>,
}

/// Extents that reveal mistakes: none, one, primes, neighbours of powers of two.
const EXTENTS: [i64; 14] = [0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31];
/// Points of a window, at most.
const MOST_POINTS: i64 = 500;
/// Elements of an input, at most.
const MOST_ELEMENTS: i64 = 1 << 18;

/// Up to `count` cases on which the algorithm has values: small windows of every shape, with mins that are not 0 now and then; inputs that are as large as the window needs or
/// larger, some padded. Fewer, if windows, parameters and shapes that the pipeline accepts are hard to find.
pub fn cases(pool: &Pool, algorithm: &Algorithm, seed: u64, count: usize) -> Vec<Case> {
    let mut random = Random::new(seed);
    let mut found = Vec::with_capacity(count);
    for _ in 0..count * 12 {
        if found.len() == count {
            break;
        }
        found.extend(attempt(pool, algorithm, &mut random));
    }
    found
}

fn attempt(pool: &Pool, algorithm: &Algorithm, random: &mut Random) -> Option<Case> {
    let mut bindings = Bindings::new();
    for param in &algorithm.params {
        let value = random.constant(pool.var(*param).ty.scalar);
        bindings.set_var(pool, *param, value).ok()?;
    }
    let windows: Vec<Shape> =
        algorithm.outputs.iter().map(|output| window(pool.func(*output).rank(), random)).collect();
    let shapes = input_shapes(pool, algorithm, &mut bindings, &windows, random)?;
    for (input, shape) in algorithm.inputs.iter().zip(&shapes) {
        set_random(pool, &mut bindings, *input, shape.clone(), random)?;
    }
    // Where reads follow from elements, the shapes were made for others.
    let read = demand_within(pool, algorithm, &bindings, &windows, MOST_STEPS).ok()?;
    if !shapes.iter().zip(&read).all(|(shape, read)| hull(shape, read.as_ref()) == *shape) {
        return None;
    }
    let rank = pool.func(*algorithm.outputs.first()?).rank();
    let output_padding = if random.chance(30) {
        (0..rank).map(|_| random.between(0, 3)).collect()
    } else {
        Vec::new()
    };
    Some(Case { bindings, windows, output_padding })
}

fn window(rank: usize, random: &mut Random) -> Shape {
    let mut points = 1;
    let mut shape = Shape::new();
    for _ in 0..rank {
        let choices: Vec<i64> =
            EXTENTS.into_iter().filter(|extent| points * extent <= MOST_POINTS).collect();
        let extent = random.choose(&choices).copied().unwrap_or(1);
        points *= extent.max(1);
        let min = if random.chance(70) { 0 } else { random.between(-7, 9) };
        shape.push((min, extent));
    }
    random.shuffle(&mut shape);
    shape
}

/// Shapes of the inputs that contain what the windows read. What is read can depend on the shapes, so this takes a few rounds.
fn input_shapes(
    pool: &Pool,
    algorithm: &Algorithm,
    bindings: &mut Bindings,
    windows: &[Shape],
    random: &mut Random,
) -> Option<Vec<Shape>> {
    // One extent for all, often: pipelines require that extents are equal.
    let common = random.chance(50).then(|| random.between(1, 17));
    let mut shapes: Vec<Shape> = algorithm
        .inputs
        .iter()
        .map(|input| {
            (0..pool.func(*input).rank())
                .map(|_| {
                    let min = if random.chance(75) { 0 } else { random.between(-5, 5) };
                    (min, common.unwrap_or_else(|| random.between(0, 17)))
                })
                .collect()
        })
        .collect();
    // As tight as the reads allow, with a little room, or with much.
    let room =
        [0, random.between(1, 3), random.between(10, 40), random.between(10, 40)][random.below(4)];
    let read = read_boxes(pool, algorithm, bindings, windows, &shapes, random)?;
    let tight: Vec<Shape> = read
        .iter()
        .zip(&shapes)
        .map(|(read, shape)| match read {
            Some(read) => {
                read.iter().map(|(min, extent)| (min - room, extent + 2 * room)).collect()
            }
            None => shape.clone(),
        })
        .collect();
    if fits(pool, algorithm, bindings, windows, &tight, random) {
        return Some(tight);
    }
    for _ in 0..6 {
        let read = read_boxes(pool, algorithm, bindings, windows, &shapes, random)?;
        let mut enough = true;
        for (shape, read) in shapes.iter_mut().zip(&read) {
            let hull = hull(shape, read.as_ref());
            enough &= hull == *shape;
            *shape = hull;
        }
        if enough {
            return Some(shapes);
        }
    }
    None
}

fn fits(
    pool: &Pool,
    algorithm: &Algorithm,
    bindings: &mut Bindings,
    windows: &[Shape],
    shapes: &[Shape],
    random: &mut Random,
) -> bool {
    read_boxes(pool, algorithm, bindings, windows, shapes, random).is_some_and(|read| {
        shapes.iter().zip(&read).all(|(shape, read)| hull(shape, read.as_ref()) == *shape)
    })
}

/// What the windows read of inputs of these shapes. `None` if the pipeline refuses the shapes, or they are too large.
fn read_boxes(
    pool: &Pool,
    algorithm: &Algorithm,
    bindings: &mut Bindings,
    windows: &[Shape],
    shapes: &[Shape],
    random: &mut Random,
) -> Option<Vec<Option<Shape>>> {
    for (input, shape) in algorithm.inputs.iter().zip(shapes) {
        let elements = shape.iter().try_fold(1_i64, |size, (_, extent)| size.checked_mul(*extent));
        if elements.is_none_or(|elements| elements > MOST_ELEMENTS) {
            return None;
        }
        bindings.set_input_shape(pool, *input, shape, &strides(shape)).ok()?;
    }
    match demand_within(pool, algorithm, bindings, windows, MOST_STEPS) {
        Err(AlgorithmError::DataDependent { .. }) => {
            // Reads follow from elements: any will do, as the indices are clamped or wrapped.
            let mut given = bindings.clone();
            for (input, shape) in algorithm.inputs.iter().zip(shapes) {
                set_random(pool, &mut given, *input, shape.clone(), random)?;
            }
            demand_within(pool, algorithm, &given, windows, MOST_STEPS).ok()
        }
        result => result.ok(),
    }
}

fn set_random(
    pool: &Pool,
    bindings: &mut Bindings,
    input: FuncId,
    shape: Shape,
    random: &mut Random,
) -> Option<()> {
    let scalar: Scalar = pool.func(input).scalar(0);
    let padded = random.chance(30);
    let padding: Vec<i64> =
        shape.iter().map(|_| if padded { random.between(0, 4) } else { 0 }).collect();
    let array = random_padded_array(scalar, shape, &padding, random)?;
    bindings.set_input(pool, input, array).ok()
}

fn strides(shape: &Shape) -> Vec<i64> {
    shape
        .iter()
        .scan(1, |stride, (_, extent)| {
            let own = *stride;
            *stride *= extent;
            Some(own)
        })
        .collect()
}

/// The least box around both.
fn hull(shape: &Shape, read: Option<&Shape>) -> Shape {
    let Some(read) = read else { return shape.clone() };
    shape
        .iter()
        .zip(read)
        .map(|((min, extent), (read_min, read_extent))| {
            if *extent <= 0 {
                return (*read_min, *read_extent);
            }
            let low = *min.min(read_min);
            (low, (min + extent).max(read_min + read_extent) - low)
        })
        .collect()
}
