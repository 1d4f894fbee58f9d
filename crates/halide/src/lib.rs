//! Stock Halide: readers of what an unmodified Halide 21.0.0 writes.
//!
//! Knows nothing of our own lowering. A **pipeline file** (`.hlpipe`, [`pipeline::read`]) holds an algorithm and its schedule; a **statement** ([`text::statement`]) is what
//! Halide's compiler made of it, in the text that Halide prints; a **dump** ([`text::dump`]) is the statement after every pass of the compiler. All of them
//! are trees of [`tree`], with names in one table of [`Names`].
//!
//! # Correctness
//! A verdict on what stock Halide compiled rests on the readers of [`halidom_halide_ir`] and on this one: a pipeline file is read
//! by the names and places of its schema ([`pipeline`]), every offset checked, and refused if it is of another version.

pub mod bridge;
pub mod claims;
mod conditions;
pub mod pipeline;
pub mod script;
pub mod translate;

pub use conditions::{Condition, SIZE_LIMIT, SMALL_LIMIT};
pub use halidom_halide_ir::{HALIDE_VERSION, NameId, Names, codes, dump, text, tree};
