//! The greatest value of a sum of products of sizes.
//!
//! All symbols are at least 0, so a product grows with its factors. Wherever the facts hold, a
//! *limit* bounds a product by a number, a *step* bounds one product by another, and `at_most`
//! tells whether one symbol is at most another. Each of them replaces a part of a product by
//! something at least as great. If none applies, the intervals of the symbols bound the product.

use halidom_base::{FxHashMap, FxHashSet};

use super::parts::{Factor, Part};
use crate::obligation::natural::Natural;
use crate::ranges::Interval;
use crate::space::{Atom, FormulaId, PolyId, Space, Symbol};

/// The most products that one question may look at.
const MOST_PRODUCTS: usize = 200;

/// Tests whether one symbol is at most another.
pub(super) type AtMost<'a> = dyn FnMut(&Space, Symbol, Symbol) -> bool + 'a;

/// The limits and steps that bound products of sizes.
#[derive(Default)]
pub(super) struct Limits {
    params: FxHashMap<Symbol, Interval>,
    facts: Vec<(PolyId, Natural)>,
    /// Conditions under which `at_most` answers.
    guards: Vec<FormulaId>,
    /// Products with the symbols of the first list are at most products with those of the second,
    /// times the number, by the fact with the last number.
    steps: Vec<(Vec<Symbol>, Vec<Symbol>, i128, usize)>,
    /// Answers of `at_most`.
    pairs: FxHashMap<(Symbol, Symbol), bool>,
    /// The greatest value of a product, and the numbers of the steps that lead to it.
    known: FxHashMap<Vec<Symbol>, (i128, Vec<usize>)>,
}

impl Limits {
    /// Collects what facts (integers at least 0) imply about products.
    pub(super) fn new(
        space: &Space,
        params: FxHashMap<Symbol, Interval>,
        facts: &[(PolyId, Natural)],
        guards: Vec<FormulaId>,
    ) -> Self {
        let mut limits = Self { params, facts: facts.to_vec(), guards, ..Self::default() };
        for (number, (fact, _)) in facts.iter().enumerate() {
            limits.fact(space, *fact, number);
        }
        // Numbers come first.
        limits.steps.sort_by_key(|(_, by, ..)| !by.is_empty());
        limits
    }

    /// The facts, each with the step that shows it.
    pub(super) fn facts(&self) -> &[(PolyId, Natural)] {
        &self.facts
    }

    /// Records a fact of the form `L - product >= 0` or `other - product >= 0`.
    fn fact(&mut self, space: &Space, fact: PolyId, number: usize) {
        let (mut less, mut greater, mut constant) = (None, None, 0);
        for (monomial, coefficient) in &space.poly(fact).0 {
            let symbols = self.symbols(space, monomial);
            match (symbols, *coefficient) {
                (Some(symbols), value) if symbols.is_empty() => constant = value,
                (Some(symbols), -1) if less.is_none() => less = Some(symbols),
                (Some(symbols), 1) if greater.is_none() => greater = Some(symbols),
                (Some(_) | None, _) => return,
            }
        }
        match (less, greater) {
            (Some(less), None) if less.len() > 1 => {
                self.steps.push((less, Vec::new(), constant.max(0), number));
            }
            (Some(less), Some(greater)) if less.len() > 1 && constant <= 0 => {
                self.steps.push((less, greater, 1, number));
            }
            (_, _) => {}
        }
    }

    /// Returns the sorted symbols of a product, if all of them are parameters at least 0.
    fn symbols(&self, space: &Space, monomial: &[crate::space::AtomId]) -> Option<Vec<Symbol>> {
        let mut symbols = Vec::with_capacity(monomial.len());
        for atom in monomial {
            let Atom::Symbol(symbol) = *space.atom(*atom) else { return None };
            self.params.get(&symbol).filter(|range| range.0 >= 0)?;
            symbols.push(symbol);
        }
        symbols.sort_unstable();
        Some(symbols)
    }
}

/// The rest of a product, and pairs of lesser and greater symbols.
type Removed = (Vec<Symbol>, Vec<(Symbol, Symbol)>);

/// [`Limits`] with a way to compare symbols.
pub(super) struct Sizes<'a> {
    pub(super) limits: &'a mut Limits,
    pub(super) at_most: &'a mut AtMost<'a>,
}

impl Sizes<'_> {
    /// Returns a number that a bound (see [`super::upper`]) cannot exceed.
    pub(super) fn most(&mut self, space: &Space, bound: PolyId) -> i128 {
        let mut total = 0_i128;
        for (monomial, coefficient) in space.poly(bound).0.clone() {
            let Some(symbols) = self.limits.symbols(space, &monomial) else { return i128::MAX };
            let most = self.product(space, symbols).0;
            total = total.saturating_add(coefficient.saturating_mul(most));
        }
        total
    }

    /// Returns the distance of a bound from the number that it cannot exceed.
    pub(super) fn distance(&mut self, space: &Space, bound: PolyId) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        for (monomial, coefficient) in space.poly(bound).0.clone() {
            let mut product = self.limits.symbols(space, &monomial)?;
            let mut factor = coefficient;
            for step in self.product(space, product.clone()).1 {
                let (part, by, number, fact) = self.limits.steps[step].clone();
                let (mut rest, changed) = self.without(space, &product, &part)?;
                // Replace lesser symbols by those of the fact, then those by what the fact says.
                for (less, more) in changed {
                    let position = product.iter().position(|other| *other == less)?;
                    product.remove(position);
                    let distance = between(space, less, more);
                    let guards = self.limits.guards.clone();
                    let asked = Natural::Asked(vec![distance], guards, Vec::new());
                    let others = Factor::Terms(monomial_of(space, &product));
                    parts.push((factor, vec![Factor::Leaf(distance, asked), others]));
                    product.push(more);
                }
                let (fact, step) = self.limits.facts[fact].clone();
                let others = Factor::Terms(monomial_of(space, &rest));
                parts.push((factor, vec![Factor::Leaf(fact, step), others]));
                factor = factor.checked_mul(number).filter(|factor| *factor <= 1 << 100)?;
                rest.extend(by);
                rest.sort_unstable();
                product = rest;
            }
            while let Some(symbol) = product.pop() {
                let high = self.limits.params.get(&symbol)?.1;
                let (this, end) = (space.symbol(symbol), space.constant(high));
                let distance = space.sub(end, this);
                let leaf = Factor::Leaf(distance, Natural::Fact(distance));
                let others = Factor::Terms(monomial_of(space, &product));
                parts.push((factor, vec![leaf, others]));
                factor = factor.checked_mul(high).filter(|factor| *factor <= 1 << 100)?;
            }
        }
        Some(parts)
    }

    fn product(&mut self, space: &Space, symbols: Vec<Symbol>) -> (i128, Vec<usize>) {
        if let Some(known) = self.limits.known.get(&symbols) {
            return known.clone();
        }
        let mut best = (i128::MAX, Vec::new());
        let mut seen = FxHashSet::default();
        let mut open = vec![(symbols.clone(), 1_i128, Vec::new())];
        while let Some((product, factor, path)) = open.pop() {
            if seen.len() >= MOST_PRODUCTS || !seen.insert((product.clone(), factor)) {
                continue;
            }
            let plain = product.iter().fold(factor, |most, symbol| {
                let high = self.limits.params.get(symbol).map_or(i128::MAX, |range| range.1);
                most.saturating_mul(high)
            });
            if plain < best.0 {
                best = (plain, path.clone());
            }
            if product.len() < 2 {
                continue;
            }
            for index in 0..self.limits.steps.len() {
                let (part, by, number, _) = self.limits.steps[index].clone();
                if let Some((mut rest, _)) = self.without(space, &product, &part) {
                    rest.extend(by);
                    rest.sort_unstable();
                    let path = [path.as_slice(), &[index]].concat();
                    open.push((rest, factor.saturating_mul(number), path));
                }
            }
        }
        self.limits.known.insert(symbols, best.clone());
        best
    }

    /// Removes one symbol from a product for each symbol of `part`: the symbol itself, or one that
    /// is at most as great. Returns the rest, and the pairs of such symbols, or `None` if there are
    /// too few.
    fn without(&mut self, space: &Space, product: &[Symbol], part: &[Symbol]) -> Option<Removed> {
        if part.len() > product.len() {
            return None;
        }
        let mut rest = product.to_vec();
        let mut missing = Vec::new();
        for symbol in part {
            match rest.iter().position(|other| other == symbol) {
                Some(found) => drop(rest.remove(found)),
                None => missing.push(*symbol),
            }
        }
        let mut changed = Vec::new();
        for symbol in missing {
            let found = (0..rest.len()).find(|index| self.ordered(space, rest[*index], symbol))?;
            changed.push((rest.remove(found), symbol));
        }
        Some((rest, changed))
    }

    fn ordered(&mut self, space: &Space, a: Symbol, b: Symbol) -> bool {
        if let Some(known) = self.limits.pairs.get(&(a, b)) {
            return *known;
        }
        let found = (self.at_most)(space, a, b);
        self.limits.pairs.insert((a, b), found);
        found
    }
}

/// The distance of two symbols.
fn between(space: &Space, less: Symbol, more: Symbol) -> PolyId {
    let (less, more) = (space.symbol(less), space.symbol(more));
    space.sub(more, less)
}

/// The product of symbols.
fn monomial_of(space: &Space, symbols: &[Symbol]) -> PolyId {
    let mut product = space.constant(1);
    for symbol in symbols {
        product = space.mul(product, space.symbol(*symbol));
    }
    product
}
