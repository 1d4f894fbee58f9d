//! Directives for loops over reduction variables: they may only change the order where that changes
//! nothing.

use halidom_ir::{BinaryOp, Expr, LoopKind, Pool, Scalar};

use super::loops::find;
use super::{Scheduler, list};
use crate::error::{Result, ScheduleError};
use crate::nest::{Loop, LoopClass, Nest};
use crate::reduction::{Change, Finding};

impl Scheduler<'_> {
    /// Puts the named loops, innermost first, in the places that they have together.
    pub(super) fn reorder(
        &mut self,
        nest: &mut Nest,
        vars: &[String],
        origin: usize,
    ) -> Result<()> {
        let mut positions = Vec::with_capacity(vars.len());
        for var in vars {
            let position = find(self.pool, nest, var, origin)?;
            if positions.contains(&position) {
                return Err(ScheduleError::new(
                    "HAL0602",
                    origin,
                    format!("`{var}` is named twice"),
                    "name each loop once",
                ));
            }
            positions.push(position);
        }
        let mut places = positions.clone();
        places.sort_unstable_by(|a, b| b.cmp(a));
        let mut loops = nest.loops.clone();
        for (place, position) in places.iter().zip(&positions) {
            loops[*place] = nest.loops[*position].clone();
        }
        self.keep_order(nest, &loops, origin)?;
        nest.loops = loops;
        Ok(())
    }

    /// Refuses a reordering of reduction loops that may change the result.
    fn keep_order(&mut self, nest: &Nest, loops: &[Loop], origin: usize) -> Result<()> {
        let (before, after) = (reductions(&nest.loops), reductions(loops));
        if before == after {
            return Ok(());
        }
        let requires = &self.lowered.algorithm.requires;
        let finding = self.oracle.conflict(self.pool, nest, Change::Reordered(loops), requires);
        let reason = match finding {
            Finding::Independent => return Ok(()),
            Finding::Unknown(reason) => {
                format!("it is not known which iterations depend on one another: {reason}")
            }
            Finding::Conflict(conflict) => {
                let fast_math = self.lowered.algorithm.fast_math;
                let commute = if conflict.only_updates {
                    self.oracle.commute(self.pool, nest, fast_math)
                } else {
                    Err(String::new())
                };
                match commute {
                    Ok(()) => return Ok(()),
                    Err(why) if why.is_empty() => {
                        format!("iterations {} {}", conflict.iterations, conflict.deed)
                    }
                    Err(why) => format!(
                        "iterations {} {}, and their updates do not commute: {why}",
                        conflict.iterations, conflict.deed
                    ),
                }
            }
        };
        let inner_first: Vec<_> = before.into_iter().rev().collect();
        Err(ScheduleError::new(
            "HAL0605",
            origin,
            format!(
                "this would reorder reduction loops of `{}`, which may change its result: {reason}",
                nest.name(self.pool)
            ),
            format!("keep them in this order, innermost first: {}", list(&inner_first)),
        ))
    }

    /// Refuses unordered reduction loops whose iterations depend on one another. The loops around a
    /// loop matter, so this check runs when all loops are final.
    pub(super) fn check_unordered(&mut self) {
        let nests: Vec<Nest> = self
            .lowered
            .plans
            .iter()
            .flat_map(|plan| &plan.instances)
            .flat_map(|instance| &instance.stages)
            .cloned()
            .collect();
        for nest in &nests {
            for (position, l) in nest.loops.iter().enumerate() {
                let is_unordered = l.kind.is_parallel() || l.kind == LoopKind::Vectorized;
                if l.class == LoopClass::Reduction
                    && is_unordered
                    && let Err(error) = self.unordered(nest, position)
                {
                    self.errors.push(error);
                }
            }
        }
    }

    /// Applies `atomic`: iterations that share a location update it one after another, in any
    /// order.
    pub(super) fn atomic(&mut self, nest: &mut Nest, origin: usize) -> Result<()> {
        let hint = "an atomic update is `f(…) = f(…) ⊕ e` with one of `+ - * min max & | ^`, and \
            commutes; sums and products of floats do under `fast_math`";
        let refuse = |reason: String| {
            let name = nest.name(self.pool);
            Err(ScheduleError::new(
                "HAL0625",
                origin,
                format!("`{name}` cannot be atomic: {reason}"),
                hint,
            ))
        };
        if nest.stage == 0 {
            return refuse("it is no update".to_owned());
        }
        if !one_step(self.pool, nest) {
            return refuse("it is not one operator on its old value".to_owned());
        }
        let fast_math = self.lowered.algorithm.fast_math;
        if let Err(why) = self.oracle.commute(self.pool, nest, fast_math) {
            return refuse(format!("its updates do not commute: {why}"));
        }
        nest.atomic = Some(origin);
        Ok(())
    }

    fn unordered(&mut self, nest: &Nest, position: usize) -> Result<()> {
        let l = &nest.loops[position];
        let mut may_be_atomic = false;
        let requires = &self.lowered.algorithm.requires;
        let finding = self.oracle.conflict(self.pool, nest, Change::Unordered(position), requires);
        let reason = match finding {
            Finding::Independent => return Ok(()),
            Finding::Unknown(reason) => {
                format!("it is not known which of its iterations depend on one another: {reason}")
            }
            Finding::Conflict(conflict) if conflict.only_updates && nest.atomic.is_some() => {
                return Ok(());
            }
            Finding::Conflict(conflict) => {
                may_be_atomic = conflict.only_updates;
                format!("iterations {} {}", conflict.iterations, conflict.deed)
            }
        };
        Err(ScheduleError::new(
            "HAL0607",
            l.kind_origin,
            format!(
                "the reduction loop `{}` cannot be {}: {reason}",
                nest.loop_name(self.pool, &l.name),
                traversal(l.kind)
            ),
            hint(nest, may_be_atomic),
        ))
    }
}

/// True if a stage's value is an operator that the machine can apply in one step to the location's
/// old value and another operand.
fn one_step(pool: &Pool, nest: &Nest) -> bool {
    let [value] = *nest.values.as_slice() else { return false };
    let Expr::Binary(op, lhs, rhs) = *pool.get(value) else { return false };
    let own = |id| {
        matches!(pool.get(id), Expr::Ref { func, args, .. }
            if *func == nest.func && **args == *nest.lhs)
    };
    let other = match op {
        BinaryOp::Sub(_) if own(lhs) => rhs,
        BinaryOp::Add(_)
        | BinaryOp::Mul(_)
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor => match (own(lhs), own(rhs)) {
            (true, _) => rhs,
            (false, true) => lhs,
            (false, false) => return false,
        },
        BinaryOp::Sub(_)
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => return false,
    };
    pool.ty(value).scalar != Scalar::Bool && !halidom_encode::law::reads(pool, other, nest.func)
}

fn reductions(loops: &[Loop]) -> Vec<String> {
    let reductions = loops.iter().filter(|l| l.class == LoopClass::Reduction);
    reductions.map(|l| l.name.clone()).collect()
}

fn traversal(kind: LoopKind) -> &'static str {
    match kind {
        LoopKind::Serial => "serial",
        LoopKind::Parallel(_) => "parallel",
        LoopKind::Vectorized => "vectorized",
        LoopKind::Unrolled => "unrolled",
        LoopKind::GpuBlocks => "a loop over blocks",
        LoopKind::GpuThreads => "a loop over threads",
    }
}

fn hint(nest: &Nest, may_be_atomic: bool) -> String {
    let pure: Vec<_> = nest
        .loops
        .iter()
        .rev()
        .filter(|l| l.class == LoopClass::Pure)
        .map(|l| l.name.clone())
        .collect();
    if pure.is_empty() {
        "this stage has no pure loop: `serial` and `unroll` are what is allowed".to_owned()
    } else {
        let advice = if may_be_atomic {
            "; updates that commute may meet if they are `atomic()`"
        } else {
            ""
        };
        format!("pure loops of this stage are {}{advice}", list(&pure))
    }
}
