//! Accesses to one memory that the code generator takes for accesses to different elements.
//!
//! # Correctness
//! Halide 21.0.0 marks an access at constants with the block of elements that contains it
//! (`CodeGen_LLVM::add_tbaa_metadata`), and LLVM takes accesses with different blocks for apart. A
//! vector whose places descend gets the block of its first element alone, so a store may be moved
//! across an access that it changes, or be left out. A dense vector that descends is loaded in
//! ascending order and turned around.

use halidom_base::IndexMap;

use crate::NameId;
use crate::parts::for_each_stmt;
use crate::tree::{Expr, Stmt, StmtKind};

/// The accesses to a memory.
#[derive(Clone, Copy, Default)]
struct Accesses {
    count: usize,
    is_written: bool,
    is_marked_wrongly: bool,
}

/// Finds memory with an access at constants that descend and with another access, if one of them
/// writes.
pub(super) fn by_descending_constants(block: &[Stmt]) -> Option<NameId> {
    let mut found: IndexMap<NameId, Accesses> = IndexMap::default();
    let mut note = |name: NameId, is_written: bool, is_marked_wrongly: bool| {
        let accesses = found.entry(name).or_default();
        accesses.count += 1;
        accesses.is_written |= is_written;
        accesses.is_marked_wrongly |= is_marked_wrongly;
    };
    for_each_stmt(block, &mut |stmt| {
        if let StmtKind::Store { name, index, alignment: _, value: _, predicate: _ } = &stmt.kind {
            note(*name, true, descent(index).is_some());
        }
        stmt.for_each_expr(&mut |expr| {
            expr.for_each_part(&mut |part| {
                if let Expr::Load(load) = part {
                    let descends = descent(&load.index).is_some_and(|stride| stride != -1);
                    note(load.name, false, descends);
                }
            });
        });
    });
    let wrong = found.iter().find(|(_, of)| of.is_marked_wrongly && of.is_written && of.count > 1);
    wrong.map(|(name, _)| *name)
}

/// The stride of a vector of constants, if it is negative.
fn descent(index: &Expr) -> Option<i64> {
    let Expr::Ramp { base, stride, lanes: _ } = index else { return None };
    let (Expr::Int(_, _), Expr::Int(stride, _)) = (&**base, &**stride) else { return None };
    (*stride < 0).then_some(*stride)
}
