//! The faults of a program.

use halidom_ir::eval::EvalError;
use halidom_ir::{BufferId, Check, Constant, FuncId, Shape, StmtId, print};

use crate::BindError;
use crate::algorithm::AlgorithmError;
use crate::code::CodeError;
use crate::startup::StartupError;

/// A stuck state of FS Fig. 8, or a violation of the rules on undefined values, parallel loops and
/// index arithmetic.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// An entry check does not hold (FS Definition 5.1; Definition 5.2 if the check is
    /// [`Check::DomainExtent`]).
    #[error("entry check failed: {:?} (needed {:?}, given {:?})", .0.check, .0.needed, .0.given)]
    CheckFailed(Box<CheckFailure>),
    /// A memory error (FS Definition 5.3).
    #[error("{access} of `{}` at {:?} is out of bounds", place.name, place.coords)]
    OutOfBounds {
        /// The location.
        place: Box<Place>,
        /// Read or write.
        access: Access,
    },
    /// An undefined value reaches a place that must be defined.
    #[error("an undefined value reaches {role}")]
    Undefined {
        /// The role of the value there.
        role: Role,
        /// The statement.
        stmt: StmtId,
    },
    /// An element of the required window was not written, or was written with an undefined value.
    #[error("output `{name}` is undefined at {coords:?}")]
    UndefinedOutput {
        /// The output.
        func: FuncId,
        /// The output's name.
        name: String,
        /// The point.
        coords: Vec<i64>,
    },
    /// An `int` does not fit the 64 bits of the generated code.
    #[error("the `int` value {value} is beyond 64 bits")]
    IndexOverflow {
        /// The value.
        value: i128,
        /// The statement.
        stmt: StmtId,
    },
    /// A write to the caller's read-only memory.
    #[error("write to input `{}` at {:?}", place.name, place.coords)]
    WriteToInput {
        /// The location.
        place: Box<Place>,
    },
    /// An access outside the scope of the buffer's allocation.
    #[error("`{name}` is accessed where it is not allocated")]
    DeadBuffer {
        /// The buffer or func.
        name: String,
        /// The statement.
        stmt: StmtId,
    },
    /// Two unordered iterations of a parallel loop conflict.
    #[error("race on `{}` at {:?}: {conflict}", place.name, place.coords)]
    Race {
        /// The location, and the statement that completes the conflict.
        place: Box<Place>,
        /// The kind of conflict.
        conflict: Conflict,
    },
    /// Lanes of one statement write different values to one location.
    #[error("lanes write different values to `{}` at {:?}", place.name, place.coords)]
    LaneConflict {
        /// The location.
        place: Box<Place>,
    },
    /// A store within a needed region does not write the claimed value. Found only if claims are
    /// checked.
    #[error("`{}` at {:?}: stored {}, but \
        {}", .0.place.name, .0.place.coords, text(.0.stored), .0.described())]
    ClaimWrong(Box<WrongClaim>),
    /// The specification has no value at a claim that is checked.
    #[error(transparent)]
    Specification(#[from] Box<AlgorithmError>),
    /// An operator has no value on its operands, or operands or stored values have wrong types.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The program is not well formed.
    #[error(transparent)]
    Malformed(#[from] CodeError),
    /// A bound of the output's allocation region cannot be evaluated beforehand.
    #[error(transparent)]
    Startup(#[from] StartupError),
    /// Windows or output buffers do not fit the program.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The number of windows or output buffers differs from the number of outputs.
    #[error("{expected} outputs and {given} windows or output buffers")]
    OutputCount {
        /// The number of outputs.
        expected: usize,
        /// The number of windows or output buffers.
        given: usize,
    },
    /// An input has no array.
    #[error("input `{0}` is not given")]
    MissingInput(String),
    /// A window is outside its output's buffer.
    #[error("the window {window:?} of `{name}` is not within its buffer {buffer:?} (min, extent)")]
    WindowOutsideBuffer {
        /// The output.
        name: String,
        /// The window.
        window: Shape,
        /// The buffer's box.
        buffer: Shape,
    },
    /// More loop iterations and stores than [`super::Options::steps`] were to be executed.
    #[error("the program runs for too long")]
    OutOfSteps,
    /// More memory than [`super::Options::elements`] would be live.
    #[error("`{name}` is too large: {elements} elements")]
    TooLarge {
        /// The buffer.
        name: String,
        /// The number of its elements.
        elements: i128,
    },
}

impl Fault {
    /// True if this fault shows a defect of a program that was expected to run through. A failed
    /// check refuses the inputs. A program that cannot be run, or takes too long, shows nothing.
    pub fn is_defect(&self) -> bool {
        match self {
            Self::OutOfBounds { .. }
            | Self::Undefined { .. }
            | Self::UndefinedOutput { .. }
            | Self::IndexOverflow { .. }
            | Self::WriteToInput { .. }
            | Self::DeadBuffer { .. }
            | Self::Race { .. }
            | Self::LaneConflict { .. } => true,
            Self::CheckFailed(_)
            | Self::ClaimWrong(_)
            | Self::Specification(_)
            | Self::Eval(_)
            | Self::Malformed(_)
            | Self::Startup(_)
            | Self::Bind(_)
            | Self::OutputCount { .. }
            | Self::MissingInput(_)
            | Self::WindowOutsideBuffer { .. }
            | Self::OutOfSteps
            | Self::TooLarge { .. } => false,
        }
    }

    /// The statement at fault, if there is one.
    pub fn stmt(&self) -> Option<StmtId> {
        match self {
            Self::OutOfBounds { place, .. }
            | Self::WriteToInput { place }
            | Self::Race { place, .. }
            | Self::LaneConflict { place } => Some(place.stmt),
            Self::Undefined { stmt, .. }
            | Self::IndexOverflow { stmt, .. }
            | Self::DeadBuffer { stmt, .. } => Some(*stmt),
            Self::ClaimWrong(claim) => Some(claim.place.stmt),
            Self::CheckFailed(_)
            | Self::UndefinedOutput { .. }
            | Self::Specification(_)
            | Self::Eval(_)
            | Self::Malformed(_)
            | Self::Startup(_)
            | Self::Bind(_)
            | Self::OutputCount { .. }
            | Self::MissingInput(_)
            | Self::WindowOutsideBuffer { .. }
            | Self::OutOfSteps
            | Self::TooLarge { .. } => None,
        }
    }
}

/// A failed check, with the numbers for its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFailure {
    /// The check.
    pub check: Check,
    /// The values of its `needed` interval (min, extent), if it has one.
    pub needed: Option<(i128, i128)>,
    /// The values of its `given` interval, if it has one.
    pub given: Option<(i128, i128)>,
}

/// A store and the instance that it claims to execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongClaim {
    /// The location of the store.
    pub place: Place,
    /// The stored value. `None` is undefined.
    pub stored: Option<Constant>,
    /// The func and stage of the claimed instance.
    pub instance: (FuncId, usize),
    /// The instance's written point.
    pub coords: Vec<i64>,
    /// The instance's values of the reduction variables.
    pub point: Vec<i64>,
    /// The value that the specification writes there. `None` if there is no such instance.
    pub specified: Option<Constant>,
}

impl WrongClaim {
    fn described(&self) -> String {
        let Self { instance: (_, stage), coords, point, specified, .. } = self;
        match specified {
            Some(_) => {
                format!("stage {stage} writes {} to {coords:?} at {point:?}", text(*specified))
            }
            None => format!("stage {stage} does not write to {coords:?} at {point:?}"),
        }
    }
}

/// A value in the IR's text form.
fn text(value: Option<Constant>) -> String {
    value.map_or_else(|| "nothing".to_owned(), print::constant)
}

/// A location and the statement that accesses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The buffer.
    pub buffer: BufferId,
    /// The buffer's name.
    pub name: String,
    /// The coordinates if the access is out of bounds and storage is not flattened yet. Otherwise
    /// the element number alone.
    pub coords: Vec<i128>,
    /// The statement.
    pub stmt: StmtId,
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
}

impl std::fmt::Display for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}

/// The role of a value that must be defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An index or coordinate.
    Index,
    /// A loop's bound.
    LoopBound,
    /// The condition of an `if`.
    Condition,
    /// The condition of an entry check.
    Assert,
    /// The min, extent or stride of an allocation.
    AllocationBound,
    /// A needed region. Occurs only if claims are checked.
    Needed,
    /// A coordinate of a store's claim. Occurs only if claims are checked.
    Claim,
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Index => "an index",
            Self::LoopBound => "a loop's bound",
            Self::Condition => "a condition",
            Self::Assert => "an entry check",
            Self::AllocationBound => "an allocation's bound",
            Self::Needed => "a needed region",
            Self::Claim => "a store's claim",
        })
    }
}

/// The kind of conflict between unordered iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// They write different values.
    DifferentValues,
    /// One reads a location that the other writes, without having written it before.
    ReadOfOthersWrite,
    /// One reads or writes a location that the other updates atomically.
    BesideUpdate,
}

impl std::fmt::Display for Conflict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::DifferentValues => "parallel iterations write different values",
            Self::ReadOfOthersWrite => "a parallel iteration reads what another one writes",
            Self::BesideUpdate => {
                "a parallel iteration accesses what another one updates atomically"
            }
        })
    }
}
