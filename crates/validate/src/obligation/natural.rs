//! Proofs that integers are at least 0.
//!
//! # Correctness
//! A proof is a list of steps. Each shows that integers are at least 0 wherever the facts of the
//! place hold, from the steps before it. The comments of [`Natural`] state the claim of a step, and
//! [`Grounds::step`] checks its premises. All else is an identity of polynomials in normal form.
//! So a wrong step can only end a proof.
//!
//! A loop's variable is its minimum plus an *offset*, a fresh symbol. This names the difference and
//! assumes nothing. A proof may mention a fact as it stands, or in terms of offsets.

use halidom_base::FxHashSet;

use crate::ranges::Interval;
use crate::space::{Atom, AtomId, Formula, FormulaId, PolyId, Rename, Space};

/// A step of a proof that integers are at least 0.
#[derive(Clone, Debug)]
pub(crate) enum Natural {
    /// `p`, by an entry check or a fact of the place.
    Fact(PolyId),
    /// These integers, also in terms of offsets, by the solver, from these facts of the place,
    /// these integers of earlier steps, and the entry checks.
    Asked(Vec<PolyId>, Vec<FormulaId>, Vec<PolyId>),
    /// `x - low` and `high - x`, for a machine value or a lane `x`.
    Range(AtomId),
    /// `a - m` and so on, for a minimum `m` of `a` and others.
    Operands(AtomId),
    /// `x - n·q` and `n - 1 - (x - n·q)`, for a quotient `q` of `x` by a number `n > 0`.
    Rest(AtomId),
    /// `c - q` and `c + q`, for a quotient `q` of `x` by any `y`, where `|x| <= y·a + b`. If `a` is
    /// 0, then `c` is `b`, because `|x / y| <= |x|`: rounding changes the quotient of a negative
    /// number by at most 1. If `y, a, b >= 0`, then `c` is `a + b + 1`.
    Quotient(AtomId, PolyId, PolyId),
    /// `p`, where `k·p` is the sum of a number above `-k` and of products of integers of earlier
    /// steps, with coefficients that are at least 0.
    Sum(PolyId, i128, Vec<(i128, Vec<PolyId>)>),
    /// `p`, where `p + f·(a - m)` is at least 0 for each operand `a` of the minimum or selection
    /// `m`, which equals one of them.
    Each(PolyId, AtomId, PolyId),
    /// `p`, shown where the formula holds, and where it does not. There, its truth value replaces
    /// it in `p`.
    Split(PolyId, FormulaId, Box<[Vec<Natural>; 2]>),
}

/// An interval of an integer, and steps that show its ends.
#[derive(Clone, Debug)]
pub(crate) struct Bounded {
    pub(crate) low: Option<i128>,
    pub(crate) high: Option<i128>,
    pub(crate) steps: Vec<Natural>,
}

/// An integer whose interval is needed.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) poly: PolyId,
    /// Its factors, if it is computed as a product.
    pub(crate) factors: Option<[PolyId; 2]>,
    /// An interval that is narrow enough.
    pub(crate) enough: Interval,
}

/// Tests whether the entry checks and facts imply a formula.
pub(crate) type Follows<'g> = dyn FnMut(&Space, &[FormulaId], FormulaId) -> bool + 'g;

/// The grounds on which a proof stands.
pub(crate) struct Grounds<'g> {
    pub(crate) entry: &'g [FormulaId],
    /// Replaces loop variables by their minima and offsets.
    pub(crate) offsets: &'g Rename,
    /// Asks the solver.
    pub(crate) follows: &'g mut Follows<'g>,
}

impl Grounds<'_> {
    /// Returns the interval of an integer where the facts hold: the ends that the steps show.
    pub(crate) fn interval(
        &mut self,
        space: &Space,
        poly: PolyId,
        found: &Bounded,
        facts: &[FormulaId],
    ) -> Interval {
        let unknown = (i128::MIN, i128::MAX);
        let Some(shown) = self.shown(space, &found.steps, facts) else { return unknown };
        let forms = [poly, self.offsets.poly(space, poly)];
        let is_shown = |end: i128, sign: i128| {
            let end = space.constant(end);
            forms.iter().any(|form| shown.contains(&space.combine(&[(end, sign), (*form, -sign)])))
        };
        let low = found.low.filter(|low| is_shown(*low, -1));
        let high = found.high.filter(|high| is_shown(*high, 1));
        (low.unwrap_or(unknown.0), high.unwrap_or(unknown.1))
    }

    /// Returns the integers that the steps show, or `None` if one of them is wrong.
    pub(crate) fn shown(
        &mut self,
        space: &Space,
        steps: &[Natural],
        facts: &[FormulaId],
    ) -> Option<FxHashSet<PolyId>> {
        let mut shown = FxHashSet::default();
        for step in steps {
            let new = self.step(space, step, facts, &shown)?;
            shown.extend(new);
        }
        Some(shown)
    }

    /// Returns the integers that a step shows, or `None` if it is wrong.
    fn step(
        &mut self,
        space: &Space,
        step: &Natural,
        facts: &[FormulaId],
        shown: &FxHashSet<PolyId>,
    ) -> Option<Vec<PolyId>> {
        match step {
            Natural::Fact(poly) => {
                // A place whose facts contain a contradiction is never reached.
                let ways = [space.non_negative(*poly), space.zero(*poly), space.truth(false)];
                let offsets = self.offsets;
                let is_fact = self.entry.iter().any(|check| {
                    let parts = if let Formula::And(parts) = space.formula(*check) {
                        parts
                    } else {
                        std::slice::from_ref(check)
                    };
                    parts.iter().any(|part| ways.contains(part))
                }) || facts.iter().any(|fact| {
                    ways.contains(fact) || ways.contains(&offsets.formula(space, *fact))
                });
                is_fact.then(|| vec![*poly])
            }
            Natural::Asked(polys, under, known) => {
                if !under.iter().all(|fact| facts.contains(fact))
                    || !known.iter().all(|poly| shown.contains(poly))
                {
                    return None;
                }
                let mut all = under.clone();
                all.extend(known.iter().map(|poly| space.non_negative(*poly)));
                let goal = space.and(polys.iter().map(|poly| space.non_negative(*poly)));
                let mut found = polys.clone();
                found.extend(self.offsets.polys(space, polys));
                (self.follows)(space, &all, goal).then_some(found)
            }
            Natural::Range(atom) => {
                let (low, high) = match *space.atom(*atom) {
                    Atom::Value(term) => space.value_range(term)?,
                    Atom::Symbol(symbol) => (0, i128::from(space.lane_count(symbol)?) - 1),
                    Atom::Min(_) | Atom::Div(..) | Atom::Select(..) => return None,
                };
                let this = space.atom_poly(*atom);
                let (low, high) = (space.constant(low), space.constant(high));
                Some(vec![space.sub(this, low), space.sub(high, this)])
            }
            Natural::Operands(atom) => {
                let Atom::Min(operands) = space.atom(*atom).clone() else { return None };
                let this = space.atom_poly(*atom);
                Some(operands.iter().map(|operand| space.sub(*operand, this)).collect())
            }
            Natural::Rest(atom) => {
                let Atom::Div(dividend, divisor) = *space.atom(*atom) else { return None };
                let number = space.as_constant(divisor).filter(|number| *number > 0)?;
                let rest = space.combine(&[(dividend, 1), (space.atom_poly(*atom), -number)]);
                Some(vec![rest, space.sub(space.constant(number - 1), rest)])
            }
            Natural::Quotient(atom, a, b) => {
                let Atom::Div(dividend, divisor) = *space.atom(*atom) else { return None };
                let size = space.add(space.mul(divisor, *a), *b);
                let sides = [space.sub(size, dividend), space.add(size, dividend)];
                let most = if space.is_zero(*a) {
                    *b
                } else if [divisor, *a, *b].iter().all(|poly| shown.contains(poly)) {
                    space.offset(space.add(*a, *b), 1)
                } else {
                    return None;
                };
                let this = space.atom_poly(*atom);
                let shown = sides.iter().all(|side| shown.contains(side));
                shown.then(|| vec![space.sub(most, this), space.add(most, this)])
            }
            Natural::Sum(poly, times, parts) => {
                let mut rest = space.scale(*poly, *times);
                for (coefficient, factors) in parts {
                    if *coefficient < 0 || !factors.iter().all(|factor| shown.contains(factor)) {
                        return None;
                    }
                    let mut product = space.constant(*coefficient);
                    for factor in factors {
                        product = space.mul(product, *factor);
                    }
                    rest = space.sub(rest, product);
                }
                let rest = space.as_constant(rest)?;
                (*times > 0 && rest > -times).then(|| vec![*poly])
            }
            Natural::Each(poly, atom, factor) => {
                let operands = match space.atom(*atom) {
                    Atom::Min(operands) => operands.to_vec(),
                    Atom::Select(_, a, b) => vec![*a, *b],
                    Atom::Symbol(_) | Atom::Div(..) | Atom::Value(_) => return None,
                };
                let this = space.atom_poly(*atom);
                let each = operands.into_iter().all(|operand| {
                    shown.contains(&space.add(*poly, space.mul(*factor, space.sub(operand, this))))
                });
                each.then(|| vec![*poly])
            }
            Natural::Split(poly, condition, cases) => {
                let both = [true, false].into_iter().zip(cases.iter()).all(|(holds, steps)| {
                    let fact = if holds { *condition } else { space.not(*condition) };
                    let mut rename = Rename::new();
                    rename.override_formula(*condition, space.truth(holds));
                    let case = rename.poly(space, *poly);
                    let shown = self.shown(space, steps, &[facts, &[fact]].concat());
                    shown.is_some_and(|shown| shown.contains(&case))
                });
                both.then(|| vec![*poly])
            }
        }
    }
}
