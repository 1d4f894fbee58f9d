//! Loads of every second, third or fourth element by dense loads.

use halidom_ir::{Expr, ExprId, Pool, Program};

use crate::LowerError;
use crate::vector_loads::{Replace, Spaced, replace_loads};

/// The distances for which shuffles are cheaper than single loads.
const STEPS: std::ops::RangeInclusive<u32> = 2..=4;

/// Replaces a load of every second, third or fourth element by a shuffle of dense loads. They load
/// the elements in between too, but none before the first lane's or after the last lane's element:
/// the last dense load ends there. Loads of buffers that other threads may write meanwhile stay.
///
/// Requires: vectors fit the machine.
/// Ensures: the same values; no load leaves the span of the load that it replaces.
pub fn load_dense(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    Ok(replace_loads(pool, program, &mut Dense))
}

struct Dense;

impl Replace for Dense {
    fn load(&mut self, pool: &mut Pool, load: &Spaced) -> Option<ExprId> {
        let count = u32::try_from(load.step).ok().filter(|step| STEPS.contains(step))?;
        let own = load.lanes;
        if own + 1 < count {
            return None;
        }
        let last = (own - 1) * (count - 1);
        let start = |part: u32| if part + 1 == count { last } else { part * own };
        // The part, and its lane, for each lane of the result.
        let taken: Vec<(u32, u32)> = (0..own)
            .map(|lane| lane * count)
            .map(
                |element| {
                    if element >= last { (count - 1, element) } else { (element / own, element) }
                },
            )
            .map(|(part, element)| (part, element - start(part)))
            .collect();
        let mut parts: Vec<u32> = taken.iter().map(|(part, _)| *part).collect();
        parts.dedup();
        let vectors = parts.iter().map(|part| load.dense_part(pool, start(*part).into()));
        let vectors = vectors.collect::<Option<Vec<_>>>()?.into();
        let lanes = taken.iter().map(|(part, lane)| {
            let number = parts.iter().take_while(|other| *other != part).count() as u32;
            number * own + lane
        });
        let lanes = lanes.collect();
        Some(pool.expr(Expr::Shuffle { vectors, lanes }))
    }
}
