//! The compute and storage phases (FS §8.3, §8.4): the places of a func's label and its allocation.
//!
//! FS Lemma 6.2 must hold afterwards: the label dominates every use, and the allocation dominates
//! the label and every use.

use halidom_base::FxHashMap;
use halidom_ir::{Action, Directive, FuncId, LoopKind, LoopLevel, VarId};

use super::enclosing::{enclosing, is_within, loops_between, siblings};
use super::{Scheduler, list};
use crate::error::{Result, ScheduleError};
use crate::nest::{Inliner, Lowered, Nest, Placement, used};

impl Scheduler<'_> {
    /// Applies `compute_at`, `compute_root`, `compute_inline`. Storage moves along unless it is
    /// placed too.
    pub(super) fn place_compute(&mut self, directive: &Directive) -> Result<()> {
        let name = self.func_name(directive);
        let is_output = self.lowered.is_output(directive.func);
        let placement = if let Action::ComputeAt(level) = &directive.action {
            Placement::At(self.resolve(level, directive)?)
        } else if directive.action == Action::ComputeInline {
            Placement::Inline
        } else {
            Placement::Root
        };
        if placement == Placement::Inline {
            let reason = if is_output {
                Some("it is an output")
            } else if self.pool.func(directive.func).stages().len() > 1 {
                Some("it has updates")
            } else {
                None
            };
            if let Some(reason) = reason {
                return Err(ScheduleError::new(
                    "HAL0613",
                    directive.origin,
                    format!("`{name}` cannot be computed inline: {reason}"),
                    "use `compute_root` or `compute_at`",
                ));
            }
        } else if is_output && placement != Placement::Root {
            return Err(self.output_at_root(directive, "computed"));
        }
        let Some(plan) = self.lowered.plan_mut(directive.func) else { return Ok(()) };
        if plan.compute_origin.is_some() {
            return Err(placed_twice(&name, "computed", directive));
        }
        plan.compute = placement;
        plan.store = placement;
        plan.compute_origin = Some(directive.origin);
        Ok(())
    }

    /// Applies `store_at`, `store_root`.
    pub(super) fn place_storage(&mut self, directive: &Directive) -> Result<()> {
        let name = self.func_name(directive);
        self.refuse_inlined(directive)?;
        let placement = if let Action::StoreAt(level) = &directive.action {
            Placement::At(self.resolve(level, directive)?)
        } else {
            Placement::Root
        };
        if self.lowered.is_output(directive.func) && placement != Placement::Root {
            return Err(self.output_at_root(directive, "stored"));
        }
        let Some(plan) = self.lowered.plan_mut(directive.func) else { return Ok(()) };
        if plan.store_origin.is_some() {
            return Err(placed_twice(&name, "stored", directive));
        }
        plan.store = placement;
        plan.store_origin = Some(directive.origin);
        Ok(())
    }

    fn output_at_root(&self, directive: &Directive, what: &str) -> ScheduleError {
        let name = self.func_name(directive);
        ScheduleError::new(
            "HAL0612",
            directive.origin,
            format!("`{name}` is an output: it is {what} at the top"),
            "leave outputs at `compute_root`",
        )
    }

    /// Returns the loop that a level names, in the unspecialized instance.
    pub(super) fn resolve(&self, level: &LoopLevel, directive: &Directive) -> Result<VarId> {
        let name = &self.pool.func(level.func).name;
        let found = self.lowered.plan(level.func);
        let Some(plan) = found.filter(|plan| plan.compute != Placement::Inline) else {
            let reason = if found.is_some() { "is computed inline" } else { "is an input" };
            return Err(ScheduleError::new(
                "HAL0601",
                directive.origin,
                format!("`{name}` has no loops: it {reason}"),
                format!("levels are {}", list(&self.level_names(directive.func))),
            ));
        };
        let stages = &plan.instances[0].stages;
        let stage = level.stage.unwrap_or(stages.len().saturating_sub(1));
        let Some(nest) = stages.get(stage) else {
            return Err(ScheduleError::new(
                "HAL0506",
                directive.origin,
                format!("`{name}` has no update {stage}"),
                format!("it has {} updates", stages.len().saturating_sub(1)),
            ));
        };
        match nest.position(&level.var) {
            Some(position) => Ok(nest.loops[position].var),
            None => Err(ScheduleError::new(
                "HAL0601",
                directive.origin,
                format!("`{}` has no loop `{}`", nest.name(self.pool), level.var),
                format!("levels are {}", list(&self.level_names(directive.func))),
            )),
        }
    }

    /// Returns the names of the loops of other funcs.
    fn level_names(&self, func: FuncId) -> Vec<String> {
        let nests = self.lowered.nests().filter(|nest| nest.func != func);
        nests
            .flat_map(|nest| nest.loops.iter().map(|l| nest.loop_name(self.pool, &l.name)))
            .collect()
    }

    /// Checks dominance, and that nothing is computed or stored where loops run at the same time,
    /// for all funcs except the `refused` ones.
    pub(super) fn check_placements(&mut self, refused: &[FuncId]) {
        let lowered = used(self.pool, self.lowered);
        let inliner = Inliner::new(self.pool, &lowered);
        let mut users: FxHashMap<FuncId, Vec<&Nest>> = FxHashMap::default();
        // The nests that use a copy.
        let mut elsewhere: FxHashMap<FuncId, Vec<&Nest>> = FxHashMap::default();
        for nest in lowered.nests() {
            for callee in inliner.nest_callees(self.pool, nest) {
                if callee != nest.func {
                    users.entry(callee).or_default().push(nest);
                    let original = lowered.original(callee);
                    if original != callee {
                        elsewhere.entry(original).or_default().push(nest);
                    }
                }
            }
        }
        let users_of = |func: FuncId| users.get(&func).map_or(&[][..], Vec::as_slice);
        for plan in lowered.plans.iter().filter(|plan| !refused.contains(&plan.func)) {
            let users = users_of(plan.func);
            let others = elsewhere.get(&plan.func).map_or(&[][..], Vec::as_slice);
            let all_users = [users, others].concat();
            let name = &self.pool.func(plan.func).name;
            if let Placement::At(level) = plan.compute
                && let Some(user) = users.iter().find(|user| !is_within(&lowered, user, level))
            {
                self.errors.push(ScheduleError::new(
                    "HAL0610",
                    plan.compute_origin,
                    format!(
                        "`{name}` cannot be computed at `{}`: `{}`{} reads it outside that loop",
                        lowered.loop_name(self.pool, level),
                        user.name(self.pool),
                        self.place_of(&lowered, user.func),
                    ),
                    self.ways_out(&lowered, (user, level), (&all_users, users_of(user.func))),
                ));
                continue;
            }
            // Storage is around the computation, so this covers it too.
            if let Placement::At(level) = plan.compute
                && let Some(vectorized) = vectorized_around(&lowered, level)
            {
                self.errors.push(ScheduleError::new(
                    "HAL0609",
                    plan.compute_origin,
                    format!(
                        "`{name}` cannot be computed within `{}`, which is vectorized",
                        lowered.loop_name(self.pool, vectorized)
                    ),
                    format!("legal levels are {}", list(&self.legal_levels(&lowered, &all_users))),
                ));
            }
            match loops_between(&lowered, plan.store, plan.compute) {
                None => {
                    let at = |placement| match placement {
                        Placement::At(level) => {
                            format!("at `{}`", lowered.loop_name(self.pool, level))
                        }
                        Placement::Root | Placement::Inline => "at the top".to_owned(),
                    };
                    self.errors.push(ScheduleError::new(
                        "HAL0611",
                        plan.store_origin,
                        format!(
                            "`{name}` would be stored {}, which does not enclose where it is \
                                computed, {}",
                            at(plan.store),
                            at(plan.compute)
                        ),
                        format!(
                            "legal levels of storage are {}",
                            list(&self.legal_stores(&lowered, plan.compute))
                        ),
                    ));
                }
                Some(between) => {
                    let kind_of = |var: &VarId| {
                        lowered.find_loop(*var).map(|(nest, position)| nest.loops[position].kind)
                    };
                    let parallel =
                        between.iter().find(|var| kind_of(var).is_some_and(LoopKind::is_parallel));
                    if let Some(parallel) = parallel {
                        self.errors.push(ScheduleError::new(
                            "HAL0617",
                            plan.store_origin,
                            format!(
                                "`{name}` is stored outside the parallel loop `{}` but computed \
                                    within it: its iterations would race",
                                lowered.loop_name(self.pool, *parallel)
                            ),
                            format!(
                                "legal levels of storage are {}; or make that loop serial",
                                list(&self.legal_stores(&lowered, plan.compute))
                            ),
                        ));
                    }
                }
            }
        }
    }

    /// Names in parentheses the place where a func is computed, if the schedule could compute it
    /// elsewhere.
    fn place_of(&self, lowered: &Lowered, func: FuncId) -> String {
        match lowered.plan(func).map(|plan| plan.compute) {
            _ if lowered.is_output(func) => String::new(),
            Some(Placement::At(level)) => {
                format!(" (computed at `{}`)", lowered.loop_name(self.pool, level))
            }
            Some(Placement::Inline) => " (computed inline)".to_owned(),
            Some(Placement::Root) | None => " (computed at root)".to_owned(),
        }
    }

    /// Explains what would let a func be computed: its legal levels, or another place of the user
    /// that runs outside the wanted level.
    fn ways_out(
        &self,
        lowered: &Lowered,
        (user, level): (&Nest, VarId),
        (users, users_of_user): (&[&Nest], &[&Nest]),
    ) -> String {
        let levels = list(&self.legal_levels(lowered, users));
        let mut places = Vec::new();
        let is_fixed = lowered.is_output(user.func) || lowered.copies.contains_key(&user.func);
        if !is_fixed && self.pool.func(user.func).stages().len() == 1 {
            places.push("inline".to_owned());
        }
        if !is_fixed && users_of_user.iter().all(|other| is_within(lowered, other, level)) {
            places.push(format!("within `{}`", lowered.loop_name(self.pool, level)));
        }
        if places.is_empty() {
            return format!("legal levels are {levels}");
        }
        let user = &self.pool.func(user.func).name;
        format!("compute `{user}` {}; else legal levels are {levels}", places.join(" or "))
    }

    /// Returns the levels at which a func that is computed somewhere can be stored, innermost
    /// first.
    fn legal_stores(&self, lowered: &Lowered, compute: Placement) -> Vec<String> {
        let mut levels = Vec::new();
        let around = match compute {
            Placement::At(level) => enclosing(lowered, level),
            Placement::Root | Placement::Inline => Vec::new(),
        };
        for level in around {
            levels.push(lowered.loop_name(self.pool, level));
            let kind = lowered.find_loop(level).map(|(nest, position)| nest.loops[position].kind);
            if kind.is_some_and(LoopKind::is_parallel) {
                return levels;
            }
        }
        levels.push("store_root".to_owned());
        levels
    }

    /// Returns the loops at whose start a func with these users can be computed.
    fn legal_levels(&self, lowered: &Lowered, users: &[&Nest]) -> Vec<String> {
        let mut levels = vec!["compute_root".to_owned()];
        for nest in lowered.nests() {
            // Levels name the first instance.
            let is_first = lowered.plan(nest.func).is_some_and(|plan| {
                plan.instances
                    .first()
                    .is_some_and(|first| first.specialization == nest.specialization)
            });
            if !is_first || lowered.copies.contains_key(&nest.func) {
                continue;
            }
            for l in &nest.loops {
                // The same loop of another instance serves as well.
                let mut levels_of = siblings(lowered, l.var);
                levels_of.push(l.var);
                let dominates = users
                    .iter()
                    .all(|user| levels_of.iter().any(|level| is_within(lowered, user, *level)));
                if dominates && vectorized_around(lowered, l.var).is_none() {
                    levels.push(nest.loop_name(self.pool, &l.name));
                }
            }
        }
        levels
    }
}

fn placed_twice(name: &str, what: &str, directive: &Directive) -> ScheduleError {
    ScheduleError::new(
        "HAL0618",
        directive.origin,
        format!("the schedule already says where `{name}` is {what}"),
        "keep one of the directives",
    )
}

fn vectorized_around(lowered: &Lowered, level: VarId) -> Option<VarId> {
    let (nest, position) = lowered.find_loop(level)?;
    nest.loops[..=position].iter().find(|l| l.kind == LoopKind::Vectorized).map(|l| l.var)
}
