//! Tests FS's lemmas and theorems as properties of random programs, schedules and inputs. Each test
//! is named after the property that it checks.
//!
//! A schedule is applied directive by directive ([`halidom_schedule::steps`]: FS's T₀ … Tₙ, Fig.
//! 4). Syntactic properties are checked on each program with holes. Semantic properties are checked
//! by the interpreter on completions, the engines' and random legal ones.

#![expect(clippy::panic, reason = "a test fails by panicking")]

mod common;
mod confluence;
mod dominance;
mod naming;
mod specializations;
