//! `lerp`: a weighted mean of two values. Weight 0 gives the first, the greatest weight (1 for
//! floats) the second.
//!
//! # Correctness
//! The mean follows the code generators' `lower_lerp`. For integers it is the rounded quotient of
//! the weighted sum, with signed integers counted from their least value; the weight is scaled to
//! their width first. For floats an integer weight is divided by its greatest value. A truth value
//! is the second one if the weight is more than half.

use halidom_ir::{BinaryOp as Op, Overflow};

use super::error::{Result, unsupported};
use super::ops::{Ops, Value, is_index_type};
use crate::tree;
use crate::tree::Scalar::{Float, Int, UInt};

const TYPES: &str = "`lerp` of these types";

impl Ops<'_> {
    pub(super) fn lerp(&mut self, [zero, one]: [Value; 2], weight: Value) -> Result<Value> {
        match zero.ty {
            UInt(1) => {
                let half = if let UInt(own @ (8 | 16 | 32)) = weight.ty {
                    self.integer((1 << (own - 1)) - 1, weight.ty)?
                } else {
                    self.float(0.5, weight.ty)?
                };
                let half = self.repeated(half, weight);
                let is_one = self.binary(tree::BinaryOp::Gt, weight, half)?;
                self.select(is_one, one, zero)
            }
            Float(32 | 64) => self.lerp_of_floats([zero, one], weight),
            UInt(bits @ (8 | 16 | 32)) => self.lerp_of_integers([zero, one], weight, (bits, 0)),
            Int(bits @ (8 | 16 | 32)) => {
                self.lerp_of_integers([zero, one], weight, (bits, -(1i128 << (bits - 1))))
            }
            Int(_) | UInt(_) | Float(_) | tree::Scalar::BFloat(_) | tree::Scalar::Handle(_) => {
                unsupported(TYPES)
            }
        }
    }

    /// A constant with as many lanes as another value.
    fn repeated(&mut self, constant: Value, like: Value) -> Value {
        let lanes = self.pool.ty(like.id).lanes;
        Value { id: self.broadcast(constant.id, lanes), ..constant }
    }

    fn lerp_of_floats(&mut self, [zero, one]: [Value; 2], weight: Value) -> Result<Value> {
        let ty = zero.ty;
        let scaled = match weight.ty {
            Float(32 | 64) => self.cast(ty, weight)?,
            UInt(own @ (8 | 16 | 32)) => {
                let greatest = self.float(((1_u64 << own) - 1) as f64, ty)?;
                let greatest = self.repeated(greatest, weight);
                let weight = self.cast(ty, weight)?;
                self.binary(tree::BinaryOp::Div, weight, greatest)?
            }
            Int(_) | UInt(_) | Float(_) | tree::Scalar::BFloat(_) | tree::Scalar::Handle(_) => {
                return unsupported(TYPES);
            }
        };
        let unit = self.float(1.0, ty)?;
        let unit = self.repeated(unit, scaled);
        let rest = self.binary(tree::BinaryOp::Sub, unit, scaled)?;
        let zero = self.binary(tree::BinaryOp::Mul, zero, rest)?;
        let one = self.binary(tree::BinaryOp::Mul, one, scaled)?;
        self.binary(tree::BinaryOp::Add, zero, one)
    }

    /// The mean of integers of some width that are counted from the least one.
    fn lerp_of_integers(
        &mut self,
        [zero, one]: [Value; 2],
        weight: Value,
        (bits, least): (u8, i128),
    ) -> Result<Value> {
        let unbounded = Overflow::Unbounded;
        let ty = zero.ty;
        let greatest = (1i128 << bits) - 1;
        let weight = match weight.ty {
            UInt(own @ (8 | 16 | 32)) => {
                let weights = (1i128 << own) - 1;
                let weight = self.as_int(weight)?;
                if own <= bits {
                    let factor = self.int_like(weight, greatest / weights);
                    self.int_op(Op::Mul(unbounded), weight, factor)
                } else {
                    let factor = self.int_like(weight, weights / greatest);
                    self.int_op(Op::Div, weight, factor)
                }
            }
            Float(32 | 64) => {
                let wide = if bits == 32 { Float(64) } else { weight.ty };
                let weight = self.cast(wide, weight)?;
                let factor = self.float(greatest as f64, wide)?;
                let factor = self.repeated(factor, weight);
                let scaled = self.binary(tree::BinaryOp::Mul, factor, weight)?;
                let scaled = self.cast(UInt(bits), scaled)?;
                self.as_int(scaled)?
            }
            Int(_) | UInt(_) | Float(_) | tree::Scalar::BFloat(_) | tree::Scalar::Handle(_) => {
                return unsupported(TYPES);
            }
        };
        let (zero, one) = (self.as_int(zero)?, self.as_int(one)?);
        let [zero, one] = [zero, one].map(|id| {
            let least = self.int_like(id, least);
            self.int_op(Op::Sub(unbounded), id, least)
        });
        let greatest_like = self.int_like(weight, greatest);
        let rest = self.int_op(Op::Sub(unbounded), greatest_like, weight);
        let zero = self.int_op(Op::Mul(unbounded), zero, rest);
        let one = self.int_op(Op::Mul(unbounded), one, weight);
        let sum = self.int_op(Op::Add(unbounded), zero, one);
        let half = self.int_like(sum, greatest / 2);
        let sum = self.int_op(Op::Add(unbounded), sum, half);
        let divisor = self.int_like(sum, greatest);
        let mean = self.int_op(Op::Div, sum, divisor);
        let least = self.int_like(mean, least);
        let mean = self.int_op(Op::Add(unbounded), mean, least);
        if is_index_type(ty) {
            return Ok(Value { id: mean, ty });
        }
        self.wrapped(mean, ty)
    }
}
