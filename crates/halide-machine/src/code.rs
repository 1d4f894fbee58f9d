//! Instructions: the form that a statement is compiled to.
//!
//! A register holds a value. The registers of names in scope lie below the registers of temporary
//! values, so a thread takes over all registers below a mark.

use std::sync::Arc;

use halidom_halide_ir::tree::{Alignment, BinaryOp, ReduceOp};

use crate::calls::Function;
use crate::value::{Kind, Value};

/// A register.
pub(crate) type Reg = u32;
/// A place in the code.
pub(crate) type Label = usize;

/// An instruction, and the position of its statement.
#[derive(Clone, Debug)]
pub(crate) struct Instr {
    pub(crate) op: Op,
    pub(crate) at: usize,
}

/// The elements that are accessed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Index {
    /// A first element, whose number has 64 bits, and a step from lane to lane.
    Ramp { base: Reg, stride: Option<Reg> },
    /// One element for each lane, whose number has its own width.
    Lanes { index: Reg, kind: Kind },
}

/// An access of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The pointer.
    pub(crate) pointer: Reg,
    /// The type of the elements.
    pub(crate) kind: Kind,
    pub(crate) lanes: u32,
    pub(crate) index: Index,
    /// The alignment that is promised for the first element.
    pub(crate) alignment: Option<Alignment>,
    pub(crate) predicate: Option<Reg>,
}

/// The kind of decision that a condition makes.
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
    /// The extents, each of type `int32`.
    pub(crate) extents: Vec<Reg>,
    pub(crate) padding: u64,
    /// True for memory on the stack, where conditions do not matter.
    pub(crate) is_static: bool,
    /// True if it belongs to a block of a GPU and not to a thread.
    pub(crate) is_shared: bool,
    pub(crate) condition: Option<Reg>,
}

/// The field that a `_halide_buffer_get_…` call returns.
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

/// A value that an instruction computes from registers.
#[derive(Clone, Debug)]
pub(crate) enum Compute {
    Const(Value),
    Parameter(usize),
    Copy(Reg),
    /// `kind` is the operands' type. A mask selects the lanes that are computed at all.
    Binary {
        op: BinaryOp,
        kind: Kind,
        a: Reg,
        b: Reg,
        lanes: u32,
        mask: Option<Reg>,
    },
    Not {
        a: Reg,
        lanes: u32,
    },
    Select {
        condition: Reg,
        a: Reg,
        b: Reg,
        lanes: u32,
    },
    Cast {
        from: Kind,
        to: Kind,
        a: Reg,
        lanes: u32,
    },
    Reinterpret {
        from: (Kind, u32),
        to: (Kind, u32),
        a: Reg,
    },
    Ramp {
        kind: Kind,
        base: Reg,
        stride: Reg,
        lanes: u32,
    },
    /// A scalar or a vector, repeated.
    Repeat {
        a: Reg,
        lanes: u32,
    },
    /// Lanes of the concatenation; `None` is poison.
    Shuffle {
        of: Vec<Reg>,
        lanes: Vec<Option<u32>>,
    },
    Reduce {
        op: ReduceOp,
        kind: Kind,
        a: Reg,
        lanes: u32,
    },
    /// Tests whether any lane is true.
    Any(Reg),
    /// The conjunction of two masks, lane by lane.
    Both {
        a: Reg,
        b: Reg,
        lanes: u32,
    },
    Call {
        function: Function,
        args: Vec<(Reg, Kind)>,
        kind: Kind,
        lanes: u32,
    },
    /// Checks the promise that a value lies within bounds.
    Promise {
        kind: Kind,
        a: Reg,
        least: Reg,
        greatest: Reg,
        lanes: u32,
    },
    /// The number of a thread or of its block in one dimension.
    Identity {
        of_thread: bool,
        dim: usize,
    },
}

/// A call of Halide's runtime about semaphores or locks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SyncCall {
    /// A semaphore's memory.
    MakeSemaphore,
    InitSemaphore {
        semaphore: Reg,
        count: Reg,
    },
    Release {
        semaphore: Reg,
        count: Reg,
    },
    MakeLocks {
        extent: Reg,
        kind: Kind,
    },
    Lock {
        locks: Reg,
        index: Reg,
        kind: Kind,
        is_lock: bool,
    },
}

/// A call of Halide's runtime about a caller's buffer.
#[derive(Clone, Debug)]
pub(crate) enum BufferCall {
    Get {
        field: Field,
        dim: Option<Reg>,
    },
    /// Sets one of a buffer's dirty flags.
    SetDirty {
        flag: Reg,
        of_device: bool,
    },
    /// Answers a bounds query.
    Init(Box<Init>),
    /// The memory of a buffer on the device.
    Device,
    CopyToDevice,
    CopyToHost,
}

/// The registers that hold the answer to a bounds query.
#[derive(Clone, Debug)]
pub(crate) struct Init {
    pub(crate) shape: Reg,
    pub(crate) code: Reg,
    pub(crate) bits: Reg,
    pub(crate) dimensions: Reg,
    /// The min, extent, stride and flags of each dimension.
    pub(crate) sides: Vec<Reg>,
    pub(crate) flags: Reg,
}

/// The effect of an instruction.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Set {
        dst: Reg,
        to: Compute,
    },
    Sync {
        dst: Reg,
        call: SyncCall,
    },
    Buffer {
        dst: Reg,
        buffer: Reg,
        call: BufferCall,
    },
    /// A load. Lanes that are left out are 0 or poison.
    Load {
        dst: Reg,
        place: Place,
        zeroed: bool,
        atomic: bool,
    },
    /// A store, of only one lane where `lane` is given.
    Store {
        place: Place,
        value: Reg,
        lane: Option<u32>,
        atomic: bool,
    },
    Jump(Label),
    /// Jumps unless the condition holds; all lanes of a vector must hold.
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
    /// Goes to the body again, except after the last iteration.
    Next {
        var: Reg,
        limit: Reg,
        body: Label,
    },
    Allocate(Box<Allocation>),
    /// Frees memory that is still live at the end of its scope.
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
    /// Ends the run with an error.
    Fail {
        error: Arc<str>,
        args: Vec<(Reg, Kind)>,
        strings: Vec<Option<Arc<str>>>,
    },
    /// Parallel iterations. Each is the code up to `end`, with the registers below `mark`.
    Parallel {
        var: Reg,
        min: Reg,
        extent: Reg,
        body: Label,
        end: Label,
        mark: Reg,
    },
    /// Parallel tasks.
    Fork {
        tasks: Vec<Label>,
        end: Label,
        mark: Reg,
    },
    /// Blocks of threads: the extents of blocks and of threads, each in x, y and z.
    Kernel {
        blocks: [Option<Reg>; 3],
        threads: [Option<Reg>; 3],
        body: Label,
        end: Label,
        mark: Reg,
    },
    Barrier,
    EndThread,
    Acquire {
        semaphore: Reg,
        count: Reg,
    },
}
