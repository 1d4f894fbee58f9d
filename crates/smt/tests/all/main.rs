//! The tests of solvers, in one program: they link once, and run side by side.

mod answers;
mod common;
mod operators;
mod processes;
