//! Halide's intrinsics and the functions of its runtime in terms of `ir`'s operators.
//!
//! # Correctness
//! Intrinsics that Halide defines by a wider type are computed exactly, as `int`s, and converted
//! back.

use halidom_ir::{BinaryOp as Op, Constant, ExprId, Intrinsic as Function, Overflow, UnaryOp};

use super::error::{Result, unsupported};
use super::intrinsics::{FAILED, PROMISE, REQUIRE, UNSAFE_PROMISE, UNSORTED, refuse};
use super::ops::{Ops, Value, is_half, stored};
use crate::tree;

impl Ops<'_> {
    /// A value that is promised to lie between two others.
    fn promised(&mut self, [a, least, greatest]: [Value; 3], ty: tree::Scalar) -> Result<Value> {
        if !self.widths.keeps_promises {
            return Ok(a);
        }
        let above = self.binary(tree::BinaryOp::Le, least, a)?;
        let below = self.binary(tree::BinaryOp::Le, a, greatest)?;
        let keeps = self.binary(tree::BinaryOp::And, above, below)?;
        let broken = self.named(FAILED, &[a, least, greatest], ty)?;
        self.select(keeps, a, broken)
    }

    /// A function of a float.
    fn function(&mut self, function: Function, a: Value) -> Result<Value> {
        if !self.pool.ty(a.id).scalar.is_float() {
            return unsupported("a function of floats on integers");
        }
        Ok(Value { id: self.pool.call(function, a.id), ty: a.ty })
    }

    /// A test of a float.
    fn float_test(&mut self, test: &str, a: Value) -> Result<Value> {
        if test == "is_nan" {
            return self.binary(tree::BinaryOp::Ne, a, a);
        }
        let magnitude = self.function(Function::Abs, a)?;
        let infinity = self.float(f64::INFINITY, a.ty)?;
        let lanes = self.pool.ty(a.id).lanes;
        let infinity = Value { id: self.broadcast(infinity.id, lanes), ..infinity };
        let op = if test == "is_inf" { tree::BinaryOp::Eq } else { tree::BinaryOp::Lt };
        self.binary(op, magnitude, infinity)
    }

    /// The result of an intrinsic or a function of Halide's runtime, of type `ty`. All operands
    /// have the same number of lanes.
    pub(super) fn call(&mut self, name: &str, args: &[Value], ty: tree::Scalar) -> Result<Value> {
        use tree::BinaryOp::{Add, Le, Mul, Sub};
        if is_half(ty) || args.iter().any(|arg| is_half(arg.ty)) {
            return self.call_of_halves(name, args, ty);
        }
        if let (Some(op), [a, b]) = (strict_operator(name), args) {
            return self.binary(op, *a, *b);
        }
        let unbounded = Overflow::Unbounded;
        match (name, args) {
            ("likely" | "likely_if_innermost" | "strict_float", [a]) => Ok(*a),
            // A promise in a pipeline is Halide's own or its author's (see
            // [`promises`](super::promises)). In a statement it would be an obligation, but Halide
            // removes all promises before the final statement.
            (PROMISE, [a, _, _]) if self.signed == Overflow::AssumedAbsent => Ok(*a),
            (UNSAFE_PROMISE, [a, least, greatest]) if self.signed == Overflow::AssumedAbsent => {
                self.promised([*a, *least, *greatest], ty)
            }
            ("return_second", [_, b]) => Ok(*b),
            // Where a requirement fails, nothing is known about the value, in the pipeline and in
            // the statement: a statement without the requirement has another one.
            (REQUIRE, [condition, value]) => {
                let failed = self.named(FAILED, &[*condition, *value], ty)?;
                self.select(*condition, *value, failed)
            }
            ("if_then_else" | "select_mask", [condition, a, b]) => self.select(*condition, *a, *b),
            ("lerp", [zero, one, weight]) => self.lerp([*zero, *one], *weight),
            ("mux", [which, values @ ..]) => self.mux(*which, values),
            ("abs", [a]) => self.magnitude(*a, ty),
            ("absd", [a, b]) => self.distance(*a, *b, ty),
            ("bitwise_and", [a, b]) => self.bitwise(Op::And, *a, *b),
            ("bitwise_or", [a, b]) => self.bitwise(Op::Or, *a, *b),
            ("bitwise_xor", [a, b]) => self.bitwise(Op::Xor, *a, *b),
            ("bitwise_not", [a]) => {
                let id = self.as_stored(*a)?;
                Ok(Value { id: self.pool.unary(UnaryOp::Not, id), ty: a.ty })
            }
            ("shift_left" | "shift_right", [a, b]) => self.shift(name, *a, *b),
            ("widening_add" | "widen_right_add", [a, b]) => self.widened(Add, *a, *b, ty),
            ("widening_sub" | "widen_right_sub", [a, b]) => self.widened(Sub, *a, *b, ty),
            ("widening_mul" | "widen_right_mul", [a, b]) => self.widened(Mul, *a, *b, ty),
            ("widening_shift_left" | "widening_shift_right", [a, b]) => {
                // A product by a power of two may take its place (`should_use_dot_product`).
                if self.literal(b.id).is_some_and(|amount| amount < 0) {
                    return unsupported("a widening shift by a negative amount");
                }
                let a = self.cast(ty, *a)?;
                self.shift(name, a, *b)
            }
            ("saturating_add", [a, b]) => {
                let sum = self.exact(Op::Add(unbounded), *a, *b)?;
                self.saturated(sum, ty)
            }
            ("saturating_sub", [a, b]) => {
                let difference = self.exact(Op::Sub(unbounded), *a, *b)?;
                self.saturated(difference, ty)
            }
            ("saturating_cast", [a]) => {
                if self.pool.ty(a.id).scalar.is_float() {
                    return self.saturated_float(*a, ty);
                }
                let id = self.as_int(*a)?;
                self.saturated(id, ty)
            }
            ("halving_add", [a, b]) => self.halved(Op::Add(unbounded), *a, *b, ty),
            ("halving_sub", [a, b]) => self.halved(Op::Sub(unbounded), *a, *b, ty),
            ("rounding_halving_add", [a, b]) => {
                let sum = self.exact(Op::Add(unbounded), *a, *b)?;
                let id = self.rounded_down(sum, 1);
                self.wrapped(id, ty)
            }
            // Halide promises an average only if the first operand is not the larger one.
            ("sorted_avg", [a, b]) => {
                let is_sorted = self.binary(Le, *a, *b)?;
                let average = self.call("halving_add", args, ty)?;
                let unknown = self.named(UNSORTED, args, ty)?;
                self.select(is_sorted, average, unknown)
            }
            ("rounding_shift_left" | "rounding_shift_right", [a, b]) => {
                self.rounding_shift(name, *a, *b)
            }
            ("popcount" | "count_leading_zeros" | "count_trailing_zeros", [a]) => {
                self.counted(name, *a)
            }
            ("concat_bits", parts) => self.concatenated_bits(parts, ty),
            ("extract_bits", [a, from]) => self.extracted_bits(*a, *from, ty),
            ("memoize_expr", [a, ..]) => Ok(*a),
            ("mul_shift_right" | "rounding_mul_shift_right", [a, b, q]) => {
                self.shifted_product(name, [*a, *b, *q], ty)
            }
            ("div_round_to_zero", [a, b]) => {
                let (x, y) = (self.as_int(*a)?, self.as_int(*b)?);
                let quotient = self.truncated_quotient(x, y)?;
                self.wrapped(quotient, ty)
            }
            ("mod_round_to_zero", [a, b]) => {
                let (x, y) = (self.as_int(*a)?, self.as_int(*b)?);
                let quotient = self.truncated_quotient(x, y)?;
                let whole = self.int_op(Op::Mul(unbounded), quotient, y);
                let remainder = self.int_op(Op::Sub(unbounded), x, whole);
                self.wrapped(remainder, ty)
            }
            ("round", [a]) => self.function(Function::Round, *a),
            (_, [a]) => match (float_function(name), name.rsplit_once("_f")) {
                (Some(function), _) => self.function(function, *a),
                (None, Some((test @ ("is_nan" | "is_inf" | "is_finite"), _))) => {
                    self.float_test(test, *a)
                }
                (None, _) => refuse(name),
            },
            ("nan_f32" | "nan_f64", []) => self.float(f64::NAN, ty),
            ("inf_f32" | "inf_f64", []) => self.float(f64::INFINITY, ty),
            ("neg_inf_f32" | "neg_inf_f64", []) => self.float(f64::NEG_INFINITY, ty),
            _ => refuse(name),
        }
    }

    /// The value with a number among some, or the last one.
    fn mux(&mut self, which: Value, values: &[Value]) -> Result<Value> {
        let Some((last, before)) = values.split_last() else {
            return unsupported("a choice among no values");
        };
        let which = self.as_int(which)?;
        let mut result = *last;
        for (number, value) in before.iter().enumerate().rev() {
            let number = self.int_like(which, number as i128);
            let id = self.int_op(Op::Eq, which, number);
            let condition = Value { id, ty: tree::Scalar::UInt(1) };
            result = self.select(condition, *value, result)?;
        }
        Ok(result)
    }

    fn magnitude(&mut self, a: Value, ty: tree::Scalar) -> Result<Value> {
        if self.pool.ty(a.id).scalar.is_float() {
            return self.function(Function::Abs, a);
        }
        let a = self.as_int(a)?;
        let id = self.pool.call(Function::Abs, a);
        self.wrapped(id, ty)
    }

    fn distance(&mut self, a: Value, b: Value, ty: tree::Scalar) -> Result<Value> {
        if self.pool.ty(a.id).scalar.is_float() {
            let difference = self.binary(tree::BinaryOp::Sub, a, b)?;
            return self.function(Function::Abs, difference);
        }
        let difference = self.exact(Op::Sub(Overflow::Unbounded), a, b)?;
        let id = self.pool.call(Function::Abs, difference);
        self.wrapped(id, ty)
    }

    /// An operator on operands as `int`s.
    fn exact(&mut self, op: Op, a: Value, b: Value) -> Result<ExprId> {
        let (a, b) = (self.as_int(a)?, self.as_int(b)?);
        Ok(self.int_op(op, a, b))
    }

    /// A float saturated to an integer type, as the code generators do it
    /// (`lower_saturating_cast`): where the greatest integer is no float, it replaces all floats
    /// from the next one on.
    fn saturated_float(&mut self, a: Value, ty: tree::Scalar) -> Result<Value> {
        use tree::BinaryOp::{Ge, Max, Min};
        let Some((least, greatest)) = stored(ty)?.range() else {
            return unsupported("a saturating conversion of a float to a float");
        };
        let lanes = self.pool.ty(a.id).lanes;
        let [low, high] = [least, greatest].map(|end| self.float(end as f64, a.ty));
        let [mut low, mut high] = [low?, high?];
        low.id = self.broadcast(low.id, lanes);
        high.id = self.broadcast(high.id, lanes);
        if stored(ty)?.bytes() < self.pool.ty(a.id).scalar.bytes() {
            let below = self.binary(Min, a, high)?;
            let kept = self.binary(Max, below, low)?;
            return self.wrapped(kept.id, ty);
        }
        let above = self.binary(Max, a, low)?;
        let is_great = self.binary(Ge, above, high)?;
        let number = self.wrapped(above.id, ty)?;
        self.widths.fit(number.id);
        let Some(limit) = Constant::wrapped(stored(ty)?, greatest) else {
            return unsupported("a saturating conversion to this type");
        };
        let limit = Value { id: self.like(number.id, limit), ty };
        self.select(is_great, limit, number)
    }

    /// Half of an exact sum or difference, rounded down.
    fn halved(&mut self, op: Op, a: Value, b: Value, ty: tree::Scalar) -> Result<Value> {
        let exact = self.exact(op, a, b)?;
        let id = self.scaled_down(exact, 1);
        self.wrapped(id, ty)
    }

    /// The quotient of `int`s, rounded to zero.
    fn truncated_quotient(&mut self, x: ExprId, y: ExprId) -> Result<ExprId> {
        // By 0, and of the least value by -1, the code has no behaviour.
        if self.literal(y).is_none_or(|divisor| matches!(divisor, -1 | 0)) {
            return unsupported("a truncating division by a number that is not known");
        }
        let zero = self.int_like(x, 0);
        let (low_x, low_y) = (self.int_op(Op::Lt, x, zero), self.int_op(Op::Lt, y, zero));
        let (abs_x, abs_y) = (self.pool.call(Function::Abs, x), self.pool.call(Function::Abs, y));
        let quotient = self.int_op(Op::Div, abs_x, abs_y);
        let opposite = self.int_op(Op::Sub(Overflow::Unbounded), zero, quotient);
        let differ = self.int_op(Op::Ne, low_x, low_y);
        Ok(self.pool.select(differ, opposite, quotient))
    }

    /// An operator on operands that are first converted to the type of the result.
    fn widened(
        &mut self,
        op: tree::BinaryOp,
        a: Value,
        b: Value,
        ty: tree::Scalar,
    ) -> Result<Value> {
        let (a, b) = (self.cast(ty, a)?, self.cast(ty, b)?);
        self.binary(op, a, b)
    }
}

/// The operator of an intrinsic on strict floats.
fn strict_operator(name: &str) -> Option<tree::BinaryOp> {
    Some(match name {
        "strict_add" => tree::BinaryOp::Add,
        "strict_sub" => tree::BinaryOp::Sub,
        "strict_mul" => tree::BinaryOp::Mul,
        "strict_div" => tree::BinaryOp::Div,
        "strict_min" => tree::BinaryOp::Min,
        "strict_max" => tree::BinaryOp::Max,
        "strict_lt" => tree::BinaryOp::Lt,
        "strict_le" => tree::BinaryOp::Le,
        "strict_eq" => tree::BinaryOp::Eq,
        _ => return None,
    })
}

/// A function of floats by its name in Halide's runtime, such as `floor_f32`.
pub(super) fn float_function(name: &str) -> Option<Function> {
    let name = name.strip_suffix("_f32").or(name.strip_suffix("_f64"))?;
    let name = if name == "fabs" { "abs" } else { name };
    Function::ALL.into_iter().find(|function| function.name() == name)
}
