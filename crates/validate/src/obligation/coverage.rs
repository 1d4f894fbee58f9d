//! Every needed location is written.
//!
//! # Correctness
//! Let a label promise `func` on a region. For each stage and each component, some store under the
//! label executes every instance of the stage that writes a location of the stage's region. Fresh
//! symbols for the pure variables and the point describe the instance. A tactic proposes values of
//! the stores' loops in terms of these symbols. One query shows that the negations of all
//! proposals' conditions contradict the existence of the instance. For the pure stage this means
//! that every needed location is written.
//!
//! A location that an earlier label promised need not be written again: see [`super::carry`]. An
//! update that leaves its location as it is need not be run: see [`super::unchanged`].

use super::Checker;
use super::carry::{Carry, restricted};
use super::door::{Target, Witness};
use super::record::{Kind, Method, Status};
use crate::program::{LabelId, Model, Store, loops};
use crate::space::{FormulaId, PolyId};

impl<'a> Checker<'a> {
    /// Checks the obligations of kind `Coverage`. Returns the labels that rely on earlier labels,
    /// with these: `Retention` is owed for them.
    pub(super) fn coverage(&mut self) -> Vec<(LabelId, Vec<Carry<'a>>)> {
        let mut relying = Vec::new();
        for label in self.model.labels.ids() {
            let func = self.model.labels[label].func;
            let mut carries = self.carries(label);
            let mut partial = Vec::new();
            let stages = self.specification.stages(func);
            for stage in 0..stages {
                self.nested_regions(label, stage);
                let decl = self.pool.func(func);
                for component in 0..decl.scalars.len() {
                    let part = if decl.scalars.len() > 1 {
                        format!(".{component}")
                    } else {
                        String::new()
                    };
                    let place =
                        format!("stage {stage} of {}{part} where it is computed", decl.name);
                    let status =
                        self.cover_stage(label, (stage, component), &carries, &mut partial);
                    self.record(Kind::Coverage, None, place, status);
                }
            }
            if partial.is_empty() {
                continue;
            }
            let mut memories = self.model.labels[label].memories.iter();
            if stages > 1 || memories.any(|memory| self.model.memories[*memory].is_folded()) {
                self.drop_superfluous(&mut carries, &partial);
            }
            relying.push((label, carries));
        }
        relying
    }

    /// Checks that the region of a stage contains the region of the next stage, or the label's
    /// region in case of the last stage.
    fn nested_regions(&mut self, label: LabelId, stage: usize) {
        let labelled = &self.model.labels[label];
        let region = labelled.regions.get(stage);
        let next = labelled.regions.get(stage + 1).unwrap_or(&labelled.needed);
        if region == Some(next) {
            return;
        }
        let coords: Vec<PolyId> =
            labelled.needed.iter().map(|_| self.space.fresh_poly("needed")).collect();
        let mut facts = labelled.place.facts.clone();
        facts.push(self.inside(&coords, next));
        let status = region.ok_or(NO_STAGE.into()).and_then(|region| {
            self.prove(&facts, self.inside(&coords, region), "regions of stages")
        });
        let name = &self.pool.func(labelled.func).name;
        let place = format!("region of stage {stage} of {name} where it is computed");
        self.record(Kind::Coverage, None, place, status);
    }

    /// Removes the carries that a label need not rely on, because `Retention` must hold for each
    /// that is left.
    fn drop_superfluous(&mut self, carries: &mut Vec<Carry<'_>>, partial: &[Partial]) {
        let mut index = 0;
        while index < carries.len() {
            let carry = carries.remove(index);
            let enough = partial.iter().all(|stage| {
                let written = self.space.or([stage.written, self.kept(carries, &stage.location)]);
                self.follows(&stage.facts, written, "coverage from fewer")
            });
            if !enough {
                carries.insert(index, carry);
                index += 1;
            }
        }
    }

    fn cover_stage(
        &mut self,
        label: LabelId,
        (stage, component): (usize, usize),
        carries: &[Carry<'_>],
        partial: &mut Vec<Partial>,
    ) -> Status {
        let labelled = &self.model.labels[label];
        let func = labelled.func;
        let shape = self.specification.shape(func, stage)?;
        let args = self.pool.func(func).args.clone();
        let coords: Vec<PolyId> = args
            .iter()
            .map(|arg| self.space.fresh_poly(self.pool.var(*arg).name.clone()))
            .collect();
        let point: Vec<PolyId> =
            shape.domain.iter().map(|_| self.space.fresh_poly("point")).collect();
        let instance = self.specification.instance((func, stage), &coords, &point)?;
        let mut facts = labelled.place.facts.clone();
        facts.push(instance.exists);
        let region = labelled.regions.get(stage).ok_or(NO_STAGE)?;
        facts.push(self.inside(&instance.location, region));
        let target: Vec<PolyId> = instance.location.iter().chain(&point).copied().collect();
        let writers = self.writers(label, stage, component);
        let mut ways = Vec::new();
        let mut status = Err("no store is known that writes it".into());
        for round in 0.. {
            if self.lia.is_late() {
                break;
            }
            let (mut desk, tactics) = self.door();
            let asked = Target { label, writers: &writers, values: &target };
            let Some(found) = tactics.witnesses(&mut desk, &asked, round) else { break };
            for witness in found {
                ways.extend(self.runs(label, &writers, &witness, &target));
            }
            let mut written = self.space.or(&ways);
            if round == EACH && !carries.is_empty() && !self.follows(&facts, written, LABELS[EACH])
            {
                ways.push(self.kept(carries, &instance.location));
                let location = instance.location.clone();
                partial.push(Partial { facts: facts.clone(), written, location });
                written = self.space.or(&ways);
            }
            if self.covered(&facts, &ways, &target) {
                return Ok(Method::Solver);
            }
            let label = LABELS.get(round).copied().unwrap_or("coverage");
            if round == EACH {
                status = self.prove(&facts, written, label);
                if status.is_ok() {
                    return status;
                }
            } else if self.follows(&facts, written, label) {
                return Ok(Method::Solver);
            }
        }
        let Some(unchanged) = self.unchanged((func, stage), component, &instance, &point) else {
            return status;
        };
        facts.push(self.space.not(unchanged));
        let written = self.space.or(&ways);
        let covered = self.covered(&facts, &ways, &target)
            || self.follows(&facts, written, "coverage of what changes");
        if covered { Ok(Method::Solver) } else { status }
    }

    /// Tests whether a proposed proof shows that the ways cover a target.
    fn covered(&mut self, facts: &[FormulaId], ways: &[FormulaId], target: &[PolyId]) -> bool {
        let (mut desk, tactics) = self.door();
        let proof = tactics.covered(&mut desk, facts, ways, target);
        let written = self.space.or(ways);
        proof.is_some_and(|proof| self.shows(facts, written, &proof))
    }

    /// The stores of a stage to a component under a label.
    fn writers(&self, label: LabelId, stage: usize, component: usize) -> Vec<&'a Store> {
        let model: &'a Model = self.model;
        let memory = model.labels[label].memories.get(component).copied();
        let ours = |store: &&Store| {
            store.label == Some(label)
                && store.stage == stage
                && Some(store.access.memory) == memory
        };
        model.stores.values().filter(ours).collect()
    }

    /// Returns the condition that the proposed instance of a store runs under the label and writes
    /// the target (coordinates, then point).
    fn runs(
        &mut self,
        label: LabelId,
        writers: &[&Store],
        witness: &Witness,
        target: &[PolyId],
    ) -> Option<FormulaId> {
        let model = self.model;
        let labelled = &model.labels[label];
        let access = &writers.get(witness.writer)?.access;
        // Invariant: the loops around the label keep their values, so the instance stands under
        // this instance of the label.
        let inner = access.place.steps.get(labelled.place.steps.len()..)?;
        let loops = loops(inner).map(|index| model.loops[index].symbol);
        let at = restricted(&witness.at, loops.chain(access.lane));
        // Facts that hold at the label are given, and all others that the store needs are owed. A
        // store that is not known to stand under the label writes nothing here.
        let own = access.place.facts.strip_prefix(labelled.place.facts.as_slice())?;
        let mut conditions = at.formulas(self.space, own);
        let written: Vec<PolyId> =
            access.coords.iter().chain(&writers[witness.writer].point).copied().collect();
        conditions.extend(self.space.equalities(&at.polys(self.space, &written), target)?);
        Some(self.space.and(conditions))
    }
}

/// A stage that does not write all of a label's region anew.
struct Partial {
    /// The facts of a needed instance.
    facts: Vec<FormulaId>,
    /// The condition that the instance is run under the label.
    written: FormulaId,
    location: Vec<PolyId>,
}

/// The reason why nothing is shown of a region that is not there.
const NO_STAGE: &str = "a label of a func without this stage";
/// The round of witnesses after which values may be taken over.
const EACH: usize = 1;
/// The names of the questions in each round.
const LABELS: [&str; 4] =
    ["coverage", "coverage by each", "coverage without clamps", "coverage with siblings"];
