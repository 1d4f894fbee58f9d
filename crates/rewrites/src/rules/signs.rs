//! The signs of integers, as far as facts and the rules of signs give them.
//!
//! # Correctness
//!
//! A comparison with 0 is replaced by its truth only where the facts imply it, so a claim holds
//! under the facts before if and only if it does after. The facts from which a sign is read are
//! themselves never changed: no two facts can vanish because each follows from the other. Only
//! integers that do not wrap have signs here.

use super::value::{Domain, Fun, Node, ValueId, Values};

/// The sign of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Negative,
    NotNegative,
    Positive,
}

/// The terms whose sign facts state.
#[derive(Debug, Default)]
pub(super) struct Signs {
    known: Vec<(ValueId, Sign)>,
    /// The facts that state a sign.
    sources: Vec<ValueId>,
}

impl Signs {
    /// Reads the signs that facts state. `not_zero` are terms that are known to differ from 0.
    pub(super) fn of(values: &Values, facts: &[ValueId], not_zero: &[ValueId]) -> Self {
        let mut signs = Self::default();
        for fact in facts {
            if let Some((term, mut sign)) = stated(values, *fact) {
                if sign == Sign::NotNegative && not_zero.contains(&term) {
                    sign = Sign::Positive;
                }
                signs.known.push((term, sign));
                signs.sources.push(*fact);
            }
        }
        signs
    }

    /// True if a sign is read from a fact.
    pub(super) fn is_source(&self, fact: ValueId) -> bool {
        self.sources.contains(&fact)
    }

    fn sign(&self, values: &Values, term: ValueId) -> Option<Sign> {
        use Sign::{Negative, NotNegative, Positive};
        if values.domain(term) != Domain::Whole {
            return None;
        }
        let known = self.known.iter().filter(|(known, _)| *known == term);
        // A strict sign says more than `NotNegative`.
        if let Some(sign) = known.map(|(_, sign)| *sign).max_by_key(|sign| *sign != NotNegative) {
            return Some(sign);
        }
        let (fun, parts) = match values.node(term) {
            Node::Var(_) => return None,
            Node::Number(value) if *value < 0 => return Some(Negative),
            Node::Number(0) => return Some(NotNegative),
            Node::Number(_) => return Some(Positive),
            Node::Apply(fun, parts) => (*fun, parts),
        };
        let of = |index: usize| self.sign(values, parts[index]);
        match fun {
            Fun::Add => match (of(0)?, of(1)?) {
                (Negative, Negative) => Some(Negative),
                (NotNegative, NotNegative) => Some(NotNegative),
                (NotNegative | Positive, NotNegative | Positive) => Some(Positive),
                _ => None,
            },
            Fun::Sub => match (of(0)?, of(1)?) {
                (NotNegative | Positive, Negative) => Some(Positive),
                (Negative, NotNegative | Positive) => Some(Negative),
                _ => None,
            },
            Fun::Mul => match (of(0)?, of(1)?) {
                (Positive, Positive) | (Negative, Negative) => Some(Positive),
                (Positive, Negative) | (Negative, Positive) => Some(Negative),
                (NotNegative | Positive, NotNegative | Positive) => Some(NotNegative),
                _ => None,
            },
            // The Euclidean quotient of such numbers, which is 0 if the divisor is.
            Fun::Div => match (of(0)?, of(1)?) {
                (NotNegative | Positive, NotNegative | Positive) => Some(NotNegative),
                _ => None,
            },
            // The Euclidean remainder.
            Fun::Mod => Some(NotNegative),
            Fun::Ite => match (of(1)?, of(2)?) {
                (a, b) if a == b => Some(a),
                (NotNegative | Positive, NotNegative | Positive) => Some(NotNegative),
                _ => None,
            },
            Fun::Lt | Fun::Eq | Fun::And | Fun::Or | Fun::Not | Fun::Convert => None,
        }
    }

    /// Returns the truth of a comparison with 0, if the signs give it.
    fn truth(&self, values: &Values, comparison: ValueId) -> Option<bool> {
        let Node::Apply(fun, parts) = values.node(comparison) else { return None };
        let [a, b] = *parts.as_slice() else { return None };
        let is_zero = |term: ValueId| values.as_number(term) == Some(0);
        match fun {
            Fun::Lt if is_zero(b) => Some(self.sign(values, a)? == Sign::Negative),
            Fun::Lt if is_zero(a) => match self.sign(values, b)? {
                Sign::Positive => Some(true),
                Sign::Negative => Some(false),
                Sign::NotNegative => None,
            },
            Fun::Eq if is_zero(b) => (self.sign(values, a)? != Sign::NotNegative).then_some(false),
            _ => None,
        }
    }

    /// Returns the comparisons with 0 in a term whose truth the signs give, with the truth.
    pub(super) fn decided(&self, values: &Values, term: ValueId) -> Vec<(ValueId, bool)> {
        let mut found = Vec::new();
        if !self.is_source(term) {
            values.visit(term, &mut |part| {
                found.extend(self.truth(values, part).map(|truth| (part, truth)));
            });
        }
        found
    }

    /// Returns a variable without a sign, on which it depends whether a divisor in a term is
    /// negative.
    pub(super) fn open_divisor(&self, values: &Values, term: ValueId) -> Option<ValueId> {
        let mut found = None;
        values.visit(term, &mut |part| {
            if let Node::Apply(Fun::Lt, parts) = values.node(part)
                && values.as_number(parts[1]) == Some(0)
                && is_divisor(values, term, parts[0])
                && self.sign(values, parts[0]).is_none()
            {
                found = found.or_else(|| self.open_factor(values, parts[0]));
            }
        });
        found
    }

    fn open_factor(&self, values: &Values, term: ValueId) -> Option<ValueId> {
        match values.node(term) {
            Node::Var(_) if self.sign(values, term).is_none() => Some(term),
            Node::Apply(Fun::Mul, parts) => {
                parts.iter().find_map(|part| self.open_factor(values, *part))
            }
            Node::Var(_) | Node::Number(_) | Node::Apply(..) => None,
        }
    }
}

/// True if a term divides by another.
fn is_divisor(values: &Values, term: ValueId, wanted: ValueId) -> bool {
    let mut found = false;
    values.visit(term, &mut |part| {
        if let Node::Apply(Fun::Div | Fun::Mod, parts) = values.node(part) {
            found |= parts[1] == wanted;
        }
    });
    found
}

/// Returns the term whose sign a fact states.
fn stated(values: &Values, fact: ValueId) -> Option<(ValueId, Sign)> {
    let (inner, holds) = match values.node(fact) {
        Node::Apply(Fun::Not, parts) => (parts[0], false),
        _ => (fact, true),
    };
    let Node::Apply(Fun::Lt, parts) = values.node(inner) else { return None };
    let (a, b) = (parts[0], parts[1]);
    if values.domain(a) != Domain::Whole {
        return None;
    }
    match (values.as_number(a), values.as_number(b), holds) {
        (Some(bound), None, true) if bound >= 0 => Some((b, Sign::Positive)),
        (Some(-1), None, true) => Some((b, Sign::NotNegative)),
        (None, Some(bound), true) if bound <= 0 => Some((a, Sign::Negative)),
        (None, Some(bound), false) if bound >= 1 => Some((a, Sign::Positive)),
        (None, Some(0), false) => Some((a, Sign::NotNegative)),
        (Some(bound), None, false) if bound < 0 => Some((b, Sign::Negative)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_follow_from_facts_alone() {
        let mut values = Values::default();
        let whole = Domain::Whole;
        let (x, y) = (values.var("x", whole), values.var("y", whole));
        let (zero, one) = (values.number(0, whole), values.number(1, whole));
        let y_positive = values.apply(Fun::Lt, &[zero, y]);
        let x_below = values.apply(Fun::Lt, &[x, zero]);
        let x_not_below = values.apply(Fun::Not, &[x_below]);
        let signs = Signs::of(&values, &[y_positive, x_not_below], &[]);
        let mut truth = |fun, a, b| {
            let term = values.apply(fun, &[a, b]);
            signs.truth(&values, term)
        };
        assert_eq!(truth(Fun::Lt, x, zero), Some(false));
        assert_eq!(truth(Fun::Lt, zero, x), None);
        assert_eq!(truth(Fun::Eq, x, zero), None);
        assert_eq!(truth(Fun::Eq, y, zero), Some(false));
        assert_eq!(truth(Fun::Lt, x, one), None);
        // The facts themselves stay.
        assert!(signs.decided(&values, x_not_below).is_empty());
        let product = values.apply(Fun::Mul, &[x, y]);
        let sum = values.apply(Fun::Add, &[product, y]);
        let difference = values.apply(Fun::Sub, &[y, x]);
        assert_eq!(signs.sign(&values, sum), Some(Sign::Positive));
        assert_eq!(signs.sign(&values, difference), None);
        let wraps = values.var("x", Domain::Signed(8));
        assert_eq!(signs.sign(&values, wraps), None);
    }
}
