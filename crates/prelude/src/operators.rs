//! The operators that C lacks, as data.

/// Operators on one value that need a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarOp {
    /// Euclidean division.
    Div,
    /// The remainder of this division.
    Mod,
    /// The least of two values.
    Min,
    /// The greatest of two values.
    Max,
    /// A shift to the left.
    Shl,
    /// A shift to the right.
    Shr,
    /// The absolute value.
    Abs,
}

/// A small count: a stride, a number of repetitions, or a number of interleaved vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Few {
    /// 2
    Two,
    /// 3
    Three,
    /// 4
    Four,
}

impl Few {
    /// Every count.
    pub const ALL: [Self; 3] = [Self::Two, Self::Three, Self::Four];

    /// Returns the count with this value, if it is one.
    pub fn of(count: i128) -> Option<Self> {
        Self::ALL.into_iter().find(|few| count == i128::from(few.count()))
    }

    /// Returns its value.
    pub fn count(self) -> u32 {
        match self {
            Self::Two => 2,
            Self::Three => 3,
            Self::Four => 4,
        }
    }
}

/// Operators on vectors that need a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VectorOp {
    /// Loads consecutive elements.
    Load,
    /// Loads elements at a constant distance.
    LoadStrided,
    /// Loads elements in descending order.
    LoadReversed,
    /// Loads each element two, three or four times; the first and the last may occur fewer times.
    LoadRepeated(Few),
    /// Loads elements at any places.
    Gather,
    /// Loads elements at places that 32 bits hold. The vector of places is as wide as one of `f32`.
    GatherNarrow,
    /// Loads elements at places after an element.
    GatherAt,
    /// Loads elements at places after an element that 32 bits hold.
    GatherNarrowAt,
    /// Stores to consecutive elements.
    Store,
    /// A store that bypasses the caches.
    Stream,
    /// Stores to elements at a constant distance.
    StoreStrided,
    /// Stores as many vectors, interleaved: lane 0 of all, then lane 1 of all, and so on.
    StoreInterleaved(Few),
    /// The same, bypassing the caches.
    StreamInterleaved(Few),
    /// Stores to elements at any places.
    Scatter,
    /// One value in every lane.
    Broadcast,
    /// Values at a constant distance.
    Ramp,
    /// A choice, lane by lane.
    Select,
    /// The least of two values.
    Min,
    /// The greatest of two values.
    Max,
    /// Euclidean division.
    Div,
    /// The remainder of this division.
    Mod,
    /// A shift to the left.
    Shl,
    /// A shift to the right.
    Shr,
    /// The absolute value.
    Abs,
}

/// Operators that replace a value in memory in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// A sum.
    Add,
    /// A difference.
    Sub,
    /// A product.
    Mul,
    /// The least of two values.
    Min,
    /// The greatest of two values.
    Max,
    /// A conjunction of bits.
    And,
    /// A disjunction of bits.
    Or,
    /// An exclusive disjunction of bits.
    Xor,
}

impl AtomicOp {
    /// Every operator.
    pub const ALL: [Self; 8] =
        [Self::Add, Self::Sub, Self::Mul, Self::Min, Self::Max, Self::And, Self::Or, Self::Xor];

    /// Returns the first part of the helper's name.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Add => "atomic_add",
            Self::Sub => "atomic_sub",
            Self::Mul => "atomic_mul",
            Self::Min => "atomic_min",
            Self::Max => "atomic_max",
            Self::And => "atomic_and",
            Self::Or => "atomic_or",
            Self::Xor => "atomic_xor",
        }
    }
}

impl ScalarOp {
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Self::Div => "div",
            Self::Mod => "mod",
            Self::Min => "min",
            Self::Max => "max",
            Self::Shl => "shl",
            Self::Shr => "shr",
            Self::Abs => "abs",
        }
    }
}

impl VectorOp {
    /// The operators that shuffle consecutive elements of memory.
    pub const SHUFFLES: [Self; 10] = [
        Self::LoadRepeated(Few::Two),
        Self::LoadRepeated(Few::Three),
        Self::LoadRepeated(Few::Four),
        Self::LoadReversed,
        Self::StoreInterleaved(Few::Two),
        Self::StoreInterleaved(Few::Three),
        Self::StoreInterleaved(Few::Four),
        Self::StreamInterleaved(Few::Two),
        Self::StreamInterleaved(Few::Three),
        Self::StreamInterleaved(Few::Four),
    ];

    /// Returns the first part of the helper's name.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::LoadStrided => "load_strided",
            Self::LoadReversed => "load_reversed",
            Self::LoadRepeated(Few::Two) => "load_repeated2",
            Self::LoadRepeated(Few::Three) => "load_repeated3",
            Self::LoadRepeated(Few::Four) => "load_repeated4",
            Self::Gather => "gather",
            Self::GatherNarrow => "gather_narrow",
            Self::GatherAt => "gather_at",
            Self::GatherNarrowAt => "gather_narrow_at",
            Self::Store => "store",
            Self::Stream => "stream",
            Self::StoreStrided => "store_strided",
            Self::StoreInterleaved(Few::Two) => "store_interleaved2",
            Self::StoreInterleaved(Few::Three) => "store_interleaved3",
            Self::StoreInterleaved(Few::Four) => "store_interleaved4",
            Self::StreamInterleaved(Few::Two) => "stream_interleaved2",
            Self::StreamInterleaved(Few::Three) => "stream_interleaved3",
            Self::StreamInterleaved(Few::Four) => "stream_interleaved4",
            Self::Scatter => "scatter",
            Self::Broadcast => "broadcast",
            Self::Ramp => "ramp",
            Self::Select => "select",
            Self::Min => "min",
            Self::Max => "max",
            Self::Div => "div",
            Self::Mod => "mod",
            Self::Shl => "shl",
            Self::Shr => "shr",
            Self::Abs => "abs",
        }
    }
}
