//! Floats in their order.
//!
//! # Correctness
//! `space::order` defines the order of a float. In a space that keeps operators on floats as they
//! are written, the operators may have any meaning, so there are no lemmas.

use halidom_ir::{BinaryOp, UnaryOp};

use super::monotone::{is_product, order};
use crate::space::{FormulaId, PolyId, Space, Term, TermId};

/// Numbers compare like their orders, and a comparison with NaN does not hold, except `!=`.
pub(super) fn compared(space: &Space, truth: TermId) -> Option<FormulaId> {
    let Term::Binary(op, a, b) = *space.term(truth) else { return None };
    // The comparison of a float with itself says whether it is a number.
    if space.is_as_written() || !space.scalar(a).is_float() || (op == BinaryOp::Eq && a == b) {
        return None;
    }
    let (x, y) = (space.order_of(a), space.order_of(b));
    let ordered = if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
        space.equal(x, y)
    } else if op == BinaryOp::Lt {
        space.less(x, y)
    } else if op == BinaryOp::Le {
        space.at_most(x, y)
    } else {
        return None;
    };
    let parts = [space.is_number(a), space.is_number(b), ordered];
    let both = space.and(parts);
    let meaning = if op == BinaryOp::Ne { space.not(both) } else { both };
    Some(space.same_truth(space.holds(truth), meaning))
}

/// The order of a minimum or maximum, if it is a number, and of a selection. If the first operand
/// of a minimum is NaN, the minimum is the second one.
pub(super) fn meaning(space: &Space, this: PolyId, term: TermId) -> Option<FormulaId> {
    if space.is_as_written() || !space.scalar(term).is_float() {
        return None;
    }
    let &[a, b] = space.operands(term).as_slice() else { return None };
    let (x, y) = (space.order_of(a), space.order_of(b));
    if let Term::Select(condition, ..) = *space.term(term) {
        return Some(space.equal(this, space.choose(condition, x, y)));
    }
    let Term::Binary(op @ (BinaryOp::Min | BinaryOp::Max), ..) = *space.term(term) else {
        return None;
    };
    let extreme = if op == BinaryOp::Min { space.min(x, y) } else { space.max(x, y) };
    let (first, second) = (space.is_number(a), space.is_number(b));
    Some(space.implies(second, space.equal(this, space.choose(first, extreme, y))))
}

/// The signs of zeros affect neither the number that these operators give nor whether they give
/// NaN. A sum with a product may be rounded in two ways if it may be contracted.
pub(super) fn congruent(space: &Space, a: TermId, b: TermId) -> Option<FormulaId> {
    let scalar = space.scalar(a);
    if space.is_as_written() || !scalar.is_float() || scalar != space.scalar(b) {
        return None;
    }
    let pairs = space.operand_pairs(a, b)?;
    let is_sum = matches!(space.term(a), Term::Binary(BinaryOp::Add(_) | BinaryOp::Sub(_), ..));
    let mut operands = pairs.iter().flat_map(|(x, y)| [*x, *y]);
    let contracted = space.is_contracted() && operands.any(|term| is_product(space, term));
    let is_known = matches!(
        space.term(a),
        Term::Binary(BinaryOp::Mul(_), ..) | Term::Unary(..) | Term::Call(..) | Term::Cast(..)
    );
    if !is_known && (!is_sum || contracted) {
        return None;
    }
    let mut same = Vec::new();
    for (x, y) in pairs.into_iter().filter(|(x, y)| x != y) {
        if !space.scalar(x).is_float() || space.scalar(x) != space.scalar(y) {
            return None;
        }
        let (first, second) = (space.order_of(x), space.order_of(y));
        same.extend([space.is_number(x), space.is_number(y), space.equal(first, second)]);
    }
    let (first, second) = (space.order_of(a), space.order_of(b));
    let (is_first, is_second) = (space.is_number(a), space.is_number(b));
    let both = [space.same_truth(is_first, is_second), space.equal(first, second)];
    Some(space.implies(space.and(same), space.and(both)))
}

/// Conversions to an integer rise with the number, because they saturate.
pub(super) fn converted(space: &Space, cast: TermId, by: TermId) -> Option<FormulaId> {
    let Term::Cast(to, operand) = *space.term(cast) else { return None };
    let scalar = space.scalar(operand);
    let kept = scalar.is_float() && scalar == space.scalar(by);
    if space.is_as_written() || !to.is_machine_integer() || !kept {
        return None;
    }
    let other = space.cast_term(to, by).ok()?;
    let (value, other) = (space.number(cast), space.integer_of(other));
    let (x, y) = (space.order_of(operand), space.order_of(by));
    let numbers = [space.is_number(operand), space.is_number(by)];
    let (numbers, rises) = (space.and(numbers), order(space, (x, value), (y, other)));
    Some(space.implies(numbers, rises))
}

/// The greatest literal in lemmas on near integers, far below half the distance of the greatest
/// floats. So a sum of a finite float and such a literal is finite.
const MOST_STEP: f64 = 1e6;

/// `i32(x + c)` is at least `i32(x)` and at most `i32(x) + k`, where `c >= 0` is a literal and `k`
/// is `2c`, rounded up. For `c < 0` it is at most `i32(x)` and at least `i32(x) - k`, with `-c`.
///
/// If `x` is NaN, both are 0. If it is infinite, `x + c` is `x`. Otherwise `x` is a float at the
/// distance `|c|` from the exact sum, and the rounded sum `y` is a nearest float. So `y` is not
/// further from the exact sum, hence `|y - x| <= 2|c| <= k`. Rounding is monotone, so `y` does not
/// lie on the other side of `x`. A conversion takes the integer part `t`, and limits it to its
/// type. Both rise with the number. Limits do not move integers apart, and
/// `t(v + k) <= t(v) + k`: for `v >= 0` they are equal, and for `v < 0` the right side is the least
/// integer above `v + k`. So with `v = x` and with `v = y` the integers are at most `k` apart.
///
/// If `x` is a product that may be rounded together with the sum, `x` is not the exact operand, and
/// there is no lemma.
pub(super) fn near(space: &Space, cast: TermId) -> Option<FormulaId> {
    let Term::Cast(to, sum) = *space.term(cast) else { return None };
    let (x, step) = stepped(space, sum)?;
    let is_near = step.abs() <= MOST_STEP;
    let contracted = space.is_contracted() && chooses_product(space, x);
    if space.is_as_written() || !to.is_machine_integer() || !is_near || contracted {
        return None;
    }
    let from = space.cast_term(to, x).ok()?;
    let (value, from) = (space.number(cast), space.integer_of(from));
    let moved = if step < 0.0 { space.sub(from, value) } else { space.sub(value, from) };
    let most = (2.0 * step.abs()).ceil() as i128;
    Some(space.within(moved, space.constant(0), space.constant(most + 1)))
}

/// Tests whether a float is a product, or may be one by a choice, up to its sign.
fn chooses_product(space: &Space, term: TermId) -> bool {
    let is_choice = matches!(
        space.term(term),
        Term::Binary(BinaryOp::Min | BinaryOp::Max, ..)
            | Term::Select(..)
            | Term::Unary(UnaryOp::Neg(_), _)
    );
    is_product(space, term)
        || (is_choice && space.operands(term).iter().any(|of| chooses_product(space, *of)))
}

/// Takes a sum of a float and a literal apart.
pub(crate) fn stepped(space: &Space, sum: TermId) -> Option<(TermId, f64)> {
    let Term::Binary(op, first, second) = *space.term(sum) else { return None };
    let literal = |term| {
        let constant = space.term_constant(term)?;
        constant.as_f64().or(constant.as_f32().map(f64::from))
    };
    if matches!(op, BinaryOp::Add(_)) {
        let after = literal(second).map(|step| (first, step));
        after.or_else(|| literal(first).map(|step| (second, step)))
    } else if matches!(op, BinaryOp::Sub(_)) {
        literal(second).map(|step| (first, -step))
    } else {
        None
    }
}
