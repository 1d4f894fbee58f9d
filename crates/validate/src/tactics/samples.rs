//! Values of symbols at which formulas were seen to hold, so that a guess that fails there costs no
//! question.
//!
//! The solver takes long to find a model where values depend on many minima and quotients. One
//! model often refutes the next guesses too. Here the values of minima, quotients and products
//! follow from the symbols, so formulas that hold at a sample do not contradict each other.

use std::collections::VecDeque;

use halidom_base::FxHashMap;

use crate::lemma::Sample;
use crate::space::{Atom, AtomId, Formula, FormulaId, PolyId, Space, Symbol};

/// The most samples that are kept. The oldest ones go first.
const MOST_SAMPLES: usize = 32;

/// Values above this are large for a size.
const LARGE: i128 = 1 << 12;
/// The values that are tried in place of large ones.
const SMALL: [i128; 5] = [16, 256, 4096, 1, 0];
/// The most values of a sample that are made smaller.
const MOST_REPAIRS: usize = 8;

/// The latest samples.
#[derive(Default)]
pub(super) struct Samples(VecDeque<Point>);

impl Samples {
    /// Keeps the values of a model of these formulas, and returns those of the symbols.
    pub(super) fn keep(
        &mut self,
        space: &Space,
        sample: Sample,
        formulas: &[FormulaId],
    ) -> Vec<(Symbol, i128)> {
        if self.0.len() == MOST_SAMPLES {
            self.0.pop_front();
        }
        let kept = smaller(space, Point::of(sample), formulas);
        let values = kept.sample.symbols.iter().map(|(symbol, value)| (*symbol, *value)).collect();
        self.0.push_back(kept);
        values
    }

    /// Tests whether all formulas hold at one of the samples.
    pub(super) fn admit(&mut self, space: &Space, formulas: &[FormulaId]) -> bool {
        // A guess comes last, and is the most likely to fail.
        let mut latest_first = self.0.iter_mut().rev();
        latest_first.any(|sample| {
            formulas.iter().rev().all(|formula| sample.truth(space, *formula) == Some(true))
        })
    }
}

/// Makes large values of a sample smaller until the formulas hold there. Products are opaque to the
/// solver, so the sizes in its models may have products beyond all limits.
fn smaller(space: &Space, mut point: Point, formulas: &[FormulaId]) -> Point {
    for _ in 0..MOST_REPAIRS {
        let failed = point.failed(space, formulas);
        let Some(first) = failed.first() else { break };
        let mut large = space.symbols_of(*first);
        large.retain(|symbol| point.sample.symbols.get(symbol).is_some_and(|at| *at > LARGE));
        let candidates = large.into_iter().flat_map(|symbol| SMALL.map(|value| (symbol, value)));
        let mut candidates = candidates.map(|(symbol, value)| point.moved(symbol, value));
        // What held still holds.
        let better = candidates.find_map(|mut other| {
            let left = other.failed(space, formulas);
            let fewer = left.len() < failed.len() && left.iter().all(|one| failed.contains(one));
            fewer.then_some(other)
        });
        match better {
            Some(better) => point = better,
            None => break,
        }
    }
    point
}

/// A sample, and what follows from it. Symbols that its question did not mention are 0. `None`
/// stands for a value that depends on data that the question did not mention, as these may be
/// equal to others, for a value that is too large, and for one that divides by a number below 1.
#[derive(Default)]
struct Point {
    sample: Sample,
    integers: FxHashMap<PolyId, Option<i128>>,
    truths: FxHashMap<FormulaId, Option<bool>>,
}

impl Point {
    fn of(sample: Sample) -> Self {
        Self { sample, ..Self::default() }
    }

    /// Gives a symbol another value, and moves values near to it by the same distance, as these may
    /// depend on each other.
    fn moved(&self, symbol: Symbol, value: i128) -> Self {
        let mut sample = self.sample.clone();
        let from = sample.symbols.get(&symbol).copied().unwrap_or(0);
        for at in sample.symbols.values_mut().filter(|at| at.abs_diff(from) <= LARGE as u128) {
            *at += value - from;
        }
        Self::of(sample)
    }

    /// Returns the formulas that do not hold.
    fn failed(&mut self, space: &Space, formulas: &[FormulaId]) -> Vec<FormulaId> {
        let fails = |formula: &FormulaId| self.truth(space, *formula) != Some(true);
        formulas.iter().copied().filter(fails).collect()
    }

    fn truth(&mut self, space: &Space, formula: FormulaId) -> Option<bool> {
        if let Some(known) = self.truths.get(&formula) {
            return *known;
        }
        let found = match space.formula(formula) {
            Formula::True => Some(true),
            Formula::False => Some(false),
            Formula::NonNegative(poly) => self.integer(space, *poly).map(|value| value >= 0),
            Formula::Zero(poly) => self.integer(space, *poly).map(|value| value == 0),
            Formula::Holds(term) => self.sample.truths.get(term).copied(),
            Formula::Not(inner) => self.truth(space, *inner).map(|holds| !holds),
            Formula::And(parts) => self.parts(space, parts, false),
            Formula::Or(parts) => self.parts(space, parts, true),
        };
        self.truths.insert(formula, found);
        found
    }

    /// Evaluates a conjunction or disjunction, which one part with the value `decides` decides.
    fn parts(&mut self, space: &Space, parts: &[FormulaId], decides: bool) -> Option<bool> {
        let mut all = Some(!decides);
        for part in parts {
            match self.truth(space, *part) {
                Some(holds) if holds == decides => return Some(decides),
                Some(_) => {}
                None => all = None,
            }
        }
        all
    }

    fn integer(&mut self, space: &Space, poly: PolyId) -> Option<i128> {
        if let Some(known) = self.integers.get(&poly) {
            return *known;
        }
        let found = self.sum(space, poly);
        self.integers.insert(poly, found);
        found
    }

    fn sum(&mut self, space: &Space, poly: PolyId) -> Option<i128> {
        let mut sum = 0_i128;
        for (monomial, coefficient) in &space.poly(poly).0 {
            let mut product = *coefficient;
            for atom in monomial {
                product = product.checked_mul(self.atom(space, *atom)?)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    fn atom(&mut self, space: &Space, atom: AtomId) -> Option<i128> {
        match space.atom(atom) {
            Atom::Symbol(symbol) => Some(self.sample.symbols.get(symbol).copied().unwrap_or(0)),
            Atom::Min(operands) => {
                let mut least = i128::MAX;
                for operand in operands {
                    least = least.min(self.integer(space, *operand)?);
                }
                Some(least)
            }
            Atom::Div(dividend, divisor) => {
                let divisor = self.integer(space, *divisor).filter(|divisor| *divisor > 0)?;
                Some(self.integer(space, *dividend)?.div_euclid(divisor))
            }
            Atom::Select(condition, a, b) => {
                let chosen = if self.truth(space, *condition)? { a } else { b };
                self.integer(space, *chosen)
            }
            Atom::Value(_) => self.sample.data.get(&atom).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Sample, Samples, Symbol};
    use crate::space::Space;

    fn of<const N: usize>(symbols: [(Symbol, i128); N]) -> Sample {
        Sample { symbols: symbols.into_iter().collect(), ..Sample::default() }
    }

    #[test]
    fn admits_what_holds_at_a_sample_and_nothing_that_it_does_not_decide() {
        let space = Space::new();
        let [x, y] = ["x", "y"].map(|name| space.fresh(name));
        let [of_x, of_y] = [x, y].map(|symbol| space.symbol(symbol));
        let (two, seven) = (space.constant(2), space.constant(7));
        let product = space.mul(space.min(space.div(of_x, two), seven), of_x);
        let limit = space.constant(36);
        // min(x / 2, 7)·x = 36 at x = 9.
        let holds = space.equal(product, limit);
        let other = space.less(of_x, seven);
        let above = space.less(seven, of_y);
        let mut samples = Samples::default();
        assert!(!samples.admit(&space, &[holds]));
        samples.keep(&space, of([(x, 9)]), &[]);
        assert!(samples.admit(&space, &[holds]));
        assert!(!samples.admit(&space, &[holds, other]));
        assert!(!samples.admit(&space, &[holds, above]));
        samples.keep(&space, of([(x, 3), (y, 8)]), &[]);
        assert!(samples.admit(&space, &[other, above]));
        assert!(!samples.admit(&space, &[holds, above]));
    }

    #[test]
    fn sizes_are_made_smaller_until_their_products_are_within_limits() {
        let space = Space::new();
        let [width, height, end] = ["width", "height", "end"].map(|name| space.fresh(name));
        let [w, h, e] = [width, height, end].map(|symbol| space.symbol(symbol));
        let limit = space.constant(1 << 31);
        let most = space.at_most(space.mul(w, h), limit);
        let ends = space.equal(e, space.offset(h, 3));
        let both = [most, ends];
        let mut samples = Samples::default();
        let large = 1 << 30;
        let model = of([(width, large + 5), (height, large), (end, large + 3)]);
        let values = samples.keep(&space, model, &both);
        assert_eq!(values, [(width, 16), (height, 16 - 5), (end, 16 - 2)]);
        assert!(samples.admit(&space, &both));
    }
}
