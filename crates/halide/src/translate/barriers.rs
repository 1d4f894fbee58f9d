//! Barriers among the threads of a GPU block: splits a loop over threads at its barriers into
//! consecutive loops.
//!
//! # Correctness
//! A barrier stops each thread until all of them reach it, so everything before it happens before
//! everything after it. The loop over threads whose body is `A; barrier; B` is therefore equal to
//! the loop over `A` followed by the loop over `B`. A barrier may stand only in loops over threads,
//! producers, scopes and names. Names are bound anew in each part, so their values must not read
//! memory, which may be written in between. A barrier elsewhere is not translated, nor is memory of
//! one thread that lives across a barrier.

use super::error::{Result, unsupported};
use super::kernels::reads_memory;
use crate::Names;
use crate::tree::{Block, Construct, Expr, ForKind, Stmt, StmtKind};

/// Splits a loop over threads into the loops between its barriers, if it has any.
pub(super) fn phases(names: &Names, stmt: &Stmt) -> Result<Option<Block>> {
    let is_thread_loop = matches!(
        stmt.kind,
        StmtKind::For { name: _, min: _, extent: _, kind: ForKind::GpuThread, device: _, body: _ }
    );
    if !is_thread_loop || !has_barrier(names, std::slice::from_ref(stmt)) {
        return Ok(None);
    }
    Ok(Some(divided(names, stmt)?))
}

/// Splits a loop over threads at its barriers.
fn divided(names: &Names, stmt: &Stmt) -> Result<Vec<Stmt>> {
    let at = stmt.at;
    if let StmtKind::For { name, min, extent, kind: kind @ ForKind::GpuThread, device, body } =
        &stmt.kind
    {
        let wrap = |body| {
            let (min, extent) = (min.clone(), extent.clone());
            let kind =
                StmtKind::For { name: *name, min, extent, kind: *kind, device: *device, body };
            Stmt { at, kind }
        };
        let device = device.map(|device| names.text(device));
        return Ok(parts((names, device), body)?.into_iter().map(wrap).collect());
    }
    unsupported("a barrier in something else than loops over threads").map_err(|what| what.at(at))
}

/// Splits a producer or scope within a thread at its barriers.
fn within(names: &Names, device: Option<&str>, stmt: &Stmt) -> Result<Vec<Stmt>> {
    let at = stmt.at;
    if let StmtKind::ProducerConsumer { name, role, body } = &stmt.kind {
        let wrap =
            |body| Stmt { at, kind: StmtKind::ProducerConsumer { name: *name, role: *role, body } };
        return Ok(parts((names, device), body)?.into_iter().map(wrap).collect());
    }
    if let StmtKind::Scope(body) = &stmt.kind {
        let wrap = |body| Stmt { at, kind: StmtKind::Scope(body) };
        return Ok(parts((names, device), body)?.into_iter().map(wrap).collect());
    }
    divided(names, stmt)
}

/// The parts of a block between barriers.
fn parts((names, device): (&Names, Option<&str>), block: &[Stmt]) -> Result<Vec<Block>> {
    let mut bound: Block = Vec::new();
    let mut done: Vec<Block> = Vec::new();
    let mut open: Block = Vec::new();
    let more = |rest: &[Stmt]| has_barrier(names, rest);
    for (number, stmt) in block.iter().enumerate() {
        if let Some(fence) = barrier(names, stmt) {
            if !orders(device, fence) {
                return unsupported("a barrier that does not order all memory")
                    .map_err(|what| what.at(stmt.at));
            }
            done.push(std::mem::replace(&mut open, bound.clone()));
            continue;
        }
        if has_barrier(names, std::slice::from_ref(stmt)) {
            let mut parts = within(names, device, stmt)?.into_iter();
            open.extend(parts.next());
            for part in parts {
                done.push(std::mem::replace(&mut open, bound.clone()));
                open.push(part);
            }
            continue;
        }
        let crosses = more(&block[number + 1..]);
        if let StmtKind::Let { name: _, value } = &stmt.kind {
            if crosses && reads_memory(value) {
                return unsupported("a name that reads memory before a barrier")
                    .map_err(|what| what.at(stmt.at));
            }
            bound.push(stmt.clone());
        } else if crosses && stmt.construct() == Construct::Allocate {
            return unsupported("memory of a thread that lives across a barrier")
                .map_err(|what| what.at(stmt.at));
        }
        open.push(stmt.clone());
    }
    done.push(open);
    Ok(done)
}

/// The arguments of a call, if the statement is a barrier.
fn barrier<'s>(names: &Names, stmt: &'s Stmt) -> Option<&'s [Expr]> {
    let StmtKind::Evaluate(Expr::Call(call)) = &stmt.kind else { return None };
    (names.text(call.name) == "gpu_thread_barrier").then_some(&call.args)
}

/// Tests whether a barrier makes the writes of each thread visible to all others. On CUDA every
/// barrier does. On other devices the argument selects the memory: 1 for the device's, 2 for the
/// block's.
fn orders(device: Option<&str>, fence: &[Expr]) -> bool {
    let [Expr::Int(fence, _)] = fence else { return false };
    device == Some("CUDA") && (0..=3).contains(fence) || *fence == 3
}

fn has_barrier(names: &Names, block: &[Stmt]) -> bool {
    block.iter().any(|stmt| {
        let mut found = barrier(names, stmt).is_some();
        stmt.for_each_block(&mut |block| found |= has_barrier(names, block));
        found
    })
}
