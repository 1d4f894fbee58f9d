//! Tests of the crate's parts.

mod contracts;
mod lists;
