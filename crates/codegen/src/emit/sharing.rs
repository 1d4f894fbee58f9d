//! The memory that the iterations of a parallel loop share.

use halidom_base::FxHashSet;
use halidom_ir::{BufferId, Pool, Stmt, StmtId};

/// Returns the buffers that the iterations of a parallel loop write but do not allocate themselves.
/// While one iteration runs, another may write them.
pub(crate) fn written_together(pool: &Pool, body: StmtId) -> FxHashSet<BufferId> {
    let mut search = Search { pool, written: FxHashSet::default(), own: FxHashSet::default() };
    search.stmt(body);
    let Search { written, own, .. } = search;
    written.difference(&own).copied().collect()
}

struct Search<'a> {
    pool: &'a Pool,
    written: FxHashSet<BufferId>,
    own: FxHashSet<BufferId>,
}

impl Search<'_> {
    fn stmt(&mut self, id: StmtId) {
        match self.pool.get_stmt(id) {
            Stmt::Block(stmts) => stmts.iter().for_each(|stmt| self.stmt(*stmt)),
            Stmt::Let { body, .. } | Stmt::For { body, .. } | Stmt::Labeled { body, .. } => {
                self.stmt(*body);
            }
            Stmt::If { then_branch, else_branch, .. } => {
                self.stmt(*then_branch);
                if let Some(else_branch) = else_branch {
                    self.stmt(*else_branch);
                }
            }
            Stmt::Allocate { buffer, body } => {
                self.own.insert(*buffer);
                self.stmt(*body);
            }
            Stmt::Store { buffer, .. } => {
                self.written.insert(*buffer);
            }
            // Neither writes: final programs have flattened storage, hence no provides.
            Stmt::Assert { .. } | Stmt::Provide { .. } => {}
        }
    }
}
