//! Floats that are equal by laws of their operators.
//!
//! The leaves of both values are compared first: reads, conversions from integers and conditions.

use halidom_base::{FxHashSet, IndexSet};

use super::forms::{Form, after};
use super::normal::{self, Forms};
use crate::floats::proof::Theory;
use crate::floats::{Axiom, Axioms, Floats};
use crate::obligation::door::{Desk, Proof, Step};
use crate::space::{Formula, FormulaId, Rename, Space, Term, TermId, Value};

/// The most questions about the leaves of two values. Where only the same bits will do, success is
/// less likely, so fewer are asked.
const MOST_QUESTIONS: usize = 128;
const MOST_FOR_BITS: usize = 16;
/// The most pairs of leaves that are compared. A value may have hundreds of leaves.
const MOST_PAIRS: usize = 1 << 14;

/// The leaves and conditions from which a float is computed.
#[derive(Default)]
struct Leaves {
    seen: FxHashSet<TermId>,
    terms: IndexSet<TermId>,
    conditions: IndexSet<FormulaId>,
}

/// Rounds of replacements, and the two floats that they lead to.
type Side = (Vec<Vec<Step>>, (TermId, TermId));

/// Finds the strongest theory in which the two floats of a pair are equal, but none weaker than
/// `weakest`. All pairs are forms of the same pair of values, each with the replacements that lead
/// to it.
pub(super) fn equal_floats(
    desk: &mut Desk<'_, '_>,
    known: &mut Forms,
    facts: &[FormulaId],
    pairs: Vec<Form>,
    weakest: Floats,
) -> Option<Proof> {
    let questions = if weakest == Floats::Bits { MOST_FOR_BITS } else { MOST_QUESTIONS };
    let mut sides: Vec<Side> = Vec::new();
    for (mut rounds, pair) in pairs {
        let (Value::Number(a), Value::Number(b)) = pair else { continue };
        if desk.space.scalar(a).is_float() && desk.space.scalar(b).is_float() {
            let (steps, merged) = merged(desk, facts, (a, b), questions);
            rounds.push(steps);
            sides.push((rounds, merged));
        }
    }
    if let Some(proof) = equal_in_theory(desk, known, &sides, weakest) {
        return Some(proof);
    }
    let joined = sides.into_iter().filter_map(|(mut rounds, pair)| {
        let (steps, pair) = joined(desk, facts, pair, questions)?;
        rounds.push(steps);
        Some((rounds, pair))
    });
    let joined: Vec<Side> = joined.collect();
    equal_in_theory(desk, known, &joined, weakest)
}

/// Finds the strongest theory in which the two floats of a pair have one normal form.
fn equal_in_theory(
    desk: &mut Desk<'_, '_>,
    known: &mut Forms,
    sides: &[Side],
    weakest: Floats,
) -> Option<Proof> {
    let mut same = |theory| {
        let mut sides = sides.iter();
        let found = sides.find(|(_, (a, b))| known.same(theory, desk.space, *a, *b));
        found.map(|side| (theory, side))
    };
    let mut found = same(Theory::Axioms(Axioms::NONE));
    if found.is_none() && weakest >= Floats::Axioms {
        let mut needed = Axioms::all();
        found = same(Theory::Axioms(needed));
        // Drop each axiom that is not needed.
        let tried = if found.is_some() { &Axiom::ALL[..] } else { &[] };
        for axiom in tried {
            let fewer = needed.without(*axiom);
            if let Some(stronger) = same(Theory::Axioms(fewer)) {
                (needed, found) = (fewer, Some(stronger));
            }
        }
    }
    if found.is_none() && weakest >= Floats::Reals {
        found = same(Theory::Reals);
    }
    let (theory, (rounds, (a, b))) = found?;
    let proof = normal::proof(theory, desk.space, *a, *b)?;
    Some(after(rounds.clone(), Proof::Floats(theory, proof)))
}

/// Returns both floats, with leaves of the first replaced by leaves of the second where the
/// facts make them equal.
pub(super) fn merged(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    (a, b): (TermId, TermId),
    questions: usize,
) -> (Vec<Step>, (TermId, TermId)) {
    let mut remaining = Remaining { questions, pairs: MOST_PAIRS };
    let (mut of_a, mut of_b) = (Leaves::default(), Leaves::default());
    leaves(desk.space, a, &mut of_a);
    leaves(desk.space, b, &mut of_b);
    let (mut rename, mut steps) = (Rename::new(), Vec::new());
    let mut is_alone = false;
    let others: Vec<TermId> = of_b.terms.difference(&of_a.terms).copied().collect();
    for (position, term) in of_a.terms.difference(&of_b.terms).enumerate() {
        // Values that are computed alike have their leaves in one order, and a question about
        // leaves that differ may take long.
        let (before, from) = others.split_at(position.min(others.len()));
        let mut candidates = from.iter().chain(before).copied();
        let same = candidates.find(|other| remaining.equal(desk, facts, *term, *other));
        match same {
            Some(other) => {
                rename.means(*term, other);
                steps.push(Step::SameValue(*term, other));
            }
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
            let alike = desk.space.same_truth(*condition, *other);
            if remaining.may_ask(desk.space, alike) && desk.follows(facts, alike, "condition") {
                rename.override_formula(*condition, *other);
                steps.push(Step::SameTruth(*condition, *other));
                break;
            }
        }
    }
    (steps, (rename.term(desk.space, a), rename.term(desk.space, b)))
}

/// Returns both floats with one leaf in place of all that the facts make equal to it, or `None` if
/// no two leaves are equal.
///
/// A clamp makes two neighbours one element at an edge. Then [`merged`] may give a leaf of the
/// first float the wrong one of two equal leaves of the second.
fn joined(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    (a, b): (TermId, TermId),
    questions: usize,
) -> Option<(Vec<Step>, (TermId, TermId))> {
    let mut found = Leaves::default();
    leaves(desk.space, a, &mut found);
    leaves(desk.space, b, &mut found);
    let mut remaining = Remaining { questions, pairs: MOST_PAIRS };
    let (mut rename, mut steps) = (Rename::new(), Vec::new());
    let mut kept: Vec<TermId> = Vec::new();
    for term in found.terms {
        let twin = kept.iter().copied().find(|other| remaining.equal(desk, facts, term, *other));
        match twin {
            Some(twin) => {
                rename.means(term, twin);
                steps.push(Step::SameValue(term, twin));
            }
            None => kept.push(term),
        }
    }
    if steps.is_empty() {
        return None;
    }
    Some((steps, (rename.term(desk.space, a), rename.term(desk.space, b))))
}

/// The numbers of comparisons and of questions that may still be made.
struct Remaining {
    pairs: usize,
    questions: usize,
}

impl Remaining {
    /// Tests whether the facts make two leaves equal.
    fn equal(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        a: TermId,
        b: TermId,
    ) -> bool {
        if self.pairs == 0 {
            return false;
        }
        self.pairs -= 1;
        let alike = desk.space.alike(a, b);
        alike.is_some_and(|alike| {
            self.may_ask(desk.space, alike) && desk.follows(facts, alike, "read")
        })
    }

    fn may_ask(&mut self, space: &Space, formula: FormulaId) -> bool {
        match space.formula(formula) {
            Formula::True => true,
            Formula::False => false,
            Formula::NonNegative(_)
            | Formula::Zero(_)
            | Formula::Holds(_)
            | Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_) => {
                let may = self.questions > 0;
                self.questions = self.questions.saturating_sub(1);
                may
            }
        }
    }
}

fn leaves(space: &Space, term: TermId, found: &mut Leaves) {
    if !found.seen.insert(term) {
        return;
    }
    match space.term(term).clone() {
        Term::Constant(_) | Term::Ring(..) | Term::Truth(_) | Term::Parameter(..) => {}
        Term::Read { .. } | Term::FromInt(..) => drop(found.terms.insert(term)),
        Term::Cast(_, operand) if !space.scalar(operand).is_float() => {
            found.terms.insert(term);
        }
        Term::Unary(_, operand) | Term::Cast(_, operand) | Term::Call(_, operand) => {
            leaves(space, operand, found);
        }
        Term::Apply { args, .. } => args.iter().for_each(|arg| leaves(space, *arg, found)),
        Term::Binary(_, a, b) => {
            leaves(space, a, found);
            leaves(space, b, found);
        }
        Term::Select(condition, a, b) => {
            found.conditions.insert(condition);
            leaves(space, a, found);
            leaves(space, b, found);
        }
    }
}
