//! Entry checks for conditions on callers that the statement's own assertions do not cover.
//!
//! # Correctness
//! All of them come from the pipeline, the target and the contract; none depends on the statement
//! that is judged. Each check is a part of a [`Condition`], which the verdict names.

use halidom_base::FxHashSet;
use halidom_ir::{
    BinaryOp, BufferDecl, BufferId, Check, Constant, Dim, Expr, ExprId, FuncId, Interval,
    Intrinsic, Output, Pool, Scalar as Type, StmtId, Type as IrType, VarId,
};

use super::error::Result;
use super::nodes::Binding;
use super::walk::Walk;
use crate::pipeline::{
    Bound, Constraint, Func, ImageDim, Parameter, Split, StageSchedule, StorageDim,
};
use crate::tree::{self, Scalar};
use crate::{Condition, NameId, SIZE_LIMIT, SMALL_LIMIT};

impl Walk<'_> {
    /// The caller's buffers: the inputs, and one for each output.
    fn callers(&self, outputs: &[Output]) -> Vec<BufferId> {
        self.given_buffers()
            .into_iter()
            .chain(outputs.iter().filter_map(|output| output.buffers.first().copied()))
            .collect()
    }

    /// The inputs, and the contents of outputs before a run.
    pub(super) fn given_buffers(&self) -> Vec<BufferId> {
        let inputs = self.source.inputs.iter().map(|(_, buffer)| *buffer);
        inputs.chain(self.source.priors.iter().map(|prior| prior.buffer)).collect()
    }

    /// The conditions on every caller, as entry checks: sizes lie within their limits, and integer
    /// parameters fit their width; strides of inputs are not negative; distinct elements of an
    /// output are distinct in memory, with the dimensions nested in a fixed order. Halide checks
    /// none of these.
    pub(super) fn caller(&mut self, pool: &mut Pool, outputs: &[Output]) -> Vec<StmtId> {
        let mut parts = Vec::new();
        let mut limited: Vec<(ExprId, i128)> = Vec::new();
        for buffer in self.callers(outputs) {
            for dim in pool.buffer(buffer).dims.clone() {
                let end = pool.add(dim.min, dim.extent);
                limited.extend([dim.min, dim.extent, end].map(|id| (id, SIZE_LIMIT)));
                limited.push((dim.stride, 1 << 31));
            }
        }
        let zeros: Vec<(VarId, Type)> = self.zero_limits().collect();
        for (var, scalar) in zeros {
            parts.push(self.not_negative_zero(pool, (var, scalar)));
        }
        let in_coordinates = self.in_coordinates(pool);
        for (_, var, ty) in &self.source.params {
            if let Scalar::Int(bits @ (32 | 64)) = ty {
                let width = 1 << (bits - 1);
                let limit = if in_coordinates.contains(var) { SIZE_LIMIT } else { width };
                limited.push((pool.var_expr(*var), limit));
            }
        }
        for (id, limit) in limited {
            let condition = within(pool, id, limit);
            let check = Check::SizeLimit { what: halidom_ir::print::expr(pool, id) };
            parts.push(self.contract.add(pool, Condition::SizeLimits, (condition, check)));
        }
        parts.extend(self.multiples(pool, outputs));
        parts.extend(self.scales(pool));
        for buffer in self.given_buffers() {
            let decl = pool.buffer(buffer).clone();
            let zero = pool.int(0);
            for dim in &decl.dims {
                let condition = pool.binary(BinaryOp::Le, zero, dim.stride);
                let check = Check::Layout { func: decl.func };
                parts.push(self.contract.add(pool, Condition::InputStrides, (condition, check)));
            }
        }
        for buffer in self.callers(outputs) {
            let decl = pool.buffer(buffer).clone();
            // With one dimension the statement's own check suffices.
            if decl.dims.len() > 1 {
                let last = last_element(pool, &decl.dims);
                let limit = pool.int(1 << 31);
                let condition = pool.binary(BinaryOp::Lt, last, limit);
                let check = Check::SizeLimit { what: format!("the last element of {}", decl.name) };
                parts.push(self.contract.add(pool, Condition::Spans, (condition, check)));
            }
        }
        for output in outputs {
            let Some(buffer) = output.buffers.first() else { continue };
            let decl = pool.buffer(*buffer).clone();
            let one = pool.int(1);
            let mut least = vec![one];
            for position in self.nesting(&decl) {
                let Some(dim) = decl.dims.get(position).copied() else { continue };
                for least in std::mem::replace(&mut least, vec![one]) {
                    let condition = pool.binary(BinaryOp::Le, least, dim.stride);
                    let check = Check::Layout { func: output.func };
                    let part = (condition, check);
                    parts.push(self.contract.add(pool, Condition::OutputStrides, part));
                }
                // The extent alone follows from the product because the stride is positive. It also
                // bounds the extents of buffers without elements.
                least.extend([dim.extent, pool.mul(dim.stride, dim.extent)]);
            }
        }
        if self.source.settings.small {
            parts.extend(self.small(pool, outputs));
        }
        parts
    }

    /// The variables in coordinates of the pipeline's definitions, such as the sides that a
    /// boundary condition is told, in ends of its domains and in the sizes that its schedule gives.
    /// Halide adds them to mins and extents, and constants to them.
    fn in_coordinates(&self, pool: &Pool) -> FxHashSet<VarId> {
        let mut names = FxHashSet::default();
        for size in self.pipeline.funcs.iter().flat_map(sizes) {
            collect_names(size, &mut names);
        }
        let named = self.source.params.iter().filter(|(name, ..)| names.contains(name));
        let mut found: FxHashSet<VarId> = named.map(|(_, var, _)| *var).collect();
        for coordinate in self.coordinates(pool) {
            pool.for_each_subexpr(coordinate, &mut |_, node| {
                if let Expr::Var(var) = node {
                    found.insert(*var);
                }
            });
        }
        found
    }

    /// The coordinates and the ends of domains in the pipeline's definitions.
    pub(super) fn coordinates(&self, pool: &Pool) -> Vec<ExprId> {
        let mut coordinates = Vec::new();
        for func in &self.source.algorithm.funcs {
            for stage in pool.func(*func).stages() {
                coordinates.extend_from_slice(&stage.lhs);
                coordinates.extend(stage.domain.iter().map(|variable| variable.min));
                for expr in stage.values.iter().chain(&stage.lhs).chain(&stage.predicate) {
                    pool.for_each_subexpr(*expr, &mut |_, node| {
                        if let Expr::Ref { args, .. } = node {
                            coordinates.extend_from_slice(args);
                        }
                    });
                }
            }
        }
        coordinates
    }

    /// The contract `--assume small`: limits on mins, extents, and their products with strides.
    fn small(&mut self, pool: &mut Pool, outputs: &[Output]) -> Vec<StmtId> {
        let mut parts = Vec::new();
        for buffer in self.callers(outputs) {
            for dim in pool.buffer(buffer).dims.clone() {
                let (first, length) =
                    (pool.mul(dim.min, dim.stride), pool.mul(dim.extent, dim.stride));
                for id in [dim.min, dim.extent, first, length] {
                    let condition = within(pool, id, SMALL_LIMIT);
                    let check = Check::SizeLimit { what: halidom_ir::print::expr(pool, id) };
                    parts.push(self.contract.add(pool, Condition::Small, (condition, check)));
                }
            }
        }
        parts
    }

    /// The checks that outputs have the bounds that their schedules fix. Halide computes these
    /// bounds, and checks that an output is no smaller, but not that it is no larger.
    pub(super) fn bounded(&mut self, pool: &mut Pool, outputs: &[Output]) -> Vec<StmtId> {
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
                if *extent == 1 {
                    self.contract.single.insert(dim.extent);
                }
                for (id, value) in [(dim.min, *min), (dim.extent, *extent)] {
                    let value = pool.int(i128::from(value));
                    let condition = pool.binary(BinaryOp::Eq, id, value);
                    let check = Check::Require { message: message.clone() };
                    parts.push(self.contract.add(pool, Condition::FixedBounds, (condition, check)));
                }
            }
        }
        parts
    }

    /// The float parameters with a range that begins or ends at 0, each once.
    pub(super) fn zero_limits(&self) -> impl Iterator<Item = (VarId, Type)> + '_ {
        let is_zero = |end: &Option<tree::Expr>| {
            let Some(tree::Expr::Float(value, _)) = end else { return false };
            *value == 0.0
        };
        self.source.params.iter().filter_map(move |(name, var, ty)| {
            let mut known = self.pipeline.parameters.iter();
            let has_zero = known.any(|parameter| {
                parameter.input.name == *name && parameter.range.iter().any(is_zero)
            });
            let scalar = match ty {
                Scalar::Float(32) => Type::F32,
                Scalar::Float(64) => Type::F64,
                Scalar::Float(_)
                | Scalar::Int(_)
                | Scalar::UInt(_)
                | Scalar::BFloat(_)
                | Scalar::Handle(_) => return None,
            };
            has_zero.then_some((*var, scalar))
        })
    }

    /// The entry check that a float parameter is not -0: it is not 0, or its reciprocal is above 0.
    fn not_negative_zero(&mut self, pool: &mut Pool, (var, scalar): (VarId, Type)) -> StmtId {
        let number = |value: f32| {
            if scalar == Type::F64 { Constant::f64(value.into()) } else { Constant::f32(value) }
        };
        let (zero, one) = (pool.constant(number(0.0)), pool.constant(number(1.0)));
        let param = pool.var_expr(var);
        let is_other = pool.binary(BinaryOp::Ne, param, zero);
        let reciprocal = pool.binary(BinaryOp::Div, one, param);
        let is_above = pool.binary(BinaryOp::Gt, reciprocal, zero);
        let condition = pool.binary(BinaryOp::Or, is_other, is_above);
        let name = pool.var(var).name.clone();
        let check = Check::Require { message: format!("{name} is not -0") };
        self.contract.add(pool, Condition::Zeros, (condition, check))
    }

    /// Notes the extents of outputs that the pipeline fixes to 1: by its constraints, or because
    /// each point needs the element at its own coordinate of an array that has only one there.
    pub(super) fn note_single(&mut self, pool: &Pool, outputs: &[Output]) {
        let buffers = outputs.iter().flat_map(|output| &output.buffers);
        for buffer in buffers {
            let decl = pool.buffer(*buffer);
            let constraints = self.constraints(&decl.name);
            for (dim, constraint) in decl.dims.iter().zip(&constraints) {
                if matches!(constraint.extent, Some(tree::Expr::Int(1, _))) {
                    self.contract.single.insert(dim.extent);
                }
            }
            for dim in self.of_one_element(pool, decl.func) {
                self.contract.single.extend(decl.dims.get(dim).map(|dim| dim.extent));
            }
        }
    }

    /// The dimensions of a func in which an embedded array that it reads has one element.
    fn of_one_element(&self, pool: &Pool, func: FuncId) -> Vec<usize> {
        let decl = pool.func(func);
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        let mut left: Vec<ExprId> =
            decl.stages().first().map_or_else(Vec::new, |stage| stage.values.clone());
        while let Some(id) = left.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = pool.get(id);
            if let Expr::Ref { func, args, .. } = node {
                let name = &pool.func(*func).name;
                let images = &self.pipeline.images;
                let image = images.iter().find(|image| self.nodes.names.text(image.name) == name);
                for (arg, dim) in args.iter().zip(image.into_iter().flat_map(|image| &image.dims)) {
                    let own = decl.args.iter().position(|own| *pool.get(*arg) == Expr::Var(*own));
                    found.extend(own.filter(|_| dim.extent == 1));
                }
            }
            if let Expr::Select { condition, .. } = node {
                // An arm that is not selected needs no value.
                left.push(*condition);
            } else {
                node.for_each_operand(|operand| left.push(operand));
            }
        }
        found
    }

    /// The dimensions of an output in the order in which they nest, innermost first: those whose
    /// stride the pipeline fixes to a number, by that number, before the others. Of dimensions with
    /// the same stride, those that the pipeline fixes to one element come first: else no other
    /// dimension could have more than one. Dimensions of the same rank nest in their own order.
    fn nesting(&self, decl: &BufferDecl) -> Vec<usize> {
        let constraints = self.constraints(&decl.name);
        let fixed = |dim: &usize| match constraints.get(*dim) {
            Some(Constraint { stride: Some(tree::Expr::Int(stride, _)), extent, min: _ }) => {
                let has_one = matches!(extent, Some(tree::Expr::Int(1, _)));
                (i128::from(*stride), !has_one)
            }
            Some(_) | None => (i128::MAX, true),
        };
        let mut order: Vec<usize> = (0..decl.dims.len()).collect();
        order.sort_by_key(fixed);
        order
    }

    /// The pipeline's constraints on the dimensions of a caller's buffer.
    fn constraints(&self, name: &str) -> Vec<Constraint> {
        let known = |parameter: &&Parameter| {
            parameter.input.is_buffer && self.nodes.names.text(parameter.input.name) == name
        };
        let image =
            self.pipeline.images.iter().find(|image| self.nodes.names.text(image.name) == name);
        if let Some(image) = image {
            let number = |value: i32| Some(tree::Expr::Int(value.into(), tree::Type::INT32));
            let sides = |dim: &ImageDim| Constraint {
                min: number(dim.min),
                extent: number(dim.extent),
                stride: number(dim.stride),
            };
            return image.dims.iter().map(sides).collect();
        }
        let found = self.pipeline.parameters.iter().find(known);
        found.map_or_else(Vec::new, |parameter| parameter.constraints.clone())
    }

    /// The conditions that a target without assertions leaves to callers: the pipeline's
    /// constraints on buffers or, in their absence, a min of 0 and an innermost stride of 1;
    /// extents that are not negative; and buffers of fewer than 2^31 elements. They depend on the
    /// target alone, not on the contents of the statement.
    pub(super) fn unchecked(&mut self, pool: &mut Pool, outputs: &[Output]) -> Result<Vec<StmtId>> {
        let mut conditions: Vec<ExprId> = Vec::new();
        for buffer in self.callers(outputs) {
            // The contents of an output before the run have the output's shape.
            if self.source.priors.iter().any(|prior| prior.buffer == buffer) {
                continue;
            }
            let decl = pool.buffer(buffer).clone();
            let (zero, limit) = (pool.int(0), pool.int(1 << 31));
            for dim in &decl.dims {
                let length = pool.mul(dim.extent, dim.stride);
                conditions.push(pool.binary(BinaryOp::Le, zero, dim.extent));
                conditions.push(pool.binary(BinaryOp::Lt, length, limit));
            }
            let constraints = self.constraints(&decl.name);
            for (number, dim) in decl.dims.iter().enumerate() {
                let known = constraints.get(number);
                let mut sides = Vec::new();
                for (side, value, usual) in [
                    (dim.min, known.and_then(|known| known.min.as_ref()), Some(0)),
                    (dim.extent, known.and_then(|known| known.extent.as_ref()), None),
                    (
                        dim.stride,
                        known.and_then(|known| known.stride.as_ref()),
                        (number == 0).then_some(1),
                    ),
                ] {
                    // A pipeline file has no constraints on inputs; in pipelines without assertions
                    // these defaults apply.
                    let value = match (value, usual) {
                        (Some(value), _) => self.int(pool, value)?,
                        (None, Some(usual)) => pool.int(usual),
                        (None, None) => continue,
                    };
                    sides.push((side, value));
                }
                for (side, value) in sides {
                    if value != side {
                        conditions.push(pool.binary(BinaryOp::Eq, side, value));
                    }
                }
            }
        }
        let checks = conditions.into_iter().map(|condition| {
            let message = "the target leaves assertions out".to_owned();
            let check = Check::Require { message };
            self.contract.add(pool, Condition::NoAsserts, (condition, check))
        });
        Ok(checks.collect())
    }

    /// The region of an input that a check is about, found from the check's message. The message
    /// names the input, the dimension, the least and the greatest coordinate that is read, and the
    /// least and the greatest that is given.
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
        let is_there = |dim: usize| dim < pool.buffer(*buffer).dims.len();
        let dim = usize::try_from(*dim).ok().filter(|dim| is_there(*dim))?;
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
        Some(Check::InputRegion { input, dim, needed, given })
    }
}

/// The sizes in the schedule of a func, and the ends of its domains.
fn sizes(func: &Func) -> Vec<&tree::Expr> {
    let mut sizes = Vec::new();
    let stages = func.stages().map(|stage| &stage.schedule);
    for StageSchedule { domain, splits, prefetches, .. } in stages {
        sizes.extend(domain.iter().flat_map(|variable| [&variable.min, &variable.extent]));
        sizes.extend(prefetches.iter().map(|prefetch| &prefetch.offset));
        sizes.extend(splits.iter().filter_map(|split| match split {
            Split::Split { factor, .. } => Some(factor),
            Split::Rename { .. } | Split::Fuse { .. } => None,
        }));
    }
    for Bound { name: _, min, extent, modulus, remainder } in &func.schedule.bounds {
        sizes.extend([min, extent, modulus, remainder].into_iter().flatten());
    }
    for StorageDim { name: _, alignment, bound, fold, fold_forward: _ } in &func.schedule.storage {
        sizes.extend([alignment, bound, fold].into_iter().flatten());
    }
    sizes.extend(&func.schedule.ring_buffer);
    sizes
}

/// Collects the names in an expression.
fn collect_names(expr: &tree::Expr, names: &mut FxHashSet<NameId>) {
    if let tree::Expr::Variable { name, ty: _ } = expr {
        names.insert(*name);
    }
    expr.for_each_operand(&mut |operand| collect_names(operand, names));
}

/// `-limit <= id && id < limit`.
pub(super) fn within(pool: &mut Pool, id: ExprId, limit: i128) -> ExprId {
    let (low, high) = (pool.int(-limit), pool.int(limit));
    let above = pool.binary(BinaryOp::Le, low, id);
    let below = pool.binary(BinaryOp::Lt, id, high);
    pool.binary(BinaryOp::And, above, below)
}

/// The offset of the last element of a buffer, in elements.
fn last_element(pool: &mut Pool, dims: &[Dim]) -> ExprId {
    let one = pool.int(1);
    let mut last = pool.int(0);
    for dim in dims {
        let steps = pool.sub(dim.extent, one);
        let length = pool.mul(steps, dim.stride);
        last = pool.add(last, length);
    }
    last
}

/// Rewrites `(uint64)abs(x) <= c` as `-c <= x && x <= c`, which is equal because `x` is an integer
/// of 64 bits.
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
