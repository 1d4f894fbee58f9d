//! What is to be shown, as data.
//!
//! A goal is made where the program is looked at, and decided somewhere else: `check/overflow/goals` and [`crate::check::Checker::demands`] make them, `check` and
//! `check/overflow/decide` decide them. So what is owed does not depend on how it is shown.

use halidom_ir::{BufferId, ExprId, StmtId, VarId};

use crate::program::Place;
use crate::report::Kind;
use crate::space::FormulaId;

/// Something that is to be shown at a place.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// The obligation that it becomes.
    pub(crate) kind: Kind,
    /// The statement, if it is about one.
    pub(crate) stmt: Option<StmtId>,
    /// Where, in words.
    pub(crate) what: String,
    /// What holds there: entry checks are not repeated.
    pub(crate) place: Place,
    /// What is claimed.
    pub(crate) claim: Claim,
}

impl Goal {
    /// One about parameters and shapes alone.
    pub(crate) fn at_entry(kind: Kind, what: String, claim: Claim) -> Self {
        Self { kind, stmt: None, what, place: Place::default(), claim }
    }
}

/// What a goal claims.
#[derive(Clone, Debug)]
pub(crate) enum Claim {
    /// A formula holds.
    Holds {
        /// The formula.
        formula: FormulaId,
        /// What the question to the solver is called.
        label: &'static str,
    },
    /// Every `int` in an expression has 64 bits.
    Arithmetic {
        /// The expression.
        expr: ExprId,
    },
    /// An `int` has this many bits.
    Fits {
        /// The `int`.
        expr: ExprId,
        /// How many.
        bits: u32,
    },
    /// The end of a loop, its min and extent added, has this many bits.
    End {
        /// The loop's variable.
        var: VarId,
        /// Its first value.
        min: ExprId,
        /// How many values.
        extent: ExprId,
        /// How many bits.
        bits: u32,
    },
    /// The element number of an access, which lies in its buffer, has this many bits.
    Index {
        /// The buffer.
        buffer: BufferId,
        /// How many.
        bits: u32,
    },
    /// The number of elements of memory that is taken has 60 bits.
    Elements {
        /// The memory.
        memory: usize,
        /// Min, extent and stride of its dimensions.
        dims: Vec<ExprId>,
    },
}
