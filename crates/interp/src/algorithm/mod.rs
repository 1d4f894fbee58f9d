//! Evaluates algorithms (FS §4.3, Fig. 6), lazily and with memoisation.
//!
//! # Correctness
//! Fig. 6 defines the value of a func at a point by unrolling its updates into point updates that
//! shadow one another. Here `after(f, k, p)` is the value at `p` after the stages `0..=k`. By
//! syntactic separation (Definition 4.2), every access of stage `k` to `f` has the same coordinates
//! in the stage's pure dimensions as the point that it writes. So the points that agree in these
//! dimensions form a *cell* that can be updated alone. Demanding a point runs its cell's updates
//! once, in the order of the domain (first variable innermost). They read `after(f, k - 1, ·)` at
//! points of the cell that are not written yet. This is Fig. 6's shadowing, except that every
//! intermediate value is kept instead of recomputed.
//!
//! If the value of an update cannot be evaluated, the error becomes the value of the point that it
//! writes. Evaluation fails only if this point is demanded before another update writes it. If the
//! point itself or the predicate cannot be evaluated, every demand of the cell fails, because Fig.
//! 6 compares the two points.
//!
//! This evaluator decides three things that Fig. 6 leaves open or decides otherwise:
//! * Where a predicate of the pure stage does not hold, the func has no value until an update
//!   writes one, and a read of it there is an error.
//! * A negative extent of a reduction domain, Fig. 6's `ε_rdom`, is an error at the start for every
//!   func that an output depends on, as the language demands.
//! * If the predicate of an update does not hold, its value and written point are not evaluated. In
//!   Fig. 6 all operators are total and there are no inputs, so this makes no difference. Here a
//!   `where` keeps its update from reading an input out of bounds. Both arms of a select are always
//!   evaluated.
//!
//! `ε_mem`, the greater error of Definition 4.1, does not occur in algorithms. A read outside an
//! input is a separate error that stops the evaluation.

mod compile;
mod error;
mod evaluator;
mod table;

use halidom_ir::{Algorithm, Array, Constant, FuncId, Pool, Shape, points};

pub use error::AlgorithmError;
pub use evaluator::Evaluator;

use crate::{Bindings, Notes};

/// Computes the values of every output on its window, in the algorithm's order of outputs.
///
/// `windows[k]` is the box of `outputs[k]`. A non-positive extent makes the window empty; then only
/// `require`s and reduction domains are checked.
///
/// # Errors
/// The first [`AlgorithmError`].
pub fn evaluate(
    pool: &Pool,
    algorithm: &Algorithm,
    bindings: &Bindings,
    windows: &[Shape],
) -> Result<Vec<Array>, AlgorithmError> {
    evaluate_within(pool, algorithm, bindings, windows, u64::MAX)
}

/// Does the same as [`evaluate`], but fails with [`AlgorithmError::TooLong`] after `steps` stages
/// and instances of domains.
pub fn evaluate_within(
    pool: &Pool,
    algorithm: &Algorithm,
    bindings: &Bindings,
    windows: &[Shape],
    steps: u64,
) -> Result<Vec<Array>, AlgorithmError> {
    Ok(evaluate_noting(pool, algorithm, bindings, windows, steps)?.0)
}

/// Does the same as [`evaluate_within`] and also returns the notes.
pub fn evaluate_noting(
    pool: &Pool,
    algorithm: &Algorithm,
    bindings: &Bindings,
    windows: &[Shape],
    steps: u64,
) -> Result<(Vec<Array>, Notes), AlgorithmError> {
    let mut evaluator = Evaluator::new(pool, algorithm, bindings)?;
    evaluator.limit(steps);
    let mut arrays = Vec::new();
    for pair in for_outputs(pool, algorithm, windows) {
        let (output, window) = pair?;
        for component in 0..pool.func(output).scalars.len() {
            arrays.push(fill(pool, &mut evaluator, (output, component), window)?);
        }
    }
    Ok((arrays, evaluator.notes()))
}

fn fill(
    pool: &Pool,
    evaluator: &mut Evaluator<'_>,
    (output, component): (FuncId, usize),
    window: &Shape,
) -> Result<Array, AlgorithmError> {
    let shape = window.iter().map(|(min, extent)| (*min, (*extent).max(0))).collect();
    let mut array = Array::zeros(pool.func(output).scalar(component), shape).ok_or_else(|| {
        AlgorithmError::NoArray { name: pool.func(output).name.clone(), shape: window.clone() }
    })?;
    for (element, point) in points(window).enumerate() {
        let value = evaluator.value(output, component, &point)?;
        // Dense arrays number their elements in the order of `points`.
        if !array.set_element(element, value) {
            return Err(AlgorithmError::ill_typed(pool, output));
        }
    }
    Ok(array)
}

/// Computes the box of each input's coordinates that are read when the windows are evaluated, in
/// the algorithm's order of inputs. `None` stands for an input that is not read.
///
/// The shapes of inputs are needed only if the algorithm mentions them
/// ([`Bindings::set_input_shape`]), and their elements only if the coordinates of a read depend on
/// them. If a `where` clause or the written point of an update depends on elements that are not
/// bound, the update counts as happening. The result may then be larger than the region that is
/// read, never smaller. Reads outside of bound inputs are no errors.
///
/// # Errors
/// The first [`AlgorithmError`], in particular [`AlgorithmError::DataDependent`].
pub fn demand(
    pool: &Pool,
    algorithm: &Algorithm,
    bindings: &Bindings,
    windows: &[Shape],
) -> Result<Vec<Option<Shape>>, AlgorithmError> {
    demand_within(pool, algorithm, bindings, windows, u64::MAX)
}

/// Does the same as [`demand`], but fails with [`AlgorithmError::TooLong`] after `steps` stages and
/// instances of domains.
pub fn demand_within(
    pool: &Pool,
    algorithm: &Algorithm,
    bindings: &Bindings,
    windows: &[Shape],
    steps: u64,
) -> Result<Vec<Option<Shape>>, AlgorithmError> {
    let mut evaluator = Evaluator::dry(pool, algorithm, bindings)?;
    evaluator.limit(steps);
    for pair in for_outputs(pool, algorithm, windows) {
        let (output, window) = pair?;
        for point in points(window) {
            evaluator.touch(output, &point)?;
        }
    }
    Ok(algorithm.inputs.iter().map(|input| evaluator.touched(*input)).collect())
}

fn for_outputs<'a>(
    pool: &'a Pool,
    algorithm: &'a Algorithm,
    windows: &'a [Shape],
) -> impl Iterator<Item = Result<(FuncId, &'a Shape), AlgorithmError>> {
    let counts = (algorithm.outputs.len(), windows.len());
    let missing = (counts.0 != counts.1)
        .then_some(Err(AlgorithmError::WindowCount { outputs: counts.0, windows: counts.1 }));
    let pairs = algorithm.outputs.iter().zip(windows).map(|(output, window)| {
        let rank = pool.func(*output).rank();
        if window.len() == rank {
            Ok((*output, window))
        } else {
            let name = pool.func(*output).name.clone();
            Err(AlgorithmError::WindowRank { name, rank, given: window.len() })
        }
    });
    missing.into_iter().chain(pairs)
}

/// Unwraps a value that must be known: without unknown inputs, every value is.
fn known(pool: &Pool, func: FuncId, value: Option<Constant>) -> Result<Constant, AlgorithmError> {
    value.ok_or_else(|| AlgorithmError::ill_typed(pool, func))
}
