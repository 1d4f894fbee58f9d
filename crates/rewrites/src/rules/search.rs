//! The search for counterexamples and witnesses of a claim by random values.

use halidom_base::FxHashMap;

use super::meaning::Obligation;
use super::value::{Domain, Number, ValueId};

/// A stream of pseudo-random numbers that is the same on every machine (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Draws a number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Draws a number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.draw() % bound
    }

    /// Draws a number that is likely to matter: small, or near the bounds.
    fn number(&mut self, domain: Domain) -> Number {
        let small = i128::from(self.below(13)) - 4;
        let value = match (domain, domain.range()) {
            (Domain::Bool, _) => i128::from(self.below(2)),
            (Domain::Real, _) | (_, None) => {
                let denominator = 1 << self.below(2);
                return Number { numerator: small * 2 / denominator, denominator: 1 };
            }
            (_, Some((least, greatest))) => match self.below(8) {
                0 => least + i128::from(self.below(3)),
                1 => greatest - i128::from(self.below(3)),
                2 => least + i128::from(self.draw()) % (greatest - least + 1),
                3 => i128::from(self.below(40)) - 20,
                _ => small,
            },
        };
        Number::whole(domain.wrap(value))
    }
}

/// The outcome of a claim on given values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// An assumption does not hold, the left side is undefined, or a value cannot be computed.
    Outside,
    /// The claim holds.
    Holds,
    /// The sides differ; these are their values.
    Differ(Number, Number),
    /// The right side is undefined, but the left side, with this value, is defined.
    Undefined(Number),
}

/// Evaluates a claim. Values on which an excluded overflow happens are outside.
pub(crate) fn replay(obligation: &Obligation, assignment: &[Number]) -> Outcome {
    let values = &obligation.values;
    let mut in_range = true;
    let mut check = |term: ValueId, number: Number| {
        let domain = values.domain(term);
        if domain == Domain::Whole
            && let Some((least, greatest)) = domain.range()
        {
            in_range &= least <= number.numerator && number.numerator <= greatest;
        }
    };
    let kept = obligation.narrow_facts.iter().chain(&obligation.tried);
    let assumed = obligation.facts.iter().chain(kept).chain(&obligation.lhs_defined);
    for fact in assumed {
        match values.evaluate(*fact, assignment, &mut |_, _| {}) {
            Some(Number { numerator: 1, .. }) => {}
            _ => return Outcome::Outside,
        }
    }
    for fact in &obligation.facts {
        values.evaluate(*fact, assignment, &mut check);
    }
    let Some(lhs) = values.evaluate(obligation.lhs, assignment, &mut check) else {
        return Outcome::Outside;
    };
    if !in_range {
        return Outcome::Outside;
    }
    for defined in &obligation.rhs_defined {
        match values.evaluate(*defined, assignment, &mut |_, _| {}) {
            Some(Number { numerator: 0, .. }) => return Outcome::Undefined(lhs),
            Some(_) => {}
            None => return Outcome::Outside,
        }
    }
    match values.evaluate(obligation.rhs, assignment, &mut |_, _| {}) {
        Some(rhs) if rhs == lhs => Outcome::Holds,
        Some(rhs) => Outcome::Differ(lhs, rhs),
        None => Outcome::Outside,
    }
}

/// The findings of a random search.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Values on which the claim fails.
    pub(crate) failure: Option<Vec<Number>>,
    /// True if some values were not outside.
    pub(crate) is_witnessed: bool,
}

/// Draws values for a claim's variables.
fn assignment(obligation: &Obligation, random: &mut Random) -> Vec<Number> {
    let mut named: FxHashMap<&str, Number> = FxHashMap::default();
    let vars = obligation.values.vars().iter();
    vars.map(|(name, domain)| {
        if name.starts_with("lane[") {
            return Number::whole(i128::from(random.below(2)));
        }
        // A count that is converted is the same number in each domain where it fits.
        let number = random.number(*domain);
        *named.entry(name).or_insert(number)
    })
    .collect()
}

/// Looks for values on which a claim holds and its assumptions do too. Where overflow is excluded
/// the values are small, so that nothing overflows on another path either.
pub(crate) fn witness(obligation: &Obligation, tries: u32) -> Option<Vec<Number>> {
    const SMALL: i128 = 40;
    let domains = || obligation.values.vars().iter().map(|(_, domain)| *domain);
    let is_small = |values: &[Number]| {
        let mut pairs = domains().zip(values);
        pairs.all(|(domain, value)| domain != Domain::Whole || value.numerator.abs() <= SMALL)
    };
    let mut random = Random(1);
    let mut tried = (0..tries).map(|_| assignment(obligation, &mut random));
    tried.find(|values| is_small(values) && replay(obligation, values) == Outcome::Holds)
}

/// Tries a claim on `tries` random assignments.
pub(crate) fn search(obligation: &Obligation, tries: u32) -> Found {
    let mut random = Random(1);
    let mut is_witnessed = false;
    for _ in 0..tries {
        let assignment = assignment(obligation, &mut random);
        match replay(obligation, &assignment) {
            Outcome::Outside => {}
            Outcome::Holds => is_witnessed = true,
            Outcome::Differ(..) | Outcome::Undefined(_) => {
                return Found { failure: Some(assignment), is_witnessed: true };
            }
        }
    }
    Found { failure: None, is_witnessed }
}
