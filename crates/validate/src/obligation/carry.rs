//! Promises that a label takes over from labels before it.
//!
//! # Correctness
//! If a func is stored around a serial loop that computes it, an iteration need not write again
//! what an earlier iteration left in the buffer (a sliding window). A [`Carry`] names an instance
//! of a label of the same buffer, in the same lifetime. It has the condition that the instance
//! exists and has certainly ended before the current label begins ([`order::before`]).
//!
//! The earlier promise still stands if nothing has overwritten it since. `Retention` shows this for
//! folded buffers and for funcs with updates. For other funcs, `Order` shows that every write to a
//! promised location stores the right value, unless it certainly runs before the promise. The
//! relation "certainly before" is well founded, so the induction over the run may use the promise.
//!
//! A tactic proposes the instances.

use std::rc::Rc;

use super::Checker;
use super::door::{Assignment, Earlier};
use crate::program::order::{self, Run};
use crate::program::{LabelId, loops};
use crate::space::{FormulaId, PolyId, Rename, Symbol};

/// An instance of a label that another instance relies on.
pub(super) struct Carry<'m> {
    /// The label.
    pub(super) from: LabelId,
    /// The instance, in terms of the loops of the label that relies on it.
    pub(super) run: Run<'m>,
    /// The condition that the instance exists and ends before the other begins.
    pub(super) exists: FormulaId,
    /// The region in which it promises right values.
    pub(super) region: Vec<(PolyId, PolyId)>,
}

/// The carries of each label that relies on others.
pub(super) type Relying<'m> = [(LabelId, Vec<Carry<'m>>)];

impl<'a> Checker<'a> {
    /// Returns the proposed label instances that end before an instance of a label.
    pub(super) fn carries(&mut self, label: LabelId) -> Vec<Carry<'a>> {
        // Invariant: no arbitrary number of a question has a symbol yet. A proposal that depended
        // on one might be kept only from the instance of a store that it was made for.
        if !self.found.arbitrary.is_empty() {
            return Vec::new();
        }
        let (mut desk, tactics) = self.door();
        let found = tactics.earlier(&mut desk, label);
        found.iter().filter_map(|earlier| self.carry(label, earlier)).collect()
    }

    /// Describes a proposed instance, if it belongs to a label of the same buffers in the same
    /// lifetime.
    fn carry(&mut self, label: LabelId, earlier: &Earlier) -> Option<Carry<'a>> {
        let model = self.model;
        let (from, to) = (earlier.from, &model.labels[label]);
        let other = model.labels.get(from)?;
        let depths = to.memories.iter().map(|memory| model.memories[*memory].place.steps.len());
        let lifetime = depths.max()?;
        let common = order::shared(&other.place.steps, &to.place.steps);
        if other.memories != to.memories || common < lifetime {
            return None;
        }
        // Invariant: the loops around the lifetime keep their values.
        let inner = loops(&other.place.steps[lifetime..]);
        let at = restricted(&earlier.at, inner.map(|index| model.loops[index].symbol));
        let run = Run { place: &other.place, at: Rc::new(at) };
        let mut exists = run.facts(self.space);
        exists.push(order::before(self.space, model, &run, &Run::of(&to.place)));
        let exists = self.space.and(exists);
        let region = run.at.region(self.space, &other.needed);
        Some(Carry { from, run, exists, region })
    }

    /// Returns the condition that one of these instances exists and promised these coordinates.
    pub(super) fn kept(&self, carries: &[Carry<'_>], coords: &[PolyId]) -> FormulaId {
        let promised =
            |carry: &Carry<'_>| self.space.and([carry.exists, self.inside(coords, &carry.region)]);
        self.space.or(carries.iter().map(promised))
    }
}

/// Makes the substitution that replaces only some symbols.
pub(super) fn restricted(at: &Assignment, to: impl IntoIterator<Item = Symbol>) -> Rename {
    let to: Vec<Symbol> = to.into_iter().collect();
    Rename::symbols(at.iter().copied().filter(|(symbol, _)| to.contains(symbol)))
}
