//! Claims and values of stores.
//!
//! # Correctness
//! Two facts are shown for a store whose coordinates are needed. Its claim (func, stage,
//! coordinates, point) is an instance of the specification that exists and writes these
//! coordinates. The stored value, with every load replaced by the value that it claims to read,
//! equals the instance's value of the component that the buffer holds. Where the coordinates are
//! not needed, nothing is claimed.

use super::Checker;
use crate::floats::{Axiom, Axioms, Floats};
use crate::obligation::record::{Kind, Method, Reason, Status};
use crate::program::Store;
use crate::space::FormulaId;
use crate::specification::Instance;

impl Checker<'_> {
    /// Checks the obligations of kinds `Claim` and `Value`.
    pub(super) fn claims_and_values(&mut self) {
        let model = self.model;
        for store in model.stores.values() {
            let value = self.claim_and_value(store);
            self.found.values.push(value);
        }
    }

    /// Checks one store. Returns the number of the obligation on its value, or `None` if its claim
    /// names no instance.
    fn claim_and_value(&mut self, store: &Store) -> Option<usize> {
        let place = self.named("", &store.access, "");
        let stmt = Some(store.access.stmt);
        let (facts, instance) = match self.claimed(store) {
            Ok(claimed) => claimed,
            Err(reason) => {
                self.record(Kind::Claim, stmt, place, Err(reason));
                return None;
            }
        };
        let mut goal = vec![instance.exists];
        match self.space.equalities(&instance.location, &store.access.coords) {
            Some(same) => goal.extend(same),
            None => goal.push(self.space.truth(false)),
        }
        let status = self.prove(&facts, self.space.and(goal), "claim");
        self.record(Kind::Claim, stmt, place.clone(), status);
        let status = self.value_of(store, &facts, &instance, Floats::Bits);
        let status = status.or_else(|open| {
            let numbers = self.laws.permits(Axiom::Numbers);
            let shown = numbers && self.value_of_numbers(store, facts, &instance);
            shown.then_some(Method::Axioms(Axioms::from_iter([Axiom::Numbers]))).ok_or(open)
        });
        let number = self.found.obligations.len();
        self.record(Kind::Value, stmt, place, status);
        Some(number)
    }

    /// Returns the instance that a store claims to be, and the facts where it matters.
    ///
    /// # Errors
    /// Returns the reason if the claim names no instance.
    pub(super) fn claimed(&mut self, store: &Store) -> Result<(Vec<FormulaId>, Instance), Reason> {
        let model = self.model;
        if store.func != model.memories[store.access.memory].func {
            return Err("a claim about a func that is not the buffer's".into());
        }
        let mut facts = store.access.place.facts.clone();
        facts.push(self.good(store));
        let claimed = (store.func, store.stage);
        let instance = self.specification.instance(claimed, &store.access.coords, &store.point);
        Ok((facts, instance?))
    }

    /// Shows that a stored value is the instance's, by the strongest equality of floats that
    /// suffices, but none weaker than `weakest`.
    pub(super) fn value_of(
        &mut self,
        store: &Store,
        facts: &[FormulaId],
        instance: &Instance,
        weakest: Floats,
    ) -> Status {
        let component = self.model.memories[store.access.memory].component;
        let value = store.value.clone()?;
        let specified = instance.values.get(component).ok_or("a component that does not exist")?;
        // Quotients by a symbol are beyond the solver.
        let fixed = self.fixed(facts, true);
        let [value, specified] = [value, *specified].map(|side| fixed.value(self.space, side));
        // A store that never runs where its location is needed writes no wrong value.
        self.equal(facts, (value, specified), weakest).or_else(|open| {
            let never = self.space.truth(false);
            self.follows(facts, never, "value").then_some(Method::Solver).ok_or(open)
        })
    }

    /// Shows the same where no float is NaN that the instance compares or makes an integer. Such an
    /// input lies outside of the axiom that it is not.
    fn value_of_numbers(
        &mut self,
        store: &Store,
        mut facts: Vec<FormulaId>,
        instance: &Instance,
    ) -> bool {
        let component = self.model.memories[store.access.memory].component;
        let Some(value) = instance.values.get(component) else { return false };
        for float in self.space.deciding_floats(*value) {
            facts.push(self.space.is_number(float));
        }
        // A float that is NaN contradicts the axiom, and would prove any value.
        let never = self.space.truth(false);
        self.value_of(store, &facts, instance, Floats::Bits).is_ok()
            && !self.follows(&facts, never, "value")
    }
}
