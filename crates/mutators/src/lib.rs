//! Compiler transformations verified from their C++ source.
//!
//! Mutators and emitters verified from their C++ source.
//!
//! Mutators of expressions and statements and emitters of C are read from the C++ files that hold
//! them and run symbolically; each is proved or refuted at every type that reaches it. `docs/verifying-mutators.md`
//! says how far this is, after *An Automated Verification Framework for HalideIR-Based Compiler Transformations*.
//!
//! It knows nothing about our own compiler: not its IR's passes, nor its rules.
//!
//! # Where to start
//!
//! * [`programs`] runs mutators and emitters.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "C++ syntax and patterns have many kinds; those that are not named get the answer of what is not understood"
)]

pub mod programs;
