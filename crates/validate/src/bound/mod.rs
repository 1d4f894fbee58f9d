//! Upper bounds of integers by sums of products of sizes.
//!
//! The `int`s of a program are sums of loop variables, minima and sizes, whose intervals alone are useless: `(y - buffer.min)·stride` is small because the minimum cancels, not because
//! its parts are. [`Bounds::up`] keeps what cancels: it replaces, from the inside outwards, what is not a parameter by its own bound and lets the normal form of polynomials do the
//! rest. What is left is a sum with positive coefficients over parameters that are at least 0; [`sizes`] gives it a number.
//!
//! # Correctness
//! An *upper bound* of `p` is a polynomial `u` with coefficients at least 0 over symbols at least 0, such that `p <= u`, and so `0 <= u` too, wherever the facts hold and the loops of the
//! symbols in `p` run. Each step of [`Bounds::expand`] says why it gives one. Loops are variables of their own: `v = min + o` with `0 <= o <= extent - 1`, which holds in the loop's body.

mod sizes;
#[cfg(test)]
mod tests;

use halidom_base::FxHashMap;

use crate::space::gcd;
use crate::space::{
    Atom, AtomId, Formula, FormulaId, Monomial, Poly, PolyId, Rename, Space, Symbol,
};

pub(crate) use sizes::{Limits, Sizes};

/// Least and greatest value.
pub(crate) type Interval = (i128, i128);

/// Bounds that are kept of one integer.
const MOST_BOUNDS: usize = 4;
/// Integers looked at for one question.
const MOST_STEPS: u32 = 600;
/// Facts that are added to one integer, one after another.
const MOST_FACTS: u32 = 2;

/// What bounds rest on.
pub(crate) struct Bounds {
    /// Loop variables by their minima and offsets.
    loops: Rename,
    /// The greatest value of each offset, given by offsets of loops outside; later ones lie further inside.
    spans: FxHashMap<Symbol, PolyId>,
    /// Intervals of parameters and shapes.
    params: FxHashMap<Symbol, Interval>,
    /// Integers at least 0.
    facts: Vec<PolyId>,
    known: FxHashMap<(PolyId, u32), Option<Vec<PolyId>>>,
    steps: u32,
}

impl Bounds {
    /// Bounds under facts (integers at least 0). The loops, outermost first: symbol, min, extent.
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

    /// The interval of an integer that these bounds give.
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

    /// The interval of a product that bounds of its factors give: |x·y| = |x|·|y|.
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

    /// Whether the symbol is a parameter or offset that is at least 0.
    fn natural(&self, space: &Space, atom: AtomId) -> bool {
        let Atom::Symbol(symbol) = *space.atom(atom) else { return false };
        self.spans.contains_key(&symbol)
            || space.lane_count(symbol).is_some()
            || self.params.get(&symbol).is_some_and(|range| range.0 >= 0)
    }

    /// Upper bounds of an integer over parameters and offsets. `added` counts the facts that were added to it.
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
                    // Integers with many choices take long to bound, and a fact about one is seldom beaten.
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

    /// The part of an integer that is to be replaced first: an atom that is no symbol; else the innermost offset.
    fn target(&self, space: &Space, poly: PolyId) -> Option<Target> {
        let mut best: Option<(Option<Symbol>, Target)> = None;
        for (monomial, coefficient) in &space.poly(poly).0 {
            for (position, atom) in monomial.iter().enumerate() {
                let rank = match space.atom(*atom) {
                    Atom::Symbol(symbol) if self.params.contains_key(symbol) => continue,
                    Atom::Symbol(symbol) => Some(*symbol),
                    Atom::Min(_) | Atom::Div(..) | Atom::Select(..) | Atom::Value(_) => None,
                };
                let better = match (&best, rank) {
                    (None, _) | (Some((Some(_), _)), None) => true,
                    (Some((Some(inner), _)), Some(symbol)) => symbol > *inner,
                    (Some((None, _)), _) => false,
                };
                if better {
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

    /// Bounds of `poly`, which contains the term `coefficient·atom·rest`, by way of the atom.
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
            // Nothing is known of the factors' signs: |a·b| = |a|·|b|.
            let mut size = vec![space.constant(coefficient.saturating_abs())];
            for atom in rest.iter().chain([atom]) {
                let factor = self.size(space, *atom)?;
                size = products(space, &size, &factor);
            }
            let others = self.up(space, others, added)?;
            return Some(sums(space, &others, &size));
        }
        // From here on the rest is at least 0, so that a bound of the atom is one of the term.
        let with = |space: &mut Space, value: PolyId, times: i128| {
            let part = space.mul(value, factor);
            space.combine(&[(others, 1), (part, times)])
        };
        match space.atom(*atom).clone() {
            // `min(a, b)` is at most either; `-min(a, b)` is one of `-a`, `-b`.
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
                    // Multiplied by so much, the coefficient is a multiple of the divisor; a bound is divided again, its coefficients rounded up.
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

    /// Bounds of the absolute value of an atom.
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
        // |x / y| <= |x| for every y, as quotients of negative numbers are rounded to at most a whole more. If |x| <= y·a + b with y, a, b >= 0, then |x / y| <= a + b + 1.
        Some(match divisor {
            Some(divisor) => size.iter().map(|bound| divided(space, *bound, divisor)).collect(),
            None => size,
        })
    }

    /// Bounds of an integer that one of the given ones bounds each.
    fn any(&mut self, space: &mut Space, polys: &[PolyId], added: u32) -> Option<Vec<PolyId>> {
        let mut found = Vec::new();
        for poly in polys {
            found.extend(self.up(space, *poly, added).unwrap_or_default());
        }
        (!found.is_empty()).then(|| pruned(space, found))
    }

    /// Bounds of all of the integers: of the greatest.
    fn all(&mut self, space: &mut Space, polys: &[PolyId], added: u32) -> Option<Vec<PolyId>> {
        let mut found = vec![space.constant(0)];
        for poly in polys {
            let bounds = self.up(space, *poly, added)?;
            found = pairs(space, &found, &bounds, greatest);
        }
        Some(found)
    }

    /// Bounds by a fact that cancels every product in an integer: `p <= p + k·f` for `f >= 0` and `k > 0`.
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

    /// Bounds of an integer over parameters alone.
    fn parameters(&mut self, space: &mut Space, poly: PolyId, added: u32) -> Option<Vec<PolyId>> {
        let terms = space.poly(poly).clone();
        let mut found = Vec::new();
        // The sum of the terms' own bounds: those at least 0 stay, or go if they are subtracted.
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
                // In a product of several such symbols, the sign is lost.
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
        // `p <= p + k·f` for a fact `f >= 0`: where that cancels what is worst, it is the better bound.
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

    /// How often a fact is to be added to a polynomial so that a product or a symbol of unknown sign vanishes from it.
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

/// The integers that a formula says to be at least 0, where every one of the `known` formulas holds: alternatives that they exclude are left out.
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

/// A bound of `x` from one of `number·x`: coefficients are divided, rounded up.
fn quotient(space: &mut Space, bound: PolyId, number: i128) -> PolyId {
    let share = |c: i128| c.saturating_add(number - 1).div_euclid(number);
    let terms = space.poly(bound).0.iter().map(|(m, c)| (m.clone(), share(*c))).collect();
    space.collect(terms)
}

/// `a + b + 1` for a bound `y·a + b`.
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

/// The greater coefficient for each monomial: a bound of all that either bounds, as symbols are at least 0.
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

/// The first few of the bounds, less those that others are at most.
fn pruned(space: &mut Space, bounds: Vec<PolyId>) -> Vec<PolyId> {
    let mut kept: Vec<PolyId> = Vec::new();
    for bound in bounds {
        if kept.iter().any(|other| greatest(space, *other, bound) == bound) {
            continue;
        }
        kept.retain(|other| greatest(space, *other, bound) != *other);
        kept.push(bound);
    }
    // Short ones are good ones.
    kept.sort_by_key(|bound| {
        let terms = &space.poly(*bound).0;
        (terms.iter().map(|(monomial, _)| monomial.len()).max(), terms.len())
    });
    kept.truncate(MOST_BOUNDS);
    kept
}
