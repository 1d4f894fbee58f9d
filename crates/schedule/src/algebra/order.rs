//! Proofs of inequalities between normal forms.
//!
//! A sum is shown to be non-negative from the least values of its terms, from the arms of minima
//! and maxima, from `a - b + 1 <= b * (a div b) <= a`, and from the greatest values of variables. A
//! failed search proves nothing.

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Scalar};

use super::{Algebra, PROOF_DEPTH, PROOF_STEPS, Product, Sum};

/// The maximum number of arms of an extremum that are searched for common terms.
const MOST_PULLED: usize = 12;

impl Algebra<'_> {
    /// True if `a <= b` follows from known facts. `false` means unknown.
    pub(crate) fn proves_le(&mut self, a: ExprId, b: ExprId) -> bool {
        let difference = self.sub(b, a);
        let difference = self.sum(difference);
        self.is_nonnegative(&difference)
    }

    /// Like [`Algebra::proves_le`], for large minima and maxima that have arms in common, as the
    /// ends of resized regions have: compares the arms alone.
    pub(crate) fn proves_le_by_arms(&mut self, a: ExprId, b: ExprId) -> bool {
        self.is_below(a, b, &mut FxHashMap::default())
    }

    fn is_below(
        &mut self,
        a: ExprId,
        b: ExprId,
        known: &mut FxHashMap<(ExprId, ExprId), bool>,
    ) -> bool {
        if a == b {
            return true;
        }
        if let Some(known) = known.get(&(a, b)) {
            return *known;
        }
        let (below, above) = (self.halves(a), self.halves(b));
        let found = match (below, above) {
            (Some((BinaryOp::Max, x, y)), _) => {
                self.is_below(x, b, known) && self.is_below(y, b, known)
            }
            (_, Some((BinaryOp::Min, x, y))) => {
                self.is_below(a, x, known) && self.is_below(a, y, known)
            }
            (None, None) => self.proves_le(a, b),
            (below, above) => {
                [below.map(|(_, x, y)| [(x, b), (y, b)]), above.map(|(_, x, y)| [(a, x), (a, y)])]
                    .into_iter()
                    .flatten()
                    .flatten()
                    .any(|(a, b)| self.is_below(a, b, known))
            }
        };
        known.insert((a, b), found);
        found
    }

    fn halves(&self, expr: ExprId) -> Option<(BinaryOp, ExprId, ExprId)> {
        if let Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), lhs, rhs) = *self.pool.get(expr) {
            Some((op, lhs, rhs))
        } else {
            None
        }
    }

    /// True if `expr >= 0` follows from known facts.
    pub(crate) fn proves_nonnegative(&mut self, expr: ExprId) -> bool {
        let sum = self.sum(expr);
        self.is_nonnegative(&sum)
    }

    /// True if a sum is shown to be non-negative.
    pub(super) fn is_nonnegative(&mut self, sum: &Sum) -> bool {
        !self.samples.refutes(self.pool, &self.known, sum) && self.is_shown_nonnegative(sum)
    }

    /// True if a sum that no sample point refutes is shown to be non-negative.
    pub(super) fn is_shown_nonnegative(&mut self, sum: &Sum) -> bool {
        if self.given_up.contains(sum) {
            return false;
        }
        // A search may need normal forms, which start searches in turn.
        let around = std::mem::replace(&mut self.budget, PROOF_STEPS);
        self.searches += 1;
        let shown = self.nonnegative(sum, PROOF_DEPTH);
        self.searches -= 1;
        let left = std::mem::replace(&mut self.budget, around);
        if !shown && left == 0 {
            self.given_up.insert(sum.clone());
        }
        shown
    }

    fn nonnegative(&mut self, sum: &Sum, depth: u32) -> bool {
        if let Some(value) = sum.as_constant() {
            return value >= 0;
        }
        if depth < PROOF_DEPTH && self.samples.refutes(self.pool, &self.known, sum) {
            return false;
        }
        if let Some((known, looked)) = self.proofs.get(sum)
            && (*known || *looked >= depth)
        {
            return *known;
        }
        let shown = self.look(sum, depth);
        // A search that ran out of steps was not exhaustive.
        if shown || self.budget > 0 {
            self.proofs.insert(sum.clone(), (shown, depth));
        }
        shown
    }

    /// Returns integers whose minimum is the given one, by replacing the minima in its sum, and the
    /// maxima that are subtracted, with their arms. The given integer equals one of them; some may
    /// be omitted.
    pub(crate) fn least_of(&mut self, expr: ExprId) -> Vec<ExprId> {
        const MOST: usize = 32;
        let mut sums = vec![self.sum(expr)];
        let mut next = 0;
        while let Some(sum) = sums.get(next).cloned() {
            next += 1;
            for (product, coefficient) in sum.terms() {
                let Product::Atom(atom) = product else { continue };
                let Some((op, lhs, rhs)) = self.as_extremum(*atom) else { continue };
                if (op == BinaryOp::Min) != (coefficient > 0) {
                    continue;
                }
                let rest = sum.without(product);
                for arm in [lhs, rhs] {
                    let arm = self.sum(arm);
                    let arm = rest.plus(&arm, coefficient);
                    sums.extend(arm.filter(|arm| sums.len() < MOST && !sums.contains(arm)));
                }
            }
        }
        sums.iter().map(|sum| self.expr(sum)).collect()
    }

    fn look(&mut self, sum: &Sum, depth: u32) -> bool {
        if self.least_by_terms(sum).is_some_and(|least| least >= 0) {
            return true;
        }
        self.budget = self.budget.saturating_sub(1);
        let Some(depth) = depth.checked_sub(1).filter(|_| self.budget > 0) else { return false };
        // Extrema for which both arms are needed come first, because expanding them loses nothing.
        for needs_both in [true, false] {
            for (product, coefficient) in sum.terms() {
                let Product::Atom(atom) = product else { continue };
                let Some((op, lhs, rhs)) = self.as_extremum(*atom) else { continue };
                // Both arms of a minimum that is added (or a maximum that is subtracted) must work;
                // in the opposite case one arm that works suffices.
                if needs_both != ((op == BinaryOp::Min) == (coefficient > 0)) {
                    continue;
                }
                let rest = sum.without(product);
                let mut does = |arm| {
                    let arm = self.sum(arm);
                    let arm = rest.plus(&arm, coefficient);
                    arm.is_some_and(|arm| self.nonnegative(&arm, depth))
                };
                if needs_both {
                    return does(lhs) && does(rhs);
                } else if does(lhs) || does(rhs) {
                    return true;
                }
            }
        }
        for (product, coefficient) in sum.terms() {
            for (position, atom) in product.iter().enumerate() {
                let mut others = product.to_vec();
                others.remove(position);
                let bound = match self.quotient_bound(*atom, &others, coefficient) {
                    None if coefficient < 0 => self.greatest_bound(*atom, &others, coefficient),
                    None => self.least_bound(*atom, &others, coefficient),
                    bound => bound,
                };
                if let Some(bound) = bound {
                    let rest = sum.without(product);
                    if rest.plus(&bound, 1).is_some_and(|sum| self.nonnegative(&sum, depth)) {
                        return true;
                    }
                }
            }
        }
        for (product, coefficient) in sum.terms() {
            let Product::Atom(atom) = product else { continue };
            let Some((left, common)) = self.pulled(*atom) else { continue };
            let mut apart = sum.without(product).plus(&left, coefficient);
            for (quotient, factor) in common.terms() {
                let Product::Atom(quotient) = quotient else { continue };
                let bound = self.quotient_bound(*quotient, &[], factor.saturating_mul(coefficient));
                apart = apart.zip(bound).and_then(|(apart, bound)| apart.plus(&bound, 1));
            }
            let cancelled = apart.and_then(|apart| self.cancelled(&apart));
            if cancelled.is_some_and(|sum| self.nonnegative(&sum, depth)) {
                return true;
            }
        }
        self.scaled(sum).is_some_and(|sum| self.nonnegative(&sum, depth))
    }

    /// Splits `max(a + q, b + q)` into `max(a, b)` and `q`, for quotients that all arms have in
    /// common: a bound of the quotient may be in terms of the rest. Makes new normal forms, so only
    /// the outermost search does it, and only for few arms.
    fn pulled(&mut self, atom: ExprId) -> Option<(Sum, Sum)> {
        self.as_extremum(atom)?;
        if self.searches > 1 || self.arms(atom, MOST_PULLED + 1) > MOST_PULLED {
            return None;
        }
        let common = self.common_quotients(&Sum::atom(atom))?;
        let left = self.less(&Sum::atom(atom), &common)?;
        Some((left, common))
    }

    /// Counts the arms of nested extrema, up to a limit.
    fn arms(&mut self, expr: ExprId, most: usize) -> usize {
        let sum = self.sum(expr);
        let Some((_, lhs, rhs)) = self.lone_extremum(&sum) else { return 1 };
        let left = self.arms(lhs, most);
        if left >= most { left } else { left + self.arms(rhs, most - left) }
    }

    /// Returns the multiples of quotients that all arms of a sum have in common; `None` if they
    /// have no such multiple.
    fn common_quotients(&mut self, sum: &Sum) -> Option<Sum> {
        let common = match self.lone_extremum(sum) {
            Some((_, lhs, rhs)) => {
                let (lhs, rhs) = (self.sum(lhs), self.sum(rhs));
                let (lhs, rhs) = (self.common_quotients(&lhs)?, self.common_quotients(&rhs)?);
                lhs.filter_map(|product, coefficient| {
                    if rhs.coefficient(product) == coefficient { coefficient } else { 0 }
                })
            }
            None => sum.filter_map(|product, coefficient| match product {
                Product::Atom(atom)
                    if matches!(self.pool.get(*atom), Expr::Binary(BinaryOp::Div, ..)) =>
                {
                    coefficient
                }
                Product::One | Product::Atom(_) | Product::Atoms(_) => 0,
            }),
        };
        (!common.is_zero()).then_some(common)
    }

    /// Subtracts from a sum what all its arms have in common.
    fn less(&mut self, sum: &Sum, common: &Sum) -> Option<Sum> {
        let Some((op, lhs, rhs)) = self.lone_extremum(sum) else { return sum.plus(common, -1) };
        let (lhs, rhs) = (self.sum(lhs), self.sum(rhs));
        let (lhs, rhs) = (self.less(&lhs, common)?, self.less(&rhs, common)?);
        let (lhs, rhs) = (self.expr(&lhs), self.expr(&rhs));
        Some(Sum::atom(self.pool.binary(op, lhs, rhs)))
    }

    /// Returns a sum that is non-negative where this one is, and whose first quotient that could
    /// not be bounded can be: `s >= 0` where `c * s + c - 1 >= 0`, for integers.
    fn scaled(&self, sum: &Sum) -> Option<Sum> {
        let divisor = sum.terms().find_map(|(product, coefficient)| {
            let Product::Atom(atom) = product else { return None };
            let Expr::Binary(BinaryOp::Div, _, by) = self.pool.get(*atom) else { return None };
            let by = self.pool.as_constant(*by).and_then(Constant::as_integer)?;
            (by > 0 && coefficient % by != 0).then_some(by)
        })?;
        Sum::constant(divisor - 1).plus(sum, divisor)
    }

    /// Returns a lower bound of `coefficient * var * others` where the coefficient is positive,
    /// from a least value of the variable.
    fn least_bound(&mut self, atom: ExprId, others: &[ExprId], coefficient: i128) -> Option<Sum> {
        let least = self.least_atom(atom)?;
        let positive = Sum::term(Product::of(others), 1);
        if others.is_empty() || least < 0 || self.least_by_terms(&positive)? < 0 {
            return None;
        }
        let factor = Sum::term(Product::of(others), coefficient);
        Sum::default().plus(&factor, least)
    }

    /// Returns a lower bound of `coefficient * var * others` where the coefficient is negative,
    /// from a greatest value of the variable.
    fn greatest_bound(
        &mut self,
        atom: ExprId,
        others: &[ExprId],
        coefficient: i128,
    ) -> Option<Sum> {
        let Expr::Var(var) = self.pool.get(atom) else { return None };
        let upper = *self.known.upper.get(var)?;
        let factor = Sum::term(Product::of(others), coefficient);
        let positive = Sum::term(Product::of(others), 1);
        if self.least_by_terms(&positive)? < 0 {
            return None;
        }
        self.sum(upper).times(&factor)
    }

    /// Returns a lower bound of `coefficient * (a div b) * others` where `b` is positive and
    /// divides `coefficient * others`: `a - b + 1 <= b * (a div b) <= a`.
    fn quotient_bound(
        &mut self,
        atom: ExprId,
        others: &[ExprId],
        coefficient: i128,
    ) -> Option<Sum> {
        let Expr::Binary(BinaryOp::Div, a, b) = *self.pool.get(atom) else { return None };
        let (a, divisor) = (self.sum(a), self.sum(b));
        let factor = match divisor.as_constant() {
            Some(value) if value > 0 && coefficient % value == 0 && others.is_empty() => {
                coefficient / value
            }
            Some(_) => return None,
            None if others == [b] && self.least_atom(b).is_some_and(|least| least >= 1) => {
                coefficient
            }
            None => return None,
        };
        let bounded =
            if factor > 0 { a.plus(&divisor, -1)?.plus(&Sum::constant(1), 1)? } else { a };
        Sum::default().plus(&bounded, factor)
    }

    /// Returns a constant upper bound of a sum whose terms are differences `a div c - b div c` with
    /// `a - b` constant and `c > 0`: such a difference is at most `(a - b) / c`, rounded up.
    pub(crate) fn quotients_apart(&mut self, sum: &Sum) -> Option<i128> {
        let quotient = |of: &Self, product: &Product| {
            let Product::Atom(atom) = product else { return None };
            let Expr::Binary(BinaryOp::Div, numerator, by) = *of.pool.get(*atom) else {
                return None;
            };
            let by = of.pool.as_constant(by).and_then(Constant::as_integer)?;
            (by > 0).then_some((numerator, by))
        };
        let mut rest = sum.clone();
        loop {
            if let Some(value) = rest.as_constant() {
                return Some(value);
            }
            let (added, count) =
                rest.terms().find(|(product, count)| *count > 0 && !product.is_empty())?;
            let (added, (above, by)) = (added.clone(), quotient(self, added)?);
            let mut taken = None;
            for (product, coefficient) in rest.terms() {
                let Some((below, divisor)) = quotient(self, product) else { continue };
                if coefficient != -count || divisor != by {
                    continue;
                }
                let (high, low) = (self.sum(above), self.sum(below));
                if let Some(apart) = high.plus(&low, -1).and_then(|apart| apart.as_constant()) {
                    let most = -apart.checked_neg()?.div_euclid(by);
                    taken = Some((product.clone(), count.checked_mul(most)?));
                    break;
                }
            }
            let (product, most) = taken?;
            rest = rest.without(&added).without(&product).plus(&Sum::constant(most), 1)?;
        }
    }

    /// Returns a lower bound of a sum, from least values of its terms: terms with negative
    /// coefficients must be constant.
    pub(crate) fn least_by_terms(&mut self, sum: &Sum) -> Option<i128> {
        let mut total = 0_i128;
        for (product, coefficient) in sum.terms() {
            let mut least = coefficient;
            if !product.is_empty() && coefficient < 0 {
                return None;
            }
            for atom in product.iter() {
                let value = self.least_atom(*atom).filter(|value| *value >= 0)?;
                least = least.checked_mul(value)?;
            }
            total = total.checked_add(least)?;
        }
        Some(total)
    }

    /// Returns a known least value of an atom.
    pub(crate) fn least_atom(&mut self, atom: ExprId) -> Option<i128> {
        if let Some(least) = self.least.get(&atom) {
            return *least;
        }
        let least = self.find_least(atom);
        self.least.insert(atom, least);
        least
    }

    fn find_least(&mut self, atom: ExprId) -> Option<i128> {
        match *self.pool.get(atom) {
            Expr::Var(var) => self.known.lower.get(&var).copied(),
            Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), lhs, rhs) => {
                let (lhs, rhs) = (self.sum(lhs), self.sum(rhs));
                match (self.least_by_terms(&lhs), self.least_by_terms(&rhs)) {
                    (Some(lhs), Some(rhs)) if op == BinaryOp::Min => Some(lhs.min(rhs)),
                    (Some(lhs), Some(rhs)) => Some(lhs.max(rhs)),
                    (Some(one), None) | (None, Some(one)) if op == BinaryOp::Max => Some(one),
                    _ => None,
                }
            }
            Expr::Binary(BinaryOp::Div, lhs, rhs) => {
                let (lhs, rhs) = (self.sum(lhs), self.sum(rhs));
                let numerator = self.least_by_terms(&lhs)?;
                match rhs.as_constant() {
                    Some(value) if value > 0 => Some(numerator.div_euclid(value)),
                    // The quotient of two non-negative numbers (division by 0 gives 0) is not
                    // negative.
                    _ if numerator >= 0 && self.least_by_terms(&rhs)? >= 0 => Some(0),
                    _ => None,
                }
            }
            Expr::Binary(BinaryOp::Mod, ..) => Some(0),
            Expr::Cast(Scalar::Int, operand) => {
                self.pool.ty(operand).scalar.range().map(|(low, _)| low)
            }
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
            | Expr::Hole(_) => None,
        }
    }
}
