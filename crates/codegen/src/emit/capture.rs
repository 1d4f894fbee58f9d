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
        let pool = self.pool;
        let stmt = pool.get_stmt(id);
        if let Stmt::Store { buffer, .. }
        | Stmt::Labeled { label: Label::Prefetch { buffer, .. }, .. } = stmt
        {
            self.buffer(*buffer);
        }
        if let Stmt::Assert { condition, check } = stmt {
            self.assert(*condition, check);
            return;
        }
        let (mut var, mut buffer) = (None, None);
        if let Stmt::Allocate { buffer: own, .. } = stmt {
            for dim in &pool.buffer(*own).dims {
                self.expr(dim.extent);
                self.expr(dim.stride);
            }
            buffer = Some(*own).filter(|own| self.bound_buffers.insert(*own));
        } else {
            stmt.for_each_expr(pool, &mut |role, expr| {
                if !role.is_annotation() {
                    self.expr(expr);
                }
            });
            var = stmt.binder().filter(|var| self.bound_vars.insert(*var));
        }
        stmt.children().for_each(|child| self.stmt(child));
        // What an outer statement binds stays bound.
        if let Some(var) = var {
            self.bound_vars.remove(&var);
        }
        if let Some(buffer) = buffer {
            self.bound_buffers.remove(&buffer);
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
