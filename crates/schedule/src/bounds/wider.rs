//! Answers to a query that no engine would give, for tests of properties that hold of all answers.
//!
//! Regions are found from the users of a func down to the funcs that it uses, each from the regions
//! of its users. So a region may grow when it is found: everything that depends on it is derived
//! from the larger region, and the answer as a whole satisfies the query.

use halidom_ir::FuncId;

use super::{Engine, Region, Solver};

impl Solver<'_, '_> {
    /// Chooses one of the engines for the regions of the next func.
    pub(super) fn choose_engine(&mut self) {
        if let Some(choose) = &mut self.choose {
            self.engine = if choose(2) == 0 { Engine::Reference } else { Engine::Default };
        }
    }

    /// Enlarges a region, in dimensions that no directive fixes or aligns. Half of the ends stay;
    /// others move by a few elements, or to a number.
    pub(super) fn widen(&mut self, func: FuncId, region: &mut Region) {
        let Some(choose) = &mut self.choose else { return };
        // A larger output needs a larger buffer from the caller, so it is only sometimes enlarged.
        if self.lowered.is_output(func) && choose(4) != 0 {
            return;
        }
        let fixed: Vec<usize> = self
            .lowered
            .plan(func)
            .into_iter()
            .flat_map(|plan| plan.bounds.iter().map(|directive| directive.dim))
            .collect();
        for (dim, (low, high)) in region.iter_mut().enumerate() {
            if fixed.contains(&dim) {
                continue;
            }
            for (end, is_low) in [(low, true), (high, false)] {
                let by = i128::from(choose(5)) + 1;
                let (sign, op) = if is_low {
                    (-1, halidom_ir::BinaryOp::Min)
                } else {
                    (1, halidom_ir::BinaryOp::Max)
                };
                *end = match choose(4) {
                    0 | 1 => continue,
                    2 => self.algebra.offset(*end, sign * by),
                    _ => {
                        let number = self.algebra.int(sign * by);
                        self.algebra.combine(op, *end, number)
                    }
                };
            }
        }
    }
}
