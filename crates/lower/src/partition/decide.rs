//! Statements with some of their conditions, minima and maxima decided.

use halidom_base::FxHashMap;
use halidom_ir::visit::{Fold, walk};
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Pool, Stmt, StmtId};

use crate::LowerError;
use crate::linear::Linear;

/// Replaces each key of `decided` in a statement by its value, and takes branches whose condition
/// becomes constant.
pub(super) fn decide(
    pool: &mut Pool,
    stmt: StmtId,
    decided: &FxHashMap<ExprId, ExprId>,
) -> Result<StmtId, LowerError> {
    if decided.is_empty() {
        return Ok(stmt);
    }
    Decide { decided, done: FxHashMap::default() }.stmt(pool, stmt)
}

struct Decide<'a> {
    decided: &'a FxHashMap<ExprId, ExprId>,
    done: FxHashMap<ExprId, ExprId>,
}

impl Decide<'_> {
    fn rewrite(&mut self, pool: &mut Pool, id: ExprId) -> ExprId {
        if let Some(result) = self.done.get(&id) {
            return *result;
        }
        let result = if let Some(chosen) = self.decided.get(&id) {
            self.rewrite(pool, *chosen)
        } else {
            let expr = pool.get(id).clone();
            let mapped = expr.map_operands(|operand| self.rewrite(pool, operand));
            chosen(pool, &mapped).unwrap_or_else(|| pool.expr(mapped))
        };
        self.done.insert(id, result);
        result
    }
}

/// Returns the value of `lhs < rhs` or `lhs <= rhs` in all lanes, if it follows from sums that
/// `is_known` reports to be at most 0.
pub(super) fn settled(
    pool: &mut Pool,
    op: BinaryOp,
    (lhs, rhs): (&Linear, &Linear),
    lanes: u32,
    is_known: &dyn Fn(&Linear) -> bool,
) -> Option<ExprId> {
    // `l < r` is `l - r + 1 <= 0`, and its opposite `r - l <= 0`.
    let strict = i128::from(op == BinaryOp::Lt);
    let holds = |a: &Linear, b: &Linear, more| {
        let excess = a.clone().plus(b, -1).and_then(|sum| sum.greatest(more, lanes));
        excess.is_some_and(|excess| is_known(&excess))
    };
    let value = if holds(lhs, rhs, strict) {
        true
    } else if holds(rhs, lhs, 1 - strict) {
        false
    } else {
        return None;
    };
    let value = pool.constant(Constant::bool(value));
    Some(if lanes == 1 { value } else { pool.expr(Expr::Broadcast { value, lanes }) })
}

/// Returns the result of a conjunction, a disjunction or a selection with a constant that is the
/// same in all lanes.
fn chosen(pool: &Pool, expr: &Expr) -> Option<ExprId> {
    let (absorbs, lhs, rhs) = match *expr {
        Expr::Select { condition, if_true, if_false } => {
            return truth(pool, condition).map(|holds| if holds { if_true } else { if_false });
        }
        Expr::Binary(BinaryOp::And, lhs, rhs) => (false, lhs, rhs),
        Expr::Binary(BinaryOp::Or, lhs, rhs) => (true, lhs, rhs),
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => return None,
    };
    match (truth(pool, lhs), truth(pool, rhs)) {
        (Some(value), _) => Some(if value == absorbs { lhs } else { rhs }),
        (None, Some(value)) => Some(if value == absorbs { rhs } else { lhs }),
        (None, None) => None,
    }
}

fn truth(pool: &Pool, id: ExprId) -> Option<bool> {
    match *pool.get(id) {
        Expr::Broadcast { value, .. } => truth(pool, value),
        Expr::Const(constant) => constant.as_bool(),
        Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}

impl Fold<LowerError> for Decide<'_> {
    fn expr(&mut self, pool: &mut Pool, expr: ExprId) -> Result<ExprId, LowerError> {
        Ok(self.rewrite(pool, expr))
    }

    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
        let Stmt::If { condition, then_branch, else_branch } = *pool.get_stmt(id) else {
            return walk(self, pool, id);
        };
        let condition = self.rewrite(pool, condition);
        match (pool.as_constant(condition).and_then(Constant::as_bool), else_branch) {
            (Some(true), _) => self.stmt(pool, then_branch),
            (Some(false), Some(branch)) => self.stmt(pool, branch),
            (Some(false), None) => Ok(pool.stmt(Stmt::Block(Vec::new()))),
            (None, _) => walk(self, pool, id),
        }
    }
}
