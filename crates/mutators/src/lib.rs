//! Compiler transformations verified from their C++ source.
//!
//! Rewrite rules in the language of Halide's `IRMatch.h`, mutators of expressions and statements, and emitters of C are read
//! from the C++ files that hold them, and each is proved or refuted at every type that reaches it
//! (*An Automated Verification Framework for HalideIR-Based Compiler Transformations* is the goal; `docs/verifying-mutators.md`
//! says how far this is).
//!
//! It knows nothing about our own compiler: not its IR's passes, nor its rules.
//!
//! # Where to start
//!
//! * [`cpp`] reads C++ into syntax.
//! * [`rules`] finds rules in it, and decides one.
//! * [`programs`] runs mutators and emitters.
//! * [`mod@examine`] decides all rules of some files and keeps the answers.
//! * [`profile`] says what the IR of each known compiler means.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "C++ syntax and patterns have many kinds; those that are not named get the answer of what is not understood"
)]

mod cache;
pub mod cpp;
pub mod examine;
pub mod profile;
pub mod programs;
pub mod questions;
pub mod rules;
