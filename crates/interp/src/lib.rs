//! The semantics, executable: algorithms lazily, programs with checked memory, undefined values and a race detector.
//!
//! Knows nothing of sets, solvers, schedules or C. It is the oracle of tests, of `run --interpret` and of the validator's replay, so it is exact first: every operator
//! is [`halidom_ir::eval`]'s.
//!
//! Start with [`algorithm::evaluate`] (what a pipeline means) and [`machine::run`] (what a program does). Both take [`Bindings`]: parameters and inputs.

pub mod algorithm;
mod bindings;
mod code;

pub mod machine;
mod notes;
mod rounding;
mod startup;

pub use bindings::{BindError, Bindings};
pub use notes::Notes;
pub use startup::{StartupError, evaluate_expr};
