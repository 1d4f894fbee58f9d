//! Floats that are equal by laws of their operators.
//!
//! # Correctness
//! The leaves of both values are compared first. A read, a conversion from an integer or a
//! condition is replaced by another only if the facts are proved to make them equal. Then
//! [`Normalizer`] compares the normal forms.

use halidom_base::{FxHashSet, IndexSet};

use super::Checker;
use crate::floats::normal::{Normalizer, Theory};
use crate::floats::{Axiom, Axioms, Floats};
use crate::report::Method;
use crate::space::{Formula, FormulaId, Rename, Term, TermId, Value};

/// The most questions about the leaves of two values. Where only the same bits will do, success is
/// less likely, so fewer are asked.
const MOST_QUESTIONS: usize = 128;
const MOST_FOR_BITS: usize = 16;

/// The leaves and conditions from which a float is computed.
#[derive(Default)]
struct Leaves {
    seen: FxHashSet<TermId>,
    terms: IndexSet<TermId>,
    conditions: IndexSet<FormulaId>,
}

impl Checker<'_> {
    /// Returns the strongest theory in which the two floats of a pair are equal, but none weaker
    /// than `weakest`. All pairs are forms of the same pair of values.
    pub(super) fn equal_floats(
        &mut self,
        facts: &[FormulaId],
        pairs: impl IntoIterator<Item = (Value, Value)>,
        weakest: Floats,
    ) -> Option<Method> {
        let mut sides = Vec::new();
        let mut method = Method::Identity;
        for pair in pairs {
            let (Value::Number(a), Value::Number(b)) = pair else { continue };
            if self.space.scalar(a).is_float() && self.space.scalar(b).is_float() {
                let questions =
                    if weakest == Floats::Bits { MOST_FOR_BITS } else { MOST_QUESTIONS };
                let merged = self.merged(facts, (a, b), questions);
                if merged != (a, b) {
                    method = Method::Solver;
                }
                sides.push(merged);
            }
        }
        let mut same = |theory| {
            let mut normalizer = Normalizer::new(theory);
            sides.iter().any(|(a, b)| normalizer.same(self.space, *a, *b))
        };
        if same(Theory::Axioms(Axioms::NONE)) {
            return Some(method);
        }
        if weakest >= Floats::Axioms && same(Theory::Axioms(Axioms::all())) {
            // Drop each axiom that is not needed.
            let mut needed = Axioms::all();
            for axiom in Axiom::ALL {
                let fewer = needed.without(axiom);
                if same(Theory::Axioms(fewer)) {
                    needed = fewer;
                }
            }
            return Some(Method::Axioms(needed));
        }
        (weakest >= Floats::Reals && same(Theory::Reals)).then_some(Method::Reals)
    }

    /// Returns both floats, with leaves of the first replaced by leaves of the second where the
    /// facts make them equal.
    fn merged(
        &mut self,
        facts: &[FormulaId],
        (a, b): (TermId, TermId),
        mut questions: usize,
    ) -> (TermId, TermId) {
        let (mut of_a, mut of_b) = (Leaves::default(), Leaves::default());
        self.leaves(a, &mut of_a);
        self.leaves(b, &mut of_b);
        let mut rename = Rename::new();
        let mut is_alone = false;
        for term in of_a.terms.difference(&of_b.terms) {
            let mut others = of_b.terms.difference(&of_a.terms).copied();
            let same = others.find(|other| {
                self.space.alike(*term, *other).is_some_and(|alike| {
                    self.may_ask(alike, &mut questions) && self.follows(facts, alike, "read")
                })
            });
            match same {
                Some(other) => rename.means(*term, other),
                None => is_alone = true,
            }
        }
        // A leaf that only the first float has stays in its normal form, whatever the conditions
        // are.
        if is_alone {
            of_a.conditions.clear();
        }
        for condition in of_a.conditions.difference(&of_b.conditions) {
            for other in of_b.conditions.difference(&of_a.conditions) {
                let alike = self.space.same_truth(*condition, *other);
                if self.may_ask(alike, &mut questions) && self.follows(facts, alike, "condition") {
                    rename.override_formula(*condition, *other);
                    break;
                }
            }
        }
        (rename.term(self.space, a), rename.term(self.space, b))
    }

    fn may_ask(&self, formula: FormulaId, questions: &mut usize) -> bool {
        match self.space.formula(formula) {
            Formula::True => true,
            Formula::False => false,
            Formula::NonNegative(_)
            | Formula::Zero(_)
            | Formula::Holds(_)
            | Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_) => {
                let may = *questions > 0;
                *questions = questions.saturating_sub(1);
                may
            }
        }
    }

    fn leaves(&self, term: TermId, found: &mut Leaves) {
        if !found.seen.insert(term) {
            return;
        }
        match *self.space.term(term) {
            Term::Constant(_) | Term::Ring(..) | Term::Truth(_) | Term::Parameter(..) => {}
            Term::Read { .. } | Term::FromInt(..) => drop(found.terms.insert(term)),
            Term::Cast(_, operand) if !self.space.scalar(operand).is_float() => {
                found.terms.insert(term);
            }
            Term::Unary(_, operand) | Term::Cast(_, operand) | Term::Call(_, operand) => {
                self.leaves(operand, found);
            }
            Term::Binary(_, a, b) => {
                self.leaves(a, found);
                self.leaves(b, found);
            }
            Term::Select(condition, a, b) => {
                found.conditions.insert(condition);
                self.leaves(a, found);
                self.leaves(b, found);
            }
        }
    }
}
