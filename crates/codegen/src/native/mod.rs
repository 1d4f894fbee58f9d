//! Emitted C as machine code: the tool chain, linking, loading, calls, and files ahead of time.

mod artifacts;
mod batch;
mod flags;
mod foreign;
mod kernel;
pub(crate) mod link;
mod loader;
pub(crate) mod toolchain;

pub use artifacts::{Artifact, write_all};
pub use batch::{Effort, compile_batch};
pub use foreign::{HalideArgument, HalideCall, HalideError, HalideLibrary};
pub use kernel::{Arguments, Kernel, Prepared, RunError, Timing, compile};
pub use toolchain::{COMPILER_VARIABLE, CompileError, RUNTIME_HEADER, RUNTIME_SOURCE, Toolchain};
