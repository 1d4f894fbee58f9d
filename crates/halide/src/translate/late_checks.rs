//! Assertions after the first stores or loops of a statement that can also be checked at entry.
//!
//! # Correctness
//! *Assertions that come first in loops and branches.* On the way to an assertion, let there be
//! nothing but serial and parallel loops on the host, branches, lets and assertions, let none of
//! these access memory or call a function, and let the assertion, the extents of the loops and the
//! conditions of the branches depend on parameters and shapes alone. If each of the loops has an
//! iteration, the branches lead to the assertion and its condition is false, then the first thing
//! that a run does in each iteration, apart from these lets, is to fail an assertion: the run ends
//! with an error before anything is done. So the condition that one of the loops has no iteration,
//! that a branch leads elsewhere, or that the assertion holds, is an entry check like those before
//! all loops: a run that fails it ends with an error in the statement too, and no other run is
//! refused. The assertion itself stays an obligation in its place, and nothing else may rely on it.
//!
//! *Assertions after work that is the same in all runs*: see [`super::closed_work`].

use halidom_ir::{
    BinaryOp, BufferKind, Check, Constant, Expr as IrExpr, ExprId, Pool, Stmt as IrStmt, StmtId,
    UnaryOp,
};

use super::kernels::reads_memory;
use super::walk::{Place, Walk};
use crate::text;
use crate::tree::{Expr, ForKind, Stmt, StmtKind};

impl Walk<'_> {
    /// Notes the variables of the parameters and of the shapes of the caller's buffers.
    pub(super) fn know_signature(&mut self, pool: &Pool) {
        self.signature.extend(self.source.algorithm.params.iter().copied());
        let callers = pool.buffers().filter(|(_, decl)| decl.kind != BufferKind::Internal);
        for dim in callers.flat_map(|(_, decl)| &decl.dims) {
            for part in [dim.min, dim.extent, dim.stride] {
                let expr: &IrExpr = pool.get(part);
                if let IrExpr::Var(var) = expr {
                    self.signature.insert(*var);
                }
            }
        }
    }

    /// The condition of an assertion that stands in no loop and under no condition, and mentions
    /// only parameters and shapes. Inputs that fail it end with an error, so it can be checked at
    /// entry as well.
    pub(super) fn late_check(&mut self, pool: &mut Pool, condition: &Expr) -> Option<ExprId> {
        if self.depth > 0 {
            return None;
        }
        let condition = self.of_signature(pool, condition)?;
        pool.as_constant(condition).is_none().then_some(condition)
    }

    /// An expression over parameters and shapes alone, with all names expanded.
    fn of_signature(&mut self, pool: &mut Pool, expr: &Expr) -> Option<ExprId> {
        let node = self.nodes.elaborate(pool, expr).ok()?;
        let node = self.nodes.expanded(node);
        if self.nodes.reads_memory(node) {
            return None;
        }
        let id = self.lower(pool, |lowering| lowering.scalar(node)).ok()?.id;
        let mut is_known = true;
        pool.for_each_subexpr(id, &mut |_, expr| {
            if let IrExpr::Var(var) = expr {
                is_known &= self.signature.contains(var);
            }
        });
        is_known.then_some(id)
    }

    /// Forgets the way that leads here if a statement may access memory or do anything else but
    /// end the run. Inside of loops, calls count as such; before them, those that do something have
    /// begun work.
    pub(super) fn leads(&mut self, stmt: &Stmt) {
        let inside = self.depth > 0;
        let is_idle = |expr: &Expr| !(reads_memory(expr) || inside && calls(expr));
        let is_plain = if let StmtKind::Let { name: _, value } = &stmt.kind {
            is_idle(value)
        } else if let StmtKind::Assert { condition, message: _ } = &stmt.kind {
            is_idle(condition)
        } else if let StmtKind::For { min, extent, kind, device: None, name: _, body: _ } =
            &stmt.kind
        {
            let known = matches!(kind, ForKind::Serial | ForKind::Parallel);
            known && is_idle(min) && is_idle(extent)
        } else if let StmtKind::If { condition, then_branch: _, else_branch: _ } = &stmt.kind {
            is_idle(condition)
        } else {
            matches!(
                stmt.kind,
                StmtKind::ProducerConsumer { name: _, role: _, body: _ } | StmtKind::Scope(_)
            )
        };
        if !is_plain || self.place != Place::Host || (self.work_begun && !inside) {
            self.leading = None;
        }
    }

    /// The loops that lead into a loop: those that lead to it, and the loop itself.
    pub(super) fn leading_in(&mut self, pool: &mut Pool, extent: &Expr) -> Option<Vec<ExprId>> {
        let mut loops = self.leading.take()?;
        let extent = self.of_signature(pool, extent)?;
        let zero = pool.int(0);
        loops.push(pool.binary(BinaryOp::Le, extent, zero));
        Some(loops)
    }

    /// The ways that lead into the two branches of a condition: those that lead to it, where the
    /// condition holds or does not.
    pub(super) fn leading_by(
        &mut self,
        pool: &mut Pool,
        condition: &Expr,
    ) -> [Option<Vec<ExprId>>; 2] {
        let Some(ways) = self.leading.take() else { return [None, None] };
        let Some(holds) = self.of_signature(pool, condition) else { return [None, None] };
        let fails = pool.unary(UnaryOp::Not, holds);
        [fails, holds].map(|elsewhere| Some([ways.as_slice(), &[elsewhere]].concat()))
    }

    /// Adds an entry check for an assertion that comes first on the way to it.
    pub(super) fn check_first(&mut self, pool: &mut Pool, condition: &Expr, message: &Expr) {
        let Some(ways) = self.leading.clone() else { return };
        let Some(holds) = self.of_signature(pool, condition) else { return };
        let condition = ways.into_iter().rev().fold(holds, |rest, elsewhere| {
            match pool.as_constant(elsewhere).and_then(Constant::as_bool) {
                Some(false) => rest,
                Some(true) | None => pool.binary(BinaryOp::Or, elsewhere, rest),
            }
        });
        if pool.as_constant(condition).is_none() {
            let message = text::print_expr(message, self.nodes.names);
            let check = Check::Require { message };
            self.hoisted.push(pool.stmt(IrStmt::Assert { condition, check }));
        }
    }

    /// Notes an entry check for an assertion after work, if the assertion is in no loop and under
    /// no condition.
    pub(super) fn check_late(
        &mut self,
        pool: &mut Pool,
        condition: &Expr,
        message: &Expr,
        owed: StmtId,
    ) {
        if self.place != Place::Host {
            return;
        }
        let Some(condition) = self.late_check(pool, condition) else { return };
        let check = Check::Require { message: text::print_expr(message, self.nodes.names) };
        self.late.insert(owed, pool.stmt(IrStmt::Assert { condition, check }));
    }
}

/// Tests whether an expression calls something.
fn calls(expr: &Expr) -> bool {
    let mut found = matches!(expr, Expr::Call(_));
    expr.for_each_operand(&mut |operand| found |= calls(operand));
    found
}
