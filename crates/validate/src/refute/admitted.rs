//! Sizes that pass a program's entry checks. If there are some, the proof is not vacuous.

use halidom_interp::{Bindings, evaluate_expr};
use halidom_ir::{
    Algorithm, BufferId, Constant, Expr, ExprId, FuncKind, Pool, Program, Scalar, VarId,
};

use super::{Given, Hint};

/// Tests whether all entry checks hold for one of the assignments, with windows that are not empty.
/// Each assignment is tried as the solver gave it, and with dense memory, because products of sizes
/// and strides are opaque to the solver. A parameter that the assignment lacks is tried as 1. If an
/// expression has no value, the assignment fails. The extents in `roomy` must be above 1.
pub(crate) fn admits(
    pool: &Pool,
    (algorithm, program): (&Algorithm, &Program),
    checks: &[ExprId],
    hints: &[Hint],
    roomy: &[VarId],
) -> bool {
    let input = |func: &halidom_ir::FuncId| match pool.func(*func).kind {
        FuncKind::Input { buffer } => Some(buffer),
        FuncKind::Defined { .. } => None,
    };
    let mut buffers: Vec<BufferId> = algorithm.inputs.iter().filter_map(input).collect();
    buffers.extend(program.outputs.iter().flat_map(|output| output.buffers.iter().copied()));
    let holds = |bindings: &Bindings| {
        let solid = program.outputs.iter().flat_map(|output| &output.window).all(|(_, extent)| {
            bindings.var(*extent).and_then(Constant::as_integer).is_some_and(|extent| extent > 0)
        });
        let passes =
            |check: &ExprId| evaluate_expr(pool, *check, bindings) == Ok(Constant::bool(true));
        let wide = roomy.iter().all(|extent| {
            bindings.var(*extent).and_then(Constant::as_integer).is_some_and(|extent| extent > 1)
        });
        solid && wide && checks.iter().all(passes)
    };
    hints.iter().any(|hint| {
        let Some(mut bindings) = bind(pool, algorithm, hint) else { return false };
        holds(&bindings) || {
            buffers.iter().all(|buffer| dense(pool, *buffer, &mut bindings).is_some())
                && holds(&bindings)
        }
    })
}

/// Tests whether all entry checks hold in one of the given cases in which the extents of outputs in
/// `roomy` are above 1.
pub(crate) fn admits_given(
    pool: &Pool,
    program: &Program,
    checks: &[ExprId],
    given: &[Given],
    roomy: &[VarId],
) -> bool {
    given.iter().any(|case| {
        let mut bindings = case.bindings.clone();
        for (output, window) in program.outputs.iter().zip(&case.windows) {
            for ((min, extent), (first, length)) in output.window.iter().zip(window) {
                let sides = [(*min, *first), (*extent, *length)];
                for (var, value) in sides {
                    let value = Constant::int(i128::from(value));
                    if bindings.set_var(pool, var, value).is_err() {
                        return false;
                    }
                }
            }
        }
        let outputs = program.outputs.iter().flat_map(|output| &output.buffers);
        let wide = roomy.iter().all(|extent| {
            bindings.var(*extent).and_then(Constant::as_integer).is_some_and(|extent| extent > 1)
        });
        wide && outputs.into_iter().all(|buffer| dense(pool, *buffer, &mut bindings).is_some())
            && checks
                .iter()
                .all(|check| evaluate_expr(pool, *check, &bindings) == Ok(Constant::bool(true)))
    })
}

fn bind(pool: &Pool, algorithm: &Algorithm, hint: &Hint) -> Option<Bindings> {
    let mut bindings = Bindings::new();
    for param in &algorithm.params {
        let scalar = pool.var(*param).ty.scalar;
        let one = match scalar {
            Scalar::F32 => Constant::f32(1.0),
            Scalar::F64 => Constant::f64(1.0),
            Scalar::Int => Constant::int(1),
            Scalar::Bool
            | Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => Constant::wrapped(scalar, 1)?,
        };
        bindings.set_var(pool, *param, one).ok()?;
    }
    for (var, value) in hint {
        // The solver has suggestions only for `int`s.
        bindings.set_var(pool, *var, Constant::int(i128::from(*value))).ok()?;
    }
    Some(bindings)
}

/// Gives a buffer's strides the values that leave no gaps.
fn dense(pool: &Pool, buffer: BufferId, bindings: &mut Bindings) -> Option<()> {
    let mut stride = 1;
    for dim in &pool.buffer(buffer).dims {
        let Expr::Var(var) = pool.get(dim.stride) else { return None };
        bindings.set_var(pool, *var, Constant::int(stride)).ok()?;
        let extent = evaluate_expr(pool, dim.extent, bindings).ok()?.as_integer()?;
        stride = stride.checked_mul(extent.max(1))?;
    }
    Some(())
}
