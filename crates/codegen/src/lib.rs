//! Prints final programs as C, compiles, loads and runs it, and writes libraries ahead of time.
//!
//! The crate knows nothing of validation. It transforms no program: the printer is one-to-one.
//! Start with [`emit()`], then [`compile`] and [`Kernel`].
//!
//! Its rooms: `c`, the syntax of C; `emit`, from programs to C; `native`, from C to machine code.
//! `emit` and `native` share only [`CModule`].

mod c;
mod emit;
mod error;
mod module;
mod native;
mod target;

#[cfg(test)]
mod tests;

pub use emit::{emit, is_contracted, permits_contraction};
pub use error::EmitError;
pub use module::{ArgumentInfo, ArgumentKind, CModule, CheckInfo};
pub use native::{
    Arguments, Artifact, COMPILER_VARIABLE, CompileError, Effort, HalideArgument, HalideCall,
    HalideError, HalideLibrary, Kernel, Prepared, RUNTIME_HEADER, RUNTIME_SOURCE, RunError, Timing,
    Toolchain, compile, compile_batch, write_all,
};
pub use target::Target;
