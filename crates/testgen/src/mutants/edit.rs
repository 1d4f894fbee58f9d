//! Replaces one occurrence of a statement in a program, or of a subexpression in an expression.
//!
//! Statements and expressions are shared by id. An edit counts occurrences and not ids, so exactly
//! one place changes.

use halidom_ir::visit::for_each_stmt;
use halidom_ir::{Expr, ExprId, Pool, Stmt, StmtId};

/// Returns the statement with its child number `child` replaced.
pub(super) fn with_child(stmt: &Stmt, child: usize, new: StmtId) -> Stmt {
    let mut number = 0;
    stmt.map_children(|old| {
        number += 1;
        if number - 1 == child { new } else { old }
    })
}

/// Calls `visit` with every occurrence of a statement below `root`, numbered from 0 in the order of
/// the text.
pub(super) fn for_each_occurrence(
    pool: &Pool,
    root: StmtId,
    visit: &mut impl FnMut(usize, StmtId),
) {
    let mut number = 0;
    for_each_stmt(pool, root, &mut |stmt, _| {
        visit(number, stmt);
        number += 1;
    });
}

/// Returns the program's body with one occurrence replaced by `new`.
pub(super) fn replace_occurrence(
    pool: &mut Pool,
    root: StmtId,
    occurrence: usize,
    new: &Stmt,
) -> Option<StmtId> {
    replace(pool, root, &mut 0, occurrence, new)
}

fn replace(
    pool: &mut Pool,
    stmt: StmtId,
    next: &mut usize,
    occurrence: usize,
    new: &Stmt,
) -> Option<StmtId> {
    let number = *next;
    *next += 1;
    if number == occurrence {
        return Some(pool.stmt(new.clone()));
    }
    let old = pool.get_stmt(stmt).clone();
    for (child, id) in old.children().enumerate() {
        if let Some(changed) = replace(pool, id, next, occurrence, new) {
            let rebuilt = with_child(&old, child, changed);
            return Some(pool.stmt(rebuilt));
        }
    }
    None
}

/// A path from an expression down to a subexpression: the number of the operand at each step.
pub(crate) type Path = Vec<usize>;

/// Calls `visit` with occurrences of subexpressions, parents first. There are at most `limit`
/// calls, because shared subexpressions can occur exponentially often.
pub(crate) fn for_each_subexpr(
    pool: &Pool,
    root: ExprId,
    limit: usize,
    visit: &mut impl FnMut(&Path, ExprId),
) {
    fn walk(
        pool: &Pool,
        expr: ExprId,
        path: &mut Path,
        left: &mut usize,
        visit: &mut impl FnMut(&Path, ExprId),
    ) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        visit(path, expr);
        for (number, operand) in operands(pool.get(expr)).into_iter().enumerate() {
            path.push(number);
            walk(pool, operand, path, left, visit);
            path.pop();
        }
    }
    walk(pool, root, &mut Vec::new(), &mut { limit }, visit);
}

fn operands(expr: &Expr) -> Vec<ExprId> {
    let mut operands = Vec::new();
    expr.for_each_operand(|operand| operands.push(operand));
    operands
}

/// Returns the subexpression at a path.
pub(crate) fn subexpr(pool: &Pool, root: ExprId, path: &[usize]) -> Option<ExprId> {
    path.iter().try_fold(root, |expr, number| operands(pool.get(expr)).get(*number).copied())
}

/// Returns the expression with the subexpression at a path replaced.
pub(crate) fn replace_subexpr(
    pool: &mut Pool,
    root: ExprId,
    path: &[usize],
    new: ExprId,
) -> Option<ExprId> {
    let Some((first, rest)) = path.split_first() else { return Some(new) };
    let expr = pool.get(root).clone();
    let operand = *operands(&expr).get(*first)?;
    let changed = replace_subexpr(pool, operand, rest, new)?;
    // Operands come before annotations in every kind of expression, so counting the calls finds the
    // operand.
    let mut number = 0;
    let rebuilt = expr.map_operands(|operand| {
        number += 1;
        if number - 1 == *first { changed } else { operand }
    });
    Some(pool.expr(rebuilt))
}
