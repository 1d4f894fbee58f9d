//! The tests of solvers, in one program, so that they link once.

mod answers;
mod common;
mod operators;
mod processes;
