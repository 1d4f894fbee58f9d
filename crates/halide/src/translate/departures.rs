//! Operations for which the code of a machine computes something else than their names say.
//!
//! # Correctness
//! A statement holds intrinsics that the code generators take apart after it. Where their parts do
//! not give the value of the intrinsic for every operand, a statement with the same intrinsic as
//! the pipeline would be proved, and the code be wrong. Such an operation is refused, or it makes
//! the verdict rest on a condition that says so. Operators on plain floats always do
//! ([`Regroups`](crate::Condition::Regroups)), so only strict ones are refused here. The sources
//! are those of Halide 21.0.0; each entry names the function.

use super::nodes::{Node, NodeId, Nodes};
use super::ops::{is_half, is_index_type};
use super::settings::{Departures, Family};
use crate::tree::{BinaryOp, ReduceOp, Scalar, Type};

/// Halide's own functions, which differ from C's in the last digits (`halide_exp`, `halide_log`).
const OWN: [&str; 2] = ["exp_f32", "log_f32"];

/// The effect of an operation on the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Departure {
    None,
    /// It is right for operands that plain operators admit.
    Plain,
    Refused(&'static str),
}

impl Nodes<'_> {
    /// Notes the departures of an operation of a final statement.
    pub(super) fn note_departure(&mut self, id: NodeId) {
        let Some(mut found) = self.departures else { return };
        let node = self.node(id);
        match self.departure(node, self.ty(id), &found) {
            Departure::None => {}
            Departure::Plain => found.is_plain = true,
            Departure::Refused(what) => {
                found.refused.get_or_insert(what);
            }
        }
        if let Node::Call(name, args) = node {
            let name = self.names.text(*name);
            found.calls_own |= OWN.contains(&name);
            let may_be_least =
                |arg: &NodeId| is_index_type(self.ty(*arg).scalar) && !self.is_widened(*arg);
            found.negates |= name == "abs" && args.first().is_some_and(may_be_least);
        }
        self.departures = Some(found);
    }

    fn departure(&self, node: &Node, ty: Type, on: &Departures) -> Departure {
        let is_of_floats = |id: NodeId| is_float(self.ty(id).scalar);
        let narrows = is_half(ty.scalar) && self.is_rounded(node);
        if narrows && (!on.machine.has_halves || matches!(ty.scalar, Scalar::BFloat(_))) {
            // `float32_to_float16` and `float32_to_bfloat16` lose what is NaN.
            return on.strictly("a float of 16 bits that the code rounds by way of integers");
        }
        let found = self.departure_of(node, ty, on);
        let takes_floats = node.operands().into_iter().any(is_of_floats);
        let computes = matches!(node, Node::Binary(..) | Node::Call(..)) && takes_floats;
        if found != Departure::None
            || on.machine.family != Family::Arm
            || ty.lanes == 1
            || !computes
        {
            return found;
        }
        // NEON takes denormal numbers for 0.
        let what = "a strict operation on vectors of floats on ARM with 32 bits";
        let is_strict = matches!(node, Node::Call(name, _)
            if self.names.text(*name).starts_with("strict_"));
        if is_strict { Departure::Refused(what) } else { on.strictly(what) }
    }

    /// The departure of an operation but for denormal numbers.
    fn departure_of(&self, node: &Node, ty: Type, on: &Departures) -> Departure {
        let is_of_floats = |id: NodeId| is_float(self.ty(id).scalar);
        match node {
            Node::Binary(op, a, _) if is_of_floats(*a) => match op {
                BinaryOp::Le | BinaryOp::Ge => on.compared(on.is_strict),
                BinaryOp::Min | BinaryOp::Max => on.limited(on.is_strict),
                // The quotient is simplified (`CodeGen_LLVM::visit(const Mod *)`).
                BinaryOp::Mod => on.strictly("a strict remainder of floats"),
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Div
                | BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Gt
                | BinaryOp::And
                | BinaryOp::Or => Departure::None,
            },
            Node::Reduce(op, a) => {
                let is_signed = matches!(self.ty(*a).scalar, Scalar::Int(_));
                if *op == ReduceOp::Add && on.machine.family == Family::X86 && self.sums(ty, *a) {
                    Departure::Refused("a sum of absolute differences of bytes on x86")
                } else if *op == ReduceOp::SaturatingAdd && is_signed {
                    // Neighbours are added first (`codegen_vector_reduce`).
                    Departure::Refused("a saturating sum of signed lanes")
                } else if is_of_floats(*a) {
                    on.strictly("a strict reduction of lanes of floats")
                } else {
                    Departure::None
                }
            }
            Node::Call(name, args) => self.departure_of_call(self.names.text(*name), args, on),
            Node::Cast(a) if is_float(ty.scalar) => self.departure_of_cast(*a, ty, on),
            Node::Value(_)
            | Node::Cast(_)
            | Node::Reinterpret(_)
            | Node::Binary(..)
            | Node::Not(_)
            | Node::Select(..)
            | Node::Load { .. }
            | Node::Ref { .. }
            | Node::Ramp { .. }
            | Node::Broadcast(_)
            | Node::Gather(..) => Departure::None,
        }
    }

    /// The departure of a conversion to floats.
    fn departure_of_cast(&self, operand: NodeId, ty: Type, on: &Departures) -> Departure {
        if is_float(self.ty(operand).scalar) {
            // It is taken to be no NaN and not infinite (`CodeGen_LLVM::visit(const Cast *)`).
            return if on.is_strict { Departure::None } else { Departure::Plain };
        }
        let is_signed = |arg: &NodeId| matches!(self.ty(*arg).scalar, Scalar::Int(_));
        let is_product = matches!(self.node(operand), Node::Call(name, args)
            if self.names.text(*name) == "widening_mul" && args.iter().any(is_signed));
        let may_be_floats = on.machine.family == Family::X86
            && ty.lanes > 1
            && ty.scalar == Scalar::Float(32)
            && is_product;
        if may_be_floats {
            // The code multiplies floats (`CodeGen_X86::visit(const Cast *)`): 0 * -1 is -0.
            return on.strictly("a product of signed numbers that becomes a float on x86");
        }
        Departure::None
    }

    fn departure_of_call(&self, name: &str, args: &[NodeId], on: &Departures) -> Departure {
        let Some(first) = args.first().map(|arg| self.ty(*arg).scalar) else {
            return Departure::None;
        };
        match name {
            "strict_le" => on.compared(true),
            "strict_min" | "strict_max" if is_float(first) => on.limited(true),
            // The sum is simplified (`lower_lerp`).
            "lerp" if is_float(first) => on.strictly("a strict `lerp` of floats"),
            // Its limits are those of numbers (`lower_saturating_cast`).
            "saturating_cast" if is_float(first) && !on.is_strict => Departure::Plain,
            // The code keeps the sign of -0 where the machine has no instruction for it.
            "abs" if is_float(first) => match (on.machine.family, first) {
                (Family::X86 | Family::Arm64 | Family::Arm | Family::Wasm, Scalar::Float(32))
                | (Family::Arm64 | Family::Wasm, Scalar::Float(64)) => Departure::None,
                _ => on.strictly("a strict `abs` of floats of this type"),
            },
            "round" | "round_f16" if is_half(first) => {
                Departure::Refused("`round` of floats of 16 bits")
            }
            "round" if !on.machine.rounds => {
                Departure::Refused("`round` on a machine that rounds by way of integers")
            }
            // The numbers of the values are of the first operand's type (`lower_mux`).
            "mux" if (args.len() as i128) > greatest(first).saturating_add(2) => {
                Departure::Refused("a `mux` of more values than its operand has numbers")
            }
            _ => Departure::None,
        }
    }

    /// Tests whether lanes are sums of eight absolute differences of bytes, of an integer type that
    /// holds bytes and is not the instruction's. What is added to them is lost in the code
    /// (`CodeGen_X86::codegen_vector_reduce`).
    fn sums(&self, ty: Type, operand: NodeId) -> bool {
        let is_of_bytes = |id: &NodeId| self.ty(*id).scalar == Scalar::UInt(8);
        let is_distance = |id: NodeId| {
            matches!(self.node(id), Node::Call(name, args)
                if self.names.text(*name) == "absd" && args.iter().all(is_of_bytes))
        };
        let mut inner = operand;
        while let Node::Cast(of) = self.node(inner) {
            inner = *of;
        }
        matches!(ty.scalar, Scalar::Int(16 | 32 | 64) | Scalar::UInt(16 | 32))
            && self.lanes(operand) == 8 * ty.lanes
            && inner != operand
            && is_distance(inner)
    }

    /// Tests whether a number is of a narrower type, or a product of two such numbers, as in checks
    /// of a buffer's size. It is not the least number of its own type.
    fn is_widened(&self, id: NodeId) -> bool {
        let Scalar::Int(bits) = self.ty(id).scalar else { return false };
        let is_narrow = |of: NodeId| {
            matches!(self.node(of), Node::Cast(inner)
                if matches!(self.ty(*inner).scalar,
                    Scalar::Int(own) | Scalar::UInt(own) if 2 * own <= bits))
        };
        is_narrow(id)
            || matches!(self.node(id), Node::Binary(BinaryOp::Mul, a, b)
                if is_narrow(*a) && is_narrow(*b))
    }

    /// Tests whether a node rounds to the type that it has.
    fn is_rounded(&self, node: &Node) -> bool {
        match node {
            Node::Cast(a) => !is_half(self.ty(*a).scalar),
            Node::Binary(..) | Node::Reduce(..) => true,
            Node::Call(name, _) => {
                let name = self.names.text(*name);
                !["abs", "likely", "likely_if_innermost", "mux", "select_mask", "if_then_else"]
                    .contains(&name)
            }
            Node::Value(_)
            | Node::Reinterpret(_)
            | Node::Not(_)
            | Node::Select(..)
            | Node::Load { .. }
            | Node::Ref { .. }
            | Node::Ramp { .. }
            | Node::Broadcast(_)
            | Node::Gather(..) => false,
        }
    }
}

impl Departures {
    /// The departure of an operation that is right for numbers alone.
    fn strictly(&self, what: &'static str) -> Departure {
        if self.is_strict { Departure::Refused(what) } else { Departure::Plain }
    }

    /// That of `a <= b` on floats, where it is strict: x86 computes `!(a > b)`
    /// (`CodeGen_X86::visit(const LE *)`).
    fn compared(&self, is_strict: bool) -> Departure {
        if is_strict && self.machine.family == Family::X86 {
            Departure::Refused("a strict `<=` of floats on x86, which holds for NaN")
        } else {
            Departure::None
        }
    }

    /// That of minima and maxima of floats, where they are strict: ARM's are NaN if an operand is
    /// (`CodeGen_ARM::visit(const Min *)`).
    fn limited(&self, is_strict: bool) -> Departure {
        if is_strict && matches!(self.machine.family, Family::Arm64 | Family::Arm) {
            Departure::Refused("a strict minimum or maximum of floats on ARM, which may be NaN")
        } else {
            Departure::None
        }
    }
}

fn is_float(ty: Scalar) -> bool {
    matches!(ty, Scalar::Float(_) | Scalar::BFloat(_))
}

/// The greatest number of an integer type.
fn greatest(ty: Scalar) -> i128 {
    match ty {
        Scalar::Int(bits) => (1 << (bits - 1)) - 1,
        Scalar::UInt(bits) => (1 << bits) - 1,
        Scalar::Float(_) | Scalar::BFloat(_) | Scalar::Handle(_) => i128::MAX,
    }
}
