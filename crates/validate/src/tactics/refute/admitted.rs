//! Sizes that may pass a program's entry checks.

use halidom_interp::machine::output_regions;
use halidom_interp::{Bindings, evaluate_expr, nesting};
use halidom_ir::{
    Algorithm, BufferId, Constant, Expr, FuncKind, Pool, Program, Scalar, Shape, Stmt, VarId,
    nested_strides, visit,
};

use super::case::Case;
use super::{Given, Hint, regions};

/// Proposes each assignment as the solver gave it, with dense memory, because products of sizes
/// and strides are opaque to the solver, and with inputs of the regions that the entry checks ask
/// for. A parameter that the assignment lacks is proposed as 1, or
/// as a number that the entry checks on it mention.
pub(crate) fn suggested<'h>(
    pool: &'h Pool,
    algorithm: &'h Algorithm,
    program: &'h Program,
    hints: &'h [Hint],
) -> impl Iterator<Item = Bindings> + 'h {
    let input = |func: &halidom_ir::FuncId| match pool.func(*func).kind {
        FuncKind::Input { buffer } => Some(buffer),
        FuncKind::Defined { .. } => None,
    };
    let mut buffers: Vec<BufferId> = algorithm.inputs.iter().filter_map(input).collect();
    buffers.extend(program.outputs.iter().flat_map(|output| output.buffers.iter().copied()));
    hints.iter().flat_map(move |hint| {
        let plain = bind(pool, algorithm, program, hint);
        let packed = plain.clone().and_then(|mut bindings| {
            buffers
                .iter()
                .all(|buffer| dense(pool, program, *buffer, &mut bindings).is_some())
                .then_some(bindings)
        });
        let fitted = packed.clone().and_then(|bindings| fitted(pool, program, bindings));
        plain.into_iter().chain(packed).chain(fitted)
    })
}

/// Gives inputs the regions that the entry checks ask for, because quotients by sizes are opaque to
/// the solver too; with dense memory.
fn fitted(pool: &Pool, program: &Program, mut bindings: Bindings) -> Option<Bindings> {
    let mut buffers = Vec::new();
    for (input, dim, (min, extent)) in regions::required(pool, program, &bindings, &[]) {
        let FuncKind::Input { buffer } = pool.func(input).kind else { continue };
        let side = pool.buffer(buffer).dims.get(dim)?;
        for (end, value) in [(side.min, min), (side.extent, extent)] {
            let Expr::Var(var) = pool.get(end) else { continue };
            bindings.set_var(pool, *var, Constant::int(i128::from(value))).ok()?;
        }
        buffers.push(buffer);
    }
    let mut buffers = buffers.into_iter();
    buffers.all(|buffer| dense(pool, program, buffer, &mut bindings).is_some()).then_some(bindings)
}

/// Proposes the sizes of the given cases, with dense outputs.
pub(crate) fn of_given<'g>(
    pool: &'g Pool,
    program: &'g Program,
    given: &'g [Given],
) -> impl Iterator<Item = Bindings> + 'g {
    given.iter().filter_map(|case| {
        let mut bindings = case.bindings.clone();
        windows(pool, program, &case.windows, &mut bindings)?;
        let mut outputs = program.outputs.iter().flat_map(|output| &output.buffers);
        outputs
            .all(|buffer| dense(pool, program, *buffer, &mut bindings).is_some())
            .then_some(bindings)
    })
}

/// Returns the sizes of a run, with those of its windows and outputs.
pub(crate) fn of_run(pool: &Pool, program: &Program, case: Case) -> Option<Bindings> {
    let mut bindings = case.bindings;
    let shapes = output_regions(pool, program, &bindings, &case.windows).ok()?;
    windows(pool, program, &case.windows, &mut bindings)?;
    for (output, shape) in program.outputs.iter().zip(shapes) {
        let buffer = *output.buffers.first()?;
        let mut padding = case.padding.clone();
        padding.resize(shape.len(), 0);
        let (strides, _) = nested_strides(&shape, &padding, &nesting(pool, program, buffer))?;
        for ((dim, (min, extent)), stride) in
            pool.buffer(buffer).dims.iter().zip(shape).zip(strides)
        {
            for (expr, value) in [(dim.min, min), (dim.extent, extent), (dim.stride, stride)] {
                let Expr::Var(var) = pool.get(expr) else { return None };
                bindings.set_var(pool, *var, Constant::int(i128::from(value))).ok()?;
            }
        }
    }
    Some(bindings)
}

/// Binds the windows of outputs.
fn windows(pool: &Pool, program: &Program, of: &[Shape], bindings: &mut Bindings) -> Option<()> {
    for (output, window) in program.outputs.iter().zip(of) {
        for ((min, extent), (first, length)) in output.window.iter().zip(window) {
            for (var, value) in [(*min, *first), (*extent, *length)] {
                bindings.set_var(pool, var, Constant::int(i128::from(value))).ok()?;
            }
        }
    }
    Some(())
}

fn bind(pool: &Pool, algorithm: &Algorithm, program: &Program, hint: &Hint) -> Option<Bindings> {
    let mut bindings = Bindings::new();
    for param in &algorithm.params {
        let value = permitted(pool, program, *param)?;
        bindings.set_var(pool, *param, value).ok()?;
    }
    for (var, value) in hint {
        // The solver has suggestions only for `int`s.
        bindings.set_var(pool, *var, Constant::int(i128::from(*value))).ok()?;
    }
    Some(bindings)
}

/// A value of a parameter that passes the entry checks on it alone: 1, or a number that they
/// mention. It is 1 if none passes.
fn permitted(pool: &Pool, program: &Program, param: VarId) -> Option<Constant> {
    let scalar = pool.var(param).ty.scalar;
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
    let (mut checks, mut candidates) = (Vec::new(), vec![one]);
    visit::for_each_stmt(pool, program.body, &mut |_, stmt| {
        let Stmt::Assert { condition, .. } = stmt else { return };
        let (mut is_alone, mut numbers) = (true, Vec::new());
        pool.for_each_subexpr(*condition, &mut |id, node| {
            is_alone &= !matches!(node, Expr::Var(var) if *var != param);
            numbers.extend(pool.as_constant(id).filter(|number| number.scalar() == scalar));
        });
        if is_alone {
            checks.push(*condition);
            candidates.extend(numbers);
        }
    });
    let passes = |value: &Constant| {
        let mut bindings = Bindings::new();
        bindings.set_var(pool, param, *value).is_ok()
            && checks.iter().all(|check| {
                let held = evaluate_expr(pool, *check, &bindings);
                held.is_ok_and(|held| held.as_bool() == Some(true))
            })
    };
    Some(candidates.into_iter().find(passes).unwrap_or(one))
}

/// Gives a buffer's strides the values that leave no gaps but those that an entry check asks for.
fn dense(pool: &Pool, program: &Program, buffer: BufferId, bindings: &mut Bindings) -> Option<()> {
    let mut stride = 1_i64;
    let dims = &pool.buffer(buffer).dims;
    for (dim, least) in nesting(pool, program, buffer) {
        let dim = dims.get(dim)?;
        stride = stride.max(least);
        let Expr::Var(var) = pool.get(dim.stride) else { return None };
        bindings.set_var(pool, *var, Constant::int(i128::from(stride))).ok()?;
        let extent = evaluate_expr(pool, dim.extent, bindings).ok()?.as_integer()?;
        stride = stride.checked_mul(i64::try_from(extent.max(1)).ok()?)?;
    }
    Some(())
}
