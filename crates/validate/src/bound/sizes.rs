//! The greatest value of a sum of products of sizes.
//!
//! # Correctness
//! All symbols are at least 0, so a product grows with its factors. Wherever the facts hold, a
//! *limit* bounds a product by a number, a *step* bounds one product by another, and `at_most`
//! tells whether one symbol is at most another. Each of them replaces a part of a product by
//! something at least as great. If none applies, the intervals of the symbols bound the product.

use halidom_base::{FxHashMap, FxHashSet};

use super::Interval;
use crate::space::{Atom, PolyId, Space, Symbol};

/// The most products that one question may look at.
const MOST_PRODUCTS: usize = 200;

/// Tests whether one symbol is at most another.
pub(crate) type AtMost<'a> = dyn FnMut(&mut Space, Symbol, Symbol) -> bool + 'a;

/// The limits and steps that bound products of sizes.
#[derive(Default)]
pub(crate) struct Limits {
    params: FxHashMap<Symbol, Interval>,
    numbers: Vec<(Vec<Symbol>, i128)>,
    steps: Vec<(Vec<Symbol>, Vec<Symbol>)>,
    /// Answers of `at_most`.
    pairs: FxHashMap<(Symbol, Symbol), bool>,
    known: FxHashMap<Vec<Symbol>, i128>,
}

impl Limits {
    /// Collects what facts (integers at least 0) imply about products.
    pub(crate) fn new(
        space: &Space,
        params: FxHashMap<Symbol, Interval>,
        facts: &[PolyId],
    ) -> Self {
        let mut limits = Self { params, ..Self::default() };
        for fact in facts {
            limits.fact(space, *fact);
        }
        limits
    }

    /// Records a fact of the form `L - product >= 0` or `other - product >= 0`.
    fn fact(&mut self, space: &Space, fact: PolyId) {
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
            (Some(less), None) if less.len() > 1 => self.numbers.push((less, constant)),
            (Some(less), Some(greater)) if less.len() > 1 && constant <= 0 => {
                self.steps.push((less, greater));
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

/// [`Limits`] with a way to compare symbols.
pub(crate) struct Sizes<'a> {
    pub(crate) limits: &'a mut Limits,
    pub(crate) at_most: &'a mut AtMost<'a>,
}

impl Sizes<'_> {
    /// Returns a number that a bound (see [`super::Bounds`]) cannot exceed.
    pub(crate) fn most(&mut self, space: &mut Space, bound: PolyId) -> i128 {
        let mut total = 0_i128;
        for (monomial, coefficient) in space.poly(bound).0.clone() {
            let Some(symbols) = self.limits.symbols(space, &monomial) else { return i128::MAX };
            let most = self.product(space, symbols);
            total = total.saturating_add(coefficient.saturating_mul(most));
        }
        total
    }

    fn product(&mut self, space: &mut Space, symbols: Vec<Symbol>) -> i128 {
        if let Some(known) = self.limits.known.get(&symbols) {
            return *known;
        }
        let mut best = i128::MAX;
        let mut seen = FxHashSet::default();
        let mut open = vec![(symbols.clone(), 1_i128)];
        while let Some((product, factor)) = open.pop() {
            if seen.len() >= MOST_PRODUCTS || !seen.insert((product.clone(), factor)) {
                continue;
            }
            let plain = product.iter().fold(factor, |most, symbol| {
                let high = self.limits.params.get(symbol).map_or(i128::MAX, |range| range.1);
                most.saturating_mul(high)
            });
            best = best.min(plain);
            if product.len() < 2 {
                continue;
            }
            for index in 0..self.limits.numbers.len() {
                let (part, limit) = self.limits.numbers[index].clone();
                if let Some(rest) = self.without(space, &product, &part) {
                    open.push((rest, factor.saturating_mul(limit.max(0))));
                }
            }
            for index in 0..self.limits.steps.len() {
                let (part, by) = self.limits.steps[index].clone();
                if let Some(mut rest) = self.without(space, &product, &part) {
                    rest.extend(by);
                    rest.sort_unstable();
                    open.push((rest, factor));
                }
            }
        }
        self.limits.known.insert(symbols, best);
        best
    }

    /// Removes one symbol from a product for each symbol of `part`: the symbol itself, or one that
    /// is at most as great. Returns the rest, or `None` if there are too few.
    fn without(
        &mut self,
        space: &mut Space,
        product: &[Symbol],
        part: &[Symbol],
    ) -> Option<Vec<Symbol>> {
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
        for symbol in missing {
            let found = (0..rest.len()).find(|index| self.ordered(space, rest[*index], symbol))?;
            rest.remove(found);
        }
        Some(rest)
    }

    fn ordered(&mut self, space: &mut Space, a: Symbol, b: Symbol) -> bool {
        if let Some(known) = self.limits.pairs.get(&(a, b)) {
            return *known;
        }
        let found = (self.at_most)(space, a, b);
        self.limits.pairs.insert((a, b), found);
        found
    }
}
