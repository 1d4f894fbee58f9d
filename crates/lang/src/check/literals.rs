//! Literals, which take the type that is expected of them.

use halidom_diag::Span;
use halidom_ir::{Constant, ExprId, Scalar};

use crate::codes;
use crate::syntax::ast::Expr;

use super::constants;
use super::scope::Checker;

impl<'s> Checker<'_, 's> {
    /// Returns an integer literal as a value of a type.
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

    /// Returns a literal with a decimal point or an exponent, rounded once to its type.
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

    /// True if an expression consists of literals only, so that its type follows from the context.
    pub(super) fn is_flexible(&self, expr: &Expr<'s>) -> bool {
        constants::is_flexible(expr, self.names())
    }

    /// True if a flexible expression contains a literal with a decimal point or exponent.
    pub(super) fn has_float_literal(&self, expr: &Expr<'s>) -> bool {
        constants::has_float_literal(expr, self.names())
    }
}

/// Returns a small number as a constant of a type.
pub(super) fn number(scalar: Scalar, value: i128) -> Option<Constant> {
    halidom_ir::eval::cast(scalar, Constant::int(value)).ok()
}
