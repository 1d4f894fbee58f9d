//! Finds the point of a sum's domain to which a summand of the final program belongs.
//!
//! The result is a guess, which the validator checks. Both sides read the same elements of the
//! inputs, so the indices of the reads are compared, in order if there are equally many, and solved
//! for the variables of the domain.

use halidom_base::IndexMap;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, FuncId, Pool, UnaryOp, VarId};
use halidom_sums::{Product, Sum};

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

/// An integer as a sum of atoms.
type Linear = Sum<Product<ExprId>>;

/// Returns an expression as a sum; `None` if its numbers are too large.
fn linear(pool: &Pool, expr: ExprId) -> Option<Linear> {
    if let Some(number) = pool.as_constant(expr).and_then(Constant::as_integer) {
        return Some(Linear::constant(number));
    }
    match *pool.get(expr) {
        Expr::Binary(BinaryOp::Add(_), a, b) => linear(pool, a)?.plus(&linear(pool, b)?, 1),
        Expr::Binary(BinaryOp::Sub(_), a, b) => linear(pool, a)?.plus(&linear(pool, b)?, -1),
        Expr::Unary(UnaryOp::Neg(_), a) => linear(pool, a)?.scaled(-1),
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => Some(Linear::atom(expr)),
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
    let (Some(sum), Some(other)) = (linear(pool, index), linear(pool, other)) else { return };
    let factor = sum.coefficient(&[unknown][..]);
    if factor.abs() != 1 {
        return;
    }
    let rest = sum.without(&[unknown][..]);
    let inside = rest.terms().flat_map(|(product, _)| product.iter()).any(|atom| {
        let mut mentions = false;
        pool.for_each_subexpr(*atom, &mut |_, expr| mentions |= *expr == Expr::Var(var));
        mentions
    });
    if inside {
        return;
    }
    // `factor * var = other - rest`, and a factor of 1 or -1 is its own reciprocal.
    let Some(result) = other.plus(&rest, -1).and_then(|result| result.scaled(factor)) else {
        return;
    };
    let mut value = pool.int(result.constant_part());
    for (product, by) in result.terms() {
        for atom in product.iter() {
            let by = pool.int(by);
            let term = crate::indices::mul(pool, by, *atom);
            value = crate::indices::add(pool, value, term);
        }
    }
    solved.insert(var, value);
}
