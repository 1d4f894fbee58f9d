//! The slice of a program that is relevant to a store: the constructs around the store, and the
//! stores of the values that it reads.

use halidom_base::FxHashSet;
use halidom_ir::{BufferId, Expr, ExprId, FuncId, Label, Pool, Prophecy, Stmt, StmtId, VarId};

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
    match pool.get_stmt(stmt) {
        Stmt::Store { .. } | Stmt::Provide { .. } => vec![stmt],
        Stmt::Block(parts) => parts.iter().flat_map(|part| stores(pool, *part)).collect(),
        Stmt::Let { body, .. }
        | Stmt::For { body, .. }
        | Stmt::Allocate { body, .. }
        | Stmt::Labeled { body, .. } => stores(pool, *body),
        Stmt::If { then_branch, else_branch, .. } => {
            let mut found = stores(pool, *then_branch);
            found.extend(else_branch.iter().flat_map(|branch| stores(pool, *branch)));
            found
        }
        Stmt::Assert { .. } => Vec::new(),
    }
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

    fn all(&mut self, pool: &Pool, exprs: &[ExprId]) {
        for expr in exprs {
            self.add(pool, *expr);
        }
    }
}

struct Cut {
    stmt: StmtId,
    reads: Reads,
}

fn cut(pool: &mut Pool, stmt: StmtId, kept: &FxHashSet<StmtId>) -> Option<Cut> {
    let node = pool.get_stmt(stmt).clone();
    let remade = |pool: &mut Pool, mut reads: Reads, node: Stmt, exprs: &[ExprId]| {
        reads.all(pool, exprs);
        Some(Cut { stmt: pool.stmt(node), reads })
    };
    match node {
        Stmt::Block(parts) => {
            let mut reads = Reads::default();
            let mut rest = Vec::new();
            for part in parts {
                if let Some(cut) = cut(pool, part, kept) {
                    reads.vars.extend(cut.reads.vars);
                    reads.buffers.extend(cut.reads.buffers);
                    reads.funcs.extend(cut.reads.funcs);
                    rest.push(cut.stmt);
                }
            }
            match *rest.as_slice() {
                [] => None,
                [only] => Some(Cut { stmt: only, reads }),
                _ => remade(pool, reads, Stmt::Block(rest), &[]),
            }
        }
        Stmt::Let { var, value, body } => {
            let inner = cut(pool, body, kept)?;
            if inner.reads.vars.contains(&var) {
                return remade(
                    pool,
                    inner.reads,
                    Stmt::Let { var, value, body: inner.stmt },
                    &[value],
                );
            }
            Some(inner)
        }
        Stmt::If { condition, then_branch, else_branch } => {
            let first = cut(pool, then_branch, kept);
            let second = else_branch.and_then(|branch| cut(pool, branch, kept));
            let mut reads = Reads::default();
            let nothing = |pool: &mut Pool| pool.stmt(Stmt::Block(Vec::new()));
            if first.is_none() && second.is_none() {
                return None;
            }
            let mut take = |cut: Option<Cut>| {
                cut.map(|cut| {
                    reads.vars.extend(cut.reads.vars);
                    reads.buffers.extend(cut.reads.buffers);
                    reads.funcs.extend(cut.reads.funcs);
                    cut.stmt
                })
            };
            let (first, else_branch) = (take(first), take(second));
            let then_branch = first.unwrap_or_else(|| nothing(pool));
            let node = Stmt::If { condition, then_branch, else_branch };
            remade(pool, reads, node, &[condition])
        }
        Stmt::For { var, min, extent, kind, body } => {
            let inner = cut(pool, body, kept)?;
            let node = Stmt::For { var, min, extent, kind, body: inner.stmt };
            remade(pool, inner.reads, node, &[min, extent])
        }
        Stmt::Allocate { buffer, body } => {
            let inner = cut(pool, body, kept)?;
            let dims = pool.buffer(buffer).dims.clone();
            let exprs: Vec<ExprId> =
                dims.iter().flat_map(|dim| [dim.min, dim.extent, dim.stride]).collect();
            remade(pool, inner.reads, Stmt::Allocate { buffer, body: inner.stmt }, &exprs)
        }
        Stmt::Labeled { label, body } => {
            let inner = cut(pool, body, kept)?;
            let exprs: Vec<ExprId> = match &label {
                Label::Func { needed, .. } => {
                    needed.iter().flat_map(|interval| [interval.min, interval.extent]).collect()
                }
                Label::Prefetch { index, .. } => vec![*index],
                Label::Stage { .. } | Label::Partition(_) | Label::Ahead { .. } => Vec::new(),
            };
            remade(pool, inner.reads, Stmt::Labeled { label, body: inner.stmt }, &exprs)
        }
        Stmt::Assert { .. } => None,
        Stmt::Provide { coords, point, values, .. } => kept.contains(&stmt).then(|| {
            let mut reads = Reads::default();
            for exprs in [coords, point, values] {
                reads.all(pool, &exprs);
            }
            Cut { stmt, reads }
        }),
        Stmt::Store { index, value, prophecy, .. } => kept.contains(&stmt).then(|| {
            let mut reads = Reads::default();
            reads.all(pool, &[index, value]);
            if let Some(Prophecy { coords, point, .. }) = prophecy {
                reads.all(pool, &coords);
                reads.all(pool, &point);
            }
            Cut { stmt, reads }
        }),
    }
}
