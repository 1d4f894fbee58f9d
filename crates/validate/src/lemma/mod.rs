//! True facts about the terms of a question.
//!
//! # Correctness
//! A tactic proposes instances of lemmas; [`Memo::state`] makes their formulas. Each lemma is a
//! theorem for all values of the symbols, whatever the proposed terms are; its maker states the
//! reason. Lemmas are instances of nonlinear facts, and of facts about operators, that linear
//! arithmetic cannot find alone. Without a lemma, fewer goals may be provable, but nothing false.

mod monotone;
mod ordered;
mod steps;
#[cfg(test)]
mod tests;

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Scalar, eval};

pub(crate) use monotone::LARGE;
pub(crate) use ordered::stepped;
pub(crate) use steps::{Place, operands};

use crate::space::{Atom, AtomId, FormulaId, PolyId, Space, Symbol, Term, TermId};

/// A lemma, and the terms that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Instance {
    /// The meaning of an atom.
    Meaning(AtomId),
    /// Machine values with equal operands are equal.
    SameValue(TermId, TermId),
    /// Truth values with equal operands are equal.
    SameTruth(TermId, TermId),
    /// Machine values that rise or fall with an integer keep its order.
    Monotone(TermId, TermId),
    /// A comparison of floats compares their orders.
    Compared(TermId),
    /// A conversion of a float to an integer keeps its order relative to another float.
    Converted(TermId, TermId),
    /// A conversion of a sum with a literal is near to the conversion of the other operand.
    Near(TermId),
    /// A float rises or falls with its operand at a place. It is compared with the float that has
    /// another operand there.
    Step(TermId, Place, TermId),
    /// The operands for which a float is a number.
    Number(TermId),
    /// Floats of operands with equal orders have equal orders.
    SameOrder(TermId, TermId),
    /// The order of two quotients by one divisor.
    Quotients(AtomId, AtomId),
    /// The order and distance of two quotients by one divisor that is at least [`LARGE`].
    Distance(AtomId, AtomId),
    /// A number that a quotient is less than.
    Below(AtomId, PolyId),
    /// The value of a quotient.
    Quotient(AtomId, PolyId),
    /// A bound, multiplied by a factor.
    Scaled(PolyId, PolyId),
    /// Multiples of two numbers, by the first factor, are equal where the numbers are.
    Equal(PolyId, PolyId, PolyId),
    /// A number near 0 is 0 where it is 0 as an integer of this type.
    Vanishes(PolyId, Scalar),
}

/// The values in a model of a question. It proves nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    pub(crate) atoms: Vec<(AtomId, i128)>,
    pub(crate) truths: Vec<(TermId, bool)>,
}

/// Proposes instances for the questions of one solver. Nothing here is trusted.
pub(crate) trait Lemmas {
    /// Proposes instances for formulas that all later questions assume.
    fn assumed(&mut self, space: &Space, memo: &mut Memo, formulas: &[FormulaId]) -> Vec<Instance>;

    /// Proposes instances for a question. Also lists the atoms and the truth values that it
    /// mentions.
    fn asked(
        &mut self,
        space: &Space,
        memo: &mut Memo,
        formulas: &[FormulaId],
    ) -> (Vec<Instance>, Vec<AtomId>, Vec<TermId>);

    /// Takes a model of a question about formulas. Returns values of the symbols that are worth
    /// trying, because products are opaque in the model.
    fn learn(
        &mut self,
        space: &Space,
        model: Sample,
        formulas: &[FormulaId],
    ) -> Vec<(Symbol, i128)>;

    /// Tests whether a guess that these formulas contradict each other is known to be wrong.
    fn refute(&mut self, space: &Space, formulas: &[FormulaId]) -> bool;
}

/// The formulas of the instances so far.
#[derive(Default)]
pub(crate) struct Memo(FxHashMap<Instance, Vec<FormulaId>>);

impl Memo {
    /// Returns the formulas of an instance. There are none if its terms do not have the form that
    /// the lemma is about.
    pub(crate) fn state(&mut self, space: &Space, instance: Instance) -> &[FormulaId] {
        self.0.entry(instance).or_insert_with(|| state(space, instance))
    }
}

fn state(space: &Space, instance: Instance) -> Vec<FormulaId> {
    match instance {
        Instance::Meaning(atom) => atom_lemmas(space, atom),
        Instance::SameValue(a, b) => {
            congruence(space, (a, b), space.equal(space.number(a), space.number(b)))
        }
        Instance::SameTruth(a, b) => {
            congruence(space, (a, b), space.same_truth(space.holds(a), space.holds(b)))
        }
        Instance::Monotone(a, b) => monotone::lemma(space, a, b).into_iter().collect(),
        Instance::Compared(truth) => ordered::compared(space, truth).into_iter().collect(),
        Instance::Converted(cast, by) => ordered::converted(space, cast, by).into_iter().collect(),
        Instance::Near(cast) => ordered::near(space, cast).into_iter().collect(),
        Instance::Step(a, place, y) => steps::lemma(space, (a, place), y).into_iter().collect(),
        Instance::Number(term) => steps::numbers(space, term).unwrap_or_default(),
        Instance::SameOrder(a, b) => ordered::congruent(space, a, b).into_iter().collect(),
        Instance::Quotients(a, b) => monotone::quotients(space, a, b).unwrap_or_default(),
        Instance::Distance(a, b) => monotone::distance(space, a, b).unwrap_or_default(),
        Instance::Below(quotient, count) => {
            quotient_below(space, quotient, count).into_iter().collect()
        }
        Instance::Quotient(quotient, value) => {
            quotient_is(space, quotient, value).into_iter().collect()
        }
        Instance::Scaled(factor, bound) => vec![scaled_bound(space, factor, bound)],
        Instance::Equal(factor, a, b) => vec![equal_multiples(space, factor, (a, b))],
        Instance::Vanishes(number, scalar) => vanishes(space, number, scalar).into_iter().collect(),
    }
}

/// Equal operands have equal values.
fn congruence(space: &Space, (a, b): (TermId, TermId), same: FormulaId) -> Vec<FormulaId> {
    let alike = space.alike(a, b);
    alike.map(|alike| space.implies(alike, same)).into_iter().collect()
}

/// `n >= 0` and `g >= 0` imply `n·g >= 0`.
fn scaled_bound(space: &Space, factor: PolyId, bound: PolyId) -> FormulaId {
    let product = space.mul(factor, bound);
    let parts = [space.at_most(space.constant(0), factor), space.non_negative(bound)];
    space.implies(space.and(parts), space.non_negative(product))
}

/// `a = b` implies `n·a = n·b`.
fn equal_multiples(space: &Space, factor: PolyId, (a, b): (PolyId, PolyId)) -> FormulaId {
    let multiples = [space.mul(factor, a), space.mul(factor, b)];
    space.implies(space.equal(a, b), space.equal(multiples[0], multiples[1]))
}

/// `p = 0` exactly if the machine integer that is congruent to `p` is 0, for `-2^n < p < 2^n`.
fn vanishes(space: &Space, number: PolyId, scalar: Scalar) -> Option<FormulaId> {
    let residue = space.integer_of(residue(space, number, scalar)?);
    Some(space.same_truth(space.zero(number), space.zero(residue)))
}

/// Returns the machine integer of `n` bits that is congruent to `p` or to `-p`, for an integer `p`
/// that lies between `-2^n` and `2^n` for all values of the symbols. A machine integer of at least
/// `n` bits that is a term of `p` is replaced by an integer that is congruent to it.
pub(crate) fn residue(space: &Space, number: PolyId, scalar: Scalar) -> Option<TermId> {
    let bits = scalar.bits().filter(|_| scalar.is_machine_integer())?;
    let (low, high) = space.static_range(number, 0)?;
    let end = 1_i128 << bits;
    if low <= -end || high >= end {
        return None;
    }
    let mut parts = Vec::new();
    for (monomial, factor) in &space.poly(number).0 {
        let part = if let [atom] = **monomial
            && let Atom::Value(term) = *space.atom(atom)
            && let Term::Ring(of, congruent) = *space.term(term)
            && of.bits() >= Some(bits)
        {
            congruent
        } else {
            space.collect(vec![(monomial.clone(), 1)])
        };
        parts.push((part, *factor));
    }
    let whole = space.combine(&parts);
    let is_negated = space.poly(whole).0.last().is_some_and(|(_, factor)| *factor < 0);
    Some(space.ring(scalar, if is_negated { space.scale(whole, -1) } else { whole }))
}

/// `x / n < m` where `n > 0` and `x < n·m`.
fn quotient_below(space: &Space, quotient: AtomId, count: PolyId) -> Option<FormulaId> {
    let Atom::Div(dividend, divisor) = *space.atom(quotient) else { return None };
    let this = space.atom_poly(quotient);
    let (zero, end) = (space.constant(0), space.mul(divisor, count));
    let parts = [space.less(zero, divisor), space.less(dividend, end)];
    Some(space.implies(space.and(parts), space.less(this, count)))
}

/// `x / n = a` and `n·(x / n) = n·a` where `n·a <= x < n·a + n`.
fn quotient_is(space: &Space, quotient: AtomId, value: PolyId) -> Option<FormulaId> {
    let Atom::Div(dividend, divisor) = *space.atom(quotient) else { return None };
    let this = space.atom_poly(quotient);
    let (product, multiple) = (space.mul(this, divisor), space.mul(value, divisor));
    let zero = space.constant(0);
    let rest = space.sub(dividend, multiple);
    let known = [space.less(zero, divisor), space.within(rest, zero, divisor)];
    let equal = [space.equal(this, value), space.equal(product, multiple)];
    Some(space.implies(space.and(known), space.and(equal)))
}

/// Returns the consequences of an atom's meaning.
fn atom_lemmas(space: &Space, atom: AtomId) -> Vec<FormulaId> {
    let this = space.atom_poly(atom);
    match space.atom(atom) {
        Atom::Symbol(_) => Vec::new(),
        Atom::Min(operands) => {
            let bounds = operands.iter().map(|operand| space.at_most(this, *operand));
            let cases = operands.iter().map(|operand| space.equal(this, *operand));
            vec![space.and(bounds), space.or(cases)]
        }
        Atom::Select(condition, a, b) => {
            vec![
                space.implies(*condition, space.equal(this, *a)),
                space.implies(space.not(*condition), space.equal(this, *b)),
            ]
        }
        Atom::Value(term) => match space.value_range(*term) {
            Some(range) => value_lemmas(space, this, *term, range),
            None => ordered::meaning(space, this, *term).into_iter().collect(),
        },
        Atom::Div(dividend, divisor) => division_lemmas(space, this, *dividend, *divisor),
    }
}

/// `0 <= x - d·n < n` for `n > 0`; and `d >= 0` or `d >= x`, if `n` is no number.
fn division_lemmas(
    space: &Space,
    this: PolyId,
    dividend: PolyId,
    divisor: PolyId,
) -> Vec<FormulaId> {
    let zero = space.constant(0);
    let positive = space.less(zero, divisor);
    let in_range = space.within(space.sub(dividend, space.mul(this, divisor)), zero, divisor);
    let mut lemmas = vec![space.implies(positive, in_range)];
    if space.as_constant(divisor).is_none() {
        let ends = [space.at_most(zero, this), space.at_most(dividend, this)];
        lemmas.push(space.implies(positive, space.or(ends)));
    }
    lemmas
}

/// A value lies in its range. One that is congruent to an integer in this range is the integer.
fn value_lemmas(
    space: &Space,
    this: PolyId,
    term: TermId,
    (low, high): (i128, i128),
) -> Vec<FormulaId> {
    let (low, count) = (space.constant(low), space.constant(high - low + 1));
    let mut lemmas = vec![space.within(this, low, count)];
    if let Term::Ring(_, poly) = *space.term(term) {
        lemmas.push(space.implies(space.within(poly, low, count), space.equal(this, poly)));
    }
    lemmas.extend(shifted(space, this, term).unwrap_or_default());
    lemmas
}

/// `c << n` where `n` is one of the numbers below the width.
fn shifted(space: &Space, this: PolyId, term: TermId) -> Option<Vec<FormulaId>> {
    let Term::Binary(BinaryOp::Shl, number, amount) = *space.term(term) else { return None };
    let number = space.term_constant(number)?;
    let scalar = space.scalar(term);
    let amount = space.integer_of(amount);
    let case = |by: i128| {
        let by_constant = Constant::wrapped(scalar, by)?;
        let value = eval::binary(BinaryOp::Shl, number, by_constant).ok()?.as_integer()?;
        let is_case = space.equal(amount, space.constant(by));
        Some(space.implies(is_case, space.equal(this, space.constant(value))))
    };
    (0..i128::from(scalar.bits()?)).map(case).collect()
}
