//! What is the same in every iteration of a loop is computed before it.

use halidom_base::FxHashSet;
use halidom_ir::{ExprId, Pool, Program, Stmt, StmtId, VarId};

use crate::LowerError;
use crate::fold::{Fold, Role, for_each_var, loads, rewrite, walk};

/// Moves lets out of loops on whose variable they do not depend: scalar ones without loads, which have a value whether or not the loop runs. Lets under a condition stay.
///
/// Requires: every binder is unique.
/// Ensures: as before, with lets further out.
pub fn hoist(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    rewrite(&mut Hoist, pool, program)
}

struct Hoist;

impl Fold for Hoist {
    fn expr(&mut self, _pool: &mut Pool, expr: ExprId) -> Result<ExprId, LowerError> {
        Ok(expr)
    }

    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
        // Inner loops first: what leaves them may leave this one too.
        let id = walk(self, pool, id)?;
        let Stmt::For { var, min, extent, kind, body } = *pool.get_stmt(id) else {
            return Ok(id);
        };
        let mut taken = Taken { bound: FxHashSet::from_iter([var]), lets: Vec::new() };
        let body = taken.stmt(pool, body);
        if taken.lets.is_empty() {
            return Ok(id);
        }
        let mut result = pool.stmt(Stmt::For { var, min, extent, kind, body });
        for (var, value) in taken.lets.into_iter().rev() {
            result = pool.stmt(Stmt::Let { var, value, body: result });
        }
        Ok(result)
    }
}

/// What is taken out of one loop.
struct Taken {
    /// Variables that stay within the loop.
    bound: FxHashSet<VarId>,
    /// The lets that leave it, in order.
    lets: Vec<(VarId, ExprId)>,
}

impl Taken {
    /// The statement without the lets that leave it.
    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> StmtId {
        match pool.get_stmt(id).clone() {
            Stmt::Let { var, value, body } => {
                if self.may_leave(pool, value) {
                    self.lets.push((var, value));
                    return self.stmt(pool, body);
                }
                self.bound.insert(var);
                let body = self.stmt(pool, body);
                pool.stmt(Stmt::Let { var, value, body })
            }
            Stmt::Block(stmts) => {
                let stmts = stmts.into_iter().map(|stmt| self.stmt(pool, stmt)).collect();
                pool.stmt(Stmt::Block(stmts))
            }
            Stmt::Labeled { label, body } => {
                let body = self.stmt(pool, body);
                pool.stmt(Stmt::Labeled { label, body })
            }
            Stmt::If { .. }
            | Stmt::For { .. }
            | Stmt::Allocate { .. }
            | Stmt::Assert { .. }
            | Stmt::Provide { .. }
            | Stmt::Store { .. } => id,
        }
    }

    fn may_leave(&self, pool: &Pool, value: ExprId) -> bool {
        let mut free = pool.ty(value).lanes == 1 && !loads(pool, value);
        for_each_var(pool, value, Role::Computed, &mut |_, var| free &= !self.bound.contains(&var));
        free
    }
}
