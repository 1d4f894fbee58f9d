//! The intermediate representation that everyone shares: types, expressions, statements, algorithms
//! and schedules as data.
//!
//! This crate does not know how anything is computed. Start with [`Pool`], which owns everything
//! that an id names. Continue with [`Expr`] and [`Stmt`], then with [`Algorithm`] (what to
//! compute), [`Schedule`] (how to compute it) and [`Program`] (the imperative result).
//! [`mod@print`] and [`mod@parse`] are the text form, [`visit`] has the traversals of statements,
//! and [`verify`] lists the rules of well-formedness.
//!
//! # Semantics
//! The semantics is total: there is no undefined behaviour, only the faults named below.
//!
//! * **Values.** Machine integers wrap at their width, at every width. `int` is a mathematical
//!   integer. Generated code holds it in 64 bits, and it is an obligation to prove that its values
//!   fit. `/` and `%` are Euclidean with `x / 0 = x % 0 = 0`. Shifts are total. Floats are IEEE 754
//!   binary32 and binary64, rounded to nearest even, never reassociated or contracted; `min(a, b)`
//!   is `a < b ? a : b`. Casts between integers wrap. Casts from float to integer saturate, and NaN
//!   gives 0. [`eval`] defines all of this.
//! * **Algorithms** (FS Fig. 6): a func's value at a point is the value of its last stage there. To
//!   find a stage's value at a point, take the instances of its domain in lexicographic order, the
//!   first variable innermost. The last instance whose predicate holds and whose `lhs` is the point
//!   gives the value. If there is no such instance, the value is the previous stage's. A negative
//!   domain extent is an error. Inputs are arrays; outside their box they have no value.
//! * **Programs** (FS Fig. 8): statements run in order. A loop of non-positive extent does nothing.
//!   Stuck states are faults: a failed assert, an access outside its buffer, and the faults below.
//! * **Undefined values** (⊥): fresh memory holds ⊥. It propagates per lane through every operator;
//!   the only exceptions are the arm that a select does not choose, and lanes that a shuffle does
//!   not take. ⊥ may not reach an index, a loop bound, a condition, an assert, or a needed
//!   coordinate of an output.
//! * **Parallel loops**: iterations are unordered. Two iterations may write one location only if
//!   they write the same value. An iteration may read a location that another one writes only after
//!   its own write to it. Anything else is a data race, which is a fault. Loops over the blocks of
//!   a GPU and over the threads of a block are parallel loops.
//! * **Atomic updates**: an atomic store reads the element that it writes, and nothing comes
//!   between the read and the write. Atomic updates of one element by unordered iterations are no
//!   race, but their order is open: the element's final value is the result of some order. Mixing
//!   them with any other access to the element is a race.
//! * **Vectors**: all lanes of a store's index and value are evaluated before any lane is written.
//!   Lanes that write the same element must carry one value.
//! * **Labels, prophecies and accesses** do not affect execution. They are hints for the validator,
//!   which checks them.

mod algorithm;
mod array;
mod constant;
mod decl;
mod directive;
pub mod eval;
mod expr;
mod function;
mod ids;
mod math;
mod op;
pub mod parse;
mod pool;
pub mod print;
mod program;
mod schedule;
mod stmt;
mod types;
mod typing;
pub mod verify;
pub mod visit;

pub use algorithm::{Algorithm, Require};
pub use array::{Array, Nesting, Shape, nested_strides, points};
pub use constant::Constant;
pub use decl::{
    BufferDecl, BufferKind, Dim, FuncDecl, FuncKind, HoleDecl, HoleKind, HolePart, REGISTER_LIMIT,
    ReductionVar, STACK_LIMIT, Stage, StoreIn, VarDecl,
};
pub use directive::{
    Argument, DIRECTIVES, DirectiveForm, Number, ParameterKind, SchedulePhase, Words,
};
pub use expr::{Access, Expr, ExprId, interleaved_lanes};
pub use function::{FunctionDecl, FunctionId, Real};
pub use ids::{BufferId, FuncId, HoleId, VarId};
pub use op::{BinaryOp, Intrinsic, Overflow, UnaryOp};
pub use pool::{Pool, Substitution};
pub use program::{Output, Program};
pub use schedule::{Action, Directive, FoldDirection, LoopLevel, Schedule, Tail};
pub use stmt::{Check, Deal, Interval, Label, LoopKind, Partition, Prophecy, Stmt, StmtId};
pub use types::{Scalar, Type};
