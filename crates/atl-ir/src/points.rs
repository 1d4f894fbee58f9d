//! Finds the point of a sum's domain to which a summand of the final program belongs.
//!
//! The result is a guess, which the validator checks. Both sides read the same elements of the
//! inputs, so the indices of the reads are compared, in order if there are equally many, and solved
//! for the variables of the domain.

use halidom_base::IndexMap;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, FuncId, Pool, UnaryOp, VarId};

use crate::funcs::{Funcs, Total};
use crate::nest::at_point;

/// Returns the values of a total's domain variables, from the point that is written and the summand
/// there. Variables without a solution get the least value of the domain.
pub(crate) fn point(
    funcs: &mut Funcs<'_>,
    total: &Total,
    coords: &[ExprId],
    summand: ExprId,
) -> Vec<ExprId> {
    let args = funcs.pool.func(total.func).args.clone();
    let at = at_point(&args, coords);
    let specified = at.apply(&mut funcs.pool, total.summand);
    let (mut wanted, mut found) = (Vec::new(), Vec::new());
    reads(&mut funcs.pool, specified, &mut wanted);
    reads(&mut funcs.pool, summand, &mut found);
    let mut solved: IndexMap<VarId, ExprId> = IndexMap::default();
    for (number, (func, indices)) in wanted.iter().enumerate() {
        let alike: Vec<_> = found.iter().filter(|(other, _)| other == func).collect();
        // If both sides read a func equally often, they do so in the same order.
        let before = wanted[..number].iter().filter(|(other, _)| other == func).count();
        let all = wanted.iter().filter(|(other, _)| other == func).count();
        let alike = if alike.len() == all { &alike[before..=before] } else { &alike[..] };
        for (_, others) in alike {
            for (index, other) in indices.iter().zip(others) {
                solve(&mut funcs.pool, &total.domain, *index, *other, &mut solved);
            }
        }
    }
    let least = funcs.pool.int(0);
    total.domain.iter().map(|var| solved.get(var).copied().unwrap_or(least)).collect()
}

/// Collects the reads of inputs in an expression, with funcs replaced by their definitions.
fn reads(pool: &mut Pool, expr: ExprId, found: &mut Vec<(FuncId, Vec<ExprId>)>) {
    let mut direct = Vec::new();
    pool.for_each_subexpr(expr, &mut |_, expr| {
        if let Expr::Ref { func, args, .. } = expr {
            direct.push((*func, args.to_vec()));
        }
    });
    for (func, at) in direct {
        let decl = pool.func(func);
        match decl.stages() {
            [] => found.push((func, at)),
            [only] => {
                let (args, value) = (decl.args.clone(), only.values[0]);
                let value = at_point(&args, &at).apply(pool, value);
                reads(pool, value, found);
            }
            // Another sum gives no information.
            _ => {}
        }
    }
}

/// An integer as atoms with their factors, and a number.
type Linear = (IndexMap<ExprId, i128>, i128);

fn linear(pool: &Pool, expr: ExprId, factor: i128, sum: &mut Linear) {
    if let Some(number) = pool.as_constant(expr).and_then(Constant::as_integer) {
        sum.1 = sum.1.saturating_add(factor.saturating_mul(number));
        return;
    }
    match *pool.get(expr) {
        Expr::Binary(BinaryOp::Add(_), a, b) => {
            linear(pool, a, factor, sum);
            linear(pool, b, factor, sum);
        }
        Expr::Binary(BinaryOp::Sub(_), a, b) => {
            linear(pool, a, factor, sum);
            linear(pool, b, factor.saturating_neg(), sum);
        }
        Expr::Unary(UnaryOp::Neg(_), a) => linear(pool, a, factor.saturating_neg(), sum),
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Hole(_) => {
            let entry = sum.0.entry(expr).or_insert(0);
            *entry = entry.saturating_add(factor);
        }
    }
}

/// Solves `index = other` for the one unknown variable of the domain in it.
fn solve(
    pool: &mut Pool,
    domain: &[VarId],
    index: ExprId,
    other: ExprId,
    solved: &mut IndexMap<VarId, ExprId>,
) {
    let mut known = halidom_ir::Substitution::new();
    for (var, value) in solved.iter() {
        known.insert(*var, *value);
    }
    let index = known.apply(pool, index);
    let mut open: Vec<VarId> = Vec::new();
    pool.for_each_subexpr(index, &mut |_, expr| {
        if let Expr::Var(var) = expr
            && domain.contains(var)
            && !solved.contains_key(var)
        {
            open.push(*var);
        }
    });
    let [var] = *open else { return };
    let unknown = pool.var_expr(var);
    let mut sum = Linear::default();
    linear(pool, index, 1, &mut sum);
    let factor = sum.0.swap_remove(&unknown).unwrap_or(0);
    if factor.abs() != 1 {
        return;
    }
    let inside = sum.0.keys().any(|atom| {
        let mut mentions = false;
        pool.for_each_subexpr(*atom, &mut |_, expr| mentions |= *expr == Expr::Var(var));
        mentions
    });
    if inside {
        return;
    }
    // `factor * var = other - rest`.
    let mut result = Linear::default();
    linear(pool, other, factor, &mut result);
    result.1 -= factor * sum.1;
    for (atom, by) in sum.0 {
        *result.0.entry(atom).or_insert(0) -= factor * by;
    }
    let mut terms: Vec<(ExprId, i128)> = result.0.into_iter().filter(|(_, by)| *by != 0).collect();
    terms.sort_unstable();
    let mut value = pool.int(result.1);
    for (atom, by) in terms {
        let by = pool.int(by);
        let term = crate::indices::mul(pool, by, atom);
        value = crate::indices::add(pool, value, term);
    }
    solved.insert(var, value);
}
