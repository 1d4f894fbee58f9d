//! Claims and values of stores.
//!
//! # Correctness
//! Where a store's coordinates are needed: its claim (func, stage, coordinates, point) is an instance of the specification that exists and writes these
//! coordinates, and the stored value, with every load replaced by the value that it claims to read, equals the instance's value of the component that the buffer holds. Where they are not needed,
//! nothing is claimed.

use super::Checker;
use crate::program::Store;
use crate::report::{Kind, Status};
use crate::space::Value;

impl Checker<'_> {
    /// Obligations of kinds `Claim` and `Value`.
    pub(super) fn claims_and_values(&mut self) {
        let model = self.model;
        for store in &model.stores {
            self.claim_and_value(store);
        }
    }

    fn claim_and_value(&mut self, store: &Store) {
        let place = self.describe(&store.access);
        let stmt = Some(store.access.stmt);
        let model = self.model;
        let memory = &model.memories[store.access.memory];
        if store.func != memory.func {
            let status = Status::Open("a claim about a func that is not the buffer's".to_owned());
            return self.record(Kind::Claim, stmt, place, status);
        }
        let mut facts = store.access.place.facts.clone();
        facts.push(self.good(store));
        let claimed = (store.func, store.stage);
        let instance =
            self.specification.instance(self.space, claimed, &store.access.coords, &store.point);
        let instance = match instance {
            Ok(instance) => instance,
            Err(error) => {
                let status = Status::Open(error.to_string());
                return self.record(Kind::Claim, stmt, place, status);
            }
        };
        let mut goal = vec![instance.exists];
        match self.space.equalities(&instance.location, &store.access.coords) {
            Some(same) => goal.extend(same),
            None => goal.push(self.space.truth(false)),
        }
        let goal = self.space.and(&goal);
        let status = self.prove(&facts, goal, "claim");
        self.record(Kind::Claim, stmt, place.clone(), status);
        let status = match &store.value {
            Ok(value) => match instance.values.get(memory.component) {
                Some(specified) => self.equal_values(&facts, *value, *specified),
                None => Status::Open("a component that does not exist".to_owned()),
            },
            Err(reason) => Status::Open(reason.clone()),
        };
        self.record(Kind::Value, stmt, place, status);
    }

    fn equal_values(
        &mut self,
        facts: &[crate::space::FormulaId],
        stored: Value,
        specified: Value,
    ) -> Status {
        let compared = |checker: &mut Self, (stored, specified)| match checker
            .space
            .values_alike(stored, specified)
        {
            Some(alike) => {
                let status = checker.prove(facts, alike, "value");
                checker.or_settled(status, facts, stored, specified)
            }
            None => Status::Open("the stored value differs from the specification's".to_owned()),
        };
        let open = match compared(self, (stored, specified)) {
            Status::Closed(method) => return Status::Closed(method),
            open @ Status::Open(_) => open,
        };
        match self.unfolded(facts, (stored, specified)) {
            Some(sides) => compared(self, sides),
            None => open,
        }
    }
}
