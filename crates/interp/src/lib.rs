//! The executable semantics: a lazy evaluator of algorithms, and a machine for programs with
//! checked memory, undefined values and a race detector.
//!
//! This crate does not use sets, solvers, schedules or C. It is the oracle of tests, of
//! `run --interpret` and of the validator's replay, so exactness comes first: every operator is
//! [`halidom_ir::eval`]'s.
//!
//! Start with [`algorithm::evaluate`] (the meaning of a pipeline) and [`machine::run`] (the
//! execution of a program). Both take [`Bindings`]: parameters and inputs.

pub mod algorithm;
mod bindings;
mod code;

pub mod machine;
mod nesting;
mod notes;
mod rounding;
mod startup;

pub use bindings::{BindError, Bindings};
pub use nesting::nesting;
pub use notes::Notes;
pub use startup::{StartupError, evaluate_expr};
