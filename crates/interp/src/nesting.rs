//! The order in which a program's entry checks nest the dimensions of a caller's buffer.

use halidom_ir::{
    BinaryOp, BufferId, Constant, Expr, ExprId, Nesting, Pool, Program, Stmt, StmtId, VarId,
};

/// The order in which to nest the dimensions of a caller's buffer in memory: those whose stride an
/// entry check fixes to a number, by that number, before the others. Runs with another order would
/// fail the check.
pub fn nesting(pool: &Pool, program: &Program, buffer: BufferId) -> Nesting {
    let mut fixed = Vec::new();
    collect(pool, program.body, &mut fixed);
    let dims = &pool.buffer(buffer).dims;
    let number = |stride: ExprId| {
        let mut found = fixed.iter().filter(|(var, _)| *pool.get(stride) == Expr::Var(*var));
        found.next().map(|(_, value)| *value)
    };
    let numbers: Vec<Option<i64>> = dims.iter().map(|dim| number(dim.stride)).collect();
    let mut order: Vec<usize> = (0..dims.len()).collect();
    order.sort_by_key(|dim| numbers[*dim].unwrap_or(i64::MAX));
    order.into_iter().map(|dim| (dim, numbers[dim].unwrap_or(0))).collect()
}

/// Collects the variables that entry checks equate with positive numbers. Entry checks stand at the
/// top.
fn collect(pool: &Pool, stmt: StmtId, fixed: &mut Vec<(VarId, i64)>) {
    match pool.get_stmt(stmt) {
        Stmt::Block(parts) => parts.iter().for_each(|part| collect(pool, *part, fixed)),
        Stmt::Let { body, .. } => collect(pool, *body, fixed),
        Stmt::Assert { condition, .. } => conjuncts(pool, *condition, fixed),
        Stmt::If { .. }
        | Stmt::For { .. }
        | Stmt::Allocate { .. }
        | Stmt::Labeled { .. }
        | Stmt::Provide { .. }
        | Stmt::Store { .. } => {}
    }
}

fn conjuncts(pool: &Pool, condition: ExprId, fixed: &mut Vec<(VarId, i64)>) {
    let Expr::Binary(op, a, b) = *pool.get(condition) else { return };
    if op == BinaryOp::And {
        conjuncts(pool, a, fixed);
        conjuncts(pool, b, fixed);
    } else if op == BinaryOp::Eq {
        for (side, value) in [(a, b), (b, a)] {
            let value = pool.as_constant(value).and_then(Constant::as_integer);
            let value = value.and_then(|value| i64::try_from(value).ok());
            if let (Expr::Var(var), Some(value @ 1..)) = (pool.get(side), value) {
                fixed.push((*var, value));
            }
        }
    }
}
