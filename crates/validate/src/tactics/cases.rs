//! Floats that are equal by laws in each case of a condition, and not as a whole.
//!
//! A compiler takes the common part out of both arms of a selection: `select(c, a + b, a - b)`
//! becomes `a + select(c, b, -b)`.

use super::forms::split;
use super::normal::Forms;
use super::parts::{Choice, choices};
use super::{leaves, unfold};
use crate::floats::proof::Theory;
use crate::floats::{Axioms, Floats};
use crate::obligation::door::{Desk, Proof};
use crate::space::{FormulaId, Rename, Value};

/// The depth of nested cases.
const MOST_CASES: u32 = 2;
/// The most conditions of two values that are told apart.
const MOST_CONDITIONS: usize = 4;

/// Finds a proof that two floats are equal in each case of the conditions of their selections.
pub(super) fn equal_by_cases(
    desk: &mut Desk<'_, '_>,
    known: &mut Forms,
    facts: &[FormulaId],
    values: (Value, Value),
    weakest: Floats,
) -> Option<Proof> {
    let (Value::Number(a), Value::Number(b)) = values else { return None };
    if !desk.space.scalar(a).is_float() || !desk.space.scalar(b).is_float() {
        return None;
    }
    let mut proof = by_cases(desk, known, facts, values, (weakest, MOST_CASES))?;
    // All cases need one theory.
    let mut needed = Axioms::NONE;
    let mut reals = false;
    each_theory(&mut proof, &mut |theory| match *theory {
        Theory::Axioms(axioms) => needed = needed.with(axioms),
        Theory::Reals => reals = true,
    });
    let common = if reals { Theory::Reals } else { Theory::Axioms(needed) };
    each_theory(&mut proof, &mut |theory| {
        if *theory != Theory::Axioms(Axioms::NONE) {
            *theory = common;
        }
    });
    Some(proof)
}

fn by_cases(
    desk: &mut Desk<'_, '_>,
    known: &mut Forms,
    facts: &[FormulaId],
    (a, b): (Value, Value),
    (weakest, depth): (Floats, u32),
) -> Option<Proof> {
    let all = choices(desk.space, a).into_iter().chain(choices(desk.space, b));
    let mut conditions: Vec<FormulaId> = Vec::new();
    for choice in all {
        if let Choice::Condition(condition) = choice
            && !conditions.contains(&condition)
        {
            conditions.push(condition);
        }
    }
    if conditions.len() > MOST_CONDITIONS {
        return None;
    }
    conditions.into_iter().find_map(|condition| {
        let mut case = |holds| {
            let truth = desk.space.truth(holds);
            let fact = if holds { condition } else { desk.space.not(condition) };
            let mut rename = Rename::new();
            rename.override_formula(condition, truth);
            let sides = (rename.value(desk.space, a), rename.value(desk.space, b));
            if sides.0 == sides.1 {
                return Some(Proof::Asked("value"));
            }
            let facts = [facts, &[fact]].concat();
            let mut forms = vec![(Vec::new(), sides)];
            // A case may decide conditions that are written otherwise.
            forms.extend(unfold::unfolded(desk, &facts, sides));
            let found = leaves::equal_floats(desk, known, &facts, forms, weakest);
            found.or_else(|| {
                let deeper = depth > 1;
                deeper.then(|| by_cases(desk, known, &facts, sides, (weakest, depth - 1))).flatten()
            })
        };
        let cases = [case(true)?, case(false)?];
        Some(split(desk.space, condition, cases))
    })
}

fn each_theory(proof: &mut Proof, visit: &mut impl FnMut(&mut Theory)) {
    match proof {
        Proof::Asked(_) | Proof::Every(_) => {}
        Proof::Floats(theory, _) => visit(theory),
        Proof::After(_, then)
        | Proof::Throughout(_, then)
        | Proof::With(_, then)
        | Proof::Stronger(_, then) => each_theory(then, visit),
        Proof::Cases(cases) => cases.iter_mut().for_each(|(_, case)| each_theory(case, visit)),
        Proof::Each(parts) => parts.iter_mut().for_each(|part| each_theory(part, visit)),
    }
}
