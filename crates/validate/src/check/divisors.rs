//! Bounds under quotients by a number that is known only at run time.
//!
//! # Correctness
//! Let the facts imply `0 <= d`. Then `d` is one of 0, …, `LARGE - 1`, or at least `LARGE`.
//!
//! In each of the first cases, the number replaces `d` in the entry checks, the facts and the goal.
//! They keep their meaning there, and the solver can reason about quotients by numbers.
//!
//! In the last case, `LARGE <= d` is added to the facts, and conditions of selections are replaced
//! by their truth values where these follow. Theorems for such `d` are added about quotients: they
//! grow with the dividend; and with `x = q·d + r` and `c = p·d + s`, where `0 <= r, s < d`, the
//! quotient of `x + c` is at most `q + p + 1`, and `p` is at most `c / LARGE`, for constants
//! `c >= 0`.
//!
//! The cases are exhaustive, so the goal follows from the facts if it follows in each case.

use halidom_base::IndexSet;

use super::Checker;
use crate::lemma::Reached;
use crate::lia::Outcome;
use crate::report::{Method, Status};
use crate::space::{Atom, FormulaId, PolyId, Rename, Symbol};

/// Divisors from this number on are not told apart.
const LARGE: i128 = 3;
/// The most quotients by one divisor that are compared. Fewer can only prove less.
const MOST_QUOTIENTS: usize = 12;

impl Checker<'_> {
    /// Closes an obligation that holds whatever value a divisor has.
    pub(super) fn or_by_divisor(
        &mut self,
        status: Status,
        facts: &[FormulaId],
        goal: FormulaId,
    ) -> Status {
        let Status::Open(reason) = status else { return status };
        if self.divisor(goal).is_none() {
            return Status::Open(reason);
        }
        let is_shown =
            self.space.conjuncts(goal).into_iter().all(|part| match self.divisor(part) {
                Some(divisor) => self.by_divisor(facts, part, divisor),
                None => self.follows(facts, part, "divisor"),
            });
        if is_shown { Status::Closed(Method::Solver) } else { Status::Open(reason) }
    }

    /// Returns a symbol that is a divisor in a formula.
    fn divisor(&self, formula: FormulaId) -> Option<Symbol> {
        let mut reached = Reached::default();
        reached.formula(self.space, formula);
        reached.atoms.iter().find_map(|atom| match self.space.atom(*atom) {
            Atom::Div(_, divisor) => self.space.as_symbol(*divisor),
            Atom::Symbol(_) | Atom::Min(_) | Atom::Select(..) | Atom::Value(_) => None,
        })
    }

    fn by_divisor(&mut self, facts: &[FormulaId], goal: FormulaId, divisor: Symbol) -> bool {
        let value = self.space.symbol(divisor);
        let (zero, large) = (self.space.constant(0), self.space.constant(LARGE));
        let natural = self.space.at_most(zero, value);
        if !self.follows(facts, natural, "divisor") {
            return false;
        }
        let all = [self.entry.as_slice(), facts].concat();
        let is_small = (0..LARGE).all(|number| {
            let number = self.space.constant(number);
            let mut rename = Rename::symbols([(divisor, number)]);
            self.contradicts(&all, goal, &mut rename)
        });
        if !is_small {
            return false;
        }
        let large = self.space.at_most(large, value);
        let known = [facts, &[large]].concat();
        let mut rename = self.conditions_decided(&known, &[&all[..], &[goal]].concat());
        let mut all: Vec<FormulaId> =
            all.into_iter().map(|fact| rename.formula(self.space, fact)).collect();
        let goal = rename.formula(self.space, goal);
        all.push(large);
        let about = [&all[..], &[goal]].concat();
        all.extend(self.quotients(&about, value));
        self.contradicts(&all, goal, &mut Rename::new())
    }

    /// Tests whether facts and the negation of a goal contradict each other after a replacement in
    /// both.
    fn contradicts(&mut self, facts: &[FormulaId], goal: FormulaId, rename: &mut Rename) -> bool {
        let mut all: Vec<FormulaId> =
            facts.iter().map(|fact| rename.formula(self.space, *fact)).collect();
        let goal = rename.formula(self.space, goal);
        all.push(self.space.not(goal));
        self.lia.ask(self.space, &all, "divisor") == Outcome::Contradiction
    }

    /// Replaces the conditions of selections in formulas by their truth values where the facts
    /// decide them.
    fn conditions_decided(&mut self, facts: &[FormulaId], formulas: &[FormulaId]) -> Rename {
        let mut reached = Reached::default();
        for formula in formulas {
            reached.formula(self.space, *formula);
        }
        let selections = reached.atoms.iter().filter_map(|atom| match self.space.atom(*atom) {
            Atom::Select(condition, ..) => Some(*condition),
            Atom::Symbol(_) | Atom::Min(_) | Atom::Div(..) | Atom::Value(_) => None,
        });
        let conditions: IndexSet<FormulaId> = selections.collect();
        let mut rename = Rename::new();
        for condition in conditions {
            let negated = self.space.not(condition);
            for (known, holds) in [(condition, true), (negated, false)] {
                if self.follows(facts, known, "divisor") {
                    rename.override_formula(condition, self.space.truth(holds));
                    break;
                }
            }
        }
        rename
    }

    /// Returns theorems on the quotients by a divisor that is at least [`LARGE`].
    fn quotients(&mut self, formulas: &[FormulaId], divisor: PolyId) -> Vec<FormulaId> {
        let mut reached = Reached::default();
        for formula in formulas {
            reached.formula(self.space, *formula);
        }
        let quotients = reached.atoms.iter().filter_map(|atom| match self.space.atom(*atom) {
            Atom::Div(dividend, by) if *by == divisor => Some((*atom, *dividend)),
            Atom::Div(..) | Atom::Symbol(_) | Atom::Min(_) | Atom::Select(..) | Atom::Value(_) => {
                None
            }
        });
        let quotients: Vec<_> = quotients.take(MOST_QUOTIENTS).collect();
        let mut theorems = Vec::new();
        for (less, dividend) in &quotients {
            for (more, other) in &quotients {
                if less == more {
                    continue;
                }
                let (low, high) = (self.space.atom_poly(*less), self.space.atom_poly(*more));
                let below = self.space.at_most(*dividend, *other);
                let grows = self.space.at_most(low, high);
                theorems.push(self.space.implies(below, grows));
                let distance = self.space.sub(*other, *dividend);
                if let Some(distance) = self.space.as_constant(distance).filter(|by| *by >= 0) {
                    let end = self.space.offset(low, distance / LARGE + 1);
                    theorems.push(self.space.at_most(high, end));
                }
            }
        }
        theorems
    }
}
