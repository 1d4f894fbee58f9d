//! Expands built-in functions into casts and core operators.

use halidom_diag::{Diagnostic, Span};
use halidom_ir::{BinaryOp, Constant, ExprId, Intrinsic, Scalar};

use crate::codes;
use crate::syntax::ast::{Argument, ExprKind, Name};
use crate::syntax::{count, given};

use super::casts::{Operand, is_castable};
use super::functions::{BUILTINS, Builtin, REDUCTIONS, Sum};
use super::literals::number;
use super::scope::{Checker, Role};

impl<'a, 's> Checker<'a, 's> {
    /// Checks a call of a built-in function.
    pub(super) fn builtin(
        &mut self,
        callee: Name<'s>,
        arguments: &'a [Argument<'s>],
        span: Span,
        hint: Option<Scalar>,
    ) -> Option<ExprId> {
        let name = callee.text;
        let Some((_, builtin, least, most)) = BUILTINS.iter().find(|(known, ..)| *known == name)
        else {
            if REDUCTIONS.contains(&name) {
                return self.fail_with_hint(
                    codes::ARGUMENT_COUNT,
                    span,
                    format!("`{name}` needs a domain"),
                    format!("write `{name}(r in 0..n: e)`"),
                );
            }
            return self.unknown(callee, Role::Func);
        };
        let mut operands = self.expand(arguments)?;
        if operands.len() < *least || operands.len() > *most {
            let wanted = count(*least, "argument");
            let at_least = if least == most { "" } else { "at least " };
            let given = given(operands.len(), "argument");
            let message = format!("`{name}` takes {at_least}{wanted}, but {given}");
            return self.fail(codes::ARGUMENT_COUNT, span, message);
        }
        let operator = format!("`{name}`");
        match builtin {
            Builtin::Intrinsic(intrinsic) => self.intrinsic(*intrinsic, operands[0], span, hint),
            Builtin::Min => self.fold_numbers(&operator, BinaryOp::Min, &operands, span, hint),
            Builtin::Max => self.fold_numbers(&operator, BinaryOp::Max, &operands, span, hint),
            Builtin::Clamp => {
                let ids = self.unify_numbers(&operator, &operands, span, hint)?;
                let below = self.pool.binary(BinaryOp::Min, ids[0], ids[2]);
                Some(self.pool.binary(BinaryOp::Max, below, ids[1]))
            }
            Builtin::Select => {
                let live = self.live_arms(arguments);
                if let [only] = live.as_slice() {
                    return self.infer(&arguments[*only].value, hint);
                }
                if live.len() < arguments.len() {
                    operands = live.iter().map(|position| operands[*position]).collect();
                }
                self.select_call(&operands, span, hint)
            }
            Builtin::Likely => self.infer_operand(operands[0], hint),
            Builtin::All => self.fold_conditions(BinaryOp::And, true, &operands),
            Builtin::Any => self.fold_conditions(BinaryOp::Or, false, &operands),
            Builtin::AbsDiff => {
                let ids = self.unify_numbers(&operator, &operands, span, hint)?;
                Some(self.abs_diff(ids[0], ids[1]))
            }
            Builtin::Lerp => self.lerp(&operator, &operands, span, hint),
            Builtin::Widening(sum) => {
                let (a, b, from) = self.machine_pair(&operator, &operands, span, hint)?;
                let to = self.wider(from, *sum == Sum::Sub, name, span)?;
                Some(self.widened(*sum, to, a, b))
            }
            Builtin::Saturating(sum) => {
                let (a, b, from) = self.machine_pair(&operator, &operands, span, hint)?;
                let to = self.wider(from, *sum == Sum::Sub, name, span)?;
                let exact = self.widened(*sum, to, a, b);
                self.saturated(exact, from)
            }
            Builtin::Halving(sum) => {
                let (a, b, from) = self.machine_pair(&operator, &operands, span, hint)?;
                let to = self.wider(from, *sum == Sum::Sub, name, span)?;
                let exact = self.widened(*sum, to, a, b);
                self.half(exact, from, to)
            }
            Builtin::RoundingHalvingAdd => {
                let (a, b, from) = self.machine_pair(&operator, &operands, span, hint)?;
                let to = self.wider(from, false, name, span)?;
                let exact = self.widened(Sum::Add, to, a, b);
                let one = self.pool.constant(number(to, 1)?);
                let rounded = self.pool.add(exact, one);
                self.half(rounded, from, to)
            }
            Builtin::RoundingShiftRight => {
                let (a, b, from) = self.machine_pair(&operator, &operands, span, hint)?;
                let to = self.wider(from, false, name, span)?;
                self.rounding_shift_right(a, b, from, to)
            }
            Builtin::RoundingShiftLeft => {
                let (a, b, from) = self.machine_pair(&operator, &operands, span, hint)?;
                let to = self.wider(from, false, name, span)?;
                if from.is_unsigned() {
                    return Some(self.pool.binary(BinaryOp::Shl, a, b));
                }
                // The negation of the least amount overflows. The amount one above it is used
                // instead, which also shifts out every bit.
                let zero = self.pool.constant(number(from, 0)?);
                let least = self.pool.constant(number(from, from.range()?.0 + 1)?);
                let amount = self.pool.binary(BinaryOp::Max, b, least);
                let right = self.pool.sub(zero, amount);
                self.rounding_shift_right(a, right, from, to)
            }
            Builtin::MulShiftRight { rounding } => {
                self.mul_shift_right(*rounding, callee, &operands, span, hint)
            }
            Builtin::SaturatingCast => self.saturating_cast(operands[0], operands[1]),
            Builtin::Mux => self.mux(&operands, hint),
            Builtin::Composed(function) => {
                let ids = self.floats(&operator, &operands, span, hint)?;
                Some(self.composed(*function, ids[0], ids[ids.len() - 1]))
            }
        }
    }

    /// Expands `saturating_cast(u8, e)`: the nearest value of the type.
    fn saturating_cast(&mut self, ty: Operand<'a, 's>, value: Operand<'a, 's>) -> Option<ExprId> {
        let to =
            if let ExprKind::Name(name) = ty.expr.kind { Scalar::from_name(name) } else { None };
        let Some(to) = to.filter(|to| *to != Scalar::Bool) else {
            return self.fail_with_hint(
                codes::UNKNOWN_TYPE,
                ty.expr.span,
                "`saturating_cast` needs the name of a type of numbers first",
                "write `saturating_cast(u8, e)`",
            );
        };
        let id = self.infer_operand(value, None)?;
        let from = self.scalar_of(id);
        if !is_castable(from, to) || from == Scalar::Bool {
            let message = format!("there is no saturating conversion from `{from}` to `{to}`");
            return self.fail(codes::BAD_CAST, value.expr.span, message);
        }
        // Casts from floats saturate anyway, and casts to floats and `int` need no saturation.
        if from.is_float() || !to.is_machine_integer() {
            return Some(self.pool.cast(to, id));
        }
        self.saturated(id, to)
    }

    /// Returns the nearest value of a machine integer type.
    fn saturated(&mut self, exact: ExprId, to: Scalar) -> Option<ExprId> {
        let from = self.scalar_of(exact);
        let (low, high) = to.range()?;
        let mut within = exact;
        // A bound that the source type cannot exceed is not needed.
        let range = from.range();
        if range.is_none_or(|(_, greatest)| greatest > high) {
            let high = self.pool.constant(number(from, high)?);
            within = self.pool.binary(BinaryOp::Min, within, high);
        }
        if range.is_none_or(|(least, _)| least < low) {
            let low = self.pool.constant(number(from, low)?);
            within = self.pool.binary(BinaryOp::Max, within, low);
        }
        Some(self.pool.cast(to, within))
    }

    /// Expands `a * b / 2^q`, exact before the shift and then saturated; a negative `q` counts as
    /// 0.
    fn mul_shift_right(
        &mut self,
        rounding: bool,
        callee: Name<'s>,
        operands: &[Operand<'a, 's>],
        span: Span,
        hint: Option<Scalar>,
    ) -> Option<ExprId> {
        let operator = format!("`{}`", callee.text);
        let (a, b, from) = self.machine_pair(&operator, operands, span, hint)?;
        let amount = self.infer_operand(operands[2], Some(from))?;
        let amount = self.coerce(amount, from, operands[2].expr.span)?;
        let to = self.wider(from, false, callee.text, span)?;
        let exact = self.widened(Sum::Mul, to, a, b);
        let zero = self.pool.constant(number(from, 0)?);
        let amount = self.pool.binary(BinaryOp::Max, amount, zero);
        let amount = self.pool.cast(to, amount);
        let shifted = self.pool.binary(BinaryOp::Shr, exact, amount);
        if !rounding {
            return self.saturated(shifted, from);
        }
        // The last bit that is shifted out decides the rounding, so no sum can overflow.
        let none = self.pool.constant(number(to, 0)?);
        let one = self.pool.constant(number(to, 1)?);
        let less = self.pool.sub(amount, one);
        let doubled = self.pool.binary(BinaryOp::Shr, exact, less);
        let bit = self.pool.binary(BinaryOp::And, doubled, one);
        let is_shifted = self.pool.binary(BinaryOp::Gt, amount, none);
        let half = self.pool.select(is_shifted, bit, none);
        let rounded = self.pool.add(shifted, half);
        self.saturated(rounded, from)
    }

    /// Expands `mux(i, a, b, …)`: the value with number `i`, the last one for all other numbers.
    fn mux(&mut self, operands: &[Operand<'a, 's>], hint: Option<Scalar>) -> Option<ExprId> {
        let index = self.infer_operand(operands[0], Some(Scalar::Int))?;
        let index = self.coerce(index, Scalar::Int, operands[0].expr.span);
        let ids = self.unify("`mux`", &operands[1..], hint)?;
        let index = index?;
        let mut ids = ids.into_iter().enumerate().rev();
        let (_, mut chosen) = ids.next()?;
        for (number, id) in ids {
            let number = self.pool.int(number as i128);
            let condition = self.pool.binary(BinaryOp::Eq, index, number);
            chosen = self.pool.select(condition, id, chosen);
        }
        Some(chosen)
    }

    fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        operand: Operand<'a, 's>,
        span: Span,
        hint: Option<Scalar>,
    ) -> Option<ExprId> {
        let is_abs = intrinsic == Intrinsic::Abs;
        // `sqrt(2)` is a float in any context.
        let hint = match hint {
            Some(scalar) if scalar.is_float() || is_abs => Some(scalar),
            Some(_) | None if is_abs => None,
            Some(_) | None => Some(Scalar::F32),
        };
        let id = self.infer_operand(operand, hint)?;
        let scalar = self.scalar_of(id);
        let fits = scalar.is_float() || (is_abs && (scalar.is_signed() || scalar == Scalar::Int));
        if fits {
            return Some(self.pool.call(intrinsic, id));
        }
        let message = format!("`{}` is not defined for `{scalar}`", intrinsic.name());
        if is_abs {
            return self.fail(codes::OPERAND, span, message);
        }
        let hint = self.cast_hint(scalar, Scalar::F32, operand.expr.span);
        self.fail_with_hint(codes::OPERAND, span, message, hint)
    }

    /// Checks operands of one type other than `bool`.
    fn unify_numbers(
        &mut self,
        operator: &str,
        operands: &[Operand<'a, 's>],
        span: Span,
        hint: Option<Scalar>,
    ) -> Option<Vec<ExprId>> {
        let ids = self.unify(operator, operands, hint)?;
        if self.scalar_of(ids[0]) == Scalar::Bool {
            let message = format!("{operator} is not defined for `bool`");
            return self.fail(codes::OPERAND, span, message);
        }
        Some(ids)
    }

    fn fold_numbers(
        &mut self,
        operator: &str,
        op: BinaryOp,
        operands: &[Operand<'a, 's>],
        span: Span,
        hint: Option<Scalar>,
    ) -> Option<ExprId> {
        let ids = self.unify_numbers(operator, operands, span, hint)?;
        ids.into_iter().reduce(|folded, id| self.pool.binary(op, folded, id))
    }

    fn fold_conditions(
        &mut self,
        op: BinaryOp,
        empty: bool,
        operands: &[Operand<'a, 's>],
    ) -> Option<ExprId> {
        let mut folded = None;
        for operand in operands {
            let id = self.infer_operand(*operand, Some(Scalar::Bool))?;
            let id = self.coerce(id, Scalar::Bool, operand.expr.span)?;
            folded = Some(match folded {
                Some(folded) => self.pool.binary(op, folded, id),
                None => id,
            });
        }
        Some(folded.unwrap_or_else(|| self.pool.constant(Constant::bool(empty))))
    }

    /// Reports a `select` without the value for the case that no condition holds.
    pub(super) fn missing_otherwise<T>(&mut self, span: Span) -> Option<T> {
        self.fail_with_hint(
            codes::ARGUMENT_COUNT,
            span,
            "the last argument of `select` is the value where no condition holds",
            "write `select(condition, value, …, otherwise)`",
        )
    }

    /// Expands `select(c0, v0, c1, v1, …, otherwise)`: the first condition that holds decides.
    fn select_call(
        &mut self,
        operands: &[Operand<'a, 's>],
        span: Span,
        hint: Option<Scalar>,
    ) -> Option<ExprId> {
        if operands.len().is_multiple_of(2) {
            return self.missing_otherwise(span);
        }
        let pairs = operands.len() / 2;
        let mut conditions = Vec::with_capacity(pairs);
        let mut values = Vec::with_capacity(pairs + 1);
        for pair in operands[..2 * pairs].chunks_exact(2) {
            let condition = self.infer_operand(pair[0], Some(Scalar::Bool));
            let condition =
                condition.and_then(|id| self.coerce(id, Scalar::Bool, pair[0].expr.span));
            conditions.push(condition);
            values.push(pair[1]);
        }
        values.push(operands[2 * pairs]);
        let ids = self.unify("`select`", &values, hint)?;
        let mut selected = ids[pairs];
        for (condition, value) in conditions.into_iter().zip(ids).rev() {
            selected = self.pool.select(condition?, value, selected);
        }
        Some(selected)
    }

    /// Returns `|a - b|`, exact: for integers in the unsigned type of the same width.
    fn abs_diff(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let scalar = self.scalar_of(a);
        let Some(unsigned) = unsigned(scalar) else {
            let difference = self.pool.sub(a, b);
            return self.pool.call(Intrinsic::Abs, difference);
        };
        let less = self.pool.binary(BinaryOp::Lt, a, b);
        // The difference modulo 2^width is exact, because the exact difference fits.
        let (a, b) = (self.pool.cast(unsigned, a), self.pool.cast(unsigned, b));
        let (up, down) = (self.pool.sub(b, a), self.pool.sub(a, b));
        self.pool.select(less, up, down)
    }

    /// Expands `a * (1 - w) + b * w`. For unsigned integers the weight ranges from 0 to the
    /// greatest value, and the result is rounded.
    fn lerp(
        &mut self,
        operator: &str,
        operands: &[Operand<'a, 's>],
        span: Span,
        hint: Option<Scalar>,
    ) -> Option<ExprId> {
        let ids = self.unify_numbers(operator, operands, span, hint)?;
        let scalar = self.scalar_of(ids[0]);
        if scalar.is_float() {
            let one = self.pool.constant(number(scalar, 1)?);
            let rest = self.pool.sub(one, ids[2]);
            let from = self.pool.mul(ids[0], rest);
            let to = self.pool.mul(ids[1], ids[2]);
            return Some(self.pool.add(from, to));
        }
        if !scalar.is_unsigned() {
            let message = format!("`lerp` is not defined for `{scalar}`");
            let hint = "it takes floats, or unsigned integers with a weight of the same type";
            return self.fail_with_hint(codes::OPERAND, span, message, hint);
        }
        let wide = self.wider(scalar, false, "lerp", span)?;
        let (_, greatest) = scalar.range()?;
        let whole = self.pool.constant(number(wide, greatest)?);
        let half = self.pool.constant(number(wide, greatest / 2)?);
        let wide_ids: Vec<ExprId> = ids.iter().map(|id| self.pool.cast(wide, *id)).collect();
        let rest = self.pool.sub(whole, wide_ids[2]);
        let from = self.pool.mul(wide_ids[0], rest);
        let to = self.pool.mul(wide_ids[1], wide_ids[2]);
        let sum = self.pool.add(from, to);
        let rounded = self.pool.add(sum, half);
        let mean = self.pool.binary(BinaryOp::Div, rounded, whole);
        Some(self.pool.cast(scalar, mean))
    }

    /// Checks two operands of one machine integer type.
    fn machine_pair(
        &mut self,
        operator: &str,
        operands: &[Operand<'a, 's>],
        span: Span,
        hint: Option<Scalar>,
    ) -> Option<(ExprId, ExprId, Scalar)> {
        // The type expected of a widening function is not its operands' type.
        let hint = if operator.contains("widening") { None } else { hint };
        let ids = self.unify(operator, &operands[..2], hint)?;
        let scalar = self.scalar_of(ids[0]);
        if !scalar.is_machine_integer() {
            let message = format!("{operator} is for machine integers, not `{scalar}`");
            return self.fail(codes::OPERAND, span, message);
        }
        Some((ids[0], ids[1], scalar))
    }

    /// Returns the type with twice the width, signed if a difference must fit.
    fn wider(&mut self, scalar: Scalar, signed: bool, name: &str, span: Span) -> Option<Scalar> {
        let wider = match scalar {
            Scalar::I8 => Scalar::I16,
            Scalar::I16 => Scalar::I32,
            Scalar::I32 => Scalar::I64,
            Scalar::U8 if signed => Scalar::I16,
            Scalar::U16 if signed => Scalar::I32,
            Scalar::U32 if signed => Scalar::I64,
            Scalar::U8 => Scalar::U16,
            Scalar::U16 => Scalar::U32,
            Scalar::U32 => Scalar::U64,
            Scalar::I64 | Scalar::U64 | Scalar::Bool | Scalar::F32 | Scalar::F64 | Scalar::Int => {
                self.report(
                    Diagnostic::error(
                        codes::NO_WIDER,
                        span,
                        format!("`{name}` needs a type wider than `{scalar}`, and there is none"),
                    )
                    .with_hint("use operands of at most 32 bits"),
                );
                return None;
            }
        };
        Some(wider)
    }

    /// Returns the exact result in the wider type.
    fn widened(&mut self, sum: Sum, to: Scalar, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = (self.pool.cast(to, a), self.pool.cast(to, b));
        match sum {
            Sum::Add => self.pool.add(a, b),
            Sum::Sub => self.pool.sub(a, b),
            Sum::Mul => self.pool.mul(a, b),
        }
    }

    /// Expands `a / 2^b`, rounded to nearest with ties up.
    fn rounding_shift_right(
        &mut self,
        a: ExprId,
        b: ExprId,
        from: Scalar,
        to: Scalar,
    ) -> Option<ExprId> {
        // If the shift exceeds the width, every quotient is nearer to 0 than to 1.
        let most = self.pool.constant(number(from, i128::from(from.bits()?) + 1)?);
        let amount = self.pool.binary(BinaryOp::Min, b, most);
        let zero = self.pool.constant(number(from, 0)?);
        let is_right = self.pool.binary(BinaryOp::Gt, amount, zero);
        let (a, amount) = (self.pool.cast(to, a), self.pool.cast(to, amount));
        let one = self.pool.constant(number(to, 1)?);
        let less = self.pool.sub(amount, one);
        let half = self.pool.binary(BinaryOp::Shl, one, less);
        let none = self.pool.constant(number(to, 0)?);
        let half = self.pool.select(is_right, half, none);
        let rounded = self.pool.add(a, half);
        let shifted = self.pool.binary(BinaryOp::Shr, rounded, amount);
        Some(self.pool.cast(from, shifted))
    }

    /// Returns half of a value, rounded down, in the narrow type.
    fn half(&mut self, exact: ExprId, from: Scalar, to: Scalar) -> Option<ExprId> {
        let one = self.pool.constant(number(to, 1)?);
        let half = self.pool.binary(BinaryOp::Shr, exact, one);
        Some(self.pool.cast(from, half))
    }
}

/// Returns the unsigned type of the same width.
fn unsigned(scalar: Scalar) -> Option<Scalar> {
    match scalar {
        Scalar::I8 | Scalar::U8 => Some(Scalar::U8),
        Scalar::I16 | Scalar::U16 => Some(Scalar::U16),
        Scalar::I32 | Scalar::U32 => Some(Scalar::U32),
        Scalar::I64 | Scalar::U64 => Some(Scalar::U64),
        Scalar::Bool | Scalar::F32 | Scalar::F64 | Scalar::Int => None,
    }
}
