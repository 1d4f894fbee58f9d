//! Loads that contain each element of a row several times.

use halidom_base::FxHashMap;
use halidom_ir::visit::{Fold, rewrite};
use halidom_ir::{BinaryOp, Expr, ExprId, Pool, Program};

use crate::LowerError;
use crate::index;

/// The number of times that an element may occur in a row.
const TIMES: std::ops::RangeInclusive<i128> = 2..=4;

/// Normalises the indices of loads that are, lane by lane, a quotient of the lane's number by a
/// small constant plus a value that is the same in all lanes, to the form `ramp(base, 1) / times +
/// broadcast(offset)`: neighbouring lanes take the same element or the next one, which needs no
/// gather.
///
/// Requires: vectors are made.
/// Ensures: such indices have no other form.
pub fn repeats(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    rewrite(&mut Repeats { done: FxHashMap::default() }, pool, program)
}

struct Repeats {
    done: FxHashMap<ExprId, ExprId>,
}

impl Fold<LowerError> for Repeats {
    fn expr(&mut self, pool: &mut Pool, expr: ExprId) -> Result<ExprId, LowerError> {
        Ok(self.rewritten(pool, expr))
    }
}

impl Repeats {
    fn rewritten(&mut self, pool: &mut Pool, id: ExprId) -> ExprId {
        if let Some(done) = self.done.get(&id) {
            return *done;
        }
        let mut expr = pool.get(id).clone().map_operands(|operand| self.rewritten(pool, operand));
        if let Expr::Load { index, .. } = &mut expr
            && let Some(Sum { quotient: Some(quotient), offset }) = sum(pool, *index)
        {
            *index = if index::as_int(pool, offset) == Some(0) {
                quotient
            } else {
                let lanes = pool.ty(quotient).lanes;
                let offset = pool.expr(Expr::Broadcast { value: offset, lanes });
                pool.add(quotient, offset)
            };
        }
        let result = pool.expr(expr);
        self.done.insert(id, result);
        result
    }
}

/// A sum of at most one quotient and scalars.
struct Sum {
    quotient: Option<ExprId>,
    offset: ExprId,
}

/// Returns an index of vectors as such a sum.
fn sum(pool: &mut Pool, id: ExprId) -> Option<Sum> {
    match *pool.get(id) {
        Expr::Broadcast { value, .. } => Some(Sum { quotient: None, offset: value }),
        Expr::Binary(BinaryOp::Add(_), lhs, rhs) => {
            let (lhs, rhs) = (sum(pool, lhs)?, sum(pool, rhs)?);
            if lhs.quotient.is_some() && rhs.quotient.is_some() {
                return None;
            }
            let offset = index::add(pool, lhs.offset, rhs.offset);
            Some(Sum { quotient: lhs.quotient.or(rhs.quotient), offset })
        }
        Expr::Binary(BinaryOp::Sub(_), lhs, rhs) => {
            let (lhs, rhs) = (sum(pool, lhs)?, sum(pool, rhs)?);
            if rhs.quotient.is_some() {
                return None;
            }
            let offset = index::sub(pool, lhs.offset, rhs.offset);
            Some(Sum { quotient: lhs.quotient, offset })
        }
        Expr::Binary(BinaryOp::Div, ..) if is_repeated(pool, id) => {
            Some(Sum { quotient: Some(id), offset: pool.int(0) })
        }
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
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}

/// True if an expression is `ramp(base, 1) / times`, or that plus a broadcast.
pub(crate) fn is_repeated(pool: &Pool, id: ExprId) -> bool {
    if let Expr::Binary(BinaryOp::Add(_), quotient, offset) = *pool.get(id)
        && matches!(pool.get(offset), Expr::Broadcast { .. })
    {
        return is_quotient(pool, quotient);
    }
    is_quotient(pool, id)
}

fn is_quotient(pool: &Pool, id: ExprId) -> bool {
    if let Expr::Binary(BinaryOp::Div, ramp, divisor) = *pool.get(id)
        && let (Expr::Ramp { stride, .. }, Expr::Broadcast { value, .. }) =
            (pool.get(ramp), pool.get(divisor))
    {
        let times = index::as_int(pool, *value);
        return index::as_int(pool, *stride) == Some(1)
            && times.is_some_and(|times| TIMES.contains(&times));
    }
    false
}
