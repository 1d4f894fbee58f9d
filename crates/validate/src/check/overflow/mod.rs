//! Index arithmetic stays within 64 bits.
//!
//! # Correctness
//! For every `int` that the program computes, an interval that contains it is found, from the intervals of variables upwards: parameters and shapes from the entry
//! checks, loop variables from their bounds, lets from their values. Where that interval is wide, the expression's normal form is bounded too ([`crate::bound`]), and at last, for products,
//! `products` asks the solver. All contain the value, so their intersection does.
//! What an entry check itself computes is not covered: entry checks are assumed to be evaluated exactly, which the report says.

mod intervals;
mod products;
mod symbolic;

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Expr, ExprId, Intrinsic, Overflow, Scalar, UnaryOp, VarId};

use super::Checker;
use crate::bound::Interval;
use crate::program::{Binder, Computed, Memory, Place};
use crate::report::{Kind, Method, Status};
use crate::space::{FormulaId, Symbol, Value};

use intervals::{binary_range, product};
use products::Limit;
use symbolic::Scope;

/// All of 64 bits.
const WIDTH: Interval = (i64::MIN as i128, i64::MAX as i128);

/// What extents of temporaries are asked to be bounded by.
const LIKELY_EXTENTS: [i128; 2] = [1 << 12, 1 << 20];

/// Below this, intervals are good enough.
const SMALL: i128 = 1 << 48;

/// What is known while the program is gone through.
struct Ranges<'a> {
    parameters: &'a FxHashMap<VarId, Value>,
    symbols: FxHashMap<Symbol, Interval>,
    limits: Vec<Limit>,
    /// Facts under which limits hold; the first are none, for entry checks.
    scopes: Vec<Vec<FormulaId>>,
    /// Loop variables and lets.
    variables: FxHashMap<VarId, Interval>,
    /// Intervals that do not depend on the place.
    known: FxHashMap<ExprId, Interval>,
    /// Those that depend on the conditions on parameters around it (an index of `guarded`).
    under: FxHashMap<(ExprId, usize), Interval>,
    /// Those that hold at the present place.
    here: FxHashMap<ExprId, Interval>,
    /// Conditions on parameters that hold somewhere, with what they say of sizes.
    guarded: Vec<Scope>,
    /// Which of them hold under the facts of a place.
    guards: FxHashMap<Vec<FormulaId>, usize>,
    /// Facts on products that were found on the way, with what they rest on.
    products: Vec<(Vec<FormulaId>, FormulaId)>,
    /// The limit and the slack that served last.
    last: Option<(Limit, usize)>,
    /// What the compiled code's `int`s can be: all of 64 bits, or less.
    width: Interval,
}

impl Ranges<'_> {
    /// Whether the compiled code's `int`s are narrower than 64 bits: then what is not shown to fit is listed.
    fn is_narrow(&self) -> bool {
        self.width != WIDTH
    }
}

impl Checker<'_> {
    /// Obligations of kind `Overflow`.
    pub(crate) fn overflow(&mut self, parameters: &FxHashMap<VarId, Value>, width: u32) {
        let limit = 1_i128 << (width.clamp(1, 64) - 1);
        let symbols = self.symbol_ranges();
        let limits = self.limits(&symbols);
        let mut ranges = Ranges {
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
            width: (-limit, limit - 1),
        };
        let model = self.model;
        for computed in &model.computed {
            let mut intervals = Vec::new();
            ranges.here.clear();
            for expr in &computed.exprs {
                let mut failed = None;
                intervals.push(self.range(*expr, &computed.place, &mut ranges, &mut failed));
                let status = match failed {
                    None => Status::Closed(Method::Intervals),
                    // Invariant: what does not fit 64 bits is among what does not fit fewer.
                    Some(_) if ranges.is_narrow() => Status::Closed(Method::Listed),
                    Some(culprit) => Status::Open(format!(
                        "not shown to fit: {}",
                        halidom_ir::print::expr(self.pool, culprit)
                    )),
                };
                let place = format!("`{}`", halidom_ir::print::expr(self.pool, *expr));
                self.record(Kind::Overflow, Some(computed.stmt), place, status);
            }
            if let Some(memory) = computed.allocates {
                self.allocation(memory, &intervals, computed, &mut ranges);
            }
            match (computed.binds, intervals.as_slice()) {
                (Some((var, Binder::Let)), [value]) => drop(ranges.variables.insert(var, *value)),
                (Some((var, Binder::Loop)), [min, extent]) => {
                    let last = min.1.saturating_add(extent.1.max(1)) - 1;
                    let status = if last < WIDTH.1 {
                        Status::Closed(Method::Intervals)
                    } else if ranges.is_narrow() {
                        self.wide.extend(computed.exprs.last());
                        Status::Closed(Method::Listed)
                    } else {
                        Status::Open("the end of a loop is not shown to fit".to_owned())
                    };
                    let place = format!("loop over `{}`", self.pool.var(var).name);
                    self.record(Kind::Overflow, Some(computed.stmt), place, status);
                    ranges.variables.insert(var, (min.0, last.min(WIDTH.1)));
                }
                (_, _) => {}
            }
        }
    }

    /// An interval that contains the value of an `int` (or any interval for other types); notes the first subexpression that may leave 64 bits.
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
        // What an interval rests on is what those of its operands rest on, and more where it takes more to find it.
        let is_int = |operand: &&ExprId| self.pool.ty(**operand).scalar == Scalar::Int;
        let plain =
            operands.iter().filter(is_int).all(|operand| ranges.known.contains_key(operand));
        let mut guarded = operands.iter().filter(is_int).all(|operand| {
            ranges.known.contains_key(operand) || ranges.under.contains_key(&(*operand, scope))
        });
        let narrow = |found: Interval| found.0 >= -SMALL && found.1 <= SMALL;
        let mut direct = plain;
        // A product of extents that just fits (a stride) must be known better for the product with it to fit.
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
                // Or by their intervals, each the better of the two known.
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
        if found.0 < ranges.width.0 || found.1 > ranges.width.1 {
            self.wide.insert(expr);
        }
        if found.0 < WIDTH.0 || found.1 > WIDTH.1 {
            failed.get_or_insert(expr);
            return WIDTH;
        }
        if failed.is_none() {
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

    /// The interval of an expression from those of its operands.
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
            // Other expressions are no `int`s; if they are, the interval is everything.
            (
                Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select { .. }
                | Expr::Cast(..)
                | Expr::Call(..)
                | Expr::Ref { .. }
                | Expr::Load { .. }
                | Expr::Ramp { .. }
                | Expr::Broadcast { .. }
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

    /// The number of elements of a buffer fits, with room for their size in bytes: the sum over the dimensions of stride times extent. Where an entry check bounds
    /// such a product, it serves for indices into the buffer.
    fn allocation(
        &mut self,
        memory: usize,
        intervals: &[Interval],
        computed: &Computed,
        ranges: &mut Ranges<'_>,
    ) {
        let model = self.model;
        let memory = &model.memories[memory];
        let mut total = 0_i128;
        for (dim, interval) in memory.dims.iter().zip(intervals.chunks(3)) {
            let [_, extent, stride] = *interval else { continue };
            let plain = product(extent, stride);
            let mut most = plain.1;
            let elements = self.space.mul(dim.extent, dim.stride);
            if most > SMALL {
                let scope = self.scope(&computed.place, ranges);
                most = most.min(self.symbolic(elements, scope, ranges).1);
                let factors = [dim.extent, dim.stride];
                most = most.min(self.symbolic_product(factors, scope, ranges).1);
            }
            if plain.1 > SMALL {
                let limit = self.space.constant(SMALL);
                let goal = self.space.at_most(elements, limit);
                if most <= SMALL || self.follows(&computed.place.facts, goal, "elements") {
                    most = most.min(SMALL);
                    let scope = ranges.scopes.len();
                    ranges.scopes.push(computed.place.facts.clone());
                    let (first, second, greatest) = (dim.extent, dim.stride, (extent.1, stride.1));
                    ranges.limits.push(Limit { first, second, most, greatest, scope });
                } else if let Some(found) =
                    self.limited(dim.extent, dim.stride, &computed.place, ranges)
                {
                    most = found.1;
                }
            }
            total = total.saturating_add(most.max(0));
        }
        // At most 8 bytes an element.
        let most = WIDTH.1 / 8;
        let fits = total <= most
            || self.dense_size(memory, computed, ranges).is_some_and(|size| size <= most);
        let status = if fits {
            Status::Closed(Method::Intervals)
        } else if ranges.is_narrow() {
            self.wide.extend(computed.exprs.last());
            Status::Closed(Method::Listed)
        } else {
            Status::Open("the number of elements is not shown to fit".to_owned())
        };
        let place = format!("size of {}", self.pool.buffer(memory.buffer).name);
        self.record(Kind::Overflow, Some(computed.stmt), place, status);
    }

    /// A bound of the product of a buffer's extents, which is the number of its elements where they leave no gaps; of an extent, the least of a few numbers that the
    /// solver shows to bound it.
    fn dense_size(
        &mut self,
        memory: &Memory,
        computed: &Computed,
        ranges: &mut Ranges<'_>,
    ) -> Option<i128> {
        let one = self.space.constant(1);
        if !self.mixed_radix(&memory.dims, one) {
            return None;
        }
        let mut size = 1_i128;
        for dim in &memory.dims {
            let scope = self.scope(&computed.place, ranges);
            let mut most = self.symbolic(dim.extent, scope, ranges).1;
            for limit in LIKELY_EXTENTS {
                if most <= limit {
                    break;
                }
                let number = self.space.constant(limit);
                let goal = self.space.at_most(dim.extent, number);
                if self.follows(&computed.place.facts, goal, "extent") {
                    most = limit;
                }
            }
            size = size.checked_mul(most.max(0))?;
        }
        Some(size)
    }
}
