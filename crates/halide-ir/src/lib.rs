//! Stock Halide's intermediate representation, as data, and its readers and printers.
//!
//! Knows nothing of what a statement means: [`tree`] is the shape of Halide's `IR.h`, [`text`] the form that Halide prints, [`dump`] a lossless form. Names are in one table of [`Names`].
//!
//! # Correctness
//! A verdict on what stock Halide compiled rests on these readers. A text is read by a grammar that admits nothing but what Halide's printer prints, blanks and
//! line breaks included, so that [`text::print`] gives back the bytes that were read: what was misread would not print the same. A dump that does not print back is refused.

pub mod codes;
pub mod dump;
mod names;
pub mod text;
pub mod tree;

pub use names::{NameId, Names};

/// The version of Halide whose output is read.
pub const HALIDE_VERSION: &str = "21.0.0";
