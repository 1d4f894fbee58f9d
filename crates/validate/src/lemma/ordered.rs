//! Floats in their order.
//!
//! # Correctness
//! `space::order` defines the order of a float. In a space that keeps operators on floats as they
//! are written, the operators may have any meaning, so there are no lemmas.

use halidom_ir::BinaryOp;

use super::monotone::{is_product, order};
use crate::space::{FormulaId, PolyId, Space, Term, TermId};

/// Numbers compare like their orders, and a comparison with NaN does not hold, except `!=`.
pub(super) fn compared(space: &mut Space, truth: TermId) -> Option<FormulaId> {
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
    let both = space.and(&parts);
    let meaning = if op == BinaryOp::Ne { space.not(both) } else { both };
    let holds = space.holds(truth);
    Some(space.same_truth(holds, meaning))
}

/// The order of a minimum or maximum, if it is a number, and of a selection. If the first operand
/// of a minimum is NaN, the minimum is the second one.
pub(super) fn meaning(space: &mut Space, this: PolyId, term: TermId) -> Option<FormulaId> {
    if space.is_as_written() || !space.scalar(term).is_float() {
        return None;
    }
    let &[a, b] = space.operands(term).as_slice() else { return None };
    let (x, y) = (space.order_of(a), space.order_of(b));
    if let Term::Select(condition, ..) = *space.term(term) {
        let order = space.choose(condition, x, y);
        return Some(space.equal(this, order));
    }
    let Term::Binary(op @ (BinaryOp::Min | BinaryOp::Max), ..) = *space.term(term) else {
        return None;
    };
    let extreme = if op == BinaryOp::Min { space.min(x, y) } else { space.max(x, y) };
    let (first, second) = (space.is_number(a), space.is_number(b));
    let order = space.choose(first, extreme, y);
    let same = space.equal(this, order);
    Some(space.implies(second, same))
}

/// The signs of zeros affect neither the number that these operators give nor whether they give
/// NaN. A sum with a product may be rounded in two ways if it may be contracted.
pub(super) fn congruent(space: &mut Space, a: TermId, b: TermId) -> Option<FormulaId> {
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
    let (same, both) = (space.and(&same), space.and(&both));
    Some(space.implies(same, both))
}

/// Conversions to an integer rise with the number, because they saturate.
pub(super) fn converted(space: &mut Space, cast: TermId, by: TermId) -> Option<FormulaId> {
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
    let (numbers, rises) = (space.and(&numbers), order(space, (x, value), (y, other)));
    Some(space.implies(numbers, rises))
}
