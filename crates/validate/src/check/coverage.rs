//! Every needed location is written.
//!
//! # Correctness
//! For a label that promises `func` on a region, and each stage: every instance of the stage that writes a needed location is executed by some store under the
//! label. The instance is given by fresh symbols for the pure variables and the point; a witness gives the stores' loops in terms of these symbols; one query
//! shows that the negations of all witnesses' conditions contradict the instance's existence. For the pure stage this says that every needed location is written.

use super::Checker;
use crate::program::Store;
use crate::report::{Kind, Status};
use crate::space::{FormulaId, PolyId};
use crate::witness::witness;

impl Checker<'_> {
    /// Obligations of kind `Coverage`.
    pub(super) fn coverage(&mut self) {
        for label in 0..self.model.labels.len() {
            let func = self.model.labels[label].func;
            for stage in 0..self.specification.stages(func) {
                let place =
                    format!("stage {stage} of {} where it is computed", self.pool.func(func).name);
                let status = self.cover_stage(label, stage);
                self.record(Kind::Coverage, None, place, status);
            }
        }
    }

    fn cover_stage(&mut self, label: usize, stage: usize) -> Status {
        let labelled = &self.model.labels[label];
        let func = labelled.func;
        let shape = match self.specification.shape(self.space, func, stage) {
            Ok(shape) => shape,
            Err(error) => return Status::Open(error.to_string()),
        };
        let args = self.pool.func(func).args.clone();
        let coords: Vec<PolyId> = args
            .iter()
            .map(|arg| self.space.fresh_poly(self.pool.var(*arg).name.clone()))
            .collect();
        let point: Vec<PolyId> =
            shape.domain.iter().map(|_| self.space.fresh_poly("point")).collect();
        let instance = match self.specification.instance(self.space, (func, stage), &coords, &point)
        {
            Ok(instance) => instance,
            Err(error) => return Status::Open(error.to_string()),
        };
        let mut facts = labelled.place.facts.clone();
        facts.push(instance.exists);
        facts.push(self.inside(&instance.location, &labelled.needed));
        let target: Vec<PolyId> = instance.location.iter().chain(&point).copied().collect();
        let written = self.executed(label, stage, &target);
        self.prove(&facts, written, "coverage")
    }

    /// That some store under a label writes the target (coordinates, then point) in the given stage: a disjunction of witnesses.
    fn executed(&mut self, label: usize, stage: usize, target: &[PolyId]) -> FormulaId {
        let labelled = &self.model.labels[label];
        let depth = labelled.place.steps.len();
        let known = labelled.place.facts.len();
        let model = self.model;
        let mut ways = Vec::new();
        let ours = |store: &&Store| {
            store.label == Some(label)
                && store.stage == stage
                && Some(store.access.memory) == labelled.memory
        };
        for store in model.stores.iter().filter(ours) {
            let mut at = witness(self.space, model, store, depth, target);
            let mut conditions =
                at.formulas(self.space, store.access.place.facts.get(known..).unwrap_or_default());
            let written: Vec<PolyId> =
                store.access.coords.iter().chain(&store.point).copied().collect();
            let written = at.polys(self.space, &written);
            match self.space.equalities(&written, target) {
                Some(same) => conditions.extend(same),
                None => continue,
            }
            ways.push(self.space.and(&conditions));
        }
        self.space.or(&ways)
    }
}
