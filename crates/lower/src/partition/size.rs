//! Limits on the size of code that is copied.

use halidom_ir::visit::{self, for_each_expr};
use halidom_ir::{Pool, StmtId};

/// The maximum size of a body that is copied, in statements and subexpressions.
pub(super) const MOST_COPIED: usize = 1500;
/// The same where the schedule demands a partition: each level of a nest of such loops multiplies
/// the size.
pub(super) const MOST_DEMANDED: usize = 30_000;
/// The same for loops with loop-invariant conditions: rows that are unrolled, each under a test.
pub(super) const MOST_SWITCHED: usize = 6000;

/// Counts the statements and the distinct subexpressions of each expression.
pub(super) fn size(pool: &Pool, id: StmtId) -> usize {
    let mut count = visit::count(pool, id);
    for_each_expr(pool, id, &mut |_, expr| pool.for_each_subexpr(expr, &mut |_, _| count += 1));
    count
}
