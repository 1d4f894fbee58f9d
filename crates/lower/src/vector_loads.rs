//! Rewriting of the vector loads that a program evaluates.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::visit::for_each_stmt;
use halidom_ir::{Access, BufferId, Expr, ExprId, Pool, Program, Stmt, StmtId, VarId};

use crate::index;

/// A load of elements at a constant distance.
pub(crate) struct Spaced {
    pub(crate) buffer: BufferId,
    /// The first lane's element.
    pub(crate) base: ExprId,
    /// The distance.
    pub(crate) step: i128,
    pub(crate) lanes: u32,
    pub(crate) access: Option<Access>,
}

impl Spaced {
    /// Returns the load of consecutive elements that begins `start` elements after this one, with
    /// this load's claim carried over. Returns `None` if the claim does not tell which coordinate
    /// numbers the elements.
    pub(crate) fn dense_part(&self, pool: &mut Pool, start: i128) -> Option<ExprId> {
        let base = index::offset(pool, self.base, start);
        let index = dense(pool, base, self.lanes);
        let access = match &self.access {
            Some(access) => Some(self.dense_claim(pool, access, start)?),
            None => None,
        };
        Some(pool.load(self.buffer, index, access))
    }

    fn dense_claim(&self, pool: &mut Pool, access: &Access, start: i128) -> Option<Access> {
        let (mut coords, mut stepping) = (Vec::new(), 0);
        for coord in &access.coords {
            match *pool.get(*coord) {
                Expr::Broadcast { .. } => coords.push(*coord),
                Expr::Ramp { base, stride, .. } if index::as_int(pool, stride)? == self.step => {
                    stepping += 1;
                    let base = index::offset(pool, base, start);
                    coords.push(dense(pool, base, self.lanes));
                }
                Expr::Const(_)
                | Expr::Var(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select { .. }
                | Expr::Cast(..)
                | Expr::Call(..)
                | Expr::Apply { .. }
                | Expr::Ref { .. }
                | Expr::Load { .. }
                | Expr::Ramp { .. }
                | Expr::Shuffle { .. }
                | Expr::Hole(_) => return None,
            }
        }
        (stepping == 1).then(|| Access { func: access.func, coords: coords.into() })
    }
}

/// Returns the numbers of consecutive elements.
fn dense(pool: &mut Pool, base: ExprId, lanes: u32) -> ExprId {
    let stride = pool.int(1);
    pool.expr(Expr::Ramp { base, stride, lanes })
}

/// Chooses what replaces loads.
pub(crate) trait Replace {
    /// Learns the value of a variable.
    fn bind(&mut self, pool: &Pool, var: VarId, value: ExprId) {
        let _ = (pool, var, value);
    }

    /// Returns the replacement of a load, if there is one. No other thread writes the load's buffer
    /// meanwhile, so the replacement may load further elements.
    fn load(&mut self, pool: &mut Pool, load: &Spaced) -> Option<ExprId>;
}

/// Replaces vector loads wherever the program evaluates them; annotations stay.
pub(crate) fn replace_loads(
    pool: &mut Pool,
    program: Program,
    replace: &mut impl Replace,
) -> Program {
    let mut walk = Walk { replace, shared: FxHashSet::default(), done: FxHashMap::default() };
    let body = walk.stmt(pool, program.body);
    Program { body, ..program }
}

struct Walk<'r, R> {
    replace: &'r mut R,
    /// The buffers that other iterations of the parallel loops around may write.
    shared: FxHashSet<BufferId>,
    done: FxHashMap<ExprId, ExprId>,
}

impl<R: Replace> Walk<'_, R> {
    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> StmtId {
        let stmt = pool.get_stmt(id).clone();
        let stmt = stmt.map_exprs(
            |role, expr| {
                if role.is_annotation() { expr } else { self.expr(pool, expr) }
            },
        );
        if let Stmt::Let { var, value, .. } = stmt {
            self.replace.bind(pool, var, value);
        }
        let stmt = if let Stmt::For { kind, body, .. } = stmt
            && kind.is_parallel()
        {
            let shared = self.shared.clone();
            self.shared.extend(written_together(pool, body));
            self.done.clear();
            let stmt = stmt.map_children(|child| self.stmt(pool, child));
            self.shared = shared;
            self.done.clear();
            stmt
        } else {
            stmt.map_children(|child| self.stmt(pool, child))
        };
        pool.rebuilt(id, stmt)
    }

    fn expr(&mut self, pool: &mut Pool, id: ExprId) -> ExprId {
        if let Some(done) = self.done.get(&id) {
            return *done;
        }
        let result = if let Expr::Load { buffer, index, access } = pool.get(id).clone() {
            let index = self.expr(pool, index);
            let replaced = self.spaced(pool, (buffer, index, access.as_ref()));
            let replaced = replaced.and_then(|load| self.replace.load(pool, &load));
            replaced.unwrap_or_else(|| pool.load(buffer, index, access))
        } else {
            let expr = pool.get(id).clone().map_operands(|operand| self.expr(pool, operand));
            pool.expr(expr)
        };
        self.done.insert(id, result);
        result
    }

    fn spaced(
        &self,
        pool: &Pool,
        (buffer, index, access): (BufferId, ExprId, Option<&Access>),
    ) -> Option<Spaced> {
        let Expr::Ramp { base, stride, lanes } = *pool.get(index) else { return None };
        let step = index::as_int(pool, stride)?;
        let access = access.cloned();
        (!self.shared.contains(&buffer)).then_some(Spaced { buffer, base, step, lanes, access })
    }
}

/// Returns the buffers that the iterations of a parallel loop write but do not allocate themselves.
/// While one iteration runs, another may write them.
fn written_together(pool: &Pool, body: StmtId) -> FxHashSet<BufferId> {
    let (mut written, mut own) = (FxHashSet::default(), FxHashSet::default());
    // Storage is flattened, so only stores write.
    for_each_stmt(pool, body, &mut |_, stmt| {
        if let Stmt::Store { buffer, .. } = stmt {
            written.insert(*buffer);
        }
        if let Stmt::Allocate { buffer, .. } = stmt {
            own.insert(*buffer);
        }
    });
    written.difference(&own).copied().collect()
}
