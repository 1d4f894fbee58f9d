//! Chosen lanes of vectors (`ir`'s shuffles), as vectors whose lanes are numbered anew.
//!
//! # Correctness
//! [`taken`] replaces the number `l` of a lane by `first + step·l` in ramps; nothing else depends
//! on the lane. A shuffle of loads is taken apart into runs of lanes that follow one another in one
//! vector. It is read as one load if, for every run, the lanes taken from that run's vector are
//! that load.

use halidom_ir::{Access, Constant, Expr, ExprId, Pool};

/// Lane `l` of the result takes lane `first + step·l` of vector number `vector`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) vector: usize,
    pub(crate) first: i128,
    pub(crate) step: i128,
}

/// Returns a vector with `lanes` lanes. Its lane `l` is lane `first + step·l` of a vector of ramps
/// and broadcasts.
pub(crate) fn taken(
    pool: &mut Pool,
    expr: ExprId,
    (first, step): (i128, i128),
    lanes: u32,
) -> Option<ExprId> {
    if pool.ty(expr).lanes == 1 {
        return Some(expr);
    }
    let taken = match pool.get(expr).clone() {
        Expr::Ramp { base, stride, .. } => {
            let [first, step] = [first, step].map(|value| pool.int(value));
            let from = pool.mul(stride, first);
            let base = pool.add(base, from);
            Expr::Ramp { base, stride: pool.mul(stride, step), lanes }
        }
        Expr::Broadcast { value, .. } => Expr::Broadcast { value, lanes },
        Expr::Binary(op, lhs, rhs) => {
            let lhs = taken(pool, lhs, (first, step), lanes)?;
            Expr::Binary(op, lhs, taken(pool, rhs, (first, step), lanes)?)
        }
        Expr::Load { buffer, index, access: Some(Access { func, coords }) } => {
            let index = taken(pool, index, (first, step), lanes)?;
            let coords = coords.iter().map(|coord| taken(pool, *coord, (first, step), lanes));
            let coords = coords.collect::<Option<_>>()?;
            Expr::Load { buffer, index, access: Some(Access { func, coords }) }
        }
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => return None,
    };
    Some(pool.expr(taken))
}

/// Splits the lanes of a shuffle of vectors with `given` lanes into runs. A run of one lane has the
/// step of the run before it.
pub(crate) fn runs(given: u32, lanes: &[u32]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (lane, number) in lanes.iter().zip(0_i128..) {
        let (vector, place) = ((lane / given) as usize, i128::from(lane % given));
        let follows = |run: &Run| (run.vector, run.first + run.step * number) == (vector, place);
        if runs.last().is_some_and(follows) {
            continue;
        }
        let next = lanes.get(number as usize + 1).filter(|next| *next / given == lane / given);
        let step = match (next, runs.last()) {
            (Some(next), _) => i128::from(next % given) - place,
            (None, Some(run)) => run.step,
            (None, None) => 1,
        };
        runs.push(Run { vector, first: place - step * number, step });
    }
    runs
}

/// Returns the vectors of a store that interleaves them into consecutive elements.
pub(crate) fn row(pool: &Pool, index: ExprId, value: ExprId) -> Option<Vec<ExprId>> {
    let Expr::Ramp { stride, .. } = pool.get(index) else { return None };
    let Expr::Shuffle { vectors, lanes } = pool.get(value) else { return None };
    let dense = pool.as_constant(*stride).and_then(Constant::as_integer) == Some(1);
    let (count, each) = (vectors.len(), pool.ty(*vectors.first()?).lanes as usize);
    let in_turn = lanes
        .iter()
        .enumerate()
        .all(|(number, lane)| *lane as usize == number % count * each + number / count);
    (dense && in_turn && lanes.len() == count * each).then(|| vectors.to_vec())
}
