//! Stock Halide's intermediate representation, as data, and its readers and printers.
//!
//! The crate knows nothing of what a statement means. [`tree`] has the shape of Halide's `IR.h`,
//! [`text`] is the form that Halide prints, and [`dump`] is a lossless form. Names are in one table
//! of [`Names`].
//!
//! # Correctness
//! A verdict on stock Halide's output rests on these readers. A text is read by a grammar that
//! admits nothing but what Halide's printer prints, blanks and line breaks included. So
//! [`text::print`] returns the bytes that were read, and a misread text would not print the same. A
//! dump that does not print back is refused. Only line breaks at the end of a text are free
//! (`ending`).

pub mod codes;
pub mod dump;
mod ending;
mod names;
pub mod parts;
mod release;
pub mod text;
pub mod tree;

pub use names::{NameId, Names};
pub use release::Release;

/// The version of Halide that is recommended. [`Release::ALL`] has those whose output is read.
pub const HALIDE_VERSION: &str = "21.0.0";
