//! Proofs that a formula holds, or that two values are equal, under facts.
//!
//! # Correctness
//! A tactic proposes a proof. [`Checker::check`] follows it: what is shown at the end of each path
//! implies the aim under the facts. A replacement puts something in place of a part that equals it
//! under the facts, which is asked; so facts and aim keep their meaning. The cases of a split are
//! exhaustive: they are a condition and its negation, or it is asked. Each adds a fact. All values
//! of a term in its range are exhaustive too. Lemmas hold for all values of the symbols. A formula
//! implies the aim if the disjunction of the two is the aim. At the end, the solver shows the aim
//! (of two values, a condition under which they are alike), or the steps of a proof about floats
//! join them in a theory that is permitted.

use halidom_ir::Constant;

use super::Checker;
use super::door::{Proof, Step};
use super::record::{Method, Reason, Status};
use crate::floats::proof::{Classes, Theory};
use crate::floats::{Axioms, Floats};
use crate::lemma::Memo;
use crate::space::{Atom, FormulaId, Rename, Space, Term, Value};

/// The most values of a machine integer that are tried one by one.
const MOST_VALUES: i128 = 1 << 16;

/// The statement that a proof shows.
#[derive(Clone, Copy)]
pub(crate) enum Aim {
    /// The formula holds.
    Holds(FormulaId),
    /// The values are equal.
    Equal(Value, Value),
}

impl Aim {
    fn renamed(self, space: &Space, rename: &Rename) -> Self {
        match self {
            Self::Holds(goal) => Self::Holds(rename.formula(space, goal)),
            Self::Equal(a, b) => Self::Equal(rename.value(space, a), rename.value(space, b)),
        }
    }
}

impl Checker<'_> {
    /// Shows that two values are equal under the facts, by an equality of floats that is at least
    /// as strong as `weakest`.
    pub(super) fn equal(
        &mut self,
        facts: &[FormulaId],
        (a, b): (Value, Value),
        weakest: Floats,
    ) -> Status {
        let other = |checker: &mut Self| checker.by_proposal(facts, (a, b), weakest);
        let shown = match self.space.values_alike(a, b) {
            Some(alike) => self.prove_or(facts, alike, "value", other),
            None => other(self)
                .or_else(|| self.patiently(other))
                .ok_or("the stored value differs from the specification's".into()),
        };
        shown.map_err(|open| match self.tactics.missing_law(self.space, (a, b)) {
            Some(law) => Reason::And(Box::new(open), law),
            None => open,
        })
    }

    /// Shows the same by a proof that a tactic proposes.
    pub(super) fn by_proposal(
        &mut self,
        facts: &[FormulaId],
        (a, b): (Value, Value),
        weakest: Floats,
    ) -> Option<Method> {
        if self.lia.is_late() {
            return None;
        }
        let (mut desk, tactics) = self.door();
        let proof = tactics.equality(&mut desk, facts, (a, b), weakest)?;
        self.check(facts, Aim::Equal(a, b), &proof, weakest)
    }

    /// Checks a proof of a formula.
    pub(super) fn shows(&mut self, facts: &[FormulaId], goal: FormulaId, proof: &Proof) -> bool {
        self.check(facts, Aim::Holds(goal), proof, Floats::Bits).is_some()
    }

    /// Checks a proof. Returns the method by which it shows the aim.
    pub(super) fn check(
        &mut self,
        facts: &[FormulaId],
        aim: Aim,
        proof: &Proof,
        weakest: Floats,
    ) -> Option<Method> {
        match proof {
            Proof::Asked(label) => {
                let goal = match aim {
                    Aim::Holds(goal) => goal,
                    Aim::Equal(a, b) => {
                        self.space.values_alike(a, b).unwrap_or(self.space.truth(false))
                    }
                };
                self.follows(facts, goal, label).then_some(Method::Solver)
            }
            Proof::Floats(theory, proof) => {
                let Aim::Equal(Value::Number(a), Value::Number(b)) = aim else { return None };
                let method = match *theory {
                    Theory::Axioms(Axioms::NONE) => Method::Identity,
                    Theory::Axioms(axioms) => Method::Axioms(axioms),
                    Theory::Reals => Method::Reals,
                };
                let classes = Classes::of(self.space, *theory, proof)?;
                (method.floats() <= weakest && classes.same(a, b)).then_some(method)
            }
            Proof::Every(term) => {
                let Aim::Equal(a, b) = aim else { return None };
                let (low, high) = self.space.value_range(*term)?;
                let scalar = self.space.scalar(*term);
                for value in (high - low < MOST_VALUES).then_some(low..=high)? {
                    let value = self.space.constant_term(Constant::wrapped(scalar, value)?);
                    let mut rename = Rename::new();
                    rename.means(*term, value);
                    if rename.value(self.space, a) != rename.value(self.space, b) {
                        return None;
                    }
                }
                Some(Method::Identity)
            }
            Proof::After(steps, then) | Proof::Throughout(steps, then) => {
                let rename = self.replacements(facts, steps)?;
                let facts = if let Proof::Throughout(..) = proof {
                    rename.formulas(self.space, &[&self.entry, facts].concat())
                } else {
                    facts.to_vec()
                };
                let method = self.check(&facts, aim.renamed(self.space, &rename), then, weakest)?;
                let replaced = method == Method::Identity && !steps.is_empty();
                Some(if replaced { Method::Solver } else { method })
            }
            Proof::With(instances, then) => {
                let (mut facts, mut memo) = (facts.to_vec(), Memo::default());
                for instance in instances {
                    facts.extend(memo.state(self.space, *instance));
                }
                self.check(&facts, aim, then, weakest)
            }
            Proof::Cases(cases) => {
                // A condition and its negation need no question.
                let is_split = matches!(cases.as_slice(),
                    [(first, _), (second, _)] if self.space.not(*first) == *second);
                let one = self.space.or(cases.iter().map(|(holds, _)| holds));
                if !is_split && !self.follows(facts, one, "cases") {
                    return None;
                }
                let mut weak = Method::Solver;
                for (holds, case) in cases {
                    let method = self.check(&[facts, &[*holds]].concat(), aim, case, weakest)?;
                    // Two weak methods in two cases would have no one name.
                    if method.floats() > Floats::Bits {
                        if weak.floats() > Floats::Bits && weak != method {
                            return None;
                        }
                        weak = method;
                    }
                }
                Some(weak)
            }
            Proof::Each(proofs) => {
                let Aim::Holds(goal) = aim else { return None };
                let parts = self.space.conjuncts(goal);
                let mut pairs = parts.iter().zip(proofs);
                let each = parts.len() == proofs.len()
                    && pairs.all(|(part, proof)| self.shows(facts, *part, proof));
                each.then_some(Method::Solver)
            }
            Proof::Stronger(goal, then) => {
                let Aim::Holds(weaker) = aim else { return None };
                if self.space.or([*goal, weaker]) != weaker {
                    return None;
                }
                self.check(facts, Aim::Holds(*goal), then, weakest)
            }
        }
    }

    /// Makes the replacements that the facts are shown to permit.
    fn replacements(&mut self, facts: &[FormulaId], steps: &[Step]) -> Option<Rename> {
        let mut rename = Rename::new();
        for step in steps {
            self.step(facts, step, &mut rename)?;
        }
        Some(rename)
    }

    /// Adds a replacement if the facts are shown to permit it. Earlier replacements are made in it
    /// first, which keeps its meaning.
    fn step(&mut self, facts: &[FormulaId], step: &Step, rename: &mut Rename) -> Option<()> {
        match *step {
            Step::Named(symbol, value) => self
                .follows(facts, self.space.equal(self.space.symbol(symbol), value), "name")
                .then(|| rename.insert(symbol, value)),
            Step::Least(atom, operand) => {
                let Atom::Min(operands) = self.space.atom(atom) else { return None };
                let operands = rename.polys(self.space, operands);
                let least = *operands.get(operand)?;
                let goal =
                    self.space.and(operands.iter().map(|other| self.space.at_most(least, *other)));
                self.follows(facts, goal, "choice").then(|| rename.override_atom(atom, least))
            }
            Step::Known(formula, holds) => {
                let renamed = rename.formula(self.space, formula);
                let goal = if holds { renamed } else { self.space.not(renamed) };
                let shown = facts.contains(&goal) || self.follows(facts, goal, "choice");
                let truth = self.space.truth(holds);
                shown.then(|| rename.override_formula(formula, truth))
            }
            Step::Quotient(atom, value) => {
                let Atom::Div(dividend, divisor) = *self.space.atom(atom) else { return None };
                let [dividend, divisor] = [dividend, divisor].map(|p| rename.poly(self.space, p));
                let rest = self.space.sub(dividend, self.space.mul(divisor, value));
                let is_rest = self.space.within(rest, self.space.constant(0), divisor);
                self.follows(facts, is_rest, "quotient").then(|| rename.override_atom(atom, value))
            }
            Step::SameTruth(formula, other) => self
                .follows(facts, self.space.same_truth(formula, other), "condition")
                .then(|| rename.override_formula(formula, other)),
            Step::SameValue(term, other) => {
                let goal = self.space.alike(term, other)?;
                self.follows(facts, goal, "read").then(|| rename.means(term, other))
            }
            Step::SameFloat(term, other, ref proof) => {
                let classes = Classes::of(self.space, Theory::Axioms(Axioms::NONE), proof)?;
                classes.same(term, other).then(|| rename.means(term, other))
            }
            Step::SameDecision(term, other, ref proof) => {
                // Comparisons and conversions do not see the sign of zero, and other operators that
                // give no float have no floats for operands, except for named functions.
                let is_decision = !self.space.scalar(term).is_float()
                    && matches!(self.space.term(term), Term::Binary(..) | Term::Cast(..));
                let pairs = self.space.operand_pairs(term, other)?;
                let classes = Classes::up_to_sign_of_zero(self.space, proof)?;
                let same = is_decision && pairs.into_iter().all(|(a, b)| classes.same(a, b));
                same.then(|| rename.means(term, other))
            }
            Step::Unfold(read) => {
                let value = self.specification.definition(read)?;
                rename.means(read, value);
                Some(())
            }
        }
    }
}
