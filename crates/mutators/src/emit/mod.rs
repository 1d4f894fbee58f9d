//! Emitters of C: the text that they print, and its reader.
//!
//! # Where to start
//!
//! * `print` collects the text that an emitter writes, `text` splits it into tokens, and `expr` and
//!   `stmt` read them.

pub(crate) mod expr;
pub(crate) mod print;
pub(crate) mod stmt;
pub(crate) mod text;
