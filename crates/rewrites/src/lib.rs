//! Rewrite rules verified from their C++ source.
//!
//! Rules in the language of Halide's `IRMatch.h` are read from the C++ files that hold them, and
//! each is proved or refuted at every type that reaches it. `docs/verifying-mutators.md` has the
//! argument.
//!
//! It knows nothing about mutators, which are C++ methods that are run, nor about our own compiler
//! and its rules.
//!
//! # Where to start
//!
//! * [`profile`] says what the IR of each known compiler means.
//! * [`rules`] finds rules in C++ syntax, and decides one.
//! * [`mod@examine`] decides all rules of some files; [`cache`] keeps the answers.
//! * [`questions`] writes a program that puts examples of rules to a compiled simplifier.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "C++ syntax and patterns have many kinds; those that are not named get the answer of what is not understood"
)]

pub mod cache;
pub mod examine;
pub mod options;
pub mod profile;
pub mod questions;
pub mod rules;
