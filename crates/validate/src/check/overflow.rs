//! Index arithmetic stays within 64 bits.
//!
//! # Correctness
//! For every `int` that the program computes, an interval that contains it is found, from the intervals of variables upwards: parameters and shapes from the entry
//! checks, loop variables from their bounds, lets from their values. One rule goes beyond intervals. An entry check may bound a product of two shapes,
//! `e·s <= L` with `e, s >= 0` (elements of a buffer, say). If `|a| <= k·e + c` and `|b| <= l·s + d` follow from what holds at the place, then
//! `|a·b| <= k·l·e·s + k·d·e + c·l·s + c·d`, which is a number, and also a fact for the products after it.
//! What an entry check itself computes is not covered: entry checks are assumed to be evaluated exactly, which the report says.

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Expr, ExprId, Intrinsic, Overflow, Scalar, UnaryOp, VarId};

use super::Checker;
use crate::program::{Binder, Computed, Place};
use crate::report::{Kind, Method, Status};
use crate::space::{Atom, Formula, FormulaId, PolyId, Symbol, Value};

/// Least and greatest value.
type Interval = (i128, i128);

/// All of 64 bits.
const WIDTH: Interval = (i64::MIN as i128, i64::MAX as i128);

/// Below this, intervals are good enough.
const SMALL: i128 = 1 << 48;

/// A bounded product of two shapes: `first·second <= most`, both at least 0.
#[derive(Clone, Copy)]
struct Limit {
    first: PolyId,
    second: PolyId,
    most: i128,
    /// The greatest values of the two.
    greatest: (i128, i128),
    /// Where it holds: an index of [`Ranges::scopes`].
    scope: usize,
}

impl Limit {
    /// The same with its shapes exchanged.
    fn swapped(self) -> Self {
        let (first, second) = (self.second, self.first);
        Self { first, second, greatest: (self.greatest.1, self.greatest.0), ..self }
    }
}

/// Factors and offsets by which operands may exceed the shapes of a limit: (k, c) for the first, (l, d) for the second.
const SLACK: [((i128, i128), (i128, i128)); 3] =
    [((1, 1), (1, 1)), ((4, 64), (4, 64)), ((1, 1), (1024, 8192))];

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
    /// Facts on products that were found on the way, with what they rest on.
    products: Vec<(Vec<FormulaId>, FormulaId)>,
    /// The limit and the slack that served last.
    last: Option<(Limit, usize)>,
}

impl Checker<'_> {
    /// Obligations of kind `Overflow`.
    pub(crate) fn overflow(&mut self, parameters: &FxHashMap<VarId, Value>) {
        let symbols = self.symbol_ranges();
        let limits = self.limits(&symbols);
        let mut ranges = Ranges {
            parameters,
            symbols,
            limits,
            scopes: vec![Vec::new()],
            variables: FxHashMap::default(),
            known: FxHashMap::default(),
            products: Vec::new(),
            last: None,
        };
        let model = self.model;
        for computed in &model.computed {
            let mut intervals = Vec::new();
            for expr in &computed.exprs {
                let mut failed = None;
                intervals.push(self.range(*expr, &computed.place, &mut ranges, &mut failed));
                let status = match failed {
                    None => Status::Closed(Method::Intervals),
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

    /// The intervals of symbols that the entry checks give.
    fn symbol_ranges(&mut self) -> FxHashMap<Symbol, Interval> {
        let mut ranges: FxHashMap<Symbol, Interval> = FxHashMap::default();
        for condition in self.entry.clone() {
            for part in self.space.conjuncts(condition) {
                let (poly, equal) = match *self.space.formula(part) {
                    Formula::NonNegative(poly) => (poly, false),
                    Formula::Zero(poly) => (poly, true),
                    Formula::True
                    | Formula::False
                    | Formula::Holds(_)
                    | Formula::Not(_)
                    | Formula::And(_)
                    | Formula::Or(_) => continue,
                };
                let Some((symbol, positive, constant)) = self.unit(poly) else { continue };
                let range = ranges.entry(symbol).or_insert((i128::MIN, i128::MAX));
                // `s + c >= 0` is `s >= -c`; `c - s >= 0` is `s <= c`.
                let bound = if positive { constant.saturating_neg() } else { constant };
                if positive || equal {
                    range.0 = range.0.max(bound);
                }
                if !positive || equal {
                    range.1 = range.1.min(bound);
                }
            }
        }
        ranges
    }

    /// `±symbol + constant`.
    fn unit(&self, poly: PolyId) -> Option<(Symbol, bool, i128)> {
        let (mut found, mut constant) = (None, 0);
        for (monomial, coefficient) in &self.space.poly(poly).0 {
            match (&**monomial, *coefficient) {
                ([], value) => constant = value,
                ([atom], 1 | -1) if found.is_none() => match self.space.atom(*atom) {
                    Atom::Symbol(symbol) => found = Some((*symbol, *coefficient > 0)),
                    Atom::Min(_) | Atom::Div(..) | Atom::Select(..) | Atom::Value(_) => {
                        return None;
                    }
                },
                _ => return None,
            }
        }
        found.map(|(symbol, positive)| (symbol, positive, constant))
    }

    /// The bounded products among the entry checks: `L - e·s >= 0`.
    fn limits(&mut self, ranges: &FxHashMap<Symbol, Interval>) -> Vec<Limit> {
        let mut limits = Vec::new();
        for condition in self.entry.clone() {
            for part in self.space.conjuncts(condition) {
                let Formula::NonNegative(poly) = *self.space.formula(part) else { continue };
                let terms = self.space.poly(poly).clone();
                let (limit, product) = match &*terms.0 {
                    [(product, -1)] => (0, product),
                    [(constant, limit), (product, -1)] if constant.is_empty() => (*limit, product),
                    _ => continue,
                };
                let [first, second] = **product else { continue };
                let (first, second) = (self.space.atom_poly(first), self.space.atom_poly(second));
                let range = |poly| ranges.get(&self.space.as_symbol(poly)?).copied();
                let (Some(a), Some(b)) = (range(first), range(second)) else { continue };
                if a.0 >= 0 && b.0 >= 0 && a.1 < 1 << 64 && b.1 < 1 << 64 {
                    limits.push(Limit {
                        first,
                        second,
                        most: limit,
                        greatest: (a.1, b.1),
                        scope: 0,
                    });
                }
            }
        }
        limits
    }

    /// An interval that contains the value of an `int` (or any interval for other types); notes the first subexpression that may leave 64 bits.
    fn range(
        &mut self,
        expr: ExprId,
        place: &Place,
        ranges: &mut Ranges<'_>,
        failed: &mut Option<ExprId>,
    ) -> Interval {
        if let Some(known) = ranges.known.get(&expr) {
            return *known;
        }
        let mut placed = false;
        let found = self.range_of(expr, place, ranges, failed, &mut placed);
        if self.pool.ty(expr).scalar != Scalar::Int {
            return found;
        }
        if found.0 < WIDTH.0 || found.1 > WIDTH.1 {
            failed.get_or_insert(expr);
            return WIDTH;
        }
        if !placed && failed.is_none() {
            ranges.known.insert(expr, found);
        }
        found
    }

    fn range_of(
        &mut self,
        expr: ExprId,
        place: &Place,
        ranges: &mut Ranges<'_>,
        failed: &mut Option<ExprId>,
        placed: &mut bool,
    ) -> Interval {
        let node = self.pool.get(expr).clone();
        let mut operands = Vec::new();
        node.for_each_operand(|operand| operands.push(operand));
        let inner: Vec<Interval> =
            operands.iter().map(|operand| self.range(*operand, place, ranges, failed)).collect();
        // An interval found with the place's facts is not kept for other places.
        *placed = operands.iter().any(|operand| {
            self.pool.ty(*operand).scalar == Scalar::Int && !ranges.known.contains_key(operand)
        });
        match (&node, inner.as_slice()) {
            (Expr::Const(constant), _) => {
                let value = constant.as_integer().unwrap_or(0);
                (value, value)
            }
            (Expr::Var(var), _) => self.variable_range(*var, ranges),
            (Expr::Unary(UnaryOp::Neg(_), _), [(low, high)]) => {
                (high.saturating_neg(), low.saturating_neg())
            }
            (Expr::Binary(op, x, y), [a, b]) => {
                let plain = binary_range(*op, *a, *b);
                // A product of extents that just fits (a stride) must be known better for the product with it to fit.
                let small = plain.0 >= -SMALL && plain.1 <= SMALL;
                if small || !matches!(op, BinaryOp::Mul(Overflow::Unbounded)) {
                    return plain;
                }
                *placed = true;
                let ints = &self.model.ints;
                match (ints.get(x), ints.get(y)) {
                    (Some(x), Some(y)) => self.limited(*x, *y, place, ranges).unwrap_or(plain),
                    (Some(_) | None, _) => plain,
                }
            }
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
            if most > SMALL {
                let elements = self.space.mul(dim.extent, dim.stride);
                let limit = self.space.constant(SMALL);
                let goal = self.space.at_most(elements, limit);
                if self.follows(&computed.place.facts, goal, "elements") {
                    let scope = ranges.scopes.len();
                    ranges.scopes.push(computed.place.facts.clone());
                    let (first, second, greatest) = (dim.extent, dim.stride, (extent.1, stride.1));
                    ranges.limits.push(Limit { first, second, most: SMALL, greatest, scope });
                    most = SMALL;
                } else if let Some(found) =
                    self.limited(dim.extent, dim.stride, &computed.place, ranges)
                {
                    most = found.1;
                }
            }
            total = total.saturating_add(most.max(0));
        }
        // At most 8 bytes an element.
        let status = if total <= WIDTH.1 / 8 {
            Status::Closed(Method::Intervals)
        } else {
            Status::Open("the number of elements is not shown to fit".to_owned())
        };
        let place = format!("size of {}", self.pool.buffer(memory.buffer).name);
        self.record(Kind::Overflow, Some(computed.stmt), place, status);
    }

    /// The product rule.
    fn limited(
        &mut self,
        left: PolyId,
        right: PolyId,
        place: &Place,
        ranges: &mut Ranges<'_>,
    ) -> Option<Interval> {
        let mut facts = place.facts.clone();
        // What was found under facts that hold here too.
        let found = ranges.products.iter().filter(|(under, _)| place.facts.starts_with(under));
        facts.extend(found.map(|(_, fact)| *fact));
        let mut tries: Vec<(Limit, usize)> = Vec::new();
        // What served last is likely to serve again.
        tries.extend(ranges.last);
        for slack in 0..SLACK.len() {
            for limit in &ranges.limits {
                tries.extend([(*limit, slack), (limit.swapped(), slack)]);
            }
        }
        // A limit of this very shape, a buffer's own stride say, is the likeliest of all.
        tries.sort_by_key(|(limit, _)| limit.second != right);
        for (limit, slack) in tries {
            let scope = ranges.scopes.get(limit.scope);
            if scope.is_none_or(|scope| !place.facts.starts_with(scope)) {
                continue;
            }
            let ((k, c), (l, d)) = SLACK[slack];
            let bound = (k * l).checked_mul(limit.most)?
                + (k * d).checked_mul(limit.greatest.0)?
                + (c * l).checked_mul(limit.greatest.1)?
                + c * d;
            if bound > WIDTH.1 / 16
                || !self.magnitude(&facts, right, limit.second, (l, d))
                || !self.magnitude(&facts, left, limit.first, (k, c))
            {
                continue;
            }
            // |a·b| <= k·l·e·s + k·d·e + c·l·s + c·d, as a fact about products.
            let area = self.space.mul(limit.first, limit.second);
            let most =
                self.space.combine(&[(area, k * l), (limit.first, k * d), (limit.second, c * l)]);
            let most = self.space.offset(most, c * d);
            let product = self.space.mul(left, right);
            let least = self.space.scale(most, -1);
            let within = [self.space.at_most(least, product), self.space.at_most(product, most)];
            let within = self.space.and(&within);
            ranges.products.push((place.facts.clone(), within));
            ranges.last = Some((limit, slack));
            return Some((-bound, bound));
        }
        None
    }

    /// Whether `|value| <= factor·shape + offset` follows, where the shape is at least 0, the factor at least 1 and the offset not negative.
    fn magnitude(
        &mut self,
        facts: &[FormulaId],
        value: PolyId,
        shape: PolyId,
        (factor, offset): (i128, i128),
    ) -> bool {
        if value == shape {
            return true;
        }
        let most = self.space.scale(shape, factor);
        let most = self.space.offset(most, offset);
        let least = self.space.scale(most, -1);
        let both = [self.space.at_most(least, value), self.space.at_most(value, most)];
        let goal = self.space.and(&both);
        self.follows(facts, goal, "magnitude")
    }
}

fn product(a: Interval, b: Interval) -> Interval {
    let corners = [
        a.0.saturating_mul(b.0),
        a.0.saturating_mul(b.1),
        a.1.saturating_mul(b.0),
        a.1.saturating_mul(b.1),
    ];
    (corners.into_iter().min().unwrap_or(i128::MIN), corners.into_iter().max().unwrap_or(i128::MAX))
}

fn binary_range(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    match op {
        BinaryOp::Add(_) => (a.0.saturating_add(b.0), a.1.saturating_add(b.1)),
        BinaryOp::Sub(_) => (a.0.saturating_sub(b.1), a.1.saturating_sub(b.0)),
        BinaryOp::Mul(_) => product(a, b),
        BinaryOp::Min => (a.0.min(b.0), a.1.min(b.1)),
        BinaryOp::Max => (a.0.max(b.0), a.1.max(b.1)),
        BinaryOp::Div if b.0 > 0 => {
            let corners = [
                a.0.div_euclid(b.0),
                a.0.div_euclid(b.1),
                a.1.div_euclid(b.0),
                a.1.div_euclid(b.1),
            ];
            let (low, high) = (corners.iter().min(), corners.iter().max());
            (low.copied().unwrap_or(i128::MIN), high.copied().unwrap_or(i128::MAX))
        }
        // |x / y| <= |x|, and rounding away from zero by one for a negative x.
        BinaryOp::Div => {
            let most = a.0.saturating_abs().max(a.1.saturating_abs());
            (most.saturating_neg(), most)
        }
        BinaryOp::Mod => {
            let most = b.0.saturating_abs().max(b.1.saturating_abs());
            (0, most.saturating_sub(1).max(0))
        }
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => (i128::MIN, i128::MAX),
    }
}
