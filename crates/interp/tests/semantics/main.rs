//! Tests of the executable semantics, on hand-made and random algorithms and programs.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a panic is a failed test")]

mod agreement;
mod algorithm;
mod build;
mod claims;
mod literal;
mod machine;
mod program;
mod races;
