//! Index expressions as sums: constant multiples of atoms, and of the lane.

use halidom_ir::{BinaryOp, Expr, ExprId, Pool, UnaryOp};
use halidom_sums::{Product, Sum};

use crate::index;

/// `Σ factor·atom + constant + step·lane`, exactly: `int` has no width.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linear {
    /// The first lane. The atoms are scalars.
    sum: Sum<Product<ExprId>>,
    /// The atoms in order of appearance: expressions are printed in this order.
    order: Vec<ExprId>,
    /// The difference between neighbouring lanes; 0 for scalars.
    pub(crate) step: i128,
}

/// The order of the atoms does not matter.
impl PartialEq for Linear {
    fn eq(&self, other: &Self) -> bool {
        (&self.sum, self.step) == (&other.sum, other.step)
    }
}

impl Linear {
    pub(crate) fn constant(constant: i128) -> Self {
        Self { sum: Sum::constant(constant), ..Self::default() }
    }

    /// Makes the form of an expression that is not analysed further.
    pub(crate) fn atom(expr: ExprId) -> Self {
        Self { sum: Sum::atom(expr), order: vec![expr], step: 0 }
    }

    /// Iterates over the atoms with their factors, in order of appearance.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (ExprId, i128)> + Clone + '_ {
        self.order.iter().map(|atom| (*atom, self.factor(*atom)))
    }

    /// True if the sum is a constant in the first lane.
    pub(crate) fn has_no_terms(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns the constant summand.
    pub(crate) fn constant_part(&self) -> i128 {
        self.sum.constant_part()
    }

    /// Returns the form without its constant summand.
    pub(crate) fn without_constant(&self) -> Self {
        Self { sum: self.sum.without(&[][..]), ..self.clone() }
    }

    /// Returns the form of the first lane alone.
    pub(crate) fn first_lane(&self) -> Self {
        Self { step: 0, ..self.clone() }
    }

    /// Returns `self + by`; `None` on overflow.
    pub(crate) fn offset(self, by: i128) -> Option<Self> {
        Some(Self { sum: self.sum.offset(by)?, ..self })
    }

    /// Returns `self + factor·other`; `None` on overflow.
    pub(crate) fn plus(mut self, other: &Self, factor: i128) -> Option<Self> {
        self.sum = self.sum.plus(&other.sum, factor)?;
        for atom in &other.order {
            if !self.order.contains(atom) {
                self.order.push(*atom);
            }
        }
        self.order.retain(|atom| self.sum.coefficient(&[*atom][..]) != 0);
        self.step = self.step.checked_add(other.step.checked_mul(factor)?)?;
        Some(self)
    }

    /// Returns the factor of an atom.
    pub(crate) fn factor(&self, atom: ExprId) -> i128 {
        self.sum.coefficient(&[atom][..])
    }

    /// Returns the form without an atom.
    pub(crate) fn without(mut self, atom: ExprId) -> Self {
        self.sum = self.sum.without(&[atom][..]);
        self.order.retain(|other| *other != atom);
        self
    }

    /// Returns the form in the lane where it is greatest, plus `more`; `None` on overflow.
    pub(crate) fn greatest(&self, more: i128, lanes: u32) -> Option<Self> {
        let reach = self.step.checked_mul(i128::from(lanes) - 1)?.max(0);
        self.first_lane().offset(reach)?.offset(more)
    }

    /// Returns a form with smaller factors that is at most 0 exactly where this one is; `None` on
    /// overflow. Only for scalars.
    pub(crate) fn reduced(&self) -> Option<Self> {
        let common = self.terms().fold(0, |common, (_, by)| gcd(common, by.abs()));
        if common <= 1 {
            return Some(self.clone());
        }
        let constant = self.constant_part().checked_neg()?.div_euclid(common).checked_neg()?;
        let start = Some(Self::constant(constant));
        self.terms().fold(start, |sum, (atom, by)| sum?.plus(&Self::atom(atom), by / common))
    }

    /// True if both have the same terms, in any order.
    pub(crate) fn has_terms_of(&self, other: &Self) -> bool {
        self.without_constant().sum == other.without_constant().sum
    }

    /// Returns the expression for the first lane.
    pub(crate) fn expr(&self, pool: &mut Pool) -> ExprId {
        sum_of(pool, self.terms(), self.constant_part())
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

pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Returns the expression for `Σ factor·atom + constant`: positive terms before negative ones.
pub(crate) fn sum_of(
    pool: &mut Pool,
    terms: impl Iterator<Item = (ExprId, i128)> + Clone,
    constant: i128,
) -> ExprId {
    let mut sum = pool.int(0);
    for (atom, by) in terms.clone().filter(|(_, by)| *by > 0) {
        let by = pool.int(by);
        let term = index::mul(pool, atom, by);
        sum = index::add(pool, sum, term);
    }
    for (atom, by) in terms.filter(|(_, by)| *by < 0) {
        let by = pool.int(by.saturating_neg());
        let term = index::mul(pool, atom, by);
        sum = index::sub(pool, sum, term);
    }
    let constant = pool.int(constant);
    index::add(pool, sum, constant)
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
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}
