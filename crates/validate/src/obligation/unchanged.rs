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
//!
//! A tactic proposes a condition, and a proof that the two values are equal where it holds.

use halidom_ir::FuncId;

use super::Checker;
use super::proof::Aim;
use crate::floats::Floats;
use crate::space::{FormulaId, PolyId};
use crate::specification::Instance;

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
        let before = self.specification.before(of, stage, point, location)?;
        let values = (*instance.values.get(component)?, before);
        let (mut desk, tactics) = self.door();
        let (same, proof) = tactics.unchanged(&mut desk, values)?;
        let aim = Aim::Equal(values.0, values.1);
        self.check(&[same], aim, &proof, Floats::Bits).map(|_| same)
    }
}
