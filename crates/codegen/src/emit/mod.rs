//! Final programs as C trees: one C statement for each IR statement.

mod access;
mod aot;
mod atomic;
mod capture;
mod contraction;
mod describe;
mod file;
mod scalar;
mod translate;
mod vector;

pub use contraction::{is_contracted, permits_contraction};
pub use file::emit;
