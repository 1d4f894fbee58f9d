//! Inputs and windows on which an algorithm has a value.

use halidom_interp::algorithm::{AlgorithmError, demand_within};
use halidom_interp::{Bindings, evaluate_expr};
use halidom_ir::{
    Algorithm, BinaryOp, Check, Constant, Expr, ExprId, FuncId, Pool, Program, Scalar, Shape, Stmt,
    StmtId, VarId,
};

use crate::Random;
use crate::random::random_padded_array;

/// The most steps for finding the inputs of one case.
const MOST_STEPS: u64 = 4_000_000;

/// The inputs for a run of a pipeline.
#[derive(Clone, Debug)]
pub struct Case {
    /// Parameters and inputs.
    pub bindings: Bindings,
    /// The windows of the outputs.
    pub windows: Vec<Shape>,
    /// Unused elements after each run along a dimension of the outputs.
    pub output_padding: Vec<i64>,
}

/// Extents that reveal mistakes: zero, one, primes, neighbours of powers of two.
const EXTENTS: [i64; 14] = [0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31];
/// Other extents are drawn up to here, so that every remainder by the factor of a loop occurs.
const MOST_EXTENT: i64 = 40;
/// The most points of a window.
const MOST_POINTS: i64 = 500;
/// The most elements of an input.
const MOST_ELEMENTS: i64 = 1 << 18;

/// Returns up to `count` cases on which the algorithm has values. The windows are small, of every
/// shape, and sometimes have mins other than 0. The inputs are as large as the window needs or
/// larger, and some are padded. There are fewer cases if windows, parameters and shapes that the
/// pipeline accepts are hard to find.
pub fn cases(pool: &Pool, algorithm: &Algorithm, seed: u64, count: usize) -> Vec<Case> {
    found(pool, algorithm, &[], MOST_POINTS, (seed, count))
}

/// Returns the same for a program. If its entry checks fix windows, by the shapes of inputs or by
/// constants, the cases have these windows. The others have at most `points` points.
pub fn cases_of(
    pool: &Pool,
    algorithm: &Algorithm,
    program: &Program,
    points: i64,
    (seed, count): (u64, usize),
) -> Vec<Case> {
    found(pool, algorithm, &fixed_sides(pool, program), points, (seed, count))
}

fn found(
    pool: &Pool,
    algorithm: &Algorithm,
    fixed: &[FixedSide],
    points: i64,
    (seed, count): (u64, usize),
) -> Vec<Case> {
    let mut random = Random::new(seed);
    let mut found = Vec::with_capacity(count);
    for _ in 0..count * 12 {
        if found.len() == count {
            break;
        }
        found.extend(attempt(pool, algorithm, fixed, points, &mut random));
    }
    found
}

/// A min or an extent of a window that an entry check fixes: the output, the dimension, which of
/// both, and its value.
struct FixedSide {
    output: usize,
    dim: usize,
    is_extent: bool,
    value: ExprId,
}

fn fixed_sides(pool: &Pool, program: &Program) -> Vec<FixedSide> {
    let mut equations = Vec::new();
    equations_of(pool, program.body, &mut equations);
    let mut sides = Vec::new();
    for (output, decl) in program.outputs.iter().enumerate() {
        for (dim, (min, extent)) in decl.window.iter().enumerate() {
            for (is_extent, side) in [(false, min), (true, extent)] {
                let values = equations.iter().filter(|(var, _)| var == side);
                sides.extend(values.map(|(_, value)| FixedSide {
                    output,
                    dim,
                    is_extent,
                    value: *value,
                }));
            }
        }
    }
    sides
}

/// Collects the equations between a variable and another expression from the bounds checks, which
/// stand at the top.
fn equations_of(pool: &Pool, stmt: StmtId, equations: &mut Vec<(VarId, ExprId)>) {
    if let Stmt::Block(stmts) = pool.get_stmt(stmt) {
        for stmt in stmts {
            equations_of(pool, *stmt, equations);
        }
    }
    if let Stmt::Assert { check: Check::Bound { .. }, condition } = pool.get_stmt(stmt) {
        conjuncts(pool, *condition, equations);
    }
}

fn conjuncts(pool: &Pool, condition: ExprId, equations: &mut Vec<(VarId, ExprId)>) {
    let Expr::Binary(op, lhs, rhs) = *pool.get(condition) else { return };
    if op == BinaryOp::And {
        conjuncts(pool, lhs, equations);
        conjuncts(pool, rhs, equations);
    } else if op == BinaryOp::Eq {
        for (side, value) in [(lhs, rhs), (rhs, lhs)] {
            if let Expr::Var(var) = *pool.get(side) {
                equations.push((var, value));
            }
        }
    }
}

/// Makes windows agree with the fixed sides, as far as these have values. Returns true if anything
/// changed.
fn fix(pool: &Pool, fixed: &[FixedSide], bindings: &Bindings, windows: &mut [Shape]) -> bool {
    let mut changed = false;
    for FixedSide { output, dim, is_extent, value } in fixed {
        let value = evaluate_expr(pool, *value, bindings).ok().and_then(Constant::as_integer);
        let Some(value) = value.and_then(|value| i64::try_from(value).ok()) else { continue };
        let (min, extent) = &mut windows[*output][*dim];
        let side = if *is_extent { extent } else { min };
        changed |= *side != value;
        *side = value;
    }
    changed
}

fn attempt(
    pool: &Pool,
    algorithm: &Algorithm,
    fixed: &[FixedSide],
    points: i64,
    random: &mut Random,
) -> Option<Case> {
    let mut bindings = Bindings::new();
    for param in &algorithm.params {
        let value = random.constant(pool.var(*param).ty.scalar);
        bindings.set_var(pool, *param, value).ok()?;
    }
    let mut windows: Vec<Shape> = algorithm
        .outputs
        .iter()
        .map(|output| window(pool.func(*output).rank(), points, random))
        .collect();
    let given = given_shapes(pool, algorithm, random);
    let shapes = if fixed.is_empty() {
        input_shapes(pool, algorithm, &mut bindings, &windows, given, random)?
    } else {
        bind_shapes(pool, algorithm, &mut bindings, &given)?;
        fix(pool, fixed, &bindings, &mut windows);
        let shapes = grown(pool, algorithm, &mut bindings, &windows, given, random)?;
        bind_shapes(pool, algorithm, &mut bindings, &shapes)?;
        if fix(pool, fixed, &bindings, &mut windows) {
            return None;
        }
        shapes
    };
    for (input, shape) in algorithm.inputs.iter().zip(&shapes) {
        set_random(pool, &mut bindings, *input, shape.clone(), random)?;
    }
    // If reads depend on elements, the shapes were made for other elements.
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

fn window(rank: usize, most_points: i64, random: &mut Random) -> Shape {
    let mut points = 1;
    let mut shape = Shape::new();
    for _ in 0..rank {
        let choices: Vec<i64> =
            EXTENTS.into_iter().filter(|extent| points * extent <= most_points).collect();
        let extent = if random.chance(30) {
            random.between(0, MOST_EXTENT.min(most_points / points))
        } else {
            random.choose(&choices).copied().unwrap_or(1)
        };
        points *= extent.max(1);
        let min = if random.chance(70) { 0 } else { random.between(-7, 9) };
        shape.push((min, extent));
    }
    random.shuffle(&mut shape);
    shape
}

/// Returns initial shapes. They have few different extents, because pipelines require some to be
/// equal.
fn given_shapes(pool: &Pool, algorithm: &Algorithm, random: &mut Random) -> Vec<Shape> {
    let most = if random.chance(75) { 17 } else { MOST_EXTENT };
    let different = [1, 1, 2, 8][random.below(4)];
    let extents: Vec<i64> = (0..different).map(|_| random.between(0, most)).collect();
    let starts = [0, random.between(-5, 5)];
    let moved = random.chance(50);
    let shape = |input: &FuncId| {
        let side = |_| {
            let min = starts[usize::from(moved && random.chance(50))];
            (min, random.choose(&extents).copied().unwrap_or(1))
        };
        (0..pool.func(*input).rank()).map(side).collect()
    };
    algorithm.inputs.iter().map(shape).collect()
}

/// Returns shapes of the inputs that contain everything that the windows read. They are as tight as
/// the reads allow, or have a little or much room, or are the given shapes with the missing parts
/// added.
fn input_shapes(
    pool: &Pool,
    algorithm: &Algorithm,
    bindings: &mut Bindings,
    windows: &[Shape],
    given: Vec<Shape>,
    random: &mut Random,
) -> Option<Vec<Shape>> {
    let room =
        [0, random.between(1, 3), random.between(10, 40), random.between(10, 40)][random.below(4)];
    let read = read_boxes(pool, algorithm, bindings, windows, &given, random)?;
    let tight: Vec<Shape> = read
        .iter()
        .zip(&given)
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
    grown(pool, algorithm, bindings, windows, given, random)
}

/// Returns shapes that contain the given ones and everything that the windows read. The reads can
/// depend on the shapes, so this takes a few rounds.
fn grown(
    pool: &Pool,
    algorithm: &Algorithm,
    bindings: &mut Bindings,
    windows: &[Shape],
    mut shapes: Vec<Shape>,
    random: &mut Random,
) -> Option<Vec<Shape>> {
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

/// Returns the boxes that the windows read of inputs of these shapes. Returns `None` if the
/// pipeline refuses the shapes, or if they are too large.
fn read_boxes(
    pool: &Pool,
    algorithm: &Algorithm,
    bindings: &mut Bindings,
    windows: &[Shape],
    shapes: &[Shape],
    random: &mut Random,
) -> Option<Vec<Option<Shape>>> {
    bind_shapes(pool, algorithm, bindings, shapes)?;
    match demand_within(pool, algorithm, bindings, windows, MOST_STEPS) {
        Err(AlgorithmError::DataDependent { .. }) => {
            // Reads depend on elements. Any elements will do, because the indices are clamped or
            // wrapped.
            let mut given = bindings.clone();
            for (input, shape) in algorithm.inputs.iter().zip(shapes) {
                set_random(pool, &mut given, *input, shape.clone(), random)?;
            }
            demand_within(pool, algorithm, &given, windows, MOST_STEPS).ok()
        }
        result => result.ok(),
    }
}

/// Binds the shapes of the inputs, but not their elements. Returns `None` if they are too large.
fn bind_shapes(
    pool: &Pool,
    algorithm: &Algorithm,
    bindings: &mut Bindings,
    shapes: &[Shape],
) -> Option<()> {
    for (input, shape) in algorithm.inputs.iter().zip(shapes) {
        let elements = shape.iter().try_fold(1_i64, |size, (_, extent)| size.checked_mul(*extent));
        if elements.is_none_or(|elements| elements > MOST_ELEMENTS) {
            return None;
        }
        bindings.set_input_shape(pool, *input, shape, &strides(shape)).ok()?;
    }
    Some(())
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

/// Returns the least box around both.
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
