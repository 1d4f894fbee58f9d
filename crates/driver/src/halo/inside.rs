//! The interval in the inside of the whole, where boundary conditions have no effect.
//!
//! The formula of an input that is mirrored or repeated is long, because it holds near the ends of
//! the whole too. Where `[x0 + a, x1 + b]` lies within the whole, it is often just this interval.
//! Two numbers come from the formula's value for one window, and isl shows that they fit all.

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Pool, eval};
use halidom_poly::{Constraint, Context, Dim, Error, Function, QuasiAffine, Set};

/// The number of basic operations that isl may spend on an interval.
const WORK_LIMIT: u64 = 100_000;
/// The whole and the window from which the two numbers are read.
const SAMPLE: [i64; 4] = [0, 1 << 20, 1 << 19, (1 << 19) + 1000];

/// The ends of a dimension.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    /// The first and the last coordinate of the whole.
    pub(super) whole: [ExprId; 2],
    /// The first and the last coordinate of the window.
    pub(super) window: [ExprId; 2],
}

/// Returns `(a, b)` if the interval from `low` to `high` is `[x0 + a, x1 + b]` wherever that lies
/// within the whole; `None` if this is not shown.
pub(super) fn offsets(
    pool: &Pool,
    (low, high): (ExprId, ExprId),
    ends: Ends,
) -> Option<(i64, i64)> {
    let [whole, window] = [ends.whole, ends.window];
    let named = [whole[0], whole[1], window[0], window[1]];
    let sample = named.into_iter().zip(SAMPLE).collect();
    let offset = |expr: ExprId, from: i64| {
        let value = evaluate(pool, expr, &sample)?.as_integer()?;
        i64::try_from(value).ok()?.checked_sub(from)
    };
    let (before, after) = (offset(low, SAMPLE[2])?, offset(high, SAMPLE[3])?);
    shown(pool, (low, high), named, (before, after)).ok()??.then_some((before, after))
}

fn shown(
    pool: &Pool,
    (low, high): (ExprId, ExprId),
    named: [ExprId; 4],
    (before, after): (i64, i64),
) -> Result<Option<bool>, Error> {
    let context = Context::new(WORK_LIMIT)?;
    let dims = ["first", "last", "x0", "x1"].map(|name| context.dim(name));
    let [first, last, x0, x1] = dims;
    let [begin, end] = [(x0, before), (x1, after)].map(|(dim, by)| QuasiAffine::from(dim).plus(by));
    let facts: [Constraint; 3] = [
        QuasiAffine::from(first).le(begin.clone()),
        end.clone().le(last),
        QuasiAffine::from(x0).le(x1),
    ];
    let domain = Set::from_constraints(&context, &facts)?;
    let names: FxHashMap<ExprId, Dim> = named.into_iter().zip(dims).collect();
    let reader = Reader { pool, context, names, domain };
    for (expr, expected) in [(low, begin), (high, end)] {
        let Some(found) = reader.function(expr)? else { return Ok(None) };
        let expected = Function::from_quasi_affine(&reader.context, &expected)?;
        let differ = found.not_equal(&expected)?.intersect(&reader.domain)?;
        if !differ.is_empty()? {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

/// Reads expressions as functions that are right in a domain.
struct Reader<'a> {
    pool: &'a Pool,
    context: Context,
    names: FxHashMap<ExprId, Dim>,
    domain: Set,
}

impl Reader<'_> {
    /// Reads an expression. Cases that lie outside the domain are dropped at each step, so few
    /// remain.
    fn function(&self, expr: ExprId) -> Result<Option<Function>, Error> {
        let found = self.whole(expr)?;
        found.map(|found| found.restrict(&self.domain)?.coalesce()).transpose()
    }

    fn whole(&self, expr: ExprId) -> Result<Option<Function>, Error> {
        if let Some(dim) = self.names.get(&expr) {
            return Function::dim(&self.context, *dim).map(Some);
        }
        if let Some(value) = number(self.pool, expr) {
            return Function::constant(&self.context, value).map(Some);
        }
        if let Expr::Select { condition, if_true, if_false } = *self.pool.get(expr) {
            let Some(condition) = self.condition(condition)? else { return Ok(None) };
            let (Some(then), Some(otherwise)) = (self.function(if_true)?, self.function(if_false)?)
            else {
                return Ok(None);
            };
            return Function::select(&condition, &then, &otherwise).map(Some);
        }
        let Expr::Binary(op, lhs, rhs) = *self.pool.get(expr) else { return Ok(None) };
        self.binary(op, lhs, rhs)
    }

    fn binary(&self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Result<Option<Function>, Error> {
        let by = number(self.pool, rhs);
        let Some(a) = self.function(lhs)? else { return Ok(None) };
        if op == BinaryOp::Div {
            return by.filter(|by| *by > 0).map(|by| a.floor_div(by)).transpose();
        }
        let Some(b) = self.function(rhs)? else { return Ok(None) };
        if matches!(op, BinaryOp::Add(_)) {
            return a.add(&b).map(Some);
        }
        if matches!(op, BinaryOp::Sub(_)) {
            return a.sub(&b).map(Some);
        }
        if matches!(op, BinaryOp::Mul(_)) {
            return match (number(self.pool, lhs), by) {
                (_, Some(by)) => a.scale(by).map(Some),
                (Some(by), None) => b.scale(by).map(Some),
                (None, None) => Ok(None),
            };
        }
        if op == BinaryOp::Min {
            return a.min(&b).map(Some);
        }
        if op == BinaryOp::Max {
            return a.max(&b).map(Some);
        }
        if op == BinaryOp::Mod {
            // Within one period, a remainder is its dividend.
            let zero = Function::constant(&self.context, 0)?;
            let is_rest = zero.le(&a)?.intersect(&a.lt(&b)?)?;
            return Ok(self.domain.is_subset(&is_rest)?.then_some(a));
        }
        Ok(None)
    }

    fn condition(&self, expr: ExprId) -> Result<Option<Set>, Error> {
        let Expr::Binary(op, lhs, rhs) = *self.pool.get(expr) else { return Ok(None) };
        let (Some(a), Some(b)) = (self.function(lhs)?, self.function(rhs)?) else {
            return Ok(None);
        };
        let comparisons = [
            (BinaryOp::Le, Function::le as fn(&Function, &Function) -> Result<Set, Error>),
            (BinaryOp::Lt, Function::lt),
            (BinaryOp::Ge, Function::ge),
            (BinaryOp::Gt, Function::gt),
        ];
        let found = comparisons.into_iter().find(|(known, _)| *known == op);
        found.map(|(_, compare)| compare(&a, &b)).transpose()
    }
}

fn number(pool: &Pool, expr: ExprId) -> Option<i64> {
    pool.as_constant(expr)
        .and_then(Constant::as_integer)
        .and_then(|value| i64::try_from(value).ok())
}

fn evaluate(pool: &Pool, expr: ExprId, at: &FxHashMap<ExprId, i64>) -> Option<Constant> {
    if let Some(value) = at.get(&expr) {
        return Some(Constant::int(i128::from(*value)));
    }
    if let Expr::Binary(op, lhs, rhs) = *pool.get(expr) {
        return eval::binary(op, evaluate(pool, lhs, at)?, evaluate(pool, rhs, at)?).ok();
    }
    if let Expr::Select { condition, if_true, if_false } = *pool.get(expr) {
        let holds = evaluate(pool, condition, at)?.as_bool()?;
        return evaluate(pool, if holds { if_true } else { if_false }, at);
    }
    pool.as_constant(expr)
}
