//! Stock Halide: readers of what an unmodified Halide 21.0.0 writes.
//!
//! Knows nothing of our own lowering. A **pipeline file** (`.hlpipe`, [`pipeline::read`]) holds an algorithm and its schedule; a **statement** ([`text::statement`]) is what
//! Halide's compiler made of it, in the text that Halide prints; a **dump** ([`text::dump`]) is the statement after every pass of the compiler. All of them
//! are trees of [`tree`], with names in one table of [`Names`].
//!
//! # Correctness
//! A verdict on what stock Halide compiled rests on these readers. A text is read by a grammar that admits nothing but what Halide's printer prints, blanks and
//! line breaks included, so that [`text::print`] gives back the bytes that were read: what was misread would not print the same. A pipeline file is read
//! by the names and places of its schema ([`pipeline`]), every offset checked, and refused if it is of another version.

pub mod bridge;
pub mod claims;
pub mod codes;
mod names;
pub mod pipeline;
pub mod script;
pub mod text;
pub mod translate;
pub mod tree;

pub use names::{NameId, Names};

/// The version of Halide whose output is read.
pub const HALIDE_VERSION: &str = "21.0.0";
