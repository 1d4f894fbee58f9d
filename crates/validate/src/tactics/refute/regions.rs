//! The regions of the inputs that a program's entry checks ask for.

use halidom_interp::{Bindings, evaluate_expr};
use halidom_ir::{Check, Constant, FuncId, Interval, Pool, Program, Shape, Stmt, StmtId};

/// Returns input, dimension, min and extent for each checked dimension of an input, at these
/// parameters, shapes and windows.
pub(super) fn required(
    pool: &Pool,
    program: &Program,
    bindings: &Bindings,
    windows: &[Shape],
) -> Vec<(FuncId, usize, (i64, i64))> {
    let mut bindings = bindings.clone();
    for (output, window) in program.outputs.iter().zip(windows) {
        for ((min_var, extent_var), (min, extent)) in output.window.iter().zip(window) {
            for (var, value) in [(min_var, min), (extent_var, extent)] {
                // A variable of another type stays unbound, and so do the regions that mention it.
                let _ = bindings.set_var(pool, *var, Constant::int(i128::from(*value)));
            }
        }
    }
    let mut checks = Vec::new();
    collect(pool, program.body, &mut checks);
    let value = |expr| {
        let value = evaluate_expr(pool, expr, &bindings).ok()?.as_integer()?;
        i64::try_from(value).ok()
    };
    checks
        .into_iter()
        .filter_map(|(input, dim, region)| {
            Some((input, dim, (value(region.min)?, value(region.extent)?)))
        })
        .collect()
}

fn collect(pool: &Pool, stmt: StmtId, checks: &mut Vec<(FuncId, usize, Interval)>) {
    match pool.get_stmt(stmt) {
        Stmt::Block(parts) => parts.iter().for_each(|part| collect(pool, *part, checks)),
        Stmt::Assert { check: Check::InputRegion { input, dim, needed, .. }, .. } => {
            checks.push((*input, *dim, *needed));
        }
        // Entry checks stand at the top.
        Stmt::Assert { .. }
        | Stmt::Let { .. }
        | Stmt::If { .. }
        | Stmt::For { .. }
        | Stmt::Allocate { .. }
        | Stmt::Labeled { .. }
        | Stmt::Provide { .. }
        | Stmt::Store { .. } => {}
    }
}
