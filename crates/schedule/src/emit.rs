//! Makes statements from loop nests: FS's **Tgt?**, with holes, or with bounds filled in by a
//! bounds engine.

use halidom_base::FxHashMap;
use halidom_ir::{
    BinaryOp, BufferDecl, BufferId, BufferKind, Dim, Expr, ExprId, FuncId, HoleId, HoleKind,
    Interval, Label, Partition, Pool, Scalar, Stmt, StmtId, StoreIn, Type, VarId,
};

use crate::algebra::{Algebra, Known, vars};
use crate::nest::{
    Binding, Inliner, Lowered, Nest, Placement, Plan, compute_kind, final_kind, hole,
};

/// Values of holes. Each is an expression over the variables in scope where the hole's func is
/// computed or allocated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solution {
    pub(crate) holes: FxHashMap<HoleId, ExprId>,
    /// The dimensions in which a func's loops run over new coordinates only.
    pub(crate) slides: FxHashMap<FuncId, Vec<Slide>>,
    /// The dimensions in which a func's memory is folded.
    pub(crate) folded: FxHashMap<FuncId, Vec<usize>>,
    /// The place where memory is allocated for a func that is stored further in, and the memory's
    /// size in each dimension.
    pub(crate) hoisted: FxHashMap<FuncId, (Placement, Vec<ExprId>)>,
}

/// A dimension of a sliding window. The compute bounds still state which values must be right; the
/// func's loops run over fewer coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Slide {
    pub(crate) dim: usize,
    /// Mins and extents of the loops that are narrowed: one pair for each stage and specialization.
    pub(crate) holes: Vec<(HoleId, HoleId)>,
    /// True in the first iteration of the loop that the window moves with; mentions holes.
    pub(crate) first: ExprId,
    /// The min and the extent of the coordinates that are new in later iterations.
    pub(crate) min: ExprId,
    pub(crate) extent: ExprId,
}

impl Solution {
    /// Replaces the holes in an expression.
    pub(crate) fn apply(&self, pool: &mut Pool, expr: ExprId) -> ExprId {
        replace_holes(pool, expr, &self.holes)
    }
}

pub(crate) fn replace_holes(
    pool: &mut Pool,
    expr: ExprId,
    values: &FxHashMap<HoleId, ExprId>,
) -> ExprId {
    pool.rewrite_bottom_up(expr, &mut FxHashMap::default(), &mut |_, id, expr| {
        if let Expr::Hole(hole) = expr { values.get(hole).copied().unwrap_or(id) } else { id }
    })
}

/// Emits the work of a lowered pipeline, without entry checks. With a solution, bounds are
/// let-bound just outside the place that needs them.
pub(crate) fn emit_work(
    pool: &mut Pool,
    lowered: &Lowered,
    solution: Option<&Solution>,
    known: &Known,
) -> StmtId {
    let inliner = Inliner::new(pool, lowered);
    let inliner = if solution.is_some() { inliner.without_copies(lowered) } else { inliner };
    let mut emitter = Emitter {
        pool,
        lowered,
        inliner,
        solution,
        known: known.clone(),
        values: FxHashMap::default(),
        lenders: FxHashMap::default(),
    };
    let nothing = emitter.pool.stmt(Stmt::Block(Vec::new()));
    emitter.site(Placement::Root, nothing)
}

struct Emitter<'a> {
    pool: &'a mut Pool,
    lowered: &'a Lowered,
    inliner: Inliner,
    solution: Option<&'a Solution>,
    /// Includes facts about let-bound variables that emission adds.
    known: Known,
    /// The values of the holes of the enclosing funcs: let-bound variables, constants.
    values: FxHashMap<HoleId, ExprId>,
    /// The buffers of hoisted memory, one for each component.
    lenders: FxHashMap<FuncId, Vec<BufferId>>,
}

impl Emitter<'_> {
    /// Emits the funcs that are computed or stored at a place, then `rest`.
    fn site(&mut self, place: Placement, rest: StmtId) -> StmtId {
        let lowered = self.lowered;
        let plans: Vec<&Plan> = lowered
            .plans
            .iter()
            .filter(|plan| {
                plan.compute == place
                    || plan.store == place
                    || self.hoists(plan.func).is_some_and(|(hoist, _)| *hoist == place)
            })
            .collect();
        self.funcs(place, &plans, rest)
    }

    fn funcs(&mut self, place: Placement, plans: &[&Plan], rest: StmtId) -> StmtId {
        let Some((plan, others)) = plans.split_first() else { return rest };
        let func = plan.func;
        let allocates = plan.store == place && !self.lowered.is_output(func);
        let mut lets = Vec::new();
        let buffers = if allocates { self.allocation(func, &mut lets) } else { Vec::new() };
        let label = (plan.compute == place).then(|| self.label(plan, &mut lets));
        let rest = self.funcs(place, others, rest);
        let mut stmt = match label {
            Some(label) => {
                let is_empty =
                    matches!(self.pool.get_stmt(rest), Stmt::Block(stmts) if stmts.is_empty());
                if is_empty { label } else { self.pool.stmt(Stmt::Block(vec![label, rest])) }
            }
            None => rest,
        };
        for buffer in buffers.into_iter().rev() {
            stmt = self.pool.stmt(Stmt::Allocate { buffer, body: stmt });
        }
        for (var, value) in lets.into_iter().rev() {
            stmt = self.pool.stmt(Stmt::Let { var, value, body: stmt });
        }
        if self.hoists(func).is_some_and(|(hoist, _)| *hoist == place) {
            for buffer in self.lenders(func).into_iter().rev() {
                stmt = self.pool.stmt(Stmt::Allocate { buffer, body: stmt });
            }
        }
        stmt
    }

    fn hoists(&self, func: FuncId) -> Option<&(Placement, Vec<ExprId>)> {
        self.solution.and_then(|solution| solution.hoisted.get(&func))
    }

    /// Returns the buffers from which a func's buffers take their memory, if it is hoisted.
    fn lenders(&mut self, func: FuncId) -> Vec<BufferId> {
        if let Some(lenders) = self.lenders.get(&func) {
            return lenders.clone();
        }
        let Some((_, room)) = self.hoists(func).cloned() else { return Vec::new() };
        let storage = self.lowered.plan(func).map(|plan| plan.storage.clone()).unwrap_or_default();
        let (min, mut stride) = (self.pool.int(0), self.pool.int(1));
        let mut dims = Vec::with_capacity(room.len());
        for extent in room {
            dims.push(Dim::new(min, extent, stride));
            stride = Algebra::new(self.pool, &self.known).mul(stride, extent);
        }
        let decl = self.pool.func(func);
        let (name, scalars) = (decl.name.clone(), decl.scalars.clone());
        let tuple = scalars.len() > 1;
        let named = self.named(func);
        let declare = |(component, scalar): (usize, &Scalar)| {
            let part = if tuple { format!(".{component}") } else { String::new() };
            self.pool.declare_buffer(BufferDecl {
                name: format!("{name}{part}.memory"),
                scalar: *scalar,
                func: named,
                component,
                kind: BufferKind::Internal,
                store_in: storage.store_in,
                realigned: storage.realign.is_some(),
                dims: dims.clone(),
            })
        };
        let lenders: Vec<BufferId> = scalars.iter().enumerate().map(declare).collect();
        self.lenders.insert(func, lenders.clone());
        lenders
    }

    /// Fills the holes of one region, with lets for values that are longer than a name.
    fn fill(&mut self, func: FuncId, kind: HoleKind, part: &str, lets: &mut Vec<(VarId, ExprId)>) {
        let Some(solution) = self.solution else { return };
        let rank = self.pool.func(func).rank();
        for dim in 0..rank {
            let interval = hole(self.pool, func, dim, kind);
            for (end, what) in [(interval.min, "min"), (interval.extent, "extent")] {
                let Expr::Hole(id) = *self.pool.get(end) else { continue };
                let Some(value) = solution.holes.get(&id).copied() else { continue };
                let name = format!("{}.{part}{what}.{dim}", self.pool.func(func).name);
                let value = self.abbreviate(value, lets);
                let short = self.bind(name, value, lets);
                self.values.insert(id, short);
            }
        }
    }

    /// Replaces the values that `lets` binds with their variables.
    fn abbreviate(&mut self, value: ExprId, lets: &[(VarId, ExprId)]) -> ExprId {
        self.pool.rewrite_bottom_up(value, &mut FxHashMap::default(), &mut |pool, id, _| match lets
            .iter()
            .find(|(_, bound)| *bound == id)
        {
            Some((var, _)) => pool.var_expr(*var),
            None => id,
        })
    }

    /// Binds a value by a let, unless it is a constant, a variable, or already bound by `lets`.
    fn bind(&mut self, name: String, value: ExprId, lets: &mut Vec<(VarId, ExprId)>) -> ExprId {
        if matches!(self.pool.get(value), Expr::Const(_) | Expr::Var(_)) {
            return value;
        }
        let bound = lets.iter().find(|(_, other)| *other == value).map(|(var, _)| *var);
        let var = bound.unwrap_or_else(|| {
            let mut algebra = Algebra::new(self.pool, &self.known);
            let one = algebra.int(1);
            let sum = algebra.sum(value);
            let by_terms = algebra.least_by_terms(&sum);
            let least = if by_terms.is_some_and(|least| least > 0) {
                by_terms
            } else if algebra.proves_le(one, value) {
                Some(1)
            } else {
                algebra.proves_nonnegative(value).then_some(0)
            };
            let var = self.pool.declare_var(name, Type::INT);
            if let Some(least) = least {
                self.known.lower.insert(var, least);
            }
            lets.push((var, value));
            var
        });
        self.pool.var_expr(var)
    }

    /// Makes the buffers of a func's components.
    fn allocation(&mut self, func: FuncId, lets: &mut Vec<(VarId, ExprId)>) -> Vec<BufferId> {
        self.fill(func, HoleKind::Allocation, "", lets);
        let (name, scalars, rank) = {
            let decl = self.pool.func(func);
            (decl.name.clone(), decl.scalars.clone(), decl.rank())
        };
        let storage = self.lowered.plan(func).map(|plan| plan.storage.clone()).unwrap_or_default();
        let folded = self.solution.and_then(|solution| solution.folded.get(&func));
        let mut stride = self.pool.int(1);
        let mut dims = Vec::with_capacity(rank);
        for dim in 0..rank {
            let interval = hole(self.pool, func, dim, HoleKind::Allocation);
            let (min, extent) = (self.filled(interval.min), self.filled(interval.extent));
            let folded = folded.is_some_and(|folded| folded.contains(&dim));
            dims.push(Dim { min, extent, stride, folded });
        }
        let order = if storage.order.is_empty() { (0..rank).collect() } else { storage.order };
        for (position, dim) in order.iter().enumerate() {
            dims[*dim].stride = stride;
            if let Some(next) = order.get(position + 1) {
                let product = Algebra::new(self.pool, &self.known).mul(stride, dims[*dim].extent);
                stride = if self.solution.is_some() {
                    self.bind(format!("{name}.stride.{next}"), product, lets)
                } else {
                    product
                };
            }
        }
        let tuple = scalars.len() > 1;
        let named = self.named(func);
        let lenders = self.lenders(func);
        let declare = |(component, scalar): (usize, &Scalar)| {
            self.pool.declare_buffer(BufferDecl {
                name: if tuple { format!("{name}.{component}") } else { name.clone() },
                scalar: *scalar,
                func: named,
                component,
                kind: BufferKind::Internal,
                store_in: lenders
                    .get(component)
                    .map_or(storage.store_in, |lender| StoreIn::Within(*lender)),
                realigned: storage.realign.is_some(),
                dims: dims.clone(),
            })
        };
        scalars.iter().enumerate().map(declare).collect()
    }

    /// Returns an expression with the known holes replaced.
    fn filled(&mut self, expr: ExprId) -> ExprId {
        let expr = replace_holes(self.pool, expr, &self.values);
        Algebra::new(self.pool, &self.known).simplify(expr)
    }

    fn label(&mut self, plan: &Plan, lets: &mut Vec<(VarId, ExprId)>) -> StmtId {
        let func = plan.func;
        let last = final_kind(self.pool, func);
        self.fill(func, last, "needed.", lets);
        for instance in &plan.instances {
            for nest in &instance.stages {
                let kind = compute_kind(self.pool, func, nest.stage, nest.specialization);
                if kind != last {
                    let suffix = if nest.specialization == 0 {
                        String::new()
                    } else {
                        format!("i{}.", nest.specialization)
                    };
                    self.fill(func, kind, &format!("s{}.{suffix}", nest.stage), lets);
                }
            }
        }
        let rank = self.pool.func(func).rank();
        let needed = (0..rank)
            .map(|dim| {
                let interval = hole(self.pool, func, dim, last);
                Interval { min: self.filled(interval.min), extent: self.filled(interval.extent) }
            })
            .collect();
        let outer = self.narrow(func, lets);
        let (unspecialized, specialized) = match plan.instances.split_first() {
            Some((first, others)) => (Some(first), others),
            None => (None, [].as_slice()),
        };
        let mut body = self.stages(unspecialized.map_or(&[], |instance| &instance.stages));
        for instance in specialized.iter().rev() {
            let code = self.stages(&instance.stages);
            if let Some(condition) = instance.condition {
                body = self.pool.stmt(Stmt::If {
                    condition,
                    then_branch: code,
                    else_branch: Some(body),
                });
            }
        }
        self.values.extend(outer);
        let func = self.named(func);
        self.pool.stmt(Stmt::Labeled { label: Label::Func { func, needed }, body })
    }

    /// Makes the loops of a func run over new coordinates where its window slides; returns the
    /// previous values of the holes.
    fn narrow(&mut self, func: FuncId, lets: &mut Vec<(VarId, ExprId)>) -> Vec<(HoleId, ExprId)> {
        let Some(slides) = self.solution.and_then(|solution| solution.slides.get(&func)) else {
            return Vec::new();
        };
        let name = self.pool.func(func).name.clone();
        let mut outer = Vec::new();
        for slide in slides {
            let first = replace_holes(self.pool, slide.first, &self.values);
            for (min, extent) in &slide.holes {
                for (hole, rest, what) in
                    [(*min, slide.min, "min"), (*extent, slide.extent, "extent")]
                {
                    let Some(whole) = self.values.get(&hole).copied() else { continue };
                    let rest = self.abbreviate(rest, lets);
                    let value =
                        if whole == rest { whole } else { self.pool.select(first, whole, rest) };
                    let short = self.bind(format!("{name}.new.{what}.{}", slide.dim), value, lets);
                    outer.push((hole, whole));
                    self.values.insert(hole, short);
                }
            }
        }
        outer
    }

    /// Returns the func that stands for a func in emitted statements: once bounds are filled in,
    /// copies have the name of their original.
    fn named(&self, func: FuncId) -> FuncId {
        if self.solution.is_some() { self.lowered.original(func) } else { func }
    }

    fn stages(&mut self, nests: &[Nest]) -> StmtId {
        let stmts: Vec<_> = nests.iter().map(|nest| self.stage(nest)).collect();
        match stmts.as_slice() {
            [only] => *only,
            _ => self.pool.stmt(Stmt::Block(stmts)),
        }
    }

    fn stage(&mut self, nest: &Nest) -> StmtId {
        let mut bound_at = vec![Vec::new(); nest.loops.len() + 1];
        let mut depths: FxHashMap<VarId, usize> =
            nest.loops.iter().enumerate().map(|(depth, l)| (l.var, depth + 1)).collect();
        for binding in &nest.bindings {
            // As far out as the loops that the value depends on allow.
            let depth = vars(self.pool, binding.value)
                .iter()
                .filter_map(|var| depths.get(var).copied())
                .max()
                .unwrap_or(0);
            depths.insert(binding.var, depth);
            bound_at[depth].push(binding);
        }
        let mut stmt = self.provide(nest);
        for depth in (0..=nest.loops.len()).rev() {
            if let Some(level) = depth.checked_sub(1) {
                stmt = self.site(Placement::At(nest.loops[level].var), stmt);
            }
            for binding in bound_at[depth].iter().rev() {
                if let Some(guard) = binding.guard.filter(|_| !self.has_room(binding)) {
                    let condition = self.filled_condition(guard);
                    stmt = self.pool.stmt(Stmt::If {
                        condition,
                        then_branch: stmt,
                        else_branch: None,
                    });
                }
                let value = self.filled_value(binding.value);
                stmt = self.pool.stmt(Stmt::Let { var: binding.var, value, body: stmt });
            }
            if let Some(level) = depth.checked_sub(1) {
                let l = &nest.loops[level];
                let (min, extent) = (self.filled(l.interval.min), self.filled(l.interval.extent));
                stmt =
                    self.pool.stmt(Stmt::For { var: l.var, min, extent, kind: l.kind, body: stmt });
                if l.partition != Partition::Auto {
                    let label = Label::Partition(l.partition);
                    stmt = self.pool.stmt(Stmt::Labeled { label, body: stmt });
                }
                for ahead in &l.ahead {
                    let label = Label::Ahead { func: self.named(ahead.func), by: ahead.by };
                    stmt = self.pool.stmt(Stmt::Labeled { label, body: stmt });
                }
            }
        }
        self.pool.stmt(Stmt::Labeled {
            label: Label::Stage {
                func: self.named(nest.func),
                stage: nest.stage,
                specialization: nest.specialization,
            },
            body: stmt,
        })
    }

    /// True if a block is known to lie within the loop that was split into blocks.
    fn has_room(&mut self, binding: &Binding) -> bool {
        let Some(room) = binding.room else { return false };
        let room = self.filled(room);
        Algebra::new(self.pool, &self.known).proves_nonnegative(room)
    }

    /// Returns the value of a replaced variable. Where a split shifts its last block, the block's
    /// start stays separate from the inner variable, so that lanes remain neighbours (`max(m,
    /// min(…)) + xi`, FS Fig. 12).
    fn filled_value(&mut self, value: ExprId) -> ExprId {
        if let Expr::Binary(BinaryOp::Add(_), start, inner) = *self.pool.get(value) {
            let start = self.filled(start);
            if matches!(self.pool.get(start), Expr::Binary(BinaryOp::Min | BinaryOp::Max, ..)) {
                let inner = self.filled(inner);
                return self.pool.add(start, inner);
            }
        }
        self.filled(value)
    }

    /// Returns a comparison of `int`s with both sides simplified.
    fn filled_condition(&mut self, condition: ExprId) -> ExprId {
        let condition = replace_holes(self.pool, condition, &self.values);
        if let Expr::Binary(op, lhs, rhs) = *self.pool.get(condition)
            && matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
        {
            let mut algebra = Algebra::new(self.pool, &self.known);
            let (lhs, rhs) = (algebra.simplify(lhs), algebra.simplify(rhs));
            self.pool.binary(op, lhs, rhs)
        } else {
            condition
        }
    }

    fn provide(&mut self, nest: &Nest) -> StmtId {
        let coords = nest.lhs.iter().map(|coord| self.inliner.apply(self.pool, *coord)).collect();
        let values =
            nest.values.iter().map(|value| self.inliner.apply(self.pool, *value)).collect();
        let func = self.named(nest.func);
        let stmt = self.pool.stmt(Stmt::Provide {
            func,
            stage: nest.stage,
            coords,
            point: nest.point.clone().into(),
            values,
            atomic: nest.atomic.is_some(),
        });
        match nest.predicate {
            Some(predicate) => {
                let condition = self.inliner.apply(self.pool, predicate);
                self.pool.stmt(Stmt::If { condition, then_branch: stmt, else_branch: None })
            }
            None => stmt,
        }
    }
}
