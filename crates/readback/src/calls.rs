//! The values of calls: helper functions, known by their names, and C's mathematical functions.

use std::ops::RangeInclusive;

use halidom_ir::{BufferId, Constant, Intrinsic, Scalar};
use halidom_prelude::helpers::{Helper, builtin};
use halidom_prelude::operators::{ScalarOp, VectorOp};
use halidom_prelude::types::signed_of;

use crate::helper_names::helper_of;
use crate::lift::{Lift, Lifted, Value};
use crate::syntax::{Node, Shape};
use crate::term::{Op, Ring, TermId};
use crate::terms::machine;

/// The numbers of lanes for which tests compare a load of repeated elements with its meaning. With
/// more than 64 lanes of bytes, the places of lanes would not fit the signed bytes in which the
/// helper compares them.
const REPEATED_LANES: RangeInclusive<u32> = 4..=64;

impl Lift<'_, '_> {
    pub(crate) fn call(&mut self, node: &Node, name: &str, arguments: &[Node]) -> Lifted<Value> {
        for (function, constant) in [
            ("__builtin_inff", Constant::f32(f32::INFINITY)),
            ("__builtin_inf", Constant::f64(f64::INFINITY)),
            ("__builtin_nanf", Constant::f32(f32::NAN)),
            ("__builtin_nan", Constant::f64(f64::NAN)),
        ] {
            if name == function {
                let plain = match arguments {
                    [] => function.contains("inf"),
                    [Node { shape: Shape::Text(text), .. }] => {
                        function.contains("nan") && text == "\"\""
                    }
                    _ => false,
                };
                if plain {
                    return Ok(Value::Scalar(self.terms.constant(constant)));
                }
            }
        }
        for intrinsic in Intrinsic::ALL {
            for scalar in [Scalar::F32, Scalar::F64] {
                if name == builtin(intrinsic, scalar)
                    && let [operand] = arguments
                {
                    let operand = self.scalar_of(operand, scalar)?;
                    return Ok(Value::Scalar(self.terms.call(intrinsic, operand)));
                }
            }
        }
        if name == "__builtin_shufflevector"
            && let [first, second, lanes @ ..] = arguments
        {
            return self.shuffle(node, (first, second), lanes);
        }
        match helper_of(name) {
            Some(helper) => self.helper(node, helper, arguments),
            None => self.fail(node, "a function that is not known"),
        }
    }

    /// Lifts a scalar to this type. A float must have the type already.
    fn scalar_of(&mut self, node: &Node, scalar: Scalar) -> Lifted<TermId> {
        match self.value(node)? {
            Value::Scalar(found) if self.terms.ty(found).scalar != scalar && scalar.is_float() => {
                self.fail(node, "a float of another type")
            }
            value @ (Value::Scalar(_)
            | Value::Literal { .. }
            | Value::Vector(_)
            | Value::Mask(..)
            | Value::Bits(..)) => self.convert(node, value, scalar),
        }
    }

    fn helper(&mut self, node: &Node, helper: Helper, arguments: &[Node]) -> Lifted<Value> {
        match (helper, arguments) {
            (Helper::Scalar(ScalarOp::Abs, scalar), [a]) => {
                let a = self.scalar_of(a, machine(scalar))?;
                Ok(Value::Scalar(self.terms.call(Intrinsic::Abs, a)))
            }
            (Helper::Scalar(op, scalar), [a, b]) => {
                let a = self.scalar_of(a, machine(scalar))?;
                let b = self.scalar_of(b, machine(scalar))?;
                match scalar_op(op) {
                    Some(op) => Ok(Value::Scalar(self.terms.binary(op, a, b))),
                    None => self.fail(node, "too many operands"),
                }
            }
            (Helper::Saturate { to, from }, [a]) => {
                let a = self.scalar_of(a, from)?;
                Ok(Value::Scalar(self.terms.cast(to, a)))
            }
            (Helper::VectorSaturate { to, from, lanes }, [a]) => {
                let a = self.vector_as(a, from, lanes)?;
                Ok(Value::Vector(self.terms.cast(to, a)))
            }
            (Helper::Convert { to, from, lanes }, [a]) => {
                let value = self.value(a)?;
                if let Value::Mask(mask, width) = value {
                    return if width == from && to.is_signed() && self.terms.ty(mask).lanes == lanes
                    {
                        Ok(Value::Mask(mask, to))
                    } else {
                        self.fail(node, "a mask of another width")
                    };
                }
                let a = self.vector_of(a, value, from, lanes)?;
                Ok(Value::Vector(self.terms.cast(to, a)))
            }
            (Helper::DivBy(scalar, lanes, divisor), [a]) => {
                self.by(Op::Div, (scalar, lanes, divisor), a)
            }
            (Helper::ModBy(scalar, lanes, divisor), [a]) => {
                self.by(Op::Mod, (scalar, lanes, divisor), a)
            }
            (Helper::VectorCall(intrinsic, scalar, lanes), [a]) => {
                let a = self.vector_as(a, scalar, lanes)?;
                Ok(Value::Vector(self.terms.call(intrinsic, a)))
            }
            (Helper::Vector(op, scalar, lanes), _) => {
                self.vector_helper(node, op, (scalar, lanes), arguments)
            }
            _ => self.fail(node, "a function with other parameters"),
        }
    }

    /// Lifts a choice of lanes from two vectors or masks. The second's lanes are numbered after the
    /// first's, and -1 stands for a lane that does not matter.
    fn shuffle(
        &mut self,
        node: &Node,
        (first, second): (&Node, &Node),
        lanes: &[Node],
    ) -> Lifted<Value> {
        let mut taken = Vec::new();
        for lane in lanes {
            match taken_lane(lane) {
                Some(number) => taken.push(u32::try_from(number).ok()),
                None => return self.fail(lane, "no number of a lane"),
            }
        }
        let (vectors, width) = match (self.value(first)?, self.value(second)?) {
            (Value::Vector(a), Value::Vector(b)) => ([a, b], None),
            (Value::Mask(a, width), Value::Mask(b, other)) if width == other => {
                ([a, b], Some(width))
            }
            _ => return self.fail(node, "operands that C does not combine so"),
        };
        match (self.terms.shuffle(&vectors, &taken), width) {
            (Some(term), Some(width)) => Ok(Value::Mask(term, width)),
            (Some(term), None) => Ok(Value::Vector(term)),
            (None, _) => self.fail(node, "lanes that do not exist"),
        }
    }

    /// Returns a value as a mask of this width: a mask as it stands, or a constant whose bits are
    /// all set or all clear.
    fn as_mask(&mut self, value: Value, width: Scalar) -> Option<TermId> {
        match value {
            Value::Mask(term, found) if found == width => Some(term),
            Value::Vector(term) if self.terms.ty(term).scalar == width => {
                let holds = match self.terms.as_constant(term)?.as_integer()? {
                    0 => false,
                    -1 => true,
                    _ => return None,
                };
                let lanes = self.terms.ty(term).lanes;
                let constant = self.terms.constant(Constant::bool(holds));
                Some(self.terms.broadcast(constant, lanes))
            }
            Value::Mask(..)
            | Value::Vector(_)
            | Value::Scalar(_)
            | Value::Literal { .. }
            | Value::Bits(..) => None,
        }
    }

    fn by(
        &mut self,
        op: Op,
        (scalar, lanes, divisor): (Scalar, u32, i64),
        a: &Node,
    ) -> Lifted<Value> {
        let a = self.vector_as(a, scalar, lanes)?;
        let divisor = self.literal_as(i128::from(divisor), scalar);
        let divisor = self.terms.broadcast(divisor, lanes);
        Ok(Value::Vector(self.terms.binary(op, a, divisor)))
    }

    fn vector_helper(
        &mut self,
        node: &Node,
        op: VectorOp,
        (scalar, lanes): (Scalar, u32),
        arguments: &[Node],
    ) -> Lifted<Value> {
        match (op, arguments) {
            (VectorOp::Load, [address]) => {
                let (buffer, base) = self.address(address)?;
                let one = self.literal_as(1, Scalar::I64);
                self.load(node, buffer, (base, one), (scalar, lanes))
            }
            (VectorOp::LoadStrided, [address, stride]) => {
                let (buffer, base) = self.address(address)?;
                let stride = self.scalar_as(stride, Scalar::I64)?;
                self.load(node, buffer, (base, stride), (scalar, lanes))
            }
            (VectorOp::LoadReversed, [address]) => {
                let (buffer, base) = self.address(address)?;
                let stride = self.literal_as(-1, Scalar::I64);
                self.load(node, buffer, (base, stride), (scalar, lanes))
            }
            (VectorOp::LoadRepeated(times), [memory, offset, base]) => {
                if !REPEATED_LANES.contains(&lanes) {
                    return self.fail(node, "more lanes than their places can be counted");
                }
                let buffer = self.buffer(memory)?;
                let offset = self.scalar_as(offset, Scalar::I64)?;
                let base = self.scalar_as(base, Scalar::I64)?;
                let one = self.literal_as(1, Scalar::I64);
                let ramp = self.terms.ramp(base, one, lanes);
                let times = self.literal_as(i128::from(times.count()), Scalar::I64);
                let times = self.terms.broadcast(times, lanes);
                let quotient = self.terms.binary(Op::Div, ramp, times);
                let none = self.terms.as_constant(offset).and_then(Constant::as_integer) == Some(0);
                let offset = self.terms.broadcast(offset, lanes);
                let index = if none {
                    quotient
                } else {
                    self.terms.ring(Ring::Add, true, quotient, offset)
                };
                let loaded = self.terms.load(buffer, index);
                self.loaded(node, loaded, scalar)
            }
            (VectorOp::Gather, [memory, index]) => {
                let buffer = self.buffer(memory)?;
                let index = self.vector_as(index, Scalar::I64, lanes)?;
                let loaded = self.terms.load(buffer, index);
                self.loaded(node, loaded, scalar)
            }
            (VectorOp::GatherNarrow, [memory, index]) => {
                let buffer = self.buffer(memory)?;
                let index = self.vector_as(index, Scalar::I32, lanes)?;
                let index = self.terms.cast(Scalar::I64, index);
                let loaded = self.terms.load(buffer, index);
                self.loaded(node, loaded, scalar)
            }
            (VectorOp::GatherAt | VectorOp::GatherNarrowAt, [memory, first, index]) => {
                let buffer = self.buffer(memory)?;
                let first = self.scalar_as(first, Scalar::I64)?;
                let first = self.terms.broadcast(first, lanes);
                let index = if op == VectorOp::GatherAt {
                    self.vector_as(index, Scalar::I64, lanes)?
                } else {
                    let index = self.vector_as(index, Scalar::I32, lanes)?;
                    self.terms.cast(Scalar::I64, index)
                };
                let index = self.terms.ring(Ring::Add, true, index, first);
                let loaded = self.terms.load(buffer, index);
                self.loaded(node, loaded, scalar)
            }
            (VectorOp::Broadcast, [a]) => {
                // A mask that is the same in all lanes: -1 has all bits set.
                if let Shape::Unary(minus, condition) = &a.shape
                    && minus == "-"
                    && let Value::Scalar(term) = self.value(condition)?
                    && self.terms.ty(term).scalar == Scalar::Bool
                    && scalar.is_signed()
                {
                    return Ok(Value::Mask(self.terms.broadcast(term, lanes), scalar));
                }
                let a = self.scalar_of(a, scalar)?;
                Ok(Value::Vector(self.terms.broadcast(a, lanes)))
            }
            (VectorOp::Ramp, [base, stride]) if scalar == Scalar::I64 => {
                let base = self.scalar_as(base, Scalar::I64)?;
                let stride = self.scalar_as(stride, Scalar::I64)?;
                Ok(Value::Vector(self.terms.ramp(base, stride, lanes)))
            }
            (VectorOp::Select, [condition, a, b]) => {
                let condition = self.mask_as(condition, signed_of(scalar), lanes)?;
                let arms = (self.value(a)?, self.value(b)?);
                if matches!(arms, (Value::Mask(..), _) | (_, Value::Mask(..))) {
                    return match (self.as_mask(arms.0, scalar), self.as_mask(arms.1, scalar)) {
                        (Some(x), Some(y)) => {
                            Ok(Value::Mask(self.terms.select(condition, x, y), scalar))
                        }
                        _ => self.fail(node, "masks of other widths"),
                    };
                }
                let a = self.vector_of(a, arms.0, scalar, lanes)?;
                let b = self.vector_of(b, arms.1, scalar, lanes)?;
                Ok(Value::Vector(self.terms.select(condition, a, b)))
            }
            (VectorOp::Abs, [a]) => {
                let a = self.vector_as(a, scalar, lanes)?;
                Ok(Value::Vector(self.terms.call(Intrinsic::Abs, a)))
            }
            (_, [a, b]) => {
                let Some(op) = vector_op(op) else {
                    return self.fail(node, "no function with a value");
                };
                let a = self.vector_as(a, scalar, lanes)?;
                let b = self.vector_as(b, scalar, lanes)?;
                Ok(Value::Vector(self.terms.binary(op, a, b)))
            }
            _ => self.fail(node, "a function with other parameters"),
        }
    }

    /// Lifts `&buffer[index]`.
    pub(crate) fn address(&mut self, node: &Node) -> Lifted<(BufferId, TermId)> {
        if let Shape::Unary(op, element) = &node.shape
            && op == "&"
            && let Shape::Index(base, index) = &element.shape
        {
            let buffer = self.buffer(base)?;
            return Ok((buffer, self.scalar_as(index, Scalar::I64)?));
        }
        self.fail(node, "no address of an element")
    }

    fn load(
        &mut self,
        node: &Node,
        buffer: BufferId,
        (base, stride): (TermId, TermId),
        (scalar, lanes): (Scalar, u32),
    ) -> Lifted<Value> {
        let index = self.terms.ramp(base, stride, lanes);
        let loaded = self.terms.load(buffer, index);
        self.loaded(node, loaded, scalar)
    }

    fn loaded(&mut self, node: &Node, loaded: TermId, scalar: Scalar) -> Lifted<Value> {
        if self.terms.ty(loaded).scalar == scalar {
            Ok(Value::Vector(loaded))
        } else {
            self.fail(node, "a load of another type")
        }
    }
}

/// Returns the number of a lane, or -1.
fn taken_lane(node: &Node) -> Option<i64> {
    if let Shape::Unary(minus, one) = &node.shape {
        return (minus == "-" && one.shape == Shape::Number("1".to_owned())).then_some(-1);
    }
    let Shape::Number(number) = &node.shape else { return None };
    number.parse::<u32>().ok().map(i64::from)
}

fn scalar_op(op: ScalarOp) -> Option<Op> {
    Some(match op {
        ScalarOp::Div => Op::Div,
        ScalarOp::Mod => Op::Mod,
        ScalarOp::Min => Op::Min,
        ScalarOp::Max => Op::Max,
        ScalarOp::Shl => Op::Shl,
        ScalarOp::Shr => Op::Shr,
        ScalarOp::Abs => return None,
    })
}

fn vector_op(op: VectorOp) -> Option<Op> {
    Some(match op {
        VectorOp::Min => Op::Min,
        VectorOp::Max => Op::Max,
        VectorOp::Div => Op::Div,
        VectorOp::Mod => Op::Mod,
        VectorOp::Shl => Op::Shl,
        VectorOp::Shr => Op::Shr,
        VectorOp::Load
        | VectorOp::LoadStrided
        | VectorOp::LoadReversed
        | VectorOp::LoadRepeated(_)
        | VectorOp::Gather
        | VectorOp::GatherNarrow
        | VectorOp::GatherAt
        | VectorOp::GatherNarrowAt
        | VectorOp::Store
        | VectorOp::Stream
        | VectorOp::StoreStrided
        | VectorOp::StoreInterleaved(_)
        | VectorOp::StreamInterleaved(_)
        | VectorOp::Scatter
        | VectorOp::Broadcast
        | VectorOp::Ramp
        | VectorOp::Select
        | VectorOp::Abs => return None,
    })
}
