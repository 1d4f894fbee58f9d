//! Removes lets that no computation uses.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::visit::{Fold, Role, for_each_expr, for_each_stmt, rewrite, walk};
use halidom_ir::{ExprId, Pool, Program, Stmt, StmtId, VarId};

use crate::LowerError;
use crate::exprs::{Use, for_each_var, loads, substitute};

/// Removes lets whose variable is not needed by any computed expression or layout of an allocation;
/// in annotations the variable is replaced by its value.
///
/// Requires: every binder is unique.
/// Ensures: each let is used in a computation, or its value loads from memory and is used in an
/// annotation (a load cannot be repeated elsewhere).
pub fn dead_lets(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    let live = live_lets(pool, program.body);
    let mut fold = DeadLets { live, values: FxHashMap::default(), done: FxHashMap::default() };
    rewrite(&mut fold, pool, program)
}

/// Returns the lets of a statement that must stay.
fn live_lets(pool: &Pool, root: StmtId) -> FxHashSet<VarId> {
    let mut values: FxHashMap<VarId, ExprId> = FxHashMap::default();
    for_each_stmt(pool, root, &mut |_, stmt| {
        if let Stmt::Let { var, value, .. } = stmt {
            values.insert(*var, *value);
        }
    });
    let mut live = FxHashSet::default();
    let mut pending = Vec::new();
    for_each_expr(pool, root, &mut |role, expr| {
        // A let's value counts only if the let does.
        if role != Role::LetValue {
            pending.push((Use::from(role), expr));
        }
    });
    let mut seen = FxHashSet::default();
    while let Some((within, expr)) = pending.pop() {
        if !seen.insert((within, expr)) {
            continue;
        }
        for_each_var(pool, expr, within, &mut |within, var| {
            let Some(value) = values.get(&var) else { return };
            let needed = within != Use::Annotation || loads(pool, *value);
            if needed && live.insert(var) {
                pending.push((Use::Computed, *value));
            } else if !needed {
                pending.push((Use::Annotation, *value));
            }
        });
    }
    live
}

struct DeadLets {
    live: FxHashSet<VarId>,
    values: FxHashMap<VarId, ExprId>,
    /// Rewritten expressions; a let is visited before every expression that mentions it.
    done: FxHashMap<ExprId, ExprId>,
}

impl Fold<LowerError> for DeadLets {
    fn expr(&mut self, pool: &mut Pool, expr: ExprId) -> Result<ExprId, LowerError> {
        Ok(substitute(pool, &self.values, expr, &mut self.done))
    }

    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
        if let Stmt::Let { var, value, body } = *pool.get_stmt(id)
            && !self.live.contains(&var)
        {
            let value = self.expr(pool, value)?;
            self.values.insert(var, value);
            return self.stmt(pool, body);
        }
        walk(self, pool, id)
    }
}
