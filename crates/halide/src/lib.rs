//! Stock Halide: readers of the files and texts that an unmodified Halide 21.0.0 writes.
//!
//! This crate knows nothing of our own lowering. A **pipeline file** (`.hlpipe`,
//! [`pipeline::read`]) holds an algorithm and its schedule. A **statement** ([`text::statement`])
//! is the output of Halide's compiler for a pipeline, in the text that Halide prints. A **dump**
//! ([`text::dump`]) holds the statement after every pass of the compiler. All of them are trees of
//! [`tree`], with names in one table of [`Names`].
//!
//! # Correctness
//! A verdict on code that stock Halide compiled rests on the readers of [`halidom_halide_ir`] and
//! on this one. A pipeline file is read by the names and places of its schema ([`pipeline`]). Every
//! offset is checked, and a file of another version is refused.

pub mod bridge;
pub mod claims;
mod conditions;
pub mod pipeline;
pub mod script;
pub mod translate;

pub use conditions::{ANSWER_LIMIT, Condition, SCALE_LIMIT, SIZE_LIMIT, SMALL_LIMIT};
pub use halidom_halide_ir::{
    HALIDE_VERSION, NameId, Names, Release, codes, dump, parts, text, tree,
};
