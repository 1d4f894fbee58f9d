//! Funcs that extern functions compute (`define_extern`), in the algorithm.
//!
//! # Correctness
//! Nothing is known of an extern function but the condition
//! [`ExternStages`](crate::Condition::ExternStages): the value that it writes at a point depends on
//! the point, its scalars and the values of its inputs alone. So its value at `c` is the
//! application of an uninterpreted function to `c` and the scalars, and each input contributes one
//! operand: its value at its *probe*. A probe is an arbitrary point, a parameter of the algorithm.
//! It contributes only if `c` is the func's own arbitrary point, another parameter, and the probe
//! lies in the region that the value there depends on, which is a parameter too. For each `c` and
//! each point of the region that its value depends on, some parameters name just these. So a
//! statement that calls the function with the right operands for all parameters calls it with
//! inputs that have the right values in the whole regions, because the uninterpreted function may
//! be one that tells all operands apart. The name of the uninterpreted function contains the
//! func's, so that nothing relates two funcs of one extern function.

use std::fmt::Write as _;

use halidom_ir::{BinaryOp, Constant, ExprId, FuncId, FuncKind, Pool, Stage, Type, VarId};

use super::algorithm::{Source, Translation};
use super::error::{Result, unsupported};
use super::extern_stages::{Answer, ExternStage, QUERIES, Side};
use super::lanes::Memo;
use super::nodes::Binding;
use super::ops::{Value, stored};
use crate::NameId;
use crate::pipeline::{ExternArgument, External, Func};
use crate::tree::{self, Expr};

/// An argument whose values the function reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) func: FuncId,
    pub(super) name: NameId,
    pub(super) rank: usize,
}

/// The funcs and inputs among the arguments of an extern function, in order. The components of a
/// func count as one.
pub(super) fn reads(
    pool: &Pool,
    source: &Source,
    funcs: &[Func],
    external: &External,
) -> Result<Vec<Read>> {
    let mut found = Vec::new();
    for argument in &external.arguments {
        let name = match argument {
            ExternArgument::Scalar(_) => continue,
            ExternArgument::Image(name) | ExternArgument::Input(name) => *name,
            ExternArgument::Func(number) => match funcs.get(*number) {
                Some(func) => func.name,
                None => return unsupported("an argument that is no func of the pipeline"),
            },
        };
        let Some(func) = source.funcs.get(&name).copied() else {
            return unsupported("an argument of an extern function that is no func or input");
        };
        found.push(Read { func, name, rank: pool.func(func).rank() });
    }
    Ok(found)
}

/// The name of the uninterpreted function that gives a component of a func: the function's, the
/// func's, and those of the pointers that the function takes.
pub(super) fn function_name(
    names: &crate::Names,
    (external, func): (&External, NameId),
    component: usize,
) -> String {
    let (function, func) = (names.text(external.function), names.text(func));
    let mut name = format!("{function} for {func}.{component}");
    for (place, argument) in external.arguments.iter().enumerate() {
        if let ExternArgument::Scalar(expr) = argument
            && let Some(pointer) = pointer(expr)
        {
            let _ = write!(name, " {place}:{}", names.text(pointer));
        }
    }
    name
}

/// The name of an argument that is a pointer.
pub(super) fn pointer(expr: &Expr) -> Option<NameId> {
    let Expr::Variable { name, ty: Some(ty) } = expr else { return None };
    matches!(ty.scalar, tree::Scalar::Handle(_)).then_some(*name)
}

/// The condition that a point lies in a region.
pub(super) fn within(pool: &mut Pool, point: &[ExprId], region: &[[ExprId; 2]]) -> ExprId {
    let mut condition = pool.constant(Constant::bool(true));
    for (coord, [min, extent]) in point.iter().zip(region) {
        let end = pool.add(*min, *extent);
        let above = pool.binary(BinaryOp::Le, *min, *coord);
        let below = pool.binary(BinaryOp::Lt, *coord, end);
        for part in [above, below] {
            condition = pool.binary(BinaryOp::And, condition, part);
        }
    }
    condition
}

/// An interval's parameters as expressions.
pub(super) fn side(pool: &mut Pool, [min, extent]: Side) -> [ExprId; 2] {
    [pool.var_expr(min), pool.var_expr(extent)]
}

/// The condition that the value at some coordinates depends on an input's probe.
pub(super) fn depends(
    pool: &mut Pool,
    stage: &ExternStage,
    (coords, number): (&[ExprId], usize),
) -> ExprId {
    let mut condition = pool.constant(Constant::bool(true));
    for (coord, own) in coords.iter().zip(&stage.point) {
        let own = pool.var_expr(*own);
        let is_own = pool.binary(BinaryOp::Eq, *coord, own);
        condition = pool.binary(BinaryOp::And, condition, is_own);
    }
    let region: Vec<[ExprId; 2]> =
        stage.reads[number].iter().map(|found| side(pool, *found)).collect();
    let probe: Vec<ExprId> = stage.probes[number].iter().map(|var| pool.var_expr(*var)).collect();
    let inside = within(pool, &probe, &region);
    pool.binary(BinaryOp::And, condition, inside)
}

/// The value of an input at its probe, if the value of the func depends on it, and else zero.
pub(super) fn probed(
    pool: &mut Pool,
    (inside, value): (ExprId, ExprId),
    ty: tree::Scalar,
) -> Result<Value> {
    let zero = zero_of(pool, ty)?;
    Ok(Value { id: pool.select(inside, value, zero.id), ty })
}

/// The operand for an input whose probe is not read.
pub(super) fn zero_of(pool: &mut Pool, ty: tree::Scalar) -> Result<Value> {
    match Constant::from_bits(stored(ty)?, 0) {
        Some(zero) => Ok(Value { id: pool.constant(zero), ty }),
        None => unsupported("an input of an extern function of this type"),
    }
}

impl Translation<'_> {
    /// A func that an extern function computes.
    pub(super) fn external(
        &mut self,
        (func, external): (&Func, &External),
        before: &[ExternStage],
        source: &mut Source,
    ) -> Result<FuncId> {
        // Halide's own pure definition of such a func is `undef`, which nothing reads.
        if !func.updates.is_empty() {
            return unsupported("an extern stage with updates");
        }
        if !external.on_host {
            return unsupported("an extern stage on a device");
        }
        let id = self.declaration(func, source)?;
        let reads = reads(&self.pool, source, &self.pipeline.funcs, external)?;
        let args = self.pool.func(id).args.clone();
        let stage = self.unknowns(func.name, (args.len(), &reads), before);
        let lhs: Vec<ExprId> = args.iter().map(|var| self.pool.var_expr(*var)).collect();
        let index = tree::Scalar::Int(32);
        let mut operands: Vec<Value> = lhs.iter().map(|id| Value { id: *id, ty: index }).collect();
        let mut inputs = reads.iter().enumerate();
        for argument in &external.arguments {
            if let ExternArgument::Scalar(expr) = argument {
                if let Some(name) = pointer(expr) {
                    if self.nodes.lookup(name) != Some(Binding::Pointer) {
                        return unsupported("a pointer that is no parameter");
                    }
                } else {
                    operands.push(self.scalar(expr)?);
                }
                continue;
            }
            let Some((number, read)) = inputs.next() else { continue };
            let inside = depends(&mut self.pool, &stage, (&lhs, number));
            let point: Vec<ExprId> =
                stage.probes[number].iter().map(|var| self.pool.var_expr(*var)).collect();
            for (component, ty) in source.types[&read.func].clone().into_iter().enumerate() {
                let value = self.pool.func_ref(read.func, component, point.clone());
                operands.push(probed(&mut self.pool, (inside, value), ty)?);
            }
        }
        if operands.is_empty() {
            let id = self.pool.constant(Constant::bool(true));
            operands.push(Value { id, ty: tree::Scalar::UInt(1) });
        }
        let mut values = Vec::new();
        for (component, ty) in func.types.iter().enumerate() {
            let name = function_name(self.nodes.names, (external, func.name), component);
            let made = self.lowering(&mut Memo::default(), |lowering| {
                let value = lowering.ops.named(&name, &operands, ty.scalar)?;
                lowering.ops.as_stored(value)
            });
            values.push(made?);
        }
        let stage_of = Stage { domain: Vec::new(), predicate: None, lhs, values };
        let kind = FuncKind::Defined { stages: vec![stage_of], synthetic: false };
        self.pool.define_func(id, kind);
        source.algorithm.params.extend(stage.params());
        source.externs.push(stage);
        Ok(id)
    }

    /// The parameters of a func of an extern function: those of an earlier translation, or new
    /// ones.
    fn unknowns(
        &mut self,
        name: NameId,
        (rank, reads): (usize, &[Read]),
        before: &[ExternStage],
    ) -> ExternStage {
        let fits = |known: &&ExternStage| {
            known.name == name
                && known.point.len() == rank
                && known.probes.iter().map(Vec::len).eq(reads.iter().map(|read| read.rank))
        };
        if let Some(known) = before.iter().find(fits) {
            return known.clone();
        }
        let names = self.nodes.names;
        let text = names.text(name);
        let pool = &mut self.pool;
        let mut sides = |what: String, rank: usize| -> Vec<Side> {
            let part = |dim: usize| {
                ["min", "extent"]
                    .map(|part| pool.declare_var(format!("{what}.{part}.{dim}"), Type::INT))
            };
            (0..rank).map(part).collect()
        };
        let mut inputs = |query: &str| -> Vec<Vec<Side>> {
            let of = |read: &Read| format!("{query}.{}", names.text(read.name));
            reads.iter().map(|read| sides(of(read), read.rank)).collect()
        };
        let regions = inputs(&format!("{text}.reads"));
        let mut answers = Vec::new();
        for number in 0..QUERIES {
            let query = format!("{text}.query.{number}");
            answers.push((inputs(&query), query));
        }
        let answers = answers
            .into_iter()
            .map(|(inputs, query)| Answer { window: sides(query, rank), inputs });
        let answers = answers.collect();
        let mut point = |what: &str, rank: usize| -> Vec<VarId> {
            let coord =
                |dim: usize| self.pool.declare_var(format!("{text}.{what}.{dim}"), Type::INT);
            (0..rank).map(coord).collect()
        };
        let own = point("point", rank);
        let probe = |read: &Read| point(&format!("probe.{}", names.text(read.name)), read.rank);
        let probes = reads.iter().map(probe).collect();
        ExternStage { name, point: own, reads: regions, answers, probes }
    }
}
