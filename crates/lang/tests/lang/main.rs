//! Tests of the language through its one entry, `parse`.

mod common;
mod docs;
mod examples;
