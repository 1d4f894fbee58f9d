//! One form for each linear integer, and for operands that commute. Two stages are compared up to
//! it.
//!
//! # Correctness
//! Unbounded integers are a ring, so a sum of multiples of other expressions is determined by its
//! coefficients. A comparison of two such integers is one of 0 with their difference; `a < b` is
//! `0 <= b - a - 1`. Sums and products of machine values commute, also of floats, because there is
//! only one NaN. Nothing else is rewritten, and every step keeps the value.

use halidom_base::{FxHashMap, IndexMap};
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Overflow, Pool, Scalar, UnaryOp};

/// Puts all integers and comparisons of integers in an expression into their form.
pub(super) fn normal(pool: &mut Pool, id: ExprId) -> ExprId {
    pool.rewrite_bottom_up(id, &mut FxHashMap::default(), &mut |pool, id, expr| {
        ordered(pool, expr)
            .or_else(|| of_sum(pool, id))
            .or_else(|| commuted(pool, expr))
            .unwrap_or(id)
    })
}

/// A sum or product whose operands are in the order of their numbers.
fn commuted(pool: &mut Pool, expr: &Expr) -> Option<ExprId> {
    let Expr::Binary(op @ (BinaryOp::Add(_) | BinaryOp::Mul(_)), a, b) = *expr else {
        return None;
    };
    (b < a).then(|| pool.binary(op, b, a))
}

/// The conjuncts of a condition in their form, without those that are literally true.
pub(super) fn conjuncts(pool: &mut Pool, condition: Option<ExprId>) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut open: Vec<ExprId> = condition.into_iter().collect();
    while let Some(id) = open.pop() {
        if let Expr::Binary(BinaryOp::And, a, b) = *pool.get(id) {
            open.extend([b, a]);
            continue;
        }
        let id = normal(pool, id);
        if pool.as_constant(id) != Some(Constant::bool(true)) {
            found.push(id);
        }
    }
    found
}

/// A sum: the coefficients of expressions, and a constant.
#[derive(Default)]
struct Sum {
    terms: IndexMap<ExprId, i128>,
    constant: i128,
}

impl Sum {
    /// Adds a multiple of an expression; `None` if a coefficient is too large.
    fn push(&mut self, pool: &Pool, id: ExprId, factor: i128) -> Option<()> {
        if let Some(value) = pool.as_constant(id).and_then(Constant::as_integer) {
            self.constant = self.constant.checked_add(value.checked_mul(factor)?)?;
            return Some(());
        }
        let unbounded = Overflow::Unbounded;
        let expr = pool.get(id);
        if let Expr::Unary(UnaryOp::Neg(overflow), a) = *expr
            && overflow == unbounded
        {
            return self.push(pool, a, factor.checked_neg()?);
        }
        let Expr::Binary(op, a, b) = *expr else { return self.term(id, factor) };
        if op == BinaryOp::Add(unbounded) {
            self.push(pool, a, factor)?;
            self.push(pool, b, factor)
        } else if op == BinaryOp::Sub(unbounded) {
            self.push(pool, a, factor)?;
            self.push(pool, b, factor.checked_neg()?)
        } else if op == BinaryOp::Mul(unbounded) {
            let number = |id| pool.as_constant(id).and_then(Constant::as_integer);
            match (number(a), number(b)) {
                (Some(by), _) => self.push(pool, b, factor.checked_mul(by)?),
                (None, Some(by)) => self.push(pool, a, factor.checked_mul(by)?),
                (None, None) => self.term(id, factor),
            }
        } else {
            self.term(id, factor)
        }
    }

    fn term(&mut self, id: ExprId, factor: i128) -> Option<()> {
        let own = self.terms.entry(id).or_insert(0);
        *own = own.checked_add(factor)?;
        Some(())
    }

    /// The expression, with its terms in the order of their ids.
    fn expr(mut self, pool: &mut Pool) -> ExprId {
        self.terms.retain(|_, factor| *factor != 0);
        self.terms.sort_unstable_keys();
        let mut sum: Option<ExprId> = None;
        for (term, factor) in self.terms {
            let product = if factor == 1 {
                term
            } else {
                let factor = pool.int(factor);
                pool.mul(term, factor)
            };
            sum = Some(sum.map_or(product, |sum| pool.add(sum, product)));
        }
        match (sum, self.constant) {
            (None, constant) => pool.int(constant),
            (Some(sum), 0) => sum,
            (Some(sum), constant) => {
                let constant = pool.int(constant);
                pool.add(sum, constant)
            }
        }
    }
}

fn is_int(pool: &Pool, id: ExprId) -> bool {
    let ty = pool.ty(id);
    ty.scalar == Scalar::Int && ty.lanes == 1
}

fn of_sum(pool: &mut Pool, id: ExprId) -> Option<ExprId> {
    if !is_int(pool, id) {
        return None;
    }
    let mut sum = Sum::default();
    sum.push(pool, id, 1)?;
    Some(sum.expr(pool))
}

/// A comparison of integers as one of 0 with a sum.
fn ordered(pool: &mut Pool, expr: &Expr) -> Option<ExprId> {
    let Expr::Binary(op, a, b) = *expr else { return None };
    if !op.is_comparison() || !is_int(pool, a) {
        return None;
    }
    let (less, greater, strict) = if op == BinaryOp::Le {
        (a, b, 0)
    } else if op == BinaryOp::Lt {
        (a, b, 1)
    } else if op == BinaryOp::Ge {
        (b, a, 0)
    } else if op == BinaryOp::Gt {
        (b, a, 1)
    } else {
        return None;
    };
    let mut difference = Sum { constant: -strict, ..Sum::default() };
    difference.push(pool, greater, 1)?;
    difference.push(pool, less, -1)?;
    let difference = difference.expr(pool);
    if let Some(value) = pool.as_constant(difference).and_then(Constant::as_integer) {
        return Some(pool.constant(Constant::bool(value >= 0)));
    }
    let zero = pool.int(0);
    Some(pool.binary(BinaryOp::Le, zero, difference))
}

#[cfg(test)]
mod tests {
    use halidom_ir::{BinaryOp, Constant, Pool, Type};

    use super::{conjuncts, normal};

    #[test]
    fn equal_sums_and_comparisons_have_one_form_and_others_have_not() {
        let mut pool = Pool::new();
        let [u, r, n] = ["u", "r", "n"].map(|name| pool.declare_var(name, Type::INT));
        let [u, r, n] = [u, r, n].map(|var| pool.var_expr(var));
        let [one, eight] = [1, 8].map(|value| pool.int(value));
        let blocks = pool.mul(u, eight);
        let place = pool.add(blocks, r);
        let turned = pool.add(r, blocks);
        assert_eq!(normal(&mut pool, place), normal(&mut pool, turned));
        let next = pool.add(turned, one);
        assert_ne!(normal(&mut pool, place), normal(&mut pool, next));
        let before = pool.binary(BinaryOp::Lt, place, n);
        let not_beyond = pool.binary(BinaryOp::Le, next, n);
        let at_most = pool.binary(BinaryOp::Le, place, n);
        assert_eq!(normal(&mut pool, before), normal(&mut pool, not_beyond));
        assert_ne!(normal(&mut pool, before), normal(&mut pool, at_most));
        let truth = pool.constant(Constant::bool(true));
        let both = pool.binary(BinaryOp::And, truth, before);
        let own = conjuncts(&mut pool, Some(before));
        assert_eq!(conjuncts(&mut pool, Some(both)), own);
        assert_eq!(own.len(), 1);
    }
}
