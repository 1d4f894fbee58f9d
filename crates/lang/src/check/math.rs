//! Functions of floats that are expanded into the IR's.

use halidom_diag::Span;
use halidom_ir::{BinaryOp, Constant, ExprId, Intrinsic, Scalar, UnaryOp};

use crate::codes;

use super::casts::Operand;
use super::functions::Composed;
use super::scope::Checker;

impl<'a, 's> Checker<'a, 's> {
    /// Checks operands of one float type; if all are literals, they are `f32`.
    pub(super) fn floats(
        &mut self,
        operator: &str,
        operands: &[Operand<'a, 's>],
        span: Span,
        hint: Option<Scalar>,
    ) -> Option<Vec<ExprId>> {
        let hint = hint.filter(|scalar| scalar.is_float()).or(Some(Scalar::F32));
        let ids = self.unify(operator, operands, hint)?;
        let scalar = self.scalar_of(ids[0]);
        if scalar.is_float() {
            return Some(ids);
        }
        let message = format!("{operator} is not defined for `{scalar}`");
        let hint = self.cast_hint(scalar, Scalar::F32, operands[0].expr.span);
        self.fail_with_hint(codes::OPERAND, span, message, hint)
    }

    fn float(&mut self, like: ExprId, value: f64) -> ExprId {
        let constant = if self.scalar_of(like) == Scalar::F32 {
            Constant::f32(value as f32)
        } else {
            Constant::f64(value)
        };
        self.pool.constant(constant)
    }

    /// Returns the value of a function of one or two floats.
    pub(super) fn composed(&mut self, function: Composed, x: ExprId, last: ExprId) -> ExprId {
        match function {
            Composed::Pow => self.pow(x, last),
            Composed::Atan2 => self.atan2(x, last),
            // x / sqrt((1 - x)(1 + x)), infinite at -1 and 1.
            Composed::Asin => {
                let (less, more) = self.distances(x);
                let product = self.pool.mul(less, more);
                let root = self.pool.call(Intrinsic::Sqrt, product);
                let tangent = self.pool.binary(BinaryOp::Div, x, root);
                self.pool.call(Intrinsic::Atan, tangent)
            }
            // Twice the angle whose tangent is sqrt((1 - x) / (1 + x)).
            Composed::Acos => {
                let (less, more) = self.distances(x);
                let quotient = self.pool.binary(BinaryOp::Div, less, more);
                let root = self.pool.call(Intrinsic::Sqrt, quotient);
                let half = self.pool.call(Intrinsic::Atan, root);
                let two = self.float(x, 2.0);
                self.pool.mul(two, half)
            }
        }
    }

    /// Returns `1 - x` and `1 + x`.
    fn distances(&mut self, x: ExprId) -> (ExprId, ExprId) {
        let one = self.float(x, 1.0);
        (self.pool.sub(one, x), self.pool.add(one, x))
    }

    /// Expands a power: `exp(y log |x|)` in `f64`, with the sign that an integer `y` gives it; 1 if
    /// `y` is 0 or `x` is 1.
    fn pow(&mut self, x: ExprId, y: ExprId) -> ExprId {
        let scalar = self.scalar_of(x);
        let (x, y) = (self.pool.cast(Scalar::F64, x), self.pool.cast(Scalar::F64, y));
        let magnitude = self.pool.call(Intrinsic::Abs, x);
        let logarithm = self.pool.call(Intrinsic::Log, magnitude);
        let exponent = self.pool.mul(y, logarithm);
        let power = self.pool.call(Intrinsic::Exp, exponent);
        let (zero, one) = (self.float(x, 0.0), self.float(x, 1.0));
        let half = self.float(x, 0.5);
        let nan = self.float(x, f64::NAN);
        // Integers are the numbers that `floor` preserves, and even ones those whose halves it
        // preserves.
        let floor = self.pool.call(Intrinsic::Floor, y);
        let is_integer = self.pool.binary(BinaryOp::Eq, floor, y);
        let halved = self.pool.mul(y, half);
        let floor = self.pool.call(Intrinsic::Floor, halved);
        let is_even = self.pool.binary(BinaryOp::Eq, floor, halved);
        let overflow = self.pool.overflow_of(power);
        let opposite = self.pool.unary(UnaryOp::Neg(overflow), power);
        let odd = self.pool.select(is_integer, opposite, nan);
        let of_negative = self.pool.select(is_even, power, odd);
        let is_negative = self.pool.binary(BinaryOp::Lt, x, zero);
        let signed = self.pool.select(is_negative, of_negative, power);
        let no_exponent = self.pool.binary(BinaryOp::Eq, y, zero);
        let is_one = self.pool.binary(BinaryOp::Eq, x, one);
        let is_trivial = self.pool.binary(BinaryOp::Or, no_exponent, is_one);
        let power = self.pool.select(is_trivial, one, signed);
        self.pool.cast(scalar, power)
    }

    /// Expands the angle of the point (x, y), from -π to π; 0 at the origin.
    fn atan2(&mut self, y: ExprId, x: ExprId) -> ExprId {
        let zero = self.float(x, 0.0);
        let (pi, half) =
            (self.float(x, std::f64::consts::PI), self.float(x, std::f64::consts::FRAC_PI_2));
        let (minus_pi, minus_half) =
            (self.float(x, -std::f64::consts::PI), self.float(x, -std::f64::consts::FRAC_PI_2));
        let slope = self.pool.binary(BinaryOp::Div, y, x);
        let angle = self.pool.call(Intrinsic::Atan, slope);
        let below = self.pool.binary(BinaryOp::Lt, y, zero);
        let above = self.pool.binary(BinaryOp::Gt, y, zero);
        let turn = self.pool.select(below, minus_pi, pi);
        let turned = self.pool.add(angle, turn);
        let left = self.pool.binary(BinaryOp::Lt, x, zero);
        let upright = self.pool.binary(BinaryOp::Eq, x, zero);
        let down = self.pool.select(below, minus_half, zero);
        let vertical = self.pool.select(above, half, down);
        let aside = self.pool.select(left, turned, angle);
        self.pool.select(upright, vertical, aside)
    }
}
