//! Gives memory that is allocated once, but filled anew in every iteration of a loop, a separate
//! lifetime in each iteration.
//!
//! Where the memory of a tile is allocated outside of the loop over tiles, it holds different
//! coordinates in each iteration, so it has no single beginning. In a lifetime that starts with the
//! iteration it begins with the tile. Its earlier contents are undefined there, so a program that
//! does not depend on undefined values behaves the same in the memory that is allocated once. The
//! validator must show that the lifetime fits into that memory, has it to itself, and lies in the
//! same iterations of unordered loops.

use halidom_base::FxHashMap;
use halidom_ir::visit::Role;
use halidom_ir::{
    BufferDecl, BufferId, Expr, ExprId, LoopKind, Pool, Program, Stmt, StmtId, StoreIn,
};

/// The program in which the memory lives for one iteration of the outermost loop that contains all
/// accesses, or of each such loop if there are several. `None` if there is no such loop, or if one
/// has no order.
pub(super) fn shortened(pool: &mut Pool, program: &Program, buffer: BufferId) -> Option<Program> {
    let mut walk = Walk { pool, buffer, touched: FxHashMap::default() };
    let body = walk.outside(program.body)?;
    (body != program.body).then(|| Program { body, ..program.clone() })
}

struct Walk<'w> {
    pool: &'w mut Pool,
    buffer: BufferId,
    /// True for statements that access the memory.
    touched: FxHashMap<StmtId, bool>,
}

impl Walk<'_> {
    /// Rewrites a statement that may contain the allocation.
    fn outside(&mut self, id: StmtId) -> Option<StmtId> {
        let stmt = self.pool.get_stmt(id).clone();
        if let Stmt::Allocate { buffer, body } = stmt
            && buffer == self.buffer
        {
            let lender = match self.pool.buffer(buffer).store_in {
                // Memory is lent only once: the lifetime moves further in.
                StoreIn::Within(lender) => return self.inside(body, lender),
                StoreIn::Auto
                | StoreIn::Heap
                | StoreIn::Stack
                | StoreIn::Register
                | StoreIn::Stream => buffer,
            };
            let body = self.inside(body, lender)?;
            return Some(self.pool.stmt(Stmt::Allocate { buffer, body }));
        }
        let stmt = stmt.try_map_children(|part| self.outside(part).ok_or(())).ok()?;
        Some(self.pool.rebuilt(id, stmt))
    }

    /// Rewrites a statement within the allocation: the lifetimes begin in its outermost loops.
    fn inside(&mut self, id: StmtId, lender: BufferId) -> Option<StmtId> {
        if !self.touches(id) {
            return Some(id);
        }
        let stmt = self.pool.get_stmt(id).clone();
        if self.touches_itself(&stmt) {
            return None;
        }
        if let Stmt::For { var, min, extent, kind, body } = stmt {
            if kind != LoopKind::Serial {
                return None;
            }
            let decl = self.pool.buffer(self.buffer).clone();
            let own = BufferDecl { store_in: StoreIn::Within(lender), ..decl };
            let own = self.pool.declare_buffer(own);
            let body = Renaming { walk: self, own, done: FxHashMap::default() }.stmt(body);
            let body = self.pool.stmt(Stmt::Allocate { buffer: own, body });
            return Some(self.pool.stmt(Stmt::For { var, min, extent, kind, body }));
        }
        let stmt = stmt.try_map_children(|part| self.inside(part, lender).ok_or(())).ok()?;
        Some(self.pool.rebuilt(id, stmt))
    }

    /// Tests whether an expression reads the memory.
    fn touches_in(&self, expr: ExprId) -> bool {
        let mut found = false;
        self.pool.for_each_subexpr(expr, &mut |_, node| {
            found |= matches!(node, Expr::Load { buffer, .. } if *buffer == self.buffer);
        });
        found
    }

    /// Tests whether a statement reads or writes the memory.
    fn touches(&mut self, id: StmtId) -> bool {
        if let Some(known) = self.touched.get(&id) {
            return *known;
        }
        let stmt = self.pool.get_stmt(id).clone();
        let found = self.touches_itself(&stmt) || stmt.children().any(|child| self.touches(child));
        self.touched.insert(id, found);
        found
    }

    /// Tests whether a statement reads or writes the memory outside of the statements within it.
    fn touches_itself(&self, stmt: &Stmt) -> bool {
        let mut found = matches!(stmt, Stmt::Store { buffer, .. } if *buffer == self.buffer);
        stmt.for_each_expr(self.pool, &mut |role, expr| {
            found |= !role.is_annotation() && role != Role::Layout && self.touches_in(expr);
        });
        found
    }
}

/// Substitutes another buffer for the memory.
struct Renaming<'r, 'w> {
    walk: &'r mut Walk<'w>,
    own: BufferId,
    done: FxHashMap<ExprId, ExprId>,
}

impl Renaming<'_, '_> {
    fn expr(&mut self, root: ExprId) -> ExprId {
        if let Some(done) = self.done.get(&root) {
            return *done;
        }
        let node = self.walk.pool.get(root).clone().map_operands(|operand| self.expr(operand));
        let node = if let Expr::Load { buffer, index, access } = &node
            && *buffer == self.walk.buffer
        {
            Expr::Load { buffer: self.own, index: *index, access: access.clone() }
        } else {
            node
        };
        let result = self.walk.pool.expr(node);
        self.done.insert(root, result);
        result
    }

    fn stmt(&mut self, id: StmtId) -> StmtId {
        if !self.walk.touches(id) {
            return id;
        }
        let stmt = self.walk.pool.get_stmt(id).clone();
        let mut stmt = stmt.map_exprs(|role, expr| {
            let stays = role.is_annotation() || role == Role::Assertion;
            if stays { expr } else { self.expr(expr) }
        });
        if let Stmt::Store { buffer, .. } = &mut stmt
            && *buffer == self.walk.buffer
        {
            *buffer = self.own;
        }
        let stmt = stmt.map_children(|child| self.stmt(child));
        self.walk.pool.stmt(stmt)
    }
}
