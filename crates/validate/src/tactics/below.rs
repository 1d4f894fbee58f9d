//! Floats that are compared or become integers, and integers of few values.
//!
//! Nothing but equal bits will do below a conversion to an integer. Some laws hold bit for bit.

use halidom_ir::BinaryOp;

use super::forms::{Form, after};
use super::leaves::merged;
use super::normal::{Normalizer, proof, proof_up_to_sign_of_zero};
use crate::floats::proof::Theory;
use crate::floats::{Axiom, Axioms};
use crate::obligation::door::{Desk, Proof, Step};
use crate::space::{FormulaId, Rename, Space, Term, TermId, Value};

/// The most pairs of floats whose leaves are compared, and the most questions about one pair.
const MOST_PAIRS: usize = 16;
const MOST_QUESTIONS: usize = 8;
/// The most values of an integer that are tried in values of any size, and in small ones.
const FEW_VALUES: i128 = 1 << 8;
const MANY_VALUES: i128 = 1 << 16;
/// The most terms of a small value.
const SMALL: usize = 32;

/// Finds a proof that two values are equal bit for bit. All pairs are forms of the same pair of
/// values, each with the replacements that lead to it.
pub(super) fn equal_below(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    pairs: Vec<Form>,
) -> Option<Proof> {
    for (rounds, values) in pairs {
        let same = by_floats(desk, facts, values);
        let same = same.or_else(|| by_decisions(desk, facts, values));
        if let Some(proof) = same.or_else(|| by_values(desk, values)) {
            return Some(after(rounds, proof));
        }
    }
    None
}

/// Replaces floats below conversions and comparisons of the first value by those of the second.
fn by_floats(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    (a, b): (Value, Value),
) -> Option<Proof> {
    let (of_a, of_b) = (desk.space.deciding_floats(a), desk.space.deciding_floats(b));
    let bits = Theory::Axioms(Axioms::NONE);
    let mut normalizer = Normalizer::new(bits);
    let (mut leaves, mut floats, mut pairs) = (Vec::new(), Vec::new(), 0);
    let mut rename = Rename::new();
    for term in of_a.iter().filter(|term| !of_b.contains(term)) {
        let mut others = of_b.iter().filter(|other| !of_a.contains(other)).copied();
        if let Some(other) = others.clone().find(|o| normalizer.same(desk.space, *term, *o)) {
            floats.push(Step::SameFloat(*term, other, proof(bits, desk.space, *term, other)?));
            rename.means(*term, other);
            continue;
        }
        let found = others.find_map(|other| {
            pairs += 1;
            let alike = pairs <= MOST_PAIRS && alike(desk, *term, other);
            alike.then(|| merged(desk, facts, (*term, other), MOST_QUESTIONS))
        });
        if let Some((steps, (term, other))) = found
            && !steps.is_empty()
            && normalizer.same(desk.space, term, other)
        {
            leaves.extend(steps);
            floats.push(Step::SameFloat(term, other, proof(bits, desk.space, term, other)?));
        }
    }
    if floats.is_empty() {
        return None;
    }
    if leaves.is_empty() {
        let (a, b) = (rename.value(desk.space, a), rename.value(desk.space, b));
        let alike = desk.space.values_alike(a, b)?;
        if !desk.follows(facts, alike, "value") {
            return None;
        }
    }
    Some(after(vec![leaves, floats], Proof::Asked("value")))
}

/// Replaces comparisons and conversions to integers of the first value by those of the second.
fn by_decisions(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    (a, b): (Value, Value),
) -> Option<Proof> {
    let [of_a, of_b] = [a, b].map(|value| {
        let mut terms = desk.space.terms_of(value);
        terms.retain(|term| decided(desk.space, *term).is_some());
        terms
    });
    let mut normalizer = Normalizer::up_to_sign_of_zero();
    let (mut steps, mut rename, mut pairs) = (Vec::new(), Rename::new(), 0);
    for term in of_a.iter().filter(|term| !of_b.contains(term)) {
        let found = of_b.iter().filter(|other| !of_a.contains(other)).find(|other| {
            pairs += 1;
            let Some((op, operands)) = decided(desk.space, *term) else { return false };
            let Some((also, others)) = decided(desk.space, **other) else { return false };
            pairs <= MOST_PAIRS
                && op == also
                && alike(desk, *term, **other)
                && operands.iter().zip(others).all(|(x, y)| normalizer.same(desk.space, *x, y))
        });
        if let Some(other) = found {
            let (_, [a, b]) = decided(desk.space, *term)?;
            let (_, [x, y]) = decided(desk.space, *other)?;
            let proof = proof_up_to_sign_of_zero(desk.space, &[(a, x), (b, y)])?;
            steps.push(Step::SameDecision(*term, *other, proof));
            rename.means(*term, *other);
        }
    }
    if steps.is_empty() {
        return None;
    }
    let (a, b) = (rename.value(desk.space, a), rename.value(desk.space, b));
    let alike = desk.space.values_alike(a, b)?;
    let rest = if desk.follows(facts, alike, "value") {
        Proof::Asked("value")
    } else {
        by_floats(desk, facts, (a, b))?
    };
    Some(after(vec![steps], rest))
}

/// The operator of a comparison or of a conversion to an integer, and the floats that it sees.
fn decided(space: &Space, term: TermId) -> Option<(Option<BinaryOp>, [TermId; 2])> {
    let found = if let Term::Binary(op, a, b) = *space.term(term)
        && op.is_comparison()
    {
        (Some(op), [a, b])
    } else if let Term::Cast(to, a) = *space.term(term)
        && !to.is_float()
    {
        (None, [a, a])
    } else {
        return None;
    };
    space.scalar(found.1[0]).is_float().then_some(found)
}

/// Names the law by which floats that decide the two values would be equal, if there is one.
pub(super) fn missing_law(space: &Space, (a, b): (Value, Value)) -> Option<String> {
    let (of_a, of_b) = (space.deciding_floats(a), space.deciding_floats(b));
    let alone = of_a.iter().filter(|term| !of_b.contains(term));
    let pairs = alone.flat_map(|term| {
        of_b.iter().filter(|other| !of_a.contains(other)).map(move |other| (*term, *other))
    });
    let pairs: Vec<_> = pairs.take(MOST_PAIRS).collect();
    let same = |theory| {
        let mut normalizer = Normalizer::new(theory);
        pairs.iter().any(|(term, other)| normalizer.same(space, *term, *other))
    };
    let single =
        Axiom::ALL.into_iter().find(|axiom| same(Theory::Axioms(Axioms::from_iter([*axiom]))));
    let law = match single {
        Some(axiom) => format!("by {} (`{}`)", axiom.name(), axiom.law()),
        None if same(Theory::Axioms(Axioms::all())) => "by axioms".to_owned(),
        None if same(Theory::Reals) => "over the reals".to_owned(),
        None => return None,
    };
    Some(format!("floats that decide it are equal {law}, but not bit for bit"))
}

/// Tests whether two floats have the same outermost operator.
fn alike(desk: &Desk<'_, '_>, a: TermId, b: TermId) -> bool {
    let of = |term| std::mem::discriminant(desk.space.term(term));
    desk.space.scalar(a) == desk.space.scalar(b) && of(a) == of(b)
}

/// Tries all values of an integer from which both values are computed.
fn by_values(desk: &mut Desk<'_, '_>, (a, b): (Value, Value)) -> Option<Proof> {
    let terms = desk.space.terms_of(a);
    let others = desk.space.terms_of(b);
    let most = if terms.len() + others.len() <= SMALL { MANY_VALUES } else { FEW_VALUES };
    let mut found = terms.iter().copied().filter(|term| {
        let is_leaf = matches!(desk.space.term(*term), Term::Read { .. } | Term::Parameter(..));
        let range = desk.space.value_range(*term);
        is_leaf && others.contains(term) && range.is_some_and(|(low, high)| high - low < most)
    });
    // With two unknown integers, one of them stays.
    let (only, None) = (found.next()?, found.next()) else { return None };
    Some(Proof::Every(only))
}
