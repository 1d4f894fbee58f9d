//! Intervals of integers, and the facts that they rest on.

use halidom_base::FxHashMap;
use halidom_ir::{ExprId, VarId};

use crate::bound::{Bounds, Interval, Limits};
use crate::program::Place;
use crate::space::{FormulaId, PolyId, Symbol, Value};

/// The interval of 64 bits.
pub(super) const WIDTH: Interval = (i64::MIN as i128, i64::MAX as i128);

/// Within this magnitude, intervals are good enough.
pub(super) const SMALL: i128 = 1 << 48;

/// A bounded product of two shapes: `first·second <= most`, both at least 0.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    pub(super) first: PolyId,
    pub(super) second: PolyId,
    pub(super) most: i128,
    /// The greatest values of the two shapes.
    pub(super) greatest: (i128, i128),
    /// The scope where it holds: an index of [`Ranges::scopes`].
    pub(super) scope: usize,
}

impl Limit {
    /// The same limit with its shapes exchanged.
    pub(super) fn swapped(self) -> Self {
        let (first, second) = (self.second, self.first);
        Self { first, second, greatest: (self.greatest.1, self.greatest.0), ..self }
    }
}

/// Conditions on parameters, and their consequences for sizes, together with the entry checks.
pub(super) struct Scope {
    pub(super) guards: Vec<FormulaId>,
    pub(super) bounds: Bounds,
    pub(super) limits: Limits,
    /// Values of symbols under which all of it holds.
    pub(super) models: Vec<FxHashMap<Symbol, i128>>,
}

/// Facts that are known while the checker goes through the program.
pub(super) struct Ranges<'a> {
    pub(super) parameters: &'a FxHashMap<VarId, Value>,
    pub(super) symbols: FxHashMap<Symbol, Interval>,
    pub(super) limits: Vec<Limit>,
    /// The facts under which limits hold. The first list is empty, for entry checks.
    pub(super) scopes: Vec<Vec<FormulaId>>,
    /// Intervals of loop variables and lets.
    pub(super) variables: FxHashMap<VarId, Interval>,
    /// Intervals that do not depend on the place.
    pub(super) known: FxHashMap<ExprId, Interval>,
    /// Intervals that depend on the conditions on parameters around the place (an index of
    /// `guarded`).
    pub(super) under: FxHashMap<(ExprId, usize), Interval>,
    /// Intervals that hold at the present place.
    pub(super) here: FxHashMap<ExprId, Interval>,
    /// Conditions on parameters that hold somewhere, with their consequences for sizes.
    pub(super) guarded: Vec<Scope>,
    /// For the facts of a place, the index of the conditions in `guarded`.
    pub(super) guards: FxHashMap<Vec<FormulaId>, usize>,
    /// Facts on products that were found on the way, each with the facts that it rests on.
    pub(super) products: Vec<(Vec<FormulaId>, FormulaId)>,
    /// The limit and the slack that succeeded last.
    pub(super) last: Option<(Limit, usize)>,
    /// The bits of the compiled code's `int`s.
    pub(super) bits: u32,
    /// True if the code checks that memory has fewer than 2^31 elements where it is taken.
    pub(super) checks_memory: bool,
    /// For `int`s of narrow code, the intervals that were shown and the facts under which they
    /// hold.
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
        self.here.insert(expr, found);
    }
}
