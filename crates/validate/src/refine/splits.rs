//! Stages with reduction variables split into blocks.

use halidom_ir::{BinaryOp, ExprId, FuncId, Pool, ReductionVar, Stage, Substitution, Type, VarId};

use super::{Refinement, Result};
use crate::floats::Axioms;

/// The most stages with split variables that are compared with one factored stage.
const MOST_TRIALS: usize = 200;

impl Refinement<'_> {
    /// A stage with the reduction variable at `position` split into blocks of `size`: the same
    /// points in the same order. `min + (outer * size + inner)` is the value of the variable.
    pub(super) fn blocks(
        &mut self,
        own: &Stage,
        position: usize,
        size: i128,
        [inner, outer]: [VarId; 2],
    ) -> Option<Stage> {
        let old = *own.domain.get(position)?;
        if size <= 0 {
            return None;
        }
        let length = self.integer(old.extent);
        let pool = &mut *self.pool;
        // ⌈n / k⌉ blocks.
        let count = match length {
            Some(length) => pool.int(length.checked_add(size - 1)?.div_euclid(size)),
            None => {
                let rounding = pool.int(size - 1);
                let padded = pool.add(old.extent, rounding);
                let factor = pool.int(size);
                pool.binary(BinaryOp::Div, padded, factor)
            }
        };
        let (zero, factor) = (pool.int(0), pool.int(size));
        let (outer_value, inner_value) = (pool.var_expr(outer), pool.var_expr(inner));
        let start = pool.mul(outer_value, factor);
        let offset = pool.add(start, inner_value);
        let mut moved = Substitution::new();
        let value = pool.add(old.min, offset);
        moved.insert(old.var, value);
        let within = |pool: &mut Pool, id: ExprId| moved.apply(pool, id);
        let predicate = own.predicate.map(|predicate| within(pool, predicate));
        let divides = length.is_some_and(|length| length >= 0 && length % size == 0);
        let guard = (!divides).then(|| pool.binary(BinaryOp::Lt, offset, old.extent));
        let predicate = match (guard, predicate) {
            (Some(guard), Some(predicate)) => Some(pool.binary(BinaryOp::And, guard, predicate)),
            (guard, predicate) => guard.or(predicate),
        };
        let lhs = own.lhs.iter().map(|id| within(pool, *id)).collect();
        let values = own.values.iter().map(|id| within(pool, *id)).collect();
        let pair = [
            ReductionVar { var: inner, min: zero, extent: factor },
            ReductionVar { var: outer, min: zero, extent: count },
        ];
        let mut domain = own.domain.clone();
        domain.splice(position..=position, pair);
        Some(Stage { domain, predicate, lhs, values })
    }

    /// Checks that `merged` factors the stage with some of its reduction variables split. Returns
    /// the axioms that it needs, or the reason why the last trial failed; `None` without trials.
    pub(super) fn factored_blocks(
        &mut self,
        (func, own): (FuncId, &Stage),
        (image, merged): (FuncId, &Stage),
    ) -> Option<Result<Axioms>> {
        // Every variable of the split stage is in the domain of the merging update or in that of
        // the new func.
        let args = self.pool.func(image).args.clone();
        let part = self.new_func(image, merged)?;
        let decl = self.pool.func(part).clone();
        let [_, update] = decl.stages() else { return None };
        let kept = decl.args.len().checked_sub(args.len())?;
        if kept != merged.domain.len() {
            return None;
        }
        let all: Vec<ReductionVar> = merged.domain.iter().chain(&update.domain).copied().collect();
        let splits = all.len().checked_sub(own.domain.len()).filter(|splits| *splits > 0)?;
        let mut sizes: Vec<i128> =
            all.iter().filter_map(|variable| self.integer(variable.extent)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let mut trials = MOST_TRIALS;
        self.with_splits((func, own), (image, merged), (&sizes, splits), &mut trials)
    }

    fn with_splits(
        &mut self,
        (func, own): (FuncId, &Stage),
        (image, merged): (FuncId, &Stage),
        (sizes, splits): (&[i128], usize),
        trials: &mut usize,
    ) -> Option<Result<Axioms>> {
        if splits == 0 {
            self.merged_domain(own, merged).ok()?;
            *trials = trials.checked_sub(1)?;
            return Some(self.factored((func, own), (image, merged)));
        }
        let mut last = None;
        // A kept variable has the name and the interval of the merging update's.
        let names: Vec<Option<String>> = merged
            .domain
            .iter()
            .map(|variable| Some(self.pool.var(variable.var).name.clone()))
            .chain([None])
            .collect();
        for position in 0..own.domain.len() {
            for size in sizes {
                for inner in &names {
                    for outer in &names {
                        if inner == outer && inner.is_some() {
                            continue;
                        }
                        let pair = [inner, outer].map(|name| {
                            let name = name.as_deref().unwrap_or("block");
                            self.pool.declare_var(name, Type::INT)
                        });
                        let Some(stage) = self.blocks(own, position, *size, pair) else { continue };
                        let rest = (sizes, splits - 1);
                        let found = self.with_splits((func, &stage), (image, merged), rest, trials);
                        if matches!(found, Some(Ok(_))) || *trials == 0 {
                            return found;
                        }
                        last = found.or(last);
                    }
                }
            }
        }
        last
    }
}
