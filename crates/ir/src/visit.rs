//! Traversals of statements.
//!
//! Apart from printers and the semantics, code that handles few kinds of statements names only
//! these and leaves the others to this module: [`Stmt::children`] and [`Stmt::map_children`] for
//! the statements within one, [`Stmt::for_each_expr`] for its expressions, [`for_each_stmt`] and
//! [`for_each_expr`] for everything below it, and [`Fold`] to rebuild it.

use std::convert::Infallible;

use crate::{
    BufferId, Check, ExprId, Interval, Label, Pool, Program, Prophecy, Stmt, StmtId, VarId,
};

/// The purpose of an expression in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The value of a let: computed if the let is used.
    LetValue,
    /// The condition of an `if`.
    Condition,
    /// The first value of a loop.
    LoopMin,
    /// The number of iterations of a loop.
    LoopExtent,
    /// The layout of an allocated buffer.
    Layout,
    /// The condition of an entry check.
    Assertion,
    /// A region in an entry check. Only the check's message depends on it.
    Message,
    /// A needed region, which is a hint.
    Needed,
    /// The element that is prefetched.
    Prefetch,
    /// The index of a store, or a coordinate of a provide.
    Index,
    /// The value of a store or of a provide.
    Value,
    /// The coordinates and the reduction point of a prophecy, or the reduction point of a provide,
    /// which are hints.
    Claim,
}

impl Role {
    /// True for hints to the validator and for messages: they are not computed by the work.
    pub fn is_annotation(self) -> bool {
        match self {
            Self::Message | Self::Needed | Self::Claim => true,
            Self::LetValue
            | Self::Condition
            | Self::LoopMin
            | Self::LoopExtent
            | Self::Layout
            | Self::Assertion
            | Self::Prefetch
            | Self::Index
            | Self::Value => false,
        }
    }
}

impl Stmt {
    /// Returns the statements directly within this one, in order.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = StmtId> + '_ {
        let (stmts, branches): (&[StmtId], [Option<StmtId>; 2]) = match self {
            Self::Block(stmts) => (stmts, [None, None]),
            Self::Let { body, .. }
            | Self::For { body, .. }
            | Self::Allocate { body, .. }
            | Self::Labeled { body, .. } => (&[], [Some(*body), None]),
            Self::If { then_branch, else_branch, .. } => (&[], [Some(*then_branch), *else_branch]),
            Self::Assert { .. } | Self::Provide { .. } | Self::Store { .. } => (&[], [None, None]),
        };
        stmts.iter().copied().chain(branches.into_iter().flatten())
    }

    /// Returns the same statement with the statements directly within it replaced, in order.
    #[must_use]
    pub fn map_children(&self, mut map: impl FnMut(StmtId) -> StmtId) -> Self {
        let Ok(stmt) = self.try_map_children(|child| Ok::<_, Infallible>(map(child)));
        stmt
    }

    /// Returns the same statement with the statements directly within it replaced, in order, or the
    /// first failure.
    pub fn try_map_children<E>(
        &self,
        map: impl FnMut(StmtId) -> Result<StmtId, E>,
    ) -> Result<Self, E> {
        let mut stmt = self.clone();
        stmt.replace_children(map)?;
        Ok(stmt)
    }

    fn replace_children<E>(
        &mut self,
        mut map: impl FnMut(StmtId) -> Result<StmtId, E>,
    ) -> Result<(), E> {
        match self {
            Self::Block(stmts) => {
                for child in stmts {
                    *child = map(*child)?;
                }
            }
            Self::Let { body, .. }
            | Self::For { body, .. }
            | Self::Allocate { body, .. }
            | Self::Labeled { body, .. } => *body = map(*body)?,
            Self::If { then_branch, else_branch, .. } => {
                *then_branch = map(*then_branch)?;
                if let Some(branch) = else_branch {
                    *branch = map(*branch)?;
                }
            }
            Self::Assert { .. } | Self::Provide { .. } | Self::Store { .. } => {}
        }
        Ok(())
    }

    /// Calls `visit` with every expression that the statement itself holds. The layout of a buffer
    /// belongs to its `Allocate`. Annotations of loads are parts of the expressions.
    pub fn for_each_expr(&self, pool: &Pool, visit: &mut impl FnMut(Role, ExprId)) {
        match self {
            Self::Block(_) => {}
            Self::Let { value, .. } => visit(Role::LetValue, *value),
            Self::If { condition, .. } => visit(Role::Condition, *condition),
            Self::For { min, extent, .. } => {
                visit(Role::LoopMin, *min);
                visit(Role::LoopExtent, *extent);
            }
            Self::Allocate { buffer, .. } => {
                for dim in &pool.buffer(*buffer).dims {
                    for expr in [dim.min, dim.extent, dim.stride] {
                        visit(Role::Layout, expr);
                    }
                }
            }
            Self::Assert { condition, check } => {
                for Interval { min, extent } in check.regions() {
                    visit(Role::Message, min);
                    visit(Role::Message, extent);
                }
                visit(Role::Assertion, *condition);
            }
            Self::Labeled { label, .. } => match label {
                Label::Func { needed, .. } => {
                    for interval in needed {
                        visit(Role::Needed, interval.min);
                        visit(Role::Needed, interval.extent);
                    }
                }
                Label::Prefetch { index, .. } => visit(Role::Prefetch, *index),
                Label::Stage { .. } | Label::Partition(_) | Label::Ahead { .. } => {}
            },
            Self::Provide { coords, point, values, .. } => {
                coords.iter().for_each(|coord| visit(Role::Index, *coord));
                point.iter().for_each(|value| visit(Role::Claim, *value));
                values.iter().for_each(|value| visit(Role::Value, *value));
            }
            Self::Store { index, value, prophecy, .. } => {
                if let Some(prophecy) = prophecy {
                    for expr in prophecy.coords.iter().chain(&prophecy.point) {
                        visit(Role::Claim, *expr);
                    }
                }
                visit(Role::Index, *index);
                visit(Role::Value, *value);
            }
        }
    }

    /// Returns the same statement with the expressions that it itself holds replaced, in the order
    /// of evaluation. A buffer's layout is part of its declaration and stays.
    #[must_use]
    pub fn map_exprs(&self, mut map: impl FnMut(Role, ExprId) -> ExprId) -> Self {
        let mut stmt = self.clone();
        let Ok(()) = stmt.replace_exprs(|role, expr| Ok::<_, Infallible>(map(role, expr)));
        stmt
    }

    fn replace_exprs<E>(
        &mut self,
        mut map: impl FnMut(Role, ExprId) -> Result<ExprId, E>,
    ) -> Result<(), E> {
        let mut one = |role, expr: &mut ExprId| map(role, *expr).map(|new| *expr = new);
        match self {
            Self::Block(_) | Self::Allocate { .. } => Ok(()),
            Self::Let { value, .. } => one(Role::LetValue, value),
            Self::If { condition, .. } => one(Role::Condition, condition),
            Self::For { min, extent, .. } => {
                one(Role::LoopMin, min)?;
                one(Role::LoopExtent, extent)
            }
            Self::Assert { condition, check } => {
                one(Role::Assertion, condition)?;
                check.regions_mut().try_for_each(|Interval { min, extent }| {
                    one(Role::Message, min)?;
                    one(Role::Message, extent)
                })
            }
            Self::Labeled { label: Label::Func { needed, .. }, .. } => {
                needed.iter_mut().try_for_each(|Interval { min, extent }| {
                    one(Role::Needed, min)?;
                    one(Role::Needed, extent)
                })
            }
            Self::Labeled { label: Label::Prefetch { index, .. }, .. } => {
                one(Role::Prefetch, index)
            }
            Self::Labeled {
                label: Label::Stage { .. } | Label::Partition(_) | Label::Ahead { .. },
                ..
            } => Ok(()),
            Self::Provide { coords, point, values, .. } => {
                coords.iter_mut().try_for_each(|coord| one(Role::Index, coord))?;
                point.iter_mut().try_for_each(|value| one(Role::Claim, value))?;
                values.iter_mut().try_for_each(|value| one(Role::Value, value))
            }
            Self::Store { index, value, prophecy, .. } => {
                one(Role::Index, index)?;
                one(Role::Value, value)?;
                let claims = prophecy.iter_mut().flat_map(|Prophecy { coords, point, .. }| {
                    coords.iter_mut().chain(point.iter_mut())
                });
                claims.into_iter().try_for_each(|claim| one(Role::Claim, claim))
            }
        }
    }

    /// The variable that the statement binds.
    pub fn binder(&self) -> Option<VarId> {
        if let Self::Let { var, .. } | Self::For { var, .. } = self { Some(*var) } else { None }
    }

    fn binder_mut(&mut self) -> Option<&mut VarId> {
        if let Self::Let { var, .. } | Self::For { var, .. } = self { Some(var) } else { None }
    }

    /// The buffer that the statement allocates, stores to or prefetches from.
    fn buffer_mut(&mut self) -> Option<&mut BufferId> {
        if let Self::Allocate { buffer, .. }
        | Self::Store { buffer, .. }
        | Self::Labeled { label: Label::Prefetch { buffer, .. }, .. } = self
        {
            Some(buffer)
        } else {
            None
        }
    }
}

impl Check {
    /// Returns the needed and the given region of a check of an input's or output's region.
    pub fn regions(&self) -> impl Iterator<Item = Interval> {
        let regions = if let Self::InputRegion { needed, given, .. }
        | Self::OutputRegion { needed, given, .. } = self
        {
            Some([*needed, *given])
        } else {
            None
        };
        regions.into_iter().flatten()
    }

    fn regions_mut(&mut self) -> impl Iterator<Item = &mut Interval> {
        let regions = match self {
            Self::InputRegion { needed, given, .. } | Self::OutputRegion { needed, given, .. } => {
                Some([needed, given])
            }
            Self::Require { .. }
            | Self::DomainExtent { .. }
            | Self::SplitFactor { .. }
            | Self::Bound { .. }
            | Self::SizeLimit { .. }
            | Self::Layout { .. } => None,
        };
        regions.into_iter().flatten()
    }
}

/// Returns the parts of a block; any other statement is its own only part.
pub fn parts(pool: &Pool, id: StmtId) -> Vec<StmtId> {
    if let Stmt::Block(stmts) = pool.get_stmt(id) { stmts.clone() } else { vec![id] }
}

/// Calls `visit` with every occurrence of a statement in `root`, in the order of the text.
pub fn for_each_stmt<'p>(pool: &'p Pool, root: StmtId, visit: &mut impl FnMut(StmtId, &'p Stmt)) {
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        let stmt = pool.get_stmt(id);
        visit(id, stmt);
        pending.extend(stmt.children().rev());
    }
}

/// Returns the number of statements in `root`, itself included.
pub fn count(pool: &Pool, root: StmtId) -> usize {
    let mut count = 0;
    for_each_stmt(pool, root, &mut |_, _| count += 1);
    count
}

/// Calls `visit` with every expression that a statement or a nested one holds.
pub fn for_each_expr(pool: &Pool, root: StmtId, visit: &mut impl FnMut(Role, ExprId)) {
    for_each_stmt(pool, root, &mut |_, stmt| stmt.for_each_expr(pool, visit));
}

/// True if `test` holds for a statement or a nested one.
pub fn any_stmt(pool: &Pool, root: StmtId, test: &mut impl FnMut(&Stmt) -> bool) -> bool {
    let stmt = pool.get_stmt(root);
    test(stmt) || stmt.children().any(|child| any_stmt(pool, child, test))
}

/// A rewriting of statements, which fails with an `E`. An implementation overrides the parts that
/// it changes; [`walk`] rebuilds the rest.
pub trait Fold<E = Infallible> {
    /// Returns the replacement of an expression that a statement holds, annotations included.
    fn expr(&mut self, pool: &mut Pool, expr: ExprId) -> Result<ExprId, E> {
        let _ = pool;
        Ok(expr)
    }

    /// Returns the replacement of a statement.
    fn stmt(&mut self, pool: &mut Pool, stmt: StmtId) -> Result<StmtId, E> {
        walk(self, pool, stmt)
    }

    /// Returns the variable that a loop or a let binds instead.
    fn binder(&mut self, var: VarId) -> VarId {
        var
    }

    /// Returns the buffer that is allocated, stored to or prefetched from instead.
    fn buffer(&mut self, buffer: BufferId) -> BufferId {
        buffer
    }
}

/// Rebuilds a statement from its rewritten parts; a statement that does not change keeps its id.
/// The statement's own expressions come before the statements within it.
pub fn walk<E, F: Fold<E> + ?Sized>(
    fold: &mut F,
    pool: &mut Pool,
    id: StmtId,
) -> Result<StmtId, E> {
    let mut stmt = pool.get_stmt(id).clone();
    stmt.replace_exprs(|_, expr| fold.expr(pool, expr))?;
    if let Some(var) = stmt.binder_mut() {
        *var = fold.binder(*var);
    }
    if let Some(buffer) = stmt.buffer_mut() {
        *buffer = fold.buffer(*buffer);
    }
    stmt.replace_children(|child| fold.stmt(pool, child))?;
    Ok(pool.rebuilt(id, stmt))
}

/// Returns the replacements of expressions, in order.
pub fn fold_exprs<E, F: Fold<E> + ?Sized>(
    fold: &mut F,
    pool: &mut Pool,
    exprs: &[ExprId],
) -> Result<Box<[ExprId]>, E> {
    exprs.iter().map(|expr| fold.expr(pool, *expr)).collect()
}

/// Rewrites the whole program.
pub fn rewrite<E>(
    fold: &mut impl Fold<E>,
    pool: &mut Pool,
    program: Program,
) -> Result<Program, E> {
    let body = fold.stmt(pool, program.body)?;
    Ok(Program { body, ..program })
}
