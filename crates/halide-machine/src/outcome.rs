//! What comes of a run.

use std::fmt;

use crate::case::{BufferCase, Dim};
use crate::float::Notes;

/// A construct that the machine does not give its full meaning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{construct}")]
pub struct Refused {
    /// What it is.
    pub construct: String,
    /// Where its statement stands, in bytes.
    pub at: usize,
}

/// What comes of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The run went through.
    Done {
        /// The buffers of the caller, in the order in which the case has them.
        buffers: Vec<BufferAfter>,
        /// What was seen of floats.
        notes: Notes,
    },
    /// An assertion failed: the run ends with its error.
    Ended {
        /// The function that says what is wrong.
        error: String,
        /// With its arguments.
        words: String,
    },
    /// Something happened for which the code generators' output has no behaviour.
    Fault(Fault),
    /// Something that the machine does not do.
    Refused(Refused),
    /// More steps or memory than are allowed.
    TooLong,
}

/// A buffer after a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferAfter {
    /// Its name.
    pub name: String,
    /// Its bytes on the host, all that the case gave.
    pub bytes: Option<Vec<u8>>,
    /// Its sides; a query of bounds changes them.
    pub dims: Vec<Dim>,
    /// Whether the copy on the host is the newer one.
    pub host_dirty: bool,
    /// Whether the copy on the device is.
    pub device_dirty: bool,
}

/// Something for which there is no behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind of thing.
    pub kind: FaultKind,
    /// Where its statement stands, in bytes.
    pub at: usize,
    /// What happened.
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
    /// Memory that was freed is freed.
    DoubleFree,
    /// An access through a pointer that points to no memory.
    NoMemory,
    /// An address that does not have the alignment that the code relies on.
    Misaligned,
    /// Poison decides something, or is left in a buffer of the caller's.
    Poison,
    /// Two accesses that nothing orders.
    Race,
    /// Threads that wait for each other, or for a semaphore that nobody releases.
    Deadlock,
    /// Threads of a block that do not meet at one barrier.
    DivergentBarrier,
    /// A value outside of the bounds that are promised.
    BrokenPromise,
    /// A semaphore or lock that is not used as such.
    Misuse,
}

/// How much a run may do.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Instructions.
    pub steps: u64,
    /// Bytes that are allocated at one time.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 100_000_000, memory: 1 << 30 }
    }
}

/// Why a run stops before its end.
#[derive(Debug)]
pub(crate) enum Stop {
    Fault(FaultKind, String),
    Ended { error: String, words: String },
    Refused(String),
    TooLong,
}

pub(crate) type Running<T> = Result<T, Stop>;

/// A fault.
pub(crate) fn fault<T>(kind: FaultKind, words: impl Into<String>) -> Running<T> {
    Err(Stop::Fault(kind, words.into()))
}

/// What is left of a buffer.
pub(crate) fn after(case: &BufferCase, bytes: Option<Vec<u8>>) -> BufferAfter {
    BufferAfter {
        name: case.name.clone(),
        bytes,
        dims: case.dims.clone(),
        host_dirty: case.host_dirty,
        device_dirty: case.device_dirty,
    }
}
