//! Statements that write a func to a file (`debug_to_file`).
//!
//! # Correctness
//! The call writes to none of the pipeline's memory, and its result only decides whether the run
//! ends with an error. The call and this check are taken out; what is written is not judged, and
//! the verdict says so. A statement that uses the result otherwise names something unknown then,
//! and is refused. Nothing is taken out if the result's name also stands for something else.

use halidom_base::FxHashSet;

use super::scopes::belong;
use crate::tree::{BinaryOp, Block, Expr, Stmt, StmtKind};
use crate::{NameId, Names};

/// The name of the function.
const FUNCTION: &str = "debug_to_file";

/// The statements without those that write files; nothing if there are none.
pub(super) fn without(names: &Names, block: &Block) -> Option<Block> {
    let mut results = FxHashSet::default();
    collect(names, block, &mut results);
    let is_call = |stmt: &Stmt| result(names, stmt).is_some();
    if results.is_empty() || !belong(block, &results, &is_call) {
        return None;
    }
    let mut block = block.clone();
    strip(&mut block, &results);
    Some(block)
}

fn collect(names: &Names, block: &[Stmt], results: &mut FxHashSet<NameId>) {
    for stmt in block {
        results.extend(result(names, stmt));
        stmt.for_each_block(&mut |inner| collect(names, inner, results));
    }
}

/// The name of the result, if a statement is the call.
fn result(names: &Names, stmt: &Stmt) -> Option<NameId> {
    if let StmtKind::Let { name, value: Expr::Call(call) } = &stmt.kind
        && names.text(call.name) == FUNCTION
        && let [Expr::String(_), Expr::Variable { name: buffer, ty: _ }] = call.args.as_slice()
        && names.text(*buffer).ends_with(".buffer")
    {
        return Some(*name);
    }
    None
}

fn strip(block: &mut Block, results: &FxHashSet<NameId>) {
    block.retain_mut(|stmt| {
        stmt.kind.for_each_body_mut(&mut |body| strip(body, results));
        if let StmtKind::Let { name, value: _ } = &stmt.kind {
            return !results.contains(name);
        }
        if let StmtKind::Assert { condition: Expr::Binary(BinaryOp::Eq, operands), message: _ } =
            &stmt.kind
            && let [Expr::Variable { name, ty: _ }, Expr::Int(0, _)] = &**operands
        {
            return !results.contains(name);
        }
        true
    });
}
