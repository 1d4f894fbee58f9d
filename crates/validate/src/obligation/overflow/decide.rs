//! Decides the goals of overflow.
//!
//! # Correctness
//! A goal is closed by an interval that contains its `int` ([`super`]), or by the solver under the
//! facts of its place. `Bounds` shows that an access lies in its buffer, so its index is at least 0
//! and less than the buffer's number of elements. Strides of callers' buffers are not negative, by
//! the checks of their layout.

use halidom_ir::{BufferId, BufferKind, ExprId, StmtId, VarId};

use super::Checker;
use super::ranges::{Ranges, WIDTH};
use crate::goal::{Claim, Goal};
use crate::lia::Outcome;
use crate::obligation::natural::Wanted;
use crate::obligation::record::{Method, Reason, Status, Wide};
use crate::program::Place;
use crate::ranges::{Interval, both, within};
use crate::space::{PolyId, Symbol};

/// One more than the greatest element number in 32 bits.
const SPAN: i128 = 1 << 31;

impl Checker<'_> {
    /// Decides a goal of overflow.
    pub(super) fn decide_overflow(&mut self, goal: &Goal, ranges: &mut Ranges<'_>) -> Status {
        let place = &goal.place;
        match &goal.claim {
            Claim::Arithmetic { expr } => {
                let mut failed = None;
                self.range(*expr, place, ranges, &mut failed);
                failed.map_or(Ok(Method::Intervals), |culprit| Err(Reason::NotFit(culprit)))
            }
            Claim::Fits { expr, bits, stored } => {
                self.fits((*expr, *bits), stored.as_deref(), place, ranges)
            }
            Claim::End { var, min, extent, bits } => {
                self.ends((*var, *min, *extent), *bits, place, ranges)
            }
            Claim::Index { buffer, bits } => self.index_fits(*buffer, *bits, ranges),
            Claim::Elements { memory, dims } => {
                // An element takes at most 8 bytes.
                let most = WIDTH.1 / 8;
                let fits = self.elements_of(*memory, dims, place, ranges, most);
                let open = "the number of elements is not shown to fit";
                fits.then_some(Method::Intervals).ok_or(open.into())
            }
        }
    }

    fn fits(
        &mut self,
        (expr, bits): (ExprId, u32),
        stored: Option<&[StmtId]>,
        place: &Place,
        ranges: &mut Ranges<'_>,
    ) -> Status {
        let status = self.shown_to_fit(expr, bits, place, ranges);
        // This says nothing about other uses of the expression.
        if let (Err(_), Some(stores)) = (&status, stored)
            && stores.iter().all(|stmt| self.fits_where_needed((expr, bits), *stmt, place))
        {
            return Ok(Method::Solver);
        }
        if status.is_ok() {
            self.note_fits((expr, bits), place, ranges);
        }
        status
    }

    /// Notes that an `int` fits: it is shown, or an obligation that it fits is open.
    fn note_fits(&mut self, (expr, bits): (ExprId, u32), place: &Place, ranges: &mut Ranges<'_>) {
        let mut failed = None;
        let found = self.range(expr, place, ranges, &mut failed);
        ranges.note_shown(expr, place, both(found, width(bits)));
    }

    /// Takes a goal for granted in all that follows. Its obligation is open, so the verdict is
    /// unknown anyway, and the rest is judged as if it held.
    pub(super) fn suppose(&mut self, goal: &Goal, ranges: &mut Ranges<'_>) {
        if let Claim::Fits { expr, bits, .. } = goal.claim {
            self.note_fits((expr, bits), &goal.place, ranges);
        }
    }

    /// Shows that a part of a stored value fits where the value is needed. There, the algorithm
    /// computes the value too, and the `int`s of its own that are known to have some width fit it.
    /// Elsewhere, nothing depends on the value.
    fn fits_where_needed(&mut self, (expr, bits): (ExprId, u32), of: StmtId, at: &Place) -> bool {
        let model = self.model;
        let Some(poly) = model.ints.get(&expr).copied() else { return false };
        let mut stores = model.stores.values().filter(|store| store.access.stmt == of).peekable();
        stores.peek().is_some()
            && stores.all(|store| {
                let Ok((mut facts, instance)) = self.claimed(store) else { return false };
                facts.extend_from_slice(&at.facts);
                facts.push(instance.exists);
                for (int, bits) in instance.ints {
                    let (low, high) = width(bits);
                    let (low, count) =
                        (self.space.constant(low), self.space.constant(high - low + 1));
                    facts.push(self.space.within(int, low, count));
                }
                let place = Place { facts, ..Place::default() };
                self.lies_within(poly, width(bits), &place).is_ok()
            })
    }

    fn shown_to_fit(
        &mut self,
        expr: ExprId,
        bits: u32,
        place: &Place,
        ranges: &mut Ranges<'_>,
    ) -> Status {
        let width = width(bits);
        let mut failed = None;
        let mut found = self.range(expr, place, ranges, &mut failed);
        if within(found, width) {
            return Ok(Method::Intervals);
        }
        let Some(poly) = self.model.ints.get(&expr).copied() else {
            return Err(Reason::MayOverflow(Wide::Expr(expr), bits, None, None));
        };
        let factors = self.factors(self.pool.get(expr));
        let wanted = Wanted { poly, factors, enough: width };
        found = both(found, self.bounded_at_last(wanted, place, ranges));
        if within(found, width) {
            ranges.note_shown(expr, place, found);
            return Ok(Method::Intervals);
        }
        self.lies_within(poly, width, place)
            .map_err(|values| Reason::MayOverflow(Wide::Expr(expr), bits, Some(poly), values))
    }

    fn ends(
        &mut self,
        (var, min, extent): (VarId, ExprId, ExprId),
        bits: u32,
        place: &Place,
        ranges: &mut Ranges<'_>,
    ) -> Status {
        let width = width(bits);
        let mut failed = None;
        let first = self.range(min, place, ranges, &mut failed);
        let length = self.range(extent, place, ranges, &mut failed);
        let sum = (first.0.saturating_add(length.0), first.1.saturating_add(length.1));
        if within(sum, width) {
            return Ok(Method::Intervals);
        }
        let ints = &self.model.ints;
        let (Some(first), Some(length)) = (ints.get(&min), ints.get(&extent)) else {
            return Err("the end of a loop is not known".into());
        };
        let end = self.space.add(*first, *length);
        let wanted = Wanted { poly: end, factors: None, enough: width };
        if within(self.bounded_at_last(wanted, place, ranges), width) {
            return Ok(Method::Intervals);
        }
        self.lies_within(end, width, place)
            .map_err(|values| Reason::MayOverflow(Wide::End(var), bits, Some(end), values))
    }

    /// Asks the solver whether an integer lies in an interval.
    ///
    /// # Errors
    /// Returns sizes at which it may not, if the solver has such sizes.
    fn lies_within(
        &mut self,
        poly: PolyId,
        (low, high): Interval,
        place: &Place,
    ) -> Result<Method, Option<Vec<(Symbol, i128)>>> {
        let (low, high) = (self.space.constant(low), self.space.constant(high));
        let sides = [self.space.at_most(low, poly), self.space.at_most(poly, high)];
        match self.denied(&place.facts, self.space.and(sides), "overflow") {
            Outcome::Contradiction(method) => Ok(method),
            Outcome::Possible(values) => Err(Some(values)),
            Outcome::Undecided(_) => Err(None),
        }
    }

    /// Checks that element numbers of a buffer have this many bits.
    fn index_fits(&mut self, buffer: BufferId, bits: u32, ranges: &mut Ranges<'_>) -> Status {
        if bits > 32 {
            return Ok(Method::Structure);
        }
        let kind = self.pool.buffer(buffer).kind;
        if kind == BufferKind::Internal && ranges.checks_memory {
            return Ok(Method::Structure);
        }
        let fits = match ranges.spans.get(&buffer) {
            Some(known) => *known,
            None => {
                let found = self.spans(buffer, ranges);
                ranges.spans.insert(buffer, found);
                found
            }
        };
        let name = &self.pool.buffer(buffer).name;
        let open =
            format!("may overflow in {bits} bits: `{name}` may have elements 2^31 from its first");
        fits.then_some(Method::Solver).ok_or(open.into())
    }

    /// Tests whether the last element of each memory of a buffer has a number below 2^31.
    fn spans(&mut self, buffer: BufferId, ranges: &mut Ranges<'_>) -> bool {
        let model = self.model;
        let one = self.space.constant(1);
        model.memories.values().filter(|memory| memory.buffer == buffer).all(|memory| {
            let mut last = self.space.constant(0);
            for dim in &memory.dims {
                let length = self.space.mul(self.space.sub(dim.extent, one), dim.stride);
                last = self.space.add(last, length);
            }
            let wanted = Wanted { poly: last, factors: None, enough: (i128::MIN, SPAN - 1) };
            self.bounded(wanted, &memory.place, ranges).1 < SPAN
        })
    }
}

/// The interval of integers with this many bits.
pub(crate) fn width(bits: u32) -> Interval {
    let limit = 1_i128 << (bits.clamp(1, 64) - 1);
    (-limit, limit - 1)
}
