//! The loops phase (FS §8.2): split, tile, fuse, reorder, swap, traverse, vectorize, unroll,
//! rename.

use halidom_ir::{
    Action, BinaryOp, Constant, Directive, ExprId, Interval, LoopKind, Partition, Pool, Tail, Type,
    VarId,
};

use super::{Scheduler, list};
use crate::algebra::{Algebra, Known, vars};
use crate::checks::is_startup;
use crate::error::{Result, ScheduleError};
use crate::nest::{Ahead, Binding, Block, Factor, Loop, LoopClass, Nest, compute_kind, hole};

/// A split as written in a directive.
struct Split<'a> {
    var: &'a str,
    outer: &'a str,
    inner: &'a str,
    factor: ExprId,
    tail: Tail,
}

impl Scheduler<'_> {
    /// Applies a directive of the loops phase to a stage of an instance.
    pub(super) fn loops(&mut self, directive: &Directive, specialization: usize) -> Result<()> {
        let origin = directive.origin;
        let name = self.func_name(directive);
        let stages = self.pool.func(directive.func).stages().len();
        let nest = self
            .lowered
            .plan(directive.func)
            .and_then(|plan| plan.instances.get(specialization))
            .and_then(|instance| instance.stages.get(directive.stage))
            .cloned();
        let Some(mut nest) = nest else {
            let updates: Vec<_> =
                (1..stages).map(|stage| format!("{name}.update({stage})")).collect();
            return Err(ScheduleError::new(
                "HAL0506",
                origin,
                format!("`{name}` has no update {}", directive.stage),
                format!("its updates are {}", list(&updates)),
            ));
        };
        let fails = self.lowered.plan(directive.func).is_some_and(|plan| plan.fail.is_some());
        if fails && specialization == 0 {
            return Err(ScheduleError::new(
                "HAL0509",
                origin,
                format!("`{name}` has no loops but those of its specializations"),
                format!(
                    "write it within the braces of a specialization, or leave \
                        `{name}.specialize_fail` out"
                ),
            ));
        }
        self.transform(&mut nest, &directive.action, origin)?;
        let place = self
            .lowered
            .plan_mut(directive.func)
            .and_then(|plan| plan.instances.get_mut(specialization))
            .and_then(|instance| instance.stages.get_mut(directive.stage));
        if let Some(place) = place {
            *place = nest;
        }
        Ok(())
    }

    fn transform(&mut self, nest: &mut Nest, action: &Action, origin: usize) -> Result<()> {
        match action {
            Action::Split { var, outer, inner, factor, tail } => {
                let split = Split { var, outer, inner, factor: *factor, tail: *tail };
                self.split(nest, &split, origin).map(|_| ())
            }
            Action::Tile { vars, outer, inner, factors, tail } => {
                for dim in 0..2 {
                    let split = Split {
                        var: &vars[dim],
                        outer: &outer[dim],
                        inner: &inner[dim],
                        factor: factors[dim],
                        tail: *tail,
                    };
                    self.split(nest, &split, origin)?;
                }
                let order = [&inner[0], &inner[1], &outer[0], &outer[1]].map(Clone::clone);
                self.reorder(nest, &order, origin)
            }
            Action::Fuse { outer, inner, fused } => {
                fuse(self.pool, nest, [outer, inner, fused], origin)
            }
            Action::Reorder { vars } => self.reorder(nest, vars, origin),
            Action::Swap { var } => {
                let position = find(self.pool, nest, var, origin)?;
                let Some(inner) = nest.loops.get(position + 1) else {
                    let outer: Vec<_> =
                        nest.loops[..position].iter().rev().map(|l| l.name.clone()).collect();
                    return Err(ScheduleError::new(
                        "HAL0606",
                        origin,
                        format!("there is no loop within `{}`", nest.loop_name(self.pool, var)),
                        format!(
                            "a loop is swapped with the one immediately within it; loops that have \
                                one are {}",
                            list(&outer)
                        ),
                    ));
                };
                let order = [var.clone(), inner.name.clone()];
                self.reorder(nest, &order, origin)
            }
            Action::Traverse { var, kind } => traverse(self.pool, nest, var, *kind, origin),
            Action::Vectorize { var, lanes, tail } => {
                self.by_steps(nest, var, *lanes, *tail, LoopKind::Vectorized, origin)
            }
            Action::Unroll { var, factor, tail } => {
                self.by_steps(nest, var, *factor, *tail, LoopKind::Unrolled, origin)
            }
            Action::Partition { var, policy } => {
                let position = find(self.pool, nest, var, origin)?;
                nest.loops[position].partition = *policy;
                nest.loops[position].partition_origin = Some(origin);
                Ok(())
            }
            Action::Prefetch { func, var, ahead } => {
                let position = find(self.pool, nest, var, origin)?;
                nest.loops[position].ahead.push(Ahead { func: *func, by: *ahead, origin });
                Ok(())
            }
            Action::Rename { from, to } => {
                let position = find(self.pool, nest, from, origin)?;
                refuse_taken(self.pool, nest, to, &[from], origin)?;
                to.clone_into(&mut nest.loops[position].name);
                Ok(())
            }
            Action::Atomic => self.atomic(nest, origin),
            Action::Specialize { .. }
            | Action::SpecializeFail { .. }
            | Action::Wrap { .. }
            | Action::Factor { .. }
            | Action::ComputeAt(_)
            | Action::ComputeRoot
            | Action::ComputeInline
            | Action::StoreAt(_)
            | Action::StoreRoot
            | Action::HoistStorage(_)
            | Action::ReorderStorage { .. }
            | Action::AlignStorage { .. }
            | Action::PadStorage { .. }
            | Action::Realign
            | Action::FoldStorage { .. }
            | Action::StoreIn(_)
            | Action::Bound { .. }
            | Action::AlignBounds { .. } => Ok(()),
        }
    }

    /// Vectorizes or unrolls a loop. With a factor, this applies to the inner part of a split whose
    /// outer part keeps the name.
    fn by_steps(
        &mut self,
        nest: &mut Nest,
        var: &str,
        factor: Option<ExprId>,
        tail: Tail,
        kind: LoopKind,
        origin: usize,
    ) -> Result<()> {
        let Some(factor) = factor else { return traverse(self.pool, nest, var, kind, origin) };
        let (suffix, what) = match kind {
            LoopKind::Vectorized => ("lane", "vectorized"),
            LoopKind::Unrolled
            | LoopKind::Serial
            | LoopKind::Parallel(_)
            | LoopKind::GpuBlocks
            | LoopKind::GpuThreads => ("copy", "unrolled"),
        };
        find(self.pool, nest, var, origin)?;
        if self.pool.as_constant(factor).is_none() {
            return Err(ScheduleError::new(
                "HAL0505",
                origin,
                format!(
                    "`{}` cannot be {what} by a number that is not a constant",
                    nest.loop_name(self.pool, var)
                ),
                "give a number, such as 8",
            ));
        }
        let inner = format!("{var}.{suffix}");
        let split = Split { var, outer: var, inner: &inner, factor, tail };
        let position = self.split(nest, &split, origin)?;
        nest.loops[position + 1].kind = kind;
        nest.loops[position + 1].kind_origin = Some(origin);
        Ok(())
    }

    /// Splits a loop. Returns the position of the outer part, which the inner one follows.
    fn split(&mut self, nest: &mut Nest, split: &Split<'_>, origin: usize) -> Result<usize> {
        let position = find(self.pool, nest, split.var, origin)?;
        for name in [split.outer, split.inner] {
            refuse_taken(self.pool, nest, name, &[split.var], origin)?;
        }
        if split.outer == split.inner {
            return Err(taken(self.pool, nest, split.inner, origin));
        }
        self.check_factor(nest, split, origin)?;
        let pool = &mut *self.pool;
        let old = nest.loops[position].clone();
        let Interval { min, extent } = old.interval;
        let factor = split.factor;
        let zero = pool.int(0);
        let one = pool.int(1);
        let outer_var = nest.declare(pool, split.outer);
        let inner_var = nest.declare(pool, split.inner);
        let (outer, inner) = (pool.var_expr(outer_var), pool.var_expr(inner_var));
        // ⌈n / e⌉ iterations.
        let rounding = pool.sub(factor, one);
        let padded = pool.add(extent, rounding);
        let count = pool.binary(BinaryOp::Div, padded, factor);
        let offset = pool.mul(outer, factor);
        let start = pool.add(min, offset);
        let unguarded = pool.add(start, inner);
        let end = pool.add(min, extent);
        let old_value = pool.var_expr(old.var);
        let guard = pool.binary(BinaryOp::Lt, old_value, end);
        let remainder = resolve_tail(pool, nest, &old, split, origin)?;
        if remainder == Remainder::ShiftInwards {
            self.demand_block(nest, &old, split, origin)?;
        }
        let pool = &mut *self.pool;
        let shifts = matches!(remainder, Remainder::Shift | Remainder::ShiftInwards);
        let (value, guard, range) = match remainder {
            Remainder::None => (unguarded, None, None),
            Remainder::Guard => (unguarded, Some(guard), Some(old.interval)),
            Remainder::Shift => {
                // The last block moves inwards. If even one block is too long it starts at the min,
                // and the guard cuts it off.
                let last_start = pool.sub(end, factor);
                let shifted = pool.binary(BinaryOp::Min, start, last_start);
                let shifted = pool.binary(BinaryOp::Max, min, shifted);
                (pool.add(shifted, inner), Some(guard), Some(old.interval))
            }
            Remainder::ShiftInwards => {
                let last_start = pool.sub(end, factor);
                let shifted = pool.binary(BinaryOp::Min, start, last_start);
                (pool.add(shifted, inner), None, Some(old.interval))
            }
            Remainder::Round => {
                overrun(pool, nest, old.var);
                (unguarded, None, None)
            }
        };
        // Blocks that move inwards lie within the loop, unless there is no room for one.
        let room = (remainder == Remainder::Shift).then(|| pool.sub(extent, factor));
        let var = old.var;
        let inner = shifts.then_some(inner_var);
        let binding = Binding { var, value, guard, room, inner, range, holds_on_overrun: true };
        nest.bindings.insert(0, binding);
        // A traversal that was set before belongs to the inner loop if its iterations are to be
        // unrolled or become lanes, else to the outer one.
        let inner_takes_kind = matches!(old.kind, LoopKind::Vectorized | LoopKind::Unrolled);
        let part = |var, name: &str, interval, takes_kind| Loop {
            var,
            name: name.to_owned(),
            interval,
            kind: if takes_kind { old.kind } else { LoopKind::Serial },
            kind_origin: old.kind_origin.filter(|_| takes_kind),
            ahead: Vec::new(),
            ..old.clone()
        };
        let outer_interval = Interval { min: zero, extent: count };
        let inner_interval = Interval { min: zero, extent: factor };
        let outer = Loop {
            covered: old.covered || shifts,
            ..part(outer_var, split.outer, outer_interval, !inner_takes_kind)
        };
        let inner = Loop {
            is_block: true,
            ..part(inner_var, split.inner, inner_interval, inner_takes_kind)
        };
        nest.loops.splice(position..=position, [outer, inner]);
        nest.loops[position].ahead = old.ahead;
        Ok(position)
    }

    /// Requests an entry check that the loop, which must run over a dimension of an output, has
    /// room for one block.
    fn demand_block(
        &mut self,
        nest: &Nest,
        old: &Loop,
        split: &Split<'_>,
        origin: usize,
    ) -> Result<()> {
        let func = nest.func;
        let kind = compute_kind(self.pool, func, nest.stage, nest.specialization);
        let rank = self.pool.func(func).rank();
        let dim = (0..rank)
            .find(|dim| hole(self.pool, func, *dim, kind) == old.interval)
            .filter(|_| self.lowered.is_output(func));
        let size = self.pool.as_constant(split.factor).and_then(Constant::as_integer);
        match (dim, size) {
            (Some(dim), Some(size)) => {
                self.lowered.blocks.push(Block { func, dim, size });
                Ok(())
            }
            (dim, _) => {
                let name = nest.loop_name(self.pool, split.var);
                let reason = if dim.is_some() {
                    "the factor is not a number"
                } else {
                    "it is not the loop over a dimension of an output"
                };
                Err(ScheduleError::new(
                    "HAL0603",
                    origin,
                    format!("tail `shift_inwards` is not allowed for `{name}`: {reason}"),
                    "write `shift`, which needs no room for a whole block",
                ))
            }
        }
    }

    /// Checks that a split factor is a positive startup expression: here if constant, at entry
    /// otherwise.
    fn check_factor(&mut self, nest: &Nest, split: &Split<'_>, origin: usize) -> Result<()> {
        let name = nest.loop_name(self.pool, split.var);
        let error = |code, message: String| {
            ScheduleError::new(
                code,
                origin,
                message,
                "the factor is a positive `int` over parameters and the shapes of inputs",
            )
        };
        if self.pool.ty(split.factor) != Type::INT
            || !is_startup(self.pool, split.factor, &self.startup)
        {
            return Err(error(
                "HAL0508",
                format!("the factor that splits `{name}` is not a startup expression"),
            ));
        }
        match self.pool.as_constant(split.factor).and_then(Constant::as_integer) {
            Some(value) if value <= 0 => {
                Err(error("HAL0604", format!("`{name}` cannot be split by {value}")))
            }
            Some(_) => Ok(()),
            None => {
                self.lowered.factors.push(Factor {
                    func: nest.func,
                    variable: split.var.to_owned(),
                    value: split.factor,
                });
                Ok(())
            }
        }
    }
}

/// The treatment of a split's remainder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Remainder {
    /// The factor divides the extent.
    None,
    Guard,
    Shift,
    /// The last block moves inwards, and there is room for it.
    ShiftInwards,
    Round,
}

fn resolve_tail(
    pool: &mut Pool,
    nest: &Nest,
    split: &Loop,
    request: &Split<'_>,
    origin: usize,
) -> Result<Remainder> {
    // The extent of a part of a split is a quotient of numbers.
    let known = Known::default();
    let mut algebra = Algebra::new(pool, &known);
    let ends = [split.interval.extent, request.factor].map(|expr| algebra.sum(expr).as_constant());
    let divides =
        matches!(ends, [Some(extent), Some(factor)] if factor > 0 && extent % factor == 0);
    let is_pure = split.class == LoopClass::Pure;
    let may_repeat = nest.stage == 0 && is_pure;
    // Beyond its end, a block repeats iterations of the next one.
    let may_overrun = is_pure && (may_repeat || !split.is_block || divides);
    let legal = |tail| is_legal(tail, is_pure, may_overrun, may_repeat);
    if !legal(request.tail) {
        let reason = if is_pure && request.tail == Tail::Round {
            "beyond its end, an update would repeat what the next block does"
        } else if is_pure || matches!(request.tail, Tail::Shift | Tail::ShiftInwards) {
            "an update must not be repeated"
        } else if request.tail == Tail::Round {
            "a reduction must not go on beyond its domain"
        } else {
            "iterations of a reduction loop have no locations of their own that could be kept"
        };
        let legal = Tail::ALL.iter().filter(|tail| legal(**tail));
        let legal: Vec<_> = legal.map(|tail| tail.name().to_owned()).collect();
        return Err(ScheduleError::new(
            "HAL0603",
            origin,
            format!(
                "tail `{}` is not allowed for `{}`: {reason}",
                request.tail.name(),
                nest.loop_name(pool, &split.name)
            ),
            format!("tails that are allowed here are {}", list(&legal)),
        ));
    }
    match request.tail {
        _ if divides => Ok(Remainder::None),
        Tail::Shift => Ok(Remainder::Shift),
        Tail::ShiftInwards => Ok(Remainder::ShiftInwards),
        Tail::Round => Ok(Remainder::Round),
        // Moving a block inwards twice gains nothing.
        Tail::Auto if may_repeat && split.covered => Ok(Remainder::Round),
        Tail::Auto if may_repeat => Ok(Remainder::Shift),
        // There are no masks: values that must not be written are not computed. So blending needs
        // no old value, and touches nothing that another thread writes.
        Tail::Guard
        | Tail::Predicate
        | Tail::PredicateLoads
        | Tail::PredicateStores
        | Tail::ShiftInwardsAndBlend
        | Tail::RoundUpAndBlend
        | Tail::Auto => Ok(Remainder::Guard),
    }
}

/// True if a tail is allowed for a loop (pure or not) that may or may not go on beyond its end and
/// repeat iterations.
fn is_legal(tail: Tail, is_pure: bool, may_overrun: bool, may_repeat: bool) -> bool {
    match tail {
        Tail::Shift | Tail::ShiftInwards => may_repeat,
        // Values that an update writes beyond its region are as unreliable as those that it reads
        // there, and nothing needs them.
        Tail::Round => may_overrun,
        Tail::ShiftInwardsAndBlend | Tail::RoundUpAndBlend => is_pure,
        Tail::Guard
        | Tail::Predicate
        | Tail::PredicateLoads
        | Tail::PredicateStores
        | Tail::Auto => true,
    }
}

/// Drops ranges that do not hold when a variable leaves its loop's interval, as `round` makes it
/// do.
fn overrun(pool: &Pool, nest: &mut Nest, var: VarId) {
    let mut overrun = vec![var];
    // Each binding comes after those that its value mentions.
    for binding in &mut nest.bindings {
        let mentions = vars(pool, binding.value);
        if !overrun.iter().any(|var| mentions.contains(var)) {
            continue;
        }
        let leaves_block = binding.inner.is_some_and(|inner| overrun.contains(&inner));
        if leaves_block {
            binding.room = None;
        }
        if !binding.holds_on_overrun || leaves_block && binding.guard.is_none() {
            binding.range = None;
        }
        if binding.range.is_none() {
            overrun.push(binding.var);
        }
    }
}

pub(super) fn find(pool: &Pool, nest: &Nest, var: &str, origin: usize) -> Result<usize> {
    nest.position(var).ok_or_else(|| {
        let names: Vec<_> = nest.loops.iter().rev().map(|l| l.name.clone()).collect();
        ScheduleError::new(
            "HAL0601",
            origin,
            format!("`{}` has no loop `{var}`", nest.name(pool)),
            format!("its loops, innermost first, are {}", list(&names)),
        )
    })
}

fn taken(pool: &Pool, nest: &Nest, name: &str, origin: usize) -> ScheduleError {
    ScheduleError::new(
        "HAL0602",
        origin,
        format!("`{}` already has a loop `{name}`", nest.name(pool)),
        "choose a name that no other loop of this stage has",
    )
}

/// Refuses a name that another loop has; the loops in `replaced` go away.
fn refuse_taken(
    pool: &Pool,
    nest: &Nest,
    name: &str,
    replaced: &[&str],
    origin: usize,
) -> Result<()> {
    if nest.position(name).is_some() && !replaced.contains(&name) {
        Err(taken(pool, nest, name, origin))
    } else {
        Ok(())
    }
}

fn traverse(pool: &Pool, nest: &mut Nest, var: &str, kind: LoopKind, origin: usize) -> Result<()> {
    let position = find(pool, nest, var, origin)?;
    nest.loops[position].kind = kind;
    nest.loops[position].kind_origin = Some(origin);
    Ok(())
}

/// Fuses two loops; the names are `[outer, inner, fused]`.
fn fuse(pool: &mut Pool, nest: &mut Nest, names: [&String; 3], origin: usize) -> Result<()> {
    let [outer_name, inner_name, fused_name] = names;
    let position = find(pool, nest, outer_name, origin)?;
    let inner_position = find(pool, nest, inner_name, origin)?;
    refuse_taken(pool, nest, fused_name, &[outer_name, inner_name], origin)?;
    let (outer, inner) = (nest.loops[position].clone(), nest.loops[inner_position].clone());
    let message = if inner_position != position + 1 {
        Some(format!("`{inner_name}` is not immediately within `{outer_name}`"))
    } else if outer.class != inner.class {
        Some(format!(
            "`{outer_name}` and `{inner_name}` cannot be fused: one is pure and the other a \
                reduction loop"
        ))
    } else {
        None
    };
    if let Some(message) = message {
        let order: Vec<_> = nest.loops.iter().rev().map(|l| l.name.clone()).collect();
        return Err(ScheduleError::new(
            "HAL0606",
            origin,
            message,
            format!("the loops, innermost first, are {}", list(&order)),
        ));
    }
    let zero = pool.int(0);
    let var = nest.declare(pool, fused_name);
    let value = pool.var_expr(var);
    // Two negative extents would have a positive product.
    let counts = [outer.interval, inner.interval]
        .map(|interval| pool.binary(BinaryOp::Max, interval.extent, zero));
    let extent = pool.mul(counts[0], counts[1]);
    let parts = [(&outer, BinaryOp::Div), (&inner, BinaryOp::Mod)].map(|(part, op)| {
        let step = pool.binary(op, value, inner.interval.extent);
        let value = pool.add(part.interval.min, step);
        // The remainder is right for any fused variable, the quotient only within its loop's
        // interval.
        let holds_on_overrun = op == BinaryOp::Mod;
        let range = Some(part.interval);
        Binding {
            var: part.var,
            value,
            guard: None,
            room: None,
            inner: None,
            range,
            holds_on_overrun,
        }
    });
    nest.bindings.splice(0..0, parts);
    let fused = Loop {
        var,
        name: fused_name.clone(),
        interval: Interval { min: zero, extent },
        kind: LoopKind::Serial,
        kind_origin: None,
        class: outer.class,
        partition: if outer.partition == Partition::Auto {
            inner.partition
        } else {
            outer.partition
        },
        partition_origin: outer.partition_origin.or(inner.partition_origin),
        ahead: inner.ahead,
        // Beyond the end the quotient leaves the outer loop, the remainder stays within the inner
        // one.
        covered: outer.covered,
        is_block: outer.is_block,
    };
    nest.loops.splice(position..=inner_position, [fused]);
    Ok(())
}
