//! Intervals of integers, and the facts that they rest on.

use halidom_base::FxHashMap;
use halidom_ir::{ExprId, VarId};

use crate::obligation::door::Proposer;
use crate::program::Place;
use crate::ranges::Interval;
use crate::space::{FormulaId, Rename, Value};

/// The interval of 64 bits.
pub(super) const WIDTH: Interval = (i64::MIN as i128, i64::MAX as i128);

/// Within this magnitude, intervals are good enough.
pub(crate) const SMALL: i128 = 1 << 48;

/// Facts that are known while the checker goes through the program.
pub(super) struct Ranges<'a> {
    pub(super) parameters: &'a FxHashMap<VarId, Value>,
    /// Replaces loop variables by their minima and offsets.
    pub(super) offsets: Rename,
    /// Proposes intervals.
    pub(super) proposer: Box<dyn Proposer>,
    /// Intervals of loop variables and lets.
    pub(super) variables: FxHashMap<VarId, Interval>,
    /// Intervals that do not depend on the place.
    pub(super) known: FxHashMap<ExprId, Interval>,
    /// Intervals that hold under the first few of `facts`, and their number.
    pub(super) here: FxHashMap<ExprId, (usize, Interval)>,
    /// The facts of the present place.
    pub(super) facts: Vec<FormulaId>,
    /// The bits of the compiled code's `int`s.
    pub(super) bits: u32,
    /// True if the code checks that memory has fewer than 2^31 elements where it is taken.
    pub(super) checks_memory: bool,
    /// The intervals of `int`s that were shown, and the facts under which they hold.
    pub(super) shown: FxHashMap<ExprId, Vec<(Vec<FormulaId>, Interval)>>,
    /// For each caller's buffer that was asked about: true if its elements lie within 2^31.
    pub(super) spans: FxHashMap<halidom_ir::BufferId, bool>,
}

impl Ranges<'_> {
    /// Tests whether the compiled code's `int`s are narrower than 64 bits.
    pub(super) fn is_narrow(&self) -> bool {
        self.bits < 64
    }

    /// Narrows an interval by the intervals that were shown of the same `int` at the place.
    pub(super) fn shown_at(&self, expr: ExprId, place: &Place, mut found: Interval) -> Interval {
        for (facts, shown) in self.shown.get(&expr).into_iter().flatten() {
            if place.facts.starts_with(facts) {
                found = (found.0.max(shown.0), found.1.min(shown.1));
            }
        }
        found
    }

    /// Records the interval that was shown of an `int` at a place.
    pub(super) fn note_shown(&mut self, expr: ExprId, place: &Place, found: Interval) {
        self.shown.entry(expr).or_default().push((place.facts.clone(), found));
        self.note(expr, place, found);
    }

    /// Records the interval of an `int` at the present place.
    pub(super) fn note(&mut self, expr: ExprId, place: &Place, found: Interval) {
        self.here.insert(expr, (place.facts.len(), found));
    }

    /// Goes to a place. An interval stays known if the facts under which it holds are among those
    /// of the place.
    pub(super) fn enter(&mut self, place: &Place) {
        let same = self.facts.iter().zip(&place.facts).take_while(|(a, b)| a == b).count();
        if same < self.facts.len() {
            self.here.retain(|_, (count, _)| *count <= same);
        }
        self.facts.clone_from(&place.facts);
    }
}
