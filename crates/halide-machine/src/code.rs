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

/// The effect of an instruction.
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
    /// `kind` is the operands' type. A mask selects the lanes that are computed at all.
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
    /// Lanes of the concatenation; `None` is poison.
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
    /// Tests whether any lane is true.
    Any {
        dst: Reg,
        a: Reg,
    },
    /// The conjunction of two masks, lane by lane.
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
    /// The number of a thread or of its block in one dimension.
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
    /// Sets one of a buffer's dirty flags.
    SetDirty {
        dst: Reg,
        buffer: Reg,
        flag: Reg,
        of_device: bool,
    },
    /// Answers a bounds query.
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
    /// The memory of a buffer on the device.
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
    /// Checks the promise that a value lies within bounds.
    Promise {
        dst: Reg,
        kind: Kind,
        a: Reg,
        least: Reg,
        greatest: Reg,
        lanes: u32,
    },
}
