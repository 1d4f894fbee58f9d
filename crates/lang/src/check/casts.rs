//! Type differences: the implicit conversion, written casts, and hints that name them.

use halidom_diag::{Diagnostic, Fix, Remedy, Span};
use halidom_ir::{Constant, ExprId, Scalar};

use crate::codes;
use crate::syntax::ast::{Expr, ExprKind};

use super::scope::Checker;

impl<'a, 's> Checker<'a, 's> {
    /// Checks an expression that must have a type. Machine integers are converted to `int` where
    /// needed; nothing else is converted implicitly.
    pub(super) fn check(&mut self, expr: &'a Expr<'s>, expected: Scalar) -> Option<ExprId> {
        let id = self.infer(expr, Some(expected))?;
        self.coerce(id, expected, expr.span)
    }

    /// Converts a value to `expected`, if that needs no written cast.
    pub(super) fn coerce(&mut self, id: ExprId, expected: Scalar, span: Span) -> Option<ExprId> {
        let found = self.scalar_of(id);
        if found == expected || (expected == Scalar::Int && found.is_machine_integer()) {
            return Some(self.pool.cast(expected, id));
        }
        let diagnostic = Diagnostic::error(
            codes::MISMATCH,
            span,
            format!("expected `{expected}`, found `{found}`"),
        )
        .with_hint(self.cast_hint(found, expected, span));
        self.report(diagnostic);
        None
    }

    pub(super) fn scalar_of(&self, id: ExprId) -> Scalar {
        self.pool.ty(id).scalar
    }

    /// Returns a hint for writing the conversion of the expression at a place.
    pub(super) fn cast_hint(&self, from: Scalar, to: Scalar, span: Span) -> Remedy {
        if to == Scalar::Bool {
            return "compare it with something".into();
        }
        let steps = if is_castable(from, to) { format!("{to}") } else { format!("{to}(i32") };
        let close = if is_castable(from, to) { ")" } else { "))" };
        let hint = match self.quote(span) {
            Some(text) => format!("convert it: `{steps}({text}{close}`"),
            None => format!("convert it: `{steps}(…{close}`"),
        };
        let fix = self.text.get(span.range()).map(|text| {
            let title = format!("convert it to `{to}`");
            // An expression in brackets has its own.
            let text = text
                .strip_prefix('(')
                .and_then(|text| text.strip_suffix(')'))
                .filter(|text| is_balanced(text))
                .unwrap_or(text);
            Fix { title, edits: vec![(span, format!("{steps}({text}{close}"))] }
        });
        Remedy { hint, fix }
    }

    /// Checks the operands of one operator and brings them to one type. Literals follow the others.
    pub(super) fn unify(
        &mut self,
        operator: &str,
        operands: &[Operand<'a, 's>],
        hint: Option<Scalar>,
    ) -> Option<Vec<ExprId>> {
        let flexible: Vec<bool> =
            operands.iter().map(|operand| self.is_flexible(operand.expr)).collect();
        let mut ids: Vec<Option<ExprId>> = Vec::with_capacity(operands.len());
        for (operand, flexible) in operands.iter().zip(&flexible) {
            ids.push(if *flexible { None } else { self.infer_operand(*operand, hint) });
        }
        let failed = ids.iter().zip(&flexible).any(|(id, flexible)| id.is_none() && !flexible);
        // One type for all operands except literals: `int` where it meets machine integers.
        let mut common: Option<Scalar> = None;
        for id in ids.iter().flatten() {
            let scalar = self.scalar_of(*id);
            common = match common {
                Some(Scalar::Int) if scalar.is_machine_integer() => Some(Scalar::Int),
                Some(first) if first.is_machine_integer() && scalar == Scalar::Int => {
                    Some(Scalar::Int)
                }
                Some(first) => Some(first),
                None => Some(scalar),
            };
        }
        if failed && common.is_none() {
            return None;
        }
        let literals = common.or(hint).or_else(|| {
            let float = operands.iter().any(|operand| self.has_float_literal(operand.expr));
            float.then_some(Scalar::F32)
        });
        for (id, operand) in ids.iter_mut().zip(operands) {
            if id.is_none() && self.is_flexible(operand.expr) {
                *id = self.infer_operand(*operand, literals);
            }
        }
        let ids: Vec<ExprId> = ids.into_iter().collect::<Option<_>>()?;
        let common = common.unwrap_or_else(|| self.scalar_of(ids[0]));
        let mut unified = Vec::with_capacity(ids.len());
        for (id, operand) in ids.iter().zip(operands) {
            let scalar = self.scalar_of(*id);
            if scalar != common && !(common == Scalar::Int && scalar.is_machine_integer()) {
                return self.mixed(operator, &ids, operands, (common, scalar), operand.expr.span);
            }
            unified.push(self.pool.cast(common, *id));
        }
        Some(unified)
    }

    /// Reports operands of two types; the hint converts the one with fewer values.
    fn mixed<T>(
        &mut self,
        operator: &str,
        ids: &[ExprId],
        operands: &[Operand<'a, 's>],
        (common, other): (Scalar, Scalar),
        other_span: Span,
    ) -> Option<T> {
        let common_span = ids
            .iter()
            .zip(operands)
            .find(|(id, _)| self.scalar_of(**id) == common)
            .map_or(other_span, |(_, operand)| operand.expr.span);
        let (from, to, from_span) = if precedence(common) < precedence(other) {
            (common, other, common_span)
        } else {
            (other, common, other_span)
        };
        let message = format!("{operator} of `{common}` and `{other}`");
        let diagnostic = Diagnostic::error(codes::MIXED, other_span, message)
            .labelled(format!("`{other}`"))
            .with_label(common_span, format!("`{common}`"))
            .with_hint(self.cast_hint(from, to, from_span));
        self.report(diagnostic);
        None
    }

    /// Checks a written cast: `u8(e)`. Literals are read as the target type where possible.
    pub(super) fn cast_call(&mut self, to: Scalar, expr: &'a Expr<'s>) -> Option<ExprId> {
        // A literal may be beyond the 64 bits of an `int`, and still has a cast to a narrower type.
        if let ExprKind::Integer(value) = expr.kind
            && to != Scalar::Int
            && !to.is_float()
            && let Ok(constant) = halidom_ir::eval::cast(to, Constant::int(value))
        {
            return Some(self.pool.constant(constant));
        }
        let hint = if !self.is_flexible(expr) {
            None
        } else if to.is_float() {
            Some(to)
        } else if self.has_float_literal(expr) {
            None
        } else {
            Some(Scalar::Int)
        };
        let id = self.infer(expr, hint)?;
        let from = self.scalar_of(id);
        if !is_castable(from, to) {
            let hint = self.cast_hint(from, to, expr.span);
            let message = format!("there is no conversion from `{from}` to `{to}`");
            return self.fail_with_hint(codes::BAD_CAST, expr.span, message, hint);
        }
        // Produces a constant of the target type, rather than a conversion of an `int` constant.
        if let Some(constant) = self.pool.as_constant(id)
            && let Ok(converted) = halidom_ir::eval::cast(to, constant)
        {
            return Some(self.pool.constant(converted));
        }
        Some(self.pool.cast(to, id))
    }
}

/// An operand, with the member of the pack that it was expanded for, if any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand<'a, 's> {
    pub(super) expr: &'a Expr<'s>,
    pub(super) member: Option<usize>,
}

impl<'a, 's> Operand<'a, 's> {
    pub(super) fn plain(expr: &'a Expr<'s>) -> Self {
        Self { expr, member: None }
    }
}

/// True if a written cast exists.
pub(super) fn is_castable(from: Scalar, to: Scalar) -> bool {
    !(to == Scalar::Int && from.is_float())
}

/// Ranks types for hints, which convert to the type with more values.
fn precedence(scalar: Scalar) -> (u8, u32) {
    let kind = match scalar {
        Scalar::Bool => 0,
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => 1,
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => 1,
        Scalar::Int => 0,
        Scalar::F32 | Scalar::F64 => 2,
    };
    (kind, scalar.bits().unwrap_or(0))
}

/// True if the brackets of a text without its outer ones match.
fn is_balanced(text: &str) -> bool {
    let mut open = 0_usize;
    text.chars().all(|c| match c {
        '(' => {
            open += 1;
            true
        }
        ')' => {
            let closes = open > 0;
            open = open.saturating_sub(1);
            closes
        }
        _ => true,
    })
}
