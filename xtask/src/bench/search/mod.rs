//! Measures the tuner: its estimates against times, what it finds against the schedules of Halide's
//! autoschedulers, and its results for random pipelines.

mod course;
mod effort;
mod model;
mod programs;
mod race;
mod random;
mod rivals;
mod stock;

use crate::error::Error;

/// `search [--model [N] | --halide] [PROGRAM…]`, or `search --random [N]`.
pub(super) fn run(words: &[&str]) -> Result<(), Error> {
    match words {
        ["--model", words @ ..] => model::run(words),
        ["--random", words @ ..] => random::run(words),
        ["--halide", words @ ..] => stock::run(words),
        words => rivals::run(words),
    }
}
