//! Expressions of the IR as terms for a solver.
//!
//! The prover of the simplifier's rules and the validator share this crate. It knows nothing about
//! passes or formats. Start with [`Encoder`].
//!
//! | IR | term |
//! |---|---|
//! | `int` | `Int` |
//! | machine integers of n bits | `BitVec n` |
//! | `bool` | `Bool` |
//! | `f32`, `f64` | `FloatingPoint` with one NaN, round to nearest even |
//!
//! # Correctness
//! This crate is trusted. For every pair of operands of the type, each operator's term has the
//! value that [`halidom_ir::eval`] gives; a test compares them on random and extreme operands. An
//! expression without such a term is an error, never an approximation. [`law`] explains how it
//! decides laws of operators.

mod cast;
mod encoder;
mod error;
mod float;
mod integer;
pub mod law;
mod scalar;

pub use encoder::Encoder;
pub use error::EncodeError;
pub use scalar::{constant, sort};
