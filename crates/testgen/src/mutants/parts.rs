//! The parts of statements and conditions that a change affects.

use halidom_ir::visit::Role;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Pool, Stmt};

/// Returns the expressions of a statement that take part in the computation. Entry checks are left
/// out, because a stricter one makes no result wrong.
pub(super) fn roots(pool: &Pool, stmt: &Stmt) -> Vec<(Role, ExprId)> {
    let mut roots = Vec::new();
    let has_roots = !matches!(
        stmt,
        Stmt::Allocate { .. } | Stmt::Assert { .. } | Stmt::Labeled { .. } | Stmt::Provide { .. }
    );
    if has_roots {
        stmt.for_each_expr(pool, &mut |role, expr| roots.push((role, expr)));
    }
    roots.retain(|(role, _)| !role.is_annotation());
    roots
}

/// Returns the expression of a statement that has this role in the computation.
pub(super) fn expr_of(pool: &Pool, stmt: &Stmt, role: Role) -> Option<ExprId> {
    roots(pool, stmt).into_iter().find(|(other, _)| *other == role).map(|(_, expr)| expr)
}

/// Returns the comparison that differs where both sides are equal.
pub(super) fn other_comparison(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Lt => Some(BinaryOp::Le),
        BinaryOp::Le => Some(BinaryOp::Lt),
        BinaryOp::Gt => Some(BinaryOp::Ge),
        BinaryOp::Ge => Some(BinaryOp::Gt),
        BinaryOp::Add(_)
        | BinaryOp::Sub(_)
        | BinaryOp::Mul(_)
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Eq
        | BinaryOp::Ne => None,
    }
}

/// Calls `visit` with the conditions that `&` joins, below `|` too. `a | b & c` has `b` and `c`,
/// but not `a`, because the check would be stricter without it.
pub(super) fn conjuncts(pool: &Pool, condition: ExprId, visit: &mut impl FnMut(ExprId)) {
    match pool.get(condition) {
        Expr::Binary(BinaryOp::And, lhs, rhs) => {
            conjuncts(pool, *lhs, visit);
            conjuncts(pool, *rhs, visit);
        }
        Expr::Binary(BinaryOp::Or, _, rhs) => conjuncts(pool, *rhs, visit),
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => visit(condition),
    }
}

/// Returns the condition with its conjunct number `part` made true.
pub(super) fn without(pool: &mut Pool, condition: ExprId, part: &mut usize) -> ExprId {
    match *pool.get(condition) {
        Expr::Binary(op @ BinaryOp::And, lhs, rhs) => {
            let lhs = without(pool, lhs, part);
            let rhs = without(pool, rhs, part);
            pool.binary(op, lhs, rhs)
        }
        Expr::Binary(op @ BinaryOp::Or, lhs, rhs) => {
            let rhs = without(pool, rhs, part);
            pool.binary(op, lhs, rhs)
        }
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => {
            let is_it = *part == 0;
            *part = part.wrapping_sub(1);
            if is_it { pool.constant(Constant::bool(true)) } else { condition }
        }
    }
}
