//! Trials of the judgement of stock Halide's compilations.

mod agree;
pub mod fuzz;
pub mod mutants;

pub use agree::{Agreement, Effort, agree};
