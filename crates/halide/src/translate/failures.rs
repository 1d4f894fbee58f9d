//! Failing assertions: a run that fails one must end with an error.
//!
//! # Correctness
//! If the condition of an assertion is false, the code returns the value of its message. A caller
//! takes 0 for success. The message must therefore be a call of one of the runtime's
//! functions for errors, which never return 0, or the result of a call that the condition
//! compares with 0. The same holds for the message of a `require`.

use super::error::{Result, unsupported};
use crate::Names;
use crate::tree::{BinaryOp, Expr, Stmt, StmtKind};

/// Refuses assertions that may return success where they fail.
pub(super) fn speak(names: &Names, block: &[Stmt]) -> Result<()> {
    for stmt in block {
        if let StmtKind::Assert { condition, message } = &stmt.kind
            && !is_error(names, message)
            && !is_tested(condition, message)
        {
            return unsupported("an assertion whose failure may return success")
                .map_err(|what| what.at(stmt.at));
        }
        let mut is_right = true;
        stmt.for_each_expr(&mut |expr| is_right = is_right && requires(names, expr));
        if !is_right {
            return unsupported("a `require` whose failure may return success")
                .map_err(|what| what.at(stmt.at));
        }
        let mut result = Ok(());
        stmt.for_each_block(&mut |inner| {
            if result.is_ok() {
                result = speak(names, inner);
            }
        });
        result?;
    }
    Ok(())
}

/// Tests whether a message calls a function of the runtime that reports an error.
fn is_error(names: &Names, message: &Expr) -> bool {
    if let Expr::Let { name: _, value: _, body } = message {
        return is_error(names, body);
    }
    matches!(message, Expr::Call(call) if names.text(call.name).starts_with("halide_error_"))
}

/// Tests whether a message is a name that is not 0 where the condition is false.
fn is_tested(condition: &Expr, message: &Expr) -> bool {
    let Some(name) = message.variable() else { return false };
    let Expr::Binary(BinaryOp::Eq | BinaryOp::Ge | BinaryOp::Le, operands) = condition else {
        return false;
    };
    let is_zero = |expr: &Expr| matches!(expr, Expr::Int(0, _));
    let [a, b] = &**operands;
    (a.variable() == Some(name) && is_zero(b)) || (b.variable() == Some(name) && is_zero(a))
}

/// Tests whether each `require` in an expression reports an error.
fn requires(names: &Names, expr: &Expr) -> bool {
    let mut is_right = true;
    if let Expr::Call(call) = expr
        && names.text(call.name) == "require"
    {
        is_right = call.args.last().is_some_and(|message| is_error(names, message));
    }
    expr.for_each_operand(&mut |operand| is_right = is_right && requires(names, operand));
    is_right
}
