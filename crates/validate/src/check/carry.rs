//! Promises that a label takes over from labels before it.
//!
//! # Correctness
//! If a func is stored around a serial loop that computes it, an iteration need not write again
//! what an earlier iteration left in the buffer (a sliding window). A [`Carry`] names an instance
//! of a label of the same buffer, in the same lifetime. It has the condition that the instance
//! exists and has certainly ended before the label at hand begins ([`order::before`]).
//!
//! The earlier promise still stands if nothing has overwritten it since. `Retention` shows this for
//! folded buffers and for funcs with updates. For other funcs, `Order` shows that every write to a
//! promised location stores the right value, whenever it runs. The relation "certainly before" is
//! well founded, so the induction over the run may use the promise.
//!
//! The choice of instances is a guess: the previous iteration, in each of the loops that the two
//! labels share.

use halidom_ir::LoopKind;

use super::Checker;
use crate::program::{Step, order};
use crate::space::{FormulaId, PolyId, Rename};

/// An instance of a label that another instance relies on.
pub(super) struct Carry {
    /// The label.
    pub(super) from: usize,
    /// Its loops, in terms of the loops of the label that relies on it.
    pub(super) at: Rename,
    /// The condition that the instance exists and ends before the other begins.
    pub(super) exists: FormulaId,
    /// The region in which it promises right values.
    pub(super) region: Vec<(PolyId, PolyId)>,
}

/// The most guesses that are tried.
const MOST: usize = 12;

impl Checker<'_> {
    /// Guesses the label instances just before an instance of a label, in the same lifetime of its
    /// buffer.
    pub(super) fn carries(&mut self, label: usize) -> Vec<Carry> {
        let model = self.model;
        let to = &model.labels[label];
        let depths = to.memories.iter().map(|memory| model.memories[*memory].place.steps.len());
        let Some(lifetime) = depths.max() else { return Vec::new() };
        let mut carries = Vec::new();
        for (from, other) in model.labels.iter().enumerate() {
            let common = order::shared(&other.place.steps, &to.place.steps);
            if other.memories != to.memories || common < lifetime {
                continue;
            }
            let loops = |steps: &[Step]| {
                let indices = steps.iter().filter_map(|step| match step {
                    Step::Loop(index) => Some(*index),
                    Step::Part(_) => None,
                });
                indices.collect::<Vec<usize>>()
            };
            let shared = loops(&to.place.steps[lifetime..common]);
            let own = loops(&other.place.steps[common..]);
            if let (Some(Step::Part(i)), Some(Step::Part(j))) =
                (other.place.steps.get(common), to.place.steps.get(common))
                && i < j
            {
                carries.push(self.carry(label, from, Rename::new(), &own));
            }
            for (position, index) in shared.iter().enumerate() {
                match model.loops[*index].kind {
                    LoopKind::Serial | LoopKind::Unrolled => {}
                    LoopKind::Parallel(_)
                    | LoopKind::GpuBlocks
                    | LoopKind::GpuThreads
                    | LoopKind::Vectorized => continue,
                }
                let symbol = model.loops[*index].symbol;
                let inner = &shared[position + 1..];
                let variable = self.space.symbol(symbol);
                let previous = self.space.offset(variable, -1);
                // The same iteration of the loops within, then their last iteration.
                let mut lasts = vec![own.clone()];
                if !inner.is_empty() {
                    lasts.push([inner, &own].concat());
                }
                for lasts in lasts {
                    let at = Rename::symbols([(symbol, previous)]);
                    carries.push(self.carry(label, from, at, &lasts));
                }
            }
        }
        carries.truncate(MOST);
        carries
    }

    /// Makes the instance of `from` at `at`, in the last iterations of `lasts` (outermost first).
    fn carry(&mut self, label: usize, from: usize, mut at: Rename, lasts: &[usize]) -> Carry {
        let model = self.model;
        for index in lasts {
            let found = &model.loops[*index];
            let min = at.poly(self.space, found.min);
            let extent = at.poly(self.space, found.extent);
            let end = self.space.add(min, extent);
            let last = self.space.offset(end, -1);
            at.insert(found.symbol, last);
        }
        let other = &model.labels[from];
        let mut exists = at.formulas(self.space, &other.place.facts);
        exists.push(order::before(
            self.space,
            model,
            (&other.place.steps, &mut at),
            (&model.labels[label].place.steps, &mut Rename::new()),
        ));
        let exists = self.space.and(&exists);
        let region = other
            .needed
            .iter()
            .map(|(min, extent)| (at.poly(self.space, *min), at.poly(self.space, *extent)))
            .collect();
        Carry { from, at, exists, region }
    }

    /// Returns the condition that one of these instances exists and promised these coordinates.
    pub(super) fn kept(&mut self, carries: &[Carry], coords: &[PolyId]) -> FormulaId {
        let mut ways = Vec::new();
        for carry in carries {
            let promised = self.inside(coords, &carry.region);
            ways.push(self.space.and(&[carry.exists, promised]));
        }
        self.space.or(&ways)
    }
}
