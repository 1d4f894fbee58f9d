//! Funcs that are computed at a loop which every instance of a specialized func has.
//!
//! Loops of different specializations are different loops (FS Lemma 6.1), so a func that is
//! computed at one of them is not available for uses in the others. Where the same loop, by name,
//! is in the other instances too, the func is computed there as well, by a copy with separate loops
//! and bounds holes. The place of a use determines the copy that it means: exactly one instance
//! runs (Lemma 8.2), and a copy's label dominates the uses within its loop. While the schedule is
//! worked on, copies are separate funcs; in emitted statements they have the name of the original
//! func.

use halidom_base::FxHashMap;
use halidom_ir::{Expr, ExprId, FuncId, FuncKind, HoleDecl, Interval, Pool, Stage, VarId};

use super::enclosing::{Key, is_within, key, siblings};
use super::{Scheduler, list};
use crate::error::ScheduleError;
use crate::nest::{Inliner, Nest, Placement, Plan, used};

impl Scheduler<'_> {
    /// Gives each instance that has the loop at which a func is computed a separate computation of
    /// the func.
    ///
    /// Requires: funcs are placed. Ensures: as before; each use of a func means the copy within
    /// whose loop it stands, if there is one. Returns the funcs that cannot be copied.
    pub(super) fn copy_for_instances(&mut self) -> Vec<FuncId> {
        let mut refused = Vec::new();
        let used: Vec<FuncId> =
            used(self.pool, self.lowered).plans.iter().map(|plan| plan.func).collect();
        // Users come first: the places and the number of their computations determine what is
        // within a loop.
        for func in used.into_iter().rev() {
            let Some(plan) = self.lowered.plan(func) else { continue };
            let Placement::At(level) = plan.compute else { continue };
            let siblings = siblings(self.lowered, level);
            if siblings.is_empty() {
                continue;
            }
            let inliner = Inliner::new(self.pool, self.lowered);
            let mut users = Vec::new();
            for nest in self.lowered.nests() {
                if nest.func != func && inliner.nest_callees(self.pool, nest).contains(&func) {
                    users.push(nest.clone());
                }
            }
            for sibling in siblings {
                let within: Vec<Key> = users
                    .iter()
                    .filter(|user| is_within(self.lowered, user, sibling))
                    .map(key)
                    .collect();
                if !within.is_empty()
                    && let Err(error) = self.copy(func, (level, sibling), &within, &inliner)
                {
                    self.errors.push(error);
                    refused.push(func);
                    break;
                }
            }
        }
        refused
    }

    /// Copies a func to another loop, for the uses in some nests.
    fn copy(
        &mut self,
        func: FuncId,
        (level, sibling): (VarId, VarId),
        users: &[Key],
        inliner: &Inliner,
    ) -> Result<(), ScheduleError> {
        let Some(position) = self.lowered.plans.iter().position(|plan| plan.func == func) else {
            return Ok(());
        };
        let store = self.store_of_copy(&self.lowered.plans[position], level, sibling)?;
        let decl = self.pool.func(func).clone();
        let copy = self.pool.declare_func(decl);
        // A copy's updates read the copy.
        let mut kind = self.pool.func(copy).kind.clone();
        if let FuncKind::Defined { stages, .. } = &mut kind {
            for root in stages.iter_mut().flat_map(Stage::roots_mut) {
                *root = renamed(self.pool, *root, func, copy);
            }
        }
        self.pool.define_func(copy, kind);
        let original = self.lowered.original(func);
        self.lowered.copies.insert(copy, original);
        let mut plan = self.lowered.plans[position].clone();
        plan.func = copy;
        plan.compute = Placement::At(sibling);
        plan.store = store;
        if let Some((place, _)) = &mut plan.storage.hoist {
            *place = self.hoist_of_copy(*place, level, sibling);
        }
        for nest in plan.instances.iter_mut().flat_map(|instance| &mut instance.stages) {
            refresh(self.pool, nest, func, copy);
        }
        self.lowered.plans.insert(position + 1, plan);
        let nests = self.lowered.plans.iter_mut().flat_map(|plan| &mut plan.instances);
        for nest in nests.flat_map(|instance| &mut instance.stages) {
            if users.contains(&key(nest)) {
                let pool = &mut *self.pool;
                nest.for_each_value(&mut |expr| {
                    let whole = inliner.apply(pool, expr);
                    renamed(pool, whole, func, copy)
                });
            }
        }
        Ok(())
    }

    /// Returns the place where memory is allocated for a copy: the loop of the same name, or the
    /// func's place if that is outside of both.
    fn hoist_of_copy(&self, place: Placement, level: VarId, sibling: VarId) -> Placement {
        let found = self.lowered.find_loop(level).zip(self.lowered.find_loop(sibling));
        if let Placement::At(hoist) = place
            && let Some(((from, _), (to, _))) = found
            && let Some(own) = from.loops.iter().find(|l| l.var == hoist)
            && let Some(position) = to.position(&own.name)
        {
            return Placement::At(to.loops[position].var);
        }
        place
    }

    /// Returns the place where a copy is stored: the loop named like the one where the func is
    /// stored.
    fn store_of_copy(
        &self,
        plan: &Plan,
        level: VarId,
        sibling: VarId,
    ) -> Result<Placement, ScheduleError> {
        let found = self.lowered.find_loop(level).zip(self.lowered.find_loop(sibling));
        let Some(((from, depth), (to, sibling_depth))) = found else { return Ok(plan.store) };
        if let Placement::At(store) = plan.store
            && let Some(outer) = from.loops[..=depth].iter().find(|l| l.var == store)
            && let Some(found) = to.position(&outer.name)
            && found <= sibling_depth
        {
            return Ok(Placement::At(to.loops[found].var));
        }
        let shared = from.loops[..=depth]
            .iter()
            .rev()
            .filter(|l| to.position(&l.name).is_some_and(|position| position <= sibling_depth));
        let shared: Vec<_> = shared.map(|l| from.loop_name(self.pool, &l.name)).collect();
        let name = &self.pool.func(plan.func).name;
        Err(ScheduleError::new(
            "HAL0611",
            plan.store_origin.or(plan.compute_origin),
            format!(
                "`{name}` is computed in each specialization of `{}` and would be stored outside \
                    of them",
                self.pool.func(from.func).name
            ),
            format!("legal levels of storage are {}", list(&shared)),
        ))
    }
}

/// Gives a nest of a copy fresh variables and holes.
fn refresh(pool: &mut Pool, nest: &mut Nest, func: FuncId, copy: FuncId) {
    nest.func = copy;
    let mut fresh: FxHashMap<VarId, VarId> = FxHashMap::default();
    let loops = nest.loops.iter_mut().map(|l| &mut l.var);
    for var in loops.chain(nest.bindings.iter_mut().map(|binding| &mut binding.var)) {
        let decl = pool.var(*var).clone();
        let new = pool.declare_var(decl.name, decl.ty);
        fresh.insert(*var, new);
        *var = new;
    }
    let map = |pool: &mut Pool, expr: ExprId| {
        let expr = renamed(pool, expr, func, copy);
        pool.rewrite_bottom_up(expr, &mut FxHashMap::default(), &mut |pool, id, node| match node {
            Expr::Var(var) => fresh.get(var).map_or(id, |new| pool.var_expr(*new)),
            Expr::Hole(hole) => {
                let decl = *pool.get_hole(*hole);
                if decl.func == func {
                    let hole = pool.hole(HoleDecl { func: copy, ..decl });
                    pool.expr(Expr::Hole(hole))
                } else {
                    id
                }
            }
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. } => id,
        })
    };
    let interval = |pool: &mut Pool, interval: Interval| Interval {
        min: map(pool, interval.min),
        extent: map(pool, interval.extent),
    };
    for l in &mut nest.loops {
        l.interval = interval(pool, l.interval);
    }
    for binding in &mut nest.bindings {
        binding.range = binding.range.map(|range| interval(pool, range));
    }
    for binding in &mut nest.bindings {
        binding.value = map(pool, binding.value);
        binding.guard = binding.guard.map(|guard| map(pool, guard));
        binding.room = binding.room.map(|room| map(pool, room));
    }
    for point in &mut nest.point {
        *point = map(pool, *point);
    }
    nest.for_each_value(&mut |expr| map(pool, expr));
}

/// Replaces the reads of one func in an expression with reads of another.
fn renamed(pool: &mut Pool, expr: ExprId, from: FuncId, to: FuncId) -> ExprId {
    pool.rewrite_bottom_up(expr, &mut FxHashMap::default(), &mut |pool, id, node| match node {
        Expr::Ref { func, component, args } if *func == from => {
            pool.expr(Expr::Ref { func: to, component: *component, args: args.clone() })
        }
        Expr::Ref { .. }
        | Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => id,
    })
}
