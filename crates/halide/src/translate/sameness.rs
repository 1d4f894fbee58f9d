//! Whether two programs are one but for names, and for values that have a name in one and stand in place in the other.

use halidom_base::FxHashMap;
use halidom_ir::{BufferDecl, BufferId, BufferKind, Expr, ExprId, Pool, Program, Stmt, StmtId, VarId};

/// Whether two programs of one pool do the same in the same order.
pub fn same(pool: &mut Pool, one: &Program, other: &Program) -> bool {
    let mut walk = Walk { pool, values: FxHashMap::default(), buffers: FxHashMap::default() };
    let outputs: Vec<(BufferId, BufferId)> =
        one.output_buffers().zip(other.output_buffers()).collect();
    one.inputs == other.inputs
        && one.params == other.params
        && one.output_buffers().count() == other.output_buffers().count()
        && outputs.into_iter().all(|(one, other)| walk.output(one, other))
        && walk.stmts(vec![one.body], vec![other.body])
}

struct Walk<'p> {
    pool: &'p mut Pool,
    /// What names of values stand for, and the variables of the other program, in terms of the first.
    values: FxHashMap<VarId, ExprId>,
    /// Buffers of the other program.
    buffers: FxHashMap<BufferId, BufferId>,
}

impl Walk<'_> {
    fn output(&mut self, one: BufferId, other: BufferId) -> bool {
        let (own, theirs) = (self.pool.buffer(one).clone(), self.pool.buffer(other).clone());
        for (own, theirs) in own.dims.iter().zip(&theirs.dims) {
            let pairs =
                [(own.min, theirs.min), (own.extent, theirs.extent), (own.stride, theirs.stride)];
            for (own, theirs) in pairs {
                if let Expr::Var(var) = *self.pool.get(theirs) {
                    self.values.insert(var, own);
                }
            }
        }
        self.buffers.insert(other, one);
        own.kind == BufferKind::Output && (own.func, own.component) == (theirs.func, theirs.component)
    }

    /// An expression in the first program's terms, without names.
    fn expr(&mut self, root: ExprId) -> ExprId {
        let mut done = FxHashMap::default();
        self.expanded(root, &mut done)
    }

    fn expanded(&mut self, root: ExprId, done: &mut FxHashMap<ExprId, ExprId>) -> ExprId {
        if let Some(known) = done.get(&root) {
            return *known;
        }
        let node = self.pool.get(root).clone();
        let result = if let Expr::Var(var) = node {
            self.values.get(&var).copied().unwrap_or(root)
        } else {
            let mut node = node.map_operands(|operand| self.expanded(operand, done));
            if let Expr::Load { buffer, .. } = &mut node
                && let Some(own) = self.buffers.get(buffer)
            {
                *buffer = *own;
            }
            self.pool.expr(node)
        };
        done.insert(root, result);
        result
    }

    fn exprs(&mut self, one: ExprId, other: ExprId) -> bool {
        self.expr(one) == self.expr(other)
    }

    fn reads(&self, expr: ExprId) -> bool {
        let mut found = false;
        self.pool.for_each_subexpr(expr, &mut |_, node| found |= matches!(node, Expr::Load { .. }));
        found
    }

    /// The next statement that is no block and no name of what no store changes; what follows it is left.
    fn next(&mut self, pending: &mut Vec<StmtId>) -> Option<StmtId> {
        while let Some(id) = pending.pop() {
            match self.pool.get_stmt(id).clone() {
                Stmt::Block(parts) => pending.extend(parts.into_iter().rev()),
                Stmt::Labeled { body, .. } => pending.push(body),
                Stmt::Let { var, value, body } => {
                    let value = self.expr(value);
                    if self.reads(value) {
                        return Some(id);
                    }
                    self.values.insert(var, value);
                    pending.push(body);
                }
                Stmt::If { .. }
                | Stmt::For { .. }
                | Stmt::Allocate { .. }
                | Stmt::Assert { .. }
                | Stmt::Provide { .. }
                | Stmt::Store { .. } => return Some(id),
            }
        }
        None
    }

    /// Whether statements one after the other are the same; of each list the last comes first.
    fn stmts(&mut self, mut one: Vec<StmtId>, mut other: Vec<StmtId>) -> bool {
        loop {
            match (self.next(&mut one), self.next(&mut other)) {
                (None, None) => return true,
                (Some(a), Some(b)) if self.stmt(a, b) => {}
                (Some(_) | None, _) => return false,
            }
        }
    }

    fn body(&mut self, one: StmtId, other: StmtId) -> bool {
        self.stmts(vec![one], vec![other])
    }

    fn stmt(&mut self, one: StmtId, other: StmtId) -> bool {
        let other = self.pool.get_stmt(other).clone();
        match (self.pool.get_stmt(one).clone(), other) {
            (
                Stmt::Let { var, value, body },
                Stmt::Let { var: their_var, value: theirs, body: their_body },
            ) => {
                if !self.exprs(value, theirs) {
                    return false;
                }
                let own = self.pool.var_expr(var);
                self.values.insert(their_var, own);
                self.body(body, their_body)
            }
            (
                Stmt::If { condition, then_branch, else_branch },
                Stmt::If { condition: theirs, then_branch: their_then, else_branch: their_else },
            ) => {
                self.exprs(condition, theirs)
                    && self.body(then_branch, their_then)
                    && match (else_branch, their_else) {
                        (Some(one), Some(other)) => self.body(one, other),
                        (None, None) => true,
                        (Some(_), None) | (None, Some(_)) => false,
                    }
            }
            (
                Stmt::For { var, min, extent, kind, body },
                Stmt::For { var: their_var, min: a, extent: b, kind: their_kind, body: their_body },
            ) => {
                if kind != their_kind || !self.exprs(min, a) || !self.exprs(extent, b) {
                    return false;
                }
                let own = self.pool.var_expr(var);
                self.values.insert(their_var, own);
                self.body(body, their_body)
            }
            (
                Stmt::Allocate { buffer, body },
                Stmt::Allocate { buffer: their_buffer, body: their_body },
            ) => {
                let theirs = self.pool.buffer(their_buffer).clone();
                let own = self.pool.buffer(buffer).clone();
                if self.decl(own) != self.decl(theirs) {
                    return false;
                }
                self.buffers.insert(their_buffer, buffer);
                self.body(body, their_body)
            }
            (
                Stmt::Assert { condition, check: _ },
                Stmt::Assert { condition: theirs, check: _ },
            ) => self.exprs(condition, theirs),
            (
                Stmt::Store { buffer, index, value, prophecy: _, atomic },
                Stmt::Store {
                    buffer: their_buffer,
                    index: a,
                    value: b,
                    prophecy: _,
                    atomic: their_atomic,
                },
            ) => {
                self.buffers.get(&their_buffer) == Some(&buffer)
                    && atomic == their_atomic
                    && self.exprs(index, a)
                    && self.exprs(value, b)
            }
            (
                Stmt::Block(_)
                | Stmt::Let { .. }
                | Stmt::If { .. }
                | Stmt::For { .. }
                | Stmt::Allocate { .. }
                | Stmt::Labeled { .. }
                | Stmt::Assert { .. }
                | Stmt::Provide { .. }
                | Stmt::Store { .. },
                _,
            ) => false,
        }
    }

    fn decl(&mut self, mut decl: BufferDecl) -> BufferDecl {
        for dim in &mut decl.dims {
            dim.min = self.expr(dim.min);
            dim.extent = self.expr(dim.extent);
            dim.stride = self.expr(dim.stride);
        }
        decl
    }
}
