//! Algebra on `int` expressions: a normal form for sums of products, and (in [`order`]) proofs of
//! inequalities between them.
//!
//! Everything that this crate builds passes through here, because bounds become let-bound values, C
//! code, and the polynomials of proofs. The normal form is a sum of products of *atoms* (variables,
//! quotients, minima, …) with integer coefficients. A minimum or maximum that stands alone in a sum
//! takes the rest of the sum into its arms, so that `min(m + 8*t + 8, m + n) - (m + 8*t)` becomes
//! `min(8, n - 8*t)`.

mod order;
mod sample;
mod sum;

use std::borrow::Cow;

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, FuncId, Overflow, Pool, UnaryOp, VarId};

use crate::target::{End, Target};
use sample::{Samples, Values};
pub(crate) use sum::{Known, Product, Sum};

/// The maximum nesting depth of minima and quotients that a proof of an inequality explores.
const PROOF_DEPTH: u32 = 6;
/// The maximum number of sums that a proof explores.
const PROOF_STEPS: u32 = 150;
/// The maximum number of arms of minima and maxima that are paired with one another, which takes
/// time cubic in their number.
const MOST_PAIRED: usize = 6;

/// Normalises expressions and proves inequalities, with a pool to make expressions in and known
/// facts.
pub(crate) struct Algebra<'a> {
    pub(crate) pool: &'a mut Pool,
    known: Cow<'a, Known>,
    sums: FxHashMap<ExprId, Sum>,
    /// Sums of several terms with their extrema distributed. Regions of pyramids share their parts:
    /// as trees, they have exponentially many.
    distributed: FxHashMap<Sum, Sum>,
    /// The ends of expressions over targets, and true where an end may be too wide.
    pub(crate) ends: FxHashMap<(ExprId, Target, End), (Option<ExprId>, bool)>,
    /// The result of each proof search for a sum being non-negative, and the depth of the search.
    proofs: FxHashMap<Sum, (bool, u32)>,
    /// Sums for which a search ran out of steps; another search would run out as well.
    given_up: FxHashSet<Sum>,
    samples: Samples,
    /// Known least values of atoms.
    least: FxHashMap<ExprId, Option<i128>>,
    /// Ranges of funcs' values over startup values, as far as they are computed.
    pub(crate) values: FxHashMap<(FuncId, usize), (Option<ExprId>, Option<ExprId>)>,
    /// Set where an interval may be wider than the values that an expression takes.
    pub(crate) lossy: bool,
    /// The number of steps left to the current proof search.
    budget: u32,
    /// The number of nested proof searches in progress.
    searches: u32,
}

impl<'a> Algebra<'a> {
    pub(crate) fn new(pool: &'a mut Pool, known: &'a Known) -> Self {
        Self {
            pool,
            known: Cow::Borrowed(known),
            sums: FxHashMap::default(),
            distributed: FxHashMap::default(),
            ends: FxHashMap::default(),
            proofs: FxHashMap::default(),
            given_up: FxHashSet::default(),
            samples: Samples::default(),
            least: FxHashMap::default(),
            values: FxHashMap::default(),
            lossy: false,
            budget: 0,
            searches: 0,
        }
    }

    /// Adds a greatest value of a variable.
    pub(crate) fn learn_upper(&mut self, var: VarId, greatest: ExprId) {
        self.known.to_mut().upper.insert(var, greatest);
        self.sums.clear();
        self.distributed.clear();
        self.ends.clear();
        self.proofs.clear();
        self.given_up.clear();
        self.samples.clear();
    }

    /// Returns the expression of the normal form, which equals `expr` wherever `expr` is defined.
    pub(crate) fn simplify(&mut self, expr: ExprId) -> ExprId {
        if self.pool.ty(expr) == halidom_ir::Type::INT {
            let sum = self.sum(expr);
            self.expr(&sum)
        } else {
            expr
        }
    }

    pub(crate) fn int(&mut self, value: i128) -> ExprId {
        self.pool.int(value)
    }

    pub(crate) fn add(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.combine(BinaryOp::Add(Overflow::Unbounded), lhs, rhs)
    }

    pub(crate) fn sub(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.combine(BinaryOp::Sub(Overflow::Unbounded), lhs, rhs)
    }

    pub(crate) fn mul(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.combine(BinaryOp::Mul(Overflow::Unbounded), lhs, rhs)
    }

    pub(crate) fn combine(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let expr = self.pool.binary(op, lhs, rhs);
        self.simplify(expr)
    }

    pub(crate) fn min(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.combine(BinaryOp::Min, lhs, rhs)
    }

    pub(crate) fn max(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.combine(BinaryOp::Max, lhs, rhs)
    }

    /// `expr + value`.
    pub(crate) fn offset(&mut self, expr: ExprId, value: i128) -> ExprId {
        let value = self.int(value);
        self.add(expr, value)
    }

    /// Returns the normal form of an `int` expression.
    pub(crate) fn sum(&mut self, expr: ExprId) -> Sum {
        if let Some(sum) = self.sums.get(&expr) {
            return sum.clone();
        }
        // An expression whose coefficients overflow 128 bits stays as it is.
        let sum = self.normalise(expr).unwrap_or_else(|| Sum::atom(expr));
        let sum = self.distribute(sum);
        self.sums.insert(expr, sum.clone());
        sum
    }

    fn normalise(&mut self, expr: ExprId) -> Option<Sum> {
        match self.pool.get(expr).clone() {
            Expr::Const(constant) => constant.as_integer().map(Sum::constant),
            Expr::Unary(UnaryOp::Neg(_), operand) => Sum::default().plus(&self.sum(operand), -1),
            Expr::Binary(op, lhs, rhs) => match op {
                BinaryOp::Add(_) => self.sum(lhs).plus(&self.sum(rhs), 1),
                BinaryOp::Sub(_) => self.sum(lhs).plus(&self.sum(rhs), -1),
                BinaryOp::Mul(_) => self.sum(lhs).times(&self.sum(rhs)),
                BinaryOp::Min | BinaryOp::Max => {
                    let arms = [self.sum(lhs), self.sum(rhs)];
                    Some(self.extremum(op == BinaryOp::Min, arms))
                }
                BinaryOp::Div => self.quotient(lhs, rhs),
                BinaryOp::Mod => self.remainder(lhs, rhs),
                BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Shl
                | BinaryOp::Shr
                | BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge => None,
            },
            Expr::Select { condition, if_true, if_false } => {
                let (if_true, if_false) = (self.simplify(if_true), self.simplify(if_false));
                if if_true == if_false {
                    return Some(self.sum(if_true));
                }
                match self.pool.as_constant(condition).and_then(Constant::as_bool) {
                    Some(true) => Some(self.sum(if_true)),
                    Some(false) => Some(self.sum(if_false)),
                    None => Some(Sum::atom(self.pool.select(condition, if_true, if_false))),
                }
            }
            Expr::Var(_)
            | Expr::Unary(UnaryOp::Not, _)
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

    /// Returns the minimum (or maximum) of the arms, without the arms that another one makes
    /// redundant.
    fn extremum(&mut self, least: bool, arms: impl IntoIterator<Item = Sum>) -> Sum {
        let mut flat: Vec<Sum> = Vec::new();
        for arm in arms {
            self.flatten(least, arm, &mut flat);
        }
        let mut kept = self.prune(least, flat);
        if self.absorb(least, &mut kept) {
            kept = self.prune(least, kept);
        }
        if let [only] = kept.as_slice() {
            return only.clone();
        }
        self.joined(least, &kept)
    }

    /// Drops arms that another one makes redundant.
    fn prune(&mut self, least: bool, arms: Vec<Sum>) -> Vec<Sum> {
        let mut kept: Vec<(Sum, Values)> = Vec::new();
        for arm in arms {
            let values = self.samples.of(self.pool, &self.known, &arm);
            let arm = (arm, values);
            if kept.iter().any(|other| self.ordered_sampled(least, other, &arm)) {
                continue;
            }
            kept.retain(|other| !self.ordered_sampled(least, &arm, other));
            kept.push(arm);
        }
        self.prune_together(least, kept.into_iter().map(|(arm, _)| arm).collect())
    }

    /// Drops an extremum of the other kind that the other arms together make redundant: `min(a, b,
    /// m + 16 * ((min(a, b) - m) / 16) + 15)` is `min(a, b)`.
    fn prune_together(&mut self, least: bool, mut arms: Vec<Sum>) -> Vec<Sum> {
        let mut position = 0;
        while position < arms.len() && arms.len() > 2 {
            if self.lone_extremum(&arms[position]).is_some() {
                let arm = arms.remove(position);
                let others = self.joined(least, &arms);
                if self.ordered(least, &others, &arm) {
                    continue;
                }
                arms.insert(position, arm);
            }
            position += 1;
        }
        arms
    }

    /// Returns the minimum or maximum of arms, none of them redundant. Each part of the result is
    /// already a normal form.
    fn joined(&mut self, least: bool, arms: &[Sum]) -> Sum {
        let op = if least { BinaryOp::Min } else { BinaryOp::Max };
        let mut exprs = Vec::with_capacity(arms.len());
        for arm in arms {
            let expr = self.expr(arm);
            self.sums.entry(expr).or_insert_with(|| arm.clone());
            exprs.push(expr);
        }
        exprs.sort_unstable();
        let mut exprs = exprs.into_iter();
        let Some(mut result) = exprs.next() else { return Sum::default() };
        for expr in exprs {
            result = self.pool.binary(op, result, expr);
            self.sums.entry(result).or_insert_with(|| Sum::atom(result));
        }
        Sum::atom(result)
    }

    /// Drops, within an arm, whatever another arm cuts off already: `min(a, max(c, min(a, b))) =
    /// min(a, max(c, b))`, and likewise for a maximum. Returns true if it dropped anything.
    fn absorb(&mut self, least: bool, arms: &mut [Sum]) -> bool {
        let mut absorbed = false;
        // One arm after another: each arm is compared with the others' current forms.
        for position in 0..arms.len() {
            let arm = arms[position].clone();
            let Some((op, ..)) = self.lone_extremum(&arm) else { continue };
            let mut parts = Vec::new();
            self.flatten(op == BinaryOp::Min, arm, &mut parts);
            let mut changed = false;
            for part in &mut parts {
                let mut cuts = Vec::new();
                self.flatten(least, part.clone(), &mut cuts);
                let count = cuts.len();
                if count < 2 {
                    continue;
                }
                cuts.retain(|cut| {
                    !arms
                        .iter()
                        .enumerate()
                        .any(|(other, sum)| other != position && self.ordered(least, sum, cut))
                });
                if cuts.len() < count && !cuts.is_empty() {
                    *part = self.extremum(least, cuts);
                    changed = true;
                }
            }
            if changed {
                arms[position] = self.extremum(!least, parts);
                absorbed = true;
            }
        }
        absorbed
    }

    /// True if `a <= b` is known (`a >= b` if not `least`).
    fn ordered(&mut self, least: bool, a: &Sum, b: &Sum) -> bool {
        let (small, large) = if least { (a, b) } else { (b, a) };
        large.plus(small, -1).is_some_and(|difference| self.is_nonnegative(&difference))
    }

    /// Like `ordered`, for sums with their values at the sample points, which nearly always refute
    /// the order.
    fn ordered_sampled(&mut self, least: bool, a: &(Sum, Values), b: &(Sum, Values)) -> bool {
        let ((small, at_small), (large, at_large)) = if least { (a, b) } else { (b, a) };
        !at_small.exceed(at_large)
            && large
                .plus(small, -1)
                .is_some_and(|difference| self.is_shown_nonnegative(&difference))
    }

    fn flatten(&mut self, least: bool, arm: Sum, flat: &mut Vec<Sum>) {
        if let Some((op, lhs, rhs)) = self.lone_extremum(&arm)
            && (op == BinaryOp::Min) == least
        {
            let (lhs, rhs) = (self.sum(lhs), self.sum(rhs));
            self.flatten(least, lhs, flat);
            self.flatten(least, rhs, flat);
        } else {
            flat.push(arm);
        }
    }

    /// Returns the operator and the arms if a sum is a single minimum or maximum.
    pub(crate) fn lone_extremum(&self, sum: &Sum) -> Option<(BinaryOp, ExprId, ExprId)> {
        let mut terms = sum.terms();
        match (terms.next(), terms.next()) {
            (Some((Product::Atom(atom), 1)), None) => self.as_extremum(*atom),
            _ => None,
        }
    }

    fn as_extremum(&self, atom: ExprId) -> Option<(BinaryOp, ExprId, ExprId)> {
        if let Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), lhs, rhs) = self.pool.get(atom) {
            Some((*op, *lhs, *rhs))
        } else {
            None
        }
    }

    /// Moves the rest of a sum into its only minimum or maximum: `2 * min(a, b) + c = min(2*a + c,
    /// 2*b + c)`, `c - min(a, b) = max(c - a, c - b)`.
    fn distribute(&mut self, sum: Sum) -> Sum {
        if sum.len() < 2 && self.lone_extremum(&sum).is_some() {
            return sum;
        }
        if let Some(known) = self.distributed.get(&sum) {
            return known.clone();
        }
        let result = self.distributed_once(sum.clone());
        // Within a search, fewer inequalities are shown.
        if self.searches == 0 {
            self.distributed.insert(sum, result.clone());
        }
        result
    }

    fn distributed_once(&mut self, sum: Sum) -> Sum {
        let extrema: Vec<(ExprId, i128)> = sum
            .terms()
            .flat_map(|(product, coefficient)| {
                product.iter().map(move |atom| (product, *atom, coefficient))
            })
            .filter(|(_, atom, _)| self.as_extremum(*atom).is_some())
            .map(|(product, atom, coefficient)| {
                (atom, if product.len() == 1 { coefficient } else { 0 })
            })
            .collect();
        if let [(a, first), (b, second)] = *extrema.as_slice() {
            return self.cancel(&sum, (a, first), (b, second)).unwrap_or(sum);
        }
        let [(atom, coefficient)] = extrema.as_slice() else { return sum };
        if *coefficient == 0 {
            return sum;
        }
        let Some((op, lhs, rhs)) = self.as_extremum(*atom) else { return sum };
        let rest = sum.without(&[*atom][..]);
        let (lhs, rhs) = (self.sum(lhs), self.sum(rhs));
        match (rest.plus(&lhs, *coefficient), rest.plus(&rhs, *coefficient)) {
            (Some(lhs), Some(rhs)) => {
                let arms = [self.distribute(lhs), self.distribute(rhs)];
                self.extremum((op == BinaryOp::Min) == (*coefficient > 0), arms)
            }
            _ => sum,
        }
    }

    /// Cancels two minima or maxima whose arms differ by the same amount: `max(a + n, b + n) -
    /// max(a, b) = n`.
    fn cancel(&mut self, sum: &Sum, a: (ExprId, i128), b: (ExprId, i128)) -> Option<Sum> {
        if a.1 == 0 || a.1.checked_add(b.1)? != 0 {
            return None;
        }
        let distance = self.distance(&Sum::atom(a.0), &Sum::atom(b.0))?;
        let rest = sum.without(&[a.0][..]).without(&[b.0][..]);
        rest.plus(&distance, a.1)
    }

    /// Returns a sum without a pair of extrema that cancel, if it has such a pair.
    fn cancelled(&mut self, sum: &Sum) -> Option<Sum> {
        let extrema: Vec<(ExprId, i128)> = sum
            .terms()
            .filter_map(|(product, coefficient)| match product {
                Product::Atom(atom) => self.as_extremum(*atom).map(|_| (*atom, coefficient)),
                Product::One | Product::Atoms(_) => None,
            })
            .collect();
        for (position, a) in extrema.iter().enumerate() {
            for b in &extrema[..position] {
                if let Some(rest) = self.cancel(sum, *a, *b) {
                    return Some(rest);
                }
            }
        }
        None
    }

    /// Returns `a - b` if the two differ only by an amount added to all of their arms.
    fn distance(&mut self, a: &Sum, b: &Sum) -> Option<Sum> {
        let difference = a.plus(b, -1)?;
        let extrema = (self.lone_extremum(a), self.lone_extremum(b));
        if extrema == (None, None) || difference.as_constant().is_some() {
            return Some(difference);
        }
        let ((op, ..), (other, ..)) = (extrema.0?, extrema.1?);
        if op != other {
            return None;
        }
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        self.flatten(op == BinaryOp::Min, a.clone(), &mut of_a);
        self.flatten(op == BinaryOp::Min, b.clone(), &mut of_b);
        if of_a.len() != of_b.len() || of_a.len() > MOST_PAIRED {
            return None;
        }
        // Each arm is paired with a different one of the other's.
        let start = of_a.pop()?;
        for position in 0..of_b.len() {
            let Some(distance) = self.distance(&start, &of_b[position]) else { continue };
            let mut left = of_b.clone();
            left.swap_remove(position);
            let paired = of_a.iter().all(|arm| {
                let found = left
                    .iter()
                    .position(|other| self.distance(arm, other).as_ref() == Some(&distance));
                found.map(|position| left.swap_remove(position)).is_some()
            });
            if paired {
                return Some(distance);
            }
        }
        None
    }

    /// Normalises `lhs div rhs`: terms that a positive divisor divides come out of the quotient.
    fn quotient(&mut self, lhs: ExprId, rhs: ExprId) -> Option<Sum> {
        let (numerator, divisor) = (self.sum(lhs), self.sum(rhs));
        let Some(value) = divisor.as_constant().filter(|value| *value != 0) else {
            return self.symbolic_quotient(&numerator, &divisor);
        };
        if value < 0 {
            // The remainder is the same, so the quotient has the opposite sign.
            let positive = self.pool.int(value.checked_neg()?);
            return Sum::default().plus(&self.quotient(lhs, positive)?, -1);
        }
        // Euclidean division by a positive number is monotone, so it distributes over minima and
        // maxima.
        if let Some((op, a, b)) = self.lone_extremum(&numerator) {
            let a = self.pool.binary(BinaryOp::Div, a, rhs);
            let b = self.pool.binary(BinaryOp::Div, b, rhs);
            let arms = [self.sum(a), self.sum(b)];
            return Some(self.extremum(op == BinaryOp::Min, arms));
        }
        let mut whole = Sum::default();
        let mut rest = Sum::default();
        for (product, coefficient) in numerator.terms() {
            let (quotient, remainder) =
                (coefficient.div_euclid(value), coefficient.rem_euclid(value));
            let term = Sum::term(product.clone(), 1);
            if remainder == 0 {
                whole = whole.plus(&term, quotient)?;
            } else if product.is_empty() {
                whole = whole.plus(&term, quotient)?;
                rest = rest.plus(&term, remainder)?;
            } else {
                rest = rest.plus(&term, coefficient)?;
            }
        }
        match rest.as_constant() {
            // The remainder of the constant lies in `0..value`.
            Some(_) => Some(whole),
            None => {
                if let Some((rest, divisor)) = self.compose(&rest, value) {
                    let (rest, divisor) = (self.expr(&rest), self.pool.int(divisor));
                    return whole.plus(&self.quotient(rest, divisor)?, 1);
                }
                let rest = self.expr(&rest);
                let divisor = self.expr(&divisor);
                let atom = self.pool.binary(BinaryOp::Div, rest, divisor);
                whole.plus(&Sum::atom(atom), 1)
            }
        }
    }

    /// Makes one quotient of nested ones: `(a div b + t) div c = (a + b * t) div (b * c)` for
    /// positive numbers `b` and `c`.
    fn compose(&mut self, numerator: &Sum, divisor: i128) -> Option<(Sum, i128)> {
        let mut quotients = numerator.terms().filter_map(|(product, coefficient)| {
            let Product::Atom(atom) = product else { return None };
            let Expr::Binary(BinaryOp::Div, inner, by) = *self.pool.get(*atom) else { return None };
            let by = self.pool.as_constant(by).and_then(Constant::as_integer)?;
            (by > 0).then_some((*atom, coefficient, inner, by))
        });
        let (Some((atom, 1, inner, by)), None) = (quotients.next(), quotients.next()) else {
            return None;
        };
        let others = numerator.plus(&Sum::atom(atom), -1)?;
        Some((self.sum(inner).plus(&others, by)?, divisor.checked_mul(by)?))
    }

    /// Normalises a quotient whose divisor is not a positive number: multiples of a divisor that is
    /// known to be positive come out.
    fn symbolic_quotient(&mut self, numerator: &Sum, divisor: &Sum) -> Option<Sum> {
        let positive = divisor.plus(&Sum::constant(1), -1)?;
        let (mut whole, mut rest) = (Sum::default(), numerator.clone());
        if self.is_nonnegative(&positive) {
            (whole, rest) = divide(numerator, divisor)?;
        }
        let remainder = match rest.as_constant() {
            // 0 divided by anything is 0, and -1 lies in the block before the first.
            Some(0) => Sum::default(),
            Some(-1) if !whole.is_zero() => Sum::constant(-1),
            _ => {
                let rest = self.expr(&rest);
                let divisor = self.expr(divisor);
                self.fold(BinaryOp::Div, rest, divisor)?
            }
        };
        whole.plus(&remainder, 1)
    }

    fn remainder(&mut self, lhs: ExprId, rhs: ExprId) -> Option<Sum> {
        let (numerator, divisor) = (self.simplify(lhs), self.simplify(rhs));
        let number = |pool: &Pool, expr| pool.as_constant(expr).and_then(Constant::as_integer);
        if number(self.pool, numerator) == Some(0) {
            return Some(Sum::default());
        }
        // The sign of a divisor makes no difference to the remainder, nor do multiples of the
        // divisor in the dividend.
        match number(self.pool, divisor).and_then(i128::checked_abs) {
            Some(1) => Some(Sum::default()),
            Some(value) if value > 1 => {
                let rest = self.sum(numerator).filter_map(|product, coefficient| {
                    let remainder = coefficient.rem_euclid(value);
                    let is_large = coefficient.unsigned_abs() >= value.unsigned_abs();
                    if remainder == 0 || (product.is_empty() && is_large) {
                        remainder
                    } else {
                        coefficient
                    }
                });
                let (rest, divisor) = (self.expr(&rest), self.pool.int(value));
                self.fold(BinaryOp::Mod, rest, divisor)
            }
            _ => self.fold(BinaryOp::Mod, numerator, divisor),
        }
    }

    /// Returns a quotient or remainder of simplified operands, folded if both are constants.
    fn fold(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Option<Sum> {
        if let (Some(a), Some(b)) = (self.pool.as_constant(lhs), self.pool.as_constant(rhs)) {
            let value = halidom_ir::eval::binary(op, a, b).ok()?;
            return value.as_integer().map(Sum::constant);
        }
        Some(Sum::atom(self.pool.binary(op, lhs, rhs)))
    }

    /// Returns the expression of a normal form: positive terms first, the constant last.
    pub(crate) fn expr(&mut self, sum: &Sum) -> ExprId {
        let constant = sum.constant_part();
        let products = || sum.terms().filter(|(product, _)| !product.is_empty());
        let mut result: Option<ExprId> = None;
        for positive in [true, false] {
            for (product, coefficient) in products().filter(|(_, c)| (*c > 0) == positive) {
                let term = self.product(product, coefficient.unsigned_abs());
                result = Some(match (result, positive) {
                    (None, true) => term,
                    (None, false) => self.pool.unary(UnaryOp::Neg(Overflow::Unbounded), term),
                    (Some(total), true) => self.pool.add(total, term),
                    (Some(total), false) => self.pool.sub(total, term),
                });
            }
        }
        let Some(total) = result else { return self.pool.int(constant) };
        if constant == 0 {
            total
        } else if let Expr::Unary(UnaryOp::Neg(_), operand) = *self.pool.get(total) {
            let constant = self.pool.int(constant);
            self.pool.sub(constant, operand)
        } else if constant > 0 {
            let constant = self.pool.int(constant);
            self.pool.add(total, constant)
        } else if let Some(constant) = constant.checked_neg() {
            let constant = self.pool.int(constant);
            self.pool.sub(total, constant)
        } else {
            let constant = self.pool.int(constant);
            self.pool.add(total, constant)
        }
    }

    fn product(&mut self, atoms: &[ExprId], coefficient: u128) -> ExprId {
        let mut result: Option<ExprId> = None;
        for atom in atoms {
            result = Some(match result {
                None => *atom,
                Some(product) => self.pool.mul(product, *atom),
            });
        }
        match (result, i128::try_from(coefficient)) {
            (Some(product), Ok(1)) => product,
            (Some(product), Ok(coefficient)) => {
                let coefficient = self.pool.int(coefficient);
                self.pool.mul(product, coefficient)
            }
            // Only -2^127 has an absolute value that does not fit; it is multiplied in and negated
            // afterwards.
            (Some(product), Err(_)) => {
                let coefficient = self.pool.int(i128::MIN);
                let negative = self.pool.mul(product, coefficient);
                self.pool.unary(UnaryOp::Neg(Overflow::Unbounded), negative)
            }
            (None, coefficient) => self.pool.int(coefficient.unwrap_or(i128::MAX)),
        }
    }

    /// True if `target` occurs in `expr`.
    pub(crate) fn occurs(&self, expr: ExprId, target: ExprId) -> bool {
        let mut found = false;
        self.pool.for_each_subexpr(expr, &mut |id, _| found |= id == target);
        found
    }
}

/// Returns the quotient and the rest of a division of polynomials, as far as multiples of the
/// divisor's last product can be taken out.
fn divide(numerator: &Sum, divisor: &Sum) -> Option<(Sum, Sum)> {
    let (mut quotient, mut rest) = (Sum::default(), numerator.clone());
    let (lead, lead_coefficient) = divisor.terms().next_back()?;
    // Each step takes one product out; a numerator with many products stays as it stands.
    for _ in 0..16 {
        let step = rest.terms().find_map(|(product, coefficient)| {
            let mut left = product.to_vec();
            for atom in lead.iter() {
                let position = left.iter().position(|other| other == atom)?;
                left.remove(position);
            }
            let divides = coefficient % lead_coefficient == 0;
            divides.then(|| Sum::term(Product::of(&left), coefficient / lead_coefficient))
        });
        let Some(step) = step else { return Some((quotient, rest)) };
        quotient = quotient.plus(&step, 1)?;
        rest = rest.plus(&step.times(divisor)?, -1)?;
    }
    Some((Sum::default(), numerator.clone()))
}

/// Returns the variables of an expression.
pub(crate) fn vars(pool: &Pool, expr: ExprId) -> FxHashSet<VarId> {
    let mut vars = FxHashSet::default();
    pool.for_each_subexpr(expr, &mut |_, expr| {
        if let Expr::Var(var) = expr {
            vars.insert(*var);
        }
    });
    vars
}

/// Returns the comparison of integers that holds exactly where this one does not.
pub(crate) fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Lt => Some(BinaryOp::Ge),
        BinaryOp::Le => Some(BinaryOp::Gt),
        BinaryOp::Gt => Some(BinaryOp::Le),
        BinaryOp::Ge => Some(BinaryOp::Lt),
        BinaryOp::Eq => Some(BinaryOp::Ne),
        BinaryOp::Ne => Some(BinaryOp::Eq),
        BinaryOp::Add(_)
        | BinaryOp::Sub(_)
        | BinaryOp::Mul(_)
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr => None,
    }
}
