//! Measures the tuner: its estimates against times, and what it finds against the schedules of
//! Halide's autoschedulers.

mod model;
mod programs;
mod rivals;

use crate::error::Error;

/// `search [--model [N]] [PROGRAM…]`.
pub(super) fn run(words: &[&str]) -> Result<(), Error> {
    match words {
        ["--model", words @ ..] => model::run(words),
        words => rivals::run(words),
    }
}
