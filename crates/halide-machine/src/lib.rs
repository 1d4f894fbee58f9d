//! A literal machine for the final statements of stock Halide: what the code generators make of them, nothing kinder.
//!
//! Shares no code with the translation of statements into our own programs, which is judged against it.
