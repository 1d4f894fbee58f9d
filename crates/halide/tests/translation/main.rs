//! Pipelines and statements of stock Halide 21.0.0, translated and run.

#![expect(clippy::print_stderr, clippy::unwrap_used, reason = "a test")]

mod common;
mod miscompiles;
mod table1;
