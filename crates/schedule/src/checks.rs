//! Entry checks: conditions on parameters and shapes alone, only of the kinds in [`Check`].
//!
//! Order: size limits, layouts, `require`s, domain extents, split factors, conditions of
//! `specialize_fail`, blocks within windows, bounds directives, regions of inputs and outputs,
//! sizes of allocations. Later ones rely on earlier ones: a region is computed from extents that
//! are known to be non-negative. Only layouts whose strides increase with the dimension are
//! supported: `stride_(k+1) >= stride_k * extent_k`.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{
    BinaryOp, BufferId, Check, Constant, Expr, ExprId, FuncId, FuncKind, HoleKind, Interval, Pool,
    Scalar, Stmt, StmtId, VarId,
};

use crate::algebra::{Algebra, Known, Sum, opposite, vars};
use crate::bounds::{Answer, Region};
use crate::error::ScheduleError;
use crate::nest::{Lowered, Placement, hole};

/// Exclusive limit on the absolute value of sizes, mins and `int` parameters.
const SIZE_LIMIT: i128 = 1 << 31;
/// Inclusive limit on the number of elements of a caller's buffer.
const ELEMENTS_LIMIT: i128 = 1 << 47;
/// The maximum nesting depth of minima and maxima in sizes that are examined.
const MOST_NESTED: u32 = 32;

/// Returns the facts about startup values that the entry checks establish, including that the work
/// only runs for windows that are not empty.
pub(crate) fn known(pool: &mut Pool, lowered: &Lowered) -> Known {
    let mut known = Known::default();
    let mut extents = Vec::new();
    for buffer in caller_buffers(pool, lowered) {
        for dim in &pool.buffer(buffer).dims {
            extents.push((dim.extent, 0));
        }
    }
    for (extent, least) in extents {
        if let Expr::Var(var) = pool.get(extent) {
            known.lower.insert(*var, least);
        }
    }
    for output in &lowered.outputs {
        for (_, extent) in &output.window {
            // With several outputs the work runs if any window is not empty.
            let least = i128::from(lowered.outputs.len() == 1);
            known.lower.insert(*extent, least);
        }
    }
    for block in &lowered.blocks {
        if let Some(extent) = lowered.window_extent(block) {
            let least = known.lower.entry(extent).or_insert(block.size);
            *least = block.size.max(*least);
        }
    }
    for func in &lowered.algorithm.funcs {
        for stage in pool.func(*func).stages() {
            for variable in &stage.domain {
                if let Expr::Var(var) = pool.get(variable.extent) {
                    known.lower.entry(*var).or_insert(0);
                }
            }
        }
    }
    for factor in &lowered.factors {
        if let Expr::Var(var) = pool.get(factor.value) {
            known.lower.insert(*var, 1);
        }
    }
    for require in &lowered.algorithm.requires {
        learn_least(pool, require.condition, &mut known);
    }
    for nest in lowered.nests() {
        for l in &nest.loops {
            let min = pool.as_constant(l.interval.min).and_then(Constant::as_integer);
            if let Some(min) = min {
                known.lower.insert(l.var, min);
            }
        }
        for binding in &nest.bindings {
            let mut algebra = Algebra::new(pool, &known);
            let value = algebra.sum(binding.value);
            if let Some(least) = algebra.least_by_terms(&value) {
                known.lower.insert(binding.var, least);
            }
        }
    }
    known
}

/// Records the least values of variables from a condition that holds: `n >= 1 && m > 0`.
fn learn_least(pool: &Pool, condition: ExprId, known: &mut Known) {
    let Expr::Binary(op, lhs, rhs) = *pool.get(condition) else { return };
    let number = |expr| pool.as_constant(expr).and_then(Constant::as_integer);
    let (var, least) = match op {
        BinaryOp::And => {
            learn_least(pool, lhs, known);
            learn_least(pool, rhs, known);
            return;
        }
        BinaryOp::Ge | BinaryOp::Eq => (lhs, number(rhs)),
        BinaryOp::Gt => (lhs, number(rhs).and_then(|value| value.checked_add(1))),
        BinaryOp::Le => (rhs, number(lhs)),
        BinaryOp::Lt => (rhs, number(lhs).and_then(|value| value.checked_add(1))),
        BinaryOp::Add(_)
        | BinaryOp::Sub(_)
        | BinaryOp::Mul(_)
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Ne => return,
    };
    // Converting a machine integer to a number keeps its value.
    let var = if let Expr::Cast(Scalar::Int, operand) = *pool.get(var) { operand } else { var };
    if let (Expr::Var(var), Some(least)) = (pool.get(var), least) {
        let entry = known.lower.entry(*var).or_insert(least);
        *entry = least.max(*entry);
    }
}

/// Returns the caller's buffers; for an output with several components only the first, because all
/// have its shape.
fn caller_buffers(pool: &Pool, lowered: &Lowered) -> Vec<BufferId> {
    let inputs = lowered.algorithm.inputs.iter().filter_map(|input| match pool.func(*input).kind {
        FuncKind::Input { buffer } => Some(buffer),
        FuncKind::Defined { .. } => None,
    });
    inputs
        .chain(lowered.outputs.iter().filter_map(|output| output.buffers.first().copied()))
        .collect()
}

/// The maximum number of operators of a check, written out as a tree: nested bounds can grow by a
/// factor at each stage.
const MOST_OPERATORS: u64 = 20_000;

/// Returns the checks in order, and the condition under which there is work.
///
/// # Errors
/// Bounds that are too large to be written out.
pub(crate) fn entry_checks(
    pool: &mut Pool,
    lowered: &Lowered,
    answer: &Answer,
    known: &Known,
) -> Result<(Vec<StmtId>, ExprId), Vec<ScheduleError>> {
    let mut checks = Checks { algebra: Algebra::new(pool, known), stmts: Vec::new() };
    checks.size_limits(lowered);
    checks.layouts(lowered);
    for require in &lowered.algorithm.requires {
        checks.add(require.condition, Check::Require { message: require.message.clone() });
    }
    checks.domains(lowered);
    checks.former_domains(lowered);
    checks.factors(lowered);
    let empty = checks.empty(lowered);
    checks.specializations(lowered, empty);
    checks.blocks(lowered, empty);
    checks.bounds(lowered, answer, empty);
    checks.inputs(lowered, answer, empty);
    checks.outputs(lowered, answer, empty);
    checks.allocations(lowered, answer, empty);
    let work = checks.negation(empty);
    let Checks { stmts, .. } = checks;
    let mut sizes = FxHashMap::default();
    let too_large = |stmt: &StmtId| {
        let Stmt::Assert { condition, check } = pool.get_stmt(*stmt) else { return None };
        let size = written_size(pool, *condition, &mut sizes);
        (size > MOST_OPERATORS).then(|| oversized(pool, check, size))
    };
    match stmts.iter().find_map(too_large) {
        Some(error) => Err(vec![error]),
        None => Ok((stmts, work)),
    }
}

/// Returns the number of operators and operands of an expression written out as a tree.
fn written_size(pool: &Pool, expr: ExprId, sizes: &mut FxHashMap<ExprId, u64>) -> u64 {
    if let Some(size) = sizes.get(&expr) {
        return *size;
    }
    let mut operands = Vec::new();
    pool.get(expr).for_each_operand(|operand| operands.push(operand));
    let size = operands
        .into_iter()
        .fold(1_u64, |size, operand| size.saturating_add(written_size(pool, operand, sizes)));
    sizes.insert(expr, size);
    size
}

fn oversized(pool: &Pool, check: &Check, size: u64) -> ScheduleError {
    let subject = if let Check::InputRegion { input: func, dim, .. }
    | Check::OutputRegion { output: func, dim, .. } = check
    {
        format!("the bounds of `{}` in dimension {dim}", pool.func(*func).name)
    } else {
        "a bound that is checked at entry".to_owned()
    };
    ScheduleError::new(
        "HAL0628",
        None,
        format!("{subject} would take {size} operators to write down, more than {MOST_OPERATORS}"),
        "compute a func in between at an outer loop or at the root, use `clamp` on indices that \
            depend on values, or `require` the signs of parameters that multiply indices",
    )
}

struct Checks<'a> {
    algebra: Algebra<'a>,
    stmts: Vec<StmtId>,
}

impl Checks<'_> {
    fn add(&mut self, condition: ExprId, check: Check) {
        let always = self.algebra.pool.as_constant(condition).and_then(Constant::as_bool);
        if always != Some(true) {
            self.stmts.push(self.algebra.pool.stmt(Stmt::Assert { condition, check }));
        }
    }

    /// Makes a comparison, folded if it is between constants.
    fn compare(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let pool = &mut *self.algebra.pool;
        if let (Some(a), Some(b)) = (pool.as_constant(lhs), pool.as_constant(rhs))
            && let Ok(value) = halidom_ir::eval::binary(op, a, b)
        {
            return pool.constant(value);
        }
        pool.binary(op, lhs, rhs)
    }

    /// Connects conditions with an operator; without conditions, returns the `neutral` one.
    fn fold(
        &mut self,
        op: BinaryOp,
        neutral: bool,
        conditions: impl IntoIterator<Item = ExprId>,
    ) -> ExprId {
        let mut kept: Vec<ExprId> = Vec::new();
        for condition in conditions {
            match self.algebra.pool.as_constant(condition).and_then(Constant::as_bool) {
                Some(value) if value == neutral => {}
                Some(_) => return condition,
                None if kept.contains(&condition) => {}
                None => kept.push(condition),
            }
        }
        let pool = &mut *self.algebra.pool;
        kept.into_iter()
            .reduce(|lhs, rhs| pool.binary(op, lhs, rhs))
            .unwrap_or_else(|| pool.constant(Constant::bool(neutral)))
    }

    fn all(&mut self, conditions: impl IntoIterator<Item = ExprId>) -> ExprId {
        self.fold(BinaryOp::And, true, conditions)
    }

    fn any(&mut self, conditions: impl IntoIterator<Item = ExprId>) -> ExprId {
        self.fold(BinaryOp::Or, false, conditions)
    }

    /// Negates a comparison or connective, without a `!` if there is an opposite.
    fn negation(&mut self, condition: ExprId) -> ExprId {
        if let Expr::Unary(halidom_ir::UnaryOp::Not, negated) = *self.algebra.pool.get(condition) {
            return negated;
        }
        if let Expr::Binary(op, lhs, rhs) = *self.algebra.pool.get(condition) {
            if matches!(op, BinaryOp::And | BinaryOp::Or) {
                let (lhs, rhs) = (self.negation(lhs), self.negation(rhs));
                let op = if op == BinaryOp::And { BinaryOp::Or } else { BinaryOp::And };
                return self.algebra.pool.binary(op, lhs, rhs);
            }
            // With NaN, the negation of an ordering of floats is not the opposite ordering.
            let is_float = self.algebra.pool.ty(lhs).scalar.is_float();
            if let Some(opposite) = opposite(op).filter(|_| !is_float) {
                return self.algebra.pool.binary(opposite, lhs, rhs);
            }
        }
        match self.algebra.pool.as_constant(condition).and_then(Constant::as_bool) {
            Some(value) => self.algebra.pool.constant(Constant::bool(!value)),
            None => self.algebra.pool.unary(halidom_ir::UnaryOp::Not, condition),
        }
    }

    /// Returns the condition `low <= value <= high`.
    fn within(&mut self, value: ExprId, low: i128, high: i128) -> ExprId {
        let (low, high) = (self.algebra.int(low), self.algebra.int(high));
        let low = self.compare(BinaryOp::Le, low, value);
        let high = self.compare(BinaryOp::Le, value, high);
        self.all([low, high])
    }

    fn limit_var(&mut self, var: VarId, low: i128) {
        let value = self.algebra.pool.var_expr(var);
        let condition = self.within(value, low, SIZE_LIMIT - 1);
        self.add_limit(value, condition);
    }

    fn add_limit(&mut self, value: ExprId, condition: ExprId) {
        let what = halidom_ir::print::expr(self.algebra.pool, value);
        self.add(condition, Check::SizeLimit { what });
    }

    fn size_limits(&mut self, lowered: &Lowered) {
        for param in &lowered.algorithm.params {
            if self.algebra.pool.var(*param).ty.scalar == Scalar::Int {
                self.limit_var(*param, 1 - SIZE_LIMIT);
            }
        }
        for buffer in caller_buffers(self.algebra.pool, lowered) {
            for bounds in self.algebra.pool.buffer(buffer).dims.clone() {
                let condition = self.within(bounds.min, 1 - SIZE_LIMIT, SIZE_LIMIT - 1);
                self.add_limit(bounds.min, condition);
                let condition = self.within(bounds.extent, 0, SIZE_LIMIT - 1);
                self.add_limit(bounds.extent, condition);
                let low = self.within(bounds.stride, 0, ELEMENTS_LIMIT);
                let (fits, _) = self.product_fits(bounds.stride, bounds.extent);
                let condition = self.all([low, fits]);
                self.add_limit(bounds.stride, condition);
            }
        }
        for output in &lowered.outputs {
            for (min, extent) in &output.window {
                self.limit_var(*min, 1 - SIZE_LIMIT);
                self.limit_var(*extent, 0);
            }
        }
    }

    /// Returns the condition that `first * second` is at most [`ELEMENTS_LIMIT`], and the product.
    /// Requires: neither factor is negative. The quotient comes first: if it is out of range the
    /// product may overflow 64 bits, and need not be evaluated.
    fn product_fits(&mut self, first: ExprId, second: ExprId) -> (ExprId, ExprId) {
        let (limit, one) = (self.algebra.int(ELEMENTS_LIMIT), self.algebra.int(1));
        let pool = &mut *self.algebra.pool;
        let divisor = pool.binary(BinaryOp::Max, first, one);
        let most = pool.binary(BinaryOp::Div, limit, divisor);
        let quotient = pool.binary(BinaryOp::Le, second, most);
        let product = self.algebra.mul(first, second);
        let bounded = self.compare(BinaryOp::Le, product, limit);
        (self.all([quotient, bounded]), product)
    }

    /// Checks the number of elements of each buffer that is allocated outside of all loops, or that
    /// has more than one dimension without a constant bound.
    fn allocations(&mut self, lowered: &Lowered, answer: &Answer, empty: ExprId) {
        let startup = self.entry_vars(lowered);
        for plan in &lowered.plans {
            let rank = self.algebra.pool.func(plan.func).rank();
            let (place, extents) = match answer.solution.hoisted.get(&plan.func) {
                Some((place, room)) => (*place, room.clone()),
                None => {
                    let extents = (0..rank).map(|dim| self.solved(answer, plan.func, dim).extent);
                    (plan.store, extents.collect::<Vec<ExprId>>())
                }
            };
            let repeated = match place {
                Placement::Inline => continue,
                Placement::Root => false,
                Placement::At(_) => true,
            };
            let fixed =
                extents.iter().all(|extent| is_startup(self.algebra.pool, *extent, &startup));
            let extents = if repeated {
                // Tiles have constant bounds. A size that depends on data and parameters may have
                // an upper bound that is known at entry.
                if !fixed && !extents.iter().any(|extent| converts(self.algebra.pool, *extent)) {
                    continue;
                }
                let most: Option<Vec<ExprId>> = extents
                    .iter()
                    .map(|extent| self.end(*extent, true, &startup, MOST_NESTED))
                    .collect();
                let Some(most) = most else { continue };
                let pool = &*self.algebra.pool;
                if most.iter().filter(|extent| pool.as_constant(**extent).is_none()).count() < 2 {
                    continue;
                }
                most
            } else {
                extents
            };
            let decl = self.algebra.pool.func(plan.func);
            let (name, rank) = (decl.name.clone(), decl.rank());
            if rank < 2 || lowered.algorithm.outputs.contains(&plan.func) {
                continue;
            }
            let mut size = extents[0];
            let mut conditions = vec![self.within(size, 0, ELEMENTS_LIMIT)];
            for extent in extents.into_iter().skip(1) {
                let zero = self.algebra.int(0);
                conditions.push(self.compare(BinaryOp::Le, zero, extent));
                let (fits, product) = self.product_fits(size, extent);
                conditions.push(fits);
                size = product;
            }
            let fits = self.all(conditions);
            let condition = self.any([empty, fits]);
            self.add(condition, Check::SizeLimit { what: format!("{name}.size") });
        }
    }

    /// Returns a bound of an integer over values known at entry: an upper bound if `upper`, else a
    /// lower bound.
    fn end(
        &mut self,
        expr: ExprId,
        upper: bool,
        startup: &FxHashSet<VarId>,
        depth: u32,
    ) -> Option<ExprId> {
        if is_startup(self.algebra.pool, expr, startup) {
            return Some(expr);
        }
        let depth = depth.checked_sub(1)?;
        if let Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), lhs, rhs) =
            *self.algebra.pool.get(expr)
        {
            let ends = (self.end(lhs, upper, startup, depth), self.end(rhs, upper, startup, depth));
            return match ends {
                (Some(lhs), Some(rhs)) => {
                    // A constant is the simplest bound.
                    let constant = [lhs, rhs]
                        .into_iter()
                        .find(|arm| self.algebra.pool.as_constant(*arm).is_some());
                    constant
                        .filter(|_| (op == BinaryOp::Min) == upper)
                        .or_else(|| Some(self.algebra.combine(op, lhs, rhs)))
                }
                // A minimum is at most either arm.
                (lhs, rhs) if (op == BinaryOp::Min) == upper => lhs.or(rhs),
                (_, _) => None,
            };
        }
        let sum = self.algebra.sum(expr);
        let mut total = self.algebra.int(0);
        for (product, coefficient) in sum.terms() {
            let atoms = self.algebra.expr(&Sum::term(product.clone(), 1));
            if atoms == expr {
                return None;
            }
            let part = self.end(atoms, upper == (coefficient > 0), startup, depth)?;
            let factor = self.algebra.int(coefficient);
            let part = self.algebra.mul(factor, part);
            total = self.algebra.add(total, part);
        }
        Some(total)
    }

    /// Returns the variables known at entry: parameters, the shapes of the caller's buffers, and
    /// the windows.
    fn entry_vars(&self, lowered: &Lowered) -> FxHashSet<VarId> {
        let pool = &*self.algebra.pool;
        let mut known: FxHashSet<VarId> = lowered.algorithm.params.iter().copied().collect();
        for buffer in caller_buffers(pool, lowered) {
            for dim in &pool.buffer(buffer).dims {
                known.extend(vars(pool, dim.min));
                known.extend(vars(pool, dim.extent));
            }
        }
        for output in &lowered.outputs {
            known.extend(output.window.iter().flat_map(|(min, extent)| [*min, *extent]));
        }
        known
    }

    fn layouts(&mut self, lowered: &Lowered) {
        for buffer in caller_buffers(self.algebra.pool, lowered) {
            let decl = self.algebra.pool.buffer(buffer);
            let (func, dims) = (decl.func, decl.dims.clone());
            let mut conditions = Vec::new();
            if let Some(first) = dims.first() {
                let one = self.algebra.int(1);
                conditions.push(self.compare(BinaryOp::Ge, first.stride, one));
            }
            for pair in dims.windows(2) {
                let span = self.algebra.mul(pair[0].stride, pair[0].extent);
                conditions.push(self.compare(BinaryOp::Ge, pair[1].stride, span));
            }
            let condition = self.all(conditions);
            self.add(condition, Check::Layout { func });
        }
    }

    fn domains(&mut self, lowered: &Lowered) {
        for plan in lowered.plans.iter().filter(|plan| !lowered.copies.contains_key(&plan.func)) {
            let stages = self.algebra.pool.func(plan.func).stages().to_vec();
            for (number, stage) in stages.iter().enumerate() {
                for (variable, bounds) in stage.domain.iter().enumerate() {
                    let zero = self.algebra.int(0);
                    let condition = self.compare(BinaryOp::Ge, bounds.extent, zero);
                    let check = Check::DomainExtent { func: plan.func, stage: number, variable };
                    self.add(condition, check);
                }
            }
        }
    }

    /// Checks that the extent of a domain that was split is not negative, which its blocks would
    /// not reveal.
    fn former_domains(&mut self, lowered: &Lowered) {
        for extent in lowered.extents.iter().filter(|extent| lowered.plan(extent.func).is_some()) {
            let zero = self.algebra.int(0);
            let condition = self.compare(BinaryOp::Ge, extent.value, zero);
            let (func, stage, variable) = (extent.original, extent.stage, extent.variable);
            self.add(condition, Check::DomainExtent { func, stage, variable });
        }
    }

    fn factors(&mut self, lowered: &Lowered) {
        for factor in &lowered.factors {
            let zero = self.algebra.int(0);
            let condition = self.compare(BinaryOp::Gt, factor.value, zero);
            let check = Check::SplitFactor { func: factor.func, variable: factor.variable.clone() };
            self.add(condition, check);
        }
    }

    /// Checks that one of the specializations applies, for funcs without an unspecialized form.
    fn specializations(&mut self, lowered: &Lowered, empty: ExprId) {
        for plan in lowered.plans.iter().filter(|plan| !lowered.copies.contains_key(&plan.func)) {
            let Some(message) = plan.fail.clone() else { continue };
            let conditions = plan.instances.iter().filter_map(|instance| instance.condition);
            let condition = self.any(std::iter::once(empty).chain(conditions));
            self.add(condition, Check::Require { message });
        }
    }

    /// Returns the condition that there is nothing to compute: every output's window is empty.
    fn empty(&mut self, lowered: &Lowered) -> ExprId {
        let mut conditions = Vec::new();
        for output in &lowered.outputs {
            let mut extents = Vec::new();
            for (_, extent) in &output.window {
                let extent = self.algebra.pool.var_expr(*extent);
                let zero = self.algebra.int(0);
                extents.push(self.compare(BinaryOp::Le, extent, zero));
            }
            conditions.push(self.any(extents));
        }
        self.all(conditions)
    }

    /// Checks that the windows of outputs have room for the blocks that must lie within.
    fn blocks(&mut self, lowered: &Lowered, empty: ExprId) {
        for block in &lowered.blocks {
            let Some(extent) = lowered.window_extent(block) else { continue };
            let extent = self.algebra.pool.var_expr(extent);
            let size = self.algebra.int(block.size);
            let fits = self.compare(BinaryOp::Ge, extent, size);
            let condition = self.any([empty, fits]);
            self.add(condition, Check::Bound { func: block.func, dim: block.dim });
        }
    }

    fn bounds(&mut self, lowered: &Lowered, answer: &Answer, empty: ExprId) {
        for (func, dim, condition) in &answer.bound_checks {
            let condition = self.any([empty, *condition]);
            self.add(condition, Check::Bound { func: lowered.original(*func), dim: *dim });
        }
    }

    fn inputs(&mut self, lowered: &Lowered, answer: &Answer, empty: ExprId) {
        for (input, groups) in lowered.algorithm.inputs.iter().zip(&answer.inputs) {
            let FuncKind::Input { buffer } = self.algebra.pool.func(*input).kind else { continue };
            let dims = self.algebra.pool.buffer(buffer).dims.clone();
            for (dim, given) in dims.iter().enumerate() {
                let given = Interval { min: given.min, extent: given.extent };
                let mut conditions = Vec::new();
                let mut hull: Option<(ExprId, ExprId)> = None;
                for group in groups {
                    let (low, high) = group.region[dim];
                    hull = Some(hull.map_or((low, high), |hull| {
                        (self.algebra.min(hull.0, low), self.algebra.max(hull.1, high))
                    }));
                    let contained = self.contains(given, low, high);
                    let mut cases = vec![empty];
                    for premise in &group.premises {
                        cases.push(self.negation(*premise));
                    }
                    cases.extend(self.empty_extents(&group.region));
                    cases.push(contained);
                    conditions.push(self.any(cases));
                }
                let Some((low, high)) = hull else { continue };
                let needed = self.interval(low, high);
                let condition = self.all(conditions);
                let check = Check::InputRegion { input: *input, dim, needed, given };
                self.add(condition, check);
            }
        }
    }

    /// Returns conditions under which a region has no points, for the dimensions where that is
    /// possible.
    fn empty_extents(&mut self, region: &Region) -> Vec<ExprId> {
        let mut conditions: Vec<ExprId> = Vec::new();
        for (low, high) in region {
            if !self.algebra.proves_le(*low, *high) && !self.algebra.proves_le_by_arms(*low, *high)
            {
                let extent = self.interval(*low, *high).extent;
                let zero = self.algebra.int(0);
                conditions.push(self.compare(BinaryOp::Le, extent, zero));
            }
        }
        let mut seen = FxHashSet::default();
        conditions.retain(|condition| seen.insert(*condition));
        conditions
    }

    fn interval(&mut self, low: ExprId, high: ExprId) -> Interval {
        let extent = self.algebra.sub(high, low);
        Interval { min: low, extent: self.algebra.offset(extent, 1) }
    }

    fn contains(&mut self, given: Interval, low: ExprId, high: ExprId) -> ExprId {
        let below = self.algebra.sub(low, given.min);
        let given_end = self.algebra.add(given.min, given.extent);
        let end = self.algebra.offset(high, 1);
        let above = self.algebra.sub(given_end, end);
        let conditions = [below, above].map(|difference| self.nonnegative(difference));
        self.all(conditions)
    }

    /// Splits `difference >= 0` into conditions: on both arms of a minimum, on one arm of a
    /// maximum. Parts that are known to hold are dropped.
    fn nonnegative(&mut self, difference: ExprId) -> ExprId {
        if self.algebra.proves_nonnegative(difference) {
            return self.algebra.pool.constant(Constant::bool(true));
        }
        let sum = self.algebra.sum(difference);
        if let Some((op, lhs, rhs)) = self.algebra.lone_extremum(&sum) {
            let parts = [self.nonnegative(lhs), self.nonnegative(rhs)];
            return if op == BinaryOp::Min { self.all(parts) } else { self.any(parts) };
        }
        let Some(negated) = Sum::default().plus(&sum, -1) else {
            let zero = self.algebra.int(0);
            return self.compare(BinaryOp::Le, zero, difference);
        };
        let large = sum.filter_map(|_, coefficient| coefficient.max(0));
        let small = negated.filter_map(|_, coefficient| coefficient.max(0));
        let (small, large) = (self.algebra.expr(&small), self.algebra.expr(&large));
        self.compare(BinaryOp::Le, small, large)
    }

    fn outputs(&mut self, lowered: &Lowered, answer: &Answer, empty: ExprId) {
        for output in &lowered.outputs {
            let Some(first) = output.buffers.first() else { continue };
            let dims = self.algebra.pool.buffer(*first).dims.clone();
            for (dim, given) in dims.iter().enumerate() {
                let given = Interval { min: given.min, extent: given.extent };
                let written = self.solved(answer, output.func, dim);
                let last = self.algebra.add(written.min, written.extent);
                let high = self.algebra.offset(last, -1);
                let contained = self.contains(given, written.min, high);
                let condition = self.any([empty, contained]);
                let check =
                    Check::OutputRegion { output: output.func, dim, needed: written, given };
                self.add(condition, check);
            }
        }
    }

    fn solved(&mut self, answer: &Answer, func: FuncId, dim: usize) -> Interval {
        let interval = hole(self.algebra.pool, func, dim, HoleKind::Allocation);
        let mut apply = |expr| {
            let expr = answer.solution.apply(self.algebra.pool, expr);
            self.algebra.simplify(expr)
        };
        Interval { min: apply(interval.min), extent: apply(interval.extent) }
    }
}

/// True if an `int` in the expression is converted from a machine value.
fn converts(pool: &Pool, expr: ExprId) -> bool {
    let mut found = false;
    pool.for_each_subexpr(expr, &mut |_, expr| {
        found |= matches!(expr, Expr::Cast(Scalar::Int, _));
    });
    found
}

/// True if an expression is over startup values only.
pub(crate) fn is_startup(pool: &Pool, expr: ExprId, startup: &FxHashSet<VarId>) -> bool {
    let mut reads = false;
    pool.for_each_subexpr(expr, &mut |_, expr| {
        reads |= matches!(expr, Expr::Ref { .. } | Expr::Load { .. } | Expr::Hole(_));
    });
    !reads && vars(pool, expr).is_subset(startup)
}
