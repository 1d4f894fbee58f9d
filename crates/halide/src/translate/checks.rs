//! The assertions that every call of a statement makes before it does anything.

use crate::Names;
use crate::tree::{BinaryOp, CallKind, Expr, Stmt, StmtKind};

/// Returns the conditions of the assertions that every call makes before it does anything else.
pub(super) fn first<'b>(names: &Names, block: &'b [Stmt]) -> Vec<&'b Expr> {
    let mut found = Vec::new();
    collect(names, block, &mut found);
    found
}

/// Collects assertions. Returns false if the block does something.
fn collect<'b>(names: &Names, block: &'b [Stmt], found: &mut Vec<&'b Expr>) -> bool {
    block.iter().all(|stmt| {
        if let StmtKind::Assert { condition, message: _ } = &stmt.kind {
            found.push(condition);
            return true;
        }
        if let StmtKind::Scope(body) | StmtKind::ProducerConsumer { name: _, role: _, body } =
            &stmt.kind
        {
            return collect(names, body, found);
        }
        if let StmtKind::If { condition, then_branch, else_branch: None } = &stmt.kind {
            // All work is under the condition that no buffer is a bounds query.
            if let Expr::Not(queries) = condition {
                return asks_for_bounds(names, queries) && collect(names, then_branch, found);
            }
            return asks_for_bounds(names, condition);
        }
        matches!(&stmt.kind, StmtKind::Let { name: _, value } if !may_be_stage(names, value))
    })
}

/// Tests whether a value may be the result of a stage of foreign code. A text does not tell the
/// kinds of functions.
fn may_be_stage(names: &Names, value: &Expr) -> bool {
    let Expr::Call(call) = value else { return false };
    let is_foreign = matches!(call.kind, None | Some(CallKind::Extern | CallKind::ExternCPlusPlus));
    is_foreign && !names.text(call.name).starts_with("_halide_buffer_")
}

/// Tests whether a condition is that one of some buffers is a bounds query, which callers' are not.
fn asks_for_bounds(names: &Names, expr: &Expr) -> bool {
    if let Expr::Binary(BinaryOp::Or, operands) = expr {
        return operands.iter().all(|operand| asks_for_bounds(names, operand));
    }
    matches!(expr, Expr::Call(call)
        if names.text(call.name) == "_halide_buffer_is_bounds_query")
}
