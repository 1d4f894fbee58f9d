//! Upper bounds of integers by sums of products of sizes.
//!
//! The `int`s of a program are sums of loop variables, minima and sizes. Intervals of these parts
//! are useless: `(y - buffer.min)·stride` is small because the minimum cancels, not because its
//! parts are small. [`Bounds::up`] lets terms cancel: from the inside outwards, it replaces
//! everything that is not a parameter by its own bound, and the normal form of polynomials does the
//! rest. The result is a sum with positive coefficients over parameters that are at least 0.
//! [`sizes`] turns it into a number.
//!
//! # Correctness
//! An *upper bound* of `p` is a polynomial `u` with coefficients at least 0 over symbols at least
//! 0, such that `p <= u`, and so `0 <= u` too, wherever the facts hold and the loops of the symbols
//! in `p` run. A comment at each step of [`Bounds::expand`] gives the reason why the step yields
//! such a bound. Each loop variable is replaced by a minimum and a new symbol, its offset:
//! `v = min + o` with `0 <= o <= extent - 1`, which holds in the loop's body.

mod sizes;
#[cfg(test)]
mod tests;

use halidom_base::FxHashMap;

use crate::space::gcd;
use crate::space::{
    Atom, AtomId, Formula, FormulaId, Monomial, Poly, PolyId, Rename, Space, Symbol,
};

pub(crate) use sizes::{Limits, Sizes};

/// The least and the greatest value.
pub(crate) type Interval = (i128, i128);

/// The most bounds that are kept for one integer.
const MOST_BOUNDS: usize = 4;
/// The most integers that one question may look at.
const MOST_STEPS: u32 = 600;
/// The most facts that may be added to one integer, one after another.
const MOST_FACTS: u32 = 2;

/// The data from which bounds follow.
pub(crate) struct Bounds {
    /// Replaces loop variables by their minima and offsets.
    loops: Rename,
    /// The greatest value of each offset, in terms of the offsets of loops outside. Later symbols
    /// belong to loops further inside.
    spans: FxHashMap<Symbol, PolyId>,
    /// The intervals of parameters and shapes.
    params: FxHashMap<Symbol, Interval>,
    /// Integers that are at least 0.
    facts: Vec<PolyId>,
    known: FxHashMap<(PolyId, u32), Option<Vec<PolyId>>>,
    steps: u32,
}

impl Bounds {
    /// Creates bounds under facts (integers at least 0). Each loop is given as symbol, min and
    /// extent, outermost first.
    pub(crate) fn new(
        space: &mut Space,
        loops: &[(Symbol, PolyId, PolyId)],
        params: FxHashMap<Symbol, Interval>,
        facts: Vec<PolyId>,
    ) -> Self {
        let mut rename = Rename::new();
        let mut spans = FxHashMap::default();
        for (symbol, min, extent) in loops {
            let (min, extent) = (rename.poly(space, *min), rename.poly(space, *extent));
            let offset = space.fresh("offset");
            spans.insert(offset, space.offset(extent, -1));
            let variable = space.symbol(offset);
            let value = space.add(min, variable);
            rename.insert(*symbol, value);
        }
        Self { loops: rename, spans, params, facts, known: FxHashMap::default(), steps: 0 }
    }

    /// Returns the interval that these bounds give an integer.
    pub(crate) fn interval(
        &mut self,
        space: &mut Space,
        sizes: &mut Sizes<'_>,
        poly: PolyId,
    ) -> Interval {
        let poly = self.loops.poly(space, poly);
        let negated = space.scale(poly, -1);
        let mut most = |bounds: &mut Self, poly| {
            bounds.steps = 0;
            let found = bounds.up(space, poly, 0).unwrap_or_default();
            found.into_iter().map(|bound| sizes.most(space, bound)).min().unwrap_or(i128::MAX)
        };
        let (high, low) = (most(self, poly), most(self, negated));
        (low.saturating_neg(), high)
    }

    /// Returns the interval that bounds of its factors give a product: |x·y| = |x|·|y|.
    pub(crate) fn product(
        &mut self,
        space: &mut Space,
        sizes: &mut Sizes<'_>,
        factors: [PolyId; 2],
    ) -> Interval {
        let mut natural = true;
        let mut size = vec![space.constant(1)];
        for factor in factors {
            let factor = self.loops.poly(space, factor);
            let negated = space.scale(factor, -1);
            self.steps = 0;
            let (Some(up), Some(down)) = (self.up(space, factor, 0), self.up(space, negated, 0))
            else {
                return (i128::MIN, i128::MAX);
            };
            natural &= down.iter().any(|bound| space.is_zero(*bound));
            let part = pairs(space, &up, &down, greatest);
            size = products(space, &size, &part);
        }
        let most = size.into_iter().map(|bound| sizes.most(space, bound)).min();
        let most = most.unwrap_or(i128::MAX);
        (if natural { 0 } else { most.saturating_neg() }, most)
    }

    /// Tests whether the symbol is an offset, a lane or a parameter, and is at least 0.
    fn natural(&self, space: &Space, atom: AtomId) -> bool {
        let Atom::Symbol(symbol) = *space.atom(atom) else { return false };
        self.spans.contains_key(&symbol)
            || space.lane_count(symbol).is_some()
            || self.params.get(&symbol).is_some_and(|range| range.0 >= 0)
    }

    /// Returns upper bounds of an integer over parameters and offsets. `added` counts the facts
    /// that were added to the integer.
    fn up(&mut self, space: &mut Space, poly: PolyId, added: u32) -> Option<Vec<PolyId>> {
        if let Some(known) = self.known.get(&(poly, added)) {
            return known.clone();
        }
        if self.steps > MOST_STEPS {
            return None;
        }
        self.steps += 1;
        let found = match space.as_constant(poly) {
            Some(value) => Some(vec![space.constant(value.max(0))]),
            None => {
                let target = self.target(space, poly);
                let by_fact = self.by_fact(space, poly, added);
                let simple = target
                    .as_ref()
                    .is_none_or(|target| matches!(space.atom(target.atom), Atom::Symbol(_)));
                if by_fact.is_some() && !simple {
                    // An integer with many choices takes long to bound, and the result is seldom
                    // better than a fact's.
                    by_fact
                } else {
                    let found = match target {
                        Some(target) => self.expand(space, poly, &target, added),
                        None => self.parameters(space, poly, added),
                    };
                    let found: Vec<PolyId> = found.into_iter().chain(by_fact).flatten().collect();
                    (!found.is_empty()).then(|| pruned(space, found))
                }
            }
        };
        if self.steps <= MOST_STEPS {
            self.known.insert((poly, added), found.clone());
        }
        found
    }

    /// Chooses the part of an integer to replace first: the last made atom that is not a symbol, or
    /// else the innermost offset. An atom is made after those that it contains, so that what
    /// replaces it may cancel them.
    fn target(&self, space: &Space, poly: PolyId) -> Option<Target> {
        type Rank = (Option<AtomId>, Option<Symbol>);
        let mut best: Option<(Rank, Target)> = None;
        for (monomial, coefficient) in &space.poly(poly).0 {
            for (position, atom) in monomial.iter().enumerate() {
                let rank = match space.atom(*atom) {
                    Atom::Symbol(symbol) if self.params.contains_key(symbol) => continue,
                    Atom::Symbol(symbol) => (None, Some(*symbol)),
                    Atom::Min(_) | Atom::Div(..) | Atom::Select(..) | Atom::Value(_) => {
                        (Some(*atom), None)
                    }
                };
                if best.as_ref().is_none_or(|(known, _)| rank > *known) {
                    let mut rest = monomial.to_vec();
                    rest.remove(position);
                    let target =
                        Target { atom: *atom, coefficient: *coefficient, rest: rest.into() };
                    best = Some((rank, target));
                }
            }
        }
        best.map(|(_, target)| target)
    }

    /// Bounds `poly`, which contains the term `coefficient·atom·rest`, by replacing the atom.
    fn expand(
        &mut self,
        space: &mut Space,
        poly: PolyId,
        target: &Target,
        added: u32,
    ) -> Option<Vec<PolyId>> {
        let Target { atom, coefficient, rest } = target;
        let factor = space.collect(vec![(rest.clone(), 1)]);
        let this = space.atom_poly(*atom);
        let term = space.mul(this, factor);
        let others = space.combine(&[(poly, 1), (term, -coefficient)]);
        if !rest.iter().all(|atom| self.natural(space, *atom)) {
            // The signs of the factors are unknown: |a·b| = |a|·|b|.
            let mut size = vec![space.constant(coefficient.saturating_abs())];
            for atom in rest.iter().chain([atom]) {
                let factor = self.size(space, *atom)?;
                size = products(space, &size, &factor);
            }
            let others = self.up(space, others, added)?;
            return Some(sums(space, &others, &size));
        }
        // From here on the rest is at least 0, so a bound of the atom gives a bound of the term.
        let with = |space: &mut Space, value: PolyId, times: i128| {
            let part = space.mul(value, factor);
            space.combine(&[(others, 1), (part, times)])
        };
        match space.atom(*atom).clone() {
            // `min(a, b)` is at most `a` and at most `b`; `-min(a, b)` is `-a` or `-b`.
            Atom::Min(operands) => {
                let parts: Vec<PolyId> =
                    operands.iter().map(|operand| with(space, *operand, *coefficient)).collect();
                if *coefficient > 0 {
                    self.any(space, &parts, added)
                } else {
                    self.all(space, &parts, added)
                }
            }
            Atom::Select(_, a, b) => {
                let parts = [with(space, a, *coefficient), with(space, b, *coefficient)];
                self.all(space, &parts, added)
            }
            Atom::Value(term) => {
                let (low, high) = space.value_range(term)?;
                let end = space.constant(if *coefficient > 0 { high } else { low });
                let part = with(space, end, *coefficient);
                self.up(space, part, added)
            }
            Atom::Symbol(symbol) => {
                // An offset or lane is at least 0 and at most its span.
                let end = match (*coefficient > 0, space.lane_count(symbol)) {
                    (false, _) => space.constant(0),
                    (true, Some(lanes)) => space.constant(i128::from(lanes) - 1),
                    (true, None) => *self.spans.get(&symbol)?,
                };
                let part = with(space, end, *coefficient);
                self.up(space, part, added)
            }
            Atom::Div(dividend, divisor) => match space.as_constant(divisor) {
                Some(divisor) if divisor > 0 => {
                    // Scaled by `times`, the coefficient is a multiple of the divisor. The bound is
                    // divided by `times` afterwards, with its coefficients rounded up.
                    let times = divisor / gcd(divisor, *coefficient);
                    if times > 1 {
                        let scaled = space.scale(poly, times);
                        let found = self.up(space, scaled, added)?;
                        return Some(found.iter().map(|b| quotient(space, *b, times)).collect());
                    }
                    // `k·n·(x / n)` lies between `k·(x - n + 1)` and `k·x` for k > 0.
                    let least = space.offset(dividend, 1 - divisor);
                    let end = if *coefficient > 0 { dividend } else { least };
                    let part = with(space, end, coefficient / divisor);
                    self.up(space, part, added)
                }
                Some(_) | None => {
                    let size = self.size(space, *atom)?;
                    let factor = self.up(space, factor, added)?;
                    let size = products(space, &size, &factor);
                    let times = coefficient.saturating_abs();
                    let size: Vec<PolyId> =
                        size.iter().map(|bound| space.scale(*bound, times)).collect();
                    let others = self.up(space, others, added)?;
                    Some(sums(space, &others, &size))
                }
            },
        }
    }

    /// Returns bounds of the absolute value of an atom.
    fn size(&mut self, space: &mut Space, atom: AtomId) -> Option<Vec<PolyId>> {
        let this = space.atom_poly(atom);
        let measured = match *space.atom(atom) {
            Atom::Div(dividend, _) => dividend,
            Atom::Symbol(_) | Atom::Min(_) | Atom::Select(..) | Atom::Value(_) => this,
        };
        let negated = space.scale(measured, -1);
        let size = self.all(space, &[measured, negated], 0)?;
        let Atom::Div(_, divisor) = *space.atom(atom) else { return Some(size) };
        let divisor = space.as_atom(divisor).filter(|divisor| self.natural(space, *divisor));
        // |x / y| <= |x| for every y, because rounding changes the quotient of a negative number by
        // at most 1. If |x| <= y·a + b with y, a, b >= 0, then |x / y| <= a + b + 1.
        Some(match divisor {
            Some(divisor) => size.iter().map(|bound| divided(space, *bound, divisor)).collect(),
            None => size,
        })
    }

    /// Returns bounds of an integer that is at most each of the given ones.
    fn any(&mut self, space: &mut Space, polys: &[PolyId], added: u32) -> Option<Vec<PolyId>> {
        let mut found = Vec::new();
        for poly in polys {
            found.extend(self.up(space, *poly, added).unwrap_or_default());
        }
        (!found.is_empty()).then(|| pruned(space, found))
    }

    /// Returns bounds of the greatest of the integers.
    fn all(&mut self, space: &mut Space, polys: &[PolyId], added: u32) -> Option<Vec<PolyId>> {
        let mut found = vec![space.constant(0)];
        for poly in polys {
            let bounds = self.up(space, *poly, added)?;
            found = pairs(space, &found, &bounds, greatest);
        }
        Some(found)
    }

    /// Bounds an integer by a fact that cancels all products in it: `p <= p + k·f` for `f >= 0` and
    /// `k > 0`.
    fn by_fact(&mut self, space: &mut Space, poly: PolyId, added: u32) -> Option<Vec<PolyId>> {
        if added >= MOST_FACTS {
            return None;
        }
        let product = |term: &&(Monomial, i128)| term.0.len() > 1;
        let (monomial, coefficient) = space.poly(poly).0.iter().find(product)?.clone();
        for index in 0..self.facts.len() {
            let fact = self.facts[index];
            let opposite = space.poly(fact).0.iter().find(|(other, _)| *other == monomial);
            let Some((_, other)) = opposite else { continue };
            let times = -(coefficient / other);
            if times <= 0 || coefficient % other != 0 {
                continue;
            }
            let with = space.combine(&[(poly, 1), (fact, times)]);
            if space.poly(with).0.iter().find(product).is_none() {
                return self.up(space, with, added + 1);
            }
        }
        None
    }

    /// Bounds an integer over parameters alone.
    fn parameters(&mut self, space: &mut Space, poly: PolyId, added: u32) -> Option<Vec<PolyId>> {
        let terms = space.poly(poly).clone();
        let mut found = Vec::new();
        // Sum the bounds of the terms. A term with only symbols at least 0 stays, or is dropped if
        // it is subtracted.
        let mut sum = Vec::new();
        let mut signed = false;
        for (monomial, coefficient) in &terms.0 {
            let (mut number, mut rest) = (*coefficient, Vec::new());
            for atom in monomial {
                if self.natural(space, *atom) {
                    rest.push(*atom);
                    continue;
                }
                signed = true;
                let Atom::Symbol(symbol) = *space.atom(*atom) else { return None };
                let (low, high) = *self.params.get(&symbol)?;
                let (a, b) = (number.saturating_mul(low), number.saturating_mul(high));
                // A product of several symbols whose sign is unknown has no known sign either.
                number = if monomial.len() == 1 {
                    a.max(b)
                } else {
                    a.saturating_abs().max(b.saturating_abs())
                };
            }
            if number > 1 << 100 {
                return None;
            }
            if number > 0 {
                sum.push((Monomial::from(rest), number));
            }
        }
        found.push(space.collect(sum));
        // `p <= p + k·f` for a fact `f >= 0`. This bound is better where it cancels a product or a
        // symbol of unknown sign.
        if added < MOST_FACTS && (signed || terms.0.iter().any(|(monomial, _)| monomial.len() > 1))
        {
            for index in 0..self.facts.len() {
                let fact = self.facts[index];
                if let Some(times) = self.cancels(space, &terms, fact) {
                    let with = space.combine(&[(poly, 1), (fact, times)]);
                    found.extend(self.up(space, with, added + 1).unwrap_or_default());
                }
            }
        }
        Some(pruned(space, found))
    }

    /// Returns the factor with which a fact cancels a product or a symbol of unknown sign in a
    /// polynomial.
    fn cancels(&self, space: &Space, terms: &Poly, fact: PolyId) -> Option<i128> {
        let fact = &space.poly(fact).0;
        terms.0.iter().find_map(|(monomial, coefficient)| {
            let natural = monomial.iter().all(|atom| self.natural(space, *atom));
            let worst = if natural { monomial.len() > 1 && *coefficient > 0 } else { true };
            let (_, other) = fact.iter().find(|(other, _)| worst && other == monomial)?;
            let times = -(coefficient / other);
            (times > 0 && coefficient % other == 0).then_some(times)
        })
    }
}

/// A term of a polynomial: `coefficient·atom·rest`.
struct Target {
    atom: AtomId,
    coefficient: i128,
    rest: Monomial,
}

/// Collects the integers that are at least 0 by a formula, where all `known` formulas hold.
/// Alternatives that these exclude are left out.
pub(crate) fn facts(space: &mut Space, formula: FormulaId, known: &[FormulaId]) -> Vec<PolyId> {
    match space.formula(formula).clone() {
        Formula::NonNegative(poly) => vec![poly],
        Formula::Zero(poly) => vec![poly, space.scale(poly, -1)],
        Formula::And(parts) => parts.iter().flat_map(|part| facts(space, *part, known)).collect(),
        Formula::Or(parts) => {
            let mut left = parts.iter().filter(|part| {
                let negated = space.not(**part);
                !known.contains(&negated)
            });
            match (left.next(), left.next()) {
                (Some(only), None) => facts(space, *only, known),
                (_, _) => Vec::new(),
            }
        }
        Formula::True | Formula::False | Formula::Holds(_) | Formula::Not(_) => Vec::new(),
    }
}

/// The sum of bounds is a bound of the sum.
fn sums(space: &mut Space, a: &[PolyId], b: &[PolyId]) -> Vec<PolyId> {
    pairs(space, a, b, Space::add)
}

/// The product of bounds is a bound of the product of sizes.
fn products(space: &mut Space, a: &[PolyId], b: &[PolyId]) -> Vec<PolyId> {
    pairs(space, a, b, Space::mul)
}

fn pairs(
    space: &mut Space,
    a: &[PolyId],
    b: &[PolyId],
    join: fn(&mut Space, PolyId, PolyId) -> PolyId,
) -> Vec<PolyId> {
    let mut found = Vec::with_capacity(a.len() * b.len());
    for x in a {
        for y in b {
            found.push(join(space, *x, *y));
        }
    }
    pruned(space, found)
}

/// Turns a bound of `number·x` into a bound of `x`: divides the coefficients and rounds them up.
fn quotient(space: &mut Space, bound: PolyId, number: i128) -> PolyId {
    let share = |c: i128| c.saturating_add(number - 1).div_euclid(number);
    let terms = space.poly(bound).0.iter().map(|(m, c)| (m.clone(), share(*c))).collect();
    space.collect(terms)
}

/// Returns `a + b + 1` for a bound `y·a + b`.
fn divided(space: &mut Space, bound: PolyId, by: AtomId) -> PolyId {
    let mut terms = space.poly(bound).0.to_vec();
    for (monomial, _) in &mut terms {
        if let Some(position) = monomial.iter().position(|atom| *atom == by) {
            let mut rest = monomial.to_vec();
            rest.remove(position);
            *monomial = rest.into();
        }
    }
    let quotient = space.collect(terms);
    space.offset(quotient, 1)
}

/// Takes the greater coefficient for each monomial. As symbols are at least 0, the result is a
/// bound wherever one of the operands is.
fn greatest(space: &mut Space, a: PolyId, b: PolyId) -> PolyId {
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
fn pruned(space: &mut Space, bounds: Vec<PolyId>) -> Vec<PolyId> {
    let mut kept: Vec<PolyId> = Vec::new();
    for bound in bounds {
        if kept.iter().any(|other| greatest(space, *other, bound) == bound) {
            continue;
        }
        kept.retain(|other| greatest(space, *other, bound) != *other);
        kept.push(bound);
    }
    // Short bounds are usually good, so they come first.
    kept.sort_by_key(|bound| {
        let terms = &space.poly(*bound).0;
        (terms.iter().map(|(monomial, _)| monomial.len()).max(), terms.len())
    });
    kept.truncate(MOST_BOUNDS);
    kept
}
