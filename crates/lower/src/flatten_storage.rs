//! Turns points of funcs into elements of buffers.

use halidom_base::FxHashMap;
use halidom_ir::visit::{Fold, fold_exprs, rewrite, walk};
use halidom_ir::{
    Access, BufferId, Expr, ExprId, FuncId, FuncKind, Pool, Program, Prophecy, Stmt, StmtId, VarId,
};

use crate::exprs::loads;
use crate::{LowerError, index};

/// Replaces `Provide` with `Store` and `Ref` with `Load`, with their original meaning as
/// annotations.
///
/// The values of a tuple are bound to variables before its components are stored, as are written
/// coordinates that load, because they may read what an earlier store of the tuple overwrites.
///
/// Requires: every func that is written or read has a buffer in scope: an input, an output, or an
/// enclosing `Allocate`; no bounds holes.
/// Ensures: no `Provide` and no `Ref`; each index is the sum of `(coord_k - min_k) * stride_k` over
/// the buffer's dims, in `int`, with `(coord_k mod extent_k) * stride_k` for a folded dimension.
pub fn flatten_storage(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    let mut fold = FlattenStorage { buffers: FxHashMap::default(), done: FxHashMap::default() };
    for input in &program.inputs {
        fold.buffers.insert((pool.buffer(*input).func, 0), *input);
    }
    for output in &program.outputs {
        for (component, buffer) in output.buffers.iter().enumerate() {
            fold.buffers.insert((output.func, component), *buffer);
        }
    }
    rewrite(&mut fold, pool, program)
}

struct FlattenStorage {
    /// The buffer of each component of a func at this place.
    buffers: FxHashMap<(FuncId, usize), BufferId>,
    /// Rewritten expressions, valid as long as `buffers` does not change.
    done: FxHashMap<ExprId, ExprId>,
}

impl FlattenStorage {
    fn buffer_of(
        &self,
        pool: &Pool,
        func: FuncId,
        component: usize,
    ) -> Result<BufferId, LowerError> {
        if let Some(buffer) = self.buffers.get(&(func, component)) {
            return Ok(*buffer);
        }
        match pool.func(func).kind {
            FuncKind::Input { buffer } => Ok(buffer),
            FuncKind::Defined { .. } => {
                Err(LowerError::NoBuffer { func: pool.func(func).name.clone() })
            }
        }
    }

    /// Sets or removes the buffer of a func's component; returns the previous one.
    fn swap(&mut self, func: (FuncId, usize), buffer: Option<BufferId>) -> Option<BufferId> {
        self.done.clear();
        match buffer {
            Some(buffer) => self.buffers.insert(func, buffer),
            None => self.buffers.remove(&func),
        }
    }
}

impl Fold<LowerError> for FlattenStorage {
    fn expr(&mut self, pool: &mut Pool, expr: ExprId) -> Result<ExprId, LowerError> {
        // The bottom-up rewriter cannot fail, so a missing buffer is recorded and reported
        // afterwards.
        let mut failure = None;
        let mut done = std::mem::take(&mut self.done);
        let result = pool.rewrite_bottom_up(expr, &mut done, &mut |pool, id, node| match node {
            Expr::Ref { func, component, args } => match self.buffer_of(pool, *func, *component) {
                Ok(buffer) => {
                    let index = flat_index(pool, buffer, args);
                    let access = Access { func: *func, coords: args.clone() };
                    pool.load(buffer, index, Some(access))
                }
                Err(error) => {
                    failure = Some(error);
                    id
                }
            },
            Expr::Hole(_) => {
                failure = Some(LowerError::Hole);
                id
            }
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. } => id,
        });
        self.done = done;
        failure.map_or(Ok(result), Err)
    }

    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
        if let Stmt::Allocate { buffer, .. } = *pool.get_stmt(id) {
            let func = (pool.buffer(buffer).func, pool.buffer(buffer).component);
            let outer = self.swap(func, Some(buffer));
            let result = walk(self, pool, id);
            self.swap(func, outer);
            return result;
        }
        let Stmt::Provide { func, stage, coords, point, values, atomic } =
            pool.get_stmt(id).clone()
        else {
            return walk(self, pool, id);
        };
        let mut coords = fold_exprs(self, pool, &coords)?;
        let point = fold_exprs(self, pool, &point)?;
        let mut values = fold_exprs(self, pool, &values)?;
        let mut lets = Vec::new();
        if values.len() > 1 {
            let name = pool.func(func).name.clone();
            for (dim, coord) in coords.iter_mut().enumerate() {
                if loads(pool, *coord) {
                    *coord = bind(pool, format!("{name}.at.{dim}"), *coord, &mut lets);
                }
            }
            for (component, value) in values.iter_mut().enumerate() {
                *value = bind(pool, format!("{name}.{component}"), *value, &mut lets);
            }
        }
        let mut stores = Vec::with_capacity(values.len());
        for (component, value) in values.iter().enumerate() {
            let buffer = self.buffer_of(pool, func, component)?;
            let index = flat_index(pool, buffer, &coords);
            let (coords, point) = (coords.clone(), point.clone());
            let prophecy = Some(Prophecy { func, stage, coords, point });
            let value = *value;
            stores.push(pool.stmt(Stmt::Store { buffer, index, value, prophecy, atomic }));
        }
        let mut stmt = match stores[..] {
            [only] => only,
            _ => pool.stmt(Stmt::Block(stores)),
        };
        for (var, value) in lets.into_iter().rev() {
            stmt = pool.stmt(Stmt::Let { var, value, body: stmt });
        }
        Ok(stmt)
    }
}

/// Binds a value to a variable, unless it is a variable or a constant.
fn bind(pool: &mut Pool, name: String, value: ExprId, lets: &mut Vec<(VarId, ExprId)>) -> ExprId {
    if index::is_atom(pool.get(value)) {
        return value;
    }
    let var = pool.declare_var(name, pool.ty(value));
    lets.push((var, value));
    pool.var_expr(var)
}

/// Returns the index of a point's element.
fn flat_index(pool: &mut Pool, buffer: BufferId, coords: &[ExprId]) -> ExprId {
    let dims = pool.buffer(buffer).dims.clone();
    let mut sum = pool.int(0);
    for (coord, dim) in coords.iter().zip(dims) {
        let distance = if dim.folded {
            index::modulo(pool, *coord, dim.extent)
        } else {
            index::sub(pool, *coord, dim.min)
        };
        let term = index::mul(pool, distance, dim.stride);
        sum = index::add(pool, sum, term);
    }
    sum
}
