//! The shared traversals that rewrite and that read statements.

use halidom_base::FxHashMap;
use halidom_ir::{
    BufferId, Check, Expr, ExprId, Interval, Label, Pool, Program, Prophecy, Stmt, StmtId, VarId,
};

use crate::LowerError;

/// A rewriting of statements. A pass overrides the parts that it changes; [`walk`] rebuilds the
/// rest.
pub(crate) trait Fold {
    /// Returns the replacement of an expression that a statement holds, annotations included.
    fn expr(&mut self, pool: &mut Pool, expr: ExprId) -> Result<ExprId, LowerError>;

    /// Returns the replacement of a statement.
    fn stmt(&mut self, pool: &mut Pool, stmt: StmtId) -> Result<StmtId, LowerError> {
        walk(self, pool, stmt)
    }

    /// Returns the variable that a loop or a let binds instead.
    fn binder(&mut self, var: VarId) -> VarId {
        var
    }

    /// Returns the buffer that is allocated or stored to instead.
    fn buffer(&mut self, buffer: BufferId) -> BufferId {
        buffer
    }
}

/// Rewrites the whole program.
pub(crate) fn rewrite(
    fold: &mut impl Fold,
    pool: &mut Pool,
    program: Program,
) -> Result<Program, LowerError> {
    let body = fold.stmt(pool, program.body)?;
    Ok(Program { body, ..program })
}

/// Rebuilds a statement from its rewritten parts; a statement that does not change keeps its id.
pub(crate) fn walk<F: Fold + ?Sized>(
    fold: &mut F,
    pool: &mut Pool,
    id: StmtId,
) -> Result<StmtId, LowerError> {
    let old = pool.get_stmt(id).clone();
    let rebuilt = match &old {
        Stmt::Block(stmts) => {
            Stmt::Block(stmts.iter().map(|stmt| fold.stmt(pool, *stmt)).collect::<Result<_, _>>()?)
        }
        Stmt::Let { var, value, body } => {
            let value = fold.expr(pool, *value)?;
            Stmt::Let { var: fold.binder(*var), value, body: fold.stmt(pool, *body)? }
        }
        Stmt::If { condition, then_branch, else_branch } => Stmt::If {
            condition: fold.expr(pool, *condition)?,
            then_branch: fold.stmt(pool, *then_branch)?,
            else_branch: else_branch.map(|branch| fold.stmt(pool, branch)).transpose()?,
        },
        Stmt::For { var, min, extent, kind, body } => {
            let (min, extent) = (fold.expr(pool, *min)?, fold.expr(pool, *extent)?);
            let var = fold.binder(*var);
            Stmt::For { var, min, extent, kind: *kind, body: fold.stmt(pool, *body)? }
        }
        Stmt::Allocate { buffer, body } => {
            Stmt::Allocate { buffer: fold.buffer(*buffer), body: fold.stmt(pool, *body)? }
        }
        Stmt::Assert { condition, check } => Stmt::Assert {
            condition: fold.expr(pool, *condition)?,
            check: walk_check(fold, pool, check)?,
        },
        Stmt::Labeled { label, body } => {
            Stmt::Labeled { label: walk_label(fold, pool, label)?, body: fold.stmt(pool, *body)? }
        }
        Stmt::Provide { func, stage, coords, point, values, atomic } => Stmt::Provide {
            atomic: *atomic,
            func: *func,
            stage: *stage,
            coords: walk_exprs(fold, pool, coords)?,
            point: walk_exprs(fold, pool, point)?,
            values: walk_exprs(fold, pool, values)?,
        },
        Stmt::Store { buffer, index, value, prophecy, atomic } => Stmt::Store {
            atomic: *atomic,
            buffer: fold.buffer(*buffer),
            index: fold.expr(pool, *index)?,
            value: fold.expr(pool, *value)?,
            prophecy: match prophecy {
                Some(prophecy) => Some(walk_prophecy(fold, pool, prophecy)?),
                None => None,
            },
        },
    };
    Ok(if rebuilt == old { id } else { pool.stmt(rebuilt) })
}

/// Returns the prophecy with its expressions rewritten.
pub(crate) fn walk_prophecy<F: Fold + ?Sized>(
    fold: &mut F,
    pool: &mut Pool,
    prophecy: &Prophecy,
) -> Result<Prophecy, LowerError> {
    Ok(Prophecy {
        func: prophecy.func,
        stage: prophecy.stage,
        coords: walk_exprs(fold, pool, &prophecy.coords)?,
        point: walk_exprs(fold, pool, &prophecy.point)?,
    })
}

fn walk_exprs<F: Fold + ?Sized>(
    fold: &mut F,
    pool: &mut Pool,
    exprs: &[ExprId],
) -> Result<Box<[ExprId]>, LowerError> {
    exprs.iter().map(|expr| fold.expr(pool, *expr)).collect()
}

fn walk_interval<F: Fold + ?Sized>(
    fold: &mut F,
    pool: &mut Pool,
    interval: Interval,
) -> Result<Interval, LowerError> {
    Ok(Interval { min: fold.expr(pool, interval.min)?, extent: fold.expr(pool, interval.extent)? })
}

fn walk_label<F: Fold + ?Sized>(
    fold: &mut F,
    pool: &mut Pool,
    label: &Label,
) -> Result<Label, LowerError> {
    Ok(match label {
        Label::Func { func, needed } => Label::Func {
            func: *func,
            needed: needed
                .iter()
                .map(|interval| walk_interval(fold, pool, *interval))
                .collect::<Result<_, _>>()?,
        },
        Label::Prefetch { buffer, index } => {
            Label::Prefetch { buffer: fold.buffer(*buffer), index: fold.expr(pool, *index)? }
        }
        Label::Stage { .. } | Label::Partition(_) | Label::Ahead { .. } => label.clone(),
    })
}

fn walk_check<F: Fold + ?Sized>(
    fold: &mut F,
    pool: &mut Pool,
    check: &Check,
) -> Result<Check, LowerError> {
    Ok(match check {
        Check::InputRegion { input, dim, needed, given } => Check::InputRegion {
            input: *input,
            dim: *dim,
            needed: walk_interval(fold, pool, *needed)?,
            given: walk_interval(fold, pool, *given)?,
        },
        Check::OutputRegion { output, dim, needed, given } => Check::OutputRegion {
            output: *output,
            dim: *dim,
            needed: walk_interval(fold, pool, *needed)?,
            given: walk_interval(fold, pool, *given)?,
        },
        Check::Require { .. }
        | Check::DomainExtent { .. }
        | Check::SplitFactor { .. }
        | Check::Bound { .. }
        | Check::SizeLimit { .. }
        | Check::Layout { .. } => check.clone(),
    })
}

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

/// The purpose of an expression in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// Computed when the program runs, or needed to lay out an allocation.
    Computed,
    /// The value of a let: computed if the let is used.
    LetValue,
    /// A hint to the validator, or a message.
    Annotation,
}

/// Calls `visit` with every expression that a statement or a nested one holds. The layout of an
/// allocation belongs to its `Allocate`. Annotations of loads lie within the expressions;
/// [`for_each_var`] distinguishes them.
pub(crate) fn for_each_expr(pool: &Pool, id: StmtId, visit: &mut impl FnMut(Role, ExprId)) {
    let mut intervals = |intervals: &[Interval]| {
        for interval in intervals {
            visit(Role::Annotation, interval.min);
            visit(Role::Annotation, interval.extent);
        }
    };
    match pool.get_stmt(id) {
        Stmt::Block(_) => {}
        Stmt::Let { value, .. } => visit(Role::LetValue, *value),
        Stmt::If { condition, .. } => visit(Role::Computed, *condition),
        Stmt::For { min, extent, .. } => {
            visit(Role::Computed, *min);
            visit(Role::Computed, *extent);
        }
        Stmt::Allocate { buffer, .. } => {
            for dim in &pool.buffer(*buffer).dims {
                for expr in [dim.min, dim.extent, dim.stride] {
                    visit(Role::Computed, expr);
                }
            }
        }
        Stmt::Assert { condition, check } => {
            match check {
                Check::InputRegion { needed, given, .. }
                | Check::OutputRegion { needed, given, .. } => intervals(&[*needed, *given]),
                Check::Require { .. }
                | Check::DomainExtent { .. }
                | Check::SplitFactor { .. }
                | Check::Bound { .. }
                | Check::SizeLimit { .. }
                | Check::Layout { .. } => {}
            }
            visit(Role::Computed, *condition);
        }
        Stmt::Labeled { label, .. } => match label {
            Label::Func { needed, .. } => intervals(needed),
            Label::Prefetch { index, .. } => visit(Role::Computed, *index),
            Label::Stage { .. } | Label::Partition(_) | Label::Ahead { .. } => {}
        },
        Stmt::Provide { coords, point, values, .. } => {
            coords.iter().for_each(|coord| visit(Role::Computed, *coord));
            point.iter().for_each(|value| visit(Role::Annotation, *value));
            values.iter().for_each(|value| visit(Role::Computed, *value));
        }
        Stmt::Store { index, value, prophecy, .. } => {
            if let Some(prophecy) = prophecy {
                for expr in prophecy.coords.iter().chain(&prophecy.point) {
                    visit(Role::Annotation, *expr);
                }
            }
            visit(Role::Computed, *index);
            visit(Role::Computed, *value);
        }
    }
    for child in children(pool.get_stmt(id)) {
        for_each_expr(pool, child, visit);
    }
}

/// Returns the statements directly within a statement, in order.
pub(crate) fn children(stmt: &Stmt) -> Vec<StmtId> {
    match stmt {
        Stmt::Block(stmts) => stmts.clone(),
        Stmt::Let { body, .. }
        | Stmt::For { body, .. }
        | Stmt::Allocate { body, .. }
        | Stmt::Labeled { body, .. } => vec![*body],
        Stmt::If { then_branch, else_branch, .. } => {
            std::iter::once(*then_branch).chain(*else_branch).collect()
        }
        Stmt::Assert { .. } | Stmt::Provide { .. } | Stmt::Store { .. } => Vec::new(),
    }
}

/// Calls `visit` with every variable of an expression, once for each role in which it occurs:
/// variables in a load's annotation have the role of an annotation.
pub(crate) fn for_each_var(
    pool: &Pool,
    root: ExprId,
    role: Role,
    visit: &mut impl FnMut(Role, VarId),
) {
    let mut annotations = Vec::new();
    pool.for_each_subexpr(root, &mut |_, expr| match expr {
        Expr::Var(var) => visit(role, *var),
        Expr::Load { access: Some(access), .. } => annotations.extend_from_slice(&access.coords),
        Expr::Load { access: None, .. }
        | Expr::Const(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Ref { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Hole(_) => {}
    });
    annotations.sort_unstable();
    annotations.dedup();
    for annotation in annotations {
        for_each_var(pool, annotation, Role::Annotation, visit);
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
