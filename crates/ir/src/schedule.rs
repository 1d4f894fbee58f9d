//! Schedules as data: how to compute (FS §8, Fig. 11), in the order written.
//!
//! Loops are named by the user's text and resolved when a directive is applied, because directives make new loops.

use crate::{ExprId, FuncId, LoopKind, Partition, StoreIn};

/// A named schedule for a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Schedule {
    /// Its name.
    pub name: String,
    /// In the order written; sorted by phase when applied.
    pub directives: Vec<Directive>,
}

/// A loop of a func's stage: `f.v`, FS's loop name without the specialization, which follows from where the directive stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoopLevel {
    /// The func.
    pub func: FuncId,
    /// The stage; the last one if `None`.
    pub stage: Option<usize>,
    /// The loop's variable.
    pub var: String,
}

/// What a split does with the remainder (FS Fig. 11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tail {
    /// An `if` around the body.
    Guard,
    /// The last iteration moves inwards and recomputes (pure stages only).
    Shift,
    /// As `Shift`, where an output is at least one block large, which is checked at entry (pure stages of outputs only).
    ShiftInwards,
    /// The bounds grow to a multiple and over-compute (pure loops only).
    Round,
    /// Loads and stores are predicated.
    Predicate,
    /// Loads are predicated, stores may go beyond the end.
    PredicateLoads,
    /// Stores are predicated, loads may go beyond the end.
    PredicateStores,
    /// The last block moves inwards and leaves alone what earlier blocks wrote.
    ShiftInwardsAndBlend,
    /// The last block goes beyond the end and leaves alone what is there.
    RoundUpAndBlend,
    /// The tool's choice.
    Auto,
}

impl Tail {
    /// Every strategy.
    pub const ALL: [Self; 10] = [
        Self::Guard,
        Self::Shift,
        Self::ShiftInwards,
        Self::Round,
        Self::Predicate,
        Self::PredicateLoads,
        Self::PredicateStores,
        Self::ShiftInwardsAndBlend,
        Self::RoundUpAndBlend,
        Self::Auto,
    ];

    /// The name in schedules.
    pub fn name(self) -> &'static str {
        match self {
            Self::Guard => "guard",
            Self::Shift => "shift",
            Self::ShiftInwards => "shift_inwards",
            Self::Round => "round",
            Self::Predicate => "predicate",
            Self::PredicateLoads => "predicate_loads",
            Self::PredicateStores => "predicate_stores",
            Self::ShiftInwardsAndBlend => "shift_inwards_and_blend",
            Self::RoundUpAndBlend => "round_up_and_blend",
            Self::Auto => "auto",
        }
    }
}

/// A directive: what is done, to which stage of which func, and its place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// The func.
    pub func: FuncId,
    /// The stage that loop directives address; 0 without `update(k)`.
    pub stage: usize,
    /// What is done.
    pub action: Action,
    /// Number of the directive within its schedule, counting nested ones in order of the text: the key of the table of source spans.
    pub origin: usize,
}

/// Which way a folded dimension's needed region moves as the loops go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FoldDirection {
    /// To greater coordinates.
    Forward,
    /// To lesser ones.
    Backward,
}

impl FoldDirection {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Forward, Self::Backward];

    /// The name in schedules.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
        }
    }
}

/// What a directive does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Copies the func's code for each condition, with directives for each instance.
    Specialize {
        /// `bool`, a startup expression.
        condition: ExprId,
        /// For the instance.
        directives: Vec<Directive>,
    },
    /// The func has no code but that of its specializations: the pipeline stops at entry where none of their conditions holds.
    SpecializeFail {
        /// What is said then.
        message: String,
    },
    /// One loop becomes two.
    Split {
        /// The loop.
        var: String,
        /// The new outer loop.
        outer: String,
        /// The new inner loop.
        inner: String,
        /// Iterations of the inner loop, a startup expression.
        factor: ExprId,
        /// What happens to the remainder.
        tail: Tail,
    },
    /// Splits two loops and orders them `inner_x, inner_y, outer_x, outer_y` from the innermost.
    Tile {
        /// The two loops, innermost first.
        vars: [String; 2],
        /// The new outer loops.
        outer: [String; 2],
        /// The new inner loops.
        inner: [String; 2],
        /// The tile's size.
        factors: [ExprId; 2],
        /// What happens to the remainders.
        tail: Tail,
    },
    /// Two nested loops become one.
    Fuse {
        /// The outer loop.
        outer: String,
        /// The inner loop.
        inner: String,
        /// The new loop.
        fused: String,
    },
    /// Orders the named loops, innermost first; loops not named keep their places.
    Reorder {
        /// Innermost first.
        vars: Vec<String>,
    },
    /// Swaps a loop with the one immediately within it.
    Swap {
        /// The outer of the two.
        var: String,
    },
    /// Sets how a loop is traversed.
    Traverse {
        /// The loop.
        var: String,
        /// `Serial`, `Parallel`, `GpuBlocks`, `GpuThreads`.
        kind: LoopKind,
    },
    /// Vectorizes a loop, after a split by `lanes` where given.
    Vectorize {
        /// The loop.
        var: String,
        /// Split factor, a constant.
        lanes: Option<ExprId>,
        /// The tail of that split.
        tail: Tail,
    },
    /// Unrolls a loop, after a split by `factor` where given.
    Unroll {
        /// The loop.
        var: String,
        /// Split factor, a constant.
        factor: Option<ExprId>,
        /// The tail of that split.
        tail: Tail,
    },
    /// Says whether a loop is split where its conditions are decided.
    Partition {
        /// The loop.
        var: String,
        /// Whether.
        policy: Partition,
    },
    /// Has each iteration of a loop fetch what a later one reads of a func or input.
    Prefetch {
        /// Of which.
        func: FuncId,
        /// The loop.
        var: String,
        /// How many iterations later.
        ahead: u32,
    },
    /// Renames a loop.
    Rename {
        /// Its name.
        from: String,
        /// Its name afterwards.
        to: String,
    },
    /// Iterations of the update that meet in one location may run in any order, and at one time: each updates it in one step.
    Atomic,
    /// Rewrites the algorithm: funcs that read this one read a copy of it.
    Wrap {
        /// The copy; its name and variables count, its definition is made.
        wrapper: FuncId,
        /// Who reads the copy; all that read the func if empty.
        users: Vec<FuncId>,
    },
    /// Rewrites the algorithm: an update becomes that of a new func, for each value of some reduction variables by itself, and an update that merges these.
    Factor {
        /// The reduction variables that are kept, and the pure variables of the new func that they become.
        vars: Vec<(String, String)>,
        /// The new func; its name, variables and number of stages count, its definition is made.
        partial: FuncId,
    },
    /// Computes the func at the start of each iteration of a loop.
    ComputeAt(LoopLevel),
    /// Computes the func before its first use, at the top.
    ComputeRoot,
    /// Substitutes the func into its users.
    ComputeInline,
    /// Allocates the func at the start of each iteration of a loop.
    StoreAt(LoopLevel),
    /// Allocates the func at the top.
    StoreRoot,
    /// Takes the memory at a loop around the one at which the func is stored, or at the top: once for all that lie within.
    HoistStorage(Option<LoopLevel>),
    /// Orders the dimensions in memory, innermost first; dimensions not named keep their places.
    ReorderStorage {
        /// Innermost first.
        vars: Vec<String>,
    },
    /// Rounds a dimension's room in memory up to a multiple.
    AlignStorage {
        /// The pure variable.
        var: String,
        /// The number of coordinates that there is room for becomes a multiple of it, a constant.
        modulus: ExprId,
    },
    /// Gives a dimension more room in memory than it needs.
    PadStorage {
        /// The pure variable.
        var: String,
        /// How many coordinates there is more room for, a constant.
        amount: ExprId,
    },
    /// Reads vectors at a known distance from a multiple of their length as the two that lie at such multiples.
    Realign,
    /// Gives a dimension room for so many coordinates at a time, each at its remainder.
    FoldStorage {
        /// The pure variable.
        var: String,
        /// How many, a constant.
        factor: ExprId,
        /// Which way the needed region is said to move.
        direction: Option<FoldDirection>,
    },
    /// Says where the memory lies.
    StoreIn(StoreIn),
    /// Fixes a dimension's compute bounds.
    Bound {
        /// The pure variable.
        var: String,
        /// Least coordinate; unchanged if `None` (`bound_extent`).
        min: Option<ExprId>,
        /// Number of coordinates.
        extent: ExprId,
    },
    /// Grows a dimension's compute bounds to a multiple.
    AlignBounds {
        /// The pure variable.
        var: String,
        /// The extent becomes a multiple of it.
        modulus: ExprId,
        /// The min's remainder.
        remainder: ExprId,
    },
}

impl Action {
    /// The directive's name in schedules.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Specialize { .. } => "specialize",
            Self::SpecializeFail { .. } => "specialize_fail",
            Self::Split { .. } => "split",
            Self::Tile { .. } => "tile",
            Self::Fuse { .. } => "fuse",
            Self::Reorder { .. } => "reorder",
            Self::Swap { .. } => "swap",
            Self::Traverse { kind: LoopKind::Parallel(_), .. } => "parallel",
            Self::Traverse { kind: LoopKind::GpuBlocks, .. } => "gpu_blocks",
            Self::Traverse { kind: LoopKind::GpuThreads, .. } => "gpu_threads",
            Self::Traverse {
                kind: LoopKind::Serial | LoopKind::Vectorized | LoopKind::Unrolled,
                ..
            } => "serial",
            Self::Vectorize { .. } => "vectorize",
            Self::Unroll { .. } => "unroll",
            Self::Partition { .. } => "partition",
            Self::Prefetch { .. } => "prefetch",
            Self::Rename { .. } => "rename",
            Self::Atomic => "atomic",
            Self::Wrap { .. } => "in",
            Self::Factor { .. } => "rfactor",
            Self::ComputeAt(_) => "compute_at",
            Self::ComputeRoot => "compute_root",
            Self::ComputeInline => "compute_inline",
            Self::StoreAt(_) => "store_at",
            Self::StoreRoot => "store_root",
            Self::HoistStorage(Some(_)) => "hoist_storage",
            Self::HoistStorage(None) => "hoist_storage_root",
            Self::ReorderStorage { .. } => "reorder_storage",
            Self::AlignStorage { .. } => "align_storage",
            Self::PadStorage { .. } => "pad_storage",
            Self::Realign => "realign",
            Self::FoldStorage { .. } => "fold_storage",
            Self::StoreIn(_) => "store_in",
            Self::Bound { min: Some(_), .. } => "bound",
            Self::Bound { min: None, .. } => "bound_extent",
            Self::AlignBounds { .. } => "align_bounds",
        }
    }
}
