//! Integers fit the bits that the compiled code computes them with.
//!
//! # Correctness
//! `goals` lists what is owed: for code of 64 bits every `int`; for code of fewer bits (stock
//! Halide's) the `int`s that decide, and that indices fit in the end. `decide` shows it.
//!
//! For every `int` that the program computes, the checks find an interval that contains it.
//! Variables come first: entry checks give intervals for parameters and shapes, bounds give them
//! for loop variables, and values give them for lets. Where such an interval is wide, a tactic
//! proposes one for the expression's normal form, with a proof that is checked (`natural`). All
//! these intervals contain the value, so their intersection does too. They are intervals of the
//! unbounded `int` itself; that its operands fit is another goal.
//!
//! For code of 64 bits, the arithmetic of the entry checks themselves is not covered: they are
//! assumed to be evaluated exactly, and the report states this. Code of fewer bits computes entry
//! checks with these bits ([`Checker::admit`]).

mod decide;
mod goals;
mod ranges;

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Expr, ExprId, Intrinsic, Overflow, Scalar, UnaryOp, VarId};

use super::Checker;
use crate::obligation::door::Setting;
use crate::obligation::natural::{Grounds, Wanted};
use crate::obligation::record::{Kind, Method, Subject};
use crate::program::{Binder, Computed, EntryCheck, MemoryId, Place};
use crate::ranges::{Interval, binary, both, product, within};
use crate::space::{FormulaId, PolyId, Rename, Space, Value};

pub(crate) use decide::width;
use goals::Narrow;
pub(crate) use goals::Widths;
pub(crate) use ranges::SMALL;
use ranges::{Ranges, WIDTH};

/// The extent of a temporary that is small enough.
const SMALL_EXTENT: i128 = 1 << 12;

/// The arithmetic of the compiled code.
#[derive(Clone, Copy)]
pub(crate) struct Machine<'a> {
    /// The bits of its `int`s.
    pub(crate) widths: Widths<'a>,
    /// True if the code refuses to take memory of 2^31 elements and more: then 32 bits number all
    /// elements.
    pub(crate) checks_memory: bool,
}

impl Checker<'_> {
    /// Checks the obligations of kind `Overflow`.
    pub(crate) fn overflow(&mut self, parameters: &FxHashMap<VarId, Value>, machine: Machine<'_>) {
        let mut ranges = self.ranges(parameters, machine);
        let model = self.model;
        let mut narrow = ranges.is_narrow().then(|| Narrow::new(self.pool, machine.widths));
        if let Some(narrow) = &mut narrow {
            narrow.learn(model);
        }
        for computed in &model.computed {
            ranges.enter(&computed.place);
            let goals = match &mut narrow {
                Some(narrow) => narrow.at(computed),
                None => goals::wide(self.pool, model, computed),
            };
            for goal in goals {
                let status = self.decide_overflow(&goal, &mut ranges);
                if status.is_err() {
                    self.suppose(&goal, &mut ranges);
                }
                self.record(Kind::Overflow, goal.stmt, goal.what, status);
            }
            self.bind_range(computed, &mut ranges);
        }
    }

    /// Takes each entry check for granted once its arithmetic is shown to be exact. The others are
    /// open obligations. Checks that the code does not compute come first.
    ///
    /// # Correctness
    /// A run that any entry check refuses ends with an error. So in all other runs the code's
    /// arithmetic evaluated every entry check to true. A check that does not overflow, under others
    /// that are known to hold, holds itself. An open check may be tried again, so nothing supposes
    /// here that it holds.
    pub(crate) fn admit(
        &mut self,
        parameters: &FxHashMap<VarId, Value>,
        machine: Machine<'_>,
        contract: &halidom_base::FxHashSet<ExprId>,
    ) {
        let model = self.model;
        let is_granted =
            |check: &EntryCheck| machine.widths.bits >= 64 || contract.contains(&check.expr);
        let (granted, mut pending): (Vec<_>, Vec<_>) =
            model.entry.iter().enumerate().partition(|(_, check)| is_granted(check));
        self.grant(granted);
        while !pending.is_empty() {
            let mut ranges = self.ranges(parameters, machine);
            let mut narrow = Narrow::new(self.pool, machine.widths);
            let (mut shown, mut open) = (Vec::new(), Vec::new());
            for (number, check) in pending {
                let mut goals = narrow.of_check(check.expr, number).into_iter();
                let failed = goals.find_map(|goal| {
                    let status = self.decide_overflow(&goal, &mut ranges);
                    status.is_err().then_some((goal, status))
                });
                match failed {
                    Some(failed) => open.push(((number, check), failed)),
                    None => {
                        let subject = Subject::EntryCheck(number);
                        self.record(Kind::Overflow, None, subject, Ok(Method::Intervals));
                        shown.push((number, check));
                    }
                }
            }
            let (left, failed): (Vec<_>, Vec<_>) = open.into_iter().unzip();
            if shown.is_empty() {
                for (goal, status) in failed {
                    self.record(Kind::Overflow, goal.stmt, goal.what, status);
                }
                // These obligations are open, so nothing is proved.
                self.grant(left);
                break;
            }
            self.grant(shown);
            pending = left;
        }
    }

    /// Takes entry checks for granted in all that follows.
    fn grant(&mut self, checks: Vec<(usize, &EntryCheck)>) {
        let conditions: Vec<_> = checks.into_iter().map(|(_, check)| check.condition).collect();
        self.lia.assume(self.space, &conditions);
        self.entry.extend(conditions);
    }

    /// The facts that are known at first.
    fn ranges<'p>(
        &mut self,
        parameters: &'p FxHashMap<VarId, Value>,
        machine: Machine<'_>,
    ) -> Ranges<'p> {
        let (mut offsets, mut symbols) = (Rename::new(), Vec::new());
        for found in self.model.loops.values() {
            let min = offsets.poly(self.space, found.min);
            let offset = self.space.fresh("offset");
            offsets.insert(found.symbol, self.space.add(min, self.space.symbol(offset)));
            symbols.push(offset);
        }
        let known = parameters.values().filter_map(|value| match value {
            Value::Int(poly) => self.space.as_symbol(*poly),
            Value::Bool(_) | Value::Number(_) => None,
        });
        let bits = machine.widths.bits;
        let setting = Setting { parameters: known.collect(), offsets: symbols, bits };
        Ranges {
            parameters,
            offsets,
            proposer: self.tactics.intervals(setting),
            variables: FxHashMap::default(),
            known: FxHashMap::default(),
            here: FxHashMap::default(),
            facts: Vec::new(),
            bits,
            checks_memory: machine.checks_memory,
            shown: FxHashMap::default(),
            spans: FxHashMap::default(),
        }
    }

    /// Returns an interval that contains the value of an `int`, or any interval for other types.
    /// Records in `failed` the first subexpression that may leave 64 bits. In code of 64 bits, the
    /// interval is of the values that fit.
    fn range(
        &mut self,
        expr: ExprId,
        place: &Place,
        ranges: &mut Ranges<'_>,
        failed: &mut Option<ExprId>,
    ) -> Interval {
        let here = || ranges.here.get(&expr).map(|(_, found)| found);
        if let Some(known) = ranges.known.get(&expr).or_else(here) {
            return *known;
        }
        let node = self.pool.get(expr).clone();
        let mut operands = Vec::new();
        node.for_each_operand(|operand| operands.push(operand));
        let mut inner: Vec<Interval> =
            operands.iter().map(|operand| self.range(*operand, place, ranges, failed)).collect();
        let mut found = if let Expr::Var(var) = node {
            self.variable_range(var, ranges)
        } else {
            self.plain_range(&node, &inner)
        };
        if self.pool.ty(expr).scalar != Scalar::Int {
            return found;
        }
        // An interval depends on the place if one of an operand does, or if a proof is used.
        let is_int = |operand: &&ExprId| self.pool.ty(**operand).scalar == Scalar::Int;
        let mut direct =
            operands.iter().filter(is_int).all(|operand| ranges.known.contains_key(operand));
        let narrow = |found: Interval| found.0 >= -SMALL && found.1 <= SMALL;
        // A product of extents that just fits (a stride) needs a better bound, so that a product
        // with it can fit.
        if !narrow(found) {
            direct = false;
            let factors = self.factors(&node);
            let enough = (-SMALL, SMALL);
            let poly = self.model.ints.get(&expr).copied();
            if let Some(poly) = poly {
                let wanted = Wanted { poly, factors: None, enough };
                found = both(found, self.bounded(wanted, place, ranges));
            }
            if let Some(factors) = factors.filter(|_| !narrow(found)) {
                for (known, poly) in inner.iter_mut().zip(factors) {
                    let wanted = Wanted { poly, factors: None, enough };
                    *known = both(*known, self.bounded(wanted, place, ranges));
                }
                found = both(found, self.plain_range(&node, &inner));
            }
            if let Some(poly) = poly.filter(|_| factors.is_some() && !narrow(found)) {
                let wanted = Wanted { poly, factors, enough };
                found = both(found, self.bounded(wanted, place, ranges));
            }
        }
        if let Some(poly) = self.model.ints.get(&expr).filter(|_| !within(found, WIDTH)) {
            let wanted = Wanted { poly: *poly, factors: self.factors(&node), enough: WIDTH };
            found = both(found, self.bounded_at_last(wanted, place, ranges));
        }
        if !within(found, WIDTH) {
            failed.get_or_insert(expr);
            // The whole is not shown, so the interval of a part only serves to go on. Code of fewer
            // bits also has numbers of 64 bits, and numbers of any size, which owe nothing: their
            // intervals must contain them.
            if !ranges.is_narrow() {
                return ranges.shown_at(expr, place, WIDTH);
            }
        }
        if ranges.is_narrow() {
            // Use what was shown of it here or at a place around.
            found = ranges.shown_at(expr, place, found);
            ranges.note(expr, place, found);
        } else if failed.is_none() && direct {
            ranges.known.insert(expr, found);
        } else if failed.is_none() {
            ranges.note(expr, place, found);
        }
        found
    }

    /// Returns an interval that contains an integer at a place.
    fn bounded(&mut self, wanted: Wanted, place: &Place, ranges: &mut Ranges<'_>) -> Interval {
        if self.lia.is_hopeless() {
            return (i128::MIN, i128::MAX);
        }
        let (mut desk, _) = self.door();
        let found = ranges.proposer.bounded(&mut desk, wanted, place);
        // The solver assumes the entry checks ([`Self::grant`]).
        let (lia, entry) = (&mut *self.lia, &self.entry);
        let mut follows = |space: &Space, facts: &[FormulaId], goal| {
            let negated = space.not(goal);
            lia.ask(space, &[facts, &[negated]].concat(), "bounds").is_contradiction()
        };
        let offsets = &ranges.offsets;
        let mut grounds = Grounds { entry, offsets, follows: &mut follows };
        grounds.interval(self.space, wanted.poly, &found, &place.facts)
    }

    /// Returns the same, found with more time if it does not lie within the wanted interval. An
    /// obligation is open otherwise.
    fn bounded_at_last(
        &mut self,
        wanted: Wanted,
        place: &Place,
        ranges: &mut Ranges<'_>,
    ) -> Interval {
        let found = self.bounded(wanted, place, ranges);
        if within(found, wanted.enough) {
            return found;
        }
        let better = self.patiently(|checker| Some(checker.bounded(wanted, place, ranges)));
        better.map_or(found, |better| both(found, better))
    }

    /// Returns the factors of a product of `int`s.
    fn factors(&self, node: &Expr) -> Option<[PolyId; 2]> {
        let Expr::Binary(BinaryOp::Mul(Overflow::Unbounded), x, y) = node else { return None };
        let ints = &self.model.ints;
        Some([*ints.get(x)?, *ints.get(y)?])
    }

    /// Records the interval of a let's or a loop's variable.
    fn bind_range(&mut self, computed: &Computed, ranges: &mut Ranges<'_>) {
        let mut failed = None;
        let place = &computed.place;
        match (computed.binds, computed.exprs.as_slice()) {
            (Some((var, Binder::Let)), [value]) => {
                let found = self.range(*value, place, ranges, &mut failed);
                ranges.variables.insert(var, found);
            }
            (Some((var, Binder::Loop)), [min, extent]) => {
                let min = self.range(*min, place, ranges, &mut failed);
                let extent = self.range(*extent, place, ranges, &mut failed);
                let last = min.1.saturating_add(extent.1.max(1)) - 1;
                ranges.variables.insert(var, (min.0, last.min(WIDTH.1)));
            }
            (_, _) => {}
        }
    }

    /// Returns the interval of an expression that the intervals of its operands give.
    fn plain_range(&self, node: &Expr, inner: &[Interval]) -> Interval {
        match (node, inner) {
            (Expr::Const(constant), _) => {
                let value = constant.as_integer().unwrap_or(0);
                (value, value)
            }
            (Expr::Unary(UnaryOp::Neg(_), _), [(low, high)]) => {
                (high.saturating_neg(), low.saturating_neg())
            }
            (Expr::Binary(op, ..), [a, b]) => binary(*op, *a, *b),
            (Expr::Select { .. }, [_, a, b]) => (a.0.min(b.0), a.1.max(b.1)),
            (Expr::Cast(Scalar::Int, operand), [a]) => {
                let scalar = self.pool.ty(*operand).scalar;
                if scalar == Scalar::Int { *a } else { scalar.range().unwrap_or(WIDTH) }
            }
            (Expr::Call(Intrinsic::Abs, _), [(low, high)]) => {
                let greatest = low.saturating_abs().max(high.saturating_abs());
                (0, greatest)
            }
            (Expr::Ramp { lanes, .. }, [base, stride]) => {
                let last = product(*stride, (0, i128::from(*lanes) - 1));
                (base.0.saturating_add(last.0), base.1.saturating_add(last.1))
            }
            (Expr::Broadcast { .. }, [value]) => *value,
            // Other expressions are not `int`s. If they are, the interval contains everything.
            (
                Expr::Unary(..)
                | Expr::Var(_)
                | Expr::Binary(..)
                | Expr::Select { .. }
                | Expr::Cast(..)
                | Expr::Call(..)
                | Expr::Apply { .. }
                | Expr::Ref { .. }
                | Expr::Load { .. }
                | Expr::Ramp { .. }
                | Expr::Broadcast { .. }
                | Expr::Shuffle { .. }
                | Expr::Hole(_),
                _,
            ) => (i128::MIN, i128::MAX),
        }
    }

    fn variable_range(&mut self, var: VarId, ranges: &mut Ranges<'_>) -> Interval {
        let unknown = (i128::MIN, i128::MAX);
        match ranges.parameters.get(&var) {
            Some(Value::Int(poly)) => {
                let wanted = Wanted { poly: *poly, factors: None, enough: WIDTH };
                self.bounded(wanted, &Place::default(), ranges)
            }
            Some(Value::Bool(_) | Value::Number(_)) => unknown,
            None => ranges.variables.get(&var).copied().unwrap_or(unknown),
        }
    }

    /// Bounds the number of elements of memory by the sum of stride times extent over the
    /// dimensions, or by the product of the extents if there are no gaps.
    fn elements_of(
        &mut self,
        memory: MemoryId,
        dims: &[ExprId],
        place: &Place,
        ranges: &mut Ranges<'_>,
        most: i128,
    ) -> bool {
        let model = self.model;
        let memory = &model.memories[memory];
        let mut total = 0_i128;
        let mut failed = None;
        let intervals: Vec<Interval> =
            dims.iter().map(|expr| self.range(*expr, place, ranges, &mut failed)).collect();
        for (dim, interval) in memory.dims.iter().zip(intervals.chunks(3)) {
            let [_, extent, stride] = *interval else { continue };
            let mut size = product(extent, stride).1;
            if size > SMALL {
                let poly = self.space.mul(dim.extent, dim.stride);
                let factors = Some([dim.extent, dim.stride]);
                let wanted = Wanted { poly, factors, enough: (i128::MIN, SMALL) };
                size = size.min(self.bounded(wanted, place, ranges).1);
            }
            total = total.saturating_add(size.max(0));
        }
        if total <= most || !self.mixed_radix(&memory.dims) {
            return total <= most;
        }
        let mut size = 1_i128;
        for dim in &memory.dims {
            let enough = (i128::MIN, SMALL_EXTENT);
            let wanted = Wanted { poly: dim.extent, factors: None, enough };
            size = size.saturating_mul(self.bounded(wanted, place, ranges).1.max(0));
        }
        size <= most
    }
}
