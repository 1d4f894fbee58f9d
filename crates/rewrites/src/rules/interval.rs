//! Interval analysis that finds contradictory facts without a solver.
//!
//! # Correctness
//!
//! An interval contains every value that a term can take where the facts seen so far hold. So an
//! empty interval means that the facts hold nowhere. Integers of the domain [`Domain::Whole`] have
//! no bounds at first. Reals are not examined.

use halidom_base::FxHashMap;

use super::meaning::Obligation;
use super::value::{Domain, Fun, Node, ValueId, Values};

/// A bound beyond every number that is computed.
const FAR: i128 = 1 << 100;

/// The number of passes over the facts.
const ROUNDS: usize = 4;

/// The least and the greatest value.
type Interval = (i128, i128);

/// The error for facts that no values fulfil.
struct Contradiction;

type Result<T> = std::result::Result<T, Contradiction>;

/// Tests whether intervals show that nothing fulfils all facts. `false` means that something may.
pub fn contradict(values: &Values, facts: &[ValueId]) -> bool {
    let mut intervals = Intervals { values, known: FxHashMap::default(), is_new: true };
    for _ in 0..ROUNDS {
        if !std::mem::take(&mut intervals.is_new) {
            return false;
        }
        for fact in facts {
            if intervals.assume(*fact, true).is_err() {
                return true;
            }
        }
    }
    false
}

/// Tests whether intervals prove a claim: there are no values on which it fails.
pub fn shows(claim: &Obligation) -> bool {
    let mut values = claim.values.clone();
    let assumed = [claim.facts.as_slice(), &claim.lhs_defined].concat();
    let same = values.apply(Fun::Eq, &[claim.lhs, claim.rhs]);
    claim.rhs_defined.iter().chain([&same]).all(|goal| {
        let fails = values.apply(Fun::Not, &[*goal]);
        contradict(&values, &[assumed.as_slice(), &[fails]].concat())
    })
}

struct Intervals<'v> {
    values: &'v Values,
    /// The intervals that facts give for terms.
    known: FxHashMap<ValueId, Interval>,
    /// True if the last pass learnt something.
    is_new: bool,
}

impl Intervals<'_> {
    /// Returns the values of a domain.
    fn all(domain: Domain) -> Interval {
        match domain {
            Domain::Bool => (0, 1),
            Domain::Whole | Domain::Real => (-FAR, FAR),
            Domain::Unsigned(_) | Domain::Signed(_) => domain.range().unwrap_or((-FAR, FAR)),
        }
    }

    /// Returns the values that a term can take.
    fn of(&self, term: ValueId) -> Interval {
        let domain = self.values.domain(term);
        let all = Self::all(domain);
        let (low, high) = match self.values.node(term) {
            _ if domain == Domain::Real => all,
            Node::Var(_) => all,
            Node::Number(value) => (*value, *value),
            Node::Apply(fun, operands) => {
                let (low, high) = self.applied(*fun, operands);
                // A value outside a type that wraps may become any value.
                if low < all.0 || all.1 < high { all } else { (low, high) }
            }
        };
        let known = self.known.get(&term).copied().unwrap_or(all);
        (low.max(known.0), high.min(known.1))
    }

    fn applied(&self, fun: Fun, operands: &[ValueId]) -> Interval {
        let parts: Vec<Interval> = operands.iter().map(|operand| self.of(*operand)).collect();
        let truth = |holds: bool| if holds { (1, 1) } else { (0, 0) };
        let within = |value: i128| value.clamp(-FAR, FAR);
        match (fun, parts.as_slice()) {
            (Fun::Add, [a, b]) => (within(a.0 + b.0), within(a.1 + b.1)),
            (Fun::Sub, [a, b]) => (within(a.0 - b.1), within(a.1 - b.0)),
            (Fun::Mul, [a, b]) => {
                let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
                let corners = corners.map(|(a, b)| within(a.saturating_mul(b)));
                let least = corners.into_iter().min().unwrap_or(-FAR);
                (least, corners.into_iter().max().unwrap_or(FAR))
            }
            (Fun::Div, [a, b]) if a.0 >= 0 && b.0 > 0 => (a.0 / b.1, a.1 / b.0),
            (Fun::Div, [a, _]) => {
                let magnitude = a.0.abs().max(a.1.abs());
                (within(-magnitude - 1), within(magnitude + 1))
            }
            (Fun::Mod, [a, b]) if a.0 >= 0 && a.1 < b.0 => *a,
            (Fun::Mod, [_, b]) => (0, (b.0.abs().max(b.1.abs()) - 1).max(0)),
            (Fun::Lt, _) if self.is_real(operands) => (0, 1),
            (Fun::Lt, [a, b]) if a.1 < b.0 => truth(true),
            (Fun::Lt, [a, b]) if a.0 >= b.1 => truth(false),
            (Fun::Eq, _) if operands[0] == operands[1] => truth(true),
            (Fun::Eq, _) if self.is_real(operands) => (0, 1),
            (Fun::Eq, [a, b]) if a.1 < b.0 || b.1 < a.0 => truth(false),
            (Fun::Eq, [a, b]) if a.0 == a.1 && a == b => truth(true),
            (Fun::Not, [a]) => (1 - a.1, 1 - a.0),
            (Fun::And, [a, b]) => (a.0.min(b.0), a.1.min(b.1)),
            (Fun::Or, [a, b]) => (a.0.max(b.0), a.1.max(b.1)),
            (Fun::Ite, [(1, 1), a, _]) => *a,
            (Fun::Ite, [(0, 0), _, b]) => *b,
            (Fun::Ite, [_, a, b]) => (a.0.min(b.0), a.1.max(b.1)),
            (Fun::Convert, [a]) if !self.is_real(operands) => *a,
            (Fun::Lt | Fun::Eq, _) => (0, 1),
            _ => (-FAR, FAR),
        }
    }

    fn is_real(&self, operands: &[ValueId]) -> bool {
        self.values.domain(operands[0]) == Domain::Real
    }

    /// Narrows intervals by the truth value of a term.
    fn assume(&mut self, term: ValueId, truth: bool) -> Result<()> {
        let (low, high) = self.of(term);
        let wanted = i128::from(truth);
        if wanted < low || high < wanted {
            return Err(Contradiction);
        }
        let Node::Apply(fun, operands) = self.values.node(term) else {
            return self.narrow(term, (wanted, wanted));
        };
        let (fun, operands) = (*fun, operands.clone());
        let is =
            |this: &Self, index: usize, value: i128| this.of(operands[index]) == (value, value);
        match (fun, truth) {
            (Fun::Not, _) => self.assume(operands[0], !truth),
            (Fun::And, true) | (Fun::Or, false) => {
                self.assume(operands[0], truth)?;
                self.assume(operands[1], truth)
            }
            (Fun::And, false) | (Fun::Or, true) => {
                for (one, other) in [(0, 1), (1, 0)] {
                    if is(self, one, 1 - wanted) {
                        self.assume(operands[other], truth)?;
                    }
                }
                Ok(())
            }
            (Fun::Lt | Fun::Eq, _) if self.is_real(&operands) => Ok(()),
            (Fun::Lt, _) => {
                let (a, b) = (operands[0], operands[1]);
                let (of_a, of_b) = (self.of(a), self.of(b));
                if truth {
                    self.narrow(a, (-FAR, of_b.1 - 1))?;
                    self.narrow(b, (of_a.0 + 1, FAR))
                } else {
                    self.narrow(a, (of_b.0, FAR))?;
                    self.narrow(b, (-FAR, of_a.1))
                }
            }
            (Fun::Eq, true) => {
                let (a, b) = (operands[0], operands[1]);
                self.narrow(a, self.of(b))?;
                self.narrow(b, self.of(a))
            }
            (Fun::Eq, false) => {
                for (one, other) in [(operands[0], operands[1]), (operands[1], operands[0])] {
                    let (low, high) = self.of(other);
                    let (least, greatest) = self.of(one);
                    if low == high && low == least {
                        self.narrow(one, (least + 1, greatest))?;
                    } else if low == high && low == greatest {
                        self.narrow(one, (least, greatest - 1))?;
                    }
                }
                Ok(())
            }
            _ => self.narrow(term, (wanted, wanted)),
        }
    }

    /// Narrows the interval of a term.
    fn narrow(&mut self, term: ValueId, within: Interval) -> Result<()> {
        let old = self.of(term);
        let new = (old.0.max(within.0), old.1.min(within.1));
        if new.0 > new.1 {
            return Err(Contradiction);
        }
        if new == old {
            return Ok(());
        }
        self.known.insert(term, new);
        self.is_new = true;
        // Operators that keep the number pass the interval on to their operands.
        if let Node::Apply(fun, operands) = self.values.node(term) {
            let (fun, operands) = (*fun, operands.clone());
            let is_whole = self.values.domain(term) == Domain::Whole;
            match fun {
                Fun::Convert if !self.is_real(&operands) => {
                    let from = Self::all(self.values.domain(operands[0]));
                    let to = Self::all(self.values.domain(term));
                    if to.0 <= from.0 && from.1 <= to.1 {
                        self.narrow(operands[0], new)?;
                    }
                }
                Fun::Add if is_whole => {
                    let (a, b) = (self.of(operands[0]), self.of(operands[1]));
                    self.narrow(operands[0], (new.0 - b.1, new.1 - b.0))?;
                    self.narrow(operands[1], (new.0 - a.1, new.1 - a.0))?;
                }
                Fun::Sub if is_whole => {
                    let (a, b) = (self.of(operands[0]), self.of(operands[1]));
                    self.narrow(operands[0], (new.0 + b.0, new.1 + b.1))?;
                    self.narrow(operands[1], (a.0 - new.1, a.1 - new.0))?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_contradict() {
        let mut values = Values::default();
        let x = values.var("x", Domain::Whole);
        let [zero, five] = [0, 5].map(|number| values.number(number, Domain::Whole));
        let above = values.apply(Fun::Lt, &[five, x]);
        let below = values.apply(Fun::Lt, &[x, zero]);
        let either = values.apply(Fun::Or, &[below, above]);
        let not_above = values.apply(Fun::Not, &[above]);
        let not_below = values.apply(Fun::Not, &[below]);
        assert!(contradict(&values, &[above, below]));
        assert!(contradict(&values, &[either, not_above, not_below]));
        assert!(!contradict(&values, &[above]));
        assert!(!contradict(&values, &[either]));
    }

    #[test]
    fn what_wraps_is_anything() {
        let mut values = Values::default();
        let domain = Domain::Unsigned(8);
        let x = values.var("x", domain);
        let [one, hundred] = [1, 100].map(|number| values.number(number, domain));
        let sum = values.apply(Fun::Add, &[x, one]);
        let grows = values.apply(Fun::Lt, &[x, sum]);
        let shrinks = values.apply(Fun::Not, &[grows]);
        assert!(!contradict(&values, &[shrinks]));
        let small = values.apply(Fun::Lt, &[x, hundred]);
        let large = values.apply(Fun::Lt, &[hundred, sum]);
        assert!(contradict(&values, &[small, large]));
    }

    #[test]
    fn reals_have_no_neighbours() {
        let mut values = Values::default();
        let x = values.var("x", Domain::Real);
        let [zero, one] = [0, 1].map(|number| values.number(number, Domain::Real));
        let above = values.apply(Fun::Lt, &[zero, x]);
        let below = values.apply(Fun::Lt, &[x, one]);
        assert!(!contradict(&values, &[above, below]));
    }
}
