//! Evaluates expressions at a few points that satisfy all known facts. A sum that is negative at
//! one of them cannot be shown to be non-negative, so no search for a proof is needed.

use halidom_base::{FxHashMap, Id};
use halidom_ir::{BinaryOp, Expr, ExprId, Pool, Scalar, UnaryOp, VarId};

use super::sum::{Known, Sum};

/// The number of sample points.
const POINTS: usize = 8;

/// An operation that returns its result and whether it overflowed 64 bits.
type Operation = fn(i64, i64) -> (i64, bool);

/// Values at each point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values {
    at: [i64; POINTS],
    /// True where there is a value. There is no value beyond 64 bits, or where the known facts
    /// cannot hold with the values chosen so far.
    known: [bool; POINTS],
}

impl Values {
    const NONE: Self = Self { at: [0; POINTS], known: [false; POINTS] };

    fn constant(value: i128) -> Self {
        i64::try_from(value)
            .map_or(Self::NONE, |value| Self { at: [value; POINTS], known: [true; POINTS] })
    }

    fn from_fn(mut value: impl FnMut(usize) -> Option<i64>) -> Self {
        let mut values = Self::NONE;
        for point in 0..POINTS {
            let value = value(point);
            values.at[point] = value.unwrap_or(0);
            values.known[point] = value.is_some();
        }
        values
    }

    fn combine(mut self, other: &Self, apply: Operation) -> Self {
        for point in 0..POINTS {
            let (value, beyond) = apply(self.at[point], other.at[point]);
            self.at[point] = value;
            self.known[point] &= other.known[point] && !beyond;
        }
        self
    }

    /// True if these exceed the others at one of the points.
    pub(super) fn exceed(&self, other: &Self) -> bool {
        (0..POINTS).any(|point| {
            self.at[point] > other.at[point] && self.known[point] && other.known[point]
        })
    }
}

/// The sample points, and the values of the atoms that were evaluated so far.
#[derive(Debug, Default)]
pub(super) struct Samples {
    atoms: FxHashMap<ExprId, Values>,
}

impl Samples {
    pub(super) fn clear(&mut self) {
        self.atoms.clear();
    }

    /// Evaluates a sum.
    pub(super) fn of(&mut self, pool: &Pool, known: &Known, sum: &Sum) -> Values {
        let mut total = Values::constant(0);
        for (product, coefficient) in sum.terms() {
            let mut value = Values::constant(coefficient);
            for atom in product.iter() {
                value = value.combine(&self.values(pool, known, *atom), i64::overflowing_mul);
            }
            total = total.combine(&value, i64::overflowing_add);
        }
        total
    }

    /// True if a sum is negative at one of the points.
    pub(super) fn refutes(&mut self, pool: &Pool, known: &Known, sum: &Sum) -> bool {
        Values::constant(0).exceed(&self.of(pool, known, sum))
    }

    fn values(&mut self, pool: &Pool, known: &Known, expr: ExprId) -> Values {
        if let Some(values) = self.atoms.get(&expr) {
            return *values;
        }
        // A variable whose greatest value depends on itself has no value.
        self.atoms.insert(expr, Values::NONE);
        let values = self.evaluate(pool, known, expr);
        self.atoms.insert(expr, values);
        values
    }

    fn evaluate(&mut self, pool: &Pool, known: &Known, expr: ExprId) -> Values {
        match *pool.get(expr) {
            Expr::Const(ref constant) => {
                constant.as_integer().map_or(Values::NONE, Values::constant)
            }
            Expr::Var(var) => self.variable(pool, known, var),
            Expr::Unary(UnaryOp::Neg(_), operand) => {
                let operand = self.values(pool, known, operand);
                Values::constant(0).combine(&operand, i64::overflowing_sub)
            }
            Expr::Binary(op, lhs, rhs) => {
                let Some(apply) = operation(op) else { return opaque(pool, expr) };
                let (lhs, rhs) = (self.values(pool, known, lhs), self.values(pool, known, rhs));
                lhs.combine(&rhs, apply)
            }
            Expr::Unary(UnaryOp::Not, _)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => opaque(pool, expr),
        }
    }

    /// Chooses values between the least and the greatest one.
    fn variable(&mut self, pool: &Pool, known: &Known, var: VarId) -> Values {
        let lower = known.lower.get(&var).map(|lower| i64::try_from(*lower).ok());
        let upper = known.upper.get(&var).map(|upper| self.values(pool, known, *upper));
        Values::from_fn(|point| {
            let upper = upper.map(|upper| upper.known[point].then_some(upper.at[point]));
            let offset = offset(var.index(), point);
            match (lower, upper) {
                (Some(None), _) | (_, Some(None)) => None,
                (None, None) => Some(either_sign(offset)),
                (Some(Some(lower)), None) => lower.checked_add(offset),
                (None, Some(Some(upper))) => upper.checked_sub(offset),
                (Some(Some(lower)), Some(Some(upper))) => {
                    let count = upper.checked_sub(lower)?.checked_add(1)?;
                    (count > 0).then(|| lower + offset.rem_euclid(count))
                }
            }
        })
    }
}

fn operation(op: BinaryOp) -> Option<Operation> {
    Some(match op {
        BinaryOp::Add(_) => i64::overflowing_add,
        BinaryOp::Sub(_) => i64::overflowing_sub,
        BinaryOp::Mul(_) => i64::overflowing_mul,
        BinaryOp::Min => |a, b| (a.min(b), false),
        BinaryOp::Max => |a, b| (a.max(b), false),
        BinaryOp::Div => |a, b| if b == 0 { (0, false) } else { a.overflowing_div_euclid(b) },
        BinaryOp::Mod => |a, b| if b == 0 { (0, false) } else { a.overflowing_rem_euclid(b) },
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
        | BinaryOp::Ge => return None,
    })
}

/// Chooses values of an expression about which nothing is known except the range of the type that
/// it is converted from.
fn opaque(pool: &Pool, expr: ExprId) -> Values {
    let range = if let Expr::Cast(Scalar::Int, operand) = *pool.get(expr) {
        pool.ty(operand).scalar.range()
    } else {
        None
    };
    Values::from_fn(|point| {
        let offset = offset(expr.index(), point);
        match range {
            Some((low, high)) => {
                i64::try_from(low + i128::from(offset).rem_euclid(high - low + 1)).ok()
            }
            None => Some(either_sign(offset)),
        }
    })
}

/// Returns an offset from a least value: 0 at the first point, from ever larger ranges at the
/// others.
fn offset(atom: usize, point: usize) -> i64 {
    const RANGES: [u64; POINTS] = [1, 2, 4, 20, 200, 5_000, 1_000_000, 100];
    // Splitmix64's mixing (Steele, Lea, Flood 2014).
    let mut bits = (atom as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (point as u64) << 32;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) % RANGES[point]) as i64
}

fn either_sign(offset: i64) -> i64 {
    if offset % 2 == 0 { offset / 2 } else { -(offset / 2) - 1 }
}

#[cfg(test)]
mod tests {
    use halidom_testgen::Random;

    use super::super::Algebra;
    use super::*;

    /// A sum that is shown to be non-negative is so at every sample point: both searches use the
    /// same facts.
    #[test]
    fn no_proof_is_refuted() {
        let (mut shown, mut refuted) = (0, 0);
        for seed in 0..3_000 {
            let mut random = Random::new(seed);
            let mut pool = Pool::default();
            let names =
                ["m", "n", "x", "y"].map(|name| pool.declare_var(name, halidom_ir::Type::INT));
            let mut terms = names.map(|var| pool.expr(Expr::Var(var))).to_vec();
            let mut known = Known::default();
            known.lower.insert(names[1], 1);
            known.lower.insert(names[2], 0);
            let one = pool.int(1);
            known.upper.insert(names[2], pool.sub(terms[1], one));
            for _ in 0..random.between(2, 7) {
                let (lhs, rhs) =
                    (terms[random.below(terms.len())], terms[random.below(terms.len())]);
                let number = pool.int(i128::from(random.between(-3, 9)));
                let [add, sub] =
                    [BinaryOp::Add, BinaryOp::Sub].map(|op| op(halidom_ir::Overflow::Unbounded));
                let (op, rhs) = match random.below(8) {
                    0 => (BinaryOp::Min, rhs),
                    1 => (BinaryOp::Max, rhs),
                    2 => (BinaryOp::Div, number),
                    3 => (BinaryOp::Mod, number),
                    4 => (BinaryOp::Mul(halidom_ir::Overflow::Unbounded), number),
                    5 => (add, number),
                    6 => (add, rhs),
                    _ => (sub, rhs),
                };
                terms.push(pool.binary(op, lhs, rhs));
            }
            let mut algebra = Algebra::new(&mut pool, &known);
            for expr in terms {
                let sum = algebra.sum(expr);
                let is_refuted = algebra.samples.refutes(algebra.pool, &known, &sum);
                let is_shown = algebra.is_shown_nonnegative(&sum);
                assert!(!(is_refuted && is_shown), "seed {seed}: {sum:?}");
                shown += u32::from(is_shown);
                refuted += u32::from(is_refuted);
            }
        }
        assert!(shown > 1_000 && refuted > 1_000, "{shown} shown, {refuted} refuted");
    }
}
