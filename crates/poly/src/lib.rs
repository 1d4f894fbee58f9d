//! Integer sets and functions, over the library isl.
//!
//! This is the only crate that sees isl. It has two clients: bounds inference, which asks for the least and
//! greatest value of a coordinate over a set and wants it back as an expression; and the validator, which asks
//! whether a set is empty, or contained in another, and must get a yes, a no, or an honest refusal.
//!
//! It knows nothing about IRs (no expression of a program comes here, only affine data) and nothing about solvers.
//!
//! # Where to start
//!
//! * [`Context`] allocates named integer variables, [`Dim`]s, and limits the work of each call.
//! * [`Set`] is a set of integer points. A set has no fixed space: it constrains the dims that it mentions and leaves
//!   every other dim free, so sets over different dims can be combined at will. A relation between two groups of dims
//!   (a map) is the set of its graph; [`Set::exists`] composes.
//! * [`Function`] is an integer-valued, piecewise quasi-affine function of dims, defined on some set of points. Build
//!   one from an expression DAG with one memoised call per node, compare two to get a [`Set`], or get one from
//!   [`Set::min`].
//! * [`QuasiAffine`] and [`Constraint`] are plain data: the trees that go in and come out.
//!
//! # Architecture Invariants
//!
//! * Nothing of isl is visible in a signature, and handles are neither `Send` nor `Sync` (isl contexts are not
//!   thread-safe):
//!   ```compile_fail,E0277
//!   fn requires_send<T: Send>() {}
//!   requires_send::<halidom_poly::Set>();
//!   ```
//! * Every failure of isl, its work limit included, is an [`Error`]. A question whose work limit ran out has no
//!   answer: there is no default.
//! * Arithmetic is exact: isl computes in unbounded integers, and a number that does not fit 64 bits on the way out is
//!   [`Error::Overflow`].
//!
//! # Correctness
//!
//! Where the validator uses an answer, isl is trusted for it, and so are the conversions in this crate: from
//! [`QuasiAffine`] to isl (`function.rs`), and back (`read.rs`). The conversions are checked against enumeration in
//! `tests/enumeration.rs`.

mod context;
mod error;
mod function;
mod quasi;
mod read;
mod set;

pub use context::{Context, DEFAULT_WORK_LIMIT, Dim};
pub use error::Error;
pub use function::{Function, Piece};
pub use quasi::{Affine, Condition, Constraint, QuasiAffine, Relation};
pub use set::{Point, Set};
