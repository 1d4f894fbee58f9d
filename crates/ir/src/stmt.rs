//! Statements, as immutable nodes in an arena.

use std::fmt;
use std::num::NonZeroU32;

use halidom_base::define_id;

use crate::{BufferId, ExprId, FuncId, VarId};

define_id!(
    /// A statement.
    pub StmtId, "s"
);

/// An interval of coordinates: `min .. min + extent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The least coordinate, an `int`.
    pub min: ExprId,
    /// The number of coordinates, an `int`.
    pub extent: ExprId,
}

/// A store's claim about the value of the specification that it writes, in the component that the
/// buffer holds. It is a hint: the validator checks it, and nothing else relies on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Prophecy {
    /// The func.
    pub func: FuncId,
    /// The stage of the func, 0 for the pure one.
    pub stage: usize,
    /// The written point: one `int` for each dimension, each with the lanes of the store.
    pub coords: Box<[ExprId]>,
    /// The values of the stage's reduction variables, in the order of its domain, each with the
    /// lanes of the store.
    pub point: Box<[ExprId]>,
}

/// The policy that hands the iterations of a parallel loop to threads. It is a hint: under any
/// policy the iterations may run in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Deal {
    /// The runtime's choice: each thread has a contiguous share, and a thread that has finished its
    /// share takes iterations from the others.
    #[default]
    Auto,
    /// Shares that are fixed when the loop starts: a contiguous one for each thread, or blocks of
    /// `chunk` iterations in turn.
    Static {
        /// The number of iterations in a block.
        chunk: Option<NonZeroU32>,
    },
    /// Each thread takes the next `chunk` iterations when it has finished its last ones.
    Dynamic {
        /// The number of iterations that a thread takes at a time.
        chunk: NonZeroU32,
    },
}

impl Deal {
    /// Each thread takes one iteration at a time.
    pub const DYNAMIC: Self = Self::Dynamic { chunk: NonZeroU32::MIN };

    /// One contiguous share for each thread.
    pub const STATIC: Self = Self::Static { chunk: None };

    /// The largest number of iterations in a block.
    pub const MOST: u32 = i32::MAX.unsigned_abs();

    /// The policy's name in schedules and in the text form, and the size of its blocks unless it is
    /// the default. `Auto` has neither.
    pub fn words(self) -> (Option<&'static str>, Option<NonZeroU32>) {
        match self {
            Self::Auto => (None, None),
            Self::Static { chunk } => (Some("static"), chunk),
            Self::Dynamic { chunk } => {
                (Some("dynamic"), Some(chunk).filter(|chunk| *chunk != NonZeroU32::MIN))
            }
        }
    }

    /// Returns this policy with another block size. `Auto` stays as it is.
    #[must_use]
    pub fn with_chunk(self, chunk: NonZeroU32) -> Self {
        match self {
            Self::Auto => Self::Auto,
            Self::Static { .. } => Self::Static { chunk: Some(chunk) },
            Self::Dynamic { .. } => Self::Dynamic { chunk },
        }
    }
}

/// The execution order of a loop's iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoopKind {
    /// In order.
    Serial,
    /// In any order, possibly at the same time.
    Parallel(Deal),
    /// In lockstep: every load of a statement precedes its stores. Vectorizing removes these loops.
    Vectorized,
    /// In order. The unrolling pass copies the body for each iteration.
    Unrolled,
    /// A parallel loop over blocks of a GPU. Machines without a GPU run it as a parallel loop.
    GpuBlocks,
    /// A parallel loop over the threads of a block.
    GpuThreads,
}

impl LoopKind {
    /// A parallel loop with the runtime's choice of shares.
    pub const PARALLEL: Self = Self::Parallel(Deal::Auto);

    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Serial,
        Self::PARALLEL,
        Self::Vectorized,
        Self::Unrolled,
        Self::GpuBlocks,
        Self::GpuThreads,
    ];

    /// True if the iterations are independent and run in any order, possibly at the same time.
    pub fn is_parallel(self) -> bool {
        matches!(self, Self::Parallel(_) | Self::GpuBlocks | Self::GpuThreads)
    }

    /// The keyword in the text form.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Serial => "for",
            Self::Parallel(_) => "parallel",
            Self::Vectorized => "vectorized",
            Self::Unrolled => "unrolled",
            Self::GpuBlocks => "gpu_blocks",
            Self::GpuThreads => "gpu_threads",
        }
    }
}

/// Prints the keyword and the policy of a parallel loop: `parallel(dynamic, 4)`.
impl fmt::Display for LoopKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.keyword())?;
        match self {
            Self::Parallel(deal) => match deal.words() {
                (None, _) => Ok(()),
                (Some(policy), None) => write!(out, "({policy})"),
                (Some(policy), Some(chunk)) => write!(out, "({policy}, {chunk})"),
            },
            Self::Serial
            | Self::Vectorized
            | Self::Unrolled
            | Self::GpuBlocks
            | Self::GpuThreads => Ok(()),
        }
    }
}

/// The policy of splitting a loop at the points where its conditions and clamps are decided, so
/// that its long middle part runs without them. It is a hint: the iterations stay the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Partition {
    /// Split if it seems worth the code.
    #[default]
    Auto,
    /// Split wherever a condition is decided, whatever the size of the copies.
    Always,
    /// Leave the loop as it is.
    Never,
}

impl Partition {
    /// Every policy.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Always, Self::Never];

    /// The name in schedules and in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

/// A statement label (FS §6). It marks the place that computes a func or one stage of it, or gives
/// hints to passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// All stages of a func. After the statement, the func's values at `needed` (one interval for
    /// each dimension) are right. Elsewhere they may be undefined.
    Func {
        /// The func.
        func: FuncId,
        /// The region in which the values must be right. It is a hint that the validator checks.
        needed: Vec<Interval>,
    },
    /// One stage of a func.
    Stage {
        /// The func.
        func: FuncId,
        /// The stage.
        stage: usize,
        /// The specialization, 0 for the unspecialized form.
        specialization: usize,
    },
    /// A loop with its partition policy. Partitioning removes the label.
    Partition(Partition),
    /// A loop whose iterations fetch values of a func or input for a later iteration. Prefetching
    /// removes the label.
    Ahead {
        /// The func or input.
        func: FuncId,
        /// The number of iterations between the fetch and the use.
        by: u32,
    },
    /// Announces at the start of the marked statement that the memory around an element will be
    /// read soon. It is no access: nothing is read, and the element need not exist.
    Prefetch {
        /// The buffer.
        buffer: BufferId,
        /// The element number, a `u64` that reads no memory. It is counted modulo 2^64, as an
        /// element outside all bounds may have no number.
        index: ExprId,
    },
}

/// The purpose of an entry check. No other kinds exist. Each check is a condition on parameters and
/// shapes alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Check {
    /// An input must contain the region that is read.
    InputRegion {
        /// The input.
        input: FuncId,
        /// The dimension.
        dim: usize,
        /// The region that is read.
        needed: Interval,
        /// The region of the given buffer.
        given: Interval,
    },
    /// The output buffer must contain the region that is written.
    OutputRegion {
        /// The output.
        output: FuncId,
        /// The dimension.
        dim: usize,
        /// The region that is written.
        needed: Interval,
        /// The region of the given buffer.
        given: Interval,
    },
    /// A `require` of the pipeline must hold.
    Require {
        /// The message of the `require`.
        message: String,
    },
    /// A reduction domain's extent must not be negative.
    DomainExtent {
        /// The func.
        func: FuncId,
        /// The stage.
        stage: usize,
        /// The position in the stage's domain.
        variable: usize,
    },
    /// A split factor must be positive.
    SplitFactor {
        /// The func.
        func: FuncId,
        /// The loop that is split.
        variable: String,
    },
    /// A bound or alignment directive must hold.
    Bound {
        /// The func.
        func: FuncId,
        /// The dimension.
        dim: usize,
    },
    /// Sizes, mins, strides and `int` parameters must be small enough for 64-bit index arithmetic.
    SizeLimit {
        /// The limited quantity, for the message, such as `input.extent.0`.
        what: String,
    },
    /// The layout of a caller's buffer must be injective: each stride steps over the inner
    /// dimensions.
    Layout {
        /// The input or output.
        func: FuncId,
    },
}

/// A statement. Operands are ids of the same [`crate::Pool`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// A sequence of statements. An empty one is `nop`.
    Block(Vec<StmtId>),
    /// Binds a variable for `body`.
    Let {
        /// The variable. It is not bound elsewhere.
        var: VarId,
        /// The value, evaluated once.
        value: ExprId,
        /// The scope of the variable.
        body: StmtId,
    },
    /// Runs one branch.
    If {
        /// The condition: `bool`, one lane.
        condition: ExprId,
        /// The statement to run if the condition holds.
        then_branch: StmtId,
        /// The statement to run if it does not hold.
        else_branch: Option<StmtId>,
    },
    /// Runs `body` for `var` in `min .. min + extent`. Does nothing if `extent <= 0`.
    For {
        /// The variable. It is not bound elsewhere.
        var: VarId,
        /// The first value, an `int`.
        min: ExprId,
        /// The number of iterations, an `int`.
        extent: ExprId,
        /// The execution order of the iterations.
        kind: LoopKind,
        /// The body.
        body: StmtId,
    },
    /// Makes an internal buffer for `body` with undefined contents. The buffer's dims are evaluated
    /// here.
    Allocate {
        /// The buffer, of kind [`crate::BufferKind::Internal`].
        buffer: BufferId,
        /// The statement in which the buffer exists.
        body: StmtId,
    },
    /// An entry check: if the condition does not hold, the pipeline stops with this check's error.
    Assert {
        /// The condition: `bool`, over parameters and shapes.
        condition: ExprId,
        /// The purpose of the check.
        check: Check,
    },
    /// Marks a statement (FS §6). The mark does not change the statement's meaning.
    Labeled {
        /// The mark.
        label: Label,
        /// The statement.
        body: StmtId,
    },
    /// Writes a point of a func's buffer, before storage is flattened.
    Provide {
        /// The func.
        func: FuncId,
        /// The stage that writes.
        stage: usize,
        /// The written point, one `int` for each dimension.
        coords: Box<[ExprId]>,
        /// The values of the stage's reduction variables, in the order of its domain.
        point: Box<[ExprId]>,
        /// The values, one for each component. All are evaluated before any is written.
        values: Box<[ExprId]>,
        /// True if reading the point's old value and writing the new one are one step, lane by
        /// lane.
        atomic: bool,
    },
    /// Writes elements of a buffer, after storage is flattened. All lanes are evaluated before any
    /// is written.
    Store {
        /// The buffer.
        buffer: BufferId,
        /// The element number: `int`, one or more lanes.
        index: ExprId,
        /// The value, with as many lanes as the index.
        value: ExprId,
        /// The claim about the written value.
        prophecy: Option<Prophecy>,
        /// True if reading the element's old value and writing the new one are one step. Then there
        /// is one lane.
        atomic: bool,
    },
}
