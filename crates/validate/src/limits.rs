//! Questions that the least and the greatest values of numbers answer.
//!
//! # Correctness
//! A fact about one number, such as `3 - x >= 0`, limits this number. A sum of numbers lies between
//! the sums of their limits. So a fact that says of a sum what its limits exclude contradicts the
//! facts that limit its numbers. A fact that always holds within these limits follows from those
//! facts, and a question without it has the same answer. Of the facts that give a limit, one stays,
//! unless it is assumed anyway.
//! Products and numbers without limits are unbounded here.

use halidom_base::FxHashMap;

use crate::space::{AtomId, Formula, FormulaId, Poly, PolyId, Space};

/// The least and the greatest value of a number, if they are known.
type Range = (Option<i128>, Option<i128>);

/// The limits of numbers that some facts give.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits(FxHashMap<AtomId, Range>);

/// Returns the number that `poly >= 0` limits, and its limits. A sum of one number has the factor 1
/// or -1, as normal forms are divided by common factors.
fn limit(poly: &Poly) -> Option<(AtomId, Range)> {
    let (mut number, mut constant) = (None, 0_i128);
    for (monomial, factor) in &poly.0 {
        match (&**monomial, factor) {
            ([], _) => constant = *factor,
            ([atom], 1 | -1) if number.is_none() => number = Some((*atom, *factor)),
            _ => return None,
        }
    }
    let (atom, factor) = number?;
    // `x + constant >= 0`, or `constant - x >= 0`.
    let range =
        if factor == 1 { (Some(constant.checked_neg()?), None) } else { (None, Some(constant)) };
    Some((atom, range))
}

impl Limits {
    /// Returns the limits that facts give.
    pub(crate) fn from_facts(space: &Space, facts: &[FormulaId]) -> Self {
        let mut limits = Self::default();
        for fact in facts {
            for part in space.conjuncts(*fact) {
                limits.learn(space, part);
            }
        }
        limits
    }

    /// Tests whether these limits, with more of them, exclude that a sum is 0.
    pub(crate) fn exclude_zero(&self, space: &Space, poly: PolyId, more: &Self) -> bool {
        let (least, greatest) = self.range(space, poly, more);
        least.is_some_and(|least| least > 0) || greatest.is_some_and(|greatest| greatest < 0)
    }

    /// Adds the limits that a fact gives.
    pub(crate) fn learn(&mut self, space: &Space, fact: FormulaId) {
        let Formula::NonNegative(poly) = *space.formula(fact) else { return };
        let Some((atom, (least, greatest))) = limit(space.poly(poly)) else { return };
        let known = self.0.entry(atom).or_default();
        known.0 = known.0.max(least);
        known.1 = [known.1, greatest].into_iter().flatten().min();
    }

    /// Returns the limits of a number.
    fn of(&self, atom: AtomId, more: &Self) -> Range {
        let [a, b] = [self, more].map(|limits| limits.0.get(&atom).copied().unwrap_or_default());
        (a.0.max(b.0), [a.1, b.1].into_iter().flatten().min())
    }

    /// Returns the limits of a sum.
    fn range(&self, space: &Space, poly: PolyId, more: &Self) -> Range {
        let (mut least, mut greatest) = (Some(0_i128), Some(0_i128));
        for (monomial, factor) in &space.poly(poly).0 {
            let (low, high) = match **monomial {
                [] => (Some(1), Some(1)),
                [atom] => self.of(atom, more),
                _ => return (None, None),
            };
            let times = |end: i128| end.checked_mul(*factor);
            let plus = |sum: Option<i128>, end: Option<i128>| {
                sum.zip(end.and_then(times)).and_then(|(sum, end)| sum.checked_add(end))
            };
            let (low, high) = if *factor < 0 { (high, low) } else { (low, high) };
            (least, greatest) = (plus(least, low), plus(greatest, high));
        }
        (least, greatest)
    }

    /// Leaves out facts that follow from the others and from these limits. `None` if the limits
    /// show that the facts contradict each other or the assumptions.
    pub(crate) fn reduced(&self, space: &Space, facts: &[FormulaId]) -> Option<Vec<FormulaId>> {
        let mut own = Self::default();
        for fact in facts {
            own.learn(space, *fact);
        }
        let is_empty = |atom: &AtomId| {
            let (least, greatest) = self.of(*atom, &own);
            least.zip(greatest).is_some_and(|(least, greatest)| least > greatest)
        };
        if own.0.keys().any(is_empty) {
            return None;
        }
        let mut kept = Vec::with_capacity(facts.len());
        for fact in facts {
            let is_needed = match *space.formula(*fact) {
                Formula::NonNegative(poly) => {
                    let (least, greatest) = self.range(space, poly, &own);
                    if greatest.is_some_and(|greatest| greatest < 0) {
                        return None;
                    }
                    match limit(space.poly(poly)) {
                        // It gives the limit, unless another fact gives a narrower one.
                        Some((atom, (low, high))) => {
                            let (least, greatest) = self.of(atom, &own);
                            let assumed = self.0.get(&atom).copied().unwrap_or_default();
                            let is_narrowest = |end: Option<i128>, known, assumed| {
                                end.is_some() && end == known && end != assumed
                            };
                            is_narrowest(low, least, assumed.0)
                                || is_narrowest(high, greatest, assumed.1)
                        }
                        None => least.is_none_or(|least| least < 0),
                    }
                }
                Formula::Zero(poly) => {
                    if self.exclude_zero(space, poly, &own) {
                        return None;
                    }
                    true
                }
                Formula::True
                | Formula::False
                | Formula::Holds(_)
                | Formula::Not(_)
                | Formula::And(_)
                | Formula::Or(_) => true,
            };
            if is_needed {
                kept.push(*fact);
            }
        }
        Some(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws facts about three numbers with small factors, and compares the answers with all values
    /// of the numbers from -12 to 12.
    #[test]
    fn answers_are_those_of_all_values() {
        let space = Space::new();
        let numbers = ["x", "y", "z"].map(|name| space.symbol(space.fresh(name)));
        let mut seed = 1_u64;
        let mut draw = |below: i128| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            i128::from(seed >> 33) % below
        };
        let (mut contradictions, mut shorter) = (0, 0);
        for _ in 0..3000 {
            let mut facts = Vec::new();
            let mut sums = Vec::new();
            let count = 2 + draw(5);
            for _ in 0..count {
                let factors = [(); 3].map(|()| if draw(2) == 0 { 0 } else { draw(5) - 2 });
                let constant = draw(13) - 6;
                let parts: Vec<_> = numbers.into_iter().zip(factors).collect();
                let sum = space.offset(space.combine(&parts), constant);
                let is_zero = draw(4) == 0;
                facts.push(if is_zero { space.zero(sum) } else { space.non_negative(sum) });
                sums.push((factors, constant, is_zero));
            }
            let all = space.conjuncts(space.and(&facts));
            let (first, rest) = all.split_at(usize::try_from(draw(2)).unwrap().min(all.len()));
            let mut assumed = Limits::default();
            for fact in first {
                assumed.learn(&space, *fact);
            }
            let limiting = first.iter().all(|fact| {
                matches!(*space.formula(*fact), Formula::NonNegative(poly)
                    if limit(space.poly(poly)).is_some())
            });
            if !limiting {
                continue;
            }
            let holds = |x: i128, y: i128, z: i128| {
                sums.iter().all(|(factors, constant, is_zero)| {
                    let value = factors[0] * x + factors[1] * y + factors[2] * z + constant;
                    if *is_zero { value == 0 } else { value >= 0 }
                })
            };
            let values = || -12..=12_i128;
            let any = values().any(|x| values().any(|y| values().any(|z| holds(x, y, z))));
            match assumed.reduced(&space, rest) {
                None => {
                    assert!(!any, "{sums:?}");
                    contradictions += 1;
                }
                Some(kept) => {
                    shorter += usize::from(kept.len() < rest.len());
                    // What was left out holds wherever the rest holds.
                    let conjunction = space.and(first.iter().chain(&kept));
                    let left: Vec<FormulaId> =
                        rest.iter().copied().filter(|fact| !kept.contains(fact)).collect();
                    let value = |poly: PolyId, at: [i128; 3]| {
                        let parts = space.poly(poly).0.iter().map(|(monomial, factor)| {
                            let number = monomial.first().map_or(1, |atom| {
                                let it = space.atom_poly(*atom);
                                at[numbers.iter().position(|number| *number == it).unwrap()]
                            });
                            factor * number
                        });
                        parts.sum::<i128>()
                    };
                    let truth = |fact: FormulaId, at| match *space.formula(fact) {
                        Formula::NonNegative(poly) => value(poly, at) >= 0,
                        Formula::Zero(poly) => value(poly, at) == 0,
                        Formula::True => true,
                        Formula::False
                        | Formula::Holds(_)
                        | Formula::Not(_)
                        | Formula::And(_)
                        | Formula::Or(_) => false,
                    };
                    let conjuncts = space.conjuncts(conjunction);
                    for x in values() {
                        for y in values() {
                            for z in values() {
                                let at = [x, y, z];
                                if conjuncts.iter().all(|fact| truth(*fact, at)) {
                                    assert!(left.iter().all(|fact| truth(*fact, at)), "{sums:?}");
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(contradictions > 100 && shorter > 100, "{contradictions} {shorter}");
    }
}
