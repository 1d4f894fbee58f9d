//! Reinterprets the bits of an integer as a float, and those of a float as an integer, by
//! arithmetic, because `ir` has no such operator.
//!
//! # Correctness
//! An integer of 32 bits with exponent `e` and mantissa `m` is the float `(2^23 + m)·2^(e - 150)`,
//! or `m·2^(-149)` if `e` is 0, with its sign. Both are computed in 64 bits, where each step is
//! exact: the first factor has 24 bits, and no power of two leaves the range. The result is a float
//! of 32 bits, so the conversion back is exact too. With `e = 255` the result is an infinity, or
//! the one NaN that `ir` has.
//!
//! In the other direction, a float of 32 bits is `n·2^(-149)` with a whole `n`, which 64 bits hold
//! exactly. Halving `n` until it is below 2^24 gives the mantissa with its leading bit, and the
//! number of steps gives the exponent less 1. Without a step, `n` itself has the bits of a
//! subnormal number, or of a normal one with exponent 1. The sign of a zero is that of its
//! reciprocal. A NaN has the bits of the one NaN that `ir` has.
//!
//! A vector of integers that becomes one of more lanes is divided, the lowest bits first; one that
//! becomes a vector of fewer lanes is put together in the same order. All of Halide's targets order
//! the bytes of memory in this way.

use halidom_ir::{BinaryOp as Op, Constant, ExprId, Intrinsic, Overflow, Scalar, UnaryOp};

use super::constants::folded;
use super::error::{Result, unsupported};
use super::intrinsics::BITS_OF_NAN;
use super::lanes::{Division, Lanes, Lowering, Step, Stop};
use super::nodes::NodeId;
use super::ops::{Ops, Value, stored};
use crate::tree;

/// The power of two that scales a mantissa with its leading bit to a float with exponent 0.
const LEAST_POWER: i32 = -150;
const MANTISSA_BITS: u32 = 23;
const LAST_EXPONENT: u32 = 255;

impl Lowering<'_, '_> {
    /// Some lanes of a vector whose bits are those of another one, which may have other lanes.
    pub(super) fn reinterpreted(
        &mut self,
        operand: NodeId,
        (id, ty): (NodeId, tree::Scalar),
        lanes: Lanes,
    ) -> Step<Value> {
        let (from, to) = (i64::from(self.nodes.lanes(operand)), i64::from(self.nodes.lanes(id)));
        if from == to {
            let operand = self.value(operand, lanes)?;
            return Ok(self.ops.reinterpret(ty, operand)?);
        }
        let bits = |ty: tree::Scalar| match ty {
            tree::Scalar::Int(bits @ (8 | 16 | 32 | 64))
            | tree::Scalar::UInt(bits @ (8 | 16 | 32 | 64)) => Some(i64::from(bits)),
            tree::Scalar::Int(_)
            | tree::Scalar::UInt(_)
            | tree::Scalar::Float(_)
            | tree::Scalar::BFloat(_)
            | tree::Scalar::Handle(_) => None,
        };
        let widths = (bits(self.nodes.ty(operand).scalar), bits(ty));
        let (Some(wide), Some(own)) = widths else {
            return Ok(unsupported("`reinterpret` of vectors of these types")?);
        };
        let Lanes { first, step, count } = lanes;
        if from * wide != to * own {
            return Ok(unsupported("`reinterpret` of vectors of different sizes")?);
        }
        if wide > own {
            let parts = wide / own;
            if step % parts != 0 {
                // Lanes of equal class are the same part of their operand's lanes.
                let classes = (1..=parts).find(|classes| step * classes % parts == 0);
                return Err(Stop::Divide(Division::Classes(classes.unwrap_or(parts) as u32)));
            }
            let source = Lanes::new(first / parts, step / parts, count);
            let whole = self.value(operand, source)?;
            let place = self.ops.integer(i128::from(first % parts * own), whole.ty)?;
            let place = Value { id: self.ops.broadcast(place.id, count), ..place };
            return Ok(self.ops.extracted_bits(whole, place, ty)?);
        }
        let parts = own / wide;
        let part = |number| Lanes::new(first * parts + number, step * parts, count);
        let parts = (0..parts).map(|number| self.value(operand, part(number)));
        let parts = parts.collect::<Step<Vec<_>>>()?;
        let unsigned = tree::Scalar::UInt(u8::try_from(own).unwrap_or(0));
        let whole = self.ops.concatenated_bits(&parts, unsigned)?;
        Ok(self.ops.reinterpret(ty, whole)?)
    }
}

impl Ops<'_> {
    /// A value with the same bits in another type.
    pub(super) fn reinterpret(&mut self, ty: tree::Scalar, value: Value) -> Result<Value> {
        use tree::Scalar::{Float, Int, UInt};
        match (value.ty, ty) {
            (from, to) if from == to => Ok(value),
            (Int(from) | UInt(from), Int(to) | UInt(to)) if from == to && from > 1 => {
                self.cast(ty, value)
            }
            (Float(16) | tree::Scalar::BFloat(16), Int(16) | UInt(16))
            | (Int(16) | UInt(16), Float(16) | tree::Scalar::BFloat(16))
            | (Float(16), tree::Scalar::BFloat(16))
            | (tree::Scalar::BFloat(16), Float(16)) => {
                let bits = self.pool.cast(stored(ty)?, value.id);
                Ok(Value { id: bits, ty })
            }
            (Int(32) | UInt(32), Float(32)) => self.float_of_bits(value),
            (Float(32), Int(32) | UInt(32)) => self.bits_of_float(value, ty),
            _ => unsupported("`reinterpret` between these types"),
        }
    }

    fn bits_of_float(&mut self, value: Value, ty: tree::Scalar) -> Result<Value> {
        let mut bits = self.bits_of_number(value.id)?;
        let known = folded(self.pool, value.id, &[]).and_then(Constant::as_f32);
        if known.is_none_or(f32::is_nan) {
            // There is one NaN here, and many in a run.
            let is_nan = self.pool.binary(Op::Ne, value.id, value.id);
            let nan = self.named(BITS_OF_NAN, &[value], tree::Scalar::UInt(32))?;
            bits = self.pool.select(is_nan, nan.id, bits);
        }
        Ok(Value { id: self.pool.cast(stored(ty)?, bits), ty })
    }

    /// The bits of a float that is a number.
    fn bits_of_number(&mut self, float: ExprId) -> Result<ExprId> {
        let single = |ops: &mut Self, number: f32| ops.like(float, Constant::f32(number));
        let double = |ops: &mut Self, number: f64| ops.like(float, Constant::f64(number));
        let word = |ops: &mut Self, number: u32| match Constant::wrapped(
            Scalar::U32,
            i128::from(number),
        ) {
            Some(constant) => Ok(ops.like(float, constant)),
            None => unsupported("`reinterpret`"),
        };
        let magnitude = self.pool.call(Intrinsic::Abs, float);
        let infinity = single(self, f32::INFINITY);
        let is_finite = self.pool.binary(Op::Lt, magnitude, infinity);
        let zero = single(self, 0.0);
        let finite = self.pool.select(is_finite, magnitude, zero);
        let wide = self.pool.cast(Scalar::F64, finite);
        let scale = double(self, 2f64.powi(-(LEAST_POWER + 1)));
        let mut digits = self.pool.binary(Op::Mul(Overflow::Wraps), wide, scale);
        let mut steps = word(self, 0)?;
        for bit in (0..8).rev() {
            let limit = double(self, 2f64.powi(MANTISSA_BITS as i32 + (1 << bit)));
            let is_large = self.pool.binary(Op::Ge, digits, limit);
            let (smaller, one) = (double(self, 2f64.powi(-(1 << bit))), double(self, 1.0));
            let factor = self.pool.select(is_large, smaller, one);
            digits = self.pool.binary(Op::Mul(Overflow::Wraps), digits, factor);
            let (some, none) = (word(self, 1 << bit)?, word(self, 0)?);
            let more = self.pool.select(is_large, some, none);
            steps = self.pool.binary(Op::Add(Overflow::Wraps), steps, more);
        }
        let shift = word(self, MANTISSA_BITS)?;
        let exponent = self.pool.binary(Op::Shl, steps, shift);
        let mantissa = self.pool.cast(Scalar::U32, digits);
        let bits = self.pool.binary(Op::Add(Overflow::Wraps), exponent, mantissa);
        let above = word(self, LAST_EXPONENT << MANTISSA_BITS)?;
        let unsigned = self.pool.select(is_finite, bits, above);
        let reciprocal = {
            let one = single(self, 1.0);
            self.pool.binary(Op::Div, one, float)
        };
        let is_zero = self.pool.binary(Op::Eq, float, zero);
        let signed = self.pool.select(is_zero, reciprocal, float);
        let is_negative = self.pool.binary(Op::Lt, signed, zero);
        let (sign, none) = (word(self, 1 << 31)?, word(self, 0)?);
        let sign = self.pool.select(is_negative, sign, none);
        Ok(self.pool.binary(Op::Or, unsigned, sign))
    }

    fn float_of_bits(&mut self, value: Value) -> Result<Value> {
        let stored = self.as_stored(value)?;
        let bits = self.pool.cast(Scalar::U32, stored);
        let unsigned = |value: u32| Constant::wrapped(Scalar::U32, i128::from(value));
        let mut number = |value: u32| match unsigned(value) {
            Some(constant) => Ok(self.like(bits, constant)),
            None => unsupported("`reinterpret`"),
        };
        let (zero, shift, sign_shift) = (number(0)?, number(MANTISSA_BITS)?, number(31)?);
        let (lead, low, last) = (
            number(1 << MANTISSA_BITS)?,
            number((1 << MANTISSA_BITS) - 1)?,
            number(LAST_EXPONENT)?,
        );
        let exponent_bits = (0..8).map(|bit| number(1 << bit)).collect::<Result<Vec<ExprId>>>()?;

        let shifted = self.pool.binary(Op::Shr, bits, shift);
        let exponent = self.pool.binary(Op::And, shifted, last);
        let mantissa = self.pool.binary(Op::And, bits, low);
        let is_small = self.pool.binary(Op::Eq, exponent, zero);
        let with_lead = self.pool.binary(Op::Add(Overflow::Wraps), mantissa, lead);
        let digits = self.pool.select(is_small, mantissa, with_lead);

        let double = |ops: &mut Self, value: f64| ops.like(bits, Constant::f64(value));
        let mut magnitude = self.pool.cast(Scalar::F64, digits);
        // Subnormal numbers have the exponent of the least normal ones.
        let (least, twice) =
            (double(self, 2f64.powi(LEAST_POWER)), double(self, 2f64.powi(LEAST_POWER + 1)));
        let scale = self.pool.select(is_small, twice, least);
        magnitude = self.pool.binary(Op::Mul(Overflow::Wraps), magnitude, scale);
        for (bit, mask) in exponent_bits.into_iter().enumerate() {
            let masked = self.pool.binary(Op::And, exponent, mask);
            let is_set = self.pool.binary(Op::Ne, masked, zero);
            let (power, one) = (double(self, 2f64.powi(1 << bit)), double(self, 1.0));
            let factor = self.pool.select(is_set, power, one);
            magnitude = self.pool.binary(Op::Mul(Overflow::Wraps), magnitude, factor);
        }
        let finite = self.pool.cast(Scalar::F32, magnitude);
        let (infinity, nan) = (
            self.like(bits, Constant::f32(f32::INFINITY)),
            self.like(bits, Constant::f32(f32::NAN)),
        );
        let is_whole = self.pool.binary(Op::Eq, mantissa, zero);
        let special = self.pool.select(is_whole, infinity, nan);
        let is_special = self.pool.binary(Op::Eq, exponent, last);
        let unsigned = self.pool.select(is_special, special, finite);
        let sign = self.pool.binary(Op::Shr, bits, sign_shift);
        let is_negative = self.pool.binary(Op::Ne, sign, zero);
        let negated = self.pool.unary(UnaryOp::Neg(Overflow::Wraps), unsigned);
        let id = self.pool.select(is_negative, negated, unsigned);
        Ok(Value { id, ty: tree::Scalar::Float(32) })
    }
}

#[cfg(test)]
mod tests {
    use halidom_ir::{Pool, Type};

    use super::super::ops::Widths;
    use super::*;
    use crate::translate::constants::folded;

    /// The value of the expression for given bits.
    fn at(bits: u32) -> f32 {
        let mut pool = Pool::new();
        let var = pool.declare_var("bits", Type::scalar(Scalar::U32));
        let id = pool.var_expr(var);
        let mut widths = Widths::default();
        let mut ops = Ops { pool: &mut pool, widths: &mut widths, signed: Overflow::Wraps };
        let value = Value { id, ty: tree::Scalar::UInt(32) };
        let result = ops.reinterpret(tree::Scalar::Float(32), value).expect("it is translated");
        let known = Constant::wrapped(Scalar::U32, i128::from(bits)).expect("it is an integer");
        let constant = folded(&pool, result.id, &[(var, known)]).expect("it can be worked out");
        constant.as_f32().expect("it is a float of 32 bits")
    }

    #[test]
    fn the_bits_are_those_of_the_float() {
        let ends = [0, 1, 0x7f_fffe, 0x7f_ffff];
        let every = (0..=LAST_EXPONENT).flat_map(|exponent| ends.map(|low| exponent << 23 | low));
        let scattered = (0..4_096_u32).map(|number| number.wrapping_mul(2_654_435_761));
        for bits in every.chain(scattered).flat_map(|bits| [bits, bits | 1 << 31]) {
            let expected = f32::from_bits(bits);
            let found = at(bits);
            if expected.is_nan() {
                assert!(found.is_nan(), "{bits:#x}: {found}");
            } else {
                assert_eq!(found.to_bits(), bits, "{expected}: {found}");
            }
        }
    }

    #[test]
    fn the_float_has_the_bits() {
        let ends = [0, 1, 2, 0x3f_ffff, 0x40_0000, 0x7f_fffe, 0x7f_ffff];
        let every = (0..=LAST_EXPONENT).flat_map(|exponent| ends.map(|low| exponent << 23 | low));
        let scattered = (0..4_096_u32).map(|number| number.wrapping_mul(2_654_435_761));
        let mut pool = Pool::new();
        let var = pool.declare_var("float", Type::scalar(Scalar::F32));
        let id = pool.var_expr(var);
        let mut widths = Widths::default();
        let mut ops = Ops { pool: &mut pool, widths: &mut widths, signed: Overflow::Wraps };
        let result = ops.bits_of_number(id).expect("it is translated");
        for bits in every.chain(scattered).flat_map(|bits| [bits, bits | 1 << 31]) {
            let float = f32::from_bits(bits);
            if float.is_nan() {
                continue;
            }
            let found = folded(&pool, result, &[(var, Constant::f32(float))]);
            let found = found.expect("it can be worked out");
            assert_eq!(found.as_integer(), Some(i128::from(bits)), "{float}");
        }
    }

    #[test]
    fn other_types_are_refused() {
        let mut pool = Pool::new();
        let mut widths = Widths::default();
        let mut ops = Ops { pool: &mut pool, widths: &mut widths, signed: Overflow::Wraps };
        let float = ops.float(1.0, tree::Scalar::Float(32)).expect("it is a constant");
        assert!(ops.reinterpret(tree::Scalar::Int(64), float).is_err());
        let byte = ops.integer(1, tree::Scalar::UInt(8)).expect("it is a constant");
        assert!(ops.reinterpret(tree::Scalar::Float(32), byte).is_err());
        assert!(ops.reinterpret(tree::Scalar::Int(16), byte).is_err());
    }
}
