//! The tests of derivations, in one program, so that they link once.

mod common;
mod cursors;
mod derivations;
mod errors;
mod faults;
mod laws;
mod rules;
mod tutorial;
