//! The reference engine β₀ (FS Fig. 10b): plain interval arithmetic, rule by rule, conditions
//! ignored.
//!
//! The rules that the figure elides, for intervals with both ends included; either may be infinite:
//! * `[a, b] ± [c, d]`, `-[a, b]`, `[a, b] * [c, d]` (least and greatest of the four products, or
//!   the ends times the number if one side is a number), minima and maxima end by end;
//! * `e1 div e2`: a positive constant divides both ends; else `[-M, M]` with `M = max(-a, b)`, of
//!   length 2M + 1 (the figure prints 2M - 1, which lacks both ends: `1 div 1` is 1);
//! * `e1 mod e2`: `[0, max(-c, d, 1) - 1]`;
//! * `select`: the hull of both arms; `abs`: `[0, max(-a, b)]`;
//! * `int` of a machine expression: its type's range if that is narrower than 32 bits, narrowed by
//!   minima, maxima and exact arithmetic on ranges that cannot wrap; a func's value has the range
//!   of its type (FS's expressions are untyped, so there it has no bounds at all).

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Intrinsic, Scalar, UnaryOp, VarId};

use super::interval::last;
use super::machine::{self, Range};
use crate::algebra::Algebra;
use crate::query::Binder;

/// Returns the interval of `coord` over everything that `path` binds; an end that is `None` is
/// infinite.
pub(crate) fn interval(algebra: &mut Algebra<'_>, coord: ExprId, path: &[Binder]) -> Range {
    let mut engine = Engine { algebra, vars: FxHashMap::default() };
    for binder in path {
        match binder {
            Binder::ForAll { var, interval } => {
                let (low, _) = engine.ends(interval.min);
                let end = last(engine.algebra, interval.min, interval.extent);
                let (_, high) = engine.ends(end);
                engine.vars.insert(*var, (low, high));
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
    vars: FxHashMap<VarId, Range>,
}

const INFINITE: Range = (None, None);

impl Engine<'_, '_> {
    fn ends(&mut self, expr: ExprId) -> Range {
        match self.algebra.pool.get(expr).clone() {
            Expr::Const(_) => (Some(expr), Some(expr)),
            Expr::Var(var) => self.vars.get(&var).copied().unwrap_or((Some(expr), Some(expr))),
            Expr::Unary(UnaryOp::Neg(_), operand) => {
                let (low, high) = self.ends(operand);
                (self.negative(high), self.negative(low))
            }
            Expr::Binary(op, lhs, rhs) => {
                let (lhs, rhs) = (self.ends(lhs), self.ends(rhs));
                self.binary(op, lhs, rhs)
            }
            Expr::Select { if_true, if_false, .. } => {
                let (lhs, rhs) = (self.ends(if_true), self.ends(if_false));
                (self.both(BinaryOp::Min, lhs.0, rhs.0), self.both(BinaryOp::Max, lhs.1, rhs.1))
            }
            Expr::Call(Intrinsic::Abs, operand) => {
                let operand = self.ends(operand);
                (Some(self.algebra.int(0)), self.magnitude(operand))
            }
            Expr::Cast(Scalar::Int, operand) => {
                let vars = &self.vars;
                machine::range(self.algebra, operand, machine::Values::OfTypes, &|algebra, expr| {
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
                            | Expr::Apply { .. }
                            | Expr::Load { .. }
                            | Expr::Ramp { .. }
                            | Expr::Broadcast { .. }
                            | Expr::Shuffle { .. } => true,
                        };
                    });
                    kept
                })
            }
            Expr::Unary(UnaryOp::Not, _)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Cast(..)
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => INFINITE,
        }
    }

    /// Combines the ends of two operands where the result needs both.
    fn both(&mut self, op: BinaryOp, lhs: Option<ExprId>, rhs: Option<ExprId>) -> Option<ExprId> {
        Some(self.algebra.combine(op, lhs?, rhs?))
    }

    /// Combines the ends of two operands where the finite one suffices: `min(a, b) <= a`.
    fn either(&mut self, op: BinaryOp, lhs: Option<ExprId>, rhs: Option<ExprId>) -> Option<ExprId> {
        match (lhs, rhs) {
            (Some(lhs), Some(rhs)) => Some(self.algebra.combine(op, lhs, rhs)),
            (one, other) => one.or(other),
        }
    }

    fn negative(&mut self, end: Option<ExprId>) -> Option<ExprId> {
        let zero = self.algebra.int(0);
        end.map(|end| self.algebra.sub(zero, end))
    }

    /// Returns the greatest absolute value in an interval.
    fn magnitude(&mut self, (low, high): Range) -> Option<ExprId> {
        let negative = self.negative(low);
        self.both(BinaryOp::Max, negative, high)
    }

    /// Returns the number of an interval that consists of one number.
    fn number(&self, (low, high): Range) -> Option<i128> {
        let value = self.algebra.pool.as_constant(low?).and_then(Constant::as_integer);
        value.filter(|_| low == high)
    }

    fn binary(&mut self, op: BinaryOp, lhs: Range, rhs: Range) -> Range {
        let ((a, b), (c, d)) = (lhs, rhs);
        match op {
            BinaryOp::Add(_) => (self.both(op, a, c), self.both(op, b, d)),
            BinaryOp::Sub(_) => (self.both(op, a, d), self.both(op, b, c)),
            BinaryOp::Min => (self.both(op, a, c), self.either(op, b, d)),
            BinaryOp::Max => (self.either(op, a, c), self.both(op, b, d)),
            BinaryOp::Mul(_) => self.product(op, lhs, rhs),
            BinaryOp::Div => {
                if self.number(rhs).is_some_and(|value| value > 0) {
                    return (self.both(op, a, d), self.both(op, b, d));
                }
                let magnitude = self.magnitude(lhs);
                (self.negative(magnitude), magnitude)
            }
            BinaryOp::Mod => {
                let (zero, one) = (self.algebra.int(0), self.algebra.int(1));
                let magnitude = self.magnitude(rhs);
                let bound = self.both(BinaryOp::Max, magnitude, Some(one));
                (Some(zero), bound.map(|bound| self.algebra.offset(bound, -1)))
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
            | BinaryOp::Ge => INFINITE,
        }
    }

    /// Multiplies the ends by the number if one side is a number; else takes the least and greatest
    /// of the four products.
    fn product(&mut self, op: BinaryOp, lhs: Range, rhs: Range) -> Range {
        for (factor, (low, high)) in [(rhs, lhs), (lhs, rhs)] {
            let Some(number) = self.number(factor) else { continue };
            let (low, high) = if number < 0 { (high, low) } else { (low, high) };
            return (self.both(op, low, factor.0), self.both(op, high, factor.0));
        }
        let mut ends = INFINITE;
        for (first, second) in [(lhs.0, rhs.0), (lhs.0, rhs.1), (lhs.1, rhs.0), (lhs.1, rhs.1)] {
            let Some(product) = self.both(op, first, second) else { return INFINITE };
            ends = (
                self.either(BinaryOp::Min, ends.0, Some(product)),
                self.either(BinaryOp::Max, ends.1, Some(product)),
            );
        }
        ends
    }
}
