//! Splits loops where their conditions and clamps are decided: the long middle part runs without
//! them.

mod decide;
mod dense;
mod size;
mod steady;

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::visit::{Fold, rewrite, walk};
use halidom_ir::{
    BinaryOp, Expr, ExprId, Label, LoopKind, Partition as Policy, Pool, Program, Stmt, StmtId,
    Type, VarId,
};

use crate::interval::Intervals;
use crate::refresh::refresh;
use crate::{LowerError, index};
use decide::decide;
use dense::in_two_forms;
use size::{MOST_COPIED, MOST_DEMANDED, MOST_SWITCHED, size};
use steady::{Scope, Side, Steady};

/// Loops that are known to be no longer than this are not partitioned: the second loop costs as
/// much as the tests.
const SHORT: i128 = 4;

/// Splits loops where conditions change. In a serial loop, a comparison, minimum or maximum of an
/// expression that is affine in the loop's variable changes its outcome only once if all else is
/// loop-invariant.
///
/// * *Trimming.* `for x in [m, n] { if c(x) { A } }` runs only over those `x` for which `c` holds.
/// * *Partitioning.* A loop becomes a steady loop, in which conditions hold and minima and maxima
///   equal the operand that changes with `x`, and loops of the original body before and after it.
///   Of a coordinate and its mirror image, made of one remainder, the coordinate is taken, and the
///   remainder equals its dividend there.
///   Comparisons that choose values are decided if that makes the steady loop no shorter. A loop is
///   partitioned only if its steady form contains no loop, so that code grows by a factor of 3 at
///   most.
///
/// A loop that cannot be split in this way, because its parts would change with a loop around it,
/// gets two forms: one runs where the conditions hold in all iterations, the other elsewhere.
/// Vectors in it that are loaded at clamped indices also get two forms: one runs where the clamps
/// do nothing, with dense loads, the other elsewhere.
///
/// Loop-invariant conditions in an innermost loop are tested before it: `if` all hold `{` the loop
/// without them, divided as above `} else {` the loop `}`. So the copies that unrolling made of a
/// row, each under a test, become neighbours that can share their loads.
///
/// A loop with the label `never` stays as it is; one with the label `always` is partitioned even if
/// it is short, large or contains loops.
///
/// Requires: storage is flattened; every binder is unique.
/// Ensures: as before; loops whose bodies are decided everywhere except at the loops' ends have no
/// conditions in between; no [`Label::Partition`].
pub fn partition(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    let mut fold = Partition { varying: FxHashSet::default(), intervals: Intervals::default() };
    rewrite(&mut fold, pool, program)
}

struct Partition {
    /// Variables that change within the place that computes the current func: its loops, and lets
    /// of them.
    varying: FxHashSet<VarId>,
    /// The intervals of lets.
    intervals: Intervals,
}

impl Fold<LowerError> for Partition {
    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
        let stmt = pool.get_stmt(id);
        if let Stmt::Labeled { label: Label::Func { .. }, .. } = stmt {
            let outer = std::mem::take(&mut self.varying);
            let id = walk(self, pool, id);
            self.varying = outer;
            return id;
        }
        if let Stmt::Labeled { label: Label::Partition(policy), body } = *stmt {
            return self.labelled(pool, policy, body);
        }
        if let Stmt::Let { var, value, .. } = *stmt {
            if self.varies(pool, value) {
                self.varying.insert(var);
            }
            let interval = self.intervals.of(pool, value, &mut FxHashMap::default());
            self.intervals.set(var, Some(interval));
        }
        // The `else` branch handles the remainder of vectors: it is rarely run, and short as it is.
        if let Stmt::If { condition, then_branch, else_branch: else_branch @ Some(_) } = *stmt {
            let then_branch = self.stmt(pool, then_branch)?;
            return Ok(pool.stmt(Stmt::If { condition, then_branch, else_branch }));
        }
        let Stmt::For { var, .. } = *stmt else { return walk(self, pool, id) };
        self.varying.insert(var);
        let id = walk(self, pool, id)?;
        self.divided(pool, id, Policy::Auto)
    }
}

impl Partition {
    /// Partitions a loop that has a policy from the schedule. Vectors or copies that replaced it
    /// have no label.
    fn labelled(
        &mut self,
        pool: &mut Pool,
        policy: Policy,
        body: StmtId,
    ) -> Result<StmtId, LowerError> {
        let Stmt::For { var, .. } = *pool.get_stmt(body) else { return self.stmt(pool, body) };
        self.varying.insert(var);
        let id = walk(self, pool, body)?;
        match policy {
            Policy::Never => Ok(id),
            Policy::Auto | Policy::Always => self.divided(pool, id, policy),
        }
    }

    /// Trims a loop and splits it into parts.
    fn divided(&self, pool: &mut Pool, id: StmtId, policy: Policy) -> Result<StmtId, LowerError> {
        let Some(nest) = Loop::of(pool, id) else { return Ok(id) };
        let nest = self.trimmed(pool, nest)?;
        if let Some((condition, decided)) = nest.uniform_conditions(pool) {
            let body = decide(pool, nest.body, &decided)?;
            let then_branch = self.parts(pool, Loop { body, ..nest }, policy)?;
            let else_branch = Some(nest.copy(pool)?);
            return Ok(pool.stmt(Stmt::If { condition, then_branch, else_branch }));
        }
        self.parts(pool, nest, policy)
    }

    /// Splits a loop that is already trimmed.
    fn parts(&self, pool: &mut Pool, nest: Loop, policy: Policy) -> Result<StmtId, LowerError> {
        if let Some(parts) = self.partitioned(pool, nest, policy)? {
            return Ok(parts);
        }
        let whole = nest.stmt(pool);
        in_two_forms(pool, whole)
    }

    /// True if a value changes within the place that computes the current func. The loops that
    /// partitioning makes there start at an invariant value, and end at a quotient of one. Only
    /// then are they easy to distinguish from a coordinate, for readers and for the validator.
    fn varies(&self, pool: &Pool, expr: ExprId) -> bool {
        let mut varies = false;
        pool.for_each_subexpr(expr, &mut |_, expr| {
            if let Expr::Var(var) = expr {
                varies |= self.varying.contains(var);
            }
        });
        varies
    }

    /// Returns the loop over the values for which its body has an effect.
    fn trimmed(&self, pool: &mut Pool, nest: Loop) -> Result<Loop, LowerError> {
        let mut scope = Scope::new(pool, nest.var, nest.body, Side::Exact);
        // The lets before the condition.
        let mut inner = nest.body;
        while let Stmt::Let { var, value, body } = *pool.get_stmt(inner) {
            scope.bind(pool, var, value);
            inner = body;
        }
        let Stmt::If { condition, else_branch: None, .. } = *pool.get_stmt(inner) else {
            return Ok(nest);
        };
        scope.condition(pool, condition);
        scope.start_at(nest.first(pool));
        let steady = scope.finish();
        if steady.is_unlimited() {
            return Ok(nest);
        }
        let body = decide(pool, nest.body, &steady.decided)?;
        let end = index::add(pool, nest.min, nest.extent);
        let low = steady.low(pool);
        if low.is_some_and(|low| self.varies(pool, low)) {
            return Ok(nest);
        }
        let (min, most) = match low {
            Some(low) => {
                let min = pool.binary(BinaryOp::Max, nest.min, low);
                (min, index::sub(pool, end, min))
            }
            None => (nest.min, nest.extent),
        };
        let extent = match steady.high(pool) {
            Some(high) if steady.divides() && self.varies(pool, high) => return Ok(nest),
            Some(high) => {
                let count = index::sub(pool, high, min);
                pool.binary(BinaryOp::Min, most, count)
            }
            None => most,
        };
        Ok(Loop { min, extent, body, ..nest })
    }

    /// Returns the loop in parts, if that decides anything and the limits can be expressed.
    fn partitioned(
        &self,
        pool: &mut Pool,
        nest: Loop,
        policy: Policy,
    ) -> Result<Option<StmtId>, LowerError> {
        let demanded = policy == Policy::Always;
        let count = self.intervals.of(pool, nest.extent, &mut FxHashMap::default());
        let is_short = count.high.is_some_and(|high| high <= SHORT);
        let most = if demanded { MOST_DEMANDED } else { MOST_COPIED };
        let side = if demanded { Side::Demanded } else { Side::Steady };
        let mut scope = Scope::new(pool, nest.var, nest.body, side);
        if is_short && !demanded || size(pool, nest.body) > most || !scope.stmt(pool, nest.body) {
            return Ok(None);
        }
        scope.decide_values(pool);
        scope.start_at(nest.first(pool));
        let steady = scope.finish();
        if steady.is_unlimited() {
            return Ok(None);
        }
        let body = decide(pool, nest.body, &steady.decided)?;
        let mut lets = Vec::new();
        let mut parts = Vec::new();
        let end = index::add(pool, nest.min, nest.extent);
        let mut from = nest.min;
        if let Some(low) = steady.low(pool) {
            if self.varies(pool, low) {
                return nest.decided_or_not(pool, &steady);
            }
            // Within [min, end], and at min where the loop does not run.
            let low = pool.binary(BinaryOp::Min, low, end);
            let low = pool.binary(BinaryOp::Max, nest.min, low);
            let low = nest.bind(pool, "steady", low, &mut lets);
            let extent = index::sub(pool, low, nest.min);
            parts.push(Loop { extent, ..nest }.copy(pool)?);
            from = low;
        }
        let Some(high) = steady.high(pool) else {
            let extent = index::sub(pool, end, from);
            parts.push(Loop { min: from, extent, body, ..nest }.stmt(pool));
            return Ok(Some(block_under(pool, parts, lets)));
        };
        let varies = self.varies(pool, high);
        if varies && steady.divides() {
            return nest.decided_or_not(pool, &steady);
        }
        let high = pool.binary(BinaryOp::Min, high, end);
        let high = pool.binary(BinaryOp::Max, from, high);
        let high = nest.bind(pool, "tail", high, &mut lets);
        let extent = index::sub(pool, high, from);
        parts.push(Loop { min: from, extent, body, ..nest }.stmt(pool));
        let refuted = steady.refuted_after(pool);
        let tail = Loop { body: decide(pool, nest.body, &refuted)?, ..nest };
        parts.push(if varies {
            tail.starting_at(pool, high)?
        } else {
            let extent = index::sub(pool, end, high);
            Loop { min: high, extent, ..tail }.copy(pool)?
        });
        Ok(Some(block_under(pool, parts, lets)))
    }
}

fn block_under(pool: &mut Pool, parts: Vec<StmtId>, lets: Vec<(VarId, ExprId)>) -> StmtId {
    let mut result = pool.stmt(Stmt::Block(parts));
    for (var, value) in lets.into_iter().rev() {
        result = pool.stmt(Stmt::Let { var, value, body: result });
    }
    result
}

/// A serial loop.
#[derive(Clone, Copy)]
struct Loop {
    var: VarId,
    min: ExprId,
    extent: ExprId,
    body: StmtId,
}

impl Loop {
    fn of(pool: &Pool, id: StmtId) -> Option<Self> {
        if let Stmt::For { var, min, extent, kind: LoopKind::Serial, body } = *pool.get_stmt(id) {
            Some(Self { var, min, extent, body })
        } else {
            None
        }
    }

    fn stmt(self, pool: &mut Pool) -> StmtId {
        let Self { var, min, extent, body } = self;
        pool.stmt(Stmt::For { var, min, extent, kind: LoopKind::Serial, body })
    }

    /// Returns the first value, if it is a number.
    fn first(self, pool: &Pool) -> Option<i128> {
        index::as_int(pool, self.min)
    }

    fn bind(
        self,
        pool: &mut Pool,
        what: &str,
        value: ExprId,
        lets: &mut Vec<(VarId, ExprId)>,
    ) -> ExprId {
        let name = [&pool.var(self.var).name, ".", what].concat();
        let var = pool.declare_var(name, Type::INT);
        lets.push((var, value));
        pool.var_expr(var)
    }

    /// Returns the conjunction of the loop-invariant conditions in the body, and the values of
    /// these conditions if it holds.
    fn uniform_conditions(self, pool: &mut Pool) -> Option<(ExprId, FxHashMap<ExprId, ExprId>)> {
        if size(pool, self.body) > MOST_SWITCHED {
            return None;
        }
        let mut scope = Scope::new(pool, self.var, self.body, Side::Exact);
        if !scope.conditions(pool, self.body) {
            return None;
        }
        scope.finish().uniform(pool)
    }

    /// Makes `if` conditions hold in all iterations `{` the loop without them `} else {` the loop
    /// `}`.
    fn decided_or_not(
        self,
        pool: &mut Pool,
        steady: &Steady,
    ) -> Result<Option<StmtId>, LowerError> {
        let end = index::add(pool, self.min, self.extent);
        let one = pool.int(1);
        let last = index::sub(pool, end, one);
        let Some(condition) = steady.holds_within(pool, self.min, last) else { return Ok(None) };
        let body = decide(pool, self.body, &steady.decided)?;
        let then_branch = Self { body, ..self }.stmt(pool);
        let else_branch = Some(self.copy(pool)?);
        Ok(Some(pool.stmt(Stmt::If { condition, then_branch, else_branch })))
    }

    /// Copies the loop with fresh binders.
    fn copy(self, pool: &mut Pool) -> Result<StmtId, LowerError> {
        let part = self.stmt(pool);
        refresh(pool, part, &[])
    }

    /// Copies the part of the loop from a value on, with fresh binders.
    fn starting_at(self, pool: &mut Pool, first: ExprId) -> Result<StmtId, LowerError> {
        let var = pool.var_expr(self.var);
        let is_part = pool.binary(BinaryOp::Le, first, var);
        let then_branch = self.body;
        let body = Stmt::If { condition: is_part, then_branch, else_branch: None };
        let body = pool.stmt(body);
        let part = Self { body, ..self }.copy(pool)?;
        let end = index::add(pool, self.min, self.extent);
        let is_left = pool.binary(BinaryOp::Lt, first, end);
        Ok(pool.stmt(Stmt::If { condition: is_left, then_branch: part, else_branch: None }))
    }
}
