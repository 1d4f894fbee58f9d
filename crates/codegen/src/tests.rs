//! Programs built by hand, compiled, run, and compared with `ir::eval`.
#![expect(clippy::wildcard_enum_match_arm, reason = "tests name what they mean and no more")]

pub(crate) mod common;
mod contraction;
mod library;
mod link;
mod math;
mod operators;
mod realigned;
pub(crate) mod repeats;
mod rows;
pub(crate) mod run;
pub(crate) mod vectors;
