//! Bounds under quotients by a number that is known only at run time.
//!
//! # Correctness
//! Let the facts imply `0 <= d`. Then `d` is one of 0, …, `LARGE - 1`, or at least `LARGE`.
//!
//! In each of the first cases, the number replaces `d` in the entry checks, the facts and the goal.
//! They keep their meaning there, and the solver can reason about quotients by numbers.
//!
//! In the last case, `LARGE <= d` is added to the facts, and formulas are replaced by their truth
//! values where these are shown to follow. Theorems for such `d` are added about quotients: they
//! grow with the dividend; and with `x = q·d + r` and `c = p·d + s`, where `0 <= r, s < d`, the
//! quotient of `x + c` is at most `q + p + 1`, and `p` is at most `c / LARGE`, for constants
//! `c >= 0`.
//!
//! The cases are exhaustive, so the goal follows from the facts if it follows in each case.

use super::Checker;
use super::door::Divided;
use super::record::{Method, Status};
use crate::lia::Outcome;
use crate::space::{Atom, AtomId, FormulaId, PolyId, Rename};

/// Divisors from this number on are not told apart.
const LARGE: i128 = 3;

impl Checker<'_> {
    /// Closes an obligation that holds whatever value a divisor has.
    pub(super) fn or_by_divisor(
        &mut self,
        status: Status,
        facts: &[FormulaId],
        goal: FormulaId,
    ) -> Status {
        let Err(reason) = status else { return status };
        let mut divided = false;
        for part in self.space.conjuncts(goal) {
            let (mut desk, tactics) = self.door();
            let shown = match tactics.divided(&mut desk, facts, part) {
                Some(proposal) => {
                    divided = true;
                    self.by_divisor(facts, part, &proposal)
                }
                None => self.follows(facts, part, "divisor"),
            };
            if !shown {
                return Err(reason);
            }
        }
        divided.then_some(Method::Solver).ok_or(reason)
    }

    fn by_divisor(&mut self, facts: &[FormulaId], goal: FormulaId, proposal: &Divided) -> bool {
        let value = self.space.symbol(proposal.divisor);
        let (zero, large) = (self.space.constant(0), self.space.constant(LARGE));
        let natural = self.space.at_most(zero, value);
        if !self.follows(facts, natural, "divisor") {
            return false;
        }
        let all = [self.entry.as_slice(), facts].concat();
        let is_small = (0..LARGE).all(|number| {
            let rename = Rename::symbols([(proposal.divisor, self.space.constant(number))]);
            self.contradicts(&all, goal, &rename)
        });
        if !is_small {
            return false;
        }
        let large = self.space.at_most(large, value);
        let known = [facts, &[large]].concat();
        let mut rename = Rename::new();
        for (formula, holds) in &proposal.known {
            let fact = if *holds { *formula } else { self.space.not(*formula) };
            if !self.follows(&known, fact, "divisor") {
                return false;
            }
            rename.override_formula(*formula, self.space.truth(*holds));
        }
        let mut all = rename.formulas(self.space, &all);
        all.push(large);
        for (less, more) in &proposal.quotients {
            let Some(theorem) = self.theorem(value, *less, *more) else { return false };
            all.extend(theorem);
        }
        self.contradicts(&all, rename.formula(self.space, goal), &Rename::new())
    }

    /// Tests whether facts and the negation of a goal contradict each other after a replacement in
    /// both.
    fn contradicts(&mut self, facts: &[FormulaId], goal: FormulaId, rename: &Rename) -> bool {
        let mut all = rename.formulas(self.space, facts);
        all.push(self.space.not(rename.formula(self.space, goal)));
        self.lia.ask(self.space, &all, "divisor") == Outcome::Contradiction
    }

    /// Returns theorems on two quotients by a divisor that is at least [`LARGE`].
    fn theorem(&mut self, divisor: PolyId, less: AtomId, more: AtomId) -> Option<Vec<FormulaId>> {
        let (Atom::Div(dividend, by), Atom::Div(other, other_by)) =
            (self.space.atom(less).clone(), self.space.atom(more).clone())
        else {
            return None;
        };
        if by != divisor || other_by != divisor {
            return None;
        }
        let (low, high) = (self.space.atom_poly(less), self.space.atom_poly(more));
        let below = self.space.at_most(dividend, other);
        let mut theorems = vec![self.space.implies(below, self.space.at_most(low, high))];
        let distance = self.space.sub(other, dividend);
        if let Some(distance) = self.space.as_constant(distance).filter(|by| *by >= 0) {
            theorems.push(self.space.at_most(high, self.space.offset(low, distance / LARGE + 1)));
        }
        Some(theorems)
    }
}
