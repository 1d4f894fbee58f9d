//! The features of a schedule as data: the counts from which its time is estimated.

use serde::{Deserialize, Serialize};

/// A class of operations that cost about the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Class {
    /// Sums, products, comparisons and choices of floats.
    Float,
    /// Quotients and square roots of floats.
    Divide,
    /// Sums, comparisons, choices, shifts and bits of integers.
    Integer,
    /// Products of integers.
    Multiply,
    /// Quotients of integers by a number that is known.
    DivideByNumber,
    /// Other quotients of integers.
    IntegerDivide,
    /// Conversions, and roundings of floats.
    Convert,
    /// Exponentials and the like.
    Function,
    /// Arithmetic on coordinates that depend on data.
    Index,
}

impl Class {
    /// All classes.
    pub const ALL: [Self; 9] = [
        Self::Float,
        Self::Divide,
        Self::Integer,
        Self::Multiply,
        Self::DivideByNumber,
        Self::IntegerDivide,
        Self::Convert,
        Self::Function,
        Self::Index,
    ];

    /// The class in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Float => "float operations",
            Self::Divide => "float divisions",
            Self::Integer => "integer operations",
            Self::Multiply => "integer products",
            Self::DivideByNumber => "integer divisions by numbers",
            Self::IntegerDivide => "integer divisions",
            Self::Convert => "conversions",
            Self::Function => "functions",
            Self::Index => "operations on indices",
        }
    }
}

/// The counts of memory accesses, by their pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Accesses {
    /// Vectors of neighbours.
    pub dense: f64,
    /// Vectors of elements at a small constant distance, in vectors of neighbours.
    pub strided: f64,
    /// Single elements of vectors that have no such order.
    pub gathered: f64,
    /// Values that all lanes share, and values of code without vectors.
    pub scalar: f64,
}

impl Accesses {
    /// The sum of all counts.
    pub fn total(&self) -> f64 {
        self.dense + self.strided + self.gathered + self.scalar
    }
}

/// The counts of a stage, in the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// The stage's name.
    pub name: String,
    /// The root under which it runs: its place in [`Features::roots`].
    pub root: usize,
    /// The number of points that are computed.
    pub points: f64,
    /// The number of points that would be computed if each were computed once.
    pub least_points: f64,
    /// The number of reads for each point, with the inline funcs in it.
    pub reads: f64,
    /// Instructions of vector code, for each class.
    pub vector: [f64; 9],
    /// Instructions of code without vectors, for each class.
    pub scalar: [f64; 9],
    /// Reads.
    pub loads: Accesses,
    /// Writes.
    pub stores: Accesses,
    /// Steps of a recurrence: each waits for the one before.
    pub chain: f64,
    /// Iterations of innermost loops.
    pub inner: f64,
    /// Iterations of the other loops, and executions of the stage.
    pub outer: f64,
    /// Vectors for which there is no register, loaded and stored once more.
    pub spills: f64,
}

impl Stage {
    /// The instructions of one iteration of its innermost loop. A C compiler takes longer for more.
    pub fn code(&self) -> f64 {
        let operators: f64 = self.vector.iter().chain(&self.scalar).sum();
        (operators + self.loads.total() + self.stores.total()) / self.inner.max(1.0)
    }
}

/// The counts of a func that is computed at the top, with all that is computed within its loops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Root {
    /// The func's name.
    pub name: String,
    /// The bytes that are read across the first, the second and the third cache.
    pub read: [f64; 3],
    /// The bytes that are written across them.
    pub written: [f64; 3],
    /// The bytes that are written past the caches.
    pub streamed: f64,
    /// Turns to pages whose address the processor has to find: it keeps some addresses and fetches
    /// ahead in some.
    pub pages: f64,
    /// Starts of parallel loops.
    pub forks: f64,
    /// The time with all threads, as a part of the time with one.
    pub share: f64,
}

/// The memory of a func or an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// The name.
    pub name: String,
    /// The bytes that are allocated, or those of the input that are read.
    pub bytes: f64,
    /// The number of allocations.
    pub allocations: f64,
    /// The bytes that cross the first, the second and the third cache.
    pub moved: [f64; 3],
    /// The loop around the allocation; empty at the top.
    pub within: String,
    /// True for inputs and outputs.
    pub is_given: bool,
}

/// All features of a schedule at given sizes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Features {
    /// The stages that have loops.
    pub stages: Vec<Stage>,
    /// The funcs that are computed at the top.
    pub roots: Vec<Root>,
    /// The memory.
    pub memory: Vec<Memory>,
    /// Allocations on the heap.
    pub allocations: f64,
    /// Bytes of memory that are large enough to come fresh from the system.
    pub fresh: f64,
}
