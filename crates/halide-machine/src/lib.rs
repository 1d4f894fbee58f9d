//! A literal machine for the final statements of stock Halide: what the code generators make of them, nothing kinder.
//!
//! Shares no code with the translation of statements into our own programs, which is judged against it.
//! Start with [`Statement::new`], which takes a tree of `halidom_halide_ir` apart once and refuses what the machine does not give its full meaning, and [`run`], which runs it on a [`Case`].
//!
//! # Correctness
//! Halide's `CodeGen_LLVM`, `CodeGen_Posix`, `CodeGen_PTX_Dev`, `LowerParallelTasks` and its runtime, all of 21.0.0, say what a node means; `docs/stock-halide.md` has the table. Every pattern on a node names all of its fields
//! (`cargo xtask tidy` checks that), so that a field is given its meaning or the node is refused.
//!
//! * [`memory`](self) is bytes in blocks with a lifetime; each byte is defined or not.
//! * A lane is bits or poison. Poison faults where LLVM has no behaviour for it: at an address, a branch, a predicate, a bound of a loop, a size, a divisor, an assertion, or left in a buffer of the caller's.
//! * Iterations of parallel loops, tasks and threads of a GPU are threads. Accesses are ordered by forks, joins, semaphores and barriers; two that are not, one of them a write, are a race.

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
pub use float::Notes;
pub use outcome::{BufferAfter, Fault, FaultKind, Limits, Outcome, Refused};
pub use run::run;
pub use value::Poison;
