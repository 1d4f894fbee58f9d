//! Search: guesses of witnesses, cases, equalities and regions, and runs that refute.
//!
//! Nothing here is trusted. What is proposed goes through [`crate::obligation::door`], and the
//! obligations check it. Runs that refute are replayed by the interpreter.

mod below;
mod bounds;
mod cases;
#[cfg(test)]
mod corrupt;
mod cover;
mod divide;
mod equations;
mod forms;
mod leaves;
pub(crate) mod lemmas;
mod named;
mod nesting;
pub(crate) mod normal;
mod parts;
pub(crate) mod refute;
mod rewrite;
mod samples;
mod settle;
mod shifted;
mod sizes;
mod tables;
mod unchanged;
mod unfold;
mod widen;
mod witness;

use halidom_ir::{FuncId, Pool, Stage};

use crate::floats::Floats;
use crate::lemma::Lemmas;
use crate::obligation::door::{
    Desk, Earlier, Proof, Proposer, Region, Rewriting, Setting, Tactics, Target, Witness,
};
use crate::obligation::record::Reason;
use crate::program::{Dimension, LabelId, Model};
use crate::space::{FormulaId, PolyId, Space, Symbol, Value};
use forms::after;

/// The tactics of every validation.
#[derive(Default)]
pub(crate) struct Search {
    forms: normal::Forms,
}

impl Tactics for Search {
    fn lemmas(&self) -> Box<dyn Lemmas> {
        Box::new(lemmas::Chooser::default())
    }

    fn rewritings(
        &mut self,
        pool: &Pool,
        from: (FuncId, &Stage),
        to: (FuncId, &Stage),
    ) -> Vec<Rewriting> {
        rewrite::rewritings(pool, from, to)
    }

    fn intervals(&self, setting: Setting) -> Box<dyn Proposer> {
        Box::new(bounds::Intervals::new(setting))
    }

    fn regions(&mut self, space: &Space, model: &Model) -> Vec<Vec<Region>> {
        widen::widened(model, space)
    }

    fn names(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        in_values: bool,
    ) -> Vec<(Symbol, PolyId)> {
        named::names(desk, facts, in_values)
    }

    fn nesting(&mut self, space: &Space, dims: &[Dimension]) -> Vec<usize> {
        nesting::nesting(space, dims)
    }

    fn witnesses(
        &mut self,
        desk: &mut Desk<'_, '_>,
        target: &Target<'_>,
        round: usize,
    ) -> Option<Vec<Witness>> {
        cover::witnesses(desk, target, round)
    }

    fn origins(
        &mut self,
        desk: &mut Desk<'_, '_>,
        stage: (FuncId, usize),
        coords: &[PolyId],
        there: Option<&[PolyId]>,
    ) -> Vec<Vec<PolyId>> {
        witness::origins(desk, stage, coords, there).unwrap_or_default()
    }

    fn covered(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        ways: &[FormulaId],
        target: &[PolyId],
    ) -> Option<Proof> {
        cover::covered(desk, facts, ways, target)
    }

    fn earlier(&mut self, desk: &mut Desk<'_, '_>, label: LabelId) -> Vec<Earlier> {
        cover::earlier(desk, label)
    }

    fn equality(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        values: (Value, Value),
        weakest: Floats,
    ) -> Option<Proof> {
        let (names, values) = named::replaced(desk, facts, values);
        if values.0 == values.1 {
            return Some(after(names, Proof::Asked("value")));
        }
        if let Some(proof) = settle::settled(desk, facts, values, settle::MOST_SPLITS) {
            return Some(after(names, proof));
        }
        let mut forms = vec![(names.clone(), values)];
        if let Some((later, sides)) = unfold::unfolded(desk, facts, values) {
            let rounds = [names, later].concat();
            let alike = desk.space.values_alike(sides.0, sides.1);
            if alike.is_some_and(|alike| desk.follows(facts, alike, "value")) {
                return Some(after(rounds, Proof::Asked("value")));
            }
            if let Some(proof) = settle::settled(desk, facts, sides, settle::MOST_SPLITS) {
                return Some(after(rounds, proof));
            }
            forms.push((rounds, sides));
        }
        let plain = forms.first().cloned();
        let found = leaves::equal_floats(desk, &mut self.forms, facts, forms.clone(), weakest);
        let found = found.or_else(|| {
            let permitted = weakest > Floats::Bits;
            let mut sides = forms.iter().filter(|_| permitted);
            sides.find_map(|(rounds, values)| {
                let proof = cases::equal_by_cases(desk, &mut self.forms, facts, *values, weakest)?;
                Some(after(rounds.clone(), proof))
            })
        });
        found.or_else(|| below::equal_below(desk, facts, forms)).or_else(|| {
            let (rounds, values) = plain?;
            Some(after(rounds, tables::equal_at_each(desk, facts, values)?))
        })
    }

    fn unchanged(
        &mut self,
        desk: &mut Desk<'_, '_>,
        values: (Value, Value),
    ) -> Option<(FormulaId, Proof)> {
        unchanged::unchanged(desk.space, values, unchanged::MOST_CASES)
    }

    fn missing_law(&self, space: &Space, values: (Value, Value)) -> Option<String> {
        below::missing_law(space, values)
    }

    fn sizes(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        roomy: &[PolyId],
    ) -> Result<Vec<Vec<(Symbol, i128)>>, Reason> {
        sizes::sizes(desk, facts, roomy)
    }

    fn divided(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        goal: FormulaId,
    ) -> Option<Proof> {
        divide::divided(desk, facts, goal)
    }
}
