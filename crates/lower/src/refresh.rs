//! Copies of statements with fresh binders.

use halidom_base::FxHashMap;
use halidom_ir::visit::{Fold, walk};
use halidom_ir::{BufferDecl, BufferId, Dim, Expr, ExprId, Pool, Stmt, StmtId, StoreIn, VarId};

use crate::LowerError;

/// Returns a copy of `stmt` in which every loop, let and allocation binds a new name, and
/// `replaced` variables are replaced by other expressions. Several such copies may occur in one
/// program: each binder stays unique.
pub(crate) fn refresh(
    pool: &mut Pool,
    stmt: StmtId,
    replaced: &[(VarId, ExprId)],
) -> Result<StmtId, LowerError> {
    let mut fold = Refresh {
        exprs: replaced.iter().copied().collect(),
        binders: FxHashMap::default(),
        buffers: FxHashMap::default(),
        done: FxHashMap::default(),
    };
    fold.stmt(pool, stmt)
}

struct Refresh {
    exprs: FxHashMap<VarId, ExprId>,
    binders: FxHashMap<VarId, VarId>,
    buffers: FxHashMap<BufferId, BufferId>,
    /// Rewritten expressions. A binder is visited before every expression that mentions it, so no
    /// entry becomes stale.
    done: FxHashMap<ExprId, ExprId>,
}

impl Refresh {
    fn bind(&mut self, pool: &mut Pool, var: VarId) {
        let decl = pool.var(var).clone();
        let fresh = pool.declare_var(decl.name, decl.ty);
        self.binders.insert(var, fresh);
        let expr = pool.var_expr(fresh);
        self.exprs.insert(var, expr);
    }

    fn allocate(&mut self, pool: &mut Pool, buffer: BufferId) -> Result<(), LowerError> {
        let decl = pool.buffer(buffer).clone();
        let mut dims = Vec::with_capacity(decl.dims.len());
        for dim in &decl.dims {
            dims.push(Dim {
                min: self.expr(pool, dim.min)?,
                extent: self.expr(pool, dim.extent)?,
                stride: self.expr(pool, dim.stride)?,
                folded: dim.folded,
            });
        }
        let store_in = match decl.store_in {
            StoreIn::Within(arena) => StoreIn::Within(self.buffer(arena)),
            place @ (StoreIn::Auto
            | StoreIn::Heap
            | StoreIn::Stack
            | StoreIn::Register
            | StoreIn::Stream) => place,
        };
        let fresh = pool.declare_buffer(BufferDecl { dims, store_in, ..decl });
        self.buffers.insert(buffer, fresh);
        Ok(())
    }
}

impl Fold<LowerError> for Refresh {
    fn expr(&mut self, pool: &mut Pool, expr: ExprId) -> Result<ExprId, LowerError> {
        let (exprs, buffers) = (&self.exprs, &self.buffers);
        Ok(pool.rewrite_bottom_up(expr, &mut self.done, &mut |pool, id, node| match node {
            Expr::Var(var) => exprs.get(var).copied().unwrap_or(id),
            Expr::Load { buffer, index, access } => match buffers.get(buffer) {
                Some(fresh) => pool.load(*fresh, *index, access.clone()),
                None => id,
            },
            Expr::Const(_)
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

    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
        if let Stmt::Let { var, .. } | Stmt::For { var, .. } = *pool.get_stmt(id) {
            self.bind(pool, var);
        } else if let Stmt::Allocate { buffer, .. } = *pool.get_stmt(id) {
            self.allocate(pool, buffer)?;
        }
        walk(self, pool, id)
    }

    fn binder(&mut self, var: VarId) -> VarId {
        self.binders.get(&var).copied().unwrap_or(var)
    }

    fn buffer(&mut self, buffer: BufferId) -> BufferId {
        self.buffers.get(&buffer).copied().unwrap_or(buffer)
    }
}
