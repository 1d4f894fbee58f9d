//! Updates that change nothing.
//!
//! # Correctness
//! An update instance writes one location. If its value is the one that the location has before the
//! instance, then the location's versions before and after the instance are equal, and so are all
//! that follow. Whoever reads one of them sees the same value whether the instance has run or not.
//! So `Coverage` does not owe the instance. (Halide leaves iterations out whose updates store what
//! they loaded.)
//!
//! This takes for granted that an earlier instance has written the location. A partial func has
//! locations of which that is not true: `Definedness` takes an instance that exists for one that
//! has run. So a partial func owes each of its instances.

use halidom_ir::FuncId;

use super::Checker;
use crate::space::{Choice, FormulaId, PolyId, Rename, Value};
use crate::specification::Instance;

/// The most conditions that are taken apart, one within the other.
const MOST_CASES: u32 = 3;

impl Checker<'_> {
    /// Returns a condition under which an instance of an update leaves a component of the location
    /// that it writes as it is, if one was found.
    pub(super) fn unchanged(
        &mut self,
        (func, stage): (FuncId, usize),
        component: usize,
        instance: &Instance,
        point: &[PolyId],
    ) -> Option<FormulaId> {
        if stage == 0 || self.pool.func(func).is_partial() {
            return None;
        }
        let (of, location) = ((func, component), &instance.location);
        let before = self.specification.before(self.space, of, stage, point, location)?;
        let same = self.same_by_cases((*instance.values.get(component)?, before), MOST_CASES)?;
        (same != self.space.truth(false)).then_some(same)
    }

    /// Returns a condition under which two values are equal, case by case for the conditions that
    /// choose the first one: `x * select(c, 2, 1)` is `x` where `c` does not hold.
    fn same_by_cases(&mut self, (a, b): (Value, Value), cases: u32) -> Option<FormulaId> {
        let conditions =
            self.space.choices(a).into_iter().rev().filter_map(|choice| match choice {
                Choice::Condition(condition) => Some(condition),
                Choice::Least(_) => None,
            });
        let Some(condition) = conditions.take(cases as usize).next() else {
            return self.space.values_alike(a, b);
        };
        let mut ways = Vec::new();
        for holds in [true, false] {
            let fact = if holds { condition } else { self.space.not(condition) };
            let mut case = Rename::new();
            case.override_formula(condition, self.space.truth(holds));
            let values = (case.value(self.space, a), case.value(self.space, b));
            if let Some(same) = self.same_by_cases(values, cases - 1) {
                ways.push(self.space.and([fact, same]));
            }
        }
        Some(self.space.or(ways))
    }
}
