//! Memory that the iterations of a parallel loop share.

use std::collections::BTreeSet;

use halidom_ir::{BufferId, Pool, Stmt, StmtId};

/// Returns the buffers that a statement writes and does not allocate itself. If the iterations of a
/// parallel loop run the statement, one of them may write such a buffer while another reads it.
pub(crate) fn written_outside(pool: &Pool, id: StmtId) -> BTreeSet<BufferId> {
    match pool.get_stmt(id) {
        Stmt::Block(stmts) => stmts.iter().flat_map(|stmt| written_outside(pool, *stmt)).collect(),
        Stmt::Let { body, .. } | Stmt::For { body, .. } | Stmt::Labeled { body, .. } => {
            written_outside(pool, *body)
        }
        Stmt::If { condition: _, then_branch, else_branch } => {
            let mut written = written_outside(pool, *then_branch);
            written.extend(else_branch.iter().flat_map(|stmt| written_outside(pool, *stmt)));
            written
        }
        Stmt::Allocate { buffer, body } => {
            let mut written = written_outside(pool, *body);
            written.remove(buffer);
            written
        }
        Stmt::Store { buffer, .. } => BTreeSet::from([*buffer]),
        // A check writes nothing, and the comparison refuses a `Provide`.
        Stmt::Assert { .. } | Stmt::Provide { .. } => BTreeSet::new(),
    }
}
