//! Constant bounds of `int` expressions.

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Expr, ExprId, Pool, Scalar, UnaryOp, VarId};

/// The integers from `low` to `high`; an absent end is infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) low: Option<i128>,
    pub(crate) high: Option<i128>,
}

impl Interval {
    /// Every integer.
    pub(crate) const ALL: Self = Self { low: None, high: None };

    pub(crate) fn of(low: i128, high: i128) -> Self {
        Self { low: Some(low), high: Some(high) }
    }

    /// Returns the intersection of both.
    pub(crate) fn meet(self, other: Self) -> Self {
        let pick = |a: Option<i128>, b: Option<i128>, better: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(better(a, b)),
            (a, b) => a.or(b),
        };
        Self {
            low: pick(self.low, other.low, i128::max),
            high: pick(self.high, other.high, i128::min),
        }
    }

    /// Returns the least interval around both.
    pub(crate) fn join(self, other: Self) -> Self {
        Self {
            low: self.low.zip(other.low).map(|(a, b)| a.min(b)),
            high: self.high.zip(other.high).map(|(a, b)| a.max(b)),
        }
    }

    /// Returns the interval of the minimum of two numbers.
    pub(crate) fn lesser(self, other: Self) -> Self {
        Self { low: self.join(other).low, high: self.meet(other).high }
    }

    /// Returns the interval of the maximum of two numbers.
    pub(crate) fn greater(self, other: Self) -> Self {
        Self { low: self.meet(other).low, high: self.join(other).high }
    }

    pub(crate) fn add(self, other: Self) -> Self {
        Self {
            low: self.low.zip(other.low).and_then(|(a, b)| a.checked_add(b)),
            high: self.high.zip(other.high).and_then(|(a, b)| a.checked_add(b)),
        }
    }

    fn negate(self) -> Self {
        Self {
            low: self.high.and_then(i128::checked_neg),
            high: self.low.and_then(i128::checked_neg),
        }
    }

    pub(crate) fn scale(self, factor: i128) -> Self {
        let times = |end: Option<i128>| end.and_then(|end| end.checked_mul(factor));
        match factor {
            0 => Self::of(0, 0),
            1.. => Self { low: times(self.low), high: times(self.high) },
            i128::MIN..=-1 => Self { low: times(self.high), high: times(self.low) },
        }
    }

    fn mul(self, other: Self) -> Self {
        if let (Some(low), Some(high)) = (other.low, other.high)
            && low == high
        {
            return self.scale(low);
        }
        if let (Some(low), Some(high)) = (self.low, self.high)
            && low == high
        {
            return other.scale(low);
        }
        match (self.low, self.high, other.low, other.high) {
            (Some(a), Some(b), Some(c), Some(d)) => {
                let corners = [(a, c), (a, d), (b, c), (b, d)];
                let products: Option<Vec<i128>> =
                    corners.iter().map(|(x, y)| x.checked_mul(*y)).collect();
                let Some(products) = products else { return Self::ALL };
                Self { low: products.iter().min().copied(), high: products.iter().max().copied() }
            }
            (Some(a), _, Some(c), _) if a >= 0 && c >= 0 => {
                Self { low: a.checked_mul(c), high: None }
            }
            (_, _, _, _) => Self::ALL,
        }
    }

    /// Returns the interval of the quotient by a positive constant, which grows with the dividend.
    fn div(self, divisor: i128) -> Self {
        let quotient = |end: i128| end.div_euclid(divisor);
        Self { low: self.low.map(quotient), high: self.high.map(quotient) }
    }

    fn constant(self) -> Option<i128> {
        self.low.filter(|low| self.high == Some(*low))
    }
}

/// Intervals of variables, and of the expressions over them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Intervals {
    vars: FxHashMap<VarId, Interval>,
}

impl Intervals {
    /// Returns the interval of a variable, if it is known.
    pub(crate) fn get(&self, var: VarId) -> Option<Interval> {
        self.vars.get(&var).copied()
    }

    /// Sets the interval of a variable; `None` removes it.
    pub(crate) fn set(&mut self, var: VarId, interval: Option<Interval>) {
        match interval {
            Some(interval) => self.vars.insert(var, interval),
            None => self.vars.remove(&var),
        };
    }

    /// Returns an interval that contains every lane of an expression, wherever it is defined.
    pub(crate) fn of(
        &self,
        pool: &Pool,
        id: ExprId,
        done: &mut FxHashMap<ExprId, Interval>,
    ) -> Interval {
        if let Some(interval) = done.get(&id) {
            return *interval;
        }
        let result = self.make(pool, id, done);
        done.insert(id, result);
        result
    }

    fn make(&self, pool: &Pool, id: ExprId, done: &mut FxHashMap<ExprId, Interval>) -> Interval {
        if pool.ty(id).scalar != Scalar::Int {
            return Interval::ALL;
        }
        match *pool.get(id) {
            Expr::Const(value) => {
                value.as_integer().map_or(Interval::ALL, |value| Interval::of(value, value))
            }
            Expr::Var(var) => self.get(var).unwrap_or(Interval::ALL),
            Expr::Unary(UnaryOp::Neg(_), operand) => self.of(pool, operand, done).negate(),
            Expr::Binary(op, lhs, rhs) => {
                let (a, b) = (self.of(pool, lhs, done), self.of(pool, rhs, done));
                binary(op, a, b)
            }
            Expr::Select { if_true, if_false, .. } => {
                self.of(pool, if_true, done).join(self.of(pool, if_false, done))
            }
            Expr::Ramp { base, stride, lanes } => {
                let last = i128::from(lanes) - 1;
                let reach = self.of(pool, stride, done).scale(last);
                let base = self.of(pool, base, done);
                base.join(base.add(reach))
            }
            Expr::Broadcast { value, .. } => self.of(pool, value, done),
            // A value's range follows from its type, but code that guards against bad data stays as
            // in the specification.
            Expr::Cast(..)
            | Expr::Unary(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => Interval::ALL,
        }
    }
}

fn binary(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    match op {
        BinaryOp::Add(_) => a.add(b),
        BinaryOp::Sub(_) => a.add(b.negate()),
        BinaryOp::Mul(_) => a.mul(b),
        BinaryOp::Div => match b.constant() {
            Some(divisor @ 1..) => a.div(divisor),
            Some(i128::MIN..=0) | None => Interval::ALL,
        },
        // A remainder is not negative, and below a positive divisor.
        BinaryOp::Mod => Interval {
            low: Some(0),
            high: b
                .high
                .filter(|high| *high > 0 && b.low.is_some_and(|low| low >= 0))
                .map(|high| high - 1),
        },
        BinaryOp::Min => a.lesser(b),
        BinaryOp::Max => a.greater(b),
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
        | BinaryOp::Ge => Interval::ALL,
    }
}

/// Returns the result of a comparison if it is the same for all values of two intervals.
pub(crate) fn compare(op: BinaryOp, a: Interval, b: Interval) -> Option<bool> {
    let below = |a: Interval, b: Interval| a.high.zip(b.low).is_some_and(|(a, b)| a < b);
    let not_above = |a: Interval, b: Interval| a.high.zip(b.low).is_some_and(|(a, b)| a <= b);
    let (yes, no) = match op {
        BinaryOp::Lt => (below(a, b), not_above(b, a)),
        BinaryOp::Le => (not_above(a, b), below(b, a)),
        BinaryOp::Gt => (below(b, a), not_above(a, b)),
        BinaryOp::Ge => (not_above(b, a), below(a, b)),
        BinaryOp::Eq => {
            (a.constant().is_some() && a.constant() == b.constant(), below(a, b) || below(b, a))
        }
        BinaryOp::Ne => {
            (below(a, b) || below(b, a), a.constant().is_some() && a.constant() == b.constant())
        }
        BinaryOp::Add(_)
        | BinaryOp::Sub(_)
        | BinaryOp::Mul(_)
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr => (false, false),
    };
    match (yes, no) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    }
}
