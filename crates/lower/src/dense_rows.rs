//! Checks at entry that rows have no gaps where vectors access them.

use halidom_base::FxHashSet;
use halidom_ir::visit::{for_each_expr, parts};
use halidom_ir::{BinaryOp, BufferId, Check, Expr, LoopKind, Pool, Program, Stmt, StmtId};

use crate::LowerError;

/// Adds an entry check that the first dimension of a caller's buffer has stride 1, for each buffer
/// that is read or written under a vectorized loop. Otherwise each of its vectors would be gathered
/// element by element.
///
/// Requires: storage is flattened.
/// Ensures: the new checks follow the others.
pub fn dense_rows(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    let mut accessed = FxHashSet::default();
    in_vectors(pool, program.body, false, &mut accessed);
    let mut checks = Vec::new();
    // The components of an output have one shape.
    let outputs = program.outputs.iter().map(|output| output.buffers.clone());
    for buffers in program.inputs.iter().map(|input| vec![*input]).chain(outputs) {
        let Some(decl) = buffers.first().map(|buffer| pool.buffer(*buffer)) else { continue };
        let (func, first) = (decl.func, decl.dims.first().copied());
        let dense = buffers.iter().any(|buffer| accessed.contains(buffer));
        if let (true, Some(dim)) = (dense, first) {
            let one = pool.int(1);
            let condition = pool.binary(BinaryOp::Eq, dim.stride, one);
            checks.push(pool.stmt(Stmt::Assert { condition, check: Check::Layout { func } }));
        }
    }
    if checks.is_empty() {
        return Ok(program);
    }
    let mut stmts = parts(pool, program.body);
    let is_check = |stmt: &StmtId| matches!(pool.get_stmt(*stmt), Stmt::Assert { .. });
    let place = stmts.iter().rposition(is_check).map_or(0, |last| last + 1);
    stmts.splice(place..place, checks);
    let body = pool.stmt(Stmt::Block(stmts));
    Ok(Program { body, ..program })
}

/// Adds the buffers that are loaded from or stored to within vectorized loops.
fn in_vectors(pool: &Pool, id: StmtId, within: bool, accessed: &mut FxHashSet<BufferId>) {
    let stmt = pool.get_stmt(id);
    let vectorized = matches!(stmt, Stmt::For { kind: LoopKind::Vectorized, .. });
    if within || !vectorized {
        if let (true, Stmt::Store { buffer, .. }) = (within, stmt) {
            accessed.insert(*buffer);
        }
        for child in stmt.children() {
            in_vectors(pool, child, within, accessed);
        }
        return;
    }
    for_each_expr(pool, id, &mut |role, expr| {
        if role.is_annotation() {
            return;
        }
        pool.for_each_subexpr(expr, &mut |_, expr| {
            if let Expr::Load { buffer, .. } = expr {
                accessed.insert(*buffer);
            }
        });
    });
    for child in stmt.children() {
        in_vectors(pool, child, true, accessed);
    }
}
