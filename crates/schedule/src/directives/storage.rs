//! The layout of a func's memory: `reorder_storage`, `align_storage`, `pad_storage`, `realign`,
//! `fold_storage`, `store_in`, `hoist_storage`. Conditions that depend on bounds are checked by
//! [`crate::storage`].

use halidom_ir::{Action, BufferDecl, Constant, Directive, ExprId, StoreIn};

use super::{Scheduler, list};
use crate::error::{Result, ScheduleError};
use crate::nest::{Fold, Placement, Room};

impl Scheduler<'_> {
    /// Applies a directive of the storage phase.
    pub(super) fn storage(&mut self, directive: &Directive) -> Result<()> {
        match &directive.action {
            Action::ReorderStorage { vars } => self.reorder_storage(directive, vars),
            Action::AlignStorage { var, modulus } => {
                let dim = self.dimension(directive, var)?;
                let modulus = self.positive(*modulus, directive)?;
                if let Some(plan) = self.lowered.plan_mut(directive.func) {
                    plan.storage.rooms.push((dim, Room::Multiple(modulus)));
                }
                Ok(())
            }
            Action::PadStorage { var, amount } => {
                let dim = self.dimension(directive, var)?;
                let amount = self.positive(*amount, directive)?;
                if let Some(plan) = self.lowered.plan_mut(directive.func) {
                    plan.storage.rooms.push((dim, Room::More(amount)));
                }
                Ok(())
            }
            Action::Realign => {
                self.refuse_inlined(directive)?;
                self.refuse_output(directive)?;
                if let Some(plan) = self.lowered.plan_mut(directive.func) {
                    plan.storage.realign = Some(directive.origin);
                }
                Ok(())
            }
            Action::FoldStorage { var, factor, direction } => {
                let dim = self.dimension(directive, var)?;
                let factor = self.positive(*factor, directive)?;
                let fold = Fold { dim, factor, direction: *direction, origin: directive.origin };
                let name = self.func_name(directive);
                let Some(plan) = self.lowered.plan_mut(directive.func) else { return Ok(()) };
                if plan.storage.folds.iter().any(|other| other.dim == dim) {
                    return Err(ScheduleError::new(
                        "HAL0620",
                        directive.origin,
                        format!("the dimension `{var}` of `{name}` is folded twice"),
                        "keep one of the directives",
                    ));
                }
                plan.storage.folds.push(fold);
                Ok(())
            }
            Action::StoreIn(StoreIn::Stream) => {
                let name = self.func_name(directive);
                let outputs = self.lowered.outputs.iter_mut();
                let output = outputs.into_iter().find(|output| output.func == directive.func);
                let Some(output) = output else {
                    return Err(ScheduleError::new(
                        "HAL0620",
                        directive.origin,
                        format!("`{name}` is no output: it is read again"),
                        "only outputs can be written past the caches",
                    ));
                };
                for buffer in &mut output.buffers {
                    let decl = self.pool.buffer(*buffer).clone();
                    *buffer =
                        self.pool.declare_buffer(BufferDecl { store_in: StoreIn::Stream, ..decl });
                }
                Ok(())
            }
            Action::StoreIn(place) => {
                self.refuse_output(directive)?;
                if let Some(plan) = self.lowered.plan_mut(directive.func) {
                    plan.storage.store_in = *place;
                    plan.storage.store_in_origin = Some(directive.origin);
                }
                Ok(())
            }
            Action::HoistStorage(level) => {
                self.refuse_inlined(directive)?;
                self.refuse_output(directive)?;
                let placement = match level {
                    Some(level) => Placement::At(self.resolve(level, directive)?),
                    None => Placement::Root,
                };
                if let Some(plan) = self.lowered.plan_mut(directive.func) {
                    plan.storage.hoist = Some((placement, directive.origin));
                }
                Ok(())
            }
            Action::StoreAt(_) | Action::StoreRoot => self.place_storage(directive),
            Action::Specialize { .. }
            | Action::SpecializeFail { .. }
            | Action::Partition { .. }
            | Action::Split { .. }
            | Action::Tile { .. }
            | Action::Fuse { .. }
            | Action::Reorder { .. }
            | Action::Swap { .. }
            | Action::Traverse { .. }
            | Action::Vectorize { .. }
            | Action::Unroll { .. }
            | Action::Prefetch { .. }
            | Action::Rename { .. }
            | Action::Atomic
            | Action::Wrap { .. }
            | Action::Factor { .. }
            | Action::ComputeAt(_)
            | Action::ComputeRoot
            | Action::ComputeInline
            | Action::Bound { .. }
            | Action::AlignBounds { .. } => Ok(()),
        }
    }

    /// Refuses directives for an output, whose layout is the caller's.
    fn refuse_output(&self, directive: &Directive) -> Result<()> {
        if !self.lowered.is_output(directive.func) {
            return Ok(());
        }
        let outputs = &self.lowered.algorithm.outputs;
        let plans = self.lowered.plans.iter().filter(|plan| !outputs.contains(&plan.func));
        let names: Vec<_> = plans.map(|plan| self.pool.func(plan.func).name.clone()).collect();
        Err(ScheduleError::new(
            "HAL0620",
            directive.origin,
            format!("`{}` is an output: its memory is the caller's", self.func_name(directive)),
            format!("funcs with memory of the pipeline's own are {}", list(&names)),
        ))
    }

    fn reorder_storage(&mut self, directive: &Directive, vars: &[String]) -> Result<()> {
        let mut named = Vec::with_capacity(vars.len());
        for var in vars {
            let dim = self.dimension(directive, var)?;
            if named.contains(&dim) {
                return Err(ScheduleError::new(
                    "HAL0620",
                    directive.origin,
                    format!("`{var}` is named twice"),
                    "name each dimension once, innermost first",
                ));
            }
            named.push(dim);
        }
        let rank = self.pool.func(directive.func).rank();
        let Some(plan) = self.lowered.plan_mut(directive.func) else { return Ok(()) };
        let mut order: Vec<usize> = if plan.storage.order.is_empty() {
            (0..rank).collect()
        } else {
            plan.storage.order.clone()
        };
        let mut next = named.iter();
        for place in &mut order {
            if named.contains(place)
                && let Some(dim) = next.next()
            {
                *place = *dim;
            }
        }
        plan.storage.order = order;
        Ok(())
    }

    /// Returns the dimension that a pure variable stands for.
    fn dimension(&mut self, directive: &Directive, var: &str) -> Result<usize> {
        self.refuse_inlined(directive)?;
        self.refuse_output(directive)?;
        let decl = self.pool.func(directive.func);
        let names: Vec<_> = decl.args.iter().map(|arg| self.pool.var(*arg).name.clone()).collect();
        names.iter().position(|name| name == var).ok_or_else(|| {
            ScheduleError::new(
                "HAL0620",
                directive.origin,
                format!("`{}` has no dimension `{var}`", decl.name),
                format!("its dimensions are {}", list(&names)),
            )
        })
    }

    fn positive(&self, expr: ExprId, directive: &Directive) -> Result<i128> {
        let value = self.pool.as_constant(expr).and_then(Constant::as_integer);
        value.filter(|value| (1..=1 << 30).contains(value)).ok_or_else(|| {
            ScheduleError::new(
                "HAL0620",
                directive.origin,
                "memory is laid out by constants of at least 1 and at most 2^30",
                "give a number, such as 8",
            )
        })
    }
}
