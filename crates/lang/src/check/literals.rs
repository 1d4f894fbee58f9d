//! Literals take the type that is expected of them.

use halidom_diag::Span;
use halidom_ir::{Constant, ExprId, Scalar};

use crate::codes;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

use super::scope::{Checker, Frame, FrameArgument};

impl<'s> Checker<'_, 's> {
    /// An integer literal as a value of a type.
    pub(super) fn integer_literal(
        &mut self,
        value: i128,
        hint: Option<Scalar>,
        span: Span,
    ) -> Option<ExprId> {
        let scalar = match hint {
            Some(Scalar::Bool) | None => Scalar::I32,
            Some(scalar) => scalar,
        };
        let constant = match scalar {
            Scalar::F32 => Constant::f32(value as f32),
            Scalar::F64 => Constant::f64(value as f64),
            Scalar::Bool
            | Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64
            | Scalar::Int => {
                // Coordinates are compiled to 64 bits.
                let (low, high) =
                    scalar.range().unwrap_or((i128::from(i64::MIN), i128::from(i64::MAX)));
                if value < low || value > high {
                    return self.fail_with_hint(
                        codes::LITERAL_RANGE,
                        span,
                        format!("`{value}` is not a value of `{scalar}`"),
                        format!("`{scalar}` goes from {low} to {high}"),
                    );
                }
                Constant::wrapped(scalar, value)?
            }
        };
        Some(self.pool.constant(constant))
    }

    /// A literal with a point or an exponent, rounded once to its type.
    pub(super) fn float_literal(
        &mut self,
        text: &str,
        negative: bool,
        hint: Option<Scalar>,
        span: Span,
    ) -> Option<ExprId> {
        let text: String = text.chars().filter(|c| *c != '_').collect();
        let constant = if hint == Some(Scalar::F64) {
            text.parse().ok().map(|value: f64| Constant::f64(if negative { -value } else { value }))
        } else {
            text.parse().ok().map(|value: f32| Constant::f32(if negative { -value } else { value }))
        };
        let Some(constant) = constant else {
            return self.fail(codes::BAD_NUMBER, span, "a malformed number");
        };
        let infinite = constant.as_f32().is_some_and(f32::is_infinite)
            || constant.as_f64().is_some_and(f64::is_infinite);
        if infinite {
            let message = format!("`{text}` is not a value of `{}`", constant.scalar());
            return self.fail(codes::LITERAL_RANGE, span, message);
        }
        Some(self.pool.constant(constant))
    }

    /// Whether an expression is made of literals alone, so that its type follows from what surrounds it.
    pub(super) fn is_flexible(&self, expr: &Expr<'s>) -> bool {
        is_flexible(expr, self.scope.frame.as_ref())
    }

    /// Whether a literal with a point or exponent stands in a flexible expression.
    pub(super) fn has_float_literal(&self, expr: &Expr<'s>) -> bool {
        has_float_literal(expr, self.scope.frame.as_ref())
    }
}

/// The value that a generic function's parameter stands for; its own names are the caller's.
fn argument<'a, 's>(name: &str, frame: Option<&Frame<'a, 's>>) -> Option<&'a Expr<'s>> {
    match frame?.arguments.get(name)? {
        FrameArgument::Value(value) => Some(value),
        FrameArgument::Callable(_) => None,
    }
}

fn is_flexible<'s>(expr: &Expr<'s>, frame: Option<&Frame<'_, 's>>) -> bool {
    match &expr.kind {
        ExprKind::Integer(_) | ExprKind::Float(_) => true,
        ExprKind::Unary(op, operand) => *op != UnaryOp::Not && is_flexible(operand, frame),
        ExprKind::Binary(op, lhs, rhs) => {
            is_arithmetic(*op) && is_flexible(lhs, frame) && is_flexible(rhs, frame)
        }
        ExprKind::Call { callee, arguments } => {
            let values = usize::from(callee.text == "select");
            matches!(callee.text, "min" | "max" | "clamp" | "abs" | "likely" | "select")
                && arguments.len() > values
                && arguments[values..].iter().all(|argument| is_flexible(&argument.value, frame))
        }
        ExprKind::Name(name) => {
            argument(name, frame).is_some_and(|argument| is_flexible(argument, None))
        }
        ExprKind::Bool(_)
        | ExprKind::Member { .. }
        | ExprKind::Reduction { .. }
        | ExprKind::Block { .. }
        | ExprKind::Tuple => false,
    }
}

fn has_float_literal<'s>(expr: &Expr<'s>, frame: Option<&Frame<'_, 's>>) -> bool {
    match &expr.kind {
        ExprKind::Float(_) => true,
        ExprKind::Unary(_, operand) => has_float_literal(operand, frame),
        ExprKind::Binary(_, lhs, rhs) => {
            has_float_literal(lhs, frame) || has_float_literal(rhs, frame)
        }
        ExprKind::Call { arguments, .. } => {
            arguments.iter().any(|argument| has_float_literal(&argument.value, frame))
        }
        ExprKind::Name(name) => {
            argument(name, frame).is_some_and(|argument| has_float_literal(argument, None))
        }
        ExprKind::Integer(_)
        | ExprKind::Bool(_)
        | ExprKind::Member { .. }
        | ExprKind::Reduction { .. }
        | ExprKind::Block { .. }
        | ExprKind::Tuple => false,
    }
}

/// A small number as a constant of a type.
pub(super) fn number(scalar: Scalar, value: i128) -> Option<Constant> {
    halidom_ir::eval::cast(scalar, Constant::int(value)).ok()
}

/// `+ - * / %` and the operators on bits.
fn is_arithmetic(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight
        | BinaryOp::BitAnd
        | BinaryOp::BitXor
        | BinaryOp::BitOr => true,
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual
        | BinaryOp::And
        | BinaryOp::Or => false,
    }
}
