//! Features of random programs, to measure the coverage of fuzzing.

use halidom_ir::{Algorithm, Expr, ExprId, FuncKind, Pool, Type};

use super::figures::Histogram;

/// Counts each feature once for a program that has it.
pub(super) fn features(pool: &Pool, algorithm: &Algorithm, found: &mut Histogram) {
    let mut note = |name: &'static str, has: bool| {
        *found.entry(name).or_default() += u64::from(has);
    };
    let defined: Vec<_> = algorithm.funcs.iter().map(|func| pool.func(*func)).collect();
    let stages = || defined.iter().flat_map(|func| func.stages().iter().enumerate());
    let updates = || stages().filter(|(number, _)| *number > 0).map(|(_, stage)| stage);
    note("several funcs", defined.len() > 1);
    note("several outputs", algorithm.outputs.len() > 1);
    note("several inputs", algorithm.inputs.len() > 1);
    note("parameters", !algorithm.params.is_empty());
    note("int parameters", algorithm.params.iter().any(|param| pool.var(*param).ty == Type::INT));
    note("three dimensions", defined.iter().any(|func| func.rank() > 2));
    note(
        "boundary conditions",
        defined.iter().any(|func| matches!(func.kind, FuncKind::Defined { synthetic: true, .. })),
    );
    note("tuples", stages().any(|(_, stage)| stage.values.len() > 1));
    note("updates", updates().next().is_some());
    note("several updates", defined.iter().any(|func| func.stages().len() > 2));
    note("domains", updates().any(|stage| !stage.domain.is_empty()));
    note("domains of several variables", updates().any(|stage| stage.domain.len() > 1));
    note("where", updates().any(|stage| stage.predicate.is_some()));
    let reads = |root: ExprId, of: &dyn Fn(halidom_ir::FuncId) -> bool| {
        let mut any = false;
        pool.for_each_subexpr(root, &mut |_, expr| {
            any |= matches!(expr, Expr::Ref { func, .. } if of(*func));
        });
        any
    };
    let any_read = |root: ExprId| reads(root, &|_| true);
    note("scatters", updates().any(|stage| stage.lhs.iter().any(|coord| any_read(*coord))));
    let mut scans = false;
    let mut gathers = false;
    for func in &algorithm.funcs {
        for stage in pool.func(*func).stages() {
            for root in stage.roots() {
                pool.for_each_subexpr(root, &mut |_, expr| {
                    if let Expr::Ref { func: read, args, .. } = expr {
                        scans |= read == func && args.as_ref() != stage.lhs.as_slice();
                        gathers |= args.iter().any(|arg| any_read(*arg));
                    }
                });
            }
        }
    }
    note("scans", scans);
    note("gathers", gathers);
    for scalar in defined
        .iter()
        .flat_map(|func| &func.scalars)
        .map(|scalar| scalar.name())
        .collect::<std::collections::BTreeSet<_>>()
    {
        note(scalar, true);
    }
}
