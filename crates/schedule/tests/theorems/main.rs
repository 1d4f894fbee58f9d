//! FS's lemmas and theorems as properties of random programs, schedules and inputs: each test is named after what it checks.
//!
//! A schedule is applied directive by directive ([`halidom_schedule::steps`]: FS's T₀ … Tₙ, Fig. 4). Properties of syntax are checked on each program with holes; those of
//! meaning on completions, the engines' and random legal ones, by the interpreter.

#![expect(clippy::panic, reason = "a test fails by panicking")]

mod common;
mod confluence;
mod dominance;
mod naming;
mod specializations;
