//! Phases: a pipeline cut at funcs, so that each part is a pipeline of its own.
//!
//! A *phase* computes one func of a pipeline and takes others, which earlier phases have computed,
//! as inputs. Its funcs are those of the pipeline as the schedule rewrites it (`in`, `rfactor`), so
//! the partial results of a reduction can be a phase. No definition changes: a func that is given
//! has the values that its definition gives it, if the earlier phase is right. So phases that are
//! each proved compute what the rewritten pipeline defines. The proof of the whole schedule shows
//! that the original pipeline defines the same. The schedule's other directives are left out.
//!
//! A *piece* of a phase continues a reduction. It takes the values so far as inputs, runs the
//! iterations in which the outermost reduction variable lies in a given range, and gives the values
//! after them. Iterations run in order, the outermost variable slowest. So pieces of ranges that
//! follow one another and cover the domain make the iterations of the whole reduction in its own
//! order, whatever the operator.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_diag::{Code, Diagnostic, Severity};
use halidom_ir::{
    Algorithm, BinaryOp, BufferDecl, BufferKind, Dim, Expr, ExprId, FuncDecl, FuncId, FuncKind,
    Pool, ReductionVar, Stage, StoreIn, Type,
};

use crate::compile::refusals;
use crate::source::{Choice, Loaded};

/// A part of a pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// The funcs that earlier phases have computed.
    pub given: Vec<String>,
    /// The func that is computed in place of the outputs.
    pub compute: Option<String>,
    /// True if the phase continues a reduction.
    pub is_piece: bool,
}

impl Phase {
    /// True for the whole pipeline.
    pub fn is_whole(&self) -> bool {
        *self == Self::default()
    }
}

/// Replaces a pipeline by one of its phases.
///
/// A func with tuples as values becomes an input for each component, named `func_0`, `func_1`. A
/// piece of a reduction `func` has the inputs `func_before` (for tuples `func_before_0` and so on)
/// and the parameters `func_first`, `func_from` and `func_until`: the iterations run in which the
/// outermost reduction variable is at least `from` and less than `until`, and `first` tells that
/// the func's initial values are the values so far.
pub fn cut(loaded: &mut Loaded, choice: &Choice, phase: &Phase) -> Result<(), Vec<Diagnostic>> {
    let schedule = loaded.schedule_of(choice);
    let algorithm = loaded.module.pipelines[choice.pipeline].algorithm.clone();
    let transformed = halidom_schedule::transform(&mut loaded.module.pool, &algorithm, &schedule)
        .map_err(|errors| refusals(loaded, choice, &errors))?;
    let mut own = transformed.steps.last().cloned().unwrap_or(algorithm);
    let pool = &mut loaded.module.pool;
    if let Some(name) = &phase.compute {
        own.outputs = vec![named(pool, &own, name)?];
    }
    if phase.is_piece {
        let [func] = own.outputs[..] else {
            return Err(vec![refused("a piece of a reduction computes one func".to_owned())]);
        };
        piece(pool, &mut own, func)?;
    }
    let mut components = FxHashMap::default();
    for name in &phase.given {
        let func = named(pool, &own, name)?;
        if own.outputs.contains(&func) {
            return Err(vec![refused(format!("`{name}` is computed, and cannot be given"))]);
        }
        own.funcs.retain(|known| *known != func);
        if pool.func(func).scalars.len() == 1 {
            take(pool, func);
            own.inputs.push(func);
        } else {
            let parts = parts(pool, &own, func, name)?;
            own.inputs.extend(&parts);
            components.insert(func, parts);
        }
    }
    read_parts(pool, &own, &components);
    let used = used(pool, &own);
    own.funcs.retain(|func| used.contains(func));
    let pipeline = &mut loaded.module.pipelines[choice.pipeline];
    pipeline.algorithm = own;
    if let Some(number) = choice.schedule {
        pipeline.schedules[number].schedule.directives.clear();
    }
    Ok(())
}

fn named(pool: &Pool, algorithm: &Algorithm, name: &str) -> Result<FuncId, Vec<Diagnostic>> {
    let found = algorithm.funcs.iter().copied().find(|func| pool.func(*func).name == name);
    let Some(func) = found else {
        let names: Vec<String> =
            algorithm.funcs.iter().map(|func| format!("`{}`", pool.func(*func).name)).collect();
        let message = format!("the pipeline has no func `{name}`; it has {}", names.join(", "));
        return Err(vec![refused(message)]);
    };
    let decl = pool.func(func);
    if decl.is_partial() || decl.scalars.iter().any(|scalar| scalar.bytes().is_none()) {
        let message = format!("the values of `{name}` are not of types that an array can hold");
        return Err(vec![refused(message)]);
    }
    Ok(func)
}

/// Makes a func continue its reduction from values that are given.
fn piece(pool: &mut Pool, algorithm: &mut Algorithm, func: FuncId) -> Result<(), Vec<Diagnostic>> {
    let decl = pool.func(func).clone();
    let name = &decl.name;
    let FuncKind::Defined { stages, synthetic } = decl.kind.clone() else {
        return Err(vec![refused(format!("`{name}` is an input"))]);
    };
    let [mut initial, mut update] = <[_; 2]>::try_from(stages).map_err(|stages| {
        let message =
            format!("`{name}` is no single reduction: it has {} definitions", stages.len());
        vec![refused(message)]
    })?;
    let Some(outermost) = update.domain.last_mut() else {
        return Err(vec![refused(format!("`{name}` has no reduction variable"))]);
    };
    let mut param = |pool: &mut Pool, part: &str, ty| {
        let name = free(pool, algorithm, format!("{name}_{part}"))?;
        let var = pool.declare_var(name, ty);
        algorithm.params.push(var);
        Ok::<ExprId, Vec<Diagnostic>>(pool.var_expr(var))
    };
    let is_first = param(pool, "first", Type::BOOL)?;
    let range = [param(pool, "from", Type::INT)?, param(pool, "until", Type::INT)?];
    *outermost = within(pool, outermost, range);
    let before = parts(pool, algorithm, func, &format!("{name}_before"))?;
    let args: Box<[ExprId]> = decl.args.iter().map(|arg| pool.var_expr(*arg)).collect();
    for (value, input) in initial.values.iter_mut().zip(&before) {
        let so_far = pool.expr(Expr::Ref { func: *input, component: 0, args: args.clone() });
        *value = pool.expr(Expr::Select { condition: is_first, if_true: *value, if_false: so_far });
    }
    algorithm.inputs.extend(before);
    pool.define_func(func, FuncKind::Defined { stages: vec![initial, update], synthetic });
    Ok(())
}

/// The part of a reduction variable's interval that lies in a range.
fn within(pool: &mut Pool, whole: &ReductionVar, [from, until]: [ExprId; 2]) -> ReductionVar {
    let end = pool.add(whole.min, whole.extent);
    let min = pool.binary(BinaryOp::Max, whole.min, from);
    let end = pool.binary(BinaryOp::Min, end, until);
    let extent = pool.sub(end, min);
    let nothing = pool.int(0);
    ReductionVar { var: whole.var, min, extent: pool.binary(BinaryOp::Max, extent, nothing) }
}

/// Declares an input for each component of a func's values.
fn parts(
    pool: &mut Pool,
    algorithm: &Algorithm,
    func: FuncId,
    name: &str,
) -> Result<Vec<FuncId>, Vec<Diagnostic>> {
    let decl = pool.func(func).clone();
    let mut inputs = Vec::new();
    for (component, scalar) in decl.scalars.iter().enumerate() {
        let mut args = Vec::new();
        for arg in &decl.args {
            let arg = pool.var(*arg).clone();
            args.push(pool.declare_var(arg.name, arg.ty));
        }
        let is_tuple = decl.scalars.len() > 1;
        let name = if is_tuple { format!("{name}_{component}") } else { name.to_owned() };
        let name = free(pool, algorithm, name)?;
        let kind = decl.kind.clone();
        let input = pool.declare_func(FuncDecl { name, scalars: vec![*scalar], args, kind });
        take(pool, input);
        inputs.push(input);
    }
    Ok(inputs)
}

/// Returns a name for an input or a parameter, or refuses it if something else has it.
fn free(pool: &Pool, algorithm: &Algorithm, name: String) -> Result<String, Vec<Diagnostic>> {
    let mut funcs = algorithm.funcs.iter().chain(&algorithm.inputs);
    let is_taken = funcs.any(|func| pool.func(*func).name == name)
        || algorithm.params.iter().any(|param| pool.var(*param).name == name);
    if is_taken {
        let message = format!("the phase needs the name `{name}`, which the pipeline has already");
        return Err(vec![refused(message)]);
    }
    Ok(name)
}

/// Replaces reads of components by reads of the inputs that hold them.
fn read_parts(pool: &mut Pool, algorithm: &Algorithm, parts: &FxHashMap<FuncId, Vec<FuncId>>) {
    if parts.is_empty() {
        return;
    }
    let mut done = FxHashMap::default();
    for func in &algorithm.funcs {
        let FuncKind::Defined { mut stages, synthetic } = pool.func(*func).kind.clone() else {
            continue;
        };
        for root in stages.iter_mut().flat_map(Stage::roots_mut) {
            *root = pool.rewrite_bottom_up(*root, &mut done, &mut |pool, id, expr| {
                if let Expr::Ref { func, component, args } = expr
                    && let Some(inputs) = parts.get(func)
                {
                    let (func, args) = (inputs[*component], args.clone());
                    pool.expr(Expr::Ref { func, component: 0, args })
                } else {
                    id
                }
            });
        }
        pool.define_func(*func, FuncKind::Defined { stages, synthetic });
    }
}

fn refused(message: String) -> Diagnostic {
    Diagnostic::without_place(Severity::Error, Code("HAL0916"), message)
        .with_hint("`--compute` and `--given` name funcs of the pipeline, as its schedule has them")
}

/// Makes an input of a func.
fn take(pool: &mut Pool, func: FuncId) {
    let decl = pool.func(func).clone();
    let dims = (0..decl.rank()).map(|dim| {
        let [min, extent, stride] = ["min", "extent", "stride"].map(|part| {
            let var = pool.declare_var(format!("{}.{part}.{dim}", decl.name), Type::INT);
            pool.var_expr(var)
        });
        Dim::new(min, extent, stride)
    });
    let dims = dims.collect();
    let buffer = pool.declare_buffer(BufferDecl {
        name: decl.name.clone(),
        scalar: decl.scalar(0),
        func,
        component: 0,
        kind: BufferKind::Input,
        store_in: StoreIn::Auto,
        realigned: false,
        dims,
    });
    pool.define_func(func, FuncKind::Input { buffer });
}

/// The funcs on which the outputs depend.
fn used(pool: &Pool, algorithm: &Algorithm) -> FxHashSet<FuncId> {
    let mut used: FxHashSet<FuncId> = FxHashSet::default();
    let mut left = algorithm.outputs.clone();
    while let Some(func) = left.pop() {
        if !used.insert(func) {
            continue;
        }
        let stages = pool.func(func).stages();
        let roots = stages.iter().flat_map(|stage| {
            let ends = stage.domain.iter().flat_map(|one| [one.min, one.extent]);
            stage.roots().chain(ends).collect::<Vec<ExprId>>()
        });
        for root in roots {
            pool.for_each_subexpr(root, &mut |_, expr| {
                if let Expr::Ref { func, .. } = expr {
                    left.push(*func);
                }
            });
        }
    }
    used
}
