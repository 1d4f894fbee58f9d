//! The slice of a program that is relevant to a store: the constructs around the store, and the
//! stores of the values that it reads.

use halidom_base::FxHashSet;
use halidom_ir::visit::for_each_stmt;
use halidom_ir::{BufferId, Expr, ExprId, FuncId, Pool, Stmt, StmtId, VarId};

/// A program reduced to some of its stores.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    /// The stores with their loops, conditions, allocations and labels, and the lets that they use.
    pub(crate) body: StmtId,
    /// The number of stores of values that the store reads that were left out because there are too
    /// many.
    pub(crate) left_out: usize,
}

/// The largest number of other funcs' stores that are kept.
const MOST_PRODUCERS: usize = 8;

/// Reduces a program to a store and to the stores of the values that it reads; `None` if the
/// program does not contain the store.
pub(crate) fn slice(pool: &mut Pool, body: StmtId, store: StmtId) -> Option<Slice> {
    let mut kept: FxHashSet<StmtId> = [store].into_iter().collect();
    let alone = cut(pool, body, &kept)?;
    let target = written(pool, store);
    let producers: Vec<StmtId> = stores(pool, body)
        .into_iter()
        .filter(|other| {
            written(pool, *other)
                .is_some_and(|place| Some(place) != target && place.is_read_by(&alone.reads))
        })
        .collect();
    kept.extend(producers.iter().take(MOST_PRODUCERS));
    let left_out = producers.len().saturating_sub(MOST_PRODUCERS);
    cut(pool, body, &kept).map(|cut| Slice { body: cut.stmt, left_out })
}

/// The target of a store.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Buffer(BufferId),
    Func(FuncId),
}

impl Written {
    fn is_read_by(self, reads: &Reads) -> bool {
        match self {
            Self::Buffer(buffer) => reads.buffers.contains(&buffer),
            Self::Func(func) => reads.funcs.contains(&func),
        }
    }
}

fn written(pool: &Pool, stmt: StmtId) -> Option<Written> {
    if let Stmt::Store { buffer, .. } = pool.get_stmt(stmt) {
        return Some(Written::Buffer(*buffer));
    }
    if let Stmt::Provide { func, .. } = pool.get_stmt(stmt) {
        return Some(Written::Func(*func));
    }
    None
}

/// All stores, in order.
fn stores(pool: &Pool, stmt: StmtId) -> Vec<StmtId> {
    let mut stores = Vec::new();
    for_each_stmt(pool, stmt, &mut |id, stmt| {
        if matches!(stmt, Stmt::Store { .. } | Stmt::Provide { .. }) {
            stores.push(id);
        }
    });
    stores
}

/// The names that some statements mention.
#[derive(Default)]
struct Reads {
    vars: FxHashSet<VarId>,
    buffers: FxHashSet<BufferId>,
    funcs: FxHashSet<FuncId>,
}

impl Reads {
    fn add(&mut self, pool: &Pool, expr: ExprId) {
        let mut annotations = Vec::new();
        pool.for_each_subexpr(expr, &mut |_, node| {
            if let Expr::Var(var) = node {
                self.vars.insert(*var);
            }
            if let Expr::Load { buffer, access, .. } = node {
                self.buffers.insert(*buffer);
                annotations.extend(access.iter().flat_map(|access| access.coords.iter().copied()));
            }
            if let Expr::Ref { func, .. } = node {
                self.funcs.insert(*func);
            }
        });
        for coord in annotations {
            self.add(pool, coord);
        }
    }

    fn extend(&mut self, other: Self) {
        self.vars.extend(other.vars);
        self.buffers.extend(other.buffers);
        self.funcs.extend(other.funcs);
    }
}

struct Cut {
    stmt: StmtId,
    reads: Reads,
}

fn cut(pool: &mut Pool, id: StmtId, kept: &FxHashSet<StmtId>) -> Option<Cut> {
    let mut stmt = pool.get_stmt(id).clone();
    let mut reads = Reads::default();
    let mut parts = Vec::new();
    for child in stmt.children() {
        parts.push(cut(pool, child, kept).map(|part| {
            reads.extend(part.reads);
            part.stmt
        }));
    }
    if !kept.contains(&id) && parts.iter().all(Option::is_none) {
        return None;
    }
    if let Stmt::Let { var, .. } = stmt
        && !reads.vars.contains(&var)
    {
        let [body] = *parts else { return None };
        return Some(Cut { stmt: body?, reads });
    }
    if let Stmt::Block(all) = &mut stmt {
        *all = parts.into_iter().flatten().collect();
        if let [only] = **all {
            return Some(Cut { stmt: only, reads });
        }
    } else {
        if let (Stmt::If { else_branch, .. }, [_, None]) = (&mut stmt, &*parts) {
            *else_branch = None;
        }
        let nothing = pool.stmt(Stmt::Block(Vec::new()));
        let mut parts = parts.into_iter();
        stmt = stmt.map_children(|_| parts.next().flatten().unwrap_or(nothing));
    }
    stmt.for_each_expr(pool, &mut |_, expr| reads.add(pool, expr));
    Some(Cut { stmt: pool.rebuilt(id, stmt), reads })
}
