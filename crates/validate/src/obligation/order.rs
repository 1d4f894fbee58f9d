//! Conflicting writes come in the specification's order.
//!
//! # Correctness
//! *Funcs with one stage.* Every needed write to a location carries the same value, so the order of
//! these writes does not matter. The checks must exclude a write that is not needed (its value may
//! be undefined) to a location that some instance of a label promises, unless it certainly comes
//! before that instance. By `Coverage`, the instance then writes the location itself, or keeps it
//! from an earlier instance, for which the same holds. So each iteration of a loop may fill a
//! vector beyond what it promises, and the next one overwrite that. This takes one query for each
//! store and label of a buffer.
//!
//! *Funcs with updates* (stage replay). One label holds all stores of the buffer. Within one
//! instance of the label, and for needed locations:
//! * two instances of stores that write one location come in the order of their versions (stage,
//!   then reduction point, the first variable innermost);
//! * no update instance runs twice;
//! * an instance that reads a location of the func which another instance writes comes after that
//!   write exactly if its version is later;
//! * all reads of an instance come before its own writes, to any component of a tuple, and the
//!   reads of its conditions come before every write that claims to belong to the instance;
//! * two different instances at one point do not touch the same location.
//!
//! Between instances of one stage whose updates commute, no order is owed (`commute.rs`). By
//! `Coverage` every instance is run, and by `Claim` nothing else is run. So the writes to a
//! location are the specification's, in order, and by induction over them each read sees the
//! version that the specification names.

use super::Checker;
use crate::limits::Limits;
use crate::obligation::record::{Kind, Method, Reason, Status};
use crate::program::order::{self, Run};
use crate::program::{Access, LabelId, MemoryId, Store};
use crate::space::{Formula, FormulaId, PolyId};

/// Any instance of a store.
struct There<'m> {
    store: &'m Store,
    run: Run<'m>,
    /// Its coordinates.
    coords: Vec<PolyId>,
    /// The limits that its own facts give.
    limits: Limits,
}

impl Checker<'_> {
    /// Checks the obligations of kind `Order`.
    pub(super) fn orders(&mut self) {
        let model = self.model;
        for index in model.memories.ids() {
            let stores: Vec<&Store> =
                model.stores.values().filter(|store| store.access.memory == index).collect();
            if stores.is_empty() {
                continue;
            }
            let name = &self.pool.buffer(model.memories[index].buffer).name;
            if stores.iter().any(|store| store.label.is_none()) {
                let status = Err("a store outside every place that computes".into());
                self.record(Kind::Order, None, format!("writes of {name}"), status);
            } else if self.specification.stages(model.memories[index].func) == 1 {
                self.unclobbered(index, &stores);
            } else {
                self.replayed(index, &stores);
            }
        }
    }

    /// Checks that no store overwrites a promised location with a value that need not be right.
    fn unclobbered(&mut self, memory: MemoryId, stores: &[&Store]) {
        let model = self.model;
        // Of folded buffers more is asked than the proof needs.
        let is_folded = model.memories[memory].is_folded();
        let depth = model.memories[memory].place.steps.len();
        let labels: Vec<LabelId> = model
            .labels
            .ids()
            .filter(|label| model.labels[*label].memories.contains(&memory))
            .collect();
        for store in stores {
            let good = self.good(store);
            for label in &labels {
                let labelled = &model.labels[*label];
                let there = self.another(&labelled.place, None, depth);
                let promised = self.inside(&store.access.coords, &labelled.needed);
                let mut facts = store.access.place.facts.clone();
                facts.extend(there.facts(self.space));
                // The store's own loops must keep their names, so only the label's bounds are
                // renamed.
                let region = there.at.region(self.space, &labelled.needed);
                let elsewhere = self.inside(&store.access.coords, &region);
                let status = if elsewhere == promised && store.label == Some(*label) {
                    Ok(Method::Identity)
                } else {
                    facts.push(elsewhere);
                    let allowed = if is_folded {
                        good
                    } else {
                        let here = Run::of(&store.access.place);
                        let before = order::before(self.space, model, &here, &there);
                        self.space.or([good, before])
                    };
                    self.prove(&facts, allowed, "clobber")
                };
                let place = self.named("store to ", &store.access, "");
                self.record(Kind::Order, Some(store.access.stmt), place, status);
            }
        }
    }

    /// Checks that the stores replay the specification's stages.
    fn replayed(&mut self, memory: MemoryId, stores: &[&Store]) {
        let model = self.model;
        // A tuple's components are updated together: their buffers have one label, and a store to
        // one of them may read another.
        let func = model.memories[memory].func;
        let ours = |store: &&Store| {
            let label = store.label.map(|label| &model.labels[label].memories);
            store.access.memory == memory
                || (store.func == func && label.is_some_and(|own| own.contains(&memory)))
        };
        let readers: Vec<&Store> = model.stores.values().filter(ours).collect();
        let mut labels: Vec<Option<LabelId>> = readers.iter().map(|store| store.label).collect();
        labels.dedup();
        let [Some(label)] = *labels.as_slice() else {
            let status = Err("a func with updates is computed in several places".into());
            let place =
                format!("writes of {}", self.pool.buffer(model.memories[memory].buffer).name);
            return self.record(Kind::Order, None, place, status);
        };
        let depth = model.labels[label].place.steps.len();
        let there: Vec<There<'_>> =
            stores.iter().map(|store| self.any_instance(store, depth)).collect();
        for (index, first) in stores.iter().enumerate() {
            let limits = Limits::from_facts(self.space, &first.access.place.facts);
            for (other, second) in there.iter().enumerate() {
                let misses = self.misses((&first.access.coords, &limits), second);
                self.in_order(first, second, misses);
                if index <= other {
                    self.once(first, second, misses);
                }
            }
        }
        for reader in readers {
            self.reads_in_order(memory, reader, &there);
        }
    }

    /// Returns the condition that version (stage, point) `a` comes before `b` in the specification.
    /// The last reduction variable is outermost.
    pub(super) fn earlier(&self, a: (usize, &[PolyId]), b: (usize, &[PolyId])) -> FormulaId {
        if a.0 != b.0 {
            return self.space.truth(a.0 < b.0);
        }
        let mut ways = Vec::new();
        let mut equal = self.space.truth(true);
        for (x, y) in a.1.iter().zip(b.1).rev() {
            ways.push(self.space.and([equal, self.space.less(*x, *y)]));
            equal = self.space.and([equal, self.space.equal(*x, *y)]);
        }
        self.space.or(ways)
    }

    /// Returns the facts of two instances that write one needed location, and the point of the
    /// second instance, which is renamed.
    fn pair(
        &mut self,
        first: &Store,
        second: &Store,
        there: &Run<'_>,
    ) -> Result<(Vec<FormulaId>, Vec<PolyId>), Reason> {
        let here = (&*first.access.coords, &*first.access.place.facts);
        let mut facts = self.meeting(here, (&second.access, there))?;
        facts.push(self.good(first));
        Ok((facts, there.at.polys(self.space, &second.point)))
    }

    /// Returns any instance of a store that shares the first `depth` steps of its path.
    fn any_instance<'m>(&mut self, store: &'m Store, depth: usize) -> There<'m> {
        let run = self.elsewhere(&store.access, depth);
        let limits = Limits::from_facts(self.space, &run.facts(self.space));
        let coords = run.at.polys(self.space, &store.access.coords);
        There { store, run, coords, limits }
    }

    /// Tests whether the limits of loops and lanes exclude that a store writes where these
    /// coordinates are. Most stores of an unrolled loop miss each other, and each pair of them is
    /// an obligation.
    fn misses(&self, (coords, limits): (&[PolyId], &Limits), there: &There<'_>) -> bool {
        coords.len() == there.coords.len()
            && coords.iter().zip(&there.coords).any(|(here, there_at)| {
                let apart = self.space.sub(*here, *there_at);
                *self.space.formula(self.space.zero(apart)) == Formula::False
                    || limits.exclude_zero(self.space, apart, &there.limits)
            })
    }

    fn in_order(&mut self, first: &Store, there: &There<'_>, misses: bool) {
        let second = there.store;
        if first.stage > second.stage || (first.stage == 0 && second.stage == 0) {
            return;
        }
        let place = self.named("writes of ", &first.access, "");
        if misses {
            let status = Ok(Method::Intervals);
            return self.record(Kind::Order, Some(first.access.stmt), place, status);
        }
        let (here, there) = (Run::of(&first.access.place), &there.run);
        let status = self.pair(first, second, there).and_then(|(mut facts, point)| {
            facts.push(self.earlier((first.stage, &first.point), (second.stage, &point)));
            let before = order::before(self.space, self.model, &here, there);
            let status = self.prove(&facts, before, "order");
            self.or_commuting(status, first, second)
        });
        self.record(Kind::Order, Some(first.access.stmt), place, status);
    }

    /// Checks that no update instance runs twice.
    fn once(&mut self, first: &Store, there: &There<'_>, misses: bool) {
        let second = there.store;
        if first.stage != second.stage || first.stage == 0 {
            return;
        }
        let place = self.named("instances of ", &first.access, "");
        if misses {
            let status = Ok(Method::Intervals);
            return self.record(Kind::Order, Some(first.access.stmt), place, status);
        }
        let there = &there.run;
        let status = self.pair(first, second, there).and_then(|(mut facts, point)| {
            let same = self.space.equalities(&first.point, &point);
            facts.extend(same.ok_or("claims with different numbers of variables")?);
            let goal = if std::ptr::eq(first, second) {
                self.same_instance(&first.access, there)
            } else {
                self.space.truth(false)
            };
            self.prove(&facts, goal, "once")
        });
        self.record(Kind::Order, Some(first.access.stmt), place, status);
    }

    /// Returns the condition that an instance and its renamed copy are one: they have the same
    /// loops and the same lane.
    fn same_instance(&self, access: &Access, there: &Run<'_>) -> FormulaId {
        let loops = access.place.loops().map(|index| self.model.loops[index].symbol);
        let own = loops.chain(access.lane).map(|symbol| self.space.symbol(symbol));
        self.space.and(own.map(|own| self.space.equal(own, there.at.poly(self.space, own))))
    }

    /// Checks that an update's reads of the func that it updates come after the writes of exactly
    /// the earlier versions.
    fn reads_in_order(&mut self, memory: MemoryId, reader: &Store, writers: &[There<'_>]) {
        let model = self.model;
        let uses = reader.uses.iter().map(|used| (used, false));
        let decides = reader.decides.iter().map(|used| (used, true));
        for (used, decides) in uses.chain(decides) {
            let load = &model.loads[used.load];
            if load.memory != memory {
                continue;
            }
            let place = self.named("read of ", load, " in its own update");
            // A read that decides matters whether or not the instance writes, and whether or not
            // its write is needed.
            let facts = if decides {
                [&*load.place.facts, &[used.arm]].concat()
            } else {
                [&*reader.access.place.facts, &[self.good(reader)]].concat()
            };
            let status = self.own_dimensions(reader, load, &facts);
            self.record(Kind::Order, Some(load.stmt), place.clone(), status);
            let limits = Limits::from_facts(self.space, &facts);
            for writer in writers {
                let misses = self.misses((&load.coords, &limits), writer);
                for writer_first in [true, false] {
                    let status = if misses {
                        Ok(Method::Intervals)
                    } else {
                        let read = (reader, load, &*facts, decides);
                        let status = self.read_and_write(read, writer, writer_first);
                        self.or_commuting(status, reader, writer.store)
                    };
                    self.record(Kind::Order, Some(load.stmt), place.clone(), status);
                }
            }
        }
    }

    /// Checks that a read of the updated func has the pure coordinates of the write, so that
    /// instances at one point do not touch each other's locations.
    fn own_dimensions(&mut self, reader: &Store, load: &Access, facts: &[FormulaId]) -> Status {
        let shape = self.specification.shape(reader.func, reader.stage)?;
        let pairs = shape.pure.iter().zip(reader.access.coords.iter().zip(&load.coords));
        let pure = pairs.filter(|(pure, _)| **pure);
        let goal = self.space.and(pure.map(|(_, (own, read))| self.space.equal(*own, *read)));
        self.prove(facts, goal, "own dimensions")
    }

    fn read_and_write(
        &mut self,
        (reader, load, known, decides): (&Store, &Access, &[FormulaId], bool),
        writer: &There<'_>,
        writer_first: bool,
    ) -> Status {
        let (here, there, writer) = (Run::of(&load.place), &writer.run, writer.store);
        let mut facts = self.meeting((&load.coords, known), (&writer.access, there))?;
        let point = there.at.polys(self.space, &writer.point);
        let (read, write) = ((reader.stage, &*reader.point), (writer.stage, &*point));
        let goal = if writer_first {
            facts.push(self.earlier(write, read));
            order::before(self.space, self.model, there, &here)
        } else {
            // The writes of an instance to the other components of a tuple also come after its
            // reads. After a condition's read comes every write that claims to belong to the
            // instance: the value read decides whether the store under the condition runs, and so
            // whether it is the only one.
            facts.push(if decides || writer.access.memory != reader.access.memory {
                self.space.not(self.earlier(write, read))
            } else {
                self.earlier(read, write)
            });
            order::before(self.space, self.model, &here, there)
        };
        self.prove(&facts, goal, "read order")
    }
}
