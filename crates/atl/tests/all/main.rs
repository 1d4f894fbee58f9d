//! The tests of derivations, in one program, so that they link once.

mod common;
mod cursors;
mod derivations;
mod distribute;
mod errors;
mod faults;
mod laws;
mod parallel;
mod rules;
mod sites;
mod tutorial;
