//! Funcs whose values in memory are a function of the coordinates, whichever store wrote them.
//!
//! # Correctness
//! Where equality of floats is weaker than equality of bits, two right values of an inexact func
//! may have different bits. Then it matters which of two unordered stores comes last, unless both
//! write the same bits.
//!
//! A func with one stage is **uniform** if two conditions hold. First, any two of its good store
//! instances at the same coordinates, in any iterations and any lifetimes of any of its buffers,
//! store equal bits, provided that loads yield the values that they claim. Second, each inexact
//! func that its stores read is uniform. Then for each coordinate there is one value that every
//! good store instance writes there. The proof is by induction over the run: a load that matters
//! yields the value that a good store instance wrote at its coordinates (`Definedness`, `Order`,
//! `Retention`). By induction this is one value for each coordinate, or it is right bit for bit. In
//! Coq, this is `Uniform.one_value` (`coq/validator/Uniform.v`); `Uniform.race_free` draws the
//! conclusion for races.
//!
//! In this file, a read term of an inexact func denotes that value, not the specification's. The
//! queries use only that equal coordinates give equal values. So funcs are not unfolded, and
//! everything that differs between two instances must have two names: loops and the lane do. A lane
//! of another vector would not, but it cannot occur, because programs are well typed (an obligation
//! of kind `Form`).

use halidom_ir::FuncId;

use super::Checker;
use crate::program::Store;

/// The most stores of a func that is tried: the number of pairs is quadratic.
const MOST_STORES: usize = 64;

impl Checker<'_> {
    /// Tests whether all right values of a func at one coordinate have the same bits, because it is
    /// exact or uniform.
    pub(super) fn has_one_value(&mut self, func: FuncId) -> bool {
        if self.is_exact(func) {
            return true;
        }
        if let Some(known) = self.found.uniform.get(&func) {
            return *known;
        }
        // A func that reads itself is not uniform.
        self.found.uniform.insert(func, false);
        let uniform = self.specification.stages(func) == 1 && self.stores_agree(func);
        self.found.uniform.insert(func, uniform);
        uniform
    }

    fn stores_agree(&mut self, func: FuncId) -> bool {
        let model = self.model;
        let stores: Vec<&Store> =
            model.stores.values().filter(|store| store.func == func).collect();
        if stores.len() > MOST_STORES {
            return false;
        }
        let mut sources: Vec<FuncId> = stores
            .iter()
            .flat_map(|store| &store.uses)
            .map(|used| model.memories[model.loads[used.load].memory].func)
            .collect();
        sources.sort_unstable();
        sources.dedup();
        sources.into_iter().all(|source| self.has_one_value(source))
            && stores.iter().enumerate().all(|(number, first)| {
                stores[number..].iter().all(|second| self.store_alike(first, second))
            })
    }

    /// Tests whether two store instances, in any iterations, write equal bits where they write at
    /// one coordinate.
    fn store_alike(&mut self, first: &Store, second: &Store) -> bool {
        let component = |store: &Store| self.model.memories[store.access.memory].component;
        if component(first) != component(second) {
            return true;
        }
        let (Ok(one), Ok(other)) = (&first.value, &second.value) else { return false };
        let there = self.elsewhere(&second.access, 0);
        let here = (&*first.access.coords, &*first.access.place.facts);
        let Ok(mut facts) = self.meeting(here, (&second.access, &there)) else { return false };
        facts.push(self.good(first));
        facts.push(there.at.formula(self.space, self.good(second)));
        // Products of equal unknowns are beyond the solver, so one name is put in for each.
        let same = self.fixed(&facts, false);
        let other = there.at.value(self.space, *other);
        let (one, other) = (same.value(self.space, *one), same.value(self.space, other));
        let Some(alike) = self.space.values_alike(one, other) else {
            // They may still never write at one coordinate.
            return self.prove(&facts, self.space.truth(false), "same bits").is_ok();
        };
        self.prove(&facts, alike, "same bits").is_ok()
    }
}
