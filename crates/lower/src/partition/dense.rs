//! Vectors that are gathers because of clamped indices, in two forms: dense where the clamps do
//! nothing. The comparisons that decide this also decide others that choose values in the dense
//! form.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::visit;
use halidom_ir::{BinaryOp, Expr, ExprId, LoopKind, Pool, Scalar, Stmt, StmtId, VarId};

use super::decide::{decide, settled};
use super::size::{MOST_COPIED, size};
use super::steady::binders;
use crate::LowerError;
use crate::exprs::loads;
use crate::linear::{Linear, combine};
use crate::refresh::refresh;

/// The maximum number of comparisons before a vector; each is made as often as the vector.
const MOST_COMPARISONS: usize = 6;

/// Puts `if no clamp does anything { dense loads } else { the original }` around the loop if the
/// condition is known before it, or else around stores in its body.
///
/// An `else` branch is rarely run and stays as it is. Inner loops also stay, because they were
/// processed separately.
pub(super) fn in_two_forms(pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
    if let Some(forms) = two_forms(pool, id)? {
        return Ok(forms);
    }
    let Stmt::For { var, min, extent, kind, body } = *pool.get_stmt(id) else { return Ok(id) };
    let inner = within(pool, body)?;
    Ok(if inner == body {
        id
    } else {
        pool.stmt(Stmt::For { var, min, extent, kind, body: inner })
    })
}

/// Makes both forms of the parts of a loop's body that have two.
fn within(pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
    let stmt = pool.get_stmt(id).clone();
    if let Stmt::Block(_) | Stmt::Store { .. } = stmt
        && let Some(forms) = two_forms(pool, id)?
    {
        return Ok(forms);
    }
    let inner = if let Stmt::If { condition, then_branch, else_branch } = stmt {
        Stmt::If { condition, then_branch: within(pool, then_branch)?, else_branch }
    } else if let Stmt::For { .. } = stmt {
        stmt
    } else {
        stmt.try_map_children(|child| within(pool, child))?
    };
    Ok(pool.rebuilt(id, inner))
}

/// Returns both forms of a statement that consists of stores and serial loops around them, if it
/// has two.
fn two_forms(pool: &mut Pool, id: StmtId) -> Result<Option<StmtId>, LowerError> {
    if !is_plain(pool, id) || size(pool, id) > MOST_COPIED {
        return Ok(None);
    }
    let mut bound = FxHashSet::default();
    binders(pool, id, &mut bound);
    let (mut indices, mut chooses) = (Vec::new(), Vec::new());
    visit::for_each_expr(pool, id, &mut |_, expr| {
        pool.for_each_subexpr(expr, &mut |id, expr| {
            if let Expr::Load { index, .. } = expr {
                indices.push(*index);
            }
            if let Expr::Binary(BinaryOp::Lt | BinaryOp::Le, ..) = expr {
                chooses.push(id);
            }
        });
    });
    let mut clamps = Clamps {
        bound,
        decided: FxHashMap::default(),
        comparisons: Vec::new(),
        known: Vec::new(),
        rows: FxHashMap::default(),
        done: FxHashMap::default(),
    };
    for index in indices {
        if pool.ty(index).lanes > 1 {
            clamps.form(pool, index);
        }
    }
    for id in chooses {
        clamps.decide_value(pool, id);
    }
    let Clamps { decided, mut comparisons, .. } = clamps;
    comparisons.dedup();
    let Some((first, rest)) = comparisons.split_first() else { return Ok(None) };
    if rest.len() >= MOST_COMPARISONS {
        return Ok(None);
    }
    let condition = rest.iter().fold(*first, |all, one| pool.binary(BinaryOp::And, all, *one));
    let then_branch = decide(pool, id, &decided)?;
    let else_branch = Some(refresh(pool, id, &[])?);
    Ok(Some(pool.stmt(Stmt::If { condition, then_branch, else_branch })))
}

/// True if a statement consists of lets, stores and serial loops only.
fn is_plain(pool: &Pool, id: StmtId) -> bool {
    !visit::any_stmt(pool, id, &mut |stmt| {
        let may_be_in_one = matches!(
            stmt,
            Stmt::Block(_)
                | Stmt::Let { .. }
                | Stmt::For { kind: LoopKind::Serial, .. }
                | Stmt::Store { atomic: false, .. }
        );
        !may_be_in_one
    })
}

/// Minima and maxima of a row of neighbours and of a value that is the same in all lanes.
struct Clamps {
    /// Variables that are not known before the statement.
    bound: FxHashSet<VarId>,
    /// Each with the operand that differs between lanes.
    decided: FxHashMap<ExprId, ExprId>,
    /// The comparisons that make the decisions right.
    comparisons: Vec<ExprId>,
    /// The same comparisons, as sums that are at most 0.
    known: Vec<Linear>,
    done: FxHashMap<ExprId, Option<Linear>>,
    /// The results of [`Self::row`], which makes no decisions.
    rows: FxHashMap<ExprId, Option<Linear>>,
}

impl Clamps {
    /// Returns the expression as a sum, making decisions; `None` if it is not a sum.
    fn form(&mut self, pool: &mut Pool, id: ExprId) -> Option<Linear> {
        if let Some(form) = self.done.get(&id) {
            return form.clone();
        }
        let form = self.make(pool, id);
        self.done.insert(id, form.clone());
        form
    }

    fn make(&mut self, pool: &mut Pool, id: ExprId) -> Option<Linear> {
        if pool.ty(id).scalar != Scalar::Int || loads(pool, id) {
            return None;
        }
        let expr = pool.get(id).clone();
        if pool.ty(id).lanes == 1 {
            let form = combine(pool, &expr, &mut |pool, operand| self.form(pool, operand));
            return form.or_else(|| Some(Linear::atom(id)));
        }
        if let Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), lhs, rhs) = expr {
            return self.clamp(pool, id, op, lhs, rhs);
        }
        combine(pool, &expr, &mut |pool, operand| self.form(pool, operand))
    }

    fn clamp(
        &mut self,
        pool: &mut Pool,
        id: ExprId,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
    ) -> Option<Linear> {
        let (a, b) = (self.form(pool, lhs)?, self.form(pool, rhs)?);
        let (chosen, form, limit) = match (a.step, b.step) {
            (0, 0) => return None,
            (_, 0) => (lhs, a, b),
            (0, _) => (rhs, b, a),
            (_, _) => return None,
        };
        // The lane that reaches the limit first.
        let last = i128::from(pool.ty(id).lanes) - 1;
        let reach = form.step.checked_mul(last)?;
        let far = if op == BinaryOp::Min { reach.max(0) } else { reach.min(0) };
        let extreme = form.first_lane().offset(far)?;
        let excess = Linear::default();
        let sign = if op == BinaryOp::Min { 1 } else { -1 };
        let excess = excess.plus(&extreme, sign)?.plus(&limit, -sign)?;
        let (extreme, limit) = (extreme.expr(pool), limit.expr(pool));
        if !self.is_known_before(pool, extreme) || !self.is_known_before(pool, limit) {
            return None;
        }
        let (least, most) = if op == BinaryOp::Min { (extreme, limit) } else { (limit, extreme) };
        let holds = pool.binary(BinaryOp::Le, least, most);
        self.comparisons.push(holds);
        self.known.push(excess);
        self.decided.insert(id, chosen);
        Some(form)
    }

    /// Decides a comparison of a row of neighbours that chooses values, if it follows from the
    /// comparisons that are made.
    fn decide_value(&mut self, pool: &mut Pool, id: ExprId) {
        let Expr::Binary(op, lhs, rhs) = *pool.get(id) else { return };
        let lanes = pool.ty(id).lanes;
        if lanes == 1 || pool.ty(lhs).scalar != Scalar::Int {
            return;
        }
        let (Some(lhs), Some(rhs)) = (self.row(pool, lhs), self.row(pool, rhs)) else { return };
        let known = &self.known;
        let is_known = |excess: &Linear| {
            known.iter().any(|least| {
                least.has_terms_of(excess) && excess.constant_part() <= least.constant_part()
            })
        };
        if let Some(value) = settled(pool, op, (&lhs, &rhs), lanes, &is_known) {
            self.decided.entry(id).or_insert(value);
        }
    }

    /// Like [`Self::form`], with the existing decisions and no further ones.
    fn row(&mut self, pool: &mut Pool, id: ExprId) -> Option<Linear> {
        if let Some(form) = self.rows.get(&id) {
            return form.clone();
        }
        let form = if let Some(chosen) = self.decided.get(&id) {
            self.row(pool, *chosen)
        } else if loads(pool, id) {
            None
        } else {
            let expr = pool.get(id).clone();
            let form = combine(pool, &expr, &mut |pool, operand| self.row(pool, operand));
            form.or_else(|| (pool.ty(id).lanes == 1).then(|| Linear::atom(id)))
        };
        self.rows.insert(id, form.clone());
        form
    }

    fn is_known_before(&self, pool: &Pool, expr: ExprId) -> bool {
        let mut known = true;
        pool.for_each_subexpr(expr, &mut |_, expr| {
            if let Expr::Var(var) = expr {
                known &= !self.bound.contains(var);
            }
        });
        known
    }
}
