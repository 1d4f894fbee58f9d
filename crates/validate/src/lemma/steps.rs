//! Floats that rise or fall with one of their operands, and floats that are numbers.
//!
//! # Correctness
//! Rounding to nearest is monotone. So sums rise with each operand, products rise with a factor if
//! the other one is at least 0, and quotients rise with the dividend if the divisor is above 0;
//! with the other sign, products and quotients fall, and so does a difference with its second
//! operand. Results that are NaN are left out. A sum with 0 is the other operand, up to the sign of
//! 0. If 0 is multiplied or divided, the result is 0 or NaN; it is taken to be 0.
//!
//! If a sum may be rounded together with a product that stands in it directly, the rounded product
//! says nothing about the sum. But the exact product of `q` with a float between 0 and 1 lies
//! between 0 and `q`, so its sum lies between those of 0 and `q`, in both ways of rounding.

use halidom_ir::{BinaryOp, Constant, Scalar};

use super::monotone::{is_product, order};
use crate::space::{FormulaId, Space, Term, TermId, order};

/// An operand of an operator on two floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    First,
    Second,
}

/// Returns the operator of a float, its operand at a place, and the other operand.
pub(crate) fn operands(
    space: &Space,
    term: TermId,
    place: Place,
) -> Option<(BinaryOp, TermId, TermId)> {
    let Term::Binary(op, first, second) = *space.term(term) else { return None };
    let is_step = matches!(op, BinaryOp::Add(_) | BinaryOp::Sub(_) | BinaryOp::Mul(_));
    if space.is_as_written()
        || !space.scalar(term).is_float()
        || !(is_step || (op == BinaryOp::Div && place == Place::First))
    {
        return None;
    }
    Some(match place {
        Place::First => (op, first, second),
        Place::Second => (op, second, first),
    })
}

/// Compares a float with the float that has `y` for the operand at a place.
pub(super) fn lemma(space: &Space, (a, place): (TermId, Place), y: TermId) -> Option<FormulaId> {
    let (op, x, fixed) = operands(space, a, place)?;
    if x == y || space.scalar(x) != space.scalar(y) {
        return None;
    }
    let is_sum = matches!(op, BinaryOp::Add(_) | BinaryOp::Sub(_));
    let b = if space.is_zero_float(y) && !matches!(op, BinaryOp::Sub(_)) {
        if is_sum { fixed } else { y }
    } else {
        // Halide writes literals second, where the order makes no difference.
        let literal = space.term_constant(y).is_some() && !matches!(op, BinaryOp::Sub(_));
        let is_first = op == BinaryOp::Div || (place == Place::First && !literal);
        let (first, second) = if is_first { (y, fixed) } else { (fixed, y) };
        space.binary_term(op, first, second).ok()?
    };
    let (of_a, of_b) = (space.order_of(a), space.order_of(b));
    let (of_x, of_y) = (space.order_of(x), space.order_of(y));
    let rises = order(space, (of_x, of_a), (of_y, of_b));
    let falls = order(space, (of_x, of_b), (of_y, of_a));
    let has_product = [x, y, fixed].iter().any(|term| is_product(space, *term));
    let cases = if is_sum && has_product && space.is_contracted() {
        let rises = matches!(op, BinaryOp::Add(_)) || place == Place::First;
        (rises && !is_product(space, fixed)).then_some(())?;
        part(space, (a, x), (b, y))?
    } else if is_sum {
        if matches!(op, BinaryOp::Add(_)) || place == Place::First { rises } else { falls }
    } else {
        let (zero, by) = (space.constant(0), space.order_of(fixed));
        let (positive, negative) = if matches!(op, BinaryOp::Mul(_)) {
            (space.at_most(zero, by), space.at_most(by, zero))
        } else {
            (space.less(zero, by), space.less(by, zero))
        };
        let cases = [space.implies(positive, rises), space.implies(negative, falls)];
        space.and(cases)
    };
    let numbers = [space.is_number(a), space.is_number(b)];
    Some(space.implies(space.and(numbers), cases))
}

/// Compares `a`, the sum of a product `x` and some float, with `b`, the sum of `y` and that float,
/// if one of the factors lies between 0 and 1.
fn part(space: &Space, (a, x): (TermId, TermId), (b, y): (TermId, TermId)) -> Option<FormulaId> {
    let Term::Binary(BinaryOp::Mul(_), first, second) = *space.term(x) else { return None };
    let one = space.float(space.scalar(x), 1.0).filter(|_| !is_product(space, y))?;
    let (of_a, of_b) = (space.order_of(a), space.order_of(b));
    let (zero, one, of_y) = (space.constant(0), space.order_of(one), space.order_of(y));
    let mut cases = Vec::new();
    for (part, whole) in [(first, second), (second, first)] {
        let (of_part, of_whole) = (space.order_of(part), space.order_of(whole));
        let is_part = [space.at_most(zero, of_part), space.at_most(of_part, one)];
        let above = [space.at_most(of_whole, of_y), space.at_most(zero, of_y)];
        let below = [space.at_most(of_y, of_whole), space.at_most(of_y, zero)];
        for (ends, less, more) in [(above, of_a, of_b), (below, of_b, of_a)] {
            let known = space.and([is_part, ends].concat());
            cases.push(space.implies(known, space.at_most(less, more)));
        }
    }
    Some(space.and(cases))
}

/// Operators give numbers for numbers alone, and they do, except for `inf - inf`, `0 * inf`,
/// `inf / inf` and `x / 0`. The latter is never finite.
pub(super) fn numbers(space: &Space, term: TermId) -> Option<Vec<FormulaId>> {
    let (op, a, b) = operands(space, term, Place::First)?;
    let [finite, finite_a, finite_b] = [term, a, b].map(|term| is_finite(space, term));
    let of_operands = [space.is_number(a), space.is_number(b)];
    let (number, of_operands) = (space.is_number(term), space.and(of_operands));
    let mut known = vec![of_operands];
    let mut lemmas = vec![space.implies(number, of_operands)];
    if matches!(op, BinaryOp::Add(_) | BinaryOp::Sub(_) | BinaryOp::Div) {
        known.push(space.or([finite_a, finite_b]));
    } else {
        known.extend([finite_a, finite_b]);
    }
    if op == BinaryOp::Div {
        let (zero, by) = (space.constant(0), space.order_of(b));
        let divides = space.not(space.equal(by, zero));
        known.push(divides);
        lemmas.push(space.implies(finite, divides));
    }
    lemmas.push(space.implies(space.and(known), number));
    Some(lemmas)
}

/// Tests whether a float is neither NaN nor infinite.
fn is_finite(space: &Space, term: TermId) -> FormulaId {
    let narrow = Constant::f32(f32::MAX);
    let wide = Constant::f64(f64::MAX);
    let most = order::order(if space.scalar(term) == Scalar::F32 { narrow } else { wide });
    let (low, high) = (space.constant(-most), space.constant(most));
    let of_term = space.order_of(term);
    let parts = [space.is_number(term), space.at_most(low, of_term), space.at_most(of_term, high)];
    space.and(parts)
}
