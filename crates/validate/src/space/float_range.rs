//! Ranges of floats that are computed from machine integers, integers and literals.
//!
//! # Correctness
//! A conversion of an integer rises with it. A sum, a difference, a product and a negation rise or
//! fall with each operand, whatever the other ones are, because rounding to nearest is monotone.
//! This holds in the order in which `-0` is below `+0`, as long as no value is infinite or NaN. So
//! a result lies between the least and the greatest of the results at the ends of its operands'
//! ranges, and it is finite if these are.
//!
//! A compiler may round a product and the sum that it is an operand of at once
//! ([`Space::is_contracted`]). That is monotone too, so the ends count in every way of rounding. An
//! operand of a sum is then a product, a sum, a literal or a converted integer; a negated product,
//! for example, has no range.

use halidom_ir::{BinaryOp, Constant, Overflow, Scalar, UnaryOp, eval};

use super::{Space, Term, TermId};

const NEG: UnaryOp = UnaryOp::Neg(Overflow::Wraps);

/// The least and the greatest value, in the order of [`f64::total_cmp`].
type Range = [Constant; 2];

impl Space {
    /// Tests whether an extreme of a float and a literal is that float, because the float lies on
    /// one side of the literal. A literal 0 must have the sign with which it is the outer one of
    /// the two.
    pub(crate) fn is_bounded(&self, op: BinaryOp, float: TermId, literal: TermId) -> bool {
        let Some(bound) = self.term_constant(literal).and_then(number) else { return false };
        let Some([least, greatest]) = self.float_range(float) else {
            return false;
        };
        let [Some(least), Some(greatest)] = [least, greatest].map(number) else { return false };
        if op == BinaryOp::Min {
            greatest.total_cmp(&bound).is_le() && (bound != 0.0 || bound.is_sign_negative())
        } else if op == BinaryOp::Max {
            least.total_cmp(&bound).is_ge() && (bound != 0.0 || bound.is_sign_positive())
        } else {
            false
        }
    }

    /// Returns the range of a float, if it is known.
    pub(crate) fn float_range(&self, term: TermId) -> Option<Range> {
        if let Some(known) = self.float_ranges.borrow().get(&term) {
            return *known;
        }
        let found = ends(self, term).and_then(hull);
        self.float_ranges.borrow_mut().insert(term, found);
        found
    }

    /// Returns the range of a float's conversion to a type of integers, if the float lies within
    /// that type. A conversion drops the fraction, so it rises with the float.
    pub(super) fn converted_range(&self, to: Scalar, float: TermId) -> Option<(i128, i128)> {
        let [least, greatest] = self.float_range(float)?.map(number);
        let (low, high) = (exact_integer(least?)?, exact_integer(greatest?)?);
        let (least, greatest) = to.range()?;
        (least <= low && high <= greatest).then_some((low, high))
    }
}

/// Returns the value of a finite `f32` or `f64`.
fn number(constant: Constant) -> Option<f64> {
    let value = constant.as_f64().or(constant.as_f32().map(f64::from))?;
    value.is_finite().then_some(value)
}

/// Returns the least and the greatest of some values, if all are finite.
fn hull(values: Vec<Constant>) -> Option<Range> {
    let mut numbers = Vec::new();
    for value in values {
        numbers.push((number(value)?, value));
    }
    numbers.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    Some([numbers.first()?.1, numbers.last()?.1])
}

/// Returns a number without its fraction, if the number is less than 2^63 in size.
fn exact_integer(number: f64) -> Option<i128> {
    (number.abs() < 2.0_f64.powi(63)).then(|| i128::from(number as i64))
}

/// Returns values between which a float lies.
fn ends(space: &Space, term: TermId) -> Option<Vec<Constant>> {
    let scalar = space.scalar(term);
    let converted = |ends: [Option<Constant>; 2]| {
        let ends = ends.into_iter().map(|end| eval::cast(scalar, end?).ok());
        ends.collect::<Option<Vec<_>>>()
    };
    if let Term::Constant(constant) = *space.term(term) {
        return Some(vec![constant]);
    }
    if let Term::FromInt(_, integer) = *space.term(term) {
        let (low, high) = space.static_range(integer, 0)?;
        return converted([low, high].map(|end| Some(Constant::int(end))));
    }
    if let Term::Cast(_, operand) = *space.term(term) {
        let from = space.scalar(operand);
        let (low, high) = space.value_range(operand).filter(|_| from.is_machine_integer())?;
        return converted([low, high].map(|end| Constant::wrapped(from, end)));
    }
    if let Term::Unary(NEG, operand) = *space.term(term) {
        let range = space.float_range(operand).filter(|_| !space.is_contracted())?;
        return range.into_iter().map(|end| eval::unary(NEG, end).ok()).collect();
    }
    let Term::Binary(op @ (BinaryOp::Add(_) | BinaryOp::Sub(_) | BinaryOp::Mul(_)), first, second) =
        *space.term(term)
    else {
        return None;
    };
    let ranges = [space.float_range(first)?, space.float_range(second)?];
    let mut found = Vec::new();
    for x in ranges[0] {
        for y in ranges[1] {
            found.push(eval::binary(op, x, y).ok()?);
        }
    }
    if matches!(op, BinaryOp::Mul(_)) || !space.is_contracted() {
        return Some(found);
    }
    // A difference is the sum with the negated second operand.
    let signed = |end: Constant| {
        if matches!(op, BinaryOp::Sub(_)) { eval::unary(NEG, end).ok() } else { Some(end) }
    };
    for (product, other) in [(first, 1), (second, 0)] {
        let Term::Binary(BinaryOp::Mul(_), factor, by) = *space.term(product) else { continue };
        let factors = [space.float_range(factor)?, space.float_range(by)?];
        for x in factors[0] {
            for y in factors[1] {
                for z in ranges[other] {
                    let (x, z) = if other == 1 { (x, signed(z)?) } else { (signed(x)?, z) };
                    found.push(fused(x, y, z)?);
                }
            }
        }
    }
    Some(found)
}

/// Returns `x * y + z`, rounded once.
fn fused(x: Constant, y: Constant, z: Constant) -> Option<Constant> {
    if let [Some(x), Some(y), Some(z)] = [x, y, z].map(Constant::as_f32) {
        return Some(Constant::f32(x.mul_add(y, z)));
    }
    let [Some(x), Some(y), Some(z)] = [x, y, z].map(Constant::as_f64) else { return None };
    Some(Constant::f64(x.mul_add(y, z)))
}
