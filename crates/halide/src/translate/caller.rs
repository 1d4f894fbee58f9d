//! What a statement relies on that its own assertions do not say, as entry checks: assumptions about callers.

use halidom_ir::{
    BinaryOp, BufferId, Check, Constant, Expr, ExprId, Interval, Intrinsic, Output, Pool,
    Scalar as Type, Stmt, StmtId, Type as IrType,
};

use super::nodes::Binding;
use super::program::Walk;
use crate::pipeline::Func;
use crate::tree::{self, Scalar};

impl Walk<'_> {
    /// What holds of every caller, as entry checks: mins, extents, strides, ends and integer parameters are 32-bit integers, or as wide as they say; strides of inputs are not negative; no two elements of an output are
    /// one, the dimensions lying one in the other in their order. Halide does not check the latter two.
    pub(super) fn caller(&self, pool: &mut Pool, outputs: &[Output]) -> Vec<StmtId> {
        let mut parts = Vec::new();
        let buffers = self.source.inputs.iter().map(|(_, buffer)| *buffer);
        let buffers: Vec<BufferId> = buffers
            .chain(outputs.iter().filter_map(|output| output.buffers.first().copied()))
            .collect();
        let mut limited: Vec<(ExprId, u32)> = Vec::new();
        for buffer in &buffers {
            for dim in pool.buffer(*buffer).dims.clone() {
                // Entry checks say so of where a dimension ends by computing it.
                let end = pool.add(dim.min, dim.extent);
                limited.extend([dim.min, dim.extent, dim.stride, end].map(|id| (id, 32)));
            }
        }
        for (_, var, ty) in &self.source.params {
            if let Scalar::Int(bits @ (32 | 64)) = ty {
                limited.push((pool.var_expr(*var), u32::from(*bits)));
            }
        }
        for (id, bits) in limited {
            let limit = 1_i128 << (bits - 1);
            let (low, high) = (pool.int(-limit), pool.int(limit));
            let above = pool.binary(BinaryOp::Le, low, id);
            let below = pool.binary(BinaryOp::Lt, id, high);
            let condition = pool.binary(BinaryOp::And, above, below);
            let what = halidom_ir::print::expr(pool, id);
            parts.push(pool.stmt(Stmt::Assert { condition, check: Check::SizeLimit { what } }));
        }
        for (_, buffer) in &self.source.inputs {
            let decl = pool.buffer(*buffer).clone();
            let zero = pool.int(0);
            for dim in decl.dims {
                let condition = pool.binary(BinaryOp::Le, zero, dim.stride);
                let check = Check::Layout { func: decl.func };
                parts.push(pool.stmt(Stmt::Assert { condition, check }));
            }
        }
        for output in outputs {
            let Some(buffer) = output.buffers.first() else { continue };
            let dims = pool.buffer(*buffer).dims.clone();
            let mut least = pool.int(1);
            for dim in dims {
                let condition = pool.binary(BinaryOp::Le, least, dim.stride);
                let check = Check::Layout { func: output.func };
                parts.push(pool.stmt(Stmt::Assert { condition, check }));
                least = pool.mul(dim.stride, dim.extent);
            }
        }
        parts
    }

    /// That outputs have the bounds that their schedules fix: Halide computes these, and checks that an output is no smaller, not that it is no larger.
    pub(super) fn bounded(&self, pool: &mut Pool, outputs: &[Output]) -> Vec<StmtId> {
        let mut parts = Vec::new();
        for output in outputs {
            let Some(buffer) = output.buffers.first() else { continue };
            let (name, dims) = (&pool.func(output.func).name, pool.buffer(*buffer).dims.clone());
            let known = |func: &&Func| self.nodes.names.text(func.name) == name;
            let Some(func) = self.pipeline.funcs.iter().find(known) else { continue };
            let message = format!("the bounds of {name} are those that its schedule fixes");
            for bound in &func.schedule.bounds {
                let position = func.args.iter().position(|arg| *arg == bound.name);
                let Some(dim) = position.and_then(|position| dims.get(position)) else { continue };
                let (Some(tree::Expr::Int(min, _)), Some(tree::Expr::Int(extent, _))) =
                    (&bound.min, &bound.extent)
                else {
                    continue;
                };
                for (id, value) in [(dim.min, *min), (dim.extent, *extent)] {
                    let value = pool.int(i128::from(value));
                    let condition = pool.binary(BinaryOp::Eq, id, value);
                    let check = Check::Require { message: message.clone() };
                    parts.push(pool.stmt(Stmt::Assert { condition, check }));
                }
            }
        }
        parts
    }

    /// What a statement relies on that checks nothing: that extents are not negative, a min which it does not mention is 0, and an innermost stride
    /// 1.
    pub(super) fn unchecked(&self, pool: &mut Pool, outputs: &[Output]) -> Vec<StmtId> {
        let inputs = self.source.inputs.iter().map(|(_, buffer)| *buffer);
        let buffers: Vec<BufferId> = inputs
            .chain(outputs.iter().flat_map(|output| output.buffers.iter().copied()))
            .collect();
        let mut parts = Vec::new();
        for buffer in buffers {
            let decl = pool.buffer(buffer).clone();
            for (number, dim) in decl.dims.iter().enumerate() {
                let named =
                    |part: &str| self.nodes.names.find(&format!("{}.{part}.{number}", decl.name));
                let mut fixed = Vec::new();
                if named("min").is_none() {
                    fixed.push((dim.min, 0));
                }
                if number == 0 && named("stride").is_none() {
                    fixed.push((dim.stride, 1));
                }
                let mut conditions: Vec<ExprId> = Vec::new();
                for (id, value) in fixed {
                    let value = pool.int(value);
                    conditions.push(pool.binary(BinaryOp::Eq, id, value));
                }
                let zero = pool.int(0);
                conditions.push(pool.binary(BinaryOp::Le, zero, dim.extent));
                for condition in conditions {
                    let message = "the statement checks nothing".to_owned();
                    let check = Check::Require { message };
                    parts.push(pool.stmt(Stmt::Assert { condition, check }));
                }
            }
        }
        parts
    }

    /// The region of an input that a check is about, by its message: the input, the dimension, the least and the greatest coordinate that is read, and those that are given.
    pub(super) fn input_region(&mut self, pool: &mut Pool, message: &tree::Expr) -> Option<Check> {
        if let tree::Expr::Let { name, value, body } = message {
            let node = self.nodes.elaborate(pool, value).ok()?;
            self.nodes.bind(*name, Binding::Node(node));
            let check = self.input_region(pool, body);
            self.nodes.unbind(*name);
            return check;
        }
        let tree::Expr::Call(call) = message else { return None };
        if self.nodes.names.text(call.name) != "halide_error_access_out_of_bounds" {
            return None;
        }
        let [tree::Expr::String(what), tree::Expr::Int(dim, _), bounds @ ..] = call.args.as_slice()
        else {
            return None;
        };
        let input = std::str::from_utf8(what).ok()?.strip_prefix("Input buffer ")?;
        let name = self.nodes.names.find(input)?;
        let (_, buffer) = self.source.inputs.iter().find(|(known, _)| *known == name)?;
        let input = pool.buffer(*buffer).func;
        let mut interval = |pool: &mut Pool, [min, max]: [&tree::Expr; 2]| {
            let min = self.int(pool, min).ok()?;
            let max = self.int(pool, max).ok()?;
            let one = pool.int(1);
            let length = pool.sub(max, min);
            Some(Interval { min, extent: pool.add(length, one) })
        };
        let [low, high, least, greatest] = bounds else { return None };
        let needed = interval(pool, [low, high])?;
        let given = interval(pool, [least, greatest])?;
        Some(Check::InputRegion { input, dim: usize::try_from(*dim).ok()?, needed, given })
    }
}

/// `(uint64)abs(x) <= c` is `-c <= x && x <= c`, as `x` is an integer of 64 bits.
pub(super) fn between(pool: &mut Pool, condition: ExprId) -> ExprId {
    if let Expr::Binary(BinaryOp::Le, magnitude, limit) = *pool.get(condition)
        && let Expr::Cast(Type::U64, inner) = *pool.get(magnitude)
        && let Expr::Call(Intrinsic::Abs, value) = *pool.get(inner)
        && pool.ty(value) == IrType::INT
        && let Some(limit) = pool.as_constant(limit).and_then(Constant::as_integer)
        && limit < 1 << 63
    {
        let (low, high) = (pool.int(-limit), pool.int(limit));
        let above = pool.binary(BinaryOp::Le, low, value);
        let below = pool.binary(BinaryOp::Le, value, high);
        return pool.binary(BinaryOp::And, above, below);
    }
    condition
}
