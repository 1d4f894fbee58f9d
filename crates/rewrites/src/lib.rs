//! Rewrite rules verified from their C++ source.
//!
//! Reads rules in the languages of Halide's `IRMatch.h` and TVM's `pattern_match.h` from the C++
//! files that hold them, and proves or refutes each at every type that reaches it. The argument is
//! in `docs/verifying-mutators.md`.
//!
//! This crate knows nothing about mutators, which are C++ methods that are run, nor about our own
//! compiler and its rules.
//!
//! # Where to start
//!
//! * [`profile`] defines the meaning of each known compiler's IR.
//! * [`rules`] finds rules in C++ syntax, and decides one.
//! * [`mod@examine`] decides all rules of some files; [`cache`] keeps the answers.
//! * [`questions`] and [`python`] write a program that asks a compiled simplifier about examples of
//!   rules.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "C++ syntax and patterns have many kinds; those that are not named get the answer of \
        what is not understood"
)]

pub mod built;
pub mod cache;
pub mod examine;
pub mod options;
pub mod profile;
pub mod python;
pub mod questions;
pub mod rules;
