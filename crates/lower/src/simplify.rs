//! Expressions become simpler, and what can be seen to do nothing goes away.

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Pool, Program, Stmt, StmtId, UnaryOp, VarId};
use halidom_rules::Simplifier;

use crate::fold::{Fold, loads, rewrite, substitute, walk};
use crate::{LowerError, index};

/// Applies the proved rules to every expression, annotations included. Lets of constants and of other variables are replaced by their values where they are used; entry
/// checks and branches that compare a variable with a constant make it that constant where they hold; a condition that stands in a branch of the same condition is
/// decided.
///
/// Requires: every binder is unique.
/// Ensures: no statement that does nothing, but for lets, which may be unused; no check or branch on a constant; no loop with a constant extent below 2.
pub fn simplify(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    let mut fold = Simplify {
        simplifier: Simplifier::new(),
        values: FxHashMap::default(),
        done: FxHashMap::default(),
        known: Vec::new(),
    };
    rewrite(&mut fold, pool, program)
}

struct Simplify {
    simplifier: Simplifier,
    /// What variables are known to be here: constants, or other variables.
    values: FxHashMap<VarId, ExprId>,
    /// Expressions with `values` put in; forgotten when `values` changes.
    done: FxHashMap<ExprId, ExprId>,
    /// Conditions that are known here.
    known: Vec<(ExprId, bool)>,
}

impl Simplify {
    /// Lets a condition hold for what follows; gives what is needed to take that back.
    fn assume(&mut self, pool: &mut Pool, condition: ExprId) -> Assumed {
        let mut assumed = Assumed { known: self.known.len(), replaced: Vec::new() };
        let mut pending = vec![condition];
        while let Some(condition) = pending.pop() {
            if let Expr::Binary(BinaryOp::And, lhs, rhs) = *pool.get(condition) {
                pending.extend([lhs, rhs]);
            } else if let Some((var, value)) = equation(pool, condition) {
                assumed.replaced.push((var, self.values.insert(var, value)));
                self.done.clear();
            } else {
                self.know(pool, condition);
            }
        }
        assumed
    }

    fn know(&mut self, pool: &mut Pool, condition: ExprId) {
        // What is in memory may change under way.
        if loads(pool, condition) {
            return;
        }
        let opposite = pool.unary(UnaryOp::Not, condition);
        let opposite = self.simplifier.simplify(pool, opposite);
        self.known.extend([(condition, true), (opposite, false)]);
    }

    fn forget(&mut self, assumed: Assumed) {
        self.known.truncate(assumed.known);
        for (var, before) in assumed.replaced.into_iter().rev() {
            match before {
                Some(value) => self.values.insert(var, value),
                None => self.values.remove(&var),
            };
            self.done.clear();
        }
    }

    /// The simplified condition, decided if it is known.
    fn condition(&mut self, pool: &mut Pool, condition: ExprId) -> Result<ExprId, LowerError> {
        let condition = self.expr(pool, condition)?;
        Ok(match self.known.iter().find(|(known, _)| *known == condition) {
            Some((_, value)) => pool.constant(Constant::bool(*value)),
            None => condition,
        })
    }

    fn branch(
        &mut self,
        pool: &mut Pool,
        condition: ExprId,
        branch: StmtId,
    ) -> Result<StmtId, LowerError> {
        let assumed = self.assume(pool, condition);
        let result = self.stmt(pool, branch);
        self.forget(assumed);
        result
    }

    fn if_stmt(
        &mut self,
        pool: &mut Pool,
        condition: ExprId,
        then_branch: StmtId,
        else_branch: Option<StmtId>,
    ) -> Result<StmtId, LowerError> {
        let condition = self.condition(pool, condition)?;
        match (pool.as_constant(condition).and_then(Constant::as_bool), else_branch) {
            (Some(true), _) => self.stmt(pool, then_branch),
            (Some(false), Some(else_branch)) => self.stmt(pool, else_branch),
            (Some(false), None) => Ok(nop(pool)),
            (None, else_branch) => {
                let then_branch = self.branch(pool, condition, then_branch)?;
                let opposite = pool.unary(UnaryOp::Not, condition);
                let opposite = self.simplifier.simplify(pool, opposite);
                let else_branch = match else_branch {
                    Some(branch) => Some(self.branch(pool, opposite, branch)?),
                    None => None,
                };
                let else_branch = else_branch.filter(|branch| !is_nop(pool, *branch));
                Ok(match (is_nop(pool, then_branch), else_branch) {
                    (true, None) => nop(pool),
                    (true, Some(then_branch)) => {
                        pool.stmt(Stmt::If { condition: opposite, then_branch, else_branch: None })
                    }
                    (false, else_branch) => {
                        pool.stmt(Stmt::If { condition, then_branch, else_branch })
                    }
                })
            }
        }
    }
}

/// The variable that must be a constant for a condition to hold. Zeros of different signs are equal floats, so of floats equality says too little.
fn equation(pool: &mut Pool, condition: ExprId) -> Option<(VarId, ExprId)> {
    let (var, value) = match *pool.get(condition) {
        Expr::Binary(BinaryOp::Eq, lhs, rhs) if !pool.ty(lhs).scalar.is_float() => {
            pool.as_constant(rhs)?;
            (lhs, rhs)
        }
        Expr::Unary(UnaryOp::Not, operand) => (operand, pool.constant(Constant::bool(false))),
        Expr::Var(_) => (condition, pool.constant(Constant::bool(true))),
        Expr::Const(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Hole(_) => return None,
    };
    if let Expr::Var(var) = pool.get(var) { Some((*var, value)) } else { None }
}

/// What must be taken back when an assumption ends.
struct Assumed {
    known: usize,
    replaced: Vec<(VarId, Option<ExprId>)>,
}

impl Fold for Simplify {
    fn expr(&mut self, pool: &mut Pool, expr: ExprId) -> Result<ExprId, LowerError> {
        let expr = substitute(pool, &self.values, expr, &mut self.done);
        Ok(self.simplifier.simplify(pool, expr))
    }

    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
        match pool.get_stmt(id).clone() {
            Stmt::Block(stmts) => {
                let mut kept = Vec::with_capacity(stmts.len());
                for stmt in stmts {
                    let stmt = self.stmt(pool, stmt)?;
                    match pool.get_stmt(stmt) {
                        Stmt::Block(inner) => kept.extend_from_slice(inner),
                        // A check that passed holds for the rest of the program.
                        Stmt::Assert { condition, .. } => {
                            let condition = *condition;
                            self.assume(pool, condition);
                            kept.push(stmt);
                        }
                        Stmt::Let { .. }
                        | Stmt::If { .. }
                        | Stmt::For { .. }
                        | Stmt::Allocate { .. }
                        | Stmt::Labeled { .. }
                        | Stmt::Provide { .. }
                        | Stmt::Store { .. } => kept.push(stmt),
                    }
                }
                Ok(match kept[..] {
                    [only] => only,
                    _ => pool.stmt(Stmt::Block(kept)),
                })
            }
            Stmt::If { condition, then_branch, else_branch } => {
                self.if_stmt(pool, condition, then_branch, else_branch)
            }
            Stmt::Let { var, value, body } => {
                let value = self.expr(pool, value)?;
                if index::is_atom(pool.get(value)) {
                    self.values.insert(var, value);
                }
                let body = self.stmt(pool, body)?;
                Ok(if is_nop(pool, body) {
                    body
                } else {
                    pool.stmt(Stmt::Let { var, value, body })
                })
            }
            Stmt::For { var, min, extent, kind, body } => {
                let (min, extent) = (self.expr(pool, min)?, self.expr(pool, extent)?);
                match index::as_int(pool, extent) {
                    Some(extent) if extent <= 0 => return Ok(nop(pool)),
                    Some(1) => {
                        let once = pool.stmt(Stmt::Let { var, value: min, body });
                        return self.stmt(pool, once);
                    }
                    Some(_) | None => {}
                }
                let body = self.stmt(pool, body)?;
                Ok(if is_nop(pool, body) {
                    body
                } else {
                    pool.stmt(Stmt::For { var, min, extent, kind, body })
                })
            }
            Stmt::Assert { condition, .. } => {
                let condition = self.condition(pool, condition)?;
                if pool.as_constant(condition).and_then(Constant::as_bool) == Some(true) {
                    return Ok(nop(pool));
                }
                walk(self, pool, id)
            }
            Stmt::Allocate { buffer, body } => {
                let body = self.stmt(pool, body)?;
                Ok(if is_nop(pool, body) {
                    body
                } else {
                    pool.stmt(Stmt::Allocate { buffer, body })
                })
            }
            Stmt::Labeled { .. } => {
                let labeled = walk(self, pool, id)?;
                let empty = matches!(*pool.get_stmt(labeled), Stmt::Labeled { body, .. } if is_nop(pool, body));
                Ok(if empty { nop(pool) } else { labeled })
            }
            Stmt::Provide { .. } | Stmt::Store { .. } => walk(self, pool, id),
        }
    }
}

fn nop(pool: &mut Pool) -> StmtId {
    pool.stmt(Stmt::Block(Vec::new()))
}

fn is_nop(pool: &Pool, id: StmtId) -> bool {
    matches!(pool.get_stmt(id), Stmt::Block(stmts) if stmts.is_empty())
}
