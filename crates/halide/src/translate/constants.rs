//! Values of constant expressions.

use halidom_ir::{Constant, Expr as IrExpr, ExprId, Pool, VarId, eval};

/// The value of a constant expression; calls of funcs with a single stage are expanded.
pub(super) fn folded(pool: &Pool, id: ExprId, values: &[(VarId, Constant)]) -> Option<Constant> {
    let inner = |id: &ExprId| folded(pool, *id, values);
    match pool.get(id) {
        IrExpr::Const(constant) => Some(*constant),
        IrExpr::Var(var) => values.iter().find(|(known, _)| known == var).map(|(_, value)| *value),
        IrExpr::Unary(op, operand) => eval::unary(*op, inner(operand)?).ok(),
        IrExpr::Binary(op, a, b) => eval::binary(*op, inner(a)?, inner(b)?).ok(),
        IrExpr::Cast(to, operand) => eval::cast(*to, inner(operand)?).ok(),
        IrExpr::Call(call, operand) => eval::intrinsic(*call, inner(operand)?).ok(),
        IrExpr::Ref { func, component, args } => {
            let decl = pool.func(*func);
            let [stage] = decl.stages() else { return None };
            let args = args.iter().map(inner).collect::<Option<Vec<_>>>()?;
            let values: Vec<(VarId, Constant)> = decl.args.iter().copied().zip(args).collect();
            folded(pool, *stage.values.get(*component)?, &values)
        }
        IrExpr::Select { condition, if_true, if_false } => {
            let chosen = if inner(condition)?.as_bool()? { if_true } else { if_false };
            inner(chosen)
        }
        IrExpr::Apply { .. }
        | IrExpr::Load { .. }
        | IrExpr::Ramp { .. }
        | IrExpr::Broadcast { .. }
        | IrExpr::Shuffle { .. }
        | IrExpr::Hole(_) => None,
    }
}
