//! The kinds of mutants.

/// The kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MutantKind {
    /// The index of a load or store is one more or less.
    IndexOffByOne,
    /// A loop's min or extent is one more or less.
    LoopBoundChanged,
    /// The operands of an operator that does not commute, or the arms of a select, are exchanged.
    OperandsSwapped,
    /// A lane of a shuffle takes the next lane.
    LaneChanged,
    /// A constant is one more or less.
    ConstantChanged,
    /// The branch of an `if` is always taken.
    GuardDropped,
    /// A store is left out.
    StoreMissing,
    /// A loop whose iterations run in order, or in lockstep, becomes parallel.
    LoopMadeParallel,
    /// An allocation is one element shorter in a dimension.
    AllocationShrunk,
    /// The factor by which a buffer is folded is smaller everywhere.
    FoldChanged,
    /// The part that a sliding window computes in the first iteration, or in the others, is one
    /// more or less.
    WindowChanged,
    /// A load reads a neighbour, and its claim changes alike.
    LoadRedirected,
    /// A store writes a neighbour, and its claim changes alike.
    StoreRedirected,
    /// Two neighbouring statements are exchanged.
    StatementsSwapped,
    /// An atomic update becomes a read and a write.
    AtomicDropped,
    /// An entry check, or one of the conditions that it joins, is left out.
    EntryCheckWeakened,
    /// A computed bound or coordinate is one more or less wherever it is used.
    BoundWrong,
    /// A func's memory is taken further in or further out.
    StorageMoved,
    /// The condition or the number of iterations that ends a loop has another comparison, or a
    /// constant that is one more or less.
    TailWrong,
    /// Two nested loops are exchanged.
    LoopsSwapped,
    /// A stage of a func is left out, such as the initialisation.
    StageMissing,
    /// A stage writes a neighbour.
    WriteShifted,
    /// A coordinate of a store's prophecy is one more or less, or replaced by another coordinate.
    ProphecyWrong,
    /// A prophecy claims another stage.
    ProphecyStage,
    /// A store has no prophecy.
    ProphecyMissing,
    /// A coordinate of a load's claim is one more or less.
    AccessWrong,
    /// A load has no claim.
    AccessMissing,
    /// A func's needed region is one shorter in a dimension.
    NeededShrunk,
    /// A func's needed region is one longer in a dimension, or lies elsewhere.
    NeededGrown,
    /// A func is computed without a label.
    LabelMissing,
}

impl MutantKind {
    /// The changes of final programs.
    pub const FINAL: &[Self] = &[
        Self::IndexOffByOne,
        Self::LoopBoundChanged,
        Self::OperandsSwapped,
        Self::LaneChanged,
        Self::ConstantChanged,
        Self::GuardDropped,
        Self::StoreMissing,
        Self::LoopMadeParallel,
        Self::AllocationShrunk,
        Self::FoldChanged,
        Self::WindowChanged,
        Self::LoadRedirected,
        Self::StoreRedirected,
        Self::StatementsSwapped,
        Self::AtomicDropped,
        Self::EntryCheckWeakened,
    ];

    /// The changes of structured programs.
    pub const LOWERING: &[Self] = &[
        Self::BoundWrong,
        Self::LoopBoundChanged,
        Self::StorageMoved,
        Self::GuardDropped,
        Self::TailWrong,
        Self::FoldChanged,
        Self::WindowChanged,
        Self::LoopsSwapped,
        Self::StageMissing,
        Self::WriteShifted,
        Self::LoopMadeParallel,
        Self::AllocationShrunk,
        Self::StatementsSwapped,
    ];

    /// The changes of final programs' annotations.
    pub const ANNOTATIONS: &[Self] = &[
        Self::ProphecyWrong,
        Self::ProphecyStage,
        Self::ProphecyMissing,
        Self::AccessWrong,
        Self::AccessMissing,
        Self::NeededShrunk,
        Self::NeededGrown,
        Self::LabelMissing,
    ];

    /// Returns the name for tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::IndexOffByOne => "index off by one",
            Self::LoopBoundChanged => "loop bound changed",
            Self::OperandsSwapped => "operands swapped",
            Self::LaneChanged => "lane of a shuffle changed",
            Self::ConstantChanged => "constant changed",
            Self::GuardDropped => "guard dropped",
            Self::StoreMissing => "store missing",
            Self::LoopMadeParallel => "loop made parallel",
            Self::AllocationShrunk => "allocation shrunk",
            Self::FoldChanged => "fold changed",
            Self::WindowChanged => "window changed",
            Self::LoadRedirected => "load redirected",
            Self::StoreRedirected => "store redirected",
            Self::StatementsSwapped => "statements swapped",
            Self::AtomicDropped => "atomic dropped",
            Self::EntryCheckWeakened => "entry check weakened",
            Self::BoundWrong => "bound wrong",
            Self::StorageMoved => "storage moved",
            Self::TailWrong => "tail wrong",
            Self::LoopsSwapped => "loops swapped",
            Self::StageMissing => "stage missing",
            Self::WriteShifted => "write shifted",
            Self::ProphecyWrong => "prophecy wrong",
            Self::ProphecyStage => "prophecy of another stage",
            Self::ProphecyMissing => "prophecy missing",
            Self::AccessWrong => "access wrong",
            Self::AccessMissing => "access missing",
            Self::NeededShrunk => "needed region shrunk",
            Self::NeededGrown => "needed region grown",
            Self::LabelMissing => "label missing",
        }
    }
}
