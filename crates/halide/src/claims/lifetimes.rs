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
        let stmt = match self.pool.get_stmt(id).clone() {
            Stmt::Allocate { buffer, body } if buffer == self.buffer => {
                let lender = match self.pool.buffer(buffer).store_in {
                    // Memory is lent only once: the lifetime moves further in.
                    StoreIn::Within(lender) => return self.inside(body, lender),
                    StoreIn::Auto
                    | StoreIn::Heap
                    | StoreIn::Stack
                    | StoreIn::Register
                    | StoreIn::Stream => buffer,
                };
                Stmt::Allocate { buffer, body: self.inside(body, lender)? }
            }
            other @ (Stmt::Block(_)
            | Stmt::Let { .. }
            | Stmt::If { .. }
            | Stmt::For { .. }
            | Stmt::Allocate { .. }
            | Stmt::Assert { .. }
            | Stmt::Labeled { .. }
            | Stmt::Provide { .. }
            | Stmt::Store { .. }) => self.mapped(other, &mut |walk, part| walk.outside(part))?,
        };
        Some(self.pool.stmt(stmt))
    }

    /// Rewrites a statement within the allocation: the lifetimes begin in its outermost loops.
    fn inside(&mut self, id: StmtId, lender: BufferId) -> Option<StmtId> {
        if !self.touches(id) {
            return Some(id);
        }
        let stmt = match self.pool.get_stmt(id).clone() {
            Stmt::For { var, min, extent, kind: LoopKind::Serial, body } => {
                if self.touches_in(min) || self.touches_in(extent) {
                    return None;
                }
                let decl = self.pool.buffer(self.buffer).clone();
                let own = BufferDecl { store_in: StoreIn::Within(lender), ..decl };
                let own = self.pool.declare_buffer(own);
                let body = Renaming { walk: self, own, done: FxHashMap::default() }.stmt(body);
                let body = self.pool.stmt(Stmt::Allocate { buffer: own, body });
                Stmt::For { var, min, extent, kind: LoopKind::Serial, body }
            }
            Stmt::For { .. } | Stmt::Store { .. } | Stmt::Assert { .. } | Stmt::Provide { .. } => {
                return None;
            }
            Stmt::Let { value, .. } if self.touches_in(value) => return None,
            Stmt::If { condition, .. } if self.touches_in(condition) => return None,
            other @ (Stmt::Block(_)
            | Stmt::Let { .. }
            | Stmt::If { .. }
            | Stmt::Allocate { .. }
            | Stmt::Labeled { .. }) => {
                self.mapped(other, &mut |walk, part| walk.inside(part, lender))?
            }
        };
        Some(self.pool.stmt(stmt))
    }

    /// A statement with its parts mapped.
    fn mapped(
        &mut self,
        stmt: Stmt,
        map: &mut impl FnMut(&mut Self, StmtId) -> Option<StmtId>,
    ) -> Option<Stmt> {
        Some(match stmt {
            Stmt::Block(parts) => {
                let parts = parts.into_iter().map(|part| map(self, part));
                Stmt::Block(parts.collect::<Option<_>>()?)
            }
            Stmt::Let { var, value, body } => Stmt::Let { var, value, body: map(self, body)? },
            Stmt::If { condition, then_branch, else_branch } => Stmt::If {
                condition,
                then_branch: map(self, then_branch)?,
                else_branch: match else_branch {
                    Some(other) => Some(map(self, other)?),
                    None => None,
                },
            },
            Stmt::For { var, min, extent, kind, body } => {
                Stmt::For { var, min, extent, kind, body: map(self, body)? }
            }
            Stmt::Allocate { buffer, body } => Stmt::Allocate { buffer, body: map(self, body)? },
            Stmt::Labeled { label, body } => Stmt::Labeled { label, body: map(self, body)? },
            other @ (Stmt::Assert { .. } | Stmt::Provide { .. } | Stmt::Store { .. }) => other,
        })
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
        let found = match self.pool.get_stmt(id).clone() {
            Stmt::Block(parts) => parts.into_iter().any(|part| self.touches(part)),
            Stmt::Let { value, body, .. } => self.touches_in(value) || self.touches(body),
            Stmt::If { condition, then_branch, else_branch } => {
                self.touches_in(condition)
                    || self.touches(then_branch)
                    || else_branch.is_some_and(|other| self.touches(other))
            }
            Stmt::For { min, extent, body, .. } => {
                self.touches_in(min) || self.touches_in(extent) || self.touches(body)
            }
            Stmt::Allocate { body, .. } | Stmt::Labeled { body, .. } => self.touches(body),
            Stmt::Assert { condition, .. } => self.touches_in(condition),
            Stmt::Provide { .. } => false,
            Stmt::Store { buffer, index, value, .. } => {
                buffer == self.buffer || self.touches_in(index) || self.touches_in(value)
            }
        };
        self.touched.insert(id, found);
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
        let stmt = match self.walk.pool.get_stmt(id).clone() {
            Stmt::Block(parts) => {
                Stmt::Block(parts.into_iter().map(|part| self.stmt(part)).collect())
            }
            Stmt::Let { var, value, body } => {
                Stmt::Let { var, value: self.expr(value), body: self.stmt(body) }
            }
            Stmt::If { condition, then_branch, else_branch } => Stmt::If {
                condition: self.expr(condition),
                then_branch: self.stmt(then_branch),
                else_branch: else_branch.map(|other| self.stmt(other)),
            },
            Stmt::For { var, min, extent, kind, body } => Stmt::For {
                var,
                min: self.expr(min),
                extent: self.expr(extent),
                kind,
                body: self.stmt(body),
            },
            Stmt::Allocate { buffer, body } => Stmt::Allocate { buffer, body: self.stmt(body) },
            Stmt::Labeled { label, body } => Stmt::Labeled { label, body: self.stmt(body) },
            Stmt::Store { buffer, index, value, prophecy, atomic } => {
                let (index, value) = (self.expr(index), self.expr(value));
                let buffer = if buffer == self.walk.buffer { self.own } else { buffer };
                Stmt::Store { buffer, index, value, prophecy, atomic }
            }
            other @ (Stmt::Assert { .. } | Stmt::Provide { .. }) => other,
        };
        self.walk.pool.stmt(stmt)
    }
}
