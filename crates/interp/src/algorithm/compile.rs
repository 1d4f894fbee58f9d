//! Algorithms as flat code. Each stage has one environment of pure and reduction variables;
//! parameters are constants.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{Algorithm, BufferId, Expr, ExprId, FuncId, FuncKind, Pool, Stage, VarId};

use super::AlgorithmError;
use crate::Bindings;
use crate::code::{Code, CodeError, Lanes, Scope, Source};
use crate::startup::evaluate_expr;

/// The target of a read of a func.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The input with this number.
    Input(usize),
    /// A component of the final value of the func with this number.
    Func(usize, usize),
    /// A component of the func's own value, while this stage runs.
    Own(usize),
}

impl Place {
    pub(super) fn is_own(self) -> bool {
        matches!(self, Self::Own(_))
    }
}

pub(super) struct CompiledFunc {
    pub(super) id: FuncId,
    pub(super) rank: usize,
    pub(super) components: usize,
    pub(super) stages: Vec<CompiledStage>,
}

pub(super) struct CompiledStage {
    /// For each dimension, true if the stage writes only the point's own coordinate there (FS
    /// Definition 4.3).
    pub(super) pure_dims: Vec<bool>,
    /// The min and extent of each reduction variable, first innermost. No extent is negative.
    pub(super) domain: Vec<(i64, i64)>,
    pub(super) predicate: Option<Code<Place>>,
    /// The written point.
    pub(super) target: Code<Place>,
    /// The written point, then the value of each component.
    pub(super) rule: Code<Place>,
    /// Only for a pure stage: separate code for each component, so that a component's evaluation
    /// does not depend on the reads of the others.
    pub(super) components: Vec<Code<Place>>,
}

impl CompiledStage {
    /// True if running the stage reads nothing but the func itself.
    pub(super) fn reads_only_itself(&self) -> bool {
        self.predicate.iter().chain([&self.rule]).flat_map(Code::places).all(|place| place.is_own())
    }
}

/// The compiled inputs and funcs that the outputs depend on.
pub(super) struct Compiled {
    pub(super) inputs: Vec<FuncId>,
    pub(super) funcs: Vec<CompiledFunc>,
    pub(super) numbers: FxHashMap<FuncId, usize>,
}

pub(super) fn compile(
    pool: &Pool,
    algorithm: &Algorithm,
    bindings: &Bindings,
) -> Result<Compiled, AlgorithmError> {
    let needed = dependencies(pool, algorithm);
    let mut compiled = Compiled {
        inputs: algorithm.inputs.clone(),
        funcs: Vec::new(),
        numbers: FxHashMap::default(),
    };
    for func in algorithm.funcs.iter().filter(|func| needed.contains(func)) {
        let stages = pool
            .func(*func)
            .stages()
            .iter()
            .enumerate()
            .map(|(number, stage)| compile_stage(pool, &compiled, bindings, (*func, number), stage))
            .collect::<Result<_, _>>()?;
        let (rank, components) = (pool.func(*func).rank(), pool.func(*func).scalars.len());
        // The func is registered after its stages, so that no stage finds its own func among the
        // defined ones.
        compiled.numbers.insert(*func, compiled.funcs.len());
        compiled.funcs.push(CompiledFunc { id: *func, rank, components, stages });
    }
    Ok(compiled)
}

/// The funcs that an output's definition mentions, directly or indirectly.
fn dependencies(pool: &Pool, algorithm: &Algorithm) -> FxHashSet<FuncId> {
    let mut needed = FxHashSet::default();
    let mut waiting = algorithm.outputs.clone();
    while let Some(func) = waiting.pop() {
        if !needed.insert(func) {
            continue;
        }
        for stage in pool.func(func).stages() {
            for root in stage.roots() {
                pool.for_each_subexpr(root, &mut |_, expr| {
                    if let Expr::Ref { func, .. } = expr {
                        waiting.push(*func);
                    }
                });
            }
        }
    }
    needed
}

fn compile_stage(
    pool: &Pool,
    compiled: &Compiled,
    bindings: &Bindings,
    (func, number): (FuncId, usize),
    stage: &Stage,
) -> Result<CompiledStage, AlgorithmError> {
    let decl = pool.func(func);
    let malformed = |error| AlgorithmError::Malformed { name: decl.name.clone(), error };
    let pure_dims: Vec<bool> = stage
        .lhs
        .iter()
        .zip(&decl.args)
        .map(|(lhs, arg)| *pool.get(*lhs) == Expr::Var(*arg))
        .collect();
    if stage.lhs.len() != decl.rank() {
        let (name, expected, given) = (decl.name.clone(), decl.rank(), stage.lhs.len());
        return Err(malformed(CodeError::Rank { name, expected, given }));
    }
    let mut slots = FxHashMap::default();
    for (slot, arg) in decl.args.iter().enumerate() {
        // A pure variable has a value only if its dimension is pure.
        if pure_dims[slot] {
            slots.insert(*arg, slot);
        }
    }
    let mut domain = Vec::with_capacity(stage.domain.len());
    for (position, variable) in stage.domain.iter().enumerate() {
        slots.insert(variable.var, decl.rank() + position);
        let min = startup_int(pool, func, variable.min, bindings)?;
        let extent = startup_int(pool, func, variable.extent, bindings)?;
        if extent < 0 {
            return Err(AlgorithmError::DomainExtent {
                func,
                name: decl.name.clone(),
                stage: number,
                variable: position,
                variable_name: pool.var(variable.var).name.clone(),
                extent: i128::from(extent),
            });
        }
        // The end of the interval must be a coordinate too.
        min.checked_add(extent).ok_or_else(|| AlgorithmError::Coordinate {
            name: decl.name.clone(),
            value: i128::from(min) + i128::from(extent),
        })?;
        domain.push((min, extent));
    }
    let own = (number > 0).then_some(func);
    let scope = StageScope { pool, compiled, bindings, slots, own };
    let code = |exprs: &[ExprId]| {
        // The language has no vectors, so each result has one lane.
        if exprs.iter().any(|expr| pool.ty(*expr).lanes != 1) {
            return Err(malformed(CodeError::Lanes));
        }
        Code::compile(pool, exprs, &scope).map_err(malformed)
    };
    let predicate = stage.predicate.map(|predicate| code(&[predicate])).transpose()?;
    let rule: Vec<ExprId> = stage.lhs.iter().chain(&stage.values).copied().collect();
    if !stage.values.iter().map(|value| pool.ty(*value).scalar).eq(decl.scalars.iter().copied()) {
        return Err(AlgorithmError::ill_typed(pool, func));
    }
    let alone = if number == 0 { stage.values.as_slice() } else { &[] };
    let components = alone.iter().map(|value| code(&[*value])).collect::<Result<_, _>>()?;
    let target = code(&stage.lhs)?;
    Ok(CompiledStage { pure_dims, domain, predicate, target, rule: code(&rule)?, components })
}

fn startup_int(
    pool: &Pool,
    func: FuncId,
    expr: ExprId,
    bindings: &Bindings,
) -> Result<i64, AlgorithmError> {
    let value = evaluate_expr(pool, expr, bindings)?
        .as_integer()
        .ok_or_else(|| AlgorithmError::ill_typed(pool, func))?;
    i64::try_from(value)
        .map_err(|_| AlgorithmError::Coordinate { name: pool.func(func).name.clone(), value })
}

struct StageScope<'a> {
    pool: &'a Pool,
    compiled: &'a Compiled,
    bindings: &'a Bindings,
    slots: FxHashMap<VarId, usize>,
    own: Option<FuncId>,
}

impl Scope for StageScope<'_> {
    type Place = Place;

    fn var(&self, var: VarId) -> Option<Source> {
        match self.slots.get(&var) {
            Some(slot) => Some(Source::Slot(Lanes { start: *slot, count: 1 })),
            None => self.bindings.var(var).map(Source::Constant),
        }
    }

    fn func(&self, func: FuncId, component: usize, rank: usize) -> Result<Place, CodeError> {
        let decl = self.pool.func(func);
        if decl.rank() != rank {
            let (name, expected) = (decl.name.clone(), decl.rank());
            return Err(CodeError::Rank { name, expected, given: rank });
        }
        if self.own == Some(func) {
            return Ok(Place::Own(component));
        }
        let undefined = || CodeError::UndefinedFunc(decl.name.clone());
        match &decl.kind {
            FuncKind::Input { .. } => self
                .compiled
                .inputs
                .iter()
                .position(|input| *input == func)
                .map(Place::Input)
                .ok_or_else(undefined),
            FuncKind::Defined { .. } => {
                let number = self.compiled.numbers.get(&func).ok_or_else(undefined)?;
                Ok(Place::Func(*number, component))
            }
        }
    }

    fn buffer(&self, buffer: BufferId) -> Result<Place, CodeError> {
        Err(CodeError::NoBuffer(self.pool.buffer(buffer).name.clone()))
    }
}
