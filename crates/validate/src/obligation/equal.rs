//! Values that are equal under facts.
//!
//! # Correctness
//! A proof replaces parts of both values by parts that equal them under the facts: each replacement
//! has its question. So both values keep their meaning there. Where a proof splits, a case adds a
//! fact, and the two cases are exhaustive; so are all values of a term in the range that it has. At
//! the end, the solver shows a condition under which the two are alike, or the steps of a proof
//! join them in a theory that is permitted.

use halidom_ir::Constant;

use super::Checker;
use super::door::{Equality, Step};
use super::record::{Method, Reason, Status};
use crate::floats::proof::{Classes, Theory};
use crate::floats::{Axioms, Floats};
use crate::space::{Atom, Formula, FormulaId, Rename, Term, Value};

/// The most values of a machine integer that are tried one by one.
const MOST_VALUES: i128 = 1 << 16;

impl Checker<'_> {
    /// Shows that two values are equal under the facts, by an equality of floats that is at least
    /// as strong as `weakest`.
    pub(super) fn equal(
        &mut self,
        facts: &[FormulaId],
        (a, b): (Value, Value),
        weakest: Floats,
    ) -> Status {
        let open = match self.space.values_alike(a, b) {
            Some(alike) => match self.prove(facts, alike, "value") {
                Ok(method) => return Ok(method),
                Err(reason) => reason,
            },
            None => Reason::from("the stored value differs from the specification's"),
        };
        if let Some(method) = self.by_proposal(facts, (a, b), weakest) {
            return Ok(method);
        }
        Err(match self.tactics.missing_law(self.space, (a, b)) {
            Some(law) => Reason::And(Box::new(open), law),
            None => open,
        })
    }

    /// Shows the same by a proof that a tactic proposes.
    pub(super) fn by_proposal(
        &mut self,
        facts: &[FormulaId],
        values: (Value, Value),
        weakest: Floats,
    ) -> Option<Method> {
        let (mut desk, tactics) = self.door();
        let proof = tactics.equality(&mut desk, facts, values, weakest)?;
        self.check(facts, values, &proof, weakest)
    }

    /// Checks a proof. Returns the method that it shows the equality by.
    fn check(
        &mut self,
        facts: &[FormulaId],
        (a, b): (Value, Value),
        proof: &Equality,
        weakest: Floats,
    ) -> Option<Method> {
        match proof {
            Equality::Asked(label) => {
                let alike = self.space.values_alike(a, b)?;
                self.follows(facts, alike, label).then_some(Method::Solver)
            }
            Equality::Floats(theory, proof) => {
                let (Value::Number(a), Value::Number(b)) = (a, b) else { return None };
                let method = match *theory {
                    Theory::Axioms(Axioms::NONE) => Method::Identity,
                    Theory::Axioms(axioms) => Method::Axioms(axioms),
                    Theory::Reals => Method::Reals,
                };
                let classes = Classes::of(self.space, *theory, proof)?;
                (method.floats() <= weakest && classes.same(a, b)).then_some(method)
            }
            Equality::Every(term) => {
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
            Equality::After(steps, then) => {
                let mut rename = Rename::new();
                for step in steps {
                    self.step(facts, step, &mut rename)?;
                }
                let values = (rename.value(self.space, a), rename.value(self.space, b));
                let method = self.check(facts, values, then, weakest)?;
                let replaced = method == Method::Identity && !steps.is_empty();
                Some(if replaced { Method::Solver } else { method })
            }
            Equality::Split(condition, cases) => {
                let mut weak = Method::Solver;
                for (holds, case) in [true, false].into_iter().zip(&**cases) {
                    let mut rename = Rename::new();
                    rename.override_formula(*condition, self.space.truth(holds));
                    let fact = if holds { *condition } else { self.space.not(*condition) };
                    let (a, b) = (rename.value(self.space, a), rename.value(self.space, b));
                    if a != b {
                        let method =
                            self.check(&[facts, &[fact]].concat(), (a, b), case, weakest)?;
                        // Two weak methods in two cases would have no one name.
                        if method.floats() > Floats::Bits {
                            if weak.floats() > Floats::Bits && weak != method {
                                return None;
                            }
                            weak = method;
                        }
                    }
                }
                Some(weak)
            }
        }
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
                let shown = *self.space.formula(goal) == Formula::True
                    || self.follows(facts, goal, "choice");
                let truth = self.space.truth(holds);
                shown.then(|| rename.override_formula(formula, truth))
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
                let value = self.specification.definition(self.space, read)?;
                rename.means(read, value);
                Some(())
            }
        }
    }
}
