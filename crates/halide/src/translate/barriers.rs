//! Barriers among the threads of a block of a GPU: a loop over threads with barriers in it, as loops one after the other.
//!
//! # Correctness
//! A barrier lets no thread go on before all have come to it, so that everything before it happens before anything after it: the loop over threads whose body is `A; barrier; B` is the loop
//! over `A`, then the loop over `B`. A barrier stands in loops over threads, producers, scopes and names alone; names are bound anew in each part, and must not read memory, which may be
//! written in between. A barrier elsewhere, and memory of one thread that lives across it, are not translated.

use super::error::{Result, unsupported};
use super::program::for_each_block;
use crate::Names;
use crate::tree::{Block, Expr, ForKind, Stmt, StmtKind};

/// The loops that a loop over threads is, if there is a barrier in it.
pub(super) fn phases(names: &Names, stmt: &Stmt) -> Result<Option<Block>> {
    let is_thread_loop = matches!(stmt.kind, StmtKind::For { kind: ForKind::GpuThread, .. });
    if !is_thread_loop || !has_barrier(names, std::slice::from_ref(stmt)) {
        return Ok(None);
    }
    Ok(Some(divided(names, stmt)?))
}

/// A statement with barriers in it, part by part.
fn divided(names: &Names, stmt: &Stmt) -> Result<Vec<Stmt>> {
    let at = stmt.at;
    match &stmt.kind {
        StmtKind::For { name, min, extent, kind: kind @ ForKind::GpuThread, device, body } => {
            let wrap = |body| {
                let (min, extent) = (min.clone(), extent.clone());
                let kind =
                    StmtKind::For { name: *name, min, extent, kind: *kind, device: *device, body };
                Stmt { at, kind }
            };
            Ok(parts(names, body)?.into_iter().map(wrap).collect())
        }
        StmtKind::ProducerConsumer { name, role, body } => {
            let wrap = |body| Stmt {
                at,
                kind: StmtKind::ProducerConsumer { name: *name, role: *role, body },
            };
            Ok(parts(names, body)?.into_iter().map(wrap).collect())
        }
        StmtKind::Scope(body) => {
            let wrap = |body| Stmt { at, kind: StmtKind::Scope(body) };
            Ok(parts(names, body)?.into_iter().map(wrap).collect())
        }
        StmtKind::For { .. }
        | StmtKind::Let { .. }
        | StmtKind::Assert { .. }
        | StmtKind::Acquire { .. }
        | StmtKind::Store { .. }
        | StmtKind::Provide { .. }
        | StmtKind::Allocate { .. }
        | StmtKind::Free(_)
        | StmtKind::Realize { .. }
        | StmtKind::Fork(_)
        | StmtKind::If { .. }
        | StmtKind::Evaluate(_)
        | StmtKind::Prefetch { .. }
        | StmtKind::Atomic { .. }
        | StmtKind::HoistedStorage { .. } => {
            unsupported("a barrier in something else than loops over threads")
                .map_err(|what| what.at(at))
        }
    }
}

/// The parts of a block between barriers.
fn parts(names: &Names, block: &[Stmt]) -> Result<Vec<Block>> {
    let mut bound: Block = Vec::new();
    let mut done: Vec<Block> = Vec::new();
    let mut open: Block = Vec::new();
    let more = |rest: &[Stmt]| has_barrier(names, rest);
    for (number, stmt) in block.iter().enumerate() {
        if is_barrier(names, stmt) {
            done.push(std::mem::replace(&mut open, bound.clone()));
            continue;
        }
        if has_barrier(names, std::slice::from_ref(stmt)) {
            let mut parts = divided(names, stmt)?.into_iter();
            open.extend(parts.next());
            for part in parts {
                done.push(std::mem::replace(&mut open, bound.clone()));
                open.push(part);
            }
            continue;
        }
        let crosses = more(&block[number + 1..]);
        if let StmtKind::Let { value, .. } = &stmt.kind {
            if crosses && reads_memory(value) {
                return unsupported("a name that reads memory before a barrier")
                    .map_err(|what| what.at(stmt.at));
            }
            bound.push(stmt.clone());
        } else if crosses && matches!(stmt.kind, StmtKind::Allocate { .. }) {
            return unsupported("memory of a thread that lives across a barrier")
                .map_err(|what| what.at(stmt.at));
        }
        open.push(stmt.clone());
    }
    done.push(open);
    Ok(done)
}

fn is_barrier(names: &Names, stmt: &Stmt) -> bool {
    if let StmtKind::Evaluate(Expr::Call(call)) = &stmt.kind {
        names.text(call.name) == "gpu_thread_barrier"
    } else {
        false
    }
}

fn has_barrier(names: &Names, block: &[Stmt]) -> bool {
    block.iter().any(|stmt| {
        let mut found = is_barrier(names, stmt);
        for_each_block(stmt, &mut |block| found |= has_barrier(names, block));
        found
    })
}

fn reads_memory(expr: &Expr) -> bool {
    let mut found = matches!(expr, Expr::Load(_));
    expr.for_each_operand(&mut |operand| found |= reads_memory(operand));
    found
}
