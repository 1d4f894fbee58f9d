//! Splits vectors of neighbours that read every element twice, or choose values alternately, into
//! vectors of even and of odd ones.

use halidom_ir::visit::for_each_expr;
use halidom_ir::{BinaryOp, Expr, ExprId, LoopKind, Pool, Program, Scalar, Stmt, StmtId, VarId};

use crate::lets::Lets;
use crate::refresh::refresh;
use crate::{LowerError, index};

/// The minimum number of iterations of a loop that is split.
const FEWEST: i128 = 8;

/// Makes `unrolled r in [0, 2] vectorized w in [0, n / 2] let v = min + 2·w + r` of a vectorized
/// loop over `v` if an index is computed from half of `v`, or a value is chosen by the parity of
/// `v`. Elements at half of `v` are then neighbours across lanes in both halves, whatever the
/// parity of the first iteration, and the choice is the same in all lanes.
/// [`interleave`](crate::interleave()) brings the stores together again.
///
/// Requires: every binder is unique; storage is flattened.
/// Ensures: vectorized loops have the same iterations as before.
pub fn columns(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    let body = Columns { pool, lets: Lets::default() }.stmt(program.body)?;
    Ok(Program { body, ..program })
}

struct Columns<'a> {
    pool: &'a mut Pool,
    lets: Lets,
}

impl Columns<'_> {
    fn stmt(&mut self, id: StmtId) -> Result<StmtId, LowerError> {
        let stmt = self.pool.get_stmt(id).clone();
        if let Stmt::For { var, min, extent, kind: LoopKind::Vectorized, body } = stmt {
            return self.split(id, var, (min, extent), body);
        }
        if let Stmt::Let { var, value, .. } = stmt {
            self.lets.bind(self.pool, var, value);
        }
        let stmt = stmt.try_map_children(|child| self.stmt(child))?;
        Ok(self.pool.rebuilt(id, stmt))
    }

    /// Splits a vectorized loop in two if that makes its vectors dense. A test for the end of a row
    /// is made once for both, on the last iteration; if it fails the original loop runs, as a
    /// serial one.
    fn split(
        &mut self,
        id: StmtId,
        var: VarId,
        (min, extent): (ExprId, ExprId),
        body: StmtId,
    ) -> Result<StmtId, LowerError> {
        let whole = index::as_int(self.pool, extent).filter(|n| n % 2 == 0 && *n >= FEWEST);
        let Some(count) = whole else { return Ok(id) };
        if !is_plain(self.pool, &mut self.lets, body) || !self.halves(var, body) {
            return Ok(id);
        }
        let mut bound = vec![var];
        let Some((condition, inner)) = self.untested((var, min, count), body, &mut bound) else {
            return Ok(self.in_two(var, (min, count), body));
        };
        let rest = Stmt::For { var, min, extent, kind: LoopKind::Serial, body };
        let rest = self.pool.stmt(rest);
        let else_branch = Some(refresh(self.pool, rest, &[])?);
        let then_branch = self.in_two(var, (min, count), inner);
        Ok(self.pool.stmt(Stmt::If { condition, then_branch, else_branch }))
    }

    fn in_two(&mut self, var: VarId, (min, count): (ExprId, i128), body: StmtId) -> StmtId {
        let pool = &mut *self.pool;
        let decl = pool.var(var).clone();
        let named = |suffix: &str| [&decl.name, suffix].concat();
        let pair = pool.declare_var(named("_pair"), decl.ty);
        let column = pool.declare_var(named("_column"), decl.ty);
        let [zero, two, half] = [0, 2, count / 2].map(|value| pool.int(value));
        let (pair_value, column_value) = (pool.var_expr(pair), pool.var_expr(column));
        let double = pool.mul(pair_value, two);
        let distance = pool.add(double, column_value);
        let value = index::add(pool, distance, min);
        let body = pool.stmt(Stmt::Let { var, value, body });
        let kind = LoopKind::Vectorized;
        let vector = pool.stmt(Stmt::For { var: pair, min: zero, extent: half, kind, body });
        let kind = LoopKind::Unrolled;
        pool.stmt(Stmt::For { var: column, min: zero, extent: two, kind, body: vector })
    }

    /// Returns the condition that the test around a loop's body holds in all iterations, and the
    /// body without the test. The variables of the lets before it are added to `bound`, which holds
    /// the loop's variable.
    fn untested(
        &mut self,
        loop_of: (VarId, ExprId, i128),
        id: StmtId,
        bound: &mut Vec<VarId>,
    ) -> Option<(ExprId, StmtId)> {
        if let Stmt::Let { var, value, body } = *self.pool.get_stmt(id) {
            bound.push(var);
            let (condition, inner) = self.untested(loop_of, body, bound)?;
            return Some((condition, self.pool.stmt(Stmt::Let { var, value, body: inner })));
        }
        let Stmt::If { condition, then_branch, else_branch: None } = *self.pool.get_stmt(id) else {
            return None;
        };
        Some((self.in_all(loop_of, condition, bound)?, then_branch))
    }

    /// Returns the condition of the last iteration, for `lhs < rhs` where `lhs - rhs` grows with
    /// the variable.
    fn in_all(
        &mut self,
        (var, min, count): (VarId, ExprId, i128),
        condition: ExprId,
        bound: &[VarId],
    ) -> Option<ExprId> {
        let Expr::Binary(op @ (BinaryOp::Lt | BinaryOp::Le), lhs, rhs) = *self.pool.get(condition)
        else {
            return None;
        };
        if self.pool.ty(lhs).scalar != Scalar::Int {
            return None;
        }
        let atom = self.pool.var_expr(var);
        let other = self.lets.form(self.pool, rhs);
        let difference = self.lets.form(self.pool, lhs).plus(&other, -1)?;
        let by = difference.factor(atom);
        if by <= 0 {
            return None;
        }
        let last = self.lets.form(self.pool, min).offset(count - 1)?;
        let difference = difference.without(atom).plus(&last, by)?;
        let sum = difference.expr(self.pool);
        let mut fixed = true;
        self.pool.for_each_subexpr(sum, &mut |_, expr| {
            fixed &= !matches!(expr, Expr::Var(var) if bound.contains(var))
                && !matches!(expr, Expr::Load { .. });
        });
        let zero = self.pool.int(0);
        fixed.then(|| self.pool.binary(op, sum, zero))
    }

    /// True if an index or a value contains a half of the variable, or its remainder.
    fn halves(&mut self, var: VarId, body: StmtId) -> bool {
        let mut dividends = Vec::new();
        let pool = &*self.pool;
        for_each_expr(pool, body, &mut |role, root| {
            if role.is_annotation() {
                return;
            }
            pool.for_each_subexpr(root, &mut |_, expr| {
                if let Expr::Binary(BinaryOp::Div | BinaryOp::Mod, lhs, rhs) = *expr
                    && pool.ty(lhs).scalar == Scalar::Int
                    && index::as_int(pool, rhs) == Some(2)
                {
                    dividends.push(lhs);
                }
            });
        });
        let atom = self.pool.var_expr(var);
        dividends
            .into_iter()
            .any(|dividend| self.lets.form(self.pool, dividend).factor(atom) % 2 != 0)
    }
}

/// True if a statement consists of lets, conditions, unrolled loops and stores that do not read the
/// buffer they write. Binds the lets.
fn is_plain(pool: &Pool, lets: &mut Lets, id: StmtId) -> bool {
    let stmt = pool.get_stmt(id);
    if let Stmt::Store { buffer, index, value, prophecy: _, atomic } = stmt {
        let mut reads = false;
        for root in [index, value] {
            pool.for_each_subexpr(*root, &mut |_, expr| {
                reads |= matches!(expr, Expr::Load { buffer: read, .. } if read == buffer);
            });
        }
        return !atomic && !reads;
    }
    if let Stmt::Let { var, value, .. } = stmt {
        lets.bind(pool, *var, *value);
    }
    let may_contain = matches!(
        stmt,
        Stmt::Let { .. }
            | Stmt::Block(_)
            | Stmt::If { .. }
            | Stmt::Labeled { .. }
            | Stmt::For { kind: LoopKind::Unrolled, .. }
    );
    may_contain && stmt.children().all(|child| is_plain(pool, lets, child))
}
