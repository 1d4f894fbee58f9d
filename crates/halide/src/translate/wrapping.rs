//! Replaces signed operators that are assumed not to overflow by ones that wrap.
//!
//! # Correctness
//! Wherever an operator that is assumed not to overflow has a value, the wrapping operator has the
//! same value, and so does every expression made of it. A statement that agrees with the wrapping
//! definitions therefore agrees with the pipeline on all inputs on which the pipeline has a value.
//! The converse does not hold: a difference from the wrapping definitions refutes nothing.

use halidom_base::FxHashMap;
use halidom_ir::{
    BinaryOp, Expr, ExprId, FuncId, FuncKind, Overflow, Pool, ReductionVar, Stage, UnaryOp,
};

/// Makes the operators in the definitions of funcs wrap. Returns true if any of them changed.
pub fn let_wrap(pool: &mut Pool, funcs: &[FuncId]) -> bool {
    let mut done = FxHashMap::default();
    let mut any = false;
    for func in funcs {
        let FuncKind::Defined { stages, synthetic } = pool.func(*func).kind.clone() else {
            continue;
        };
        let mut changed = Vec::new();
        for stage in &stages {
            let mut map = |pool: &mut Pool, id: ExprId| {
                pool.rewrite_bottom_up(id, &mut done, &mut |pool, id, node| {
                    // Floats carry the convention as well, but it has no meaning there.
                    let node = wrapped(node).filter(|_| !pool.ty(id).scalar.is_float());
                    node.map_or(id, |node| pool.expr(node))
                })
            };
            let domain = stage.domain.iter().map(|variable| ReductionVar {
                var: variable.var,
                min: map(pool, variable.min),
                extent: map(pool, variable.extent),
            });
            let domain = domain.collect();
            let predicate = stage.predicate.map(|predicate| map(pool, predicate));
            let lhs = stage.lhs.iter().map(|lhs| map(pool, *lhs)).collect();
            let values = stage.values.iter().map(|value| map(pool, *value)).collect();
            changed.push(Stage { domain, predicate, lhs, values });
        }
        if changed != stages {
            any = true;
            pool.define_func(*func, FuncKind::Defined { stages: changed, synthetic });
        }
    }
    any
}

/// The wrapping form of an operator that is assumed not to overflow.
fn wrapped(node: &Expr) -> Option<Expr> {
    let absent = Overflow::AssumedAbsent;
    match node {
        Expr::Unary(UnaryOp::Neg(overflow), operand) if *overflow == absent => {
            Some(Expr::Unary(UnaryOp::Neg(Overflow::Wraps), *operand))
        }
        Expr::Binary(op, a, b) => {
            let op = if *op == BinaryOp::Add(absent) {
                BinaryOp::Add(Overflow::Wraps)
            } else if *op == BinaryOp::Sub(absent) {
                BinaryOp::Sub(Overflow::Wraps)
            } else if *op == BinaryOp::Mul(absent) {
                BinaryOp::Mul(Overflow::Wraps)
            } else {
                return None;
            };
            Some(Expr::Binary(op, *a, *b))
        }
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}
