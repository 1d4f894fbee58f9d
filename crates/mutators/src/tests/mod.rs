//! Tests of the crate's parts.

mod contracts;
