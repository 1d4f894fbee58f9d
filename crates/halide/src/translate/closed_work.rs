//! Assertions after work that is the same in all runs.
//!
//! # Correctness
//! Let an assertion be in no loop and under no condition, and let its condition depend on
//! parameters and shapes alone. Let all work before it be *closed*: it reads and writes nothing but
//! the pipeline's own memory of constant size, calls no named function, and depends on no
//! parameter, shape or caller's element. Then this work is the same in every run that begins it, so
//! if it is shown to be right in the runs that pass the assertion, and there is such a run, it is
//! right in all runs. (That there is such a run is owed with the entry checks.) It leaves nothing
//! that a caller sees. So the assertion is an entry check like those before the work: a run that
//! fails it ends with an error in the statement too, and no other run is refused. The assertion
//! itself stays an obligation in its place.
//!
//! The statement may meanwhile allocate memory whose size depends on the inputs, as long as no work
//! accesses it. A failed allocation ends the run with an error too. Of two such assertions, the
//! first may fail to overflow only because the second holds. The statement's own entry checks are
//! read in the same way: a run in which the first one overflows fails the second one.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{BufferId, BufferKind, Expr, ExprId, Pool, Stmt, StmtId, VarId};

/// Returns the entry checks for the assertions that come after closed work. `late` maps the
/// obligation of each assertion in no loop and under no condition to its entry check.
pub(super) fn checks_after(
    pool: &Pool,
    body: StmtId,
    late: &FxHashMap<StmtId, StmtId>,
) -> Vec<StmtId> {
    let (vars, memory) = (FxHashSet::default(), FxHashSet::default());
    let mut work = Work { pool, late, vars, memory, checks: Vec::new() };
    if !late.is_empty() {
        work.leads_on(body);
    }
    work.checks
}

/// Work from the beginning of a statement on.
struct Work<'w> {
    pool: &'w Pool,
    late: &'w FxHashMap<StmtId, StmtId>,
    /// Variables with the same value in all runs.
    vars: FxHashSet<VarId>,
    /// Memory of constant size, which only closed work has accessed so far.
    memory: FxHashSet<BufferId>,
    checks: Vec<StmtId>,
}

impl Work<'_> {
    /// Follows a statement that always runs. Returns true if all work up to its end is closed.
    fn leads_on(&mut self, id: StmtId) -> bool {
        if let Some(check) = self.late.get(&id) {
            self.checks.push(*check);
            return true;
        }
        match self.pool.get_stmt(id) {
            Stmt::Block(parts) => parts.iter().all(|part| self.leads_on(*part)),
            Stmt::Labeled { body, .. } => self.leads_on(*body),
            Stmt::Let { var, value, body } => {
                // A name of a caller's size does no work, as long as no work depends on it.
                if self.is_closed_expr(*value) {
                    self.vars.insert(*var);
                } else if !self.is_idle(*value) {
                    return false;
                }
                self.leads_on(*body)
            }
            Stmt::Allocate { buffer, body } => {
                self.allocate(*buffer);
                self.leads_on(*body)
            }
            Stmt::Assert { .. } => true,
            Stmt::If { .. } | Stmt::For { .. } | Stmt::Provide { .. } | Stmt::Store { .. } => {
                self.is_closed(id)
            }
        }
    }

    /// Tests whether a statement is closed.
    fn is_closed(&mut self, id: StmtId) -> bool {
        match self.pool.get_stmt(id) {
            Stmt::Block(parts) => parts.iter().all(|part| self.is_closed(*part)),
            Stmt::Labeled { body, .. } => self.is_closed(*body),
            Stmt::Let { var, value, body } => {
                self.is_closed_expr(*value) && {
                    self.vars.insert(*var);
                    self.is_closed(*body)
                }
            }
            Stmt::If { condition, then_branch, else_branch } => {
                self.is_closed_expr(*condition)
                    && self.is_closed(*then_branch)
                    && else_branch.is_none_or(|other| self.is_closed(other))
            }
            Stmt::For { var, min, extent, kind: _, body } => {
                self.is_closed_expr(*min) && self.is_closed_expr(*extent) && {
                    self.vars.insert(*var);
                    self.is_closed(*body)
                }
            }
            Stmt::Allocate { buffer, body } => {
                self.allocate(*buffer);
                self.is_closed(*body)
            }
            Stmt::Store { buffer, index, value, prophecy: _, atomic: _ } => {
                self.memory.contains(buffer)
                    && self.is_closed_expr(*index)
                    && self.is_closed_expr(*value)
            }
            Stmt::Assert { .. } | Stmt::Provide { .. } => false,
        }
    }

    /// Admits memory to closed work if its size is constant.
    fn allocate(&mut self, buffer: BufferId) {
        let decl = self.pool.buffer(buffer);
        let mut sizes = decl.dims.iter().flat_map(|dim| [dim.min, dim.extent, dim.stride]);
        let is_constant = sizes.all(|size| self.pool.as_constant(size).is_some());
        if is_constant && decl.kind == BufferKind::Internal {
            self.memory.insert(buffer);
        }
    }

    /// Tests whether an expression depends on nothing that a caller gives.
    fn is_closed_expr(&self, root: ExprId) -> bool {
        let mut is_closed = true;
        self.pool.for_each_subexpr(root, &mut |_, node| {
            is_closed &= match node {
                Expr::Var(var) => self.vars.contains(var),
                Expr::Load { buffer, .. } => self.memory.contains(buffer),
                Expr::Apply { .. } | Expr::Ref { .. } | Expr::Hole(_) => false,
                Expr::Const(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select { .. }
                | Expr::Cast(..)
                | Expr::Call(..)
                | Expr::Ramp { .. }
                | Expr::Broadcast { .. }
                | Expr::Shuffle { .. } => true,
            };
        });
        is_closed
    }

    /// Tests whether an expression reads no memory and calls no named function.
    fn is_idle(&self, root: ExprId) -> bool {
        let mut is_idle = true;
        self.pool.for_each_subexpr(root, &mut |_, node| {
            let acts = matches!(node, Expr::Load { .. } | Expr::Apply { .. } | Expr::Ref { .. });
            is_idle &= !acts;
        });
        is_idle
    }
}
