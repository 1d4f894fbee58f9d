//! Inputs with strides of 0.
//!
//! Code for such a stride reads one element for a whole row. For the pipeline, these are different
//! elements, which lie at one place in memory.

use halidom_base::FxHashSet;
use halidom_ir::{BufferId, Pool};

use super::walk::Walk;
use crate::NameId;
use crate::tree::{BinaryOp, Expr, Stmt};

impl Walk<'_> {
    /// The inputs with a stride that a statement compares with 0.
    pub(super) fn repeated_inputs(&self, pool: &Pool, block: &[Stmt]) -> FxHashSet<BufferId> {
        let mut compared = FxHashSet::default();
        collect(block, &mut compared);
        let names = self.nodes.names;
        let is_compared = |name: NameId, dim: usize| {
            let stride = format!("{}.stride.{dim}", names.text(name));
            names.find(&stride).is_some_and(|stride| compared.contains(&stride))
        };
        let inputs = self.source.inputs.iter().filter(|(name, buffer)| {
            (0..pool.buffer(*buffer).dims.len()).any(|dim| is_compared(*name, dim))
        });
        inputs.map(|(_, buffer)| *buffer).collect()
    }
}

/// Collects the names that statements compare with 0.
fn collect(block: &[Stmt], found: &mut FxHashSet<NameId>) {
    for stmt in block {
        stmt.for_each_expr(&mut |expr| compared(expr, found));
        stmt.for_each_block(&mut |inner| collect(inner, found));
    }
}

fn compared(expr: &Expr, found: &mut FxHashSet<NameId>) {
    if let Expr::Binary(BinaryOp::Eq, operands) = expr {
        for (side, other) in [(0, 1), (1, 0)] {
            if let (Expr::Variable { name, ty: _ }, Expr::Int(0, _)) =
                (&operands[side], &operands[other])
            {
                found.insert(*name);
            }
        }
    }
    expr.for_each_operand(&mut |operand| compared(operand, found));
}
