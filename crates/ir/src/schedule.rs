//! Schedules as data: how to compute (FS §8, Fig. 11), in the order written.
//!
//! Directives name loops by the user's text. The names are resolved when a directive is applied,
//! because directives make new loops.

use crate::{ExprId, FuncId, LoopKind, Partition, StoreIn};

/// A named schedule for a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Schedule {
    /// The schedule's name.
    pub name: String,
    /// The directives in the order written. They are sorted by phase when applied.
    pub directives: Vec<Directive>,
}

/// A loop of a func's stage, `f.v`. This is FS's loop name without the specialization, which
/// follows from the directive's position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoopLevel {
    /// The func.
    pub func: FuncId,
    /// The stage, or the last one if `None`.
    pub stage: Option<usize>,
    /// The loop's variable.
    pub var: String,
}

/// The tail strategy of a split: its treatment of the remainder (FS Fig. 11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tail {
    /// An `if` around the body.
    Guard,
    /// The last iteration moves inwards and recomputes (pure stages only).
    Shift,
    /// Like `Shift`, if the output is at least one block large, which is checked at entry (pure
    /// stages of outputs only).
    ShiftInwards,
    /// The bounds grow to a multiple, and the extra points are computed too (pure loops only).
    Round,
    /// Loads and stores are predicated.
    Predicate,
    /// Loads are predicated, stores may go beyond the end.
    PredicateLoads,
    /// Stores are predicated, loads may go beyond the end.
    PredicateStores,
    /// The last block moves inwards and leaves alone the points that earlier blocks wrote.
    ShiftInwardsAndBlend,
    /// The last block goes beyond the end and leaves alone the existing values there.
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

/// A directive: an action, the stage and func that it applies to, and its place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// The func.
    pub func: FuncId,
    /// The stage that loop directives address. 0 without `update(k)`.
    pub stage: usize,
    /// The action.
    pub action: Action,
    /// The number of the directive within its schedule, in order of the text and counting nested
    /// ones. It is the key of the table of source spans.
    pub origin: usize,
}

/// The direction in which a folded dimension's needed region moves as the loops proceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FoldDirection {
    /// To greater coordinates.
    Forward,
    /// To lesser coordinates.
    Backward,
}

impl FoldDirection {
    /// Both directions.
    pub const ALL: [Self; 2] = [Self::Forward, Self::Backward];

    /// The name in schedules.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
        }
    }
}

/// The action of a directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Copies the func's code for each condition, with directives for each instance.
    Specialize {
        /// The condition: `bool`, a startup expression.
        condition: ExprId,
        /// The directives for the instance.
        directives: Vec<Directive>,
    },
    /// The func has only the code of its specializations. The pipeline stops at entry if none of
    /// their conditions holds.
    SpecializeFail {
        /// The message of that error.
        message: String,
    },
    /// Splits one loop into two.
    Split {
        /// The loop.
        var: String,
        /// The new outer loop.
        outer: String,
        /// The new inner loop.
        inner: String,
        /// The number of iterations of the inner loop, a startup expression.
        factor: ExprId,
        /// The tail strategy.
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
        /// The tail strategy of both splits.
        tail: Tail,
    },
    /// Fuses two nested loops into one.
    Fuse {
        /// The outer loop.
        outer: String,
        /// The inner loop.
        inner: String,
        /// The new loop.
        fused: String,
    },
    /// Orders the named loops, innermost first. Loops not named keep their places.
    Reorder {
        /// The loops, innermost first.
        vars: Vec<String>,
    },
    /// Swaps a loop with the one immediately within it.
    Swap {
        /// The outer of the two.
        var: String,
    },
    /// Sets the execution order of a loop.
    Traverse {
        /// The loop.
        var: String,
        /// One of `Serial`, `Parallel`, `GpuBlocks`, `GpuThreads`.
        kind: LoopKind,
    },
    /// Vectorizes a loop. If `lanes` is given, the loop is split by it first.
    Vectorize {
        /// The loop.
        var: String,
        /// The split factor, a constant.
        lanes: Option<ExprId>,
        /// The tail of that split.
        tail: Tail,
    },
    /// Unrolls a loop. If `factor` is given, the loop is split by it first.
    Unroll {
        /// The loop.
        var: String,
        /// The split factor, a constant.
        factor: Option<ExprId>,
        /// The tail of that split.
        tail: Tail,
    },
    /// Sets the policy of splitting a loop where its conditions are decided.
    Partition {
        /// The loop.
        var: String,
        /// The policy.
        policy: Partition,
    },
    /// Has each iteration of a loop fetch the values of a func or input that a later iteration
    /// reads.
    Prefetch {
        /// The func or input.
        func: FuncId,
        /// The loop.
        var: String,
        /// The number of iterations between the fetch and the use.
        ahead: u32,
    },
    /// Renames a loop.
    Rename {
        /// The old name.
        from: String,
        /// The new name.
        to: String,
    },
    /// Iterations of the update that write the same location may run in any order and at the same
    /// time. Each updates it in one step.
    Atomic,
    /// Rewrites the algorithm: funcs that read this one read a copy of it instead.
    Wrap {
        /// The copy. Its name and variables are given; its definition is generated.
        wrapper: FuncId,
        /// The funcs that read the copy. If empty, all funcs that read the original.
        users: Vec<FuncId>,
    },
    /// Rewrites the algorithm (`rfactor`). A new func computes the update separately for each value
    /// of some reduction variables, and a new update merges its values.
    Factor {
        /// The reduction variables that are kept, each with the pure variable of the new func that
        /// it becomes.
        vars: Vec<(String, String)>,
        /// The new func. Its name, variables and number of stages are given; its definition is
        /// generated.
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
    /// Allocates the memory once, at a loop around the one at which the func is stored, or at the
    /// top. All allocations within share it.
    HoistStorage(Option<LoopLevel>),
    /// Orders the dimensions in memory, innermost first. Dimensions not named keep their places.
    ReorderStorage {
        /// The dimensions, innermost first.
        vars: Vec<String>,
    },
    /// Rounds a dimension's room in memory up to a multiple.
    AlignStorage {
        /// The pure variable.
        var: String,
        /// The number of coordinates with room in memory becomes a multiple of this constant.
        modulus: ExprId,
    },
    /// Gives a dimension more room in memory than it needs.
    PadStorage {
        /// The pure variable.
        var: String,
        /// The number of additional coordinates with room in memory, a constant.
        amount: ExprId,
    },
    /// Reads a vector at a known distance from a multiple of its length as the two vectors that lie
    /// at such multiples.
    Realign,
    /// Folds a dimension (storage folding): it has room for `factor` coordinates at a time, and
    /// each lies at its remainder.
    FoldStorage {
        /// The pure variable.
        var: String,
        /// The number of coordinates, a constant.
        factor: ExprId,
        /// The direction in which the needed region is declared to move.
        direction: Option<FoldDirection>,
    },
    /// Sets the place of the memory.
    StoreIn(StoreIn),
    /// Fixes a dimension's compute bounds.
    Bound {
        /// The pure variable.
        var: String,
        /// The least coordinate. Unchanged if `None` (`bound_extent`).
        min: Option<ExprId>,
        /// The number of coordinates.
        extent: ExprId,
    },
    /// Grows a dimension's compute bounds to a multiple.
    AlignBounds {
        /// The pure variable.
        var: String,
        /// The extent becomes a multiple of this value.
        modulus: ExprId,
        /// The remainder of the min modulo `modulus`.
        remainder: ExprId,
    },
}
