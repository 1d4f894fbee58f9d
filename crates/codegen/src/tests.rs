//! Programs built by hand, compiled, run, and compared with `ir::eval`.
#![expect(
    clippy::wildcard_enum_match_arm,
    clippy::many_single_char_names,
    reason = "tests name what they mean and no more"
)]

pub(crate) mod common;
mod library;
mod operators;
pub(crate) mod run;
pub(crate) mod vectors;
