//! Checks each rule of the machine by a statement that keeps it and one that breaks it.

#![expect(
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "what is not expected fails the test, with all of it"
)]
#![expect(clippy::float_cmp, reason = "what is computed exactly is compared so")]

mod common;
mod floats;
mod gpu;
mod lanes;
mod memory;
mod poison;
mod refused;
mod threads;
