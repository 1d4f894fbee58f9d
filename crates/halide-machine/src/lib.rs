//! A literal machine for the final statements of stock Halide: it does what the code generators
//! make of them, and nothing kinder.
//!
//! The crate shares no code with the translation of statements into our own programs, which is
//! judged against it. Start with [`Statement::new`] and [`run()`]. The first takes a tree of
//! `halidom_halide_ir` apart once, and refuses everything to which the machine does not give its
//! full meaning. The second runs it on a [`Case`].
//!
//! # Correctness
//! Halide's `CodeGen_LLVM`, `CodeGen_Posix`, `CodeGen_PTX_Dev`, `LowerParallelTasks` and its
//! runtime, all of 21.0.0, define the meaning of a node; `docs/stock-halide.md` has the table.
//! Every pattern on a node names all of its fields (`cargo xtask tidy` checks this), so each field
//! gets its meaning or the node is refused.
//!
//! * [`memory`](self) is bytes in blocks with a lifetime; each byte is defined or undefined.
//! * A lane is bits or poison. Poison faults where LLVM has no behaviour for it: at an address, a
//!   branch, a predicate, a bound of a loop, a size, a divisor or an assertion, and where it is
//!   left in a caller's buffer.
//! * Iterations of parallel loops, tasks and threads of a GPU are threads. Forks, joins, semaphores
//!   and barriers order accesses. Two unordered accesses, at least one of them a write, are a data
//!   race.

mod arith;
mod calls;
mod case;
mod code;
mod compile;
mod float;
mod memory;
mod order;
mod outcome;
mod run;
mod value;

pub use case::{BufferCase, Case, Dim, Host};
pub use compile::{Mode, Signature, Statement};
pub use float::{Beyond, Notes};
pub use outcome::{BufferAfter, Fault, FaultKind, Limits, Outcome, Refused};
pub use run::run;
pub use value::Poison;
