//! Goals with quotients whose values the facts decide.
//!
//! # Correctness
//! A proposal gives a value `v` for a quotient `x / n`. The facts must imply `0 <= x - n·v < n`,
//! with the quotients before it replaced by their values in `x` and `n`. So `n` is positive, and
//! `v` is the only integer with this property, which is the quotient. The values replace the
//! quotients in the goal, which keeps its meaning under the facts. Likewise, truth values that the
//! facts imply replace conditions. The proposed bounds choose instances of a lemma, which hold for
//! all values ([`crate::lemma`]).

use super::Checker;
use crate::lemma::{Instance, Memo};
use crate::space::{Atom, FormulaId, Rename};

impl Checker<'_> {
    /// Tests whether facts imply a goal, with the quotients replaced whose values a tactic
    /// proposes.
    pub(super) fn by_quotients(&mut self, facts: &[FormulaId], goal: FormulaId) -> bool {
        let (mut desk, tactics) = self.door();
        let proposed = tactics.quotients(&mut desk, facts, goal);
        if proposed.values.is_empty() {
            return false;
        }
        let (mut facts, mut memo) = (facts.to_vec(), Memo::default());
        for (factor, bound) in proposed.bounds {
            facts.extend(memo.state(self.space, Instance::Scaled(factor, bound)));
        }
        let mut rename = Rename::new();
        for (condition, holds) in proposed.known {
            let fact = if holds { condition } else { self.space.not(condition) };
            if !self.follows(&facts, fact, "condition") {
                return false;
            }
            rename.override_formula(condition, self.space.truth(holds));
        }
        for (quotient, value) in proposed.values {
            let Atom::Div(dividend, divisor) = *self.space.atom(quotient) else { return false };
            let dividend = rename.poly(self.space, dividend);
            let divisor = rename.poly(self.space, divisor);
            let rest = self.space.sub(dividend, self.space.mul(divisor, value));
            let is_rest = self.space.within(rest, self.space.constant(0), divisor);
            if !self.follows(&facts, is_rest, "quotient") {
                return false;
            }
            rename.override_atom(quotient, value);
        }
        self.follows(&facts, rename.formula(self.space, goal), "goal without quotients")
    }
}
