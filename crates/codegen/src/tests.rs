//! Programs built by hand, compiled, run, and compared with `ir::eval`.
#![expect(clippy::wildcard_enum_match_arm, reason = "tests name what they mean and no more")]

mod common;
mod contraction;
mod library;
mod link;
mod math;
mod operators;
mod readback;
mod realigned;
mod repeats;
mod rows;
mod run;
mod vectors;
