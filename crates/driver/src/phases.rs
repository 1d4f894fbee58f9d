//! Phases: a pipeline cut at funcs, so that each part is a pipeline of its own.
//!
//! A *phase* computes one func of a pipeline and takes others, which earlier phases have computed,
//! as inputs. Its funcs are those of the pipeline as the schedule rewrites it (`in`, `rfactor`), so
//! the partial results of a reduction can be a phase. No definition changes: a func that is given
//! has the values that its definition gives it, if the earlier phase is right. So phases that are
//! each proved compute what the rewritten pipeline defines, and the proof of the whole schedule
//! shows that this is what the pipeline defines. The schedule's other directives are left out.

use halidom_base::FxHashSet;
use halidom_diag::{Code, Diagnostic, Severity};
use halidom_ir::{
    Algorithm, BufferDecl, BufferKind, Dim, Expr, ExprId, FuncId, FuncKind, Pool, StoreIn, Type,
};

use crate::compile::refusals;
use crate::source::{Choice, Loaded};

/// Replaces a pipeline by one of its phases: the funcs in `given` become inputs, and `compute`, if
/// any, becomes the only output.
pub fn cut(
    loaded: &mut Loaded,
    choice: &Choice,
    given: &[String],
    compute: Option<&str>,
) -> Result<(), Vec<Diagnostic>> {
    let schedule = loaded.schedule_of(choice);
    let algorithm = loaded.module.pipelines[choice.pipeline].algorithm.clone();
    let transformed = halidom_schedule::transform(&mut loaded.module.pool, &algorithm, &schedule)
        .map_err(|errors| refusals(loaded, choice, &errors))?;
    let mut own = transformed.steps.last().cloned().unwrap_or(algorithm);
    let pool = &mut loaded.module.pool;
    if let Some(name) = compute {
        own.outputs = vec![named(pool, &own, name)?];
    }
    for name in given {
        let func = named(pool, &own, name)?;
        if own.outputs.contains(&func) {
            return Err(vec![refused(format!("`{name}` is computed, and cannot be given"))]);
        }
        take(pool, func);
        own.funcs.retain(|known| *known != func);
        own.inputs.push(func);
    }
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
    if decl.scalars.len() != 1 || decl.is_partial() || decl.scalar(0).bytes().is_none() {
        let message = format!("the values of `{name}` are not of one type that an array can hold");
        return Err(vec![refused(message)]);
    }
    Ok(func)
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
