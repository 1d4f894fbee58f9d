//! What a pipeline file holds: an algorithm and its schedule.

use crate::NameId;
use crate::tree::{Expr, ForKind, Type};

/// A pipeline: funcs, and the order of nothing but their names.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Every func, in order of name.
    pub funcs: Vec<Func>,
    /// The outputs, in order.
    pub outputs: Vec<NameId>,
    /// What must hold at entry.
    pub requirements: Vec<Requirement>,
    /// Memory and scalars that the pipeline knows about itself: the funcs' own buffers among them.
    pub parameters: Vec<Parameter>,
    /// Inputs and scalar parameters.
    pub inputs: Vec<Input>,
    /// Arrays that are part of the pipeline.
    pub images: Vec<Image>,
}

/// A `require`.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// What must hold.
    pub condition: Expr,
    /// A call that says what is wrong.
    pub message: Expr,
}

/// A func.
#[derive(Clone, Debug, PartialEq)]
pub struct Func {
    /// Its name.
    pub name: NameId,
    /// The type of each component.
    pub types: Vec<Type>,
    /// Its pure variables, first dimension first.
    pub args: Vec<NameId>,
    /// Where it is computed and stored.
    pub schedule: FuncSchedule,
    /// The pure definition; none for a func that an extern function computes.
    pub init: Option<Definition>,
    /// The updates.
    pub updates: Vec<Definition>,
    /// The extern function, if there is one.
    pub extern_function: Option<NameId>,
}

impl Func {
    /// The stages, the pure one first.
    pub fn stages(&self) -> impl Iterator<Item = &Definition> {
        self.init.iter().chain(&self.updates)
    }
}

/// A stage: `func(args) = values`, where the predicate holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Where it applies.
    pub predicate: Expr,
    /// One value for each component.
    pub values: Vec<Expr>,
    /// The point.
    pub args: Vec<Expr>,
    /// The loops.
    pub schedule: StageSchedule,
    /// Other definitions for conditions, the first that holds.
    pub specializations: Vec<Specialization>,
}

/// A definition for where a condition holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Specialization {
    /// The condition.
    pub condition: Expr,
    /// The definition.
    pub definition: Option<Box<Definition>>,
    /// What is said if this is where the pipeline stops.
    pub failure: String,
}

/// A reduction variable and its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct ReductionVariable {
    /// The variable.
    pub name: NameId,
    /// Its least value.
    pub min: Expr,
    /// How many values.
    pub extent: Expr,
}

/// What a split does with what is left over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TailStrategy {
    /// Goes beyond the end.
    RoundUp,
    /// Tests each iteration.
    GuardWithIf,
    /// Predicates loads and stores.
    Predicate,
    /// Predicates loads.
    PredicateLoads,
    /// Predicates stores.
    PredicateStores,
    /// The last block moves inwards.
    ShiftInwards,
    /// It moves inwards and leaves alone what is there.
    ShiftInwardsAndBlend,
    /// It goes beyond the end and leaves alone what is there.
    RoundUpAndBlend,
    /// Halide's choice.
    Auto,
}

impl TailStrategy {
    /// In the order of Halide's own numbers.
    pub const ALL: [Self; 9] = [
        Self::RoundUp,
        Self::GuardWithIf,
        Self::Predicate,
        Self::PredicateLoads,
        Self::PredicateStores,
        Self::ShiftInwards,
        Self::ShiftInwardsAndBlend,
        Self::RoundUpAndBlend,
        Self::Auto,
    ];
}

/// A change of loops.
#[derive(Clone, Debug, PartialEq)]
pub enum Split {
    /// One loop becomes two.
    Split {
        /// The loop.
        old: NameId,
        /// Around.
        outer: NameId,
        /// Within.
        inner: NameId,
        /// Iterations of the loop within.
        factor: Expr,
        /// Whether nothing may be left over.
        exact: bool,
        /// What is done with what is left over.
        tail: TailStrategy,
    },
    /// Another name.
    Rename {
        /// The name before.
        old: NameId,
        /// The name after.
        new: NameId,
    },
    /// Two loops become one.
    Fuse {
        /// Around.
        outer: NameId,
        /// Within.
        inner: NameId,
        /// The one.
        fused: NameId,
    },
}

/// A loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Dim {
    /// Its variable.
    pub name: NameId,
    /// How its iterations run.
    pub kind: ForKind,
    /// Whether it is one of the reduction's.
    pub is_reduction: bool,
    /// Whether it may run in parts, by Halide's number: its choice, never, always.
    pub partition: u8,
}

/// The loops of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct StageSchedule {
    /// The reduction domain, innermost first.
    pub domain: Vec<ReductionVariable>,
    /// What is done to the loops, in order.
    pub splits: Vec<Split>,
    /// The loops that result, innermost first; the last stands for all around them.
    pub dims: Vec<Dim>,
    /// Whether races are the programmer's concern.
    pub allow_races: bool,
    /// Whether updates are atomic.
    pub atomic: bool,
    /// Whether another func's loops enclose this stage's.
    pub is_fused: bool,
    /// What is fetched ahead.
    pub prefetches: Vec<Prefetch>,
}

/// A func or input that is fetched ahead.
#[derive(Clone, Debug, PartialEq)]
pub struct Prefetch {
    /// Of which.
    pub name: NameId,
    /// The loop that does so.
    pub at: NameId,
    /// The loop of which a later iteration is looked at.
    pub from: NameId,
    /// How many iterations later.
    pub offset: Expr,
}

/// A loop of a stage of a func.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopLevel {
    /// Where it is used.
    Inlined,
    /// Outside of all loops.
    Root,
    /// A loop.
    At {
        /// The func.
        func: NameId,
        /// Its stage; -1 for the last one.
        stage: i32,
        /// The loop's variable.
        var: NameId,
    },
}

/// A dimension's fixed bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The pure variable.
    pub name: NameId,
    /// The least coordinate, if it is fixed.
    pub min: Option<Expr>,
    /// How many, if that is fixed.
    pub extent: Option<Expr>,
    /// What the extent is a multiple of.
    pub modulus: Option<Expr>,
    /// What the least coordinate is modulo that.
    pub remainder: Option<Expr>,
}

/// A dimension in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageDim {
    /// The pure variable.
    pub name: NameId,
    /// What the extent in memory is a multiple of.
    pub alignment: Option<Expr>,
    /// The extent in memory, if it is fixed.
    pub bound: Option<Expr>,
    /// How many coordinates there is room for, if it is folded.
    pub fold: Option<Expr>,
    /// Which way the fold moves.
    pub fold_forward: bool,
}

/// Where a func is computed and stored.
#[derive(Clone, Debug, PartialEq)]
pub struct FuncSchedule {
    /// Where it is stored.
    pub store: LoopLevel,
    /// Where it is computed.
    pub compute: LoopLevel,
    /// Where its memory is taken.
    pub hoist: LoopLevel,
    /// Its dimensions in memory, innermost first.
    pub storage: Vec<StorageDim>,
    /// Fixed bounds.
    pub bounds: Vec<Bound>,
    /// Copies of it by who reads them; all where the name is empty.
    pub wrappers: Vec<Wrapper>,
    /// The memory's kind, by Halide's number.
    pub memory: u8,
    /// Whether values are kept between runs.
    pub memoized: bool,
    /// Whether it is computed beside its users.
    pub is_async: bool,
    /// How many lines are buffered.
    pub ring_buffer: Option<Expr>,
}

/// A copy of a func.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// Who reads the copy: all, if `None`.
    pub user: Option<NameId>,
    /// Number of the copy among the funcs of the pipeline, from 0.
    pub copy: usize,
}

/// An input or scalar parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its name.
    pub name: NameId,
    /// Of its elements.
    pub ty: Type,
    /// Whether it is an array.
    pub is_buffer: bool,
    /// The number of an array's dimensions.
    pub dimensions: usize,
}

/// What is known of a buffer or scalar.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// What is known of each dimension.
    pub constraints: Vec<Constraint>,
    /// What it is.
    pub input: Input,
    /// The value of a scalar, in bits, if it has one.
    pub value: Option<u64>,
}

/// What is known of a dimension of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// The least coordinate.
    pub min: Option<Expr>,
    /// How many.
    pub extent: Option<Expr>,
    /// Elements from one to the next.
    pub stride: Option<Expr>,
}

/// A dimension of an array that is part of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageDim {
    /// The least coordinate.
    pub min: i32,
    /// How many.
    pub extent: i32,
    /// Elements from one to the next.
    pub stride: i32,
}

/// An array that is part of the pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Its name.
    pub name: NameId,
    /// Of its elements.
    pub ty: Type,
    /// Its dimensions.
    pub dims: Vec<ImageDim>,
    /// Its elements' bytes.
    pub data: Vec<u8>,
}
