//! Variables and memory accesses in expressions.

use halidom_base::FxHashMap;
use halidom_ir::visit::Role;
use halidom_ir::{Expr, ExprId, Pool, VarId};

/// Returns the expression with variables replaced. `done` may be kept as long as `values` only
/// gains variables that no earlier expression mentioned.
pub(crate) fn substitute(
    pool: &mut Pool,
    values: &FxHashMap<VarId, ExprId>,
    expr: ExprId,
    done: &mut FxHashMap<ExprId, ExprId>,
) -> ExprId {
    pool.rewrite_bottom_up(expr, done, &mut |_, id, node| {
        if let Expr::Var(var) = node { values.get(var).copied().unwrap_or(id) } else { id }
    })
}

/// The purpose for which a variable occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Use {
    /// The work computes it, or needs it to lay out an allocation.
    Computed,
    /// A hint to the validator or a message mentions it.
    Annotation,
}

impl From<Role> for Use {
    fn from(role: Role) -> Self {
        if role.is_annotation() { Self::Annotation } else { Self::Computed }
    }
}

/// Calls `visit` with every variable of an expression, once for each use:
/// variables in a load's annotation are used in an annotation.
pub(crate) fn for_each_var(
    pool: &Pool,
    root: ExprId,
    within: Use,
    visit: &mut impl FnMut(Use, VarId),
) {
    let mut annotations = Vec::new();
    pool.for_each_subexpr(root, &mut |_, expr| match expr {
        Expr::Var(var) => visit(within, *var),
        Expr::Load { access: Some(access), .. } => annotations.extend_from_slice(&access.coords),
        Expr::Load { access: None, .. }
        | Expr::Const(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => {}
    });
    annotations.sort_unstable();
    annotations.dedup();
    for annotation in annotations {
        for_each_var(pool, annotation, Use::Annotation, visit);
    }
}

/// True if an expression reads memory.
pub(crate) fn loads(pool: &Pool, expr: ExprId) -> bool {
    let mut found = false;
    pool.for_each_subexpr(expr, &mut |_, expr| {
        found |= matches!(expr, Expr::Load { .. } | Expr::Ref { .. });
    });
    found
}
