//! The `halidom` binary.

fn main() {}
