//! Simplifies expressions, and removes statements without effect.

use halidom_base::FxHashMap;
use halidom_ir::visit::{Fold, fold_exprs, parts, rewrite, walk};
use halidom_ir::{
    BinaryOp, Constant, Expr, ExprId, Pool, Program, Prophecy, Scalar, Stmt, StmtId, UnaryOp, VarId,
};
use halidom_rules::Simplifier;

use crate::exprs::{loads, substitute};
use crate::interval::{self, Interval, Intervals};
use crate::lets::Lets;
use crate::linear::Linear;
use crate::{LowerError, index};

/// The maximum number of rounds in which an expression is tightened and simplified.
const MOST_ROUNDS: usize = 4;

/// Applies the proved rules to every expression, annotations included. Lets of constants and of
/// other variables are replaced by their values where they are used. Entry checks and branches that
/// compare a variable with a constant make it that constant where they hold. A condition within a
/// branch of the same condition is decided. Comparisons, minima and maxima are also decided by the
/// constant bounds that loops, entry checks and branches put on their operands, or on the operands'
/// difference, with lets expanded. Divisions by constants cancel with multiplications by them.
///
/// Requires: every binder is unique.
/// Ensures: no statement without effect, except lets, which may be unused; no check or branch on a
/// constant; no loop with a constant extent below 2.
pub fn simplify(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    let mut fold = Simplify {
        simplifier: Simplifier::new(),
        values: FxHashMap::default(),
        done: FxHashMap::default(),
        known: FxHashMap::default(),
        intervals: Intervals::default(),
        lets: Lets::default(),
    };
    rewrite(&mut fold, pool, program)
}

struct Simplify {
    simplifier: Simplifier,
    /// The values of variables that are known at this point: constants, or other variables.
    values: FxHashMap<VarId, ExprId>,
    /// Expressions with `values` substituted; cleared when `values` changes.
    done: FxHashMap<ExprId, ExprId>,
    /// Conditions that are known at this point.
    known: FxHashMap<ExprId, bool>,
    /// The intervals of variables at this point.
    intervals: Intervals,
    /// The values of variables of lets.
    lets: Lets,
}

impl Simplify {
    /// Returns the expression with known conditions decided, and comparisons, minima and maxima
    /// decided where the operands' intervals allow it. The chosen operand of a minimum is as
    /// undefined as it was; a decided expression becomes more defined.
    fn tighten(&mut self, pool: &mut Pool, expr: ExprId) -> ExprId {
        let mut intervals = FxHashMap::default();
        let Self { known, intervals: of_vars, lets, .. } = self;
        pool.rewrite_bottom_up(expr, &mut FxHashMap::default(), &mut |pool, id, node| {
            if let Some(value) = known.get(&id) {
                return pool.constant(Constant::bool(*value));
            }
            let Expr::Binary(op, lhs, rhs) = *node else { return id };
            if pool.ty(lhs).scalar != Scalar::Int {
                return id;
            }
            let a = of_vars.of(pool, lhs, &mut intervals);
            let b = of_vars.of(pool, rhs, &mut intervals);
            let mut compare = |pool: &mut Pool, op| {
                let apart = interval::compare(op, a, b);
                let zero = Interval::of(0, 0);
                apart
                    .or_else(|| {
                        let difference = lets.difference(pool, (lhs, rhs), of_vars);
                        interval::compare(op, difference, zero)
                    })
                    .or_else(|| {
                        let difference = lets.difference_in_cases(pool, (lhs, rhs), of_vars);
                        interval::compare(op, difference, zero)
                    })
            };
            match op {
                BinaryOp::Min | BinaryOp::Max => {
                    let (first, second) = if op == BinaryOp::Min { (lhs, rhs) } else { (rhs, lhs) };
                    match compare(pool, BinaryOp::Le) {
                        Some(true) => first,
                        Some(false) => second,
                        None if compare(pool, BinaryOp::Ge) == Some(true) => second,
                        None => id,
                    }
                }
                BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge => match compare(pool, op) {
                    Some(value) => {
                        let lanes = pool.ty(id).lanes;
                        let value = pool.constant(Constant::bool(value));
                        if lanes == 1 { value } else { pool.expr(Expr::Broadcast { value, lanes }) }
                    }
                    None => id,
                },
                BinaryOp::Div | BinaryOp::Mod => {
                    let divisor = index::as_int(pool, rhs).filter(|divisor| *divisor > 0);
                    let parts =
                        divisor.and_then(|divisor| lets.divided(pool, lhs, divisor, of_vars));
                    match parts {
                        Some((quotient, _)) if op == BinaryOp::Div => quotient.expr(pool),
                        Some((_, remainder)) => remainder.expr(pool),
                        None if op == BinaryOp::Div => id,
                        None => {
                            let lanes = pool.ty(id).lanes;
                            let residue =
                                divisor.and_then(|divisor| lets.residue(pool, lhs, divisor));
                            match residue {
                                Some(residue) => Linear::constant(residue).lanes(pool, lanes),
                                None => id,
                            }
                        }
                    }
                }
                BinaryOp::Add(_) | BinaryOp::Sub(_) => {
                    let form = lets.form(pool, id);
                    let lanes = pool.ty(id).lanes;
                    if form.has_no_terms() { form.lanes(pool, lanes) } else { id }
                }
                BinaryOp::Mul(_)
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Shl
                | BinaryOp::Shr => id,
            }
        })
    }

    /// Returns the interval of an expression at this point.
    fn interval(&self, pool: &Pool, expr: ExprId) -> Interval {
        self.intervals.of(pool, expr, &mut FxHashMap::default())
    }

    /// Narrows a variable's interval; returns the previous one.
    fn narrow(&mut self, var: VarId, to: Interval) -> (VarId, Option<Interval>) {
        let before = self.intervals.get(var);
        self.intervals.set(var, Some(before.unwrap_or(Interval::ALL).meet(to)));
        (var, before)
    }

    /// Assumes a condition for the following code; returns the data needed to undo that.
    fn assume(&mut self, pool: &mut Pool, condition: ExprId) -> Assumed {
        let mut assumed = Assumed { known: Vec::new(), replaced: Vec::new(), narrowed: Vec::new() };
        let mut pending = vec![condition];
        while let Some(condition) = pending.pop() {
            if let Expr::Binary(BinaryOp::And, lhs, rhs) = *pool.get(condition) {
                pending.extend([lhs, rhs]);
            } else if let Some((var, value)) = equation(pool, condition) {
                assumed.replaced.push((var, self.values.insert(var, value)));
                self.done.clear();
            } else {
                if let Some((var, interval)) = bound(pool, condition) {
                    assumed.narrowed.push(self.narrow(var, interval));
                }
                self.know(pool, condition, &mut assumed);
            }
        }
        assumed
    }

    fn know(&mut self, pool: &mut Pool, condition: ExprId, assumed: &mut Assumed) {
        // Values in memory may change while the condition is assumed.
        if loads(pool, condition) {
            return;
        }
        let opposite = pool.unary(UnaryOp::Not, condition);
        let opposite = self.simplifier.simplify(pool, opposite);
        for (condition, value) in [(condition, true), (opposite, false)] {
            assumed.known.push((condition, self.known.insert(condition, value)));
        }
    }

    fn forget(&mut self, assumed: Assumed) {
        for (condition, before) in assumed.known.into_iter().rev() {
            match before {
                Some(value) => self.known.insert(condition, value),
                None => self.known.remove(&condition),
            };
        }
        for (var, before) in assumed.replaced.into_iter().rev() {
            match before {
                Some(value) => self.values.insert(var, value),
                None => self.values.remove(&var),
            };
            self.done.clear();
        }
        for (var, before) in assumed.narrowed.into_iter().rev() {
            self.intervals.set(var, before);
        }
    }

    fn branch(
        &mut self,
        pool: &mut Pool,
        condition: ExprId,
        branch: StmtId,
    ) -> Result<StmtId, LowerError> {
        let assumed = self.assume(pool, condition);
        let result = self.stmt(pool, branch);
        self.forget(assumed);
        result
    }

    fn if_stmt(
        &mut self,
        pool: &mut Pool,
        condition: ExprId,
        then_branch: StmtId,
        else_branch: Option<StmtId>,
    ) -> Result<StmtId, LowerError> {
        let condition = self.expr(pool, condition)?;
        match (pool.as_constant(condition).and_then(Constant::as_bool), else_branch) {
            (Some(true), _) => self.stmt(pool, then_branch),
            (Some(false), Some(else_branch)) => self.stmt(pool, else_branch),
            (Some(false), None) => Ok(nop(pool)),
            (None, else_branch) => {
                let then_branch = self.branch(pool, condition, then_branch)?;
                let opposite = pool.unary(UnaryOp::Not, condition);
                let opposite = self.simplifier.simplify(pool, opposite);
                let else_branch = match else_branch {
                    Some(branch) => Some(self.branch(pool, opposite, branch)?),
                    None => None,
                };
                let else_branch = else_branch.filter(|branch| !is_nop(pool, *branch));
                Ok(match (is_nop(pool, then_branch), else_branch) {
                    (true, None) => nop(pool),
                    (true, Some(then_branch)) => {
                        pool.stmt(Stmt::If { condition: opposite, then_branch, else_branch: None })
                    }
                    (false, else_branch) => {
                        pool.stmt(Stmt::If { condition, then_branch, else_branch })
                    }
                })
            }
        }
    }
}

/// Returns the variable that must equal a constant for a condition to hold. Not for floats: zeros
/// of different signs are equal, so equality does not determine the value.
fn equation(pool: &mut Pool, condition: ExprId) -> Option<(VarId, ExprId)> {
    let (var, value) = match *pool.get(condition) {
        Expr::Binary(BinaryOp::Eq, lhs, rhs) if !pool.ty(lhs).scalar.is_float() => {
            pool.as_constant(rhs)?;
            (lhs, rhs)
        }
        Expr::Unary(UnaryOp::Not, operand) => (operand, pool.constant(Constant::bool(false))),
        Expr::Var(_) => (condition, pool.constant(Constant::bool(true))),
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
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => return None,
    };
    if let Expr::Var(var) = pool.get(var) { Some((*var, value)) } else { None }
}

/// Returns the variable that a condition compares with a constant, and the interval that it must
/// lie in.
fn bound(pool: &Pool, condition: ExprId) -> Option<(VarId, Interval)> {
    let (strict, lhs, rhs) = match *pool.get(condition) {
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
        | Expr::Hole(_) => return None,
    };
    let number = |id| pool.as_constant(id).and_then(Constant::as_integer);
    match (pool.get(lhs), pool.get(rhs)) {
        (Expr::Var(var), _) => {
            Some((*var, Interval { low: None, high: Some(number(rhs)?.checked_sub(strict)?) }))
        }
        (_, Expr::Var(var)) => {
            Some((*var, Interval { low: Some(number(lhs)?.checked_add(strict)?), high: None }))
        }
        (_, _) => None,
    }
}

/// The changes to undo when an assumption ends.
struct Assumed {
    known: Vec<(ExprId, Option<bool>)>,
    replaced: Vec<(VarId, Option<ExprId>)>,
    narrowed: Vec<(VarId, Option<Interval>)>,
}

impl Fold<LowerError> for Simplify {
    fn expr(&mut self, pool: &mut Pool, expr: ExprId) -> Result<ExprId, LowerError> {
        let expr = substitute(pool, &self.values, expr, &mut self.done);
        let mut expr = self.simplifier.simplify(pool, expr);
        for _ in 0..MOST_ROUNDS {
            let tight = self.tighten(pool, expr);
            if tight == expr {
                break;
            }
            expr = self.simplifier.simplify(pool, tight);
        }
        Ok(expr)
    }

    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
        match pool.get_stmt(id).clone() {
            Stmt::Block(stmts) => {
                let mut kept = Vec::with_capacity(stmts.len());
                for stmt in stmts {
                    let stmt = self.stmt(pool, stmt)?;
                    kept.extend(parts(pool, stmt));
                    // A check that passed holds for the rest of the program.
                    if let Stmt::Assert { condition, .. } = *pool.get_stmt(stmt) {
                        self.assume(pool, condition);
                    }
                }
                Ok(match kept[..] {
                    [only] => only,
                    _ => pool.stmt(Stmt::Block(kept)),
                })
            }
            Stmt::If { condition, then_branch, else_branch } => {
                self.if_stmt(pool, condition, then_branch, else_branch)
            }
            // An atomic update stays one operator on the old value.
            Stmt::Store { buffer, index, value, prophecy, atomic: true }
                if let Expr::Binary(op, lhs, rhs) = *pool.get(value) =>
            {
                let index = self.expr(pool, index)?;
                let (lhs, rhs) = (self.expr(pool, lhs)?, self.expr(pool, rhs)?);
                let value = pool.binary(op, lhs, rhs);
                let prophecy = match prophecy {
                    Some(Prophecy { func, stage, coords, point }) => {
                        let coords = fold_exprs(self, pool, &coords)?;
                        let point = fold_exprs(self, pool, &point)?;
                        Some(Prophecy { func, stage, coords, point })
                    }
                    None => None,
                };
                Ok(pool.stmt(Stmt::Store { buffer, index, value, prophecy, atomic: true }))
            }
            Stmt::Let { var, value, body } => {
                let value = self.expr(pool, value)?;
                if index::is_atom(pool.get(value)) {
                    self.values.insert(var, value);
                }
                let interval = self.interval(pool, value);
                self.intervals.set(var, Some(interval));
                self.lets.bind(pool, var, value);
                let body = self.stmt(pool, body)?;
                Ok(if is_nop(pool, body) {
                    body
                } else {
                    pool.stmt(Stmt::Let { var, value, body })
                })
            }
            Stmt::For { var, min, extent, kind, body } => {
                let (min, extent) = (self.expr(pool, min)?, self.expr(pool, extent)?);
                match index::as_int(pool, extent) {
                    Some(extent) if extent <= 0 => return Ok(nop(pool)),
                    Some(1) => {
                        let once = pool.stmt(Stmt::Let { var, value: min, body });
                        return self.stmt(pool, once);
                    }
                    Some(_) | None => {}
                }
                // Where the body runs, the variable lies between the first and the last value.
                let first = self.interval(pool, min);
                let count = self.interval(pool, extent);
                let last = first.high.zip(count.high);
                let high = last.and_then(|(first, count)| first.checked_add(count)?.checked_sub(1));
                self.intervals.set(var, Some(Interval { low: first.low, high }));
                let body = self.stmt(pool, body)?;
                Ok(if is_nop(pool, body) {
                    body
                } else {
                    pool.stmt(Stmt::For { var, min, extent, kind, body })
                })
            }
            Stmt::Assert { condition, .. } => {
                let condition = self.expr(pool, condition)?;
                if pool.as_constant(condition).and_then(Constant::as_bool) == Some(true) {
                    return Ok(nop(pool));
                }
                walk(self, pool, id)
            }
            Stmt::Allocate { buffer, body } => {
                let body = self.stmt(pool, body)?;
                Ok(if is_nop(pool, body) {
                    body
                } else {
                    pool.stmt(Stmt::Allocate { buffer, body })
                })
            }
            Stmt::Labeled { .. } => {
                let labeled = walk(self, pool, id)?;
                let stmt = pool.get_stmt(labeled);
                let empty = matches!(*stmt, Stmt::Labeled { body, .. } if is_nop(pool, body));
                Ok(if empty { nop(pool) } else { labeled })
            }
            Stmt::Provide { .. } | Stmt::Store { .. } => walk(self, pool, id),
        }
    }
}

fn nop(pool: &mut Pool) -> StmtId {
    pool.stmt(Stmt::Block(Vec::new()))
}

fn is_nop(pool: &Pool, id: StmtId) -> bool {
    matches!(pool.get_stmt(id), Stmt::Block(stmts) if stmts.is_empty())
}
