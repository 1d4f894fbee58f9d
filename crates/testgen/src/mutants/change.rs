//! The changes, and their effects on a statement.

use std::convert::Infallible;

use halidom_base::FxHashMap;
use halidom_ir::visit::{Fold, Role, walk};
use halidom_ir::{
    BinaryOp, BufferDecl, BufferId, Constant, Expr, ExprId, Interval, Label, LoopKind, Pool,
    Prophecy, Stmt, StmtId, print,
};

use super::edit::{Path, replace_subexpr, subexpr, with_child};
use super::parts::{expr_of, other_comparison, without};

/// A change of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Edits a subexpression.
    Expr { root: Role, path: Path, edit: Edit },
    /// Replaces an `if` by its branch.
    DropGuard,
    /// Turns an atomic update into a plain store.
    DropAtomic,
    /// Adds to a coordinate of the prophecy. The reduction point's coordinates follow the written
    /// point's.
    Prophecy { coordinate: usize, by: i128 },
    /// Removes the statement.
    Remove,
    /// Makes a loop parallel.
    Parallel,
    /// Shortens a dimension of the allocation.
    Shrink { dim: usize },
    /// Folds a dimension of the allocation by another factor, in its layout and in the accesses.
    Fold { dim: usize, to: i128 },
    /// Adds to the min and the extent of the needed region in a dimension.
    Needed { dim: usize, min: i128, extent: i128 },
    /// Exchanges a block's statement with the next one.
    Swap { first: usize },
    /// Makes one of the conditions true that an entry check joins.
    Weaken { part: usize },
    /// Replaces a coordinate of the prophecy by another one.
    ProphecyCopied { coordinate: usize, other: usize },
    /// Claims another stage, with a point of that stage's length.
    ProphecyStage { stage: usize },
    /// Removes the prophecy.
    NoProphecy,
    /// Removes the label and keeps the statement in it.
    Unlabel,
    /// Moves a store along a dimension, together with its claim.
    RedirectStore { dim: usize, by: i128 },
    /// Moves the point that is written, before storage is flattened.
    ShiftWrite { dim: usize, by: i128 },
    /// Takes the memory within the loop with this number, instead of around it.
    StoreFurtherIn { inner: usize },
    /// Takes the memory of the allocation with this number around the loop, instead of within it.
    StoreFurtherOut { inner: usize },
    /// Exchanges a loop with the only loop in it.
    SwapLoops,
}

/// A change of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// Adds to an `int`.
    Add(i128),
    /// Exchanges the operands or arms.
    Swap,
    /// Replaces it by another constant.
    Constant(Constant),
    /// Moves a load along a dimension.
    Redirect { dim: usize, by: i128 },
    /// Replaces a comparison by the one that differs where both sides are equal.
    Compare,
    /// Adds to a coordinate of a load's claim.
    Access { dim: usize, by: i128 },
    /// Removes a load's claim.
    NoAccess,
    /// Makes a lane of a shuffle take the next lane.
    Lane(usize),
}

impl Change {
    /// Returns the condition under which the change makes no difference: the changed scalar has its
    /// old value, or the dropped guard holds.
    pub(super) fn unchanged(&self, pool: &mut Pool, old: &Stmt) -> Option<ExprId> {
        if let (Self::DropGuard, Stmt::If { condition, .. }) = (self, old) {
            return Some(*condition);
        }
        let Self::Expr { root, path, edit } = self else { return None };
        let whole = expr_of(pool, old, *root)?;
        let after = edit.apply(pool, subexpr(pool, whole, path)?)?;
        let after = replace_subexpr(pool, whole, path, after)?;
        let scalar = pool.ty(whole).lanes == 1 && pool.ty(after) == pool.ty(whole);
        scalar.then(|| pool.binary(BinaryOp::Eq, whole, after))
    }

    pub(super) fn apply(&self, pool: &mut Pool, old: &Stmt) -> Option<(Stmt, String)> {
        let mut new = old.clone();
        let description = match self {
            Self::Expr { root, path, edit } => {
                let whole = expr_of(pool, old, *root)?;
                let before = subexpr(pool, whole, path)?;
                let after = edit.apply(pool, before)?;
                let changed = replace_subexpr(pool, whole, path, after)?;
                new = old.map_exprs(|role, expr| if role == *root { changed } else { expr });
                let (before, after) = (print::expr(pool, before), print::expr(pool, after));
                format!("{}: {before} becomes {after}", place(pool, old))
            }
            Self::DropAtomic => {
                let Stmt::Store { atomic, .. } = &mut new else { return None };
                *atomic = false;
                "an atomic update is a read and a write".to_owned()
            }
            Self::DropGuard => {
                let Stmt::If { condition, then_branch, .. } = old else { return None };
                new = Stmt::Block(vec![*then_branch]);
                format!("`if {}` becomes its branch", print::expr(pool, *condition))
            }
            Self::Prophecy { coordinate, by } => {
                let Stmt::Store { prophecy: Some(prophecy), .. } = &mut new else { return None };
                let slot = coordinate_of(prophecy, *coordinate)?;
                *slot = add(pool, *slot, *by);
                format!("{}: coordinate {coordinate} of its prophecy {by:+}", place(pool, old))
            }
            Self::Weaken { part } => {
                let Stmt::Assert { condition, .. } = &mut new else { return None };
                let before = *condition;
                *condition = without(pool, before, &mut { *part });
                let (before, after) = (print::expr(pool, before), print::expr(pool, *condition));
                format!("entry check: {before} becomes {after}")
            }
            Self::Remove => {
                new = Stmt::Block(Vec::new());
                format!("{} is left out", place(pool, old))
            }
            Self::Parallel => {
                let Stmt::For { kind, .. } = &mut new else { return None };
                *kind = LoopKind::PARALLEL;
                format!("{} becomes parallel", place(pool, old))
            }
            Self::Shrink { dim } => {
                new = shortened(pool, old, *dim)?;
                format!("{}: one shorter in dimension {dim}", place(pool, old))
            }
            Self::Fold { dim, to } => {
                new = folded(pool, old, *dim, *to)?;
                format!("{}: folded by {to} in dimension {dim}", place(pool, old))
            }
            Self::Needed { dim, min, extent } => {
                new = with_needed(pool, old, *dim, (*min, *extent))?;
                format!("{}: min {min:+}, extent {extent:+} in dimension {dim}", place(pool, old))
            }
            Self::Swap { first } => {
                let Stmt::Block(stmts) = &mut new else { return None };
                stmts.swap(*first, first + 1);
                format!("statements {first} and {} of a block change places", first + 1)
            }
            Self::ProphecyCopied { coordinate, other } => {
                let Stmt::Store { prophecy: Some(prophecy), .. } = &mut new else { return None };
                let copied = *coordinate_of(prophecy, *other)?;
                *coordinate_of(prophecy, *coordinate)? = copied;
                let place = place(pool, old);
                format!("{place}: coordinate {coordinate} of its prophecy as coordinate {other}")
            }
            Self::ProphecyStage { stage } => {
                new = of_stage(pool, old, *stage)?;
                format!("{}: its prophecy is of stage {stage}", place(pool, old))
            }
            Self::NoProphecy => {
                let Stmt::Store { prophecy, .. } = &mut new else { return None };
                *prophecy = None;
                format!("{}: without prophecy", place(pool, old))
            }
            Self::Unlabel => {
                let Stmt::Labeled { body, .. } = old else { return None };
                new = Stmt::Block(vec![*body]);
                format!("{}: without label", place(pool, old))
            }
            Self::RedirectStore { dim, by } => {
                new = redirected(pool, old, *dim, *by)?;
                format!("{}: {by:+} in dimension {dim}, as its prophecy", place(pool, old))
            }
            Self::ShiftWrite { dim, by } => {
                let Stmt::Provide { coords, .. } = &mut new else { return None };
                let coordinate = coords.get_mut(*dim)?;
                *coordinate = add(pool, *coordinate, *by);
                format!("{}: {by:+} in dimension {dim}", place(pool, old))
            }
            Self::StoreFurtherIn { inner } => {
                let Stmt::Allocate { buffer, body } = *old else { return None };
                let body = allocated_within(pool, body, buffer, &mut { *inner })?;
                new = Stmt::Block(vec![body]);
                format!("{}: within loop {inner} below", place(pool, old))
            }
            Self::StoreFurtherOut { inner } => {
                let Stmt::For { var, min, extent, kind, body } = *old else { return None };
                let (body, buffer) = without_allocation(pool, body, &mut { *inner })?;
                let body = pool.stmt(Stmt::For { var, min, extent, kind, body });
                new = Stmt::Allocate { buffer, body };
                let name = &pool.buffer(buffer).name;
                format!("allocate {name}: around {}", place(pool, old))
            }
            Self::SwapLoops => {
                let inner;
                (new, inner) = exchanged(pool, old)?;
                format!("{}: exchanged with {} in it", place(pool, old), place(pool, &inner))
            }
        };
        Some((new, description))
    }
}

impl Edit {
    fn apply(self, pool: &mut Pool, before: ExprId) -> Option<ExprId> {
        let loaded = |pool: &Pool| {
            let Expr::Load { buffer, index, access } = pool.get(before).clone() else {
                return None;
            };
            Some((buffer, index, access?))
        };
        match self {
            Self::Add(by) => Some(add(pool, before, by)),
            Self::Constant(constant) => Some(pool.constant(constant)),
            Self::Swap => match *pool.get(before) {
                Expr::Binary(op, lhs, rhs) => Some(pool.binary(op, rhs, lhs)),
                Expr::Select { condition, if_true, if_false } => {
                    Some(pool.select(condition, if_false, if_true))
                }
                Expr::Shuffle { ref vectors, ref lanes } => {
                    let vectors = vectors.iter().rev().copied().collect();
                    let lanes = lanes.clone();
                    Some(pool.expr(Expr::Shuffle { vectors, lanes }))
                }
                Expr::Const(_)
                | Expr::Var(_)
                | Expr::Unary(..)
                | Expr::Cast(..)
                | Expr::Call(..)
                | Expr::Apply { .. }
                | Expr::Ref { .. }
                | Expr::Load { .. }
                | Expr::Ramp { .. }
                | Expr::Broadcast { .. }
                | Expr::Hole(_) => None,
            },
            Self::Redirect { dim, by } => {
                let (buffer, index, mut access) = loaded(pool)?;
                let coordinate = access.coords.get_mut(dim)?;
                *coordinate = add(pool, *coordinate, by);
                let index = moved(pool, (buffer, index), dim, by)?;
                Some(pool.load(buffer, index, Some(access)))
            }
            Self::Compare => {
                let Expr::Binary(op, lhs, rhs) = *pool.get(before) else { return None };
                Some(pool.binary(other_comparison(op)?, lhs, rhs))
            }
            Self::Access { dim, by } => {
                let (buffer, index, mut access) = loaded(pool)?;
                let coordinate = access.coords.get_mut(dim)?;
                *coordinate = add(pool, *coordinate, by);
                Some(pool.load(buffer, index, Some(access)))
            }
            Self::Lane(number) => {
                let Expr::Shuffle { vectors, mut lanes } = pool.get(before).clone() else {
                    return None;
                };
                let given: u32 = vectors.iter().map(|vector| pool.ty(*vector).lanes).sum();
                let lane = lanes.get_mut(number)?;
                *lane = (*lane + 1) % given;
                Some(pool.expr(Expr::Shuffle { vectors, lanes }))
            }
            Self::NoAccess => {
                let (buffer, index, _) = loaded(pool)?;
                Some(pool.load(buffer, index, None))
            }
        }
    }
}

/// Returns an allocation that is one element shorter in a dimension. Its strides stay, as they
/// would in code that computes the size wrongly.
fn shortened(pool: &mut Pool, old: &Stmt, dim: usize) -> Option<Stmt> {
    let Stmt::Allocate { buffer, body } = *old else { return None };
    let mut decl: BufferDecl = pool.buffer(buffer).clone();
    decl.dims[dim].extent = add(pool, decl.dims[dim].extent, -1);
    let shorter = pool.declare_buffer(decl);
    let body = with_buffer(pool, body, (buffer, shorter), None);
    Some(Stmt::Allocate { buffer: shorter, body })
}

/// Returns an allocation with a dimension that is folded by another factor.
fn folded(pool: &mut Pool, old: &Stmt, dim: usize, to: i128) -> Option<Stmt> {
    let Stmt::Allocate { buffer, body } = *old else { return None };
    let mut decl: BufferDecl = pool.buffer(buffer).clone();
    let layout = decl.dims.get_mut(dim)?;
    let from = layout.extent;
    layout.extent = pool.int(to);
    let changed = layout.extent;
    let other = pool.declare_buffer(decl);
    let body = with_buffer(pool, body, (buffer, other), Some((from, changed)));
    Some(Stmt::Allocate { buffer: other, body })
}

/// Returns a func's label with another needed region.
fn with_needed(
    pool: &mut Pool,
    old: &Stmt,
    dim: usize,
    (min, extent): (i128, i128),
) -> Option<Stmt> {
    let mut new = old.clone();
    let Stmt::Labeled { label: Label::Func { needed, .. }, .. } = &mut new else { return None };
    let interval = needed.get_mut(dim)?;
    let min = add(pool, interval.min, min);
    let extent = add(pool, interval.extent, extent);
    *interval = Interval { min, extent };
    Some(new)
}

/// Returns a store whose prophecy is of another stage.
fn of_stage(pool: &mut Pool, old: &Stmt, stage: usize) -> Option<Stmt> {
    let mut new = old.clone();
    let Stmt::Store { prophecy: Some(prophecy), index, .. } = &mut new else { return None };
    let length = pool.func(prophecy.func).stages().get(stage)?.domain.len();
    let zero = pool.int(0);
    let mut point = prophecy.point.to_vec();
    point.resize(length, spread(pool, zero, *index));
    (prophecy.stage, prophecy.point) = (stage, point.into());
    Some(new)
}

/// Returns a store that is moved along a dimension, together with its prophecy.
fn redirected(pool: &mut Pool, old: &Stmt, dim: usize, by: i128) -> Option<Stmt> {
    let mut new = old.clone();
    let Stmt::Store { buffer, index, prophecy: Some(prophecy), .. } = &mut new else {
        return None;
    };
    let coordinate = prophecy.coords.get_mut(dim)?;
    *coordinate = add(pool, *coordinate, by);
    *index = moved(pool, (*buffer, *index), dim, by)?;
    Some(new)
}

/// Exchanges a loop with the only loop in it. Returns the new statement, and the loop that was
/// inside.
fn exchanged(pool: &mut Pool, old: &Stmt) -> Option<(Stmt, Stmt)> {
    let Stmt::For { var, min, extent, kind, body } = *old else { return None };
    let (inner, between) = only_loop(pool, body)?;
    let Stmt::For { var: other, min: low, extent: length, kind: way, body: innermost } = inner
    else {
        return None;
    };
    let body = between.into_iter().rev().fold(innermost, |body, around| {
        let around = with_child(&around, 0, body);
        pool.stmt(around)
    });
    let body = pool.stmt(Stmt::For { var, min, extent, kind, body });
    Some((Stmt::For { var: other, min: low, extent: length, kind: way, body }, inner))
}

/// Returns a coordinate of a prophecy. The reduction point's coordinates follow the written
/// point's.
fn coordinate_of(prophecy: &mut Prophecy, coordinate: usize) -> Option<&mut ExprId> {
    match coordinate.checked_sub(prophecy.coords.len()) {
        None => prophecy.coords.get_mut(coordinate),
        Some(position) => prophecy.point.get_mut(position),
    }
}

/// Returns an element number, moved along a dimension of its buffer.
fn moved(
    pool: &mut Pool,
    (buffer, index): (BufferId, ExprId),
    dim: usize,
    by: i128,
) -> Option<ExprId> {
    let stride = pool.buffer(buffer).dims.get(dim)?.stride;
    let steps = pool.int(by);
    let offset = pool.mul(stride, steps);
    let offset = spread(pool, offset, index);
    Some(pool.add(index, offset))
}

/// Returns the statement with an allocation in the body of the loop with this number. Loops within
/// loops do not count.
fn allocated_within(
    pool: &mut Pool,
    stmt: StmtId,
    buffer: BufferId,
    number: &mut usize,
) -> Option<StmtId> {
    let old = pool.get_stmt(stmt).clone();
    if let Stmt::For { body, .. } = old {
        if *number > 0 {
            *number -= 1;
            return None;
        }
        let body = pool.stmt(Stmt::Allocate { buffer, body });
        return Some(pool.stmt(with_child(&old, 0, body)));
    }
    old.children().enumerate().find_map(|(child, id)| {
        let changed = allocated_within(pool, id, buffer, number)?;
        Some(pool.stmt(with_child(&old, child, changed)))
    })
}

/// Returns the statement without the allocation with this number, and the allocation's buffer.
/// Allocations within loops do not count.
fn without_allocation(
    pool: &mut Pool,
    stmt: StmtId,
    number: &mut usize,
) -> Option<(StmtId, BufferId)> {
    let old = pool.get_stmt(stmt).clone();
    if let Stmt::For { .. } = old {
        return None;
    }
    if let Stmt::Allocate { buffer, body } = old {
        if *number == 0 {
            return Some((body, buffer));
        }
        *number -= 1;
    }
    old.children().enumerate().find_map(|(child, id)| {
        let (changed, buffer) = without_allocation(pool, id, number)?;
        Some((pool.stmt(with_child(&old, child, changed)), buffer))
    })
}

/// Returns the only loop in a statement, and the bindings and labels around it, outermost first.
fn only_loop(pool: &Pool, stmt: StmtId) -> Option<(Stmt, Vec<Stmt>)> {
    let mut between = Vec::new();
    let mut stmt = pool.get_stmt(stmt);
    loop {
        if let Stmt::For { .. } = stmt {
            return Some((stmt.clone(), between));
        }
        let (Stmt::Let { body, .. } | Stmt::Labeled { body, .. }) = stmt else { return None };
        between.push(stmt.clone());
        stmt = pool.get_stmt(*body);
    }
}

/// Returns `expr + by`, lane by lane.
fn add(pool: &mut Pool, expr: ExprId, by: i128) -> ExprId {
    let amount = pool.int(by);
    let amount = spread(pool, amount, expr);
    pool.add(expr, amount)
}

/// Broadcasts a scalar to as many lanes as another expression has.
fn spread(pool: &mut Pool, value: ExprId, like: ExprId) -> ExprId {
    let lanes = pool.ty(like).lanes;
    if lanes == 1 { value } else { pool.expr(Expr::Broadcast { value, lanes }) }
}

/// Redirects every access from one buffer to another one of the same type, and replaces one modulus
/// by another.
fn with_buffer(
    pool: &mut Pool,
    stmt: StmtId,
    buffers: (BufferId, BufferId),
    modulus: Option<(ExprId, ExprId)>,
) -> StmtId {
    let Ok(renamed) = Rename { buffers, modulus, done: FxHashMap::default() }.stmt(pool, stmt);
    renamed
}

struct Rename {
    buffers: (BufferId, BufferId),
    modulus: Option<(ExprId, ExprId)>,
    done: FxHashMap<ExprId, ExprId>,
}

impl Fold for Rename {
    fn expr(&mut self, pool: &mut Pool, id: ExprId) -> Result<ExprId, Infallible> {
        let ((from, to), modulus) = (self.buffers, self.modulus);
        Ok(pool.rewrite_bottom_up(id, &mut self.done, &mut |pool, id, expr| match expr {
            Expr::Load { buffer, index, access } if *buffer == from => {
                pool.load(to, *index, access.clone())
            }
            Expr::Binary(BinaryOp::Mod, lhs, rhs) => match modulus {
                Some((old, new)) if *rhs == old => pool.binary(BinaryOp::Mod, *lhs, new),
                Some(_) | None => id,
            },
            Expr::Load { .. }
            | Expr::Const(_)
            | Expr::Var(_)
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
            | Expr::Hole(_) => id,
        }))
    }

    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, Infallible> {
        let mut stmt = pool.get_stmt(id).clone();
        // Claims stay, as they would in code that lays memory out wrongly.
        if let Stmt::Store { buffer, index, value, .. } = &mut stmt {
            *index = self.expr(pool, *index)?;
            *value = self.expr(pool, *value)?;
            *buffer = self.buffer(*buffer);
            return Ok(pool.stmt(stmt));
        }
        if let Stmt::Labeled { label: Label::Func { .. }, .. } = stmt {
            let stmt = stmt.try_map_children(|child| self.stmt(pool, child))?;
            return Ok(pool.stmt(stmt));
        }
        walk(self, pool, id)
    }

    fn buffer(&mut self, buffer: BufferId) -> BufferId {
        let (from, to) = self.buffers;
        if buffer == from { to } else { buffer }
    }
}

/// Describes a statement in a few words.
fn place(pool: &Pool, stmt: &Stmt) -> String {
    match stmt {
        Stmt::Let { var, .. } => format!("let {}", pool.var(*var).name),
        Stmt::If { .. } => "if".to_owned(),
        Stmt::For { var, kind, .. } => format!("{kind} {}", pool.var(*var).name),
        Stmt::Allocate { buffer, .. } => format!("allocate {}", pool.buffer(*buffer).name),
        Stmt::Labeled { label: Label::Func { func, .. }, .. } => {
            format!("needed region of {}", pool.func(*func).name)
        }
        Stmt::Store { buffer, prophecy, .. } => {
            let stage = prophecy.as_ref().map_or(0, |prophecy| prophecy.stage);
            format!("store to {} (stage {stage})", pool.buffer(*buffer).name)
        }
        Stmt::Provide { func, stage, .. } => {
            format!("write of {} (stage {stage})", pool.func(*func).name)
        }
        Stmt::Labeled { label: Label::Stage { func, stage, .. }, .. } => {
            format!("stage {stage} of {}", pool.func(*func).name)
        }
        Stmt::Assert { condition, .. } => format!("entry check {}", print::expr(pool, *condition)),
        Stmt::Labeled {
            label: Label::Partition(_) | Label::Ahead { .. } | Label::Prefetch { .. },
            ..
        }
        | Stmt::Block(_) => "statement".to_owned(),
    }
}
