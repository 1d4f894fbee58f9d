//! Integers that rise or fall with an integer from which they are computed: by division, or by
//! floats, as in `i32(floor((f32(y) + 0.5) / scale - 0.5))`, the source row of a resized picture's
//! row `y`.
//!
//! # Correctness
//! A lemma about floats compares two values of the same form that differ only in the integers `x`
//! and `y` at the bottom. Each step is a function that rises or falls on the extended reals and
//! keeps NaN:
//!
//! * Conversions of integers to floats and of floats to floats, sums and differences with a finite
//!   constant, products with and quotients by a finite constant other than 0, negation and the
//!   roundings to integral floats. Rounding to nearest is monotone, and so is overflow to an
//!   infinity. None of them makes a NaN.
//! * One product with, or quotient by, an unknown value that is the same on both sides. Its other
//!   operand is finite if `|x|` and `|y|` are at most [`MOST`], which is a premise, and the steps
//!   below it do not leave [`FINITE`]. If the value is NaN, every result is NaN. If it is finite
//!   and not 0, or an infinite divisor, or a factor 0, the step is monotone by its sign and makes
//!   no NaN. If it is an infinite factor or a divisor 0, the results are one infinity on the one
//!   side of 0, NaN at 0, and the other infinity on the other side. The steps after it keep these
//!   apart. NaN is converted to 0, which lies between the integers that the infinities are
//!   converted to, or at an end.
//! * Sums and differences with unknown values, if no unknown factor or divisor comes after them. If
//!   the value is finite, the step is monotone, and keeps infinities and NaN. If it is an infinity,
//!   every result is that infinity, with one exception: the opposite infinity as an operand gives
//!   NaN. This NaN lies at the end of the order where that operand lies.
//! * At the end, a conversion to an integer, which is monotone because it saturates.
//!
//! A sum of a product is two steps, and both round, wherever it decides a place: the C printer
//! ensures this. A compiler may round both at once in one place and not in another
//! ([`Space::is_contracted`]). Then such a sum ends the chain, and there is no lemma.
//!
//! The sign is the sign of the factor, or of 1 over the divisor, because `1 / -0` is negative. If a
//! factor is 0 or a divisor infinite, all results are equal, so either sign is right.

use halidom_ir::{BinaryOp, Intrinsic, UnaryOp};

use crate::space::{Atom, AtomId, FormulaId, PolyId, Space, Term, TermId};

/// Divisors from this number on are not told apart.
pub(crate) const LARGE: i128 = 3;
/// The greatest absolute value of the integers in a lemma: far beyond every coordinate.
const MOST: i128 = 1 << 40;
/// Values below this magnitude are finite as `f32`s, rounding included.
const FINITE: f64 = 1e30;

/// The dependence of two values on the two integers at their bottom.
#[derive(Clone, Copy)]
struct Chain {
    x: PolyId,
    y: PolyId,
    /// True if an odd number of steps falls.
    falls: bool,
    /// For the unknown value, the condition that makes its step rise, and the condition that makes
    /// it fall. One of them holds.
    sign: Option<(FormulaId, FormulaId)>,
    /// A bound of the absolute value of all results so far, where `|x|` and `|y|` are at most
    /// [`MOST`]. `None` if a result may be infinite.
    magnitude: Option<f64>,
}

/// Returns the consequence for two machine integers of the order of the integers from which they
/// are computed.
pub(super) fn lemma(space: &Space, a: TermId, b: TermId) -> Option<FormulaId> {
    // If operators on floats may have any meaning, nothing is known about them.
    if space.is_as_written() || a == b {
        return None;
    }
    let (Term::Cast(to, inner), Term::Cast(other, other_inner)) =
        (space.term(a).clone(), space.term(b).clone())
    else {
        return None;
    };
    if to != other || !to.is_machine_integer() {
        return None;
    }
    let chain = chain(space, inner, other_inner)?;
    let (value, other_value) = (space.number(a), space.number(b));
    let rises = order(space, (chain.x, value), (chain.y, other_value));
    let falls = order(space, (chain.x, other_value), (chain.y, value));
    let Some((positive, negative)) = chain.sign else {
        return Some(if chain.falls { falls } else { rises });
    };
    let (along, against) = if chain.falls { (falls, rises) } else { (rises, falls) };
    let cases = [space.implies(positive, along), space.implies(negative, against)];
    let (least, greatest) = (space.constant(-MOST), space.constant(MOST));
    let ends = [chain.x, chain.y].into_iter();
    let small = ends.flat_map(|end| [space.at_most(least, end), space.at_most(end, greatest)]);
    Some(space.implies(space.and(small), space.and(cases)))
}

/// Quotients rise with the dividend if the divisor is at least 0, and fall if it is at most 0. Both
/// hold where it is 0, because all quotients are 0 there.
pub(super) fn quotients(space: &Space, a: AtomId, b: AtomId) -> Option<Vec<FormulaId>> {
    let (Atom::Div(x, divisor), Atom::Div(y, other)) = (space.atom(a), space.atom(b)) else {
        return None;
    };
    let (x, y, divisor) = (*x, *y, (divisor == other).then_some(*divisor)?);
    let (of_x, of_y, zero) = (space.atom_poly(a), space.atom_poly(b), space.constant(0));
    let rises = order(space, (x, of_x), (y, of_y));
    let falls = order(space, (x, of_y), (y, of_x));
    let (natural, negative) = (space.at_most(zero, divisor), space.at_most(divisor, zero));
    Some(vec![space.implies(natural, rises), space.implies(negative, falls)])
}

/// Let `d >= k`, for the number `k` that is [`LARGE`]. Then `x / d` rises with `x`. With
/// `x = q·d + r` and `c = p·d + s`, where `0 <= r, s < d`, the quotient of `x + c` is at most
/// `q + p + 1`, and `p` is at most `c / k`, for constants `c >= 0`.
pub(super) fn distance(space: &Space, a: AtomId, b: AtomId) -> Option<Vec<FormulaId>> {
    let (&Atom::Div(x, divisor), &Atom::Div(y, other)) = (space.atom(a), space.atom(b)) else {
        return None;
    };
    let large = (divisor == other).then(|| space.at_most(space.constant(LARGE), divisor))?;
    let (low, high) = (space.atom_poly(a), space.atom_poly(b));
    let mut ordered = vec![space.implies(space.at_most(x, y), space.at_most(low, high))];
    if let Some(distance) = space.as_constant(space.sub(y, x)).filter(|by| *by >= 0) {
        ordered.push(space.at_most(high, space.offset(low, distance / LARGE + 1)));
    }
    Some(ordered.into_iter().map(|known| space.implies(large, known)).collect())
}

/// `x <= y` implies `f(x) <= f(y)`, and `y <= x` implies `f(y) <= f(x)`.
pub(super) fn order(
    space: &Space,
    (x, of_x): (PolyId, PolyId),
    (y, of_y): (PolyId, PolyId),
) -> FormulaId {
    let (before, after) = (space.at_most(x, y), space.at_most(y, x));
    let (below, above) = (space.at_most(of_x, of_y), space.at_most(of_y, of_x));
    let both = [space.implies(before, below), space.implies(after, above)];
    space.and(both)
}

fn chain(space: &Space, a: TermId, b: TermId) -> Option<Chain> {
    let scalar = space.scalar(a);
    if scalar != space.scalar(b) || !scalar.is_float() {
        return None;
    }
    match (space.term(a).clone(), space.term(b).clone()) {
        (Term::FromInt(_, x), Term::FromInt(_, y)) => Some(bottom(x, y)),
        (Term::Cast(_, x), Term::Cast(_, y)) => {
            let (from, other) = (space.scalar(x), space.scalar(y));
            if from.is_machine_integer() && other.is_machine_integer() {
                return Some(bottom(space.integer_of(x), space.integer_of(y)));
            }
            chain(space, x, y)
        }
        (Term::Unary(UnaryOp::Neg(_), x), Term::Unary(UnaryOp::Neg(_), y)) => {
            let chain = chain(space, x, y)?;
            Some(Chain { falls: !chain.falls, ..chain })
        }
        (Term::Call(call, x), Term::Call(other, y)) if call == other && is_rounding(call) => {
            let chain = chain(space, x, y)?;
            let magnitude = chain.magnitude.map(|most| most + 1.0);
            Some(Chain { magnitude, ..chain })
        }
        (Term::Binary(op, lhs, rhs), Term::Binary(other, other_lhs, other_rhs)) if op == other => {
            let is_sum = matches!(op, BinaryOp::Add(_) | BinaryOp::Sub(_));
            let has_product = is_product(space, lhs) || is_product(space, rhs);
            if is_sum && has_product && space.is_contracted() {
                return None;
            }
            if rhs == other_rhs {
                let chain = chain(space, lhs, other_lhs)?;
                step(space, chain, op, rhs)
            } else if lhs == other_lhs && matches!(op, BinaryOp::Add(_) | BinaryOp::Mul(_)) {
                let chain = chain(space, rhs, other_rhs)?;
                step(space, chain, op, lhs)
            } else if lhs == other_lhs && matches!(op, BinaryOp::Sub(_)) {
                // c - p  =  -(p - c), with the same rounding.
                let chain = chain(space, rhs, other_rhs)?;
                let chain = step(space, chain, op, lhs)?;
                Some(Chain { falls: !chain.falls, ..chain })
            } else {
                None
            }
        }
        // Nothing is known about other steps.
        (_, _) => None,
    }
}

pub(super) fn is_product(space: &Space, term: TermId) -> bool {
    if let Term::Unary(UnaryOp::Neg(_), operand) = space.term(term) {
        return is_product(space, *operand);
    }
    matches!(space.term(term), Term::Binary(BinaryOp::Mul(_), ..))
}

fn bottom(x: PolyId, y: PolyId) -> Chain {
    // Rounding an integer to a float increases its magnitude by less than half.
    Chain { x, y, falls: false, sign: None, magnitude: Some(1.5 * MOST as f64) }
}

fn is_rounding(call: Intrinsic) -> bool {
    matches!(call, Intrinsic::Floor | Intrinsic::Ceil | Intrinsic::Round | Intrinsic::Trunc)
}

/// Combines a value that depends on the integers with an operand that does not.
fn step(space: &Space, chain: Chain, op: BinaryOp, operand: TermId) -> Option<Chain> {
    let Some(constant) = space.term_constant(operand) else {
        return scaled(space, chain, op, operand);
    };
    let constant = constant.as_f64().or(constant.as_f32().map(f64::from))?;
    if !constant.is_finite() {
        return None;
    }
    let (most, size) = (chain.magnitude, constant.abs());
    let (magnitude, falls) = if matches!(op, BinaryOp::Add(_) | BinaryOp::Sub(_)) {
        (most.map(|most| most + size), chain.falls)
    } else if matches!(op, BinaryOp::Mul(_)) && constant != 0.0 {
        (most.map(|most| most * size), chain.falls != (constant < 0.0))
    } else if op == BinaryOp::Div && constant != 0.0 {
        (most.map(|most| most / size), chain.falls != (constant < 0.0))
    } else {
        return None;
    };
    // Rounding at most doubles a magnitude, except near 0, where it adds less than 1.
    let magnitude = magnitude.map(|most| 2.0 * most + 1.0);
    Some(Chain { falls, magnitude, ..chain })
}

/// Combines a value that depends on the integers with an unknown value.
fn scaled(space: &Space, chain: Chain, op: BinaryOp, by: TermId) -> Option<Chain> {
    if matches!(op, BinaryOp::Add(_) | BinaryOp::Sub(_)) {
        return Some(Chain { magnitude: None, ..chain });
    }
    // Invariant: the multiplied value is finite, and it is multiplied by only one unknown value.
    chain.magnitude.filter(|most| *most < FINITE)?;
    let scalar = space.scalar(by);
    let zero = space.float(scalar, 0.0)?;
    let sign = if matches!(op, BinaryOp::Mul(_)) {
        by
    } else if op == BinaryOp::Div {
        let one = space.float(scalar, 1.0)?;
        space.binary_term(BinaryOp::Div, one, by).ok()?
    } else {
        return None;
    };
    let natural = space.compare_floats(BinaryOp::Le, zero, sign);
    let unnatural = space.not(natural);
    // A program may also state the sign directly, as in `require scale > 0`.
    let above = space.compare_floats(BinaryOp::Lt, zero, by);
    let below = space.compare_floats(BinaryOp::Lt, by, zero);
    let sign = (space.or([above, natural]), space.or([below, unnatural]));
    Some(Chain { sign: Some(sign), magnitude: None, ..chain })
}
