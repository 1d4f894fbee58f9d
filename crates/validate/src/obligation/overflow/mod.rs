//! Integers fit the bits that the compiled code computes them with.
//!
//! # Correctness
//! `goals` lists what is owed: for code of 64 bits every `int`; for code of fewer bits (stock
//! Halide's) the `int`s that decide, and that indices fit in the end. `decide` shows it.
//!
//! For every `int` that the program computes, the checks find an interval that contains it.
//! Variables come first: entry checks give intervals for parameters and shapes, bounds give them
//! for loop variables, and values give them for lets. Where such an interval is wide, the
//! expression's normal form is bounded too ([`crate::bound`]). For products, `products` asks the
//! solver at last. All these intervals contain the value, so their intersection does too. They are
//! intervals of the unbounded `int` itself; that its operands fit is another goal.
//!
//! For code of 64 bits, the arithmetic of the entry checks themselves is not covered: they are
//! assumed to be evaluated exactly, and the report states this. Code of fewer bits computes entry
//! checks with these bits ([`Checker::admit`]).

mod decide;
mod goals;
mod intervals;
mod products;
mod ranges;
mod symbolic;

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Expr, ExprId, Intrinsic, Overflow, Scalar, UnaryOp, VarId};

use super::Checker;
use crate::bound::Interval;
use crate::obligation::record::{Kind, Method, Status, Subject};
use crate::program::{Binder, Computed, Memory, MemoryId, Place};
use crate::space::{FormulaId, Value};

pub(crate) use decide::width;
use goals::Narrow;
pub(crate) use goals::Widths;
use intervals::{binary_range, product};
use ranges::{Limit, Ranges, SMALL, WIDTH};

/// Candidates for bounds of the extents of temporaries.
const LIKELY_EXTENTS: [i128; 2] = [1 << 12, 1 << 20];

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
            ranges.here.clear();
            let goals = match &mut narrow {
                Some(narrow) => narrow.at(computed),
                None => goals::wide(self.pool, model, computed),
            };
            for goal in goals {
                let status = self.decide_overflow(&goal, &mut ranges);
                self.settle(goal, status);
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
    /// that are known to hold, holds itself.
    pub(crate) fn admit(
        &mut self,
        parameters: &FxHashMap<VarId, Value>,
        machine: Machine<'_>,
        contract: &halidom_base::FxHashSet<ExprId>,
    ) {
        let model = self.model;
        let mut pending: Vec<usize> = Vec::new();
        let mut granted: Vec<FormulaId> = Vec::new();
        for (number, check) in model.entry.iter().enumerate() {
            if machine.widths.bits >= 64 || contract.contains(&check.expr) {
                granted.push(check.condition);
            } else {
                pending.push(number);
            }
        }
        self.grant(&granted);
        let mut last: Vec<(usize, crate::goal::Goal, Status)> = Vec::new();
        while !pending.is_empty() {
            let mut ranges = self.ranges(parameters, machine);
            let mut narrow = Narrow::new(self.pool, machine.widths);
            let (mut left, mut shown) = (Vec::new(), Vec::new());
            last.clear();
            for number in std::mem::take(&mut pending) {
                let check = &model.entry[number];
                let mut open = None;
                for goal in narrow.of_check(check.expr, number) {
                    let status = self.decide_overflow(&goal, &mut ranges);
                    if let Status::Open(_) = status {
                        open = Some((number, goal, status));
                        break;
                    }
                }
                match open {
                    None => {
                        shown.push(check.condition);
                        let status = Status::Closed(Method::Intervals);
                        self.record(Kind::Overflow, None, Subject::EntryCheck(number), status);
                    }
                    Some(open) => {
                        left.push(number);
                        last.push(open);
                    }
                }
            }
            self.grant(&shown);
            pending = left;
            if shown.is_empty() {
                break;
            }
        }
        if pending.is_empty() {
            last.clear();
        }
        for (_, goal, status) in last {
            self.settle(goal, status);
        }
        let rest: Vec<FormulaId> =
            pending.into_iter().map(|number| model.entry[number].condition).collect();
        // An obligation is open in this case, so nothing is proved.
        self.grant(&rest);
    }

    /// Takes entry checks for granted in all that follows.
    fn grant(&mut self, conditions: &[FormulaId]) {
        self.lia.assume(self.space, conditions);
        self.entry.extend_from_slice(conditions);
    }

    /// The facts that are known at first.
    fn ranges<'p>(
        &mut self,
        parameters: &'p FxHashMap<VarId, Value>,
        machine: Machine<'_>,
    ) -> Ranges<'p> {
        let symbols = self.symbol_ranges();
        let limits = self.limits(&symbols);
        Ranges {
            parameters,
            symbols,
            limits,
            scopes: vec![Vec::new()],
            variables: FxHashMap::default(),
            known: FxHashMap::default(),
            under: FxHashMap::default(),
            here: FxHashMap::default(),
            guarded: Vec::new(),
            guards: FxHashMap::default(),
            products: Vec::new(),
            last: None,
            bits: machine.widths.bits,
            checks_memory: machine.checks_memory,
            shown: FxHashMap::default(),
            spans: FxHashMap::default(),
        }
    }

    /// Returns an interval that contains the value of an `int`, or any interval for other types.
    /// Records in `failed` the first subexpression that may leave 64 bits.
    fn range(
        &mut self,
        expr: ExprId,
        place: &Place,
        ranges: &mut Ranges<'_>,
        failed: &mut Option<ExprId>,
    ) -> Interval {
        let scope = self.scope(place, ranges);
        let known = ranges.known.get(&expr).or_else(|| ranges.under.get(&(expr, scope)));
        if let Some(known) = known.or_else(|| ranges.here.get(&expr)) {
            return *known;
        }
        let node = self.pool.get(expr).clone();
        let mut operands = Vec::new();
        node.for_each_operand(|operand| operands.push(operand));
        let inner: Vec<Interval> =
            operands.iter().map(|operand| self.range(*operand, place, ranges, failed)).collect();
        let mut found = self.plain_range(&node, &inner, ranges);
        if self.pool.ty(expr).scalar != Scalar::Int {
            return found;
        }
        // An interval depends on what the intervals of its operands depend on, and on more if more
        // is used to find it.
        let is_int = |operand: &&ExprId| self.pool.ty(**operand).scalar == Scalar::Int;
        let plain =
            operands.iter().filter(is_int).all(|operand| ranges.known.contains_key(operand));
        let mut guarded = operands.iter().filter(is_int).all(|operand| {
            ranges.known.contains_key(operand) || ranges.under.contains_key(&(*operand, scope))
        });
        let narrow = |found: Interval| found.0 >= -SMALL && found.1 <= SMALL;
        let mut direct = plain;
        // A product of extents that just fits (a stride) needs a better bound, so that a product
        // with it can fit.
        if !narrow(found) {
            direct = false;
            if let Some(poly) = self.model.ints.get(&expr) {
                let symbolic = self.symbolic(*poly, scope, ranges);
                found = (found.0.max(symbolic.0), found.1.min(symbolic.1));
            }
            if !narrow(found)
                && let Expr::Binary(BinaryOp::Mul(Overflow::Unbounded), x, y) = &node
                && let (Some(x), Some(y)) = (self.model.ints.get(x), self.model.ints.get(y))
            {
                let factors = self.symbolic_product([*x, *y], scope, ranges);
                // Multiply the factors' intervals too, each intersected with the interval of its
                // normal form.
                let mut sides = Vec::new();
                for (known, poly) in inner.iter().zip([*x, *y]) {
                    let normal = self.symbolic(poly, scope, ranges);
                    sides.push((known.0.max(normal.0), known.1.min(normal.1)));
                }
                if let [a, b] = *sides.as_slice() {
                    let sides = product(a, b);
                    found = (found.0.max(sides.0), found.1.min(sides.1));
                }
                found = (found.0.max(factors.0), found.1.min(factors.1));
            }
            if !narrow(found)
                && !ranges.is_narrow()
                && let Expr::Binary(BinaryOp::Mul(Overflow::Unbounded), x, y) = &node
            {
                guarded = false;
                let ints = &self.model.ints;
                let limited = match (ints.get(x), ints.get(y)) {
                    (Some(x), Some(y)) => self.limited(*x, *y, place, ranges),
                    (Some(_) | None, _) => None,
                };
                if let Some(limited) = limited {
                    found = (found.0.max(limited.0), found.1.min(limited.1));
                }
                if (found.0 < WIDTH.0 || found.1 > WIDTH.1)
                    && let Some(product) = self.model.ints.get(&expr)
                    && self.is_small(*product, place)
                {
                    found = (-SMALL, SMALL);
                }
            }
        }
        if found.0 < WIDTH.0 || found.1 > WIDTH.1 {
            failed.get_or_insert(expr);
            return ranges.shown_at(expr, place, WIDTH);
        }
        if ranges.is_narrow() {
            // Use what was shown of it here or at a place around.
            found = ranges.shown_at(expr, place, found);
            ranges.here.insert(expr, found);
        } else if failed.is_none() {
            if direct {
                ranges.known.insert(expr, found);
            } else if guarded {
                ranges.under.insert((expr, scope), found);
            } else {
                ranges.here.insert(expr, found);
            }
        }
        found
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
    fn plain_range(&self, node: &Expr, inner: &[Interval], ranges: &Ranges<'_>) -> Interval {
        match (node, inner) {
            (Expr::Const(constant), _) => {
                let value = constant.as_integer().unwrap_or(0);
                (value, value)
            }
            (Expr::Var(var), _) => self.variable_range(*var, ranges),
            (Expr::Unary(UnaryOp::Neg(_), _), [(low, high)]) => {
                (high.saturating_neg(), low.saturating_neg())
            }
            (Expr::Binary(op, ..), [a, b]) => binary_range(*op, *a, *b),
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

    fn variable_range(&self, var: VarId, ranges: &Ranges<'_>) -> Interval {
        let unknown = (i128::MIN, i128::MAX);
        if let Some(value) = ranges.parameters.get(&var) {
            let Value::Int(poly) = value else { return unknown };
            let symbol = self.space.as_symbol(*poly);
            return symbol.and_then(|s| ranges.symbols.get(&s)).copied().unwrap_or(unknown);
        }
        ranges.variables.get(&var).copied().unwrap_or(unknown)
    }

    /// Bounds the number of elements of memory by the sum of stride times extent over the
    /// dimensions. Where such a product is bounded, the bound is recorded for indices into the
    /// buffer.
    fn elements_of(
        &mut self,
        memory: MemoryId,
        dims: &[ExprId],
        place: &Place,
        ranges: &mut Ranges<'_>,
    ) -> i128 {
        let model = self.model;
        let memory = &model.memories[memory];
        let mut total = 0_i128;
        let mut failed = None;
        let intervals: Vec<Interval> =
            dims.iter().map(|expr| self.range(*expr, place, ranges, &mut failed)).collect();
        for (dim, interval) in memory.dims.iter().zip(intervals.chunks(3)) {
            let [_, extent, stride] = *interval else { continue };
            let plain = product(extent, stride);
            let mut most = plain.1;
            let elements = self.space.mul(dim.extent, dim.stride);
            if most > SMALL {
                let scope = self.scope(place, ranges);
                most = most.min(self.symbolic(elements, scope, ranges).1);
                let factors = [dim.extent, dim.stride];
                most = most.min(self.symbolic_product(factors, scope, ranges).1);
            }
            if plain.1 > SMALL {
                let limit = self.space.constant(SMALL);
                let goal = self.space.at_most(elements, limit);
                if most <= SMALL || self.follows(&place.facts, goal, "elements") {
                    most = most.min(SMALL);
                    let scope = ranges.scopes.len();
                    ranges.scopes.push(place.facts.clone());
                    let (first, second, greatest) = (dim.extent, dim.stride, (extent.1, stride.1));
                    ranges.limits.push(Limit { first, second, most, greatest, scope });
                } else if let Some(found) = self.limited(dim.extent, dim.stride, place, ranges) {
                    most = found.1;
                }
            }
            total = total.saturating_add(most.max(0));
        }
        total
    }

    /// Bounds the product of a buffer's extents, which is the number of its elements if there are
    /// no gaps. An extent is bounded by its interval, or by the least of a few numbers for which
    /// the solver shows this.
    fn dense_size(
        &mut self,
        memory: &Memory,
        place: &Place,
        ranges: &mut Ranges<'_>,
    ) -> Option<i128> {
        let one = self.space.constant(1);
        if !self.mixed_radix(&memory.dims, one) {
            return None;
        }
        let mut size = 1_i128;
        for dim in &memory.dims {
            let scope = self.scope(place, ranges);
            let mut most = self.symbolic(dim.extent, scope, ranges).1;
            for limit in LIKELY_EXTENTS {
                if most <= limit {
                    break;
                }
                let number = self.space.constant(limit);
                let goal = self.space.at_most(dim.extent, number);
                if self.follows(&place.facts, goal, "extent") {
                    most = limit;
                }
            }
            size = size.checked_mul(most.max(0))?;
        }
        Some(size)
    }
}
