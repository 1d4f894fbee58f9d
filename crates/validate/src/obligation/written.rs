//! Reads of funcs that have no value somewhere.
//!
//! # Correctness
//! A func is *partial* if its pure stage has a predicate. Where the predicate does not hold, the
//! value before all updates is arbitrary: an unknown, but fixed, value for each location. The
//! theorem then holds for every choice of these values. The program's memory does not hold them, so
//! a label promises the func's final value only where some instance writes the location, and each
//! load that matters must read such a location.
//!
//! An instance that reads its own func needs an earlier instance that writes the location. By
//! `Order`, that one has run before. The order of a stage whose updates commute is not checked, so
//! there only instances of earlier stages count.
//!
//! Tactics propose the instance. It exists, and writes the location, if the formula holds.

use halidom_ir::FuncId;

use super::Checker;
use crate::program::Store;
use crate::space::{FormulaId, PolyId};

impl Checker<'_> {
    /// Returns a condition under which some instance writes a location of a func.
    pub(super) fn written(&mut self, func: FuncId, coords: &[PolyId]) -> FormulaId {
        self.written_by(func, coords, None)
    }

    /// Returns a condition under which an instance writes a location of a store's func, and has run
    /// before the instance that the store claims.
    pub(super) fn written_before(&mut self, store: &Store, coords: &[PolyId]) -> FormulaId {
        self.written_by(store.func, coords, Some((store.stage, &store.point)))
    }

    fn written_by(
        &mut self,
        func: FuncId,
        coords: &[PolyId],
        before: Option<(usize, &[PolyId])>,
    ) -> FormulaId {
        if !self.pool.func(func).is_partial() {
            return self.space.truth(true);
        }
        let stages = match before {
            None => self.specification.stages(func),
            Some((stage, _)) if self.laws.commutes(self.pool, func, stage).is_ok() => stage,
            Some((stage, _)) => stage + 1,
        };
        let mut ways = Vec::new();
        for stage in 0..stages {
            let there = before.filter(|(reader, _)| *reader == stage).map(|(_, point)| point);
            let (mut desk, tactics) = self.door();
            for point in tactics.origins(&mut desk, (func, stage), coords, there) {
                let Ok(instance) = self.specification.instance((func, stage), coords, &point)
                else {
                    continue;
                };
                let Some(mut way) = self.space.equalities(&instance.location, coords) else {
                    continue;
                };
                way.push(instance.exists);
                if let Some(reader) = before {
                    way.push(self.earlier((stage, &point), reader));
                }
                ways.push(self.space.and(way));
            }
        }
        self.space.or(ways)
    }
}
