//! The values of `int` variables that lets bind.

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Expr, ExprId, Pool, Scalar, VarId};

use crate::exprs::loads;
use crate::interval::{Interval, Intervals};
use crate::linear::{Linear, combine, gcd};

/// The maximum nesting depth of minima and maxima that are split into cases.
const MOST_CASES: usize = 4;

/// Values of lets of the whole program. Every binder is unique, so facts about a variable stay
/// true.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lets {
    values: FxHashMap<VarId, ExprId>,
    /// The linear forms of expressions, with variables replaced.
    done: FxHashMap<ExprId, Linear>,
    /// Expressions with variables in them replaced.
    expanded: FxHashMap<ExprId, ExprId>,
}

impl Lets {
    /// Records the value of a variable, before the first expression that mentions it. Ignores
    /// values read from memory, which may change later.
    pub(crate) fn bind(&mut self, pool: &Pool, var: VarId, value: ExprId) {
        if pool.ty(value).scalar == Scalar::Int && !loads(pool, value) {
            self.values.insert(var, value);
        }
    }

    /// Returns the expression with variables of lets replaced by their values, recursively.
    pub(crate) fn expanded(&mut self, pool: &mut Pool, id: ExprId) -> ExprId {
        if let Some(done) = self.expanded.get(&id) {
            return *done;
        }
        let expr = pool.get(id).clone();
        let value = if let Expr::Var(var) = expr { self.values.get(&var).copied() } else { None };
        let result = match value {
            Some(value) => self.expanded(pool, value),
            None => {
                let mapped = expr.map_operands(|operand| self.expanded(pool, operand));
                if mapped == expr { id } else { pool.expr(mapped) }
            }
        };
        self.expanded.insert(id, result);
        result
    }

    /// Returns the expression as a sum over variables that no let binds.
    pub(crate) fn form(&mut self, pool: &mut Pool, id: ExprId) -> Linear {
        if let Some(form) = self.done.get(&id) {
            return form.clone();
        }
        let expr = pool.get(id).clone();
        let value = if let Expr::Var(var) = expr { self.values.get(&var).copied() } else { None };
        let form = match value {
            Some(value) => self.form(pool, value),
            None => combine(pool, &expr, &mut |pool, operand| Some(self.form(pool, operand)))
                .unwrap_or_else(|| Linear::atom(id)),
        };
        self.done.insert(id, form.clone());
        form
    }

    /// Returns an interval that contains every lane of `lhs - rhs`.
    pub(crate) fn difference(
        &mut self,
        pool: &mut Pool,
        (lhs, rhs): (ExprId, ExprId),
        intervals: &Intervals,
    ) -> Interval {
        let lanes = i128::from(pool.ty(lhs).lanes);
        let other = self.form(pool, rhs);
        let Some(difference) = self.form(pool, lhs).plus(&other, -1) else { return Interval::ALL };
        interval(pool, &difference, lanes, intervals)
    }

    /// Returns an interval that contains every lane of `lhs - rhs`, by a case split on minima and
    /// maxima in the difference, which is more work.
    pub(crate) fn difference_in_cases(
        &mut self,
        pool: &mut Pool,
        (lhs, rhs): (ExprId, ExprId),
        intervals: &Intervals,
    ) -> Interval {
        let lanes = i128::from(pool.ty(lhs).lanes);
        let other = self.form(pool, rhs);
        let Some(difference) = self.form(pool, lhs).plus(&other, -1) else { return Interval::ALL };
        self.in_cases(pool, &difference, (lanes, intervals), MOST_CASES)
    }

    fn in_cases(
        &mut self,
        pool: &mut Pool,
        form: &Linear,
        (lanes, intervals): (i128, &Intervals),
        depth: usize,
    ) -> Interval {
        let plain = interval(pool, form, lanes, intervals);
        let extreme = form.terms().find_map(|(atom, by)| {
            if let Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) = *pool.get(atom) {
                Some((atom, by, op, a, b))
            } else {
                None
            }
        });
        let Some((atom, by, op, a, b)) = extreme.filter(|_| depth > 0) else { return plain };
        let mut with = |operand: ExprId| {
            let operand = self.form(pool, operand);
            let case = form.clone().without(atom).plus(&operand, by);
            case.map_or(Interval::ALL, |case| {
                self.in_cases(pool, &case, (lanes, intervals), depth - 1)
            })
        };
        let (first, second) = (with(a), with(b));
        plain.meet(if (op == BinaryOp::Min) == (by > 0) {
            first.lesser(second)
        } else {
            first.greater(second)
        })
    }

    /// Returns the remainder of an expression by a positive constant, if it is one number in every
    /// lane.
    pub(crate) fn residue(&mut self, pool: &mut Pool, id: ExprId, divisor: i128) -> Option<i128> {
        let form = self.form(pool, id);
        if form.step % divisor != 0 {
            return None;
        }
        let mut sum = form.constant_part().rem_euclid(divisor);
        for (atom, by) in form.terms() {
            if by % divisor != 0 {
                let residue = self.residue_of_atom(pool, atom, divisor)?;
                sum = (sum + by.rem_euclid(divisor).checked_mul(residue)?) % divisor;
            }
        }
        Some(sum)
    }

    fn residue_of_atom(&mut self, pool: &mut Pool, atom: ExprId, divisor: i128) -> Option<i128> {
        match *pool.get(atom) {
            Expr::Binary(BinaryOp::Min | BinaryOp::Max, a, b)
            | Expr::Select { condition: _, if_true: a, if_false: b } => {
                let residue = self.residue(pool, a, divisor)?;
                (self.residue(pool, b, divisor)? == residue).then_some(residue)
            }
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => None,
        }
    }

    /// Returns quotient and remainder of a scalar by a positive constant, if no division is left:
    /// `divisor·quotient + remainder`.
    pub(crate) fn divided(
        &mut self,
        pool: &mut Pool,
        id: ExprId,
        divisor: i128,
        intervals: &Intervals,
    ) -> Option<(Linear, Linear)> {
        let form = self.form(pool, id);
        let (mut quotient, mut remainder) = (Linear::default(), Linear::default());
        for (atom, by) in form.terms() {
            if by % divisor == 0 {
                quotient = quotient.plus(&Linear::atom(atom), by / divisor)?;
            } else {
                remainder = remainder.plus(&Linear::atom(atom), by)?;
            }
        }
        if quotient.has_no_terms() {
            return None;
        }
        quotient = quotient.offset(form.constant_part().div_euclid(divisor))?;
        remainder = remainder.offset(form.constant_part().rem_euclid(divisor))?;
        let range = interval(pool, &remainder, 1, intervals);
        let within =
            range.low.is_some_and(|low| low >= 0) && range.high.is_some_and(|high| high < divisor);
        within.then_some((quotient, remainder))
    }

    /// True if `base mod divisor + reach < divisor` for all values of the variables: no multiple of
    /// the divisor lies in `(base, base + reach]`.
    pub(crate) fn stays_below(
        &mut self,
        pool: &mut Pool,
        base: ExprId,
        divisor: i128,
        reach: i128,
    ) -> bool {
        let form = self.form(pool, base);
        // The base is congruent to the constant modulo this divisor of the divisor.
        let modulus = form.terms().fold(divisor, |modulus, (_, by)| gcd(modulus, by.abs()));
        form.constant_part()
            .rem_euclid(modulus)
            .checked_add(reach)
            .is_some_and(|last| last < modulus)
    }
}

/// Returns an interval that contains every lane of a sum.
fn interval(pool: &Pool, form: &Linear, lanes: i128, intervals: &Intervals) -> Interval {
    let mut done = FxHashMap::default();
    let mut sum = Interval::of(form.constant_part(), form.constant_part());
    for (atom, by) in form.terms() {
        sum = sum.add(intervals.of(pool, atom, &mut done).scale(by));
    }
    sum.add(Interval::of(0, 0).join(Interval::of(lanes - 1, lanes - 1).scale(form.step)))
}
