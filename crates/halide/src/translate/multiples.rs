//! Entry checks that the multiples of an output's coordinates which the pipeline computes fit.
//!
//! # Correctness
//! A definition of an output with a product such as `x * 16` has this product at the first and the
//! last point of the window. If it does not fit 32 bits there, the pipeline's own integers
//! overflow, and the pipeline has no value. The compiled code computes the products for regions of
//! inputs, also at the end of the window, and if it has no elements. So the verdict is about
//! callers for whom the products of the window's min and its end fit ([`Condition::SizeLimits`]).
//! The checks come from the pipeline's definitions alone, and only from operands that are evaluated
//! at every point, not from the arms of selections.

use halidom_base::{FxHashSet, IndexSet};
use halidom_ir::{BinaryOp, Check, Expr, ExprId, Output, Pool, StmtId, VarId, print};

use super::caller::within;
use super::walk::Walk;
use crate::Condition;

/// The width of the products.
const BITS: u32 = 32;

impl Walk<'_> {
    /// The entry checks for the multiples of outputs' coordinates.
    pub(super) fn multiples(&mut self, pool: &mut Pool, outputs: &[Output]) -> Vec<StmtId> {
        let mut checks = Vec::new();
        for output in outputs {
            let Some(buffer) = output.buffers.first() else { continue };
            let dims = pool.buffer(*buffer).dims.clone();
            let func = pool.func(output.func);
            let args = func.args.clone();
            let values = func.stages().first().map(|stage| stage.values.clone());
            let (mut met, mut found) = (FxHashSet::default(), IndexSet::default());
            for value in values.unwrap_or_default() {
                self.collect_multiples(pool, value, &mut met, &mut found);
            }
            for (var, factor) in found {
                let position = args.iter().position(|arg| *arg == var);
                let Some(dim) = position.and_then(|position| dims.get(position)) else { continue };
                let end = pool.add(dim.min, dim.extent);
                let factor = pool.int(factor);
                for side in [dim.min, end] {
                    let product = pool.mul(side, factor);
                    let condition = within(pool, product, 1 << (BITS - 1));
                    let check = Check::SizeLimit { what: print::expr(pool, product) };
                    checks.push(self.contract.add(pool, Condition::SizeLimits, (condition, check)));
                }
            }
        }
        checks
    }

    /// Collects the products of a variable and a number that an expression evaluates.
    fn collect_multiples(
        &self,
        pool: &Pool,
        expr: ExprId,
        met: &mut FxHashSet<ExprId>,
        found: &mut IndexSet<(VarId, i128)>,
    ) {
        if !met.insert(expr) {
            return;
        }
        let node = pool.get(expr);
        if let Expr::Select { condition, .. } = node {
            self.collect_multiples(pool, *condition, met, found);
            return;
        }
        if let Expr::Binary(BinaryOp::Mul(_), a, b) = *node
            && self.source.widths.known().get(&expr) == Some(&BITS)
        {
            for (var, factor) in [(a, b), (b, a)] {
                let factor = pool.as_constant(factor).and_then(halidom_ir::Constant::as_integer);
                if let (Expr::Var(var), Some(factor)) = (pool.get(var), factor) {
                    found.insert((*var, factor));
                }
            }
        }
        node.for_each_operand(|operand| self.collect_multiples(pool, operand, met, found));
    }
}
