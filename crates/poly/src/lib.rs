//! Integer sets and functions, over the library isl.
//!
//! This is the only crate that sees isl. Bounds inference (`schedule`) and `driver` ask for the
//! least and greatest value of a coordinate over a set and need the answer as an expression.
//! `reference` and `atl::prover` ask whether a set is empty, or contained in another, and must get
//! a yes, a no, or an honest refusal.
//!
//! The crate knows nothing about IRs (it receives only affine data, no expression of a program) and
//! nothing about solvers.
//!
//! # Where to start
//!
//! * [`Context`] allocates named integer variables, [`Dim`]s, and limits the work of each call.
//! * [`Set`] is a set of integer points. A set has no fixed space: it constrains the dims that it
//!   mentions and leaves every other dim free, so sets over different dims can be combined at will.
//!   A relation between two groups of dims (a map) is the set of its graph; [`Set::exists`]
//!   composes.
//! * [`Function`] is an integer-valued, piecewise quasi-affine function of dims, defined on some
//!   set of points. Build one from an expression DAG with one memoised call per node, compare two
//!   to get a [`Set`], or get one from [`Set::min`].
//! * [`QuasiAffine`] and [`Constraint`] are plain data: the trees that clients pass in and get
//!   back.
//!
//! # Architecture Invariants
//!
//! * Nothing of isl is visible in a signature, and handles are neither `Send` nor `Sync` (isl
//!   contexts are not thread-safe):
//!   ```compile_fail,E0277
//!   fn requires_send<T: Send>() {}
//!   requires_send::<halidom_poly::Set>();
//!   ```
//! * Every failure of isl, including an exceeded work limit, is an [`Error`]. A question whose work
//!   limit ran out has no answer; there is no default.
//! * Arithmetic is exact: isl computes in unbounded integers, and a number in an answer that does
//!   not fit in 64 bits is [`Error::Overflow`].
//!
//! # Correctness
//!
//! Where the validator uses an answer, it trusts isl and the conversions in this crate: from
//! [`QuasiAffine`] to isl (`function.rs`), and back (`read.rs`). `tests/enumeration.rs` checks the
//! conversions against enumeration.

mod build;
mod context;
mod error;
mod expression;
mod extreme;
mod function;
mod quasi;
mod read;
mod set;

pub use context::{Context, DEFAULT_WORK_LIMIT, Dim};
pub use error::Error;
pub use function::{Function, Piece};
pub use quasi::{Affine, Condition, Constraint, QuasiAffine, Relation};
pub use set::{Point, Set};
