//! The assertions that every call of a statement makes before it does anything.

use crate::Names;
use crate::tree::{Expr, Stmt, StmtKind};

/// Returns the conditions of the assertions that every call makes before it does anything else.
pub(super) fn first<'b>(names: &Names, block: &'b [Stmt]) -> Vec<&'b Expr> {
    let mut found = Vec::new();
    collect(names, block, &mut found);
    found
}

/// Collects assertions. Returns false if the block does something.
fn collect<'b>(names: &Names, block: &'b [Stmt], found: &mut Vec<&'b Expr>) -> bool {
    block.iter().all(|stmt| match &stmt.kind {
        StmtKind::Assert { condition, message: _ } => {
            found.push(condition);
            true
        }
        StmtKind::Let { name: _, value: _ } => true,
        StmtKind::Scope(body) | StmtKind::ProducerConsumer { name: _, role: _, body } => {
            collect(names, body, found)
        }
        // All work is under the condition that no buffer is a bounds query.
        StmtKind::If { condition: Expr::Not(queries), then_branch, else_branch: None } => {
            asks_for_bounds(names, queries) && collect(names, then_branch, found)
        }
        StmtKind::If { condition, then_branch: _, else_branch: None } => {
            asks_for_bounds(names, condition)
        }
        _ => false,
    })
}

/// Tests whether a condition is that one of some buffers is a bounds query, which callers' are not.
fn asks_for_bounds(names: &Names, expr: &Expr) -> bool {
    if let Expr::Binary(crate::tree::BinaryOp::Or, operands) = expr {
        return operands.iter().all(|operand| asks_for_bounds(names, operand));
    }
    matches!(expr, Expr::Call(call)
        if names.text(call.name) == "_halide_buffer_is_bounds_query")
}
