//! Index expressions as sums: constant multiples of atoms, and of the lane.

use halidom_base::IndexMap;
use halidom_ir::{BinaryOp, Expr, ExprId, Pool, UnaryOp};

use crate::index;

/// `Σ factor·atom + constant + step·lane`, exactly: `int` has no width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Linear {
    /// Scalars with factors that are not zero, in order of appearance.
    pub(crate) terms: IndexMap<ExprId, i128>,
    pub(crate) constant: i128,
    /// The difference between neighbouring lanes; 0 for scalars.
    pub(crate) step: i128,
}

impl Linear {
    pub(crate) fn constant(constant: i128) -> Self {
        Self { constant, ..Self::default() }
    }

    /// Makes the form of an expression that is not analysed further.
    pub(crate) fn atom(expr: ExprId) -> Self {
        Self { terms: IndexMap::from_iter([(expr, 1)]), ..Self::default() }
    }

    /// Returns `self + factor·other`; `None` on overflow.
    pub(crate) fn plus(mut self, other: &Self, factor: i128) -> Option<Self> {
        for (atom, by) in &other.terms {
            let sum = self.terms.entry(*atom).or_default();
            *sum = sum.checked_add(by.checked_mul(factor)?)?;
        }
        self.terms.retain(|_, by| *by != 0);
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        self.step = self.step.checked_add(other.step.checked_mul(factor)?)?;
        Some(self)
    }

    /// Returns the factor of an atom.
    pub(crate) fn factor(&self, atom: ExprId) -> i128 {
        self.terms.get(&atom).copied().unwrap_or(0)
    }

    /// Returns the form without an atom.
    pub(crate) fn without(mut self, atom: ExprId) -> Self {
        self.terms.shift_remove(&atom);
        self
    }

    /// Returns the form in the lane where it is greatest, plus `more`; `None` on overflow.
    pub(crate) fn greatest(&self, more: i128, lanes: u32) -> Option<Self> {
        let reach = self.step.checked_mul(i128::from(lanes) - 1)?.max(0);
        let constant = self.constant.checked_add(reach)?.checked_add(more)?;
        Some(Self { constant, step: 0, ..self.clone() })
    }

    /// True if both have the same terms, in any order.
    pub(crate) fn has_terms_of(&self, other: &Self) -> bool {
        self.terms.len() == other.terms.len()
            && self.terms.iter().all(|(atom, by)| other.factor(*atom) == *by)
    }

    /// Returns the expression for the first lane: positive terms before negative ones.
    pub(crate) fn expr(&self, pool: &mut Pool) -> ExprId {
        let mut sum = pool.int(0);
        let positive = self.terms.iter().filter(|(_, by)| **by > 0);
        for (atom, by) in positive {
            let by = pool.int(*by);
            let term = index::mul(pool, *atom, by);
            sum = index::add(pool, sum, term);
        }
        for (atom, by) in self.terms.iter().filter(|(_, by)| **by < 0) {
            let by = pool.int(by.saturating_neg());
            let term = index::mul(pool, *atom, by);
            sum = index::sub(pool, sum, term);
        }
        let constant = pool.int(self.constant);
        index::add(pool, sum, constant)
    }

    /// Returns the expression for a number of lanes.
    pub(crate) fn lanes(&self, pool: &mut Pool, lanes: u32) -> ExprId {
        let base = self.expr(pool);
        match (lanes, self.step) {
            (1, _) => base,
            (_, 0) => pool.expr(Expr::Broadcast { value: base, lanes }),
            (_, step) => {
                let stride = pool.int(step);
                pool.expr(Expr::Ramp { base, stride, lanes })
            }
        }
    }
}

/// Returns the form of an operator on forms: sums, differences and constant multiples; `None` for
/// others.
pub(crate) fn combine(
    pool: &mut Pool,
    expr: &Expr,
    form: &mut impl FnMut(&mut Pool, ExprId) -> Option<Linear>,
) -> Option<Linear> {
    match *expr {
        Expr::Const(value) => Some(Linear::constant(value.as_integer()?)),
        Expr::Unary(UnaryOp::Neg(_), operand) => Linear::default().plus(&form(pool, operand)?, -1),
        Expr::Binary(BinaryOp::Add(_), lhs, rhs) => form(pool, lhs)?.plus(&form(pool, rhs)?, 1),
        Expr::Binary(BinaryOp::Sub(_), lhs, rhs) => form(pool, lhs)?.plus(&form(pool, rhs)?, -1),
        Expr::Binary(BinaryOp::Mul(_), lhs, rhs) => {
            if let Some(by) = index::as_int(pool, rhs) {
                Linear::default().plus(&form(pool, lhs)?, by)
            } else {
                let by = index::as_int(pool, lhs)?;
                Linear::default().plus(&form(pool, rhs)?, by)
            }
        }
        Expr::Ramp { base, stride, lanes: _ } => {
            let mut sum = form(pool, base)?;
            sum.step = index::as_int(pool, stride)?;
            Some(sum)
        }
        Expr::Broadcast { value, lanes: _ } => form(pool, value),
        Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Hole(_) => None,
    }
}
