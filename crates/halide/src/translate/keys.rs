//! Keys of memoized funcs.

use halidom_ir::{BufferId, ExprId};

use super::buffers::Struct;
use crate::NameId;
use crate::pipeline::{Func, LoopLevel};
use crate::tree::Expr;

/// The key of a memoized func.
#[derive(Clone, Debug)]
pub(super) struct Key {
    /// The func.
    pub(super) func: NameId,
    /// The region that allocates it.
    pub(super) region: usize,
    /// The number of bytes.
    pub(super) size: i64,
    /// The stores to it: the first byte, the number of bytes, and what is stored.
    pub(super) parts: Vec<(i64, i64, Part)>,
    /// The arguments of its lookup, once that is done.
    pub(super) found: Option<Looked>,
    /// True after its memory was freed.
    pub(super) is_freed: bool,
}

impl Key {
    /// Tests whether it lives, and every run of its region has it.
    pub(super) fn is_live(&self, region: usize) -> bool {
        self.region == region && !self.is_freed
    }
}

/// A part of a key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(Vec<u8>),
    Number(i64),
    Value(ExprId),
}

/// The arguments of a lookup.
#[derive(Clone, Debug)]
pub(super) struct Looked {
    pub(super) args: Vec<Expr>,
    pub(super) bounds: Struct,
    pub(super) shape: Struct,
    /// The memory that is computed, and the memory that is read after that.
    pub(super) memory: Option<[BufferId; 2]>,
}

/// Tests whether a func is kept between runs. Halide ignores this for a func that it inlines.
pub(super) fn is_memoized(func: &Func) -> bool {
    func.schedule.memoized && func.schedule.compute != LoopLevel::Inlined
}
