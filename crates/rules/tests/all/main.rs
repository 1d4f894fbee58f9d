//! The tests of rules, in one program: they link once, and run side by side.

mod common;
mod engine;
mod order;
mod proofs;
