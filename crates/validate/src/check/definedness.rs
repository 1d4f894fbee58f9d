//! Loaded values that matter are right.
//!
//! # Correctness
//! A load of an input in bounds is defined. A load of another func's value is right if a label that promises the func on a region with the load's coordinates
//! comes before it: in the same iterations of all loops around the label, and under conditions that hold at the load ([`order::dominates`]). A load, in an update
//! stage, of the updated func itself must lie in the region of that stage; that it then sees the specification's previous value is an obligation of kind `Order`.
//! The same holds of loads of it in conditions around the store, for every iteration in which they are evaluated.
//! A value matters if the store's coordinates are needed and the selections around the load choose it; in indices, bounds and conditions it always matters.

use halidom_ir::BufferKind;

use super::Checker;
use crate::program::{Access, Labelled, Place, Store, order};
use crate::report::{Kind, Method, Status};
use crate::space::{Formula, FormulaId};

impl Checker<'_> {
    /// Obligations of kind `Definedness`.
    pub(super) fn definedness(&mut self) {
        let model = self.model;
        for store in &model.stores {
            let good = self.good(store);
            for used in &store.uses {
                let load = &model.loads[used.load];
                let context = [good, used.arm];
                let status = self.defined(&store.access.place, &context, load, Some(store));
                let place = format!("read of {}", self.describe(load));
                self.record(Kind::Definedness, Some(load.stmt), place, status);
            }
        }
        for store in &model.stores {
            for used in &store.decides {
                let load = &model.loads[used.load];
                let status = self.decided(store, load, used.arm);
                let place = format!("read of {} that decides", self.describe(load));
                self.record(Kind::Definedness, Some(load.stmt), place, status);
            }
        }
        for control in &model.controls {
            for used in &control.uses {
                let load = &model.loads[used.load];
                let status = self.defined(&control.place, &[used.arm], load, None);
                let place = format!("read of {} that decides", self.describe(load));
                self.record(Kind::Definedness, Some(load.stmt), place, status);
            }
        }
    }

    /// A load, in a condition, of the func that is updated under it: it matters wherever the condition is evaluated.
    fn decided(&mut self, store: &Store, load: &Access, arm: FormulaId) -> Status {
        let region = store.label.filter(|label| load.place.labels.contains(label));
        let region = region.and_then(|label| self.model.labels[label].regions.get(store.stage));
        let Some(region) = region else {
            return Status::Open("an update without a place that promises it".to_owned());
        };
        let mut facts = load.place.facts.clone();
        facts.push(arm);
        let inside = self.inside(&load.coords, region);
        self.prove(&facts, inside, "own value")
    }

    fn defined(
        &mut self,
        place: &Place,
        context: &[FormulaId],
        load: &Access,
        store: Option<&Store>,
    ) -> Status {
        let model = self.model;
        let memory = &model.memories[load.memory];
        if memory.kind == BufferKind::Input {
            return Status::Closed(Method::Structure);
        }
        let mut facts = place.facts.clone();
        facts.extend(&load.place.facts);
        facts.extend(context);
        if let Some(store) = store.filter(|store| store.func == memory.func) {
            let Some(label) = store.label else {
                return Status::Open("an update without a place that promises it".to_owned());
            };
            let own = &model.labels[label].memories;
            if store.stage == 0
                || !own.contains(&store.access.memory)
                || !own.contains(&load.memory)
                || !load.place.labels.contains(&label)
            {
                return Status::Open("a func is read while it is computed".to_owned());
            }
            let Some(region) = model.labels[label].regions.get(store.stage) else {
                return Status::Open("a label of a func without this stage".to_owned());
            };
            let inside = self.inside(&load.coords, region);
            return self.prove(&facts, inside, "own value");
        }
        let promised = self.promised(load);
        if *self.space.formula(promised) == Formula::False {
            let name = &self.pool.func(memory.func).name;
            return Status::Open(format!("no place that computes {name} comes before the read"));
        }
        self.prove(&facts, promised, "defined")
    }

    /// That the coordinates of a load lie where a label before it promises right values.
    pub(super) fn promised(&mut self, load: &Access) -> FormulaId {
        let mut ways = Vec::new();
        for label in self.labels_before(load) {
            ways.push(self.inside(&load.coords, &self.model.labels[label].needed));
        }
        self.space.or(&ways)
    }

    /// The labels of the loaded func that come before a load, in the same iterations of the loops around them and under conditions that hold at the load.
    pub(super) fn labels_before(&self, load: &Access) -> Vec<usize> {
        let before = |label: &Labelled| {
            label.memories.contains(&load.memory)
                && order::dominates(&label.place.steps, &load.place.steps)
                && label.place.facts.iter().all(|fact| load.place.facts.contains(fact))
        };
        let labels = self.model.labels.iter().enumerate();
        labels.filter(|(_, label)| before(label)).map(|(index, _)| index).collect()
    }
}
