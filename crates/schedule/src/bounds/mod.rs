//! Bounds inference (FS §7): from the query of a program with holes to expressions for the holes.

#[cfg(test)]
mod containment;
mod exact;
mod interval;
mod machine;
mod monotone;
mod reference;
mod residues;
mod unbounded;
mod wider;

use halidom_base::FxHashSet;
use halidom_ir::{
    BinaryOp, Constant, Expr, ExprId, FuncId, FuncKind, HoleKind, Interval, Pool, VarId,
};

use crate::algebra::{Algebra, Known, vars};
use crate::emit::Solution;
use crate::error::ScheduleError;
use crate::nest::{BoundKind, Lowered, Placement, compute_kind, final_kind, hole};
use crate::query::{Binder, Constraint, Subject};
use crate::target::End;

/// The bounds engine that answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// FS's yardstick β₀: plain interval arithmetic without conditions.
    Reference,
    /// Symbolic intervals that use conditions, correlations and exact quotients. Never wider than
    /// the reference.
    Default,
}

impl Engine {
    /// Both engines.
    pub const ALL: [Self; 2] = [Self::Reference, Self::Default];

    /// Returns the name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Default => "default",
        }
    }
}

/// One interval per dimension, both ends included.
pub(crate) type Region = Vec<(ExprId, ExprId)>;

/// The part of an input that some reads need, and the condition under which such reads happen.
#[derive(Clone, Debug)]
pub(crate) struct Reads {
    /// Nothing is read unless all of these hold.
    pub(crate) premises: Vec<ExprId>,
    pub(crate) region: Region,
}

/// Everything that a bounds engine found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) solution: Solution,
    /// For each input in order, its reads.
    pub(crate) inputs: Vec<Vec<Reads>>,
    /// The entry conditions of directives that fix bounds: func, dimension, condition.
    pub(crate) bound_checks: Vec<(FuncId, usize, ExprId)>,
}

/// The number of exact projections without gain after which a pipeline's remaining ones are
/// skipped. Where they cannot improve the symbolic bounds, a query finds that out either quickly or
/// at great cost.
const PATIENCE: u32 = 6;

/// Returns a number below its argument.
pub(crate) type Choose<'a> = &'a mut dyn FnMut(u32) -> u32;

/// Answers a query. Requires: all funcs of `lowered` are in use. With `choose`, returns some answer
/// that the query allows.
pub(crate) fn solve(
    pool: &mut Pool,
    lowered: &Lowered,
    constraints: &[Constraint],
    engine: Engine,
    known: &Known,
    choose: Option<Choose<'_>>,
) -> Result<Answer, Vec<ScheduleError>> {
    let mut solver = Solver {
        algebra: Algebra::new(pool, known),
        lowered,
        constraints,
        engine,
        // Regions that are enlarged at random need not be the least ones.
        patience: if choose.is_some() { 0 } else { PATIENCE },
        choose,
        answer: Answer::default(),
        unknown: FxHashSet::default(),
        errors: Vec::new(),
    };
    // Users come before the funcs that they use: a func must cover what its users' loops read.
    for plan in lowered.plans.iter().rev() {
        if plan.compute != Placement::Inline {
            solver.func(plan.func);
        }
    }
    for input in &lowered.algorithm.inputs {
        let reads = solver.input(*input);
        solver.answer.inputs.push(reads);
    }
    if solver.errors.is_empty() { Ok(solver.answer) } else { Err(solver.errors) }
}

/// Returns the first position in a constraint's path whose binders are all within the place where
/// the constraint's region is chosen.
fn place(constraint: &Constraint) -> usize {
    let (func, kind) = (constraint.member.func, constraint.member.kind);
    let position = constraint.path.iter().position(|binder| match binder {
        Binder::Allocation(owner) => *owner == func && kind == HoleKind::Allocation,
        Binder::Compute(owner) => *owner == func && kind != HoleKind::Allocation,
        Binder::ForAll { .. } | Binder::Let { .. } | Binder::If(_) | Binder::IfMember { .. } => {
            false
        }
    });
    position.map_or(0, |position| position + 1)
}

/// True if a func's own statement accesses it.
fn is_own(func: FuncId, constraint: &Constraint) -> bool {
    constraint.member.reader.is_some_and(|(reader, _)| reader == func)
}

struct Solver<'a, 'c> {
    algebra: Algebra<'a>,
    lowered: &'a Lowered,
    constraints: &'a [Constraint],
    engine: Engine,
    choose: Option<Choose<'c>>,
    /// The number of isl queries that may still bring no gain.
    patience: u32,
    answer: Answer,
    /// Funcs whose regions could not be found.
    unknown: FxHashSet<FuncId>,
    errors: Vec<ScheduleError>,
}

impl<'a> Solver<'a, '_> {
    fn func(&mut self, func: FuncId) {
        self.choose_engine();
        let last = final_kind(self.algebra.pool, func);
        let mut kinds = vec![last];
        if let Some(plan) = self.lowered.plan(func) {
            let stages = plan.instances.first().map_or(0, |instance| instance.stages.len());
            for stage in (0..stages).rev() {
                for instance in &plan.instances {
                    let kind =
                        compute_kind(self.algebra.pool, func, stage, instance.specialization);
                    if !kinds.contains(&kind) {
                        kinds.push(kind);
                    }
                }
            }
        }
        kinds.push(HoleKind::Allocation);
        for kind in kinds {
            let found = self.constraints_on(func, kind);
            let Some(mut region) = self.hull(&found, false) else {
                self.unknown.insert(func);
                return;
            };
            if kind == last {
                self.apply_directives(func, &found, &mut region);
            }
            if kind == HoleKind::Allocation {
                self.exclude_checked_reads(func, &found, &mut region);
            }
            self.widen(func, &mut region);
            for (dim, (low, high)) in region.into_iter().enumerate() {
                let interval = hole(self.algebra.pool, func, dim, kind);
                let mut extent = self.algebra.sub(high, low);
                extent = self.algebra.offset(extent, 1);
                if kind == HoleKind::Allocation && !self.algebra.proves_nonnegative(extent) {
                    let zero = self.algebra.int(0);
                    extent = self.algebra.max(extent, zero);
                }
                for (end, value) in [(interval.min, low), (interval.extent, extent)] {
                    if let Expr::Hole(id) = *self.algebra.pool.get(end) {
                        self.answer.solution.holes.insert(id, value);
                    }
                }
            }
            if let HoleKind::Compute { .. } = kind {
                self.learn_loops(func, kind);
            }
        }
    }

    /// Records the last values of the variables whose intervals follow from a stage's compute
    /// region.
    fn learn_loops(&mut self, func: FuncId, kind: HoleKind) {
        let Some(plan) = self.lowered.plan(func) else { return };
        for nest in plan.instances.iter().flat_map(|instance| &instance.stages) {
            if compute_kind(self.algebra.pool, func, nest.stage, nest.specialization) != kind {
                continue;
            }
            let loops = nest.loops.iter().map(|l| (l.var, Some(l.interval)));
            let bindings = nest.bindings.iter().map(|binding| (binding.var, binding.range));
            for (var, interval) in loops.chain(bindings) {
                if let Some(interval) = interval {
                    let interval = self.resolve_interval(interval);
                    let last = interval::last(&mut self.algebra, interval.min, interval.extent);
                    self.algebra.learn_upper(var, last);
                }
            }
        }
    }

    fn constraints_on(&self, func: FuncId, kind: HoleKind) -> Vec<&'a Constraint> {
        self.constraints
            .iter()
            .filter(|constraint| constraint.member.func == func && constraint.member.kind == kind)
            .collect()
    }

    /// Returns the least box that contains every constraint's points. `at_top` eliminates all
    /// loops, otherwise only those within the place where the region is chosen.
    fn hull(&mut self, constraints: &[&Constraint], at_top: bool) -> Option<Region> {
        let mut hull: Option<Region> = None;
        let mut lossy = Vec::new();
        let mut is_known = true;
        for constraint in constraints {
            // If the region of a reader is unknown, so is the region that it needs; the former was
            // reported.
            let reader = constraint.member.reader;
            let follows = reader.is_some_and(|(reader, _)| self.unknown.contains(&reader));
            let region = if follows { None } else { self.region(constraint, at_top, &mut lossy) };
            let Some(region) = region else {
                is_known = false;
                continue;
            };
            hull = Some(match hull {
                None => region,
                Some(hull) => self.join(hull, region),
            });
        }
        if !is_known {
            return None;
        }
        if self.engine == Engine::Default && !lossy.is_empty() && self.patience > 0 {
            self.tighten(constraints, at_top, &lossy, hull.as_mut()?);
        }
        hull
    }

    /// Improves the ends of a region in the given dimensions by exact projections where these are
    /// known.
    fn tighten(
        &mut self,
        constraints: &[&Constraint],
        at_top: bool,
        dims: &[usize],
        region: &mut Region,
    ) {
        let items: Vec<_> =
            constraints.iter().map(|constraint| self.inner(constraint, at_top)).collect();
        let Some(first) = constraints.first() else { return };
        let start = if at_top { 0 } else { place(first) };
        let around: Vec<Binder> =
            first.path[..start].iter().flat_map(|binder| self.resolve(binder)).collect();
        for (dim, (low, high)) in region.iter_mut().enumerate() {
            if !dims.contains(&dim) {
                continue;
            }
            let items: Vec<exact::Item> = items
                .iter()
                .map(|(path, coords)| exact::Item { path: path.clone(), ends: coords[dim] })
                .collect();
            for (bound, end) in [(low, End::Low), (high, End::High)] {
                if self.patience == 0 {
                    return;
                }
                match exact::tighten(&mut self.algebra, &items, &around, *bound, end) {
                    Some(better) => *bound = better,
                    None => self.patience -= 1,
                }
            }
        }
    }

    fn join(&mut self, left: Region, right: Region) -> Region {
        left.into_iter()
            .zip(right)
            .map(|(a, b)| (self.algebra.min(a.0, b.0), self.algebra.max(a.1, b.1)))
            .collect()
    }

    /// Returns the binders between the place where a constraint's region is chosen (or the top) and
    /// the access, and the first and last coordinates of the access.
    fn inner(
        &mut self,
        constraint: &Constraint,
        at_top: bool,
    ) -> (Vec<Binder>, Vec<(ExprId, ExprId)>) {
        let start = if at_top { 0 } else { place(constraint) };
        let path: Vec<Binder> =
            constraint.path[start..].iter().flat_map(|binder| self.resolve(binder)).collect();
        let coords = match &constraint.member.what {
            Subject::Point(coords) => coords.iter().map(|coord| (*coord, *coord)).collect(),
            Subject::Box(intervals) => intervals
                .iter()
                .map(|interval| {
                    let min = self.resolve_expr(interval.min);
                    let extent = self.resolve_expr(interval.extent);
                    (min, interval::last(&mut self.algebra, min, extent))
                })
                .collect(),
        };
        (path, coords)
    }

    /// Returns the box of a constraint's points. Adds the dimensions in which it may be larger than
    /// necessary to `lossy`.
    fn region(
        &mut self,
        constraint: &Constraint,
        at_top: bool,
        lossy: &mut Vec<usize>,
    ) -> Option<Region> {
        let (path, coords) = self.inner(constraint, at_top);
        let is_input =
            matches!(self.algebra.pool.func(constraint.member.func).kind, FuncKind::Input { .. });
        let mut region = Vec::with_capacity(coords.len());
        for (dim, (first, last)) in coords.into_iter().enumerate() {
            self.algebra.lossy = false;
            let (low, _) = self.ends(first, &path, is_input);
            let (_, high) = self.ends(last, &path, is_input);
            if self.algebra.lossy && !lossy.contains(&dim) {
                lossy.push(dim);
            }
            match (low, high) {
                (Some(low), Some(high)) => region.push((low, high)),
                (low, high) => {
                    self.unbounded(constraint, dim, [low.is_none(), high.is_none()]);
                    return None;
                }
            }
        }
        Some(region)
    }

    fn ends(
        &mut self,
        coord: ExprId,
        path: &[Binder],
        is_input: bool,
    ) -> (Option<ExprId>, Option<ExprId>) {
        match self.engine {
            Engine::Reference => reference::interval(&mut self.algebra, coord, path),
            Engine::Default => interval::interval(&mut self.algebra, coord, path, is_input),
        }
    }

    fn resolve_expr(&mut self, expr: ExprId) -> ExprId {
        let expr = self.answer.solution.apply(self.algebra.pool, expr);
        self.algebra.simplify(expr)
    }

    fn resolve_interval(&mut self, interval: Interval) -> Interval {
        Interval {
            min: self.resolve_expr(interval.min),
            extent: self.resolve_expr(interval.extent),
        }
    }

    /// Fills the holes of a binder. The premise that a point is in the stage's compute region
    /// becomes conditions on its coordinates.
    fn resolve(&mut self, binder: &Binder) -> Vec<Binder> {
        match binder {
            Binder::ForAll { var, interval } => {
                vec![Binder::ForAll { var: *var, interval: self.resolve_interval(*interval) }]
            }
            Binder::Let { var, value, range } => {
                let value = self.answer.solution.apply(self.algebra.pool, *value);
                let range = range.map(|range| self.resolve_interval(range));
                vec![Binder::Let { var: *var, value, range }]
            }
            Binder::If(condition) => {
                vec![Binder::If(self.answer.solution.apply(self.algebra.pool, *condition))]
            }
            Binder::IfMember { func, kind, coords, dims } => {
                let mut conditions = Vec::new();
                for dim in dims {
                    let interval = hole(self.algebra.pool, *func, *dim, *kind);
                    let interval = self.resolve_interval(interval);
                    let last = interval::last(&mut self.algebra, interval.min, interval.extent);
                    let pool = &mut *self.algebra.pool;
                    conditions.push(pool.binary(BinaryOp::Ge, coords[*dim], interval.min));
                    conditions.push(pool.binary(BinaryOp::Le, coords[*dim], last));
                }
                conditions.into_iter().map(Binder::If).collect()
            }
            Binder::Allocation(_) | Binder::Compute(_) => Vec::new(),
        }
    }

    /// Applies `bound`, `bound_extent`, `align_bounds`: the inferred region grows to the one that
    /// they demand.
    fn apply_directives(&mut self, func: FuncId, constraints: &[&Constraint], region: &mut Region) {
        let directives = match self.lowered.plan(func) {
            Some(plan) if !plan.bounds.is_empty() => plan.bounds.clone(),
            _ => return,
        };
        // Reads that only have to be in memory count too, because the allocation will rely on the
        // check.
        let reads = self.constraints_on(func, HoleKind::Allocation);
        let reads = reads.into_iter().filter(|constraint| !is_own(func, constraint));
        let checked: Vec<_> = constraints.iter().copied().chain(reads).collect();
        let Some(needed_at_top) = self.hull(&checked, true) else { return };
        for directive in directives {
            let (low, high) = region[directive.dim];
            let algebra = &mut self.algebra;
            region[directive.dim] = match directive.kind {
                BoundKind::Fixed { min, extent } => {
                    let (needed_low, needed_high) = needed_at_top[directive.dim];
                    let condition = if let Some(min) = min {
                        let last = interval::last(algebra, min, extent);
                        let below = algebra.pool.binary(BinaryOp::Le, min, needed_low);
                        let above = algebra.pool.binary(BinaryOp::Le, needed_high, last);
                        algebra.pool.binary(BinaryOp::And, below, above)
                    } else {
                        // The min is inferred at each place. The given extent must cover the
                        // greatest extent needed at any of them, over all loops around.
                        let needed = algebra.sub(high, low);
                        let needed = algebra.offset(needed, 1);
                        let needed = self.extent_at_top(constraints, needed);
                        let Some(needed) = needed else { return };
                        if self.algebra.proves_le(needed, extent) {
                            self.algebra.pool.constant(Constant::bool(true))
                        } else {
                            self.algebra.pool.binary(BinaryOp::Le, needed, extent)
                        }
                    };
                    self.answer.bound_checks.push((func, directive.dim, condition));
                    let min = min.unwrap_or(low);
                    (min, interval::last(&mut self.algebra, min, extent))
                }
                BoundKind::Aligned { modulus, remainder } => {
                    // Each end is rounded by its own block, so that both follow the region's ends:
                    // the difference of an end and its remainder would be wider over a loop.
                    let [first, last] = [low, high].map(|end| {
                        let offset = algebra.sub(end, remainder);
                        let block = algebra.combine(BinaryOp::Div, offset, modulus);
                        let start = algebra.mul(block, modulus);
                        algebra.add(start, remainder)
                    });
                    let next = algebra.add(last, modulus);
                    (first, algebra.offset(next, -1))
                }
            };
        }
    }

    /// Restricts memory to the func's own accesses in dimensions whose bounds are fixed; an entry
    /// check ensures that reads are in bounds.
    fn exclude_checked_reads(
        &mut self,
        func: FuncId,
        constraints: &[&Constraint],
        region: &mut Region,
    ) {
        let Some(plan) = self.lowered.plan(func) else { return };
        let fixed: Vec<usize> = plan
            .bounds
            .iter()
            .filter(|directive| matches!(directive.kind, BoundKind::Fixed { min: Some(_), .. }))
            .map(|directive| directive.dim)
            .collect();
        if fixed.is_empty() {
            return;
        }
        let own: Vec<_> =
            constraints.iter().copied().filter(|constraint| is_own(func, constraint)).collect();
        let Some(own) = self.hull(&own, false) else { return };
        for dim in fixed {
            region[dim] = own[dim];
        }
    }

    /// Returns the greatest value of an expression over the loops around the place where a func's
    /// region is chosen.
    fn extent_at_top(&mut self, constraints: &[&Constraint], extent: ExprId) -> Option<ExprId> {
        let constraint = constraints.first()?;
        let around: Vec<&Binder> = constraint
            .path
            .iter()
            .take_while(|binder| {
                !matches!(binder, Binder::Compute(owner) if *owner == constraint.member.func)
            })
            .collect();
        let path: Vec<Binder> =
            around.into_iter().flat_map(|binder| self.resolve(binder)).collect();
        // The extent is the minimum of these sums, so each bounds it. In most of them the ends'
        // common terms cancel.
        let mut high: Option<ExprId> = None;
        for sum in self.algebra.least_of(extent) {
            if let (_, Some(end)) = self.ends(sum, &path, false) {
                high = Some(high.map_or(end, |high| self.algebra.min(high, end)));
            }
        }
        if high.is_none() {
            self.unbounded(constraint, 0, [false, true]);
        }
        high
    }

    /// Collects the reads of an input, grouped by their premises.
    fn input(&mut self, input: FuncId) -> Vec<Reads> {
        let mut groups: Vec<(Vec<ExprId>, Vec<&Constraint>)> = Vec::new();
        for constraint in self.constraints_on(input, HoleKind::Allocation) {
            let premises = self.premises(constraint);
            match groups.iter_mut().find(|(others, _)| *others == premises) {
                Some((_, constraints)) => constraints.push(constraint),
                None => groups.push((premises, vec![constraint])),
            }
        }
        let mut reads = Vec::new();
        for (premises, constraints) in groups {
            if let Some(region) = self.hull(&constraints, true) {
                reads.push(Reads { premises, region });
            }
        }
        reads
    }

    /// Returns the conditions over startup values without which a constraint's statement does not
    /// run.
    fn premises(&mut self, constraint: &Constraint) -> Vec<ExprId> {
        let mut bound: FxHashSet<VarId> = FxHashSet::default();
        let mut premises = Vec::new();
        for binder in &constraint.path {
            let condition = match binder {
                Binder::ForAll { var, interval } => {
                    bound.insert(*var);
                    let extent = self.resolve_expr(interval.extent);
                    let one = self.algebra.int(1);
                    if self.algebra.proves_le(one, extent) {
                        continue;
                    }
                    let zero = self.algebra.int(0);
                    self.algebra.pool.binary(BinaryOp::Gt, extent, zero)
                }
                Binder::Let { var, .. } => {
                    bound.insert(*var);
                    continue;
                }
                Binder::If(condition) => self.answer.solution.apply(self.algebra.pool, *condition),
                Binder::IfMember { .. } | Binder::Allocation(_) | Binder::Compute(_) => continue,
            };
            let mut at_startup = true;
            self.algebra.pool.for_each_subexpr(condition, &mut |_, expr| {
                at_startup &= !matches!(expr, Expr::Ref { .. } | Expr::Hole(_));
            });
            at_startup &= vars(self.algebra.pool, condition).is_disjoint(&bound);
            if at_startup && !premises.contains(&condition) {
                premises.push(condition);
            }
        }
        premises
    }
}
