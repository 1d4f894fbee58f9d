//! The memory that the iterations of a parallel loop share.

use halidom_base::FxHashSet;
use halidom_ir::visit::for_each_stmt;
use halidom_ir::{BufferId, Pool, Stmt, StmtId};

/// Returns the buffers that the iterations of a parallel loop write but do not allocate themselves.
/// While one iteration runs, another may write them.
pub(crate) fn written_together(pool: &Pool, body: StmtId) -> FxHashSet<BufferId> {
    let (mut written, mut own) = (FxHashSet::default(), FxHashSet::default());
    // Final programs have flattened storage, so only stores write.
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
