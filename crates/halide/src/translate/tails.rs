//! The extents of outputs if the target leaves assertions out: checks that they fit the schedule's
//! tails.

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Check, ExprId, Output, Pool, StmtId};

use super::error::Result;
use super::walk::Walk;
use crate::pipeline::{Definition, Split, TailStrategy};
use crate::tree::Expr;
use crate::{Condition, NameId};

impl Walk<'_> {
    /// The checks that each output is empty or fits its tails: at least one block where the last
    /// block moves inwards, and whole blocks where the last one runs beyond the end. They come from
    /// the pipeline's schedule, not from the statement.
    pub(super) fn tails(&mut self, pool: &mut Pool, outputs: &[Output]) -> Result<Vec<StmtId>> {
        let mut checks = Vec::new();
        for output in outputs {
            let Some(buffer) = output.buffers.first() else { continue };
            let extents: Vec<ExprId> =
                pool.buffer(*buffer).dims.iter().map(|dim| dim.extent).collect();
            let name = pool.func(output.func).name.clone();
            let known = self.pipeline.funcs.iter();
            let Some(func) = known.into_iter().find(|it| self.nodes.names.text(it.name) == name)
            else {
                continue;
            };
            for stage in func.stages() {
                // The extents of loops over the output's own coordinates.
                let mut loops: FxHashMap<NameId, ExprId> = FxHashMap::default();
                for ((arg, coord), extent) in func.args.iter().zip(&stage.args).zip(&extents) {
                    if matches!(coord, Expr::Variable { name, ty: _ } if name == arg) {
                        loops.insert(*arg, *extent);
                    }
                }
                for condition in self.tails_of(pool, stage, loops)? {
                    let message = format!("the tails of {name}'s loops fit its extents");
                    let check = Check::Require { message };
                    checks.push(self.contract.add(pool, Condition::NoAsserts, (condition, check)));
                }
            }
        }
        Ok(checks)
    }

    fn tails_of(
        &mut self,
        pool: &mut Pool,
        stage: &Definition,
        mut loops: FxHashMap<NameId, ExprId>,
    ) -> Result<Vec<ExprId>> {
        let (zero, one) = (pool.int(0), pool.int(1));
        let mut conditions = Vec::new();
        for split in &stage.schedule.splits {
            match split {
                Split::Split { old, outer, inner, factor, exact: _, tail } => {
                    let Some(extent) = loops.remove(old) else { continue };
                    let factor = self.int(pool, factor)?;
                    let fits = match tail {
                        TailStrategy::ShiftInwards | TailStrategy::ShiftInwardsAndBlend => {
                            Some(pool.binary(BinaryOp::Le, factor, extent))
                        }
                        TailStrategy::RoundUp | TailStrategy::RoundUpAndBlend => {
                            let rest = pool.binary(BinaryOp::Mod, extent, factor);
                            Some(pool.binary(BinaryOp::Eq, rest, zero))
                        }
                        TailStrategy::GuardWithIf
                        | TailStrategy::Predicate
                        | TailStrategy::PredicateLoads
                        | TailStrategy::PredicateStores
                        | TailStrategy::Auto => None,
                    };
                    if let Some(fits) = fits {
                        let empty = pool.binary(BinaryOp::Le, extent, zero);
                        let condition = pool.binary(BinaryOp::Or, empty, fits);
                        // The constant extent of an inner block imposes nothing on callers.
                        if pool.as_constant(extent).is_none() {
                            conditions.push(condition);
                        }
                    }
                    let last = pool.sub(factor, one);
                    let whole = pool.add(extent, last);
                    let blocks = pool.binary(BinaryOp::Div, whole, factor);
                    loops.insert(*outer, blocks);
                    loops.insert(*inner, factor);
                }
                Split::Rename { old, new } => {
                    if let Some(extent) = loops.remove(old) {
                        loops.insert(*new, extent);
                    }
                }
                Split::Fuse { outer, inner, fused } => {
                    if let (Some(a), Some(b)) = (loops.remove(outer), loops.remove(inner)) {
                        loops.insert(*fused, pool.mul(a, b));
                    }
                }
            }
        }
        Ok(conditions)
    }
}
