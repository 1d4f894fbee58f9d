//! Updates that change nothing.
//!
//! Halide's compiler removes their stores, so no statement has them.
//!
//! # Correctness
//! Let the last stage of a func give each component of the location that it writes the value of
//! that component at that location, read before the write. Then the func has the same values at
//! every location before and after each instance of the stage, and without the stage it has the
//! same values at the end.

use halidom_ir::{Expr, FuncId, Pool, Stage};

/// The stages of a func without the last ones that change nothing. The first stage stays.
pub(super) fn left_out(pool: &Pool, func: FuncId, mut stages: Vec<Stage>) -> Vec<Stage> {
    while stages.len() > 1 && stages.last().is_some_and(|last| is_idle(pool, func, last)) {
        stages.pop();
    }
    stages
}

/// Tests whether a stage gives each location that it writes the value that is there.
fn is_idle(pool: &Pool, func: FuncId, stage: &Stage) -> bool {
    stage.values.iter().enumerate().all(|(number, value)| {
        matches!(
            pool.get(*value),
            Expr::Ref { func: read, component, args }
                if *read == func && *component == number && **args == *stage.lhs
        )
    })
}
