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
        MutantKind::IndexOffByOne => indices(pool, stmt, add),
        MutantKind::LoopBoundChanged => {
            if let Stmt::For { .. } = stmt {
                for root in [Role::LoopMin, Role::LoopExtent] {
                    off_by_one(root, &[], add);
                }
            }
        }
        MutantKind::OperandsSwapped => {
            edits(pool, stmt, add, |id| swappable(pool, id).then_some(Edit::Swap));
        }
        MutantKind::LaneChanged => edits(pool, stmt, add, |id| {
            let Expr::Shuffle { lanes, .. } = pool.get(id) else { return Vec::new() };
            (0..lanes.len()).map(Edit::Lane).collect()
        }),
        MutantKind::ConstantChanged => edits(pool, stmt, add, |id| {
            let constant = pool.as_constant(id).into_iter();
            constant.flat_map(neighbours).map(Edit::Constant)
        }),
        MutantKind::WindowChanged => windows(pool, stmt, add),
        MutantKind::TailWrong => tails(pool, stmt, add),
        MutantKind::AccessWrong => {
            edits(pool, stmt, add, |id| claimed_dims(pool, id, |dim, by| Edit::Access { dim, by }));
        }
        MutantKind::LoadRedirected => {
            let redirect = |dim, by| Edit::Redirect { dim, by };
            edits(pool, stmt, add, |id| claimed_dims(pool, id, redirect));
        }
        MutantKind::AccessMissing => edits(pool, stmt, add, |id| {
            matches!(pool.get(id), Expr::Load { access: Some(_), .. }).then_some(Edit::NoAccess)
        }),
        MutantKind::BoundWrong => {
            if let Stmt::Let { value, .. } = stmt
                && pool.ty(*value) == Type::INT
            {
                off_by_one(Role::LetValue, &[], add);
            }
        }
        MutantKind::GuardDropped => {
            add_if(matches!(stmt, Stmt::If { .. }), Change::DropGuard, add);
        }
        MutantKind::ProphecyWrong => prophecies(stmt, add),
        MutantKind::ProphecyStage => {
            if let Stmt::Store { prophecy: Some(prophecy), .. } = stmt {
                let stages = 0..pool.func(prophecy.func).stages().len();
                let others = stages.filter(|stage| *stage != prophecy.stage);
                others.for_each(|stage| add(Change::ProphecyStage { stage }));
            }
        }
        MutantKind::ProphecyMissing => {
            let has_prophecy = matches!(stmt, Stmt::Store { prophecy: Some(_), .. });
            add_if(has_prophecy, Change::NoProphecy, add);
        }
        MutantKind::StoreRedirected => {
            if let Stmt::Store { prophecy: Some(prophecy), .. } = stmt {
                let dims = prophecy.coords.len();
                each_dim(dims, add, |dim, by| Change::RedirectStore { dim, by });
            }
        }
        MutantKind::WriteShifted => {
            if let Stmt::Provide { coords, .. } = stmt {
                each_dim(coords.len(), add, |dim, by| Change::ShiftWrite { dim, by });
            }
        }
        MutantKind::LabelMissing => {
            let is_func = matches!(stmt, Stmt::Labeled { label: Label::Func { .. }, .. });
            add_if(is_func, Change::Unlabel, add);
        }
        MutantKind::NeededShrunk => needed(stmt, &[(1, -1), (0, -1)], add),
        MutantKind::NeededGrown => needed(stmt, &[(-1, 1), (0, 1), (1, 0), (-1, 0)], add),
        MutantKind::AtomicDropped => {
            add_if(matches!(stmt, Stmt::Store { atomic: true, .. }), Change::DropAtomic, add);
        }
        MutantKind::StoreMissing => {
            add_if(matches!(stmt, Stmt::Store { .. }), Change::Remove, add);
        }
        MutantKind::StageMissing => {
            let is_stage = matches!(stmt, Stmt::Labeled { label: Label::Stage { .. }, .. });
            add_if(is_stage, Change::Remove, add);
        }
        MutantKind::LoopMadeParallel => {
            let is_other = matches!(stmt, Stmt::For { kind, .. } if !kind.is_parallel());
            add_if(is_other, Change::Parallel, add);
        }
        MutantKind::LoopsSwapped => {
            add_if(matches!(stmt, Stmt::For { .. }), Change::SwapLoops, add);
        }
        MutantKind::AllocationShrunk => {
            if let Stmt::Allocate { buffer, .. } = stmt {
                let dims = pool.buffer(*buffer).dims.iter().enumerate();
                dims.filter(|(_, dim)| !dim.folded)
                    .for_each(|(dim, _)| add(Change::Shrink { dim }));
            }
        }
        MutantKind::FoldChanged => folds(pool, stmt, add),
        MutantKind::StorageMoved => storage(pool, stmt, add),
        MutantKind::StatementsSwapped => swaps(pool, stmt, add),
        MutantKind::EntryCheckWeakened => entry_checks(pool, stmt, add),
    }
}

fn add_if(holds: bool, change: Change, add: &mut impl FnMut(Change)) {
    if holds {
        add(change);
    }
}

/// Adds a change by one, down and up, in each dimension.
fn each_dim(dims: usize, add: &mut impl FnMut(Change), change: impl Fn(usize, i128) -> Change) {
    for dim in 0..dims {
        for by in [-1, 1] {
            add(change(dim, by));
        }
    }
}

/// Adds changes of an expression by one, down and up.
fn off_by_one(root: Role, path: &[usize], add: &mut impl FnMut(Change)) {
    for by in [-1, 1] {
        add(Change::Expr { root, path: path.to_vec(), edit: Edit::Add(by) });
    }
}

/// Adds the edits of each subexpression.
fn edits<I: IntoIterator<Item = Edit>>(
    pool: &Pool,
    stmt: &Stmt,
    add: &mut impl FnMut(Change),
    edits_of: impl Fn(ExprId) -> I,
) {
    subexprs(pool, stmt, |root, path, id| {
        for edit in edits_of(id) {
            add(Change::Expr { root, path: path.clone(), edit });
        }
    });
}

/// Returns the edits by one, down and up, in each dimension of a load's claim.
fn claimed_dims(pool: &Pool, id: ExprId, edit: impl Fn(usize, i128) -> Edit) -> Vec<Edit> {
    let Expr::Load { access: Some(access), .. } = pool.get(id) else { return Vec::new() };
    let dims = 0..access.coords.len();
    dims.flat_map(|dim| [-1, 1].map(|by| edit(dim, by))).collect()
}

/// Collects changes of the indices of stores and loads.
fn indices(pool: &Pool, stmt: &Stmt, add: &mut impl FnMut(Change)) {
    if let Stmt::Store { .. } = stmt {
        off_by_one(Role::Index, &[], add);
    }
    subexprs(pool, stmt, |root, path, id| {
        if let Expr::Load { .. } = pool.get(id) {
            off_by_one(root, &[path.as_slice(), &[0]].concat(), add);
        }
    });
}

/// Collects changes of the arms of selects between a first iteration and the others.
fn windows(pool: &Pool, stmt: &Stmt, add: &mut impl FnMut(Change)) {
    subexprs(pool, stmt, |root, path, id| {
        if let Expr::Select { condition, if_true, .. } = *pool.get(id)
            && pool.ty(if_true) == Type::INT
            && matches!(pool.get(condition), Expr::Binary(BinaryOp::Eq, ..))
        {
            for arm in [1, 2] {
                off_by_one(root, &[path.as_slice(), &[arm]].concat(), add);
            }
        }
    });
}

/// Collects changes of a prophecy's coordinates.
fn prophecies(stmt: &Stmt, add: &mut impl FnMut(Change)) {
    let Stmt::Store { prophecy: Some(prophecy), .. } = stmt else { return };
    let count = prophecy.coords.len() + prophecy.point.len();
    for coordinate in 0..count {
        for by in [-1, 1] {
            add(Change::Prophecy { coordinate, by });
        }
        let others = (0..count).filter(|other| *other != coordinate);
        others.for_each(|other| add(Change::ProphecyCopied { coordinate, other }));
    }
}

/// Collects changes of a func's needed region, by amounts for the min and the extent.
fn needed(stmt: &Stmt, amounts: &[(i128, i128)], add: &mut impl FnMut(Change)) {
    let Stmt::Labeled { label: Label::Func { needed, .. }, .. } = stmt else { return };
    for dim in 0..needed.len() {
        for (min, extent) in amounts {
            add(Change::Needed { dim, min: *min, extent: *extent });
        }
    }
}

/// Collects smaller factors for the folded dimensions of an allocation.
fn folds(pool: &Pool, stmt: &Stmt, add: &mut impl FnMut(Change)) {
    let Stmt::Allocate { buffer, .. } = stmt else { return };
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

/// Collects moves of memory into a loop, or out of it.
fn storage(pool: &Pool, stmt: &Stmt, add: &mut impl FnMut(Change)) {
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

/// Collects exchanges of neighbouring statements. The order of entry checks does not matter.
fn swaps(pool: &Pool, stmt: &Stmt, add: &mut impl FnMut(Change)) {
    let Stmt::Block(stmts) = stmt else { return };
    let is_check = |stmt: &StmtId| matches!(pool.get_stmt(*stmt), Stmt::Assert { .. });
    for (first, pair) in stmts.windows(2).enumerate() {
        if pair[0] != pair[1] && !is_check(&pair[0]) && !is_check(&pair[1]) {
            add(Change::Swap { first });
        }
    }
}

/// Collects the conditions that an entry check joins, and the whole check if it joins several.
fn entry_checks(pool: &Pool, stmt: &Stmt, add: &mut impl FnMut(Change)) {
    let Stmt::Assert { condition, .. } = stmt else { return };
    let mut parts = 0;
    conjuncts(pool, *condition, &mut |_| parts += 1);
    (0..parts).for_each(|part| add(Change::Weaken { part }));
    if parts > 1 {
        add(Change::Remove);
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
