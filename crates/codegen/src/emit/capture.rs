//! Closure capture: the free variables and buffers of a statement.

use halidom_base::{FxHashSet, IndexSet};
use halidom_ir::{BufferId, Check, Expr, ExprId, Label, Pool, Stmt, StmtId, VarId};

use crate::emit::describe::check_values;

/// Free variables and buffers, in order of first use. Annotations do not count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Captures {
    pub(crate) vars: IndexSet<VarId>,
    pub(crate) buffers: IndexSet<BufferId>,
}

/// Collects the free variables and buffers of `stmt`, except for `bound`.
pub(crate) fn captures(pool: &Pool, stmt: StmtId, bound: &[VarId]) -> Captures {
    let mut search = Search {
        pool,
        found: Captures::default(),
        bound_vars: bound.iter().copied().collect(),
        bound_buffers: FxHashSet::default(),
    };
    search.stmt(stmt);
    search.found
}

struct Search<'a> {
    pool: &'a Pool,
    found: Captures,
    bound_vars: FxHashSet<VarId>,
    bound_buffers: FxHashSet<BufferId>,
}

impl Search<'_> {
    fn stmt(&mut self, id: StmtId) {
        match self.pool.get_stmt(id) {
            Stmt::Block(stmts) => stmts.iter().for_each(|stmt| self.stmt(*stmt)),
            Stmt::Let { var, value, body } => {
                self.expr(*value);
                self.within(*var, *body);
            }
            Stmt::If { condition, then_branch, else_branch } => {
                self.expr(*condition);
                self.stmt(*then_branch);
                if let Some(else_branch) = else_branch {
                    self.stmt(*else_branch);
                }
            }
            Stmt::For { var, min, extent, kind: _, body } => {
                self.expr(*min);
                self.expr(*extent);
                self.within(*var, *body);
            }
            Stmt::Allocate { buffer, body } => {
                for dim in &self.pool.buffer(*buffer).dims {
                    self.expr(dim.extent);
                    self.expr(dim.stride);
                }
                let inner = self.bound_buffers.insert(*buffer);
                self.stmt(*body);
                if inner {
                    self.bound_buffers.remove(buffer);
                }
            }
            Stmt::Assert { condition, check } => self.assert(*condition, check),
            Stmt::Labeled { label, body } => {
                match label {
                    Label::Prefetch { buffer, index } => {
                        self.buffer(*buffer);
                        self.expr(*index);
                    }
                    Label::Func { .. }
                    | Label::Stage { .. }
                    | Label::Partition(_)
                    | Label::Ahead { .. } => {}
                }
                self.stmt(*body);
            }
            Stmt::Provide { coords, values, .. } => {
                coords.iter().chain(values).for_each(|expr| self.expr(*expr));
            }
            Stmt::Store { buffer, index, value, prophecy: _, atomic: _ } => {
                self.buffer(*buffer);
                self.expr(*index);
                self.expr(*value);
            }
        }
    }

    fn within(&mut self, var: VarId, body: StmtId) {
        let inner = self.bound_vars.insert(var);
        self.stmt(body);
        if inner {
            self.bound_vars.remove(&var);
        }
    }

    fn assert(&mut self, condition: ExprId, check: &Check) {
        self.expr(condition);
        for value in check_values(self.pool, condition, check) {
            self.expr(value);
        }
    }

    fn buffer(&mut self, buffer: BufferId) {
        if !self.bound_buffers.contains(&buffer) {
            self.found.buffers.insert(buffer);
        }
    }

    fn expr(&mut self, id: ExprId) {
        let pool = self.pool;
        pool.for_each_subexpr(id, &mut |_, expr| {
            if let Expr::Var(var) = expr
                && !self.bound_vars.contains(var)
            {
                self.found.vars.insert(*var);
            }
            if let Expr::Load { buffer, .. } = expr {
                self.buffer(*buffer);
            }
        });
    }
}
