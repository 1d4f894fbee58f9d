//! The steady range of a loop, where its conditions hold and its clamps do nothing.

use halidom_base::{FxHashMap, FxHashSet, IndexMap};
use halidom_ir::visit::{Role, for_each_stmt};
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Label, Pool, Scalar, Stmt, StmtId, VarId};

use super::decide::settled;
use crate::exprs::loads;
use crate::index;
use crate::linear::{Linear, combine, sum_of};

/// The maximum number of limits on either side; each costs a minimum or maximum before the loop.
const MOST_LIMITS: usize = 4;

/// The kinds of expressions that may be decided.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Conditions only: where they do not hold nothing happens.
    Exact,
    /// Minima, maxima and remainders too, in bodies without loops.
    Steady,
    /// The same in any body.
    Demanded,
}

/// Decisions, and the values of the loop variable for which they are right.
pub(super) struct Steady {
    /// Maps conditions to `true`; minima, maxima and remainders to an operand.
    pub(super) decided: FxHashMap<ExprId, ExprId>,
    /// Limits `factor·x + rest <= 0` with a positive factor: maps the factor and the other terms of
    /// the rest to the constant of the rest.
    upper: IndexMap<(i128, Vec<(ExprId, i128)>), i128>,
    /// The same with `-factor·x`.
    lower: IndexMap<(i128, Vec<(ExprId, i128)>), i128>,
    /// The conditions that limit above.
    conditions: Vec<ExprId>,
    /// True if minima, maxima or remainders limit above, too.
    clamps: bool,
    /// True if any of these is decided.
    decides_clamps: bool,
    /// Limits `rest <= 0` from loop-invariant conditions.
    uniform: IndexMap<Vec<(ExprId, i128)>, i128>,
    /// The loop-invariant conditions.
    uniform_conditions: Vec<ExprId>,
}

impl Steady {
    /// True if there are no limits (the decisions are right everywhere, or absent), or too many.
    pub(super) fn is_unlimited(&self) -> bool {
        self.upper.is_empty() && self.lower.is_empty()
            || self.upper.len() > MOST_LIMITS
            || self.lower.len() > MOST_LIMITS
    }

    /// True if the last value is a quotient.
    pub(super) fn divides(&self) -> bool {
        self.upper.keys().any(|(factor, _)| *factor > 1)
    }

    /// Returns the first value.
    pub(super) fn low(&self, pool: &mut Pool) -> Option<ExprId> {
        // -f·x + r <= 0 exactly if x >= r/f, rounded up.
        let mut low = None;
        for ((factor, terms), constant) in &self.lower {
            let rest = sum_of(pool, terms.iter().copied(), constant + factor - 1);
            let limit = divide(pool, rest, *factor);
            low = Some(match low {
                Some(low) => pool.binary(BinaryOp::Max, low, limit),
                None => limit,
            });
        }
        low
    }

    /// Returns the last value plus 1.
    pub(super) fn high(&self, pool: &mut Pool) -> Option<ExprId> {
        // f·x + r <= 0 exactly if x <= -r/f, rounded down.
        let mut high = None;
        for ((factor, terms), constant) in &self.upper {
            let terms = terms.iter().map(|(atom, by)| (*atom, -by));
            let rest = sum_of(pool, terms, factor - constant);
            let limit = divide(pool, rest, *factor);
            high = Some(match high {
                Some(high) => pool.binary(BinaryOp::Min, high, limit),
                None => limit,
            });
        }
        high
    }

    /// Returns the conjunction of all loop-invariant conditions, and their values if it holds;
    /// `None` if there are fewer than two.
    pub(super) fn uniform(&self, pool: &mut Pool) -> Option<(ExprId, FxHashMap<ExprId, ExprId>)> {
        // A single condition has nothing to share with another.
        if self.uniform_conditions.len() < 2 {
            return None;
        }
        let zero = pool.int(0);
        let mut all = None;
        for (terms, constant) in &self.uniform {
            let rest = sum_of(pool, terms.iter().copied(), *constant);
            let one = pool.binary(BinaryOp::Le, rest, zero);
            all = Some(match all {
                Some(all) => pool.binary(BinaryOp::And, all, one),
                None => one,
            });
        }
        let yes = pool.constant(Constant::bool(true));
        Some((all?, self.uniform_conditions.iter().map(|condition| (*condition, yes)).collect()))
    }

    /// Returns the condition that the decisions are right from one value to another; `None` if
    /// clamps are among them, because these have an effect at the ends of most long loops.
    pub(super) fn holds_within(
        &self,
        pool: &mut Pool,
        first: ExprId,
        last: ExprId,
    ) -> Option<ExprId> {
        if self.decides_clamps {
            return None;
        }
        let mut all = None;
        let mut require = |pool: &mut Pool, lhs: ExprId, rhs: ExprId| {
            let one = pool.binary(BinaryOp::Le, lhs, rhs);
            all = Some(match all {
                Some(all) => pool.binary(BinaryOp::And, all, one),
                None => one,
            });
        };
        for ((factor, terms), constant) in &self.lower {
            let rest = sum_of(pool, terms.iter().copied(), *constant);
            let factor = pool.int(*factor);
            let first = index::mul(pool, first, factor);
            require(pool, rest, first);
        }
        for ((factor, terms), constant) in &self.upper {
            let terms = terms.iter().map(|(atom, by)| (*atom, -by));
            let rest = sum_of(pool, terms, -constant);
            let factor = pool.int(*factor);
            let last = index::mul(pool, last, factor);
            require(pool, last, rest);
        }
        all
    }

    /// Returns the condition that is false after the last value, with that value.
    pub(super) fn refuted_after(&self, pool: &mut Pool) -> FxHashMap<ExprId, ExprId> {
        match self.conditions[..] {
            [only] if !self.clamps && self.lower.is_empty() => {
                let no = pool.constant(Constant::bool(false));
                FxHashMap::from_iter([(only, no)])
            }
            _ => FxHashMap::default(),
        }
    }
}

fn divide(pool: &mut Pool, dividend: ExprId, divisor: i128) -> ExprId {
    if divisor == 1 {
        return dividend;
    }
    let divisor = pool.int(divisor);
    pool.binary(BinaryOp::Div, dividend, divisor)
}

/// The state of reading a loop body.
pub(super) struct Scope {
    var: ExprId,
    side: Side,
    /// Variables whose values may differ between iterations.
    bound: FxHashSet<VarId>,
    /// The forms of lets; other lets within the body are unknown.
    lets: FxHashMap<VarId, Linear>,
    done: FxHashMap<ExprId, Option<Linear>>,
    /// The remainders that a coordinate and its mirror image have in common.
    folded: FxHashSet<ExprId>,
    /// Comparisons that choose values.
    comparisons: Vec<ExprId>,
    steady: Steady,
}

impl Scope {
    pub(super) fn new(pool: &mut Pool, var: VarId, body: StmtId, side: Side) -> Self {
        let mut bound = FxHashSet::from_iter([var]);
        binders(pool, body, &mut bound);
        let steady = Steady {
            decided: FxHashMap::default(),
            upper: IndexMap::default(),
            lower: IndexMap::default(),
            conditions: Vec::new(),
            clamps: false,
            decides_clamps: false,
            uniform: IndexMap::default(),
            uniform_conditions: Vec::new(),
        };
        Self {
            var: pool.var_expr(var),
            side,
            bound,
            lets: FxHashMap::default(),
            done: FxHashMap::default(),
            folded: FxHashSet::default(),
            comparisons: Vec::new(),
            steady,
        }
    }

    /// Drops lower limits that a known first value satisfies.
    pub(super) fn start_at(&mut self, first: Option<i128>) {
        let Some(first) = first else { return };
        self.steady.lower.retain(|(factor, terms), constant| {
            let holds = factor.checked_mul(first).is_some_and(|least| *constant <= least);
            !(terms.is_empty() && holds)
        });
    }

    pub(super) fn finish(self) -> Steady {
        self.steady
    }

    /// Records the value of a let.
    pub(super) fn bind(&mut self, pool: &mut Pool, var: VarId, value: ExprId) {
        if let Some(form) = self.form(pool, value) {
            self.lets.insert(var, form);
        }
    }

    /// Reads a statement of the body. Returns true if it can be part of a steady loop.
    pub(super) fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> bool {
        let stmt = pool.get_stmt(id).clone();
        let is_demanded = self.side == Side::Demanded;
        if let Stmt::If { condition, then_branch, else_branch } = stmt {
            let whole = self.condition(pool, condition);
            return self.stmt(pool, then_branch)
                && (whole || else_branch.is_none_or(|branch| self.stmt(pool, branch)));
        }
        // The stores of a func with updates stay together, because promises about them hold for one
        // place that computes the func.
        if let Stmt::Labeled { label: Label::Func { func, .. }, .. } = stmt
            && !is_demanded
            && pool.func(func).stages().len() > 1
        {
            return false;
        }
        if matches!(stmt, Stmt::Assert { .. } | Stmt::Provide { .. })
            || matches!(stmt, Stmt::For { .. } | Stmt::Allocate { .. }) && !is_demanded
        {
            return false;
        }
        let mut computed = Vec::new();
        stmt.for_each_expr(pool, &mut |role, expr| {
            if !role.is_annotation() && role != Role::Layout && role != Role::Prefetch {
                computed.push(expr);
            }
        });
        for expr in computed {
            self.clamped(pool, expr);
        }
        if let Stmt::Let { var, value, .. } = stmt {
            self.bind(pool, var, value);
        }
        stmt.children().all(|child| self.stmt(pool, child))
    }

    /// Reads the conditions of a body. Returns true if outside of `else` branches it consists only
    /// of lets, conditions and stores.
    pub(super) fn conditions(&mut self, pool: &mut Pool, id: StmtId) -> bool {
        let stmt = pool.get_stmt(id).clone();
        if let Stmt::If { condition, then_branch, else_branch: _ } = stmt {
            self.condition(pool, condition);
            return self.conditions(pool, then_branch);
        }
        if let Stmt::Let { var, value, .. } = stmt {
            self.bind(pool, var, value);
        }
        matches!(stmt, Stmt::Block(_) | Stmt::Let { .. } | Stmt::Store { .. })
            && stmt.children().all(|child| self.conditions(pool, child))
    }

    /// Assumes the parts of a condition that can be decided. Returns true if that is all of it.
    pub(super) fn condition(&mut self, pool: &mut Pool, id: ExprId) -> bool {
        let (strict, lhs, rhs) = match *pool.get(id) {
            Expr::Binary(BinaryOp::And, lhs, rhs) => {
                let lhs = self.condition(pool, lhs);
                return self.condition(pool, rhs) && lhs;
            }
            Expr::Binary(BinaryOp::Lt, lhs, rhs) => (1, lhs, rhs),
            Expr::Binary(BinaryOp::Le, lhs, rhs) => (0, lhs, rhs),
            Expr::Const(_)
            | Expr::Var(_)
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
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => return false,
        };
        if pool.ty(lhs).scalar != Scalar::Int || pool.ty(lhs).lanes != 1 {
            return false;
        }
        let (Some(lhs), Some(rhs)) = (self.form(pool, lhs), self.form(pool, rhs)) else {
            return false;
        };
        let excess = lhs.plus(&rhs, -1).and_then(|sum| sum.plus(&Linear::constant(1), strict));
        let Some(excess) = excess else { return false };
        if excess.factor(self.var) == 0 {
            let constant = excess.constant_part();
            let least = self.steady.uniform.entry(excess.terms().collect());
            let least = least.or_insert(constant);
            *least = constant.max(*least);
            self.steady.uniform_conditions.push(id);
            return false;
        }
        if excess.factor(self.var) > 0 {
            self.steady.conditions.push(id);
        }
        self.limit(excess);
        let yes = pool.constant(Constant::bool(true));
        self.steady.decided.insert(id, yes);
        true
    }

    /// Decides minima, maxima and remainders within an expression.
    fn clamped(&mut self, pool: &mut Pool, id: ExprId) {
        let mut clamps = Vec::new();
        pool.for_each_subexpr(id, &mut |id, expr| {
            if matches!(expr, Expr::Binary(BinaryOp::Min | BinaryOp::Max, ..)) {
                clamps.push(id);
            }
            if matches!(expr, Expr::Binary(BinaryOp::Lt | BinaryOp::Le, ..)) {
                self.comparisons.push(id);
            }
        });
        for clamp in clamps {
            self.form(pool, clamp);
        }
    }

    /// Decides the comparisons that choose values if the existing limits make them the same in all
    /// lanes. They do not become limits themselves: a value that is chosen in half of the loop
    /// would make the steady part half as long.
    pub(super) fn decide_values(&mut self, pool: &mut Pool) {
        for id in std::mem::take(&mut self.comparisons) {
            let Expr::Binary(op, lhs, rhs) = *pool.get(id) else { continue };
            let lanes = pool.ty(id).lanes;
            let (Some(lhs), Some(rhs)) = (self.form(pool, lhs), self.form(pool, rhs)) else {
                continue;
            };
            let is_known = |excess: &Linear| self.is_limited(excess);
            if let Some(value) = settled(pool, op, (&lhs, &rhs), lanes, &is_known) {
                self.steady.decided.entry(id).or_insert(value);
            }
        }
    }

    /// True if `excess <= 0` follows from the limits.
    fn is_limited(&self, excess: &Linear) -> bool {
        let factor = excess.factor(self.var);
        let side = match factor.signum() {
            0 => return false,
            1 => &self.steady.upper,
            _ => &self.steady.lower,
        };
        let rest = excess.clone().without(self.var);
        // The same terms, in any order.
        let is_same = |terms: &[(ExprId, i128)]| {
            terms.len() == rest.terms().count()
                && terms.iter().all(|(atom, by)| rest.factor(*atom) == *by)
        };
        side.iter().any(|((by, terms), constant)| {
            *by == factor.saturating_abs() && is_same(terms) && rest.constant_part() <= *constant
        })
    }

    /// Adds the limit `excess <= 0`.
    fn limit(&mut self, excess: Linear) {
        let factor = excess.factor(self.var);
        let rest = excess.without(self.var);
        let side = if factor > 0 { &mut self.steady.upper } else { &mut self.steady.lower };
        let key = (factor.saturating_abs(), rest.terms().collect());
        let constant = side.entry(key).or_insert(rest.constant_part());
        *constant = rest.constant_part().max(*constant);
    }

    /// Returns the expression as a sum, with decisions made; `None` if it is not a sum.
    fn form(&mut self, pool: &mut Pool, id: ExprId) -> Option<Linear> {
        if let Some(form) = self.done.get(&id) {
            return form.clone();
        }
        let form = self.make(pool, id);
        self.done.insert(id, form.clone());
        form
    }

    fn make(&mut self, pool: &mut Pool, id: ExprId) -> Option<Linear> {
        if pool.ty(id).scalar != Scalar::Int {
            return None;
        }
        let expr = pool.get(id).clone();
        if let Expr::Var(var) = expr {
            if id == self.var || !self.bound.contains(&var) {
                return (pool.ty(id).lanes == 1).then(|| Linear::atom(id));
            }
            return self.lets.get(&var).cloned();
        }
        if let Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), lhs, rhs) = expr
            && let Some(form) = self.clamp(pool, id, op, lhs, rhs)
        {
            return Some(form);
        }
        if let Expr::Binary(BinaryOp::Mod, lhs, rhs) = expr
            && self.folded.contains(&id)
            && let Some(form) = self.remainder(pool, id, lhs, rhs)
        {
            return Some(form);
        }
        if let Some(form) = combine(pool, &expr, &mut |pool, operand| self.form(pool, operand)) {
            return Some(form);
        }
        self.is_uniform(pool, id).then(|| Linear::atom(id))
    }

    /// Chooses the operand of a minimum or maximum that changes with the loop variable.
    fn clamp(
        &mut self,
        pool: &mut Pool,
        id: ExprId,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
    ) -> Option<Linear> {
        if self.side == Side::Exact {
            return None;
        }
        let of = |operand| remainders(pool, operand);
        let both: Vec<ExprId> = of(lhs).intersection(&of(rhs)).copied().collect();
        self.folded.extend(both.iter().copied());
        let (a, b) = (self.form(pool, lhs)?, self.form(pool, rhs)?);
        let factors = (a.factor(self.var), b.factor(self.var));
        let (chosen, form, other) = match factors {
            (0, 0) => return None,
            (_, 0) => (lhs, a, b),
            (0, _) => (rhs, b, a),
            // A coordinate and its mirror image: the loop follows the coordinate.
            (rises, falls) if rises > 0 && falls < 0 && !both.is_empty() => (lhs, a, b),
            (falls, rises) if rises > 0 && falls < 0 && !both.is_empty() => (rhs, b, a),
            (_, _) => return None,
        };
        let sign = if op == BinaryOp::Min { 1 } else { -1 };
        let excess = Linear::default().plus(&form, sign)?.plus(&other, -sign)?;
        let mut excess = excess.greatest(0, pool.ty(id).lanes)?;
        if factors.0 != 0 && factors.1 != 0 {
            // The coordinate counts twice.
            excess = excess.reduced()?;
        }
        if excess.factor(self.var) > 0 {
            self.steady.clamps = true;
        }
        self.limit(excess);
        self.steady.decides_clamps = true;
        self.steady.decided.insert(id, chosen);
        Some(form)
    }

    /// Takes the dividend for a remainder, from 0 until the divisor.
    fn remainder(
        &mut self,
        pool: &mut Pool,
        id: ExprId,
        lhs: ExprId,
        rhs: ExprId,
    ) -> Option<Linear> {
        if self.side == Side::Exact {
            return None;
        }
        let (form, divisor) = (self.form(pool, lhs)?, self.form(pool, rhs)?);
        if form.factor(self.var) == 0 || divisor.factor(self.var) != 0 {
            return None;
        }
        let lanes = pool.ty(id).lanes;
        let below = Linear::default().plus(&form, -1)?.greatest(0, lanes)?;
        let above = Linear::default().plus(&form, 1)?.plus(&divisor, -1)?.greatest(1, lanes)?;
        self.limit(below);
        self.limit(above);
        self.steady.clamps = true;
        self.steady.decides_clamps = true;
        self.steady.decided.insert(id, lhs);
        Some(form)
    }

    /// True if an expression has one value in all iterations.
    fn is_uniform(&self, pool: &Pool, id: ExprId) -> bool {
        let mut uniform = pool.ty(id).lanes == 1 && !loads(pool, id);
        pool.for_each_subexpr(id, &mut |_, expr| {
            if let Expr::Var(var) = expr {
                uniform &= !self.bound.contains(var);
            }
        });
        uniform
    }
}

/// The remainders within an expression.
fn remainders(pool: &Pool, id: ExprId) -> FxHashSet<ExprId> {
    let mut found = FxHashSet::default();
    pool.for_each_subexpr(id, &mut |id, expr| {
        if matches!(expr, Expr::Binary(BinaryOp::Mod, ..)) {
            found.insert(id);
        }
    });
    found
}

/// Collects the variables that a statement binds.
pub(super) fn binders(pool: &Pool, id: StmtId, bound: &mut FxHashSet<VarId>) {
    for_each_stmt(pool, id, &mut |_, stmt| bound.extend(stmt.binder()));
}
