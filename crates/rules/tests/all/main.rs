//! The tests of rules, in one program, so that they link once.

mod common;
mod engine;
mod order;
mod proofs;
