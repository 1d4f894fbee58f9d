//! Indices and predicates in the IR.

use halidom_atl::term::{Arith, Compare, Index, Pred, Var};
use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, ExprId, Pool, UnaryOp};

use crate::error::LowerError;

/// The values of index variables in the IR.
#[derive(Clone, Debug, Default)]
pub(crate) struct Indices {
    values: FxHashMap<u32, ExprId>,
    /// Variables that are never negative: sizes.
    sizes: Vec<u32>,
}

impl Indices {
    /// Sets the parameter of a size.
    pub(crate) fn size(&mut self, var: &Var, value: ExprId) {
        self.values.insert(var.id, value);
        self.sizes.push(var.id);
    }

    /// True if a variable is a size.
    pub(crate) fn is_size(&self, var: &Var) -> bool {
        self.sizes.contains(&var.id)
    }

    /// Returns a copy with a value for a variable.
    #[must_use]
    pub(crate) fn with(&self, var: &Var, value: ExprId) -> Self {
        let mut inner = self.clone();
        inner.values.insert(var.id, value);
        inner
    }

    /// Returns the value of a variable.
    pub(crate) fn get(&self, var: &Var) -> Result<ExprId, LowerError> {
        self.values.get(&var.id).copied().ok_or_else(|| LowerError::Unbound(var.to_string()))
    }

    /// Returns the same variables with their values changed.
    #[must_use]
    pub(crate) fn map(&self, mut change: impl FnMut(ExprId) -> ExprId) -> Self {
        let mut values: Vec<(u32, ExprId)> = self.values.iter().map(|(k, v)| (*k, *v)).collect();
        values.sort_unstable();
        let values = values.into_iter().map(|(var, value)| (var, change(value))).collect();
        Self { values, sizes: self.sizes.clone() }
    }

    /// Returns an index as an `int`.
    pub(crate) fn index(&self, pool: &mut Pool, index: &Index) -> Result<ExprId, LowerError> {
        let Index::Op(op, operands) = index else {
            return match index {
                Index::Var(var) => self.get(var),
                Index::Num(value) => Ok(pool.int(i128::from(*value))),
                Index::Op(..) => Err(LowerError::Shape),
            };
        };
        let (a, b) = (self.index(pool, &operands.0)?, self.index(pool, &operands.1)?);
        Ok(match op {
            Arith::Add => add(pool, a, b),
            Arith::Sub => sub(pool, a, b),
            Arith::Mul => mul(pool, a, b),
            Arith::Div => self.div(pool, &operands.1, a, b),
            Arith::Ceil => {
                let rounding = pool.int(-1);
                let rounding = add(pool, b, rounding);
                let padded = add(pool, a, rounding);
                self.div(pool, &operands.1, padded, b)
            }
            // If the divisor is zero, so is the quotient, and the remainder is the dividend: as in
            // Coq.
            Arith::Mod if matches!(operands.1, Index::Num(1..)) => pool.binary(BinaryOp::Mod, a, b),
            Arith::Mod => {
                let quotient = self.div(pool, &operands.1, a, b);
                let product = mul(pool, quotient, b);
                sub(pool, a, product)
            }
            Arith::Min => pool.binary(BinaryOp::Min, a, b),
            Arith::Max => pool.binary(BinaryOp::Max, a, b),
        })
    }

    /// Returns a quotient that is rounded down. The IR rounds down for divisors that are not
    /// negative.
    fn div(&self, pool: &mut Pool, divisor: &Index, a: ExprId, b: ExprId) -> ExprId {
        let straight = pool.binary(BinaryOp::Div, a, b);
        if self.natural(divisor) {
            return straight;
        }
        let zero = pool.int(0);
        let negative = pool.binary(BinaryOp::Lt, b, zero);
        let minus = |pool: &mut Pool, x| {
            let overflow = pool.overflow_of(x);
            pool.unary(UnaryOp::Neg(overflow), x)
        };
        let (minus_a, minus_b) = (minus(pool, a), minus(pool, b));
        let turned = pool.binary(BinaryOp::Div, minus_a, minus_b);
        pool.select(negative, turned, straight)
    }

    /// True if an index is known to be non-negative: numbers and sizes, and their sums, products,
    /// minima and maxima.
    fn natural(&self, index: &Index) -> bool {
        match index {
            Index::Num(value) => *value >= 0,
            Index::Var(var) => self.is_size(var),
            Index::Op(Arith::Add | Arith::Mul | Arith::Min | Arith::Max, operands) => {
                self.natural(&operands.0) && self.natural(&operands.1)
            }
            Index::Op(Arith::Sub | Arith::Div | Arith::Mod | Arith::Ceil, _) => false,
        }
    }

    /// Returns a number of iterations, at least 0 because a domain must not have a negative extent.
    pub(crate) fn extent(
        &self,
        pool: &mut Pool,
        lo: &Index,
        hi: &Index,
    ) -> Result<ExprId, LowerError> {
        let (low, high) = (self.index(pool, lo)?, self.index(pool, hi)?);
        let extent = sub(pool, high, low);
        if *lo == Index::Num(0) && self.natural(hi) {
            return Ok(extent);
        }
        let zero = pool.int(0);
        Ok(pool.binary(BinaryOp::Max, extent, zero))
    }

    /// Returns a predicate as a `bool`.
    pub(crate) fn pred(&self, pool: &mut Pool, pred: &Pred) -> Result<ExprId, LowerError> {
        Ok(match pred {
            Pred::Known(value) => pool.constant(Constant::bool(*value)),
            Pred::Var(var) => return Err(LowerError::Unbound(var.to_string())),
            Pred::Compare(compare, a, b) => {
                let (a, b) = (self.index(pool, a)?, self.index(pool, b)?);
                let op = match compare {
                    Compare::Lt => BinaryOp::Lt,
                    Compare::Le => BinaryOp::Le,
                    Compare::Eq => BinaryOp::Eq,
                };
                pool.binary(op, a, b)
            }
            Pred::And(both) => {
                let (a, b) = (self.pred(pool, &both.0)?, self.pred(pool, &both.1)?);
                pool.binary(BinaryOp::And, a, b)
            }
        })
    }
}

fn number(pool: &Pool, expr: ExprId) -> Option<i128> {
    pool.as_constant(expr).and_then(Constant::as_integer)
}

/// Returns a sum of `int`s, folded.
pub(crate) fn add(pool: &mut Pool, a: ExprId, b: ExprId) -> ExprId {
    match (number(pool, a), number(pool, b)) {
        (Some(x), Some(y)) if x.checked_add(y).is_some() => pool.int(x + y),
        (Some(0), _) => b,
        (_, Some(0)) => a,
        _ => pool.add(a, b),
    }
}

/// Returns a difference, folded.
pub(crate) fn sub(pool: &mut Pool, a: ExprId, b: ExprId) -> ExprId {
    match (number(pool, a), number(pool, b)) {
        (Some(x), Some(y)) if x.checked_sub(y).is_some() => pool.int(x - y),
        (_, Some(0)) => a,
        _ if a == b => pool.int(0),
        _ => pool.sub(a, b),
    }
}

/// Returns a product, folded.
pub(crate) fn mul(pool: &mut Pool, a: ExprId, b: ExprId) -> ExprId {
    match (number(pool, a), number(pool, b)) {
        (Some(x), Some(y)) if x.checked_mul(y).is_some() => pool.int(x * y),
        (Some(1), _) => b,
        (_, Some(1)) => a,
        _ => pool.mul(a, b),
    }
}

/// Returns the conjunction of some conditions.
pub(crate) fn all(pool: &mut Pool, conditions: impl IntoIterator<Item = ExprId>) -> ExprId {
    let mut kept: Option<ExprId> = None;
    for condition in conditions {
        match pool.as_constant(condition).and_then(Constant::as_bool) {
            Some(true) => {}
            Some(false) | None => {
                kept = Some(match kept {
                    Some(before) => pool.binary(BinaryOp::And, before, condition),
                    None => condition,
                });
            }
        }
    }
    kept.unwrap_or_else(|| pool.constant(Constant::bool(true)))
}

/// Returns the condition that an index lies in a dimension of a size.
pub(crate) fn within(pool: &mut Pool, index: ExprId, size: ExprId) -> ExprId {
    let zero = pool.int(0);
    let low = pool.binary(BinaryOp::Le, zero, index);
    let high = pool.binary(BinaryOp::Lt, index, size);
    all(pool, [low, high])
}
