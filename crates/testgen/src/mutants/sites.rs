//! The places where a program can be changed.

use halidom_ir::visit::Role;
use halidom_ir::{
    BinaryOp, Constant, Expr, ExprId, Label, Pool, Program, Scalar, Stmt, StmtId, Type,
};

use super::change::{Change, Edit};
use super::edit::{Path, for_each_occurrence, for_each_subexpr, replace_occurrence};
use super::kind::MutantKind;
use super::parts::{conjuncts, other_comparison, roots};

/// The most subexpressions that are looked at in one expression.
const SUBEXPRS: usize = 400;

/// An occurrence of a statement, and the change to make there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Site {
    occurrence: usize,
    stmt: StmtId,
    change: Change,
}

impl Site {
    /// Returns the statement.
    pub(super) fn stmt(&self) -> StmtId {
        self.stmt
    }

    /// Returns the changed body and a description, or `None` if the change changes nothing.
    pub(super) fn apply(&self, pool: &mut Pool, body: StmtId) -> Option<(StmtId, String)> {
        let old = pool.get_stmt(self.stmt).clone();
        let (new, description) = self.change.apply(pool, &old)?;
        if new == old {
            return None;
        }
        Some((self.replace(pool, body, &new)?, description))
    }

    /// Returns the body with another statement in this place.
    pub(super) fn replace(&self, pool: &mut Pool, body: StmtId, new: &Stmt) -> Option<StmtId> {
        replace_occurrence(pool, body, self.occurrence, new)
    }

    /// Returns the condition under which the change makes no difference in this place.
    pub(super) fn unchanged(&self, pool: &mut Pool) -> Option<ExprId> {
        let old = pool.get_stmt(self.stmt).clone();
        self.change.unchanged(pool, &old)
    }
}

/// Collects every place for a kind of mutant.
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
                    add(Change::Expr { root: Role::Index, path: Vec::new(), edit: Edit::Add(by) });
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
                for root in [Role::LoopMin, Role::LoopExtent] {
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
        MutantKind::LaneChanged => subexprs(pool, stmt, |root, path, id| {
            if let Expr::Shuffle { lanes, .. } = pool.get(id) {
                for number in 0..lanes.len() {
                    add(Change::Expr { root, path: path.clone(), edit: Edit::Lane(number) });
                }
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
                let count = prophecy.coords.len() + prophecy.point.len();
                for coordinate in 0..count {
                    for by in [-1, 1] {
                        add(Change::Prophecy { coordinate, by });
                    }
                    let others = (0..count).filter(|other| *other != coordinate);
                    others.for_each(|other| add(Change::ProphecyCopied { coordinate, other }));
                }
            }
        }
        MutantKind::ProphecyStage => {
            if let Stmt::Store { prophecy: Some(prophecy), .. } = stmt {
                let stages = 0..pool.func(prophecy.func).stages().len();
                let others = stages.filter(|stage| *stage != prophecy.stage);
                others.for_each(|stage| add(Change::ProphecyStage { stage }));
            }
        }
        MutantKind::ProphecyMissing => {
            if let Stmt::Store { prophecy: Some(_), .. } = stmt {
                add(Change::NoProphecy);
            }
        }
        MutantKind::AccessWrong => loads(pool, stmt, |root, path, id| {
            if let Expr::Load { access: Some(access), .. } = pool.get(id) {
                for dim in 0..access.coords.len() {
                    for by in [-1, 1] {
                        let edit = Edit::Access { dim, by };
                        add(Change::Expr { root, path: path.clone(), edit });
                    }
                }
            }
        }),
        MutantKind::AccessMissing => loads(pool, stmt, |root, path, id| {
            if let Expr::Load { access: Some(_), .. } = pool.get(id) {
                add(Change::Expr { root, path: path.clone(), edit: Edit::NoAccess });
            }
        }),
        MutantKind::LabelMissing => {
            if let Stmt::Labeled { label: Label::Func { .. }, .. } = stmt {
                add(Change::Unlabel);
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
            if let Stmt::For { kind, .. } = stmt
                && !kind.is_parallel()
            {
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
                    for (min, extent) in [(1, -1), (0, -1)] {
                        add(Change::Needed { dim, min, extent });
                    }
                }
            }
        }
        MutantKind::NeededGrown => {
            if let Stmt::Labeled { label: Label::Func { needed, .. }, .. } = stmt {
                for dim in 0..needed.len() {
                    for (min, extent) in [(-1, 1), (0, 1), (1, 0), (-1, 0)] {
                        add(Change::Needed { dim, min, extent });
                    }
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
        MutantKind::StoreRedirected => {
            if let Stmt::Store { prophecy: Some(prophecy), .. } = stmt {
                for dim in 0..prophecy.coords.len() {
                    for by in [-1, 1] {
                        add(Change::RedirectStore { dim, by });
                    }
                }
            }
        }
        MutantKind::BoundWrong => {
            if let Stmt::Let { value, .. } = stmt
                && pool.ty(*value) == Type::INT
            {
                for by in [-1, 1] {
                    let edit = Edit::Add(by);
                    add(Change::Expr { root: Role::LetValue, path: Vec::new(), edit });
                }
            }
        }
        MutantKind::StorageMoved => {
            if let Stmt::Allocate { body, .. } = stmt {
                for inner in 0..loops_below(pool, *body) {
                    add(Change::StoreFurtherIn { inner });
                }
            }
            if let Stmt::For { body, .. } = stmt {
                for inner in 0..allocations_below(pool, *body) {
                    add(Change::StoreFurtherOut { inner });
                }
            }
        }
        MutantKind::TailWrong => tails(pool, stmt, add),
        MutantKind::LoopsSwapped => {
            if let Stmt::For { .. } = stmt {
                add(Change::SwapLoops);
            }
        }
        MutantKind::StageMissing => {
            if let Stmt::Labeled { label: Label::Stage { .. }, .. } = stmt {
                add(Change::Remove);
            }
        }
        MutantKind::WriteShifted => {
            if let Stmt::Provide { coords, .. } = stmt {
                for dim in 0..coords.len() {
                    for by in [-1, 1] {
                        add(Change::ShiftWrite { dim, by });
                    }
                }
            }
        }
        MutantKind::StatementsSwapped => {
            if let Stmt::Block(stmts) = stmt {
                for (first, pair) in stmts.windows(2).enumerate() {
                    // The order of entry checks does not matter.
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

/// Collects changes of the ends of loops: comparisons and constants in conditions, and constants in
/// numbers of iterations.
fn tails(pool: &Pool, stmt: &Stmt, add: &mut impl FnMut(Change)) {
    subexprs(pool, stmt, |root, path, id| {
        let ends = root == Role::Condition || root == Role::LoopExtent && !path.is_empty();
        if !ends {
            return;
        }
        if let Expr::Binary(op, ..) = pool.get(id)
            && other_comparison(*op).is_some()
        {
            add(Change::Expr { root, path: path.clone(), edit: Edit::Compare });
        }
        if let Some(constant) = pool.as_constant(id) {
            for other in neighbours(constant) {
                add(Change::Expr { root, path: path.clone(), edit: Edit::Constant(other) });
            }
        }
    });
}

/// Counts the loops in a statement, except for loops within loops.
fn loops_below(pool: &Pool, stmt: StmtId) -> usize {
    let stmt = pool.get_stmt(stmt);
    if let Stmt::For { .. } = stmt {
        return 1;
    }
    stmt.children().map(|child| loops_below(pool, child)).sum()
}

/// Counts the allocations in a statement, except for allocations within loops.
fn allocations_below(pool: &Pool, stmt: StmtId) -> usize {
    let stmt = pool.get_stmt(stmt);
    let own = usize::from(matches!(stmt, Stmt::Allocate { .. }));
    let is_loop = matches!(stmt, Stmt::For { .. });
    let below = stmt.children().filter(|_| !is_loop);
    own + below.map(|child| allocations_below(pool, child)).sum::<usize>()
}

fn subexprs(pool: &Pool, stmt: &Stmt, mut visit: impl FnMut(Role, &Path, ExprId)) {
    for (root, expr) in roots(pool, stmt) {
        for_each_subexpr(pool, expr, SUBEXPRS, &mut |path, id| visit(root, path, id));
    }
}

fn loads(pool: &Pool, stmt: &Stmt, mut visit: impl FnMut(Role, &Path, ExprId)) {
    subexprs(pool, stmt, |root, path, id| {
        if let Expr::Load { .. } = pool.get(id) {
            visit(root, path, id);
        }
    });
}

pub(crate) fn swappable(pool: &Pool, id: ExprId) -> bool {
    match pool.get(id) {
        Expr::Binary(op, lhs, rhs) => lhs != rhs && !commutes(*op, pool.ty(*lhs).scalar),
        Expr::Select { if_true, if_false, .. } => if_true != if_false,
        Expr::Shuffle { vectors, .. } => vectors.iter().any(|vector| *vector != vectors[0]),
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
        | Expr::Hole(_) => false,
    }
}

/// Tests whether an operator gives the same result for exchanged operands. Sums and products of
/// floats do; their minimum and maximum do not, on NaN and zeros.
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

/// Returns the constants next to one.
pub(crate) fn neighbours(constant: Constant) -> Vec<Constant> {
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
