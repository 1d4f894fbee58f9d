//! Names that are bound again where they are visible.
//!
//! Parts of the translation find values by their names: the counts of semaphores, the parts of a
//! cache's key, the ends of folds. In the statements that Halide compiles, a name has one value
//! wherever it is visible. A statement in which that does not hold is refused.

use halidom_base::FxHashSet;

use crate::NameId;
use crate::tree::{Expr, Stmt, StmtKind};

/// Returns a name that a block binds where it already stands for something else. At the beginning
/// of the block, `visible` are the names that stand for something.
pub(super) fn rebound(block: &[Stmt], visible: &mut FxHashSet<NameId>) -> Option<NameId> {
    let mut own = Vec::new();
    let found = block.iter().find_map(|stmt| {
        let mut found = None;
        stmt.for_each_expr(&mut |expr| {
            if found.is_none() {
                found = rebound_in(expr, visible);
            }
        });
        if found.is_some() {
            return found;
        }
        if let StmtKind::Free(name) = &stmt.kind {
            own.retain(|known| known != name);
            visible.remove(name);
        }
        let binds = binder(&stmt.kind);
        if let Some((name, _)) = binds
            && !visible.insert(name)
        {
            return Some(name);
        }
        stmt.for_each_block(&mut |block| {
            if found.is_none() {
                found = rebound(block, visible);
            }
        });
        match binds {
            Some((name, true)) => drop(visible.remove(&name)),
            Some((name, false)) => own.push(name),
            None => {}
        }
        found
    });
    for name in own {
        visible.remove(&name);
    }
    found
}

/// Tests whether names only stand for what some statements bind them to: each binder of such a name
/// is one of these statements, and each use lies in the scope of a binder. Else a statement that is
/// found by such a name may be about something else. Memory is freed in the block that allocates
/// it, and not in a loop there.
pub(super) fn belong(
    block: &[Stmt],
    names: &FxHashSet<NameId>,
    is_binder: &dyn Fn(&Stmt) -> bool,
) -> bool {
    belong_in(block, names, is_binder, &mut FxHashSet::default())
}

fn belong_in(
    block: &[Stmt],
    names: &FxHashSet<NameId>,
    is_binder: &dyn Fn(&Stmt) -> bool,
    visible: &mut FxHashSet<NameId>,
) -> bool {
    let mut own = Vec::new();
    let all = block.iter().all(|stmt| {
        let mut all = true;
        stmt.for_each_expr(&mut |expr| all = all && uses_belong(expr, names, visible));
        if let StmtKind::Free(name)
        | StmtKind::Store { name, index: _, alignment: _, value: _, predicate: _ }
        | StmtKind::Provide { name, args: _, values: _, predicate: _ } = &stmt.kind
        {
            all = all && (!names.contains(name) || visible.contains(name));
        }
        if let StmtKind::Free(name) = &stmt.kind {
            all = all && (!names.contains(name) || own.contains(name));
            visible.remove(name);
        }
        if let Some((name, _)) = binder(&stmt.kind).filter(|(name, _)| names.contains(name)) {
            all = all && is_binder(stmt) && visible.insert(name);
            own.push(name);
        }
        stmt.for_each_block(&mut |inner| {
            all = all && belong_in(inner, names, is_binder, visible);
        });
        all
    });
    for name in own {
        visible.remove(&name);
    }
    all
}

/// Tests whether an expression binds none of the names, and uses them only where they are visible.
fn uses_belong(expr: &Expr, names: &FxHashSet<NameId>, visible: &FxHashSet<NameId>) -> bool {
    let is_right = |name: &NameId| !names.contains(name) || visible.contains(name);
    let mut all = if let Expr::Variable { name, ty: _ } = expr {
        is_right(name)
    } else if let Expr::Load(load) = expr {
        is_right(&load.name)
    } else if let Expr::Call(call) = expr {
        is_right(&call.name)
    } else if let Expr::Let { name, value: _, body: _ } = expr {
        !names.contains(name)
    } else {
        true
    };
    expr.for_each_operand(&mut |operand| all = all && uses_belong(operand, names, visible));
    all
}

/// The name that a statement binds, and whether its scope ends with the statement.
fn binder(kind: &StmtKind) -> Option<(NameId, bool)> {
    match kind {
        StmtKind::Let { name, value: _ }
        | StmtKind::Allocate {
            name,
            ty: _,
            extents: _,
            padding: _,
            memory: _,
            condition: _,
            new: _,
            free: _,
        } => Some((*name, false)),
        StmtKind::For { name, min: _, extent: _, kind: _, device: _, body: _ }
        | StmtKind::Realize { name, bounds: _, memory: _, condition: _, body: _ } => {
            Some((*name, true))
        }
        StmtKind::Assert { condition: _, message: _ }
        | StmtKind::ProducerConsumer { name: _, role: _, body: _ }
        | StmtKind::Acquire { semaphore: _, count: _, body: _ }
        | StmtKind::Store { name: _, index: _, alignment: _, value: _, predicate: _ }
        | StmtKind::Provide { name: _, args: _, values: _, predicate: _ }
        | StmtKind::Free(_)
        | StmtKind::Fork(_)
        | StmtKind::If { condition: _, then_branch: _, else_branch: _ }
        | StmtKind::Evaluate(_)
        | StmtKind::Prefetch { name: _, at: _, from: _, bounds: _ }
        | StmtKind::Atomic { producer: _, mutex: _, body: _ }
        | StmtKind::HoistedStorage { name: _, body: _ }
        | StmtKind::Scope(_) => None,
    }
}

/// Returns a name that an expression binds where it is visible already.
fn rebound_in(expr: &Expr, visible: &mut FxHashSet<NameId>) -> Option<NameId> {
    if let Expr::Let { name, value, body } = expr {
        if let Some(found) = rebound_in(value, visible) {
            return Some(found);
        }
        if !visible.insert(*name) {
            return Some(*name);
        }
        let found = rebound_in(body, visible);
        visible.remove(name);
        return found;
    }
    let mut found = None;
    expr.for_each_operand(&mut |operand| {
        if found.is_none() {
            found = rebound_in(operand, visible);
        }
    });
    found
}
