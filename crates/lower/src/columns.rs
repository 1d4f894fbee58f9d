//! Vectors of neighbours that read every element twice, or choose by turns, become vectors of even and of odd ones.

use halidom_ir::{BinaryOp, Expr, ExprId, LoopKind, Pool, Program, Scalar, Stmt, StmtId, VarId};

use crate::fold::{Role, children, for_each_expr};
use crate::lets::Lets;
use crate::{LowerError, index};

/// The fewest iterations that are split.
const FEWEST: i128 = 8;

/// Makes `unrolled r in [0, 2] vectorized w in [0, n / 2] let v = min + 2·w + r` of a vectorized loop over `v` where something is at half of `v`, or is chosen by
/// whether `v` is even: lane by lane its elements lie side by side for even as for odd iterations, whatever the parity of the first one, and what is chosen
/// is the same in all lanes. [`interleave`](crate::interleave()) brings the stores together again.
///
/// Requires: every binder is unique; storage is flattened.
/// Ensures: vectorized loops have the iterations they had.
pub fn columns(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    let body = Columns { pool, lets: Lets::default() }.stmt(program.body);
    Ok(Program { body, ..program })
}

struct Columns<'a> {
    pool: &'a mut Pool,
    lets: Lets,
}

impl Columns<'_> {
    fn stmt(&mut self, id: StmtId) -> StmtId {
        let stmt = match self.pool.get_stmt(id).clone() {
            Stmt::Block(stmts) => Stmt::Block(stmts.iter().map(|stmt| self.stmt(*stmt)).collect()),
            Stmt::Let { var, value, body } => {
                self.lets.bind(self.pool, var, value);
                Stmt::Let { var, value, body: self.stmt(body) }
            }
            Stmt::If { condition, then_branch, else_branch } => Stmt::If {
                condition,
                then_branch: self.stmt(then_branch),
                else_branch: else_branch.map(|stmt| self.stmt(stmt)),
            },
            Stmt::For { var, min, extent, kind: LoopKind::Vectorized, body } => {
                return self.split(id, var, (min, extent), body);
            }
            Stmt::For { var, min, extent, kind, body } => {
                Stmt::For { var, min, extent, kind, body: self.stmt(body) }
            }
            Stmt::Allocate { buffer, body } => Stmt::Allocate { buffer, body: self.stmt(body) },
            Stmt::Labeled { label, body } => Stmt::Labeled { label, body: self.stmt(body) },
            Stmt::Assert { .. } | Stmt::Provide { .. } | Stmt::Store { .. } => return id,
        };
        if self.pool.get_stmt(id) == &stmt { id } else { self.pool.stmt(stmt) }
    }

    /// A vectorized loop, in two if that makes its vectors dense.
    fn split(
        &mut self,
        id: StmtId,
        var: VarId,
        (min, extent): (ExprId, ExprId),
        body: StmtId,
    ) -> StmtId {
        let pool = &mut *self.pool;
        let whole = index::as_int(pool, extent).filter(|n| n % 2 == 0 && *n >= FEWEST);
        let Some(extent) = whole else { return id };
        if !is_plain(pool, &mut self.lets, body) || !self.halves(var, body) {
            return id;
        }
        let pool = &mut *self.pool;
        let decl = pool.var(var).clone();
        let named = |suffix: &str| [&decl.name, suffix].concat();
        let pair = pool.declare_var(named("_pair"), decl.ty);
        let column = pool.declare_var(named("_column"), decl.ty);
        let [zero, two, half] = [0, 2, extent / 2].map(|value| pool.int(value));
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

    /// Whether an index or a value has a half of the variable in it, or its remainder.
    fn halves(&mut self, var: VarId, body: StmtId) -> bool {
        let mut dividends = Vec::new();
        let pool = &*self.pool;
        for_each_expr(pool, body, &mut |role, root| {
            if role == Role::Annotation {
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

/// Whether a statement is made of lets, copies and stores that read nothing of what they write to. Binds the lets.
fn is_plain(pool: &Pool, lets: &mut Lets, id: StmtId) -> bool {
    let stmt = pool.get_stmt(id);
    match stmt {
        Stmt::Let { var, value, .. } => {
            lets.bind(pool, *var, *value);
            children(stmt).into_iter().all(|child| is_plain(pool, lets, child))
        }
        Stmt::Block(_)
        | Stmt::If { .. }
        | Stmt::Labeled { .. }
        | Stmt::For { kind: LoopKind::Unrolled, .. } => {
            children(stmt).into_iter().all(|child| is_plain(pool, lets, child))
        }
        Stmt::Store { buffer, index, value, prophecy: _, atomic } => {
            let mut reads = false;
            for root in [index, value] {
                pool.for_each_subexpr(*root, &mut |_, expr| {
                    reads |= matches!(expr, Expr::Load { buffer: read, .. } if read == buffer);
                });
            }
            !atomic && !reads
        }
        Stmt::For { .. } | Stmt::Allocate { .. } | Stmt::Assert { .. } | Stmt::Provide { .. } => {
            false
        }
    }
}
