//! Unordered iterations do not interfere.
//!
//! # Correctness
//! *Two stores.* Take two instances of stores to one buffer that write one location, in different
//! iterations of a parallel loop inside the buffer's lifetime (or in different lanes of one store).
//! If both are of the pure stage, both must be needed there, so that both write the single value
//! that the specification gives this stage. No update comes between them: this is an obligation of
//! kind `Order`, or of this kind if they belong to different instances of a label. In all other
//! cases, such a pair must be impossible.
//!
//! *A load and a store.* Take them in different such iterations, at one location. A label before
//! the load must promise the load's coordinates. It must stand in the load's own iteration and must
//! not take the location over from another one. Then the location was written there before. The
//! store does not certainly come before the label, so it is good there (`Order`), and writes the
//! same value.
//!
//! In folded buffers one location means one element, and the two accesses must have the same
//! coordinates. Stores that are good wherever they run, and loads that are promised wherever they
//! run, need no check against the accesses that they meet: each takes one question, not one for
//! each pair. If a func's values are right only under axioms or over the reals, two right values
//! may have different bits. Then no two such accesses may meet, unless the func is uniform
//! (`uniform.rs`).
//!
//! Loads whose values nothing uses (`Model::idle`) need no check.
//!
//! Atomic updates of one stage that commute (`commute.rs`) may meet. Each reads and writes its
//! location in one step, so they come one after another, and every order leaves one value. Their
//! reads of that location are part of the step. Against any other access they count as ordinary
//! stores and loads.

use std::rc::Rc;

use halidom_base::FxHashMap;

use super::carry::Relying;
use super::{Arbitrary, Checker};
use crate::obligation::record::{Kind, Method, Reason, Status};
use crate::program::order::{self, Run};
use crate::program::{Access, LabelId, LoadId, Store, StoreId, loops};
use crate::space::{Formula, FormulaId, Rename};

/// Facts about accesses that hold wherever they run, whatever they meet.
#[derive(Default)]
struct Always {
    /// For each store by index: true if it is always good.
    good: FxHashMap<StoreId, bool>,
    /// For each load by index, and the number of steps that lead into the iteration in question:
    /// true if it is always promised.
    promised: FxHashMap<(LoadId, usize), bool>,
}

impl<'a> Checker<'a> {
    /// Checks the obligations of kind `Race`.
    pub(super) fn races(&mut self, relying: &Relying<'_>) {
        let model = self.model;
        let mut always = Always::default();
        for (index, first) in model.stores.iter() {
            for (other, second) in model.stores.iter().skip_while(|(other, _)| *other != index) {
                if first.access.memory == second.access.memory {
                    self.stores_apart((index, first), (other, second), &mut always);
                }
            }
            if first.access.lane.is_some() {
                self.lanes_apart(first);
            }
            for (other, load) in model.loads.iter() {
                if load.memory == first.access.memory && !model.idle.contains(&other) {
                    self.load_apart(first, (other, load), (&mut always, relying));
                }
            }
        }
    }

    /// Tests whether a store is good wherever it runs.
    fn always_good(&mut self, (index, store): (StoreId, &Store), always: &mut Always) -> bool {
        if let Some(known) = always.good.get(&index) {
            return *known;
        }
        let known = self.follows(&store.access.place.facts, self.good(store), "always good");
        always.good.insert(index, known);
        known
    }

    /// Tests whether a load reads a value that was promised within its iteration, wherever it runs.
    fn always_promised(
        &mut self,
        (index, load): (LoadId, &Access),
        depth: usize,
        (always, relying): (&mut Always, &Relying<'_>),
    ) -> bool {
        if let Some(known) = always.promised.get(&(index, depth)) {
            return *known;
        }
        let promised = self.promised_within(load, depth, relying);
        let known = self.follows(&load.place.facts, promised, "always promised");
        always.promised.insert((index, depth), known);
        known
    }

    /// Returns the condition that a load's value was written before it, in the iteration into which
    /// its first `depth` steps lead. A label in the iteration must promise the location. If any
    /// label there takes something over from outside, this one must not take over the location. If
    /// the func has no value somewhere, it must have one at the location.
    fn promised_within(&mut self, load: &Access, depth: usize, relying: &Relying<'_>) -> FormulaId {
        let model = self.model;
        let iteration = &load.place.steps[..depth];
        let inside = |label: LabelId| model.labels[label].place.steps.starts_with(iteration);
        let from_outside = relying.iter().any(|(label, carries)| {
            inside(*label)
                && model.labels[*label].memories.contains(&load.memory)
                && carries.iter().any(|carry| {
                    let moved = loops(iteration)
                        .any(|index| carry.run.at.get(model.loops[index].symbol).is_some());
                    moved || !inside(carry.from)
                })
        });
        let mut ways = Vec::new();
        for label in self.labels_before(load) {
            if !inside(label) {
                continue;
            }
            let mut way = vec![self.inside(&load.coords, &model.labels[label].needed)];
            let taken_over = relying.iter().find(|(relies, _)| *relies == label);
            if let (true, Some((_, carries))) = (from_outside, taken_over) {
                way.push(self.space.not(self.kept(carries, &load.coords)));
            }
            ways.push(self.space.and(way));
        }
        let promised = self.space.or(ways);
        let written = self.written(model.memories[load.memory].func, &load.coords);
        self.space.and([promised, written])
    }

    /// Returns the facts that hold if an access and an instance of another one touch one element,
    /// and the condition that they do so at the same coordinates.
    fn conflict_facts(
        &mut self,
        a: &Access,
        b: (&Access, &Run<'_>),
    ) -> Result<(Vec<FormulaId>, FormulaId), Reason> {
        let (here, same) = self.sharing(a.memory, &a.coords)?;
        Ok((self.meeting((&here, &a.place.facts), b)?, same))
    }

    fn stores_apart(
        &mut self,
        (index, first): (StoreId, &Store),
        (other, second): (StoreId, &Store),
        always: &mut Always,
    ) {
        let (here, there) = (Run::of(&first.access.place), self.in_lifetime(&second.access));
        let unordered = order::concurrent(self.space, self.model, &here, &there);
        if *self.space.formula(unordered) == Formula::False {
            return;
        }
        let place = self.named("stores to ", &first.access, "");
        let pure = ((first.stage == 0 && second.stage == 0)
            || self.specification.stages(first.func) == 1)
            && self.has_one_value(first.func);
        let folded = self.model.memories[first.access.memory].is_folded();
        if pure
            && !folded
            && self.always_good((index, first), always)
            && self.always_good((other, second), always)
        {
            let shown = Ok(Method::Solver);
            return self.record(Kind::Race, Some(first.access.stmt), place, shown);
        }
        let goal = if pure {
            self.space.and([self.good(first), there.at.formula(self.space, self.good(second))])
        } else {
            self.space.truth(false)
        };
        let found = self.conflict_facts(&first.access, (&second.access, &there));
        let status = found.and_then(|(mut facts, same)| {
            facts.push(unordered);
            self.prove(&facts, self.space.and([goal, same]), "race")
        });
        let status = self.or_atomic(status, first, second);
        self.record(Kind::Race, Some(first.access.stmt), place, status);
    }

    /// Closes an obligation on two stores that are commuting atomic updates of one stage.
    fn or_atomic(&mut self, status: Status, first: &Store, second: &Store) -> Status {
        let together = first.atomic && second.atomic && first.access.memory == second.access.memory;
        if together { self.or_commuting(status, first, second) } else { status }
    }

    /// Returns the atomic update whose read this load is: both are parts of one statement.
    fn step_of(&self, load: &Access) -> Option<&'a Store> {
        let model = self.model;
        model.stores.values().find(|store| {
            let (write, read) = (&store.access.place.steps, &load.place.steps);
            let own =
                store.uses.iter().any(|used| std::ptr::eq(&raw const model.loads[used.load], load));
            store.atomic
                && store.access.memory == load.memory
                && own
                && write.len() == read.len()
                && write[..write.len() - 1] == read[..read.len() - 1]
        })
    }

    fn lanes_apart(&mut self, store: &Store) {
        let Some(lane) = store.access.lane else { return };
        let other = self.arbitrary(Arbitrary::Loop(lane));
        let place = &store.access.place;
        let there = Run { place, at: Rc::new(Rename::symbols([(lane, other)])) };
        let same = self.space.equal(self.space.symbol(lane), other);
        let found = self.conflict_facts(&store.access, (&store.access, &there));
        let status = found.and_then(|(facts, there_too)| {
            let pure = store.stage == 0 || self.specification.stages(store.func) == 1;
            let goal = if pure && self.has_one_value(store.func) {
                self.space.or([same, self.space.and([self.good(store), there_too])])
            } else {
                same
            };
            self.prove(&facts, goal, "lanes")
        });
        let place = self.named("lanes of the store to ", &store.access, "");
        self.record(Kind::Race, Some(store.access.stmt), place, status);
    }

    fn load_apart(
        &mut self,
        store: &Store,
        (index, load): (LoadId, &Access),
        (always, relying): (&mut Always, &Relying<'_>),
    ) {
        let (here, there) = (Run::of(&load.place), self.in_lifetime(&store.access));
        let apart = order::apart(self.space, self.model, &here, &there);
        let Some((innermost, _)) = apart.last().copied() else { return };
        let place = self.named("read of ", load, " beside a store");
        let exact = self.has_one_value(self.model.memories[load.memory].func);
        let folded = self.model.memories[load.memory].is_folded();
        if exact && !folded && self.always_promised((index, load), innermost, (always, relying)) {
            return self.record(Kind::Race, Some(load.stmt), place, Ok(Method::Solver));
        }
        let (mut unordered, mut goals) = (Vec::new(), Vec::new());
        let several = apart.len() > 1;
        for (depth, way) in apart {
            let promised = if exact {
                self.promised_within(load, depth, relying)
            } else {
                self.space.truth(false)
            };
            let elsewhere = self.space.not(way);
            goals.push(if several { self.space.or([elsewhere, promised]) } else { promised });
            unordered.push(way);
        }
        let unordered = self.space.or(unordered);
        let found = self.conflict_facts(load, (&store.access, &there));
        let status = found.and_then(|(mut facts, same)| {
            facts.push(unordered);
            goals.push(same);
            self.prove(&facts, self.space.and(goals), "read race")
        });
        let status = match self.step_of(load) {
            Some(reader) => self.or_atomic(status, reader, store),
            None => status,
        };
        self.record(Kind::Race, Some(load.stmt), place, status);
    }
}
