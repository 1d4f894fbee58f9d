//! Tasks that run at one time, in one of the orders that their semaphores allow.
//!
//! # Correctness
//! The order is one of those in which the tasks can run: a statement that is wrong in it is wrong. That all others give the same is not judged, and said in a note. Tasks that wait for
//! nothing but what tasks before them release run one after the other. A task that waits for one after it (memory of a few iterations) shares that one's loop, iteration by
//! iteration; both loops must be the same.

use super::error::{Result, unsupported};
use super::program::for_each_block;
use crate::NameId;
use crate::tree::{Block, Expr, ForKind, Stmt, StmtKind};

/// What is said of the order.
pub(super) const NOTE: &str =
    "not judged: that all orders which semaphores allow give the same; one of them is judged";

/// The tasks as one block.
pub(super) fn in_order(tasks: &[Block]) -> Result<Block> {
    let mut result: Block = Vec::new();
    let mut rest = tasks.iter();
    while let Some(task) = rest.next() {
        if !waits(task) || rest.len() == 0 {
            result.extend(task.iter().cloned());
            continue;
        }
        let later = in_order(&rest.cloned().collect::<Vec<_>>())?;
        match together(task, &later) {
            Some(merged) => result.extend(merged),
            None => return unsupported("tasks that wait for each other in loops that differ"),
        }
        return Ok(result);
    }
    Ok(result)
}

/// Whether a block waits for a semaphore.
fn waits(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| {
        let mut found = matches!(stmt.kind, StmtKind::Acquire { .. });
        for_each_block(stmt, &mut |block| found |= waits(block));
        found
    })
}

/// A loop, and the names before it.
struct Loop<'s> {
    before: &'s [Stmt],
    at: usize,
    name: NameId,
    range: [&'s Expr; 2],
    body: &'s Block,
}

/// A block of names and one serial loop.
fn as_loop(block: &Block) -> Option<Loop<'_>> {
    let (last, before) = block.split_last()?;
    if !before.iter().all(|stmt| matches!(stmt.kind, StmtKind::Let { .. })) {
        return None;
    }
    if let StmtKind::For { name, min, extent, kind: ForKind::Serial, body, .. } = &last.kind {
        Some(Loop { before, at: last.at, name: *name, range: [min, extent], body })
    } else {
        None
    }
}

/// Two blocks whose loops are the same, as one loop: in each iteration the first, then the second.
fn together(first: &Block, second: &Block) -> Option<Block> {
    if let [Stmt { at, kind: StmtKind::ProducerConsumer { name, role, body } }] = second.as_slice()
    {
        let body = together(first, body)?;
        let kind = StmtKind::ProducerConsumer { name: *name, role: *role, body };
        return Some(vec![Stmt { at: *at, kind }]);
    }
    let (one, other) = (as_loop(first)?, as_loop(second)?);
    if one.range != other.range {
        return None;
    }
    let mut body = one.body.clone();
    // The second loop's variable is the first's.
    let value = Expr::Variable { name: one.name, ty: None };
    body.push(Stmt { at: other.at, kind: StmtKind::Let { name: other.name, value } });
    body.extend(other.body.iter().cloned());
    let [min, extent] = one.range.map(Clone::clone);
    let kind =
        StmtKind::For { name: one.name, min, extent, kind: ForKind::Serial, device: None, body };
    let mut block: Block = one.before.iter().chain(other.before).cloned().collect();
    block.push(Stmt { at: one.at, kind });
    Some(block)
}
