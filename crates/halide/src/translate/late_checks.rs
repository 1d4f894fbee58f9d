//! Assertions after the first stores or loops of a statement that can also be checked at entry.

use halidom_ir::{BufferKind, Expr as IrExpr, ExprId, Pool};

use super::walk::Walk;
use crate::tree::Expr;

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
        let node = self.nodes.elaborate(pool, condition).ok()?;
        let node = self.nodes.expanded(node);
        if self.depth > 0 || self.nodes.reads_memory(node) {
            return None;
        }
        let condition = self.lower(pool, |lowering| lowering.scalar(node)).ok()?.id;
        let mut is_known = true;
        pool.for_each_subexpr(condition, &mut |_, expr| {
            if let IrExpr::Var(var) = expr {
                is_known &= self.signature.contains(var);
            }
        });
        (is_known && pool.as_constant(condition).is_none()).then_some(condition)
    }
}
