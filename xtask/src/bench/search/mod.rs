//! Measures the tuner: its estimates against times, what it finds against the schedules of Halide's
//! autoschedulers, and its results for random pipelines.

mod model;
mod programs;
mod random;
mod rivals;

use crate::error::Error;

/// `search [--model [N]] [PROGRAM…]`, or `search --random [N]`.
pub(super) fn run(words: &[&str]) -> Result<(), Error> {
    match words {
        ["--model", words @ ..] => model::run(words),
        ["--random", words @ ..] => random::run(words),
        words => rivals::run(words),
    }
}
