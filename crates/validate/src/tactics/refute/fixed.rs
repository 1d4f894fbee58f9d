//! Windows that entry checks fix: for example, the output of a derivation is the whole tensor.

use halidom_interp::{Bindings, evaluate_expr};
use halidom_ir::{
    BinaryOp, Check, Constant, Expr, ExprId, Pool, Program, Scalar, Shape, Stmt, StmtId, VarId,
};

/// Makes parameters and windows agree with checks `window variable == value`, which few random
/// sizes would pass. If the value is a parameter, it follows the window. Then the window follows
/// the value, which may depend on a shape. Hinted values stay. Returns true if shapes fixed a
/// window.
pub(super) fn fix(
    pool: &Pool,
    program: &Program,
    hinted: &dyn Fn(VarId) -> Option<i64>,
    bindings: &mut Bindings,
    windows: &mut [Shape],
    shape: impl FnOnce(&mut Bindings) -> Option<()>,
) -> Option<bool> {
    let mut equations = Vec::new();
    collect(pool, program.body, &mut equations);
    let mut sides: Vec<(VarId, &mut i64)> = Vec::new();
    for (output, window) in program.outputs.iter().zip(windows) {
        for ((min_var, extent_var), (min, extent)) in output.window.iter().zip(window) {
            sides.extend([(*min_var, min), (*extent_var, extent)]);
        }
    }
    sides.retain(|(var, _)| hinted(*var).is_none());
    let values = |side: VarId| equations.iter().filter(move |(var, _)| *var == side);
    for (var, number) in &sides {
        for (_, value) in values(*var) {
            if let Expr::Var(param) = *pool.get(*value)
                && hinted(param).is_none()
            {
                bindings.set_var(pool, param, Constant::int(i128::from(**number))).ok()?;
            }
        }
    }
    let mut shaped = bindings.clone();
    shape(&mut shaped)?;
    let mut by_shapes = false;
    for (var, number) in sides {
        for (_, value) in values(var) {
            let known = evaluate_expr(pool, *value, bindings);
            by_shapes |= known.is_err();
            let value = known.or_else(|_| evaluate_expr(pool, *value, &shaped)).ok()?;
            *number = i64::try_from(value.as_integer()?).ok()?;
        }
    }
    Some(by_shapes)
}

/// Collects the equations among the checks on bounds. Entry checks stand at the top.
fn collect(pool: &Pool, stmt: StmtId, equations: &mut Vec<(VarId, ExprId)>) {
    match pool.get_stmt(stmt) {
        Stmt::Block(parts) => parts.iter().for_each(|part| collect(pool, *part, equations)),
        Stmt::Assert { check: Check::Bound { .. }, condition } => {
            conjuncts(pool, *condition, equations);
        }
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

fn conjuncts(pool: &Pool, condition: ExprId, equations: &mut Vec<(VarId, ExprId)>) {
    let Expr::Binary(op, a, b) = *pool.get(condition) else { return };
    if op == BinaryOp::And {
        conjuncts(pool, a, equations);
        conjuncts(pool, b, equations);
    } else if op == BinaryOp::Eq && pool.ty(a).scalar == Scalar::Int {
        for (side, value) in [(a, b), (b, a)] {
            if let Expr::Var(var) = *pool.get(side) {
                equations.push((var, value));
            }
        }
    }
}
