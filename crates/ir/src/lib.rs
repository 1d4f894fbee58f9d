//! The intermediate representation that everyone shares: types, expressions, statements, algorithms and schedules as data.
//!
//! Knows nothing about how anything is computed. Start with [`Pool`], which owns everything that an id names; then [`Expr`] and [`Stmt`]; then
//! [`Algorithm`] (what to compute), [`Schedule`] (how) and [`Program`] (the imperative result). [`print`] and [`mod@parse`] are the text form, [`verify`] is the list
//! of rules for what is well formed.
//!
//! # Semantics
//! Total: there is no undefined behaviour, only the faults named below.
//!
//! * **Values.** Machine integers wrap at their width, at every width. `int` is a mathematical integer; generated code holds it in 64 bits, and that its values fit
//!   is an obligation. `/` and `%` are Euclidean with `x / 0 = x % 0 = 0`. Shifts are total. Floats are IEEE 754 binary32 and binary64, rounded to nearest even,
//!   never reassociated or contracted; `min(a, b)` is `a < b ? a : b`. Casts between integers wrap, float to integer saturates with NaN giving 0. [`eval`] is the
//!   definition of all of this.
//! * **Algorithms** (FS Fig. 6): a func's value at a point is that of its last stage; a stage's value at a point is that of the last instance of its domain, in
//!   lexicographic order with the first variable innermost, whose predicate holds and whose `lhs` is the point, else that of the stage before. A negative domain extent
//!   is an error. Inputs are arrays; outside their box they have no value.
//! * **Programs** (FS Fig. 8): statements run in order; a loop of non-positive extent does nothing. Stuck states are faults: a failed assert, an access outside its
//!   buffer, and those below.
//! * **Undefined values** (⊥): fresh memory holds ⊥, which propagates per lane through every operator but the arm that a select does not choose. ⊥ may not reach an index, a
//!   loop bound, a condition, an assert, or a needed coordinate of an output.
//! * **Parallel loops**: iterations are unordered. Two of them may write one location only with the same value, and one reads a location that another writes only
//!   after its own write; anything else is a race, a fault. Loops over the blocks of a GPU and the threads of a block are parallel loops.
//! * **Atomic updates**: an atomic store reads the element that it writes, and nothing comes between the read and the write. Atomic updates of one element by unordered iterations
//!   are no race, but their order is open: what an element holds afterwards is the result of some order. Any other access beside them is a race.
//! * **Vectors**: all lanes of a store's index and value are evaluated before any lane is written; lanes that collide must carry one value.
//! * **Labels, prophecies and accesses** mean nothing to execution: they are hints for the validator, which checks them.

mod algorithm;
mod array;
mod constant;
mod decl;
pub mod eval;
mod expr;
mod math;
mod op;
pub mod parse;
mod pool;
pub mod print;
mod program;
mod schedule;
mod stmt;
mod types;
pub mod verify;

pub use algorithm::{Algorithm, Require};
pub use array::{Array, Shape, points};
pub use constant::Constant;
pub use decl::{
    BufferDecl, BufferId, BufferKind, Dim, FuncDecl, FuncId, FuncKind, HoleDecl, HoleId, HoleKind,
    HolePart, REGISTER_LIMIT, ReductionVar, STACK_LIMIT, Stage, StoreIn, VarDecl, VarId,
};
pub use expr::{Access, Expr, ExprId};
pub use op::{BinaryOp, Intrinsic, Overflow, UnaryOp};
pub use pool::{Pool, Substitution};
pub use program::{Output, Program};
pub use schedule::{Action, Directive, FoldDirection, LoopLevel, Schedule, Tail};
pub use stmt::{Check, Deal, Interval, Label, LoopKind, Partition, Prophecy, Stmt, StmtId};
pub use types::{Scalar, Type};
