//! Instructions: what a statement becomes once it was looked at.
//!
//! A register holds a value; those of names in scope lie below those of what is computed for a moment, so that a thread takes over all registers below a mark.

use std::sync::Arc;

use halidom_halide_ir::tree::{Alignment, BinaryOp, ReduceOp};

use crate::calls::Function;
use crate::value::{Kind, Value};

/// A register.
pub(crate) type Reg = u32;
/// A place in the code.
pub(crate) type Label = usize;

/// An instruction, and where its statement stands.
#[derive(Clone, Debug)]
pub(crate) struct Instr {
    pub(crate) op: Op,
    pub(crate) at: usize,
}

/// Which elements are accessed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Index {
    /// A first one, of 64 bits, and a step from lane to lane.
    Ramp { base: Reg, stride: Option<Reg> },
    /// One for each lane, of its own width.
    Lanes { index: Reg, kind: Kind },
}

/// An access of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The pointer.
    pub(crate) pointer: Reg,
    /// Of the elements.
    pub(crate) kind: Kind,
    pub(crate) lanes: u32,
    pub(crate) index: Index,
    /// What is promised of the first element.
    pub(crate) alignment: Option<Alignment>,
    pub(crate) predicate: Option<Reg>,
}

/// What ends where poison decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decides {
    Branch,
    Assertion,
}

/// An allocation.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    pub(crate) dst: Reg,
    pub(crate) name: Arc<str>,
    pub(crate) kind: Kind,
    /// Of type `int32`, each.
    pub(crate) extents: Vec<Reg>,
    pub(crate) padding: u64,
    /// Whether it is on the stack, where conditions do not matter.
    pub(crate) is_static: bool,
    /// Whether a block of a GPU has it, rather than a thread.
    pub(crate) is_shared: bool,
    pub(crate) condition: Option<Reg>,
}

/// What a `_halide_buffer_get_…` gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Host,
    Type,
    Dimensions,
    Shape,
    HostDirty,
    DeviceDirty,
    IsBoundsQuery,
    Min,
    Max,
    Extent,
    Stride,
}

/// What an instruction does.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Const {
        dst: Reg,
        value: Value,
    },
    Parameter {
        dst: Reg,
        number: usize,
    },
    Copy {
        dst: Reg,
        src: Reg,
    },
    /// Of `kind` are the operands; a mask says which lanes are computed at all.
    Binary {
        dst: Reg,
        op: BinaryOp,
        kind: Kind,
        a: Reg,
        b: Reg,
        lanes: u32,
        mask: Option<Reg>,
    },
    Not {
        dst: Reg,
        a: Reg,
        lanes: u32,
    },
    Select {
        dst: Reg,
        condition: Reg,
        a: Reg,
        b: Reg,
        lanes: u32,
    },
    Cast {
        dst: Reg,
        from: Kind,
        to: Kind,
        a: Reg,
        lanes: u32,
    },
    Reinterpret {
        dst: Reg,
        from: (Kind, u32),
        to: (Kind, u32),
        a: Reg,
    },
    Ramp {
        dst: Reg,
        kind: Kind,
        base: Reg,
        stride: Reg,
        lanes: u32,
    },
    /// A scalar or a vector, repeated.
    Repeat {
        dst: Reg,
        a: Reg,
        lanes: u32,
    },
    /// Lanes of the concatenation; none is poison.
    Shuffle {
        dst: Reg,
        of: Vec<Reg>,
        lanes: Vec<Option<u32>>,
    },
    Reduce {
        dst: Reg,
        op: ReduceOp,
        kind: Kind,
        a: Reg,
        lanes: u32,
    },
    /// Whether any lane is true.
    Any {
        dst: Reg,
        a: Reg,
    },
    /// Lanes of both.
    Both {
        dst: Reg,
        a: Reg,
        b: Reg,
        lanes: u32,
    },
    Call {
        dst: Reg,
        function: Function,
        args: Vec<(Reg, Kind)>,
        kind: Kind,
        lanes: u32,
    },
    /// Lanes that are left out are 0 or poison.
    Load {
        dst: Reg,
        place: Place,
        zeroed: bool,
        atomic: bool,
    },
    /// One lane only, where it is said.
    Store {
        place: Place,
        value: Reg,
        lane: Option<u32>,
        atomic: bool,
    },
    Jump(Label),
    /// Goes on where the condition holds; a vector's lanes must all hold.
    Unless {
        condition: Reg,
        to: Label,
        decides: Decides,
    },
    /// Sets the variable to the minimum, and goes to the exit if there is no iteration.
    Enter {
        var: Reg,
        limit: Reg,
        min: Reg,
        extent: Reg,
        exit: Label,
    },
    /// Goes to the body again, but for the last iteration.
    Next {
        var: Reg,
        limit: Reg,
        body: Label,
    },
    Allocate(Box<Allocation>),
    /// Frees what is still there at the end of its scope.
    Leave {
        pointer: Reg,
        is_shared: bool,
        name: Arc<str>,
    },
    Free {
        pointer: Reg,
        is_shared: bool,
        name: Arc<str>,
    },
    /// Ends the run.
    Fail {
        error: Arc<str>,
        args: Vec<(Reg, Kind)>,
        strings: Vec<Option<Arc<str>>>,
    },
    /// Iterations at one time, each the code up to `end`, with the registers below `mark`.
    Parallel {
        var: Reg,
        min: Reg,
        extent: Reg,
        body: Label,
        end: Label,
        mark: Reg,
    },
    /// Tasks at one time.
    Fork {
        tasks: Vec<Label>,
        end: Label,
        mark: Reg,
    },
    /// Blocks of threads: extents of blocks and threads, each x, y and z.
    Kernel {
        blocks: [Option<Reg>; 3],
        threads: [Option<Reg>; 3],
        body: Label,
        end: Label,
        mark: Reg,
    },
    /// The number of a thread or its block, in one dimension.
    Identity {
        dst: Reg,
        of_thread: bool,
        dim: usize,
    },
    Barrier,
    EndThread,
    /// A semaphore's memory.
    MakeSemaphore {
        dst: Reg,
    },
    InitSemaphore {
        dst: Reg,
        semaphore: Reg,
        count: Reg,
    },
    Release {
        dst: Reg,
        semaphore: Reg,
        count: Reg,
    },
    Acquire {
        semaphore: Reg,
        count: Reg,
    },
    MakeLocks {
        dst: Reg,
        extent: Reg,
        kind: Kind,
    },
    Lock {
        dst: Reg,
        locks: Reg,
        index: Reg,
        kind: Kind,
        is_lock: bool,
    },
    Buffer {
        dst: Reg,
        field: Field,
        buffer: Reg,
        dim: Option<Reg>,
    },
    /// Sets a flag.
    SetDirty {
        dst: Reg,
        buffer: Reg,
        flag: Reg,
        of_device: bool,
    },
    /// What answers a query of bounds.
    InitBuffer {
        dst: Reg,
        buffer: Reg,
        shape: Reg,
        code: Reg,
        bits: Reg,
        dimensions: Reg,
        sides: Vec<Reg>,
        flags: Reg,
    },
    /// Memory of a buffer on the device.
    Device {
        dst: Reg,
        buffer: Reg,
    },
    CopyToDevice {
        dst: Reg,
        buffer: Reg,
    },
    CopyToHost {
        dst: Reg,
        buffer: Reg,
    },
    /// That a value lies within bounds.
    Promise {
        dst: Reg,
        kind: Kind,
        a: Reg,
        least: Reg,
        greatest: Reg,
        lanes: u32,
    },
}
