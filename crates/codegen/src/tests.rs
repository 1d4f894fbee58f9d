//! Programs built by hand, compiled, run, and compared with `ir::eval`.

mod common;
mod operators;
mod run;
mod vectors;
