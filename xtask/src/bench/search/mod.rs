//! Measures the tuner: its estimates against times, what it finds against the schedules of Halide's
//! autoschedulers and at other sizes, and its results for random pipelines.

mod course;
mod effort;
mod model;
mod programs;
mod race;
mod random;
mod rivals;
mod stock;
mod transfer;

use crate::error::Error;

/// `search [--model [N] | --halide | --transfer] [PROGRAM…]`, or
/// `search --random [N] [--threads N]`.
pub(super) fn run(words: &[&str]) -> Result<(), Error> {
    match words {
        ["--model", words @ ..] => model::run(words),
        ["--random", words @ ..] => random::run(words),
        ["--halide", words @ ..] => stock::run(words),
        ["--transfer", words @ ..] => transfer::run(words),
        words => rivals::run(words),
    }
}
