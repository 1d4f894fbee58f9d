//! The buffers that a statement makes for extern functions, and its queries with them.

use halidom_ir::{BufferId, Dim, ExprId};

use super::extern_stages::Answer;
use crate::NameId;
use crate::tree::Scalar;

/// A `halide_buffer_t` that the statement makes.
#[derive(Clone, Debug)]
pub(super) struct Struct {
    /// The memory of its elements; `None` if it serves for bounds queries only.
    pub(super) memory: Option<BufferId>,
    /// The type of its elements.
    pub(super) ty: Scalar,
    /// Its shape.
    pub(super) dims: Vec<Dim>,
    /// The coordinates of the first element of its memory. Those of a crop lie outside its shape.
    pub(super) origin: Vec<ExprId>,
    /// The loop, condition or task that makes it.
    pub(super) region: usize,
}

/// A bounds query that was made.
#[derive(Clone, Debug)]
pub(super) struct Query {
    /// The func.
    pub(super) func: NameId,
    /// The window that the function was given.
    pub(super) window: Vec<[ExprId; 2]>,
    /// The answer.
    pub(super) answer: Answer,
}

/// Calls that only inform a sanitizer, or free what belongs to crops on devices.
const IGNORED: [&str; 5] = [
    "_halide_buffer_retire_crop_after_extern_stage",
    "_halide_buffer_retire_crops_after_extern_stage",
    "halide_msan_annotate_memory_is_initialized",
    "halide_msan_annotate_buffer_is_initialized",
    "halide_msan_check_buffer_is_initialized",
];

/// Tests whether a call changes nothing but records about buffers.
pub(super) fn is_ignored(name: &str) -> bool {
    IGNORED.contains(&name)
}
