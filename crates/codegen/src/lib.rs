//! Prints final programs as C, reads the C back, compiles, loads and runs it, and writes libraries
//! ahead of time.
//!
//! The crate knows nothing of validation. It transforms nothing except in [`legalize()`], which
//! runs before validation: the printer is one-to-one. Start with [`emit`], then [`compile`] and
//! [`Kernel`].

mod alignment;
mod aot;
mod artifacts;
mod atomic;
mod batch;
mod capture;
mod contraction;
mod ctree;
mod discard;
mod error;
mod flags;
mod foreign;
mod helpers;
mod kernel;
mod legalize;
mod link;
mod loader;
mod module;
mod names;
mod print;
pub mod readback;
mod repeats;
mod rows;
mod scalar;
mod sharing;
mod shuffles;
mod sums;
mod target;
mod templates;
mod toolchain;
mod translate;
mod vector;

#[cfg(test)]
mod tests;

pub use artifacts::{Artifact, write_all};
pub use batch::{Effort, compile_batch};
pub use contraction::permits_contraction;
pub use error::EmitError;
pub use foreign::{HalideArgument, HalideCall, HalideError, HalideLibrary};
pub use kernel::{Arguments, Kernel, Prepared, RunError, Timing, compile};
pub use legalize::legalize;
pub use module::{CModule, CheckInfo, emit};
pub use target::Target;
pub use toolchain::{COMPILER_VARIABLE, CompileError, RUNTIME_HEADER, RUNTIME_SOURCE, Toolchain};
