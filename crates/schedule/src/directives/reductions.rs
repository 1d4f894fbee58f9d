//! What is allowed to loops over reduction variables: orders that change nothing.

use halidom_ir::LoopKind;

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

    /// Refuses another order of reduction loops that may change the result.
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

    /// Refuses unordered reduction loops whose iterations depend on one another. What is around a loop matters, so this is checked when all loops are as they will be.
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
                let is_unordered = matches!(l.kind, LoopKind::Parallel | LoopKind::Vectorized);
                if l.class == LoopClass::Reduction
                    && is_unordered
                    && let Err(error) = self.unordered(nest, position)
                {
                    self.errors.push(error);
                }
            }
        }
    }

    fn unordered(&mut self, nest: &Nest, position: usize) -> Result<()> {
        let l = &nest.loops[position];
        let requires = &self.lowered.algorithm.requires;
        let finding = self.oracle.conflict(self.pool, nest, Change::Unordered(position), requires);
        let reason = match finding {
            Finding::Independent => return Ok(()),
            Finding::Unknown(reason) => {
                format!("it is not known which of its iterations depend on one another: {reason}")
            }
            Finding::Conflict(conflict) => {
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
            hint(nest),
        ))
    }
}

fn reductions(loops: &[Loop]) -> Vec<String> {
    let reductions = loops.iter().filter(|l| l.class == LoopClass::Reduction);
    reductions.map(|l| l.name.clone()).collect()
}

fn traversal(kind: LoopKind) -> &'static str {
    match kind {
        LoopKind::Serial => "serial",
        LoopKind::Parallel => "parallel",
        LoopKind::Vectorized => "vectorized",
        LoopKind::Unrolled => "unrolled",
    }
}

fn hint(nest: &Nest) -> String {
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
        format!("pure loops of this stage are {}", list(&pure))
    }
}
