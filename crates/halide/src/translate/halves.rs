//! Floats of 16 bits, as their bits in memory.
//!
//! # Correctness
//! A value of type `float16` or `bfloat16` is an unsigned integer of 16 bits here. Halide's code
//! generators compute in 32 bits and round each result to 16 bits, to nearest, ties to even. So
//! does this file: it widens operands, applies the operator to them, and narrows the result. An
//! intrinsic that takes several steps is refused, because each of them would be rounded.
//!
//! Widening is exact: a `float16` with exponent `e` and mantissa `m` is `(1024 + m)·2^(e - 25)`, or
//! `m·2^(-24)` if `e` is 0. A `bfloat16` has the upper half of the bits of a float of 32 bits.
//! Narrowing scales the magnitude by 2^24, halves it until it is below 2^11, and rounds it; the
//! number of steps is the exponent less 1. A mantissa that is rounded up to 2^11 becomes the next
//! exponent. All steps before rounding are exact in 64 bits. The one NaN that `ir` has becomes one
//! NaN of 16 bits.

use halidom_ir::{BinaryOp as Op, Constant, ExprId, Intrinsic, Overflow, Scalar};

use super::error::{Result, unsupported};
use super::ops::{Ops, Value, is_half};
use crate::tree;

const WIDE: tree::Scalar = tree::Scalar::Float(32);
const MANTISSA_BITS: u32 = 10;
const LAST_EXPONENT: u32 = 31;
/// The scale of the least `float16`, 2^-24.
const LEAST: i32 = -24;
/// The intrinsics that give one of their operands, or that are rounded once.
pub(super) const SINGLE: [&str; 30] = [
    "abs",
    "abs_f16",
    "ceil_f16",
    "fabs_f16",
    "floor_f16",
    "if_then_else",
    "is_finite_f16",
    "is_inf_f16",
    "is_nan_f16",
    "likely",
    "likely_if_innermost",
    "memoize_expr",
    "mux",
    "nearbyint_f16",
    "promise_clamped",
    "return_second",
    "select_mask",
    "sqrt_f16",
    "strict_add",
    "strict_div",
    "strict_eq",
    "strict_float",
    "strict_le",
    "strict_lt",
    "strict_max",
    "strict_min",
    "strict_mul",
    "strict_sub",
    "trunc_f16",
    "unsafe_promise_clamped",
];

impl Ops<'_> {
    /// A value with floats of 16 bits as floats of 32 bits.
    pub(super) fn widened_half(&mut self, value: Value) -> Result<Value> {
        if !is_half(value.ty) {
            return Ok(value);
        }
        if value.ty == tree::Scalar::BFloat(16) {
            let wide = self.pool.cast(Scalar::U32, value.id);
            let shift = self.whole(wide, Scalar::U32, 16)?;
            let id = self.pool.binary(Op::Shl, wide, shift);
            return self.reinterpret(WIDE, Value { id, ty: tree::Scalar::UInt(32) });
        }
        let bits = value.id;
        let word = |ops: &mut Self, number: u32| ops.whole(bits, Scalar::U16, number.into());
        let float = |ops: &mut Self, number: f32| ops.like(bits, Constant::f32(number));
        let wraps = Overflow::Wraps;
        let (zero, shift) = (word(self, 0)?, word(self, MANTISSA_BITS)?);
        let (last, low) = (word(self, LAST_EXPONENT)?, word(self, (1 << MANTISSA_BITS) - 1)?);
        let lead = word(self, 1 << MANTISSA_BITS)?;
        let exponent = self.pool.binary(Op::Shr, bits, shift);
        let exponent = self.pool.binary(Op::And, exponent, last);
        let mantissa = self.pool.binary(Op::And, bits, low);
        let is_small = self.pool.binary(Op::Eq, exponent, zero);
        let with_lead = self.pool.binary(Op::Add(wraps), mantissa, lead);
        let digits = self.pool.select(is_small, mantissa, with_lead);
        let mut magnitude = self.pool.cast(Scalar::F32, digits);
        let (twice, least) = (float(self, 2f32.powi(LEAST)), float(self, 2f32.powi(LEAST - 1)));
        let scale = self.pool.select(is_small, twice, least);
        magnitude = self.pool.binary(Op::Mul(wraps), magnitude, scale);
        for bit in 0..5 {
            let mask = word(self, 1 << bit)?;
            let masked = self.pool.binary(Op::And, exponent, mask);
            let is_set = self.pool.binary(Op::Ne, masked, zero);
            let (power, one) = (float(self, 2f32.powi(1 << bit)), float(self, 1.0));
            let factor = self.pool.select(is_set, power, one);
            magnitude = self.pool.binary(Op::Mul(wraps), magnitude, factor);
        }
        let (infinity, nan) = (float(self, f32::INFINITY), float(self, f32::NAN));
        let is_whole = self.pool.binary(Op::Eq, mantissa, zero);
        let special = self.pool.select(is_whole, infinity, nan);
        let is_special = self.pool.binary(Op::Eq, exponent, last);
        let unsigned = self.pool.select(is_special, special, magnitude);
        let sign = word(self, 1 << 15)?;
        let sign = self.pool.binary(Op::And, bits, sign);
        let is_negative = self.pool.binary(Op::Ne, sign, zero);
        let negated = self.pool.unary(halidom_ir::UnaryOp::Neg(wraps), unsigned);
        Ok(Value { id: self.pool.select(is_negative, negated, unsigned), ty: WIDE })
    }

    /// A float of 32 bits, rounded to 16 bits.
    pub(super) fn narrowed_half(&mut self, value: Value, ty: tree::Scalar) -> Result<Value> {
        if ty == tree::Scalar::BFloat(16) {
            let bits = self.reinterpret(tree::Scalar::UInt(32), value)?.id;
            let half = self.whole(bits, Scalar::U32, 16)?;
            let (one, below) =
                (self.whole(bits, Scalar::U32, 1)?, self.whole(bits, Scalar::U32, 0x7fff)?);
            let odd = self.pool.binary(Op::Shr, bits, half);
            let odd = self.pool.binary(Op::And, odd, one);
            let sum = self.pool.binary(Op::Add(Overflow::Wraps), bits, below);
            let sum = self.pool.binary(Op::Add(Overflow::Wraps), sum, odd);
            let upper = self.pool.binary(Op::Shr, sum, half);
            return Ok(Value { id: self.pool.cast(Scalar::U16, upper), ty });
        }
        let float = value.id;
        let wraps = Overflow::Wraps;
        let single = |ops: &mut Self, number: f32| ops.like(float, Constant::f32(number));
        let double = |ops: &mut Self, number: f64| ops.like(float, Constant::f64(number));
        let magnitude = self.pool.call(Intrinsic::Abs, float);
        // 2^16 becomes an infinity, and so does everything above.
        let limit = single(self, 65536.0);
        let magnitude = self.pool.binary(Op::Min, limit, magnitude);
        let is_nan = self.pool.binary(Op::Ne, float, float);
        let zero = single(self, 0.0);
        let magnitude = self.pool.select(is_nan, zero, magnitude);
        let wide = self.pool.cast(Scalar::F64, magnitude);
        let scale = double(self, 2f64.powi(-LEAST));
        let mut digits = self.pool.binary(Op::Mul(wraps), wide, scale);
        let mut steps = self.whole(float, Scalar::U32, 0)?;
        for bit in (0..5).rev() {
            let limit = double(self, 2f64.powi(MANTISSA_BITS as i32 + (1 << bit)));
            let is_large = self.pool.binary(Op::Ge, digits, limit);
            let (smaller, one) = (double(self, 2f64.powi(-(1 << bit))), double(self, 1.0));
            let factor = self.pool.select(is_large, smaller, one);
            digits = self.pool.binary(Op::Mul(wraps), digits, factor);
            let some = self.whole(float, Scalar::U32, 1 << bit)?;
            let none = self.whole(float, Scalar::U32, 0)?;
            let more = self.pool.select(is_large, some, none);
            steps = self.pool.binary(Op::Add(wraps), steps, more);
        }
        let digits = self.pool.call(Intrinsic::Round, digits);
        let digits = self.pool.cast(Scalar::U32, digits);
        let shift = self.whole(float, Scalar::U32, MANTISSA_BITS.into())?;
        let exponent = self.pool.binary(Op::Shl, steps, shift);
        let unsigned = self.pool.binary(Op::Add(wraps), exponent, digits);
        let infinity = self.whole(float, Scalar::U32, 0x7c00)?;
        let unsigned = self.pool.binary(Op::Min, unsigned, infinity);
        // The sign of a zero is that of its reciprocal.
        let one = single(self, 1.0);
        let reciprocal = self.pool.binary(Op::Div, one, float);
        let is_zero = self.pool.binary(Op::Eq, float, zero);
        let signed = self.pool.select(is_zero, reciprocal, float);
        let is_negative = self.pool.binary(Op::Lt, signed, zero);
        let (minus, plus) =
            (self.whole(float, Scalar::U32, 0x8000)?, self.whole(float, Scalar::U32, 0)?);
        let sign = self.pool.select(is_negative, minus, plus);
        let signed = self.pool.binary(Op::Or, sign, unsigned);
        let nan = self.whole(float, Scalar::U32, 0x7e00)?;
        let id = self.pool.select(is_nan, nan, signed);
        Ok(Value { id: self.pool.cast(Scalar::U16, id), ty })
    }

    /// An intrinsic of floats of 16 bits.
    pub(super) fn call_of_halves(
        &mut self,
        name: &str,
        args: &[Value],
        ty: tree::Scalar,
    ) -> Result<Value> {
        if !SINGLE.contains(&name) {
            return unsupported(format!("`{name}` of floats of 16 bits"));
        }
        let args = args.iter().map(|arg| self.widened_half(*arg)).collect::<Result<Vec<_>>>()?;
        let wide = if is_half(ty) { WIDE } else { ty };
        let name = match name.strip_suffix("_f16") {
            Some(name) => format!("{name}_f32"),
            None => name.to_owned(),
        };
        let result = self.call(&name, &args, wide)?;
        if is_half(ty) { self.narrowed_half(result, ty) } else { Ok(result) }
    }

    /// The constant of 16 bits that is next to a number.
    pub(super) fn half(&mut self, value: f64, ty: tree::Scalar) -> Result<Value> {
        let bits =
            if ty == tree::Scalar::BFloat(16) { bfloat_bits(value) } else { half_bits(value) };
        match Constant::wrapped(Scalar::U16, bits.into()) {
            Some(constant) => Ok(Value { id: self.pool.constant(constant), ty }),
            None => unsupported("a float constant of this type"),
        }
    }

    /// A constant of a type, with as many lanes as another expression.
    fn whole(&mut self, like: ExprId, scalar: Scalar, value: i128) -> Result<ExprId> {
        match Constant::wrapped(scalar, value) {
            Some(constant) => Ok(self.like(like, constant)),
            None => unsupported("a float of 16 bits"),
        }
    }
}

/// The bits of the nearest `float16`. Constants of a statement are exact.
fn half_bits(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if value.is_nan() {
        return 0x7e00;
    }
    let mut digits = value.abs().min(65536.0) * 2f64.powi(-LEAST);
    let mut steps = 0;
    while digits >= 2048.0 {
        digits /= 2.0;
        steps += 1;
    }
    let bits = (steps << MANTISSA_BITS) + digits.round_ties_even() as u32;
    sign | bits.min(0x7c00) as u16
}

/// The bits of the nearest `bfloat16`.
fn bfloat_bits(value: f64) -> u16 {
    let bits = (value as f32).to_bits();
    if value.is_nan() {
        0x7fc0
    } else {
        ((u64::from(bits) + 0x7fff + u64::from(bits >> 16 & 1)) >> 16) as u16
    }
}

#[cfg(test)]
mod tests {
    use halidom_ir::{Pool, Type, VarId};

    use super::super::ops::Widths;
    use super::*;
    use crate::translate::constants::folded;

    /// An expression of one variable.
    struct Function {
        pool: Pool,
        var: VarId,
        result: ExprId,
    }

    impl Function {
        fn of(
            (scalar, ty): (Scalar, tree::Scalar),
            make: impl FnOnce(&mut Ops<'_>, Value) -> Result<Value>,
        ) -> Self {
            let mut pool = Pool::new();
            let var = pool.declare_var("x", Type::scalar(scalar));
            let id = pool.var_expr(var);
            let mut widths = Widths::default();
            let mut ops = Ops { pool: &mut pool, widths: &mut widths, signed: Overflow::Wraps };
            let result = make(&mut ops, Value { id, ty }).expect("it is translated").id;
            Self { pool, var, result }
        }

        fn widening(ty: tree::Scalar) -> Self {
            Self::of((Scalar::U16, ty), |ops, value| {
                let wide = ops.widened_half(value)?;
                assert_eq!(wide.ty, WIDE);
                Ok(wide)
            })
        }

        fn at(&self, value: Constant) -> Constant {
            folded(&self.pool, self.result, &[(self.var, value)]).expect("it can be worked out")
        }
    }

    fn word(bits: u16) -> Constant {
        Constant::wrapped(Scalar::U16, bits.into()).expect("it is an integer")
    }

    /// The value of a half by its definition.
    fn value_of(bits: u16) -> f32 {
        let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
        let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
        match exponent {
            0 => sign * mantissa * 2f32.powi(-24),
            31 if mantissa == 0.0 => sign * f32::INFINITY,
            31 => f32::NAN,
            _ => sign * (1024.0 + mantissa) * 2f32.powi(exponent - 25),
        }
    }

    #[test]
    fn halves_widen_exactly_and_round_to_nearest() {
        let ty = tree::Scalar::Float(16);
        let widen = Function::widening(ty);
        let narrow = Function::of((Scalar::F32, WIDE), |ops, value| ops.narrowed_half(value, ty));
        let narrowed = |value: f32| narrow.at(Constant::f32(value)).as_integer();
        for bits in (0..=u16::MAX).step_by(37).chain(0x7be0..=0x7c01).chain(0..40) {
            let value = value_of(bits);
            let wide = widen.at(word(bits)).as_f32().expect("it is a float");
            if value.is_nan() {
                assert!(wide.is_nan(), "{bits:#x}");
                continue;
            }
            assert_eq!(wide.to_bits(), value.to_bits(), "{bits:#x}");
            assert_eq!(narrowed(value), Some(bits.into()), "{value}");
            assert_eq!(half_bits(value.into()), bits, "{value}");
            if bits & 0x7fff < 0x7bff {
                let middle = f32::midpoint(value, value_of(bits + 1));
                let even = if bits % 2 == 0 { bits } else { bits + 1 };
                assert_eq!(narrowed(middle), Some(even.into()), "after {value}");
            }
        }
        assert_eq!(narrowed(65519.0), Some(0x7bff));
        assert_eq!(narrowed(65520.0), Some(0x7c00));
        assert_eq!(narrowed(-1e30), Some(0xfc00));
        assert_eq!(narrowed(f32::NAN), Some(0x7e00));
    }

    #[test]
    fn bfloats_are_upper_halves() {
        let ty = tree::Scalar::BFloat(16);
        let widen = Function::widening(ty);
        let narrow = Function::of((Scalar::F32, WIDE), |ops, value| ops.narrowed_half(value, ty));
        for bits in [0, 1, 0x3f80, 0xbf81, 0x7f7f, 0x7f80, 0x8000, 0x0080] {
            let value = f32::from_bits(u32::from(bits) << 16);
            assert_eq!(widen.at(word(bits)), Constant::f32(value));
            assert_eq!(narrow.at(Constant::f32(value)), word(bits));
            assert_eq!(bfloat_bits(value.into()), bits);
        }
        for (bits, expected) in
            [(0x3f80_8000, 0x3f80), (0x3f81_8000, 0x3f82), (0x3f80_8001, 0x3f81)]
        {
            assert_eq!(narrow.at(Constant::f32(f32::from_bits(bits))), word(expected));
        }
    }
}
