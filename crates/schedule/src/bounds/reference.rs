//! The reference engine β₀ (FS Fig. 10b): plain interval arithmetic, rule by rule, conditions ignored.
//!
//! The rules that the figure elides, for intervals with both ends included:
//! * `[a, b] ± [c, d]`, `-[a, b]`, `[a, b] * [c, d]` (least and greatest of the four products, the ends times the number where one side is a number), minima and maxima end by end;
//! * `e1 div e2`: a positive constant divides both ends; else `[-M, M]` with `M = max(-a, b)`, of length 2M + 1 (the figure prints 2M - 1, which lacks both ends:
//!   `1 div 1` is 1);
//! * `e1 mod e2`: `[0, max(-c, d, 1) - 1]`;
//! * `select`: the hull of both arms; `abs`: `[0, max(-a, b)]`;
//! * `int` of a machine expression: its type's range if that is narrower than 32 bits, cut by minima, maxima and exact arithmetic on ranges that cannot wrap; a func's value is
//!   anything of its type (FS's expressions are untyped, and there it is anything at all).

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Intrinsic, Scalar, UnaryOp, VarId};

use super::interval::last;
use super::machine;
use crate::algebra::Algebra;
use crate::query::Binder;

type Ends = Option<(ExprId, ExprId)>;

/// The interval of `coord` over everything that `path` binds, `None` if it is infinite.
pub(crate) fn interval(algebra: &mut Algebra<'_>, coord: ExprId, path: &[Binder]) -> Ends {
    let mut engine = Engine { algebra, vars: FxHashMap::default() };
    for binder in path {
        match binder {
            Binder::ForAll { var, interval } => {
                let low = engine.ends(interval.min).map(|(low, _)| low);
                let end = last(engine.algebra, interval.min, interval.extent);
                let high = engine.ends(end).map(|(_, high)| high);
                engine.vars.insert(*var, low.zip(high));
            }
            Binder::Let { var, value, .. } => {
                let ends = engine.ends(*value);
                engine.vars.insert(*var, ends);
            }
            // β₀(e ⇒ b) = β₀(b): premises are not used.
            Binder::If(_)
            | Binder::IfMember { .. }
            | Binder::Allocation(_)
            | Binder::Compute(_) => {}
        }
    }
    engine.ends(coord)
}

struct Engine<'a, 'b> {
    algebra: &'a mut Algebra<'b>,
    vars: FxHashMap<VarId, Ends>,
}

impl Engine<'_, '_> {
    fn ends(&mut self, expr: ExprId) -> Ends {
        match self.algebra.pool.get(expr).clone() {
            Expr::Const(_) => Some((expr, expr)),
            Expr::Var(var) => self.vars.get(&var).copied().unwrap_or(Some((expr, expr))),
            Expr::Unary(UnaryOp::Neg(_), operand) => {
                let (low, high) = self.ends(operand)?;
                let zero = self.algebra.int(0);
                Some((self.algebra.sub(zero, high), self.algebra.sub(zero, low)))
            }
            Expr::Binary(op, lhs, rhs) => self.binary(op, lhs, rhs),
            Expr::Select { if_true, if_false, .. } => {
                let (lhs, rhs) = (self.ends(if_true)?, self.ends(if_false)?);
                Some((self.algebra.min(lhs.0, rhs.0), self.algebra.max(lhs.1, rhs.1)))
            }
            Expr::Call(Intrinsic::Abs, operand) => {
                let (low, high) = self.ends(operand)?;
                let zero = self.algebra.int(0);
                Some((zero, self.magnitude(low, high)))
            }
            Expr::Cast(Scalar::Int, operand) => {
                let vars = &self.vars;
                let (low, high) = machine::range(
                    self.algebra,
                    operand,
                    machine::Values::OfTypes,
                    &|algebra, expr| {
                        let mut kept = true;
                        algebra.pool.for_each_subexpr(expr, &mut |_, expr| {
                            kept &= match expr {
                                Expr::Var(var) => !vars.contains_key(var),
                                Expr::Ref { .. } | Expr::Hole(_) => false,
                                Expr::Const(_)
                                | Expr::Unary(..)
                                | Expr::Binary(..)
                                | Expr::Select { .. }
                                | Expr::Cast(..)
                                | Expr::Call(..)
                                | Expr::Load { .. }
                                | Expr::Ramp { .. }
                                | Expr::Broadcast { .. } => true,
                            };
                        });
                        kept
                    },
                );
                low.zip(high)
            }
            Expr::Unary(UnaryOp::Not, _)
            | Expr::Call(..)
            | Expr::Cast(..)
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Hole(_) => None,
        }
    }

    /// The greatest absolute value in an interval.
    fn magnitude(&mut self, low: ExprId, high: ExprId) -> ExprId {
        let zero = self.algebra.int(0);
        let negative = self.algebra.sub(zero, low);
        self.algebra.max(negative, high)
    }

    fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Ends {
        let (a, b) = self.ends(lhs)?;
        let (c, d) = self.ends(rhs)?;
        let algebra = &mut *self.algebra;
        match op {
            BinaryOp::Add(_) => Some((algebra.add(a, c), algebra.add(b, d))),
            BinaryOp::Sub(_) => Some((algebra.sub(a, d), algebra.sub(b, c))),
            BinaryOp::Min | BinaryOp::Max => {
                Some((algebra.combine(op, a, c), algebra.combine(op, b, d)))
            }
            BinaryOp::Mul(_) => {
                let number = |end| algebra.pool.as_constant(end).and_then(Constant::as_integer);
                for (factor, (low, high)) in
                    [(number(c).filter(|_| c == d), (a, b)), (number(a).filter(|_| a == b), (c, d))]
                {
                    let Some(number) = factor else { continue };
                    let factor = algebra.int(number);
                    let (low, high) = if number < 0 { (high, low) } else { (low, high) };
                    return Some((algebra.mul(low, factor), algebra.mul(high, factor)));
                }
                let products =
                    [algebra.mul(a, c), algebra.mul(a, d), algebra.mul(b, c), algebra.mul(b, d)];
                let low = products.into_iter().reduce(|x, y| algebra.min(x, y))?;
                let high = products.into_iter().reduce(|x, y| algebra.max(x, y))?;
                Some((low, high))
            }
            BinaryOp::Div => {
                let divisor = algebra.pool.as_constant(d).and_then(Constant::as_integer);
                if c == d && divisor.is_some_and(|value| value > 0) {
                    return Some((algebra.combine(op, a, d), algebra.combine(op, b, d)));
                }
                let magnitude = self.magnitude(a, b);
                let zero = self.algebra.int(0);
                Some((self.algebra.sub(zero, magnitude), magnitude))
            }
            BinaryOp::Mod => {
                let one = algebra.int(1);
                let magnitude = self.magnitude(c, d);
                let bound = self.algebra.max(magnitude, one);
                Some((self.algebra.int(0), self.algebra.offset(bound, -1)))
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
            | BinaryOp::Ge => None,
        }
    }
}
