//! Statements with some of their conditions, minima and maxima decided.

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Pool, Stmt, StmtId};

use crate::LowerError;
use crate::fold::{Fold, walk};

/// The statement with each key of `decided` replaced by its value, and branches on what is then a constant taken.
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
            conjunction(pool, &mapped).unwrap_or_else(|| pool.expr(mapped))
        };
        self.done.insert(id, result);
        result
    }
}

/// What remains of a conjunction with a constant.
fn conjunction(pool: &Pool, expr: &Expr) -> Option<ExprId> {
    let Expr::Binary(BinaryOp::And, lhs, rhs) = *expr else { return None };
    let value = |id| pool.as_constant(id).and_then(Constant::as_bool);
    match (value(lhs), value(rhs)) {
        (Some(true), _) => Some(rhs),
        (_, Some(true)) => Some(lhs),
        (Some(false) | None, Some(false) | None) => None,
    }
}

impl Fold for Decide<'_> {
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
