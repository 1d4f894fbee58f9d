//! Intrinsics on the bits of integers, in terms of `ir`'s operators.
//!
//! # Correctness
//! Counts of bits are sums of neighbouring fields of growing width, in the unsigned type of the
//! operand's width. The leading zeros of a value are the zeros of the value with all lower bits
//! set; the trailing zeros are the ones of `!x & (x - 1)`. Both are the width for 0, as in Halide's
//! code generators. A rounding shift adds the last bit that was dropped.

use halidom_ir::{BinaryOp as Op, Constant, ExprId, Overflow, Scalar, UnaryOp};

use super::error::{Result, unsupported};
use super::intrinsics::BEYOND;
use super::ops::{Beyond, Ops, Value, stored};
use crate::tree::{self, BinaryOp};

impl Ops<'_> {
    /// The width of an integer type.
    fn width(ty: tree::Scalar) -> Result<u32> {
        match ty {
            tree::Scalar::Int(bits) | tree::Scalar::UInt(bits) if bits > 1 => Ok(bits.into()),
            tree::Scalar::Int(_)
            | tree::Scalar::UInt(_)
            | tree::Scalar::Float(_)
            | tree::Scalar::BFloat(_)
            | tree::Scalar::Handle(_) => unsupported("a shift of a value of this type"),
        }
    }

    /// A shift by an amount with a type of its own. A negative amount shifts the other way. By the
    /// width or more, the code has no value; then nothing is known of it, in the pipeline and in
    /// the statement.
    pub(super) fn shift(&mut self, name: &str, a: Value, b: Value) -> Result<Value> {
        let width = i128::from(Self::width(a.ty)?);
        let is_left = name.ends_with("_left");
        let [forward, backward] = if is_left { [Op::Shl, Op::Shr] } else { [Op::Shr, Op::Shl] };
        let x = self.as_stored(a)?;
        let scalar = self.pool.ty(x).scalar;
        if let Some(amount) = self.literal(b.id) {
            if amount.abs() >= width {
                self.widths.beyond.insert(Beyond::Shift);
                return self.named(BEYOND, &[a, b], a.ty);
            }
            let by = self.number(x, scalar, amount.abs())?;
            let op = if amount < 0 { backward } else { forward };
            return Ok(Value { id: self.pool.binary(op, x, by), ty: a.ty });
        }
        let is_signed = matches!(b.ty, tree::Scalar::Int(_));
        let amount = self.as_int(b)?;
        let (zero, limit) = (self.int_like(amount, 0), self.int_like(amount, width));
        let mut fits = self.int_op(Op::Lt, amount, limit);
        // A shift of a signed value takes negative amounts.
        let mut shifted = self.bitwise(forward, a, b)?;
        if is_signed {
            let limit = self.int_like(amount, -width);
            let above = self.int_op(Op::Gt, amount, limit);
            fits = self.pool.binary(Op::And, fits, above);
            if matches!(a.ty, tree::Scalar::UInt(_)) {
                let opposite = self.int_op(Op::Sub(Overflow::Unbounded), zero, amount);
                let opposite = self.pool.cast(scalar, opposite);
                let other = self.pool.binary(backward, x, opposite);
                let is_negative = self.int_op(Op::Lt, amount, zero);
                shifted.id = self.pool.select(is_negative, other, shifted.id);
            }
        }
        let beyond = self.named(BEYOND, &[a, b], a.ty)?;
        Ok(Value { id: self.pool.select(fits, shifted.id, beyond.id), ty: a.ty })
    }

    /// `popcount`, `count_leading_zeros` and `count_trailing_zeros`.
    pub(super) fn counted(&mut self, name: &str, a: Value) -> Result<Value> {
        let (x, bits) = self.unsigned(a)?;
        let scalar = self.pool.ty(x).scalar;
        let counted = match name {
            "popcount" => x,
            "count_trailing_zeros" => {
                let one = self.number(x, scalar, 1)?;
                let below = self.pool.binary(Op::Sub(Overflow::Wraps), x, one);
                let not = self.pool.unary(UnaryOp::Not, x);
                self.pool.binary(Op::And, not, below)
            }
            "count_leading_zeros" => {
                let mut filled = x;
                let mut step = 1;
                while step < bits {
                    let by = self.number(x, scalar, step.into())?;
                    let shifted = self.pool.binary(Op::Shr, filled, by);
                    filled = self.pool.binary(Op::Or, filled, shifted);
                    step *= 2;
                }
                self.pool.unary(UnaryOp::Not, filled)
            }
            _ => return unsupported(format!("`{name}`")),
        };
        let count = self.ones(counted, bits)?;
        Ok(Value { id: self.pool.cast(stored(a.ty)?, count), ty: a.ty })
    }

    /// The number of ones of an unsigned value.
    fn ones(&mut self, mut x: ExprId, bits: u32) -> Result<ExprId> {
        let scalar = self.pool.ty(x).scalar;
        let all = (1_i128 << bits) - 1;
        let mut step = 1;
        while step < bits {
            // Fields of `step` ones and as many zeros.
            let mask = self.number(x, scalar, all / ((1 << step) + 1))?;
            let by = self.number(x, scalar, step.into())?;
            let even = self.pool.binary(Op::And, x, mask);
            let odd = self.pool.binary(Op::Shr, x, by);
            let odd = self.pool.binary(Op::And, odd, mask);
            x = self.pool.binary(Op::Add(Overflow::Wraps), even, odd);
            step *= 2;
        }
        // The minimum changes nothing. It says how large a count can be, to whoever needs bounds.
        let most = self.number(x, scalar, bits.into())?;
        Ok(self.pool.binary(Op::Min, x, most))
    }

    /// A value as an unsigned integer of its width.
    fn unsigned(&mut self, a: Value) -> Result<(ExprId, u32)> {
        let (tree::Scalar::Int(bits @ (8 | 16 | 32 | 64))
        | tree::Scalar::UInt(bits @ (8 | 16 | 32 | 64))) = a.ty
        else {
            return unsupported("an intrinsic on the bits of this type");
        };
        let id = self.as_stored(a)?;
        let scalar = stored(tree::Scalar::UInt(bits))?;
        Ok((self.pool.cast(scalar, id), bits.into()))
    }

    /// A constant of a type, with as many lanes as another expression.
    fn number(&mut self, like: ExprId, scalar: Scalar, value: i128) -> Result<ExprId> {
        match Constant::wrapped(scalar, value) {
            Some(constant) => Ok(self.like(like, constant)),
            None => unsupported("an intrinsic on the bits of this type"),
        }
    }

    /// `rounding_shift_right` and `rounding_shift_left`: the shifted value, and one more if the
    /// last of the bits that were dropped is 1.
    pub(super) fn rounding_shift(&mut self, name: &str, a: Value, b: Value) -> Result<Value> {
        let width = Self::width(a.ty)?;
        let is_right = name == "rounding_shift_right";
        if let (true, Some(amount)) = (is_right, self.literal(b.id))
            && let Some(bits) = u32::try_from(amount).ok().filter(|bits| *bits < width)
        {
            let ty = a.ty;
            let a = self.as_int(a)?;
            let id = self.rounded_down(a, bits);
            return self.wrapped(id, ty);
        }
        // A bit is dropped if the shift is to the right.
        let (drops, back) =
            if is_right { (BinaryOp::Gt, BinaryOp::Sub) } else { (BinaryOp::Lt, BinaryOp::Add) };
        let constant = |ops: &mut Self, like: Value, value: i128| -> Result<Value> {
            let constant = ops.integer(value, like.ty)?;
            let lanes = ops.pool.ty(like.id).lanes;
            Ok(Value { id: ops.broadcast(constant.id, lanes), ..constant })
        };
        let (zero, one) = (constant(self, b, 0)?, constant(self, b, 1)?);
        let is_dropped = self.binary(drops, b, zero)?;
        let fewer = self.binary(back, b, one)?;
        let shifted = self.shift(name, a, b)?;
        // Where no bit is dropped, the amount that is one less may be beyond the width.
        let fewer = self.select(is_dropped, fewer, b)?;
        let last = self.shift(name, a, fewer)?;
        let (none, bit) = (constant(self, a, 0)?, constant(self, a, 1)?);
        let mask = self.select(is_dropped, bit, none)?;
        let rounded = self.bitwise(Op::And, mask, last)?;
        self.binary(BinaryOp::Add, shifted, rounded)
    }

    /// `mul_shift_right` and `rounding_mul_shift_right`: the exact product, shifted and saturated.
    /// For a varying amount, the code computes the product and the shift with twice the bits.
    pub(super) fn shifted_product(
        &mut self,
        name: &str,
        [a, b, amount]: [Value; 3],
        ty: tree::Scalar,
    ) -> Result<Value> {
        let (of, width) = (a.ty, Self::width(a.ty)?);
        let (a, b) = (self.as_int(a)?, self.as_int(b)?);
        let product = self.int_op(Op::Mul(Overflow::Unbounded), a, b);
        let is_rounded = name == "rounding_mul_shift_right";
        if let Some(amount) = self.literal(amount.id) {
            let bits = u32::try_from(amount).ok().filter(|bits| *bits < (2 * width).min(64));
            let Some(bits) = bits else {
                return unsupported("a product that is shifted by this many bits");
            };
            let id = if is_rounded {
                self.rounded_down(product, bits)
            } else {
                self.scaled_down(product, bits)
            };
            return self.saturated(id, ty);
        }
        let wide = match of {
            tree::Scalar::Int(bits @ (8 | 16 | 32)) => tree::Scalar::Int(2 * bits),
            tree::Scalar::UInt(bits @ (8 | 16 | 32)) => tree::Scalar::UInt(2 * bits),
            tree::Scalar::Int(_)
            | tree::Scalar::UInt(_)
            | tree::Scalar::Float(_)
            | tree::Scalar::BFloat(_)
            | tree::Scalar::Handle(_) => {
                return unsupported("a product of these types, shifted by a varying amount");
            }
        };
        let product = self.wrapped(product, wide)?;
        let shifted = if is_rounded {
            self.rounding_shift("rounding_shift_right", product, amount)?
        } else {
            self.shift("shift_right", product, amount)?
        };
        let shifted = self.as_int(shifted)?;
        self.saturated(shifted, ty)
    }

    /// The bits of integers of one width, the first the lowest ones.
    pub(super) fn concatenated_bits(&mut self, parts: &[Value], ty: tree::Scalar) -> Result<Value> {
        let wide = stored(ty)?;
        let mut result: Option<ExprId> = None;
        let mut at = 0;
        for part in parts {
            let (low, bits) = self.unsigned(*part)?;
            let part = self.pool.cast(wide, low);
            let by = self.number(part, wide, at.into())?;
            let placed = self.pool.binary(Op::Shl, part, by);
            result = Some(match result {
                Some(before) => self.pool.binary(Op::Or, before, placed),
                None => placed,
            });
            at += bits;
        }
        let width = if let tree::Scalar::UInt(bits) = ty { u32::from(bits) } else { 0 };
        match result {
            Some(id) if at == width => Ok(Value { id, ty }),
            Some(_) | None => unsupported("`concat_bits` of these types"),
        }
    }

    /// The bits of an integer from a place on.
    pub(super) fn extracted_bits(
        &mut self,
        a: Value,
        from: Value,
        ty: tree::Scalar,
    ) -> Result<Value> {
        let (tree::Scalar::Int(_) | tree::Scalar::UInt(_)) = ty else {
            return unsupported("`extract_bits` of these types");
        };
        let (id, bits) = self.unsigned(a)?;
        let bits = u8::try_from(bits).unwrap_or(u8::MAX);
        let whole = Value { id, ty: tree::Scalar::UInt(bits) };
        let shifted = self.shift("shift_right", whole, from)?;
        Ok(Value { id: self.pool.cast(stored(ty)?, shifted.id), ty })
    }
}

#[cfg(test)]
mod tests {
    use halidom_ir::{Pool, Type};

    use super::super::ops::Widths;
    use super::*;
    use crate::translate::constants::folded;

    /// The value of an intrinsic at numbers of one type, each a variable of the expression.
    fn at(name: &str, ty: tree::Scalar, numbers: &[i128]) -> i128 {
        let mut pool = Pool::new();
        let scalar = stored(ty).expect("it is a type of memory");
        let mut args = Vec::new();
        let mut known = Vec::new();
        for number in numbers {
            let var = pool.declare_var("x", Type::scalar(scalar));
            args.push(Value { id: pool.var_expr(var), ty });
            known.push((var, Constant::wrapped(scalar, *number).expect("it is an integer")));
        }
        let mut widths = Widths::default();
        let mut ops = Ops { pool: &mut pool, widths: &mut widths, signed: Overflow::Wraps };
        let result = ops.call(name, &args, ty).expect("it is translated");
        let found = folded(&pool, result.id, &known).expect("it can be worked out");
        found.as_integer().expect("it is an integer")
    }

    #[test]
    fn counts_are_those_of_the_machine() {
        let bytes = (0..=255_u8).map(|byte| (tree::Scalar::UInt(8), u64::from(byte), 8));
        let words = [0, 1, 0x8000_0000, 0xffff_ffff, 0x0001_0000, 0x1234_5678];
        let words = words.into_iter().map(|word| (tree::Scalar::UInt(32), word, 32));
        let longs = [0, 1, 1 << 63, u64::MAX, 0x0f00_0000_0000_0010];
        let longs = longs.into_iter().map(|long| (tree::Scalar::UInt(64), long, 64));
        for (ty, value, bits) in bytes.chain(words).chain(longs) {
            let number = [i128::from(value)];
            let ones = i128::from(value.count_ones());
            assert_eq!(at("popcount", ty, &number), ones, "{value:#x}");
            let leading = i128::from(value.leading_zeros() - (64 - bits));
            assert_eq!(at("count_leading_zeros", ty, &number), leading, "{value:#x}");
            let trailing = i128::from(value.trailing_zeros().min(bits));
            assert_eq!(at("count_trailing_zeros", ty, &number), trailing, "{value:#x}");
        }
        assert_eq!(at("count_leading_zeros", tree::Scalar::Int(8), &[-1]), 0);
        assert_eq!(at("popcount", tree::Scalar::Int(16), &[-1]), 16);
    }

    /// The value of a shift by an amount of another type, each a variable of the expression; `None`
    /// where nothing is known of it.
    fn shifted(name: &str, (ty, a): (tree::Scalar, i128), (by, b): (tree::Scalar, i128)) -> i128 {
        let mut pool = Pool::new();
        let mut known = Vec::new();
        let mut args = Vec::new();
        for (ty, number) in [(ty, a), (by, b)] {
            let scalar = stored(ty).expect("it is a type of memory");
            let var = pool.declare_var("x", Type::scalar(scalar));
            args.push(Value { id: pool.var_expr(var), ty });
            known.push((var, Constant::wrapped(scalar, number).expect("it is an integer")));
        }
        let mut widths = Widths::default();
        let mut ops = Ops { pool: &mut pool, widths: &mut widths, signed: Overflow::Wraps };
        let result = ops.call(name, &args, ty).expect("it is translated");
        let found = folded(&pool, result.id, &known);
        found.and_then(Constant::as_integer).unwrap_or(i128::MAX)
    }

    #[test]
    fn amounts_have_a_sign_of_their_own() {
        use tree::Scalar::{Int, UInt};
        let none = i128::MAX;
        for (ty, a, by, b, left, right) in [
            (UInt(8), 13, Int(8), -1, 6, 26),
            (UInt(8), 13, Int(8), 2, 52, 3),
            (UInt(8), 13, Int(8), -8, none, none),
            (UInt(8), 13, UInt(8), 8, none, none),
            (UInt(8), 13, UInt(8), 255, none, none),
            (Int(8), -13, UInt(8), 1, -26, -7),
            (Int(8), -13, UInt(8), 200, none, none),
            (Int(8), -13, Int(8), -1, -7, -26),
            (UInt(16), 3, Int(32), 65537, none, none),
            (UInt(32), 1, Int(8), -31, 0, 1 << 31),
            (UInt(64), 1, Int(8), 63, 1 << 63, 0),
        ] {
            assert_eq!(shifted("shift_left", (ty, a), (by, b)), left, "{a} << {b}");
            assert_eq!(shifted("shift_right", (ty, a), (by, b)), right, "{a} >> {b}");
        }
    }

    #[test]
    fn averages_of_sorted_operands_need_their_order() {
        let ty = tree::Scalar::UInt(8);
        assert_eq!(shifted("sorted_avg", (ty, 200), (ty, 255)), 227);
        assert_eq!(shifted("sorted_avg", (ty, 255), (ty, 200)), i128::MAX);
    }

    #[test]
    fn rounding_shifts_round_half_up() {
        let ty = tree::Scalar::Int(8);
        for (a, by, expected) in
            [(5, 1, 3), (-5, 1, -2), (7, 2, 2), (6, 2, 2), (5, 0, 5), (3, -2, 12)]
        {
            assert_eq!(at("rounding_shift_right", ty, &[a, by]), expected, "{a} by {by}");
            assert_eq!(at("rounding_shift_left", ty, &[a, -by]), expected, "{a} by {by}");
        }
    }

    #[test]
    fn shifted_products_are_wide_and_saturate() {
        let (signed, unsigned) = (tree::Scalar::Int(8), tree::Scalar::UInt(8));
        for (ty, a, b, by, down, nearest) in [
            (signed, 100, 100, 7, 78, 78),
            (signed, -100, 101, 7, -79, -79),
            (signed, 3, 5, 1, 7, 8),
            (signed, -128, -128, 7, 127, 127),
            (signed, 100, 100, 2, 127, 127),
            (signed, -100, 100, 0, -128, -128),
            (unsigned, 255, 255, 8, 254, 254),
            (unsigned, 255, 255, 3, 255, 255),
        ] {
            assert_eq!(at("mul_shift_right", ty, &[a, b, by]), down, "{a} * {b} by {by}");
            assert_eq!(at("rounding_mul_shift_right", ty, &[a, b, by]), nearest, "{a} * {b}");
        }
    }
}
