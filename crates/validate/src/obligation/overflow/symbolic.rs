//! Bounds of normal forms ([`crate::bound`]) at a place.
//!
//! # Correctness
//! An entry check holds everywhere. If it is a disjunction, the conditions on parameters around the
//! place may exclude all parts but one, which then holds there.

use halidom_base::FxHashMap;

use super::ranges::{Ranges, Scope};
use crate::bound::{Bounds, Interval, Limits, Sizes, facts};
use crate::lia::Outcome;
use crate::obligation::Checker;
use crate::program::Place;
use crate::space::{FormulaId, PolyId, Space, Symbol, Value};

impl Checker<'_> {
    /// Returns the scope of a place.
    pub(super) fn scope(&mut self, place: &Place, ranges: &mut Ranges<'_>) -> usize {
        if let Some(known) = ranges.guards.get(&place.facts) {
            return *known;
        }
        let parameters: Vec<Symbol> = ranges
            .parameters
            .values()
            .filter_map(|value| match value {
                Value::Int(poly) => self.space.as_symbol(*poly),
                Value::Bool(_) | Value::Number(_) => None,
            })
            .collect();
        let guards: Vec<FormulaId> = place
            .facts
            .iter()
            .copied()
            .filter(|fact| {
                self.space.formula_symbols(*fact).iter().all(|symbol| parameters.contains(symbol))
            })
            .collect();
        let known = ranges.guarded.iter().position(|scope| scope.guards == guards);
        let index = known.unwrap_or(ranges.guarded.len());
        if known.is_none() {
            let scope = self.open_scope(guards, &ranges.symbols);
            ranges.guarded.push(scope);
        }
        ranges.guards.insert(place.facts.clone(), index);
        index
    }

    /// Returns the conditions of a scope if a formula mentions parameters and shapes alone.
    pub(super) fn sizes_alone(
        &self,
        formula: FormulaId,
        scope: usize,
        ranges: &Ranges<'_>,
    ) -> Option<Vec<FormulaId>> {
        let known = |symbol: &Symbol| ranges.symbols.contains_key(symbol);
        let alone = self.space.formula_symbols(formula).iter().all(known);
        alone.then(|| ranges.guarded.get(scope).map(|scope| scope.guards.clone()))?
    }

    fn open_scope(
        &mut self,
        guards: Vec<FormulaId>,
        symbols: &FxHashMap<Symbol, Interval>,
    ) -> Scope {
        let loops: Vec<_> = self
            .model
            .loops
            .values()
            .map(|found| (found.symbol, found.min, found.extent))
            .collect();
        let mut known = Vec::new();
        for condition in self.entry.iter().chain(&guards) {
            known.extend(facts(self.space, *condition, &guards));
        }
        known.dedup();
        let limits = Limits::new(self.space, symbols.clone(), &known);
        let bounds = Bounds::new(self.space, &loops, symbols.clone(), known);
        Scope { guards, bounds, limits, models: Vec::new() }
    }

    /// Returns the interval of an integer by its normal form.
    pub(super) fn symbolic(
        &mut self,
        poly: PolyId,
        scope: usize,
        ranges: &mut Ranges<'_>,
    ) -> Interval {
        self.bounded(scope, ranges, |bounds, space, sizes| bounds.interval(space, sizes, poly))
    }

    /// Returns the interval of a product by the normal forms of its factors.
    pub(super) fn symbolic_product(
        &mut self,
        factors: [PolyId; 2],
        scope: usize,
        ranges: &mut Ranges<'_>,
    ) -> Interval {
        self.bounded(scope, ranges, |bounds, space, sizes| bounds.product(space, sizes, factors))
    }

    fn bounded(
        &mut self,
        scope: usize,
        ranges: &mut Ranges<'_>,
        work: impl FnOnce(&mut Bounds, &mut Space, &mut Sizes<'_>) -> Interval,
    ) -> Interval {
        let Some(Scope { guards, bounds, limits, models }) = ranges.guarded.get_mut(scope) else {
            return (i128::MIN, i128::MAX);
        };
        let (lia, entry) = (&mut *self.lia, &self.entry);
        let mut at_most = |space: &mut Space, a: Symbol, b: Symbol| {
            // A single model with `a > b` is enough to know that `a <= b` does not follow.
            let differs = |model: &FxHashMap<Symbol, i128>| match (model.get(&a), model.get(&b)) {
                (Some(a), Some(b)) => a > b,
                (Some(_) | None, _) => false,
            };
            if models.iter().any(differs) {
                return false;
            }
            let (a, b) = (space.symbol(a), space.symbol(b));
            let above = space.less(b, a);
            let mut all = entry.clone();
            all.extend_from_slice(guards);
            all.push(above);
            match lia.ask(space, &all, "sizes") {
                Outcome::Contradiction => true,
                Outcome::Possible(values) => {
                    models.push(values.into_iter().collect());
                    false
                }
                Outcome::Undecided(_) => false,
            }
        };
        let mut sizes = Sizes { limits, at_most: &mut at_most };
        work(bounds, self.space, &mut sizes)
    }
}
