//! Terms of SMT-LIB 2, their text, solver processes, and a cache of their answers.
//!
//! This is the only crate that sees a solver. Solvers are separate processes that read SMT-LIB 2
//! text. Any solver will therefore do, every query can be kept as a file and asked again, and a
//! solver that hangs or dies can be killed without harm.
//!
//! This crate knows nothing about IRs: the crate `encode` translates a program's expressions to
//! terms.
//!
//! # Where to start
//!
//! * [`Terms`] builds hash-consed terms over [`Sort`]s: booleans, integers, reals, bit-vectors,
//!   IEEE floats, uninterpreted functions. The builders reject an ill-sorted term at once.
//! * [`Solver`] holds assertions in nested frames, like SMT-LIB, and answers [`Answer::Sat`] with a
//!   [`Model`], [`Answer::Unsat`], or [`Answer::Unknown`] with a [`Reason`].
//! * [`Program`] finds a solver and asks it for its name and version.
//! * [`Script`] is a query as standalone text, the form in which queries are kept, cached and
//!   replayed.
//!
//! # Architecture Invariants
//!
//! * Whatever goes wrong with a process (it is missing, dies, hangs, complains, prints something
//!   unexpected, disagrees with the second solver) yields [`Answer::Unknown`]. No path leads from a
//!   failure to another answer.
//! * Two declarations never share a name: names in texts end in a number from a counter, and the
//!   text before the number is only a hint for readers.
//! * Terms of two [`Terms`] cannot be mixed: each id names its arena, and builders and solvers
//!   check it.
//! * Texts do not depend on the order in which terms were built, on addresses or on hashes.
//!
//! # Correctness
//!
//! We believe `unsat`, so the following must hold:
//!
//! * A term's text means what its builder's doc states (`op.rs` is the table of operators).
//! * The process has exactly the assertions that are in the frames (`session.rs`).
//! * An answer is read only from an exchange without complaints (`session.rs`): a solver that
//!   rejected an assertion goes on to answer a different query.
//! * A cached answer belongs to the same text and solver (`cache.rs`), in a file that is whole
//!   ([`sealed`]).

mod arithmetic;
mod asking;
mod bitvec;
mod cache;
mod float;
mod logic;
mod op;
mod process;
mod program;
mod script;
pub mod sealed;
mod session;
mod sexpr;
mod solver;
mod sort;
mod term;
mod value;

pub use asking::Asking;
pub use cache::{Cache, CacheError};
pub use op::{
    BitVecBinary, BitVecComparison, FloatBinary, FloatComparison, FloatTest, RoundingMode,
};
pub use program::{Family, FindError, Identity, Program};
pub use script::Script;
pub use session::Reason;
pub use solver::{Answer, OpenError, Options, Solver, Statistics};
pub use sort::Sort;
pub use term::{FunId, TermId, Terms};
pub use value::{Model, Value};
