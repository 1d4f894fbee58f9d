//! The directives, in FS's phases (§8): specialization, loops, compute, storage, bounds.
//!
//! A schedule may list them in any order; they are applied by phase, in the order written within
//! each. A directive that is refused is skipped, so that one run reports all errors.

mod bounds;
mod copies;
mod enclosing;
mod loops;
mod placement;
mod reductions;
mod steps;
mod storage;

pub(crate) use enclosing::loops_between;
pub use steps::{Step, steps};

use halidom_base::FxHashSet;
use halidom_ir::{
    Action, Directive, Expr, FuncKind, LoopKind, Partition, Pool, Schedule, Type, VarId, print,
};

pub use halidom_ir::SchedulePhase as Phase;

use crate::algebra::{Algebra, Known};
use crate::checks::is_startup;
use crate::emit::Solution;
use crate::error::{Result, ScheduleError};
use crate::nest::{Lowered, Placement, lower_instance};
use crate::reduction::Oracle;

/// Applies a schedule's directives to a lowered algorithm.
///
/// # Errors
/// Every directive that is not allowed, in the order in which they are applied.
pub fn apply(
    pool: &mut Pool,
    lowered: &mut Lowered,
    schedule: &Schedule,
) -> std::result::Result<(), Vec<ScheduleError>> {
    apply_with(&mut Oracle::default(), pool, lowered, schedule)
}

/// Like [`apply`], with a solver that may have been asked before.
///
/// # Errors
/// As [`apply`].
pub fn apply_with(
    oracle: &mut Oracle,
    pool: &mut Pool,
    lowered: &mut Lowered,
    schedule: &Schedule,
) -> std::result::Result<(), Vec<ScheduleError>> {
    let startup = startup_vars(pool, lowered);
    let mut scheduler = Scheduler { pool, lowered, startup, oracle, errors: Vec::new() };
    let mut directives: Vec<(usize, &Directive)> =
        schedule.directives.iter().map(|directive| (0, directive)).collect();
    directives.sort_by_key(|(_, directive)| directive.action.phase());
    let mut nested = Vec::new();
    for (_, directive) in &directives {
        if let Action::Specialize { directives, .. } = &directive.action
            && let Some(number) = scheduler.checked(directive, Scheduler::specialize)
        {
            nested.extend(directives.iter().map(|inner| (number, inner)));
        }
    }
    for (_, directive) in &directives {
        if let Action::SpecializeFail { message } = &directive.action {
            scheduler.checked(directive, |scheduler, directive| {
                scheduler.specialize_fail(directive, message)
            });
        }
    }
    for (specialization, directive) in directives.iter().chain(&nested) {
        if directive.action.phase() == Phase::Loops {
            scheduler.checked(directive, |scheduler, directive| {
                scheduler.loops(directive, *specialization)
            });
        }
    }
    scheduler.drop_unspecialized();
    scheduler.check_unordered();
    scheduler.check_partitions();
    scheduler.check_prefetches();
    for current in [Phase::Compute, Phase::Storage, Phase::Bounds] {
        for (_, directive) in &directives {
            if directive.action.phase() == current {
                scheduler.checked(directive, |scheduler, directive| match current {
                    Phase::Compute => scheduler.place_compute(directive),
                    Phase::Storage => scheduler.storage(directive),
                    Phase::Bounds | Phase::Algorithm | Phase::Specialization | Phase::Loops => {
                        scheduler.bounds(directive)
                    }
                });
            }
        }
    }
    // A func is known to be inlined only after the compute phase.
    for (_, directive) in directives.iter().chain(&nested) {
        scheduler.checked(directive, Scheduler::refuse_inlined);
    }
    let refused = scheduler.copy_for_instances();
    scheduler.check_placements(&refused);
    for error in &mut scheduler.errors {
        let all = directives.iter().chain(&nested).map(|(_, directive)| *directive);
        let mut at_fault = all.filter(|directive| error.origin == Some(directive.origin));
        if let Some(directive) = at_fault.next() {
            let func = scheduler.pool.func(directive.func).name.clone();
            let update = match directive.stage {
                0 => String::new(),
                stage => format!(".update({stage})"),
            };
            error.message =
                format!("`{func}{update}.{}`: {}", directive.action.name(), error.message);
        }
    }
    let mut seen = FxHashSet::default();
    scheduler.errors.retain(|error| seen.insert((error.code, error.origin, error.message.clone())));
    if scheduler.errors.is_empty() { Ok(()) } else { Err(scheduler.errors) }
}

/// Returns the parameters and the shapes of inputs, which a startup expression may mention (FS
/// Definition 4.4).
fn startup_vars(pool: &Pool, lowered: &Lowered) -> FxHashSet<VarId> {
    let mut vars: FxHashSet<VarId> = lowered.algorithm.params.iter().copied().collect();
    for input in &lowered.algorithm.inputs {
        if let FuncKind::Input { buffer } = pool.func(*input).kind {
            for dim in &pool.buffer(buffer).dims {
                for part in [dim.min, dim.extent, dim.stride] {
                    if let Expr::Var(var) = pool.get(part) {
                        vars.insert(*var);
                    }
                }
            }
        }
    }
    vars
}

/// Checks that vectorized and unrolled loops have constant extents once bounds are known.
pub(crate) fn check_constant_extents(
    pool: &mut Pool,
    lowered: &Lowered,
    solution: &Solution,
    known: &Known,
) -> std::result::Result<(), Vec<ScheduleError>> {
    let mut errors = Vec::new();
    for nest in lowered.nests() {
        for l in &nest.loops {
            let (directive, what) = match l.kind {
                LoopKind::Serial
                | LoopKind::Parallel(_)
                | LoopKind::GpuBlocks
                | LoopKind::GpuThreads => continue,
                LoopKind::Vectorized => ("vectorize", "vectorized"),
                LoopKind::Unrolled => ("unroll", "unrolled"),
            };
            let extent = solution.apply(pool, l.interval.extent);
            let extent = Algebra::new(pool, known).simplify(extent);
            if pool.as_constant(extent).is_none() {
                errors.push(ScheduleError::new(
                    "HAL0608",
                    l.kind_origin,
                    format!(
                        "`{}.{directive}`: `{}` cannot be {what}: its extent `{}` is not a \
                            constant",
                        nest.name(pool),
                        nest.loop_name(pool, &l.name),
                        print::expr(pool, extent)
                    ),
                    format!(
                        "split it by a constant first, or give the number of iterations to take \
                            together: `{directive}({}, 8)`",
                        l.name
                    ),
                ));
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

struct Scheduler<'a> {
    pool: &'a mut Pool,
    lowered: &'a mut Lowered,
    startup: FxHashSet<VarId>,
    /// Answers questions about reduction loops.
    oracle: &'a mut Oracle,
    errors: Vec<ScheduleError>,
}

impl Scheduler<'_> {
    fn checked<T>(
        &mut self,
        directive: &Directive,
        apply: impl FnOnce(&mut Self, &Directive) -> Result<T>,
    ) -> Option<T> {
        let result = self.refuse_input(directive).and_then(|()| apply(self, directive));
        result.map_err(|error| self.errors.push(error)).ok()
    }

    fn func_name(&self, directive: &Directive) -> String {
        self.pool.func(directive.func).name.clone()
    }

    fn refuse_input(&self, directive: &Directive) -> Result<()> {
        if self.lowered.plan(directive.func).is_some() {
            return Ok(());
        }
        let names: Vec<_> =
            self.lowered.plans.iter().map(|plan| self.pool.func(plan.func).name.clone()).collect();
        Err(ScheduleError::new(
            "HAL0502",
            directive.origin,
            format!("`{}` is an input: there is nothing to schedule", self.func_name(directive)),
            format!("funcs that can be scheduled are {}", list(&names)),
        ))
    }

    /// Refuses directives for an inlined func, which has no loops, storage or bounds.
    fn refuse_inlined(&mut self, directive: &Directive) -> Result<()> {
        let inlined =
            self.lowered.plan(directive.func).is_some_and(|plan| plan.compute == Placement::Inline);
        if !inlined || directive.action.phase() == Phase::Compute {
            return Ok(());
        }
        let name = self.func_name(directive);
        Err(ScheduleError::new(
            "HAL0614",
            directive.origin,
            format!("`{name}` is computed inline: it has no loops, storage or bounds of its own"),
            format!("compute it somewhere first: `{name}.compute_root()`"),
        ))
    }

    /// Applies `specialize_fail`: only the specializations remain.
    fn specialize_fail(&mut self, directive: &Directive, message: &str) -> Result<()> {
        let name = self.func_name(directive);
        let Some(plan) = self.lowered.plan_mut(directive.func) else { return Ok(()) };
        if plan.instances.len() < 2 {
            return Err(ScheduleError::new(
                "HAL0509",
                directive.origin,
                format!("`{name}` has no specialization: nothing would be left of it"),
                format!("specialize it first: `{name}.specialize(condition) {{ … }}`"),
            ));
        }
        if plan.fail.is_some() {
            return Err(ScheduleError::new(
                "HAL0618",
                directive.origin,
                format!(
                    "the schedule already says what happens where no condition of `{name}` holds"
                ),
                "keep one of the directives",
            ));
        }
        plan.fail = Some(message.to_owned());
        Ok(())
    }

    /// Drops the code that an entry check makes unreachable. The last specialization then needs no
    /// test of its condition.
    fn drop_unspecialized(&mut self) {
        for plan in &mut self.lowered.plans {
            if plan.fail.is_some() && plan.instances.len() > 1 {
                plan.instances.swap_remove(0);
            }
        }
    }

    /// Refuses partitions of loops that are not serial, because only serial loops have parts.
    fn check_partitions(&mut self) {
        for nest in self.lowered.nests() {
            for l in &nest.loops {
                if l.partition != Partition::Always || l.kind == LoopKind::Serial {
                    continue;
                }
                let serial = nest.loops.iter().rev().filter(|l| l.kind == LoopKind::Serial);
                let serial: Vec<_> = serial.map(|l| l.name.clone()).collect();
                self.errors.push(ScheduleError::new(
                    "HAL0619",
                    l.partition_origin,
                    format!(
                        "`{}` cannot be run in parts: it is not a serial loop but `{}`",
                        nest.loop_name(self.pool, &l.name),
                        l.kind.keyword()
                    ),
                    format!(
                        "serial loops of this stage are {}; policies that are allowed here are \
                            `auto`, `never`",
                        list(&serial)
                    ),
                ));
            }
        }
    }

    /// Refuses prefetches at loops that do not remain loops, because those have no later
    /// iterations.
    fn check_prefetches(&mut self) {
        for nest in self.lowered.nests() {
            for l in &nest.loops {
                let stays = l.kind == LoopKind::Serial || l.kind.is_parallel();
                if let (false, Some(ahead)) = (stays, l.ahead.first()) {
                    let remaining = nest.loops.iter().rev();
                    let remaining =
                        remaining.filter(|l| l.kind == LoopKind::Serial || l.kind.is_parallel());
                    let remaining: Vec<_> = remaining.map(|l| l.name.clone()).collect();
                    self.errors.push(ScheduleError::new(
                        "HAL0630",
                        ahead.origin,
                        format!(
                            "`{}` fetches nothing ahead: it is `{}`, and has no later iterations",
                            nest.loop_name(self.pool, &l.name),
                            l.kind
                        ),
                        format!("loops of this stage that stay loops are {}", list(&remaining)),
                    ));
                }
            }
        }
    }

    /// Applies `specialize`: copies the func's loops for a condition. Returns the copy's number.
    fn specialize(&mut self, directive: &Directive) -> Result<usize> {
        let Action::Specialize { condition, directives } = &directive.action else { return Ok(0) };
        if self.pool.ty(*condition) != Type::BOOL
            || !is_startup(self.pool, *condition, &self.startup)
        {
            return Err(ScheduleError::new(
                "HAL0508",
                directive.origin,
                "the condition of a specialization is not a startup expression",
                "use a `bool` over parameters and the shapes of inputs only",
            ));
        }
        for inner in directives {
            if inner.func != directive.func || inner.action.phase() != Phase::Loops {
                return Err(ScheduleError::new(
                    "HAL0509",
                    inner.origin,
                    "only loops of the specialized func can be scheduled within a specialization",
                    "move this directive out of `specialize`",
                ));
            }
        }
        let number = self.lowered.plan(directive.func).map_or(0, |plan| plan.instances.len());
        let instance = lower_instance(self.pool, directive.func, number, Some(*condition));
        if let Some(plan) = self.lowered.plan_mut(directive.func) {
            plan.instances.push(instance);
        }
        Ok(number)
    }
}

/// Formats names for a message: `` `a`, `b` ``.
fn list(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        quoted.join(", ")
    }
}
