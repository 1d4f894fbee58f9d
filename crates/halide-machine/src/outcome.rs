//! The outcomes of runs.

use std::fmt;

use crate::case::{BufferCase, Dim};
use crate::float::{Beyond, Notes};

/// A construct to which the machine does not give its full meaning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{construct}")]
pub struct Refused {
    /// A description of the construct.
    pub construct: String,
    /// The position of its statement, in bytes.
    pub at: usize,
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The run went through.
    Done {
        /// The caller's buffers, in the case's order.
        buffers: Vec<BufferAfter>,
        /// Observations about floats.
        notes: Notes,
    },
    /// An assertion failed: the run ends with its error.
    Ended {
        /// The function that reports the error.
        error: String,
        /// Its arguments.
        words: String,
    },
    /// An event for which the code generators' output has no behaviour.
    Fault(Fault),
    /// A construct that the machine does not run.
    Refused(Refused),
    /// The run takes more steps or memory than the limits allow.
    TooLong,
}

/// A buffer after a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferAfter {
    /// Its name.
    pub name: String,
    /// Its bytes on the host: all that the case gave.
    pub bytes: Option<Vec<u8>>,
    /// Its dimensions, which a bounds query changes.
    pub dims: Vec<Dim>,
    /// True if the copy on the host is the newer one.
    pub host_dirty: bool,
    /// True if the copy on the device is the newer one.
    pub device_dirty: bool,
}

/// An event for which there is no behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of event.
    pub kind: FaultKind,
    /// The position of its statement, in bytes.
    pub at: usize,
    /// A description of the event.
    pub words: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.words, self.at)
    }
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultKind {
    /// An access outside of its memory.
    OutOfBounds,
    /// An access of memory that was freed.
    UseAfterFree,
    /// Memory that was freed already is freed again.
    DoubleFree,
    /// An access through a pointer that points to no memory.
    NoMemory,
    /// An address that does not have the alignment that the code relies on.
    Misaligned,
    /// Poison decides something, or is left in a caller's buffer.
    Poison,
    /// Two accesses that nothing orders.
    Race,
    /// Threads that wait for each other, or for a semaphore that nobody releases.
    Deadlock,
    /// Threads of a block that do not meet at one barrier.
    DivergentBarrier,
    /// A value lies outside of its promised bounds.
    BrokenPromise,
    /// A semaphore or lock is not used as such.
    Misuse,
}

/// The limits of a run, and the meaning of what leaves its type.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The number of instructions. Operations on large vectors or memory count several times.
    pub steps: u64,
    /// The number of bytes that are allocated at one time.
    pub memory: u64,
    /// The meaning of signed arithmetic and of conversions whose results leave their type.
    pub beyond: Beyond,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 100_000_000, memory: 1 << 30, beyond: Beyond::Poison }
    }
}

/// The reasons why a run stops before its end.
#[derive(Debug)]
pub(crate) enum Stop {
    Fault(FaultKind, String),
    Ended { error: String, words: String },
    Refused(String),
    TooLong,
}

pub(crate) type Running<T> = Result<T, Stop>;

/// Returns a fault.
pub(crate) fn fault<T>(kind: FaultKind, words: impl Into<String>) -> Running<T> {
    Err(Stop::Fault(kind, words.into()))
}

/// Returns the final state of a buffer.
pub(crate) fn after(case: &BufferCase, bytes: Option<Vec<u8>>) -> BufferAfter {
    BufferAfter {
        name: case.name.clone(),
        bytes,
        dims: case.dims.clone(),
        host_dirty: case.host_dirty,
        device_dirty: case.device_dirty,
    }
}
