//! A promised value is still there when it is relied on.
//!
//! # Correctness
//! *Folded buffers.* Congruent coordinates share an element, so a value that was promised at `c` is
//! lost when a congruent `c' != c` is written. Each store takes three queries:
//! * (a) under an instance of a label, no store touches the element of a coordinate that this
//!   instance promises, except at that coordinate;
//! * (b) the same for the stores that may run between a label's instance and an instance that
//!   relies on it ([`super::carry`]);
//! * (c) the same for the stores that may run between a label's instance and a load that relies on
//!   it.
//!
//! "May run between" is the negation of "certainly runs before the one or after the other"
//! ([`order::before`]), so unordered iterations count. `Order` judges a write at `c` itself.
//!
//! *Funcs with updates* that rely on earlier labels. A value that is taken over is final, so (d) no
//! store under the relying instance touches it, (e) no update under it reads it as a value that is
//! not final, and (b') no store that may run between touches it. A load may rely on a label that
//! only takes over, while the stores stand under another label: then (c') no store that may run
//! between touches the location that it reads.

use halidom_base::IndexMap;

use super::carry::Carry;
use super::{Arbitrary, Checker};
use crate::obligation::record::{Kind, Status};
use crate::program::order::{self, Run};
use crate::program::{Access, LabelId, MemoryId, Step, Store};
use crate::space::{FormulaId, PolyId};

/// A label, and an instance of it.
type Instance<'r> = (LabelId, &'r Run<'r>);

impl Checker<'_> {
    /// Checks the obligations of kind `Retention`.
    pub(super) fn retention(&mut self, relying: &[(LabelId, Vec<Carry<'_>>)]) {
        let model = self.model;
        for (memory, decl) in model.memories.iter() {
            let stores: Vec<&Store> =
                model.stores.values().filter(|store| store.access.memory == memory).collect();
            if decl.is_folded() {
                for store in &stores {
                    let status = self.apart_within(store);
                    let place = self.named("store to ", &store.access, "");
                    self.record(Kind::Retention, Some(store.access.stmt), place, status);
                }
            }
            self.retained_for_reads(memory, &stores);
        }
        for (label, carries) in relying {
            let labelled = &model.labels[*label];
            let updated = self.specification.stages(labelled.func) > 1;
            if updated {
                self.untouched(*label, carries);
            }
            for carry in carries {
                for store in model.stores.values() {
                    let memory = store.access.memory;
                    let concerned = updated || model.memories[memory].is_folded();
                    if concerned && labelled.memories.contains(&memory) {
                        let status = self.until_relied_on(*label, carry, store, updated);
                        let place = self.named("store to ", &store.access, "");
                        self.record(Kind::Retention, Some(store.access.stmt), place, status);
                    }
                }
            }
        }
    }

    /// Checks (a): under a label, an element that a store touches belongs to no other promised
    /// coordinate.
    fn apart_within(&mut self, store: &Store) -> Status {
        let label = store.label.ok_or("a store outside every place that computes")?;
        let (others, same) = self.sharing(store.access.memory, &store.access.coords)?;
        // The region of the first stage is the widest. It also holds the locations that updates
        // read.
        let labelled = &self.model.labels[label];
        let region = labelled.regions.first().unwrap_or(&labelled.needed);
        let mut facts = store.access.place.facts.clone();
        facts.push(self.inside(&others, region));
        self.prove(&facts, same, "fold")
    }

    /// Checks (b) and (b'): between the instance of a label that is relied on and the instance that
    /// relies on it.
    fn until_relied_on(
        &mut self,
        label: LabelId,
        carry: &Carry<'_>,
        store: &Store,
        updated: bool,
    ) -> Status {
        let labelled = &self.model.labels[label];
        let (here, there) = (Run::of(&labelled.place), self.in_lifetime(&store.access));
        let written = there.at.polys(self.space, &store.access.coords);
        let (promised, same) = self.sharing(store.access.memory, &written)?;
        let mut facts = labelled.place.facts.clone();
        facts.push(carry.exists);
        facts.push(self.inside(&promised, &carry.region));
        facts.push(self.inside(&promised, &labelled.needed));
        facts.extend(there.facts(self.space));
        facts.push(self.may_follow((carry.from, &carry.run), store, &there));
        facts.push(self.space.not(order::before(self.space, self.model, &here, &there)));
        facts.push(self.space.not(self.under((label, &here), store, &there)));
        let goal = if updated { self.space.truth(false) } else { same };
        self.prove(&facts, goal, "kept")
    }

    /// Checks (c) and (c'): between a label's instance and the loads that rely on it. For several
    /// loads at one place, all promised coordinates are asked about first, which does not depend on
    /// the load. Only if these are not kept, each load's coordinates are asked about.
    fn retained_for_reads(&mut self, memory: MemoryId, stores: &[&Store]) {
        let model = self.model;
        let folded = model.memories[memory].is_folded();
        let updated = self.specification.stages(model.memories[memory].func) > 1;
        let mut places: IndexMap<(&[Step], &[FormulaId]), Vec<&Access>> = IndexMap::default();
        let loads = model.loads.iter().filter(|(id, load)| {
            // A load whose value nothing uses relies on nothing.
            load.memory == memory && !model.idle.contains(id)
        });
        for (_, load) in loads {
            places.entry((&load.place.steps, &load.place.facts)).or_default().push(load);
        }
        for loads in places.into_values() {
            for label in self.labels_before(loads[0]) {
                for store in stores {
                    // A store under the label itself, in any instance of the label, comes before
                    // its end or after the load.
                    if !folded && (!updated || store.label == Some(label)) {
                        continue;
                    }
                    let needed = &model.labels[label].needed;
                    let any: Vec<PolyId> = (0..needed.len())
                        .map(|number| self.arbitrary(Arbitrary::Promised(number)))
                        .collect();
                    let together =
                        (loads.len() > 1).then(|| self.until_read(label, loads[0], &any, store));
                    for load in &loads {
                        let together = together.clone().and_then(Status::ok);
                        let status = together
                            .map_or_else(|| self.until_read(label, load, &load.coords, store), Ok);
                        let place = self.named("read of ", load, "");
                        self.record(Kind::Retention, Some(load.stmt), place, status);
                    }
                }
            }
        }
    }

    /// Checks (c) and (c') for one label, a load, coordinates that it may read, and a store.
    fn until_read(
        &mut self,
        label: LabelId,
        load: &Access,
        coords: &[PolyId],
        store: &Store,
    ) -> Status {
        let labelled = &self.model.labels[label];
        let (here, there) = (Run::of(&load.place), self.in_lifetime(&store.access));
        let (promised, same) = self.sharing(load.memory, coords)?;
        let mut facts = self.meeting((&promised, &load.place.facts), (&store.access, &there))?;
        facts.push(self.inside(coords, &labelled.needed));
        facts.push(self.may_follow((label, &Run::of(&labelled.place)), store, &there));
        facts.push(self.space.not(order::before(self.space, self.model, &here, &there)));
        let updated = self.specification.stages(labelled.func) > 1;
        let goal =
            if updated && store.label != Some(label) { self.space.truth(false) } else { same };
        self.prove(&facts, goal, "still there")
    }

    /// Checks (d) and (e): an instance of a label whose func has updates does not touch the values
    /// that it takes over.
    fn untouched(&mut self, label: LabelId, carries: &[Carry<'_>]) {
        let model = self.model;
        let never = self.space.truth(false);
        for store in model.stores.values().filter(|store| store.label == Some(label)) {
            let mut facts = store.access.place.facts.clone();
            facts.push(self.good(store));
            for (used, decides) in store
                .uses
                .iter()
                .map(|used| (used, false))
                .chain(store.decides.iter().map(|used| (used, true)))
            {
                let load = &model.loads[used.load];
                if model.labels[label].memories.contains(&load.memory) {
                    let mut facts = if decides { Vec::new() } else { facts.clone() };
                    facts.push(used.arm);
                    facts.extend(&load.place.facts);
                    facts.push(self.kept(carries, &load.coords));
                    let status = self.prove(&facts, never, "final");
                    let place = self.named("read of ", load, " in its own update");
                    self.record(Kind::Retention, Some(load.stmt), place, status);
                }
            }
            facts.push(self.kept(carries, &store.access.coords));
            let status = self.prove(&facts, never, "final");
            let place = self.named("store to ", &store.access, "");
            self.record(Kind::Retention, Some(store.access.stmt), place, status);
        }
    }

    /// Returns the condition that an instance of a store may run after an instance of a label has
    /// ended.
    fn may_follow(&self, label: Instance<'_>, store: &Store, there: &Run<'_>) -> FormulaId {
        let before = order::before(self.space, self.model, there, label.1);
        self.space.not(self.space.or([before, self.under(label, store, there)]))
    }

    /// Returns the condition that an instance of a store stands under an instance of a label.
    fn under(&self, (label, here): Instance<'_>, store: &Store, there: &Run<'_>) -> FormulaId {
        if store.label != Some(label) {
            return self.space.truth(false);
        }
        let loops = here.place.loops();
        self.space.and(loops.map(|index| {
            let variable = self.space.symbol(self.model.loops[index].symbol);
            let [ours, theirs] = [here, there].map(|run| run.at.poly(self.space, variable));
            self.space.equal(ours, theirs)
        }))
    }
}
