//! Values of symbols at which formulas were seen to hold, so that a guess that fails there costs no
//! question.
//!
//! The solver takes long to find a model where values depend on many minima and quotients. One
//! model often refutes the next guesses too. Here the values of minima, quotients and products
//! follow from the symbols, so formulas that hold at a sample do not contradict each other.

use std::collections::VecDeque;

use halidom_base::FxHashMap;

use crate::space::{Atom, Formula, FormulaId, PolyId, Space, Symbol};

/// The most samples that are kept. The oldest ones go first.
const MOST_SAMPLES: usize = 32;

/// The latest samples.
#[derive(Default)]
pub(super) struct Samples(VecDeque<Sample>);

impl Samples {
    /// Keeps the values of a model.
    pub(super) fn keep(&mut self, values: &[(Symbol, i128)]) {
        if self.0.len() == MOST_SAMPLES {
            self.0.pop_front();
        }
        self.0.push_back(Sample { at: values.iter().copied().collect(), ..Sample::default() });
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

/// Values of some symbols, and what follows from them. `None` stands for a value that depends on
/// other symbols or on data, that is too large, or that divides by a number below 1.
#[derive(Default)]
struct Sample {
    at: FxHashMap<Symbol, i128>,
    integers: FxHashMap<PolyId, Option<i128>>,
    truths: FxHashMap<FormulaId, Option<bool>>,
}

impl Sample {
    fn truth(&mut self, space: &Space, formula: FormulaId) -> Option<bool> {
        if let Some(known) = self.truths.get(&formula) {
            return *known;
        }
        let found = match space.formula(formula) {
            Formula::True => Some(true),
            Formula::False => Some(false),
            Formula::NonNegative(poly) => self.integer(space, *poly).map(|value| value >= 0),
            Formula::Zero(poly) => self.integer(space, *poly).map(|value| value == 0),
            Formula::Holds(_) => None,
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
                product = product.checked_mul(self.atom(space, space.atom(*atom))?)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    fn atom(&mut self, space: &Space, atom: &Atom) -> Option<i128> {
        match atom {
            Atom::Symbol(symbol) => self.at.get(symbol).copied(),
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
            Atom::Value(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Samples;
    use crate::space::Space;

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
        let unknown = space.less(of_y, seven);
        let mut samples = Samples::default();
        assert!(!samples.admit(&space, &[holds]));
        samples.keep(&[(x, 9)]);
        assert!(samples.admit(&space, &[holds]));
        assert!(!samples.admit(&space, &[holds, other]));
        assert!(!samples.admit(&space, &[holds, unknown]));
        samples.keep(&[(x, 3), (y, 1)]);
        assert!(samples.admit(&space, &[other, unknown]));
        assert!(!samples.admit(&space, &[holds, unknown]));
    }
}
