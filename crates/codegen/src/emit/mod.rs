//! Final programs as C trees: one C statement for each IR statement, except that some patterns of
//! vector loads and stores become calls of one helper function.

mod alignment;
mod aot;
mod atomic;
mod capture;
mod contraction;
mod describe;
mod file;
mod scalar;
mod sharing;
mod translate;
mod vector;

pub use contraction::permits_contraction;
pub use file::emit;
