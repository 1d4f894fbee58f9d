//! Goals: statements to show, as data.
//!
//! A goal is made where the program is examined, and decided elsewhere: `obligation/overflow/goals`
//! makes goals, and `obligation/overflow/decide` decides them. So the list of goals does not depend
//! on the method that shows them.

use std::rc::Rc;

use halidom_ir::{BufferId, ExprId, StmtId, VarId};

use crate::obligation::record::Subject;
use crate::program::{MemoryId, Place};

/// A claim to show at a place.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// The statement that the goal is about, if there is one.
    pub(crate) stmt: Option<StmtId>,
    /// The subject of the goal.
    pub(crate) what: Subject,
    /// The place, with the facts that hold there. Entry checks are not repeated.
    pub(crate) place: Place,
    /// The claim.
    pub(crate) claim: Claim,
}

/// The claim of a goal.
#[derive(Clone, Debug)]
pub(crate) enum Claim {
    /// Every `int` in an expression fits 64 bits.
    Arithmetic {
        /// The expression.
        expr: ExprId,
    },
    /// An `int` fits this many bits.
    Fits {
        /// The `int`.
        expr: ExprId,
        /// The number of bits.
        bits: u32,
        /// The stores of the values that it belongs to, if nothing else depends on it.
        stored: Option<Rc<[StmtId]>>,
    },
    /// The end of a loop, the sum of its min and extent, fits this many bits.
    End {
        /// The loop's variable.
        var: VarId,
        /// Its first value.
        min: ExprId,
        /// The number of its values.
        extent: ExprId,
        /// The number of bits.
        bits: u32,
    },
    /// The element number of an access that lies in its buffer fits this many bits.
    Index {
        /// The buffer.
        buffer: BufferId,
        /// The number of bits.
        bits: u32,
    },
    /// The number of elements of allocated memory fits 60 bits.
    Elements {
        /// The index of the memory.
        memory: MemoryId,
        /// Min, extent and stride of its dimensions.
        dims: Vec<ExprId>,
    },
}
