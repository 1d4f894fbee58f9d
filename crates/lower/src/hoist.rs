//! Loop-invariant code motion.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::visit::{Fold, rewrite, walk};
use halidom_ir::{BinaryOp, Expr, ExprId, Pool, Program, Stmt, StmtId, VarId};

use crate::LowerError;
use crate::cse::replace;
use crate::exprs::{Use, for_each_var, loads};

/// Moves scalar lets without loads out of loops on whose variable they do not depend; such lets
/// have a value whether or not the loop runs. Lets under a condition stay. Calls and quotients of
/// floats in stores and lets likewise move into new lets: the C compiler does not know that the
/// loop runs, and would at best move them out of the innermost loop.
///
/// Requires: every binder is unique; storage is flattened.
/// Ensures: as before, with lets further out.
pub fn hoist(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    rewrite(&mut Hoist, pool, program)
}

struct Hoist;

impl Fold<LowerError> for Hoist {
    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
        // Inner loops first, because lets that leave them may leave this one too.
        let id = walk(self, pool, id)?;
        let Stmt::For { var, min, extent, kind, body } = *pool.get_stmt(id) else {
            return Ok(id);
        };
        let mut taken = Taken {
            bound: FxHashSet::from_iter([var]),
            lets: Vec::new(),
            costly: FxHashMap::default(),
        };
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

/// The lets taken out of one loop.
struct Taken {
    /// Variables that stay within the loop.
    bound: FxHashSet<VarId>,
    /// The lets that leave it, in order.
    lets: Vec<(VarId, ExprId)>,
    /// The variables of lets that were parts of other expressions.
    costly: FxHashMap<ExprId, ExprId>,
}

impl Taken {
    /// Returns the statement without the lets that leave it.
    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> StmtId {
        let mut stmt = pool.get_stmt(id).clone();
        if let Stmt::Let { var, value, body } = &mut stmt {
            if self.may_leave(pool, *value) {
                self.lets.push((*var, *value));
                return self.stmt(pool, *body);
            }
            *value = self.without_costly(pool, *value);
            self.bound.insert(*var);
        }
        if let Stmt::Store { value, .. } = &mut stmt {
            *value = self.without_costly(pool, *value);
        }
        // Lets under a condition, in inner loops and with memory of their own stay.
        if matches!(stmt, Stmt::Let { .. } | Stmt::Block(_) | Stmt::Labeled { .. }) {
            stmt = stmt.map_children(|child| self.stmt(pool, child));
        }
        pool.rebuilt(id, stmt)
    }

    fn may_leave(&self, pool: &Pool, value: ExprId) -> bool {
        let mut free = pool.ty(value).lanes == 1 && !loads(pool, value);
        for_each_var(pool, value, Use::Computed, &mut |_, var| free &= !self.bound.contains(&var));
        free
    }

    /// Replaces the largest expensive parts of an expression that may leave the loop with
    /// variables.
    fn without_costly(&mut self, pool: &mut Pool, expr: ExprId) -> ExprId {
        let Parts { fixed, costly } = self.parts(pool, expr);
        let leaves = |part: &ExprId| fixed.contains(part) && pool.ty(*part).lanes == 1;
        let (mut pending, mut seen) = (vec![expr], FxHashSet::default());
        let mut leaving = Vec::new();
        while let Some(part) = pending.pop() {
            if costly.contains(&part) && seen.insert(part) {
                if leaves(&part) {
                    leaving.push(part);
                } else {
                    pool.get(part).for_each_operand(|operand| pending.push(operand));
                }
            }
        }
        if leaving.is_empty() {
            return expr;
        }
        for part in leaving.into_iter().rev() {
            if !self.costly.contains_key(&part) {
                let var = pool.declare_var("factor".to_owned(), pool.ty(part));
                self.lets.push((var, part));
                self.costly.insert(part, pool.var_expr(var));
            }
        }
        replace(pool, expr, &mut self.costly.clone())
    }

    fn parts(&self, pool: &Pool, expr: ExprId) -> Parts {
        let mut parts = Parts::default();
        pool.for_each_subexpr(expr, &mut |id, part| {
            let (mut is_fixed, mut is_costly) = (true, false);
            part.for_each_operand(|operand| {
                is_fixed &= parts.fixed.contains(&operand);
                is_costly |= parts.costly.contains(&operand);
            });
            match part {
                Expr::Call(..) | Expr::Apply { .. } => is_costly = true,
                Expr::Binary(BinaryOp::Div, ..) => is_costly |= pool.ty(id).scalar.is_float(),
                Expr::Var(var) => is_fixed = !self.bound.contains(var),
                Expr::Load { .. } | Expr::Ref { .. } | Expr::Hole(_) => is_fixed = false,
                Expr::Const(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select { .. }
                | Expr::Cast(..)
                | Expr::Ramp { .. }
                | Expr::Broadcast { .. }
                | Expr::Shuffle { .. } => {}
            }
            if is_fixed {
                parts.fixed.insert(id);
            }
            if is_costly {
                parts.costly.insert(id);
            }
        });
        parts
    }
}

/// Properties of an expression's parts.
#[derive(Default)]
struct Parts {
    /// Parts that neither load nor change in the loop.
    fixed: FxHashSet<ExprId>,
    /// Parts that contain a call or a quotient of floats.
    costly: FxHashSet<ExprId>,
}
