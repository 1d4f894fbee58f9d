//! The tests of derivations, in one program: they link once, and run side by side.

mod common;
mod cursors;
mod derivations;
mod errors;
mod faults;
mod laws;
mod rules;
mod tutorial;
