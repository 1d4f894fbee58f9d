//! Loaded values that matter are right.
//!
//! # Correctness
//! A load of an input in bounds is defined. A load of another func's value is right if it comes
//! after a label that promises the func on a region with the load's coordinates. The label must
//! stand in the same iterations of all loops around it, and under conditions that hold at the load
//! ([`order::dominates`]).
//!
//! In an update stage, a load of the updated func itself must lie in the region of that stage.
//! `Order` shows that it then sees the specification's previous value. The same applies to loads of
//! the func in conditions around the store and in indices in its value, for every iteration that
//! evaluates them.
//!
//! If the pure stage of the func has a predicate, some instance must also have written the location
//! (`written.rs`): a label promises right values only there.
//!
//! A load is never made if the facts of its place contradict each other.
//!
//! A value matters if the store's coordinates are needed and the selections around the load choose
//! it. In indices, bounds and conditions it always matters, even in an index in a value that is not
//! needed: an access at an undefined place is a fault.

use halidom_ir::BufferKind;

use super::Checker;
use crate::obligation::record::{Kind, Method, Reason, Status};
use crate::program::{Access, LabelId, Labelled, Place, Store, Use, order};
use crate::space::{Formula, FormulaId};

impl Checker<'_> {
    /// Checks the obligations of kind `Definedness`.
    pub(super) fn definedness(&mut self) {
        let model = self.model;
        for store in model.stores.values() {
            self.defined_all(&store.access.place, &store.uses, self.good(store), Some(store));
        }
        for store in model.stores.values() {
            for used in &store.decides {
                let load = &model.loads[used.load];
                let status = self.decided(store, load, used.arm);
                let place = self.named("read of ", load, " that decides");
                self.record(Kind::Definedness, Some(load.stmt), place, status);
            }
        }
        for control in &model.controls {
            self.defined_all(&control.place, &control.uses, self.space.truth(true), None);
        }
    }

    /// Checks the loads that a statement uses, where `context` holds. The statement is `store`, or
    /// one that decides if this is `None`.
    fn defined_all(
        &mut self,
        place: &Place,
        uses: &[Use],
        context: FormulaId,
        store: Option<&Store>,
    ) {
        let mut wanted = Vec::new();
        let mut ways = Vec::new();
        for used in uses {
            let load = &self.model.loads[used.load];
            let way = self.defined(load, store);
            let mut facts = place.facts.clone();
            facts.extend(&load.place.facts);
            facts.extend([context, used.arm]);
            match way {
                Ok(Some(goal)) => {
                    wanted.push((facts, goal));
                    ways.push((load, None));
                }
                Ok(None) => ways.push((load, Some(Ok(Method::Structure)))),
                Err(reason) => {
                    // A load that is never made, or whose value never matters, may claim anything.
                    let unused = self.follows(&facts, self.space.truth(false), "unused load");
                    ways.push((load, Some(unused.then_some(Method::Solver).ok_or(reason))));
                }
            }
        }
        let label = if store.is_some() { "defined" } else { "decides" };
        let mut shown = self.prove_all(&wanted, label, |_, _| None).into_iter();
        let suffix = if store.is_some() { "" } else { " that decides" };
        for (load, known) in ways {
            let missing = || Err("an obligation that was not looked at".into());
            let status = known.unwrap_or_else(|| shown.next().unwrap_or_else(missing));
            let place = self.named("read of ", load, suffix);
            self.record(Kind::Definedness, Some(load.stmt), place, status);
        }
    }

    /// Checks a load, in a condition or an index, of the func that is updated there. It matters
    /// wherever the condition or index is evaluated.
    fn decided(&mut self, store: &Store, load: &Access, arm: FormulaId) -> Status {
        let region = store.label.filter(|label| load.place.labels.contains(label));
        let region = region.and_then(|label| self.model.labels[label].regions.get(store.stage));
        let region = region.ok_or("an update without a place that promises it")?;
        let mut facts = load.place.facts.clone();
        facts.push(arm);
        let inside = self.inside(&load.coords, region);
        let written = self.written_before(store, &load.coords);
        self.prove(&facts, self.space.and([inside, written]), "own value")
    }

    /// Returns the formula under which a load yields the value that it claims, or `None` if it
    /// always does.
    ///
    /// # Errors
    /// Returns the reason if it is known not to.
    fn defined(
        &mut self,
        load: &Access,
        store: Option<&Store>,
    ) -> Result<Option<FormulaId>, Reason> {
        let model = self.model;
        let memory = &model.memories[load.memory];
        if memory.kind == BufferKind::Input {
            return Ok(None);
        }
        if let Some(store) = store.filter(|store| store.func == memory.func) {
            let label = store.label.ok_or("an update without a place that promises it")?;
            let own = &model.labels[label].memories;
            if store.stage == 0
                || !own.contains(&store.access.memory)
                || !own.contains(&load.memory)
                || !load.place.labels.contains(&label)
            {
                return Err("a func is read while it is computed".into());
            }
            let region = model.labels[label].regions.get(store.stage);
            let region = region.ok_or("a label of a func without this stage")?;
            let inside = self.inside(&load.coords, region);
            let written = self.written_before(store, &load.coords);
            return Ok(Some(self.space.and([inside, written])));
        }
        let promised = self.promised(load);
        if *self.space.formula(promised) == Formula::False {
            let name = &self.pool.func(memory.func).name;
            return Err(format!("no place that computes {name} comes before the read").into());
        }
        let written = self.written(memory.func, &load.coords);
        Ok(Some(self.space.and([promised, written])))
    }

    /// Returns the condition that the coordinates of a load lie where a label before it promises
    /// right values.
    pub(super) fn promised(&self, load: &Access) -> FormulaId {
        let labels = self.labels_before(load).into_iter();
        let needed = labels.map(|label| &self.model.labels[label].needed);
        self.space.or(needed.map(|region| self.inside(&load.coords, region)))
    }

    /// The labels of the loaded func that come before a load, in the same iterations of the loops
    /// around them and under conditions that hold at the load.
    pub(super) fn labels_before(&self, load: &Access) -> Vec<LabelId> {
        let before = |label: &Labelled| {
            label.memories.contains(&load.memory)
                && order::dominates(&label.place.steps, &load.place.steps)
                && label.place.facts.iter().all(|fact| load.place.facts.contains(fact))
        };
        let labels = self.model.labels.iter();
        labels.filter(|(_, label)| before(label)).map(|(index, _)| index).collect()
    }
}
