//! Statements: immutable nodes in an arena.

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
    /// Least coordinate, `int`.
    pub min: ExprId,
    /// Number of coordinates, `int`.
    pub extent: ExprId,
}

/// Which value of the specification a store claims to write, in the component that the buffer holds. A hint: the validator checks it, nothing else relies on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Prophecy {
    /// The func.
    pub func: FuncId,
    /// Its stage, 0 for the pure one.
    pub stage: usize,
    /// The written point, one `int` a dimension, each with the lanes of the store.
    pub coords: Box<[ExprId]>,
    /// The values of the stage's reduction variables, in the order of its domain, each with the lanes of the store.
    pub point: Box<[ExprId]>,
}

/// How the iterations of a parallel loop are handed to threads. A hint: they may run in any order whatever it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Deal {
    /// As the runtime likes best: a contiguous share for each thread, of which others take what is left when theirs are done.
    #[default]
    Auto,
    /// Shares that are fixed when the loop starts: a contiguous one for each thread, or blocks of `chunk` iterations in turn.
    Static {
        /// Iterations in a block.
        chunk: Option<NonZeroU32>,
    },
    /// Each thread takes the next `chunk` iterations when it has done with its last.
    Dynamic {
        /// How many it takes at a time.
        chunk: NonZeroU32,
    },
}

impl Deal {
    /// Each thread takes one iteration after another.
    pub const DYNAMIC: Self = Self::Dynamic { chunk: NonZeroU32::MIN };

    /// One contiguous share for each thread.
    pub const STATIC: Self = Self::Static { chunk: None };

    /// The most iterations in a block.
    pub const MOST: u32 = i32::MAX.unsigned_abs();

    /// The policy's name in schedules and in the text form, and the size of its blocks where it is not what goes without saying; nothing for `Auto`.
    pub fn words(self) -> (Option<&'static str>, Option<NonZeroU32>) {
        match self {
            Self::Auto => (None, None),
            Self::Static { chunk } => (Some("static"), chunk),
            Self::Dynamic { chunk } => {
                (Some("dynamic"), Some(chunk).filter(|chunk| *chunk != NonZeroU32::MIN))
            }
        }
    }

    /// This policy with blocks of another size.
    #[must_use]
    pub fn with_chunk(self, chunk: NonZeroU32) -> Self {
        match self {
            Self::Auto => Self::Auto,
            Self::Static { .. } => Self::Static { chunk: Some(chunk) },
            Self::Dynamic { .. } => Self::Dynamic { chunk },
        }
    }
}

/// How the iterations of a loop relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoopKind {
    /// In order.
    Serial,
    /// In any order, at the same time.
    Parallel(Deal),
    /// In lockstep: every load of a statement before its stores. Gone after vectorizing.
    Vectorized,
    /// In order; copied out by the unrolling pass.
    Unrolled,
    /// A parallel loop over blocks of a GPU. Machines without one run it as such.
    GpuBlocks,
    /// A parallel loop over the threads of a block.
    GpuThreads,
}

impl LoopKind {
    /// A parallel loop whose iterations are dealt as the runtime likes best.
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

    /// Whether the iterations run in any order, at the same time, each on its own.
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

/// The keyword, and how a parallel loop is dealt: `parallel(dynamic, 4)`.
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

/// Whether a loop is split where its conditions and clamps are decided, so that its long middle part runs without them. A hint: the iterations stay what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Partition {
    /// Where that seems worth the code.
    #[default]
    Auto,
    /// Wherever something is decided, whatever the size of the copies.
    Always,
    /// The loop stays as it is.
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

/// What a statement label marks (FS §6): the place that computes a func, or one stage of it; and hints for passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// All stages of a func; its values at `needed` (one interval a dimension) are right afterwards, elsewhere they may be undefined.
    Func {
        /// The func.
        func: FuncId,
        /// Where its values must be right: a hint that the validator checks.
        needed: Vec<Interval>,
    },
    /// One stage.
    Stage {
        /// The func.
        func: FuncId,
        /// The stage.
        stage: usize,
        /// The specialization, 0 for the unspecialized form.
        specialization: usize,
    },
    /// A loop and how it is partitioned. Gone after partitioning.
    Partition(Partition),
    /// A loop, and a func or input whose values an iteration fetches for a later one. Gone after prefetching.
    Ahead {
        /// Whose.
        func: FuncId,
        /// How many iterations later.
        by: u32,
    },
    /// That the memory around an element will be read soon, at the start of what is marked. It is no access: nothing is read, and the element need not exist.
    Prefetch {
        /// The buffer.
        buffer: BufferId,
        /// The element, a `u64` that reads no memory: counted modulo 2^64, as elements beyond all bounds may have no number of their own.
        index: ExprId,
    },
}

/// What an entry check is for. No other kinds exist: each is a condition on parameters and shapes alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Check {
    /// An input must contain the region that is read.
    InputRegion {
        /// The input.
        input: FuncId,
        /// The dimension.
        dim: usize,
        /// What is read.
        needed: Interval,
        /// What is given.
        given: Interval,
    },
    /// The output buffer must contain the region that is written.
    OutputRegion {
        /// The output.
        output: FuncId,
        /// The dimension.
        dim: usize,
        /// What is written.
        needed: Interval,
        /// What is given.
        given: Interval,
    },
    /// A `require` of the pipeline.
    Require {
        /// Its message.
        message: String,
    },
    /// A reduction domain's extent must not be negative.
    DomainExtent {
        /// The func.
        func: FuncId,
        /// The stage.
        stage: usize,
        /// Position in the stage's domain.
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
        /// What is limited, for the message: `input.extent.0`, say.
        what: String,
    },
    /// The layout of a caller's buffer must be injective: strides that step over the inner dimensions.
    Layout {
        /// The input or output.
        func: FuncId,
    },
}

/// A statement. Operands are ids of the same [`crate::Pool`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// Statements one after another; empty is `nop`.
    Block(Vec<StmtId>),
    /// Binds a variable for `body`.
    Let {
        /// Not bound elsewhere.
        var: VarId,
        /// Evaluated once.
        value: ExprId,
        /// Where it is visible.
        body: StmtId,
    },
    /// Runs one branch.
    If {
        /// `bool`, one lane.
        condition: ExprId,
        /// If it holds.
        then_branch: StmtId,
        /// If it does not.
        else_branch: Option<StmtId>,
    },
    /// Runs `body` for `var` in `min .. min + extent`; not at all if `extent <= 0`.
    For {
        /// Not bound elsewhere.
        var: VarId,
        /// First value, `int`.
        min: ExprId,
        /// Number of iterations, `int`.
        extent: ExprId,
        /// How iterations relate.
        kind: LoopKind,
        /// The body.
        body: StmtId,
    },
    /// Makes an internal buffer for `body`, its contents undefined. The buffer's dims are evaluated here.
    Allocate {
        /// Of kind [`crate::BufferKind::Internal`].
        buffer: BufferId,
        /// Where it exists.
        body: StmtId,
    },
    /// An entry check: the pipeline stops with this check's error if the condition does not hold.
    Assert {
        /// `bool`, over parameters and shapes.
        condition: ExprId,
        /// What it is for.
        check: Check,
    },
    /// Marks a statement (FS §6); no meaning of its own.
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
        /// Which stage writes.
        stage: usize,
        /// The written point, one `int` a dimension.
        coords: Box<[ExprId]>,
        /// The values of the stage's reduction variables, in the order of its domain.
        point: Box<[ExprId]>,
        /// The values, one a component: all are evaluated before any is written.
        values: Box<[ExprId]>,
        /// Whether reading the old value of the point and writing the new one are one step, lane by lane.
        atomic: bool,
    },
    /// Writes elements of a buffer, after storage is flattened; all lanes are evaluated before any is written.
    Store {
        /// The buffer.
        buffer: BufferId,
        /// `int`, one or more lanes.
        index: ExprId,
        /// As many lanes.
        value: ExprId,
        /// What is claimed to be written.
        prophecy: Option<Prophecy>,
        /// Whether reading the element's old value and writing the new one are one step; then there is one lane.
        atomic: bool,
    },
}
