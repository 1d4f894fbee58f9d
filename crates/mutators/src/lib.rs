//! Mutators and emitters, verified from their C++ source.
//!
//! The crate reads mutators of expressions and statements, and emitters of C, from the C++ files
//! that hold them and runs them symbolically. It proves or refutes each at every type that reaches
//! it. `docs/verifying-mutators.md` describes how far this goes, after *An Automated Verification
//! Framework for HalideIR-Based Compiler Transformations*.
//!
//! The crate knows nothing about our own compiler: neither the passes on its IR nor its rules.
//!
//! # Where to start
//!
//! The rooms; each knows only the rooms above it:
//!
//! * `ir`: IR, values and states, as far as a path knows them.
//! * `machine`: the interpreter of C++, with the contracts of the API's functions.
//! * `meaning`: the values and effects of IR as terms.
//! * `emit`: the text that emitters print, and its reader.
//! * `judge`: tries, proves and replays, and keeps verdicts; [`mutators()`] decides all mutators of
//!   files.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "C++ syntax and patterns have many kinds; those that are not named get the answer of \
        what is not understood"
)]

mod emit;
mod ir;
mod judge;
mod machine;
mod meaning;

pub use halidom_cpp::included;
pub use judge::headers::{declares, undeclared};
pub use judge::list::{Mutator, mutators, mutators_of, names};
pub use judge::observe::{Mutation, observe};
pub use judge::verdict::{Counterexample, Examination, Finding, Standing};
pub use machine::contracts::contracts;
pub use machine::language::Contract;
pub use machine::reader::ContractError;

#[cfg(test)]
mod tests;
