//! Updates that may come in any order.
//!
//! # Correctness
//! Let the updates of a stage commute: each replaces the value `z` of its location by `G(z, a)`,
//! where `a`, the location and the condition do not depend on the func, and
//! `G(G(z, a), b) = G(G(z, b), a)`. Let each store of the stage read the func at its own location
//! only, and let no other store to the buffer run between that read and the write.
//!
//! `Value` was shown with the location's old value as an unknown, so whatever value is read, the
//! store applies `G` to it. Then the stage's instances at one location each run once and leave the
//! same value in every order, because neighbours can be exchanged. So no order is owed within the
//! stage. If the law holds by an axiom, this is true in the interpretations that have the axiom,
//! and only there.
//!
//! *Tuples.* Let each component's new value depend on no other component of the func, and let no
//! store of a component read the memory of another one. The location and the condition depend on
//! none of them. So the components of the stage are updates of as many funcs, each in memory of its
//! own, and the above holds for each of them. An instance of a tuple is not one step, but no
//! component sees whether another one is updated before it or after it.

use super::Checker;
use crate::floats::Axioms;
use crate::obligation::record::{Method, Reason, Status};
use crate::program::{LoadId, Step, Store, order};

impl Checker<'_> {
    /// Returns the axioms under which a store applies a commuting operator of its stage.
    ///
    /// # Errors
    /// Returns the reason if the store is not known to do so.
    pub(super) fn commuting(&mut self, store: &Store) -> Result<Axioms, String> {
        if store.stage == 0 {
            return Err("the first stage is no update".to_owned());
        }
        if !store.decides.is_empty() {
            return Err("its condition reads its func".to_owned());
        }
        let model = self.model;
        // In folded memory, updates of different locations share an element.
        if model.memories[store.access.memory].is_folded() {
            return Err("its memory is folded".to_owned());
        }
        let axioms = self.laws.commutes(self.pool, store.func, store.stage)?;
        for used in &store.uses {
            let load = &model.loads[used.load];
            if load.memory != store.access.memory {
                if model.memories[load.memory].func == store.func {
                    return Err("it reads another component of its func".to_owned());
                }
                continue;
            }
            if !self.undisturbed(used.load, store) {
                return Err("another store may come between its read and its write".to_owned());
            }
            let Some(same) = self.space.equalities(&load.coords, &store.access.coords) else {
                return Err("a read with another number of coordinates".to_owned());
            };
            let same = self.space.and(same);
            let mut facts = store.access.place.facts.clone();
            facts.extend(&load.place.facts);
            if self.prove(&facts, same, "own location").is_err() {
                return Err("it reads its func at another location".to_owned());
            }
        }
        Ok(axioms)
    }

    /// Tests whether no store to the buffer runs between a load and the store that uses it, apart
    /// from unordered iterations. Where their paths differ, they must have no loop, and the common
    /// path must lead to no other store to the buffer.
    fn undisturbed(&self, load: LoadId, store: &Store) -> bool {
        let model = self.model;
        let (read, write) = (&model.loads[load].place.steps, &store.access.place.steps);
        let common = order::shared(read, write);
        let apart = read[common..].iter().chain(&write[common..]);
        apart.into_iter().all(|step| matches!(step, Step::Part(_)))
            && model.stores.values().all(|other| {
                std::ptr::eq(other, store)
                    || other.access.memory != store.access.memory
                    || !other.access.place.steps.starts_with(&write[..common])
            })
    }

    /// Closes an obligation on the order of two stores of one stage if they commute; otherwise adds
    /// the reason why they do not.
    pub(super) fn or_commuting(&mut self, status: Status, first: &Store, second: &Store) -> Status {
        let Err(reason) = status else { return status };
        if first.stage != second.stage {
            return Err(reason);
        }
        match self.commuting(first).and_then(|axioms| Ok(axioms.with(self.commuting(second)?))) {
            Ok(Axioms::NONE) => Ok(Method::Commuting),
            Ok(axioms) => Ok(Method::Axioms(axioms)),
            Err(why) => Err(Reason::And(Box::new(reason), why)),
        }
    }
}
