//! The places where a program can be changed, and the changes.

use halidom_base::FxHashMap;
use halidom_ir::{
    BinaryOp, BufferDecl, BufferId, Constant, Expr, ExprId, Interval, Label, LoopKind, Pool,
    Program, Scalar, Stmt, StmtId, Type, print,
};

use super::MutantKind;
use super::edit::{
    Path, for_each_occurrence, for_each_subexpr, replace_occurrence, replace_subexpr, subexpr,
};

/// Subexpressions looked at in one expression.
const SUBEXPRS: usize = 400;

/// A statement's occurrence and what to do to it.
pub(super) struct Site {
    occurrence: usize,
    stmt: StmtId,
    change: Change,
}

/// An expression of a statement.
#[derive(Clone, Copy, Debug)]
enum Root {
    LetValue,
    Condition,
    LoopMin,
    LoopExtent,
    Index,
    Value,
}

enum Change {
    /// Something to a subexpression.
    Expr { root: Root, path: Path, edit: Edit },
    /// Replaces an `if` by its branch.
    DropGuard,
    /// Leaves a plain store.
    DropAtomic,
    /// Adds to a coordinate of the prophecy, the reduction point's after the written point's.
    Prophecy { coordinate: usize, by: i128 },
    /// Replaces the statement by nothing.
    Remove,
    /// Makes a loop parallel.
    Parallel,
    /// Shortens a dimension of the allocation.
    Shrink { dim: usize },
    /// Folds a dimension of the allocation by another factor, in its layout and in the accesses.
    Fold { dim: usize, to: i128 },
    /// Shortens a dimension of the needed region, at its start or its end.
    Needed { dim: usize, at_start: bool },
    /// Exchanges a block's statement with the next one.
    Swap { first: usize },
    /// Makes one of the conditions that an entry check joins true.
    Weaken { part: usize },
}

#[derive(Clone, Copy)]
enum Edit {
    /// Adds to an `int`.
    Add(i128),
    /// Exchanges the operands or arms.
    Swap,
    /// Another constant.
    Constant(Constant),
    /// Moves a load along a dimension.
    Redirect { dim: usize, by: i128 },
}

/// Every place for a kind of mutant.
pub(super) fn collect(pool: &Pool, program: &Program, kind: MutantKind) -> Vec<Site> {
    let mut sites = Vec::new();
    for_each_occurrence(pool, program.body, &mut |occurrence, stmt| {
        let mut add = |change| sites.push(Site { occurrence, stmt, change });
        collect_stmt(pool, pool.get_stmt(stmt), kind, &mut add);
    });
    sites
}

fn collect_stmt(pool: &Pool, stmt: &Stmt, kind: MutantKind, add: &mut impl FnMut(Change)) {
    match kind {
        MutantKind::IndexOffByOne => {
            if let Stmt::Store { .. } = stmt {
                for by in [-1, 1] {
                    add(Change::Expr { root: Root::Index, path: Vec::new(), edit: Edit::Add(by) });
                }
            }
            loads(pool, stmt, |root, path, _| {
                for by in [-1, 1] {
                    let path = [path.as_slice(), &[0]].concat();
                    add(Change::Expr { root, path, edit: Edit::Add(by) });
                }
            });
        }
        MutantKind::LoopBoundChanged => {
            if let Stmt::For { .. } = stmt {
                for root in [Root::LoopMin, Root::LoopExtent] {
                    for by in [-1, 1] {
                        add(Change::Expr { root, path: Vec::new(), edit: Edit::Add(by) });
                    }
                }
            }
        }
        MutantKind::OperandsSwapped => subexprs(pool, stmt, |root, path, id| {
            if swappable(pool, id) {
                add(Change::Expr { root, path: path.clone(), edit: Edit::Swap });
            }
        }),
        MutantKind::ConstantChanged => subexprs(pool, stmt, |root, path, id| {
            if let Some(constant) = pool.as_constant(id) {
                for other in neighbours(constant) {
                    add(Change::Expr { root, path: path.clone(), edit: Edit::Constant(other) });
                }
            }
        }),
        MutantKind::GuardDropped => {
            if let Stmt::If { .. } = stmt {
                add(Change::DropGuard);
            }
        }
        MutantKind::ProphecyWrong => {
            if let Stmt::Store { prophecy: Some(prophecy), .. } = stmt {
                for coordinate in 0..prophecy.coords.len() + prophecy.point.len() {
                    for by in [-1, 1] {
                        add(Change::Prophecy { coordinate, by });
                    }
                }
            }
        }
        MutantKind::AtomicDropped => {
            if let Stmt::Store { atomic: true, .. } = stmt {
                add(Change::DropAtomic);
            }
        }
        MutantKind::StoreMissing => {
            if let Stmt::Store { .. } = stmt {
                add(Change::Remove);
            }
        }
        MutantKind::LoopMadeParallel => {
            if let Stmt::For { kind: LoopKind::Serial, .. } = stmt {
                add(Change::Parallel);
            }
        }
        MutantKind::AllocationShrunk => {
            if let Stmt::Allocate { buffer, .. } = stmt {
                let dims = pool.buffer(*buffer).dims.iter().enumerate();
                dims.filter(|(_, dim)| !dim.folded)
                    .for_each(|(dim, _)| add(Change::Shrink { dim }));
            }
        }
        MutantKind::FoldChanged => {
            if let Stmt::Allocate { buffer, .. } = stmt {
                for (dim, layout) in pool.buffer(*buffer).dims.iter().enumerate() {
                    let factor = pool.as_constant(layout.extent).and_then(Constant::as_integer);
                    if let Some(factor) = factor.filter(|factor| layout.folded && *factor > 1) {
                        add(Change::Fold { dim, to: factor - 1 });
                        if factor > 2 {
                            add(Change::Fold { dim, to: factor / 2 });
                        }
                    }
                }
            }
        }
        MutantKind::WindowChanged => subexprs(pool, stmt, |root, path, id| {
            if let Expr::Select { condition, if_true, .. } = *pool.get(id)
                && pool.ty(if_true) == Type::INT
                && matches!(pool.get(condition), Expr::Binary(BinaryOp::Eq, ..))
            {
                for arm in [1, 2] {
                    for by in [-1, 1] {
                        let path = [path.as_slice(), &[arm]].concat();
                        add(Change::Expr { root, path, edit: Edit::Add(by) });
                    }
                }
            }
        }),
        MutantKind::NeededShrunk => {
            if let Stmt::Labeled { label: Label::Func { needed, .. }, .. } = stmt {
                for dim in 0..needed.len() {
                    add(Change::Needed { dim, at_start: true });
                    add(Change::Needed { dim, at_start: false });
                }
            }
        }
        MutantKind::LoadRedirected => loads(pool, stmt, |root, path, id| {
            if let Expr::Load { access: Some(access), .. } = pool.get(id) {
                for dim in 0..access.coords.len() {
                    for by in [-1, 1] {
                        let edit = Edit::Redirect { dim, by };
                        add(Change::Expr { root, path: path.clone(), edit });
                    }
                }
            }
        }),
        MutantKind::StatementsSwapped => {
            if let Stmt::Block(stmts) = stmt {
                for (first, pair) in stmts.windows(2).enumerate() {
                    // The order of entry checks is nobody's concern.
                    let is_check =
                        |stmt: &StmtId| matches!(pool.get_stmt(*stmt), Stmt::Assert { .. });
                    if pair[0] != pair[1] && !is_check(&pair[0]) && !is_check(&pair[1]) {
                        add(Change::Swap { first });
                    }
                }
            }
        }
        MutantKind::EntryCheckWeakened => {
            if let Stmt::Assert { condition, .. } = stmt {
                let mut parts = 0;
                conjuncts(pool, *condition, &mut |_| parts += 1);
                (0..parts).for_each(|part| add(Change::Weaken { part }));
                if parts > 1 {
                    add(Change::Remove);
                }
            }
        }
    }
}

/// The conditions that are joined by `&`, below `|` too: `a | b & c` has `b` and `c`, but not `a`, without which the check would be stricter.
fn conjuncts(pool: &Pool, condition: ExprId, visit: &mut impl FnMut(ExprId)) {
    match pool.get(condition) {
        Expr::Binary(BinaryOp::And, lhs, rhs) => {
            conjuncts(pool, *lhs, visit);
            conjuncts(pool, *rhs, visit);
        }
        Expr::Binary(BinaryOp::Or, _, rhs) => conjuncts(pool, *rhs, visit),
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
        | Expr::Hole(_) => visit(condition),
    }
}

/// The condition with its conjunct number `part` made true.
fn without(pool: &mut Pool, condition: ExprId, part: &mut usize) -> ExprId {
    match *pool.get(condition) {
        Expr::Binary(op @ BinaryOp::And, lhs, rhs) => {
            let lhs = without(pool, lhs, part);
            let rhs = without(pool, rhs, part);
            pool.binary(op, lhs, rhs)
        }
        Expr::Binary(op @ BinaryOp::Or, lhs, rhs) => {
            let rhs = without(pool, rhs, part);
            pool.binary(op, lhs, rhs)
        }
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
            let is_it = *part == 0;
            *part = part.wrapping_sub(1);
            if is_it { pool.constant(Constant::bool(true)) } else { condition }
        }
    }
}

/// The expressions of a statement that take part in the computation. Entry checks are left alone: a stricter one makes no wrong result.
fn roots(stmt: &Stmt) -> Vec<(Root, ExprId)> {
    match stmt {
        Stmt::Let { value, .. } => vec![(Root::LetValue, *value)],
        Stmt::If { condition, .. } => vec![(Root::Condition, *condition)],
        Stmt::For { min, extent, .. } => vec![(Root::LoopMin, *min), (Root::LoopExtent, *extent)],
        Stmt::Store { index, value, .. } => vec![(Root::Index, *index), (Root::Value, *value)],
        Stmt::Block(_)
        | Stmt::Allocate { .. }
        | Stmt::Assert { .. }
        | Stmt::Labeled { .. }
        | Stmt::Provide { .. } => Vec::new(),
    }
}

fn subexprs(pool: &Pool, stmt: &Stmt, mut visit: impl FnMut(Root, &Path, ExprId)) {
    for (root, expr) in roots(stmt) {
        for_each_subexpr(pool, expr, SUBEXPRS, &mut |path, id| visit(root, path, id));
    }
}

fn loads(pool: &Pool, stmt: &Stmt, mut visit: impl FnMut(Root, &Path, ExprId)) {
    subexprs(pool, stmt, |root, path, id| {
        if let Expr::Load { .. } = pool.get(id) {
            visit(root, path, id);
        }
    });
}

fn swappable(pool: &Pool, id: ExprId) -> bool {
    match pool.get(id) {
        Expr::Binary(op, lhs, rhs) => lhs != rhs && !commutes(*op, pool.ty(*lhs).scalar),
        Expr::Select { if_true, if_false, .. } => if_true != if_false,
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Hole(_) => false,
    }
}

/// Whether an operator gives the same for exchanged operands. The sum and product of floats do; their minimum and maximum do not, on NaN and zeros.
fn commutes(op: BinaryOp, scalar: Scalar) -> bool {
    match op {
        BinaryOp::Add(_)
        | BinaryOp::Mul(_)
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Eq
        | BinaryOp::Ne => true,
        BinaryOp::Min | BinaryOp::Max => !scalar.is_float(),
        BinaryOp::Sub(_)
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => false,
    }
}

/// The constants next to one.
fn neighbours(constant: Constant) -> Vec<Constant> {
    if let Some(value) = constant.as_bool() {
        return vec![Constant::bool(!value)];
    }
    if let Some(value) = constant.as_f32() {
        return [value + 1.0, value - 1.0].map(Constant::f32).to_vec();
    }
    if let Some(value) = constant.as_f64() {
        return [value + 1.0, value - 1.0].map(Constant::f64).to_vec();
    }
    let Some(value) = constant.as_integer() else { return Vec::new() };
    [value.checked_add(1), value.checked_sub(1)]
        .into_iter()
        .flatten()
        .filter_map(|value| Constant::wrapped(constant.scalar(), value))
        .collect()
}

impl Site {
    /// The body with the change made, and words for it. `None` where the change changes nothing.
    pub(super) fn apply(&self, pool: &mut Pool, body: StmtId) -> Option<(StmtId, String)> {
        let old = pool.get_stmt(self.stmt).clone();
        let (new, description) = self.change.apply(pool, &old)?;
        if new == old {
            return None;
        }
        Some((replace_occurrence(pool, body, self.occurrence, &new)?, description))
    }
}

impl Change {
    fn apply(&self, pool: &mut Pool, old: &Stmt) -> Option<(Stmt, String)> {
        let mut new = old.clone();
        let description = match self {
            Self::Expr { root, path, edit } => {
                let slot = slot(&mut new, *root)?;
                let before = subexpr(pool, *slot, path)?;
                let after = edit.apply(pool, before)?;
                *slot = replace_subexpr(pool, *slot, path, after)?;
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
                let rank = prophecy.coords.len();
                let slot = match coordinate.checked_sub(rank) {
                    None => &mut prophecy.coords[*coordinate],
                    Some(position) => prophecy.point.get_mut(position)?,
                };
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
                *kind = LoopKind::Parallel;
                format!("{} becomes parallel", place(pool, old))
            }
            Self::Shrink { dim } => {
                let Stmt::Allocate { buffer, body } = &mut new else { return None };
                let shorter = shorter_buffer(pool, *buffer, *dim);
                *body = with_buffer(pool, *body, (*buffer, shorter), None);
                *buffer = shorter;
                format!("{}: one shorter in dimension {dim}", place(pool, old))
            }
            Self::Fold { dim, to } => {
                let Stmt::Allocate { buffer, body } = &mut new else { return None };
                let mut decl: BufferDecl = pool.buffer(*buffer).clone();
                let layout = decl.dims.get_mut(*dim)?;
                let from = layout.extent;
                layout.extent = pool.int(*to);
                let changed = layout.extent;
                let other = pool.declare_buffer(decl);
                *body = with_buffer(pool, *body, (*buffer, other), Some((from, changed)));
                *buffer = other;
                format!("{}: folded by {to} in dimension {dim}", place(pool, old))
            }
            Self::Needed { dim, at_start } => {
                let Stmt::Labeled { label: Label::Func { needed, .. }, .. } = &mut new else {
                    return None;
                };
                let Interval { min, extent } = *needed.get(*dim)?;
                let min = if *at_start { add(pool, min, 1) } else { min };
                needed[*dim] = Interval { min, extent: add(pool, extent, -1) };
                let end = if *at_start { "start" } else { "end" };
                format!("{}: one shorter at the {end} of dimension {dim}", place(pool, old))
            }
            Self::Swap { first } => {
                let Stmt::Block(stmts) = &mut new else { return None };
                stmts.swap(*first, first + 1);
                format!("statements {first} and {} of a block change places", first + 1)
            }
        };
        Some((new, description))
    }
}

impl Edit {
    fn apply(self, pool: &mut Pool, before: ExprId) -> Option<ExprId> {
        match self {
            Self::Add(by) => Some(add(pool, before, by)),
            Self::Constant(constant) => Some(pool.constant(constant)),
            Self::Swap => match *pool.get(before) {
                Expr::Binary(op, lhs, rhs) => Some(pool.binary(op, rhs, lhs)),
                Expr::Select { condition, if_true, if_false } => {
                    Some(pool.select(condition, if_false, if_true))
                }
                Expr::Const(_)
                | Expr::Var(_)
                | Expr::Unary(..)
                | Expr::Cast(..)
                | Expr::Call(..)
                | Expr::Ref { .. }
                | Expr::Load { .. }
                | Expr::Ramp { .. }
                | Expr::Broadcast { .. }
                | Expr::Hole(_) => None,
            },
            Self::Redirect { dim, by } => {
                let Expr::Load { buffer, index, access: Some(access) } = pool.get(before).clone()
                else {
                    return None;
                };
                let mut access = access;
                *access.coords.get_mut(dim)? = add(pool, *access.coords.get(dim)?, by);
                let stride = pool.buffer(buffer).dims.get(dim)?.stride;
                let steps = pool.int(by);
                let offset = pool.mul(stride, steps);
                let offset = spread(pool, offset, index);
                let index = pool.add(index, offset);
                Some(pool.load(buffer, index, Some(access)))
            }
        }
    }
}

/// `expr + by`, lane by lane.
fn add(pool: &mut Pool, expr: ExprId, by: i128) -> ExprId {
    let amount = pool.int(by);
    let amount = spread(pool, amount, expr);
    pool.add(expr, amount)
}

/// A scalar with as many lanes as another expression.
fn spread(pool: &mut Pool, value: ExprId, like: ExprId) -> ExprId {
    let lanes = pool.ty(like).lanes;
    if lanes == 1 { value } else { pool.expr(Expr::Broadcast { value, lanes }) }
}

fn slot(stmt: &mut Stmt, root: Root) -> Option<&mut ExprId> {
    match (root, stmt) {
        (Root::LetValue, Stmt::Let { value, .. }) => Some(value),
        (Root::Condition, Stmt::If { condition, .. }) => Some(condition),
        (Root::LoopMin, Stmt::For { min, .. }) => Some(min),
        (Root::LoopExtent, Stmt::For { extent, .. }) => Some(extent),
        (Root::Index, Stmt::Store { index, .. }) => Some(index),
        (Root::Value, Stmt::Store { value, .. }) => Some(value),
        (
            Root::LetValue
            | Root::Condition
            | Root::LoopMin
            | Root::LoopExtent
            | Root::Index
            | Root::Value,
            _,
        ) => None,
    }
}

/// A buffer like another, one shorter in a dimension. Its strides stay, as they would in code that computes the size wrongly.
fn shorter_buffer(pool: &mut Pool, buffer: BufferId, dim: usize) -> BufferId {
    let mut decl: BufferDecl = pool.buffer(buffer).clone();
    decl.dims[dim].extent = add(pool, decl.dims[dim].extent, -1);
    pool.declare_buffer(decl)
}

/// A statement with every access to a buffer made to another one of the same type, and with one modulus in the place of another.
fn with_buffer(
    pool: &mut Pool,
    stmt: StmtId,
    buffers: (BufferId, BufferId),
    modulus: Option<(ExprId, ExprId)>,
) -> StmtId {
    let mut done = FxHashMap::default();
    rename_stmt(pool, stmt, buffers, modulus, &mut done)
}

fn rename_stmt(
    pool: &mut Pool,
    id: StmtId,
    (from, to): (BufferId, BufferId),
    modulus: Option<(ExprId, ExprId)>,
    done: &mut FxHashMap<ExprId, ExprId>,
) -> StmtId {
    let mut expr = |pool: &mut Pool, id: ExprId| {
        pool.rewrite_bottom_up(id, done, &mut |pool, id, expr| match expr {
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
            | Expr::Ref { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Hole(_) => id,
        })
    };
    let mut stmt = pool.get_stmt(id).clone();
    match &mut stmt {
        Stmt::Let { value, .. } => *value = expr(pool, *value),
        Stmt::If { condition, .. } => *condition = expr(pool, *condition),
        Stmt::For { min, extent, .. } => {
            *min = expr(pool, *min);
            *extent = expr(pool, *extent);
        }
        Stmt::Store { buffer, index, value, .. } => {
            *index = expr(pool, *index);
            *value = expr(pool, *value);
            if *buffer == from {
                *buffer = to;
            }
        }
        Stmt::Block(_)
        | Stmt::Allocate { .. }
        | Stmt::Assert { .. }
        | Stmt::Labeled { .. }
        | Stmt::Provide { .. } => {}
    }
    match &mut stmt {
        Stmt::Block(stmts) => {
            for stmt in stmts {
                *stmt = rename_stmt(pool, *stmt, (from, to), modulus, done);
            }
        }
        Stmt::Let { body, .. }
        | Stmt::For { body, .. }
        | Stmt::Allocate { body, .. }
        | Stmt::Labeled { body, .. } => *body = rename_stmt(pool, *body, (from, to), modulus, done),
        Stmt::If { then_branch, else_branch, .. } => {
            *then_branch = rename_stmt(pool, *then_branch, (from, to), modulus, done);
            if let Some(branch) = else_branch {
                *branch = rename_stmt(pool, *branch, (from, to), modulus, done);
            }
        }
        Stmt::Assert { .. } | Stmt::Provide { .. } | Stmt::Store { .. } => {}
    }
    pool.stmt(stmt)
}

/// A statement in a few words.
fn place(pool: &Pool, stmt: &Stmt) -> String {
    match stmt {
        Stmt::Let { var, .. } => format!("let {}", pool.var(*var).name),
        Stmt::If { .. } => "if".to_owned(),
        Stmt::For { var, kind, .. } => format!("{} {}", kind.keyword(), pool.var(*var).name),
        Stmt::Allocate { buffer, .. } => format!("allocate {}", pool.buffer(*buffer).name),
        Stmt::Labeled { label: Label::Func { func, .. }, .. } => {
            format!("needed region of {}", pool.func(*func).name)
        }
        Stmt::Store { buffer, prophecy, .. } => {
            let stage = prophecy.as_ref().map_or(0, |prophecy| prophecy.stage);
            format!("store to {} (stage {stage})", pool.buffer(*buffer).name)
        }
        Stmt::Assert { condition, .. } => format!("entry check {}", print::expr(pool, *condition)),
        Stmt::Labeled { label: Label::Stage { .. } | Label::Partition(_), .. }
        | Stmt::Block(_)
        | Stmt::Provide { .. } => "statement".to_owned(),
    }
}
