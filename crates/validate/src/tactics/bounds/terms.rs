//! Bounds as polynomials over symbols that are at least 0.

use crate::space::{Atom, AtomId, Monomial, PolyId, Space};

/// The most bounds that are kept of one integer.
const MOST_BOUNDS: usize = 4;

/// Turns a bound of `number·x` into a bound of `x`: divides the coefficients and rounds them up.
pub(super) fn quotient(space: &Space, bound: PolyId, number: i128) -> PolyId {
    let share = |c: i128| c.saturating_add(number - 1).div_euclid(number);
    let terms = space.poly(bound).0.iter().map(|(m, c)| (m.clone(), share(*c))).collect();
    space.collect(terms)
}

/// Splits a bound into a multiple of a divisor and the rest, by the atom of the divisor that is
/// given. Returns `None` if a coefficient of the rest would be less than 0.
pub(super) fn divided(
    space: &Space,
    bound: PolyId,
    by: PolyId,
    leading: AtomId,
) -> Option<(PolyId, PolyId)> {
    let mut multiple = Vec::new();
    for (monomial, coefficient) in space.poly(bound).0.clone() {
        if let Some(position) = monomial.iter().position(|atom| *atom == leading) {
            let mut others = monomial.to_vec();
            others.remove(position);
            multiple.push((others.into(), coefficient));
        }
    }
    let multiple = space.collect(multiple);
    let rest = space.sub(bound, space.mul(multiple, by));
    let is_bound = space.poly(rest).0.iter().all(|(_, coefficient)| *coefficient >= 0);
    is_bound.then_some((multiple, rest))
}

/// Returns the dividend of a quotient by a positive number.
pub(super) fn dividend_by_number(space: &Space, atom: AtomId) -> Option<PolyId> {
    let Atom::Div(dividend, divisor) = *space.atom(atom) else { return None };
    space.as_constant(divisor).filter(|divisor| *divisor > 0).map(|_| dividend)
}

/// Takes the greater coefficient for each monomial. As symbols are at least 0, the result is a
/// bound wherever one of the operands is.
pub(super) fn greatest(space: &Space, a: PolyId, b: PolyId) -> PolyId {
    if a == b {
        return a;
    }
    let mut terms = space.poly(a).0.to_vec();
    for (monomial, coefficient) in &space.poly(b).0 {
        match terms.iter_mut().find(|(other, _)| other == monomial) {
            Some((_, other)) => *other = (*other).max(*coefficient),
            None => terms.push((monomial.clone(), *coefficient)),
        }
    }
    space.collect(terms)
}

/// Drops bounds that are no better than others, and keeps the first few of the rest.
pub(super) fn pruned<T>(space: &Space, bounds: Vec<T>, bound: impl Fn(&T) -> PolyId) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for item in bounds {
        let this = bound(&item);
        if kept.iter().any(|other| greatest(space, bound(other), this) == this) {
            continue;
        }
        kept.retain(|other| greatest(space, bound(other), this) != bound(other));
        kept.push(item);
    }
    // Short bounds are usually good, so they come first.
    kept.sort_by_key(|item| {
        let terms = &space.poly(bound(item)).0;
        (terms.iter().map(|(monomial, _)| monomial.len()).max(), terms.len())
    });
    kept.truncate(MOST_BOUNDS);
    kept
}

/// Returns the factor with which a fact cancels one of some terms.
pub(super) fn cancels(space: &Space, terms: &[&(Monomial, i128)], fact: PolyId) -> Option<i128> {
    let fact = &space.poly(fact).0;
    terms.iter().find_map(|(monomial, coefficient)| {
        let (_, other) = fact.iter().find(|(other, _)| other == monomial)?;
        let times = -(coefficient / other);
        (times > 0 && coefficient % other == 0).then_some(times)
    })
}
