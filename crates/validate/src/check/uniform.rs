//! Funcs whose values in memory are a function of the coordinates, whatever store wrote them.
//!
//! # Correctness
//! Where equality of floats is weaker than the same bits, two right values of an inexact func need not be the same bits, so
//! that it matters which of two unordered stores comes last. It does not if both write the same bits. A func with one stage
//! is **uniform** if any two of its good store instances at the same coordinates, in any iterations and any lifetimes of
//! any of its buffers, store equal bits, the values that they load being what their loads claim, and if each inexact func
//! that its stores read is uniform. Then there is a value for each coordinate which every good store instance writes there:
//! by induction over the run, as a load that matters yields what a good store instance wrote at its coordinates
//! (`Definedness`, `Order`, `Retention`), which is one value for each coordinate by induction, or right bit for bit. This
//! is `Uniform.one_value` in Coq (`coq/validator/Uniform.v`); `Uniform.race_free` is what races make of it.
//!
//! What a read term of an inexact func denotes here is that value, not the specification's; the queries use nothing of it
//! but that equal coordinates give equal values. So funcs are not unfolded, and what differs between two instances must
//! have two names: loops and the lane do. A lane of another vector would not, but there is none, as programs are well typed
//! (an obligation of kind `Form`).

use halidom_ir::FuncId;

use super::Checker;
use crate::program::Store;
use crate::report::Status;
use crate::space::{FormulaId, Rename, Value};

/// Funcs with more stores than these are not looked at: pairs are as many as their square.
const MOST_STORES: usize = 64;

impl Checker<'_> {
    /// Whether all right values of a func at one coordinate are the same bits: as it is exact, or uniform.
    pub(super) fn has_one_value(&mut self, func: FuncId) -> bool {
        if self.is_exact(func) {
            return true;
        }
        if let Some(known) = self.uniform.get(&func) {
            return *known;
        }
        // A func that reads itself is not uniform.
        self.uniform.insert(func, false);
        let uniform = self.specification.stages(func) == 1 && self.stores_agree(func);
        self.uniform.insert(func, uniform);
        uniform
    }

    fn stores_agree(&mut self, func: FuncId) -> bool {
        let model = self.model;
        let stores: Vec<&Store> = model.stores.iter().filter(|store| store.func == func).collect();
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

    /// Whether two store instances, in any iterations, write equal bits where they write at one coordinate.
    fn store_alike(&mut self, first: &Store, second: &Store) -> bool {
        let component = |store: &Store| self.model.memories[store.access.memory].component;
        if component(first) != component(second) {
            return true;
        }
        let (Ok(one), Ok(other)) = (&first.value, &second.value) else { return false };
        let mut there: Rename = self.fresh_instance(&second.access, 0);
        let coords = there.polys(self.space, &second.access.coords);
        let Some(mut facts) = self.space.equalities(&first.access.coords, &coords) else {
            return false;
        };
        facts.extend(&first.access.place.facts);
        facts.push(self.good(first));
        facts.extend(there.formulas(self.space, &second.access.place.facts));
        let good: FormulaId = self.good(second);
        facts.push(there.formula(self.space, good));
        let other: Value = there.value(self.space, *other);
        let Some(alike) = self.space.values_alike(*one, other) else {
            // They may still never meet.
            let never = self.space.truth(false);
            return matches!(self.prove(&facts, never, "same bits"), Status::Closed(_));
        };
        matches!(self.prove(&facts, alike, "same bits"), Status::Closed(_))
    }
}
