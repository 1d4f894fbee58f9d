//! Compiler transformations verified from their C++ source.
//!
//! Mutators and emitters verified from their C++ source.
//!
//! Mutators of expressions and statements and emitters of C are read from the C++ files that hold
//! them and run symbolically; each is proved or refuted at every type that reaches it.
//! `docs/verifying-mutators.md` says how far this is, after *An Automated Verification Framework
//! for HalideIR-Based Compiler Transformations*.
//!
//! It knows nothing about our own compiler: not its IR's passes, nor its rules.
//!
//! # Where to start
//!
//! The rooms, each of which knows only those above it:
//!
//! * `ir`: IR, values and states as a path knows them.
//! * `machine`: the interpreter of C++, with the contracts of the API's functions.
//! * `meaning`: the values and effects of IR as terms.
//! * `emit`: what emitters print, and how it is read again.
//! * `judge`: what is tried, proved, replayed and kept; [`mutators()`] decides all mutators of files.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "C++ syntax and patterns have many kinds; those that are not named get the answer of what is not understood"
)]

mod emit;
mod ir;
mod judge;
mod machine;
mod meaning;

pub use judge::list::{Mutator, mutators, mutators_of, names};
pub use judge::observe::{Mutation, observe};
pub use judge::verdict::{Counterexample, Examination, Finding, Standing};
pub use machine::contracts::{CONTRACTS, Contract};
