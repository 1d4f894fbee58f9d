//! Translates Halide's trees to `ir`: the algorithm of a pipeline file, and the statements that
//! Halide compiled from it.
//!
//! Start with [`algorithm`], then [`program`]. [`schedule()`] reads a pipeline file's schedule.

mod algorithm;
mod assertions;
mod assumptions;
mod barriers;
mod belonging;
mod bits;
mod buffers;
mod caller;
mod clamps;
mod constants;
mod contract;
mod devices;
mod domains;
mod effects;
mod error;
mod extern_calls;
mod extern_stages;
mod externs;
mod fields;
mod halves;
mod holdings;
mod interpolation;
mod intrinsics;
mod kernels;
mod keys;
mod lanes;
mod late_checks;
mod marks;
mod memory;
mod memos;
mod named;
mod nodes;
mod note;
mod ops;
mod pointers;
mod polynomials;
mod priors;
mod program;
mod reinterpret;
mod schedule;
mod signature;
mod stores;
mod structs;
mod tails;
mod tasks;
mod truths;
mod walk;
mod wrapping;

pub use algorithm::{Settings, Source, algorithm, declared, rewriting};
pub use assumptions::{ASSUMED, assumption};
pub use belonging::{Mismatch, belongs, lay_out_arrays};
pub use clamps::keep_in_range;
pub use contract::{Clause, Contract};
pub use error::Unsupported;
pub use marks::{Instance, Marked};
pub use note::Note;
pub use ops::Widths;
pub use program::{Compiled, between_passes, program};
pub use schedule::{Imported, keep_used, schedule};
pub use signature::signature;
pub use stores::{NOWHERE, UNLOADED};
pub use wrapping::let_wrap;
