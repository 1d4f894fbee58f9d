//! From Halide's trees to `ir`: a pipeline file's algorithm, and the statements that Halide compiled from it.
//!
//! Start with [`algorithm`], then [`program`].

mod algorithm;
mod error;
mod lanes;
mod nodes;
mod ops;
mod program;
mod stores;

pub use algorithm::{Source, algorithm};
pub use error::Unsupported;
pub use program::{Compiled, program};
