//! From Halide's trees to `ir`: a pipeline file's algorithm, and the statements that Halide compiled from it.
//!
//! Start with [`algorithm`], then [`program`]; [`schedule()`] reads what a pipeline file says of how its funcs are computed.

mod algorithm;
mod assumptions;
mod barriers;
mod belonging;
mod caller;
mod clamps;
mod contract;
mod domains;
mod error;
mod lanes;
mod late_checks;
mod marks;
mod nodes;
mod ops;
mod program;
mod reinterpret;
mod schedule;
mod signature;
mod stores;
mod tasks;
mod wrapping;

pub use algorithm::{Settings, Source, algorithm, declared, rewriting};
pub use assumptions::{ASSUMED, assumption};
pub use belonging::{Mismatch, belongs};
pub use clamps::keep_in_range;
pub use contract::{Clause, Contract};
pub use error::Unsupported;
pub use marks::{Instance, Marked};
pub use ops::Widths;
pub use program::{Compiled, program};
pub use schedule::{Imported, keep_used, schedule};
pub use signature::signature;
pub use stores::NOWHERE;
pub use wrapping::let_wrap;
