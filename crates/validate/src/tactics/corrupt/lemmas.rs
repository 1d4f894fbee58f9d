//! Lemmas about wrong terms.

use halidom_ir::Scalar;

use super::liar::Liar;
use crate::lemma::{Instance, Lemmas, Memo, Place, Sample};
use crate::space::{AtomId, FormulaId, PolyId, Space, Symbol, TermId};

/// Proposes lemmas with wrong terms, next to the right ones.
pub(super) struct LyingLemmas {
    pub(super) right: Box<dyn Lemmas>,
    pub(super) liar: Liar,
}

impl LyingLemmas {
    fn bent(&mut self, space: &Space, found: &mut Vec<Instance>) {
        let pick = |instance: &Instance| match *instance {
            Instance::Equal(a, b, _) | Instance::Scaled(a, b) => Some((a, b)),
            Instance::Quotient(_, a) | Instance::Below(_, a) => Some((a, a)),
            Instance::Meaning(_)
            | Instance::SameValue(..)
            | Instance::SameTruth(..)
            | Instance::Monotone(..)
            | Instance::Compared(_)
            | Instance::Converted(..)
            | Instance::Near(_)
            | Instance::Step(..)
            | Instance::Number(_)
            | Instance::SameOrder(..)
            | Instance::Quotients(..)
            | Instance::Distance(..)
            | Instance::Vanishes(..) => None,
        };
        let terms: Vec<(PolyId, PolyId)> = found.iter().filter_map(pick).collect();
        let atoms = found.iter().filter_map(|instance| match *instance {
            Instance::Meaning(atom)
            | Instance::Quotients(_, atom)
            | Instance::Distance(_, atom) => Some(atom),
            Instance::SameValue(..)
            | Instance::Compared(_)
            | Instance::Converted(..)
            | Instance::Near(_)
            | Instance::Step(..)
            | Instance::Number(_)
            | Instance::SameOrder(..)
            | Instance::SameTruth(..)
            | Instance::Monotone(..)
            | Instance::Quotient(..)
            | Instance::Below(..)
            | Instance::Scaled(..)
            | Instance::Equal(..)
            | Instance::Vanishes(..) => None,
        });
        let atoms: Vec<AtomId> = atoms.collect();
        for _ in 0..4 {
            let (Some(first), Some((_, second))) =
                (self.liar.one_of(&terms), self.liar.one_of(&terms))
            else {
                break;
            };
            found.push(Instance::Scaled(second, first.0));
            found.push(Instance::Equal(first.1, second, first.0));
            if let Some(atom) = self.liar.one_of(&atoms) {
                let chosen = space.atom_poly(atom);
                found.push(Instance::Quotient(atom, second));
                found.push(Instance::Equal(first.0, chosen, second));
                found.push(Instance::Below(atom, first.1));
                let other = self.liar.one_of(&atoms).unwrap_or(atom);
                found.push(Instance::Quotients(atom, other));
                found.push(Instance::Distance(atom, other));
            }
        }
        for _ in 0..2 {
            if let (Some(a), Some(b)) = (self.liar.one_of(&atoms), self.liar.one_of(&atoms)) {
                let [a, b] = [a, b].map(|atom| space.atom_poly(atom));
                found.push(Instance::Scaled(a, b));
                let apart = space.sub(a, b);
                found.extend([Scalar::U8, Scalar::I32].map(|of| Instance::Vanishes(apart, of)));
            }
        }
        let pairs = found.iter().filter_map(|instance| match *instance {
            Instance::SameValue(a, b)
            | Instance::Converted(a, b)
            | Instance::Step(a, _, b)
            | Instance::SameOrder(a, b) => Some((a, b)),
            Instance::Compared(term) | Instance::Number(term) | Instance::Near(term) => {
                Some((term, term))
            }
            Instance::Meaning(_)
            | Instance::Quotients(..)
            | Instance::Distance(..)
            | Instance::SameTruth(..)
            | Instance::Monotone(..)
            | Instance::Quotient(..)
            | Instance::Below(..)
            | Instance::Scaled(..)
            | Instance::Equal(..)
            | Instance::Vanishes(..) => None,
        });
        let pairs: Vec<_> = pairs.collect();
        found.extend(pairs.iter().map(|(a, b)| Instance::SameTruth(*a, *b)));
        found.extend(pairs.iter().zip(pairs.iter().skip(1)).flat_map(|((a, _), (_, b))| {
            [
                Instance::SameValue(*a, *b),
                Instance::Monotone(*b, *a),
                Instance::Converted(*a, *b),
                Instance::SameOrder(*b, *a),
                Instance::Step(*a, Place::First, *b),
                Instance::Step(*b, Place::Second, *a),
                Instance::Number(*b),
                Instance::Near(*a),
                Instance::Compared(*a),
            ]
        }));
        if let Some(index) = self.liar.below(found.len()).checked_sub(1) {
            found.remove(index);
        }
    }
}

impl Lemmas for LyingLemmas {
    fn assumed(&mut self, space: &Space, memo: &mut Memo, formulas: &[FormulaId]) -> Vec<Instance> {
        let mut found = self.right.assumed(space, memo, formulas);
        self.bent(space, &mut found);
        found
    }

    fn asked(
        &mut self,
        space: &Space,
        memo: &mut Memo,
        formulas: &[FormulaId],
    ) -> (Vec<Instance>, Vec<AtomId>, Vec<TermId>) {
        let (mut found, atoms, truths) = self.right.asked(space, memo, formulas);
        self.bent(space, &mut found);
        (found, atoms, truths)
    }

    fn learn(
        &mut self,
        space: &Space,
        model: Sample,
        formulas: &[FormulaId],
    ) -> Vec<(Symbol, i128)> {
        self.right.learn(space, model, formulas)
    }

    fn refute(&mut self, space: &Space, formulas: &[FormulaId]) -> bool {
        self.liar.lies() || self.right.refute(space, formulas)
    }
}
