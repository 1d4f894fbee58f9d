//! Compares two programs up to the names of values, the choice between a name and its value, and
//! the order of integer sums.

use halidom_base::FxHashMap;
use halidom_ir::{
    BufferDecl, BufferId, BufferKind, Expr, ExprId, Pool, Program, Scalar, Stmt, StmtId,
};

use super::form::Form;
use super::forms::{Env, Forms};

/// Tests whether two programs of one pool do the same in the same order.
pub fn same(pool: &mut Pool, one: &Program, other: &Program) -> bool {
    let outputs: Vec<(BufferId, BufferId)> =
        one.output_buffers().zip(other.output_buffers()).collect();
    let forms = Forms::new(pool);
    let mut walk = Walk { forms, env: Env::default(), buffers: FxHashMap::default() };
    one.inputs == other.inputs
        && one.params == other.params
        && one.output_buffers().count() == other.output_buffers().count()
        && outputs.into_iter().all(|(one, other)| walk.output(one, other))
        && walk.stmts(vec![one.body], vec![other.body])
}

struct Walk<'p> {
    /// Knows the values of names, and the variables of the other program in terms of the first.
    forms: Forms<'p>,
    env: Env,
    /// Maps the other program's buffers to the first program's.
    buffers: FxHashMap<BufferId, BufferId>,
}

impl Walk<'_> {
    fn output(&mut self, one: BufferId, other: BufferId) -> bool {
        let pool = &self.forms.pool;
        let (own, theirs) = (pool.buffer(one).clone(), pool.buffer(other).clone());
        for (own, theirs) in own.dims.iter().zip(&theirs.dims) {
            let pairs =
                [(own.min, theirs.min), (own.extent, theirs.extent), (own.stride, theirs.stride)];
            for (own, theirs) in pairs {
                if let Expr::Var(var) = *self.forms.pool.get(theirs)
                    && own != theirs
                {
                    self.forms.define(var, own);
                }
            }
        }
        self.buffers.insert(other, one);
        own.kind == BufferKind::Output
            && (own.func, own.component) == (theirs.func, theirs.component)
    }

    /// An expression in terms of the first program, with names expanded.
    fn expr(&mut self, root: ExprId) -> ExprId {
        let ty = self.forms.pool.ty(root);
        let expr = if ty.scalar == Scalar::Int {
            let form: Form = self.forms.form_in(root, &mut self.env);
            self.forms.expr(&form)
        } else {
            self.forms.settled(root, &mut self.env)
        };
        self.renamed(expr, &mut FxHashMap::default())
    }

    /// The same with the first program's buffers.
    fn renamed(&mut self, root: ExprId, done: &mut FxHashMap<ExprId, ExprId>) -> ExprId {
        if let Some(known) = done.get(&root) {
            return *known;
        }
        let node = self.forms.pool.get(root).clone();
        let mut node = node.map_operands(|operand| self.renamed(operand, done));
        if let Expr::Load { buffer, .. } = &mut node
            && let Some(own) = self.buffers.get(buffer)
        {
            *buffer = *own;
        }
        let result = self.forms.pool.expr(node);
        done.insert(root, result);
        result
    }

    fn exprs(&mut self, one: ExprId, other: ExprId) -> bool {
        let lanes = self.forms.pool.ty(one).lanes == self.forms.pool.ty(other).lanes;
        lanes && self.expr(one) == self.expr(other)
    }

    fn reads(&self, expr: ExprId) -> bool {
        let mut found = false;
        let pool = &self.forms.pool;
        pool.for_each_subexpr(expr, &mut |_, node| found |= matches!(node, Expr::Load { .. }));
        found
    }

    /// The next statement other than a block and a let that reads no memory. The statements after
    /// it stay pending.
    fn next(&mut self, pending: &mut Vec<StmtId>) -> Option<StmtId> {
        while let Some(id) = pending.pop() {
            let stmt = self.forms.pool.get_stmt(id).clone();
            if let Stmt::Let { var, value, .. } = stmt {
                if self.reads(value) {
                    return Some(id);
                }
                self.forms.define(var, value);
            }
            if !matches!(stmt, Stmt::Block(_) | Stmt::Labeled { .. } | Stmt::Let { .. }) {
                return Some(id);
            }
            pending.extend(stmt.children().rev());
        }
        None
    }

    /// Tests whether two sequences of statements are the same. Each list is in reverse order.
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
        let other = self.forms.pool.get_stmt(other).clone();
        match (self.forms.pool.get_stmt(one).clone(), other) {
            (
                Stmt::Let { var, value, body },
                Stmt::Let { var: their_var, value: theirs, body: their_body },
            ) => {
                if !self.exprs(value, theirs) {
                    return false;
                }
                let own = self.forms.pool.var_expr(var);
                self.forms.define(their_var, own);
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
                let own = self.forms.pool.var_expr(var);
                self.forms.define(their_var, own);
                self.body(body, their_body)
            }
            (
                Stmt::Allocate { buffer, body },
                Stmt::Allocate { buffer: their_buffer, body: their_body },
            ) => {
                let theirs = self.forms.pool.buffer(their_buffer).clone();
                let own = self.forms.pool.buffer(buffer).clone();
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
