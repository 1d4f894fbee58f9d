//! Sliding windows and storage folding: the part that an iteration need not recompute, and the
//! amount of it that must be kept.
//!
//! Suppose that a func is stored around a serial loop in which it is computed, and that its needed
//! region moves one way with that loop. Then an iteration after the first computes only the
//! coordinates that the one before did not (Halide's sliding window). Only as many coordinates as
//! one iteration needs are alive at a time, so the dimension that moves with the outermost such
//! loop is folded to the next power of two, unless that many are known to suffice for all
//! coordinates (Halide's storage folding). The same applies where iterations need nothing in
//! common. Both are decided after bounds inference and change no compute bounds: labels keep their
//! promises.
//!
//! Nothing here is trusted: the validator's obligations *coverage* and *retention* judge the
//! result. A transformation that is not shown to be legal is not made: silently if no directive
//! asked for it, with a diagnostic if one did.

use halidom_ir::{
    BinaryOp, Constant, Expr, ExprId, FoldDirection, HoleId, HoleKind, LoopKind, Pool, StoreIn,
    Substitution, VarId, print,
};

use crate::algebra::{Algebra, Known, vars};
use crate::directives::loops_between;
use crate::emit::{Slide, Solution};
use crate::error::ScheduleError;
use crate::nest::{
    BoundDirective, Fold, Loop, Lowered, Nest, Placement, Plan, Room, compute_kind, final_kind,
    hole,
};
use crate::trend::trend;

/// The maximum number of rounds of substituting bindings, for splits of splits of … .
const MOST_ROUNDS: usize = 16;

/// Decides which loops run over new coordinates only and which dimensions are folded, and gives the
/// memory its final size.
///
/// # Errors
/// Folds that would overwrite values that are still needed, and sizes beyond the limit of the
/// memory's place.
pub(crate) fn lay_out(
    pool: &mut Pool,
    lowered: &Lowered,
    solution: &mut Solution,
    known: &Known,
) -> Result<(), Vec<ScheduleError>> {
    let mut errors = Vec::new();
    let mut bindings: Option<Substitution> = None;
    for plan in &lowered.plans {
        let own = plan.compute != Placement::Inline && !lowered.is_output(plan.func);
        if !own {
            continue;
        }
        errors.extend(unaligned(pool, plan));
        let between = loops_between(lowered, plan.store, plan.compute).unwrap_or_default();
        if between.is_empty() && plan.storage.folds.is_empty() && is_plain(plan) {
            continue;
        }
        let bindings = bindings.get_or_insert_with(|| all_bindings(pool, lowered, solution));
        let mut layout = Layout {
            algebra: Algebra::new(pool, known),
            lowered,
            plan,
            bindings,
            between: &between,
            ranges: Vec::new(),
        };
        layout.ranges = layout.regions(solution);
        if layout.ranges.is_empty() {
            continue;
        }
        let mut slides = layout.slides(solution);
        let folded = layout.folds(&mut slides, solution, &mut errors);
        layout.change_room(solution);
        layout.check_place(solution, &mut errors);
        match layout.hoist(solution) {
            Ok(None) => {}
            Ok(Some(hoisted)) => drop(solution.hoisted.insert(plan.func, hoisted)),
            Err(error) => errors.push(error),
        }
        if !slides.is_empty() {
            solution
                .slides
                .insert(plan.func, slides.into_iter().map(|found| found.slide).collect());
        }
        if !folded.is_empty() {
            solution.folded.insert(plan.func, folded);
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Returns an error if a func's vectors are to be read at multiples of their length but its rows
/// need not begin at one.
fn unaligned(pool: &Pool, plan: &Plan) -> Option<ScheduleError> {
    let origin = plan.storage.realign?;
    let refuse = |message: String, hint: String| {
        Some(ScheduleError::new("HAL0629", Some(origin), message, hint))
    };
    let decl = pool.func(plan.func);
    let name = &decl.name;
    let innermost = plan.storage.order.first().copied().unwrap_or(0);
    let Some(var) = decl.args.get(innermost).map(|arg| &pool.var(*arg).name) else {
        return refuse(
            format!("`{name}.realign`: `{name}` has one value: there are no vectors of it"),
            "leave the directive out".to_owned(),
        );
    };
    if plan.storage.store_in == StoreIn::Register {
        return refuse(
            format!(
                "`{name}.realign`: `{name}` is stored in `register`: nothing is read from memory"
            ),
            "leave one of the directives out".to_owned(),
        );
    }
    let mut rooms = plan.storage.rooms.iter().rev();
    match rooms.find(|(dim, _)| *dim == innermost) {
        Some((_, Room::Multiple(modulus))) if *modulus > 1 => None,
        Some(_) | None => refuse(
            format!(
                "`{name}.realign`: rows of `{name}` in `{var}` need not begin at a multiple of \
                    anything"
            ),
            format!(
                "give them room for whole vectors, as in `{name}.align_storage({var}, \
                    16).realign()`"
            ),
        ),
    }
}

/// True if no directive affects the memory's size.
fn is_plain(plan: &Plan) -> bool {
    let storage = &plan.storage;
    storage.rooms.is_empty() && storage.store_in.limit().is_none() && storage.hoist.is_none()
}

/// True if a func is computed, stored or has its memory allocated at one of these loops.
fn is_placed_at(plan: &Plan, loops: &[Loop]) -> bool {
    let hoist = plan.storage.hoist.map(|(place, _)| place);
    [plan.compute, plan.store].into_iter().chain(hoist).any(|place| match place {
        Placement::At(level) => loops.iter().any(|l| l.var == level),
        Placement::Inline | Placement::Root => false,
    })
}

/// Returns the values of all variables that splits and fusions replaced.
fn all_bindings(pool: &mut Pool, lowered: &Lowered, solution: &Solution) -> Substitution {
    let mut bindings = Substitution::new();
    for nest in lowered.nests() {
        for binding in &nest.bindings {
            let value = solution.apply(pool, binding.value);
            bindings.insert(binding.var, value);
        }
    }
    bindings
}

/// The needed coordinates of a dimension at the place where the func is computed, both ends
/// included, in terms of loops alone.
#[derive(Clone, Copy)]
struct Range {
    low: ExprId,
    high: ExprId,
}

/// A sliding window with the position of its loop among those between storage and computation.
struct Found {
    slide: Slide,
    position: usize,
    forward: bool,
}

struct Layout<'a> {
    algebra: Algebra<'a>,
    lowered: &'a Lowered,
    plan: &'a Plan,
    bindings: &'a Substitution,
    /// Innermost first.
    between: &'a [VarId],
    ranges: Vec<Range>,
}

impl Layout<'_> {
    /// Returns an expression over loops only, without variables that a split or fusion replaced.
    fn expand(&mut self, mut expr: ExprId) -> ExprId {
        for _ in 0..MOST_ROUNDS {
            let next = self.bindings.apply(self.algebra.pool, expr);
            if next == expr {
                break;
            }
            expr = next;
        }
        self.algebra.simplify(expr)
    }

    /// Returns the needed region; empty if it is unknown.
    fn regions(&mut self, solution: &Solution) -> Vec<Range> {
        let func = self.plan.func;
        let last = final_kind(self.algebra.pool, func);
        let mut ranges = Vec::new();
        for dim in 0..self.algebra.pool.func(func).rank() {
            let interval = hole(self.algebra.pool, func, dim, last);
            let low = solution.apply(self.algebra.pool, interval.min);
            let extent = solution.apply(self.algebra.pool, interval.extent);
            let end = self.algebra.add(low, extent);
            let high = self.algebra.offset(end, -1);
            ranges.push(Range { low: self.expand(low), high: self.expand(high) });
        }
        ranges
    }

    /// Returns the position of the innermost loop with which a dimension moves.
    fn mover(&self, dim: usize) -> Option<usize> {
        let range = self.ranges[dim];
        let mut mentioned = vars(self.algebra.pool, range.low);
        mentioned.extend(vars(self.algebra.pool, range.high));
        self.between.iter().position(|var| mentioned.contains(var))
    }

    fn mentions(&self, dim: usize, var: VarId) -> bool {
        let range = self.ranges[dim];
        [range.low, range.high].iter().any(|end| vars(self.algebra.pool, *end).contains(&var))
    }

    /// Returns the value of an expression one iteration before.
    fn previous(&mut self, expr: ExprId, var: VarId) -> ExprId {
        let variable = self.algebra.pool.var_expr(var);
        let before = self.algebra.offset(variable, -1);
        let mut substitution = Substitution::new();
        substitution.insert(var, before);
        let expr = substitution.apply(self.algebra.pool, expr);
        self.algebra.simplify(expr)
    }

    /// Returns the nests of the func, in all of its instances.
    fn nests(&self) -> impl Iterator<Item = &Nest> {
        self.plan.instances.iter().flat_map(|instance| &instance.stages)
    }

    /// Checks that the loops over a dimension write exactly the coordinates requested, for any
    /// extent: no rounding up, no extent that must stay constant, every stage writes at its own
    /// argument, and nothing within was inferred from the distance between a loop and the first
    /// coordinate. Returns the min and extent holes of these loops, or a reason why not.
    fn loops_follow(
        &mut self,
        dim: usize,
        solution: &Solution,
    ) -> Result<Vec<(HoleId, HoleId)>, &'static str> {
        let func = self.plan.func;
        let last = final_kind(self.algebra.pool, func);
        let [whole_min, whole_extent] = self.hole_values(dim, last, solution);
        let mut holes: Vec<(HoleId, HoleId)> = Vec::new();
        let nests: Vec<Nest> = self.nests().cloned().collect();
        let decl = self.algebra.pool.func(func);
        let args = decl.args.clone();
        let stages: Vec<_> = decl.stages().to_vec();
        for nest in &nests {
            let stage = stages.get(nest.stage).map(|stage| stage.lhs[dim]);
            if stage != Some(self.algebra.pool.var_expr(args[dim])) {
                return Err("an update writes it at other points than its own argument");
            }
            let kind = compute_kind(self.algebra.pool, func, nest.stage, nest.specialization);
            if self.hole_values(dim, kind, solution) != [whole_min, whole_extent] {
                return Err("its stages need different parts of it");
            }
            let interval = hole(self.algebra.pool, func, dim, kind);
            let (Expr::Hole(min), Expr::Hole(extent)) =
                (self.algebra.pool.get(interval.min), self.algebra.pool.get(interval.extent))
            else {
                return Err("its bounds are not inferred");
            };
            let own = [*min, *extent];
            let pool = &*self.algebra.pool;
            let mentions = |expr: ExprId| {
                let mut found = false;
                pool.for_each_subexpr(expr, &mut |_, expr| {
                    found |= matches!(expr, Expr::Hole(hole) if own.contains(hole));
                });
                found
            };
            for l in &nest.loops {
                let constant = matches!(l.kind, LoopKind::Vectorized | LoopKind::Unrolled);
                if constant && (mentions(l.interval.extent) || mentions(l.interval.min)) {
                    return Err("its loop is vectorized or unrolled as a whole");
                }
            }
            let mut counted = Vec::new();
            for binding in &nest.bindings {
                if mentions(binding.value) && binding.guard.is_none() && binding.range.is_none() {
                    return Err("its loop is split with the tail `round`");
                }
                if mentions(binding.value) {
                    counted.push(binding.value);
                }
            }
            for value in counted {
                let value = self.expand(value);
                let counters = vars(self.algebra.pool, value);
                let outermost = nest.loops.iter().position(|l| counters.contains(&l.var));
                let within = &nest.loops[outermost.unwrap_or(0)..];
                if self.lowered.plans.iter().any(|plan| is_placed_at(plan, within)) {
                    return Err("another func is computed or stored within its split loop");
                }
            }
            if !holes.contains(&(own[0], own[1])) {
                holes.push((own[0], own[1]));
            }
        }
        Ok(holes)
    }

    fn hole_values(&mut self, dim: usize, kind: HoleKind, solution: &Solution) -> [ExprId; 2] {
        let interval = hole(self.algebra.pool, self.plan.func, dim, kind);
        [interval.min, interval.extent].map(|end| {
            let end = solution.apply(self.algebra.pool, end);
            self.algebra.simplify(end)
        })
    }

    /// Returns the windows that slide.
    fn slides(&mut self, solution: &Solution) -> Vec<Found> {
        (0..self.ranges.len()).filter_map(|dim| self.slide(dim, solution)).collect()
    }

    fn slide(&mut self, dim: usize, solution: &Solution) -> Option<Found> {
        let position = self.mover(dim)?;
        let var = self.between[position];
        let (nest, level) = self.lowered.find_loop(var)?;
        let stepped = &nest.loops[level];
        let several = self.algebra.pool.func(self.plan.func).stages().len() > 1;
        match stepped.kind {
            LoopKind::Serial => {}
            LoopKind::Unrolled if !several => {}
            LoopKind::Unrolled
            | LoopKind::Parallel(_)
            | LoopKind::GpuBlocks
            | LoopKind::GpuThreads
            | LoopKind::Vectorized => return None,
        }
        let bounded = |directive: &BoundDirective| directive.dim == dim;
        let others: Vec<usize> = (0..self.ranges.len()).filter(|other| *other != dim).collect();
        let alone = !others.iter().any(|other| self.mentions(*other, var))
            && self.rest_is_repeated(&others, position, solution);
        if !alone || self.plan.bounds.iter().any(bounded) {
            return None;
        }
        let holes = self.loops_follow(dim, solution).ok()?;
        let forward = self.direction(dim, var)? == FoldDirection::Forward;
        let Range { low, high } = self.ranges[dim];
        let (low_before, high_before) = (self.previous(low, var), self.previous(high, var));
        let (after_high, before_low) =
            (self.algebra.offset(high_before, 1), self.algebra.offset(low_before, -1));
        // Sliding gains nothing if the iterations need nothing in common.
        let apart = if forward {
            self.algebra.proves_le(after_high, low)
        } else {
            self.algebra.proves_le(high, before_low)
        };
        if apart {
            return None;
        }
        let (min, last) = if forward {
            (self.algebra.max(low, after_high), high)
        } else {
            (low, self.algebra.min(high, before_low))
        };
        let extent = self.algebra.sub(last, min);
        let extent = self.algebra.offset(extent, 1);
        let start = stepped.interval.min;
        let variable = self.algebra.pool.var_expr(var);
        let first = self.algebra.pool.binary(BinaryOp::Eq, variable, start);
        Some(Found { slide: Slide { dim, holes, first, min, extent }, position, forward })
    }

    /// True if each iteration of a loop needs the same part of the other dimensions as the
    /// iteration before: the loops within it with which they move run over the same values.
    fn rest_is_repeated(&mut self, others: &[usize], position: usize, solution: &Solution) -> bool {
        // Loops that move with the stepped one, outer ones first, because an inner loop's bounds
        // may depend on an outer one.
        let mut moving = vec![self.between[position]];
        for var in self.between[..position].iter().rev() {
            let Some((nest, level)) = self.lowered.find_loop(*var) else { return false };
            let interval = nest.loops[level].interval;
            for end in [interval.min, interval.extent] {
                let end = solution.apply(self.algebra.pool, end);
                let end = self.expand(end);
                let mentioned = vars(self.algebra.pool, end);
                if moving.iter().any(|outer| mentioned.contains(outer)) && !moving.contains(var) {
                    moving.push(*var);
                }
            }
        }
        let within = &moving[1..];
        !others.iter().any(|other| within.iter().any(|var| self.mentions(*other, *var)))
    }

    /// Returns the direction in which a dimension is shown to move with a loop; `None` if neither
    /// is shown.
    fn direction(&mut self, dim: usize, var: VarId) -> Option<FoldDirection> {
        let Range { low, high } = self.ranges[dim];
        let trends = [low, high].map(|end| trend(self.algebra.pool, end, var));
        if let [Some(low), Some(high)] = trends
            && let Some(both) = low.with(high)
        {
            return Some(both.direction());
        }
        let (low_before, high_before) = (self.previous(low, var), self.previous(high, var));
        let mut ordered = |a, b, c, d| self.algebra.proves_le(a, b) && self.algebra.proves_le(c, d);
        if ordered(low_before, low, high_before, high) {
            Some(FoldDirection::Forward)
        } else if ordered(low, low_before, high, high_before) {
            Some(FoldDirection::Backward)
        } else {
            None
        }
    }

    /// Returns a constant upper bound on the number of coordinates that one place needs of a
    /// dimension, if there is one.
    fn at_a_time(&mut self, dim: usize) -> Option<i128> {
        let Range { low, high } = self.ranges[dim];
        let extent = self.algebra.sub(high, low);
        let extent = self.algebra.offset(extent, 1);
        self.constant_above(extent, 8)
    }

    /// Returns the place where memory is allocated and its size in each dimension: as much as any
    /// place within needs.
    fn hoist(
        &mut self,
        solution: &Solution,
    ) -> Result<Option<(Placement, Vec<ExprId>)>, ScheduleError> {
        let Some((place, origin)) = self.plan.storage.hoist else { return Ok(None) };
        let decl = self.algebra.pool.func(self.plan.func);
        let (name, args) = (decl.name.clone(), decl.args.clone());
        let error =
            |message: String, hint: &str| ScheduleError::new("HAL0627", origin, message, hint);
        let Some(between) = loops_between(self.lowered, place, self.plan.store) else {
            return Err(error(
                format!(
                    "the memory of `{name}` cannot be taken at a level that does not enclose where \
                        it is stored"
                ),
                "name a loop around the one at which it is stored, or use `hoist_storage_root`",
            ));
        };
        for var in &between {
            let kind = self.lowered.find_loop(*var).map(|(nest, level)| nest.loops[level].kind);
            if kind.is_some_and(LoopKind::is_parallel) {
                return Err(error(
                    format!(
                        "the memory of `{name}` cannot be taken outside of the parallel loop `{}`: \
                            its iterations would share it",
                        self.lowered.loop_name(self.algebra.pool, *var)
                    ),
                    "name a loop within the parallel one",
                ));
            }
        }
        let mut room = Vec::new();
        for (dim, arg) in args.iter().enumerate() {
            let [_, extent] = self.hole_values(dim, HoleKind::Allocation, solution);
            let extent = self.expand(extent);
            let Some(most) = self.above(extent, &between, 8) else {
                let var = self.algebra.pool.var(*arg).name.clone();
                return Err(error(
                    format!(
                        "the memory of `{name}` cannot be taken there: what it needs in `{var}`, \
                            `{}`, has no bound outside of the loops between",
                        print::expr(self.algebra.pool, extent)
                    ),
                    "store it where a constant or a parameter bounds what it needs",
                ));
            };
            room.push(most);
        }
        Ok((!between.is_empty()).then_some((place, room)))
    }

    /// Returns an upper bound of an expression; the bound does not mention some variables.
    fn above(&mut self, expr: ExprId, without: &[VarId], depth: u32) -> Option<ExprId> {
        let mentioned = vars(self.algebra.pool, expr);
        if without.iter().all(|var| !mentioned.contains(var)) {
            return Some(expr);
        }
        let sum = self.algebra.sum(expr);
        let depth = depth.checked_sub(1)?;
        let (op, lhs, rhs) = self.algebra.lone_extremum(&sum)?;
        let (lhs, rhs) = (self.above(lhs, without, depth), self.above(rhs, without, depth));
        match (op, lhs, rhs) {
            (BinaryOp::Min, Some(lhs), Some(rhs)) => Some(self.algebra.min(lhs, rhs)),
            (BinaryOp::Min, lhs, rhs) => lhs.or(rhs),
            (_, Some(lhs), Some(rhs)) => Some(self.algebra.max(lhs, rhs)),
            (_, _, _) => None,
        }
    }

    /// Returns a constant upper bound of an expression.
    fn constant_above(&mut self, expr: ExprId, depth: u32) -> Option<i128> {
        let sum = self.algebra.sum(expr);
        if let Some(value) = sum.as_constant() {
            return Some(value);
        }
        let depth = depth.checked_sub(1)?;
        let Some((op, lhs, rhs)) = self.algebra.lone_extremum(&sum) else {
            return self.algebra.quotients_apart(&sum);
        };
        let (lhs, rhs) = (self.constant_above(lhs, depth), self.constant_above(rhs, depth));
        match (op, lhs, rhs) {
            (BinaryOp::Min, Some(lhs), Some(rhs)) => Some(lhs.min(rhs)),
            (BinaryOp::Min, lhs, rhs) => lhs.or(rhs),
            (_, Some(lhs), Some(rhs)) => Some(lhs.max(rhs)),
            (_, _, _) => None,
        }
    }

    /// Folds dimensions, whose size becomes the factor, and returns them. Gives up windows whose
    /// coordinates a fold would overwrite too early.
    fn folds(
        &mut self,
        slides: &mut Vec<Found>,
        solution: &mut Solution,
        errors: &mut Vec<ScheduleError>,
    ) -> Vec<usize> {
        let mut folds: Vec<(usize, i128)> = Vec::new();
        for fold in &self.plan.storage.folds {
            match self.explicit(fold, slides, solution) {
                Ok(()) => folds.push((fold.dim, fold.factor)),
                Err(error) => errors.push(error),
            }
        }
        if self.plan.storage.folds.is_empty() {
            folds.extend(self.automatic(slides, solution));
        }
        for (dim, factor) in &folds {
            // If the folded dimension moves with a loop inside of a window's loop, the window would
            // need coordinates that the inner loop has overwritten.
            let mover = self.mover(*dim);
            slides.retain(|found| mover.is_none_or(|mover| mover >= found.position));
            let interval = hole(self.algebra.pool, self.plan.func, *dim, HoleKind::Allocation);
            let (zero, factor) = (self.algebra.int(0), self.algebra.int(*factor));
            for (end, value) in [(interval.min, zero), (interval.extent, factor)] {
                if let Expr::Hole(id) = *self.algebra.pool.get(end) {
                    solution.holes.insert(id, value);
                }
            }
        }
        folds.into_iter().map(|(dim, _)| dim).collect()
    }

    fn explicit(
        &mut self,
        fold: &Fold,
        slides: &[Found],
        solution: &Solution,
    ) -> Result<(), ScheduleError> {
        let decl = self.algebra.pool.func(self.plan.func);
        let name = decl.name.clone();
        let var = self.algebra.pool.var(decl.args[fold.dim]).name.clone();
        let error = |message: String, hint: String| {
            ScheduleError::new("HAL0621", fold.origin, message, hint)
        };
        if let Err(reason) = self.loops_follow(fold.dim, solution) {
            return Err(error(
                format!("`{name}` cannot be folded in `{var}`: {reason}"),
                "fold a dimension that every stage writes at its own argument, in loops without \
                    the tail `round`"
                    .to_owned(),
            ));
        }
        match self.at_a_time(fold.dim) {
            None => {
                let Range { low, high } = self.ranges[fold.dim];
                let extent = self.algebra.sub(high, low);
                let extent = self.algebra.offset(extent, 1);
                let extent = print::expr(self.algebra.pool, extent);
                return Err(error(
                    format!(
                        "`{name}` cannot be folded in `{var}`: no constant bounds the `{extent}` \
                            coordinates that it needs at a time"
                    ),
                    format!("compute `{name}` within a loop that needs a constant number of them"),
                ));
            }
            Some(needed) if needed > fold.factor => {
                return Err(error(
                    format!(
                        "`{name}` cannot be folded in `{var}` by {}: {needed} coordinates are \
                            needed at a time",
                        fold.factor
                    ),
                    format!(
                        "fold by {needed} or more; a power of two, {} say, is the fastest",
                        power_of_two(needed)
                    ),
                ));
            }
            Some(_) => {}
        }
        let Some(asked) = fold.direction else { return Ok(()) };
        let moves = match slides.iter().find(|found| found.slide.dim == fold.dim) {
            Some(found) if found.forward => Some(FoldDirection::Forward),
            Some(_) => Some(FoldDirection::Backward),
            None => self.mover(fold.dim).and_then(|mover| {
                let var = self.between[mover];
                self.direction(fold.dim, var)
            }),
        };
        if moves == Some(asked) {
            return Ok(());
        }
        let message = format!(
            "`{name}` does not move {} in `{var}` with a loop between its storage and its \
                computation",
            asked.name()
        );
        let hint = match moves {
            Some(moves) => format!("it moves `{}`; or leave the direction out", moves.name()),
            None => "leave the direction out".to_owned(),
        };
        Err(error(message, hint))
    }

    /// Returns the dimension that moves with the outermost loop, and a power of two, if folding the
    /// dimension to it saves memory. The dimension belongs to a sliding window, or else to the part
    /// that each iteration needs separately.
    fn automatic(&mut self, slides: &[Found], solution: &Solution) -> Option<(usize, i128)> {
        let outermost = slides.iter().max_by_key(|found| found.position);
        let dim = match outermost {
            Some(outermost) => outermost.slide.dim,
            None => self.outermost_moved(solution)?,
        };
        let innermost = self.plan.storage.order.first().copied().unwrap_or(0);
        let vectors = |nest: &Nest| nest.loops.iter().any(|l| l.kind == LoopKind::Vectorized);
        // Neighbours in a folded dimension are not neighbours in memory.
        if dim == innermost && self.lowered.nests().any(vectors) {
            return None;
        }
        let factor = power_of_two(self.at_a_time(dim)?);
        let [_, room] = self.hole_values(dim, HoleKind::Allocation, solution);
        let enough = self.algebra.pool.as_constant(room).and_then(Constant::as_integer);
        enough.is_none_or(|room| room > factor).then_some((dim, factor))
    }

    /// Returns the dimension that moves with the outermost loop with which any dimension moves, if
    /// that loop is serial and the func's loops write no more than each iteration needs.
    fn outermost_moved(&mut self, solution: &Solution) -> Option<usize> {
        let dims = 0..self.ranges.len();
        let (position, dim) = dims
            .filter_map(|dim| Some((self.mover(dim)?, dim)))
            .max_by_key(|(position, _)| *position)?;
        let (nest, level) = self.lowered.find_loop(self.between[position])?;
        let is_serial = nest.loops[level].kind == LoopKind::Serial;
        (is_serial && self.loops_follow(dim, solution).is_ok()).then_some(dim)
    }

    /// Applies `align_storage` and `pad_storage`.
    fn change_room(&mut self, solution: &mut Solution) {
        for (dim, change) in &self.plan.storage.rooms {
            let interval = hole(self.algebra.pool, self.plan.func, *dim, HoleKind::Allocation);
            let Expr::Hole(id) = *self.algebra.pool.get(interval.extent) else { continue };
            let Some(room) = solution.holes.get(&id).copied() else { continue };
            let room = match change {
                Room::Multiple(modulus) => {
                    let modulus = self.algebra.int(*modulus);
                    let padded = self.algebra.add(room, modulus);
                    let padded = self.algebra.offset(padded, -1);
                    let groups = self.algebra.combine(BinaryOp::Div, padded, modulus);
                    self.algebra.mul(groups, modulus)
                }
                Room::More(amount) => self.algebra.offset(room, *amount),
            };
            solution.holes.insert(id, room);
        }
    }

    /// Checks that memory on the stack has a constant size within its limit, and makes the size
    /// constant.
    fn check_place(&mut self, solution: &mut Solution, errors: &mut Vec<ScheduleError>) {
        let place = self.plan.storage.store_in;
        let Some(limit) = place.limit() else { return };
        let decl = self.algebra.pool.func(self.plan.func);
        let (name, rank) = (decl.name.clone(), decl.rank());
        // Each component of a tuple has a separate buffer.
        let widest = decl.scalars.iter().filter_map(|scalar| scalar.bytes()).max();
        let mut bytes = widest.map_or(8, |bytes| bytes as i128);
        let mut unknown = None;
        for dim in 0..rank {
            let [_, room] = self.hole_values(dim, HoleKind::Allocation, solution);
            let expanded = self.expand(room);
            match self.constant_above(expanded, 8) {
                Some(most) => {
                    bytes = bytes.saturating_mul(most.max(1));
                    // The size must be a constant, so it is the upper bound.
                    let interval =
                        hole(self.algebra.pool, self.plan.func, dim, HoleKind::Allocation);
                    if let Expr::Hole(id) = *self.algebra.pool.get(interval.extent) {
                        let most = self.algebra.int(most.max(1));
                        solution.holes.insert(id, most);
                    }
                }
                None => {
                    let room = print::expr(self.algebra.pool, room);
                    unknown.get_or_insert((dim, room));
                }
            }
        }
        let message = if let Some((dim, room)) = unknown {
            let decl = self.algebra.pool.func(self.plan.func);
            let var = &self.algebra.pool.var(decl.args[dim]).name;
            format!(
                "`{name}` cannot be stored in `{}`: its room in `{var}`, `{room}`, is not a \
                    constant",
                place.name()
            )
        } else if bytes > limit {
            format!(
                "`{name}` cannot be stored in `{}`: it has {bytes} bytes, and {limit} are the most",
                place.name()
            )
        } else {
            return;
        };
        errors.push(ScheduleError::new(
            "HAL0622",
            self.plan.storage.store_in_origin,
            message,
            "use `heap` or `auto`, or store it where less is needed at a time",
        ));
    }
}

/// Returns the least power of two that is at least a number.
fn power_of_two(least: i128) -> i128 {
    let mut power = 1_i128;
    while power < least {
        power = power.saturating_mul(2);
    }
    power
}
