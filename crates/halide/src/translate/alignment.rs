//! Vectors that the code generator loads as if their addresses were aligned.
//!
//! # Correctness
//! Halide 21.0.0 takes memory to begin at a multiple of the machine's vectors, and so loads a
//! vector at a multiple of an even number with an instruction that may fault elsewhere
//! (`CodeGen_LLVM::codegen_vector_load`). That holds for memory that it allocates. For inputs it
//! asks for the alignment that the pipeline states, but a load from an output, in an update or in
//! another func, does not know that this is a caller's memory. Stores do. Nothing checks the
//! alignment in a run, so a condition of the verdict states it.

use halidom_base::FxHashSet;

use super::fields;
use crate::parts::for_each_stmt;
use crate::pipeline::Pipeline;
use crate::tree::{Block, Expr, Load};
use crate::{NameId, Names};

/// Tests whether a statement loads vectors of an output as if they were aligned.
pub(super) fn is_taken_for_granted(names: &Names, pipeline: &Pipeline, block: &Block) -> bool {
    let outputs: FxHashSet<NameId> =
        fields::outputs(pipeline, names).filter_map(|(name, ..)| names.find(&name)).collect();
    let mut found = false;
    for_each_stmt(block, &mut |stmt| {
        stmt.for_each_expr(&mut |expr| {
            expr.for_each_part(&mut |part| {
                if let Expr::Load(load) = part {
                    found |= outputs.contains(&load.name) && is_taken_for_aligned(load);
                }
            });
        });
    });
    found
}

/// Tests whether a load is of a vector whose place is known to be a multiple of an even number. A
/// vector that is not dense is read as a part of dense ones, whose places differ from its own.
fn is_taken_for_aligned(load: &Load) -> bool {
    let Expr::Ramp { base: _, stride, lanes: _ } = &load.index else { return false };
    let is_dense = matches!(&**stride, Expr::Int(1, _));
    load.alignment
        .is_some_and(|known| known.modulus % 2 == 0 && (!is_dense || known.remainder % 2 == 0))
}
