//! Emitters of C: what they print, and how it is read again.
//!
//! # Where to start
//!
//! * `print` is what an emitter writes, `text` its tokens; `expr` and `stmt` read them.

pub(crate) mod expr;
pub(crate) mod print;
pub(crate) mod stmt;
pub(crate) mod text;
