//! Proposes intervals of integers, each with a proof.
//!
//! Nothing here is trusted: obligations check the steps ([`Natural`]).
//!
//! An entry check holds everywhere. If it is a disjunction, the conditions on parameters around the
//! place may exclude all parts but one, which then holds there. So bounds of normal forms
//! ([`upper`]) are kept for each set of such conditions, a *scope*. For products, [`products`] asks
//! the solver at last.

#[cfg(test)]
pub(super) mod lies;
mod limit;
mod parts;
mod products;
mod proof;
mod sizes;
mod symbols;
mod terms;
#[cfg(test)]
mod tests;
mod upper;

use std::rc::Rc;

use halidom_base::FxHashMap;

use crate::lia::Outcome;
use crate::obligation::door::{Desk, Proposer, Setting};
use crate::obligation::natural::{Bounded, Natural, Wanted};
use crate::obligation::overflow::SMALL;
use crate::program::Place;
use crate::ranges::Interval;
use crate::space::{Atom, AtomId, FormulaId, PolyId, Rename, Space, Symbol, Value};
use crate::tactics::parts::{Choice, choices};
use limit::Limit;
use proof::Proof;
use sizes::{Limits, Sizes};
use symbols::symbol_ranges;
use upper::{Above, Bounds, facts};

/// The greatest depth to which selections are split into cases.
const MOST_CASES: usize = 3;

/// The most searches for one end.
const MOST_SEARCHES: u32 = 4;

/// Ends beyond this are useless: no integer of so many bits fits.
const USEFUL: i128 = 1 << 64;

/// Ends of products beyond this are useless, even if a number divides the product.
const MOST: i128 = 1 << 90;

/// The interval of 64 bits.
const WIDTH: Interval = (i64::MIN as i128, i64::MAX as i128);

/// Candidates for bounds of the extents of temporaries.
const LIKELY_EXTENTS: [i128; 2] = [1 << 12, 1 << 20];

/// Conditions on parameters, and their consequences for sizes, together with the entry checks.
struct Scope {
    guards: Vec<FormulaId>,
    bounds: Bounds,
    limits: Limits,
    /// The bounded products among the entry checks, each with its shapes in both orders.
    products: Option<Rc<[Rc<Limit>]>>,
    /// Values of symbols under which all of it holds.
    models: Vec<FxHashMap<Symbol, i128>>,
}

/// The search for intervals.
pub(super) struct Intervals {
    setting: Setting,
    /// The intervals of parameters and shapes that the entry checks give.
    symbols: Option<FxHashMap<Symbol, Interval>>,
    scopes: Vec<Scope>,
    /// For the facts of a place, the number of its scope.
    places: FxHashMap<Vec<FormulaId>, usize>,
    /// Upper ends, by integer, scope and the greatest end that is of use, with the number of
    /// searches for each.
    ends: FxHashMap<(PolyId, usize, i128), (u32, Option<End>)>,
    /// Bounded products that are shown at places, each with its shapes in both orders.
    limits: Vec<Rc<Limit>>,
    /// The limit and the slack that succeeded last, and the scope.
    last: Option<(Rc<Limit>, usize, usize)>,
}

/// An end of an interval, with the steps that show it.
type End = (i128, Vec<Natural>);

/// The ends of an interval that are known.
#[derive(Default)]
struct Ends {
    low: Option<End>,
    high: Option<End>,
}

impl Ends {
    fn interval(&self) -> Interval {
        let low = self.low.as_ref().map_or(i128::MIN, |end| end.0);
        let high = self.high.as_ref().map_or(i128::MAX, |end| end.0);
        (low, high)
    }

    fn lies_in(&self, outer: Interval) -> bool {
        let (low, high) = self.interval();
        outer.0 <= low && high <= outer.1
    }

    /// Takes the better of two ends at each side.
    fn and(self, other: Self) -> Self {
        let (own, others) = (self.interval(), other.interval());
        let low = if own.0 < others.0 { other.low } else { self.low };
        let high = if own.1 > others.1 { other.high } else { self.high };
        Self { low, high }
    }

    fn steps(&self) -> Vec<Natural> {
        let ends = [&self.low, &self.high];
        ends.into_iter().flatten().flat_map(|(_, steps)| steps.iter().cloned()).collect()
    }
}

impl Intervals {
    pub(super) fn new(setting: Setting) -> Self {
        let (scopes, places) = (Vec::new(), FxHashMap::default());
        Self {
            setting,
            symbols: None,
            scopes,
            places,
            ends: FxHashMap::default(),
            limits: Vec::new(),
            last: None,
        }
    }
}

impl Proposer for Intervals {
    fn bounded(&mut self, desk: &mut Desk<'_, '_>, wanted: Wanted, place: &Place) -> Bounded {
        let Wanted { poly, factors, enough } = wanted;
        let facts = &place.facts;
        let scope = self.scope(desk, facts);
        // In narrow code, most proofs are needed only if the solver would be asked otherwise.
        let thorough = self.is_narrow() && enough.1 != SMALL;
        let mut found = self.symbolic(desk, poly, scope);
        if let Some(factors) = factors.filter(|_| !found.lies_in(enough)) {
            found = found.and(self.symbolic_product(desk, factors, scope));
            if thorough && !found.lies_in(enough) {
                found = found.and(self.product_of_quotients(desk, factors, scope));
            }
        }
        if enough.0 == i128::MIN {
            found = likely(desk, wanted, facts, found);
            if let (Some(factors), Some(high)) = (factors, found.high.clone())
                && high.0 <= enough.1
                && !self.is_narrow()
            {
                self.learn(desk, factors, high, (facts, scope));
            }
        }
        if let Some(factors) = factors.filter(|_| !self.is_narrow() && !found.lies_in(enough)) {
            found = found.and(self.by_limits(desk, factors, (facts, scope)));
            if !found.lies_in(WIDTH) {
                found = found.and(asked(desk, wanted, facts));
            }
        }
        if thorough && !found.lies_in(enough) {
            found = found.and(self.by_cases(desk, wanted, facts, MOST_CASES).unwrap_or_default());
        }
        let (low, high) = found.interval();
        let ends = (Some(low).filter(|low| *low != i128::MIN), Some(high));
        Bounded {
            low: ends.0,
            high: ends.1.filter(|high| *high != i128::MAX),
            steps: found.steps(),
        }
    }
}

impl Intervals {
    /// Tests whether the compiled code's `int`s are narrower than 64 bits.
    fn is_narrow(&self) -> bool {
        self.setting.bits < 64
    }

    /// Returns the number of a place's scope.
    fn scope(&mut self, desk: &mut Desk<'_, '_>, facts: &[FormulaId]) -> usize {
        if let Some(known) = self.places.get(facts) {
            return *known;
        }
        let parameters = &self.setting.parameters;
        let is_guard = |fact: &&FormulaId| {
            desk.space.symbols_of(**fact).iter().all(|symbol| parameters.contains(symbol))
        };
        let guards: Vec<FormulaId> = facts.iter().filter(is_guard).copied().collect();
        let known = self.scopes.iter().position(|scope| scope.guards == guards);
        let index = known.unwrap_or(self.scopes.len());
        if known.is_none() {
            let scope = self.open_scope(desk, guards);
            self.scopes.push(scope);
        }
        self.places.insert(facts.to_vec(), index);
        index
    }

    /// Returns the conditions of a scope if a formula mentions parameters and shapes alone.
    fn sizes_alone(
        &self,
        desk: &Desk<'_, '_>,
        formula: FormulaId,
        scope: usize,
    ) -> Option<Vec<FormulaId>> {
        let symbols = self.symbols.as_ref()?;
        let alone = desk.space.symbols_of(formula);
        let alone = alone.iter().all(|symbol| symbols.contains_key(symbol));
        alone.then(|| self.scopes[scope].guards.clone())
    }

    fn open_scope(&mut self, desk: &mut Desk<'_, '_>, guards: Vec<FormulaId>) -> Scope {
        let entry = desk.entry().to_vec();
        let symbols = self.symbols.get_or_insert_with(|| symbol_ranges(desk.space, &entry)).clone();
        let loops = desk.model.loops.values().zip(&self.setting.offsets);
        let loops: Vec<_> =
            loops.map(|(found, offset)| (found.symbol, found.min, found.extent, *offset)).collect();
        let mut known = Vec::new();
        for condition in entry.iter().chain(&guards) {
            known.extend(facts(desk.space, *condition, &guards));
        }
        known.dedup_by_key(|(poly, _)| *poly);
        let limits = Limits::new(desk.space, symbols.clone(), &known, guards.clone());
        let bounds = Bounds::new(desk.space, &loops, symbols, known);
        Scope { guards, bounds, limits, products: None, models: Vec::new() }
    }

    /// Proposes the interval of an integer by its normal form.
    fn symbolic(&mut self, desk: &mut Desk<'_, '_>, poly: PolyId, scope: usize) -> Ends {
        Ends { low: self.low(desk, poly, scope), high: self.high(desk, poly, scope, USEFUL) }
    }

    /// Proposes the lower end of an integer by its normal form.
    fn low(&mut self, desk: &mut Desk<'_, '_>, poly: PolyId, scope: usize) -> Option<End> {
        let poly = self.scopes[scope].bounds.in_offsets(desk.space, poly);
        let low = self.high(desk, desk.space.scale(poly, -1), scope, USEFUL);
        low.map(|(end, steps)| (-end, steps))
    }

    /// Proposes the upper end of an integer by its normal form.
    fn high(
        &mut self,
        desk: &mut Desk<'_, '_>,
        poly: PolyId,
        scope: usize,
        useful: i128,
    ) -> Option<End> {
        let poly = self.scopes[scope].bounds.in_offsets(desk.space, poly);
        let key = (poly, scope, useful);
        let searches = match self.ends.get(&key) {
            Some((MOST_SEARCHES, known)) => return known.clone(),
            Some((searches, _)) => *searches,
            None => 0,
        };
        let (found, ended_early) = self.sized(desk, scope, |bounds, space, sizes| {
            let most = bounds.most(space, sizes, poly).filter(|(most, _)| *most <= useful);
            let found = most.and_then(|found| end(bounds, space, sizes, found));
            (found, bounds.is_exhausted())
        });
        // The next search goes on where one ended early.
        let searches = if ended_early { searches + 1 } else { MOST_SEARCHES };
        self.ends.insert(key, (searches, found.clone()));
        found
    }

    /// Proposes the interval of a product by the normal forms of its factors.
    fn symbolic_product(
        &mut self,
        desk: &mut Desk<'_, '_>,
        factors: [PolyId; 2],
        scope: usize,
    ) -> Ends {
        self.sized(desk, scope, |bounds, space, sizes| {
            let Some((most, [up, down], lows)) = bounds.product(space, sizes, factors) else {
                return Ends::default();
            };
            let high = end(bounds, space, sizes, (most, up));
            let low = match lows {
                // Both factors are at least 0.
                Some(lows) => {
                    let mut proof = Proof::new(bounds);
                    let sides: Option<Vec<PolyId>> =
                        lows.iter().map(|low| proof.node(space, *low)).collect();
                    sides.and_then(|sides| {
                        proof.sum(space, space.mul(sides[0], sides[1]), 1, vec![(1, sides)])?;
                        Some((0, proof.steps))
                    })
                }
                None => {
                    let low = end(bounds, space, sizes, (most, down));
                    low.map(|(end, steps)| (-end, steps))
                }
            };
            Ends { low, high }
        })
    }

    /// Works with the bounds of a scope.
    fn sized<T>(
        &mut self,
        desk: &mut Desk<'_, '_>,
        scope: usize,
        work: impl FnOnce(&mut Bounds, &Space, &mut Sizes<'_>) -> T,
    ) -> T {
        let Scope { guards, bounds, limits, models, .. } = &mut self.scopes[scope];
        let space = desk.space;
        let mut at_most =
            |_: &Space, a: Symbol, b: Symbol| is_at_most(desk, (guards, models), (a, b));
        let mut sizes = Sizes { limits, at_most: &mut at_most };
        work(bounds, space, &mut sizes)
    }

    /// Proposes the interval of an integer by its normal form where the conditions of its
    /// selections hold, and where they do not: each case has fewer selections and more facts.
    fn by_cases(
        &mut self,
        desk: &mut Desk<'_, '_>,
        wanted: Wanted,
        facts: &[FormulaId],
        left: usize,
    ) -> Option<Ends> {
        let left = left.checked_sub(1)?;
        let scope = self.scope(desk, facts);
        let poly = self.scopes[scope].bounds.in_offsets(desk.space, wanted.poly);
        let choices = choices(desk.space, Value::Int(poly));
        let mut conditions = choices.iter().filter_map(|choice| match choice {
            Choice::Condition(condition) => Some(*condition),
            Choice::Least(_) => None,
        });
        let condition = conditions.next_back()?;
        let (low, high) = wanted.enough;
        let mut cases = Vec::new();
        for holds in [true, false] {
            let fact = if holds { condition } else { desk.space.not(condition) };
            let mut rename = Rename::new();
            rename.override_formula(condition, desk.space.truth(holds));
            let case = Wanted { poly: rename.poly(desk.space, poly), factors: None, ..wanted };
            let facts = [facts, &[fact]].concat();
            let scope = self.scope(desk, &facts);
            let mut found = self.symbolic(desk, case.poly, scope);
            if !found.lies_in(wanted.enough) {
                found = self.by_cases(desk, case, &facts, left)?;
            }
            // The ends of the wanted interval follow from those of a narrower one.
            let mut steps = found.steps();
            let from = sides(desk.space, case.poly, found.interval());
            let to = sides(desk.space, case.poly, wanted.enough);
            let looser = from.into_iter().zip(to);
            steps.extend(looser.map(|(from, to)| Natural::Sum(to, 1, vec![(1, vec![from])])));
            cases.push(steps);
        }
        let cases: Box<[Vec<Natural>; 2]> = Box::new(cases.try_into().ok()?);
        let [below, above] = sides(desk.space, poly, wanted.enough);
        let split = |goal| vec![Natural::Split(goal, condition, cases.clone())];
        Some(Ends { low: Some((low, split(below))), high: Some((high, split(above))) })
    }

    /// Bounds a product of quotients: `⌊p/m⌋·⌊q/n⌋ <= p·q/(m·n)` for `p, q >= 0` and numbers
    /// `m, n > 0`.
    fn product_of_quotients(
        &mut self,
        desk: &mut Desk<'_, '_>,
        factors: [PolyId; 2],
        scope: usize,
    ) -> Ends {
        let found = self.quotients(desk, factors, scope);
        found.unwrap_or_default()
    }

    fn quotients(
        &mut self,
        desk: &mut Desk<'_, '_>,
        factors: [PolyId; 2],
        scope: usize,
    ) -> Option<Ends> {
        let factors = factors.map(|x| self.scopes[scope].bounds.in_offsets(desk.space, x));
        let (mut parts, mut steps) = (Vec::new(), Vec::new());
        for factor in factors {
            let (part, by, atom) = dividend(desk.space, factor);
            let (low, shown) = self.low(desk, part, scope).filter(|low| low.0 >= 0)?;
            steps.extend(shown);
            // `p >= 0`, then `m·a >= p - (m - 1)`, so `a >= 0`.
            steps.push(Natural::Sum(part, 1, vec![(1, vec![desk.space.offset(part, -low)])]));
            let rest = desk.space.sub(part, desk.space.scale(factor, by));
            if let Some(atom) = atom {
                let spare = desk.space.sub(desk.space.constant(by - 1), rest);
                let products = vec![(1, vec![spare]), (1, vec![part])];
                steps.extend([Natural::Rest(atom), Natural::Sum(factor, by, products)]);
            }
            parts.push((factor, part, by, atom.map(|_| rest)));
        }
        let [first, second] = *parts.as_slice() else { return None };
        let ((left, p, m, left_rest), (right, q, n, right_rest)) = (first, second);
        let product = desk.space.mul(left, right);
        let mut low = steps.clone();
        low.push(Natural::Sum(product, 1, vec![(1, vec![left, right])]));
        let low = Some((0, low));
        let whole = desk.space.mul(p, q);
        let most = Ends { low: None, high: self.high(desk, whole, scope, MOST) };
        let (most, shown) = most.and(self.symbolic_product(desk, [p, q], scope)).high?;
        let by = m.checked_mul(n)?;
        let high = most.div_euclid(by);
        // `p·q - m·a·n·b = (p - m·a)·q + m·a·(q - n·b)` for the quotients `a` and `b`.
        let mut products = vec![(1, vec![desk.space.sub(desk.space.constant(most), whole)])];
        products.extend(left_rest.map(|rest| (1, vec![rest, q])));
        products.extend(right_rest.map(|rest| (m, vec![left, rest])));
        let goal = desk.space.sub(desk.space.constant(high), product);
        steps.extend(shown);
        steps.push(Natural::Sum(goal, by, products));
        Some(Ends { low, high: Some((high, steps)) })
    }
}

/// Asks the solver for upper ends.
fn likely(desk: &mut Desk<'_, '_>, wanted: Wanted, facts: &[FormulaId], mut found: Ends) -> Ends {
    let wide = LIKELY_EXTENTS.into_iter().filter(|limit| *limit > wanted.enough.1);
    for limit in [wanted.enough.1].into_iter().chain(wide) {
        if found.interval().1 <= limit {
            break;
        }
        let distance = desk.space.sub(desk.space.constant(limit), wanted.poly);
        let goal = desk.space.non_negative(distance);
        if desk.follows(facts, goal, "bounds") {
            let step = Natural::Asked(vec![distance], facts.to_vec(), Vec::new());
            found.high = Some((limit, vec![step]));
        }
    }
    found
}

/// Splits an integer into a dividend, a positive divisor and their quotient: `c + ⌊p/m⌋` is
/// `⌊(p + c·m)/m⌋`.
fn dividend(space: &Space, poly: PolyId) -> (PolyId, i128, Option<AtomId>) {
    let (constant, monomial) = match &*space.poly(poly).0 {
        [(monomial, 1)] => (0, monomial),
        [(unit, constant), (monomial, 1)] if unit.is_empty() => (*constant, monomial),
        _ => return (poly, 1, None),
    };
    let [atom] = **monomial else { return (poly, 1, None) };
    let (p, m) = match space.atom(atom) {
        Atom::Div(p, m) => (*p, *m),
        Atom::Symbol(_) | Atom::Min(_) | Atom::Select(..) | Atom::Value(_) => {
            return (poly, 1, None);
        }
    };
    match space.as_constant(m).filter(|m| *m > 0) {
        Some(m) => (space.offset(p, constant.saturating_mul(m)), m, Some(atom)),
        None => (poly, 1, None),
    }
}

/// Returns `poly - low` and `high - poly`.
fn sides(space: &Space, poly: PolyId, (low, high): Interval) -> [PolyId; 2] {
    [space.sub(poly, space.constant(low)), space.sub(space.constant(high), poly)]
}

/// Asks the solver whether an integer lies in the wanted interval. For example, a multiple of a
/// divisor is small if a quotient by this divisor bounds the other factor.
fn asked(desk: &mut Desk<'_, '_>, wanted: Wanted, facts: &[FormulaId]) -> Ends {
    let (low, high) = wanted.enough;
    if low == i128::MIN {
        return Ends::default();
    }
    let ends = sides(desk.space, wanted.poly, wanted.enough);
    let goals = ends.map(|end| desk.space.non_negative(end));
    let goal = desk.space.and(goals);
    if !desk.follows(facts, goal, "product") {
        return Ends::default();
    }
    let step = vec![Natural::Asked(ends.to_vec(), facts.to_vec(), Vec::new())];
    Ends { low: Some((low, step.clone())), high: Some((high, step)) }
}

/// Shows an upper end of an integer.
fn end(
    bounds: &Bounds,
    space: &Space,
    sizes: &mut Sizes<'_>,
    (most, above): (i128, Above),
) -> Option<End> {
    if most > MOST {
        return None;
    }
    let parts = sizes.distance(space, above.bound)?;
    let mut proof = Proof::new(bounds);
    proof.end(space, above.node, most, &parts)?;
    Some((most, proof.steps))
}

/// Tests whether one symbol is at most another where the guards hold.
fn is_at_most(
    desk: &mut Desk<'_, '_>,
    (guards, models): (&[FormulaId], &mut Vec<FxHashMap<Symbol, i128>>),
    (a, b): (Symbol, Symbol),
) -> bool {
    // A single model with `a > b` is enough to know that `a <= b` does not follow.
    let differs = |model: &FxHashMap<Symbol, i128>| match (model.get(&a), model.get(&b)) {
        (Some(a), Some(b)) => a > b,
        (Some(_) | None, _) => false,
    };
    if models.iter().any(differs) {
        return false;
    }
    let above = desk.space.less(desk.space.symbol(b), desk.space.symbol(a));
    match desk.ask(&[desk.entry(), guards, &[above]].concat(), "sizes") {
        Outcome::Contradiction(_) => true,
        Outcome::Possible(values) => {
            models.push(values.into_iter().collect());
            false
        }
        Outcome::Undecided(_) => false,
    }
}
